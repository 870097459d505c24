//! Runs the parsers on an input and checks the result: nothing panics, accepted input means the
//! same when it is written and read again, and errors have a bounded number of printable
//! characters.
//!
//! `cargo fuzz` runs these, and so does `tests/it/fuzz.rs`.

#![allow(dead_code, reason = "each target uses one of them")]

use std::convert::Infallible;
use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::LazyLock;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use referee_config::Configuration;
use referee_entrants::submissions::{UnpackLimits, unpack_archive_from};
use referee_games::{GameKind, Options, Position, Step, Turn};
use referee_match::openings::{Opening, play_opening_list};
use referee_match::player::fault_messages::looks_like_a_log;
use referee_protocol::{Greeting, LINE_LIMIT, Reply, reply_error_excerpt};
use referee_record::log::LogReader;
use referee_report::colour::Colour;

/// A target's name and body.
pub(crate) type Target = (&'static str, fn(&[u8]));

/// All targets.
pub(crate) const TARGETS: [Target; 6] = [
    ("wire", wire),
    ("configuration", configuration),
    ("log", log),
    ("boards", boards),
    ("openings", openings),
    ("archives", archives),
];

/// The start of every game under the default options, created once.
static STARTS: LazyLock<Vec<Position>> = LazyLock::new(|| {
    let start = |kind: &GameKind| {
        let options = Options::resolve(kind.game().options(), []).expect("options");
        kind.game().start(&options).expect("rules")
    };
    GameKind::all().iter().map(start).collect()
});

/// The maximum length of a message about a line or an entry, in characters.
const LONGEST_MESSAGE: usize = 4096;

/// A line of a player.
pub(crate) fn wire(input: &[u8]) {
    let line = &input[..input.len().min(LINE_LIMIT)];
    is_plain(&reply_error_excerpt(line));
    if let Err(why) = Greeting::read(line, 1) {
        is_plain(&why.to_string());
    }
    match Reply::read(line, 1) {
        Err(why) => is_plain(&why.to_string()),
        Ok(reply) => {
            assert!(reply.note.is_none_or(|note| note.len() <= 1024));
            assert!(reply.eval.is_none_or(|eval| (-1.0..=1.0).contains(&eval)));
            reply.said.iter().for_each(|said| is_plain(said));
            looks_like_a_log(&reply.action);
            STARTS.iter().for_each(|start| judge(start.clone(), &reply.action));
        }
    }
}

/// An action is legal or refused; a legal one is played, and its text means the same again.
fn judge(mut position: Position, text: &str) {
    while let Turn::Chance(_) = position.turn() {
        let outcomes = position.outcomes();
        let first = outcomes.first().map(|(outcome, _)| outcome.as_str()).expect("an outcome");
        position.play(Step::Chance(first), &mut Vec::new()).expect("an outcome");
    }
    for seat in position.seats().seats() {
        match position.judge(seat, text) {
            Err(refusal) => is_plain(&refusal.to_string()),
            Ok(action) => assert_eq!(position.judge(seat, &action).as_ref(), Ok(&action)),
        }
    }
}

/// A configuration.
pub(crate) fn configuration(input: &[u8]) {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("tournament.toml");
    // Nothing outside the folder is read, however long the run.
    let inside: Vec<u8> =
        input.iter().map(|&byte| if byte == b'/' { b'_' } else { byte }).collect();
    let inside = String::from_utf8_lossy(&inside).replace("..", "__");
    fs::write(&path, &inside).expect("written");
    fs::write(dir.path().join("player.py"), "class Player: pass\n").expect("written");
    let read = Configuration::read(&path, Colour::Plain);
    match read.and_then(|configuration| configuration.tournament().into_result()) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(tournament) => {
            assert!(tournament.players.len() > 1);
            for (number, player) in tournament.players.iter().enumerate() {
                is_plain(&player.name);
                let others = &tournament.players[number + 1..];
                assert!(others.iter().all(|other| other.name != player.name));
            }
        }
    }
}

