//! The modules of the sources are in the order of `docs/architecture.md`, and no files of a folder
//! import each other in a circle.

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use sources::Sources;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Imports of the program's modules against the order of the page, as (from, to). An entry that is
/// no longer needed fails the test.
const UPWARD: &[(&str, &str)] = &[];
/// Folders, and those of their entries that import each other in a circle. A folder that no longer
/// has a circle fails the test.
const CIRCLES: &[(&str, &[&str])] = &[];
/// Modules that are not on the page yet, and those on the page that do not exist yet.
const UNLISTED: &[&str] = &[];
const TO_COME: &[&str] = &[];

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
/// The modules of the program without processes, threads and files. They may add up times.
const PURE_MODULES: &[&str] = &["model", "seeds", "referee", "replay", "schedule"];

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

/// The first cells of the table under a heading of the page: the names between backquotes.
fn table(heading: &str) -> Vec<Vec<String>> {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/architecture.md")).expect("the page");
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).expect(heading);
    let section = section.split("\n## ").next().expect("a section");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let first = |row: &str| row.split('|').nth(1).expect("a cell").to_owned();
    rows.map(|row| first(row).split('`').skip(1).step_by(2).map(str::to_owned).collect()).collect()
}

/// Fails when something was found that is not listed as open, or is listed and was not found.
fn agrees<T: Ord + std::fmt::Debug>(what: &str, found: &BTreeSet<T>, open: &BTreeSet<T>) {
    let new: Vec<_> = found.difference(open).collect();
    assert!(new.is_empty(), "{what}: {new:#?}");
    let done: Vec<_> = open.difference(found).collect();
    assert!(done.is_empty(), "{what}: no longer so, delete their entries: {done:#?}");
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
    let open = CIRCLES.iter().map(|(folder, _)| (*folder).to_owned()).collect();
    agrees("folders with circles", &found.keys().cloned().collect(), &open);
    for (folder, entries) in CIRCLES {
        let new: Vec<_> =
            found[*folder].iter().filter(|entry| !entries.contains(&entry.as_str())).collect();
        assert!(new.is_empty(), "{folder}: files in a circle: {new:?}");
    }
}

#[test]
fn modules_only_import_modules_above_them_on_the_page() {
    let order = table("Modules of the program").concat();
    let order: Vec<&str> = order.iter().map(String::as_str).collect();
    let sources = Sources::read(&Path::new(ROOT).join("src/lib.rs"));
    let graph = &graphs(&sources)["src"];
    let listed: BTreeSet<&str> = order.iter().copied().collect();
    let there: BTreeSet<&str> = graph.keys().map(String::as_str).collect();
    let of = |list: &[&'static str]| list.iter().copied().collect();
    agrees("modules not on the page", &there.difference(&listed).copied().collect(), &of(UNLISTED));
    agrees("modules not there", &listed.difference(&there).copied().collect(), &of(TO_COME));
    let upward = upward(graph, &order);
    agrees("imports of what stands below", &upward, &UPWARD.iter().copied().collect());
}

/// The imports of a module that comes later in the order.
fn upward<'a>(graph: &'a Graph, order: &[&str]) -> BTreeSet<(&'a str, &'a str)> {
    let place = |name: &str| order.iter().position(|listed| *listed == name);
    let imports = graph.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
    imports
        .map(|(from, to)| (from.as_str(), to.as_str()))
        .filter(|(from, to)| place(from).zip(place(to)).is_some_and(|(from, to)| from < to))
        .collect()
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
    let sources = Sources::read(&Path::new(ROOT).join("src/lib.rs"));
    let is_pure =
        |names: &[String]| names.first().is_some_and(|name| PURE_MODULES.contains(&&**name));
    let paths: Vec<_> = sources.others().filter(|(names, _)| is_pure(names)).collect();
    assert!(paths.len() > 100, "only {} paths were found", paths.len());
    for (names, path) in paths {
        let of_system = path[0] == "std" && SYSTEM.contains(&path[1].as_str());
        assert!(!of_system, "{} uses {}", names.join("::"), path.join("::"));
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
    let order = ["ant", "bee", "cat", "dog", "emu"];
    let expected = [("ant", "bee"), ("bee", "cat"), ("cat", "emu"), ("dog", "emu")];
    assert_eq!(upward(&graphs["src"], &order), expected.into());
}
