//! Kits for games: each is written, built with its real toolchain, and answers requests; skipped
//! if the toolchain is missing.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::harness::{quick, slow, without};
use crate::support::Arena;
use libtest_mimic::Trial;
use serde_json::{Value, json};

/// A kit for a game.
#[derive(Clone, Copy)]
struct GameKit {
    language: &'static str,
    /// The programs needed to build and run it.
    needs: &'static [&'static str],
    /// The build command, in its folder; empty if it needs no build.
    build: &'static str,
    /// The file with the rules.
    file: &'static str,
    /// The game of `tests/rules/lowest-out` in its place.
    more_seats: &'static str,
    /// The game of `tests/rules/engine`, if the kit takes games that are objects.
    engine: Option<&'static str>,
}

const PYTHON: GameKit = GameKit {
    language: "python",
    needs: &["python3"],
    build: "",
    file: "game.py",
    more_seats: include_str!("../rules/lowest-out/game.py"),
    engine: Some(include_str!("../rules/engine/game.py")),
};
const COMPILED: [GameKit; 4] = [
    GameKit {
        language: "javascript",
        needs: &["node", "python3"],
        build: "",
        file: "game.js",
        more_seats: include_str!("../rules/lowest-out/game.js"),
        engine: Some(include_str!("../rules/engine/game.js")),
    },
    GameKit {
        language: "cpp",
        needs: &["c++", "make", "python3"],
        build: "make CXXFLAGS='-O1 -Wall -Wextra -Werror -std=c++17'",
        file: "game.cpp",
        more_seats: include_str!("../rules/lowest-out/game.cpp"),
        engine: None,
    },
    GameKit {
        language: "java",
        needs: &["javac", "java", "jar", "make", "python3"],
        build: "make",
        file: "Game.java",
        more_seats: include_str!("../rules/lowest-out/Game.java"),
        engine: Some(include_str!("../rules/engine/Game.java")),
    },
    GameKit {
        language: "rust",
        needs: &["cargo", "python3"],
        file: "src/main.rs",
        more_seats: include_str!("../rules/lowest-out/main.rs"),
        engine: None,
        build: "unset CARGO_TARGET_DIR && \
                RUSTFLAGS='-D warnings' cargo build --release --offline --quiet",
    },
];

pub(crate) fn tests() -> Vec<Trial> {
    let works = |kit: GameKit| {
        move || {
            without(kit.needs).or_else(|| {
                kit.works();
                None
            })
        }
    };
    let mut tests = vec![quick(PYTHON.language, works(PYTHON))];
    tests.extend(COMPILED.map(|kit| slow(kit.language, works(kit))));
    tests.push(slow("from nothing to a tournament", || {
        without(PYTHON.needs).or_else(|| {
            from_nothing_to_a_tournament();
            None
        })
    }));
    tests
}

impl GameKit {
    /// Writes the kit, builds it and asks it about a short game. Then puts a game of more seats in
    /// its place, and one that is an object.
    fn works(self) {
        let arena = Arena::new();
        self.write(&arena);
        arena.sh(&format!("cd 'My Game'\n{}", self.build));
        answers_about_nim(&arena);
        let expected = Arena::new();
        PYTHON.write(&expected);
        for (kit, arena) in [(PYTHON, &expected), (self, &arena)] {
            kit.replace_rules(arena, kit.more_seats);
            for seats in ["2", "3", "4"] {
                with_argument(arena, seats);
            }
        }
        for (seats, options) in [(2, ""), (2, "scores=true"), (3, ""), (4, ""), (4, "scores=true")]
        {
            let file = format!("My Game/{seats}.toml");
            let mut args = vec!["test-game", &file, "--games", "20", "--search-games", "1"];
            args.extend((!options.is_empty()).then_some(["--option", options]).iter().flatten());
            let run = arena.run(&args);
            assert!(run.code == 0 && run.out.contains("\nnothing found\n"), "{args:?}: {run:?}");
            // All play the same games.
            assert_eq!(run, expected.run(&args), "{args:?}");
        }
        if let Some(engine) = self.engine {
            self.replace_rules(&arena, engine);
            an_object_lives_as_long_as_a_game(&arena);
        }
    }

    /// Puts other rules in their place, and builds them.
    fn replace_rules(self, arena: &Arena, rules: &str) {
        arena.write(&format!("My Game/{}", self.file), rules);
        arena.sh(&format!("cd 'My Game'\n{}", self.build));
    }

    /// Writes the kit.
    fn write(self, arena: &Arena) {
        let new = ["new", "game", "--language", self.language, "My Game"];
        let run = arena.run(&new);
        let written = "created My Game; its README.md describes the next steps\nnext: cd 'My Game'";
        assert!(run.code == 0 && run.err.starts_with(written), "{run:?}");
        assert!(run.err.ends_with(" && referee test-game game.toml\n"), "{run:?}");
    }
}

/// Writes a game file, named after an argument, with that argument at the end of the command.
fn with_argument(arena: &Arena, argument: &str) {
    let game = fs::read_to_string(arena.path().join("My Game/game.toml")).expect("a game.toml");
    let game = game.replacen("\"]", &format!("\", \"{argument}\"]"), 1);
    arena.write(&format!("My Game/{argument}.toml"), &game);
}

