//! Lines removed from the log, kept in a file beside it.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::path::Path;

use super::error::LONGEST;
use crate::disk::write_atomically;
use crate::plain_files::open_plain_nofollow;

/// The longest line that is read, in bytes. One of the log is longer here, as text in JSON.
const LONGEST_ASIDE: u64 = 4 * LONGEST;

/// Adds lines to the file at `path`, in one step. Each line is added only once, even if an earlier
/// attempt was interrupted. A torn last line is dropped.
///
/// `lines` calls its function with each line, newline included.
pub fn keep_removed_lines(
    path: &Path,
    lines: impl FnOnce(&mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()>,
) -> io::Result<()> {
    let mut known = HashSet::new();
    write_atomically(path, |out| {
        let mut add = |line: &[u8]| add_removed_line(out, &mut known, line);
        match open_plain_nofollow(path) {
            Ok(file) => for_each_whole_line(BufReader::new(file), &mut add)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        lines(&mut add)
    })
}

fn add_removed_line(
    out: &mut dyn Write,
    known: &mut HashSet<[u8; 32]>,
    line: &[u8],
) -> io::Result<()> {
    if known.insert(*blake3::hash(line).as_bytes()) { out.write_all(line) } else { Ok(()) }
}

fn for_each_whole_line(
    mut input: impl BufRead,
    each: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut line = Vec::new();
    while input.by_ref().take(LONGEST_ASIDE).read_until(b'\n', &mut line)? > 0
        && line.ends_with(b"\n")
    {
        each(&line)?;
        line.clear();
    }
    if line.len() as u64 == LONGEST_ASIDE {
        let why = format!("it has a line of more than {LONGEST_ASIDE} bytes");
        return Err(io::Error::other(why));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn removed_lines_are_kept_once_and_complete() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("aside");
        let set = |lines: &[&str]| {
            keep_removed_lines(&path, |add| lines.iter().try_for_each(|line| add(line.as_bytes())))
                .expect("set aside");
            fs::read_to_string(&path).expect("a file")
        };
        assert_eq!(set(&["one\n", "two\n"]), "one\ntwo\n");
        assert_eq!(set(&["one\n", "two\n"]), "one\ntwo\n");
        fs::write(&path, "one\ntwo\none\nthr").expect("written");
        assert_eq!(set(&["two\n", "three\n"]), "one\ntwo\nthree\n");
    }
}
