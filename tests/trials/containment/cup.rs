//! Tournaments of a hostile player beside honest ones, played for real.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use serde_json::Value;

pub(crate) const PLAYERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/players");
/// The folders of the system's interpreters, because a person's own may be closed to other users.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// An ordinary user, for tests that run as root.
pub(crate) const ORDINARY: u32 = 54_321;
/// The control groups.
const GROUPS: &[&str] = &["memory", "processes", "cpu", "freeze", "kill"];

/// A way of playing a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) level: &'static str,
    /// The user; by default, the user of the tests.
    pub(crate) user: Option<u32>,
    /// Mechanisms that are left out.
    pub(crate) without: &'static [&'static str],
}

pub(crate) const STRICT: Way = Way { level: "strict", user: None, without: &[] };
pub(crate) const BASIC: Way = Way { level: "basic", ..STRICT };
pub(crate) const OFF: Way = Way { level: "off", ..STRICT };

impl Way {
    /// Every level except `off`, with and without control groups, as this user and as an ordinary
    /// one.
    pub(crate) const CONTAINED: [Self; 8] = [
        STRICT,
        BASIC,
        Self { without: GROUPS, ..STRICT },
        Self { without: GROUPS, ..BASIC },
        Self { user: Some(ORDINARY), ..STRICT },
        Self { user: Some(ORDINARY), ..BASIC },
        Self { without: &["mounts"], ..BASIC },
        Self { without: &["mounts"], user: Some(ORDINARY), ..BASIC },
    ];

    pub(crate) fn name(self) -> String {
        let user = if self.user.is_some() { " as an ordinary user" } else { "" };
        match self.without {
            [] => format!("{}{user}", self.level),
            GROUPS => format!("{}{user} without groups", self.level),
            without => format!("{}{user} without {}", self.level, without.join(", ")),
        }
    }

    pub(crate) fn is_strict(self) -> bool {
        self.level == "strict" && self.has("namespaces")
    }

    /// Whether players have private mounts on this machine.
    pub(crate) fn mounts(self) -> bool {
        self.is_strict()
            || self.level == "basic" && self.has("mounts") && self.lacks(&["mounts"]).is_none()
    }

    pub(crate) fn has(self, mechanism: &str) -> bool {
        !self.without.contains(&mechanism)
    }

    /// Whether `mechanism` is in force by a control group on this machine.
    pub(crate) fn groups(self, mechanism: &str) -> bool {
        self.has(mechanism) && self.user.is_none() && self.lacks(&[mechanism]).is_none()
    }

    /// The reason why this machine cannot play in this way with these mechanisms, if any.
    pub(crate) fn lacks(self, mechanisms: &[&str]) -> Option<String> {
        if self.user.is_some() && !is_root() {
            return Some("another user: these tests do not run as root".to_owned());
        }
        let findings = self.probed();
        let needed = [self.level].into_iter().chain(mechanisms.iter().copied());
        let missing = needed.filter(|name| *name != "off").find_map(|name| {
            let finding = findings.as_array()?.iter().find(|finding| finding["name"] == name)?;
            let why = finding["why"].as_str().unwrap_or("it does not hold");
            (finding["holds"] == false).then(|| format!("{name}: {why}"))
        });
        missing.map(|missing| format!("not in force on this machine: {missing}"))
    }

    /// The output of `referee probe` for this user.
    fn probed(self) -> Value {
        static PROBED: Mutex<BTreeMap<Option<u32>, Value>> = Mutex::new(BTreeMap::new());
        let mut probed = PROBED.lock().expect("no test panics here");
        let found = probed.entry(self.user).or_insert_with(|| {
            let mut referee = Command::new(env!("CARGO_BIN_EXE_referee"));
            referee.args(["probe", "--format", "json"]).current_dir("/");
            let output = self.as_its_user(&mut referee).output().expect("the referee runs");
            serde_json::from_slice(&output.stdout).expect("JSON")
        });
        found.clone()
    }

    pub(crate) fn as_its_user(self, referee: &mut Command) -> &mut Command {
        match self.user {
            Some(user) => referee.uid(user).gid(user),
            None => referee,
        }
    }
}

pub(crate) fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// A tournament of `bad`, which is `tests/players/hostile.py`, with `one` and `two`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cup {
    pub(crate) what: &'static str,
    /// Lines of `[containment]`.
    pub(crate) limits: &'static str,
    /// Lines of `[clock]`.
    pub(crate) clock: &'static str,
    /// The command of the other players: a bot, or arguments of Python.
    pub(crate) others: &'static [&'static str],
    /// Whether `bad` may reach a host.
    pub(crate) network: bool,
}

