//! Back to the Wall as a script sees it: `trace`, `test-game --perft`, `play`, `run`, `replay`, `rules`.

use crate::support::{Arena, Run};
use serde_json::Value;

const BOARD: &str = "\
name = \"mine\"
walls = 1
adjacency = \"none\"
map = \"\"\"
G...C
.....
..#..
.....
c...g
\"\"\"
";

const START: &str = concat!(
    r#"{"ply":0,"action":null,"state":{"round":1,"board":"mine","map":[".....",".....","..#..",".....","....."],"#,
    r#""owner":["G...C",".....",".....",".....","C...G"],"pieces":{"grunkle":{"circle":"0,0","square":"4,4"},"#,
    r#""charge":{"circle":"4,0","square":"0,4"}},"turn":0,"rounds":[]},"events":[],"turn":{"both":["grunkle","charge"]}"#,
);
/// The note about the file.
const REMARK: &str = "mine.toml: board `mine`, 5×5; the map is fair: its mirror image from left to \
                      right maps one side's pieces onto the other's\n";
fn arena() -> Arena {
    let arena = Arena::new();
    arena.write("mine.toml", BOARD);
    arena
}

#[test]
fn trace_plays_both_actions_of_a_line() {
    let arena = arena();
    let trace = ["trace", "back-to-the-wall", "--board", "mine.toml"];
    let run = arena.run_with(&trace, "R U 2,3 / L D 2,1\n");
    assert_eq!((run.code, run.err.as_str()), (0, REMARK));
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[0], format!("{START}}}"));
    assert_eq!(
        lines[1..],
        [concat!(
            r#"{"ply":1,"action":"R U 2,3 / L D 2,1","state":{"round":1,"board":"mine","#,
            r#""map":[".....","..#..","..#..","..#..","....."],"#,
            r#""owner":["CC.GG","....G","....G","....G","CCCCC"],"#,
            r#""pieces":{"grunkle":{"circle":"4,0","square":"4,0"},"charge":{"circle":"0,0","square":"4,4"}},"#,
            r#""turn":1,"rounds":[]},"events":["#,
            r#"{"event":"action","by":"grunkle","action":"R U 2,3"},"#,
            r#"{"event":"action","by":"charge","action":"L D 2,1"},"#,
            r#"{"event":"walls","placed":["2,1","2,3"],"not_placed":[]},"#,
            r#"{"event":"redirected","by":"charge","piece":"square","from":"D","to":"R"},"#,
            r#"{"event":"moved","by":"grunkle","piece":"circle","path":["1,0","2,0","3,0","4,0"],"contested":["2,0"]},"#,
            r#"{"event":"moved","by":"grunkle","piece":"square","path":["4,3","4,2","4,1","4,0"],"contested":[]},"#,
            r#"{"event":"moved","by":"charge","piece":"circle","path":["3,0","2,0","1,0","0,0"],"contested":["2,0"]},"#,
            r#"{"event":"moved","by":"charge","piece":"square","path":["1,4","2,4","3,4","4,4"],"contested":[]}],"#,
            r#""turn":{"both":["grunkle","charge"]}}"#,
        )]
    );
}

#[test]
fn trace_shows_the_legal_submissions() {
    let arena = arena();
    let run = arena.run(&["trace", "back-to-the-wall", "--board", "mine.toml", "--legal"]);
    let squares: Vec<String> = (0..5)
        .flat_map(|row| (0..5).map(move |column| format!("\"{column},{row}\"")))
        .filter(|at| {
            let taken = ["\"0,0\"", "\"4,0\"", "\"0,4\"", "\"4,4\"", "\"2,2\""];
            !taken.contains(&at.as_str())
        })
        .collect();
    let legal = format!(
        r#"{{"directions":["U","D","L","R"],"walls":1,"squares":[{}]}}"#,
        squares.join(",")
    );
    let expected = format!("{START},\"legal\":{{\"grunkle\":{legal},\"charge\":{legal}}}}}\n");
    assert_eq!(run, Run::new(0, &expected, REMARK));
}

