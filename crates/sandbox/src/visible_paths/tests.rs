//! What a process sees: the three sources, and what a submission tries to add to them.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

/// A machine with players, a person's folder and installations.
struct Machine {
    _dir: tempfile::TempDir,
    top: PathBuf,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let top = dir.path().canonicalize().expect("a path");
        let machine = Self { _dir: dir, top };
        machine.file("cup/bob/player", "binary");
        machine.file("prof/bin/tool", "binary");
        machine.file("prof/lib/secret", "text");
        machine.file("opt/jdk/bin/java", "binary");
        machine.file("opt/jdk/lib/modules", "text");
        machine.file("opt/jdk/conf/security", "text");
        machine.file("cup/ann/player.py", "print()");
        fs::write(machine.at("prof/key"), "secret").expect("a file");
        machine
    }

    fn at(&self, name: &str) -> PathBuf {
        self.top.join(name)
    }

    /// An executable file.
    fn file(&self, name: &str, text: &str) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("its owner");
    }

    fn link(&self, name: &str, target: &str) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
        symlink(target, path).expect("a link");
    }

    /// What ann's player sees besides its own folder, by names in the machine.
    fn seen_by(&self, program: &str, path: &[&str], listed: &[&str]) -> Vec<String> {
        let search = std::env::join_paths(path.iter().map(|name| self.at(name))).expect("a list");
        let command = Command {
            program: self.at(program),
            dir: self.at("cup/ann"),
            env: BTreeMap::from([("PATH".to_owned(), search.into_string().expect("text"))]),
            readable: listed.iter().map(|name| self.at(name)).collect(),
            ..Command::default()
        };
        let hidden = ["cup/ann", "cup/bob", "cup/results"].map(|name| self.at(name));
        let found = VisiblePaths::for_command(&command, Program::Here(&command.program), &hidden);
        let own = self.at("cup/ann");
        assert!(found.shown.contains(&own));
        let others = found.shown.iter().filter(|path| **path != own);
        let name = |path: &PathBuf| match path.strip_prefix(&self.top) {
            Ok(name) => name.display().to_string(),
            Err(_) => path.display().to_string(),
        };
        others.map(name).collect()
    }
}

const NOTHING: [&str; 0] = [];

#[test]
fn the_first_line_of_a_submission_shows_nothing_of_others() {
    let machine = Machine::new();
    machine.file("opt/tools/bin/helper", &format!("#!{}\n", machine.at("prof").display()));
    machine.file("cup/ann/followed", &format!("#!{}\n", machine.at("prof").display()));
    machine.file("prof/project/bin/run", "binary");
    machine.file("prof/project/lib/x", "text");
    machine.link("cup/ann/python3", "../../prof/key");
    machine.link("cup/ann/sub", "../../prof");
    let top = machine.top.display();
    for line in [
        format!("/usr/bin/env -S -u {top}/prof/key python3"),
        format!("/usr/bin/env --unset {top}/prof/key python3"),
        format!("/usr/bin/env {top}/prof/key"),
        format!("/usr/bin/env {top}/cup/bob/player"),
        format!("/usr/bin/env X={top}/prof/key python3"),
        format!("{top}/prof/key"),
        format!("{top}/prof"),
        format!("{top}/prof/bin/tool"),
        format!("{top}/prof/project/bin/run"),
        format!("{top}/opt/tools/bin/helper"),
        format!("{top}/cup/bob/player"),
        format!("{top}/cup/ann/../bob/player"),
        format!("{top}/cup/ann/followed"),
        format!("{top}/cup/ann/python3"),
        format!("{top}/cup/ann/sub/bin/tool"),
        format!("/usr/bin/../..{top}/prof/bin/tool"),
        "../bob/player".to_owned(),
        "./followed".to_owned(),
        "sub/bin/tool".to_owned(),
        "/proc/self/cwd/../bob/player".to_owned(),
        format!("/proc/self/root{top}/prof/bin/tool"),
        "/usr/bin/env tool".to_owned(),
        "/usr/bin/env player".to_owned(),
    ] {
        machine.file("cup/ann/player", &format!("#!{line}\n"));
        assert_eq!(machine.seen_by("cup/ann/player", &["cup/bob"], &[]), NOTHING, "{line}");
    }
}

