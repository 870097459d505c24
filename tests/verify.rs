//! `referee verify` on logs and tables that were changed in every interesting way.

mod support;

use serde_json::Value;
use support::{Arena, Config, Run};

/// The line that is edited: the first game of ant against bee, whose first two actions and plies
/// are known because the tournament has a seed.
const GAME: &str = "08eee709cd92-1";
const EDITED: &str = "the record was edited after it was written";

fn played() -> Arena {
    let arena = Arena::with(&Config::small());
    assert_eq!(arena.run(&["run", "--quiet", "--jobs", "1"]).code, 0);
    arena
}

/// The number of the line of a game, from 1.
fn line_of(arena: &Arena, id: &str) -> usize {
    let start = format!("{{\"id\":\"{id}\"");
    arena.log().lines().position(|line| line.starts_with(&start)).expect("the game is there") + 1
}

/// What `verify` says of these problems, and of so many games.
fn found(games: usize, problems: &[String]) -> Run {
    let many = match problems.len() {
        1 => "1 problem".to_owned(),
        many => format!("{many} problems"),
    };
    let lines = problems.join("\n");
    let out = format!("{lines}\nresults/cup: {games} of 12 games, seeds checked: {many}\n");
    Run::new(1, &out, "")
}

/// Changes the record of [`GAME`], and expects these problems to be found with it.
fn edited(edit: impl FnOnce(&mut Value), problems: &[&str]) {
    edited_to(12, edit, problems);
}

/// The same where so many games are left that count.
fn edited_to(games: usize, edit: impl FnOnce(&mut Value), problems: &[&str]) {
    let arena = played();
    let line = line_of(&arena, GAME);
    arena.edit_line(line, |text| {
        let mut game = serde_json::from_str(text).expect("JSON");
        edit(&mut game);
        game.to_string()
    });
    let game = format!("games.jsonl, line {line}, game {GAME}: ");
    let problems: Vec<String> = problems.iter().map(|problem| format!("{game}{problem}")).collect();
    assert_eq!(arena.run(&["verify"]), found(games, &problems));
}

#[test]
fn a_clean_folder_passes() {
    let arena = played();
    let clean = "results/cup: 12 of 12 games, seeds checked: nothing wrong\n";
    assert_eq!(arena.run(&["verify"]), Run::new(0, clean, ""));
    assert_eq!(arena.run(&["verify", "results/cup"]), Run::new(0, clean, ""));
    let json = "{\"games\":12,\"scheduled\":12,\"torn\":false,\"seeds\":true,\"findings\":[]}\n";
    assert_eq!(arena.run(&["verify", "--format", "json"]), Run::new(0, json, ""));
}

#[test]
fn no_log_is_bad_input() {
    let arena = Arena::new();
    let error = "error: there are no results under results/; play a tournament with `referee \
                 run`\n";
    assert_eq!(arena.run(&["verify"]), Run::new(2, "", error));
    let error = "error: nowhere holds no games.jsonl; name the folder of a tournament, for \
                 example results/NAME\n";
    assert_eq!(arena.run(&["verify", "nowhere"]), Run::new(2, "", error));
}

#[test]
fn an_edited_action_is_found() {
    edited(
        |game| game["actions"][0] = "0,0".into(),
        &[EDITED, "ply 0: `0,0` was not legal: W1: 0,0 is a corner"],
    );
}

#[test]
fn an_action_too_few_or_too_many_is_found() {
    edited(
        |game| drop(game["actions"].as_array_mut().expect("a list").pop()),
        &[EDITED, "the game was not over and nobody made a fault"],
    );
    edited(
        |game| game["actions"].as_array_mut().expect("a list").push("0,2>0,3".into()),
        &[EDITED, "`0,2>0,3` comes after the end of the game"],
    );
}

#[test]
fn an_edited_result_is_found() {
    edited(
        |game| game["result"] = "white".into(),
        &[EDITED, "the result is white, the replay says black"],
    );
    edited(
        |game| game["reason"] = "max-moves".into(),
        &[EDITED, "the reason is max-moves, the replay says elimination"],
    );
    edited(
        |game| game["plies"] = 61.into(),
        &[EDITED, "the number of plies is 61, the replay says 60"],
    );
}

