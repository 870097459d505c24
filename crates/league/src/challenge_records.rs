//! Challenges: games that count for nothing, which an author asks for.
//!
//! A file in the author's folder names the opponent. It stays there until the games have been played
//! or refused, so that a run that was killed plays them at its next start.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use referee_record::disk;
use referee_record::model::record::GameRecord;
use referee_record::plain_files::read_plain_nofollow;

/// The most challenges of an author that are played in an hour.
pub const MOST_PER_HOUR: usize = 5;
/// The challenges of an author that are kept.
const KEPT: usize = 10;
/// An hour, in seconds.
const HOUR: u64 = 3600;
/// The file with what became of them, in the folder of an author's versions.
const FILE: &str = "challenges.json";
/// The most bytes of a game in it.
const LARGEST_GAME: usize = 64 << 10;
/// The most bytes of it that are read.
const LARGEST: u64 = 4 << 20;

/// Whom an author challenges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedChallenge {
    /// What the opponent is called.
    pub opponent: String,
    /// Of how many players this is a pseudonym, if its author knows that: others have other ones.
    pub among: Option<usize>,
}

impl WantedChallenge {
    /// Reads the text of the file: the opponent, and in the next line the number of players.
    pub(crate) fn parse(text: &str) -> Self {
        let mut lines = text.lines();
        let opponent = lines.next().unwrap_or_default().to_owned();
        Self { opponent, among: lines.next().and_then(|count| count.trim().parse().ok()) }
    }

    /// The text of the file.
    pub(crate) fn text(&self) -> String {
        let among = self.among.map_or_else(String::new, |count| format!("{count}\n"));
        format!("{}\n{among}", self.opponent)
    }
}

/// What became of an author's challenges.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ChallengeRecords {
    /// The last ones that were played, the first one first.
    pub played: Vec<PlayedChallenge>,
    /// The last one, if it was refused.
    pub refused: Option<RefusedChallenge>,
}

/// A challenge that was played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlayedChallenge {
    /// Its number among those of its author, from 1.
    pub number: u32,
    /// When its games began, in seconds since 1970.
    pub at: u64,
    /// The number of the version that played.
    pub version: u32,
    /// What the opponent was called.
    pub opponent: String,
    /// Its games, as the author may see them.
    pub games: Vec<GameRecord>,
    /// Why there are not two of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A challenge that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedChallenge {
    /// When, in seconds since 1970.
    pub at: u64,
    /// What its author called the opponent.
    pub opponent: String,
    /// Why.
    pub why: String,
}

fn challenge_records_file(entrants: &Path, author: &str) -> PathBuf {
    entrants.join(author).join(FILE)
}

impl ChallengeRecords {
    /// Reads the challenges of an author, who has none without a file.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn read(entrants: &Path, author: &str) -> io::Result<Self> {
        let path = challenge_records_file(entrants, author);
        let advice = |error: io::Error| {
            let why = format!("cannot read {}: {error}; remove it", path.display());
            io::Error::new(error.kind(), why)
        };
        match read_plain_nofollow(&path, LARGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            bytes => {
                let read = bytes.and_then(|bytes| Ok(serde_json::from_slice(&bytes)?));
                read.map_err(advice)
            }
        }
    }

    /// Writes them in one step.
    pub(crate) fn write(&self, entrants: &Path, author: &str) -> io::Result<()> {
        let (path, text) = (challenge_records_file(entrants, author), serde_json::to_vec(self)?);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
        disk::write_private_atomically(&path, |out| out.write_all(&text))
    }

    /// In how many seconds the next one may be played; `None` if it may be now.
    pub fn wait(&self, now: u64) -> Option<u64> {
        let begun = self.played.iter().rev().nth(MOST_PER_HOUR - 1)?.at;
        begun.saturating_add(HOUR).checked_sub(now).filter(|wait| *wait > 0)
    }

    /// Adds one that was played; its number is given here.
    pub(crate) fn add(&mut self, mut one: PlayedChallenge) {
        one.number = self.played.last().map_or(1, |last| last.number.saturating_add(1));
        for (game, record) in (1..).zip(&mut one.games) {
            record.id = format!("{}-{game}", one.number);
        }
        let games = std::mem::take(&mut one.games);
        let all = games.len();
        one.games = games.into_iter().filter_map(trim_challenge_record).collect();
        if one.games.len() < all {
            one.problem = Some("a game is too long to be kept".to_owned());
        }
        self.played.push(one);
        let old = self.played.len().saturating_sub(KEPT);
        self.played.drain(..old);
        self.refused = None;
    }
}

