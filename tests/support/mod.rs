//! Shared by the integration tests: a folder with a configuration and players, the referee run in
//! it, and its output with everything replaced that differs between runs.

#![allow(dead_code, reason = "each file of tests uses its own part of this")]

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

/// Text that would do harm if it were not escaped.
pub(crate) const HOSTILE: &str = "</script><img src=x onerror=alert(1)>";

/// What must not reach a terminal in output of the program: everything but text, newlines and tabs.
/// CSV and JSON may have nothing else either: they escape it, or the printer does. Returns the first
/// such part with the text before it.
pub(crate) fn unsafe_output(output: &[u8]) -> Option<String> {
    let mut before = String::new();
    for chunk in output.utf8_chunks() {
        for character in chunk.valid().chars() {
            let moves_or_hides = match character {
                '\n' | '\t' => false,
                // Marks of direction, separators of lines, what is invisible, and tags.
                '\u{61c}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{feff}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{e0000}'..='\u{e007f}' => true,
                _ => character.is_control(),
            };
            if moves_or_hides {
                let start = before.char_indices().rev().nth(60).map_or(0, |(at, _)| at);
                return Some(format!("{}{}", &before[start..], character.escape_unicode()));
            }
            before.push(character);
        }
        if !chunk.invalid().is_empty() {
            return Some(format!("{before}{:x?}", chunk.invalid()));
        }
    }
    None
}

/// The ranking of [`Config::small`].
pub(crate) const TABLE: &str = "\
#  player  rating  ±95%  ranks  games  score     %  W  D  L  faults
1  bee         15   ±36    1–3      8    4.5  56.2  1  7  0       0
2  cat          0   ±35    1–3      8      4  50.0  0  8  0       0
3  ant        -15   ±36    1–3      8    3.5  43.8  0  7  1       0

12 of 12 games played.
First seat: -7 ±30 Elo. Draws: 11 of 12 games (91.7%).
Too close to call (likelihood that the first is better, and about how many more games would tell):
bee and cat (68%, 160), cat and ant (68%, 160).
";

/// The normalised result of running the referee: exit code, stdout and stderr.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    pub(crate) fn new(code: i32, out: &str, err: &str) -> Self {
        Self { code, out: out.to_owned(), err: err.to_owned() }
    }
}

/// A file in the folder of a played tournament.
struct Kept {
    name: PathBuf,
    bytes: Vec<u8>,
    mode: fs::Permissions,
    modified: SystemTime,
}

/// The files in `folder` and below, named relative to `root`.
fn kept(folder: &Path, root: &Path) -> Vec<Kept> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let (folders, files): (Vec<_>, Vec<_>) =
        entries.map(|entry| entry.path()).partition(|path| path.is_dir());
    let keep = |path: PathBuf| {
        let data = fs::metadata(&path).expect("a file");
        Kept {
            name: path.strip_prefix(root).expect("inside").to_owned(),
            bytes: fs::read(&path).expect("a file"),
            mode: data.permissions(),
            modified: data.modified().expect("a time"),
        }
    };
    let below = folders.into_iter().flat_map(|folder| kept(&folder, root));
    files.into_iter().map(keep).chain(below).collect()
}

/// A folder in which to play tournaments.
pub(crate) struct Arena {
    dir: TempDir,
    /// Where programs are found.
    search_path: &'static OsStr,
}

