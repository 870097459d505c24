//! `rank`, `replay`, `play`, `bot`, `completions`, `man` and the command line itself, as a script
//! sees them.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, SystemTime};

use crate::support::{Arena, Config, Run, TABLE};
use serde_json::Value;

const COMMANDS: [&str; 16] = [
    "run",
    "play",
    "compare",
    "tune",
    "check",
    "ask",
    "new",
    "rank",
    "verify",
    "replay",
    "rules",
    "trace",
    "test-game",
    "bot",
    "completions",
    "man",
];
const EMPTY_BOARD: &str = "     0 1 2 3 4 5 6 7
  0  X . . . . . . X
  1  . . . . . . . .
  2  . . . . . . . .
  3  . . . . . . . .
  4  . . . . . . . .
  5  . . . . . . . .
  6  . . . . . . . .
  7  X . . . . . . X
     placing, 0 of 24 placed; white to move; white 0, black 0 pieces
";

fn played() -> Arena {
    Arena::played(&Config::small().change(|config| config.jobs = 1))
}

/// A tournament of two players; the second exits at its first turn.
fn short() -> Arena {
    let config = Config::empty().bot("ant", "greedy").script("bad", "bad.sh");
    let arena = Arena::with(&config.change(|config| config.pairs = 1));
    arena.write("bad.sh", "read init; echo ok; read turn");
    assert_eq!(arena.run(&["run", "--quiet", "--jobs", "1"]).code, 0);
    arena
}

#[test]
fn help_describes_commands_and_topics() {
    let arena = Arena::new();
    let [help, run] = [&["help"][..], &["help", "run"]].map(|args| arena.run(args));
    assert!(help.out.starts_with(arena.run(&["--help"]).out.trim_end()), "{help:?}");
    assert!(help.out.contains("\nTopics: players, protocol, faults, "), "{help:?}");
    assert_eq!(run, arena.run(&["run", "--help"]));
    let player = arena.run(&["help", "new", "player"]);
    assert_eq!(player, arena.run(&["new", "player", "--help"]));
    let faults = arena.run(&["help", "faults"]);
    assert!(faults.code == 0 && faults.out.contains("\n  `timeout`: no reply in time\n"));
    let refused = |word: &str| arena.run(&["help", word]);
    let near = "error: no command or topic `falts`; did you mean `faults`?\n";
    assert_eq!(refused("falts"), Run::new(2, "", near));
    let far = "error: no command or topic `nonsense`; `referee help` lists them\n";
    assert_eq!(refused("nonsense"), Run::new(2, "", far));
}

#[test]
fn rank_names_the_option_for_a_csv_file() {
    let arena = Arena::new();
    arena.write("x y.csv", "a,b\n");
    let error = "error: x y.csv is not a results folder; `referee rank --from 'x y.csv'` rates the \
                 games in a CSV file\n";
    assert_eq!(arena.run(&["rank", "x y.csv"]), Run::new(2, "", error));
}

#[test]
fn rank_shows_the_table_of_the_newest_or_the_named_folder() {
    let arena = played();
    assert_eq!(arena.run(&["rank"]), Run::new(0, TABLE, ""));
    assert_eq!(arena.run(&["rank", "results/cup"]), Run::new(0, TABLE, ""));
    assert_eq!(arena.run(&["rank", "results/cup/"]), Run::new(0, TABLE, ""));
}