/// The record, without its notes if it is too large with them; `None` if it is too large anyway.
fn trim_challenge_record(mut record: GameRecord) -> Option<GameRecord> {
    let fits = |record: &GameRecord| {
        serde_json::to_vec(record).is_ok_and(|bytes| bytes.len() <= LARGEST_GAME)
    };
    if !fits(&record) {
        record.notes.clear();
    }
    fits(&record).then_some(record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_protocol::SearchReport;
    use referee_record::model::record::RecordedNote;
    use referee_record::model::record::examples::game;

    fn played(at: u64, games: Vec<GameRecord>) -> PlayedChallenge {
        let opponent = "house".to_owned();
        PlayedChallenge { number: 0, at, version: 1, opponent, games, problem: None }
    }

    #[test]
    fn an_author_has_so_many_in_an_hour_and_the_last_ones_are_kept() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut all = ChallengeRecords::read(dir.path(), "ann").expect("none yet");
        for at in 1..=MOST_PER_HOUR as u64 {
            assert_eq!(all.wait(at), None);
            all.add(played(at, Vec::new()));
        }
        assert_eq!((all.wait(10), all.wait(HOUR)), (Some(HOUR - 9), Some(1)));
        assert_eq!(all.wait(HOUR + 1), None);
        for at in 0..20 {
            all.add(played(at, Vec::new()));
        }
        assert_eq!((all.played.len(), all.played[KEPT - 1].number), (KEPT, 25));
        all.write(dir.path(), "ann").expect("written");
        assert_eq!(ChallengeRecords::read(dir.path(), "ann").expect("read"), all);
        fs::write(challenge_records_file(dir.path(), "ann"), "{").expect("written");
        let error = ChallengeRecords::read(dir.path(), "ann").expect_err("damaged");
        assert!(error.to_string().ends_with("; remove it"), "{error}");
    }

    #[test]
    fn large_games_lose_their_notes_and_larger_ones_are_not_kept() {
        let record = game("ann v1", "house", "white");
        let note = Some("x".repeat(LARGEST_GAME));
        let search = SearchReport::default();
        let note = RecordedNote { ply: 1, by: "white".to_owned(), note, eval: None, search };
        let noted = GameRecord { notes: vec![note], ..record.clone() };
        let long = GameRecord { actions: vec!["x".repeat(LARGEST_GAME)], ..record.clone() };
        let mut all = ChallengeRecords::default();
        all.add(played(1, vec![noted, long]));
        let one = &all.played[0];
        assert_eq!(one.problem.as_deref(), Some("a game is too long to be kept"));
        assert_eq!(one.games, [GameRecord { id: "1-1".to_owned(), ..record }]);
    }

    #[test]
    fn the_file_names_an_opponent_and_maybe_how_many_players_there_are() {
        for (opponent, among) in [("bob v2", None), ("P07", Some(23))] {
            let wanted = WantedChallenge { opponent: opponent.to_owned(), among };
            assert_eq!(WantedChallenge::parse(&wanted.text()), wanted);
        }
        assert_eq!(WantedChallenge::parse("house").opponent, "house");
        assert_eq!(WantedChallenge::parse("").opponent, "");
    }
}
