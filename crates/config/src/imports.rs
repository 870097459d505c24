//! The modules that a program imports. They belong to it as its main file does, though no command
//! names them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use referee_record::fingerprint::is_left_out_of_hash;
use referee_record::plain_files::read_plain_start;

/// The most modules of a program.
const MOST: usize = 200;
/// How much of a file is looked into, in bytes.
const LONGEST: u64 = 1 << 20;
/// What may follow the name of a module in JavaScript.
const SCRIPT_ENDS: [&str; 6] = ["", ".js", ".mjs", ".cjs", ".json", "/index.js"];
/// What stands before that name.
const SCRIPT_IMPORTS: [&str; 4] = ["require(", "import(", "import", "from"];

/// The modules that the Python or JavaScript program in the file `main` imports from the folder of that
/// file, also from one another, as names relative to `dir` like `main`. Files may be a stranger's, so
/// nothing outside that folder counts, wherever a link or a name leads.
pub(super) fn find_imported_modules(main: &str, dir: &Path) -> Vec<String> {
    let beside = Path::new(main).parent().unwrap_or(Path::new(""));
    let Ok(main) = dir.join(main).canonicalize() else { return Vec::new() };
    let Some(home) = main.parent() else { return Vec::new() };
    let (mut known, mut open) = (BTreeSet::from([main.clone()]), vec![main.clone()]);
    while let Some(file) = open.pop() {
        for path in find_file_imports(&file, home) {
            let Ok(path) = path.canonicalize() else { continue };
            if path.starts_with(home) && known.len() <= MOST && known.insert(path.clone()) {
                open.push(path);
            }
        }
    }
    known.remove(&main);
    let name = |path: &PathBuf| {
        let name = beside.join(path.strip_prefix(home).ok()?);
        name.to_str().map(str::to_owned)
    };
    known.iter().filter_map(name).collect()
}

/// The files that a file of the program in the folder `home` imports.
fn find_file_imports(file: &Path, home: &Path) -> Vec<PathBuf> {
    let Some(folder) = file.parent() else { return Vec::new() };
    let text = || {
        let bytes = read_plain_start(file, LONGEST).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    match file.extension().and_then(|end| end.to_str()) {
        Some("py") => {
            let modules: BTreeSet<String> = text()
                .lines()
                .flat_map(|line| line.split(';'))
                .flat_map(parse_python_imports)
                .collect();
            // Relative names start at the file, others at the main file.
            let places = BTreeSet::from([home, folder]);
            let files = |place: &Path| -> Vec<PathBuf> {
                modules.iter().flat_map(|module| python_module_files(place, module)).collect()
            };
            places.into_iter().flat_map(files).collect()
        }
        Some("js" | "mjs" | "cjs") => {
            let found = |module: &str| {
                let mut files = SCRIPT_ENDS.iter().map(|end| folder.join(format!("{module}{end}")));
                files.find(|file| file.is_file())
            };
            parse_javascript_imports(&text()).into_iter().filter_map(found).collect()
        }
        _ => Vec::new(),
    }
}

/// The files of the module of this name in a folder: a file, or all of a package.
fn python_module_files(folder: &Path, module: &str) -> Vec<PathBuf> {
    let (package, file) = (folder.join(module), folder.join(format!("{module}.py")));
    if file.is_file() && !package.join("__init__.py").is_file() {
        return vec![file];
    }
    let (mut files, mut folders) = (Vec::new(), vec![package]);
    while let Some(folder) = folders.pop().filter(|_| files.len() <= MOST) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            let name = entry.file_name();
            if name.to_str().is_none_or(is_left_out_of_hash) {
            } else if kind.is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "py") {
                files.push(path);
            }
        }
    }
    files
}

