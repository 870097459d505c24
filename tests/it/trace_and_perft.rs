//! `referee trace`, `test-game --perft` and `rules` as a script sees them: exit code, stdout and
//! stderr whole.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::Value;

/// Exit code, stdout and stderr.
type Run = (i32, String, String);

fn referee(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(args: &[&str], input: &[u8]) -> Run {
    let mut child = referee(args).spawn().expect("the referee starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the referee ends");
    writer.join().expect("the writer ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("an exit code"), text(output.stdout), text(output.stderr))
}

fn done(stdout: &str) -> Run {
    (0, stdout.to_owned(), String::new())
}

fn bad_input(stderr: &str) -> Run {
    (2, String::new(), stderr.to_owned())
}

/// The text of the actions of a recorded game, forfeits as `pass`; `line` counts from 1.
fn recorded(line: usize) -> Vec<String> {
    let games = include_str!("../../crates/games/tests/data/watch-your-back.jsonl");
    let game: Value =
        serde_json::from_str(games.lines().nth(line - 1).expect("a line")).expect("JSON");
    let actions = game["actions"].as_array().expect("a list").iter();
    actions.map(|text| text.as_str().expect("a text").replace('-', "pass")).collect()
}

const UNENDING: [&str; 8] = [
    "trace",
    "watch-your-back",
    "--option",
    "max-moves=0",
    "--option",
    "repetition=0",
    "--option",
    "mutual-block=off",
];

const START: &str = concat!(
    r#"{"ply":0,"action":null,"state":{"phase":"placing","board":["X......X","........","........","#,
    r#""........","........","........","........","X......X"],"to_move":"white","placed":{"white":0,"#,
    r#""black":0},"moves":0,"size":8},"events":[],"turn":{"move":"white"}}"#,
    "\n"
);

const PLACED: &str = concat!(
    r#"{"ply":1,"action":"3,4","state":{"phase":"placing","board":["X......X","........","........","#,
    r#""........","...W....","........","........","X......X"],"to_move":"black","placed":{"white":1,"#,
    r#""black":0},"moves":0,"size":8},"events":[{"event":"action","by":"white","action":"3,4"}],"#,
    r#""turn":{"move":"black"}}"#,
    "\n"
);

#[test]
fn perft_counts_from_the_empty_board() {
    let perft = |depth| run(&["test-game", "watch-your-back", "--perft", depth], b"");
    assert_eq!(perft("0"), done("nodes 1\n"));
    assert_eq!(perft("1"), done("nodes 46\n"));
    assert_eq!(perft("2"), done("nodes 2084\n"));
    assert_eq!(perft("3"), done("nodes 92342\n"));
}

#[test]
fn perft_divides_by_root_action() {
    let (code, stdout, stderr) =
        run(&["test-game", "watch-your-back", "--perft", "2", "--divide"], b"");
    assert_eq!((code, stderr.as_str()), (0, ""));
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!(lines.len(), 47);
    // Black's zone has 46 squares; a white piece in it leaves 45.
    assert_eq!((lines[0], lines[1], lines[46]), ("0,1 46", "0,2 45", "nodes 2084"));
    let counts = lines[..46].iter().map(|line| line.rsplit(' ').next().expect("a count"));
    assert_eq!(counts.map(|count| count.parse::<u32>().expect("a number")).sum::<u32>(), 2084);
}

#[test]
fn trace_prints_the_start_and_each_ply() {
    assert_eq!(run(&["trace", "watch-your-back"], b""), done(START));
    let both = format!("{START}{PLACED}");
    for input in ["3,4", "3,4\n", "\n  3,4 \r\n\r\n", "\t3,4\n \n"] {
        assert_eq!(run(&["trace", "watch-your-back"], input.as_bytes()), done(&both), "{input:?}");
    }
    assert_eq!(run(&["trace", "watch-your-back", "--seed", "7"], b"3,4"), done(&both));
}

#[test]
fn trace_adds_the_legal_actions_last() {
    let (code, stdout, stderr) = run(&["trace", "watch-your-back", "--legal"], b"");
    assert_eq!((code, stderr.as_str()), (0, ""));
    let head = START.trim_end().strip_suffix('}').expect("an object");
    assert!(stdout.starts_with(&format!(r#"{head},"legal":["0,1","0,2","0,3""#)), "{stdout}");
    assert!(stdout.ends_with("\"7,4\",\"7,5\"]}\n"), "{stdout}");
}

#[test]
fn bad_lines_end_the_trace_and_what_was_printed_stands() {
    let cases: [(&[u8], &str); 7] = [
        (b"\n9,9\n3,4", "line 2: W2: 9,9 is off the board\n"),
        (b"7,0", "line 1: W1: 7,0 is a corner\n"),
        (b"3,4>3,4", "line 1: W5: 3,4>3,4 is a move, but pieces are still being placed\n"),
        (b"pass", "line 1: W7: pass is not allowed while pieces are being placed\n"),
        (
            b"03,4",
            "line 1: syntax: expected a placement like `3,4`, a move like `3,4>3,5`, or `pass`\n",
        ),
        (
            b"roll 4",
            "line 1: syntax: expected a placement like `3,4`, a move like `3,4>3,5`, or `pass`\n",
        ),
        (b"\n\n\xff\n", "line 3: syntax: the line is not UTF-8\n"),
    ];
    for (input, stderr) in cases {
        let expected = (2, START.to_owned(), stderr.to_owned());
        assert_eq!(run(&["trace", "watch-your-back"], input), expected);
    }
    let expected = (2, format!("{START}{PLACED}"), "line 2: W2: 3,4 is occupied\n".to_owned());
    assert_eq!(run(&["trace", "watch-your-back"], b"3,4\n3,4\n3,5"), expected);
}

#[test]
fn a_refused_move_cites_its_clause() {
    let placements = recorded(1)[..24].join("\n");
    let (code, _, stderr) =
        run(&["trace", "watch-your-back"], format!("{placements}\n5,0>5,2").as_bytes());
    assert_eq!((code, stderr.as_str()), (2, "line 25: W6: 5,0>5,2 jumps over an empty square\n"));
}

/// The recorded games that contain forfeits.
fn with_passes() -> Vec<Vec<String>> {
    let games = (1..=49).map(recorded);
    games.filter(|actions| actions.iter().any(|text| text == "pass")).collect()
}

#[test]
fn forced_passes_may_be_written_or_left_out() {
    let games = with_passes();
    assert_eq!(games.len(), 4);
    for actions in games {
        let last = actions.iter().rposition(|text| text != "pass").expect("a move");
        let written = run(&UNENDING, actions[..=last].join("\n").as_bytes());
        let moves: Vec<_> =
            actions[..=last].iter().filter(|text| *text != "pass").cloned().collect();
        let left_out = run(&UNENDING, moves.join("\n").as_bytes());
        assert_eq!(written.0, 0);
        assert_eq!(written, left_out);
        let forced = r#""action":"pass","forced":true"#;
        assert!(written.1.contains(forced));
        assert_eq!(written.1.lines().count(), last + 2);
    }
}

#[test]
fn end_of_input_adds_no_step() {
    let actions = with_passes().swap_remove(0);
    let pass = actions.iter().position(|text| text == "pass").expect("a pass");
    let args = [&UNENDING[..], &["--legal"]].concat();
    let (code, stdout, stderr) = run(&args, actions[..pass].join("\n").as_bytes());
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(stdout.lines().count(), pass + 1);
    assert!(stdout.ends_with("\"legal\":[\"pass\"]}\n"), "{stdout}");
}

#[test]
fn lines_after_the_end_of_the_game_are_errors() {
    let actions = (1..=49).map(recorded).find(|actions| actions.len() == 24).expect("a short game");
    let input = format!("{}\n3,4>3,5\n", actions.join("\n"));
    let (code, stdout, stderr) = run(&UNENDING, input.as_bytes());
    assert_eq!((code, stderr.as_str()), (2, "line 25: W9: 3,4>3,5 comes after the end\n"));
    assert_eq!(stdout.lines().count(), 25);
    let last: Value = serde_json::from_str(stdout.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["turn"]["over"]["reason"], "elimination");
    assert_eq!(
        last["events"].as_array().and_then(|list| list.last()).expect("one")["event"],
        "over"
    );
}

#[test]
fn trace_answers_line_by_line() {
    let mut child = referee(&["trace", "watch-your-back"]).spawn().expect("the referee starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut read = || {
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a line");
        line
    };
    assert_eq!(read(), START);
    // The second line is incomplete, but the first is answered.
    stdin.write_all(b"3,4\n3,").expect("an open pipe");
    assert_eq!(read(), PLACED);
    stdin.write_all(b"5\n").expect("an open pipe");
    assert!(read().starts_with(r#"{"ply":2,"action":"3,5""#));
    drop(stdin);
    assert!(child.wait().expect("the referee ends").success());
}

#[test]
fn requests_are_about_a_built_in_game_alone() {
    let asked = |args: &[&str]| {
        run(&[args, &["--requests"]].concat(), b"{\"type\":\"game\",\"id\":7,\"protocol\":[1]}\n")
    };
    let (code, stdout, stderr) = asked(&["trace", "backdraughts"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let about: Value = serde_json::from_str(&stdout).expect("one line of JSON");
    assert_eq!((&about["id"], &about["name"]), (&7.into(), &"backdraughts".into()));
    let error = "error: --requests: only for built-in games; the game's own program answers its \
                 requests\n";
    assert_eq!(asked(&["trace", "games/hex/game.toml"]), bad_input(error));
    for other in [&["--legal"][..], &["--seed", "1"], &["--option", "repetition=0"]] {
        let (code, _, stderr) = asked(&[&["trace", "watch-your-back"], other].concat());
        assert!(code == 2 && stderr.contains("cannot be used with"), "{stderr}");
    }
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let with = |option| run(&["trace", "watch-your-back", "--option", option], b"");
    assert_eq!(
        with("shrink=1"),
        bad_input(
            "error: --option: unknown option `shrink`; expected one of `end-check`, \
             `mutual-block`, `repetition`, `max-moves`\n"
        )
    );
    assert_eq!(
        with("end-check=never"),
        bad_input(
            "error: --option: invalid value `never` for `end-check`; expected \
             `before-and-after-shrink` or `after-shrink`\n"
        )
    );
    assert_eq!(
        with("max-moves=-1"),
        bad_input(
            "error: --option: invalid value `-1` for `max-moves`; expected a whole number from 0 \
             to \
             1000000\n"
        )
    );
    assert_eq!(
        run(&["trace", "watch-your-back", "--board", "once.toml"], b""),
        bad_input("error: watch-your-back has no board files; leave out --board\n")
    );
}

#[test]
fn rules_show_a_clause_with_its_options() {
    let w10 = "\
Options, with their defaults:

  end-check=before-and-after-shrink  (W10)
    when the end is tested on moves 128 and 192
    before-and-after-shrink: tested before the shrink and again after it; a
      decided game does not shrink
    after-shrink: tested once, when the shrink is done

Clauses:

  W10 end-check
    The option `end-check` says when W9 is tested on the two moves that shrink
    the board: both before and after the shrink, and then a game decided before
    it does not shrink; or only after it.
";
    assert_eq!(run(&["rules", "watch-your-back", "W10"], b""), done(w10));
    assert_eq!(run(&["rules", "watch-your-back", "w10"], b""), done(w10));
    assert_eq!(
        run(&["rules", "watch-your-back", "W12"], b""),
        bad_input(
            "error: watch-your-back has no clause `W12`; it has W1, W2, W3, W4, W5, W6, W7, W8, \
             W9, W10, W11\n"
        )
    );
}

#[test]
fn rules_as_json() {
    let json = |args: &[&str]| -> Value {
        let (code, stdout, stderr) = run(&[args, &["--format", "json"]].concat(), b"");
        assert_eq!((code, stderr.as_str()), (0, ""));
        serde_json::from_str(&stdout).expect("JSON")
    };
    let sheet = json(&["rules", "watch-your-back"]);
    assert_eq!(sheet["clauses"].as_array().map(Vec::len), Some(11));
    let max_moves = serde_json::json!({
        "name": "max-moves",
        "clause": "W11",
        "default": "512",
        "help": "a draw after this many moves in the moving phase; 0 for no limit",
        "range": {"min": 0, "max": 1_000_000},
    });
    assert_eq!(sheet["options"][3], max_moves);
    assert_eq!(json(&["rules"])[0], sheet);
}
