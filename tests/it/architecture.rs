//! The crates depend on each other as `docs/architecture.md` says, and no files of a folder import
//! each other in a circle.

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use sources::Sources;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Types that have the same name in several places, and why.
const SHARED_NAMES: &[(&str, &str)] = &[
    ("Action", "every game has its own"),
    ("Board", "every game has its own"),
    ("Rules", "every game has its own"),
    ("Snapshot", "every game has its own"),
    ("State", "every game has its own"),
];

/// The crates without processes, threads, clocks and files.
const PURE: &[&str] = &["games", "protocol", "ratings"];
/// The modules of other crates without processes, threads and files. They may add up times.
const PURE_MODULES: &[(&str, &[&str])] = &[
    ("record", &["model", "seeds"]),
    ("match", &["referee", "replay"]),
    ("tournament", &["schedule"]),
];

/// Which entries of a folder refer to which others; a folder is one entry with its own file.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The graphs of a crate by folder, `src` for that of its root.
fn graphs(sources: &Sources) -> BTreeMap<String, Graph> {
    let mut graphs: BTreeMap<String, Graph> = BTreeMap::new();
    for names in sources.modules().filter(|names| !names.is_empty()) {
        let (name, folder) = names.split_last().expect("it is not the root");
        graphs.entry(folder_of(folder)).or_default().entry(name.clone()).or_default();
    }
    for (from, targets) in sources.references() {
        for to in targets {
            let common = from.iter().zip(&to).take_while(|(from, to)| from == to).count();
            if let (Some(from_entry), Some(to_entry)) = (from.get(common), to.get(common)) {
                let graph = graphs.entry(folder_of(&from[..common])).or_default();
                graph.entry(from_entry.clone()).or_default().insert(to_entry.clone());
            }
        }
    }
    graphs
}

fn folder_of(names: &[String]) -> String {
    [&["src".to_owned()], names].concat().join("/")
}

/// The entries that can be reached from `start` by at least one import.
fn reachable<'a>(graph: &'a Graph, start: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![start.to_owned()];
    while let Some(entry) = open.pop() {
        for next in graph.get(&entry).into_iter().flatten() {
            if found.insert(next.as_str()) {
                open.push(next.clone());
            }
        }
    }
    found
}

/// The entries from which a chain of imports leads back to them.
fn circle(graph: &Graph) -> Vec<&str> {
    graph
        .keys()
        .map(String::as_str)
        .filter(|entry| reachable(graph, entry).contains(entry))
        .collect()
}

/// The root files of all crates, by the folder of the crate.
fn crates() -> Vec<(String, PathBuf)> {
    let root = Path::new(ROOT);
    let mut found = vec![("src".to_owned(), root.join("src/lib.rs"))];
    for entry in fs::read_dir(root.join("crates")).expect("crates").flatten() {
        let name = entry.file_name().into_string().expect("a plain name");
        found.push((format!("crates/{name}/src"), entry.path().join("src/lib.rs")));
    }
    found.sort();
    found
}

/// The workspace's crates and what they depend on, as Cargo says; the program is `program`.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--locked", "--format-version", "1"])
        .current_dir(ROOT)
        .output()
        .expect("cargo starts");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let short = |name: &Value| match name.as_str().expect("a name") {
        "referee" => Some("program".to_owned()),
        name => name.strip_prefix("referee-").map(str::to_owned),
    };
    let packages = metadata["packages"].as_array().expect("packages").iter();
    let of_package = |package: &Value| {
        let all = package["dependencies"].as_array().expect("dependencies").iter();
        let own = all.filter(|dependency| dependency["kind"].is_null());
        let own = own.filter_map(|dependency| short(&dependency["name"])).collect();
        (short(&package["name"]).expect("a crate of the project"), own)
    };
    packages.map(of_package).collect()
}

/// The part of the page under a heading.
fn section(heading: &str) -> String {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/architecture.md")).expect("the page");
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).expect(heading);
    section.split("\n## ").next().expect("a section").to_owned()
}

#[test]
fn the_crates_depend_on_each_other_as_the_page_says() {
    let section = section("Crates");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let on_the_page: BTreeMap<String, BTreeSet<String>> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split('|').collect();
            (cells[1].trim().trim_matches('`').to_owned(), names(cells[3]))
        })
        .collect();
    assert_eq!(on_the_page, dependencies());
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
fn no_files_of_a_folder_import_each_other_in_a_circle() {
    let mut found = BTreeMap::new();
    let mut folders = 0;
    for (name, root) in crates() {
        for (folder, graph) in graphs(&Sources::read(&root)) {
            folders += 1;
            let circle: BTreeSet<String> = circle(&graph).into_iter().map(str::to_owned).collect();
            if !circle.is_empty() {
                found.insert(folder.replacen("src", &name, 1), circle);
            }
        }
    }
    assert!(folders > 20, "only {folders} folders were found");
    assert!(found.is_empty(), "folders with circles: {found:#?}");
}

