//! Draws the openings of a tournament from its book.

use referee_record::model::opening_source::{
    OpeningBookSelection, OpeningFile, Openings, UnreadableBook,
};
use referee_record::model::record::Header;
use referee_record::seeds::book_order_seed;

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
    let needed = OpeningBookSelection::openings_needed(pairs);
    if let Some(old) = old.filter(|old| has_drawn_openings(old, wanted.seed, (selection, needed))) {
        wanted.openings.clone_from(&old.openings);
        wanted.book.clone_from(&old.book);
        return Ok(());
    }
    let seed = wanted.seed.unwrap_or_else(|| book_order_seed(&wanted.identity));
    let drawn = book.draw(seed, needed)?;
    drawn.left_out.iter().for_each(|text| note(text));
    wanted.openings = Some(Openings::Listed(drawn.list));
    wanted.book = Some(OpeningBookSelection { read: drawn.read, ..selection.clone() });
    Ok(())
}

/// Whether the header `old` has the openings that drawing so many from a book would give.
fn has_drawn_openings(
    old: &Header,
    seed: Option<u64>,
    (book, needed): (&OpeningBookSelection, usize),
) -> bool {
    let (Some(known), Some(Openings::Listed(list))) = (&old.book, &old.openings) else {
        return false;
    };
    let is_same = old.seed == seed && known.describe_distinctly() == book.describe_distinctly();
    is_same && (list.len() >= needed || known.read >= known.size)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::Arc;

    use super::*;
    use referee_record::model::opening_source::{BookOrder, DrawnOpenings, ListedOpening};
    use referee_record::model::record::examples;

    /// A book of which one opening of five cannot be played.
    #[derive(Debug)]
    struct FakeBook(OpeningBookSelection);

    impl OpeningFile for FakeBook {
        fn selection(&self) -> &OpeningBookSelection {
            &self.0
        }

        fn draw(&self, seed: u64, count: usize) -> Result<DrawnOpenings, UnreadableBook> {
            let list = vec![ListedOpening::Actions(vec![format!("{seed} {count}")]); 4];
            Ok(DrawnOpenings { list, read: 5, left_out: Some("one".to_owned()) })
        }

        fn starting_at(&self, start: u32) -> Arc<dyn OpeningFile> {
            Arc::new(Self(OpeningBookSelection { start, ..self.0.clone() }))
        }
    }

    fn book(hash: &str) -> FakeBook {
        FakeBook(OpeningBookSelection {
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
}
