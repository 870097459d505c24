//! `referee compare`: verdicts, their exit codes, and resuming.

use std::collections::BTreeMap;
use std::fs;

use crate::support::{Arena, Config, Run};
use insta::assert_snapshot;
use serde_json::{Value, json};

/// A player that exits at its first turn, and one that plays.
fn arena() -> Arena {
    let config = Config::empty().bot("ant", "greedy").script("bad", "bad.sh");
    let arena = Arena::with(&config.bot("bee", "random"));
    arena.write("bad.sh", "read init; echo ok; read turn");
    arena
}

fn compare(arena: &Arena, args: &[&str]) -> Run {
    arena.run(&[&["compare", "--quiet", "--jobs", "1"], args].concat())
}

/// The verdict as JSON, and the exit code.
fn judged(arena: &Arena, args: &[&str]) -> (i32, Value) {
    let run = compare(arena, &[args, &["--format", "json"]].concat());
    assert_eq!(run.err, "");
    (run.code, serde_json::from_str(&run.out).expect("JSON"))
}

/// The lines of the one log, and its folder's name.
fn log(arena: &Arena) -> (String, String) {
    let dirs: Vec<_> = fs::read_dir(arena.path().join("results")).expect("results").collect();
    let [Ok(dir)] = &dirs[..] else { panic!("one folder: {dirs:?}") };
    let log = fs::read_to_string(dir.path().join("games.jsonl")).expect("a log");
    (dir.file_name().into_string().expect("plain"), log)
}

#[test]
fn a_player_that_works_is_better_than_one_that_does_not() {
    let arena = arena();
    let (code, verdict) = judged(&arena, &["ant", "bad"]);
    assert_eq!(code, 0, "{verdict}");
    assert_eq!((&verdict["verdict"], &verdict["stop"]), (&"better".into(), &"decided".into()));
    assert_eq!(verdict["test"]["unit"], "logistic Elo");
    let pairs = verdict["pairs"].as_u64().expect("a count");
    assert!((5..100).contains(&pairs), "{verdict}");
    assert_eq!(verdict["pentanomial"][4].as_u64(), Some(pairs));
    assert!(verdict["llr"].as_f64() >= verdict["upper"].as_f64());
    assert!(verdict["elo"]["low"].as_f64() > Some(0.0));
    // Again: nothing is played, and nothing changes.
    let before = log(&arena);
    assert!(before.0.starts_with("compare-ant-bad-"), "{}", before.0);
    assert_eq!(judged(&arena, &["ant", "bad"]), (0, verdict));
    assert_eq!(log(&arena), before);
}

#[test]
#[ignore = "slow: whole comparisons"]
fn a_player_that_fails_is_not_better() {
    let arena = arena();
    let run = compare(&arena, &["bad", "ant"]);
    assert_eq!((run.code, run.err.as_str()), (10, ""));
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[0], "bad is not 50 Elo better than ant.");
    assert!(lines[1].starts_with("bad scored 0 of "), "{}", run.out);
    assert!(lines[3].contains("GSPRT on pairs, pentanomial; logistic Elo 0 against 50"));
    assert!(lines[4].starts_with("LLR -") && lines[4].contains("[●·"), "{}", run.out);
    assert!(lines[5].starts_with("Games that ended in a fault: "), "{}", run.out);
}

#[test]
fn the_next_command_shows_a_game_that_was_lost() {
    let arena = arena();
    let run = arena.run(&["compare", "bad", "ant", "--max-pairs", "1"]);
    let (_, next) = run.err.split_once("\nnext: referee ").expect("a command");
    let words: Vec<&str> = next.split_whitespace().collect();
    let replay = arena.run(&words);
    assert!(words[0] == "replay" && replay.out.contains("\nant ("), "{next} {}", replay.out);
}

#[test]
fn compare_is_undecided_after_too_few_pairs_and_resumes() {
    let arena = arena();
    let (code, verdict) = judged(&arena, &["ant", "bee", "--max-pairs", "2"]);
    assert_eq!((code, &verdict["stop"]), (11, &"max-pairs".into()));
    assert_eq!(verdict["pairs"].as_u64(), Some(2));
    let (name, before) = log(&arena);
    let (code, verdict) = judged(&arena, &["ant", "bee", "--max-pairs", "3"]);
    assert_eq!((code, verdict["pairs"].as_u64()), (11, Some(3)));
    let (same, after) = log(&arena);
    assert_eq!(name, same);
    let games = |log: &str| log.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(games(&after)[..4], games(&before)[..]);
    assert_eq!(games(&after).len(), 6);
    // A shorter test of the same games only counts as many as it may.
    let (code, shorter) = judged(&arena, &["ant", "bee", "--max-pairs", "2"]);
    assert_eq!((code, shorter["pairs"].as_u64()), (11, Some(2)));
    assert_eq!(log(&arena).1, after);
}

