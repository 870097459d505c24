//! What to change in the code of a player after a fault, in the words of its language.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::CheckFinding;
use referee_entrants::detection::installed_java_version;
use referee_match::player::LineDirection;
use referee_match::player::fault_messages::{
    COMPUTING, DEBUG_OUTPUT, MISSING_FLUSH, NO_NEWLINE, NOT_AN_ACTION, SLEEPING,
};
use referee_record::model::fault::FaultCode;
use referee_record::model::player_spec::{EngineProtocol, PlayerKind, PlayerSpec};
use referee_record::plain_files::read_plain_text;

/// A language, and how programs in it print lines.
#[derive(Debug, PartialEq, Eq)]
struct AdviceLanguage {
    /// Programs that run its files, without version numbers.
    interpreters: &'static [&'static str],
    /// The extensions of its files.
    extensions: &'static [&'static str],
    /// How to send a line at once; `None` for languages that always do.
    flush: Option<&'static str>,
    /// How to end a line.
    newline: &'static str,
    /// How to print text for people.
    stderr: &'static str,
}

const LANGUAGES: [AdviceLanguage; 9] = [
    AdviceLanguage {
        interpreters: &["python", "pypy"],
        extensions: &["py"],
        flush: Some("write `print(…, flush=True)`, or start Python with `-u`"),
        newline: "write `print(…, flush=True)`, which ends the line; `sys.stdout.write` does not",
        stderr: "write `print(…, file=sys.stderr)`",
    },
    AdviceLanguage {
        interpreters: &["node"],
        extensions: &["js", "mjs"],
        flush: None,
        newline: "write `console.log(…)`, which ends the line; `process.stdout.write` does not",
        stderr: "write `console.error(…)`",
    },
    AdviceLanguage {
        interpreters: &["java"],
        extensions: &["java", "jar"],
        flush: Some("call `System.out.flush()` after each line"),
        newline: "write `System.out.println(…)` and `System.out.flush()`",
        stderr: "write `System.err.println(…)`",
    },
    AdviceLanguage {
        interpreters: &["runghc", "runhaskell"],
        extensions: &["hs"],
        flush: Some("write `hSetBuffering stdout LineBuffering` at the start of `main`"),
        newline: "write `putStrLn …`, which ends the line; `putStr` does not",
        stderr: "write `hPutStrLn stderr …`",
    },
    AdviceLanguage {
        interpreters: &["sh", "bash", "dash", "zsh"],
        extensions: &["sh"],
        flush: None,
        newline: "write `echo …`, or end the `printf` format string with `\\n`",
        stderr: "write `echo … >&2`",
    },
    AdviceLanguage {
        interpreters: &[],
        extensions: &["rs"],
        flush: Some("call `std::io::stdout().flush()` after each line"),
        newline: "write `println!(…)`, which ends the line; `print!` does not",
        stderr: "write `eprintln!(…)`",
    },
    AdviceLanguage {
        interpreters: &[],
        extensions: &["go"],
        flush: Some("call `Flush()` on the `bufio.Writer`, or use `fmt.Println`"),
        newline: "write `fmt.Println(…)`, which ends the line; `fmt.Print` does not",
        stderr: "write `fmt.Fprintln(os.Stderr, …)`",
    },
    AdviceLanguage {
        interpreters: &[],
        extensions: &["cpp", "cc", "cxx"],
        flush: Some("end each line with `std::endl`, or write `std::flush`"),
        newline: "end each line with `std::endl`",
        stderr: "write to `std::cerr`",
    },
    AdviceLanguage {
        interpreters: &[],
        extensions: &["c"],
        flush: Some("call `fflush(stdout)` after each line"),
        newline: "end the `printf` format string with `\\n`, then call `fflush(stdout)`",
        stderr: "write `fprintf(stderr, …)`",
    },
];

/// How to start in time, in any language.
const START_IN_TIME: &str = "answer `init` sooner: avoid waiting and load less; the organiser can \
                             raise `startup` under `[clock]`";
/// What to do instead of sleeping.
const AWAKE: &str = "remove waits such as `sleep`; wait only for the next line";
/// What to do if a line was flushed, but the player waits for more input.
const READ_LESS: &str = "answer after each line, before you read the next one; reading all input \
                         (`read()`, `readlines()`) waits for the end of the game";
