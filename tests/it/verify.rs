//! `referee verify` on logs and tables that were changed in every interesting way.

use crate::support::{Arena, Config, Run, TABLE, wait_until};
use serde_json::Value;

/// The line that is edited: the first game of ant against bee, whose first two actions and plies
/// are known because the tournament has a seed.
const GAME: &str = "08eee709cd92-1";
const EDITED: &str = "the record was edited after it was written";
const DIFFERS: &str = "it differs from the log; `referee run` writes it again";
const REPAIRABLE: &str = "`referee verify --repair` moves unusable lines out of the \
                          log, and `referee run` then plays their games again.\n";

fn played() -> Arena {
    Arena::played(&Config::small().change(|config| config.jobs = 1))
}

/// The number of the line of a game, from 1.
fn line_of(arena: &Arena, id: &str) -> usize {
    let id = format!("\"id\":\"{id}\"");
    arena.log().lines().position(|line| line.contains(&id)).expect("the game is there") + 1
}

/// The output of `verify` for these problems of lines and this many games.
fn found(games: usize, problems: &[String]) -> Run {
    let Run { code, out, err } = found_in_tables(games, problems);
    Run::new(code, &(out + REPAIRABLE), &err)
}

/// The output of `verify` for these problems of tables and this many games.
fn found_in_tables(games: usize, problems: &[String]) -> Run {
    let many = match problems.len() {
        1 => "1 problem".to_owned(),
        many => format!("{many} problems"),
    };
    let lines = problems.join("\n");
    let out = format!("{lines}\nresults/cup: {games} of 12 games played, seeds checked: {many}\n");
    Run::new(1, &out, "")
}

/// Changes the record of [`GAME`], and expects these problems to be found with it.
fn edited(edit: impl FnOnce(&mut Value), problems: &[&str]) {
    edited_to(12, edit, problems);
}

/// The same, with this many games left that count.
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
fn a_valid_results_folder_has_no_problems() {
    let arena = played();
    let clean = "results/cup: 12 of 12 games played, seeds checked: no problems\n";
    assert_eq!(arena.run(&["verify"]), Run::new(0, clean, ""));
    assert_eq!(arena.run(&["verify", "results/cup"]), Run::new(0, clean, ""));
    let json = "{\"games\":12,\"scheduled\":12,\"summary\":{\"played\":12,\"counted\":12,\"due\":0,\
                \"is_estimate\":false,\"never\":0,\"corrected\":0,\"unchecked\":0,\
                \"quarantined\":0},\
                \"torn\":false,\"running\":false,\"seeds\":true,\"tables\":\"compared\",\
                \"findings\":[]}\n";
    assert_eq!(arena.run(&["verify", "--format", "json"]), Run::new(0, json, ""));
}

#[test]
fn no_log_is_bad_input() {
    let arena = Arena::new();
    let error = "error: no results under results/; play a tournament with `referee \
                 run`\n";
    assert_eq!(arena.run(&["verify"]), Run::new(2, "", error));
    let error = "error: nowhere contains no games.jsonl; pass a tournament's folder, for example \
                 results/NAME\n";
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
        &[EDITED, "the game was not over, but no fault is recorded"],
    );
    edited(
        |game| game["actions"].as_array_mut().expect("a list").push("0,2>0,3".into()),
        &[EDITED, "`0,2>0,3` is recorded after the end of the game"],
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
        |game| game["clock"]["used_ns"]["white"][3] = 5_020_000_001_u64.into(),
        &[EDITED, "white exceeded its time in turn 4, but the game continued"],
    );
    edited(|game| game["clock"]["used_ns"]["white"][3] = 5_020_000_000_u64.into(), &[EDITED]);
}

#[test]
fn an_invented_fault_in_a_record_is_found() {
    let fault = serde_json::json!({"white": {"code": "timeout", "message": "late"}});
    edited(
        |game| game["fault"] = fault,
        &[EDITED, "a fault after the end of the game", "white lost on time but had time left"],
    );
}

