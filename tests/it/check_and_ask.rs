//! `check`, `ask` and recorded positions, as an author and a lecturer see them.
#![cfg(target_os = "linux")]

use std::fs;

use crate::support::{Arena, Config, Run, wait_until};
use serde_json::Value;

const FIRST: &str = "\
while read -r line; do
    case $line in
    '{\"type\":\"init\"'*)
        id=${line#*'\"id\":'}; echo \"{\\\"id\\\":${id%%,*},\\\"want\\\":[\\\"legal\\\"]}\" ;;
    '{\"type\":\"turn\"'*) legal=${line#*'\"legal\":[\"'}; echo \"${legal%%\\\"*}\" ;;
    '{\"type\":\"quit\"'*) exit 0 ;;
    esac
done
";

#[test]
fn the_same_reason_why_entries_are_no_players_is_said_once() {
    let arena = Arena::new();
    let run = arena.run(&["check", "nosuch a", "nosuch b", "--game", "watch-your-back"]);
    assert_eq!(run.code, 1, "{run:?}");
    let reason = "cannot find the program `nosuch` in PATH";
    assert_eq!(run.out.matches(reason).count(), 2, "the step and the verdict: {}", run.out);
    let short = "\nnosuch b: NOT READY, for the same reason as nosuch a\n";
    assert!(run.out.contains(short), "{}", run.out);
}

/// Plays the first legal action, but no move.
const NO_MOVES: &str = "\
while read -r line; do
    case $line in
    *'\"type\":\"init\"'*) echo ok ;;
    *'\"phase\":\"placing\"'*'\"legal\":[\"'*) legal=${line#*'\"legal\":[\"'}; echo \"${legal%%\\\"*}\" ;;
    *'\"type\":\"turn\"'*) echo pass ;;
    *'\"type\":\"quit\"'*) exit 0 ;;
    esac
done
";

/// Greets, and never moves.
const SLOW: &str = "\
while read -r line; do
    case $line in
    *'\"type\":\"init\"'*) echo ok ;;
    *'\"type\":\"turn\"'*) sleep 3600 ;;
    *'\"type\":\"quit\"'*) exit 0 ;;
    esac
done
";
const HOUR: &str = "move = \"1h\"";

/// Greets with this `want`, then plays legal actions, computed from the rules if they are not sent.
fn wanting(want: &str) -> String {
    format!(
        "import json, sys\n\
         for line in sys.stdin:\n\
         \x20   message = json.loads(line)\n\
         \x20   if message['type'] == 'init':\n\
         \x20       print(json.dumps({{'id': message['id'], 'want': {want}}}), flush=True)\n\
         \x20   elif message['type'] == 'turn':\n\
         \x20       wanted = [key for key in ('state', 'events', 'legal') if key in message]\n\
         \x20       assert wanted == {want}, wanted\n\
         \x20       print('garbage \\0 \\x1b[2J', file=sys.stderr)\n\
         \x20       print(message['legal'][0], flush=True)\n\
         \x20   elif message['type'] == 'quit':\n\
         \x20       break\n"
    )
}

fn report(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"))
}

