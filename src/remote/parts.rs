//! Results that are too long for one message travel in several parts.

use std::collections::HashMap;

/// The most parts of a result.
const MOST_PARTS: usize = 256;
/// The most results of which only some parts have arrived.
const MOST_INCOMPLETE: usize = 256;

/// The place of a part in its result.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PartLabel {
    /// What all parts of a result have in common.
    pub result: String,
    /// Its number, from 0.
    pub number: usize,
    /// How many parts there are.
    pub of: usize,
}

impl PartLabel {
    /// The label as text.
    pub fn text(&self) -> String {
        format!("{} {} {}", self.result, self.number, self.of)
    }

    /// Reads a label. `None` if it makes no sense.
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let result = words.next()?.to_owned();
        let number = words.next()?.parse().ok()?;
        let of = words.next()?.parse().ok()?;
        let fits = number < of && of <= MOST_PARTS && words.next().is_none();
        fits.then_some(Self { result, number, of })
    }
}

/// Splits a result into parts of at most `most` bytes, at least one.
pub fn split<'b>(result: &str, bytes: &'b [u8], most: usize) -> Vec<(PartLabel, &'b [u8])> {
    let chunks: Vec<&[u8]> = match bytes {
        [] => vec![bytes],
        _ => bytes.chunks(most.max(1)).collect(),
    };
    let of = chunks.len();
    let label = |number| PartLabel { result: result.to_owned(), number, of };
    chunks.into_iter().enumerate().map(|(number, chunk)| (label(number), chunk)).collect()
}

/// The parts of a result that have arrived, with their receipts.
type Arrived<R> = Vec<Option<(Vec<u8>, R)>>;

/// A complete result, with the receipts of its parts.
pub type Complete<R> = (Vec<u8>, Vec<R>);

/// Puts parts together. Each part comes with a receipt `R`, which the whole result keeps.
#[derive(Debug)]
pub struct Assembly<R> {
    incomplete: HashMap<String, Arrived<R>>,
}

impl<R> Default for Assembly<R> {
    fn default() -> Self {
        Self { incomplete: HashMap::new() }
    }
}

impl<R> Assembly<R> {
    /// Adds a part. Returns the result with its receipts once it is complete.
    ///
    /// # Errors
    /// Returns the receipt of a part that contradicts the others, or that exceeds the memory limit.
    pub fn add(
        &mut self,
        label: PartLabel,
        bytes: Vec<u8>,
        receipt: R,
    ) -> Result<Option<Complete<R>>, R> {
        let PartLabel { result, number, of } = label;
        if of == 1 {
            return Ok(Some((bytes, vec![receipt])));
        }
        if self.incomplete.len() >= MOST_INCOMPLETE && !self.incomplete.contains_key(&result) {
            return Err(receipt);
        }
        let parts = self
            .incomplete
            .entry(result.clone())
            .or_insert_with(|| std::iter::repeat_with(|| None).take(of).collect());
        if parts.len() != of {
            return Err(receipt);
        }
        parts[number] = Some((bytes, receipt));
        if parts.iter().any(Option::is_none) {
            return Ok(None);
        }
        let parts = self.incomplete.remove(&result).unwrap_or_default();
        let (bytes, receipts): (Vec<_>, Vec<_>) = parts.into_iter().flatten().unzip();
        Ok(Some((bytes.concat(), receipts)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_together_in_any_order_and_more_than_once() {
        let parts = split("a", b"abcdefgh", 3);
        assert_eq!(parts.iter().map(|(_, part)| part.len()).collect::<Vec<_>>(), [3, 3, 2]);
        let mut assembly = Assembly::default();
        for (at, number) in [2, 0, 2, 1].into_iter().enumerate() {
            let (label, part) = parts[number].clone();
            assert_eq!(PartLabel::read(&label.text()), Some(label.clone()));
            let whole = assembly.add(label, part.to_vec(), number).expect("it fits");
            let expected = (at == 3).then(|| (b"abcdefgh".to_vec(), vec![0, 1, 2]));
            assert_eq!(whole, expected);
        }
    }

    #[test]
    fn labels_that_make_no_sense_are_refused() {
        for text in ["", "a", "a 0", "a 1 1", "a 0 999", "a 0 1 2", "a x 2"] {
            assert_eq!(PartLabel::read(text), None, "{text}");
        }
        let label = |of| PartLabel { result: "a".to_owned(), number: 0, of };
        let mut assembly = Assembly::default();
        assert_eq!(assembly.add(label(2), Vec::new(), 1), Ok(None));
        assert_eq!(assembly.add(label(3), Vec::new(), 2), Err(2));
    }
}
