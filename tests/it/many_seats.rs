//! Games of more than two seats: `play`, `test-game`, the protocol, tournaments, and what is refused.

use std::fs;

use serde_json::Value;

use crate::support::Arena;

const GAME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/goofspiel/game.toml");

/// Plays the last card of its hand, and writes down what it is told. With a word after the name of
/// the file, it plays that instead at its second turn.
const PLAYER: &str = r#"
import json, sys
told = open(sys.argv[1], "w")
turns = 0
for line in sys.stdin:
    message = json.loads(line)
    told.write(line)
    told.flush()
    if message["type"] == "init":
        print(json.dumps({"id": message["id"]}), flush=True)
    elif message["type"] == "turn":
        turns += 1
        action = sys.argv[2] if turns == 2 and len(sys.argv) > 2 else message["legal"][-1]
        print(json.dumps({"id": message["id"], "action": action}), flush=True)
    elif message["type"] == "quit":
        break
"#;

/// The configuration of a tournament of three.
fn config(more: &str) -> String {
    let players: String = ["a", "b", "c"]
        .map(|name| format!("[[players]]\nname = {name:?}\nbot = \"random\"\n"))
        .concat();
    format!("name = \"cup\"\ngame = {{ from = {GAME:?} }}\n{players}{more}")
}

fn play(arena: &Arena, players: &[&str], more: &[&str]) -> crate::support::Run {
    let game = ["--game", GAME, "--containment", "off", "--delay", "0s", "--seed", "3"];
    arena.run(&[&["play"], players, &game[..], more].concat())
}

fn told(arena: &Arena, kind: &str) -> Vec<Value> {
    let text = fs::read_to_string(arena.path().join("told")).expect("it wrote");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines.filter(|message| message["type"] == kind).collect()
}

