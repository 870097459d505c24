use std::os::unix::fs::PermissionsExt;

use super::*;
use referee_record::log::LogWriter;
use referee_record::model::record::GameRecord;
use referee_record::model::record::examples::{game, header};
use referee_record::seeds::derive_game_id;

fn locked() -> (tempfile::TempDir, LockedFolder) {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = LockedFolder::open(&dir.path().join("cup")).expect("locked");
    (dir, folder)
}

/// A game of a round-robin of ant and bee. Who has the first seat first changes from pair to pair.
fn of_pair(pair: u32, number: u8) -> GameRecord {
    let swapped = (pair + u32::from(number)) % 2 == 1;
    let (first, second) = if swapped { ("bee", "ant") } else { ("ant", "bee") };
    let id = derive_game_id(&[first, second], pair, number);
    GameRecord { id, pair, game: number, ..game(first, second, "white") }
}

/// A log with these records, in a round-robin of two pairs.
fn log(dir: &Path, records: &[GameRecord]) {
    let stages = vec![referee_record::model::stage::Stage::round_robin(2)];
    let header = Header { stages, ..header(&["ant", "bee"]) };
    let mut log = LogWriter::create(dir, &header).expect("created");
    records.iter().try_for_each(|record| log.append(record)).expect("appended");
}

#[test]
fn a_folder_is_made_with_its_parents_and_a_lock() {
    let (dir, folder) = locked();
    assert_eq!(folder.dir(), dir.path().join("cup"));
    assert!(folder.dir().join(EXCHANGES).is_dir() && folder.dir().join(LOCK).is_file());
    assert!(!folder.has_log());
    assert!(!is_folder_in_use(folder.dir()), "nobody else does");
}

#[test]
fn a_folder_that_cannot_be_made_is_the_systems_failure() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("file");
    fs::write(&file, "").expect("written");
    let failure = LockedFolder::open(&file.join("cup")).expect_err("it is not a folder");
    let start = format!("cannot write to the results folder {}", file.join("cup").display());
    assert!(failure.to_string().starts_with(&start), "{failure}");
}

#[test]
fn a_secret_is_drawn_once_and_only_its_owner_reads_it() {
    let (_dir, folder) = locked();
    let path = folder.dir().join(SECRET);
    let seeded = folder.load_or_create_secret(Some(7)).expect("a seed");
    assert_eq!(seeded.to_hex(), TournamentSecret::from_seed(7).to_hex());
    assert!(!path.exists(), "a seed needs no file");
    let fresh = folder.load_or_create_secret(None).expect("random numbers").to_hex();
    assert_ne!(fresh, seeded.to_hex());
    assert_eq!(folder.load_or_create_secret(None).expect("the file").to_hex(), fresh);
    let mode = fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_secret_that_was_damaged_is_not_drawn_again() {
    let (_dir, folder) = locked();
    let path = folder.dir().join(SECRET);
    fs::write(&path, "").expect("written");
    assert!(read_folder_secret(folder.dir()).expect("as if there were none").is_none());
    for text in ["hello\n", "0123\n"] {
        fs::write(&path, text).expect("written");
        let failure = folder.load_or_create_secret(None).expect_err("damaged");
        assert!(failure.to_string().contains("expected a secret of 64 hex digits"), "{failure}");
        assert_eq!(fs::read_to_string(&path).expect("a file"), text);
    }
}

#[test]
fn the_lines_of_a_game_are_kept_only_for_its_last_attempt() {
    let (_dir, folder) = locked();
    let path = folder.dir().join(EXCHANGES).join("1-1.jsonl");
    folder.save_exchanges("1-1", Some("lines\n")).expect("kept");
    assert_eq!(fs::read_to_string(&path).expect("a file"), "lines\n");
    folder.save_exchanges("1-1", None).expect("removed");
    assert!(!path.exists());
    folder.save_exchanges("1-1", None).expect("there is nothing to remove");
}

#[test]
fn each_game_of_a_log_counts_once() {
    let (_dir, folder) = locked();
    let dir = folder.dir();
    let edited = GameRecord { plies: 3, ..of_pair(1, 2) };
    let foreign = GameRecord { pair: 9, ..of_pair(1, 1) };
    log(dir, &[of_pair(1, 1), edited, of_pair(1, 1), foreign, of_pair(2, 1)]);
    let text = fs::read_to_string(dir.join(LOG)).expect("a log");
    let text = text.replace("\"plies\":3", "\"plies\":2") + "garbage\n{\"id\":\"torn";
    fs::write(dir.join(LOG), &text).expect("written");
    let mut counted = Vec::new();
    let contents = read_folder_log(dir, |_, game| counted.push(game.id())).expect("a log");
    assert_eq!(counted, [(1, 1), (1, 2), (2, 1)].map(|(pair, n)| of_pair(pair, n).id));
    assert_eq!((contents.state.played(), contents.state.count_due()), (3, 1));
    assert!(contents.torn && contents.whole < text.len() as u64);
    let kinds: Vec<String> = contents.problems.describe();
    assert_eq!(kinds.len(), 6, "{kinds:?}");
    let foreign = contents.problems.foreign().expect("one of another tournament");
    assert_eq!(foreign.line, 5);
}

#[test]
fn the_records_of_games_that_count_are_read_again() {
    let (_dir, folder) = locked();
    let records = [of_pair(1, 2), of_pair(1, 1), of_pair(1, 2)];
    log(folder.dir(), &records);
    let contents = read_folder_log(folder.dir(), |_, _| {}).expect("a log");
    let mut found = Vec::new();
    for_each_folder_game(folder.dir(), &contents.state, |index, game, line| {
        let record: GameRecord = serde_json::from_slice(line).expect("a record");
        found.push((index, record.id, game.place.line));
        Ok::<(), FolderError>(())
    })
    .expect("a log");
    let expected = [(1, records[0].id.clone(), 2), (0, records[1].id.clone(), 3)];
    assert_eq!(found, expected, "each once, in the order of the log");
    let stop = |_: usize, _: &GameLine, _: &[u8]| Err(FolderError::InvalidSecret(PathBuf::new()));
    let stopped = for_each_folder_game(folder.dir(), &contents.state, stop);
    assert!(matches!(stopped, Err(FolderError::InvalidSecret(_))), "{stopped:?}");
}

#[test]
fn games_lost_from_the_log_are_reported() {
    let dir = Path::new("results/cup");
    check_folder_game_count(dir, 4, 4).expect("all are there");
    let failure = check_folder_game_count(dir, 3, 4).expect_err("one is missing");
    assert!(failure.to_string().contains("3 games can be read in it, 4 were written"), "{failure}");
}

#[test]
fn the_games_of_a_day_are_counted_in_the_log() {
    let (_dir, folder) = locked();
    let mut records = [of_pair(1, 1), of_pair(1, 2), of_pair(2, 1), of_pair(2, 2)];
    // The third one began before midnight, and took longer than the second.
    for (record, (began, took)) in records.iter_mut().zip([(80, 10), (120, 5), (90, 40), (130, 5)])
    {
        record.clock.began = began;
        record.clock.wall_ns = took * 1_000_000_000;
    }
    log(folder.dir(), &records);
    for (since, games) in [(0, 4), (85, 3), (100, 2), (131, 0)] {
        assert_eq!(count_folder_games_since(folder.dir(), since).expect("a log"), games, "{since}");
    }
}
