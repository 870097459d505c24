//! Games that must not be shown yet. With hidden information, both games of a pair have the same
//! luck, so the first one would reveal hidden parts of the second.

use std::collections::HashSet;

use crate::schedule::state::TournamentState;
use referee_record::model::fixture::Fixture;
use referee_record::model::record::Header;

/// The games of a log that are not shown yet, because the other game of their pair is still to be
/// played. Only games with hidden information are sealed.
#[derive(Debug, Default)]
pub struct SealedGames(HashSet<usize>);

impl SealedGames {
    /// The sealed games of the log with this header.
    pub fn of(header: &Header, state: &TournamentState) -> Self {
        if !header.is_hidden() {
            return Self::default();
        }
        let is_awaited = |index: &usize| {
            state.is_done(*index)
                && state
                    .index(other_of_pair(state.fixture(*index)))
                    .is_some_and(|other| !state.is_done(other) && !state.is_void(other))
        };
        Self((0..state.len()).filter(is_awaited).collect())
    }

    /// Whether the game with this index in the tournament is sealed.
    pub fn contains(&self, index: usize) -> bool {
        self.0.contains(&index)
    }
}

fn other_of_pair(Fixture { players, pair, game }: Fixture) -> Fixture {
    let [first, second] = players.two();
    Fixture { players: [second, first].into(), pair, game: 3 - game }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::RulesProgram;
    use referee_record::model::game_summary::GameSummary;
    use referee_record::model::game_summary::SeatFaults;
    use referee_record::model::record::examples::{header, program};
    use referee_record::model::stage::Stage;

    fn sealed(hidden: bool, state: &TournamentState) -> Vec<usize> {
        let header = Header {
            program: Some(RulesProgram { hidden, ..program(&["rules"]) }),
            ..header(&["ant", "bee"])
        };
        let sealed = SealedGames::of(&header, state);
        (0..state.len()).filter(|&index| sealed.contains(index)).collect()
    }

    #[test]
    fn a_game_is_sealed_until_the_other_one_of_its_pair_is_done() {
        let stages = vec![Stage::round_robin(2)];
        let mut state = TournamentState::new(&Header { stages, ..header(&["ant", "bee"]) });
        assert_eq!(sealed(true, &state), [0_usize; 0]);
        let summary =
            GameSummary { outcome: None, faults: SeatFaults::default(), fingerprint: None };
        let first = state.fixture(0);
        let index = state.add_fixture(first, summary).expect("a game of the schedule");
        assert_eq!(sealed(true, &state), [index]);
        assert_eq!(sealed(false, &state), [0_usize; 0]);
        state.add_fixture(other_of_pair(first), summary).expect("a game of the schedule");
        assert_eq!(sealed(true, &state), [0_usize; 0]);
    }
}