#[test]
fn three_players_play_a_game_and_watch_it_again() {
    let arena = Arena::new();
    let run = play(&arena, &["bot:greedy", "bot:random", "bot:search-20"], &["--save", "kept"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let end = run.out.lines().rfind(|line| line.contains("(red)")).expect("an end");
    assert!(end.starts_with("1 ") && end.ends_with(": points"), "{end}");
    assert!(end.contains("greedy (red)") && end.contains("random (green)"), "{end}");
    let log = fs::read_to_string(arena.path().join("kept/games.jsonl")).expect("a log");
    let game: Value = serde_json::from_str(log.lines().nth(1).expect("a game")).expect("JSON");
    let places = game["places"].as_object().expect("places");
    assert_eq!(places.keys().collect::<Vec<_>>(), ["red", "green", "blue"]);
    assert_eq!(game["result"], Value::Null);
    assert_eq!(game["actions"].as_array().expect("a list").len(), 7 * 3);
    let id = game["id"].as_str().expect("an id");
    let replay =
        arena.run(&["replay", id, "--results", "kept", "--game", GAME, "--containment", "off"]);
    assert_eq!(replay.code, 0, "{}", replay.err);
    assert!(replay.out.contains("greedy (red) against random (green) against search-20 (blue)"));
    assert!(replay.out.trim_end().ends_with(end), "{}", replay.out);
}

#[test]
fn a_player_is_told_of_all_the_others() {
    let arena = Arena::new();
    fs::write(arena.path().join("player.py"), PLAYER).expect("a file");
    fs::write(arena.path().join("tournament.toml"), config("[clock]\nbudget = \"60s\"\n"))
        .expect("a file");
    let run = play(&arena, &["bot:greedy", "python3 player.py told", "bot:random"], &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    let init = &told(&arena, "init")[0];
    assert_eq!(init["seats"], serde_json::json!(["red", "green", "blue"]));
    assert_eq!(init["you"], "green");
    let turn = &told(&arena, "turn")[1];
    let left = turn["clock"]["others_left_ms"].as_object().expect("the clocks of the others");
    assert_eq!(left.keys().collect::<Vec<_>>(), ["red", "blue"]);
    assert_eq!(turn["clock"]["opponent_left_ms"], Value::Null);
    let by: Vec<&Value> = turn["events"].as_array().expect("events").iter().collect();
    let by: Vec<&str> = by.iter().filter_map(|event| event["by"].as_str()).collect();
    assert_eq!(by, ["red", "green", "blue"], "all actions, once all have answered");
    let end = &told(&arena, "end")[0];
    assert_eq!((&end["result"], &end["scores"]), (&Value::Null, &Value::Null));
    assert_eq!(end["places"]["green"], end["place"]);
    let scores = end["final_scores"].as_object().expect("final scores");
    assert_eq!(scores.len(), 3);
}

#[test]
fn a_fault_of_one_leaves_the_others_level() {
    let arena = Arena::new();
    fs::write(arena.path().join("player.py"), PLAYER).expect("a file");
    let run = play(&arena, &["bot:greedy", "python3 player.py told 99", "bot:random"], &[]);
    assert_eq!(run.code, 1, "a program lost by a fault: {}", run.err);
    let end = run.out.lines().last().expect("an end");
    assert_eq!(
        end,
        "1 greedy (red) and random (blue), 3 python3 player.py told 99 (green): illegal"
    );
}

#[test]
fn every_seat_needs_a_player() {
    let arena = Arena::new();
    let run = play(&arena, &["bot:greedy", "bot:random"], &[]);
    assert_eq!(run.code, 2);
    let why = "goofspiel has 3 seats (red, green, blue), but there are 2 players";
    assert!(run.err.contains(why), "{}", run.err);
}

#[test]
fn a_player_may_play_itself_in_a_kept_game() {
    let arena = Arena::new();
    let kept = ["play", "bot:random", "bot:random", "--delay", "0s", "--save", "kept"];
    assert_eq!(arena.run(&kept).code, 0);
    let ranked = arena.run(&["rank", "kept"]);
    assert_eq!(ranked.code, 0, "{}", ranked.err);
    assert!(ranked.out.contains("random-2"), "{}", ranked.out);
}

#[test]
fn options_may_stand_between_players() {
    let arena = Arena::new();
    let clash = ["play", "bot:random", "--seed", "1", "bot:random", "--delay", "0s"];
    let run = arena.run(&[&clash[..], &["--option", "max-moves=4"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let bots = ["bot:random"; 15];
    let run = arena.run(&[&clash[..], &bots].concat());
    assert_eq!(run.code, 2, "{}", run.out);
    assert!(run.err.contains("a game has 2 to 16 seats"), "{}", run.err);
}

#[test]
fn a_kept_game_of_three_is_a_tournament_of_one_game() {
    let arena = Arena::new();
    play(&arena, &["bot:greedy", "bot:random", "bot:random"], &["--save", "kept"]);
    for command in ["rank", "verify", "report", "export"] {
        let named = ["--game", GAME, "--containment", "off"];
        let named = if command == "rank" { &[][..] } else { &named };
        let run = arena.run(&[&[command, "kept"], named].concat());
        assert_eq!(run.code, 0, "{command}: {}", run.err);
    }
}

#[test]
fn a_record_of_other_seats_than_its_game_has_is_refused() {
    let arena = Arena::new();
    play(&arena, &["bot:greedy", "bot:random", "bot:random"], &["--save", "kept"]);
    let log = arena.path().join("kept/games.jsonl");
    let text = fs::read_to_string(&log).expect("a log");
    let id = text.split_once("\"id\":\"").expect("an id").1[..14].to_owned();
    // As if the games were of a built-in game for two.
    let mut header: Value =
        serde_json::from_str(text.lines().next().expect("a header")).expect("JSON");
    header["game"] = "watch-your-back".into();
    header["options"] = serde_json::json!({});
    header.as_object_mut().expect("an object").remove("program");
    let line = text.lines().nth(1).expect("a game");
    fs::write(&log, format!("{header}\n{line}\n")).expect("written");
    for command in [
        &["replay", &id, "--results", "kept"][..],
        &["ask", "bot:random", "--record", &id, "--results", "kept"],
    ] {
        let run = arena.run(command);
        assert_eq!(run.code, 2, "{command:?}: {}{}", run.out, run.err);
        assert!(run.err.contains("the record has 3 seats, unlike the game"), "{}", run.err);
    }
}

#[test]
fn the_rules_of_three_seats_pass_their_trial() {
    let arena = Arena::new();
    let run = arena.run(&["test-game", GAME, "--games", "5"]);
    assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
}

/// A tournament of seven players, whose rules are these lines.
fn cup(arena: &Arena, rules: &str) {
    cup_of(arena, GAME, rules);
}

/// The same of another game of three seats.
fn cup_of(arena: &Arena, game: &str, rules: &str) {
    let names = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu"];
    let players = names.map(|name| format!("[[players]]\nname = {name:?}\nbot = \"random\"\n"));
    let text = format!(
        "name = \"cup\"\ngame = {{ from = {game:?} }}\nseed = 5\njobs = 2\n{rules}\n\
         [containment]\nlevel = \"off\"\n{}",
        players.concat()
    );
    fs::write(arena.path().join("tournament.toml"), text).expect("a file");
}

/// What `games.csv` says of each game and seat, without the times.
fn rows(arena: &Arena) -> Vec<String> {
    let text = fs::read_to_string(arena.path().join("results/cup/games.csv")).expect("a table");
    let mut rows: Vec<String> =
        text.lines().map(|row| row.rsplit_once(',').expect("times").0.to_owned()).collect();
    rows[1..].sort();
    rows
}

#[test]
fn a_tournament_of_three_seats_is_played_ranked_and_verified() {
    let arena = Arena::new();
    cup(&arena, "meetings = 2");
    let plan = arena.run(&["run", "--plan"]);
    assert_eq!(plan.code, 0, "{}", plan.err);
    assert!(
        plan.out.starts_with("cup: goofspiel, 7 players, 2 meetings each, 1 deal per meeting\n")
    );
    assert!(plan.out.contains("0 of 18 games played\n"), "{}", plan.out);
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("18 of 18 games played."), "{}", run.out);
    assert!(run.out.contains("comparisons (3.7%)"), "{}", run.out);
    let rows = rows(&arena);
    assert_eq!(rows[0], "id,deal,game,seat,player,place,score,final_score,reason,fault,plies");
    assert_eq!(rows.len(), 1 + 3 * 18);
    let verify = arena.run(&["verify"]);
    assert_eq!(verify.code, 0, "{}", verify.out);
    assert!(verify.out.contains("18 of 18 games played, seeds checked: no problems"));
    let shown = |args: &[&str]| {
        let run = arena.run(args);
        assert_eq!(run.code, 0, "{args:?}: {}", run.err);
        // The ranking comes first.
        run.out.split("\n\n").next().expect("a table").to_owned()
    };
    let own = shown(&["rank", "--from", "results/cup/games.csv"]);
    assert_eq!(shown(&["rank"]), own, "the table of games says all");
    for args in [&["report", "--packets"][..], &["report", "--pseudonyms"], &["export"]] {
        assert_eq!(arena.run(args).code, 0, "{args:?}: {}", arena.run(args).err);
    }
}

#[test]
fn final_scores_rank_the_players_of_a_tournament() {
    let arena = Arena::new();
    cup(&arena, "meetings = 2\nrank = \"scores\"");
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("Ranked by points, from final scores; the mean is 0."), "{}", run.out);
    assert!(!run.out.contains("Warning"), "{}", run.out);
    let text = fs::read_to_string(arena.path().join("results/cup/standings.csv")).expect("a table");
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let headings: Vec<String> =
        rows.headers().expect("headings").iter().map(str::to_owned).collect();
    let last =
        ["unranked", "mean_final_score", "mean_margin", "points", "points_low", "points_high"];
    assert!(headings.ends_with(&last.map(str::to_owned)), "{headings:?}");
    let number = |row: &csv::StringRecord, name: &str| -> f64 {
        let at = headings.iter().position(|heading| heading == name).expect("a column");
        row[at].parse().expect("a number")
    };
    let rows: Vec<csv::StringRecord> = rows.records().map(|row| row.expect("a row")).collect();
    let points: Vec<f64> = rows.iter().map(|row| number(row, "points")).collect();
    assert!(points.is_sorted_by(|one, next| one >= next), "{points:?}");
    assert!(points.iter().sum::<f64>().abs() < 0.01, "{points:?}");
    let means =
        |row| (number(row, "games"), number(row, "mean_final_score"), number(row, "mean_margin"));
    let games = fs::read_to_string(arena.path().join("results/cup/games.csv")).expect("a table");
    for row in &rows {
        let player = format!(",{},", &row[1]);
        let own = games.lines().filter(|line| line.contains(&player));
        let own: Vec<f64> = own
            .map(|line| line.split(',').nth(7).expect("points").parse().expect("a number"))
            .collect();
        let (count, mean, _) = means(row);
        assert!((own.iter().sum::<f64>() / count - mean).abs() < 0.01, "{row:?}");
    }
    assert!(rows.iter().map(|row| means(row).0 * means(row).2).sum::<f64>().abs() < 0.1);
    let shown = |args: &[&str]| {
        let run = arena.run(args);
        assert_eq!(run.code, 0, "{args:?}: {}", run.err);
        run.out.split("\n\n").next().expect("a table").to_owned()
    };
    let own = shown(&["rank", "--from", "results/cup/games.csv", "--ranking", "scores"]);
    assert_eq!(shown(&["rank"]), own, "the table of games says all");
    let json: Value =
        serde_json::from_str(&arena.run(&["rank", "--format", "json"]).out).expect("JSON");
    assert_eq!(json["points"]["seats"].as_array().map(Vec::len), Some(3));
    assert!(json["players"][0]["points_low"].as_f64() < json["players"][0]["points"].as_f64());
    let verify = arena.run(&["verify"]);
    assert_eq!(verify.code, 0, "{}", verify.out);
    assert!(verify.out.contains(": no problems"), "{}", verify.out);
    let index =
        fs::read_to_string(arena.path().join("results/cup/games/index.js")).expect("a list");
    let game: Value =
        serde_json::from_str(index.lines().nth(1).expect("a game").trim_end_matches(','))
            .expect("JSON");
    let end = game[4].as_str().expect("an ending");
    let scores = end.rsplit_once(": points, ").expect("scores").1;
    let scores: Vec<u32> =
        scores.split(" to ").map(|score| score.parse().expect("a score")).collect();
    assert!(scores.len() == 3 && scores.is_sorted_by(|one, next| one >= next), "{end}");
    // Without the line, ratings rank the same games.
    cup(&arena, "meetings = 2");
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("players are ranked by ratings"), "{}", run.err);
    assert!(
        run.out.contains("18 of 18 games played.") && !run.out.contains("Ranked by points"),
        "{}",
        run.out
    );
    arena.sh("mv results/cup results/ratings");
    cup(&arena, "meetings = 2\nrank = \"scores\"");
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let both = arena.run(&["rank", "results/ratings", "results/cup"]);
    assert!(both.code != 0 && both.err.contains("rank players differently"), "{both:?}");
}

#[test]
fn what_has_no_scores_cannot_be_ranked_by_them() {
    let arena = Arena::new();
    cup(&arena, "format = \"league\"\nrank = \"scores\"");
    let run = arena.run(&["run", "--plan"]);
    let why = "meetings in the league format depend on who wins, so players cannot be ranked by scores; expected `round-robin`, `check` or `gauntlet`";
    assert!(run.code == 2 && run.err.replace('\n', " ").contains(why), "{}", run.err);
    cup(&arena, "rank = \"points\"");
    let run = arena.run(&["run", "--plan"]);
    assert!(run.code == 2 && run.err.contains("invalid value for `rank`"), "{}", run.err);
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rules/crowd.py");
    for (declared, code, why) in [
        ("declared", 2, "this game reports only the winner, not final scores"),
        ("", 0, "18 games have no final scores: no one has a rank; remove"),
    ] {
        let game = format!("command = [\"python3\", {rules:?}, {declared:?}]\n");
        fs::write(arena.path().join("crowd.toml"), game).expect("a file");
        cup_of(&arena, "crowd.toml", "meetings = 2\nrank = \"scores\"");
        let run = arena.run(&["run"]);
        let said = format!("{}{}", run.out, run.err).replace('\n', " ");
        assert!(run.code == code && said.contains(why), "{said}");
    }
}

#[test]
fn every_player_takes_every_seat_once_in_a_deal() {
    let arena = Arena::new();
    cup(&arena, "[[stages]]\nformat = \"check\"\n[[stages]]\nplayers = 4\n");
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let rows = rows(&arena);
    let mut sat = std::collections::BTreeMap::<(&str, &str, &str), Vec<&str>>::new();
    for row in &rows[1..] {
        let fields: Vec<&str> = row.split(',').collect();
        let meeting = fields[0].split_once('-').expect("an id").0;
        sat.entry((meeting, fields[1], fields[4])).or_default().push(fields[3]);
    }
    for ((meeting, ..), mut seats) in sat {
        seats.sort_unstable();
        assert_eq!(seats, ["blue", "green", "red"], "{meeting}");
    }
    // Three meetings of the check, and all groups of three of the best four.
    assert_eq!(rows.len(), 1 + 3 * 3 * (3 + 4));
}

#[test]
fn a_tournament_of_three_goes_on_after_it_was_killed() {
    let (whole, killed) = (Arena::new(), Arena::new());
    for arena in [&whole, &killed] {
        cup(arena, "format = \"gauntlet\"\nanchors = [\"ant\", \"bee\", \"cat\"]");
    }
    assert_eq!(whole.run(&["run"]).code, 0);
    let mut child = killed.start(&["run"]);
    killed.wait_for_lines(6);
    child.kill().expect("killed");
    child.wait().expect("ended");
    let run = killed.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(rows(&killed), rows(&whole));
    assert_eq!(killed.run(&["verify"]).code, 0);
}

#[test]
fn a_player_that_crashes_is_last_and_is_quarantined() {
    let arena = Arena::new();
    fs::write(arena.path().join("bad.py"), "import sys; sys.exit(3)").expect("a file");
    cup(&arena, "quarantine = 2\nmeetings = 4");
    let path = arena.path().join("tournament.toml");
    let text = fs::read_to_string(&path).expect("a file");
    let bad = "[[players]]\nname = \"bad\"\ncommand = [\"python3\", \"bad.py\"]\n";
    fs::write(&path, text + bad).expect("a file");
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("bad cannot start and will lose its games"), "{}", run.err);
    assert!(run.err.contains("bad is quarantined"), "{}", run.err);
    let bad: Vec<String> = rows(&arena).into_iter().filter(|row| row.contains(",bad,")).collect();
    assert!(!bad.is_empty() && bad.iter().all(|row| row.contains(",3,0.0000,")), "{bad:?}");
    assert_eq!(arena.run(&["verify"]).code, 0);
}

#[test]
fn a_player_that_failed_the_check_is_not_called_quarantined_when_another_is_corrected() {
    let arena = Arena::new();
    cup(&arena, "[[stages]]\nformat = \"check\"\n[[stages]]\nmeetings = 2\n");
    let path = arena.path().join("tournament.toml");
    let mut text = fs::read_to_string(&path).expect("a file");
    for name in ["bad", "worse"] {
        arena.write(&format!("{name}.py"), "import sys; sys.exit(3)");
        text.extend(["[[players]]\nname = \"", name, "\"\ncommand = [\"python3\", \""]);
        text.extend([name, ".py\"]\n"]);
    }
    fs::write(&path, text).expect("a file");
    assert_eq!(arena.run(&["run"]).code, 0);
    let of_both = rows(&arena);
    let game_of = |name: &str| {
        let row = of_both.iter().find(|row| row.contains(name)).expect("a game");
        row.split(',').next().expect("an id").to_owned()
    };
    assert_eq!(game_of(",bad,"), game_of(",worse,"), "one game takes out both");
    fs::copy(
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/players/fine.py"),
        path.with_file_name("bad.py"),
    )
    .expect("a file");
    let run = arena.run(&["run", "--replace", "bad"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let said =
        format!("worse failed the check and is out; its fault in game {}", game_of(",worse,"));
    assert!(run.err.contains(&said) && !run.err.contains("quarantined"), "{}", run.err);
}

#[test]
fn what_a_format_cannot_do_with_three_seats_it_says() {
    let arena = Arena::new();
    let refused = [
        ("pairs = 2", "`pairs` is for games with two seats", "write `deals` instead"),
        ("opponents = 4", "`opponents` is for games with two seats", "write `meetings` instead"),
        (
            "format = \"swiss\"\nrounds = 3",
            "the swiss format is for two-seat games",
            "`meetings = K`",
        ),
        ("format = \"league\"\ndeals = 2", "`deals` has no effect in a league", "one deal"),
        (
            "format = \"gauntlet\"\nanchors = [\"ant\"]",
            "a game has 3 seats, so an entrant meets 2 anchors at once, but there is only one",
            "",
        ),
        ("meetings = 1000", "`meetings` is out of range", "from 2 to 100"),
    ];
    for (rules, problem, help) in refused {
        cup(&arena, rules);
        let run = arena.run(&["run"]);
        assert_eq!(run.code, 2, "{rules}: {}", run.out);
        assert!(run.err.contains(problem) && run.err.contains(help), "{rules}: {}", run.err);
    }
}

/// The log of the only comparison.
fn comparison(arena: &Arena) -> Vec<Value> {
    let mut dirs = fs::read_dir(arena.path().join("results")).expect("a folder");
    let dir = dirs.next().expect("a comparison").expect("readable").path();
    let log = fs::read_to_string(dir.join("games.jsonl")).expect("a log");
    log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Both take the same seats against the same opponents with the same luck: the same program does the
/// same.
#[test]
fn two_players_are_compared_among_others() {
    let arena = Arena::new();
    let program = |name: &str| {
        let text = format!("{PLAYER}# {name}\n");
        fs::write(arena.path().join(name), text).expect("a file");
        format!("command = [\"python3\", {name:?}, \"/dev/stderr\"]")
    };
    let bot = |name| format!("bot = {name:?}");
    let players = [
        ("new", bot("random")),
        ("old", bot("random")),
        ("a", bot("greedy")),
        ("b", program("b")),
        ("c", program("c")),
        ("newer", program("newer")),
    ];
    let players =
        players.map(|(name, how)| format!("[[players]]\nname = {name:?}\n{how}\n")).concat();
    let cup = format!("name = \"cup\"\nseed = 3\ngame = {{ from = {GAME:?} }}\n{players}");
    fs::write(arena.path().join("cup.toml"), cup).expect("a file");
    let compare = |new, pairs| {
        let pool = ["--against", "a", "--against", "b", "--against", "c", "--config", "cup.toml"];
        arena.run(&[&["compare", new, "old", "--max-pairs", pairs], &pool[..]].concat())
    };
    let run = compare("new", "5");
    assert_eq!(run.code, 11, "{}", run.err);
    assert!(run.out.contains("Of 18 points each in "), "{}", run.out);
    assert!(run.out.contains("; 1 round at 3 tables with 2 opponents each."), "{}", run.out);
    assert!(
        run.out.contains("the maximum number of deals; --max-pairs allows more"),
        "{}",
        run.out
    );
    assert!(run.out.contains("at each table: a + b "), "{}", run.out);
    let log = comparison(&arena);
    let mut games = std::collections::BTreeMap::<String, Vec<[&Value; 2]>>::new();
    for game in &log[1..] {
        let mut seats = Vec::new();
        for (seat, name) in game["players"].as_object().expect("players") {
            let name = name.as_str().expect("a name");
            let rival = ["new", "old"].contains(&name);
            seats.push(format!("{seat} {}", if rival { "rival" } else { name }));
        }
        let key = format!("{} {seats:?}", game["pair"]);
        games.entry(key).or_default().push([&game["actions"], &game["places"]]);
    }
    assert_eq!((log.len(), games.len()), (1 + 18, 9), "{:?}", games.keys());
    assert!(games.values().all(|games| games.len() == 2 && games[0] == games[1]), "{games:?}");
    // More of it goes on where it ended.
    let run = compare("new", "6");
    assert!(run.out.contains("; 2 rounds at 3 tables"), "{}", run.out);
    assert_eq!(comparison(&arena).len(), 1 + 36);
    assert_eq!(arena.run(&["verify", "--game", GAME]).code, 0);
    // The games of `old` serve the next version, too.
    let run = compare("newer", "6");
    assert!(run.err.contains("18 games by old from"), "{}", run.err);
    assert!(run.err.contains("18 of 18 games"), "{}", run.err);
}

/// At one table with others, they take turns at its seats.
#[test]
fn two_players_are_compared_at_one_table() {
    let arena = Arena::new();
    let with = |others: &[&str], more: &[&str]| {
        let others = others.iter().flat_map(|other| ["--others", other]);
        let names = ["compare", "bot:greedy", "bot:random", "--game", GAME, "--seed", "7"];
        let args: Vec<&str> = names.into_iter().chain(others).chain(more.iter().copied()).collect();
        arena.run(&args)
    };
    let run = with(&["bot:search-2"], &["--max-pairs", "4"]);
    assert_eq!(run.code, 11, "{}{}", run.out, run.err);
    assert!(run.out.contains("Of 12 points each in "), "{}", run.out);
    assert!(run.out.contains("; 4 rounds at a table with 1 other."), "{}", run.out);
    let log = comparison(&arena);
    assert_eq!(log.len(), 1 + 12);
    let mut seatings = std::collections::BTreeSet::new();
    let mut ahead = 0;
    for game in &log[1..] {
        let players = game["players"].as_object().expect("players");
        let seat = |name: &str| players.iter().find(|(_, of)| *of == name).expect("a seat").0;
        let place = |name: &str| game["places"][seat(name)].as_u64().expect("a place");
        seatings.insert(format!("{} {}", game["pair"], seat("greedy")));
        ahead += 1 + place("random").cmp(&place("greedy")) as i32;
    }
    assert_eq!(seatings.len(), 12, "everyone has each seat once in a deal");
    let points = f64::from(ahead) / 2.0;
    assert!(run.out.contains(&format!("greedy scored {points} ")), "{points}: {}", run.out);
    // It goes on where it ended.
    let run = with(&["bot:search-2"], &["--max-pairs", "6", "--format", "json"]);
    let found: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(found["against"][0]["name"], "search-2", "{found}");
    assert_eq!((&found["pairs"], comparison(&arena).len()), (&6.into(), 1 + 18), "{found}");
    let run = arena.run(&["verify", "--game", GAME]);
    assert_eq!(run.code, 0, "{}", run.err);

    let few = "goofspiel has 3 seats, so besides A and B --others must list 1 player, not 2; ";
    let run = with(&["bot:search-2", "bot:search-3"], &[]);
    assert!(run.code == 2 && run.err.contains(few), "{}", run.err);
    let run = arena.run(&["compare", "bot:greedy", "bot:random", "--others", "bot:search-2"]);
    let none = "watch-your-back has no seat for others; leave out --others";
    assert!(run.code == 2 && run.err.contains(none), "{}", run.err);
}

#[test]
fn a_comparison_of_three_seats_says_what_it_needs() {
    let arena = Arena::new();
    let refused = |args: &[&str], why: &str| {
        let game = ["--game", GAME];
        let run = arena.run(&[&["compare", "bot:random"], args, &game[..]].concat());
        assert_eq!(run.code, 2, "{}", run.out);
        assert!(run.err.contains(why), "{}", run.err);
    };
    let advice = "goofspiel has 3 seats, but this is for two-seat games; to compare two players at \
                  one table, list those at its other seats with `--others`";
    refused(&["bot:greedy"], advice);
    refused(&["--against", "bot:greedy", "--against", "bot:search-2"], advice);
    let few = "goofspiel has 3 seats, but --against has 1 opponent; pass at least 2";
    refused(&["bot:greedy", "--against", "bot:search-2"], few);
    let pool =
        ["--against", "bot:search-2", "--against", "bot:search-3", "--against", "bot:search-4"];
    let few = "--max-pairs 2 is not enough for a deal at each of 3 tables";
    refused(&[&["bot:greedy", "--max-pairs", "2"], &pool[..]].concat(), few);
}

#[test]
fn a_folder_of_players_becomes_a_tournament_of_three_seats() {
    let arena = Arena::new();
    for name in ["ant", "bee", "cat", "dog"] {
        let dir = arena.path().join("players").join(name);
        fs::create_dir_all(&dir).expect("a folder");
        fs::write(dir.join("player.py"), PLAYER).expect("a file");
    }
    let new = arena.run(&["new", "tournament", "players", "--game", GAME]);
    assert_eq!(new.code, 0, "{}", new.err);
    let text = fs::read_to_string(arena.path().join("tournament.toml")).expect("a file");
    assert!(text.contains("deals = 1\n") && text.contains("meetings = 8\n"), "{text}");
    assert!(text.contains(" Without it, all groups of 3 meet (12 games).\n"), "{text}");
    let plan = arena.run(&["run", "--plan", "--containment", "off"]);
    assert!(plan.out.contains("4 players, 8 meetings each, 1 deal per meeting"), "{}", plan.err);
}

#[test]
#[ignore = "slow: a check and 24 games"]
fn a_starter_kit_for_three_seats_plays_its_practice_tournament() {
    let arena = Arena::new();
    let new = arena.run(&["new", "player", "--game", GAME, "kit"]);
    assert_eq!(new.code, 0, "{}", new.err);
    let readme = fs::read_to_string(arena.path().join("kit/README.md")).expect("a file");
    assert!(readme.contains("    referee play . bot:random bot:random   # watch it play\n"));
    assert!(readme.contains("    referee play human . bot:random   # play against it\n"));
    let checked = arena.run(&["check", "kit", "--config", "kit/tournament.toml"]);
    assert_eq!(checked.code, 0, "{}", checked.out);
    let run = arena.run(&["run", "kit/tournament.toml"]);
    assert_eq!(run.code, 0, "{}", run.err);
    // All groups of three of four, two deals of three games each.
    assert!(run.out.contains("24 of 24 games played."), "{}", run.out);
}

#[test]
fn a_late_player_changes_no_other_game() {
    let arena = Arena::new();
    cup(&arena, "meetings = 2");
    assert_eq!(arena.run(&["run"]).code, 0);
    let before = rows(&arena);
    let path = arena.path().join("tournament.toml");
    let text = fs::read_to_string(&path).expect("a file");
    let late = "[[players]]\nname = \"late\"\nbot = \"random\"\n";
    fs::write(&path, text + late).expect("a file");
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let after = rows(&arena);
    assert!(before.iter().all(|row| after.contains(row)), "{after:?}");
    assert_eq!(after.len(), before.len() + 2 * 3 * 3, "two meetings of three games");
    assert_eq!(arena.run(&["verify"]).code, 0);
    // A whole round-robin has room for one more, too.
    fs::write(&path, fs::read_to_string(&path).expect("a file").replace("meetings = 2", ""))
        .expect("a file");
    assert_eq!(arena.run(&["run"]).code, 4, "it is another tournament");
}

/// The words of the offer are followed to the letter.
#[test]
fn a_player_too_late_for_a_tournament_of_three_seats_plays_what_is_offered() {
    let arena = Arena::new();
    cup(&arena, "[[stages]]\nmeetings = 2\n[[stages]]\nplayers = 3\n");
    assert_eq!(arena.run(&["run"]).code, 0);
    let path = arena.path().join("tournament.toml");
    let late = "[[players]]\nname = \"late\"\nbot = \"random\"\n";
    let text = fs::read_to_string(&path).expect("a file") + late;
    fs::write(&path, &text).expect("a file");
    let plan = arena.run(&["run", "--plan"]);
    assert_eq!(plan.code, 4, "{}", plan.err);
    let (_, offer) = plan.err.split_once("grades, put\n").expect(&plan.err);
    let (keys, _) = offer.split_once("Then\n").expect("commands");
    let (_, kept) = plan.err.split_once("keep only the players ").expect("players");
    let kept = kept.split(';').next().expect("names").replace(" and ", ", ");
    let (_, terms) = text.split_once("seed = 5\n").expect("the terms");
    let terms = terms.split("[[stages]]").next().expect("terms");
    let player = |name| format!("[[players]]\nname = {name:?}\nbot = \"random\"\n");
    let players: Vec<String> = kept.split(", ").map(player).collect();
    let game = format!("game = {{ from = {GAME:?} }}\nseed = 5\n");
    fs::write(arena.path().join("late.toml"), [keys, &game, terms, &players.concat()].concat())
        .expect("a file");
    let run = arena.run(&["run", "late.toml", "--containment", "off"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let rank = arena.run(&["rank", "results/cup", "results/cup-late"]);
    assert!(rank.code == 0 && rank.out.contains("late"), "{rank:?}");
}

#[test]
fn where_only_the_winner_is_known_the_others_are_not_compared() {
    let arena = Arena::new();
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rules/crowd.py");
    let game = format!("command = [\"python3\", {rules:?}, \"declared\"]\n");
    fs::write(arena.path().join("crowd.toml"), game).expect("a file");
    cup_of(&arena, "crowd.toml", "meetings = 2");
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("Ties: 0 of 36"), "18 games, two comparisons each: {}", run.out);
    assert!(!run.out.contains("add `--ranking winner`"), "{}", run.out);
    assert_eq!(arena.run(&["verify"]).code, 0);
}