#[test]
fn links_in_a_submission_show_nothing_of_others() {
    let machine = Machine::new();
    for (name, target) in [
        ("player", "../bob/player"),
        ("bin/player", "../../../prof/bin/tool"),
        ("data", "../../prof"),
        ("key", "../../prof/key"),
    ] {
        machine.link(&format!("cup/ann/{name}"), target);
    }
    machine.file("cup/ann/pyvenv.cfg", "");
    let listed = ["cup/ann/data", "cup/ann/key", "cup/ann/data/key", "cup/ann/."];
    for program in ["cup/ann/player", "cup/ann/bin/player", "cup/ann/data/bin/tool"] {
        assert_eq!(machine.seen_by(program, &[], &listed), NOTHING, "{program}");
    }
}

#[test]
fn what_the_organiser_names_is_shown_with_its_installation() {
    let machine = Machine::new();
    let jdk = ["opt/jdk/bin", "opt/jdk/conf", "opt/jdk/lib"];
    assert_eq!(machine.seen_by("opt/jdk/bin/java", &[], &[]), jdk);
    assert_eq!(machine.seen_by("prof/bin/tool", &[], &["prof/key"])[1..], ["prof/key", "prof/lib"]);
    machine.file("engines/bin/one", "binary");
    machine.file("engines/bin/two", "binary");
    assert_eq!(machine.seen_by("engines/bin/one", &[], &[]), ["engines/bin/one"]);
    assert_eq!(machine.seen_by("cup/ann/player.py", &[], &["cup/bob"]), ["cup/bob"]);
    assert_eq!(machine.seen_by("cup/bob/player", &[], &[]), ["cup/bob/player"]);
}

#[test]
fn a_submission_reaches_the_installations_in_the_path() {
    let machine = Machine::new();
    machine.file("venv/pyvenv.cfg", "");
    machine.file("python/bin/python3.12", "binary");
    machine.file("python/lib/os.py", "text");
    machine.file("python/secret", "text");
    machine.link("venv/bin/python3", "../../python/bin/python3.12");
    machine.file("cup/ann/player", "#!/usr/bin/env python3\n");
    let python = ["python/bin", "python/lib", "venv/bin", "venv/pyvenv.cfg"];
    assert_eq!(machine.seen_by("cup/ann/player", &["venv/bin"], &[]), python);
    machine.file("cup/ann/player", &format!("#!{}\n", machine.at("venv/bin/python3").display()));
    assert_eq!(machine.seen_by("cup/ann/player", &["venv/bin"], &[]), python);
    assert_eq!(machine.seen_by("cup/ann/player", &[], &[]), NOTHING);
    // A virtual environment of its own, of an interpreter in the PATH.
    machine.link("cup/ann/venv/bin/python3", "../../../../python/bin/python3.12");
    let installed = &python[..2];
    assert_eq!(machine.seen_by("cup/ann/venv/bin/python3", &["python/bin"], &[]), installed);
    machine.link("names/python3.12", "../python/bin/python3.12");
    let named = ["names/python3.12", "python/bin", "python/lib"];
    machine.file("cup/ann/player", "#!/usr/bin/env python3.12\n");
    assert_eq!(machine.seen_by("cup/ann/player", &["names"], &[]), named);
    assert_eq!(machine.seen_by("cup/ann/venv/bin/python3", &["names"], &[]), installed);
    // A folder of the player in its own PATH is not an installation.
    machine.file("cup/ann/player", "#!/usr/bin/env python3\n");
    assert_eq!(machine.seen_by("cup/ann/player", &["cup/ann/venv/bin"], &[]), NOTHING);
}

