//! Bad players: each kind plays a real tournament against `bot:random`, and the log must say
//! exactly what it did. The players are small scripts in `tests/players`.
#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

const PLAYERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/players");
const EXPECTED: &str = "expected a placement like `3,4`, a move like `3,4>3,5`, or `pass`";
/// The maximum duration of a run, and the maximum memory of the referee.
const PATIENCE: Duration = Duration::from_secs(120);
const MOST_KIB: u64 = 100 * 1024;
/// A limit that no player reaches by accident, and one that players are meant to reach.
const LONG: &str = "move = \"10s\"";
const SHORT: &str = "move = \"500ms\"";

/// A tournament of `bad` against `bot`, to be played.
struct Cup {
    bad: Vec<String>,
    against: Option<Vec<String>>,
    clock: &'static str,
    top: &'static str,
    keys: &'static str,
    args: &'static [&'static str],
    folder: tempfile::TempDir,
}

/// The result.
struct Played {
    exit: i32,
    printed: String,
    games: Vec<Value>,
    folder: tempfile::TempDir,
}

fn words(script: &str, args: &[&str]) -> Vec<String> {
    let shell = Path::new(script).extension().is_some_and(|extension| extension == "sh");
    let interpreter = if shell { "sh" } else { "python3" };
    [interpreter, script].iter().chain(args).map(|&word| word.to_owned()).collect()
}

fn cup(script: &str, args: &[&str]) -> Cup {
    Cup {
        bad: words(script, args),
        against: None,
        clock: LONG,
        top: "",
        keys: "",
        args: &[],
        folder: tempfile::tempdir().expect("a folder"),
    }
}

impl Cup {
    fn clock(self, clock: &'static str) -> Self {
        Self { clock, ..self }
    }

    fn against(self, script: &str, args: &[&str]) -> Self {
        Self { against: Some(words(script, args)), ..self }
    }

    fn configuration(&self) -> String {
        let told = self.folder.path().to_str().expect("a plain path");
        let opponent = match &self.against {
            None => "bot = \"random\"".to_owned(),
            Some(words) => {
                format!("command = {words:?}\ndir = {PLAYERS:?}\nenv = {{ TOLD = {told:?} }}")
            }
        };
        let command = serde_json::to_string(&self.bad).expect("texts");
        format!(
            "name = \"cup\"\ngame = \"watch-your-back\"\nseed = 7\nquarantine = 0\n{}\n\
             [options]\nmax-moves = 24\n[clock]\n{}\n\
             [[players]]\nname = \"bad\"\ncommand = {command}\ndir = {PLAYERS:?}\n\
             env = {{ TOLD = {told:?} }}\n{}\n[[players]]\nname = \"bot\"\n{opponent}\n",
            self.top, self.clock, self.keys,
        )
    }

