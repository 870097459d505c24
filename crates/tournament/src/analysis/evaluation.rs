//! The evaluation of a tournament: everything computed from its results, in one place.
//!
//! Promotion to the next stage and the reports use the same computation: the ranking of the games
//! that [`TournamentState::counted`] gives.

use super::results::{AnalysisError, Faulted, NamedResults};
use crate::schedule::state::TournamentState;
use crate::schedule::summary::Summary;
use referee_games::BySeat;
use referee_ratings::{Contradiction, Ranking, SeatEffects, contradiction, seat_effects};
use referee_record::model::player::Out;
use referee_record::model::record::Anchor;

/// The results of a tournament so far, evaluated.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// The scores of every player against every other.
    pub results: NamedResults,
    /// The ranking, with the ratings.
    pub ranking: Ranking<Out>,
    /// Whether the seat is worth the same to all players.
    pub seats: SeatEffects,
    /// Two anchors whose results contradict their given ratings.
    pub contradiction: Option<Contradiction>,
    /// The number of games and the progress.
    pub summary: Summary,
}

impl Evaluation {
    /// Evaluates the games in `state`.
    ///
    /// If games that ended in a fault are left out, no player is taken out either: the result says
    /// how strong players are when nothing breaks.
    ///
    /// # Errors
    ///
    /// When the given ratings cannot be used.
    pub fn of(state: &TournamentState, faulted: Faulted) -> Result<Self, AnalysisError> {
        let out = match faulted {
            Faulted::Count => state.outs(),
            Faulted::LeaveOut => vec![None; state.names().len()],
        };
        let mut results = NamedResults::new(state.names()).with(faulted);
        for (fixture, game) in state.counted() {
            results.add_summary(fixture.players, Some(fixture.pair), game);
        }
        Self::new(results, state.ratings(), &out, state.summary())
    }

    /// Evaluates the same games under other names, listed in `names`; `rename` maps a player's name
    /// to one of them.
    ///
    /// # Errors
    ///
    /// When the given ratings cannot be used, or `rename` gives a name that is not in `names`.
    pub(crate) fn renamed<'a>(
        state: &TournamentState,
        names: &[String],
        rename: impl Fn(&str) -> &'a str,
    ) -> Result<Self, AnalysisError> {
        let mut results = NamedResults::new(names);
        let number = |name: &String| results.number(rename(name));
        let numbers: Vec<usize> = state.names().iter().map(number).collect::<Result<_, _>>()?;
        for (fixture, game) in state.counted() {
            let players = BySeat::from_fn(|seat| numbers[fixture.players[seat]]);
            results.add_summary(players, Some(fixture.pair), game);
        }
        let mut out = vec![None; names.len()];
        for (why, &number) in state.outs().into_iter().zip(&numbers) {
            out[number] = why;
        }
        let given = state.ratings().iter();
        let ratings: Vec<Anchor> = given
            .map(|anchor| Anchor { player: rename(&anchor.player).to_owned(), ..anchor.clone() })
            .collect();
        Self::new(results, &ratings, &out, state.summary())
    }

    /// Evaluates `results` with these given ratings; `out` says, by player number, who was taken
    /// out and why.
    ///
    /// # Errors
    ///
    /// When the given ratings cannot be used.
    pub fn new(
        results: NamedResults,
        anchors: &[Anchor],
        out: &[Option<Out>],
        summary: Summary,
    ) -> Result<Self, AnalysisError> {
        let fixed = results.fixed(anchors)?;
        Ok(Self {
            ranking: Ranking::new(&results.counts, &fixed, out, results.names())?,
            seats: seat_effects(&results.counts, &fixed)?,
            contradiction: contradiction(&results.counts, &fixed)?,
            results,
            summary,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::state::TournamentSetup;
    use referee_record::model::record::GameRecord;
    use referee_record::model::record::examples::game;
    use referee_record::model::stage::Stage;

    /// Player 0 beats all but player 2, who wins by repeating its moves; 1 and 3 draw.
    fn record(state: &TournamentState, index: usize) -> GameRecord {
        let fixture = state.fixture(index);
        let result = match (fixture.players.first, fixture.players.second) {
            (2, _) => "white",
            (_, 2) => "black",
            (0, _) => "white",
            (_, 0) => "black",
            _ => "draw",
        };
        let names = fixture.players.map(|player| state.name(player));
        let is_copied = fixture.players.first == 2 || fixture.players.second == 2;
        let action = if is_copied { "e4".to_owned() } else { state.id(index) };
        GameRecord {
            id: state.id(index),
            pair: fixture.pair,
            game: fixture.game,
            actions: vec![action],
            ..game(names.first, names.second, result)
        }
    }

    #[test]
    fn the_best_ranked_players_advance() {
        // The anchors claim that player 3 is better than player 0.
        let anchors = [("player 0", 1000.0), ("player 3", 1500.0)];
        let ratings = anchors.map(|(player, rating)| Anchor { player: player.to_owned(), rating });
        let names: Vec<String> = (0..4).map(|player| format!("player {player}")).collect();
        let state = |stages: Vec<Stage>| {
            TournamentState::new(TournamentSetup {
                ratings: ratings.to_vec(),
                ..TournamentSetup::new(names.clone(), stages)
            })
        };
        let best = Stage { players: Some(2), ..Stage::round_robin(1) };
        let mut two_stages = state(vec![Stage::round_robin(8), best]);
        let mut one_stage = state(vec![Stage::round_robin(8)]);
        let first_stage = one_stage.len();
        for index in 0..first_stage {
            let game = record(&one_stage, index);
            one_stage.add(&game).expect("it belongs");
            two_stages.add(&game).expect("it belongs");
        }
        let seen = Evaluation::of(&one_stage, Faulted::Count).expect("known anchors").ranking.order;
        assert_eq!(seen[..2], [2, 3], "player 0 won more, but both ratings are given");
        assert_eq!(two_stages.len(), first_stage + 2);
        let players = two_stages.fixture(first_stage).players;
        let mut going_on = [players.first, players.second];
        going_on.sort_unstable();
        assert_eq!(going_on, [2, 3]);
    }
}