/// Nothing is found in a game of objects, and its tournament can be verified, although requests go
/// back and forth; unless an object depends on those before it.
fn an_object_lives_as_long_as_a_game(arena: &Arena) {
    let test = |file: &str| arena.run(&["test-game", file, "--games", "20", "--search-games", "1"]);
    let run = test("My Game/game.toml");
    assert!(run.code == 0 && run.out.contains("\nnothing found\n"), "{run:?}");
    with_argument(arena, "counts");
    let run = test("My Game/counts.toml");
    assert!(run.code == 1 && run.out.contains("something other than the request"), "{run:?}");
    let players = ["random", "greedy", "search-20"]
        .map(|bot| format!("[[players]]\nname = \"{bot}\"\nbot = \"{bot}\"\n"));
    let config = format!("name = \"cup\"\ngame = \"My Game/game.toml\"\n{}", players.concat());
    arena.write("tournament.toml", &config);
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!(run.code, 0, "{run:?}");
    let run = arena.run(&["verify"]);
    assert!(run.code == 0 && run.out.ends_with(": no problems\n"), "{run:?}");
}

/// Asks the kit as it was written about a game of Nim.
fn answers_about_nim(arena: &Arena) {
    let mut game = RulesProgram::start(&arena.path().join("My Game"));
    let about = game.ask(json!({"type": "game", "protocol": [1]}));
    assert_eq!((&about["name"], &about["title"]), (&json!("my-game"), &json!("My game")));
    assert_eq!(about["protocol"], 1);
    let options = json!({"misere": true});
    let mut position = game.ask(json!({"type": "start", "options": options}));
    assert_eq!(position["max_plies"], 12);
    for text in ["a3", "b4", "c5"] {
        let (state, step) = (&position["state"], json!({"move": text}));
        let request = json!({"type": "play", "options": options, "state": state, "step": step});
        assert!(position["legal"].as_array().expect("a list").contains(&json!(text)));
        position = game.ask(request);
    }
    assert_eq!(position["turn"], json!({"over": "second", "reason": "last-stick"}));
    let judged = |game: &mut RulesProgram, text: &str| {
        let start = game.ask(json!({"type": "start", "options": options}));
        let state = &start["state"];
        game.ask(json!({"type": "judge", "options": options, "state": state, "seat": "first",
                "text": text}))
    };
    let reason = "b5 is not legal here; legal actions include a1, a2, a3";
    assert_eq!(judged(&mut game, "b5"), json!({"refused": reason, "clause": "N1"}));
    for nonsense in ["nonsense", "b", "b-1", "b99999999999999999999", "é", "\"\\\u{1f600}"] {
        assert!(judged(&mut game, nonsense)["refused"].is_string(), "{nonsense}");
    }
    assert!(game.ask(json!({"type": "guess"}))["error"].is_string());
}

/// Follows the section of this name in `docs/games.md`: runs its commands, and compares what they
/// print. The times may differ.
fn from_nothing_to_a_tournament() {
    let guide = include_str!("../../docs/games.md");
    let (_, section) = guide.split_once("## From nothing to a tournament\n").expect("a section");
    let (section, _) = section.split_once("\n## ").expect("more sections");
    let arena = Arena::new();
    let folder = arena.path().join("hex-cup");
    fs::create_dir(&folder).expect("a folder");
    for block in section.split("```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').expect("a block");
        match language {
            "console" => text.split("$ ").skip(1).for_each(|part| follow(&folder, part)),
            "python" => fs::write(folder.join("hex/game.py"), text).expect("written"),
            "toml" => {
                let config = folder.join("tournament.toml");
                let before = fs::read_to_string(&config).expect("a configuration");
                fs::write(config, before + text).expect("written");
            }
            other => panic!("a block of `{other}`"),
        }
    }
    assert!(folder.join("results/hex-cup/report.html").exists());
}

/// Runs a command in the folder; `part` has the command and what it prints.
fn follow(folder: &Path, part: &str) {
    let (command, printed) = part.split_once('\n').expect("a command");
    let referee = Path::new(env!("CARGO_BIN_EXE_referee")).parent().expect("a folder");
    let search = format!("{}:{}", referee.display(), std::env::var("PATH").expect("a PATH"));
    let output = Command::new("sh")
        .args(["-c", &format!("{command} 2>&1")])
        .env("PATH", search)
        .current_dir(folder)
        .output()
        .expect("a shell");
    assert!(output.status.success(), "{command}: {output:?}");
    let without_times = |text: &str| {
        let is_timed = |line: &&str| !line.ends_with(" µs");
        text.lines().filter(is_timed).map(str::to_owned).collect::<Vec<_>>()
    };
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(without_times(&text), without_times(printed), "{command}");
}

/// A rules program with its pipe.
struct RulesProgram {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    id: u64,
}

impl RulesProgram {
    /// Starts the program that `game.toml` in this folder names.
    fn start(dir: &Path) -> Self {
        let text = fs::read_to_string(dir.join("game.toml")).expect("a game.toml");
        let file: toml::Table = text.parse().expect("TOML");
        let command = file["command"].as_array().expect("a command");
        let words: Vec<_> = command.iter().map(|word| word.as_str().expect("text")).collect();
        let (program, args) = words.split_first().expect("a program");
        let program = if program.contains('/') { dir.join(program) } else { program.into() };
        let mut child = Command::new(program)
            .args(args)
            .current_dir(dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let requests = child.stdin.take().expect("stdin");
        let answers = BufReader::new(child.stdout.take().expect("stdout"));
        Self { child, requests, answers, id: 0 }
    }

    /// The answer to a request, without its id.
    fn ask(&mut self, mut request: Value) -> Value {
        self.id += 1;
        request["id"] = self.id.into();
        writeln!(self.requests, "{request}").expect("the program reads");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the program answers");
        let mut answer: Value = serde_json::from_str(&line).expect("JSON");
        let id = answer.as_object_mut().and_then(|fields| fields.remove("id"));
        assert_eq!(id, Some(self.id.into()), "{line}");
        answer
    }
}

impl Drop for RulesProgram {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = writeln!(self.requests, "{{\"type\":\"quit\"}}");
        let _ = self.child.wait();
    }
}
