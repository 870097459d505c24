//! What a submission sees: its own folder, and nothing that its first line, its links or an image
//! could add to that.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use libtest_mimic::Trial;

use super::cup::{PATH, STRICT, Way, is_root};
use crate::harness::{Lacks, quick, slow};
use crate::support::{Arena, Run, wait_until};

/// Plays only if it can open none of the files that it is told.
const SEEKER: &str = r#"
import os, sys
for path in os.environ["SOUGHT"].split(":"):
    try:
        open(path).close()
    except OSError:
        continue
    sys.exit("seen: " + path)
os.execv(os.environ["REFEREE"], [os.environ["REFEREE"], "bot", "greedy"])
"#;

pub(crate) fn tests() -> Vec<Trial> {
    let mut tests = Vec::new();
    for way in Way::CONTAINED {
        let run = move |test: fn(Way)| {
            move || {
                let lacks = way.lacks(&[]);
                if lacks.is_none() {
                    test(way);
                }
                lacks
            }
        };
        let name = |what: &str| format!("{}: {what}", way.name());
        let first_line = name("the_first_line_of_a_submission_shows_no_file");
        let borrowed = name("no_submission_plays_the_program_of_another");
        let first_line = if way == STRICT {
            quick(first_line, run(first_lines))
        } else {
            slow(first_line, run(first_lines))
        };
        tests.push(first_line);
        let results = name("no_player_sees_results_wherever_they_are");
        tests.push(if way == STRICT {
            quick(results, run(own_results))
        } else {
            slow(results, run(own_results))
        });
        tests.push(slow(borrowed, run(borrowed_programs)));
        let replaced = name("no_player_starts_in_a_folder_that_took_the_place_of_its_own");
        tests.push(slow(replaced, run(replaced_folders)));
        if way.is_strict() || way.has("mounts") && way.user.is_none() {
            tests.push(slow(name("a_child_sees_itself"), move || children(way)));
        }
        if way.mounts() {
            let shared = name("players_below_dev_shm_play");
            tests.push(slow(shared, run(in_shared_memory)));
        }
        if way.is_strict() {
            let images = name("links_in_an_image_lead_nowhere");
            tests.push(slow(images, run(images_of_strangers)));
        }
    }
    tests
}

/// A tournament of the submissions `ann` and `eve`, beside the folder of the organiser.
struct Cup {
    arena: Arena,
    way: Way,
    /// Where scratch folders lie.
    scratch: Option<&'static str>,
}

impl Cup {
    fn new(way: Way) -> Self {
        let cup = Self { arena: Arena::new(), way, scratch: None };
        fs::set_permissions(cup.arena.path(), Permissions::from_mode(0o755)).expect("its owner");
        if let Some(user) = way.user {
            chown(cup.arena.path(), Some(user), Some(user)).expect("root");
        }
        cup.program("home/bin/tool", "#!/bin/sh\nexec \"$REFEREE\" bot greedy\n");
        cup.file("home/key", "secret");
        cup.file("home/lib/secret", "secret");
        cup.program("subs/ann/player", "#!/bin/sh\nexec \"$REFEREE\" bot greedy\n");
        cup
    }

    fn at(&self, name: &str) -> String {
        self.arena.path().join(name).display().to_string()
    }

