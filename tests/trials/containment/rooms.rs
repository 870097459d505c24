//! Players with a system of their own, and devices that a player may use.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;

use super::cup::{BASIC, STRICT, Way, host, is_root};
use crate::harness::quick;
use crate::support::Arena;

pub(crate) fn tests() -> Vec<Trial> {
    let mut tests = vec![
        quick("a_player_sees_the_system_in_its_root_folder", || {
            let lacks = STRICT.lacks(&[]);
            if lacks.is_none() {
                own_system();
            }
            lacks
        }),
        quick("a_root_folder_needs_namespaces", || {
            without_namespaces();
            None
        }),
        quick("a_network_needs_mounts", || {
            network_without_mounts();
            None
        }),
    ];
    for way in [STRICT, BASIC] {
        tests.push(quick(
            format!("{}: a_player_reaches_what_its_network_lists", way.name()),
            move || {
                let lacks = way.lacks(&["mounts"]);
                if lacks.is_none() {
                    network(way);
                }
                lacks
            },
        ));
        tests.push(quick(
            format!("{}: a_device_is_for_those_who_may_use_it", way.name()),
            move || {
                let lacks = way.lacks(&[]);
                if lacks.is_some() { lacks } else { devices(way) }
            },
        ));
    }
    tests
}

/// Copies programs of this machine and their libraries into an image.
pub(crate) fn image(arena: &Arena, programs: &[&Path]) {
    for program in programs {
        let listed = Command::new("ldd").arg(program).output().expect("ldd runs");
        let listed = String::from_utf8(listed.stdout).expect("text");
        let libraries = listed.split_whitespace().filter(|word| word.starts_with('/'));
        for library in libraries {
            let to = arena.path().join("image").join(&library[1..]);
            fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
            fs::copy(library, to).expect("copied");
        }
    }
    let bin = arena.path().join("image/usr/bin");
    fs::create_dir_all(&bin).expect("a folder");
    fs::copy("/bin/sh", bin.join("sh")).expect("copied");
    std::os::unix::fs::symlink("/usr/bin/sh", bin.join("own-shell")).expect("a link");
    for (name, text) in [("opt/torch/weights", "1 2 3\n"), ("etc/passwd", "image:x:0:0::/:\n")] {
        let path = arena.path().join("image").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }
}

/// Writes a tournament of this player in the folder `ant`, with a script.
fn configure(arena: &Arena, level: &str, keys: &str, script: &str) {
    fs::create_dir_all(arena.path().join("ant")).expect("a folder");
    arena.write("ant/player.sh", script);
    arena.write(
        "tournament.toml",
        &format!(
            "name = \"cup\"\ngame = \"watch-your-back\"\n[containment]\n{level}\n\
             [[players]]\nname = \"random\"\nbot = \"random\"\n\
             [[players]]\nname = \"ant\"\ndir = \"ant\"\n{keys}\n"
        ),
    );
}

/// Plays, and expects no fault: a script that finds something wrong does not start to play.
fn plays(arena: &Arena) {
    let run = arena.run(&["run", "--strict"]);
    assert_eq!(run.code, 0, "{}{}\n{}", run.out, run.err, arena.log());
}

fn own_system() {
    let arena = Arena::new();
    image(&arena, &[Path::new("/bin/sh"), Path::new(env!("CARGO_BIN_EXE_referee"))]);
    // Its own folder is visible, and a file of the machine inside a folder of the image; nothing
    // else of the machine is.
    let keys = "command = [\"own-shell\", \"player.sh\"]\nroot = \"image\"\n\
                files = [\"/usr/bin/env\"]";
    let script = "set -e\nread -r weights < /opt/torch/weights\n[ \"$weights\" = '1 2 3' ]\n\
                  [ -x /usr/bin/env ]\n[ ! -e /usr/bin/make ]\n[ ! -e ../tournament.toml ]\n\
                  [ -c /dev/null ]\n[ -r /proc/self/stat ]\necho x > \"$TMPDIR/x\"\n\
                  if echo x > /opt/torch/x; then exit 1; fi\n\
                  IFS=: read -r user rest < /etc/passwd\n[ \"$user\" = player ]\n\
                  exec \"$REFEREE\" bot greedy\n";
    configure(&arena, "", keys, script);
    plays(&arena);
    configure(&arena, "", "command = [\"python3\", \"player.sh\"]\nroot = \"image\"", script);
    let run = arena.run(&["run", "--plan"]);
    assert!(run.err.contains("cannot find `python3` in `DIR/image`"), "{}", run.err);
}