#[test]
fn swapped_names_are_found() {
    edited_to(
        11,
        |game| game["players"] = serde_json::json!({"white": "bee", "black": "ant"}),
        &[
            EDITED,
            "it is not from this tournament",
            "bee's seed does not match the secret",
            "ant's seed does not match the secret",
        ],
    );
}

#[test]
fn an_edited_seed_is_found() {
    edited(
        |game| game["seed"]["black"] = 1.into(),
        &[EDITED, "bee's seed does not match the secret"],
    );
}

#[test]
fn an_edit_of_the_formatting_is_found() {
    let arena = played();
    arena.edit_line(2, |line| line.replacen("\"pair\":", "\"pair\": ", 1));
    let run = arena.run(&["verify"]);
    assert_eq!(run.code, 1);
    assert!(run.out.ends_with(&format!(
        "{EDITED}\nresults/cup: 12 of 12 games played, seeds checked: 1 problem\n{REPAIRABLE}"
    )));
}

#[test]
fn a_missing_game_is_counted() {
    let arena = played();
    let line = line_of(&arena, GAME);
    let log = arena.log();
    let kept = log.split_inclusive('\n').enumerate().filter(|(at, _)| at + 1 != line);
    arena.put("games.jsonl", &kept.map(|(_, line)| line).collect::<String>());
    let differs = |file: &str| format!("{file}: {DIFFERS}");
    let tables = ["standings.csv", "crosstable.csv", "games.csv"].map(differs);
    assert_eq!(arena.run(&["verify"]), found_in_tables(11, &tables));
    // It is simply played again.
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let clean = "results/cup: 12 of 12 games played, seeds checked: no problems\n";
    assert_eq!(arena.run(&["verify"]), Run::new(0, clean, ""));
}

#[test]
fn duplicate_lines_are_found_and_count_once() {
    let arena = played();
    let log = arena.log();
    let (line, id) = (line_of(&arena, GAME), GAME);
    let copy = log.lines().nth(line - 1).expect("a line");
    arena.put("games.jsonl", &format!("{log}{copy}\n"));
    let problem = format!("games.jsonl, line 14, game {id}: the game is already in the log");
    assert_eq!(arena.run(&["verify"]), found(12, &[problem]));
    let run = arena.run(&["run"]);
    assert_eq!((run.code, run.out.as_str()), (0, TABLE), "{}", run.err);
    assert_eq!(arena.read("games.csv").lines().count(), 13);
    assert_eq!(arena.run(&["verify", "--repair"]).code, 0);
    assert_eq!(arena.log(), log);
}

