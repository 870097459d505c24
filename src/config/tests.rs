//! Tests of whole messages, as users see them after `error: `.

use crate::model::player::{PlayerKind, PlayerSpec};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::*;
use crate::model::clock::Measure;
use crate::model::openings::Openings;
use crate::model::record::{Anchor, FaultPolicy};
use crate::model::stage::Stage;

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

    fn check(&self, text: &str) -> Result<Tournament, Failure> {
        self.read(text).whole()
    }

    fn read(&self, text: &str) -> LoadedConfig {
        let path = self.path("bin");
        let place = LookupPaths { base: self.0.path(), path: Some(path.as_os_str()) };
        check(SourceText { name: "cup.toml", text }, place, Colour::Plain)
    }

    fn word(&self, word: &str, configured: &[PlayerSpec]) -> Result<PlayerArgument, String> {
        let path = self.path("bin");
        let place = LookupPaths { base: self.0.path(), path: Some(path.as_os_str()) };
        player_argument::parse(word, configured, place).map_err(|complaint| complaint.about("it"))
    }
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
reusable = true
env = { THREADS = "1" }
files = ["run"]
"#;

/// The message for a configuration.
fn message(text: &str) -> String {
    let failure = Folder::new().check(text).expect_err("refused");
    assert_eq!(failure.kind, crate::error::FailureKind::Input);
    failure.message
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
fn the_least_configuration_takes_every_default() {
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
    assert_eq!(tournament.options.number("max-moves"), 100);
    assert_eq!(tournament.clock.measure, Measure::Cpu);
    assert!(tournament.clock.count_startup && tournament.clock.ponder);
    let player = &tournament.players[2];
    let args = vec!["greedy.py".to_owned()];
    assert_eq!(player.kind, PlayerKind::Command { program: folder.path("bin/python3"), args });
    assert_eq!(player.dir, folder.path("players"));
    assert_eq!(player.command, "python3 greedy.py");
    assert_eq!(player.env["THREADS"], "1");
    assert!(player.reusable);
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
  | ^^^^^^^^ expected `startup`, `budget`, `increment`, `move`, `measure`, `count-startup` or `ponder`"
    );
}

