//! Builds that misbehave. Each must fail with a message that says why, or do no harm, and the build
//! of an honest submission beside it must succeed.

use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::PathBuf;

use libtest_mimic::Trial;

use super::cup::{BASIC, STRICT, Way, is_root};
use crate::harness::{Lacks, quick, slow, without};
use crate::support::{Arena, Run};

/// An attack: its name, the table `[build]`, and what it does.
type Attack = (&'static str, &'static str, fn(&Site));

/// Long enough for any build on a busy machine.
const PATIENT: &str = "time = \"2m\"\n";

/// Writes an archive to the stdout of the process that packs the result, or kills that process.
const FORGE: &str = r#"
import os, sys, tarfile
def above(process):
    return int(open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[1])
process = os.getpid()
while "__build" not in open(f"/proc/{process}/cmdline").read():
    process = above(process)
if "kill" in sys.argv:
    os.kill(process, 9)
with open(f"/proc/{process}/fd/1", "wb") as pipe:
    with tarfile.open(fileobj=pipe, mode="w|") as archive:
        archive.addfile(tarfile.TarInfo("../../x"))
"#;

const ATTACKS: [Attack; 12] = [
    ("endless-build", "time = \"5s\"\n", |site| {
        site.fails("sleep 1000", "its build took more than 5s");
    }),
    ("fork-bomb-in-a-build", "processes = 12\n", |site| {
        let bomb = "while true; do sleep 1000 & done";
        site.fails(bomb, "its build exceeded the limit `processes` under `[build]`: more than 12 processes and threads");
    }),
    ("build-fills-the-disk", "disk = \"2MiB\"\n", |site| {
        let why = "its build exceeded the limit `disk` under `[build]`: used 2 MiB of 2 MiB of \
                   scratch space";
        site.fails("yes > large", why);
    }),
    ("build-makes-many-files", "files = 200\n", |site| {
        // Installers remove their files when the disk seems to be full.
        let script = "mkdir many; python3 -c 'for n in range(300): open(f\"many/{n}\", \"w\")' || \
                      { rm -r many; false; }";
        let why = "its build failed with exit code 2: its disk was full; raise `disk` or `files` \
                   under `[build]`";
        site.fails(script, why);
    }),
    ("build-reaches-its-own-processes", "", |site| {
        let connect = "python3 -c 'import socket as s; \
                       s.create_connection(s.create_server((\"127.0.0.1\", 0)).getsockname())'";
        // Without a network of its own, it has none.
        if site.way.is_strict() {
            site.succeeds(connect);
        } else {
            site.fails(connect, "its build failed with exit code 2");
        }
    }),
    ("build-floods-its-output", "output = \"64KiB\"\n", |site| {
        site.fails("yes", "its build printed more than 64 KiB");
    }),
    ("build-writes-elsewhere", "", |site| {
        let script = "for file in /x $(SOURCE)/x $(SOURCE)/../x $(SOURCE)/../honest/x; \
                      do echo x > $$file && cp $$file kept; done; chmod 777 $(SOURCE)/Makefile";
        let result = site.succeeds(script);
        assert!(!result.join("kept").exists(), "it wrote something");
        let folders = ["", "subs", "subs/evil", "subs/honest"];
        assert!(folders.iter().all(|dir| !site.arena.path().join(dir).join("x").exists()));
    }),
    ("links-in-the-result-of-a-build", "", |site| {
        let why = "the result of its build cannot be used: the archive was refused: `data` is not \
                   a plain file; if it is a link, pack its target instead";
        for target in ["/etc/passwd", "$(SOURCE)/../honest/secret", "../..", "nowhere"] {
            site.fails(&format!("ln -s {target} data"), why);
        }
        let result = site.succeeds("echo ok > one; ln -s one two");
        assert_eq!(fs::read_to_string(result.join("two")).expect("a copy"), "ok\n");
        assert!(!result.join("two").is_symlink());
    }),
    ("build-forges-its-result", "", |site| {
        // The process that packs the result is two above, and its stdout is for the result.
        site.arena.write("subs/evil/forge", FORGE);
        let forged = "the result of its build cannot be used: the archive was refused: `../../x` \
                      is outside the archive; pack the folder itself, without `..`";
        // At `basic`, an ordinary user's build cannot even look for that process.
        let sees = site.way.is_strict() || is_root() && site.way.user.is_none();
        let otherwise = "its build failed with exit code 2";
        let why = |seen| if sees { seen } else { otherwise };
        site.fails("python3 forge", why(forged));
        site.fails("python3 forge kill", why("its build was killed by signal 9"));
        assert!(!site.arena.path().join("x").exists());
    }),
    ("build-uses-the-network", "", |site| {
        let server = TcpListener::bind("127.0.0.1:0").expect("a port");
        server.set_nonblocking(true).expect("a socket");
        let port = server.local_addr().expect("an address").port();
        let connect = format!(
            "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))'"
        );
        site.fails(&connect, "its build failed with exit code 2");
        assert!(server.accept().is_err(), "nobody came");
        // With the organiser's permission.
        site.configure("network = true\n");
        site.succeeds(&connect);
        assert!(server.accept().is_ok(), "it came");
    }),
    ("build-reaches-programs-of-the-machine", "network = true\n", |site| {
        let path = site.arena.path().canonicalize().expect("a path").join("socket");
        let by_path = UnixListener::bind(&path).expect("a socket");
        let name = path.display().to_string();
        let address = SocketAddr::from_abstract_name(&name).expect("a name");
        let by_name = UnixListener::bind_addr(&address).expect("a socket");
        let datagrams = UnixDatagram::bind(path.with_extension("log")).expect("a socket");
        for path in [&path, &path.with_extension("log")] {
            let open = fs::Permissions::from_mode(0o777);
            fs::set_permissions(path, open).expect("its owner");
        }
        for what in [
            format!("s.socket(s.AF_UNIX).connect(\"{name}\")"),
            format!("s.socket(s.AF_UNIX).connect(\"\\0{name}\")"),
            format!("s.socketpair(s.AF_UNIX, s.SOCK_DGRAM)[0].sendto(b\"x\", \"{name}.log\")"),
        ] {
            let script = format!("python3 -c 'import socket as s; {what}'");
            site.fails(&script, "its build failed with exit code 2");
        }
        for server in [&by_path, &by_name] {
            server.set_nonblocking(true).expect("a socket");
            assert!(server.accept().is_err(), "nobody came");
        }
        datagrams.set_nonblocking(true).expect("a socket");
        assert!(datagrams.recv(&mut [0]).is_err(), "nothing came");
        // Pairs still connect the processes of a build.
        site.succeeds("python3 -c 'import socket; socket.socketpair()'");
    }),
    ("build-reads-others", "", |site| {
        let script = "cat $(SOURCE)/../honest/secret $(SOURCE)/../../tournament.toml \
                      $(SOURCE)/../../results-built/*/secret > stolen; \
                      ls $(SOURCE)/.. $(SOURCE)/../honest > names";
        let result = site.succeeds(script);
        assert_eq!(fs::read_to_string(result.join("stolen")).expect("a file"), "");
        let names = fs::read_to_string(result.join("names")).expect("a file");
        assert!(!names.contains("honest"), "{names}");
    }),
];