#[test]
#[ignore = "slow: whole comparisons"]
fn the_number_of_jobs_does_not_change_the_verdict() {
    let [one, many] = [arena(), arena()];
    let verdict = |arena: &Arena, jobs| {
        let args = ["compare", "bee", "ant", "--elo1", "100", "--format", "json", "--quiet"];
        arena.run(&[&args[..], &["--jobs", jobs]].concat())
    };
    let there = verdict(&one, "1");
    assert!(there.code == 10 || there.code == 11, "{}", there.out);
    assert_eq!(there, verdict(&many, "3"));
}

#[test]
#[ignore = "slow: whole comparisons"]
fn a_comparison_can_be_verified_and_ranked() {
    let arena = arena();
    compare(&arena, &["ant", "bad"]);
    let verified = arena.run(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.out);
    assert_eq!(arena.run(&["rank", "--details"]).code, 0);
}

#[test]
fn incomparable_players_are_refused() {
    let arena = arena();
    let refused = |args: &[&str], error: &str| {
        assert_eq!(compare(&arena, args), Run::new(2, "", &format!("error: {error}\n")));
    };
    refused(&["ant", "ant"], "ant cannot be compared with itself; choose another player");
    refused(&["ant", "human"], "a person cannot be compared; pass two programs");
    refused(
        &["ant", "bee", "--elo1", "-5"],
        "this test is not possible: the upper strength must be above the lower one by 0.1 Elo or \
         more, and both within -150 … 150; see `referee compare --help`",
    );
}

#[test]
fn a_player_has_changed_if_a_module_of_it_has() {
    let arena = arena();
    let player = include_str!("../../players/random_player.py");
    for version in ["v1", "v2"] {
        arena.sh(&format!("mkdir {version}"));
        arena.write(&format!("{version}/player.py"), &format!("import weights\n{player}"));
        arena.write(&format!("{version}/weights.py"), &format!("VERSION = '{version}'"));
    }
    // Each comparison with other files has its own folder.
    let end = ["--max-pairs", "1", "--seed", "5"];
    let folder =
        |words: [&str; 2]| judged(&arena, &[&words[..], &end].concat()).1["results"].clone();
    let words = [["v2", "v1"], ["v2/player.py", "v1/player.py"]];
    let first = words.map(folder);
    assert_eq!(words.map(folder), first, "nothing changed");
    arena.write("v2/weights.py", "VERSION = 'v2, mended'");
    let others = words.map(folder);
    assert!(others[0] != first[0] && others[1] != first[1], "other programs");

    arena.write("v2/weights.py", "VERSION = 'v1'");
    let files = compare(&arena, &["v2/player.py", "v1/player.py"]);
    let same = "error: v2/player.py and v1/player.py are the same; if other files in their folders \
                differ, compare the folders: `referee compare v2 v1`\n";
    assert_eq!(files, Run::new(2, "", same));

    // The results are written into the folder of a player, and are not part of it.
    for note in ["", "continuing after 2 games: no relevant file has changed"] {
        let args = [&["compare", ".", "../v1"], &end[..]].concat();
        let run = arena.in_shell("cd v2 && exec \"$@\"", &args);
        assert!(run.code == 11 && run.err.contains(note), "{}", run.err);
        let results = fs::read_dir(arena.path().join("v2/results")).expect("results");
        assert_eq!(results.count(), 1);
    }
}

/// `new` plays well, `old` does not; they meet two opponents.
fn field() -> Arena {
    let config = Config::empty().bot("new", "greedy").bot("old", "random");
    Arena::with(&config.bot("ant", "search-10").bot("bee", "steady"))
}

const GAME: [&str; 2] = ["--game", "back-to-the-wall"];
const POOL: [&str; 4] = ["--against", "ant", "--against", "bee"];