#[test]
fn a_folder_of_programs_shows_a_whole_installation_only_if_nothing_else_is_there() {
    let machine = Machine::new();
    machine.file("cup/ann/player", "#!/usr/bin/env tool\n");
    let jdk = ["opt/jdk/bin", "opt/jdk/conf", "opt/jdk/lib"];
    machine.file("opt/jdk/bin/tool", "binary");
    assert_eq!(machine.seen_by("cup/ann/player", &["opt/jdk/bin"], &[]), jdk);
    machine.file("cup/bin/tool", "binary");
    machine.file("cup/lib/x", "text");
    assert_eq!(machine.seen_by("cup/ann/player", &["cup/bin"], &[]), ["cup/bin/tool"]);
    machine.file("cup/results/bin/tool", "binary");
    assert_eq!(machine.seen_by("cup/ann/player", &["cup/results/bin"], &[]), NOTHING);
    // Go has its sources beside its programs, and so may a person.
    machine.file("go/bin/tool", "binary");
    machine.file("go/src/x", "text");
    assert_eq!(machine.seen_by("cup/ann/player", &["go/bin"], &[]), ["go/bin"]);
    machine.file("go/VERSION", "go1.22");
    let go = ["go/VERSION", "go/bin", "go/src"];
    assert_eq!(machine.seen_by("cup/ann/player", &["go/bin"], &[]), go);
    machine.file("maven/bin/tool", "binary");
    machine.file("maven/boot/launcher.jar", "text");
    let maven = ["maven/bin", "maven/boot"];
    assert_eq!(machine.seen_by("cup/ann/player", &["maven/bin"], &[]), maven);
}

#[test]
fn the_deeper_of_two_paths_decides() {
    let paths =
        |names: &[&'static str]| names.iter().map(|&name| Path::new(name)).collect::<Vec<_>>();
    let visible = VisiblePaths::example(
        &paths(&["/cup", "/cup/league/ann/1", "/opt/jdk", "/usr/share/x"]),
        &paths(&["/cup/league", "/cup/league/ann", "/home", "/opt/jdk", "/usr", "/usr/cup", "/x"]),
    );
    let shown = |path| VisibleLayer::Shown(Path::new(path));
    let hidden = |path| VisibleLayer::Hidden(Path::new(path));
    assert_eq!(
        visible.layers(),
        [
            shown("/cup"),
            hidden("/cup/league"),
            shown("/cup/league/ann/1"),
            hidden("/home"),
            shown("/opt/jdk"),
            hidden("/usr/cup"),
            hidden("/x"),
        ]
    );
    let others = [PathBuf::from("/x"), PathBuf::from("/cup/bob")];
    let shown = BTreeSet::from([PathBuf::from("/cup")]);
    let hidden = VisiblePaths::new(shown, Vec::new(), &others, is_system_path).hidden;
    assert_eq!(hidden, BTreeSet::from([others[1].clone()]), "no more than necessary");
    assert!(visible.hides_in(Path::new("/usr")) && !visible.hides_in(Path::new("/us")));
    assert!(visible.shows_in(Path::new("/cup/league")));
}

#[test]
fn the_caller_sees_what_is_listed_and_what_it_starts() {
    let machine = Machine::new();
    let command = Command {
        readable: vec![machine.at("cup/ann")],
        starts: vec![machine.at("opt/jdk/bin/java"), PathBuf::from("/bin/sh")],
        ..Command::new("/proc/self/exe")
    };
    let found = VisiblePaths::for_command(&command, Program::Caller, &[machine.at("cup")]);
    let names: Vec<&Path> =
        found.shown.iter().map(|path| path.strip_prefix(&machine.top).expect("below")).collect();
    assert_eq!(names, ["cup/ann", "opt/jdk/bin", "opt/jdk/conf", "opt/jdk/lib"].map(Path::new));
}

#[test]
fn of_a_folder_that_a_stranger_chose_only_listed_files_are_seen() {
    let machine = Machine::new();
    machine.file("cup/ann/x.py", "");
    machine.file("cup/ann/secret", "");
    machine.link("cup/ann/link.py", "secret");
    machine.link("cup/ann/lib", ".");
    let listed = ["x.py", "link.py", "lib/secret"];
    let command = Command {
        program: machine.at("opt/jdk/bin/java"),
        dir: machine.at("cup/ann"),
        view: DirView::Listed,
        readable: listed.iter().map(|name| machine.at("cup/ann").join(name)).collect(),
        ..Command::default()
    };
    let found = VisiblePaths::for_command(&command, Program::Here(&command.program), &[]);
    let own: Vec<_> = found.shown.iter().filter(|it| it.starts_with(machine.at("cup"))).collect();
    assert_eq!(own, [&machine.at("cup/ann/x.py")]);
}
