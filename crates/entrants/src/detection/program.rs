//! Programs that are started by themselves, and scripts that are started by what their first line
//! names.
//!
//! Archives of other systems lose or add the executable bit, bring line ends of Windows, and name
//! interpreters where the author's machine has them. So a first line is taken for the name of an
//! interpreter, which is looked up like any program here. A path in it is never opened: it comes
//! from a stranger.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use referee_record::plain_files::read_plain_start;

use super::java_class::{has_java_main, jar_has_main_class};
use crate::is_executable;
use crate::start_command::StartCommand;

/// The longest first line to read, in bytes.
const FIRST_LINE: u64 = 256;
/// Runs a shell script without the carriage returns of Windows, which a shell takes for part of the
/// last word of each line.
const WITHOUT_RETURNS: &str = "eval \"$(tr -d '\\r' < \"$0\")\"";
/// The machines that an ELF file may be for to run here; any, if this machine is not known.
const ELF_MACHINES: &[u16] = if cfg!(target_arch = "x86_64") {
    &[62, 3]
} else if cfg!(target_arch = "aarch64") {
    &[183, 40]
} else {
    &[]
};
/// How programs of a Mac begin: for one processor, and for several.
const MACH_O: [&[u8]; 3] = [b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe"];
/// What a version of Java adds to its number in class files.
const CLASS_FILES: u16 = 44;

/// Whether a file is machine code that this machine runs.
pub(super) fn is_machine_code(path: &Path) -> bool {
    let start = read_plain_start(path, 20).unwrap_or_default();
    if cfg!(target_os = "macos") {
        return start.starts_with(b"\xcf\xfa\xed\xfe") || start.starts_with(b"\xca\xfe\xba\xbe");
    }
    let machine = start.get(18..20).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
    start.starts_with(b"\x7fELF")
        && (ELF_MACHINES.is_empty()
            || machine.is_some_and(|machine| ELF_MACHINES.contains(&machine)))
}

/// Whether a file is not a class file of a Java newer than the one here.
pub(super) fn program_runs_on_java_here(path: &Path) -> bool {
    let start = read_plain_start(path, 8).unwrap_or_default();
    !program_needs_newer_java(&start, installed_java_version())
}

/// Whether a file was compiled for another system or processor, or for a newer Java than the one
/// here.
pub(crate) fn is_for_another_machine(path: &Path) -> bool {
    let start = read_plain_start(path, 20).unwrap_or_default();
    let is = |magic: &[u8]| start.starts_with(magic);
    if is(b"\xca\xfe\xba\xbe") && !is_mac_universal_binary(&start) {
        return program_needs_newer_java(&start, installed_java_version());
    }
    let is_code = is(b"\x7fELF") || MACH_O.iter().any(|magic| is(magic));
    is_code && !is_machine_code(path)
}

/// Whether the beginning that class files and programs of a Mac share is that of a program: it
/// counts its processors where a class has its version.
fn is_mac_universal_binary(start: &[u8]) -> bool {
    matches!(*start, [_, _, _, _, 0, 0, 0, count, ..] if u16::from(count) <= CLASS_FILES)
}

fn program_needs_newer_java(class: &[u8], java: Option<u16>) -> bool {
    let [0xca, 0xfe, 0xba, 0xbe, _, _, high, low] = *class else { return false };
    java.is_some_and(|java| u16::from_be_bytes([high, low]) > java + CLASS_FILES)
}

/// The version of the Java that the `PATH` has, as its installation says.
pub fn installed_java_version() -> Option<u16> {
    let path = std::env::var_os("PATH")?;
    let mut programs = std::env::split_paths(&path).map(|folder| folder.join("java"));
    let program = programs.find(|program| program.is_file())?.canonicalize().ok()?;
    let text = fs::read_to_string(program.parent()?.parent()?.join("release")).ok()?;
    let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
    version.split(['.', '-', '+', '"']).next()?.parse().ok()
}

/// How the shell script `name` in `dir` is started: by the shell of its first line, or `sh`.
pub(super) fn start_program_by_shell(dir: &Path, name: &str) -> StartCommand {
    let path = dir.join(name);
    let mut words = read_program_shebang(&path).unwrap_or_else(|| vec!["sh".to_owned()]);
    if script_has_carriage_returns(&path) {
        words.extend(["-c", WITHOUT_RETURNS].map(str::to_owned));
    }
    words.push(name.to_owned());
    StartCommand { words, ..StartCommand::new(dir, &[]) }
}

/// How a file without a known ending is started, if it is a program.
pub(super) fn start_program_without_extension(dir: &Path, name: &str) -> Option<StartCommand> {
    let path = dir.join(name);
    let may = fs::metadata(&path).is_ok_and(|found| is_executable(&found));
    if may && is_machine_code(&path) {
        return Some(StartCommand::new(dir, &[&format!("./{name}")]));
    }
    let Some(words) = read_program_shebang(&path) else {
        let is_script = read_plain_start(&path, 2).is_ok_and(|start| start == b"#!");
        return (may && is_script).then(|| StartCommand::new(dir, &[&format!("./{name}")]));
    };
    let is_shell = words.first().is_some_and(|word| word.ends_with("sh"));
    if is_shell {
        return Some(start_program_by_shell(dir, name));
    }
    Some(StartCommand {
        words: [words, vec![name.to_owned()]].concat(),
        ..StartCommand::new(dir, &[])
    })
}

/// The interpreter that the first line of a script names, with its options.
fn read_program_shebang(path: &Path) -> Option<Vec<String>> {
    let start = read_plain_start(path, FIRST_LINE).ok()?;
    let text = String::from_utf8_lossy(&start);
    parse_program_shebang(text.lines().next()?.strip_prefix("#!")?)
}

/// The name of the interpreter in a first line, without its folder, and its options. Only options
/// that name no file are kept, because a player may read the files that its command names.
fn parse_program_shebang(line: &str) -> Option<Vec<String>> {
    let mut words = line.split_whitespace();
    let named = words.next()?;
    if named.contains('/') && !named.starts_with('/') && !named.contains('\\') {
        return None;
    }
    let mut program = program_base_name(named);
    if program == "env" {
        // An option that takes a value would make the value the program.
        let mut rest = words.clone().peekable();
        rest.next_if(|word| *word == "-S");
        program = program_base_name(rest.next().filter(|word| !word.starts_with('-'))?);
        words = line.split_whitespace();
        words.by_ref().find(|word| program_base_name(word) == program);
    }
    let is_plain = |word: &&str| word.starts_with('-') && !word.contains(['/', '=']);
    let program = if program.starts_with("python") { "python3".to_owned() } else { program };
    let is_name = !program.is_empty() && !program.starts_with('.');
    let options = words.take_while(is_plain).map(str::to_owned);
    is_name.then(|| std::iter::once(program).chain(options).collect())
}

fn program_base_name(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name).to_owned()
}

