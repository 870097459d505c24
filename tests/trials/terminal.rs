//! Output on a terminal, which `script` provides; skipped without it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{Lacks, quick, slow, without};
use crate::support::{Arena, Config, wait_until};
use libtest_mimic::Trial;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        quick("colours_are_only_used_on_terminals_that_want_them", colour),
        quick("a program of recorded games is started after a question", asked_for_a_program),
        quick("two_programs_play_on_one_board", on_one_board),
        slow("no_word_is_broken_at_the_edge_of_a_terminal", no_word_is_broken),
    ]
}

fn colour() -> Lacks {
    let lacks = without(&["script"]);
    if lacks.is_some() {
        return lacks;
    }
    let arena = Arena::with(&Config::small());
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let coloured = on_a_terminal(&arena, "replay 08eee709cd92-1 --ply 3");
    assert!(coloured.contains("\x1b["), "{coloured}");
    let plain = on_a_terminal(&arena, "NO_COLOR replay 08eee709cd92-1 --ply 3");
    assert!(!plain.contains("\x1b[") && plain.contains("placing, 3"), "{plain}");
    None
}

/// The rules program of these games is that of `tests/rules/liar.py`. They are read from elsewhere.
fn asked_for_a_program() -> Lacks {
    let lacks = without(&["script", "python3"]);
    if lacks.is_some() {
        return lacks;
    }
    let arena = Arena::new();
    fs::create_dir_all(arena.path().join("cup")).expect("a folder");
    arena.write("cup/liar.py", include_str!("../rules/liar.py"));
    let player = |name: &str| format!("[[players]]\nname = \"{name}\"\nbot = \"random\"\n");
    let game = "game = { command = [\"python3\", \"liar.py\", \"none\"] }";
    let players = [player("ant"), player("bee")].concat();
    arena.write("cup/tournament.toml", &format!("name = \"cup\"\n{game}\n{players}"));
    assert_eq!(arena.in_shell("cd cup && exec \"$1\" run --quiet", &[]).code, 0);
    let answered = |answer: &str| {
        let command = format!("{} verify cup/results/cup", env!("CARGO_BIN_EXE_referee"));
        let script = "printf \"$0\" | script -qec \"$1\" /dev/null";
        let mut shell = Command::new("sh");
        let output = shell.args(["-c", script, answer, &command]);
        let output = output.current_dir(arena.path()).output().expect("`script` runs");
        let screen = String::from_utf8_lossy(&output.stdout).into_owned();
        // Long lines are broken between words.
        screen.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let agreed = answered("y\\n");
    assert!(agreed.contains("`python3 liar.py none` in") && agreed.contains("hash "), "{agreed}");
    assert!(agreed.contains("no problems"), "{agreed}");
    for answer in ["n\\n", "\\n", "\\004"] {
        let declined = answered(answer);
        assert!(declined.contains("[y/N]") && declined.contains("--game FILE"), "{declined}");
    }
    arena.write("cup/liar.py", &format!("{}# changed\n", include_str!("../rules/liar.py")));
    let changed = answered("y\\n");
    assert!(!changed.contains("[y/N]") && changed.contains("--game FILE"), "{changed}");
    None
}

/// The output on a terminal; with `NO_COLOR` set if the line begins with it.
fn on_a_terminal(arena: &Arena, line: &str) -> String {
    let (set, args) = match line.strip_prefix("NO_COLOR ") {
        Some(rest) => ("NO_COLOR=1 ", rest),
        None => ("", line),
    };
    let command = format!("{set}TERM=xterm {} {args}", env!("CARGO_BIN_EXE_referee"));
    let output = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(arena.path())
        .env_remove("NO_COLOR")
        .stdin(Stdio::null())
        .output()
        .expect("`script` runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Two programs play on one board on a terminal, however narrow, but not on a pipe, for `--delay 0s`
/// or on a terminal without a cursor. Ctrl-C ends the game.
fn on_one_board() -> Lacks {
    let lacks = without(&["script"]);
    if lacks.is_some() {
        return lacks;
    }
    let arena = Arena::new();
    let play = "play bot:random bot:random --seed 1 --option max-moves=20";
    let back = |text: &str| text.matches("\x1b[J").count();
    let shown = on_a_terminal(&arena, &format!("{play} --delay 1ms"));
    assert!(back(&shown) > 40 && shown.contains("\x1b[0m"), "{shown}");
    let plain = on_a_terminal(&arena, &format!("NO_COLOR {play} --delay 1ms"));
    assert!(back(&plain) > 40 && !plain.contains("\x1b[0m"), "{plain}");
    let all = on_a_terminal(&arena, &format!("{play} --delay 0s"));
    assert!(back(&all) == 0 && all.contains("\x1b[0m"), "{all}");
    let words: Vec<&str> = play.split(' ').collect();
    let piped = arena.run(&words).out;
    assert!(!piped.contains('\x1b') && piped.lines().count() > 400, "{piped}");
    if Command::new("tmux").arg("-V").output().is_err() {
        return None;
    }
    let (path, program) = (arena.path().display().to_string(), env!("CARGO_BIN_EXE_referee"));
    for (width, height) in [("80", "24"), ("24", "24"), ("80", "8")] {
        let tmux = Tmux(format!("referee-{}-board-{width}-{height}", std::process::id()));
        let command = format!("{program} play bot:random bot:random; echo code $?; sleep 600");
        tmux.call(&["new-session", "-d", "-x", width, "-y", height, "-c", &path, &command]);
        wait_until(|| {
            let screen = tmux.screen();
            screen.contains("placing, ") && !screen.contains("placing, 0")
        });
        tmux.call(&["send-keys", "C-c"]);
        wait_until(|| tmux.screen().contains("code 130"));
        let boards = tmux.screen().matches("0 1 2 3 4 5 6 7").count();
        assert!(boards <= 1, "{width} by {height}:\n{}", tmux.screen());
    }
    None
}

/// A command on a terminal, the keys that a person presses, and a text that shows the end.
const SESSIONS: [(&str, &str, &[&str], &str); 4] = [
    ("check", "check player.py --against random --game watch-your-back", &[], "next: "),
    ("compare", "compare bot:greedy bot:random --max-pairs 2", &[], "next: "),
    (
        "play",
        "play human bot:random --seed 1 --game back-to-the-wall",
        &["r u 3,2", "Enter"],
        "1 of 25 turns",
    ),
    (
        "play-dice",
        "play human bot:random --seed 1 --game backdraughts",
        &["1,3", "Enter"],
        "1,3>4,3",
    ),
];

/// A player that breaks when pieces have moved for a while.
const PLAYER: &str = "\
import json, random, sys

for line in sys.stdin:
    message = json.loads(line)
    if message[\"type\"] == \"quit\":
        break
    if \"id\" in message:
        reply = {\"id\": message[\"id\"]}
        if message[\"type\"] == \"turn\":
            reply[\"action\"] = random.choice(message[\"legal\"])
            if \">\" in reply[\"action\"]:
                reply[\"action\"] = last
        print(json.dumps(reply), flush=True)
";

/// A terminal of its own, until this is dropped.
struct Tmux(String);

impl Tmux {
    fn call(&self, args: &[&str]) -> String {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", &self.0, "-f", "/dev/null"]).args(args);
        let output = tmux.output().expect("tmux runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn screen(&self) -> String {
        self.call(&["capture-pane", "-p", "-J"])
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.call(&["kill-server"]);
    }
}

/// Also saves what is shown, for people to look at.
fn no_word_is_broken() -> Lacks {
    if Command::new("tmux").arg("-V").output().is_err() {
        return Some("there is no tmux here".to_owned());
    }
    let lacks = without(&["python3"]);
    if lacks.is_some() {
        return lacks;
    }
    let arena = Arena::new();
    arena.write("player.py", PLAYER);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/screenshots");
    fs::create_dir_all(&folder).expect("a folder");
    for width in [80, 120] {
        for (name, args, keys, end) in SESSIONS {
            let tmux = Tmux(format!("referee-{}-{name}-{width}", std::process::id()));
            let command = format!("{} {args}; sleep 600", env!("CARGO_BIN_EXE_referee"));
            let (width, path) = (width.to_string(), arena.path().display().to_string());
            tmux.call(&["new-session", "-d", "-x", &width, "-y", "60", "-c", &path, &command]);
            if !keys.is_empty() {
                wait_until(|| tmux.screen().contains("legal actions"));
                for key in keys {
                    tmux.call(&["send-keys", key]);
                }
            }
            wait_until(|| tmux.screen().contains(end));
            let screen = tmux.screen();
            fs::write(folder.join(format!("terminal-{name}-{width}.txt")), &screen)
                .expect("written");
            assert_eq!(
                broken(&screen, width.parse().expect("a number")),
                [""; 0],
                "{name}:\n{screen}"
            );
        }
    }
    None
}

/// The lines that the terminal had to break. Commands stay whole, to be copied.
fn broken(screen: &str, width: usize) -> Vec<&str> {
    let labels = ["again: ", "next: "];
    let is_command = |line: &&str| labels.iter().any(|label| line.trim_start().starts_with(label));
    let lines = screen.lines().map(str::trim_end).filter(|line| !is_command(line));
    lines.filter(|line| line.chars().count() > width).collect()
}
