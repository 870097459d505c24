use std::fs;

use proptest::prelude::*;

use super::*;

/// A line whose place in the log the index does not say.
fn place() -> impl Strategy<Value = LinePlace> {
    (any::<u32>(), any::<u64>(), any::<bool>()).prop_map(|(length, hash, intact)| LinePlace {
        line: 0,
        at: 0,
        length,
        hash,
        intact,
    })
}

fn game() -> impl Strategy<Value = GameLine> {
    let fault = || prop::option::of(prop::sample::select(FaultCode::ALL.to_vec()));
    let numbers = (any::<u32>(), any::<u32>(), any::<u32>(), any::<u8>(), any::<u32>());
    let large = (any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>());
    let result = prop::sample::select(GameOutcome::ALL.to_vec());
    (place(), result, (fault(), fault()), numbers, large, ".{0,12}").prop_map(
        |(place, result, faults, (first, second, pair, game, plies), large, reason)| {
            let (pair_id, fingerprint, one, other, wall_ns) = large;
            let faults = BySeat::new(faults.0, faults.1);
            GameLine {
                place,
                players: BySeat::new(first as usize, second as usize),
                pair,
                game,
                pair_id,
                result,
                summary: GameSummary::new(result, faults, NonZeroU64::new(fingerprint)),
                reason,
                plies,
                used_ms: BySeat::new(one, other),
                wall_ns,
            }
        },
    )
}

fn entry() -> impl Strategy<Value = IndexEntry> {
    prop_oneof![
        game().prop_map(IndexEntry::Game),
        place().prop_map(IndexEntry::Other),
        Just(IndexEntry::Compared),
    ]
}

/// The bytes of an index of the log with this header line.
fn index(header: &[u8], entries: &[IndexEntry]) -> Vec<u8> {
    let (mut bytes, mut chain) = (MAGIC.to_vec(), Chain::new(header));
    for entry in entries {
        chain.write(entry, Look(7), &mut bytes);
    }
    bytes
}

/// The entries of an index for the log with this header line, and the length that they take.
fn read(header: &[u8], bytes: &[u8]) -> (Vec<IndexEntry>, u64) {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join(INDEX);
    fs::write(&path, bytes).expect("written");
    let Some(mut reader) = IndexReader::open(&path, Chain::new(header)).expect("readable") else {
        return (Vec::new(), 0);
    };
    let entries = std::iter::from_fn(|| reader.next(0, 0)).collect();
    (entries, reader.whole())
}

/// A game that nobody played.
fn some_game() -> GameLine {
    GameLine {
        place: LinePlace { line: 0, at: 0, length: 9, hash: 5, intact: true },
        players: BySeat::new(0, 1),
        pair: 1,
        game: 2,
        pair_id: 0xabc,
        result: GameOutcome::Draw,
        summary: GameSummary::new(GameOutcome::Draw, BySeat::default(), None),
        reason: "repetition".to_owned(),
        plies: 40,
        used_ms: BySeat::new(3, 4),
        wall_ns: 9,
    }
}

proptest! {
    #[test]
    fn entries_read_as_they_are_written(entries in prop::collection::vec(entry(), 0..6)) {
        let bytes = index(b"header", &entries);
        prop_assert_eq!(read(b"header", &bytes), (entries, bytes.len() as u64));
    }

    #[test]
    fn a_torn_index_is_read_up_to_its_last_complete_entry(
        entries in prop::collection::vec(entry(), 1..5),
        cut in any::<prop::sample::Index>(),
    ) {
        let whole = index(b"header", &entries);
        let (found, length) = read(b"header", &whole[..cut.index(whole.len())]);
        prop_assert!(found.len() < entries.len());
        prop_assert_eq!(&found[..], &entries[..found.len()]);
        let expected = if length == 0 { 0 } else { index(b"header", &found).len() as u64 };
        prop_assert_eq!(length, expected);
    }

    #[test]
    fn nothing_is_read_from_a_changed_byte_on(
        entries in prop::collection::vec(entry(), 1..4),
        at in any::<prop::sample::Index>(),
        by in 1_u8..,
    ) {
        let mut bytes = index(b"header", &entries);
        let at = at.index(bytes.len());
        bytes[at] ^= by;
        let (found, length) = read(b"header", &bytes);
        prop_assert_eq!(&found[..], &entries[..found.len()]);
        prop_assert!(length <= at as u64);
    }
}

