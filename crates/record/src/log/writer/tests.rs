use super::*;
use crate::log::LogReader;
use crate::model::record::examples::{game, header};

fn created(dir: &Path) -> LogWriter {
    let mut log = LogWriter::create(dir, &header(&["ant", "bee"])).expect("created");
    log.append(&game("ant", "bee", "white")).expect("appended");
    log
}

fn length(dir: &Path) -> u64 {
    fs::metadata(dir.join(LOG)).expect("a log").len()
}

fn games(dir: &Path) -> usize {
    let mut reader = LogReader::open(dir).expect("a log");
    std::iter::from_fn(|| reader.next_record().expect("readable")).count()
}

#[test]
fn a_torn_line_is_dropped_before_appending() {
    let dir = tempfile::tempdir().expect("a folder");
    let one = game("ant", "bee", "white");
    drop(created(dir.path()));
    let whole = length(dir.path());
    let text = fs::read(dir.path().join(LOG)).expect("a log");
    fs::write(dir.path().join(LOG), [&text[..], b"{\"id\":\"half"].concat()).expect("torn");
    let mut log = LogWriter::open_locked(dir.path()).expect("held");
    assert!(length(dir.path()) > whole, "holding a log changes nothing");
    log.continue_at(&header(&["ant", "bee"]), whole).expect("it goes on");
    assert_eq!(length(dir.path()), whole);
    log.append(&one).expect("appended");
    assert_eq!(games(dir.path()), 2);
}

#[test]
fn every_game_is_in_the_file_before_it_is_synced() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut log = created(dir.path());
    log.keep_synced().expect("a thread");
    for done in 2..5 {
        log.append(&game("bee", "ant", "draw")).expect("appended");
        assert_eq!(games(dir.path()), done);
    }
    log.sync_soon();
    log.finish().expect("synced");
    log.append(&game("bee", "ant", "black")).expect("it can still go on");
    assert_eq!(games(dir.path()), 5);
}

#[test]
fn a_header_that_no_command_could_read_is_not_written() {
    let dir = tempfile::tempdir().expect("a folder");
    let options = serde_json::json!({"list": "x".repeat(1 << 20)});
    let options = options.as_object().expect("options").clone();
    let header = Header { options, ..header(&["ant", "bee"]) };
    let error = LogWriter::create(dir.path(), &header).expect_err("too long");
    assert!(matches!(error, WriteError::Header { .. }), "{error}");
    assert!(!dir.path().join(LOG).exists());
}

#[test]
fn a_missing_log_cannot_be_locked() {
    let dir = tempfile::tempdir().expect("a folder");
    let error = LogWriter::open_locked(dir.path()).expect_err("there is none");
    let WriteError::Failed { source, path } = error else { panic!("{error}") };
    assert_eq!((source.kind(), path), (io::ErrorKind::NotFound, dir.path().join(LOG)));
}

#[test]
fn an_error_says_which_log_and_what_is_wrong() {
    let path = PathBuf::from("results/cup/games.jsonl");
    let text = |error: WriteError| error.to_string();
    assert_eq!(
        text(WriteError::Held(path.clone())),
        "another run is writing to results/cup/games.jsonl; wait for it, or stop it with Ctrl-C"
    );
    assert_eq!(
        text(WriteError::Moved(path.clone())),
        "results/cup/games.jsonl was moved, removed or replaced during the run"
    );
    assert_eq!(
        text(WriteError::Changed { path: path.clone(), expected: 20, found: 10 }),
        "results/cup/games.jsonl was changed during the run: it has 10 bytes, expected 20"
    );
    let failed = WriteError::Failed { path, source: io::Error::other("no room") };
    assert!(std::error::Error::source(&failed).is_some());
    assert_eq!(text(failed), "cannot write results/cup/games.jsonl: no room");
}
