//! The streams of a build: its output, line by line, and its result.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;

use console::strip_ansi_codes;
use tokio::io::{AsyncRead, AsyncReadExt};

use super::BuildError;
use referee_protocol::escape::escape_line;
use referee_sandbox::resource_limits;

/// How many bytes to read at once.
const CHUNK: usize = 64 * 1024;
/// The longest line, in bytes. A longer one is cut into several.
const LONGEST_LINE: usize = 4096;
/// The most bytes of its output that are kept: those at its beginning and at its end.
const LONGEST_LOG: usize = 256 * 1024;

/// Replaces a tab.
const TAB: &str = "    ";

/// The most bytes to read, and the error if there are more.
struct StreamLimit {
    most: u64,
    read: u64,
    exceeded: fn(u64) -> BuildError,
}

impl StreamLimit {
    fn new(most: u64, exceeded: fn(u64) -> BuildError) -> Self {
        Self { most, read: 0, exceeded }
    }

    /// Reads at most a chunk; nothing at the end.
    async fn read<'c>(
        &mut self,
        from: &mut (impl AsyncRead + Unpin),
        chunk: &'c mut [u8],
    ) -> Result<&'c [u8], BuildError> {
        let count = from.read(chunk).await.map_err(BuildError::Unpacked)?;
        self.read += count as u64;
        if self.read > self.most { Err((self.exceeded)(self.most)) } else { Ok(&chunk[..count]) }
    }
}

/// The output of a build, up to a limit.
pub(super) struct BuildOutput<'s> {
    limit: StreamLimit,
    /// The beginning of a line.
    line: Vec<u8>,
    /// All lines so far, safe to show.
    text: String,
    say: &'s mut (dyn FnMut(&str) + Send),
}

impl<'s> BuildOutput<'s> {
    /// At most `most` bytes, with each line passed to `say`.
    pub(super) fn new(most: u64, say: &'s mut (dyn FnMut(&str) + Send)) -> Self {
        Self {
            limit: StreamLimit::new(most, BuildError::Chatty),
            line: Vec::new(),
            text: String::new(),
            say,
        }
    }

    /// All lines, safe to show.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The kept lines: all, or the first and the last ones.
    pub(super) fn log(&self) -> Cow<'_, str> {
        let Some(end) = self.text.len().checked_sub(LONGEST_LOG / 2) else {
            return Cow::Borrowed(&self.text);
        };
        let text = self.text.as_bytes();
        let first = text[..LONGEST_LOG / 2].iter().rposition(|&byte| byte == b'\n');
        let last = text[end..].iter().position(|&byte| byte == b'\n');
        match (first.map(|at| at + 1), last.map(|at| end + at + 1)) {
            (Some(first), Some(last)) if first < last => {
                let left_out = resource_limits::format_bytes((last - first) as u64);
                let [first, last] = [&self.text[..first], &self.text[last..]];
                Cow::Owned(format!("{first}… {left_out} left out …\n{last}"))
            }
            _ => Cow::Borrowed(&self.text),
        }
    }

    /// Reads to the end, and fails if there is too much.
    pub(super) async fn read_to_end(
        &mut self,
        mut from: impl AsyncRead + Unpin,
    ) -> Result<(), BuildError> {
        let mut chunk = vec![0; CHUNK];
        loop {
            let bytes = self.limit.read(&mut from, &mut chunk).await?;
            if bytes.is_empty() {
                break;
            }
            for &byte in bytes {
                if byte == b'\n' {
                    self.end_line();
                } else {
                    self.line.push(byte);
                    if self.line.len() == LONGEST_LINE {
                        self.end_line();
                    }
                }
            }
        }
        if !self.line.is_empty() {
            self.end_line();
        }
        Ok(())
    }

    fn end_line(&mut self) {
        let line = escape_line(&strip_output_line(&String::from_utf8_lossy(&self.line)));
        self.line.clear();
        (self.say)(&line);
        self.text.push_str(&line);
        self.text.push('\n');
    }
}

