//! Splits CSV into lines and fields, and knows the number of every line.

use std::borrow::Cow;
use std::io::{self, BufRead};

/// The byte order mark that some programs write first.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The lines of a CSV file. Blank lines are skipped.
pub(super) struct CsvLines<R> {
    input: R,
    /// The number of lines read.
    read: usize,
}

/// A line, or several if a quoted field contains line breaks.
pub(super) struct CsvLine {
    /// The number of its first line, from 1.
    pub(super) number: usize,
    bytes: Vec<u8>,
}

impl<R: BufRead> CsvLines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, read: 0 }
    }

    /// The next line that is not blank.
    pub(super) fn next_line(&mut self) -> io::Result<Option<CsvLine>> {
        let mut line = CsvLine { number: 0, bytes: Vec::new() };
        while self.input.read_until(b'\n', &mut line.bytes)? > 0 {
            self.read += 1;
            if self.read == 1 && line.bytes.starts_with(BOM) {
                line.bytes.drain(..BOM.len());
            }
            if line.bytes.trim_ascii().is_empty() {
                line.bytes.clear();
                continue;
            }
            if line.number == 0 {
                line.number = self.read;
            }
            if line.is_whole() {
                break;
            }
        }
        Ok(Some(line).filter(|line| line.number > 0))
    }
}

impl CsvLine {
    /// Whether every quoted field has ended.
    fn is_whole(&self) -> bool {
        self.bytes.iter().fold(true, |is_whole, byte| is_whole != (*byte == b'"'))
    }

    /// The fields, unquoted.
    pub(super) fn fields(&self) -> Vec<Cow<'_, [u8]>> {
        let bytes = self.bytes.trim_ascii_end();
        if !bytes.contains(&b'"') {
            return bytes.split(|byte| *byte == b',').map(Cow::Borrowed).collect();
        }
        let mut builder = csv::ReaderBuilder::new();
        let mut reader = builder.has_headers(false).flexible(true).from_reader(bytes);
        let mut record = csv::ByteRecord::new();
        // Reading from memory cannot fail, and fields of bytes have no wrong encoding.
        let _ = reader.read_byte_record(&mut record);
        record.iter().map(|field| Cow::Owned(field.to_vec())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a text, each with its number and its fields.
    fn lines(text: &str) -> Vec<(usize, Vec<String>)> {
        let mut lines = CsvLines::new(text.as_bytes());
        std::iter::from_fn(|| lines.next_line().expect("memory"))
            .map(|line| {
                let fields = line.fields();
                let text = |field: &Cow<'_, [u8]>| String::from_utf8_lossy(field).into_owned();
                (line.number, fields.iter().map(text).collect())
            })
            .collect()
    }

    fn fields(line: &str) -> Vec<String> {
        lines(line).remove(0).1
    }

    #[test]
    fn blank_lines_are_skipped_and_still_counted() {
        let found = lines("\u{feff}a,b\r\n\n  \nc,d\n\ne");
        let numbers: Vec<usize> = found.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [1, 4, 6]);
        assert_eq!((&found[0].1[0], &found[1].1[1]), (&"a".to_owned(), &"d".to_owned()));
        assert_eq!(lines(""), []);
        assert_eq!(lines("\n\n"), []);
    }

    #[test]
    fn a_quoted_field_may_hold_commas_quotes_and_line_breaks() {
        assert_eq!(fields("\"a,b\",c"), ["a,b", "c"]);
        assert_eq!(fields("\"say \"\"hi\"\"\",c"), ["say \"hi\"", "c"]);
        let found = lines("\"one\ntwo\",x\nthree,y\n");
        assert_eq!(found[0], (1, vec!["one\ntwo".to_owned(), "x".to_owned()]));
        assert_eq!(found[1].0, 3, "the line breaks in it are counted");
    }

    #[test]
    fn empty_fields_stay() {
        assert_eq!(fields("a,,b,"), ["a", "", "b", ""]);
        assert_eq!(fields("\"\",\"\""), ["", ""]);
    }

    #[test]
    fn a_quote_that_never_ends_takes_the_rest() {
        let found = lines("a,\"b\nc\nd");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1[0], "a");
    }
}