#[test]
fn an_edited_score_is_found() {
    edited(
        |game| game["scores"] = serde_json::json!({"white": 1, "black": 0.5}),
        &[
            EDITED,
            "the score of white is 1, the replay says 0",
            "the score of black is 0.5, the replay says 1",
        ],
    );
}

#[test]
fn an_edited_time_is_found() {
    edited(
        |game| game["clock"]["used_ns"]["white"][3] = 5_000_000_001_u64.into(),
        &[EDITED, "turn 4 of white was over its time"],
    );
    edited(|game| game["clock"]["used_ns"]["white"][3] = 5_000_000_000_u64.into(), &[EDITED]);
}

#[test]
fn an_invented_fault_is_found() {
    let fault = serde_json::json!({"white": {"code": "timeout", "message": "late"}});
    edited(
        |game| game["fault"] = fault,
        &[EDITED, "a fault after the end of the game", "white lost on time within its time"],
    );
}

#[test]
fn swapped_names_are_found() {
    edited_to(
        11,
        |game| game["players"] = serde_json::json!({"white": "bee", "black": "ant"}),
        &[
            EDITED,
            "it is not a game of this tournament",
            "the seed of bee is not the secret's",
            "the seed of ant is not the secret's",
        ],
    );
}

#[test]
fn an_edited_seed_is_found() {
    edited(
        |game| game["seed"]["black"] = 1.into(),
        &[EDITED, "the seed of bee is not the secret's"],
    );
}

#[test]
fn an_edit_of_nothing_but_the_form_is_found() {
    let arena = played();
    arena.edit_line(2, |line| line.replacen("\"pair\":", "\"pair\": ", 1));
    let run = arena.run(&["verify"]);
    assert_eq!(run.code, 1);
    assert!(
        run.out.ends_with(&format!(
            "{EDITED}\nresults/cup: 12 of 12 games, seeds checked: 1 problem\n"
        ))
    );
}

#[test]
fn a_missing_game_is_counted() {
    let arena = played();
    let line = line_of(&arena, GAME);
    let log = arena.log();
    let kept = log.split_inclusive('\n').enumerate().filter(|(at, _)| at + 1 != line);
    arena.put("games.jsonl", &kept.map(|(_, line)| line).collect::<String>());
    let differs = |file: &str| format!("{file}: it differs from what the log says");
    let tables = ["standings.csv", "crosstable.csv", "games.csv"].map(differs);
    assert_eq!(arena.run(&["verify"]), found(11, &tables));
    // It is simply played again.
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let clean = "results/cup: 12 of 12 games, seeds checked: nothing wrong\n";
    assert_eq!(arena.run(&["verify"]), Run::new(0, clean, ""));
}

#[test]
fn a_doubled_line_is_found_and_not_continued_from() {
    let arena = played();
    let log = arena.log();
    let (line, id) = (line_of(&arena, GAME), GAME);
    let copy = log.lines().nth(line - 1).expect("a line");
    arena.put("games.jsonl", &format!("{log}{copy}\n"));
    let problem = format!("games.jsonl, line 14, game {id}: the game stands there already");
    assert_eq!(arena.run(&["verify"]), found(12, &[problem]));
    let error = format!(
        "error: DIR/results/cup/games.jsonl, line 14: game {id} stands here a second time; nothing \
         was changed\n"
    );
    assert_eq!(arena.run(&["run"]), Run::new(2, "", &error));
}

#[test]
fn a_line_from_another_tournament_is_found() {
    let (arena, other) = (played(), played());
    let (line, from) = (line_of(&arena, GAME), line_of(&other, GAME));
    let log = other.log();
    arena.edit_line(line, |_| log.lines().nth(from - 1).expect("a line").to_owned());
    let problem = format!("games.jsonl, line {line}, game {GAME}: {EDITED}");
    assert_eq!(arena.run(&["verify"]), found(12, &[problem]));
}

