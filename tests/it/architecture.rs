//! The crates are those of `docs/architecture.md`, each above what it depends on, and the pure ones
//! touch no system.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What pure code does not use: processes, threads, files and the network.
const SYSTEM: &[&str] = &["fs", "process", "net", "env", "thread", "io", "os"];
/// The pure crates. They do not look at clocks either.
const PURE: &[&str] = &["games", "protocol", "ratings"];
/// The pure parts of other crates. They may add up times.
const PURE_MODULES: &[&str] = &[
    "record/src/model",
    "record/src/seeds",
    "match/src/referee",
    "match/src/replay",
    "tournament/src/schedule",
];

/// The crates that others may use.
const PUBLIC: [&str; 6] =
    ["containment", "games", "protocol", "ratings", "rules-program", "sandbox"];

/// The workspace's packages, as Cargo says.
fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--locked", "--format-version", "1"])
        .current_dir(ROOT)
        .output()
        .expect("cargo starts");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// A crate of the project by its short name; the program is `program`.
fn short(name: &Value) -> Option<String> {
    match name.as_str().expect("a name") {
        "referee" => Some("program".to_owned()),
        name => name.strip_prefix("referee-").map(str::to_owned),
    }
}

/// The workspace's crates and what they depend on.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let of_package = |package: &Value| {
        let all = package["dependencies"].as_array().expect("dependencies").iter();
        let own = all.filter(|dependency| dependency["kind"].is_null());
        let own = own.filter_map(|dependency| short(&dependency["name"])).collect();
        (short(&package["name"]).expect("a crate of the project"), own)
    };
    packages().iter().map(of_package).collect()
}

/// The part of the page under a heading.
fn section(heading: &str) -> String {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/architecture.md")).expect("the page");
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).expect(heading);
    section.split("\n## ").next().expect("a section").to_owned()
}

#[test]
fn the_page_lists_every_crate() {
    let section = section("Crates");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let on_the_page: BTreeSet<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    let crates = dependencies();
    assert_eq!(on_the_page, crates.keys().map(String::as_str).collect());
}

#[test]
fn in_the_drawing_every_crate_stands_above_those_it_depends_on() {
    let section = section("Crates");
    let drawing = section.split("```").nth(1).expect("a drawing");
    let floor = |name: &str| {
        let has_name = |line: &str| line.split([' ', '─', '│']).any(|word| word == name);
        drawing.lines().position(has_name).unwrap_or_else(|| panic!("{name} is not drawn"))
    };
    for (above, below) in dependencies() {
        for below in below {
            assert!(floor(&above) < floor(&below), "{above} must stand above {below}");
        }
    }
}

#[test]
fn public_crates_need_no_others_and_say_what_they_are_for() {
    let published: BTreeSet<String> = packages()
        .iter()
        .filter(|package| package["publish"].is_null())
        .inspect(|package| assert_eq!(package["readme"], "README.md", "{}", package["name"]))
        .filter_map(|package| short(&package["name"]))
        .collect();
    assert_eq!(published, PUBLIC.map(str::to_owned).into());
    for (name, needed) in dependencies() {
        let is_public = published.contains(&name);
        assert!(!is_public || needed.is_subset(&published), "{name} needs {needed:?}");
    }
}

/// The Rust files at `path`, in a folder or beside it, except those for tests.
fn sources(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        [path.with_extension("rs")].into_iter().filter(|it| it.exists()).collect();
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
    let is_test = |path: &PathBuf| {
        path.components().any(|it| it.as_os_str() == "tests" || it.as_os_str() == "tests.rs")
    };
    found.retain(|path| !is_test(path));
    found
}

/// Checks that the sources at `path` do not name these modules of the standard library. Tests are
/// at the end of each file.
fn check_purity(path: &str, system: &[&str]) {
    let files = sources(&Path::new(ROOT).join("crates").join(path));
    assert!(!files.is_empty(), "no file at {path}");
    for file in files {
        let text = fs::read_to_string(&file).expect("a source");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for module in system {
                let is_used = line.contains(&format!("std::{module}"));
                assert!(!is_used, "{}: {line}", file.display());
            }
        }
    }
}

#[test]
fn the_pure_crates_and_modules_touch_no_system() {
    for name in PURE {
        check_purity(&format!("{name}/src"), &[SYSTEM, &["time"]].concat());
    }
    for path in PURE_MODULES {
        check_purity(path, SYSTEM);
    }
}
