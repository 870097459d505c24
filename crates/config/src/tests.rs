//! Tests of whole messages, as users see them after `error: `.

mod arguments;
mod files;
mod grades;
mod openings;
mod players;
mod stages;

use referee_record::model::player_spec::{PlayerKind, PlayerSpec};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::*;
use referee_record::model::adjudication::ScoreRule;
use referee_record::model::clock::Measure;
use referee_record::model::opening_source::{
    DrawnOpenings, ListedOpening, OpeningBookSelection, OpeningSource,
};
use referee_record::model::record::{Anchor, FaultPolicy};
use referee_record::model::stage::Stage;
use referee_sandbox::{Mechanism, Requirement};

/// A folder with players in `players` and a program `python3` in `bin`, which is the `PATH`.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().expect("a folder"));
        for (name, contents) in
            [("bin/python3", "#!"), ("players/greedy.py", "print()"), ("players/run", "#!")]
        {
            let path = folder.path(name);
            fs::create_dir_all(path.parent().expect("in the folder")).expect("a folder");
            fs::write(path, contents).expect("a file");
        }
        make_executable(&folder.path("bin/python3"));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn check(&self, text: &str) -> Result<Tournament, ConfigError> {
        self.read(text).into_result()
    }

    fn read(&self, text: &str) -> LoadedConfig {
        let path = self.path("bin");
        let place = LookupPaths { base: self.0.path(), path: Some(path.as_os_str()) };
        let (name, base) = ("cup.toml".to_owned(), self.0.path().to_owned());
        Configuration::from_text(name, text.to_owned(), base, Colour::Plain).tournament_in(place)
    }

    fn word(&self, word: &str, configured: &[PlayerSpec]) -> Result<PlayerArgument, String> {
        let path = self.path("bin");
        let place = LookupPaths { base: self.0.path(), path: Some(path.as_os_str()) };
        player_argument::parse_player_argument(word, configured, place, None)
            .map_err(|complaint| complaint.describe_argument("it"))
    }
}

/// The tournament of a file.
fn load(path: &Path) -> Result<Tournament, ConfigError> {
    Configuration::read(path, Colour::Plain)?.tournament().into_result()
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
}

const HEAD: &str = "name = \"cup\"\ngame = \"watch-your-back\"\n";
const PLAYERS: &str = "\
[[players]]
name = \"a\"
bot = \"greedy\"
[[players]]
name = \"b\"
bot = \"search\"
";

const EVERY_KEY: &str = r#"
name = "cup"
game = "watch-your-back"
pairs = 3
seed = 7
jobs = 2
fault-policy = { retry = 2 }
quarantine = 0
results = "out"
[options]
max-moves = 100
[clock]
startup = "1s"
budget = "1m30s"
increment = "500ms"
move = "5s"
measure = "cpu"
count-startup = true
ponder = true
[[players]]
name = "a"
bot = "greedy"
rating = 1500
[[players]]
name = "b"
bot = "search"
[[players]]
name = "c"
command = ["python3", "greedy.py"]
dir = "players"
restart = false
env = { THREADS = "1" }
files = ["run"]
"#;

/// The message for a configuration.
fn message(text: &str) -> String {
    let failure = Folder::new().check(text).expect_err("refused");
    assert!(matches!(failure, ConfigError::Written(_)), "{failure}");
    failure.to_string()
}

/// The message for `lines` between the head and two players.
fn about(lines: &str) -> String {
    message(&format!("{HEAD}{lines}\n{PLAYERS}"))
}

/// The message for `lines` that describe a third player.
fn about_player(lines: &str) -> String {
    message(&format!("{HEAD}{PLAYERS}[[players]]\nname = \"c\"\n{lines}\n"))
}

