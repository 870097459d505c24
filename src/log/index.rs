//! The index beside the log, `games.index`: every line of the log without its actions and texts.
//!
//! The index saves time but is never needed: everything that it lacks is read from the log. It is a
//! chain of entries, one per line of the log. Each entry ends with a hash of the entry and of the
//! hash before it; the first hash is that of the log's header. So an entry that was torn, edited,
//! moved or written for another log does not fit, and neither does anything after it.
//!
//! Each entry also describes the log just after its line was written: its length, its times and its
//! place on the disk. If the log still matches the last entry, it has not changed. Otherwise every
//! line is compared with its hash in the index.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::num::NonZeroU64;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::game_line::{GameLine, LinePlace};
use super::start_of;
use crate::bounded;
use crate::model::fault::FaultCode;
use crate::model::game_summary::GameSummary;
use referee_games::{BySeat, Seat};
use referee_ratings::GameOutcome;

/// The name of the index in a results folder.
pub const INDEX: &str = "games.index";

/// The first bytes of an index. The number changes with the format.
pub(super) const MAGIC: &[u8] = b"referee-index-1\n";
/// The longest entry, in bytes. A longer one is not an entry.
const LONGEST: u32 = 64 * 1024 * 1024;
/// The length of the two hashes at the end of an entry, in bytes.
const HASHES: usize = 16;

/// An entry: a line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IndexEntry {
    /// A game of the log's players.
    Game(GameLine),
    /// Any other line, which must be read from the log.
    Other(LinePlace),
    /// No line: the log had this look after all lines before it were compared.
    Compared,
}

/// The look of a log from outside: a hash of its length, its times and its place on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look(u64);

impl Look {
    /// The look of no log, for an entry without one.
    pub(super) const NONE: Self = Self(0);

    pub(super) fn of(log: &Metadata) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("referee 2026 look of a log");
        for number in [log.dev(), log.ino(), log.len()] {
            hasher.update(&number.to_le_bytes());
        }
        for number in [log.mtime(), log.mtime_nsec(), log.ctime(), log.ctime_nsec()] {
            hasher.update(&number.to_le_bytes());
        }
        Self(start_of(&hasher.finalize()))
    }
}

/// The hash of all entries so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chain(u64);

impl Chain {
    /// The hash before the first entry, for the log with this header line.
    pub(super) fn new(header_line: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("referee 2026 index");
        // Another version may count other lines as games.
        hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
        hasher.update(header_line);
        Self(start_of(&hasher.finalize()))
    }

    fn next(self, content: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0.to_le_bytes());
        hasher.update(content);
        Self(start_of(&hasher.finalize()))
    }

    /// Writes an entry after this hash, for a log that now looks like this.
    pub(super) fn write(&mut self, entry: &IndexEntry, look: Look, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        encode(entry, out);
        let length = u32::try_from(out.len() - start - 4).unwrap_or(u32::MAX);
        out[start..start + 4].copy_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&look.0.to_le_bytes());
        *self = self.next(&out[start..]);
        out.extend_from_slice(&self.0.to_le_bytes());
    }
}

/// Reads an index from its beginning, one entry at a time.
#[derive(Debug)]
pub(super) struct IndexReader {
    input: BufReader<File>,
    chain: Chain,
    /// The length of the entries read so far, with what comes before them.
    whole: u64,
    /// The look of the log when the last entry was written, if there is one.
    last_look: Option<Look>,
    buffer: Vec<u8>,
}

impl IndexReader {
    /// Opens an index of the log whose header has the hash `chain`. `None` if there is no index.
    pub(super) fn open(path: &Path, chain: Chain) -> io::Result<Option<Self>> {
        let mut file = match bounded::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let last_look = last_hashes(&mut file)?.map(|(look, _)| look);
        let mut input = BufReader::with_capacity(1 << 16, file);
        let mut magic = [0; MAGIC.len()];
        if input.read_exact(&mut magic).is_err() || magic != MAGIC {
            return Ok(None);
        }
        let (whole, buffer) = (MAGIC.len() as u64, Vec::new());
        Ok(Some(Self { input, chain, whole, last_look, buffer }))
    }

    /// Whether the log looked like this when the last entry was written.
    pub(super) fn ends_with(&self, look: Look) -> bool {
        self.last_look == Some(look)
    }

    /// The length of the entries read so far, with what comes before them.
    pub(super) fn whole(&self) -> u64 {
        self.whole
    }

    /// The hash of the entries read so far.
    pub(super) fn chain(&self) -> Chain {
        self.chain
    }

    /// The next entry, for the line of the log that begins at `at` and has this number. `None` at
    /// the end, or if what follows does not fit.
    pub(super) fn next(&mut self, at: u64, line: usize) -> Option<IndexEntry> {
        let mut length = [0; 4];
        self.input.read_exact(&mut length).ok()?;
        let content = u32::from_le_bytes(length);
        if content > LONGEST {
            return None;
        }
        let all = 4 + content as usize + HASHES;
        self.buffer.resize(all, 0);
        self.buffer[..4].copy_from_slice(&length);
        self.input.read_exact(&mut self.buffer[4..]).ok()?;
        let (hashed, hash) = self.buffer.split_at(all - 8);
        let next = self.chain.next(hashed);
        if next.0.to_le_bytes() != hash {
            return None;
        }
        let entry = decode(&hashed[4..all - HASHES], at, line)?;
        (self.chain, self.whole) = (next, self.whole + all as u64);
        Some(entry)
    }
}