/// The first parts of the names of modules that a statement of Python imports.
fn parse_python_imports(statement: &str) -> Vec<String> {
    let names = |list: &str| -> Vec<String> {
        let first = |name: &str| {
            let name = name.trim_matches([' ', '(', ')', '\t']).split(['.', ' ']).next();
            name.filter(|name| is_module_name(name)).map(str::to_owned)
        };
        list.split('#').next().unwrap_or_default().split(',').filter_map(first).collect()
    };
    let statement = statement.trim_start();
    if let Some(list) = statement.strip_prefix("import ") {
        return names(list);
    }
    let Some(rest) = statement.strip_prefix("from ") else { return Vec::new() };
    match rest.trim_start().split_once(" import ") {
        Some((module, list)) if module.trim() == "." => names(list),
        Some((module, _)) => names(module.trim().trim_start_matches('.')),
        None => Vec::new(),
    }
}

fn is_module_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// The modules that a JavaScript program imports by a path, as it names them.
fn parse_javascript_imports(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for quote in ['"', '\'', '`'] {
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(quote) {
            rest = after;
            let is_import = SCRIPT_IMPORTS.iter().any(|word| before.trim_end().ends_with(word));
            let path = after.split_once(quote).map(|(path, _)| path).filter(|_| is_import);
            found.extend(path.filter(|path| path.starts_with("./") || path.starts_with("../")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_entrants::test_folder::make_test_folder;

    #[test]
    fn modules_of_python_are_found_beside_the_main_file() {
        let dir = make_test_folder(&[
            (
                "bot.py",
                "import json, idea as it  # not other\nfrom engine.tree import Tree\nif 1:\n    \
                 from . import late\nimport sys; import search\nimportant = 1\n",
            ),
            ("idea.py", "from .deep import (x)\n"),
            ("deep.py", "import bot\n"),
            ("late.py", ""),
            ("search.py", ""),
            ("search/__init__.py", "a package comes first"),
            ("other.py", ""),
            ("json", "a file, no module"),
            ("engine/tree.py", "import weights, leaf"),
            ("engine/leaf.py", ""),
            ("engine/notes.txt", ""),
            ("weights.py", ""),
        ]);
        let found = |main: &str| find_imported_modules(main, dir.path()).join(" ");
        let all = "deep.py engine/leaf.py engine/tree.py idea.py late.py search/__init__.py \
                   weights.py";
        assert_eq!(found("bot.py"), all);
        assert_eq!((found("other.py"), found("gone.py")), (String::new(), String::new()));
        let below = find_imported_modules("../idea.py", &dir.path().join("engine"));
        let all = "../bot.py ../deep.py ../engine/leaf.py ../engine/tree.py ../late.py \
                   ../search/__init__.py ../weights.py";
        assert_eq!(below.join(" "), all);
    }

    #[test]
    fn modules_of_javascript_are_found_where_it_says() {
        let dir = make_test_folder(&[
            (
                "play.js",
                "const a = require('./ai/a'); import b from \"./b.mjs\";\nlog(\"./debug.log\");\n",
            ),
            ("ai/a.js", "require( '../util/c.json' ); require('fs')"),
            ("util/c.json", "{}"),
            ("b.mjs", "await import(`./late`)"),
            ("late/index.js", ""),
            ("debug.log", "written by the player"),
        ]);
        let found = find_imported_modules("play.js", dir.path()).join(" ");
        assert_eq!(found, "ai/a.js b.mjs late/index.js util/c.json");
    }

    #[test]
    fn nothing_outside_the_folder_of_the_program_is_a_module() {
        use std::os::unix::fs::symlink;
        let dir = make_test_folder(&[
            ("mine/bot.py", "import link, tree\nfrom .. import other\n"),
            ("mine/bot.js", "require('../other.json'); require('./../mine/../other.json')"),
            ("other.py", ""),
            ("other.json", ""),
            ("outside/__init__.py", ""),
        ]);
        symlink(dir.path().join("other.py"), dir.path().join("mine/link.py")).expect("a link");
        symlink(dir.path().join("outside"), dir.path().join("mine/tree")).expect("a link");
        symlink("nowhere", dir.path().join("mine/gone.py")).expect("a link");
        for main in ["mine/bot.py", "mine/bot.js"] {
            assert_eq!(find_imported_modules(main, dir.path()), Vec::<String>::new(), "{main}");
        }
    }
}
