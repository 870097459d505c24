use std::fs;

use super::*;
use crate::log::LinePlace;
use crate::log::index::IndexReader;

const HEADER: &[u8] = b"header";

/// A line of a log, known by its hash.
fn line(hash: u64) -> IndexEntry {
    IndexEntry::Other(LinePlace { line: 0, at: 0, length: 1, hash, intact: false })
}

/// How a log of this many bytes looks.
fn look(dir: &Path, bytes: usize) -> Look {
    let path = dir.join("log");
    fs::write(&path, vec![b'x'; bytes]).expect("written");
    Look::of(&fs::metadata(&path).expect("a file"))
}

/// The lines in the index, by their hashes.
fn hashes(dir: &Path) -> Vec<u64> {
    let reader = IndexReader::open(&dir.join(INDEX), Chain::new(HEADER)).expect("readable");
    let mut reader = reader.expect("an index");
    let entries = std::iter::from_fn(|| reader.next(0, 0));
    entries
        .filter_map(|entry| match entry {
            IndexEntry::Other(place) => Some(place.hash),
            _ => None,
        })
        .collect()
}

#[test]
fn an_index_goes_on_with_the_log() {
    let dir = tempfile::tempdir().expect("a folder");
    let [empty, one, two] = [0, 1, 2].map(|bytes| look(dir.path(), bytes));
    begin_index(dir.path(), HEADER, empty).expect("begun");
    let mut index = IndexWriter::open(dir.path(), empty).expect("opened").expect("it fits");
    index.append(&line(11), one).expect("appended");
    assert!(index.fits(one) && !index.fits(empty));
    drop(index);
    let mut index = IndexWriter::open(dir.path(), one).expect("opened").expect("it fits");
    index.append(&line(12), two).expect("appended");
    assert_eq!(hashes(dir.path()), [11, 12]);
}

#[test]
fn an_index_of_a_log_that_looks_different_is_not_opened() {
    let dir = tempfile::tempdir().expect("a folder");
    let [empty, other] = [0, 1].map(|bytes| look(dir.path(), bytes));
    assert!(IndexWriter::open(dir.path(), empty).expect("no error").is_none(), "there is none");
    begin_index(dir.path(), HEADER, empty).expect("begun");
    assert!(IndexWriter::open(dir.path(), other).expect("no error").is_none());
    let mut index = IndexWriter::open(dir.path(), empty).expect("opened").expect("it fits");
    index.renew(other);
    assert!(index.fits(other), "a torn line was dropped");
}

#[test]
fn a_new_index_keeps_the_part_of_the_old_one_that_fits() {
    let dir = tempfile::tempdir().expect("a folder");
    let look = look(dir.path(), 1);
    let mut first = NewIndex::new(dir.path(), 0, Chain::new(HEADER));
    [1, 2, 3].into_iter().try_for_each(|hash| first.add(&line(hash))).expect("added");
    first.finish(look).expect("in its place");
    assert_eq!(hashes(dir.path()), [1, 2, 3]);

    let path = dir.path().join(INDEX);
    let mut reader =
        IndexReader::open(&path, Chain::new(HEADER)).expect("readable").expect("an index");
    reader.next(0, 0).expect("the first entry");
    let mut second = NewIndex::new(dir.path(), reader.whole(), reader.chain());
    second.add(&line(9)).expect("added");
    assert_eq!(hashes(dir.path()), [1, 2, 3], "the old one stays until the new one is complete");
    second.finish(look).expect("in its place");
    assert_eq!(hashes(dir.path()), [1, 9]);
}

#[test]
fn a_new_index_that_is_given_up_leaves_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    begin_index(dir.path(), HEADER, look(dir.path(), 0)).expect("begun");
    let before = fs::read(dir.path().join(INDEX)).expect("an index");
    let mut given_up = NewIndex::new(dir.path(), 0, Chain::new(HEADER));
    let entries = COLLECTED / 30 + 1;
    for hash in 0..entries as u64 {
        given_up.add(&line(hash)).expect("added");
    }
    assert!(dir.path().join("games.index.new").exists(), "a part of it is on disk");
    drop(given_up);
    assert_eq!(fs::read(dir.path().join(INDEX)).expect("an index"), before);
    assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 2, "the log and its index");
}
