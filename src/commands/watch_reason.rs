//! Which games of a tournament to watch first.

use referee_games::Seat;
use referee_record::model::fixture::Lineup;
use referee_record::model::game_summary::GameSummary;
use referee_record::model::record::{Header, HeaderPlayer};

/// Reasons to watch a game, the best one first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WatchReason {
    /// It ended in a fault.
    Fault,
    /// A player lost it that is not built in.
    Lost,
    /// None of these.
    Other,
}

impl WatchReason {
    /// The reason for a game between the players with these numbers in `header`.
    pub(super) fn for_game(header: &Header, players: Lineup, summary: GameSummary) -> Self {
        let is_loser = |seat: Seat| {
            let player = header.players.get(players.at(seat));
            summary.halves()[seat] == 0 && !player.is_some_and(HeaderPlayer::is_built_in)
        };
        if summary.is_faulted() {
            Self::Fault
        } else if players.seats().any(is_loser) {
            Self::Lost
        } else {
            Self::Other
        }
    }
}