/// Otherwise "go to definition" and searches for a name are ambiguous.
#[test]
fn every_type_has_a_name_of_its_own() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, root) in crates() {
        for (module, of_type) in Sources::read(&root).types() {
            let place = format!("{name}: {}", module.join("::"));
            places.entry(of_type.clone()).or_default().push(place);
        }
    }
    assert!(places.len() > 300, "only {} types were found", places.len());
    places.retain(|_, places| places.len() > 1);
    for (name, _) in SHARED_NAMES {
        let shared = places.remove(*name);
        assert!(shared.is_some(), "no longer shared, delete its entry: {name}");
    }
    assert!(places.is_empty(), "types with the same name: {places:#?}");
}

#[test]
fn the_pure_crates_touch_no_system() {
    const SYSTEM: &[&str] = &["fs", "process", "net", "env", "thread", "time", "io", "os"];
    for name in PURE {
        let sources = Sources::read(&Path::new(ROOT).join("crates").join(name).join("src/lib.rs"));
        let paths: Vec<_> = sources.others().collect();
        assert!(paths.len() > 20, "{name}: only {} paths were found", paths.len());
        for (names, path) in paths {
            let of_system = path[0] == "std" && SYSTEM.contains(&path[1].as_str());
            assert!(!of_system, "{name}: {} uses {}", names.join("::"), path.join("::"));
        }
    }
}

#[test]
fn the_pure_modules_touch_no_system() {
    const SYSTEM: &[&str] = &["fs", "process", "net", "env", "thread", "io", "os"];
    for (name, modules) in PURE_MODULES {
        let sources = Sources::read(&Path::new(ROOT).join("crates").join(name).join("src/lib.rs"));
        let is_pure =
            |names: &[String]| names.first().is_some_and(|name| modules.contains(&&**name));
        let paths: Vec<_> = sources.others().filter(|(names, _)| is_pure(names)).collect();
        assert!(paths.len() > 20, "{name}: only {} paths were found", paths.len());
        for (names, path) in paths {
            let of_system = path[0] == "std" && SYSTEM.contains(&path[1].as_str());
            assert!(!of_system, "{} uses {}", names.join("::"), path.join("::"));
        }
    }
}

/// The violations that the test finds in made-up sources.
#[test]
fn the_architecture_test_finds_violations_in_made_up_sources() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    };
    write(
        "lib.rs",
        "mod ant;\nmod bee;\n#[path = \"cat/elsewhere.rs\"]\nmod cat;\nmod dog;\nmod emu;\n\
         #[cfg(test)]\nmod tests { use crate::none; }\npub struct Shared;\n",
    );
    // Items of the root belong to no module; comments, strings and tests do not count.
    write(
        "ant.rs",
        "use crate::{Shared, bee::{self, Hive as Home}};\n// use crate::cat;\n\
         const TEXT: &str = \"use crate::dog;\";\n\
         #[cfg(test)]\nmod tests {\n    use crate::emu::Egg;\n}\n",
    );
    write("bee.rs", "pub struct Hive;\nfn f() { let x = vec![crate::cat::Paw { }]; }\n");
    // Through a name that `dog` re-exports, and one in a string of an attribute.
    write("cat/elsewhere.rs", "use crate::dog::Egg;\npub struct Paw;\n");
    write("dog.rs", "mod bark;\nmod tail;\npub use crate::emu::Egg;\npub use self::bark::*;\n");
    write("dog/bark.rs", "use super::Wag;\nuse super::tail;\npub struct Loud;\n");
    write("dog/tail.rs", "mod inner { pub struct X; use super::super::Loud; }\nuse super::Deep;\n");
    write("emu.rs", "#[serde(with = \"crate::ant\")]\npub struct Egg;\n");
    let graphs = graphs(&Sources::read(&folder.path().join("lib.rs")));
    let edges = |folder: &str| -> Vec<String> {
        let edges = graphs[folder]
            .iter()
            .flat_map(|(from, to)| to.iter().map(move |to| format!("{from} {to}")));
        edges.collect()
    };
    assert_eq!(edges("src"), ["ant bee", "bee cat", "cat emu", "dog emu", "emu ant"]);
    assert_eq!(circle(&graphs["src"]), ["ant", "bee", "cat", "emu"]);
    assert_eq!(edges("src/dog"), ["bark tail", "tail bark"]);
    assert_eq!(circle(&graphs["src/dog"]), ["bark", "tail"]);
    let sources = Sources::read(&folder.path().join("lib.rs"));
    let types: Vec<&str> = sources.types().map(|(_, name)| name.as_str()).collect();
    assert_eq!(types, ["Shared", "Hive", "Paw", "Loud", "X", "Egg"]);
}
