//! Converts games of a match between two players for its sequential test.

use referee_games::Seat;
use referee_ratings::MatchGame;
use referee_record::model::game_summary::GameSummary;

/// A game of the pair with this number, from the side of the player at `seat`.
pub fn match_game(pair: u32, seat: Seat, summary: GameSummary) -> MatchGame {
    MatchGame {
        pair,
        at_first_seat: seat == Seat::FIRST,
        halves: summary.outcome().map(|_| summary.halves()[seat]),
        forfeited: summary.is_faulted(),
        fingerprint: summary.fingerprint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::fault::FaultCode;
    use referee_record::model::record::examples::{faulty, game};

    #[test]
    fn games_are_seen_from_one_players_side() {
        let side =
            |game: &_, seat| match_game(1, seat, GameSummary::from_record(game).expect("a result"));
        let won = game("ant", "bee", "white");
        let [ant, bee] = [Seat::FIRST, Seat::SECOND].map(|seat| side(&won, seat));
        assert_eq!((ant.at_first_seat, ant.halves), (true, Some(2)));
        assert_eq!((bee.at_first_seat, bee.halves), (false, Some(0)));
        let both = [("white", FaultCode::NoStart), ("black", FaultCode::NoStart)];
        let failed = side(&faulty(won.clone(), &both), Seat::FIRST);
        assert_eq!((failed.halves, failed.forfeited), (None, true));
    }
}