/// How to keep a JVM within the limit.
const SMALLER_HEAP: &str = "limit the heap to half of the memory limit, as in `java -Xmx512m`; by \
                            default, a JVM sizes it for the whole machine";
/// What systems say of a file in a folder that cannot be written to.
const READ_ONLY: [&str; 2] = ["Read-only file system", "PermissionError"];
/// Where to write instead.
const WRITE_ELSEWHERE: &str = "a player cannot write to its own folder: write files to the folder \
                               in `TMPDIR`, and debug output to stderr";
/// What systems say of programs that were compiled for another version of something, and what to do.
const OTHER_VERSIONS: [(&str, &str); 2] = [
    (
        "ad magic number in",
        "a `.pyc` file runs only with the version of Python that wrote it; hand in the source",
    ),
    (
        "version `GLIBC",
        "it was compiled for a newer system; link it statically, or hand in the source, so that it \
         is built here",
    ),
];
/// What systems say of a library, or another file of the program, that is not there.
const NOT_FOUND: [&str; 7] = [
    "No module named ",
    "Cannot find module ",
    "Cannot find package ",
    "cannot load such file -- ",
    "ClassNotFoundException",
    "NoClassDefFoundError",
    "error while loading shared libraries",
];
/// What to do about it.
const HAND_IT_IN: &str = "a library or a file is missing: hand it in with the player, or ask the \
                          organiser to install it; `network = true` under `[build]` installs what \
                          `requirements.txt` or `package.json` lists";
/// Names of functions that other referees call.
const AGENTS: [&str; 4] = ["agent", "my_agent", "act", "choose_action"];
/// The largest source that is searched for a flush, in bytes.
const LARGEST_SOURCE: u64 = 1 << 20;
/// How to choose in time, in any language.
const IN_TIME: &str = "stop thinking in time: a turn may take at most `move_ms` (from the `clock` \
                       in `init`) and `left_ms` (from the `clock` in the turn)";

impl CheckFinding {
    /// Adds what the author of this player should write instead, if there is something to say.
    pub fn add_advice(&mut self, spec: &PlayerSpec) {
        if let Some(engine) = &spec.engine {
            let expected = match engine.protocol {
                EngineProtocol::Uci => uci_engine_advice(self.code),
                EngineProtocol::Gtp => gtp_engine_advice(self.code),
            };
            self.expected = expected.unwrap_or(self.expected);
        } else {
            self.advice = find_advice(spec, self);
        }
    }

    /// Whether it printed a line for people in place of an action.
    fn was_printed_for_people(&self) -> bool {
        let mut lines = self.exchange.iter().rev();
        let reply = lines.find(|line| line.way == LineDirection::FromPlayer);
        let has_word = |text: &str| {
            let mut words = text.split(|letter: char| !letter.is_alphabetic());
            words.any(|word| word.chars().count() > 1)
        };
        reply
            .is_some_and(|reply| !reply.text.trim_start().starts_with('{') && has_word(&reply.text))
    }

    /// How to write an action, if it printed something else and the turn listed the legal ones.
    fn action_form_advice(&self) -> Option<String> {
        let mut lines = self.exchange.iter().filter(|line| line.way == LineDirection::ToPlayer);
        let turn: Value = serde_json::from_str(&lines.next()?.text).ok()?;
        let example = turn.get("legal")?.get(0)?.as_str()?;
        Some(format!("print one of the strings in `legal` unchanged, such as `{example}`"))
    }
}

/// The behaviour expected of a Go engine, where it differs from that of other players.
fn gtp_engine_advice(code: FaultCode) -> Option<&'static str> {
    Some(match code {
        FaultCode::NoStart => {
            "`=` after `boardsize`, `komi` and `clear_board`, within the start-up limit"
        }
        FaultCode::Timeout => "`=` and a move after `genmove`, ended by a newline, in time",
        FaultCode::Malformed => {
            "`=` and a point such as D4, `pass` or `resign` after `genmove`, and `=` after `play`"
        }
        FaultCode::Illegal => "`=` and a move that is legal after the `play` moves",
        FaultCode::Oversize => "lines of at most 64 KiB, and at most 16 MiB before an answer",
        _ => return None,
    })
}

