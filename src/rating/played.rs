//! What results need of a game, in a few bytes.

use std::num::NonZeroU64;

use super::RatingError;
use super::pairs::GameOutcome;
use crate::model::fault::FaultCode;
use crate::model::record::GameRecord;
use referee_games::{BySeat, Seat};

/// A finished game as results see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Played {
    /// What the first seat made of it. None when both players failed: nobody scores, and the game
    /// says nothing about who is better.
    pub outcome: Option<GameOutcome>,
    /// The faults, by seat.
    pub faults: BySeat<Option<FaultCode>>,
    /// What copies of the game share; see [`fingerprint`].
    pub print: Option<NonZeroU64>,
}

impl Played {
    /// A game that was played to its end, and is no copy.
    pub fn by_rules(outcome: GameOutcome) -> Self {
        Self { outcome: Some(outcome), faults: BySeat::new(None, None), print: None }
    }

    /// What results need of a record.
    ///
    /// # Errors
    ///
    /// When the record's result is neither a seat nor `draw`.
    pub fn of(game: &GameRecord) -> Result<Self, RatingError> {
        let outcome = outcome(game)?;
        let faults = BySeat::from_fn(|seat| game.fault_of(seat).map(|fault| fault.code));
        let both_failed = faults.first.is_some() && faults.second.is_some();
        Ok(Self { outcome: (!both_failed).then_some(outcome), faults, print: fingerprint(game) })
    }

    /// The scores by seat in half points: 2 for a win, 1 for a draw, 0 for a loss or a double
    /// fault.
    pub fn halves(self) -> BySeat<usize> {
        self.outcome.map_or(BySeat::new(0, 0), |outcome| {
            BySeat::new(outcome.halves(), GameOutcome::Win.halves() - outcome.halves())
        })
    }

    /// A fault ended the game.
    pub fn is_faulted(self) -> bool {
        self.faults.first.is_some() || self.faults.second.is_some()
    }
}

/// How a player behaved in its games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Conduct {
    /// Games that came to their end by the rules.
    pub finished: u32,
    /// Games that ended with a fault of its own.
    pub failed: u32,
    /// Games that ended with a fault of the opponent alone.
    pub spared: u32,
}

impl Conduct {
    /// How many games there were.
    pub fn games(self) -> u32 {
        self.finished + self.failed + self.spared
    }

    /// Takes in a game that the player had at `seat`.
    pub fn add(&mut self, seat: Seat, game: Played) {
        let count = match (game.faults[seat], game.faults[!seat]) {
            (Some(_), _) => &mut self.failed,
            (None, Some(_)) => &mut self.spared,
            (None, None) => &mut self.finished,
        };
        *count += 1;
    }

    /// All that is known of the player are its faults: no game of it came to its end, and some
    /// ended with a fault of its own.
    ///
    /// A game that the opponent's fault ended shows nothing: the player may have been about to
    /// fail as well.
    pub fn fails(self) -> bool {
        self.finished == 0 && self.failed > 0
    }

    /// The player has games, and they show more of it than faults.
    pub fn plays(self) -> bool {
        !self.fails() && self.finished + self.spared > 0
    }
}

/// What the first seat made of a game, a double fault being recorded as a draw.
fn outcome(game: &GameRecord) -> Result<GameOutcome, RatingError> {
    let names = &game.players.names;
    match game.result.as_str() {
        "draw" => Ok(GameOutcome::Draw),
        won if won == names[Seat::First] => Ok(GameOutcome::Win),
        won if won == names[Seat::Second] => Ok(GameOutcome::Loss),
        other => Err(RatingError::UnknownResult { id: game.id.clone(), result: other.to_owned() }),
    }
}

/// A hash that copies of a game share: of the players by seat, the luck, all actions and the
/// result. None for a game without an action, in which there is nothing to copy.
pub fn fingerprint(game: &GameRecord) -> Option<NonZeroU64> {
    if game.actions.is_empty() {
        return None;
    }
    let mut hasher = blake3::Hasher::new();
    let mut put = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    for text in [&game.players[Seat::First], &game.players[Seat::Second], &game.result] {
        put(text);
    }
    for list in [&game.opening, &game.rolls, &game.actions] {
        put(&list.len().to_string());
        for text in list {
            put(text);
        }
    }
    let mut start = [0; 8];
    start.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    NonZeroU64::new(u64::from_le_bytes(start)).or(Some(NonZeroU64::MIN))
}

#[cfg(test)]
mod tests {
    use super::super::tally::tests::{faulty, game};
    use super::*;

    #[test]
    fn a_double_fault_is_nobodys_half_point() {
        let both = [("white", FaultCode::Crash), ("black", FaultCode::Timeout)];
        let played = Played::of(&faulty(game("ant", "bee", "draw"), &both)).expect("a result");
        assert_eq!((played.outcome, played.halves()), (None, BySeat::new(0, 0)));
        let drawn = Played::of(&game("ant", "bee", "draw")).expect("a result");
        assert_eq!(drawn.halves(), BySeat::new(1, 1));
    }

    #[test]
    fn who_is_only_known_by_faults_fails() {
        let conduct = |finished, failed, spared| Conduct { finished, failed, spared };
        assert!(conduct(0, 1, 9).fails() && !conduct(0, 1, 9).plays());
        assert!(!conduct(1, 9, 0).fails() && conduct(1, 9, 0).plays());
        assert!(!conduct(0, 0, 1).fails() && conduct(0, 0, 1).plays());
        assert!(!conduct(0, 0, 0).fails() && !conduct(0, 0, 0).plays(), "nothing is known");
    }

    #[test]
    fn a_game_takes_sixteen_bytes() {
        assert_eq!(size_of::<Option<Played>>(), 16);
    }
}