#[test]
fn a_working_player_is_ready() {
    let arena = Arena::new();
    arena.write("first.sh", FIRST);
    let run = arena.run(&["check", "first.sh", "--against", "random", "--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let report = report(&run);
    let steps: Vec<(&str, &str)> = report["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| {
            (step["name"].as_str().expect("a name"), step["verdict"].as_str().expect("a verdict"))
        })
        .collect();
    let names = ["start", "turns", "itself", "long", "load", "against random"];
    assert_eq!(steps, names.map(|name| (name, "passed")));
    let points = &report["against"][0];
    let games =
        ["wins", "draws", "losses"].iter().filter_map(|key| points[*key].as_u64()).sum::<u64>();
    assert_eq!((points["bot"].as_str(), games), (Some("random"), 2));
    assert!(report["figures"]["startup_ms"].as_f64() > Some(0.0));
    assert!(report["figures"]["memory"].as_u64() > Some(100_000));
    assert!(!arena.path().join("check-results").exists(), "nothing is kept of a ready player");
}

#[test]
#[ignore = "slow: whole checks"]
fn any_wanted_fields_and_stderr_output_are_accepted() {
    let arena = Arena::new();
    arena.write("player.py", &wanting("['state', 'events', 'legal']"));
    let run = arena.run(&["check", ".", "--against", "random", "--format", "json"]);
    let report = report(&run);
    assert_eq!(run.code, 0, "{report}");
    let said = report["steps"][0]["said"].as_str().expect("a text");
    assert!(said.ends_with("wants state, events, legal"), "{report}");
    let warnings = report["warnings"].as_array().expect("a list");
    assert!(warnings.iter().any(|text| text.as_str().is_some_and(|text| text.contains("stderr"))));
}

/// A report with `N` for what was measured.
fn without_measurements(report: &str) -> String {
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let is_unit = |word: &str| ["s", "MiB"].contains(&word.trim_end_matches([',', ')', ';']));
        let measured = |at: usize| {
            let is_number = words[at].parse::<f64>().is_ok();
            is_number && words.get(at + 1).is_some_and(|next| is_unit(next))
        };
        let shown = |at: usize| if measured(at) { "N" } else { words[at] };
        (0..words.len()).map(shown).collect::<Vec<_>>().join(" ")
    };
    report.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn checking_a_folder_writes_a_table() {
    let arena = Arena::new();
    fs::create_dir(arena.path().join("players")).expect("a folder");
    arena.write("players/good.sh", FIRST);
    arena.write("players/stuck.sh", NO_MOVES);
    let args = ["check", "players/good.sh", "players/stuck.sh", "--against", "random"];
    let run = arena.run(&[&args[..], &["--csv", "table.csv", "--jobs", "1"]].concat());
    assert_eq!(run.code, 1);
    assert_eq!(
        run.err,
        "good.sh: ready: no problems found\n\
         stuck.sh: NOT READY: illegal: W7: pass is not allowed while there is a legal move\n\
         1 of 2 players are ready\n"
    );
    insta::assert_snapshot!("check", without_measurements(&run.out.replace("under 1 ms", "0 s")));
    let table = fs::read_to_string(arena.path().join("table.csv")).expect("a table");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        rows[0],
        [
            "player",
            "verdict",
            "step",
            "fault",
            "message",
            "startup_ms",
            "memory_kib",
            "move_ms",
            "slowest_ms",
            "slowest_under_load_ms",
            "points_random",
        ]
    );
    assert_eq!(rows[1][..5], ["good.sh", "ready", "", "", ""]);
    let sentence = "W7: pass is not allowed while there is a legal move";
    assert_eq!(rows[2][..5], ["stuck.sh", "not-ready", "turns", "illegal", sentence]);
}

/// Each thread takes a gigabyte of the address space, so the number of threads is limited.
#[test]
fn nothing_panics_where_threads_run_out() {
    let arena = Arena::with(&Config::small());
    for threads in 0..8 {
        let limit = format!(
            "ulimit -v {}; export RUST_MIN_STACK=1073741824; exec \"$@\"",
            524_288 + threads * 1_048_576
        );
        let check = ["check", "bot:random", "bot:random", "--against", "random", "--within", "10s"];
        for args in [&check[..], &["run", "--quiet"]] {
            let run = arena.in_shell(&limit, args);
            assert!(matches!(run.code, 0 | 1 | 3), "{threads} threads: {run:?}");
            assert!(!run.err.contains("panicked"), "{threads} threads: {run:?}");
            assert!(run.code != 3 || run.err.contains(" cannot "), "{threads} threads: {run:?}");
        }
    }
}

#[test]
fn invalid_players_are_refused() {
    let arena = Arena::new();
    fs::create_dir(arena.path().join("empty")).expect("a folder");
    let run = arena.run(&["check", "empty"]);
    let error = "error: player `empty`: no player found in `empty`; a player is a \
                 program, a \
                 file that ends in .py, .js, .mjs, .sh, .java or .jar, or a folder with \
                 `player.py`, a program called `player`, or the like\n";
    assert_eq!(run, Run::new(2, "", error));
    let run = arena.run(&["check", "human"]);
    assert_eq!(run, Run::new(2, "", "error: player `human`: only programs can be checked\n"));
}

