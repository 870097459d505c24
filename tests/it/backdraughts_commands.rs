//! Backdraughts as a script sees it: chance in `trace`, counts, a human player, and a tournament
//! whose recorded rolls are checked.

use crate::support::{Arena, Run};
use serde_json::Value;

/// The start after a roll of three.
const THREE: &str = "     0 1 2 3 4 5 6 7
  0  . . . . . . . w   ┌───────┐
  1  . . . B B B B .   │ ●     │
  2  . . . . B B B .   │   ●   │
  3  . W . . . B B .   │     ● │
  4  . W W . . . B .   └───────┘
  5  . W W W . . . .     white
  6  . W W W W . . .
  7  b . . . . . . .
     ply 0; white to play a 3; white 10, black 10 pawns; goals: white 7,0, black 0,7
";
const BOARD: &str = concat!(
    r#""board":["........","...BBBB.","....BBB.",".W...BB.",".WW...B.",".WWW....",".WWWW...","#,
    r#""........"]"#
);
const FACES: &str = r#""turn":{"chance":["roll 1","roll 2","roll 3","roll 4","roll 5","roll 6"]}}"#;

/// `referee trace backdraughts` with these arguments and this input.
fn trace(args: &[&str], input: &str) -> Run {
    Arena::new().run_with(&[&["trace", "backdraughts"], args].concat(), input)
}