impl Arena {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        // If the referee is root, its players have other users.
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).expect("its owner");
        Self { dir, search_path: plain_search_path() }
    }

    /// A folder for programs that need packages of Python.
    pub(crate) fn with_packages() -> Self {
        Self { search_path: search_path_with_packages(), ..Self::new() }
    }

    /// A folder with `config` in it.
    pub(crate) fn with(config: &Config) -> Self {
        let arena = Self::new();
        arena.configure(config);
        arena
    }

    /// A folder in which the tournament of `config` has been played. Each process plays it only
    /// once, and each test gets a copy.
    pub(crate) fn played(config: &Config) -> Self {
        static PLAYED: Mutex<BTreeMap<String, Arc<OnceLock<Vec<Kept>>>>> =
            Mutex::new(BTreeMap::new());
        let played =
            PLAYED.lock().expect("nobody panics here").entry(config.toml()).or_default().clone();
        let files = played.get_or_init(|| {
            let arena = Self::with(config);
            let run = arena.run(&["run", "--quiet"]);
            assert_eq!(run.code, 0, "{run:?}");
            kept(arena.path(), arena.path())
        });
        let arena = Self::new();
        for file in files {
            let path = arena.path().join(&file.name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, &file.bytes).expect("written");
            fs::set_permissions(&path, file.mode.clone()).expect("its owner");
            let copy = fs::File::options().write(true).open(&path).expect("a file");
            copy.set_modified(file.modified).expect("a time");
        }
        arena
    }

    /// A tournament with a hostile player name, and faults with hostile texts.
    pub(crate) fn hostile() -> Self {
        let arena = Self::with(
            &Config::empty()
                .bot("ant", "random")
                .bot("Zoë 象棋 \\u202E", "greedy")
                .player(HOSTILE, "command = [\"sh\", \"bad.sh\"]")
                .change(|config| config.pairs = 1),
        );
        arena.write(
            "bad.sh",
            "read -r line; echo ok; read -r line; echo '<b>\\u202e</script>' >&2; echo '<i>no</i>'\n",
        );
        assert_eq!(arena.run(&["run", "-q"]).code, 0);
        arena
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).expect("written");
    }

    pub(crate) fn configure(&self, config: &Config) {
        self.write("tournament.toml", &config.toml());
    }

    /// The results folder.
    pub(crate) fn results(&self) -> PathBuf {
        self.path().join("results/cup")
    }

    /// The content of each file of the results folder, and when it was written.
    pub(crate) fn result_files(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        let files = kept(&self.results(), &self.results()).into_iter();
        files.map(|file| (file.name, (file.bytes, file.modified))).collect()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.results().join(name)).expect(name)
    }

    pub(crate) fn put(&self, name: &str, text: &str) {
        fs::write(self.results().join(name), text).expect(name);
    }

    pub(crate) fn log(&self) -> String {
        self.read("games.jsonl")
    }

    /// Edits line `number` of the log (from 1), without its newline.
    pub(crate) fn edit_line(&self, number: usize, edit: impl FnOnce(&str) -> String) {
        let mut lines: Vec<String> = self.log().lines().map(str::to_owned).collect();
        lines[number - 1] = edit(&lines[number - 1]);
        self.put("games.jsonl", &(lines.join("\n") + "\n"));
    }

    pub(crate) fn header(&self) -> Value {
        serde_json::from_str(self.log().lines().next().expect("a header")).expect("JSON")
    }

    /// The complete lines of the games, by id. Panics if an id occurs twice.
    pub(crate) fn lines(&self) -> BTreeMap<String, String> {
        let log = self.log();
        let mut games = BTreeMap::new();
        for line in log.split_inclusive('\n').skip(1).filter(|line| line.ends_with('\n')) {
            let game: Value = serde_json::from_str(line).expect("JSON");
            let id = game["id"].as_str().expect("an id").to_owned();
            assert!(games.insert(id.clone(), line.to_owned()).is_none(), "{id} stands there twice");
        }
        games
    }

    /// Everything except the times, which must be the same in every run with the same seed.
    pub(crate) fn essence(&self) -> BTreeMap<String, Value> {
        let plain = |line: &String| {
            let mut game: Value = serde_json::from_str(line).expect("JSON");
            let fields = game.as_object_mut().expect("an object");
            for name in ["clock", "times", "check", "warnings"] {
                fields.remove(name);
            }
            game
        };
        self.lines().iter().map(|(id, line)| (id.clone(), plain(line))).collect()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
        command.args(args);
        self.dressed(command)
    }

    /// Runs the referee through a shell; `script` ends with `exec "$@"`.
    pub(crate) fn in_shell(&self, script: &str, args: &[&str]) -> Run {
        self.finish(self.start_in_shell(script, args), "")
    }

    pub(crate) fn start_in_shell(&self, script: &str, args: &[&str]) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_referee")]).args(args);
        self.dressed(command).spawn().expect("a shell")
    }

    /// Runs a shell command in the folder, and panics if it fails.
    pub(crate) fn sh(&self, script: &str) {
        let shell = Command::new("sh").args(["-c", script]).current_dir(self.path()).output();
        let output = shell.expect("a shell");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn dressed(&self, mut command: Command) -> Command {
        command.current_dir(self.path()).env_remove("NO_COLOR").env_remove("RUST_LOG");
        command.env("PATH", self.search_path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, "")
    }

    /// Runs the referee with `input` on its stdin.
    pub(crate) fn run_with(&self, args: &[&str], input: &str) -> Run {
        self.finish(self.command(args).spawn().expect("the referee starts"), input)
    }

    pub(crate) fn start(&self, args: &[&str]) -> Child {
        self.command(args).spawn().expect("the referee starts")
    }

    /// Waits for a run, and normalises its output.
    pub(crate) fn finish(&self, mut child: Child, input: &str) -> Run {
        let mut stdin = child.stdin.take().expect("a pipe");
        // A run may end without reading its input.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("the referee ends");
        let text = |bytes: Vec<u8>| self.normal(&String::from_utf8(bytes).expect("UTF-8"));
        let code = output.status.code().expect("an exit code");
        Run { code, out: text(output.stdout), err: text(output.stderr) }
    }

    /// The text with everything replaced that differs between runs, and without the line about what
    /// this machine can enforce.
    pub(crate) fn normal(&self, text: &str) -> String {
        let dir = self.path().to_str().expect("a plain path");
        let text = text.replace(dir, "DIR");
        let lines = text.split('\n').filter(|line| !line.starts_with("containment: "));
        let lines: Vec<String> = lines.map(normal_line).collect();
        lines.join("\n")
    }

    /// Waits until the log has this many complete lines.
    pub(crate) fn wait_for_lines(&self, lines: usize) {
        wait_until(|| {
            let log = fs::read(self.results().join("games.jsonl")).unwrap_or_default();
            log.split(|&byte| byte == b'\n').count() > lines
        });
    }

    /// The processes whose working directory is in this folder.
    pub(crate) fn processes(&self) -> Vec<String> {
        let dir = self.path().canonicalize().expect("a path");
        fs::read_dir("/proc")
            .expect("Linux")
            .flatten()
            .filter(|entry| {
                fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(&dir))
            })
            .map(|entry| fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default())
            .filter(|command| !command.is_empty())
            .collect()
    }
}

