//! How a program is started, and the one place that decides it.
//!
//! The order is: what the organiser wrote (a `command`, `uci`, `gtp` or `bot`, which is not looked at
//! here), what the author named, what is ready, what can be built. The table under *Starting a
//! player* in `docs/players.md` has an example of each, and the tests follow it.

use std::path::{Path, PathBuf};

use super::build_plan::BuildPlan;
use super::build_rules::BuildRules;
use super::detection::{detect_after_build, detect_candidates};
use super::start_command::StartCommand;

/// How a submission is started, as far as known.
#[derive(Debug)]
pub struct StartDecision {
    /// The possible ways; it is decided if there is one.
    pub found: Vec<StartCommand>,
    /// The build that it needs, if any. Without a result, `found` is what was ready before.
    pub build: Option<BuildState>,
}

/// A submission's build, as far as it got.
#[derive(Debug)]
pub struct BuildState {
    /// The thing to build.
    pub plan: BuildPlan,
    /// The folder with the result.
    pub dir: Option<PathBuf>,
    /// The file with its output, if it has been tried.
    pub log: Option<PathBuf>,
}

impl BuildState {
    /// How far the build of `plan` under these rules has got.
    pub fn find(rules: &BuildRules, plan: BuildPlan) -> Self {
        // If the sources cannot be read, the build says so.
        let key = rules.cache_key(&plan).ok();
        let dir = key.as_ref().and_then(|key| rules.cached_result(key));
        let log = key.map(|key| rules.cached_log(&key)).filter(|log| log.is_file());
        Self { plan, dir, log }
    }
}

/// Decides how the submission at `path`, a file or a folder, is started. With `rules`, it is built
/// if it needs that.
pub fn decide_start(path: &Path, rules: Option<&BuildRules>) -> StartDecision {
    let build = rules
        .filter(|_| path.is_dir())
        .and_then(|rules| Some(BuildState::find(rules, rules.plan(path)?)));
    let result = build.as_ref().and_then(|build| Some((&build.plan, build.dir.as_deref()?)));
    let found = match result {
        Some((plan, dir)) => detect_after_build(plan, dir),
        None => detect_candidates(path),
    };
    StartDecision { found, build }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::build_commands::find_build_commands;
    use super::super::detection::nearest_folder;
    use super::*;
    use referee_sandbox::Network;

    const DOCS: &str = include_str!("../../../docs/players.md");

    /// The cells of a row, each with its words in code.
    fn cells(row: &str) -> Vec<Vec<&str>> {
        row.trim_matches('|')
            .split('|')
            .map(|it| it.split('`').skip(1).step_by(2).collect())
            .collect()
    }

    /// A class with this name and a main method, as far as names say.
    fn class(name: &str) -> Vec<u8> {
        let mut bytes = b"\xca\xfe\xba\xbe\0\0\0\x34\0\x05".to_vec();
        for text in [name, "main", "([Ljava/lang/String;)V"] {
            bytes.push(1);
            bytes.extend(u16::try_from(text.len()).expect("short").to_be_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes.extend(b"\x07\0\x01\0\x21\0\x04");
        bytes
    }

    fn put(top: &Path, name: &str) {
        let path = top.join(name);
        fs::create_dir_all(path.parent().expect("in the folder")).expect("a folder");
        let package = |above: &str| {
            let folder = path.parent()?.strip_prefix(top.join(above)).ok()?.to_str()?;
            Some(folder.replace('/', "."))
        };
        match path.extension().and_then(|ending| ending.to_str()) {
            None if !name.ends_with("Makefile") => {
                fs::copy("/bin/sh", path).expect("copied");
            }
            Some("class") => {
                let above = ["target/classes", "src", "tools", ""];
                let package = above.into_iter().find_map(package).unwrap_or_default();
                let stem = path.file_stem().expect("a name").to_str().expect("text");
                let full = format!("{}/{stem}", package.replace('.', "/"));
                fs::write(&path, class(full.trim_start_matches('/'))).expect("written");
            }
            Some("java") => {
                let package = package("src").filter(|package| !package.is_empty());
                let text = package.map(|package| format!("package {package};\n"));
                fs::write(path, text.unwrap_or_default()).expect("written");
            }
            Some("json") => fs::write(path, "{\"main\": \"./game.js\"}").expect("written"),
            _ => fs::write(path, "").expect("written"),
        }
    }

    fn put_all(top: &Path, names: &[&str]) {
        for name in names {
            put(top, name);
        }
    }

    fn rules(cache: &Path) -> BuildRules {
        let rules = BuildRules::usual(cache);
        BuildRules { network: Network::Open, ..rules }
    }

    /// The start that is decided, and the folder it is in; `None` if nothing is.
    fn decided(source: &Path, rules: Option<&BuildRules>) -> Option<(String, String)> {
        let decision = decide_start(source, rules);
        let result = decision.build.and_then(|build| build.dir);
        let top = result.as_deref().unwrap_or(source);
        let [start] = &decision.found[..] else { return None };
        let below = start.dir.strip_prefix(top).expect("in it").display().to_string();
        Some((start.words.join(" "), if below.is_empty() { ".".to_owned() } else { below }))
    }

    #[test]
    fn every_row_of_the_documentation_holds() {
        let rows = DOCS.lines().skip_while(|line| !line.starts_with("| files | built"));
        let rows: Vec<_> = rows.skip(2).take_while(|line| line.starts_with('|')).collect();
        assert!(rows.len() > 15, "the table is there");
        for row in rows {
            let cells = cells(row);
            let [files, kind, adds, started, dir] = &cells[..] else { panic!("{row}") };
            let top = tempfile::tempdir().expect("a folder");
            let source = top.path().join("source");
            put_all(&source, files);
            let rules = rules(&top.path().join("results"));
            let expected = started.first().map(|words| ((*words).to_owned(), dir[0].to_owned()));
            let Some(kind) = kind.first() else {
                let rules = BuildRules { network: Network::Loopback, ..rules };
                assert_eq!(rules.plan(&source), None, "{row}");
                assert_eq!(decided(&source, Some(&rules)), expected, "{row}");
                continue;
            };
            let plan = rules.plan(&source).expect("a build");
            let of_kind =
                |dir: &Path| find_build_commands(dir).into_iter().find(|it| it.name == *kind);
            let (_, kind) = nearest_folder(&source, of_kind).expect("the kind");
            assert_eq!(plan.command, kind.command, "{row}");
            let result = rules.cache.join(rules.cache_key(&plan).expect("readable"));
            put_all(&result, files);
            put_all(&result, adds);
            assert_eq!(decided(&source, Some(&rules)), expected, "{row}");
        }
    }

    #[test]
    fn installed_libraries_are_found_from_the_folder_of_the_player() {
        let top = tempfile::tempdir().expect("a folder");
        let source = top.path().join("source");
        put_all(&source, &["requirements.txt", "src/bot.py"]);
        let rules = rules(&top.path().join("results"));
        let plan = rules.plan(&source).expect("a build");
        let result = rules.cache.join(rules.cache_key(&plan).expect("readable"));
        put_all(&result, &["src/bot.py", "site-packages/six.py"]);
        let start = decide_start(&source, Some(&rules)).found.pop().expect("one");
        assert_eq!(start.dir, result.join("src"));
        assert_eq!(start.env.get("PYTHONPATH").map(String::as_str), Some("../site-packages"));
    }
}