#[test]
fn a_wrong_type() {
    assert_eq!(
        about("pairs = \"two\""),
        "\
unexpected value of `pairs`
 --> cup.toml:3:9
  |
3 | pairs = \"two\"
  |         ^^^^^ expected a whole number"
    );
    assert_eq!(
        about_player("command = \"python3 greedy.py\""),
        "\
unexpected value of `command`
  --> cup.toml:11:11
   |
11 | command = \"python3 greedy.py\"
   |           ^^^^^^^^^^^^^^^^^^^ expected a list of strings, such as [\"python3\", \"player.py\"]"
    );
    starts(&about("fault-policy = \"win\""), "unexpected value of `fault-policy`");
    starts(&about("clock = 5"), "unexpected value of `clock`");
    starts(&message(&format!("{HEAD}players = [\"a\"]")), "unexpected value of `players`");
}

#[test]
fn text_that_is_no_toml() {
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
fn missing_keys() {
    assert_eq!(
        message(""),
        "\
`name` is missing in the configuration
 --> cup.toml:1:1
  |
1 |
  | ^
  |
  = help: add a line such as `name = \"autumn-cup\"`

error: `game` is missing in the configuration
 --> cup.toml:1:1
  |
1 |
  | ^
  |
  = help: add a line such as `game = \"watch-your-back\"`

error: there are no players
 --> cup.toml:1:1
  |
1 |
  | ^
  |
  = help: a tournament has two or more; add a `[[players]]` table for each"
    );
}

#[test]
fn one_player_alone() {
    assert_eq!(
        message(&format!("{HEAD}[[players]]\nname = \"a\"\nbot = \"greedy\"\n")),
        "\
there is only one player
 --> cup.toml:3:1
  |
3 | [[players]]
  | ^^^^^^^^^^^
  |
  = help: a tournament has two or more; add a `[[players]]` table for each"
    );
}

#[test]
fn an_unknown_game_and_bad_options() {
    starts(
        &message(&format!("name = \"cup\"\ngame = \"chess\"\n{PLAYERS}")),
        "\
unknown game `chess`
 --> cup.toml:2:8
  |
2 | game = \"chess\"
  |        ^^^^^^^ expected `watch-your-back`, `backdraughts` or `back-to-the-wall`",
    );
    let text = about("[options]\nmax-moves = true\nmax-move = 3");
    starts(&text, "unexpected value of `max-moves`\n --> cup.toml:4:13\n");
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
unexpected value of `max-moves`
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
fn a_doubled_name() {
    assert_eq!(
        message(&format!("{HEAD}{PLAYERS}[[players]]\nname = \"a\"\nbot = \"random\"\n")),
        "\
a second player is called `a`
  --> cup.toml:10:8
   |
 4 | name = \"a\"
   |        --- the first is here
...
10 | name = \"a\"
   |        ^^^ give this one another name"
    );
}

#[test]
fn unfit_names() {
    let named =
        |name: &str| message(&format!("name = {name}\ngame = \"watch-your-back\"\n{PLAYERS}"));
    starts(&named("\"\""), "the name is empty");
    starts(&named("\"../x\""), "`../x` cannot be a folder's name");
    starts(&named("\"..\""), "`..` cannot be a folder's name");
    starts(&named("\"a\\nb\""), "the name contains a control character");
    starts(&named(&format!("\"{}\"", "x".repeat(65))), "the name has 65 characters");
    let player = PLAYERS.replace("\"b\"", "\" \"");
    starts(&message(&format!("{HEAD}{player}")), "the name is empty\n --> cup.toml:7:8");
}

#[test]
fn both_or_neither_of_command_and_bot() {
    assert_eq!(
        about_player("command = [\"python3\"]\nbot = \"greedy\""),
        "\
this player has both `command` and `bot`
  --> cup.toml:12:1
   |
11 | command = [\"python3\"]
   | ------- `command` is here
12 | bot = \"greedy\"
   | ^^^
   |
   = help: remove one of them"
    );
    starts(
        &about_player(""),
        "this player has neither `command` nor `bot` nor `comp30024`\n --> cup.toml:9:1\n",
    );
}

#[test]
fn programs_that_cannot_be_run() {
    assert_eq!(
        about_player("command = [\"./run\"]\ndir = \"players\""),
        "\
`./run` is not executable
  --> cup.toml:11:11
   |
11 | command = [\"./run\"]
   |           ^^^^^^^^^
   |
   = help: make it executable with `chmod +x`, or put its interpreter before it"
    );
    starts(&about_player("command = [\"./gone\"]"), "there is no program `./gone`\n");
    let gone = about_player("command = [\"python3\", \"gredy.py\"]\ndir = \"players\"");
    starts(&gone, "there is no file `gredy.py`\n");
    assert!(gone.ends_with("help: did you mean `greedy.py`?"), "{gone}");
    starts(&about_player("comp30024 = \"gone\""), "there is no module `gone.py`\n");
    starts(&about_player("command = [\"./players\"]"), "`./players` is a folder, not a program");
    starts(&about_player("command = [\"pyhton3\"]"), "there is no program `pyhton3` in the PATH");
    starts(&about_player("command = []"), "the command names no program");
    starts(&about_player("command = [\"\"]"), "the command names no program");
    starts(&about_player("command = [\"python3\", \"\\u0000\"]"), "the command contains a zero");
    assert!(
        about_player("command = [\"run\"]\ndir = \"players\"")
            .ends_with("= help: for the program in the player's folder write `./run`")
    );
}

#[test]
fn players_that_lack_something() {
    starts(&about_player("command = [\"python3\"]\ndir = \"gone\""), "there is no folder `gone`");
    starts(&about_player("command = [\"python3\"]\nfiles = [\"gone\"]"), "cannot read `gone`: ");
    starts(&about_player("command = [\"python3\"]\nenv = { \"A=\" = \"\" }"), "invalid environ");
    starts(&about_player("bot = \"greedy\"\ndir = \".\""), "a built-in player takes no `dir`");
    assert_eq!(
        about_player("bot = \"gredy\""),
        "\
there is no built-in player `gredy`
  --> cup.toml:11:7
   |
11 | bot = \"gredy\"
   |       ^^^^^^^
   |
   = help: did you mean `greedy`?"
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
    starts(&about_player("bot = \"greedy\"\nrating = nan"), "unexpected value of `rating`");
    starts(&about("results = \"\""), "unexpected value of `results`");
}

#[test]
fn impossible_clocks() {
    let clock = |line: &str| about(&format!("[clock]\n{line}"));
    assert_eq!(
        clock("move = \"5 parsecs\""),
        "\
unexpected value of `move`
 --> cup.toml:4:8
  |
4 | move = \"5 parsecs\"
  |        ^^^^^^^^^^^ expected a duration such as \"500ms\", \"10s\" or \"1m30s\""
    );
    starts(&clock("move = \"0s\""), "`move` leaves no time");
    starts(&clock("startup = \"0s\""), "`startup` leaves no time");
    starts(&clock("budget = \"0s\""), "`budget` leaves no time");
    starts(&clock("budget = \"25h\""), "unexpected value of `budget`");
    starts(&clock("increment = \"1s\""), "`increment` needs a `budget` to add to");
    starts(&clock("count-startup = true"), "`count-startup` needs a `budget` to charge");
    starts(&clock("measure = \"clock\""), "unexpected value of `measure`");
}

#[test]
fn a_preset_sets_what_is_not_given() {
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
    starts(&about("preset = \"comp30024\""), "unexpected value of `preset`");
}

#[test]
fn all_problems_are_reported_in_the_order_of_the_file() {
    let text = message(
        "nmae = \"cup\"\ngame = \"chess\"\npairs = 0\n[clock]\nmove = 5\n[[players]]\nname = 7\n",
    );
    let titles: Vec<_> = text.split("\n\n").filter_map(|part| part.lines().next()).collect();
    let expected = [
        "`name` is missing in the configuration",
        "error: unknown key `nmae` in the configuration",
        "error: unknown game `chess`",
        "error: `pairs` is out of range",
        "error: unexpected value of `move`",
        "error: there is only one player",
        "error: this player has neither `command` nor `bot` nor `comp30024`",
        "error: unexpected value of `name`",
    ];
    assert_eq!(titles, expected);
}

#[test]
fn no_text_breaks_the_reader() {
    let folder = Folder::new();
    for at in 0..EVERY_KEY.len() {
        let (before, after) = EVERY_KEY.split_at(at);
        for put in ["", "\u{e9}", "\"", "[", "=", "\u{1b}", "\r\n", "[[players]]"] {
            let replaced = [before, put, &after[1..]].concat();
            for text in [&[before, put].concat(), &replaced] {
                if let Err(failure) = folder.check(text) {
                    assert!(failure.message.contains("--> cup.toml:"), "{}", failure.message);
                    assert!(!failure.message.contains('\u{1b}'), "{}", failure.message);
                }
            }
        }
    }
}

#[test]
fn colour_only_when_asked() {
    let mut problems = Problems::default();
    problems.add(problem::Problem::new(0..1, "wrong"));
    let text = problems.render(SourceText { name: "cup.toml", text: "a = 1" }, Colour::Ansi);
    assert!(text.contains('\x1b'));
    assert!(!about("pairs = 0").contains('\x1b'));
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new();
    let refused = |name: &str| {
        let failure = load(&folder.path(name), Colour::Plain).expect_err("refused");
        failure.message.replace(&format!("{}/", folder.0.path().display()), "")
    };
    assert_eq!(
        refused("gone.toml"),
        "there is no configuration `gone.toml`; name the file of the tournament, or write one"
    );
    assert_eq!(refused("bin"), "`bin` is a folder; name the configuration file in it");
    fs::write(folder.path("latin.toml"), b"a = 1\nname = \"caf\xe9\"\n").expect("a file");
    assert_eq!(refused("latin.toml"), "`latin.toml`: it is not UTF-8 (line 2); save it as UTF-8");
}

#[test]
fn files_without_an_end_are_not_read() {
    let folder = Folder::new();
    let no_file = "it is not a plain file but a device, a pipe or a socket";
    let zero = load(std::path::Path::new("/dev/zero"), Colour::Plain).expect_err("refused");
    assert_eq!(zero.message, format!("cannot read the configuration `/dev/zero`: {no_file}"));
    let boards = "name = \"cup\"\ngame = \"back-to-the-wall\"\n";
    for (head, lines) in [
        (boards, "[options]\nrounds = \"/dev/zero\"\n"),
        (HEAD, "[openings]\nfile = \"/dev/zero\"\n"),
        (HEAD, "[openings]\nfile = \"large.txt\"\n"),
    ] {
        let large = fs::File::create(folder.path("large.txt")).expect("a file");
        large.set_len(LARGEST + 1).expect("a file");
        let refused = folder.check(&format!("{head}{lines}{PLAYERS}")).expect_err("refused");
        let why = if lines.contains("large") { "it is larger than 4194304 bytes" } else { no_file };
        assert!(refused.message.contains(why), "{}", refused.message);
    }
}

#[test]
fn a_file_is_loaded_with_paths_beside_it() {
    let folder = Folder::new();
    let text = format!("\u{feff}{HEAD}{PLAYERS}").replace('\n', "\r\n");
    fs::write(folder.path("cup.toml"), text).expect("a file");
    let tournament = load(&folder.path("cup.toml"), Colour::Plain).expect("a tournament");
    let base = folder.0.path().canonicalize().expect("there");
    assert_eq!(tournament.results, base.join("results"));
}

#[test]
fn problems_of_single_players_leave_the_rest() {
    let broken = format!("{HEAD}{PLAYERS}[[players]]\nname = \"c\"\nbot = \"gone\"\n");
    let LoadedConfig { tournament, problems } = Folder::new().read(&broken);
    let players = tournament.expect("the rest").players;
    assert!(players.iter().map(|player| player.name.as_str()).eq(["a", "b"]));
    starts(&problems.expect("a problem").message, "there is no built-in player `gone`");
    for other in ["pairs = 0", "[options]\nmax-moves = 0\nrepetition = 0", "pairs = "] {
        let LoadedConfig { tournament, problems } =
            Folder::new().read(&format!("{HEAD}{other}\n{PLAYERS}"));
        assert!(tournament.is_none() && problems.is_some(), "{other}");
    }
}

#[test]
fn words_of_the_command_line() {
    let folder = Folder::new();
    let program = |word: &str| match folder.word(word, &[]) {
        Ok(PlayerArgument::Program(spec)) => *spec,
        other => panic!("{other:?}"),
    };
    assert_eq!(folder.word("human", &[]), Ok(PlayerArgument::Human));
    assert_eq!(program("bot:greedy").kind, PlayerKind::Bot("greedy".to_owned()));
    let spec = program("python3  'a b.py' -v");
    assert_eq!(spec.name, "python3 'a b.py' -v");
    assert_eq!(spec.command, "python3 'a b.py' -v");
    let args = vec!["a b.py".to_owned(), "-v".to_owned()];
    assert_eq!(spec.kind, PlayerKind::Command { program: folder.path("bin/python3"), args });
    let configured = [PlayerSpec { name: "human".to_owned(), ..program("bot:random") }];
    let expected = PlayerArgument::Program(Box::new(configured[0].clone()));
    assert_eq!(folder.word("human", &configured), Ok(expected));
    let found = program("players/greedy.py");
    assert_eq!((found.name.as_str(), found.dir), ("greedy.py", folder.path("players")));
    assert_eq!(found.command, "python3 greedy.py");
}

#[test]
fn bad_words_of_the_command_line() {
    let folder = Folder::new();
    let refused = |word: &str| folder.word(word, &[]).expect_err("refused");
    assert_eq!(
        refused("bot:gredy"),
        "it: there is no built-in player `gredy`; did you mean `greedy`?"
    );
    assert_eq!(
        refused("pyhton3 a.py"),
        "it: there is no program `pyhton3` in the PATH; install it, or give its path with a `/`"
    );
    assert_eq!(
        refused("players/gredy.py"),
        "it: there is no file `players/gredy.py`; did you mean `players/greedy.py`?"
    );
    assert!(refused("gone.py").starts_with("it: there is no file `gone.py`; it is looked for in"));
    assert!(refused("python3 gone.py").starts_with("it: there is no file `gone.py`; "));
    fs::write(folder.path("players/ant.cpp"), "int main() {}").expect("a file");
    assert_eq!(
        refused("players/ant.cpp"),
        "it: `players/ant.cpp` is source code, not a program; build it with `c++ -O2 -o player \
         ant.cpp`, and name the program"
    );
    fs::create_dir(folder.path("kit")).expect("a folder");
    fs::write(folder.path("kit/Makefile"), "player:").expect("a file");
    assert_eq!(
        refused("kit"),
        "it: no player is recognised in `kit`, but sources that have to be built; run `make` in \
         `kit`; if that is done, name the program itself"
    );
    assert_eq!(refused("kit/player"), "it: there is no program `kit/player`; build it with `make`");
    assert_eq!(
        refused("python3 'a"),
        "it: it cannot be split into words; close every quote, and do not end with a backslash"
    );
    assert_eq!(refused(" "), "it: the command names no program; give a program and its arguments");
}

/// The message for an openings file with this text, and `lines` in the head.
fn about_openings(lines: &str, text: &str) -> String {
    let folder = Folder::new();
    fs::write(folder.path("openings.txt"), text).expect("a file");
    let config = format!("{HEAD}{lines}[openings]\nfile = \"openings.txt\"\n{PLAYERS}");
    folder.check(&config).expect_err("refused").message
}

#[test]
fn openings_are_taken() {
    let folder = Folder::new();
    let with = |lines: &str| folder.check(&format!("{HEAD}[openings]\n{lines}\n{PLAYERS}"));
    let openings = with("plies = 8").expect("a tournament").openings;
    assert_eq!(openings, Some(Openings::Random { plies: 8 }));
    let text = "# two openings\n3,3; 3,4   # the middle\n\n  2,2;5,5 ;4,2\r\n";
    fs::write(folder.path("openings.txt"), text).expect("a file");
    let openings = with("file = \"openings.txt\"").expect("a tournament").openings;
    let lists = [["3,3", "3,4"].as_slice(), &["2,2", "5,5", "4,2"]];
    let lists = lists.map(|list| list.iter().map(ToString::to_string).collect());
    assert_eq!(openings, Some(Openings::Listed(lists.to_vec())));
}

#[test]
fn openings_of_a_file_are_played() {
    assert_eq!(
        about_openings("", "3,3; 3,4\n3,3; 0,0; 1,1 # a corner\n3;3\n"),
        "\
invalid opening
 --> openings.txt:2:6
  |
2 | 3,3; 0,0; 1,1 # a corner
  |      ^^^ W1: 0,0 is a corner

error: invalid opening
 --> openings.txt:3:1
  |
3 | 3;3
  | ^ syntax: expected a placement like `3,4`, a move like `3,4>3,5`, or `pass`"
    );
    let many = "0,0\n".repeat(11);
    let message = about_openings("", &many);
    starts(&message, "unexpected value of `file`\n --> cup.toml:4:8\n");
    assert!(message.contains("3 more openings of this file are refused"), "{message}");
    assert_eq!(message.matches("invalid opening").count(), 8);
    assert_eq!(
        about_openings("", "# nothing\n"),
        "\
unexpected value of `file`
 --> cup.toml:4:8
  |
4 | file = \"openings.txt\"
  |        ^^^^^^^^^^^^^^ this file holds no opening"
    );
}

#[test]
fn openings_of_a_file_know_no_dice() {
    let folder = Folder::new();
    fs::write(folder.path("openings.txt"), "1,3>4,3").expect("a file");
    let head = "name = \"cup\"\ngame = \"backdraughts\"\n[openings]\nfile = \"openings.txt\"\n";
    assert_eq!(
        folder.check(&format!("{head}{PLAYERS}")).expect_err("refused").message,
        "\
a game with dice cannot take openings from a file
 --> cup.toml:4:8
  |
4 | file = \"openings.txt\"
  |        ^^^^^^^^^^^^^^
  |
  = help: what is legal depends on the dice: write `plies = 8`, for random legal play"
    );
}

#[test]
fn unfit_openings() {
    assert_eq!(
        about("[openings]"),
        "\
`[openings]` says neither `plies` nor `file`
 --> cup.toml:3:1
  |
3 | [openings]
  | ^^^^^^^^^^
  |
  = help: add a line such as `plies = 8`, for random legal play, or `file = \"openings.txt\"`"
    );
    assert_eq!(
        about("[openings]\nplies = 8\nfile = \"a\""),
        "\
`[openings]` has both `plies` and `file`
 --> cup.toml:5:8
  |
4 | plies = 8
  |         - `plies` is here
5 | file = \"a\"
  |        ^^^
  |
  = help: remove one of the two"
    );
    assert_eq!(
        about("[openings]\nplies = 101"),
        "\
`plies` is out of range
 --> cup.toml:4:9
  |
4 | plies = 101
  |         ^^^ expected a whole number from 1 to 100"
    );
    starts(&about("[openings]\nfile = \"none.txt\""), "unexpected value of `file`");
    starts(&about("[openings]\nplies = \"8\""), "unexpected value of `plies`");
}

#[test]
fn a_hosted_class_knows_no_openings() {
    let folder = Folder::new();
    fs::write(folder.path("players/agent.py"), "class Player: pass").expect("a file");
    let class = "[[players]]\nname = \"c\"\ncomp30024 = \"agent\"\ndir = \"players\"\n";
    let text = format!("{HEAD}[openings]\nplies = 2\n{PLAYERS}{class}");
    assert_eq!(
        folder.check(&text).expect_err("refused").message,
        "\
a class of the 2018 interface cannot begin after an opening
  --> cup.toml:13:13
   |
 3 | [openings]
   | ---------- openings are asked for here
...
13 | comp30024 = \"agent\"
   |             ^^^^^^^
   |
   = help: nothing in that interface tells a player its own first actions: remove `[openings]`, or this player"
    );
}