/// The behaviour expected of a chess engine, where it differs from that of other players.
fn uci_engine_advice(code: FaultCode) -> Option<&'static str> {
    Some(match code {
        FaultCode::NoStart => {
            "`uciok` after `uci`, and `readyok` after `isready`, within the start-up limit; and the \
             options that the configuration sets"
        }
        FaultCode::Timeout => "`bestmove` and a move, ended by a newline and flushed, in time",
        FaultCode::Malformed => "`bestmove` and a move such as e2e4 or e7e8q",
        FaultCode::Illegal => "`bestmove` and a move that is legal after `position`",
        FaultCode::Oversize => "lines of at most 64 KiB, and at most 16 MiB before `bestmove`",
        _ => return None,
    })
}

fn find_advice(spec: &PlayerSpec, finding: &CheckFinding) -> Option<String> {
    let PlayerKind::Command { program, args } = &spec.kind else { return None };
    let (code, message) = (finding.code, &finding.message);
    let is_slow = code == FaultCode::Cpu || message.contains(COMPUTING);
    if code == FaultCode::NoStart && (is_slow || message.contains(SLEEPING)) {
        return Some(START_IN_TIME.to_owned());
    } else if is_slow {
        return Some(IN_TIME.to_owned());
    } else if message.contains(SLEEPING) {
        return Some(AWAKE.to_owned());
    }
    if finding.stderr.iter().any(|line| READ_ONLY.iter().any(|sign| line.contains(sign))) {
        return Some(WRITE_ELSEWHERE.to_owned());
    }
    if let Some(advice) = other_version_advice(&finding.stderr) {
        return Some(advice);
    }
    if finding.stderr.iter().any(|line| NOT_FOUND.iter().any(|sign| line.contains(sign))) {
        return Some(HAND_IT_IN.to_owned());
    }
    if let Some(advice) = bare_function_advice(spec, args, code) {
        return Some(advice);
    }
    let language = detect_advice_language(program, args, &spec.dir);
    if code == FaultCode::Memory {
        let is_java = language.is_some_and(|language| language.extensions.contains(&"java"));
        return is_java.then(|| SMALLER_HEAP.to_owned());
    }
    let stderr = language.map_or("write to stderr", |language| language.stderr);
    if message.contains(MISSING_FLUSH) {
        let flush = language.map_or(Some("flush each line"), |language| language.flush);
        Some(match (flush, source_flushes_lines(args, &spec.dir)) {
            (None, _) | (_, Some(true)) => READ_LESS.to_owned(),
            (Some(flush), Some(false)) => flush.to_owned(),
            (Some(flush), None) => format!("{flush}; if it does: {READ_LESS}"),
        })
    } else if message.contains(NO_NEWLINE) {
        Some(language?.newline.to_owned())
    } else if code == FaultCode::UnexpectedOutput || message.contains(DEBUG_OUTPUT) {
        Some(format!("for debug output {stderr}"))
    } else if code == FaultCode::Malformed && message.contains(NOT_AN_ACTION) {
        if finding.was_printed_for_people() {
            return Some(format!("if this is a debug print: {stderr}"));
        }
        finding.action_form_advice()
    } else {
        None
    }
}

/// What to do with something that was compiled for another version of what runs it, if these last
/// lines say so.
fn other_version_advice(stderr: &[String]) -> Option<String> {
    let has = |sign: &str| stderr.iter().find(|line| line.contains(sign));
    if has("UnsupportedClassVersionError").is_some() {
        // The line that names both versions is often too long to be kept.
        let java = installed_java_version();
        let release = java.map_or_else(String::new, |java| format!(": `javac --release {java}`"));
        return Some(format!(
            "its classes are for a newer Java than the one here; compile them for this one{release}"
        ));
    }
    OTHER_VERSIONS.iter().find(|(sign, _)| has(sign).is_some()).map(|(_, advice)| (*advice).into())
}

/// What to do with a program that only defines a function for another referee to call, as on
/// Kaggle.
fn bare_function_advice(spec: &PlayerSpec, args: &[String], code: FaultCode) -> Option<String> {
    let ended = [FaultCode::NoStart, FaultCode::Crash].contains(&code);
    let source = args.iter().find_map(|arg| {
        read_plain_text(&spec.dir.join(arg), LARGEST_SOURCE).ok().filter(|_| ended)
    })?;
    let function = source.lines().find_map(|line| {
        let name = line.strip_prefix("def ")?.split('(').next()?.trim();
        AGENTS.contains(&name).then_some(name)
    })?;
    let reads = ["stdin", "input("].iter().any(|word| source.contains(word));
    (!reads).then(|| {
        format!(
            "nothing calls `{function}`: read lines from stdin and print the answers; `referee new \
             player` writes a player that does"
        )
    })
}