pub(crate) fn tests() -> Vec<Trial> {
    let of = |way: Way, (what, table, run): Attack| {
        let name = format!("{}: {what}", way.name());
        let run = move || {
            let lacks = way.lacks(&["mounts", "processes"]);
            if lacks.is_none() {
                run(&Site::new(way, table));
            }
            lacks
        };
        if way == STRICT { quick(name, run) } else { slow(name, run) }
    };
    let ways = [STRICT, BASIC];
    let mut tests = vec![
        quick("an_export_with_sources_becomes_a_tournament", || {
            let lacks = STRICT.lacks(&[]);
            if lacks.is_none() {
                export();
            }
            lacks
        }),
        quick("a_full_disk_is_the_fault_of_no_build", full_disk),
        slow("usual_commands_build_java_and_rust_in_the_sandbox", || {
            let lacks = STRICT.lacks(&[]).or_else(|| without(&["javac", "cargo"]));
            if lacks.is_none() {
                java_and_rust();
            }
            lacks
        }),
    ];
    tests.extend(ways.into_iter().flat_map(|way| ATTACKS.map(|attack| of(way, attack))));
    tests
}

fn put(arena: &Arena, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = arena.path().join(name);
        fs::create_dir_all(path.parent().expect("in the folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }
}

fn export() {
    let arena = Arena::new();
    let makefile = "player: source\n\t@cp source player && chmod +x player\n";
    let greedy = "#!/bin/sh\nexec \"$REFEREE\" bot greedy\n";
    put(
        &arena,
        &[
            ("export/ada/deep/source", greedy),
            ("export/ada/deep/Makefile", makefile),
            ("export/bob/player.py", "print()\n"),
            ("export/eve/Makefile", "all:\n\t@exit 3\n"),
        ],
    );
    let run = arena.run(&["new", "tournament", "export", "--into", "cup", "--build"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let text = fs::read_to_string(arena.path().join("cup/tournament.toml")).expect("a file");
    let text = arena.normal(&text);
    let (_, players) = text.split_once("move = \"5s\"\n").expect("a clock");
    let (players, _) = players.split_once("\n# An anchor").expect("further parts");
    let ada = "\n[[players]]\nname = \"ada\"\ndir = \"DIR/export/ada\"\n\
               # Once built: sh player\n";
    let bob = "\n[[players]]\nname = \"bob\"\ncommand = [\"python3\", \"player.py\"]\n\
               files = [\".\"]\ndir = \"DIR/export/bob\"\n";
    let eve = "\n[[players]]\nname = \"eve\"\nabsent = \"its build failed with exit code 2\"\n";
    assert_eq!(players, [ada, bob, eve].concat());
    let plan = arena.run(&["run", "--plan", "cup/tournament.toml"]);
    assert_eq!((plan.code, plan.err.contains("ada: built")), (0, false), "{}", plan.err);
}

/// The folder for results is a small disk, which only the referee sees.
fn full_disk() -> Lacks {
    let small = |size: &str, then: &str| {
        format!(
            "exec unshare --mount sh -c 'mount -t tmpfs -o size={size} none results-built && {then}' \
             sh \"$@\""
        )
    };
    let can = Arena::new();
    fs::create_dir(can.path().join("results-built")).expect("a folder");
    if can.in_shell(&small("64k", "exit 0"), &[]).code != 0 {
        return Some("this user may not mount a disk".to_owned());
    }
    let site = Site::new(STRICT, "");
    site.arena.write(
        "subs/evil/Makefile",
        "player:\n\thead -c 1000000 /dev/urandom > data\n\techo '#!/bin/sh' > player\n",
    );
    fs::create_dir(site.arena.path().join("results-built")).expect("a folder");
    let run = site.arena.in_shell(&small("64k", "exec \"$@\""), &["run", "--plan"]);
    assert!(run.err.contains("No space left on device"), "{}", run.err);
    assert!(run.err.contains("free some disk space"), "{}", run.err);
    assert_eq!(run.code, 3, "{}", run.err);
    let run = site.arena.run(&["run", "--plan"]);
    assert_eq!(run.code, 0, "{}", run.err);
    None
}

fn java_and_rust() {
    let java = "public class Player { public static void main(String[] args) throws Exception {\n\
                new ProcessBuilder(System.getenv(\"REFEREE\"), \"bot\", \"random\")\n\
                .inheritIO().start().waitFor(); } }\n";
    let rust = "use std::os::unix::process::CommandExt;\nfn main() {\n\
                let referee = std::env::var(\"REFEREE\").unwrap();\n\
                std::process::Command::new(referee).args([\"bot\", \"random\"]).exec();\n}\n";
    let manifest = "[package]\nname = \"player\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let submissions: [(&str, &[(&str, &str)]); 2] = [
        ("java -cp . Player", &[("ant/Player.java", java)]),
        ("./target/release/player", &[("ant/Cargo.toml", manifest), ("ant/src/main.rs", rust)]),
    ];
    for (command, files) in submissions {
        let arena = Arena::new();
        put(&arena, files);
        arena.write(
            "tournament.toml",
            "name = \"cup\"\ngame = \"watch-your-back\"\n[build]\n\
             [[players]]\nname = \"random\"\nbot = \"random\"\n\
             [[players]]\nname = \"ant\"\ndir = \"ant\"\n",
        );
        let run = arena.run(&["run", "--strict"]);
        assert_eq!(run.code, 0, "{command}: {}{}", run.out, run.err);
        assert!(run.err.starts_with("ant: built with"), "{command}: {}", run.err);
        assert!(arena.log().contains(command), "{command}");
    }
}

/// A tournament with a hostile submission and an honest one.
struct Site {
    arena: Arena,
    way: Way,
}

impl Site {
    fn new(way: Way, table: &str) -> Self {
        let arena = Arena::new();
        for dir in ["subs/evil", "subs/honest"] {
            fs::create_dir_all(arena.path().join(dir)).expect("a folder");
        }
        arena.write("subs/honest/secret", "a secret\n");
        arena.write(
            "subs/honest/Makefile",
            "player:\n\t(echo '#!/bin/sh'; echo exit) > player\n\tchmod +x player\n",
        );
        let site = Self { arena, way };
        site.configure(table);
        site
    }

    fn configure(&self, table: &str) {
        let time = if table.contains("time") { "" } else { PATIENT };
        self.arena.write(
            "tournament.toml",
            &format!(
                "name = \"cup\"\ngame = \"watch-your-back\"\n[containment]\nlevel = \"{}\"\n\
                 [build]\n{time}{table}\
                 [[players]]\nname = \"evil\"\ndir = \"subs/evil\"\n\
                 [[players]]\nname = \"honest\"\ndir = \"subs/honest\"\n",
                self.way.level
            ),
        );
    }

    /// Builds both submissions: the hostile one by this shell script.
    fn build(&self, script: &str) -> Run {
        let source = self.arena.path().join("subs/evil").canonicalize().expect("a path");
        let makefile = format!("SOURCE = {}\nplayer:\n\t{script}\n", source.display());
        self.arena.write("subs/evil/Makefile", &makefile);
        let run = self.arena.run(&["run", "--plan"]);
        assert!(!run.err.contains("honest: its build"), "{}", run.err);
        assert!(self.results().iter().any(|dir| dir.join("secret").exists()), "{}", run.err);
        assert_eq!(self.arena.processes(), Vec::<String>::new(), "nothing is left");
        run
    }

    /// Builds, and expects this message about the hostile submission.
    fn fails(&self, script: &str, why: &str) {
        let run = self.build(script);
        assert!(run.err.contains(&format!("evil: {why} (`make`)")), "{script}: {}", run.err);
        assert_eq!(self.results().len(), 1, "only that of the honest one");
        assert_eq!(run.code, 2, "{}", run.err);
    }

    /// Builds, and returns the folder with what came of the hostile submission.
    fn succeeds(&self, script: &str) -> PathBuf {
        let run = self.build(&format!("-{script}\n\techo '#!/bin/sh' > player; chmod +x player"));
        assert_eq!(run.code, 0, "{}", run.err);
        let mut results = self.results();
        results.retain(|dir| !dir.join("secret").exists());
        results.pop().expect("a result")
    }

    /// The folders with the results of builds. Nothing else is left of them but their output.
    fn results(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.arena.path().join("results-built")).expect("a folder");
        let (folders, files): (Vec<_>, Vec<_>) =
            entries.flatten().map(|entry| entry.path()).partition(|path| path.is_dir());
        assert!(
            files
                .iter()
                .all(|file| file.extension().is_some_and(|it| it == "log" || it == "failed")
                    || file.ends_with(".lock"))
        );
        assert!(folders.iter().all(|dir| !dir.to_string_lossy().contains(".building")));
        folders
    }
}