#[test]
fn bad_lines_cite_their_clause() {
    let arena = arena();
    for (line, error) in [
        ("R U 2,3", "syntax: expected both actions in seat order, with ` / ` between them"),
        ("R U 2,2 / L D 2,1", "T10: R U 2,2 names 2,2, which is a wall"),
        ("R U 2,3 / L D 0,0", "T10: L D 0,0 names 0,0, where a piece stands"),
        ("R U 2,3 / L D 5,0", "T10: L D 5,0 names a square off the board"),
        ("R U / L D 2,1", "T10: R U names no squares, expected 1"),
    ] {
        let run = arena.run_with(&["trace", "back-to-the-wall", "--board", "mine.toml"], line);
        let err = format!("{REMARK}line 1: {error}\n");
        assert_eq!(run, Run::new(2, &format!("{START}}}\n"), &err));
    }
}

#[test]
fn unplayable_boards_are_refused_with_file_line_and_reason() {
    let arena = arena();
    arena.write("ragged.toml", &BOARD.replace("..#..", "..#."));
    let trace = |args: &[&str]| arena.run(&[&["trace", "back-to-the-wall"], args].concat());
    for (file, error) in [
        ("ragged.toml", "error: ragged.toml:7: the row has 4 squares, the first row has 5\n"),
        (
            "none.toml",
            "error: `none.toml` cannot be read as a board file: No such file or directory (os \
             error 2); expected `best-of-3`, `play-all`, or a comma-separated list of `once`, \
             `twice`, `thrice` and file names\n",
        ),
    ] {
        assert_eq!(trace(&["--board", file]), Run::new(2, "", error));
        let option = format!("rounds=once,{file}");
        assert_eq!(trace(&["--option", &option]), Run::new(2, "", error));
    }
    let both = trace(&["--board", "mine.toml", "--option", "rounds=once"]);
    let error = "error: --board and --option rounds both set the boards; leave out one of them\n";
    assert_eq!(both, Run::new(2, "", error));
    let run = arena.run(&["trace", "watch-your-back", "--board", "mine.toml"]);
    let error = "error: watch-your-back has no board files; leave out --board\n";
    assert_eq!(run, Run::new(2, "", error));
}

