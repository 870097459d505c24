//! Games whose rules are a program, from outside.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::report::Served;
use crate::support::{Arena, Config, Run};

/// A tournament; `RULES` stands for the keys of its game.
pub(crate) const CUP: &str = r#"
name = "cup"
seed = 7
jobs = 1

[game]
RULES

[[players]]
name = "ant"
bot = "random"

[[players]]
name = "bee"
bot = "random"
"#;

/// A game of three plies, in shell: each seat plays `a` or `b` in turn, and the first seat wins.
pub(crate) const RULES: &str = r#"
while read -r request; do
    id=${request#*\"id\":}; id=${id%%[,\}]*}
    state=${request#*\"state\":\"}; state=${state%%\"*}
    case $request in
    *'"type":"game"'*) answer='"protocol":1,"name":"three","title":"Three","seats":["one","two"]' ;;
    *'"type":"start"'*) answer='"state":"","turn":{"move":"one"},"legal":["a","b"],"max_plies":3' ;;
    *'"type":"play"'*)
        move=${request##*\"move\":\"}; state=$state${move%%\"*}
        case $state in
        ???) answer='"turn":{"over":"one","reason":"three"}' ;;
        ?) answer='"turn":{"move":"two"},"legal":["a","b"]' ;;
        ??) answer='"turn":{"move":"one"},"legal":["a","b"]' ;;
        esac
        answer="\"state\":\"$state\",$answer" ;;
    *) answer='"refused":"play a or b","malformed":true' ;;
    esac
    echo "{\"id\":$id,$answer}"
done
"#;

fn arena(rules: &str) -> Arena {
    let arena = Arena::new();
    fs::write(arena.path().join("rules.sh"), rules).expect("a file");
    let game = "command = [\"sh\", \"rules.sh\"]";
    fs::write(arena.path().join("tournament.toml"), CUP.replace("RULES", game)).expect("a file");
    arena
}

/// A game that begins with a draw, where the program fails once a file called `broken` is there.
const DRAWS: &str = r#"
while read -r request; do
    id=${request#*\"id\":}; id=${id%%[,\}]*}
    case $request in
    *'"type":"game"'*) answer='"protocol":1,"name":"draw","title":"Draw","seats":["one","two"]' ;;
    *'"type":"start"'*) answer='"state":"","turn":{"chance":[["a",1],["b",1]]},"max_plies":2' ;;
    *'"chance":'*)
        if [ -e broken ]; then exit 3; fi
        answer='"state":"drawn","turn":{"move":"one"},"legal":["a","b"]' ;;
    *'"type":"play"'*) answer='"state":"over","turn":{"over":"one","reason":"done"}' ;;
    *) answer='"refused":"play a or b","malformed":true' ;;
    esac
    echo "{\"id\":$id,$answer}"
done
"#;

/// The log is not blamed for a program that fails where chance decides.
#[test]
fn a_rules_program_that_fails_at_a_draw_is_named() {
    let arena = arena(DRAWS);
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 0, "{run:?}");
    arena.write("broken", "");
    let verified = arena.run(&["verify", "--game", "tournament.toml"]);
    let said = verified.out + &verified.err;
    assert!(said.contains("exited with code 3") && !said.contains("cannot be drawn"), "{said}");
}

#[test]
fn a_tournament_of_a_game_that_is_a_program_is_played_and_verified() {
    let arena = arena(RULES);
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 0, "{run:?}");
    let verified = "results/cup: 2 of 2 games played, seeds checked: no problems\n";
    assert_eq!(arena.run(&["verify"]).out, verified);
    let log = fs::read_to_string(arena.path().join("results/cup/games.jsonl")).expect("a log");
    let header: Value = serde_json::from_str(log.lines().next().expect("a line")).expect("JSON");
    assert_eq!(header["program"]["command"], serde_json::json!(["sh", "rules.sh"]));
}