    /// Plays it, and checks the common invariants: the referee stays small and leaves no process
    /// behind.
    fn play(self) -> Played {
        let config = self.folder.path().join("cup.toml");
        fs::write(&config, self.configuration()).expect("a configuration");
        let err = self.folder.path().join("err.txt");
        take_a_core();
        let mut referee = Command::new(env!("CARGO_BIN_EXE_referee"))
            .args(["run", "--jobs", "1", "--results"])
            .arg(self.folder.path())
            .args(self.args)
            .arg(&config)
            .env_remove("NO_COLOR")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(&err).expect("a file"))
            .spawn()
            .expect("the referee starts");
        let (exit, peak) = watch(&mut referee);
        assert!(peak < MOST_KIB, "the referee grew to {peak} KiB");
        let told = self.folder.path().to_str().expect("a plain path");
        assert_eq!(left_over(told), Vec::<String>::new(), "processes are left over");
        let printed = fs::read_to_string(err).expect("text");
        let log = fs::read_to_string(self.folder.path().join("cup/games.jsonl"));
        let log = log.unwrap_or_else(|error| panic!("no log: {error}: {printed}"));
        let game = |line| serde_json::from_str(line).expect("JSON");
        let games = log.lines().skip(1).map(game).collect();
        Played { exit, printed, games, folder: self.folder }
    }

    /// Plays it; `bad` must lose both games by a fault with this code and this sentence.
    fn lost(self, code: &str, sentence: &str) -> Played {
        let played = self.play();
        assert_eq!((played.exit, played.games.len()), (0, 2), "{}", played.printed);
        for game in &played.games {
            let (bad, bot) = seats(game);
            let fault = &game["fault"][bad];
            assert_eq!(
                (said(&fault["message"]).as_str(), &fault["code"]),
                (sentence, &code.into())
            );
            assert_eq!((&game["result"], &game["reason"]), (&bot.into(), &code.into()));
            assert_eq!((&game["scores"][bad], &game["scores"][bot]), (&0.into(), &1.into()));
            assert!(game["fault"][bot].is_null(), "{game}");
        }
        played
    }

    /// The same, and `check` finds the same. Used for one player per fault code.
    fn lost_and_checked(self, code: &str, sentence: &str) -> Played {
        self.lost(code, sentence).checked(code, sentence)
    }

    /// Plays it; no game may end by a fault.
    fn fine(self) -> Played {
        let played = self.play();
        assert_eq!(played.exit, 0, "{}", played.printed);
        for game in &played.games {
            assert!(game["fault"].is_null(), "{game}");
        }
        played
    }
}

impl Played {
    /// `field` of the bad player's fault, in each game.
    fn faults(&self, field: &str) -> Vec<&Value> {
        self.games.iter().map(|game| &game["fault"][seats(game).0][field]).collect()
    }

    /// The first finding of `check` is the same, and so is the output of the command that it gives.
    fn checked(self, code: &str, sentence: &str) -> Self {
        let config = self.folder.path().join("cup.toml");
        let records = self.folder.path().join("check");
        let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
        command.args(["check", "bad", "--format", "json", "--against", "random"]);
        let output = command
            .arg("--config")
            .arg(&config)
            .arg("--records")
            .arg(&records)
            .output()
            .expect("it runs");
        let report: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(output.status.code(), Some(1), "{report}");
        assert_eq!(report["ready"], false);
        let steps = report["steps"].as_array().expect("steps");
        let finding = steps.iter().map(|step| &step["finding"]).find(|finding| !finding.is_null());
        let finding = finding.expect("a finding");
        assert_eq!(
            (said(&finding["message"]).as_str(), &finding["code"]),
            (sentence, &code.into())
        );
        let exchanged = finding["exchange"].as_array().is_some_and(|lines| !lines.is_empty());
        assert!(exchanged || sentence.contains("cannot be run"), "{finding}");
        let again = finding["reproduce"].as_str().expect("a command");
        let again = again.replacen("referee", env!("CARGO_BIN_EXE_referee"), 1) + " --format json";
        let output = Command::new("sh").args(["-c", &again]).output().expect("a shell");
        let asked: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{again}: {}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(output.status.code(), Some(1), "{asked}");
        assert_eq!(said(&asked["finding"]["message"]), sentence, "{again}: {asked}");
        self
    }

    fn raw(&self, expected: &str) {
        assert_eq!(self.faults("raw"), [expected; 2]);
    }

    /// Each game's warnings, with `{bad}` for the bad player's seat.
    fn warnings(&self) -> Vec<Vec<String>> {
        let of = |game: &Value| {
            let list = game["warnings"].as_array().cloned().unwrap_or_default();
            list.iter().map(|text| said(text).replace(seats(game).0, "{bad}")).collect()
        };
        self.games.iter().map(of).collect()
    }

    fn warns(&self, expected: &[&str]) {
        assert_eq!(self.warnings(), vec![expected.to_vec(); self.games.len()]);
    }
}