#[test]
fn the_same_opponents_show_which_player_is_better() {
    let arena = field();
    let args = [&["new", "old", "--elo1", "150"], &GAME[..], &POOL[..]].concat();
    let (code, verdict) = judged(&arena, &args);
    assert_eq!(code, 0, "{verdict}");
    assert_eq!((&verdict["verdict"], &verdict["stop"]), (&"better".into(), &"decided".into()));
    assert_eq!(verdict["players"], serde_json::json!(["new", "old"]));
    let (pairs, rounds) = (verdict["pairs"].as_u64(), verdict["rounds"].as_u64());
    assert_eq!(pairs, rounds.map(|rounds| 2 * rounds), "each opponent counts equally");
    for (opponent, name) in
        verdict["against"].as_array().expect("a list").iter().zip(["ant", "bee"])
    {
        assert_eq!((&opponent["name"], opponent["pairs"].as_u64()), (&name.into(), rounds));
    }
    assert!(verdict["scores"][0].as_f64() > verdict["scores"][1].as_f64(), "{verdict}");
    assert!(verdict["elo"]["low"].as_f64() > Some(0.0));
    // Again: nothing is played, and nothing changes.
    let before = log(&arena);
    assert!(before.0.starts_with("compare-new-old-"), "{}", before.0);
    assert_eq!(judged(&arena, &args), (0, verdict));
    assert_eq!(log(&arena), before);
}

/// Two names for the same program: if the opponents, too, get the same seeds, dice and openings,
/// their games are the same.
#[test]
fn both_players_have_the_same_luck_and_openings() {
    let openings = |config: &mut Config| config.more = "[openings]\nplies = 4\n".to_owned();
    let config = Config::empty().bot("new", "random").bot("old", "random");
    let config = config.bot("ant", "greedy").bot("bee", "search-10").change(openings);
    for game in ["watch-your-back", "backdraughts"] {
        for seed in [Some(7), None] {
            let arena = Arena::with(&config.change(|config| config.seed = seed));
            let args = [&["new", "old", "--max-pairs", "4", "--game", game], &POOL[..]].concat();
            let run = compare(&arena, &args);
            assert_eq!(run.code, 11, "{}", run.err);
            assert!(run.out.contains("; 50.0% likely to be better"), "{}", run.out);
            assert_eq!(arena.run(&["verify"]).code, 0);
            let mut games: BTreeMap<String, [Vec<Value>; 2]> = BTreeMap::new();
            for line in log(&arena).1.lines().skip(1) {
                let game: Value = serde_json::from_str(line).expect("a record");
                let players = game["players"].as_object().expect("players");
                let of = |name: &str| players.values().any(|player| player == name);
                let (other, seat) = players
                    .iter()
                    .find(|(_, player)| {
                        ["ant", "bee"].contains(&player.as_str().unwrap_or_default())
                    })
                    .map(|(seat, player)| (player.to_string(), seat.clone()))
                    .expect("an opponent");
                let key = format!("{} {other} {seat}", game["pair"]);
                let played = json!([game["actions"], game["seed"], game["opening"]]);
                games.entry(key).or_default()[usize::from(of("old"))].push(played);
            }
            assert_eq!(games.len(), 8, "two pairs with each opponent: {:?}", games.keys());
            for (key, [new, old]) in games {
                assert_eq!(new.len(), 1, "{game} {key}");
                assert_eq!(new, old, "{game} {key}");
            }
        }
    }
}

#[test]
fn a_comparison_in_a_field_says_what_to_expect_and_resumes() {
    let arena = field();
    let shorter =
        [&["compare", "new", "old", "--jobs", "1", "--max-pairs", "3"], &GAME[..], &POOL[..]]
            .concat();
    let run = arena.run(&shorter);
    assert_eq!(run.code, 11, "{}", run.err);
    for note in [
        " against 2 opponents if the difference is 0 or 50 Elo; more in between",
        "to know only whether new beats old, compare them without --against",
        "--max-pairs allows only 8 games, so this will probably end undecided",
    ] {
        assert!(run.err.contains(note), "{}", run.err);
    }
    assert_snapshot!("compare_against", run.out);
    let before = log(&arena);
    let longer: Vec<&str> = shorter.iter().map(|&it| if it == "3" { "6" } else { it }).collect();
    let run = arena.run(&longer);
    assert!(!run.err.contains("games against 2 opponents"), "it was said before: {}", run.err);
    assert!(run.err.contains("8 games are in the log, about 16 to play"), "{}", run.err);
    assert!(run.err.contains("16 of 16 games"), "{}", run.err);
    assert!(run.out.contains("3 rounds against 2 opponents"), "{}", run.out);
    let after = log(&arena);
    assert_eq!(before.0, after.0);
    let games = |log: &str| log.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!((games(&before.1).len(), games(&after.1).len()), (8, 24));
    assert_eq!(games(&after.1)[..8], games(&before.1)[..]);
    assert_eq!(arena.run(&["verify"]).code, 0);
}

