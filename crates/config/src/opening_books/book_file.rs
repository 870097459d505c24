//! The file of a book: how it is written, and how it is packed.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use flate2::read::{DeflateDecoder, MultiGzDecoder};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use zip::{CompressionMethod, ZipArchive};

use super::book_bytes::{BookBytes, BookStream};
use super::book_entry::EntryProblem;
use referee_record::plain_files::{ReadError, open_plain_file};

/// The most bytes of a line to show, on either side of what is wrong.
const SHOWN: u64 = 200;
/// The endings of archives that are not read.
const OTHER_ARCHIVES: [&str; 6] = ["7z", "bz2", "lz4", "rar", "tar", "xz"];

/// How a book is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BookFormat {
    /// One opening per line.
    Lines,
    /// One position per line.
    Epd,
    /// Games of chess.
    Pgn,
}

impl BookFormat {
    /// The format of a file with this name, which may be packed.
    pub(super) fn from_file_name(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let endings = [".gz", ".zip", ".zst"];
        let plain = endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
        match plain.rsplit_once('.').map(|(_, ending)| ending) {
            Some("epd" | "fen") => Self::Epd,
            Some("pgn") => Self::Pgn,
            _ => Self::Lines,
        }
    }

    /// Whether people write such books. A mistake in one is to be corrected; in others, which come
    /// from programs, an opening that cannot be played is left out.
    pub(super) fn is_handwritten(self) -> bool {
        self == Self::Lines
    }
}

/// The reason why a book cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(super) enum BookOpenError {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] ReadError),
    /// The system reported an error, or the archive is damaged.
    #[error("it cannot be read: {0}")]
    Failed(#[from] io::Error),
    /// It is an archive of another kind.
    #[error("unpack it first: the only supported formats are `.gz`, `.zip` and `.zst`")]
    OtherArchive,
    /// It is an archive that does not contain exactly one file.
    #[error("it contains {0} files; unpack it, and use one of them")]
    ManyFiles(usize),
    /// It is packed in an unusual way.
    #[error("it is packed with {0}; unpack it first")]
    Method(CompressionMethod),
}

impl From<BookOpenError> for io::Error {
    fn from(error: BookOpenError) -> Self {
        match error {
            BookOpenError::Failed(error) => error,
            other => Self::other(other),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct BookFile {
    pub(super) path: PathBuf,
    pub(super) format: BookFormat,
}

impl BookFile {
    /// The file at `path`.
    pub(super) fn new(path: PathBuf) -> Self {
        let format = BookFormat::from_file_name(&path.to_string_lossy());
        Self { path, format }
    }

    /// Opens the book at its beginning.
    pub(super) fn open(&self) -> Result<BookBytes, BookOpenError> {
        let ending = self.path.extension().unwrap_or_default().to_ascii_lowercase();
        let ending = ending.to_string_lossy();
        if OTHER_ARCHIVES.contains(&&*ending) {
            return Err(BookOpenError::OtherArchive);
        }
        let file = open_plain_file(&self.path)?;
        let stream = match &*ending {
            "gz" => BookStream::Unpacked(Box::new(MultiGzDecoder::new(BufReader::new(file)))),
            "zst" => BookStream::Unpacked(Box::new(ZstdBookFile::new(file)?)),
            "zip" => BookStream::Unpacked(open_zip_book(&self.path, file)?),
            _ => BookStream::File(file),
        };
        Ok(BookBytes::new(stream)?)
    }

    /// The line in which something is wrong. Of a very long line, only a part.
    pub(super) fn read_problem_line(
        &self,
        wrong: &EntryProblem,
    ) -> Result<BookLine, BookOpenError> {
        let Range { start, end } = wrong.at;
        let mut bytes = self.open()?;
        let (mut number, mut line_start) = (1, bytes.at());
        while bytes.at() < start {
            match bytes.next()? {
                Some(b'\n') => (number, line_start) = (number + 1, bytes.at()),
                Some(_) => {}
                None => break,
            }
        }
        let mut bytes = self.open()?;
        let from = line_start.max(start.saturating_sub(SHOWN));
        bytes.skip_to(from)?;
        let (mut before, mut marked, mut after) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(byte) = bytes.next()?.filter(|&byte| byte != b'\n') {
            match bytes.at() {
                at if at <= start => before.push(byte),
                at if at <= end && at <= start + SHOWN => marked.push(byte),
                at if at <= end.min(start + SHOWN) + SHOWN => after.push(byte),
                _ => break,
            }
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let [before, marked, after] = [text(&before), text(&marked), text(&after)];
        let at = before.len()..before.len() + marked.trim_end().len();
        let text = [before, marked, after].concat();
        Ok(BookLine { number, text: text.trim_end().to_owned(), at })
    }
}

/// A line of a book, to be shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BookLine {
    /// Its number, from 1.
    pub(super) number: usize,
    pub(super) text: String,
    /// The bytes of the text that are wrong.
    pub(super) at: Range<usize>,
}

/// The only file in an archive.
fn open_zip_book(path: &Path, file: File) -> Result<Box<dyn Read>, BookOpenError> {
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(io::Error::other)?;
    let mut files = Vec::new();
    for number in 0..archive.len() {
        let entry = archive.by_index_raw(number).map_err(io::Error::other)?;
        if entry.is_file() {
            files.push((entry.data_start(), entry.compressed_size(), entry.compression()));
        }
    }
    let [(start, size, method)] = files[..] else {
        return Err(BookOpenError::ManyFiles(files.len()));
    };
    let start = start.ok_or_else(|| io::Error::other("the archive is damaged"))?;
    let mut file = open_plain_file(path)?;
    io::Seek::seek(&mut file, io::SeekFrom::Start(start))?;
    let packed = file.take(size);
    match method {
        CompressionMethod::Stored => Ok(Box::new(packed)),
        CompressionMethod::Deflated => Ok(Box::new(DeflateDecoder::new(packed))),
        other => Err(BookOpenError::Method(other)),
    }
}

/// A file of one or more frames.
struct ZstdBookFile {
    frame: Option<StreamingDecoder<BufReader<File>, FrameDecoder>>,
}

impl ZstdBookFile {
    fn new(file: File) -> io::Result<Self> {
        Self::from_next_frame(BufReader::new(file))
    }

    /// The frame that follows in `input`, if there is one.
    fn from_next_frame(mut input: BufReader<File>) -> io::Result<Self> {
        let is_over = io::BufRead::fill_buf(&mut input)?.is_empty();
        let frame = || StreamingDecoder::new(input).map_err(io::Error::other);
        Ok(Self { frame: if is_over { None } else { Some(frame()?) } })
    }
}

impl Read for ZstdBookFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(frame) = &mut self.frame {
            let count = frame.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            if let Some(done) = self.frame.take() {
                *self = Self::from_next_frame(done.into_inner())?;
            }
        }
        Ok(0)
    }
}