/// The seats of `bad` and of `bot`.
fn seats(game: &Value) -> (&'static str, &'static str) {
    if game["players"]["white"] == "bad" { ("white", "black") } else { ("black", "white") }
}

/// A text of the log, with `N` for measured seconds.
fn said(text: &Value) -> String {
    let words: Vec<&str> = text.as_str().unwrap_or_default().split(' ').collect();
    let mut plain = String::new();
    for (at, word) in words.iter().enumerate() {
        let follows = |far: usize| words.get(at + far).copied().unwrap_or_default();
        let seconds = word.parse::<f64>().is_ok() && follows(1).starts_with('s');
        let measured = follows(2) == "of" && follows(3) == "CPU"
            || at > 0 && matches!(words[at - 1], "pondered" | "after");
        let word = if seconds && measured { "N" } else { word };
        let _ = write!(plain, "{}{word}", if at == 0 { "" } else { " " });
    }
    plain
}

/// Binds this thread, and everything that it starts, to one core, a different one for each
/// tournament. Otherwise all referees would use the first core.
fn take_a_core() {
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    static TAKEN: AtomicUsize = AtomicUsize::new(0);
    let this = nix::unistd::Pid::from_raw(0);
    let may = sched_getaffinity(nix::unistd::Pid::from_raw(nix::unistd::getpid().as_raw()));
    let Ok(may) = may else { return };
    let cores: Vec<usize> =
        (0..CpuSet::count()).filter(|&core| may.is_set(core).unwrap_or(false)).collect();
    let mut one = CpuSet::new();
    let next = TAKEN.fetch_add(1, Ordering::Relaxed);
    if one.set(cores[next % cores.len()]).is_ok() {
        // Without it, the tests are only slower.
        let _ = sched_setaffinity(this, &one);
    }
}