#[test]
fn an_edited_header_is_found() {
    let arena = played();
    arena.edit_line(1, |line| line.replacen("\"name\":\"ant\"", "\"name\":\"aunt\"", 1));
    let run = arena.run(&["verify"]);
    assert_eq!(run.code, 1);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[0], "games.jsonl, line 1: the header was edited after it was written");
    let foreign = |line: &&&str| line.ends_with("it is not a game of this tournament");
    assert_eq!(lines.iter().filter(foreign).count(), 8, "{}", run.out);
    assert_eq!(lines.last(), Some(&"results/cup: 4 of 12 games, seeds checked: 9 problems"));
}

#[test]
fn a_header_that_cannot_be_used_is_bad_input() {
    let arena = played();
    arena.edit_line(1, |line| line.replacen("watch-your-back", "chess", 1));
    let error = "error: the header cannot be used: no game `chess`\n";
    assert_eq!(arena.run(&["verify"]), Run::new(2, "", error));
    arena.edit_line(1, |line| line.replacen("referee-log-1", "referee-log-9", 1));
    let error = "error: results/cup/games.jsonl, line 1: the schema is referee-log-9, this referee \
                 reads referee-log-1; nothing was changed\n";
    assert_eq!(arena.run(&["verify"]), Run::new(2, "", error));
    arena.put("games.jsonl", "");
    let error = "error: results/cup/games.jsonl, line 1: the header is not complete; nothing was \
                 changed\n";
    assert_eq!(arena.run(&["verify"]), Run::new(2, "", error));
}

#[test]
fn every_garbage_line_is_found_and_the_rest_still_checked() {
    let arena = played();
    arena.edit_line(3, |_| "garbage".to_owned());
    arena.edit_line(5, |_| String::new());
    arena.edit_line(7, |line| line.replacen("\"pair\":", "\"pear\":", 1));
    let run = arena.run(&["verify"]);
    let problems: Vec<String> = [
        (3, "expected value at line 1 column 1"),
        (5, "EOF while parsing a value at line 2 column 0"),
    ]
    .iter()
    .map(|(line, why)| format!("games.jsonl, line {line}: not a game record: {why}"))
    .collect();
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[..2], problems, "{}", run.out);
    assert!(lines[2].starts_with("games.jsonl, line 7: not a game record: missing field `pair`"));
    assert_eq!(lines[3..], ["results/cup: 9 of 12 games, seeds checked: 3 problems"]);
    let run = arena.run(&["run"]);
    let error = "error: DIR/results/cup/games.jsonl, line 3: not a game record: expected value at \
                 line 1 column 1; nothing was changed\n";
    assert_eq!(run, Run::new(2, "", error));
}

#[test]
fn an_edited_or_missing_table_is_found() {
    for table in ["games.csv", "standings.csv", "crosstable.csv"] {
        let arena = played();
        arena.put(table, &arena.read(table).replacen("ant", "aunt", 1));
        let differs = format!("{table}: it differs from what the log says");
        assert_eq!(arena.run(&["verify"]), found(12, &[differs]));
        std::fs::remove_file(arena.results().join(table)).expect("removed");
        let missing = format!("{table}: it cannot be read: No such file or directory (os error 2)");
        assert_eq!(arena.run(&["verify"]), found(12, &[missing]));
        // Running again makes the tables anew.
        assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
        assert_eq!(arena.run(&["verify", "--quiet"]).code, 0);
    }
}

#[test]
fn findings_as_json_say_file_line_and_id() {
    let arena = played();
    let line = line_of(&arena, GAME);
    arena.edit_line(line, |text| text.replacen("\"plies\":60", "\"plies\":59", 1));
    let run = arena.run(&["verify", "--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    let json: Value = serde_json::from_str(&run.out).expect("JSON");
    let finding = |problem| serde_json::json!({"file": "games.jsonl", "line": line, "id": GAME, "problem": problem});
    let findings = [finding(EDITED), finding("the number of plies is 59, the replay says 60")];
    assert_eq!(json["findings"], serde_json::json!(findings));
}