fn script_has_carriage_returns(path: &Path) -> bool {
    let start = read_plain_start(path, FIRST_LINE).unwrap_or_default();
    start.split_inclusive(|byte| *byte == b'\n').next().is_some_and(|line| line.ends_with(b"\r\n"))
}

/// Whether a file is a compiled program: machine code, a class with a main method, or a jar that
/// names one.
pub(super) fn is_compiled_program(path: &Path) -> bool {
    let is_library = |ending: &OsStr| ["so", "a", "o"].iter().any(|other| ending == *other);
    match path.extension() {
        Some(ending) if ending == "class" => has_java_main(path),
        Some(ending) if ending == "jar" => jar_has_main_class(path),
        Some(ending) if is_library(ending) => false,
        _ => fs::metadata(path).is_ok_and(|found| is_executable(&found)) && is_machine_code(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_names_the_interpreter_wherever_its_author_had_it() {
        for (line, expected) in [
            ("/bin/bash", Some("bash")),
            ("/bin/sh -e", Some("sh -e")),
            ("/usr/local/bin/python3", Some("python3")),
            ("/home/ann/venv/bin/python3.12 -u", Some("python3 -u")),
            ("/usr/bin/env python3 -u", Some("python3 -u")),
            ("/usr/bin/env -S node --stack-size=9000", Some("node")),
            (r"C:\Python312\python.exe", Some("python3")),
            // Neither a file of another nor what an option takes becomes part of the command.
            ("/usr/bin/env -S -u /home/prof/.ssh/id_rsa python3", None),
            ("/usr/bin/python3 -X /home/prof/key", Some("python3 -X")),
            ("/usr/bin/..", None),
            ("own/interpreter", None),
            ("", None),
        ] {
            let found = parse_program_shebang(line).map(|words| words.join(" "));
            assert_eq!(found.as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn a_class_of_a_newer_java_is_not_ready() {
        let class = |version: u8| [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, version];
        assert!(
            program_needs_newer_java(&class(65), Some(17))
                && !program_needs_newer_java(&class(61), Some(17))
        );
        assert!(
            !program_needs_newer_java(&class(65), None)
                && !program_needs_newer_java(b"text", Some(17))
        );
    }

    #[test]
    fn scripts_start_with_and_without_the_executable_bit() {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, text, expected) in [
            ("run.sh", "#!/bin/bash\nargs=(a)\n", Some("bash run.sh")),
            ("plain.sh", "echo\n", Some("sh plain.sh")),
            ("player", "#!/usr/bin/env python3\r\nprint()\r\n", Some("python3 player")),
            ("notes", "text\n", None),
            ("macho", "\u{cf}\u{fa}", None),
        ] {
            fs::write(dir.path().join(name), text).expect("written");
            let found =
                super::super::detect_file_in(dir.path(), name).map(|found| found.words.join(" "));
            assert_eq!(found.as_deref(), expected, "{name}");
        }
        fs::write(dir.path().join("crlf.sh"), "#!/bin/bash\r\necho\r\n").expect("written");
        let words = start_program_by_shell(dir.path(), "crlf.sh").words;
        assert_eq!(words, ["bash", "-c", WITHOUT_RETURNS, "crlf.sh"]);
    }
}