    fn file(&self, name: &str, text: &str) {
        let path = self.arena.path().join(name);
        fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn program(&self, name: &str, text: &str) {
        self.file(name, text);
        let path = self.arena.path().join(name);
        fs::set_permissions(path, Permissions::from_mode(0o755)).expect("its owner");
    }

    /// Plays with eve's keys in the configuration.
    fn play(&self, eve: &str) -> Run {
        let _ = fs::remove_dir_all(self.arena.path().join("results"));
        let sought = ["home/key", "home/lib/secret", "home/bin/tool", "subs/ann/player"];
        let sought: Vec<String> = sought.iter().map(|name| self.at(name)).collect();
        self.arena.write(
            "tournament.toml",
            &format!(
                "name = \"cup\"\ngame = \"watch-your-back\"\nquarantine = 0\n[options]\n\
                 max-moves = 4\n[containment]\nlevel = \"{}\"\n\
                 [[players]]\nname = \"ann\"\ncommand = [\"./player\"]\ndir = \"subs/ann\"\n\
                 [[players]]\nname = \"eve\"\ndir = \"subs/eve\"\n{eve}\n\
                 env = {{ SOUGHT = \"{}\" }}\n",
                self.way.level,
                sought.join(":")
            ),
        );
        self.referee(&["run", "--strict"])
    }

    fn referee(&self, args: &[&str]) -> Run {
        let output = self.command(args).output().expect("the referee runs");
        Run {
            code: output.status.code().expect("an exit code"),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.arena.command(args);
        for mechanism in self.way.without {
            command.args(["--without", mechanism]);
        }
        if let Some(user) = self.way.user {
            use std::os::unix::process::CommandExt;
            command.uid(user).gid(user);
        }
        command.env("PATH", PATH).stdin(Stdio::null());
        command.envs(self.scratch.map(|folder| ("TMPDIR", folder)));
        command
    }
}

const OWN: &str = "command = [\"./player\"]";

/// A process that the player starts can look at itself, as some runtimes do at their start.
fn children(way: Way) -> Lacks {
    let shares_user = !way.is_strict() && !is_root();
    let missing = || shares_user.then(|| "users of players: these tests do not run as root".into());
    let lacks = way.lacks(&["mounts"]).or_else(missing);
    if lacks.is_some() {
        return lacks;
    }
    let cup = Cup::new(way);
    let script =
        "#!/bin/sh\ncat /proc/self/maps > /dev/null || exit 1\nexec \"$REFEREE\" bot greedy\n";
    cup.program("subs/eve/player", script);
    let run = cup.play(OWN);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    None
}

/// Looks for results in its own folder, and plays unless it can open some.
const PEEPER: &str = r#"
import os, sys
for folder, _, names in os.walk("."):
    for name in {"secret", "games.jsonl", "lock"}.intersection(names):
        try:
            open(os.path.join(folder, name)).close()
        except OSError:
            continue
        sys.exit("seen: " + os.path.join(folder, name))
os.execv(os.environ["REFEREE"], [os.environ["REFEREE"], "bot", "greedy"])
"#;

/// Players without a folder of their own, whose folder is that of the configuration and the results.
fn own_results(way: Way) {
    let cup = Cup::new(way);
    for name in ["one.py", "two.py"] {
        cup.program(name, &format!("#!/usr/bin/python3\n{PEEPER}"));
    }
    fs::remove_dir_all(cup.at("home")).expect("removed");
    let configuration = |level: &str| {
        let player = |name: &str| {
            format!("[[players]]\nname = \"{name}\"\ncommand = [\"python3\", \"{name}.py\"]\n")
        };
        format!(
            "name = \"cup\"\ngame = \"watch-your-back\"\n[options]\nmax-moves = 4\n\
             [containment]\nlevel = \"{level}\"\n{}{}",
            player("one"),
            player("two")
        )
    };
    cup.arena.write("tournament.toml", &configuration(way.level));
    let at = cup.at("absolute");
    for results in ["results", "out", "deep/out", ".", &at] {
        let run = cup.referee(&["run", "--strict", "--results", results]);
        assert_eq!(run.code, 0, "{results}: {}{}", run.out, run.err);
        fs::remove_dir_all(cup.arena.path().join(results).join("cup")).expect("removed");
    }
    // Nor do players of a comparison, with and without a configuration.
    let compare = ["compare", "one.py", "two.py", "--max-pairs", "1", "--jobs", "1"];
    let level = ["--containment", way.level];
    for at in 0..2 {
        let run = cup.referee(&[&compare[..], &level].concat());
        assert!(!run.err.contains("seen: ") && !run.out.contains("fault"), "{at}: {run:?}");
        let _ = fs::remove_file(cup.at("tournament.toml"));
    }
    // `ask` has no `--without`.
    if way.without.is_empty() {
        let run = cup.referee(&["ask", "one.py", "--containment", way.level]);
        assert_eq!(run.code, 0, "{run:?}");
    }
    // They would have found it.
    cup.arena.write("tournament.toml", &configuration("off"));
    let run = cup.referee(&["run", "--strict", "--results", "off"]);
    assert_eq!(run.code, 1, "{run:?}");
}

/// `/dev/shm` is a part of the scratch folder, and players may lie there all the same, even where
/// scratch folders do.
fn in_shared_memory(way: Way) {
    let mut cup = Cup::new(way);
    let shared = tempfile::tempdir_in("/dev/shm").expect("a folder in shared memory");
    fs::set_permissions(shared.path(), Permissions::from_mode(0o755)).expect("its owner");
    let player = shared.path().join("player");
    let script = "#!/usr/bin/python3\nimport os\nopen('/dev/shm/own', 'w').close()\n\
                  open(os.environ['TMPDIR'] + '/own').close()\n\
                  os.execv(os.environ['REFEREE'], [os.environ['REFEREE'], 'bot', 'greedy'])\n";
    fs::write(&player, script).expect("a file");
    fs::set_permissions(&player, Permissions::from_mode(0o755)).expect("its owner");
    cup.program("subs/eve/player", "");
    let named = format!("[\"{}\"]", player.display());
    for folder in [None, Some("/dev/shm")] {
        cup.scratch = folder;
        let run = cup.play(&format!("command = [\"python3\", {}\nfiles = {named}", &named[1..]));
        assert_eq!(run.code, 0, "{folder:?}: {}{}", run.out, run.err);
    }
}

/// Another folder is in the place of a player's own while games are played, as an author can put it
/// there who may write to the folder above.
fn replaced_folders(way: Way) {
    let cup = Cup::new(way);
    let waits = "#!/bin/sh\nuntil [ -e go ]; do sleep 0.01; done\nexec \"$REFEREE\" bot greedy\n";
    cup.program("subs/eve/player", waits);
    cup.program("home/player", "#!/bin/sh\ncat key >&2\nexec \"$REFEREE\" bot greedy\n");
    let player =
        |name: &str| format!("[[players]]\nname = \"{name}\"\n{OWN}\ndir = \"subs/{name}\"\n");
    let configuration = format!(
        "name = \"cup\"\ngame = \"watch-your-back\"\n[options]\nmax-moves = 4\n\
         [clock]\nstartup = \"60s\"\n[containment]\nlevel = \"{}\"\n{}{}",
        way.level,
        player("ann"),
        player("eve")
    );
    cup.arena.write("tournament.toml", &configuration);
    let mut command = cup.command(&["run", "--strict", "--jobs", "1"]);
    let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let log = cup.arena.path().join("results/cup/games.jsonl");
    wait_until(|| log.exists());
    fs::rename(cup.at("subs/eve"), cup.at("subs/old")).expect("renamed");
    fs::rename(cup.at("home"), cup.at("subs/eve")).expect("renamed");
    cup.file("subs/old/go", "");
    let output = run.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(4), "{}", String::from_utf8_lossy(&output.stderr));
    let log = fs::read_to_string(log).expect("a log");
    assert!(log.contains("was moved, or replaced by another one"), "{log}");
    let kept = cup.arena.path().join("results/cup/exchanges");
    for entry in fs::read_dir(kept).expect("a folder") {
        let text = fs::read_to_string(entry.expect("one").path()).expect("a file");
        assert!(!text.contains("secret"), "{text}");
    }
}

/// Whatever else the first line of a script names, it runs without seeing that.
fn first_lines(way: Way) {
    let cup = Cup::new(way);
    let (key, home) = (cup.at("home/key"), cup.at("home"));
    cup.program("subs/eve/chain", &format!("#!{home}\n"));
    symlink(&home, cup.arena.path().join("subs/eve/data")).expect("a link");
    for line in [
        format!("/usr/bin/env -S -u {key} python3"),
        format!("/usr/bin/env -S --unset {key} python3"),
        format!("/usr/bin/env -S --unset={} python3", cup.at("subs/eve/chain")),
        format!("/usr/bin/env -S -u {} python3", cup.at("home/bin/tool")),
        format!("/usr/bin/env -S -u {} python3", cup.at("subs/ann/player")),
        "/usr/bin/env python3".to_owned(),
    ] {
        cup.program("subs/eve/player", &format!("#!{line}\n{SEEKER}"));
        let run = cup.play(OWN);
        assert_eq!(run.code, 0, "{line}: {}{}", run.out, run.err);
    }
    // A link to a program in the `PATH`, as each virtual environment has one, beside private files.
    cup.file("home/lib/secret", "secret");
    symlink("/usr/bin/python3", cup.arena.path().join("home/bin/python3")).expect("a link");
    let linked = cup.at("home/bin/python3");
    for line in [linked.clone(), format!("../../../../../../../..{linked}")] {
        cup.program("subs/eve/player", &format!("#!{line}\n{SEEKER}"));
        // It may run, or not be found.
        let run = cup.play(OWN);
        let log = cup.arena.log();
        assert!(!log.contains("seen: "), "{line}: {}{log}", run.err);
    }
    cup.program("subs/eve/player", &format!("#!/usr/bin/python3\n{SEEKER}"));
    // Links in its folder, which its command names.
    let run = cup.play("command = [\"python3\", \"player\", \"data\"]");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
}

/// A submission that only leads to another program does not start.
fn borrowed_programs(way: Way) {
    let cup = Cup::new(way);
    let (ann, tool) = (cup.at("subs/ann/player"), cup.at("home/bin/tool"));
    fs::create_dir_all(cup.arena.path().join("subs/eve")).expect("a folder");
    for line in [
        ann.clone(),
        tool,
        format!("{}/../ann/player", cup.at("subs/eve")),
        "../ann/player".to_owned(),
        format!("/usr/bin/env {ann}"),
        format!("/usr/bin/env -S {ann}"),
    ] {
        cup.program("subs/eve/player", &format!("#!{line}\n"));
        let run = cup.play(OWN);
        assert_eq!(run.code, 1, "{line}: {}{}", run.out, run.err);
    }
    let player = cup.arena.path().join("subs/eve/bin/player");
    fs::create_dir(player.parent().expect("a folder")).expect("a folder");
    cup.file("subs/eve/pyvenv.cfg", "");
    symlink(&ann, player).expect("a link");
    let run = cup.play("command = [\"./bin/player\"]");
    assert_ne!(run.code, 0, "{}{}", run.out, run.err);
}

/// Links in an image, in the place of everything that the referee makes there.
fn images_of_strangers(way: Way) {
    let cup = Cup::new(way);
    let arena = &cup.arena;
    super::rooms::image(arena, &[Path::new("/bin/sh"), Path::new(env!("CARGO_BIN_EXE_referee"))]);
    cup.program("subs/eve/player", "#!/bin/sh\nexec \"$REFEREE\" bot greedy\n");
    let image = arena.path().join("image");
    let eve = "command = [\"sh\", \"player\"]\nroot = \"image\"\nfiles = [\"../../given/book\"]";
    cup.file("given/book", "book");
    let victims = ["passwd", "group", "referee", "new", "nothing", "book", "deep/x"];
    let begin = || {
        for name in victims {
            cup.file(&format!("victims/{name}"), name);
        }
        if let Some(user) = way.user {
            for path in victims.map(|name| arena.path().join("victims").join(name)) {
                chown(path, Some(user), Some(user)).expect("root");
            }
        }
    };
    begin();
    let machine = arena.path().display().to_string();
    // Relative, absolute, and by every name that the machine's files could have meanwhile.
    for top in [machine.clone(), format!("/.old{machine}"), format!("..{machine}")] {
        let links = [
            ("referee", "referee"),
            (".new", "new"),
            (".nothing", "nothing"),
            (".old", "deep"),
            ("etc/passwd", "passwd"),
            ("etc/group", "missing"),
            ("tmp", "deep"),
            ("dev", "deep"),
            ("proc", "deep"),
            ("sys", "deep"),
        ];
        let first_of_machine = machine.split('/').nth(1).expect("a name");
        for (name, target) in links.into_iter().chain([(first_of_machine, "deep")]) {
            let path = image.join(name);
            let _ = fs::remove_file(&path);
            if path.is_dir() {
                continue;
            }
            symlink(format!("{top}/victims/{target}"), path).expect("a link");
        }
        let run = cup.play(eve);
        assert_eq!(run.code, 0, "{top}: {}{}", run.out, run.err);
        for name in victims {
            let text = fs::read_to_string(arena.path().join("victims").join(name)).expect("text");
            assert_eq!(text, name, "{top}");
        }
        assert!(!arena.path().join("victims/missing").exists(), "{top}");
    }
    let _ = fs::remove_dir_all(image.join("etc"));
    symlink(format!("/.old{machine}/victims"), image.join("etc")).expect("a link");
    let run = cup.play(eve);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    begin();
    // What is no image shows others.
    fs::create_dir(arena.path().join("images")).expect("a folder");
    symlink(".", arena.path().join("here")).expect("a link");
    for (root, holds) in [
        (".", "the configuration"),
        ("/", "the configuration"),
        ("here", "the configuration"),
        ("..", "the configuration"),
        ("subs/ann", "another player's folder"),
        ("subs", "the player's own folder"),
        ("subs/eve", "the player's own folder"),
    ] {
        let run = cup.play(&format!("command = [\"sh\", \"player\"]\nroot = \"{root}\""));
        let why = format!("this exposes {holds}");
        assert!(run.code == 2 && run.err.contains(&why), "{root}: {}", run.err);
    }
}
