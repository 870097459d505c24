//! Draws the openings of a tournament from its book.

use referee_record::model::openings::{BookSelection, OpeningFile, Openings, UnreadableBook};
use referee_record::model::record::Header;
use referee_record::seeds::book_order;

/// Adds openings from `book` to the header `wanted`. Those of the header `old` stay if they are
/// enough.
pub(super) fn draw_openings(
    book: &dyn OpeningFile,
    wanted: &mut Header,
    old: Option<&Header>,
    note: &dyn Fn(&str),
) -> Result<(), UnreadableBook> {
    let selection = book.selection();
    let pairs = wanted.stages.iter().map(|stage| stage.pairs).max().unwrap_or_default();
    let needed = BookSelection::needed(pairs);
    if let Some(old) = old.filter(|old| has_drawn(old, wanted.seed, (selection, needed))) {
        wanted.openings.clone_from(&old.openings);
        wanted.book.clone_from(&old.book);
        return Ok(());
    }
    let is_older = old.is_some_and(|old| old.book.is_none() && old.openings.is_some());
    let (seed, count) = match (wanted.seed, is_older) {
        // Older versions drew at most so many, in an order that was the same without a seed.
        (seed, true) => (seed.unwrap_or_default(), BookSelection::needed(0)),
        (Some(seed), false) => (seed, needed),
        (None, false) => (book_order(&wanted.identity), needed),
    };
    let drawn = book.draw(seed, count)?;
    drawn.left_out.iter().for_each(|text| note(text));
    wanted.openings = Some(Openings::Listed(drawn.list));
    if is_older {
        keep_older(wanted, old, note);
    } else {
        wanted.book = Some(BookSelection { read: drawn.read, ..selection.clone() });
    }
    Ok(())
}

/// Keeps the openings of an older version's log if there are as many now. That version read counters
/// and comments of some books in another way, and all that the games need is in the log.
fn keep_older(wanted: &mut Header, old: Option<&Header>, note: &dyn Fn(&str)) {
    if let Some(Openings::Listed(before)) = old.and_then(|old| old.openings.as_ref())
        && let Some(Openings::Listed(now)) = &mut wanted.openings
        && before.len() == now.len()
        && before != now
    {
        now.clone_from(before);
        note("the openings stay as they are in the log, which an older version wrote");
    }
}

/// Whether the header `old` has the openings that drawing so many from a book would give.
fn has_drawn(old: &Header, seed: Option<u64>, (book, needed): (&BookSelection, usize)) -> bool {
    let (Some(known), Some(Openings::Listed(list))) = (&old.book, &old.openings) else {
        return false;
    };
    let is_same = old.seed == seed && known.distinctly() == book.distinctly();
    is_same && (list.len() >= needed || known.read >= known.size)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use referee_record::model::openings::{BookOrder, DrawnOpenings, ListedOpening};
    use referee_record::model::record::examples;

    /// A book of which one opening of five cannot be played.
    #[derive(Debug)]
    struct FakeBook(BookSelection);

    impl OpeningFile for FakeBook {
        fn selection(&self) -> &BookSelection {
            &self.0
        }

        fn draw(&self, seed: u64, count: usize) -> Result<DrawnOpenings, UnreadableBook> {
            let list = vec![ListedOpening::Actions(vec![format!("{seed} {count}")]); 4];
            Ok(DrawnOpenings { list, read: 5, left_out: Some("one".to_owned()) })
        }
    }

    fn book(hash: &str) -> FakeBook {
        FakeBook(BookSelection {
            file: "book.epd".to_owned(),
            hash: hash.to_owned(),
            size: 5,
            order: BookOrder::Random,
            start: 1,
            plies: None,
            read: 0,
        })
    }

    /// The header with openings from a book, after `old`, and what was noted.
    fn drawn(hash: &str, seed: Option<u64>, old: Option<&Header>) -> (Header, Vec<String>) {
        let mut wanted = Header { seed, ..examples::header(&["ant", "bee"]) };
        let notes = RefCell::new(Vec::new());
        let note = |text: &str| notes.borrow_mut().push(text.to_owned());
        draw_openings(&book(hash), &mut wanted, old, &note).expect("openings");
        (wanted, notes.into_inner())
    }

    #[test]
    fn what_was_drawn_stays() {
        let (first, notes) = drawn("a", None, None);
        assert_eq!(notes, ["one"]);
        assert_eq!(drawn("a", None, Some(&first)), (first.clone(), Vec::new()));
        assert_eq!(drawn("b", None, Some(&first)).1, ["one"]);
        assert_eq!(drawn("a", Some(7), Some(&first)).1, ["one"]);
    }

    #[test]
    fn a_log_of_an_older_version_keeps_its_openings() {
        let list = |text: &str, count| {
            Some(Openings::Listed(vec![ListedOpening::Actions(vec![text.to_owned()]); count]))
        };
        for (seed, same) in [(None, "0 10000"), (Some(7), "7 10000")] {
            let after = |openings| {
                let older = Header { openings, seed, ..examples::header(&["ant", "bee"]) };
                let (wanted, notes) = drawn("a", seed, Some(&older));
                assert_eq!(wanted.book, None);
                (wanted.openings, notes.len())
            };
            assert_eq!(after(list(same, 4)), (list(same, 4), 1), "the order without a seed");
            assert_eq!(after(list("e2e4", 4)), (list("e2e4", 4), 2), "read in another way");
            assert_eq!(after(list("e2e4", 3)), (list(same, 4), 1), "another book");
        }
    }
}