/// Whether the command, or a source that it names, asks for every line to be flushed; `None` if it
/// names no source.
fn source_flushes_lines(args: &[String], dir: &Path) -> Option<bool> {
    if args.iter().any(|arg| arg == "-u") {
        return Some(true);
    }
    let source = |arg: &String| read_plain_text(&dir.join(arg), LARGEST_SOURCE).ok();
    let sources: Vec<String> = args.iter().filter_map(source).collect();
    let has_flush = sources.iter().any(|source| source.contains("flush"));
    (!sources.is_empty()).then_some(has_flush)
}

fn detect_advice_language(
    program: &Path,
    args: &[String],
    dir: &Path,
) -> Option<&'static AdviceLanguage> {
    let name = program.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let interpreter = LANGUAGES.iter().find(|known| known.interpreters.contains(&name));
    let named = || args.iter().find_map(|arg| advice_language_by_extension(Path::new(arg)));
    interpreter
        .or_else(named)
        .or_else(|| advice_language_by_extension(program))
        .or_else(|| advice_language_in_folder(dir))
}

fn advice_language_by_extension(file: &Path) -> Option<&'static AdviceLanguage> {
    let extension = file.extension()?.to_str()?;
    LANGUAGES.iter().find(|known| known.extensions.contains(&extension))
}