#[test]
fn without_a_named_folder_the_results_of_the_configuration_are_taken() {
    let arena = played();
    let results = arena.path().join("results");
    for (name, age) in [("practice", 60), ("compare-a-b-0", 0)] {
        fs::create_dir(results.join(name)).expect("made");
        let log = results.join(name).join("games.jsonl");
        fs::copy(results.join("cup/games.jsonl"), &log).expect("copied");
        let file = fs::File::options().append(true).open(log).expect("a file");
        let since = SystemTime::now() + Duration::from_secs(3600 - age);
        file.set_modified(since).expect("a time");
    }
    let note = "results/cup, the tournament in tournament.toml; to choose another: --results \
                results/practice\n";
    assert_eq!(arena.run(&["rank"]), Run::new(0, TABLE, note));
    let [named, option] = [&["results/practice"][..], &["--results", "results/practice"]];
    assert_eq!(arena.run(&[&["rank"], named].concat()), Run::new(0, TABLE, ""));
    assert_eq!(arena.run(&[&["rank"], option].concat()), Run::new(0, TABLE, ""));
    assert_eq!(arena.run(&[&["rank"], named, option].concat()).code, 2);
    assert_eq!(arena.run(&[&["export"], option].concat()).code, 0);

    fs::remove_file(arena.path().join("tournament.toml")).expect("removed");
    let note = "results/practice, the newest tournament under results/; to choose another: \
                --results results/cup\n";
    assert_eq!(arena.run(&["rank"]), Run::new(0, TABLE, note));
}

#[test]
fn rank_as_json_has_the_numbers_of_the_table() {
    let arena = played();
    let run = arena.run(&["rank", "--format", "json"]);
    assert_eq!((run.code, run.err.as_str(), run.out.lines().count()), (0, "", 1));
    let json: Value = serde_json::from_str(&run.out).expect("JSON");
    let count = |name: &str| json[name].as_u64().expect("a count");
    assert_eq!((count("games"), count("draws"), count("faults")), (12, 11, 0));
    let players = json["players"].as_array().expect("a list");
    let standings = arena.read("standings.csv");
    for (player, row) in players.iter().zip(standings.lines().skip(1)) {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!(player["player"], cells[1]);
        let rating = player["rating"].as_f64().expect("a number");
        let rounded: f64 = cells[2].parse().expect("a number");
        assert!((rating - rounded).abs() <= 0.05, "{rating} {rounded}");
        assert_eq!(player["score"].to_string(), cells[6]);
    }
    assert_eq!(players.len(), 3);
}