/// A log.
pub(crate) fn log(input: &[u8]) {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("games.jsonl");
    fs::write(&path, input).expect("written");
    let Ok(mut reader) = LogReader::open_file(&path) else { return };
    let mut lines = input.split(|&byte| byte == b'\n').count();
    loop {
        match reader.next_record() {
            Ok(None) => break,
            Ok(Some(record)) => {
                let again = serde_json::to_value(&record).expect("plain data");
                serde_json::from_value::<referee_record::model::record::GameRecord>(again)
                    .expect("a record");
            }
            Err(error) if error.line == 0 => break,
            Err(error) => assert!(!error.problem.to_string().is_empty()),
        }
        lines = lines.checked_sub(1).expect("a line is read once");
    }
    assert!(reader.whole() <= input.len() as u64);
}

/// A board of Back to the Wall.
pub(crate) fn boards(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let game = GameKind::BackToTheWall.game();
    let given = [("rounds", "my.toml")];
    let mut options = Options::resolve(game.options(), given).expect("a file of a board");
    if let Err(error) = options.load_files(|_| Ok::<_, Infallible>(text.to_owned())) {
        assert!(!error.to_string().is_empty());
        return;
    }
    if game.endless(&options) == Ok(None) {
        play(game.start(&options).expect("rules that make sense"));
    }
}

/// Plays at random for a while.
fn play(mut position: Position) {
    let mut choices = ChaCha20Rng::from_seed([7; 32]);
    for _ in 0..20 {
        let mut action =
            |seat| position.sample(seat, &mut choices).expect("no failure").expect("an action");
        let step = match position.turn() {
            Turn::Over(_) => return,
            Turn::Chance(_) => Step::Chance(position.outcomes().remove(0).0),
            Turn::Pass(_) => Step::Pass,
            Turn::Move(seat) => Step::Move(action(seat)),
            Turn::Together(seats) => Step::Together(seats.iter().map(action).collect()),
        };
        position.play(step.as_text(), &mut Vec::new()).expect("a legal step");
    }
}

/// A list of openings: one per line, with `;` between actions.
pub(crate) fn openings(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    for line in text.lines().take(16) {
        let actions: Vec<String> =
            line.split(';').take(200).map(|it| it.trim().to_owned()).collect();
        STARTS.iter().for_each(|start| listed_again(start, &actions));
    }
}

/// An accepted value is accepted again as a record writes it, and means the same.
fn listed_again(start: &Position, actions: &[String]) {
    let Ok(steps) = play_opening_list(start, actions) else { return };
    let texts = Opening::action_texts(&steps);
    let again = play_opening_list(start, &texts).map(|steps| Opening::action_texts(&steps));
    assert_eq!(again.as_ref(), Ok(&texts));
}

/// An archive.
pub(crate) fn archives(input: &[u8]) {
    const LIMITS: UnpackLimits = UnpackLimits { entries: 20, bytes: 64 * 1024 };
    let dir = tempfile::tempdir().expect("a folder");
    let to = dir.path().join("to");
    fs::create_dir(&to).expect("a folder");
    if let Err(why) = unpack_archive_from(Cursor::new(input), &to, LIMITS) {
        is_plain(&why.to_string());
    }
    let (entries, bytes) = held(&to);
    assert!(entries <= LIMITS.entries && bytes <= LIMITS.bytes, "{entries} entries, {bytes} bytes");
    assert_eq!(held(dir.path()).0, entries + 1, "something lies outside");
}

/// The number of files and folders in a folder, none of them a link, and of bytes.
fn held(dir: &Path) -> (usize, u64) {
    let (mut entries, mut bytes) = (0, 0);
    for entry in fs::read_dir(dir).expect("a list") {
        let entry = entry.expect("an entry");
        let found = entry.metadata().expect("what it is");
        assert!(found.is_dir() || found.is_file(), "{} is not a file", entry.path().display());
        let inside = if found.is_dir() { held(&entry.path()) } else { (0, found.len()) };
        entries += 1 + inside.0;
        bytes += inside.1;
    }
    (entries, bytes)
}

/// A message for people: bounded, in one line, without terminal control characters.
fn is_plain(text: &str) {
    assert!(text.chars().count() <= LONGEST_MESSAGE, "{} characters: {text}", text.chars().count());
    assert_eq!(text, referee_protocol::escape::escape_line(text), "not escaped");
}