/// A host on this machine that answers everyone with its name. Returns its port.
pub(crate) fn host(name: &'static str) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            // What is not read would make the end of the connection an error.
            let _ = client.read(&mut [0; 4096]);
            let answer = format!("HTTP/1.0 200 OK\r\n\r\n{name}");
            let _ = client.write_all(answer.as_bytes());
        }
    });
    port
}

/// The result.
pub(crate) struct Played {
    pub(crate) games: Vec<Value>,
    pub(crate) printed: String,
}

impl Cup {
    fn configuration(self, way: Way, dir: &Path) -> String {
        let told = dir.display().to_string();
        let outside = format!("{told}/secrets");
        let env = format!("env = {{ OUTSIDE = {outside:?}, TOLD = {told:?} }}");
        let (network, own_env) = if self.network {
            let [listed, unlisted] = ["listed", "unlisted"].map(host);
            let hosts = format!("LISTED = \"{listed}\", UNLISTED = \"{unlisted}\" }}");
            let network = format!("network = [\"localhost:{listed}\"]\n");
            (network, env.replace(" }", ", ") + &hosts)
        } else {
            (String::new(), env.clone())
        };
        let other = match self.others {
            [] => "bot = \"random\"".to_owned(),
            args => {
                let words: Vec<&str> = ["python3"].iter().chain(args).copied().collect();
                format!("command = {words:?}\ndir = {PLAYERS:?}\n{env}")
            }
        };
        format!(
            "name = \"cup\"\ngame = \"watch-your-back\"\nseed = 7\nquarantine = 0\njobs = 2\n\
             format = \"gauntlet\"\nanchors = [\"one\"]\n[options]\nmax-moves = 4\n[clock]\n{}\n\
             [containment]\nlevel = \"{}\"\n{}\n\
             [[players]]\nname = \"bad\"\ncommand = [\"python3\", \"hostile.py\", \"{}\"]\n\
             dir = {PLAYERS:?}\n{network}{own_env}\n[[players]]\nname = \"one\"\n{other}\n\
             [[players]]\nname = \"two\"\n{other}\n",
            self.clock, way.level, self.limits, self.what
        )
    }

    /// Plays it. Whatever `bad` does, the games of the others are not affected, nothing is left
    /// behind, and neither the terminal nor the page executes its text.
    pub(crate) fn play(self, way: Way) -> Played {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().canonicalize().expect("a path");
        fs::set_permissions(&dir, Permissions::from_mode(0o755)).expect("its owner");
        let secrets = dir.join("secrets");
        fs::create_dir(&secrets).expect("a folder");
        fs::write(secrets.join("kept"), "kept").expect("a file");
        let config = dir.join("cup.toml");
        fs::write(&config, self.configuration(way, &dir)).expect("a configuration");
        let mut referee = Command::new(env!("CARGO_BIN_EXE_referee"));
        referee.args(["run", "--results"]).arg(dir.join("results")).arg(&config);
        for mechanism in way.without {
            referee.args(["--without", mechanism]);
        }
        referee
            .env("PATH", PATH)
            .env("A_SECRET", "of the referee")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(user) = way.user {
            for path in [&dir, &secrets] {
                chown(path, Some(user), Some(user)).expect("root");
            }
        }
        let referee = way.as_its_user(&mut referee).spawn().expect("the referee starts");
        let number = referee.id();
        let output = referee.wait_with_output().expect("the referee ends");
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8_lossy(&printed).into_owned();
        assert_eq!(output.status.code(), Some(0), "{printed}");
        assert_eq!(left(&dir, number), Vec::<String>::new(), "left behind");
        assert_eq!(fs::read_to_string(secrets.join("kept")).expect("text"), "kept");
        let results = dir.join("results/cup");
        let page = fs::read_to_string(results.join("report.html")).expect("a page");
        assert!(!page.contains("<b>hostile</b>") && !page.contains('\u{202e}'));
        assert!(!printed.contains(['\u{1b}', '\u{202e}']), "{printed:?}");
        let log = fs::read_to_string(results.join("games.jsonl")).expect("a log");
        let lines = log.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON"));
        let played = Played { games: lines.collect(), printed };
        played.honest_games_are_undisturbed();
        played
    }
}

