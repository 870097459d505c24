//! Messages about source files that are given as programs, and about files that are not there.

use std::ffi::OsStr;
use std::path::Path;

use super::problem::{InvalidValue, find_similar_word};
use referee_entrants::build_commands::{COMPILERS, build_command, extension, list_build_folder};

/// File extensions that an interpreter runs.
const SCRIPTS: [&str; 11] =
    ["py", "js", "mjs", "sh", "java", "jar", "rb", "pl", "lua", "php", "ts"];

/// Interpreters, which run the file given first, without version numbers.
const INTERPRETERS: [&str; 14] = [
    "python", "pypy", "node", "sh", "bash", "dash", "zsh", "java", "ruby", "perl", "lua", "php",
    "deno", "bun",
];

/// The error that `path`, shown as `shown`, is a source file given as a program; `None` if it is
/// not one.
pub(super) fn missing_compiled_program(path: &Path, shown: &str) -> Option<InvalidValue> {
    let command = build_command(path).filter(|_| path.is_file())?;
    Some(InvalidValue::new(
        format!("`{}` is source code, not a program", shown.escape_debug()),
        format!("build it with `{command}`, then pass the compiled program instead"),
    ))
}

/// The error that `dir` contains no `word`; `what` says what it was meant to be.
pub(super) fn missing_program(what: &str, word: &str, dir: &Path) -> InvalidValue {
    let path = Path::new(word);
    let folder = path.parent().map_or(dir.to_owned(), |parent| dir.join(parent));
    let names = list_build_folder(&folder);
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or(word);
    let help = match find_similar_word(name, names.iter().map(String::as_str)) {
        Some(other) if other != name => {
            format!("did you mean `{}`?", path.with_file_name(other).display())
        }
        _ => format!("it should be in `{}`", dir.display()),
    };
    InvalidValue::new(format!("cannot find the {what} `{}`", word.escape_debug()), help)
}

/// Whether `word` looks like the name of a source file, not of a program.
pub(super) fn is_source_file_name(word: &str) -> bool {
    let known = |extension| {
        SCRIPTS.contains(&extension) || COMPILERS.iter().any(|(known, _)| *known == extension)
    };
    !word.contains(char::is_whitespace) && extension(word).is_some_and(known)
}

/// The script in a command for an interpreter, if `dir` contains no such file.
pub(super) fn missing_script<'a>(words: &'a [String], dir: &Path) -> Option<&'a str> {
    let (program, args) = words.split_first()?;
    let program = Path::new(program).file_name()?.to_str()?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !INTERPRETERS.contains(&program) {
        return None;
    }
    let mut is_value = false;
    let args = args.iter().take_while(|arg| !is_interpreter_code_option(arg)).filter(|arg| {
        let was_value = std::mem::replace(&mut is_value, interpreter_takes_value(program, arg));
        !was_value && !arg.starts_with('-')
    });
    // The values of options may come before the script.
    let mut files = args.filter(|arg| dir.join(arg).is_file() || is_source_file_name(arg));
    files.next().map(String::as_str).filter(|file| !dir.join(file).exists())
}

/// Whether this option of an interpreter takes the next argument, which then names no script: a list
/// of paths, a module, a setting.
fn interpreter_takes_value(program: &str, option: &str) -> bool {
    let options: &[&str] = match program {
        "java" => &["-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules"],
        "node" => &["-r", "--require", "--import", "--loader", "-C", "--conditions"],
        "python" | "pypy" => &["-W", "-X"],
        "ruby" => &["-r", "-I", "-C"],
        "perl" => &["-I", "-M"],
        _ => &[],
    };
    options.contains(&option)
}

/// Whether an option is followed by code or a module instead of a file: `-c`, `-lc`, `-m`, `-e`.
fn is_interpreter_code_option(arg: &str) -> bool {
    arg == "--eval"
        || arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with(['c', 'e', 'm'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_entrants::test_folder::make_test_folder;

    #[test]
    fn the_script_of_an_interpreter_is_looked_for() {
        let dir = make_test_folder(&[("there.py", ""), ("there", "")]);
        let missing = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            missing_script(&words, dir.path()).map(str::to_owned)
        };
        for words in [
            "python3 there.py gone.py",
            "python3 there gone.py",
            "python3 -W ignore there.py",
            "python3 -m package.module",
            "sh -c gone.sh",
            "bash -lc gone.sh",
            "java -cp build Player",
            "java -cp .:lib.jar Player",
            "java -classpath lib.jar:. Player",
            "java --class-path lib.jar Player",
            "node --require gone.js there",
            "./own gone.py",
            "python3",
            "python3 .",
        ] {
            assert_eq!(missing(words), None, "{words}");
        }
        for words in ["python3 gone.py", "/usr/bin/python3.11 -u gone.py x", "java -jar gone.jar"] {
            assert!(missing(words).is_some_and(|file| file.starts_with("gone")), "{words}");
        }
    }

    #[test]
    fn similar_names_are_suggested() {
        let dir = make_test_folder(&[("player.py", "")]);
        let about = |word| missing_program("file", word, dir.path()).describe_argument("it");
        assert_eq!(
            about("playr.py"),
            "it: cannot find the file `playr.py`; did you mean `player.py`?"
        );
        let folder = dir.path().display();
        let expected = format!("it: cannot find the file `x/y.py`; it should be in `{folder}`");
        assert_eq!(about("x/y.py"), expected);
    }
}