/// `PATH` with the system's Python first, if it has one. Another may load packages at each of many
/// starts, which takes several times as long as starting.
fn plain_search_path() -> &'static OsStr {
    static SEARCH_PATH: OnceLock<OsString> = OnceLock::new();
    SEARCH_PATH.get_or_init(|| {
        if Path::new("/usr/bin/python3").exists() {
            search_first(Path::new("/usr/bin"))
        } else {
            search_path_with_packages().to_owned()
        }
    })
}

/// `PATH` with the folder of the Python interpreter first: what is called `python3` may be a script
/// that looks for it.
fn search_path_with_packages() -> &'static OsStr {
    static SEARCH_PATH: OnceLock<OsString> = OnceLock::new();
    SEARCH_PATH.get_or_init(|| {
        let mut python = Command::new("python3");
        let asked = python.args(["-c", "import sys; print(sys.executable)"]).output();
        let answer = asked.map(|answer| answer.stdout).unwrap_or_default();
        let interpreter = PathBuf::from(String::from_utf8_lossy(&answer).trim());
        search_first(interpreter.parent().unwrap_or(Path::new("/usr/bin")))
    })
}

fn search_first(folder: &Path) -> OsString {
    let given = std::env::var_os("PATH").unwrap_or_default();
    let folders = [folder.to_owned()].into_iter().chain(std::env::split_paths(&given));
    std::env::join_paths(folders).expect("folders without colons")
}