/// The first cells of each row of `table.csv`.
fn rows(arena: &Arena, cells: usize) -> Vec<Vec<String>> {
    let table = fs::read_to_string(arena.path().join("table.csv")).expect("a table");
    let lines = table.lines().skip(1);
    lines.map(|line| line.split(',').take(cells).map(str::to_owned).collect()).collect()
}

#[test]
#[ignore = "slow: whole checks"]
fn arguments_that_are_not_players_get_a_row() {
    let arena = Arena::new();
    fs::create_dir_all(arena.path().join("players/empty")).expect("a folder");
    arena.write("players/notes.txt", "text");
    arena.write("players/first.sh", FIRST);
    let args = ["check", "players/empty", "players/first.sh", "players/notes.txt"];
    let more = ["--against", "random", "--csv", "table.csv", "--reports", "reports"];
    let run = arena.run(&[&args[..], &more].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.ends_with("\n1 of 3 players are ready\n"), "{}", run.err);
    let expected = [
        ["players/empty", "not-ready", "player"],
        ["first.sh", "ready", ""],
        ["players/notes.txt", "not-ready", "player"],
    ];
    assert_eq!(rows(&arena, 3), expected);
    let report = |name: &str| fs::read_to_string(arena.path().join("reports").join(name));
    assert!(report("first.sh.txt").is_ok_and(|text| text.ends_with("ready: no problems found\n")));
    assert!(report("players-empty.txt").is_ok_and(|text| text.contains("NOT READY: ")));
    let refused = "players/empty (watch-your-back)\n  FAIL  player  player `players/empty`: no";
    assert!(run.out.contains(refused), "{}", run.out);
}

#[test]
#[ignore = "slow: whole checks"]
fn players_with_the_same_name_stay_distinct() {
    let arena = Arena::new();
    for folder in ["ant", "bee"] {
        fs::create_dir(arena.path().join(folder)).expect("a folder");
        arena.write(&format!("{folder}/player.sh"), NO_MOVES);
    }
    let args = ["check", "ant/player.sh", "bee/player.sh", "--against", "random"];
    assert_eq!(arena.run(&[&args[..], &["--csv", "table.csv"]].concat()).code, 1);
    assert_eq!(rows(&arena, 1), [["ant/player.sh"], ["bee/player.sh"]]);
    for folder in ["ant-player.sh", "bee-player.sh"] {
        assert!(arena.path().join("check-results").join(folder).is_dir(), "{folder}");
    }
}

#[test]
#[ignore = "slow: whole checks"]
fn a_player_with_the_name_of_a_built_in_one_is_told_apart() {
    let arena = Arena::new();
    for folder in ["greedy", "mine"] {
        fs::create_dir(arena.path().join(folder)).expect("a folder");
        arena.write(&format!("{folder}/player.sh"), FIRST);
        let run = arena.run(&["check", folder, "--against", "greedy", "--format", "json"]);
        let points = &report(&run)["against"][0];
        assert_eq!((points["bot"].as_str(), points["losses"].as_u64()), (Some("greedy"), Some(2)));
    }
}

#[test]
#[ignore = "slow: whole checks"]
fn one_failed_check_does_not_affect_the_other_reports() {
    let arena = Arena::new();
    arena.write("good.sh", FIRST);
    arena.write("stuck.sh", NO_MOVES);
    arena.write("records", "a file, where a folder is needed");
    let args = ["check", "stuck.sh", "good.sh", "--against", "random", "--records", "records"];
    let run = arena.run(&[&args[..], &["--csv", "table.csv"]].concat());
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.err.contains("\nerror: cannot write records/stuck.sh/games.jsonl: "), "{run:?}");
    let expected = [["stuck.sh", "unfinished", "turns"], ["good.sh", "ready", ""]];
    assert_eq!(rows(&arena, 3), expected);
    assert!(run.out.contains("good.sh: sh good.sh (watch-your-back)\n  ok    start"), "{run:?}");
}