/// Waits for the referee; its exit code, and its peak in KiB.
fn watch(referee: &mut Child) -> (i32, u64) {
    let began = Instant::now();
    let status = format!("/proc/{}/status", referee.id());
    let mut peak = 0;
    loop {
        let now = fs::read_to_string(&status).unwrap_or_default();
        let line = now.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
        peak = kib.unwrap_or(peak);
        if let Some(status) = referee.try_wait().expect("a child") {
            return (status.code().expect("an exit code"), peak);
        }
        if began.elapsed() > PATIENCE {
            let _ = referee.kill();
            panic!("the referee did not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Living players that were started in this folder.
fn left_over(told: &str) -> Vec<String> {
    let mark = format!("TOLD={told}");
    let of_player = |process: &Path| {
        let environ = fs::read(process.join("environ")).unwrap_or_default();
        environ.split(|&byte| byte == 0).any(|entry| entry == mark.as_bytes())
    };
    let processes = fs::read_dir("/proc").expect("a list").flatten().map(|entry| entry.path());
    processes
        .filter(|process| of_player(process))
        .map(|process| fs::read_to_string(process.join("cmdline")).unwrap_or_default())
        .collect()
}

fn does(what: &str) -> Cup {
    cup("does.sh", &[what])
}

fn says(what: &str) -> Cup {
    cup("says.sh", &[what])
}

// Players that do not start.

#[test]
fn a_traceback_instead_of_a_greeting() {
    let played = cup("traceback.py", &[])
        .lost_and_checked("no-start", "the greeting failed: it exited with code 1");
    for lines in played.faults("stderr") {
        let last = lines.as_array().and_then(|lines| lines.last()).expect("stderr");
        assert_eq!(last, "ModuleNotFoundError: No module named 'no_such_module_anywhere'");
    }
    assert!(played.printed.contains("bad"), "{}", played.printed);
}

#[test]
fn a_program_whose_interpreter_is_missing() {
    use std::os::unix::fs::PermissionsExt;
    let mut cup = cup("", &[]);
    let program = cup.folder.path().join("player");
    fs::write(&program, "#!/no/such/interpreter\n").expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its owner");
    let name = program.to_str().expect("a plain path").to_owned();
    cup.bad = vec![name.clone()];
    let message = format!(
        "{name} cannot be run: No such file or directory (os error 2); its first line names \
         `/no/such/interpreter`, which is neither in a system folder nor in the `PATH`; write \
         `#!/usr/bin/env NAME`, or start the file with its interpreter, as in `python3 player.py`"
    );
    cup.lost("no-start", &message);
}

#[test]
fn sleeping_through_the_start_up_is_no_start() {
    let clock = "startup = \"2s\"\nmove = \"10s\"";
    cup("bare.sh", &["", "exec sleep 60"]).clock(clock).lost(
        "no-start",
        "the greeting failed: no reply within 2 s: sleeping, with N s of CPU time used",
    );
}

#[test]
fn failing_greetings() {
    for (line, sentence) in [
        (
            "Welcome!\\n",
            "expected {\"id\":0} or ok as the first line on stdout, but read \"Welcome!\"; debug \
             output belongs on stderr",
        ),
        (
            "{\"id\":0,\"want\":[\"moves\"]}\\n",
            "\"want\" contains \"moves\"; expected state, events or legal",
        ),
        ("{\"id\":0,\"protocol\":2}\\n", "it speaks protocol 2, the referee [1]"),
        ("{\"id\":5}\\n", "the reply has id 5, but the request had 0"),
    ] {
        cup("greets.sh", &[line])
            .lost("no-start", &format!("the greeting failed: {sentence}"))
            .raw(line.strip_suffix("\\n").expect("a line"));
    }
}

// Players that exit.

#[test]
fn ended_by_a_signal() {
    does("kill -SEGV $$").lost_and_checked("crash", "it was killed by SIGSEGV");
}

#[test]
fn ended_by_an_exception() {
    let played = cup("raises.py", &[]).lost("crash", "it exited with code 1");
    for lines in played.faults("stderr") {
        assert_eq!(lines.as_array().expect("stderr").last().expect("lines"), "ValueError: no idea");
    }
}

#[test]
fn exiting_right_after_a_move() {
    let played =
        cup("plays_then.sh", &["exit 0"]).lost_and_checked("exit", "it exited with code 0");
    for game in &played.games {
        assert!(game["plies"].as_u64() >= Some(2), "its move counts: {game}");
    }
}

#[test]
#[ignore = "slow: waits for seconds"]
fn closing_stdout() {
    does("exec >&-; exec sleep 60")
        .lost_and_checked("closed-output", "it closed its stdout and kept running");
}

#[test]
fn exiting_in_the_middle_of_a_line() {
    does("printf 3,3; exit 4")
        .lost_and_checked(
            "malformed",
            "the last line has no newline: \"3,3\", then it exited with code 4",
        )
        .raw("3,3");
}

#[test]
fn an_exit_is_noticed_although_a_daemon_holds_stdout() {
    cup("daemon.py", &["hold"])
        .lost("crash", "it exited with code 3")
        .warns(&["{bad} left processes behind: 1 killed"]);
}

// Players that are late.

#[test]
fn sleeping_times_out() {
    does("exec sleep 60").clock(SHORT).lost(
        "timeout",
        "no reply within 0.5 s and a margin of 0.02 s: sleeping, with N s of CPU time used",
    );
}

#[test]
#[ignore = "slow: waits for seconds"]
fn waiting_for_a_second_line() {
    does("read -r more").clock(SHORT).lost_and_checked(
        "timeout",
        "no reply within 0.5 s and a margin of 0.02 s: waiting for input: a missing flush, or it waits for a second line",
    );
}

#[test]
fn computing_forever() {
    does("while :; do :; done").clock(SHORT).lost(
        "timeout",
        "no reply within 0.5 s and a margin of 0.02 s: still computing, with N s of CPU time used",
    );
}

#[test]
fn stopped_by_a_signal() {
    does("kill -STOP $$").clock(SHORT).lost(
        "timeout",
        "no reply within 0.5 s and a margin of 0.02 s: the process was stopped by a signal",
    );
}

#[test]
fn a_line_without_its_newline() {
    says("3,3").clock(SHORT).lost(
        "timeout",
        "no reply within 0.5 s and a margin of 0.02 s: you printed \"3,3\" but no newline",
    );
}

#[test]
fn sending_one_byte_at_a_time() {
    let played = cup("drip.sh", &[]).clock(SHORT).play();
    for fault in played.faults("message") {
        let text = said(fault);
        assert!(
            text.starts_with("no reply within 0.5 s and a margin of 0.02 s: you printed \"33"),
            "{text}"
        );
        assert!(text.ends_with("3\" but no newline"), "{text}");
    }
}

#[test]
fn not_reading_input() {
    cup("never_reads.py", &[])
        .clock(SHORT)
        .lost("timeout", "no reply within 0.5 s and a margin of 0.02 s: it did not read its input");
}

#[test]
fn a_budget_that_runs_out() {
    let played = cup("naps.py", &["0.6"]).clock("budget = \"1700ms\"").play();
    for (game, fault) in played.games.iter().zip(played.faults("message")) {
        assert_eq!(game["reason"], "timeout");
        let text = said(fault);
        assert!(text.starts_with("no reply within 0."), "{text}");
        assert!(text.ends_with(" s: sleeping, with N s of CPU time used"), "{text}");
        let used = game["clock"]["used_ns"][seats(game).0].as_array().expect("times");
        assert_eq!(used.len(), 3, "0.6 s go into 1.7 s twice: {used:?}");
    }
}

#[test]
fn a_start_up_that_eats_the_budget() {
    cup("bare.sh", &["", "sleep 2.2"]).clock("budget = \"2s\"\ncount-startup = true").lost(
        "timeout",
        "nothing was left of its budget of 2 s: its start-up used it up (`count-startup`)",
    );
}

// Clocks of CPU time.

/// The wall time is bounded at 1.5 s, so that a busy machine leaves enough CPU time.
const CPU: &str = "move = \"50ms\"\nmeasure = \"cpu\"";

#[test]
fn computing_too_long_with_a_cpu_clock() {
    cup("burns.py", &["5"])
        .clock(CPU)
        .lost_and_checked("cpu", "no reply: used N s of CPU time; the limit is 0.05 s");
}

#[test]
fn computing_forever_with_a_cpu_clock() {
    let played = does("while :; do :; done").clock(CPU);
    let played = played.lost("cpu", "no reply: used N s of CPU time; the limit is 0.05 s");
    for game in &played.games {
        let used = game["clock"]["used_ns"][seats(game).0][0].as_u64().expect("a time");
        assert!(used > 50_000_000, "it had its allowance: {used} ns");
    }
}

#[test]
fn sleeping_is_free_with_a_cpu_clock() {
    cup("naps.py", &["0.5"]).clock(CPU).fine();
}

#[test]
#[ignore = "slow: waits for seconds"]
fn sleeping_times_out_with_a_cpu_clock() {
    does("exec sleep 60")
        .clock("move = \"100ms\"\nmeasure = \"cpu\"")
        .lost("timeout", "no reply within 2 s of wall time: sleeping, with N s of CPU time used");
}

// Too much output.

#[test]
fn endless_output_without_a_newline() {
    let sentence =
        format!("more than 64 KiB without a newline, beginning \"{}…\"", "y".repeat(120));
    does("yes | tr -d '\\n'").lost("oversize", &sentence);
}

#[test]
#[ignore = "slow: waits for seconds"]
fn a_line_too_long() {
    let start = format!("{}…", "x".repeat(120));
    does("head -c 70000 /dev/zero | tr '\\000' x; echo; exec cat > /dev/null")
        .lost_and_checked(
            "oversize",
            &format!("more than 64 KiB without a newline, beginning \"{start}\""),
        )
        .raw(&start);
}

#[test]
fn too_much_output_in_one_game() {
    let mut cup = cup("pads.py", &[]);
    cup.top = "fault-policy = { retry = 10 }";
    cup.lost("oversize", "more than 16 MiB of output in one game");
}

#[test]
fn two_lines_at_once() {
    says("3,3\\n4,4\\n")
        .lost(
            "unexpected-output",
            "output when no reply was due: \"4,4\"; debug output belongs on stderr",
        )
        .raw("4,4");
}

#[test]
fn output_before_the_request() {
    cup("greets.sh", &["ok\\nI am ready\\n"])
        .lost_and_checked(
            "unexpected-output",
            "output when no reply was due: \"I am ready\"; debug output belongs on stderr",
        )
        .raw("I am ready");
}

#[test]
fn a_flood_on_stderr() {
    let flood = "head -c 3000000 /dev/zero | tr '\\000' x >&2";
    let warning = format!(
        "{{bad}} wrote {} bytes too many to stderr; the middle was left out",
        3_000_000 - 65_536
    );
    cup("bare.sh", &["", flood]).fine().warns(&[&warning]);
}

// Replies that are not actions.

#[test]
fn replies_that_are_not_actions() {
    for (line, sentence, raw) in [
        ("3;4", format!("\"3;4\" is not an action: {EXPECTED}"), "3;4"),
        (
            "thinking about it",
            format!(
                "\"thinking about it\" is not an action: {EXPECTED}; debug output belongs on stderr"
            ),
            "thinking about it",
        ),
        ("3,\\0004", format!("\"3,\\x004\" is not an action: {EXPECTED}"), "3,\\x004"),
        (
            "\\033[31m3,4",
            format!(
                "\"\\x1b[31m3,4\" is not an action: {EXPECTED}; debug output belongs on stderr"
            ),
            "\\x1b[31m3,4",
        ),
        ("", format!("an empty line is not an action: {EXPECTED}"), ""),
        (
            "\\n3,4",
            format!("an empty line is not an action: {EXPECTED}; debug output belongs on stderr"),
            "",
        ),
        (
            "\\357\\273\\2773,4",
            "the reply begins with a byte order mark; write UTF-8 without one: \\u{feff}3,4"
                .to_owned(),
            "\\u{feff}3,4",
        ),
        ("\\377\\3763,4", "not valid UTF-8 at byte 1: \\xff\\xfe3,4".to_owned(), "\\xff\\xfe3,4"),
    ] {
        says(&format!("{line}\\n")).lost("malformed", &sentence).raw(raw);
    }
}

#[test]
fn replies_that_are_not_the_right_json() {
    for (line, sentence) in [
        (
            r#"{"id":1,"action":"3,4""#,
            r#"not a valid JSON reply (EOF while parsing an object, column 22): {"id":1,"action":"3,4""#,
        ),
        (r#"{"id":7,"action":"3,4"}"#, "the reply has id 7, but the request had 1"),
        (r#"{"id":1}"#, r#"no "action" in {"id":1}"#),
        (r#"{"action":[3,4]}"#, r#""action" is not a string in {"action":[3,4]}"#),
    ] {
        says(&format!("{line}\\n")).lost("malformed", sentence).raw(line);
    }
}

// Illegal actions.

#[test]
fn illegal_placements() {
    for (action, clause, wrong) in [
        ("9,9", "W2", "is off the board"),
        ("0,7", "W1", "is a corner"),
        ("3,3>3,4", "W5", "is a move, but pieces are still being placed"),
    ] {
        let played =
            says(&format!("{action}\\n")).lost("illegal", &format!("{clause}: {action} {wrong}"));
        played.raw(action);
        assert_eq!(played.faults("clause"), [clause; 2]);
    }
}

#[test]
fn the_same_square_twice() {
    let again = "read -r turn; echo \"${legal%%\\\"*}\"; exec cat > /dev/null";
    let played = cup("plays_then.sh", &[again]).play();
    assert_eq!(played.faults("clause"), ["W2"; 2]);
    for (message, raw) in played.faults("message").iter().zip(played.faults("raw")) {
        assert_eq!(said(message), format!("W2: {} is occupied", said(raw)));
    }
}

#[test]
fn an_illegal_pass() {
    let sentence = "W7: pass is not allowed while pieces are being placed";
    let played = says("pass\\n").lost_and_checked("illegal", sentence);
    assert_eq!(played.faults("clause"), ["W7"; 2]);
}

#[test]
fn illegal_moves() {
    for (action, clause, wrong) in [
        ("3,3", "W5", "is a placement, but all pieces have been placed"),
        ("9,9>9,8", "W6", "starts off the board"),
        ("0,0>0,1", "W6", "starts where no piece stands"),
        ("pass", "W7", "is not allowed while there is a legal move"),
    ] {
        let played = cup("places_then.sh", &[action])
            .lost("illegal", &format!("{clause}: {action} {wrong}"));
        assert_eq!(played.faults("clause"), [clause; 2]);
    }
}

// Retries.

#[test]
fn a_player_that_corrects_itself_is_asked_again() {
    let mut cup = cup("corrects_itself.py", &["2"]);
    cup.top = "fault-policy = { retry = 2 }";
    // It writes down the messages that it receives.
    cup.args = &["--containment", "off"];
    let played = cup.fine();
    for (warnings, ply) in played.warnings().iter().zip([2, 3]) {
        let again =
            format!("{{bad}} was asked again at ply {ply}: illegal: W2: 9,9 is off the board");
        assert_eq!(warnings, &[again.clone(), again]);
    }
    assert_eq!(conversations(played.folder.path()), 2);
}

/// Checks the messages around the player's errors, and returns the number of its games.
fn conversations(folder: &Path) -> usize {
    let files = fs::read_dir(folder).expect("a list").flatten().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    let mut games = 0;
    for file in files {
        let text = fs::read_to_string(file).expect("text");
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        if lines.len() < 7 {
            continue; // The probe before the games: init and quit.
        }
        games += 1;
        let error = "{\"type\":\"error\",\"code\":\"illegal\",\"message\":\"W2: 9,9 is off the \
                     board\",\"clause\":\"W2\",\"raw\":\"9,9\"}";
        assert_eq!(text.lines().nth(3), Some(error));
        assert_eq!(text.lines().nth(5), Some(error));
        let (asked, first, second) = (&lines[2], &lines[4], &lines[6]);
        assert_ne!(asked["events"], Value::Array(Vec::new()));
        for (again, retry) in [(first, 1), (second, 2)] {
            assert_eq!(again["retry"], retry);
            assert_eq!(again["id"].as_u64(), asked["id"].as_u64().map(|id| id + retry));
            assert_eq!(again["events"], Value::Array(Vec::new()));
            for same in ["ply", "state", "legal"] {
                assert_eq!(again[same], asked[same]);
            }
        }
    }
    games
}

// Only real faults are counted.

#[test]
fn replies_of_every_accepted_kind() {
    cup("fine.py", &[]).fine().warns(&[]);
    cup("bare.sh", &["", ""]).fine().warns(&[]);
    cup("bare.sh", &["\\r", ""]).fine().warns(&[]);
}

#[test]
fn a_strict_run_exits_with_1_after_a_fault() {
    let mut cup = says("pass\\n");
    cup.args = &["--strict"];
    assert_eq!(cup.play().exit, 1);
}

#[test]
fn remarks_of_the_wrong_kind_are_dropped() {
    let played = cup("remarks.py", &["{\"note\":[1],\"eval\":\"good\"}"]).fine();
    for (warnings, ply) in played.warnings().iter().zip([0, 1]) {
        assert_eq!(
            warnings,
            &[
                format!("{{bad}} at ply {ply}: a note that is not a string was dropped"),
                format!(
                    "{{bad}} at ply {ply}: an eval that is not a number from -1 to 1 was dropped"
                ),
            ]
        );
    }
}

#[test]
fn a_name_that_commands_the_terminal() {
    let mut cup = cup("greets.sh", &["{\"name\":\"\\\\u001b[2Jbot\"}\\n"]);
    cup.clock = SHORT;
    let played = cup.play();
    for game in &played.games {
        assert_eq!(game["reported"][seats(game).0], "\\x1b[2Jbot", "{game}");
        assert_eq!(game["players"][seats(game).0], "bad");
    }
    assert!(!played.printed.contains('\u{1b}'), "{:?}", played.printed);
}

// Players that do not exit.

#[test]
fn ignoring_quit() {
    let played = cup("ignores_quit.sh", &[]).fine();
    played.warns(&["{bad} did not exit within 1 s of `quit`, and was killed"]);
    assert_eq!(played.games.len(), 2);
}

#[test]
fn daemons_do_not_outlive_their_game() {
    cup("daemon.py", &[]).fine().warns(&["{bad} left processes behind: 1 killed"]);
}

// Players that compute on their opponent's turns.

#[test]
#[ignore = "slow: waits for seconds"]
fn a_player_known_to_ponder_is_frozen_from_the_first_turn() {
    // Its opponent sleeps for three seconds in each game.
    let played = cup("ponders.py", &[]).against("naps.py", &["1"]).fine();
    for game in &played.games {
        let cpu = game["clock"]["cpu_ns"][seats(game).0].as_u64().expect("measured");
        assert!(cpu < 1_000_000_000, "{cpu} ns of CPU time");
    }
}

// Reusable players.

fn two_pairs_of_a_kept_player(script: &str) -> Cup {
    Cup { top: "pairs = 2", keys: "restart = false", ..cup(script, &[]) }
}

#[test]
fn a_kept_player_is_fresh_within_a_pair() {
    let played = two_pairs_of_a_kept_player("counts_games.sh").fine();
    let names: Vec<(String, String)> = played
        .games
        .iter()
        .map(|game| {
            let name = said(&game["reported"][seats(game).0]);
            let (process, games) = name.split_once(' ').expect("two parts");
            (process.to_owned(), games.to_owned())
        })
        .collect();
    let games: Vec<&str> = names.iter().map(|(_, games)| games.as_str()).collect();
    // Two processes take turns.
    assert_eq!(games, ["game 1", "game 1", "game 2", "game 2"]);
    let processes: Vec<&str> = names.iter().map(|(process, _)| process.as_str()).collect();
    assert_ne!(processes[0], processes[1]);
    assert_eq!(processes[2..], processes[..2]);
}

#[test]
fn what_a_kept_player_said_in_an_earlier_game_is_not_in_the_transcript() {
    let played = two_pairs_of_a_kept_player("slips_later.sh").play();
    let faults: Vec<bool> = played.games.iter().map(|game| !game["fault"].is_null()).collect();
    assert_eq!(faults, [false, false, true, true]);
    for game in &played.games[2..] {
        let (bad, _) = seats(game);
        let path = format!("cup/exchanges/{}.jsonl", said(&game["id"]));
        let text = fs::read_to_string(played.folder.path().join(path)).expect("a transcript");
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let mut own = lines.iter().filter(|line| line["seat"] == *bad);
        let first = said(&own.next().expect("a line")["to"]);
        assert!(first.contains("\"type\":\"init\""), "{text}");
        let stderr = own.find(|line| !line["stderr"].is_null()).expect("stderr");
        assert_eq!(said(&stderr["stderr"]), "game 2 begins\n");
    }
}
