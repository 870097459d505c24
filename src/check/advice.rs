//! What to change in the code of a player after a fault, in the words of its language.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crate::model::fault::FaultCode;
use crate::model::player::{PlayerKind, PlayerSpec};
use crate::player::diagnosis::{COMPUTING, DEBUG_OUTPUT, MISSING_FLUSH, NO_NEWLINE};

/// The language of a player, as far as its files tell.
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

/// What the author should write instead, if there is something to say and, where that matters, the
/// language is known.
pub(super) fn advice(spec: &PlayerSpec, code: FaultCode, message: &str) -> Option<String> {
    let PlayerKind::Command { program, args } = &spec.kind else { return None };
    if code == FaultCode::Cpu || message.contains(COMPUTING) {
        return Some(IN_TIME.to_owned());
    }
    let language = language(program, args, &spec.dir)?;
    let text = if message.contains(MISSING_FLUSH) {
        flush(language)?
    } else if message.contains(NO_NEWLINE) {
        newline(language)
    } else if code == FaultCode::UnexpectedOutput || message.contains(DEBUG_OUTPUT) {
        stderr(language)
    } else {
        return None;
    };
    Some(text.to_owned())
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
fn stderr(language: SourceLanguage) -> &'static str {
    match language {
        SourceLanguage::Python => "for debug output write `print(…, file=sys.stderr)`",
        SourceLanguage::JavaScript => "for debug output write `console.error(…)`",
        SourceLanguage::Java => "for debug output write `System.err.println(…)`",
        SourceLanguage::Shell => "for debug output write `echo … >&2`",
        SourceLanguage::Rust => "for debug output write `eprintln!(…)`",
        SourceLanguage::Go => "for debug output write `fmt.Fprintln(os.Stderr, …)`",
        SourceLanguage::Cpp => "for debug output write to `std::cerr`",
        SourceLanguage::C => "for debug output write `fprintf(stderr, …)`",
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
