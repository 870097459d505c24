//! Converts games of a match between two players for its sequential test.

use crate::model::game_summary::{GameSummary, UnknownResult};
use crate::model::record::GameRecord;
use referee_games::Seat;
use referee_ratings::MatchGame;

/// The game from the side of the player called `name`.
///
/// # Errors
///
/// When the record has no result.
pub fn match_game(game: &GameRecord, name: &str) -> Result<MatchGame, UnknownResult> {
    let seat = if game.players[Seat::First] == name { Seat::First } else { Seat::Second };
    let summary = GameSummary::of(game)?;
    Ok(MatchGame {
        pair: game.pair,
        at_first_seat: seat == Seat::First,
        halves: summary.outcome.map(|_| summary.halves()[seat]),
        forfeited: summary.is_faulted(),
        fingerprint: summary.fingerprint,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fault::FaultCode;
    use crate::model::record::examples::{faulty, game};

    #[test]
    fn a_game_is_seen_from_one_side() {
        let won = game("ant", "bee", "white");
        let [ant, bee] = ["ant", "bee"].map(|name| match_game(&won, name).expect("a result"));
        assert_eq!((ant.at_first_seat, ant.halves), (true, Some(2)));
        assert_eq!((bee.at_first_seat, bee.halves), (false, Some(0)));
        let both = [("white", FaultCode::NoStart), ("black", FaultCode::NoStart)];
        let failed = match_game(&faulty(won, &both), "ant").expect("a result");
        assert_eq!((failed.halves, failed.forfeited), (None, true));
    }
}
