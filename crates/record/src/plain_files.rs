//! Opens files that others named or made: only plain files, read only up to a size limit.
//!
//! Files in a results folder or a submission go through [`open_plain_nofollow`],
//! [`open_plain_nofollow_with`], [`read_plain_nofollow`] and [`read_plain_start_nofollow`], because
//! the folder comes from a stranger. There, links are refused too: they could lead to any file of
//! the reader.

mod bounded_reader;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::libc;

pub use self::bounded_reader::{BoundedReader, ReadLimit};

/// The reason why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system reported an error.
    #[error(transparent)]
    Failed(#[from] io::Error),
    /// It is a folder.
    #[error("it is a folder")]
    Folder,
    /// It is a device, a pipe or a socket, which may never end.
    #[error("it is not a plain file but a device, a pipe or a socket")]
    NoFile,
    /// It is larger than this many bytes.
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
    /// It is not UTF-8.
    #[error("it is not UTF-8 (line {line}); save it as UTF-8")]
    NotText {
        /// The line of the first invalid byte, from 1.
        line: usize,
    },
}

/// Reads the whole text of the plain file at `path`, at most `most` bytes.
pub fn read_plain_text(path: &Path, most: u64) -> Result<String, ReadError> {
    let bytes = read_plain_start(path, most.saturating_add(1))?;
    if bytes.len() as u64 > most {
        return Err(ReadError::TooLarge(most));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        ReadError::NotText { line: good.split(|&byte| byte == b'\n').count() }
    })
}

/// Reads the first `most` bytes of a file that a stranger made, or all of it if it is shorter. It
/// must be a plain file, not a link.
pub fn read_plain_start_nofollow(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_plain_nofollow(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads the first `most` bytes of the plain file at `path`, or all of it if it is shorter.
pub fn read_plain_start(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    open_plain_file(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens the plain file at `path`, which is read a piece at a time.
pub fn open_plain_file(path: &Path) -> Result<File, ReadError> {
    open_plain_with_flags(OpenOptions::new().read(true), libc::O_NONBLOCK, path)
}

/// Opens a file of a results folder for reading. It must be a plain file, not a link.
pub fn open_plain_nofollow(path: &Path) -> io::Result<File> {
    open_plain_nofollow_with(OpenOptions::new().read(true), path)
}

/// Opens a file of a results folder with these options. It must be a plain file, not a link.
pub fn open_plain_nofollow_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    open_plain_with_flags(options, libc::O_NONBLOCK | libc::O_NOFOLLOW, path).map_err(|error| {
        match error {
            ReadError::Failed(error) if error.raw_os_error() == Some(libc::ELOOP) => {
                io::Error::other("it is a link; put the file itself there")
            }
            ReadError::Failed(error) => error,
            other => io::Error::other(other),
        }
    })
}

/// Reads a whole file of a results folder, at most `most` bytes. It must be a plain file, not a
/// link.
pub fn read_plain_nofollow(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_plain_nofollow(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(ReadError::TooLarge(most)));
    }
    Ok(bytes)
}

/// Whether a file of a results folder has exactly this content.
pub fn plain_file_has_content(path: &Path, content: &[u8]) -> io::Result<bool> {
    let mut found = Vec::new();
    open_plain_nofollow(path)?.take(content.len() as u64 + 1).read_to_end(&mut found)?;
    Ok(found == content)
}

/// Fails unless there is a folder at `path` itself, not behind a link. For the folders in a results
/// folder.
pub fn check_folder_nofollow(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::NotADirectory, "it is not a folder, or it is a link"))
}

/// Opens a plain file. A pipe is not waited for.
fn open_plain_with_flags(
    options: &mut OpenOptions,
    flags: i32,
    path: &Path,
) -> Result<File, ReadError> {
    let file = options.custom_flags(flags).open(path).map_err(|error| {
        // Nobody reads from the pipe, or it is a socket.
        let is_no_file = error.raw_os_error() == Some(libc::ENXIO);
        if is_no_file { ReadError::NoFile } else { error.into() }
    })?;
    match file.metadata()? {
        found if found.is_file() => Ok(file),
        found if found.is_dir() => Err(ReadError::Folder),
        _ => Err(ReadError::NoFile),
    }
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
        assert_eq!(read_plain_text(five.path(), 5).expect("text"), "12345");
        let why = read_plain_text(five.path(), 4).expect_err("too large").to_string();
        assert_eq!(why, "it is larger than 4 bytes");
        assert_eq!(read_plain_start(five.path(), 2).expect("bytes"), b"12");
    }

    #[test]
    fn only_plain_files_of_text_are_read() {
        let why = |path: &Path| read_plain_text(path, 10).expect_err("refused").to_string();
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

    #[test]
    fn files_of_a_results_folder_are_plain_files_and_no_links() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |name: &str| dir.path().join(name);
        nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
        fs::write(at("file"), "five!").expect("written");
        for (link, to) in [("link", "file"), ("zero", "/dev/zero"), ("games", "/tmp")] {
            std::os::unix::fs::symlink(to, at(link)).expect("a link");
        }
        for name in ["pipe", "link", "zero", "games", "."] {
            open_plain_nofollow(&at(name)).expect_err(name);
            open_plain_nofollow_with(OpenOptions::new().append(true), &at(name)).expect_err(name);
            plain_file_has_content(&at(name), b"five!").expect_err(name);
        }
        assert_eq!(read_plain_nofollow(&at("file"), 5).expect("read"), b"five!");
        read_plain_nofollow(&at("file"), 4).expect_err("too large");
        assert!(plain_file_has_content(&at("file"), b"five!").expect("read"));
        assert!(!plain_file_has_content(&at("file"), b"five").expect("read"));
        check_folder_nofollow(dir.path()).expect("a folder");
        check_folder_nofollow(&at("games")).expect_err("a link");
    }
}
