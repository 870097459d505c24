//! Games that must not be shown yet. With hidden information, all games of a deal have the same
//! luck, so the first one would reveal hidden parts of the others.

use std::collections::HashSet;

use crate::schedule::tournament_state::TournamentState;
use referee_record::model::record::Header;

/// The games of a log that are not shown yet, because another game of their deal is still to be
/// played. Only games with hidden information are sealed.
#[derive(Debug, Default)]
pub struct SealedGames(HashSet<usize>);

impl SealedGames {
    /// The sealed games of the log with this header.
    pub fn from_state(header: &Header, state: &TournamentState) -> Self {
        if !header.is_hidden() {
            return Self::default();
        }
        let is_open = |index: usize| !state.is_done(index) && !state.is_passed_over(index);
        let is_awaited = |&index: &usize| state.is_done(index) && state.deal(index).any(is_open);
        Self((0..state.len()).filter(is_awaited).collect())
    }

    /// Whether the game with this index in the tournament is sealed.
    pub fn contains(&self, index: usize) -> bool {
        self.0.contains(&index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::RulesProgram;
    use referee_ratings::GameOutcome;
    use referee_record::model::game_summary::GameSummary;
    use referee_record::model::record::examples::{header, program};
    use referee_record::model::stage::Stage;

    fn sealed(hidden: bool, state: &TournamentState) -> Vec<usize> {
        let header = Header {
            program: Some(RulesProgram { hidden, ..program(&["rules"]) }),
            ..header(&["ant", "bee"])
        };
        let sealed = SealedGames::from_state(&header, state);
        (0..state.len()).filter(|&index| sealed.contains(index)).collect()
    }

    #[test]
    fn a_game_is_sealed_until_the_other_one_of_its_pair_is_done() {
        let stages = vec![Stage::round_robin(2)];
        let mut state = TournamentState::new(&Header { stages, ..header(&["ant", "bee"]) });
        assert_eq!(sealed(true, &state), [0_usize; 0]);
        let summary = GameSummary::from_outcome(GameOutcome::Draw);
        let first = state.fixture(0);
        let index = state.add_fixture(first, summary).expect("a game of the schedule");
        assert_eq!(sealed(true, &state), [index]);
        assert_eq!(sealed(false, &state), [0_usize; 0]);
        state.add_fixture(state.fixture(1), summary).expect("a game of the schedule");
        assert_eq!(sealed(true, &state), [0_usize; 0]);
    }
}