/// The language of the sources beside a compiled player.
fn advice_language_in_folder(dir: &Path) -> Option<&'static AdviceLanguage> {
    if dir.join("Cargo.toml").is_file() {
        return advice_language_by_extension(Path::new("main.rs"));
    }
    let entries = fs::read_dir(dir).ok()?.flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    names.iter().find_map(|name| advice_language_by_extension(Path::new(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FaultTranscriptLine;
    use referee_games::{GameKind, Seat};
    use referee_record::model::fault::Fault;
    use referee_record::model::player_spec::examples::bot;

    /// The advice for a Python player whose source is this, after a fault with this message. It was
    /// asked for a turn, and printed `reply`.
    fn advised(source: &str, (code, message): (FaultCode, &str), reply: &str) -> String {
        let dir = tempfile::tempdir().expect("a folder");
        fs::write(dir.path().join("player.py"), source).expect("written");
        let args = vec!["player.py".to_owned()];
        let kind = PlayerKind::Command { program: "python3".into(), args };
        let spec = PlayerSpec { kind, dir: dir.path().to_owned(), ..bot("random") };
        let line = |way, text: &str| FaultTranscriptLine { way, text: text.to_owned() };
        let exchange = vec![
            line(LineDirection::ToPlayer, r#"{"type":"turn","id":1,"legal":["0,1","0,2"]}"#),
            line(LineDirection::FromPlayer, reply),
        ];
        let game = GameKind::WatchYourBack.game();
        let mut fault = Fault::new(code, message);
        fault.stderr.extend(message.split_once('\n').map(|(_, line)| line.to_owned()));
        let mut finding = CheckFinding::new(game, &fault, Seat::FIRST, None, exchange);
        finding.add_advice(&spec);
        finding.advice.unwrap_or_default()
    }

    #[test]
    fn a_program_that_only_defines_a_function_is_told_what_calls_it() {
        let agent = "def agent(obs):\n    return 0\n";
        let told = advised(agent, (FaultCode::NoStart, "it exited with code 0"), "");
        assert!(told.starts_with("nothing calls `agent`: read lines from stdin"), "{told}");
        let reads = format!("import sys\n{agent}for line in sys.stdin: print(agent(line))\n");
        assert_eq!(advised(&reads, (FaultCode::NoStart, "it exited with code 1"), ""), "");
    }

    #[test]
    fn what_is_for_another_version_is_told_which() {
        let told = |line: &str| {
            advised("", (FaultCode::NoStart, &format!("it exited with code 1\n{line}")), "")
        };
        let class =
            "java.lang.UnsupportedClassVersionError: Player has been compiled by a more re…";
        let advice =
            "its classes are for a newer Java than the one here; compile them for this one";
        let release = installed_java_version().map(|java| format!(": `javac --release {java}`"));
        assert_eq!(told(class), [advice, &*release.unwrap_or_default()].concat());
        for line in
            ["RuntimeError: Bad magic number in .pyc file", "ImportError: bad magic number in 'x'"]
        {
            assert!(told(line).contains("hand in the source"), "{line}");
        }
        let library = "./player: /lib/libc.so.6: version `GLIBC_2.38' not found";
        assert!(told(library).starts_with("it was compiled for a newer system"));
    }

    #[test]
    fn a_library_that_is_missing_is_handed_in_or_installed() {
        for line in
            ["ModuleNotFoundError: No module named 'numpy'", "Error: Cannot find module 'lodash'"]
        {
            let message = format!("it exited with code 1\n{line}");
            assert_eq!(advised("", (FaultCode::NoStart, &message), ""), HAND_IT_IN);
        }
    }

    #[test]
    fn the_advice_fits_the_fault() {
        let (start, late, bad) = (FaultCode::NoStart, FaultCode::Timeout, FaultCode::Malformed);
        let waits = format!("no reply within 5 s: {MISSING_FLUSH}");
        let logs = "it ended\nOSError: [Errno 30] Read-only file system: 'log.txt'";
        assert_eq!(advised("", (start, logs), ""), WRITE_ELSEWHERE);
        let flush = advised("print(1)", (late, &waits), "");
        assert_eq!(flush, "write `print(…, flush=True)`, or start Python with `-u`");
        let reads = advised("sys.stdin.read(); print(1, flush=True)", (start, &waits), "");
        assert_eq!(reads, READ_LESS);
        let sleeps = "no reply within 10 s: sleeping, with 0 s of CPU time used";
        assert_eq!(advised("", (start, sleeps), ""), START_IN_TIME);
        assert_eq!(advised("", (late, sleeps), ""), AWAKE);
        assert_eq!(advised("", (late, "still computing, with 5 s"), ""), IN_TIME);
        let pair = advised("", (bad, "\"(5;0)\" is not an action: expected 3,4"), "(5;0)");
        assert_eq!(pair, "print one of the strings in `legal` unchanged, such as `0,1`");
        let print = advised("", (bad, "\"depth 3\" is not an action: expected 3,4"), "depth 3");
        assert!(print.starts_with("if this is a debug print"), "{print}");
    }

    #[test]
    fn the_language_is_that_of_the_program_its_arguments_or_the_sources_beside_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let found = |program: &str, args: &[&str]| {
            let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
            detect_advice_language(Path::new(program), &args, dir.path())
                .map(|known| known.extensions[0])
        };
        assert_eq!(found("/usr/bin/python3.11", &["-u", "a"]), Some("py"));
        assert_eq!(found("/opt/run", &["Player.jar"]), Some("java"));
        assert_eq!(found("/opt/player.sh", &[]), Some("sh"));
        assert_eq!(found("/opt/player", &[]), None);
        fs::write(dir.path().join("player.cpp"), "").expect("written");
        assert_eq!(found("/opt/player", &[]), Some("cpp"));
        fs::write(dir.path().join("Cargo.toml"), "").expect("written");
        assert_eq!(found("/opt/player", &[]), Some("rs"));
        assert_eq!(found("/usr/bin/runghc", &["Player"]), Some("hs"));
    }

    #[test]
    fn a_jvm_that_exceeds_its_memory_needs_a_smaller_heap() {
        let fault = Fault::new(FaultCode::Memory, "memory: 256 MiB of 256 MiB");
        let game = GameKind::WatchYourBack.game();
        let said = |program: &str, file: &str| {
            let kind = PlayerKind::Command { program: program.into(), args: vec![file.to_owned()] };
            let mut finding = CheckFinding::new(game, &fault, Seat::FIRST, None, Vec::new());
            finding.add_advice(&PlayerSpec { kind, ..bot("random") });
            finding.advice
        };
        assert_eq!(said("java", "Player").as_deref(), Some(SMALLER_HEAP));
        assert_eq!(said("python3", "player.py"), None);
    }
}