/// Waits, at most three minutes, until the condition holds.
pub(crate) fn wait_until(mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(180), "it never came");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn normal_line(line: &str) -> String {
    let mut words: Vec<String> = line.split(' ').map(normal_word).collect();
    // `TIME left`: the time left is two words.
    if let Some(at) = words.iter().position(|word| word == "left,").filter(|&at| at >= 2) {
        words.splice(at - 2..at, ["TIME".to_owned()]);
    }
    // `in TIME,`: so is the elapsed time.
    if let Some(at) = words.iter().position(|word| word == "in").filter(|at| at + 2 < words.len())
        && words[at + 1].parse::<u32>().is_ok()
    {
        words.splice(at + 1..at + 3, ["TIME,".to_owned()]);
    }
    if words.first().is_some_and(|word| word == "about") && words.len() > 3 {
        words.splice(1..3, ["TIME,".to_owned()]);
    }
    words.join(" ")
}

fn normal_word(word: &str) -> String {
    let core = word.trim_matches(['(', ')', ',', ';', ':']);
    let is_rate = core.strip_suffix("/s").is_some_and(|number| number.parse::<f64>().is_ok());
    let is_hex = core.bytes().all(|byte| byte.is_ascii_hexdigit());
    let name = match core.len() {
        _ if is_rate => "RATE",
        16 if is_hex => "HASH",
        64 if is_hex => "SECRET",
        _ => return word.to_owned(),
    };
    word.replace(core, name)
}

/// A configuration in which every part can be changed.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    pub(crate) seed: Option<u64>,
    /// Left out when 0.
    pub(crate) pairs: u32,
    pub(crate) jobs: usize,
    pub(crate) max_moves: u32,
    /// More lines before the first table.
    pub(crate) more: String,
    /// The lines of `[clock]`.
    pub(crate) clock: String,
    pub(crate) players: Vec<(String, String)>,
}

impl Config {
    /// A small round-robin of deterministic players.
    pub(crate) fn small() -> Self {
        Self {
            seed: Some(7),
            pairs: 2,
            jobs: 2,
            max_moves: 40,
            more: String::new(),
            clock: String::new(),
            players: Vec::new(),
        }
        .bot("ant", "random")
        .bot("bee", "greedy")
        .bot("cat", "search-200")
    }

    /// A configuration without players.
    pub(crate) fn empty() -> Self {
        Self { players: Vec::new(), ..Self::small() }
    }

    pub(crate) fn bot(self, name: &str, bot: &str) -> Self {
        self.player(name, &format!("bot = \"{bot}\""))
    }

    /// Adds a player that a shell runs from a file.
    pub(crate) fn script(self, name: &str, file: &str) -> Self {
        self.player(name, &format!("command = [\"sh\", \"{file}\"]"))
    }

    /// Adds a player with these lines.
    pub(crate) fn player(mut self, name: &str, lines: &str) -> Self {
        self.players.push((name.to_owned(), lines.to_owned()));
        self
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut changed = self.clone();
        change(&mut changed);
        changed
    }

    pub(crate) fn toml(&self) -> String {
        let pairs = match self.pairs {
            0 => String::new(),
            pairs => format!("pairs = {pairs}\n"),
        };
        let seed = self.seed.map_or(String::new(), |seed| format!("seed = {seed}\n"));
        let players: Vec<String> = self
            .players
            .iter()
            .map(|(name, how)| format!("[[players]]\nname = \"{name}\"\n{how}\n"))
            .collect();
        format!(
            "name = \"cup\"\ngame = \"watch-your-back\"\n{pairs}jobs = {}\n{seed}{}\n\
             [options]\nmax-moves = {}\n[clock]\n{}\n{}",
            self.jobs,
            self.more,
            self.max_moves,
            self.clock,
            players.concat()
        )
    }
}

/// A deterministic random number generator.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `end` (splitmix64).
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}
