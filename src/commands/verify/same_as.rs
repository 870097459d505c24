//! Compares what is written with a file, without holding either in memory.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use crate::bounded;

/// Takes what a file should hold, and compares it with what the file holds.
#[derive(Debug)]
pub(super) struct SameAs {
    file: io::Result<BufReader<File>>,
    is_same: bool,
}

impl SameAs {
    /// Opens the file. If that fails, [`conclude`](Self::conclude) returns the error.
    pub(super) fn open(path: &Path) -> Self {
        Self { file: bounded::open(path).map(BufReader::new), is_same: true }
    }

    /// Whether the file holds exactly what was written.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(super) fn conclude(self) -> io::Result<bool> {
        let mut rest = self.file?;
        Ok(self.is_same && rest.read(&mut [0])? == 0)
    }
}

impl Write for SameAs {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let (true, Ok(file)) = (self.is_same, &mut self.file) {
            let mut found = vec![0; bytes.len()];
            self.is_same = match file.read_exact(&mut found) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => false,
                read => read.map(|()| found == bytes)?,
            };
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