/// A line as a terminal would show it at its end, without colours: build tools paint their words,
/// draw bars over bars, and indent with tabs.
fn strip_output_line(line: &str) -> String {
    let line = strip_ansi_codes(line);
    let line = line.trim_end_matches('\r');
    let last = line.rsplit('\r').next().unwrap_or(line);
    last.replace('\t', TAB)
}

/// The result of a build, as an archive in a file without a name.
pub(super) struct BuildArchive {
    file: File,
    limit: StreamLimit,
}

impl BuildArchive {
    /// An archive of at most `most` bytes, on the disk of `dir`.
    pub(super) fn new(dir: &Path, most: u64) -> io::Result<Self> {
        let limit = StreamLimit::new(most, BuildError::TooLarge);
        Ok(Self { file: tempfile::tempfile_in(dir)?, limit })
    }

    /// Reads to the end, and fails if there is too much.
    pub(super) async fn read_to_end(
        &mut self,
        mut from: impl AsyncRead + Unpin,
    ) -> Result<(), BuildError> {
        let mut chunk = vec![0; CHUNK];
        loop {
            let bytes = self.limit.read(&mut from, &mut chunk).await?;
            if bytes.is_empty() {
                return Ok(());
            }
            self.file.write_all(bytes).map_err(BuildError::Unpacked)?;
        }
    }

    /// The file, from its beginning.
    pub(super) fn finish(mut self) -> io::Result<File> {
        self.file.rewind()?;
        Ok(self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn said(bytes: &[u8], most: u64) -> (Vec<String>, Result<(), BuildError>) {
        let mut lines = Vec::new();
        let mut say = |line: &str| lines.push(line.to_owned());
        let read = BuildOutput::new(most, &mut say).read_to_end(bytes).await;
        (lines, read)
    }

    #[tokio::test]
    async fn the_first_and_the_last_lines_are_kept() {
        let kept = async |bytes: &[u8]| {
            let mut say = |_: &str| {};
            let mut output = BuildOutput::new(1 << 23, &mut say);
            output.read_to_end(bytes).await.expect("short enough");
            output.log().into_owned()
        };
        assert_eq!(kept(b"cc a.c\ndone\n").await, "cc a.c\ndone\n");
        // Each is shown as several characters.
        let log = kept(&[b"cc a.c\n", &*vec![1; 4_000_000], b"\ndone\n"].concat()).await;
        assert!(log.len() <= LONGEST_LOG + 100, "{}", log.len());
        assert!(log.starts_with("cc a.c\n") && log.ends_with("\ndone\n"), "{log}");
        assert!(log.contains(" left out …\n"), "{log}");
    }

    #[tokio::test]
    async fn lines_are_passed_on_safe_to_show_and_bounded() {
        let output = b"cc a.c\r\n[\x1b[1;31mERROR\x1b[m] \xff\x07\n\tat x\n 50%\r100%\ndone\x1b[2J";
        let (lines, read) = said(output, 100).await;
        read.expect("short enough");
        assert_eq!(lines, ["cc a.c", "[ERROR] \u{fffd}\\u{7}", "    at x", "100%", "done"]);
        let (lines, _) = said(&[b'x'; 2 * LONGEST_LINE + 1], 1 << 20).await;
        assert_eq!(lines.iter().map(String::len).collect::<Vec<_>>(), [4096, 4096, 1]);
        let (_, read) = said(&[b'x'; 101], 100).await;
        assert!(matches!(read, Err(BuildError::Chatty(100))));
    }

    #[tokio::test]
    async fn a_result_may_not_be_larger_than_its_limit() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut archive = BuildArchive::new(dir.path(), 10).expect("a file");
        archive.read_to_end(&b"0123456789"[..]).await.expect("short enough");
        let read = archive.read_to_end(&b"0"[..]).await;
        assert!(matches!(read, Err(BuildError::TooLarge(10))));
    }
}
