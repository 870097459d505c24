//! The bytes of a book, read in order: a book may be much larger than the memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use super::book_entry::EntryError;

/// The longest line of a book, in bytes.
const LONGEST_LINE: usize = 1 << 20;
/// The mark that some programs put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Where the bytes of a book come from.
pub(super) enum BookStream {
    /// A plain file, in which any place is near.
    File(File),
    /// Anything else, which is read from its beginning.
    Unpacked(Box<dyn Read>),
}

impl Read for BookStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Unpacked(stream) => stream.read(buffer),
        }
    }
}

/// Reads a book from its beginning, byte by byte or line by line.
pub(super) struct BookBytes {
    stream: BufReader<Hashing>,
    /// The place of the next byte.
    at: u64,
}

/// Hashes what is read.
struct Hashing {
    stream: BookStream,
    hasher: Option<blake3::Hasher>,
}

impl Read for Hashing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&buffer[..count]);
        }
        Ok(count)
    }
}

impl BookBytes {
    /// Reads `stream` from its beginning, behind a byte order mark.
    pub(super) fn new(stream: BookStream) -> io::Result<Self> {
        let hashing = Hashing { stream, hasher: Some(blake3::Hasher::new()) };
        let mut stream = BufReader::with_capacity(1 << 16, hashing);
        let marked = stream.fill_buf()?.starts_with(BYTE_ORDER_MARK);
        let mut bytes = Self { stream, at: 0 };
        if marked {
            bytes.pass(BYTE_ORDER_MARK.len());
        }
        Ok(bytes)
    }

    /// The place of the next byte.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// A hash of the whole book, at its end.
    pub(super) fn hash(self) -> String {
        let hasher = self.stream.into_inner().hasher.unwrap_or_default();
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// The next byte, if there is one.
    pub(super) fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.stream.fill_buf()?.first().copied())
    }

    /// Skips this many bytes, which were seen.
    pub(super) fn pass(&mut self, count: usize) {
        self.stream.consume(count);
        self.at += count as u64;
    }

    /// The next byte, if there is one, and goes past it.
    pub(super) fn next(&mut self) -> io::Result<Option<u8>> {
        let next = self.peek()?;
        self.pass(usize::from(next.is_some()));
        Ok(next)
    }

    /// Goes past the next `end`, or to the end of the book; false if there was none.
    pub(super) fn pass_until(&mut self, end: u8) -> io::Result<bool> {
        loop {
            let buffer = self.stream.fill_buf()?;
            match (buffer.iter().position(|&byte| byte == end), buffer.len()) {
                (Some(place), _) => {
                    self.pass(place + 1);
                    return Ok(true);
                }
                (None, 0) => return Ok(false),
                (None, count) => self.pass(count),
            }
        }
    }

    /// Goes forward to this place.
    pub(super) fn skip_to(&mut self, to: u64) -> io::Result<()> {
        loop {
            let Some(ahead) = to.checked_sub(self.at) else {
                return Err(io::Error::other("it changed while being read"));
            };
            let ahead = usize::try_from(ahead).unwrap_or(usize::MAX);
            let known = self.stream.buffer().len();
            if ahead <= known {
                self.pass(ahead);
                return Ok(());
            }
            self.pass(known);
            let Hashing { stream, hasher } = self.stream.get_mut();
            *hasher = None;
            if let BookStream::File(file) = stream {
                file.seek(SeekFrom::Start(to))?;
                self.at = to;
                return Ok(());
            }
            if self.stream.fill_buf()?.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Reads the next line into `line`, without its end. Returns its place, or `None` at the end.
    pub(super) fn read_line(&mut self, line: &mut Vec<u8>) -> Result<Option<u64>, EntryError> {
        line.clear();
        let start = self.at;
        let most = LONGEST_LINE as u64 + 1;
        let count = (&mut self.stream).take(most).read_until(b'\n', line)?;
        self.at += count as u64;
        if count > LONGEST_LINE {
            return Err(EntryError::new(start..start + 1, "this line is longer than 1 MiB"));
        }
        while line.last().is_some_and(u8::is_ascii_whitespace) {
            line.pop();
        }
        Ok((count > 0).then_some(start))
    }
}