#[test]
fn an_index_belongs_to_one_log() {
    let bytes = index(b"header", &[IndexEntry::Game(some_game())]);
    assert_eq!(read(b"header", &bytes).0.len(), 1);
    assert_eq!(read(b"another header", &bytes).0, []);
}

#[test]
fn an_entry_says_where_its_line_is_as_the_reader_knows_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join(INDEX);
    fs::write(&path, index(b"header", &[IndexEntry::Game(some_game())])).expect("written");
    let mut reader =
        IndexReader::open(&path, Chain::new(b"header")).expect("readable").expect("an index");
    let Some(IndexEntry::Game(game)) = reader.next(300, 4) else { panic!("a game") };
    assert_eq!((game.place.at, game.place.line, game.place.length), (300, 4, 9));
    assert_eq!(game.id(), "000000000abc-2");
}

#[test]
fn indexes_of_another_format_are_ignored() {
    let mut bytes = index(b"header", &[IndexEntry::Compared]);
    bytes[MAGIC.len() - 2] = b'0';
    assert_eq!(read(b"header", &bytes), (Vec::new(), 0));
    assert_eq!(read(b"header", b""), (Vec::new(), 0));
    let missing = tempfile::tempdir().expect("a folder");
    let opened = IndexReader::open(&missing.path().join(INDEX), Chain::new(b"header"));
    assert!(opened.expect("no error").is_none());
}

#[test]
fn the_last_entry_says_how_the_log_looked() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join(INDEX);
    let (mut bytes, mut chain) = (MAGIC.to_vec(), Chain::new(b"header"));
    for look in [1, 2, 3] {
        chain.write(&IndexEntry::Compared, Look(look), &mut bytes);
    }
    fs::write(&path, &bytes).expect("written");
    let mut file = File::open(&path).expect("a file");
    assert_eq!(last_hashes(&mut file).expect("readable"), Some((Look(3), chain)));
    let reader = IndexReader::open(&path, Chain::new(b"header")).expect("readable");
    let reader = reader.expect("an index");
    assert!(reader.ends_with(Look(3)) && !reader.ends_with(Look(2)));
    fs::write(&path, MAGIC).expect("written");
    let mut file = File::open(&path).expect("a file");
    assert_eq!(last_hashes(&mut file).expect("readable"), None, "there is no entry");
}

#[test]
fn a_log_looks_different_after_every_change() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("log");
    let look = || Look::of(&fs::metadata(&path).expect("a file"));
    fs::write(&path, "one").expect("written");
    let one = look();
    assert_eq!(look(), one, "reading changes nothing");
    fs::write(&path, "three").expect("written");
    let three = look();
    assert_ne!(three, one);
    let copy = dir.path().join("copy");
    fs::copy(&path, &copy).expect("copied");
    fs::rename(&copy, &path).expect("replaced");
    assert_ne!(look(), three, "another file of the same length");
}

#[test]
fn unknown_numbers_make_an_index_entry_invalid() {
    let mut bytes = Vec::new();
    encode(&IndexEntry::Game(some_game()), &mut bytes);
    assert_eq!(decode(&bytes, 0, 0), Some(IndexEntry::Game(some_game())));
    let with = |at: usize, value: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = value;
        decode(&bytes, 0, 0)
    };
    assert_eq!(with(0, 9), None, "a kind of line");
    assert_eq!(with(14, 3), None, "a result");
    assert_eq!(with(16, fault_number(LAST_FAULT) + 1), None, "a fault");
    assert_eq!(with(bytes.len() - 1, 0xff), None, "a reason that is not UTF-8");
    for length in 1..bytes.len() - "repetition".len() {
        assert_eq!(decode(&bytes[..length], 0, 0), None, "{length} bytes");
    }
}

#[test]
fn every_fault_has_a_number_of_its_own() {
    assert_eq!(fault_of(0), None);
    for code in FaultCode::ALL {
        assert_eq!(fault_of(fault_number(code)), Some(code));
    }
}
