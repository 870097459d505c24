//! What to change in the code of a player after a fault, in the words of its language.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use super::CheckFinding;
use referee_match::player::LineDirection;
use referee_match::player::diagnosis::{
    COMPUTING, DEBUG_OUTPUT, MISSING_FLUSH, NO_NEWLINE, NOT_AN_ACTION,
};
use referee_record::model::fault::FaultCode;
use referee_record::model::player::{PlayerKind, PlayerSpec};

/// The language of a player, judged by its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SourceLanguage {
    Python,
    JavaScript,
    Java,
    Shell,
    Rust,
    Go,
    Cpp,
    C,
}

/// How to choose in time, in any language.
const IN_TIME: &str = "stop thinking in time: a turn may take `move_ms` of the `clock` in `init`, \
                       and no more than `left_ms` of the `clock` in the turn";

impl CheckFinding {
    /// Adds what the author of this player should write instead, if there is something to say.
    pub fn advise(&mut self, spec: &PlayerSpec) {
        self.advice = advice(spec, self);
    }

    /// Whether it printed a line of plain text that is not an action.
    fn is_plain_text(&self) -> bool {
        let mut lines = self.exchange.iter().rev();
        let reply = lines.find(|line| line.way == LineDirection::FromPlayer);
        let is_plain = reply.is_some_and(|reply| !reply.text.trim_start().starts_with('{'));
        is_plain && self.code == FaultCode::Malformed && self.message.contains(NOT_AN_ACTION)
    }
}

fn advice(spec: &PlayerSpec, finding: &CheckFinding) -> Option<String> {
    let PlayerKind::Command { program, args } = &spec.kind else { return None };
    let (code, message) = (finding.code, &finding.message);
    if code == FaultCode::Cpu || message.contains(COMPUTING) {
        return Some(IN_TIME.to_owned());
    }
    let language = language(program, args, &spec.dir);
    if message.contains(MISSING_FLUSH) {
        language.and_then(flush).map(str::to_owned)
    } else if message.contains(NO_NEWLINE) {
        language.map(newline).map(str::to_owned)
    } else if code == FaultCode::UnexpectedOutput || message.contains(DEBUG_OUTPUT) {
        Some(format!("for debug output {}", stderr(language)))
    } else if finding.is_plain_text() {
        Some(format!("if this is a debug print: {}", stderr(language)))
    } else {
        None
    }
}

fn language(program: &Path, args: &[String], dir: &Path) -> Option<SourceLanguage> {
    let name = program.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let interpreter = match name {
        "python" | "pypy" => Some(SourceLanguage::Python),
        "node" => Some(SourceLanguage::JavaScript),
        "java" => Some(SourceLanguage::Java),
        "sh" | "bash" | "dash" | "zsh" => Some(SourceLanguage::Shell),
        _ => None,
    };
    let named = || args.iter().find_map(|arg| by_extension(Path::new(arg)));
    interpreter.or_else(named).or_else(|| by_extension(program)).or_else(|| by_sources(dir))
}

fn by_extension(file: &Path) -> Option<SourceLanguage> {
    Some(match file.extension()?.to_str()? {
        "py" => SourceLanguage::Python,
        "js" | "mjs" => SourceLanguage::JavaScript,
        "java" | "jar" => SourceLanguage::Java,
        "sh" => SourceLanguage::Shell,
        "rs" => SourceLanguage::Rust,
        "go" => SourceLanguage::Go,
        "cpp" | "cc" | "cxx" => SourceLanguage::Cpp,
        "c" => SourceLanguage::C,
        _ => return None,
    })
}

/// The language of the sources beside a compiled player.
fn by_sources(dir: &Path) -> Option<SourceLanguage> {
    if dir.join("Cargo.toml").is_file() {
        return Some(SourceLanguage::Rust);
    }
    let entries = fs::read_dir(dir).ok()?.flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    names.iter().find_map(|name| by_extension(Path::new(name)))
}

/// How to send a line at once; `None` for languages that always do.
fn flush(language: SourceLanguage) -> Option<&'static str> {
    Some(match language {
        SourceLanguage::Python => "write `print(…, flush=True)`, or start Python with `-u`",
        SourceLanguage::Java => "call `System.out.flush()` after each line",
        SourceLanguage::Rust => "call `std::io::stdout().flush()` after each line",
        SourceLanguage::Go => "call `Flush()` of the `bufio.Writer`, or use `fmt.Println`",
        SourceLanguage::Cpp => "end each line with `std::endl`, or write `std::flush`",
        SourceLanguage::C => "call `fflush(stdout)` after each line",
        SourceLanguage::JavaScript | SourceLanguage::Shell => return None,
    })
}

/// How to end a line.
fn newline(language: SourceLanguage) -> &'static str {
    match language {
        SourceLanguage::Python => {
            "write `print(…, flush=True)`, which ends the line; `sys.stdout.write` does not"
        }
        SourceLanguage::JavaScript => {
            "write `console.log(…)`, which ends the line; `process.stdout.write` does not"
        }
        SourceLanguage::Java => "write `System.out.println(…)` and `System.out.flush()`",
        SourceLanguage::Shell => "write `echo …`, or end the format of `printf` with `\\n`",
        SourceLanguage::Rust => "write `println!(…)`, which ends the line; `print!` does not",
        SourceLanguage::Go => "write `fmt.Println(…)`, which ends the line; `fmt.Print` does not",
        SourceLanguage::Cpp => "end each line with `std::endl`",
        SourceLanguage::C => "end the format of `printf` with `\\n`, then call `fflush(stdout)`",
    }
}

/// How to print text for people.
fn stderr(language: Option<SourceLanguage>) -> &'static str {
    let Some(language) = language else { return "write to stderr" };
    match language {
        SourceLanguage::Python => "write `print(…, file=sys.stderr)`",
        SourceLanguage::JavaScript => "write `console.error(…)`",
        SourceLanguage::Java => "write `System.err.println(…)`",
        SourceLanguage::Shell => "write `echo … >&2`",
        SourceLanguage::Rust => "write `eprintln!(…)`",
        SourceLanguage::Go => "write `fmt.Fprintln(os.Stderr, …)`",
        SourceLanguage::Cpp => "write to `std::cerr`",
        SourceLanguage::C => "write `fprintf(stderr, …)`",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_that_of_the_program_its_arguments_or_the_sources_beside_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let found = |program: &str, args: &[&str]| {
            let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
            language(Path::new(program), &args, dir.path())
        };
        assert_eq!(found("/usr/bin/python3.11", &["-u", "a"]), Some(SourceLanguage::Python));
        assert_eq!(found("/opt/run", &["Player.jar"]), Some(SourceLanguage::Java));
        assert_eq!(found("/opt/player.sh", &[]), Some(SourceLanguage::Shell));
        assert_eq!(found("/opt/player", &[]), None);
        fs::write(dir.path().join("player.cpp"), "").expect("written");
        assert_eq!(found("/opt/player", &[]), Some(SourceLanguage::Cpp));
        fs::write(dir.path().join("Cargo.toml"), "").expect("written");
        assert_eq!(found("/opt/player", &[]), Some(SourceLanguage::Rust));
    }
}