#[test]
fn perft_counts_pairs_without_listing_them() {
    let arena = arena();
    let perft = |args: &[&str]| {
        let run = arena.run(&[&["test-game", "back-to-the-wall", "--perft"], args].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        run.out
    };
    assert_eq!(perft(&["1"]), "nodes 430336\n");
    assert_eq!(perft(&["1", "--option", "rounds=once"]), "nodes 430336\n");
    assert_eq!(perft(&["1", "--option", "rounds=twice"]), "nodes 1768034304\n");
    let divided = perft(&["1", "--divide", "--board", "mine.toml"]);
    let lines: Vec<&str> = divided.lines().collect();
    assert_eq!((lines.len(), lines[lines.len() - 1]), (320 * 320 + 1, "nodes 102400"));
    assert_eq!(lines[0], "U U 1,0 / U U 1,0 1");
}

/// Once at the start, as people see it.
const ONCE: &str = "      0  1  2  3  4  5  6
  0   G  .  .  .  .  .  C
  1   .  .  .  .  .  .  .
  2   .  .  #  .  #  .  .
  3   .  .  .  .  .  .  .
  4   .  .  #  .  #  .  .
  5   .  .  .  .  .  .  .
  6   c  .  .  .  .  .  g
     round 1 on once, 0 of 2 turns; squares: grunkle (x) 2, charge (o) 2; rounds: 0 to 0
";

#[test]
fn a_person_plays_at_the_same_time_as_a_program() {
    let arena = Arena::new();
    let input = "R U\n3,5\n?\nR U 3,5\nresign\n";
    let play = ["play", "human", "bot:greedy", "--game", "back-to-the-wall", "--seed", "1"];
    let options = ["--option", "rounds=once", "--option", "max-turns=2"];
    let run = arena.run_with(&[&play[..], &options].concat(), input);
    assert!(run.out.starts_with(ONCE), "{}", run.out);
    assert!(run.out.contains("\n1. grunkle R U 3,5; charge "), "{}", run.out);
    assert!(run.out.contains("walls ") && run.out.contains("grunkle's circle to "), "{}", run.out);
    let prompt = "grunkle, unseen by charge (? for the legal actions): ";
    let parts: Vec<&str> = run.err.split(prompt).collect();
    assert_eq!(
        parts[..3],
        [
            "You are grunkle. Squares are typed as column,row: 3,4 is column 3, row 4. `help` \
             lists what you can type. `referee rules back-to-the-wall` shows the rules.\n",
            "T10: R U names no squares, expected 1\n",
            "not understood: expected a direction for the circle, one for the square, then the \
             walls, like `R U 3,5`; `?` shows the legal actions, `help` the commands\n",
        ]
    );
    assert!(
        parts[3].starts_with("a direction for each piece, from U D L R, then 1 of:\n1,0 2,0 "),
        "{}",
        parts[3]
    );
    assert_eq!(parts[4..], ["", ""]);
}

#[test]
fn built_in_players_play_the_same_match_every_time() {
    let arena = arena();
    let play = [
        "play",
        "bot:search-200",
        "bot:greedy",
        "--game",
        "back-to-the-wall",
        "--seed",
        "3",
        "--board",
        "mine.toml",
        "--board",
        "mine.toml",
    ];
    let run = arena.run(&play);
    assert_eq!((run.code, run.err.as_str()), (0, REMARK.repeat(2).as_str()));
    assert!(
        run.out.contains("mine ends by ") && run.out.contains("next board: mine"),
        "{}",
        run.out
    );
    assert!(run.out.ends_with(": rounds\n"), "{}", run.out);
    assert_eq!(arena.run(&play), run);
}

const CUP: &str = "\
name = \"cup\"
game = \"back-to-the-wall\"
pairs = 2
jobs = 2
seed = 7
[options]
rounds = \"once,mine.toml\"
max-turns = 6
[[players]]
name = \"ant\"
bot = \"random\"
[[players]]
name = \"bee\"
bot = \"greedy\"
[[players]]
name = \"cat\"
bot = \"search-300\"
";

#[test]
#[ignore = "slow: whole tournaments"]
fn a_tournament_is_resumed_verified_and_replayed_without_the_board_file() {
    let arena = arena();
    arena.write("tournament.toml", CUP);
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains(REMARK), "{}", run.err);
    let whole = arena.essence();
    assert_eq!(whole.len(), 12);
    assert!(whole.values().all(|game| game["fault"].is_null()));
    let rounds = &arena.header()["options"]["rounds"];
    assert_eq!((&rounds[0], &rounds[1]["file"]), (&"once".into(), &"mine.toml".into()));
    assert_eq!(rounds[1]["text"], BOARD);

    let lines: Vec<String> = arena.log().lines().take(5).map(str::to_owned).collect();
    arena.put("games.jsonl", &(lines.join("\n") + "\n"));
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(arena.essence(), whole);

    arena.write("mine.toml", "nothing that could be read");
    let verified = "results/cup: 12 of 12 games played, seeds checked: no problems\n";
    assert_eq!(arena.run(&["verify"]), Run::new(0, verified, ""));
    let (id, game): (&String, &Value) = whole.iter().next().expect("a game");
    let replay = arena.run(&["replay", id]);
    assert_eq!((replay.code, replay.err.as_str()), (0, ""));
    let plies = game["plies"].as_u64().expect("a number");
    let last = format!("\n{plies}. grunkle ");
    assert!(replay.out.contains(&last), "{}", replay.out);
    assert!(replay.out.contains("next board: mine"), "{}", replay.out);
    let at = arena.run(&["replay", id, "--ply", "1"]);
    assert!(at.out.contains("1 of 6 turns"), "{}", at.out);
}

#[test]
fn a_changed_board_file_is_another_tournament() {
    let arena = arena();
    arena.write("tournament.toml", CUP);
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    arena.write("mine.toml", &BOARD.replace("..#..", "#...."));
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 4, "{}", run.err);
    assert!(run.err.contains("rounds"), "{}", run.err);
}

#[test]
fn rules_as_text() {
    let arena = Arena::new();
    let run = arena.run(&["rules", "back-to-the-wall", "t8"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.contains("T8 tie") && run.out.contains("dmo=charge  (T8)"), "{}", run.out);
    let run = arena.run(&["rules", "back-to-the-wall"]);
    assert!(run.out.contains("rounds=best-of-3  (T9)"), "{}", run.out);
    assert!(run.out.contains("FILE: a board file"), "{}", run.out);
}