fn starts(message: &str, expected: &str) {
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn a_minimal_configuration_takes_every_default() {
    let folder = Folder::new();
    let tournament = folder.check(&format!("{HEAD}{PLAYERS}")).expect("a tournament");
    assert_eq!(tournament.name, "cup");
    assert_eq!(tournament.stages, [Stage::round_robin(1)]);
    assert_eq!((tournament.seed, tournament.jobs), (None, None));
    assert_eq!((tournament.fault_policy, tournament.quarantine), (FaultPolicy::Lose, 5));
    assert_eq!(tournament.clock.per_move, Some(DEFAULT_MOVE));
    assert_eq!(tournament.anchors, []);
    assert_eq!(tournament.results, folder.path("results"));
    assert_eq!(tournament.players[1].kind, PlayerKind::Bot("search".to_owned()));
    assert_eq!(tournament.players[1].command, "bot:search");
}

#[test]
fn every_key_is_taken() {
    let folder = Folder::new();
    let tournament = folder.check(EVERY_KEY).expect("a tournament");
    assert_eq!(tournament.stages, [Stage::round_robin(3)]);
    assert_eq!(tournament.seed, Some(7));
    assert_eq!(tournament.jobs.map(usize::from), Some(2));
    assert_eq!((tournament.fault_policy, tournament.quarantine), (FaultPolicy::Retry(2), 0));
    let anchor = Anchor { player: "a".to_owned(), rating: 1500.0 };
    assert_eq!(tournament.anchors, [anchor]);
    assert_eq!(tournament.results, folder.path("out"));
    assert_eq!(tournament.options.to_json()["max-moves"], 100);
    assert_eq!(tournament.clock.measure, Measure::Cpu);
    assert!(tournament.clock.count_startup && tournament.clock.ponder);
    let player = &tournament.players[2];
    let args = vec!["greedy.py".to_owned()];
    assert_eq!(player.kind, PlayerKind::Command { program: folder.path("bin/python3"), args });
    assert_eq!(player.dir, folder.path("players"));
    assert_eq!(player.command, "python3 greedy.py");
    assert_eq!(player.env["THREADS"], "1");
    assert!(!player.restart);
    assert_eq!(player.hash.len(), 16);
}

#[test]
fn an_unknown_key() {
    assert_eq!(
        about("pair = 2"),
        "\
unknown key `pair` in the configuration
 --> cup.toml:3:1
  |
3 | pair = 2
  | ^^^^ did you mean `pairs`?"
    );
    assert_eq!(
        about("[clock]\nper-turn = \"5s\""),
        "\
unknown key `per-turn` in `[clock]`
 --> cup.toml:4:1
  |
4 | per-turn = \"5s\"
  | ^^^^^^^^ expected `startup`, `tc`, `budget`, `increment`, `move`, `margin`, `overruns`, `measure`, `count-startup` or `ponder`"
    );
}

#[test]
fn a_wrong_type() {
    assert_eq!(
        about("pairs = \"two\""),
        "\
invalid value for `pairs`
 --> cup.toml:3:9
  |
3 | pairs = \"two\"
  |         ^^^^^ expected a whole number"
    );
    assert_eq!(
        about_player("command = \"python3 greedy.py\""),
        "\
invalid value for `command`
  --> cup.toml:11:11
   |
11 | command = \"python3 greedy.py\"
   |           ^^^^^^^^^^^^^^^^^^^ expected a list of strings, such as [\"python3\", \"player.py\"]"
    );
    let unit = about("[clock]\nmove = 5");
    assert!(
        unit.ends_with("expected a duration with its unit, in quotes, such as \"5s\" or \"500ms\""),
        "{unit}"
    );
    let one = message(&format!("{HEAD}[players]\nname = \"a\""));
    assert!(
        one.ends_with("expected `[[players]]`, in double brackets, above each player"),
        "{one}"
    );
    starts(&about("fault-policy = \"win\""), "invalid value for `fault-policy`");
    starts(&about("clock = 5"), "invalid value for `clock`");
    starts(&message(&format!("{HEAD}players = [\"a\"]")), "invalid value for `players`");
}

#[test]
fn text_that_is_not_toml() {
    assert_eq!(
        about("pairs = "),
        "\
this is not TOML
 --> cup.toml:3:9
  |
3 | pairs = 
  |         ^ string values must be quoted, expected literal string"
    );
}

#[test]
fn players_in_single_brackets() {
    let two = message("[players]\nname = \"a\"\n[players]\nname = \"b\"");
    assert_eq!(
        two,
        "\
this is not TOML
 --> cup.toml:3:2
  |
3 | [players]
  |  ^^^^^^^ duplicate key
  |
  = help: write `[[players]]`, in double brackets, above each player"
    );
}

#[test]
fn missing_keys() {
    assert_eq!(
        message(""),
        "\
`name` is missing from the configuration
 --> cup.toml:1:1
  |
1 |
  | ^
  |
  = help: add a line such as `name = \"autumn-cup\"`

error: `game` is missing from the configuration
 --> cup.toml:1:1
  |
1 |
  | ^
  |
  = help: add a line such as `game = \"watch-your-back\"`

error: no players
 --> cup.toml:1:1
  |
1 |
  | ^
  |
  = help: a tournament needs at least two; add a `[[players]]` table for each"
    );
}

#[test]
fn an_unknown_game_and_invalid_options() {
    starts(
        &message(&format!("name = \"cup\"\ngame = \"shogi\"\n{PLAYERS}")),
        "\
unknown game `shogi`
 --> cup.toml:2:8
  |
2 | game = \"shogi\"
  |        ^^^^^^^ expected `watch-your-back`, `backdraughts`, `back-to-the-wall` or `chess`",
    );
    let fraction = about("[options]\nmax-moves = 1.5");
    assert!(fraction.contains("^^^ expected a whole number"), "{fraction}");
    let text = about("[options]\nmax-moves = true\nmax-move = 3");
    starts(&text, "invalid value for `max-moves`\n --> cup.toml:4:13\n");
    assert!(text.contains(
        "\
error: watch-your-back has no option `max-move`
 --> cup.toml:5:1
  |
5 | max-move = 3
  | ^^^^^^^^ did you mean `max-moves`?"
    ));
    starts(
        &about("[options]\nmax-moves = \"100\""),
        "\
invalid value for `max-moves`
 --> cup.toml:4:13
  |
4 | max-moves = \"100\"
  |             ^^^^^ expected a number without quotes",
    );
    starts(
        &about("[options]\nrepetition = 0\nmax-moves = 0"),
        "these options contradict each other\n --> cup.toml:4:1\n",
    );
}

#[test]
fn impossible_limits() {
    assert_eq!(
        about("pairs = 0"),
        "\
`pairs` is out of range
 --> cup.toml:3:9
  |
3 | pairs = 0
  |         ^ expected a whole number from 1 to 100000"
    );
    starts(&about("pairs = 100001"), "`pairs` is out of range");
    starts(&about("jobs = 0"), "`jobs` is out of range");
    starts(&about("seed = -1"), "`seed` is out of range");
    starts(&about("fault-policy = { retry = 0 }"), "`retry` is out of range");
    starts(&about("fault-policy = { retry = 11 }"), "`retry` is out of range");
    starts(&about_player("bot = \"greedy\"\nrating = nan"), "invalid value for `rating`");
    starts(&about("results = \"\""), "invalid value for `results`");
    starts(&about("pgn = \"games.pgn\""), "`pgn` needs built-in chess");
}

#[test]
fn the_file_in_pgn_is_one_of_the_results_folder() {
    let refused =
        |name: &str| message(&format!("name = \"cup\"\ngame = \"chess\"\npgn = {name}\n{PLAYERS}"));
    assert_eq!(
        refused("\"../games.pgn\""),
        "\
invalid value for `pgn`
 --> cup.toml:3:7
  |
3 | pgn = \"../games.pgn\"
  |       ^^^^^^^^^^^^^^ expected a file name that ends in `.pgn`, without a folder
  |
  = help: the file is written into the results folder"
    );
    for name in ["", ".", "..", ".pgn", "games.jsonl", "games", "a/", "/a.pgn", "a\\\\b.pgn"] {
        starts(&refused(&format!("\"{name}\"")), "invalid value for `pgn`");
    }
    for name in ["a\\n.pgn", "a\\u0000.pgn"] {
        starts(&refused(&format!("\"{name}\"")), "invalid value for `pgn`");
    }
}

#[test]
fn invalid_clocks() {
    let clock = |line: &str| about(&format!("[clock]\n{line}"));
    assert_eq!(
        clock("move = \"5 parsecs\""),
        "\
invalid value for `move`
 --> cup.toml:4:8
  |
4 | move = \"5 parsecs\"
  |        ^^^^^^^^^^^ expected a duration such as \"500ms\", \"10s\" or \"1m30s\""
    );
    starts(&clock("move = \"0s\""), "`move` leaves no time");
    starts(&clock("startup = \"0s\""), "`startup` leaves no time");
    starts(&clock("budget = \"0s\""), "`budget` leaves no time");
    starts(&clock("budget = \"25h\""), "invalid value for `budget`");
    starts(&clock("increment = \"1s\""), "`increment` needs a `budget` to add to");
    starts(&clock("count-startup = true"), "`count-startup` needs a `budget` to charge");
    starts(&clock("measure = \"clock\""), "invalid value for `measure`");
    starts(&clock("overruns = 1001"), "`overruns` is out of range");
    let both = "cannot use `overruns` together with `measure = \"cpu\"`";
    starts(&clock("measure = \"cpu\"\noverruns = 1"), both);
}

#[test]
fn adjudication_is_off_or_complete() {
    let check = |lines: &str| {
        let text = format!("{HEAD}[adjudication]\n{lines}\n{PLAYERS}");
        Folder::new().check(&text).expect("a tournament").adjudication.expect("rules")
    };
    let rules = check(
        "draw = { after = 80, plies = 8, score = 10 }\nresign = { plies = 6, score = 600 }\n\
         length = 400",
    );
    let draw = ScoreRule { after: 80, plies: 8, score: 10, one_sided: false };
    let resign = ScoreRule { after: 0, plies: 6, score: 600, one_sided: false };
    assert_eq!((rules.draw, rules.resign, rules.length), (Some(draw), Some(resign), Some(400)));
    let alone = check("resign = { plies = 6, score = 600, one-sided = true }").resign;
    assert_eq!(alone, Some(ScoreRule { one_sided: true, ..resign }));
    let problem = |lines: &str| about(&format!("[adjudication]\n{lines}"));
    starts(
        &problem("draw = { plies = 6, score = 10, one-sided = true }"),
        "`draw` needs the scores of both players\n --> cup.toml:4:45\n",
    );
    assert_eq!(
        problem("resign = { plies = 1, score = 600 }"),
        "\
`plies` is out of range
 --> cup.toml:4:20
  |
4 | resign = { plies = 1, score = 600 }
  |                    ^ expected a whole number from 2 to 1000"
    );
    starts(&problem(""), "`[adjudication]` needs `draw`, `resign` or `length`");
    starts(&problem("length = 0"), "`length` is out of range");
    assert_eq!(
        problem("length = 4\n[openings]\nplies = 4"),
        "\
`length` ends every game in its opening
 --> cup.toml:4:10
  |
4 | length = 4
  |          ^ expected more than 4
5 | [openings]
6 | plies = 4
  |         - opening plies count too"
    );
    assert_eq!(check("length = 5\n[openings]\nplies = 4").length, Some(5));
    starts(&problem("resign = { plies = 6, score = 0 }"), "`score` is out of range");
    starts(&problem("draw = { plies = 6 }"), "`score` is missing from this `[adjudication]` rule");
    starts(&problem("draw = 8\nlength = 9"), "invalid value for `draw`");
    let text = "name = \"cup\"\ngame = \"back-to-the-wall\"\n[adjudication]\nlength = 9\n\
                draw = { plies = 8, score = 10 }\n";
    assert_eq!(
        message(&(text.to_owned() + PLAYERS)),
        "\
`draw` needs players that move in turn
 --> cup.toml:5:8
  |
5 | draw = { plies = 8, score = 10 }
  |        ^^^^^^^^^^^^^^^^^^^^^^^^^ in this game both move at the same time"
    );
}

#[test]
fn presets_fill_in_missing_keys() {
    let clock = |lines: &str| {
        let text = format!("{HEAD}{lines}\n{PLAYERS}");
        Folder::new().check(&text).expect("a tournament").clock
    };
    let course = clock("preset = \"comp30024-2018\"");
    assert_eq!((course.budget, course.per_move), (Some(Duration::from_secs(60)), None));
    assert_eq!((course.measure, course.count_startup), (Measure::Cpu, true));
    let text = format!("{HEAD}preset = \"comp30024-2018\"\n{PLAYERS}");
    let limits = Folder::new().check(&text).expect("a tournament").containment.limits;
    assert_eq!(limits.sandbox.memory, 100 * 1024 * 1024);
    let own = clock("preset = \"comp30024-2018\"\n[clock]\nbudget = \"5s\"\nmeasure = \"wall\"");
    assert_eq!((own.budget, own.measure), (Some(Duration::from_secs(5)), Measure::Wall));
    starts(&about("preset = \"comp30024\""), "invalid value for `preset`");
}

#[test]
fn all_problems_are_reported_in_the_order_of_the_file() {
    let text = message(
        "nmae = \"cup\"\ngame = \"shogi\"\npairs = 0\n[clock]\nmove = 5\n[[players]]\nname = 7\n",
    );
    let titles: Vec<_> = text.split("\n\n").filter_map(|part| part.lines().next()).collect();
    let expected = [
        "`name` is missing from the configuration",
        "error: unknown key `nmae` in the configuration",
        "error: unknown game `shogi`",
        "error: `pairs` is out of range",
        "error: invalid value for `move`",
        "error: only one player",
        "error: this player has no `command`, `uci`, `gtp` or `bot`",
        "error: invalid value for `name`",
    ];
    assert_eq!(titles, expected);
}

#[test]
fn colour_only_when_asked() {
    let mut problems = Problems::default();
    problems.add(problem::Problem::new(0..1, "wrong"));
    let text = problems.render(SourceText { name: "cup.toml", text: "a = 1" }, Colour::Ansi);
    assert!(text.contains('\x1b'));
    assert!(!about("pairs = 0").contains('\x1b'));
}