/// The two hashes at the end of the last entry: how the log looked, and the hash of all entries. If
/// that entry is torn, they may be anything.
pub(super) fn last_hashes(index: &mut File) -> io::Result<Option<(Look, Chain)>> {
    let length = index.metadata()?.len();
    if length < (MAGIC.len() + HASHES) as u64 {
        return Ok(None);
    }
    index.seek(SeekFrom::Start(length - HASHES as u64))?;
    let mut next = || {
        let mut bytes = [0; 8];
        index.read_exact(&mut bytes).map(|()| u64::from_le_bytes(bytes))
    };
    let last = (Look(next()?), Chain(next()?));
    index.rewind()?;
    Ok(Some(last))
}

/// The fault with the highest number.
const LAST_FAULT: FaultCode = FaultCode::ALL[FaultCode::ALL.len() - 1];
const GAME: u8 = 1;
const OTHER: u8 = 2;

fn encode(entry: &IndexEntry, out: &mut Vec<u8>) {
    let place = match entry {
        IndexEntry::Game(game) => game.place,
        IndexEntry::Other(place) => *place,
        IndexEntry::Compared => return,
    };
    out.push(if matches!(entry, IndexEntry::Game(_)) { GAME } else { OTHER });
    out.push(u8::from(place.intact));
    out.extend_from_slice(&place.length.to_le_bytes());
    out.extend_from_slice(&place.hash.to_le_bytes());
    if let IndexEntry::Game(game) = entry {
        encode_game(game, out);
    }
}

fn encode_game(game: &GameLine, out: &mut Vec<u8>) {
    let number = |player: usize| u32::try_from(player).unwrap_or(u32::MAX);
    let players = game.players.map(number);
    out.push(result_code(game.result));
    out.push(game.game);
    for seat in Seat::BOTH {
        out.push(game.summary.faults[seat].map_or(0, fault_number));
    }
    for small in [players.first, players.second, game.pair, game.plies] {
        out.extend_from_slice(&small.to_le_bytes());
    }
    let fingerprint = game.summary.fingerprint.map_or(0, NonZeroU64::get);
    let BySeat { first, second } = game.used_ms;
    for large in [game.pair_id, fingerprint, first, second, game.wall_ns] {
        out.extend_from_slice(&large.to_le_bytes());
    }
    out.extend_from_slice(game.reason.as_bytes());
}

fn decode(content: &[u8], at: u64, line: usize) -> Option<IndexEntry> {
    if content.is_empty() {
        return Some(IndexEntry::Compared);
    }
    let mut fields = Fields(content);
    let kind = fields.u8()?;
    let intact = fields.u8()? == 1;
    let place = LinePlace { line, at, length: fields.u32()?, hash: fields.u64()?, intact };
    match kind {
        GAME => decode_game(fields, place).map(IndexEntry::Game),
        OTHER => Some(IndexEntry::Other(place)),
        _ => None,
    }
}

fn decode_game(mut fields: Fields<'_>, place: LinePlace) -> Option<GameLine> {
    let code = fields.u8()?;
    let result = GameOutcome::ALL.into_iter().find(|&result| result_code(result) == code)?;
    let game = fields.u8()?;
    let faults = BySeat::new(fields.u8()?, fields.u8()?);
    if faults.first.max(faults.second) > fault_number(LAST_FAULT) {
        return None;
    }
    let faults = faults.map(fault_of);
    let players = BySeat::new(fields.u32()? as usize, fields.u32()? as usize);
    let (pair, plies, pair_id) = (fields.u32()?, fields.u32()?, fields.u64()?);
    let fingerprint = NonZeroU64::new(fields.u64()?);
    let used_ms = BySeat::new(fields.u64()?, fields.u64()?);
    let wall_ns = fields.u64()?;
    let reason = std::str::from_utf8(fields.0).ok()?.to_owned();
    let summary = GameSummary::new(result, faults, fingerprint);
    Some(GameLine {
        place,
        players,
        pair,
        game,
        pair_id,
        result,
        summary,
        reason,
        plies,
        used_ms,
        wall_ns,
    })
}

fn result_code(result: GameOutcome) -> u8 {
    match result {
        GameOutcome::Loss => 0,
        GameOutcome::Draw => 1,
        GameOutcome::Win => 2,
    }
}

/// A number for a fault; 0 stands for none.
fn fault_number(code: FaultCode) -> u8 {
    let at = FaultCode::ALL.iter().position(|&other| other == code);
    at.and_then(|at| u8::try_from(at + 1).ok()).unwrap_or(u8::MAX)
}

/// The fault with this number; none for 0.
fn fault_of(number: u8) -> Option<FaultCode> {
    FaultCode::ALL.get(usize::from(number).checked_sub(1)?).copied()
}

/// The fields of an entry that are not read yet.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests;