#[test]
fn the_check_of_one_player_ends_in_time() {
    let arena = Arena::with(&Config::small().change(|config| config.clock = HOUR.to_owned()));
    arena.write("slow.sh", SLOW);
    let args = ["check", "slow.sh", "--within", "2s", "--csv", "table.csv"];
    let run = arena.run(&args);
    assert_eq!(run.code, 1, "{run:?}");
    let why = "not finished: the time limit of 2s has passed (--within)";
    assert!(run.out.contains(why), "{}", run.out);
    assert_eq!(rows(&arena, 2), [["slow.sh", "unfinished"]]);
}

#[test]
fn an_interrupted_check_prints_its_findings() {
    let arena = Arena::with(&Config::small().change(|config| config.clock = HOUR.to_owned()));
    arena.write("good.sh", FIRST);
    arena.write("slow.sh", SLOW);
    let args = ["check", "good.sh", "slow.sh", "bot:random", "--against", "random"];
    let child = arena.start(&[&args[..], &["--jobs", "1", "--csv", "table.csv"]].concat());
    let table = arena.path().join("table.csv");
    wait_until(|| fs::read_to_string(&table).is_ok_and(|table| table.contains("good.sh,ready")));
    arena.sh(&format!("kill -INT {}", child.id()));
    let run = arena.finish(child, "");
    assert_eq!(run.code, 130, "{run:?}");
    assert!(run.out.contains("good.sh: sh good.sh (watch-your-back)\n  ok    start"), "{run:?}");
    assert_eq!(run.out.matches("not finished: interrupted\n").count(), 2, "{run:?}");
    let verdicts = ["ready", "unfinished", "unfinished"];
    assert!(rows(&arena, 2).iter().map(|row| &row[1]).eq(&verdicts), "{:?}", rows(&arena, 2));
}

/// A tournament in which the second player fails at its first move, and the id of its first game.
fn failed() -> (Arena, String) {
    let config = Config::empty().bot("ant", "random").script("bad", "bad.sh");
    let arena = Arena::with(&config.change(|config| config.pairs = 1));
    arena.write("bad.sh", NO_MOVES);
    assert_eq!(arena.run(&["run", "--quiet", "--jobs", "1"]).code, 0);
    let games = arena.lines();
    let is_first = |line: &&String| line.contains("\"game\":1");
    let line = games.values().find(is_first).expect("a game");
    let game: Value = serde_json::from_str(line).expect("JSON");
    (arena, game["id"].as_str().expect("an id").to_owned())
}

#[test]
fn recorded_decisions_can_be_asked_again() {
    let (arena, id) = failed();
    let run = arena.run(&["ask", "bad", "--record", &id, "--ply", "25"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    let tail = "\n< pass\nillegal: W7: pass is not allowed while there is a legal move (as black, \
                after 25 plies)\nexpected: one of the legal actions, which every turn lists\n";
    assert!(run.out.contains(tail), "{}", run.out);
    assert!(!run.out.contains("before that"), "it plays as it did: {}", run.out);

    let other = arena.run(&["ask", "bot:greedy", "--record", &id, "--ply", "25"]);
    assert_eq!(other.code, 0, "{}", other.out);
    assert!(other.out.contains("; it is legal"), "{}", other.out);
    assert!(!run.out.contains("\"type\":") && !other.out.contains("\"type\":"), "no messages");

    let refused = arena.run(&["ask", "bad", "--record", &id, "--ply", "900"]);
    assert_eq!(
        refused,
        Run::new(2, "", "error: --ply 900: the game has only 25 plies; there is no ply 900\n")
    );
    let seat = arena.run(&["ask", "bad", "--record", &id, "--ply", "25", "--seat", "white"]);
    assert_eq!(seat, Run::new(2, "", "error: --ply 25: black decides there\n"));
}

#[test]
fn the_lines_up_to_a_decision_are_written_as_they_were_sent() {
    let (arena, id) = failed();
    let args = ["ask", "bad", "--record", &id, "--ply", "25", "--emit", "lines.txt", "--no-clock"];
    assert_eq!(arena.run(&args).code, 1);
    let lines = fs::read_to_string(arena.path().join("lines.txt")).expect("lines");
    let lines: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let types: Vec<&str> = lines.iter().filter_map(|line| line["type"].as_str()).collect();
    assert_eq!(types, [&["init"][..], &["turn"; 13]].concat());
    let exchange = arena.read(&format!("exchanges/{id}.jsonl"));
    let sent = exchange
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|line| line["seat"] == "black")
        .filter_map(|line| serde_json::from_str::<Value>(line["to"].as_str()?).ok())
        .rfind(|line| line["type"] == "turn");
    let (mut sent, mut last) = (sent.expect("a turn"), lines[13].clone());
    for line in [&mut sent, &mut last] {
        line.as_object_mut().expect("an object").remove("clock");
    }
    assert_eq!(sent, last, "the same turn, but for the clock");
}

#[test]
fn a_game_begins_in_a_recorded_position() {
    let (arena, id) = failed();
    let args = ["play", "bot:greedy", "bot:random", "--from", &id, "--ply", "24", "--seed", "3"];
    let run = arena.run(&args);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.lines().nth(9).is_some_and(|line| line.contains("0 moves")), "{}", run.out);
    assert_eq!(run, arena.run(&args), "a seed gives the same game");
}

