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
