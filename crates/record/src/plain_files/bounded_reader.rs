//! A reader with a limit on how many bytes it reads.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

/// How many bytes may still be read. It is shared with code that needs to know why a read failed.
#[derive(Debug, Clone)]
pub struct ReadLimit(Rc<Cell<u64>>);

impl ReadLimit {
    /// Whether no bytes are left.
    pub fn is_none(&self) -> bool {
        self.0.get() == 0
    }

    /// Sets how many bytes may be read from now on.
    pub fn set(&self, bytes: u64) {
        self.0.set(bytes);
    }
}

/// Reads a limited number of bytes from `inner`, and fails if there are more.
#[derive(Debug)]
pub struct BoundedReader<R> {
    inner: R,
    left: ReadLimit,
}

impl<R> BoundedReader<R> {
    /// Reads at most `most` bytes.
    pub fn new(inner: R, most: u64) -> Self {
        Self { inner, left: ReadLimit(Rc::new(Cell::new(most))) }
    }

    /// The number of bytes that may still be read.
    pub fn read_limit(&self) -> ReadLimit {
        self.left.clone()
    }
}

impl<R: Read> Read for BoundedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.left.0.get();
        if left == 0 {
            return Err(io::Error::other("nothing more is read of it"));
        }
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(into.len());
        let read = self.inner.read(&mut into[..most])?;
        self.left.set(left - read as u64);
        Ok(read)
    }
}

impl<R: Seek> Seek for BoundedReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}