#[test]
fn a_person_gets_help_takes_back_and_has_hints() {
    let arena = Arena::new();
    let input = "3,3\nundo\n3,\nhint\n4,4\nhint\nresign\n";
    let run = arena.run_with(&["play", "human", "bot:greedy", "--seed", "1"], input);
    assert_eq!(run.code, 0, "{run:?}");
    let boards = run.out.matches("0 of 24 placed").count();
    assert_eq!(boards, 2, "the empty board comes back: {}", run.out);
    assert!(run.out.contains("white 4,4"), "{}", run.out);
    let played = run.out.matches("white 3,3").count();
    assert_eq!(played, 1, "{}", run.out);
    assert!(run.out.ends_with("the person resigned: greedy (black) wins\n"), "{}", run.out);
    let hint = run.err.split(": ").find(|text| text.contains('[')).unwrap_or_default();
    assert!(hint.contains(','), "a hint is an action: {}", run.err);
    assert_eq!(run.err.matches("(+1: you win, -1: you lose)").count(), 1, "{}", run.err);
}

#[test]
#[ignore = "slow: whole checks"]
fn all_programs_of_the_configuration_are_checked_whatever_is_wrong_with_the_others() {
    let arena = Arena::new();
    arena.write("first.sh", FIRST);
    let player = |name: &str, run: &str| format!("[[players]]\nname = \"{name}\"\n{run}\n");
    let config = format!(
        "name = \"cup\"\ngame = \"watch-your-back\"\n{}{}{}",
        player("ant", "command = [\"sh\", \"first.sh\"]"),
        player("bee", "bot = \"random\""),
        player("cat", "command = [\"sh\", \"missing.sh\"]"),
    );
    arena.write("tournament.toml", &config);
    let run = arena.run(&["check", "--all", "--against", "random", "--csv", "table.csv"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.ends_with("\n1 of 2 players are ready\n"), "{}", run.err);
    let expected = [["ant", "ready", ""], ["tournament.toml", "not-ready", "player"]];
    assert_eq!(rows(&arena, 3), expected);
    arena.write("tournament.toml", "this is no TOML\n");
    let broken = arena.run(&["check", "--all"]);
    assert_eq!(broken.code, 2, "{broken:?}");
    assert!(broken.err.contains("this is not TOML"), "{}", broken.err);
    let check = ["check", "first.sh", "--against", "random"];
    let unknown = arena.run(&check);
    assert_eq!(unknown.code, 2, "it may say what to play: {unknown:?}");
    assert!(unknown.err.contains("this is not TOML"), "{}", unknown.err);
    let known = arena.run(&[&check[..], &["--game", "watch-your-back"]].concat());
    assert_eq!(known.code, 0, "nothing else is needed of it: {known:?}");
}

#[test]
fn games_of_a_players_copy_are_found_by_the_beginning_of_their_id() {
    let arena = Arena::with(&Config::empty().bot("ant", "greedy").bot("bee", "random"));
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    let log = arena.log();
    let (header, games) = log.split_once('\n').expect("a header");
    // As `check` logs games of a player against itself.
    arena.put("games.jsonl", &format!("{header}\n{}", games.replace("\"ant\"", "\"bee again\"")));
    let id = games.split("\"id\":\"").nth(1).and_then(|rest| rest.get(..8)).expect("an id");
    let shown = arena.run(&["replay", id, "--results", "results/cup"]);
    assert!(shown.code == 0 && shown.out.contains("bee again"), "{id}: {shown:?}");
}

/// The last line on stderr.
fn next_line(run: &Run) -> &str {
    run.err.lines().last().unwrap_or_default()
}

#[test]
fn the_next_command_follows_the_verdict_on_a_player() {
    let arena = Arena::new();
    arena.write("first.sh", FIRST);
    arena.write("stuck.sh", NO_MOVES);
    let check = |player: &str, more: &[&str]| {
        arena.run(&[&["check", player, "--against", "random"], more].concat())
    };
    let run = check("first.sh", &["--game", "watch-your-back", "--option", "max-moves=60"]);
    let play = "play first.sh bot:random --game watch-your-back --option 'max-moves=60'";
    assert_eq!(next_line(&run), format!("next: referee {play}"));
    let run = check("stuck.sh", &[]);
    let again = run.out.lines().find_map(|line| line.trim().strip_prefix("again: "));
    assert_eq!(next_line(&run), format!("next: {}", again.expect("a command")));
    // A player in another folder, as the command takes it.
    arena.sh("mkdir d && cp first.sh stuck.sh d");
    let run = check("d/first.sh", &["--game", "watch-your-back"]);
    assert_eq!(next_line(&run), "next: referee play d/first.sh bot:random --game watch-your-back");
    let run = check("d/stuck.sh", &["--game", "watch-your-back"]);
    assert!(next_line(&run).starts_with("next: referee ask d/stuck.sh "), "{run:?}");
    let entered = "[[players]]\nname = \"ant\"\ncommand = [\"sh\", \"first.sh\"]\n";
    let other = "[[players]]\nname = \"bee\"\nbot = \"random\"\n";
    let head = "name = \"cup\"\ngame = \"watch-your-back\"\n";
    arena.write("tournament.toml", &format!("{head}{entered}{other}"));
    assert_eq!(next_line(&check("ant", &[])), "next: referee run");
}

#[test]
fn debug_output_and_long_thoughts_come_with_advice() {
    let arena = Arena::new();
    let player = |before: &str| {
        format!(
            "import json, sys\nfor line in sys.stdin:\n    message = json.loads(line)\n    \
             if message['type'] == 'turn':\n        {before}\n    if 'id' in message:\n        \
             print(json.dumps({{'id': message['id']}}), flush=True)\n"
        )
    };
    arena.write("loud.py", &player("print('best', 0, 46)"));
    arena.write("empty.py", &player("print()"));
    arena.write("short.py", &player("print('best', flush=True); continue"));
    arena.write("early.py", &format!("print('hello')\n{}", player("pass")));
    arena.write("slow.py", &player("while True: pass"));
    arena.write(
        "tournament.toml",
        "name = \"cup\"\ngame = \"watch-your-back\"\nclock.move = \"1s\"\n\
         [[players]]\nname = \"ant\"\nbot = \"random\"\n\
         [[players]]\nname = \"bee\"\nbot = \"random\"\n",
    );
    for (name, advice) in [
        ("loud.py", "advice: for debug output write `print(…, file=sys.stderr)`"),
        ("empty.py", "advice: for debug output write `print(…, file=sys.stderr)`"),
        ("early.py", "advice: for debug output write `print(…, file=sys.stderr)`"),
        ("short.py", "advice: if this is a debug print: write `print(…, file=sys.stderr)`"),
        ("slow.py", "advice: stop thinking in time: "),
    ] {
        let run = arena.run(&["check", name, "--against", "random"]);
        assert!(run.out.contains(advice), "{}", run.out);
    }
    let asked = arena.run(&["ask", "python3 loud.py"]);
    let advice = "\nadvice: for debug output write `print(…, file=sys.stderr)`\n";
    assert!(asked.out.ends_with(advice), "{}", asked.out);
}

#[test]
fn a_missing_flush_is_explained_in_the_language_of_the_player() {
    let arena = Arena::new();
    arena.write(
        "player.py",
        "import sys, time\nsys.stdin.readline()\nprint('ok')\nsys.stdin.read()\n",
    );
    arena.write(
        "tournament.toml",
        "name = \"cup\"\ngame = \"watch-your-back\"\nclock.startup = \"3s\"\n\
         [[players]]\nname = \"ant\"\nbot = \"random\"\n\
         [[players]]\nname = \"bee\"\nbot = \"random\"\n",
    );
    let run = arena.run(&["check", "player.py"]);
    assert_eq!(run.code, 1, "{run:?}");
    let advice = "        advice: write `print(…, flush=True)`, or start Python with `-u`\n";
    assert!(run.out.contains(advice), "{}", run.out);
}

/// A check that waits for changes, and one line of its output at a time.
#[test]
#[ignore = "slow: whole checks"]
fn a_watched_player_is_checked_again_when_its_file_changes() {
    use std::io::{BufRead, BufReader};
    let arena = Arena::new();
    arena.write("player.sh", "exit 1\n");
    let mut check = arena.command(&["check", "player.sh", "--watch", "--against", "random"]);
    let mut child = check.spawn().expect("the referee starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut verdict = || {
        let mut lines = lines.by_ref().map(|line| line.expect("text"));
        lines.find(|line| line.starts_with("NOT READY") || line.starts_with("ready"))
    };
    assert!(verdict().is_some_and(|line| line.starts_with("NOT READY: no-start")));
    arena.write("player.sh", FIRST);
    assert_eq!(verdict().as_deref(), Some("ready: no problems found"));
    let stop = nix::sys::signal::Signal::SIGINT;
    nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(i32::try_from(child.id()).expect("a pid")),
        stop,
    )
    .expect("sent");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

#[test]
fn a_configuration_in_the_folder_of_a_player_has_no_power_unless_it_is_named() {
    let arena = Arena::new();
    arena.write("player.py", include_str!("../../players/random_player.py"));
    let head = "name = \"cup\"\ngame = \"watch-your-back\"\n[options]\nmax-moves = 4\n";
    let bots = "[[players]]\nname = \"a\"\nbot = \"random\"\n\
                [[players]]\nname = \"b\"\nbot = \"random\"\n";
    for (power, key) in [
        ("[containment]\nlevel = \"off\"\n", "`level` under `[containment]`"),
        ("[build]\n", "`[build]`"),
        ("[[players]]\nname = \".\"\nbot = \"random\"\n", "a player with this name"),
    ] {
        arena.write("tournament.toml", &format!("{head}{power}{bots}"));
        let commands: [&[&str]; 4] =
            [&["check", "."], &["ask", "."], &["play", ".", "bot:random"], &["compare", ".", "a"]];
        for command in commands {
            let run = arena.run(command);
            let why = format!("is in the folder of the player `.`, and has {key}");
            assert!(run.code == 2 && run.err.contains(&why), "{command:?}: {run:?}");
        }
        let named = arena.run(&["ask", ".", "--config", "tournament.toml"]);
        assert_eq!(named.code, 0, "{named:?}");
    }
    arena.write("game.toml", "command = [\"sh\", \"rules.sh\"]\n");
    arena.write("tournament.toml", &format!("name = \"cup\"\ngame = \"game.toml\"\n{bots}"));
    let run = arena.run(&["check", "."]);
    assert!(run.code == 2 && run.err.contains("a `game` that is a program"), "{run:?}");
    arena.write("tournament.toml", &format!("{head}{bots}"));
    assert_eq!(arena.run(&["ask", "."]).code, 0, "it has no power");
}