/// Living players that were started in this folder, and everything that this referee created
/// elsewhere.
pub(crate) fn left(told: &Path, referee: u32) -> Vec<String> {
    let mark = format!("TOLD={}", told.display());
    let of_player = |process: &Path| {
        let environ = fs::read(process.join("environ")).unwrap_or_default();
        environ.split(|&byte| byte == 0).any(|entry| entry == mark.as_bytes())
    };
    let paths = |dir: &Path| {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let mut found = paths(Path::new("/proc"));
    found.retain(|process| of_player(process));
    let mut due = paths(Path::new("/sys/fs/cgroup"));
    due.extend(paths(&std::env::temp_dir()));
    // An earlier process may have had the same number, and may have been killed.
    let began = fs::metadata(told).and_then(|folder| folder.created()).ok();
    let is_new = |path: &Path| {
        let changed = fs::metadata(path).and_then(|folder| folder.modified()).ok();
        began.is_none() || changed.is_none() || changed >= began
    };
    let group = format!("referee-{referee}-");
    let scratch = format!("referee-scratch-{referee}-");
    let mut depth = 0;
    while depth < 4 && !due.is_empty() {
        let named = |path: &&std::path::PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name.starts_with(&group) || name.starts_with(&scratch)) && is_new(path)
        };
        found.extend(due.iter().filter(named).cloned());
        let groups = due.iter().filter(|path| path.starts_with("/sys/fs/cgroup") && path.is_dir());
        due = groups.flat_map(|path| paths(path)).collect();
        depth += 1;
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mut found: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
    found.extend(mounts.lines().filter(|line| line.contains("/.old")).map(str::to_owned));
    found
}

impl Played {
    fn honest_games_are_undisturbed(&self) {
        let honest = self.games.iter().filter(|game| seat_of_bad(game).is_none());
        let honest: Vec<_> = honest.collect();
        assert_eq!(honest.len(), 2, "{}", self.printed);
        for game in honest {
            assert!(game["fault"].is_null() && game["warnings"].is_null(), "{game}");
        }
    }

    /// The games of the hostile player, with its seat.
    pub(crate) fn of_bad(&self) -> impl Iterator<Item = (&Value, &'static str)> {
        self.games.iter().filter_map(|game| Some((game, seat_of_bad(game)?)))
    }

    /// No attack succeeded, as far as the players noticed.
    pub(crate) fn is_held(&self) -> bool {
        !self.games.iter().any(|game| game["notes"].to_string().contains("\"broken\""))
    }

    /// No player lost by a fault.
    pub(crate) fn is_without_faults(&self) -> bool {
        self.games.iter().all(|game| game["fault"].is_null())
    }

    /// The attack failed, and the player continued, with this warning, if any.
    pub(crate) fn held(&self, warning: Option<&str>) {
        assert!(self.is_held(), "{:?}", self.games);
        for (game, seat) in self.of_bad() {
            assert!(game["fault"].is_null(), "{game}");
            let warnings = game["warnings"].as_array().map(Vec::as_slice).unwrap_or_default();
            let mut said =
                warnings.iter().filter_map(|warning| warning.as_str()?.strip_prefix(seat));
            match warning {
                None => assert_eq!(said.next(), None, "{game}"),
                Some(warning) => assert!(said.any(|said| fits(said.trim(), warning)), "{game}"),
            }
        }
    }

    /// The hostile player lost each of its games by this fault with this message.
    pub(crate) fn lost(&self, code: &str, sentence: &str) {
        for (game, seat) in self.of_bad() {
            is_fault(&game["fault"][seat], code, sentence);
        }
    }

    /// The attack failed, or the hostile player lost by this fault with this message.
    pub(crate) fn held_or_lost(&self, code: &str, sentence: &str) {
        assert!(self.is_held(), "{:?}", self.games);
        for (game, seat) in self.of_bad().filter(|(game, _)| !game["fault"].is_null()) {
            is_fault(&game["fault"][seat], code, sentence);
        }
    }
}

fn is_fault(fault: &Value, code: &str, sentence: &str) {
    let message = fault["message"].as_str().unwrap_or_default();
    let right = fault["code"] == code && fits(message, sentence);
    assert!(right, "expected {code}: {sentence}, got {fault}");
}

/// `…` in a sentence matches anything.
fn fits(message: &str, sentence: &str) -> bool {
    let parts: Vec<&str> = sentence.split('…').collect();
    match parts[..] {
        [whole] => message == whole,
        [first, .., last] => {
            message.starts_with(first)
                && message.ends_with(last)
                && parts.iter().all(|part| message.contains(part))
        }
        [] => false,
    }
}

pub(crate) fn seat_of_bad(game: &Value) -> Option<&'static str> {
    ["white", "black"].into_iter().find(|seat| game["players"][seat] == "bad")
}
