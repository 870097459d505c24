//! Reads files named by others: only plain files, and only up to a size limit.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The reason why a file was not read.
#[derive(Debug)]
pub enum ReadError {
    /// The system reported an error.
    Failed(io::Error),
    /// It is a folder.
    Folder,
    /// It is a device, a pipe or a socket, which may never end.
    NoFile,
    /// It is larger than this many bytes.
    TooLarge(u64),
    /// It is not UTF-8.
    NotText {
        /// The line of the first invalid byte, from 1.
        line: usize,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => write!(f, "{error}"),
            Self::Folder => f.write_str("it is a folder"),
            Self::NoFile => f.write_str("it is not a plain file but a device, a pipe or a socket"),
            Self::TooLarge(most) => write!(f, "it is larger than {most} bytes"),
            Self::NotText { line } => write!(f, "it is not UTF-8 (line {line}); save it as UTF-8"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Failed(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// Reads the whole text of the plain file at `path`, at most `most` bytes.
pub fn text(path: &Path, most: u64) -> Result<String, ReadError> {
    let bytes = beginning(path, most.saturating_add(1))?;
    if bytes.len() as u64 > most {
        return Err(ReadError::TooLarge(most));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        ReadError::NotText { line: good.split(|&byte| byte == b'\n').count() }
    })
}

/// Reads the first `most` bytes of the plain file at `path`, or all of it if it is shorter.
pub fn beginning(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let found = fs::metadata(path)?;
    if found.is_dir() {
        return Err(ReadError::Folder);
    }
    // Opening a pipe would wait for a writer.
    if !found.is_file() {
        return Err(ReadError::NoFile);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), bytes).expect("written");
        file
    }

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let five = file(b"12345");
        assert_eq!(text(five.path(), 5).expect("text"), "12345");
        let why = text(five.path(), 4).expect_err("too large").to_string();
        assert_eq!(why, "it is larger than 4 bytes");
        assert_eq!(beginning(five.path(), 2).expect("bytes"), b"12");
    }

    #[test]
    fn only_plain_files_of_text_are_read() {
        let why = |path: &Path| text(path, 10).expect_err("refused").to_string();
        let no_file = "it is not a plain file but a device, a pipe or a socket";
        assert_eq!(why(Path::new("/dev/zero")), no_file);
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(why(dir.path()), "it is a folder");
        let pipe = dir.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
        assert_eq!(why(&pipe), no_file);
        let latin = file(b"one\ntwo\xe9");
        assert_eq!(why(latin.path()), "it is not UTF-8 (line 2); save it as UTF-8");
    }
}