fn lines(run: &Run) -> Vec<Value> {
    run.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn trace_takes_rolls_from_the_input() {
    let run = trace(&[], "roll 3\n1,3>4,3\n");
    let lost = r#""lost":{"white":0,"black":0}"#;
    let rolled = r#"{"event":"roll","seat":"white","value":3}"#;
    let expected = [
        format!(
            r#"{{"ply":0,"action":null,"state":{{{BOARD},"to_move":"white",{lost}}},"events":[],{FACES}"#
        ),
        format!(
            r#"{{"ply":0,"action":"roll 3","state":{{{BOARD},"to_move":"white","roll":3,{lost}}},"events":[{rolled}],"turn":{{"move":"white"}}}}"#
        ),
        format!(
            r#"{{"ply":1,"action":"1,3>4,3","state":{{{},"to_move":"black",{lost}}},"events":[{{"event":"action","by":"white","action":"1,3>4,3"}}],{FACES}"#,
            BOARD.replace(".W...BB.", "....WBB.")
        ),
    ];
    assert_eq!(run, Run::new(0, &format!("{}\n", expected.join("\n")), ""));
}

#[test]
fn without_rolls_and_seed_the_line_is_bad() {
    let run = trace(&[], "1,3>4,3\n");
    let error = "line 1: syntax: expected a chance outcome such as `roll 1`, or --seed to draw \
                 one\n";
    assert_eq!((run.code, run.err.as_str(), run.out.lines().count()), (2, error, 1));
    let run = trace(&[], "\nroll 7\n");
    assert_eq!((run.code, &run.err[..7]), (2, "line 2:"));
    let run = trace(&[], "roll 3\nroll 3\n");
    let error = "line 2: syntax: expected a move like `2,3>6,3`, a capture like `capture 6,3`, \
                 `pass` or `decline`\n";
    assert_eq!((run.code, run.err.as_str()), (2, error));
    let run = trace(&[], "roll 3\n1,3>1,2\n");
    let error = "line 2: B3: 1,3>1,2 moves 1, but must move 3\n";
    assert_eq!((run.code, run.err.as_str()), (2, error));
}

#[test]
fn the_seed_rolls_if_the_input_does_not() {
    let rolled = lines(&trace(&["--seed", "7", "--legal"], "pass\n"));
    assert_eq!(rolled.len(), 2, "rolled, and then no pass: {rolled:?}");
    let action = rolled[1]["legal"][0].as_str().expect("an action");
    let run = trace(&["--seed", "7", "--legal"], action);
    assert_eq!((run.code, run.out.lines().count()), (0, 3));
    assert_eq!(lines(&run)[1], rolled[1]);
    assert_eq!(trace(&["--seed", "7", "--legal"], action), run);
}

#[test]
fn start_rolls_are_chance_too() {
    let traced = lines(&trace(&["--option", "first=roll"], "roll 4 4\nroll 2 5\nroll 1\n"));
    assert_eq!(traced[0]["state"]["to_move"], Value::Null);
    assert_eq!(traced[0]["turn"]["chance"].as_array().map(Vec::len), Some(36));
    assert_eq!(traced[1]["turn"], traced[0]["turn"]);
    assert_eq!(traced[2]["events"][0].to_string(), r#"{"event":"first","rolls":[2,5]}"#);
    assert_eq!(traced[2]["state"]["to_move"], "black");
    assert_eq!(traced[3]["events"][0].to_string(), r#"{"event":"roll","seat":"black","value":1}"#);
    assert_eq!(traced[3]["ply"], 0);
}

#[test]
fn an_overlooked_action_is_offered_to_the_opponent() {
    let options = ["--option", "overlooked=opponent", "--option", "move=no-dice", "--legal"];
    let traced = lines(&trace(&options, "pass\n1,3>1,2\n"));
    assert_eq!(traced[1]["turn"].to_string(), r#"{"move":"black"}"#);
    assert_eq!(traced[1]["state"]["overlooked_by"], "white");
    assert!(traced[1]["legal"].as_array().expect("a list").contains(&"decline".into()));
    assert_eq!(
        traced[2]["events"].to_string(),
        r#"[{"event":"action","by":"black","action":"1,3>1,2","for":"white"}]"#
    );
    assert_eq!(traced[2]["state"]["distance"], 1);
}

#[test]
fn perft_follows_every_roll() {
    let perft = |args: &[&str]| {
        Arena::new().run(&[&["test-game", "backdraughts", "--perft"], args].concat())
    };
    assert_eq!(perft(&["1"]), Run::new(0, "nodes 36\n", ""));
    assert_eq!(perft(&["2"]), Run::new(0, "nodes 1246\n", ""));
    assert_eq!(perft(&["1", "--option", "turning=on"]), Run::new(0, "nodes 143\n", ""));
    let divided = perft(&["1", "--divide"]).out;
    assert!(divided.starts_with("roll 1 16\n"), "{divided}");
    assert!(divided.contains("\nroll 3 8\n") && divided.ends_with("\nnodes 36\n"), "{divided}");
    let divided = perft(&["1", "--divide", "--option", "first=roll"]).out;
    assert_eq!(divided, "roll 2 1 36\nroll 1 2 36\nnodes 72\n");
}

#[test]
fn rules_say_how_a_default_depends_on_others() {
    let run = Arena::new().run(&["rules", "backdraughts", "B12"]);
    assert_eq!(run.code, 0);
    for line in [
        "  max-plies  (B12): 500 with dice, 300 without\n",
        "  repetition  (B12): 3 without dice, refused with dice\n",
    ] {
        assert!(run.out.contains(line), "{}", run.out);
    }
    let sentence = "`capture=six` has no effect without dice, because nobody rolls a 6 (B10); \
                    remove it or set `capture=ring`";
    let options = ["--option", "move=no-dice", "--option", "capture=six"];
    let run = trace(&options, "");
    assert!(run.code == 2 && run.err.contains(sentence), "{}", run.err);
}

#[test]
fn a_person_reads_the_rolls_in_words() {
    let arena = Arena::new();
    let args = ["play", "human", "bot:random", "--game", "backdraughts", "--seed", "1"];
    let run = arena.run_with(&args, "?\npass\nresign\n");
    assert!(run.out.starts_with(&format!("white rolls 3\n{THREE}")), "{}", run.out);
    assert!(run.err.contains("You are white. Squares are typed as column,row: "), "{}", run.err);
    let prompt = "white to move (? for the legal actions): ";
    let parts: Vec<&str> = run.err.split(prompt).collect();
    assert!(parts.len() == 4 && parts[1].contains('>'), "{}", run.err);
    assert_eq!(parts[2], "B7: pass is not allowed while there is a legal action\n");
}

/// A finished tournament of two built-in players.
fn played() -> Arena {
    let arena = Arena::new();
    arena.write(
        "tournament.toml",
        "name = \"cup\"\ngame = \"backdraughts\"\npairs = 2\nseed = 7\n\
         [[players]]\nname = \"ant\"\nbot = \"random\"\n\
         [[players]]\nname = \"bee\"\nbot = \"greedy\"\n",
    );
    let run = arena.run(&["run", "--quiet", "--jobs", "1"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    arena
}

/// The rolls of each seat, in order; the sides roll in turn.
fn rolls_by_seat(game: &Value) -> [Vec<&str>; 2] {
    let rolls = game["rolls"].as_array().expect("a list");
    let of = |seat: usize| {
        let own = rolls.iter().skip(seat).step_by(2);
        own.map(|roll| roll.as_str().expect("a text")).collect::<Vec<_>>()
    };
    [of(0), of(1)]
}

#[test]
fn the_games_of_a_pair_share_their_rolls_by_seat() {
    let arena = played();
    let games: Vec<Value> =
        arena.lines().values().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(games.len(), 4);
    for pair in 1..=2 {
        let of_pair: Vec<_> = games.iter().filter(|game| game["pair"] == pair).collect();
        let (one, other) = (rolls_by_seat(of_pair[0]), rolls_by_seat(of_pair[1]));
        for (one, other) in one.iter().zip(&other) {
            let both = one.len().min(other.len());
            assert!(both > 0);
            assert_eq!(one[..both], other[..both]);
        }
    }
    let header = arena.header();
    let options = r#"{"first":"white","overlooked":"reject","move":"dice","capture":"six","turning":"off","max-plies":500}"#;
    assert_eq!(header["options"].to_string(), options);
}

/// Changes the rolls of the first game, and expects `verify` to find this problem last.
fn edited(edit: impl FnOnce(&mut Vec<Value>), problem: &str) {
    let arena = played();
    arena.edit_line(2, |line| {
        let mut game: Value = serde_json::from_str(line).expect("JSON");
        edit(game["rolls"].as_array_mut().expect("a list"));
        game.to_string()
    });
    let run = arena.run(&["verify"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains(problem), "{}", run.out);
}

#[test]
fn verify_checks_the_rolls_against_the_seed() {
    let arena = played();
    let clean = "results/cup: 4 of 4 games played, seeds checked: no problems\n";
    assert_eq!(arena.run(&["verify"]), Run::new(0, clean, ""));
    edited(
        |rolls| rolls.push("roll 1".into()),
        ": `roll 1` is a roll, but nothing is rolled here\n",
    );
    edited(|rolls| drop(rolls.pop()), "` is recorded where a roll is missing\n");
    edited(|rolls| rolls[0] = "roll 7".into(), ": `roll 7` cannot come up here\n");
}

#[test]
fn verify_finds_another_secret() {
    let arena = played();
    let log = arena.log();
    arena.put("games.jsonl", &log.replacen("\"seed\":7", "\"seed\":8", 1));
    let run = arena.run(&["verify"]);
    assert!(
        run.code == 1 && run.out.contains("` was drawn, but the secret gives `roll "),
        "{}",
        run.out
    );
}

#[test]
fn a_recorded_game_is_replayed_with_its_rolls() {
    let arena = played();
    let lines = arena.lines();
    let (id, line) = lines.iter().next().expect("a game");
    let game: Value = serde_json::from_str(line).expect("JSON");
    let run = arena.run(&["replay", id]);
    assert_eq!(run.code, 0);
    let value = &game["rolls"][0].as_str().expect("a text")["roll ".len()..];
    let opening = format!("\nwhite rolls {value}\n     0 1 2");
    assert!(run.out.contains(&opening), "{}", run.out);
    let caption = format!("     ply 0; white to play a {value}; ");
    assert!(run.out.contains(&caption), "{}", run.out);
    assert!(arena.run(&["replay", id, "--ply", "0"]).out.contains(&caption));
    let boards = run.out.lines().filter(|line| line.starts_with("     0 1 2")).count();
    assert_eq!(boards as u64, 1 + game["plies"].as_u64().expect("a number"));
}