#[test]
fn rank_details_show_other_findings() {
    let arena = played();
    let run = arena.run(&["rank", "--details"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    for part in ["decided by", "time per move", "Correlation within pairs:"] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let run = arena.run(&["rank", "--details", "--format", "json"]);
    let json: Value = serde_json::from_str(&run.out).expect("JSON");
    let found = &json["diagnostics"];
    let ended: u64 = found["endings"]
        .as_array()
        .expect("a list")
        .iter()
        .fold(0, |sum, ending| sum + ending["games"].as_u64().expect("a count"));
    assert_eq!(ended, 12);
    assert_eq!(found["clocks"].as_array().map(Vec::len), Some(3));
    assert_eq!(found["cycles"], serde_json::json!([]));
}

#[test]
fn replay_without_a_game_lists_faults_first() {
    let all_built_in = played();
    let listed = all_built_in.run(&["replay"]);
    assert_eq!(listed.out.lines().count(), 12);

    let arena = short();
    let run = arena.run(&["replay"]);
    assert_eq!((run.code, run.out.lines().count()), (0, 2));
    let (id, rest) = run.out.split_once("  ").expect("columns");
    let ends = ["ant – bad: ant (white) wins: ", "bad – ant: ant (black) wins: "];
    assert!(ends.iter().any(|end| rest.starts_with(end)), "{rest}");
    let next = format!("referee replay {id} --results results/cup");
    assert_eq!(run.err, format!("All games: results/cup/games.csv\nnext: {next}\n"));
    let last = arena.run(&["run"]).err;
    assert!(last.contains("\nnext: open report.html there, or referee replay "), "{last}");
    assert_eq!(arena.run(&["replay", "--ply", "1"]).code, 2);
}

#[test]
fn rank_can_leave_out_games_with_faults() {
    let arena = short();
    let games = |args: &[&str]| {
        let run = arena.run(&[&["rank", "--format", "json"], args].concat());
        let json: Value = serde_json::from_str(&run.out).expect("JSON");
        (json["games"].as_u64(), json["faults"].as_u64())
    };
    assert_eq!(games(&[]), (Some(2), Some(2)));
    assert_eq!(games(&["--without-faults"]), (Some(0), Some(2)));
}

#[test]
fn rank_before_the_first_game() {
    let arena = played();
    let header = arena.log().lines().next().expect("a header").to_owned();
    arena.put("games.jsonl", &(header + "\n"));
    let run = arena.run(&["rank"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.ends_with("\nNo games yet.\n"), "{}", run.out);
}

#[test]
fn short_games_have_complete_replay_frames() {
    let arena = short();
    let lines = arena.lines();
    let id = lines.keys().find(|id| lines[*id].contains("\"white\":\"ant\"")).expect("a game");
    let game: Value = serde_json::from_str(&lines[id]).expect("JSON");
    let action = game["actions"][0].as_str().expect("an action");
    let (column, row) = (&action[..1], &action[2..]);
    let rows: Vec<String> = EMPTY_BOARD
        .lines()
        .map(|line| {
            let mut line = line.to_owned();
            if line.starts_with(&format!("  {row} ")) {
                let at = 5 + 2 * column.parse::<usize>().expect("a column");
                line.replace_range(at..=at, "W");
            }
            line.replace(
                "0 of 24 placed; white to move; white 0",
                "1 of 24 placed; black to move; white 1",
            )
        })
        .collect();
    let pair = game["game"].to_string();
    let expected = format!(
        "{id}: ant (white) against bad (black), pair 1, game {pair}\n{EMPTY_BOARD}1. white \
         {action}\n{}\nblack: exit: it exited with code 0\nant \
         (white) wins: exit\n",
        rows.join("\n")
    );
    let again = format!("again: referee ask bad --record {id} --ply 1 --results results/cup\n");
    assert_eq!(arena.run(&["replay", id]), Run::new(0, &expected, &again));
    assert_eq!(arena.run(&["replay", id, "--ply", "0"]), Run::new(0, EMPTY_BOARD, ""));
    let at_one = format!("{}\n", rows.join("\n"));
    assert_eq!(arena.run(&["replay", id, "--ply", "1"]), Run::new(0, &at_one, ""));
    let error = "error: the game has only 1 ply; there is no ply 2\n";
    assert_eq!(arena.run(&["replay", id, "--ply", "2"]), Run::new(2, "", error));
}

#[test]
fn games_are_found_by_a_prefix_of_their_id() {
    let arena = played();
    let whole = arena.run(&["replay", "08eee709cd92-1"]);
    assert_eq!(whole.code, 0);
    assert!(whole.out.ends_with("bee (black) wins: elimination\n"));
    assert!(
        whole.out.starts_with("08eee709cd92-1: ant (white) against bee (black), pair 1, game 1\n")
    );
    for word in ["08e", "08eee709cd92", "08e-1"] {
        assert_eq!(arena.run(&["replay", word]), whole, "{word}");
    }
    let second = arena.run(&["replay", "08eee709cd92-2"]);
    assert!(second.out.starts_with("08eee709cd92-2: bee (white)"), "{}", second.out);
    assert_eq!(arena.run(&["replay", "08e-2"]), second);
    for word in ["zzz", "08e-3"] {
        let error = format!(
            "error: results/cup: cannot find the game `{word}`; games.csv there lists all games\n"
        );
        assert_eq!(arena.run(&["replay", word]), Run::new(2, "", &error));
    }
    let pairs: BTreeSet<String> = arena.lines().into_keys().map(|id| id[..12].to_owned()).collect();
    let error = arena.run(&["replay", ""]);
    let listed: Vec<&str> = error.err.lines().skip(1).map(str::trim_start).collect();
    assert_eq!(
        error.err.lines().next(),
        Some("error: results/cup: `` matches several pairs; give more digits:")
    );
    assert!(listed.iter().map(|line| &line[..12]).eq(pairs.iter()), "{listed:?}");
    assert!(listed.contains(&"08eee709cd92  ant and bee, pair 1"), "{listed:?}");
    let named = arena.run(&["replay", "--results", "results/cup", "08eee709cd92-1"]);
    assert_eq!(named, whole);

    let run = arena.run(&["replay", "08eee709cd92-1", "--format", "json"]);
    let (json, line): (Value, Value) = (
        serde_json::from_str(&run.out).expect("JSON"),
        serde_json::from_str(&arena.lines()["08eee709cd92-1"]).expect("JSON"),
    );
    let fields = |value: &Value| {
        let mut fields = value.as_object().expect("an object").clone();
        // Only a line of the log has these.
        fields.retain(|name, _| !["check", "fingerprint", "times"].contains(&name.as_str()));
        fields
    };
    assert_eq!((run.code, fields(&json)), (0, fields(&line)));
}

#[test]
fn a_game_between_built_in_players_is_the_same_every_time() {
    let arena = Arena::new();
    let game = ["play", "bot:greedy", "bot:random", "--seed", "1", "--option", "max-moves=5"];
    let run = arena.run(&game);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.starts_with(EMPTY_BOARD), "{}", run.out);
    assert!(run.out.ends_with("\ndraw: max-moves\n"), "{}", run.out);
    let plies =
        run.out.lines().filter(|line| line.starts_with(|start: char| start.is_ascii_digit()));
    assert_eq!(plies.count(), 29);
    assert_eq!(arena.run(&game), run);
    assert_eq!(
        arena.run(&["--quiet", "play", game[1], game[2], "--seed=1", "--option=max-moves=5"]),
        run
    );
    let other = arena.run(&["play", game[1], game[2], "--seed", "2", "--option", "max-moves=5"]);
    assert_ne!(other.out, run.out);
}

#[test]
fn a_game_that_a_person_gave_up_is_kept_as_resigned() {
    let arena = Arena::new();
    for words in [["human", "bot:greedy"], ["bot:greedy", "human"]] {
        let args = ["play", words[0], words[1], "--seed", "1", "--save", words[0]];
        let run = arena.run_with(&args, "3,3\nresign\n");
        assert_eq!(run.code, 0, "{run:?}");
        let kept = run.err.split("kept: referee replay ").nth(1).expect("a command");
        let id = kept.split(' ').next().expect("an id");
        let shown = arena.run(&["replay", id, "--results", words[0]]);
        let seat = if words[0] == "human" { "black" } else { "white" };
        let end = format!("\ngreedy ({seat}) wins: resignation\n");
        assert!(shown.out.ends_with(&end), "{}", shown.out);
        assert!(!shown.out.contains("exit") && !shown.err.contains("again: "), "{shown:?}");
        let verified = arena.run(&["verify", words[0]]);
        assert_eq!(verified.code, 0, "{}", verified.out);
        assert_eq!(arena.run(&["report", words[0]]).code, 0);
        let page = arena.path().join(words[0]).join("report.html");
        let page = std::fs::read_to_string(page).expect("a page");
        assert!(page.contains("resignation") && page.contains("No faults."));
    }
}

#[test]
fn a_person_may_mistype_ask_for_help_and_resign() {
    let arena = Arena::new();
    let input = "9,9\nzz\n\n?\n3,3\nresign\n";
    let run = arena.run_with(&["play", "human", "bot:greedy", "--seed", "1"], input);
    assert_eq!(run.code, 0);
    let end = "\nthe person resigned: greedy (black) wins\n";
    assert!(run.out.starts_with(EMPTY_BOARD) && run.out.ends_with(end), "{}", run.out);
    assert!(run.out.contains("\n1. white 3,3\n"), "{}", run.out);
    let prompt = "white to move (? for the legal actions): ";
    let parts: Vec<&str> = run.err.split(prompt).collect();
    assert_eq!(
        parts[..4],
        [
            "You are white. Squares are typed as column,row: 3,4 is column 3, row 4. `help` lists \
             what you can type. `referee rules watch-your-back` shows the rules.\n",
            "W2: 9,9 is off the board\n",
            "not understood: expected a placement like `3,4`, a move like `3,4>3,5`, or `pass`; \
             `?` shows the legal actions, `help` the commands\n",
            "",
        ]
    );
    assert!(parts[4].starts_with("0,1  0,2  0,3") && parts[4].ends_with("7,4  7,5\n"));
    assert_eq!(parts[5..], ["", ""]);
}

#[test]
fn the_end_of_input_counts_as_leaving() {
    let arena = Arena::new();
    let run = arena.run_with(&["play", "bot:greedy", "human", "--seed", "1"], "");
    assert_eq!(run.code, 0);
    let end = "\nthe person left: greedy (white) wins\n";
    assert!(run.out.ends_with(end), "{}", run.out);
}

#[test]
fn missing_players_are_refused() {
    let arena = Arena::new();
    let error = "error: player `bot:nosuch`: unknown built-in player `nosuch`; expected `random`, \
                 `greedy`, `steady` or `search`\n";
    assert_eq!(arena.run(&["play", "bot:greedy", "bot:nosuch"]), Run::new(2, "", error));
    let error =
        "error: player `nosuch.py`: cannot find the file `nosuch.py`; it should be in `DIR`\n";
    assert_eq!(arena.run(&["play", "nosuch.py", "human"]), Run::new(2, "", error));
    let error = "error: player `nosuchprogram`: cannot find the program `nosuchprogram` in \
                 PATH; install it, or give its path with a `/`\n";
    assert_eq!(arena.run(&["play", "nosuchprogram", "human"]), Run::new(2, "", error));
    let error = "error: unknown built-in player `nosuch`; expected `random`, `greedy`, `steady`, \
                 `search` or `search-<positions per move>`, for example `search-2000`\n";
    assert_eq!(arena.run(&["bot", "nosuch"]), Run::new(2, "", error));
}

#[test]
fn broken_players_of_a_configuration_are_ignored_if_they_are_not_needed() {
    let arena = Arena::with(&Config::small().player("dog", "command = [\"nosuchprogram\"]"));
    let game = ["play", "bot:random", "bot:random", "--seed", "1"];
    let note = "some players in tournament.toml are invalid (see `referee run --plan`); using the \
                rest\n";
    let run = arena.run(&game);
    assert_eq!((run.code, run.err.as_str()), (0, note));
    assert_eq!(arena.run(&["play", "ant", "ant", "--seed", "1"]).code, 0, "others are known");
    let needed = arena.run(&["play", "dog", "bot:random"]);
    assert_eq!((needed.code, needed.out.as_str()), (2, ""));
    assert!(needed.err.contains("error: cannot find the program `nosuchprogram` in PATH\n"));

    arena.write("tournament.toml", "this is not TOML");
    for named in [&[][..], &["--config", "tournament.toml"]] {
        let run = arena.run(&[&game[..], named].concat());
        assert_eq!((run.code, run.out.as_str()), (2, ""));
        assert!(run.err.starts_with("error: this is not TOML\n"), "{}", run.err);
    }
    let missing = arena.run(&[&game[..], &["--config", "gone.toml"]].concat());
    assert!(
        missing.err.starts_with("error: cannot find the configuration `gone.toml`"),
        "{missing:?}"
    );
}

#[test]
fn a_closed_stdout_ends_the_command_quietly() {
    let arena = Arena::new();
    for args in [
        &["rules", "watch-your-back"][..],
        &["test-game", "watch-your-back", "--perft", "1"],
        &["play", "bot:random", "bot:random"],
        &["check", "bot:random", "--against", "random"],
        &["man"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let child = arena.command(args).stdout(writer).spawn().expect("the referee starts");
        assert_eq!(arena.finish(child, ""), Run::new(141, "", ""), "{args:?}");
    }
}

#[test]
fn options_under_which_a_game_might_never_end_are_not_played() {
    let arena = Arena::new();
    let run = arena.run(&[
        "play",
        "bot:random",
        "bot:random",
        "--option",
        "max-moves=0",
        "--option",
        "repetition=0",
    ]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.starts_with("error: ") && run.err.lines().count() == 1, "{}", run.err);
}

#[test]
fn a_built_in_player_speaks_the_protocol_and_quits() {
    let arena = Arena::new();
    let run = arena.run_with(&["bot", "random"], "{\"type\":\"quit\"}\n");
    assert_eq!(run, Run::new(0, "", ""));
    assert_eq!(arena.run(&["bot", "greedy"]), Run::new(0, "", ""));
    let error = "error: bot greedy: a turn came before `init`\n";
    let run = arena.run_with(&["bot", "greedy"], "{\"type\":\"turn\",\"id\":1}\n");
    assert_eq!(run, Run::new(3, "", error));
}

#[test]
fn rules_and_perft_answer() {
    let arena = Arena::new();
    let rule = "\
Clauses:

  W6 move
    A piece goes to the empty square next to it in its row or column, or jumps
    over one piece of either colour to the empty square behind it. It never
    jumps over a corner, an empty square or a removed one. Written `3,4>3,5`.
";
    assert_eq!(arena.run(&["rules", "watch-your-back", "w6"]), Run::new(0, rule, ""));
    let run = arena.run(&["test-game", "watch-your-back", "--perft", "2"]);
    assert_eq!(run, Run::new(0, "nodes 2084\n", ""));
}

#[test]
fn completions_and_manual_name_every_command() {
    let arena = Arena::new();
    for (args, mark) in [
        (&["completions", "bash"][..], "complete -F _referee"),
        (&["completions", "zsh"], "#compdef referee"),
        (&["completions", "fish"], "complete -c referee"),
        (&["man"], ".TH referee 1"),
    ] {
        let run = arena.run(args);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{args:?}");
        assert!(run.out.contains(mark), "{args:?}");
        for command in COMMANDS {
            assert!(run.out.contains(command), "{args:?}: {command}");
        }
    }
    assert_eq!(arena.run(&["completions", "nosuch"]).code, 2);
}

#[test]
fn every_command_has_help_with_examples() {
    let arena = Arena::new();
    for command in COMMANDS {
        let run = arena.run(&[command, "--help"]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{command}");
        assert!(run.out.contains("Example"), "{command}: {}", run.out);
        assert!(run.out.contains(&format!("referee {command}")), "{command}");
        assert!(!run.out.contains('\x1b'), "{command}");
    }
    let help = arena.run(&["--help"]);
    for command in COMMANDS {
        let is_listed = !["bot", "completions", "man"].contains(&command);
        assert_eq!(help.out.contains(&format!("\n  {command} ")), is_listed, "{command}");
    }
    let version = format!("referee {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(arena.run(&["--version"]), Run::new(0, &version, ""));
}

#[test]
fn invalid_command_lines_exit_with_2() {
    let arena = Arena::new();
    let unknown = "error: unrecognized subcommand 'nosuch'\n\nUsage: referee [OPTIONS] \
                   <COMMAND>\n\n\
                   For more information, try '--help'.\n";
    assert_eq!(arena.run(&["nosuch"]), Run::new(2, "", unknown));
    let run = arena.run(&["rank", "--nosuch"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.starts_with("error: unexpected argument '--nosuch' found\n"), "{}", run.err);
    let nothing = arena.run(&[]);
    assert_eq!((nothing.code, nothing.out.as_str()), (2, ""));
    let missing = "error: cannot find the configuration `tournament.toml`; pass the tournament's \
                   file, or create one\n";
    assert_eq!(arena.run(&["run"]), Run::new(2, "", missing));
}

#[test]
fn no_colour_reaches_a_pipe() {
    let arena = played();
    let plain = arena.run(&["replay", "08eee709cd92-1"]);
    assert!(!plain.out.contains('\x1b'));
}