fn without_namespaces() {
    let arena = Arena::new();
    fs::create_dir_all(arena.path().join("image/bin")).expect("a folder");
    fs::copy("/bin/sh", arena.path().join("image/bin/sh")).expect("copied");
    let keys = "command = [\"sh\", \"player.sh\"]\nroot = \"image\"";
    configure(&arena, "level = \"basic\"", keys, "");
    let run = arena.run(&["run", "--plan"]);
    assert!(run.err.contains("`root` needs the level `strict`, not `basic`"), "{}", run.err);
    configure(&arena, "", keys, "");
    let run = arena.run(&["run", "--containment", "off"]);
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.err.contains("the configuration requires `strict`"), "{}", run.err);
    configure(&arena, "", &keys.replace("image", "images"), "");
    let run = arena.run(&["run", "--plan"]);
    assert!(run.err.contains("cannot find the folder `images`"), "{}", run.err);
}

/// Tests with a device that only this test has, if it may make one.
fn devices(way: Way) -> Option<String> {
    let arena = Arena::new();
    let device: PathBuf = arena.path().join("device");
    let made = is_root()
        && Command::new("mknod").arg("-m").arg("666").arg(&device).args(["c", "1", "5"]).status().is_ok_and(|status| status.success())
        // A file system may have no devices.
        && fs::File::open(&device).is_ok();
    if !made {
        return Some("devices: these tests may not make one".to_owned());
    }
    let script = |expected: u8| {
        let device = device.display();
        format!(
            "head -c 1 {device} > /dev/null\n[ $? = {expected} ] || exit 7\n\
             exec \"$REFEREE\" bot greedy\n"
        )
    };
    let command = "command = [\"sh\", \"player.sh\"]";
    let level = format!("level = \"{}\"", way.level);
    configure(&arena, &level, command, &script(1));
    plays(&arena);
    fs::remove_dir_all(arena.path().join("results")).expect("removed");
    let given = format!("{command}\ndevices = [\"{}\"]", device.display());
    configure(&arena, &level, &given, &script(0));
    plays(&arena);
    configure(&arena, &level, &format!("{command}\ndevices = [\"/etc/passwd\"]"), "");
    let run = arena.run(&["run", "--plan"]);
    assert!(run.err.contains("`/etc/passwd` is not a device"), "{}", run.err);
    None
}

/// A player that asks its host in the two ways of programs, and another host in vain.
const ASKING: &str = r#"
import http.client, os, sys, urllib.error, urllib.request
port, other = sys.argv[1:]
url = "http://localhost:"
assert urllib.request.urlopen(url + port + "/x", timeout=15).read() == b"listed"
proxy = http.client.HTTPConnection("127.0.0.1", 3128, timeout=15)
proxy.set_tunnel("localhost", int(port))
proxy.request("GET", "/x")
assert proxy.getresponse().read() == b"listed"
try:
    urllib.request.urlopen(url + other, timeout=15)
    sys.exit("reached")
except urllib.error.HTTPError as error:
    text = error.read().decode()
    assert error.code == 403 and text == f"this player may only reach localhost:{port}\n", text
assert os.environ["HTTPS_PROXY"] == os.environ["http_proxy"] == "http://127.0.0.1:3128"
os.execv(os.environ["REFEREE"], ["referee", "bot", "greedy"])
"#;

fn network(way: Way) {
    let arena = Arena::new();
    let (listed, other) = (host("listed"), host("other"));
    let command = format!("command = [\"python3\", \"player.sh\", \"{listed}\", \"{other}\"]");
    let keys = format!("{command}\nnetwork = [\"localhost:{listed}\"]");
    let level = format!("level = \"{}\"", way.level);
    configure(&arena, &level, &keys, ASKING);
    plays(&arena);
    let shown = format!("python3 player.sh {listed} {other} (reaches localhost:{listed})");
    assert!(arena.log().contains(&shown), "{}", arena.log());
    assert!(arena.read("report.html").contains(&shown));
    let check = arena.run(&["check", "ant"]);
    assert!(check.code == 0 && check.out.contains(&shown), "{}{}", check.out, check.err);
    // Without the list, it is another player, which has no network.
    configure(&arena, &level, &command, ASKING);
    let resumed = arena.run(&["run"]);
    assert!(resumed.err.contains("player ant: its program changed"), "{}", resumed.err);
    let check = arena.run(&["check", "ant"]);
    assert!(check.code == 1 && check.out.contains("URLError"), "{}", check.out);
}

fn network_without_mounts() {
    let arena = Arena::new();
    let keys = "command = [\"sh\", \"player.sh\"]\nnetwork = [\"localhost:1\"]";
    configure(&arena, "level = \"basic\"", keys, "exec \"$REFEREE\" bot greedy\n");
    let run = arena.run(&["run", "--without", "mounts"]);
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.err.contains("the configuration requires `mounts`"), "{}", run.err);
    let run = arena.run(&["run", "--containment", "off"]);
    assert!(run.err.contains("the configuration requires `mounts`"), "{}", run.err);
    configure(&arena, "level = \"off\"", keys, "exec \"$REFEREE\" bot greedy\n");
    plays(&arena);
}
