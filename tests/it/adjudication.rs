//! Games that end by the scores which both players report, from the run to the page.
#![cfg(target_os = "linux")]

use serde_json::{Value, json};

use crate::support::Arena;

/// A tournament of four engines that move a knight to and fro: two that see a draw, one that is
/// lost, and one that has won. Their games would end by repetition after eight plies.
fn played() -> Arena {
    let arena = Arena::new();
    arena.write("shuffles.sh", include_str!("../players/shuffles.sh"));
    let engines = [("even", "cp 5"), ("level", "cp -10"), ("lost", "mate -3"), ("won", "cp 700")];
    let player = |(name, score): (&str, &str)| {
        let words = score.replace(' ', "\", \"");
        format!("[[players]]\nname = \"{name}\"\nuci = [\"sh\", \"shuffles.sh\", \"{words}\"]\n")
    };
    let players: String = engines.map(player).concat();
    arena.write(
        "tournament.toml",
        &format!(
            "name = \"cup\"\ngame = \"chess\"\nseed = 7\njobs = 2\n\
             [adjudication]\ndraw = {{ after = 5, plies = 4, score = 10 }}\n\
             resign = {{ plies = 4, score = 600 }}\nlength = 7\n{players}"
        ),
    );
    let run = arena.run(&["run", "--quiet", "--strict"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    arena
}

/// The number of the line of a game between these players, and the game.
fn game(arena: &Arena, players: [&str; 2]) -> (usize, Value) {
    let lines = arena.log();
    let games = lines.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON"));
    let is_it = |game: &Value| game["players"] == json!({"white": players[0], "black": players[1]});
    let found = (2..).zip(games).find(|(_, game)| is_it(game));
    found.expect("they have met")
}

#[test]
fn games_end_by_scores_and_length() {
    let arena = played();
    let end = |players| {
        let game = game(&arena, players).1;
        ["result", "reason", "plies", "fault"].map(|field| game[field].clone())
    };
    let [none, draw] = [Value::Null, json!("draw")];
    let expected = [draw.clone(), json!("adjudicated-draw"), json!(5), none.clone()];
    assert_eq!(end(["even", "level"]), expected);
    let expected = [json!("black"), json!("adjudicated-resign"), json!(4), none.clone()];
    assert_eq!(end(["lost", "won"]), expected);
    let expected = [draw, json!("adjudicated-length"), json!(7), none];
    assert_eq!(end(["lost", "even"]), expected, "its opponent does not think so");
    let rules = json!({
        "draw": {"after": 5, "plies": 4, "score": 10},
        "resign": {"after": 0, "plies": 4, "score": 600},
        "length": 7,
    });
    assert_eq!(arena.header()["adjudication"], rules);
    assert_eq!(arena.run(&["verify"]).code, 0);
    let id = game(&arena, ["lost", "won"]).1["id"].as_str().expect("an id").to_owned();
    let replay = arena.run(&["replay", &id]);
    assert!(replay.out.contains("won (black) wins: adjudicated by scores"), "{replay:?}");
    let pgn = arena.run(&["export", "--pgn"]).out;
    assert_eq!(pgn.matches("[Termination \"adjudication\"]\n").count(), 12, "{pgn}");
    assert!(pgn.contains("{adjudicated by length} 1/2-1/2"), "{pgn}");
    assert!(
        arena.read("report.html").contains("draw from ply 5 on: both report from −10 to 10 for 4")
    );
}

#[test]
fn forged_scores_and_rules_are_found() {
    let arena = played();
    let (line, drawn) = game(&arena, ["even", "level"]);
    let id = drawn["id"].as_str().expect("an id");
    arena.edit_line(line, |text| text.replacen("\"score\":-10", "\"score\":-11", 1));
    let found = arena.run(&["verify"]);
    let forged = format!(
        "game {id}: it was adjudicated, but not according to the recorded scores and \
         tournament rules"
    );
    assert!(found.code == 1 && found.out.contains(&forged), "{found:?}");
    let arena = played();
    arena.edit_line(1, |text| text.replace("\"length\":7", "\"length\":6"));
    let found = arena.run(&["verify"]);
    let late = "it should have ended after ply 6: adjudicated-length";
    assert!(found.code == 1 && found.out.contains(late), "{found:?}");
}
