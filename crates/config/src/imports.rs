//! The modules beside a program that it imports. They belong to it as its main file does, though no
//! command names them.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use referee_record::bounded;

/// The most files to look into.
const MOST: usize = 200;
/// The most bytes of a file that is looked into.
const LONGEST: u64 = 4 << 20;
/// The ends of files that a JavaScript program may leave out.
const SCRIPT_ENDS: [&str; 6] = ["", ".js", ".mjs", ".cjs", ".json", "/index.js"];

/// The files and folders that the Python and JavaScript files among `names` import from their own
/// folders, and that these import in turn; all relative to `dir`, and without those in `names`. What a
/// program finds in other ways is not found here.
pub(super) fn imported(names: &[String], dir: &Path) -> Vec<String> {
    let mut known: BTreeSet<PathBuf> = names.iter().map(|name| plain(Path::new(name))).collect();
    let mut open: Vec<PathBuf> = known.iter().cloned().collect();
    let mut found = Vec::new();
    while let Some(file) = open.pop() {
        if known.len() > MOST {
            break;
        }
        for path in imports_of(&dir.join(&file), &file) {
            let path = plain(&path);
            if known.insert(path.clone()) {
                found.extend(path.to_str().map(str::to_owned));
                open.push(path);
            }
        }
    }
    found.sort_unstable();
    found
}

/// What the file at `path`, which is called `name`, imports, by names like its own.
fn imports_of(path: &Path, name: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(beside)) = (path.parent(), name.parent()) else { return Vec::new() };
    let text = || bounded::text(path, LONGEST).unwrap_or_default();
    let end = path.extension().and_then(|end| end.to_str());
    let is_python = end == Some("py");
    let (modules, ends): (BTreeSet<String>, &[&str]) = match end {
        Some("py") => (text().lines().flat_map(python_modules).collect(), &[".py"]),
        Some("js" | "mjs" | "cjs") => (script_modules(&text()), &SCRIPT_ENDS),
        _ => return Vec::new(),
    };
    let found = |module: &String| {
        let mut names = ends.iter().map(|end| format!("{module}{end}"));
        let file = names.find(|name| folder.join(name).is_file());
        let package = || (is_python && folder.join(module).is_dir()).then(|| module.clone());
        file.or_else(package).map(|name| beside.join(name))
    };
    modules.iter().filter_map(found).collect()
}

/// The first parts of the names of modules that a line of Python imports.
fn python_modules(line: &str) -> Vec<String> {
    let line = line.trim_start();
    let names = |list: &str| -> Vec<String> {
        let first = |name: &str| {
            name.trim_matches([' ', '(', ')']).split(['.', ' ']).next().map(str::to_owned)
        };
        let code = list.split('#').next().unwrap_or_default();
        code.split([',', ';']).filter_map(first).filter(|name| is_name(name)).collect()
    };
    if let Some(list) = line.strip_prefix("import ") {
        return names(list);
    }
    let Some(rest) = line.strip_prefix("from ") else { return Vec::new() };
    match rest.trim_start().split_once(" import ") {
        Some((module, list)) if module.trim() == "." => names(list),
        Some((module, _)) => names(module.trim().trim_start_matches('.')),
        None => Vec::new(),
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// The modules that a JavaScript program imports by a path from its folder, as it names them.
fn script_modules(text: &str) -> BTreeSet<String> {
    let quoted = |quote: char| text.split(quote).skip(1);
    let all = ['"', '\'', '`'].into_iter().flat_map(quoted);
    let is_path = |text: &&str| text.starts_with("./") && text.len() < 200 && !text.contains('\n');
    all.filter(is_path).map(str::to_owned).collect()
}

/// The same path without `.`.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_entrants::test_folder::folder;

    #[test]
    fn modules_are_found_beside_the_file_that_imports_them() {
        let dir = folder(&[
            (
                "bot.py",
                "import json, idea as it  # not other\nfrom engine.tree import Tree\nif 1:\n    from . import late\nimportant = 1\n",
            ),
            ("idea.py", "from .deep import (x)\n"),
            ("deep.py", "import bot\n"),
            ("late.py", ""),
            ("other.py", ""),
            ("json", "a file, no module"),
            ("engine/tree.py", "import deep"),
            ("play.js", "const a = require('./lib/a'); import b from \"./b.mjs\"; // other.py\n"),
            ("lib/a.js", "require('./c.json'); require('fs')"),
            ("lib/c.json", "{}"),
            ("b.mjs", ""),
        ]);
        let found = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            imported(&names, dir.path()).join(" ")
        };
        assert_eq!(found(&["bot.py"]), "deep.py engine idea.py late.py");
        assert_eq!(found(&["./bot.py", "idea.py"]), "deep.py engine late.py");
        assert_eq!(found(&["play.js"]), "b.mjs lib/a.js lib/c.json");
        assert_eq!(found(&["gone.py", "other.py"]), "");
        let above = dir.path().join("engine");
        assert_eq!(
            imported(&["../idea.py".to_owned()], &above).join(" "),
            "../bot.py ../deep.py ../engine ../late.py"
        );
    }
}