#[test]
fn a_run_refuses_a_log_with_games_of_another_tournament() {
    let arena = played();
    arena.edit_line(4, |line| line.replace("\"bee\"", "\"eel\"").replace("\"cat\"", "\"eel\""));
    let before = arena.log();
    let run = arena.run(&["run"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    let (said, todo) = run.err.split_once(": it is not from this tournament, ").expect("why");
    assert!(said.starts_with("error: games.jsonl, line 4, game "), "{said}");
    assert_eq!(
        todo,
        "so it is unclear what to play next; nothing was changed; `referee verify` finds every \
         such line, and `referee verify --repair` moves them out of the log\n"
    );
    assert_eq!(arena.log(), before);
    assert_eq!(arena.run(&["rank"]).code, 0);
}

#[test]
fn repairs_move_bad_lines_aside_and_keep_a_copy() {
    let arena = played();
    let (whole, essence) = (arena.log(), arena.essence());
    let edited = line_of(&arena, GAME);
    arena.edit_line(edited, |line| line.replacen("\"plies\":60", "\"plies\":59", 1));
    let mut lines: Vec<String> = arena.log().lines().map(str::to_owned).collect();
    lines.insert(1, "garbage".to_owned());
    lines.push(lines[3].clone());
    let bad = lines.join("\n") + "\n{\"torn";
    arena.put("games.jsonl", &bad);
    let run = arena.run(&["verify", "--repair"]);
    let note = "3 lines were moved to results/cup/set-aside.jsonl; the original log is \
                results/cup/games.jsonl.before-repair\n";
    assert_eq!((run.code, run.err.as_str()), (1, note), "the tables are older: {}", run.out);
    assert_eq!(arena.read("games.jsonl.before-repair"), bad);
    let kept: String = whole
        .split_inclusive('\n')
        .enumerate()
        .filter(|(at, _)| at + 1 != edited)
        .map(|(_, line)| line)
        .collect();
    assert_eq!(arena.log(), kept);
    let aside = arena.read("set-aside.jsonl");
    let aside: Vec<Value> =
        aside.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let told: Vec<_> = aside
        .iter()
        .map(|line| (line["line"].as_u64().expect("a number"), line["problem"].as_str()))
        .collect();
    assert_eq!(told[0].0, 2);
    assert_eq!(told[1], (edited as u64 + 1, Some(EDITED)));
    assert_eq!(told[2], (15, Some("the game is already in the log")));
    assert_eq!(aside[0]["text"], "garbage");

    // The games of moved lines are played again, and nothing is left to repair.
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    assert_eq!(arena.essence(), essence);
    let run = arena.run(&["verify", "--repair"]);
    assert_eq!(
        (run.code, run.err.as_str()),
        (0, "nothing to repair: every line of the log is usable\n")
    );
    assert!(!arena.results().join("games.jsonl.before-repair-2").exists());
    // Another repair keeps another copy.
    arena.edit_line(3, |_| "garbage".to_owned());
    arena.run(&["verify", "--repair"]);
    assert_eq!(arena.read("games.jsonl.before-repair"), bad);
    assert!(arena.read("games.jsonl.before-repair-2").contains("garbage"));
}

#[test]
#[ignore = "slow: whole tournaments"]
fn games_that_depend_on_a_bad_line_are_removed_too() {
    let swiss = "format = \"swiss\"\nrounds = 2";
    let config = Config::small().bot("dog", "search-50").change(|config| {
        config.pairs = 0;
        config.more = swiss.to_owned();
    });
    let arena = Arena::with(&config);
    assert_eq!(arena.run(&["run", "-q", "--jobs", "1"]).code, 0);
    let essence = arena.essence();
    arena.edit_line(2, |_| "garbage".to_owned());
    assert_eq!(arena.run(&["run"]).code, 2);
    assert_eq!(arena.run(&["rank"]).code, 0);
    let run = arena.run(&["verify", "--repair"]);
    assert!(run.err.starts_with("5 lines were moved"), "{}", run.err);
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    assert_eq!(arena.essence(), essence);
}

#[test]
fn an_edited_header_cannot_be_repaired() {
    let arena = played();
    arena.edit_line(1, |line| line.replacen("\"created\":", "\"created\": ", 1));
    let before = arena.log();
    let run = arena.run(&["verify", "--repair"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("games.jsonl: the header was edited"), "{}", run.err);
    assert_eq!(arena.log(), before);
}

#[test]
fn verify_finds_no_problems_during_a_run() {
    let arena = played();
    let more = Config::small().change(|config| config.pairs = 3).script("zzz", "waits.sh");
    arena.configure(&more.change(|config| {
        config.clock = "move = \"10m\"\n[containment]\nlevel = \"off\"".to_owned();
        config.jobs = 1;
    }));
    // The time for a move may not change between runs.
    std::fs::remove_dir_all(arena.results()).expect("removed");
    arena.write("waits.sh", "read init; echo ok; read turn || exit; echo > awake; read never");
    let mut child = arena.start(&["run"]);
    wait_until(|| arena.path().join("awake").exists());
    // Tables of a run in progress are older than the log.
    arena.put("standings.csv", "old");
    let run = arena.run(&["verify"]);
    child.kill().expect("killed");
    child.wait().expect("ended");
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!((run.code, lines.len()), (0, 2), "{}", run.out);
    assert!(lines[0].ends_with("seeds checked: no problems"), "{}", run.out);
    let running = "A run is writing to it: its tables can be compared when that run has ended.";
    assert_eq!(lines[1], running);
    // The same holds if the run did not end. If it did, tables are compared, if they exist.
    let run = arena.run(&["verify"]);
    let unfinished = "The last run was cut short; its tables may be older than the log: \
                      `referee run` writes them again.";
    assert_eq!((run.code, run.out.lines().last()), (0, Some(unfinished)));
    std::fs::remove_file(arena.results().join("tables.unfinished")).expect("removed");
    let run = arena.run(&["verify"]);
    assert!(run.out.starts_with(&format!("standings.csv: {DIFFERS}\n")), "{}", run.out);
    std::fs::remove_file(arena.results().join("standings.csv")).expect("removed");
    let run = arena.run(&["verify"]);
    let none = "It has no tables yet: `referee run` writes them when it ends.";
    assert_eq!((run.code, run.out.lines().last()), (0, Some(none)));
}

/// Logs that stay readable, each with the secret that it was played under if that was kept.
const STORED: [(&str, Option<&str>, &str); 4] = [
    (include_str!("../logs/check-2.jsonl"), None, "6 of 6"),
    (include_str!("../logs/faults-2.jsonl"), None, "20 of 20"),
    (include_str!("../logs/stages-2.jsonl"), None, "16 of 16"),
    (include_str!("../logs/dice-2.jsonl"), Some(include_str!("../logs/dice-2.secret")), "2 of 2"),
];

#[test]
fn stored_logs_are_read() {
    for (log, secret, games) in STORED {
        let arena = Arena::new();
        std::fs::create_dir_all(arena.results()).expect("a folder");
        arena.put("games.jsonl", log);
        if let Some(secret) = secret {
            arena.put("secret", secret);
        }
        // The report checks every line. The only note is that tables are missing.
        for command in ["rank", "report"] {
            let run = arena.run(&[command, "results/cup"]);
            assert_eq!((run.code, run.err.as_str()), (0, ""), "{games}");
        }
        let run = arena.run(&["verify"]);
        assert!(
            run.out.contains(&format!("{games} games played, seeds checked: 3 problems")),
            "{}",
            run.out
        );
        assert_eq!(run.out.matches(".csv: it cannot be read").count(), 3, "{}", run.out);
    }
}

#[test]
fn a_line_from_another_tournament_is_found() {
    let arena = played();
    let other = Arena::with(&Config::small());
    assert_eq!(other.run(&["run", "--quiet"]).code, 0);
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
    let foreign = |line: &&&str| line.ends_with("it is not from this tournament");
    assert_eq!(lines.iter().filter(foreign).count(), 8, "{}", run.out);
    assert_eq!(lines.last(), Some(&"results/cup: 4 of 12 games played, seeds checked: 9 problems"));
}

#[test]
fn an_unusable_header_is_an_input_error() {
    let arena = played();
    arena.edit_line(1, |line| line.replacen("watch-your-back", "draughts", 1));
    let error = "error: the log's header cannot be used: no game `draughts`\n";
    assert_eq!(arena.run(&["verify"]), Run::new(2, "", error));
    arena.edit_line(1, |line| {
        let line = line.replacen("\"schema\":\"referee-log-2\"", "\"schema\":\"referee-log-9\"", 1);
        line.replacen(env!("CARGO_PKG_VERSION"), "7.1.0", 1)
    });
    let error = "error: results/cup/games.jsonl, line 1: the log has the format referee-log-9, but \
                 this referee reads referee-log-2: read it with the build of referee 7.1.0 that \
                 wrote it, or play the tournament again in another folder; nothing was changed\n";
    assert_eq!(arena.run(&["verify"]), Run::new(2, "", error));
    arena.edit_line(1, |line| {
        let line = line.replacen("referee-log-9", "referee-log-2", 1);
        line.replacen("\"stages\":", "\"pairs\":2,\"stage\":", 1)
    });
    let error = "error: results/cup/games.jsonl, line 1: not a header of the format \
                 referee-log-2: missing field `stages`";
    assert!(arena.run(&["verify"]).err.starts_with(error));
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
    assert_eq!(lines[3], "results/cup: 9 of 12 games played, seeds checked: 3 problems");
    assert_eq!(format!("{}\n", lines[4]), REPAIRABLE);
}

#[test]
fn an_edited_or_missing_table_is_found() {
    for table in ["games.csv", "standings.csv", "crosstable.csv"] {
        let arena = played();
        arena.put(table, &arena.read(table).replacen("ant", "aunt", 1));
        let differs = format!("{table}: {DIFFERS}");
        assert_eq!(arena.run(&["verify"]), found_in_tables(12, &[differs]));
        std::fs::remove_file(arena.results().join(table)).expect("removed");
        let missing = format!(
            "{table}: it cannot be read: No such file or directory (os error 2); `referee run` \
             writes it again"
        );
        assert_eq!(arena.run(&["verify"]), found_in_tables(12, &[missing]));
        // Running again writes new tables.
        assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
        assert_eq!(arena.run(&["verify", "--quiet"]).code, 0);
    }
}

#[test]
fn edited_marks_are_found() {
    let config = Config::small().script("dud", "dud.sh").change(|config| {
        config.max_moves = 10;
        config.more = "grades = { ranks = [{ rank = 3, marks = 5 }], failed = -2 }".into();
    });
    let arena = Arena::with(&config);
    arena.write("dud.sh", "exit 1");
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    let table = arena.read("grades.csv");
    let by_own: &[&str] = &["verify"];
    let by_config: &[&str] = &["verify", "--grades", "tournament.toml"];

    let run = arena.run(by_own);
    assert_eq!(run.code, 0, "{}", run.out);
    let note = "The marks in grades.csv were checked against the rules beside them, in \
                grades.json. `referee verify --grades CONFIG` checks them against a \
                configuration.\n";
    assert!(run.out.ends_with(note), "{}", run.out);
    let run = arena.run(by_config);
    assert!(run.code == 0 && run.out.ends_with(": no problems\n"), "{}", run.out);

    let differs =
        "grades.csv: it differs from the log; `referee report --grades CONFIG` writes it again\n";
    let is_found = |args: &[&str], edit: (&str, &str)| {
        let edited = table.replace(edit.0, edit.1);
        assert_ne!(edited, table);
        arena.put("grades.csv", &edited);
        let run = arena.run(args);
        assert_eq!(run.code == 1, run.out.starts_with(differs), "{}", run.out);
        run.code == 1
    };
    let edits =
        [("quarantined", "praised"), ("dud,-2,", "dud,2,"), ("dud,-2,,", "dud,-2,1,"), ("-2", "2")];
    for edit in edits {
        assert!(is_found(by_own, edit) && is_found(by_config, edit), "{edit:?}");
    }
    // Whoever edits the marks may edit the rules beside them, but not a configuration elsewhere.
    let rules = arena.read("grades.json");
    arena.put("grades.json", &rules.replace("-2.0", "2.0"));
    assert!(!is_found(by_own, ("-2", "2")) && is_found(by_config, ("-2", "2")));
    arena.put("grades.json", "{}");
    let unread = arena.run(by_own);
    assert!(unread.code == 1 && unread.out.starts_with("grades.json: it cannot be read: "));
    std::fs::remove_file(arena.results().join("grades.json")).expect("removed");
    let run = arena.run(by_own);
    let note = "The marks in grades.csv were not checked, because their rules are unknown.";
    assert!(run.code == 1 && run.out.contains(note), "{}", run.out);
    assert!(run.out.starts_with("grades.json: it cannot be read: "), "{}", run.out);
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
