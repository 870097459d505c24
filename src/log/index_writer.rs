//! Writes an index: an entry for each line that is appended to the log, or a whole new index.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::index::{Chain, INDEX, IndexEntry, Look, MAGIC, last_hashes};
use crate::bounded;
use crate::disk::{self, Replacement};

/// The bytes of a new index that are collected before they are written.
const COLLECTED: usize = 1 << 20;

/// An index, open for appending.
#[derive(Debug)]
pub(super) struct IndexWriter {
    file: File,
    chain: Chain,
    /// The look of the log after the last entry.
    look: Look,
}

impl IndexWriter {
    /// Opens the index of a log with this look. `None` if no index ends with the log's last line.
    pub(super) fn open(dir: &Path, look: Look) -> io::Result<Option<Self>> {
        let opened =
            bounded::open_with(OpenOptions::new().read(true).append(true), &dir.join(INDEX));
        let mut file = match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let last = last_hashes(&mut file)?;
        Ok(last.filter(|(last, _)| *last == look).map(|(look, chain)| Self { file, chain, look }))
    }

    /// Whether a log with this look has not changed since the last entry.
    pub(super) fn fits(&self, look: Look) -> bool {
        self.look == look
    }

    /// Notes the look of the log after a torn last line was dropped.
    pub(super) fn renew(&mut self, look: Look) {
        self.look = look;
    }

    /// Appends an entry for a log that now looks like this.
    pub(super) fn append(&mut self, entry: &IndexEntry, look: Look) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(160);
        self.chain.write(entry, look, &mut bytes);
        self.look = look;
        disk::write(&self.file, &bytes)
    }
}

/// Starts the index of a log with this header line and no games.
pub(super) fn begin_index(dir: &Path, header_line: &[u8], look: Look) -> io::Result<()> {
    NewIndex::new(dir, 0, Chain::new(header_line)).finish(look)
}

/// A new index that takes the place of the old one when it is complete. It begins with a part of
/// the old one.
#[derive(Debug)]
pub(super) struct NewIndex {
    path: PathBuf,
    /// The length of that part, in bytes.
    kept: u64,
    chain: Chain,
    collected: Vec<u8>,
    file: Option<Replacement>,
}

impl NewIndex {
    /// A new index that begins with the first `kept` bytes of the one in `dir`, whose hash is
    /// `chain`.
    pub(super) fn new(dir: &Path, kept: u64, chain: Chain) -> Self {
        let collected = if kept == 0 { MAGIC.to_vec() } else { Vec::new() };
        Self { path: dir.join(INDEX), kept, chain, collected, file: None }
    }

    /// Adds an entry.
    pub(super) fn add(&mut self, entry: &IndexEntry) -> io::Result<()> {
        self.chain.write(entry, Look::NONE, &mut self.collected);
        if self.collected.len() < COLLECTED {
            return Ok(());
        }
        let file = self.flush()?;
        self.file = Some(file);
        Ok(())
    }

    /// Puts the index in its place, for a log that looked like this before it was read.
    pub(super) fn finish(mut self, look: Look) -> io::Result<()> {
        self.chain.write(&IndexEntry::Compared, look, &mut self.collected);
        self.flush()?.place_quickly()
    }

    /// Writes what was collected, and returns the file.
    fn flush(&mut self) -> io::Result<Replacement> {
        let file = self.file.take().map_or_else(|| self.begin(), Ok)?;
        file.write(&std::mem::take(&mut self.collected))?;
        Ok(file)
    }

    /// Begins the file with the part of the old one.
    fn begin(&self) -> io::Result<Replacement> {
        let file = Replacement::new(&self.path)?;
        if self.kept > 0 {
            let mut old = bounded::open(&self.path)?;
            let mut left = self.kept;
            let mut buffer = vec![0; COLLECTED];
            while left > 0 {
                let next = usize::try_from(left).map_or(COLLECTED, |left| left.min(COLLECTED));
                old.read_exact(&mut buffer[..next])?;
                file.write(&buffer[..next])?;
                left -= next as u64;
            }
        }
        Ok(file)
    }
}

#[cfg(test)]
mod tests;