#[test]
fn opponents_come_from_configurations_and_folders() {
    let arena = field();
    let against = |pool: &str| {
        let args = ["new", "old", "--max-pairs", "6", "--against", pool, "--format", "json"];
        let run = arena.run(&[&["compare"], &args[..]].concat());
        let json: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.err));
        let names = json["against"].as_array().expect("a list").iter();
        let names: Vec<String> = names.map(|it| it["name"].to_string()).collect();
        (names.join(" "), run.err)
    };
    let (names, notes) = against("tournament.toml");
    assert_eq!(names, r#""ant" "bee""#);
    assert!(notes.contains("not opponents, as they are being compared: new and old"), "{notes}");
    let player = fs::read_to_string("tests/players/fine.py").expect("a player");
    for folder in ["pool/cat", "pool/dog", "pool/notes"] {
        fs::create_dir_all(arena.path().join(folder)).expect("a folder");
    }
    arena.write("pool/cat/player.py", &player);
    arena.write("pool/dog/player.py", &format!("{player}# another\n"));
    arena.write("pool/notes/read.txt", "nothing");
    let (names, notes) = against("pool");
    assert_eq!(names, r#""cat" "dog""#);
    assert!(notes.contains("no player found in pool/notes"), "{notes}");
    assert_eq!(against("pool/cat").0, r#""cat""#);
    // Source code among players does not make the folder one player to be built.
    fs::create_dir(arena.path().join("files")).expect("a folder");
    arena.write("files/one.py", &player);
    arena.write("files/two.py", &format!("{player}# another\n"));
    arena.write("files/notes.c", "int main(void) { return 0; }\n");
    let (names, notes) = against("files");
    assert_eq!(names, r#""one.py" "two.py""#);
    assert!(notes.contains("no player found in files/notes.c"), "{notes}");
}

/// A name does not decide, nor the place of a file, nor what is listed with it.
#[test]
fn the_compared_players_are_known_by_their_programs_in_the_pool() {
    let arena = Arena::with(&Config::empty());
    let player = fs::read_to_string("tests/players/fine.py").expect("a player");
    fs::create_dir(arena.path().join("pool")).expect("a folder");
    for (file, text) in
        [("new.py", "1"), ("old.py", "2"), ("pool/copy.py", "1"), ("pool/new.py", "3")]
    {
        arena.write(file, &format!("{player}# {text}\n"));
    }
    arena.write("data.txt", "");
    arena.write(
        "cup.toml",
        "name = \"cup\"\ngame = \"watch-your-back\"\n[[players]]\nname = \"listed\"\ncommand = [\"python3\", \"old.py\"]\n\
         files = [\"data.txt\"]\n[[players]]\nname = \"ant\"\nbot = \"greedy\"\n",
    );
    let pool = ["--against", "pool", "--against", "cup.toml", "--max-pairs", "2"];
    let run = arena.run(&[&["compare", "new.py", "old.py"], &pool[..]].concat());
    assert!(
        run.out.contains("Points for new.py and old.py against each: new.py (pool) "),
        "{}",
        run.err
    );
    let out = "copy.py (the same program as new.py) and listed (the same program as old.py)";
    assert!(run.err.contains(out), "{}", run.err);
    assert!(run.out.contains(", ant "), "{}", run.out);
}

/// The opponents' configuration sets the game and its terms.
#[test]
fn the_configuration_of_the_opponents_is_used() {
    let arena = field();
    fs::rename(arena.path().join("tournament.toml"), arena.path().join("cup.toml")).expect("moved");
    let args = ["new", "old", "--max-pairs", "2", "--against", "cup.toml"];
    let run = compare(&arena, &args);
    assert_eq!(run.code, 11, "{}", run.err);
    let header = log(&arena).1.lines().next().map(str::to_owned).expect("a header");
    assert!(header.contains(r#""max-moves":40"#) && header.contains(r#""seed":7"#), "{header}");
}

#[test]
fn pools_that_answer_nothing_are_refused() {
    let arena = arena();
    let refused = |args: &[&str], error: &str| {
        let run = compare(&arena, &[&["ant", "bee"], args].concat());
        assert_eq!(run, Run::new(2, "", &format!("error: {error}\n")));
    };
    refused(&["--against", "bee"], "--against has no other player");
    refused(
        &["--against", "human"],
        "--against takes programs; a person cannot be an opponent here",
    );
    refused(
        &["--against", "bad", "--against", "bad"],
        "--against has two players called bad; rename one of them",
    );
    refused(
        &["--against", "bad", "--against", "bot:search", "--max-pairs", "1"],
        "--max-pairs 1 is not enough for a pair against each of 2 opponents",
    );
    for pool in ["pools/gone", "gone.toml"] {
        let kinds = "no such file or folder; expected a folder of players, a configuration \
                     (`cup.toml`), or a player (a name from the configuration, `bot:NAME`, a file \
                     or a command)";
        refused(&["--against", pool], &format!("--against `{pool}`: {kinds}"));
    }
    refused(
        &["--against", "bad", "--unit", "normalized"],
        "--against needs logistic Elo; leave out --unit",
    );
}

/// Its games would tell nothing about the two.
#[test]
fn an_opponent_that_does_not_start_ends_the_comparison() {
    let arena = field();
    arena.write("mute.sh", "exit 3");
    let run = compare(&arena, &["new", "old", "--against", "ant", "--against", "sh mute.sh"]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("sh mute.sh did not play in"), "{}", run.err);
}

#[test]
fn the_place_in_a_pool_is_found() {
    let arena = field();
    let args = [&["new", "--within", "150"], &GAME[..], &POOL[..]].concat();
    let (code, found) = judged(&arena, &args);
    assert_eq!(code, 0, "{found}");
    assert_eq!((&found["stop"], &found["player"]), (&"decided".into(), &"new".into()));
    assert_eq!((&found["of"], &found["within"]), (&3.into(), &150.0.into()));
    let [low, high] = ["low", "high"].map(|end| found["elo"][end].as_f64().expect("a number"));
    assert!(high - low <= 300.0 && low < high, "{found}");
    assert_eq!(found["pairs"].as_u64(), found["rounds"].as_u64().map(|rounds| 2 * rounds));
    // Again: nothing is played. A narrower interval continues.
    let before = log(&arena);
    assert!(before.0.starts_with("compare-new-") && !before.0.contains("old"), "{}", before.0);
    assert_eq!(judged(&arena, &args), (0, found));
    assert_eq!(log(&arena), before);
    let narrow = [&["new", "--within", "5", "--max-pairs", "40"], &GAME[..], &POOL[..]].concat();
    let run = compare(&arena, &narrow);
    assert_eq!(run.code, 11, "{}", run.err);
    assert!(run.out.contains("20 rounds against 2 opponents"), "{}", run.out);
    assert!(
        run.out.contains("still wider than ±5 Elo after the maximum number of pairs"),
        "{}",
        run.out
    );
    assert!(log(&arena).1.starts_with(before.1.split_once("\n{").expect("games").0));
    assert_eq!(arena.run(&["verify"]).code, 0);
}

#[test]
fn what_belongs_to_the_other_question_is_refused() {
    let arena = arena();
    for args in [
        &["ant"][..],
        &["ant", "--against", "bee", "--elo1", "20"],
        &["ant", "bad", "--within", "9"],
    ] {
        let run = compare(&arena, args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.out);
    }
}

/// The games of a player that were recorded with the same luck are those that it would play again,
/// whatever it was called. With another seed, game or opponent they are not.
#[test]
fn recorded_games_of_the_old_player_are_not_played_again() {
    let arena = field();
    let pairs = |count: &'static str| [&["--max-pairs", count], &GAME[..], &POOL[..]].concat();
    let place = [&["bot:random"], &pairs("6")[..]].concat();
    assert_eq!(compare(&arena, &place).code, 11);
    let comparison = [&["compare", "new", "old", "--jobs", "1"], &pairs("8")[..]].concat();
    let run = arena.run(&comparison);
    let note = "12 games by old from";
    assert!(run.err.contains(note) && run.err.contains("are reused"), "{}", run.err);
    assert_eq!(arena.run(&["verify"]).code, 0);
    let fresh = field();
    let afresh = fresh.run(&comparison);
    assert!(!afresh.err.contains(note), "{}", afresh.err);
    assert_eq!((run.code, run.out), (afresh.code, afresh.out));
    // Once it has games of its own, nothing is taken.
    assert!(!arena.run(&comparison).err.contains(note));
    for other in [["--seed", "8"], ["--game", "backdraughts"], ["--against", "bot:search-20"]] {
        let run = arena.run(&[&comparison[..], &other].concat());
        assert!(!run.err.contains("are reused"), "{other:?}: {}", run.err);
    }
}