#[test]
fn its_games_are_exported_with_all_positions() {
    let arena = arena(RULES);
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let export = arena.run(&["export"]);
    assert_eq!((export.code, export.err.as_str()), (0, ""));
    let games: Vec<Value> =
        export.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(games.len(), 2);
    assert_eq!((&games[0]["game"], &games[0]["result"]), (&"three".into(), &"one".into()));
    let positions = games[0]["positions"].as_array().expect("a list");
    assert_eq!(positions.len(), 4);
    assert_eq!(positions[0]["legal"], serde_json::json!({"one": ["a", "b"]}));
    let played = positions[0]["step"]["move"].as_str().expect("an action");
    assert_eq!(positions[1]["state"], played);
    let over = serde_json::json!({"over": "one", "reason": "three"});
    assert_eq!((&positions[3]["turn"], positions[3].get("step")), (&over, None));
}

#[test]
fn the_higher_score_wins_and_is_kept() {
    let scores = r#""over":{"scores":[-1,2.5]}"#;
    let arena = arena(&RULES.replace(r#""over":"one""#, scores));
    arena.write("game.toml", "command = [\"sh\", \"rules.sh\"]\n");
    let tried = arena.run(&["test-game", "game.toml", "--games", "2"]);
    assert!(tried.out.contains("\nnothing found\n"), "{tried:?}");
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    assert_eq!(arena.run(&["verify"]).code, 0);
    let games = arena.lines();
    let (id, game) = games.first_key_value().expect("a game");
    let game: Value = serde_json::from_str(game).expect("JSON");
    assert_eq!(game["result"], "two");
    assert_eq!(game["final_scores"], serde_json::json!({"one": -1, "two": 2.5}));
    let replayed = arena.run(&["replay", id]);
    assert!(replayed.out.contains("two wins, -1 to 2.5, by three"), "{replayed:?}");
    let export = arena.run(&["export"]);
    let scores = r#""event":"over","result":"two","reason":"three","scores":{"one":-1,"two":2.5}"#;
    assert!(export.out.contains(scores), "{export:?}");
}

#[test]
fn scores_that_are_no_numbers_end_the_run() {
    for scores in ["[1,NaN]", "[1,1e999]", "[1]"] {
        let arena =
            arena(&RULES.replace(r#""over":"one""#, &format!("\"over\":{{\"scores\":{scores}}}")));
        let run = arena.run(&["run", "--quiet"]);
        assert_eq!(run.code, 3, "{run:?}");
        let told = ["is not a line of JSON", "`scores` needs 2 numbers, one for each seat, not 1"];
        assert!(told.iter().any(|told| run.err.contains(told)), "{run:?}");
    }
}

#[test]
fn one_kind_of_turn_is_singular() {
    let arena = arena(&RULES.replace("???)", "?)").replace(r#"["a","b"]"#, r#"["a"]"#));
    let run = arena.run(&["check", "bot:random", "--against", "random"]);
    assert!(run.out.contains(" 1 kind of turn, 1 position\n"), "{run:?}");
}

#[test]
fn readers_contain_a_rules_program_that_played_without_a_sandbox() {
    let arena = arena("");
    let trace = arena.path().join("trace");
    let rules = format!("(: > '{}') 2>/dev/null\n{RULES}", trace.display());
    fs::write(arena.path().join("rules.sh"), rules).expect("a file");
    assert_eq!(arena.run(&["run", "--quiet", "--containment", "off"]).code, 0);
    fs::remove_file(&trace).expect("it may write anywhere at this level");
    for command in ["verify", "report", "export"] {
        assert_eq!(arena.run(&[command]).code, 0, "{command}");
        assert!(!trace.exists(), "{command}: readers contain it");
    }
}

#[test]
fn results_are_read_with_a_rules_program_that_has_moved() {
    let arena = Arena::new();
    let (here, there) = (arena.path().join("game"), arena.path().join("there"));
    fs::create_dir(&here).expect("a folder");
    arena.write("game/game.toml", "command = [\"sh\", \"rules.sh\"]\n");
    arena.write("game/rules.sh", RULES);
    arena.write("tournament.toml", &CUP.replace("RULES", "from = \"game/game.toml\""));
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    fs::rename(here, there).expect("moved");
    let lost = arena.run(&["verify"]);
    assert!(lost.code == 2 && lost.err.contains("add `--game FILE`"), "{lost:?}");
    for words in [&["verify"][..], &["report"], &["export"], &["report", "--packets"]] {
        let found = arena.run(&[words, &["--game", "there/game.toml"]].concat());
        assert_eq!(found.code, 0, "{found:?}");
    }
    let game = arena.lines().into_keys().next().expect("a game");
    let (of_record, of_game) = (["--record", &game, "--ply", "2"], ["--game", "there/game.toml"]);
    let asked = arena.run(&[&["ask", "bot:random"], &of_record[..], &of_game].concat());
    assert_eq!(asked.code, 0, "{asked:?}");
    let from = ["play", "bot:random", "bot:random", "--from", &game, "--ply", "2"];
    let played = arena.run(&[&from[..], &of_game].concat());
    assert!(played.code == 0 && played.out.contains("wins: three"), "{played:?}");
    let other = arena.run(&[&from[..], &["--game", "backdraughts"]].concat());
    assert!(other.code == 2 && other.err.contains("the recorded game is three"), "{other:?}");
    arena.write("there/rules.sh", &RULES.replace("three", "four"));
    let other = arena.run(&["verify", "--game", "there/game.toml"]);
    assert!(other.code == 2 && other.err.contains("is not the one these games used"), "{other:?}");
    arena.write("there/rules.sh", RULES);
    let served = Served::of(arena, &of_game);
    for path in ["/".to_owned(), format!("/games/{game}.js")] {
        let answer = served.ask(&path, &[]);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

#[test]
fn a_log_does_not_say_where_its_rules_program_is() {
    let arena = Arena::new();
    fs::create_dir_all(arena.path().join("cup/game")).expect("a folder");
    arena.write("cup/game/game.toml", "command = [\"sh\", \"rules.sh\"]\n");
    arena.write("cup/game/rules.sh", RULES);
    arena.write("cup/tournament.toml", &CUP.replace("RULES", "from = \"game/game.toml\""));
    assert_eq!(arena.in_shell("cd cup && \"$1\" run --quiet", &[]).code, 0);
    let log = fs::read_to_string(arena.path().join("cup/results/cup/games.jsonl")).expect("a log");
    let header: Value = serde_json::from_str(log.lines().next().expect("a line")).expect("JSON");
    assert_eq!(
        (&header["program"]["dir"], header["program"].get("program")),
        (&"game".into(), None)
    );
    assert!(!log.contains(arena.path().to_str().expect("a path")), "{header}");
    fs::rename(arena.path().join("cup"), arena.path().join("moved")).expect("moved");
    for command in ["verify", "report", "export"] {
        let read = arena.in_shell(&format!("cd moved && exec \"$1\" {command}"), &[]);
        assert_eq!(read.code, 0, "{read:?}");
    }
    let elsewhere = Arena::new();
    let results = elsewhere.path().to_str().expect("a path");
    let script = format!("cd moved && \"$1\" run --quiet --results {results}");
    assert_eq!(arena.in_shell(&script, &[]).code, 0, "the page is made from the log");
    let cup = format!("{results}/cup");
    assert_eq!(arena.run(&["verify", &cup]).code, 2, "nobody named its program");
    let here = arena.in_shell(&format!("cd moved && \"$1\" verify {cup}"), &[]);
    assert_eq!(here.code, 0, "{here:?}");
}

#[test]
fn kits_and_tournaments_are_made_for_it() {
    let arena = arena(RULES);
    fs::create_dir(arena.path().join("game")).expect("a folder");
    arena.write("game/game.toml", "command = [\"sh\", \"rules.sh\"]\n");
    arena.write("game/rules.sh", RULES);
    let new = ["new", "player", "--language", "shell", "--game", "game/game.toml", "cups/kit"];
    let made = arena.run(&new);
    assert_eq!(made.code, 0, "{made:?}");
    let made =
        arena.run(&["new", "tournament", "cups", "--into", "cup", "--game", "game/game.toml"]);
    assert_eq!(made.code, 0, "{made:?}");
    for (file, game) in [
        ("cups/kit/tournament.toml", "game = \"../../game/game.toml\""),
        ("cups/kit/README.md", "referee rules ../../game/game.toml"),
        ("cup/tournament.toml", "game = \"../game/game.toml\""),
    ] {
        let text = fs::read_to_string(arena.path().join(file)).expect("made");
        assert!(text.contains(game), "{file}: {text}");
    }
    assert_eq!(arena.run(&["new", "tournament", "cups", "--game", "game/game.toml"]).code, 2);
    fs::remove_file(arena.path().join("tournament.toml")).expect("there is one already");
    assert_eq!(arena.run(&["new", "tournament", "cups", "--game", "game/game.toml"]).code, 0);
    let config = fs::read_to_string(arena.path().join("tournament.toml")).expect("made");
    assert!(config.contains("game = \"game/game.toml\""), "{config}");
    let of_kit = arena.in_shell("cd cups/kit && \"$1\" check . --against random", &[]);
    assert_eq!(of_kit.code, 0, "{of_kit:?}");
    let plan = arena.run(&["run", "cup/tournament.toml", "--plan"]);
    assert!(plan.code == 2 && plan.err.contains("only one player"), "the rest is fine: {plan:?}");
    let check =
        arena.run(&["check", "cups/kit", "--game", "game/game.toml", "--against", "random"]);
    assert_eq!(check.code, 0, "{check:?}");
    // A game that is not there is not replaced by another one.
    fs::rename(arena.path().join("game"), arena.path().join("moved")).expect("moved");
    for command in
        [&["check", "cups/kit", "--against", "random"][..], &["play", "bot:random", "bot:random"]]
    {
        let run = arena.run(command);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{run:?}");
        assert!(run.err.contains("invalid game file"), "{}", run.err);
        let given = arena.run(&[command, &["--game", "moved/game.toml"]].concat());
        assert_eq!(given.code, 0, "{given:?}");
    }
}

/// Runs the command that `run` prints at its end, which shows a game.
fn follow_next(arena: &Arena, config: &str) {
    let run = arena.run(&["run", config]);
    assert_eq!(run.code, 0, "{run:?}");
    let (_, next) = run.err.split_once(" there, or referee ").expect("a game to watch");
    let shown = arena.in_shell(&format!("\"$1\" {next}"), &[]);
    assert_eq!(shown.code, 0, "{next}: {shown:?}");
}

#[test]
fn the_command_after_a_run_finds_a_configuration_of_another_name() {
    let arena = arena(RULES);
    arena.sh("mv tournament.toml autumn.toml");
    follow_next(&arena, "autumn.toml");
    let built_in = Config::empty().bot("ant", "greedy").bot("bee", "random");
    arena.write("winter.toml", &built_in.toml().replace("\"cup\"", "\"winter\""));
    follow_next(&arena, "winter.toml");
}

#[test]
fn a_game_is_written_in_python_unless_another_language_is_named() {
    let arena = Arena::new();
    let written = "created nim; its README.md describes the next steps\n\
                   next: cd nim && referee test-game game.toml\n";
    assert_eq!(arena.run(&["new", "game", "nim"]), Run::new(0, "", written));
    let source = fs::read_to_string(arena.path().join("nim/game.py")).expect("written");
    assert!(source.contains("\"title\": \"Nim\""), "{source}");
    // What its author looks at: the rules, and how a game looks.
    let options = ["--games", "10", "--search-games", "1", "--page", "board.html"];
    let tried = arena.run(&[&["test-game", "nim/game.toml"], &options[..]].concat());
    assert_eq!(tried.code, 0, "{tried:?}");
    assert!(tried.out.contains("\na random game after "), "{}", tried.out);
    let again = arena.run(&[&["test-game", "nim/game.toml"], &options[..]].concat());
    assert_eq!(again.code, 0, "a page is replaced: {again:?}");
    let over = ["test-game", "nim/game.toml", "--games", "1", "--page", "nim/game.toml"];
    let refused = arena.run(&over);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("exists and is not an HTML page"), "{}", refused.err);
    let page = fs::read_to_string(arena.path().join("board.html")).expect("a page");
    assert!(page.contains("<title>one – other</title>"), "a page of one game");
    let replays = page.split("id=\"replays\">").nth(1).expect("the game");
    assert!(replays.starts_with("[{") && replays.contains("\"frames\":[{"), "with its frames");
}

#[test]
fn a_changed_rules_program_is_accepted_if_records_replay_the_same() {
    let arena = arena(RULES);
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let rules = arena.path().join("rules.sh");
    fs::write(&rules, format!("# mended\n{RULES}")).expect("a file");
    assert_eq!(arena.run(&["verify"]).code, 2);
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 0, "{run:?}");
    let log = fs::read_to_string(arena.path().join("results/cup/games.jsonl")).expect("a log");
    assert!(log.contains("all recorded games have the same results"), "the header says so");
    assert_eq!(arena.run(&["verify"]).code, 0);
    fs::write(&rules, RULES.replace("\"over\":\"one\"", "\"over\":\"two\"")).expect("a file");
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 4, "{run:?}");
    assert!(run.err.contains("differs at ply 3"), "{run:?}");
}

#[test]
fn a_program_that_fails_ends_the_run_with_its_request_answer_and_stderr() {
    let broken = RULES.replace("???) answer", "???) echo oops >&2; exit 5; answer");
    let arena = arena(&broken);
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.err.contains("the rules program failed: it stopped"), "{run:?}");
    assert!(run.err.contains("\"type\":\"play\"") && run.err.contains("stderr: oops"), "{run:?}");
    fs::write(arena.path().join("rules.sh"), RULES).expect("a file");
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
}

#[test]
fn the_rules_program_of_a_built_in_player_that_fails_is_no_fault_of_the_player() {
    // Only the process that a built-in player starts fails.
    let broken = RULES.replace("    echo \"{", "    FAIL\n    echo \"{");
    for (request, at) in [("play", "at a turn"), ("game", "at once")] {
        let fail = format!(
            "case $request in *'\"type\":\"{request}\"'*)\n\
             ! grep -q -- --rules-program /proc/$PPID/cmdline || {{ echo oops >&2; exit 5; }} ;; esac"
        );
        let arena = arena(&broken.replace("FAIL", &fail));
        let config = fs::read_to_string(arena.path().join("tournament.toml")).expect("a file");
        let greedy = config.replacen("bot = \"random\"", "bot = \"greedy\"", 1);
        arena.write("tournament.toml", &(greedy + "[containment]\nlevel = \"off\"\n"));
        let run = arena.run(&["run", "--quiet"]);
        assert_eq!(run.code, 3, "{at}: {run:?}");
        assert!(run.err.contains("the rules program failed: it stopped"), "{at}: {run:?}");
        assert!(run.err.contains("stderr: oops"), "{at}: {run:?}");
        let log = fs::read_to_string(arena.results().join("games.jsonl"));
        assert!(log.is_ok_and(|log| log.lines().count() == 1), "{at}: no game is recorded");
        arena.write("rules.sh", RULES);
        assert_eq!(arena.run(&["run", "--quiet"]).code, 0, "{at}: the same command goes on");
        assert_eq!(arena.lines().len(), 2);
    }
}

/// Tournaments of the built-in games between random players, under many options: the game, the lines
/// of `[options]`, and the number of pairs. They are 1,000 games.
const TOURNAMENTS: [(&str, &str, u32); 12] = [
    ("watch-your-back", "", 10),
    ("watch-your-back", "max-moves = 30", 60),
    ("watch-your-back", "end-check = 'after-shrink'\nmutual-block = 'off'\nmax-moves = 60", 40),
    ("watch-your-back", "repetition = 2\nmax-moves = 90", 30),
    ("backdraughts", "", 40),
    ("backdraughts", "first = 'roll'\noverlooked = 'opponent'", 50),
    ("backdraughts", "first = 'black'\ncapture = 'ring'\nmax-plies = 60", 40),
    ("backdraughts", "move = 'no-dice'\nturning = 'on'\nrepetition = 3\nmax-plies = 60", 40),
    ("back-to-the-wall", "rounds = 'once'\ntie = 'draw'", 60),
    (
        "back-to-the-wall",
        "rounds = 'once'\ncorner-rule = 'all-connected'\nadjacency-scope = 'all'\n\
         rule-1-input = 'survivors'",
        50,
    ),
    (
        "back-to-the-wall",
        "rounds = 'twice'\nsame-square = 'cancel'\nstart-captured = false\nmax-turns = 8",
        40,
    ),
    ("back-to-the-wall", "rounds = 'play-all'\ndmo = 'grunkle'\nmax-turns = 4", 40),
];

/// The records of a tournament of `game`, a value in TOML, without times.
fn records(game: &str, options: &str, pairs: u32) -> BTreeMap<String, Value> {
    let referee = env!("CARGO_BIN_EXE_referee");
    let player = format!("command = [\"{referee}\", \"bot\", \"random\"]\nrestart = false");
    let config = CUP
        .replace("[game]\nRULES", &format!("pairs = {pairs}\ngame = {game}\n[options]\n{options}"))
        .replace("bot = \"random\"", &player);
    let arena = Arena::new();
    arena.write("tournament.toml", &config);
    let run = arena.run(&["run", "--quiet", "--strict"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    arena.essence()
}

/// Plays the tournaments of a game twice: built in, and as a rules program.
fn same_records(game: &str) {
    let referee = env!("CARGO_BIN_EXE_referee");
    let served = format!("{{ command = [\"{referee}\", \"trace\", \"{game}\", \"--requests\"] }}");
    for (_, options, pairs) in TOURNAMENTS.iter().filter(|(name, ..)| *name == game) {
        let built_in = records(&format!("\"{game}\""), options, *pairs);
        assert_eq!(built_in.len(), 2 * *pairs as usize);
        assert!(records(&served, options, *pairs) == built_in, "{game}, {options}");
    }
}

#[test]
fn the_tournaments_of_built_in_games_have_a_thousand_games() {
    assert_eq!(TOURNAMENTS.iter().map(|(_, _, pairs)| 2 * pairs).sum::<u32>(), 1000);
}

#[test]
#[ignore = "slow: plays 280 games twice"]
fn watch_your_back_and_its_server_have_the_same_records() {
    same_records("watch-your-back");
}

#[test]
#[ignore = "slow: plays 340 games twice"]
fn backdraughts_and_its_server_have_the_same_records() {
    same_records("backdraughts");
}

#[test]
#[ignore = "slow: plays 380 games twice"]
fn back_to_the_wall_and_its_server_have_the_same_records() {
    same_records("back-to-the-wall");
}

#[test]
fn a_game_that_refuses_to_be_played_says_so_in_its_own_words() {
    let refuses = RULES.replace(
        "answer='\"state\":\"\",\"turn\":{\"move\":\"one\"},\"legal\":[\"a\",\"b\"],\"max_plies\":3'",
        "answer='\"error\":\"three is a crowd\"'",
    );
    let arena = arena(&refuses);
    arena.write("game.toml", "command = [\"sh\", \"rules.sh\"]");
    fs::remove_file(arena.path().join("tournament.toml")).expect("removed");
    for command in ["test-game game.toml", "play bot:random bot:random --game game.toml"] {
        let words: Vec<&str> = command.split(' ').collect();
        let run = arena.run(&words);
        assert_eq!(run, Run::new(2, "", "error: three is a crowd\n"), "{command}");
    }
}
