//! The evaluation of a tournament: everything computed from its results, in one place.
//!
//! Promotion to the next stage and the reports use the same computation: the ranking of the games
//! that [`TournamentState::counted_games`] gives.

use super::named_results::{AnalysisError, Faulted, NamedResults};
use crate::schedule::progress_summary::ProgressSummary;
use crate::schedule::tournament_state::TournamentState;
use referee_ratings::{Contradiction, Ranking, SeatEffects, contradiction, fit, seat_effects};
use referee_record::model::player_spec::Out;
use referee_record::model::record::{Anchor, Header};
use referee_record::model::stage::RankedBy;

/// What a player is in a league.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VersionPlace {
    /// Whether it is a version of an author's player, and not one of the first players.
    pub is_one: bool,
    /// The number of the version that came before it, by the same author.
    pub before: Option<usize>,
    /// Whether it no longer plays: another version came, or it was removed.
    pub has_left: bool,
}

/// The results of a tournament so far, evaluated.
#[derive(Debug, Clone)]
pub struct TournamentEvaluation {
    /// The scores of every player against every other.
    pub results: NamedResults,
    /// The ranking, with the ratings.
    pub ranking: Ranking<Out>,
    /// Whether the seat is worth the same to all players.
    pub seats: SeatEffects,
    /// Two anchors whose results contradict their given ratings.
    pub contradiction: Option<Contradiction>,
    /// The number of games and the progress.
    pub summary: ProgressSummary,
    /// By player number: what it is in a league.
    pub versions: Vec<VersionPlace>,
}

impl TournamentEvaluation {
    /// Evaluates the games in `state`.
    ///
    /// If games that ended in a fault are left out, no player is taken out either: the result says
    /// how strong players are when nothing breaks.
    ///
    /// # Errors
    ///
    /// When the given ratings cannot be used.
    pub fn from_state(state: &TournamentState, faulted: Faulted) -> Result<Self, AnalysisError> {
        let mut games = EvaluatedGames::new(state.header(), state.names(), faulted);
        games.add_tournament(state, str::to_owned)?;
        games.add_usage(state, str::to_owned)?;
        games.evaluate(state.given_ratings(), state.summary())
    }

    /// Evaluates the same games under other names, listed in `names`; `rename` maps a player's name
    /// to one of them.
    ///
    /// # Errors
    ///
    /// When the given ratings cannot be used, or `rename` gives a name that is not in `names`.
    pub(crate) fn under_names(
        state: &TournamentState,
        names: &[String],
        rename: impl Fn(&str) -> String,
    ) -> Result<Self, AnalysisError> {
        let mut games = EvaluatedGames::new(state.header(), names, Faulted::Count);
        games.add_tournament(state, &rename)?;
        let anchor = |it: &Anchor| Anchor { player: rename(&it.player), rating: it.rating };
        let anchors: Vec<Anchor> = state.given_ratings().iter().map(anchor).collect();
        // Which versions are of one author says who that is.
        games.versions.iter_mut().for_each(|version| version.before = None);
        games.evaluate(&anchors, state.summary())
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
        summary: ProgressSummary,
    ) -> Result<Self, AnalysisError> {
        let fixed = results.given_ratings(anchors)?;
        let points = (results.rank == RankedBy::Scores).then(|| results.scored.fit());
        let ratings = fit(&results.counts, &fixed)?;
        let ranking =
            Ranking::from_fit_and_points(ratings, points, &results.counts, out, results.names());
        Ok(Self {
            seats: seat_effects(&results.counts, &fixed, &ranking.fit)?,
            ranking,
            contradiction: contradiction(&results.counts, &fixed)?,
            versions: vec![VersionPlace::default(); results.names().len()],
            results,
            summary,
        })
    }
}

/// The games of one or more tournaments, under common names.
pub(super) struct EvaluatedGames {
    results: NamedResults,
    /// Why players were taken out of the last tournament that they took part in, by number.
    out: Vec<Option<Out>>,
    /// The number of pairs in the tournaments so far: their pairs are different ones.
    pairs: u32,
    versions: Vec<VersionPlace>,
    faulted: Faulted,
}

impl EvaluatedGames {
    pub(super) fn new(header: &Header, names: &[String], faulted: Faulted) -> Self {
        let results = NamedResults::for_header(header, names).with_faulted(faulted);
        let (out, versions) = (vec![None; names.len()], vec![VersionPlace::default(); names.len()]);
        Self { results, out, pairs: 0, versions, faulted }
    }

    /// Adds the games of a tournament. `rename` maps the names of its players to the common ones.
    pub(super) fn add_tournament(
        &mut self,
        state: &TournamentState,
        rename: impl Fn(&str) -> String,
    ) -> Result<(), AnalysisError> {
        self.results.count_outages(state.header());
        let number = |name: &String| self.results.number(&rename(name));
        let numbers: Vec<usize> = state.names().iter().map(number).collect::<Result<_, _>>()?;
        let mut pairs = self.pairs;
        for (fixture, game) in state.counted_games() {
            let pair = self.pairs + fixture.pair;
            self.results.add_summary(
                fixture.players.players().map(|it| numbers[it]).collect(),
                Some(pair),
                game,
                state.final_scores(fixture),
            );
            pairs = pairs.max(pair);
        }
        self.pairs = pairs;
        for (player, (why, &number)) in state.outs().into_iter().zip(&numbers).enumerate() {
            self.out[number] = why;
            let before = state.previous_league_version(player).map(|before| numbers[before]);
            if let Some(before) = before {
                self.results.counts.set_previous_version(number, before);
            }
            self.versions[number] = VersionPlace {
                is_one: state.header().players[player].entry.is_some(),
                before,
                has_left: state.header().players[player].left.is_some(),
            };
        }
        Ok(())
    }

    /// Adds what the players of a tournament used, if it has such a budget or anyone reported usage.
    /// Under pseudonyms, that would say who calls a service.
    pub(super) fn add_usage(
        &mut self,
        state: &TournamentState,
        rename: impl Fn(&str) -> String,
    ) -> Result<(), AnalysisError> {
        let players = &state.header().players;
        let has_limit = players.iter().any(|player| !player.usage.is_none());
        let is_shown = has_limit || (0..players.len()).any(|it| !state.budget_spent(it).is_zero());
        for (player, name) in state.names().iter().enumerate().filter(|_| is_shown) {
            let number = self.results.number(&rename(name))?;
            self.results.add_usage(number, state.budget_spent(player));
        }
        Ok(())
    }

    pub(super) fn evaluate(
        self,
        anchors: &[Anchor],
        summary: ProgressSummary,
    ) -> Result<TournamentEvaluation, AnalysisError> {
        let none = vec![None; self.out.len()];
        let out = if self.faulted == Faulted::Count { &self.out } else { &none };
        let versions = self.versions;
        Ok(TournamentEvaluation {
            versions,
            ..TournamentEvaluation::new(self.results, anchors, out, summary)?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_protocol::Usage;
    use referee_record::model::record::GameRecord;
    use referee_record::model::record::examples::{game, header};
    use referee_record::model::stage::Stage;

    /// Player 0 beats all but player 2, who wins by repeating its moves; 1 and 3 draw.
    fn record(state: &TournamentState, index: usize) -> GameRecord {
        let fixture = state.fixture(index);
        let result = match fixture.players.two() {
            [2, _] => "white",
            [_, 2] => "black",
            [0, _] => "white",
            [_, 0] => "black",
            _ => "draw",
        };
        let names = fixture.players.two().map(|player| state.name(player));
        let is_copied = fixture.seat_of(2).is_some();
        let action = if is_copied { "e4".to_owned() } else { state.id(index) };
        GameRecord {
            id: state.id(index),
            pair: fixture.pair,
            game: fixture.game,
            actions: vec![action],
            ..game(names[0], names[1], result)
        }
    }

    #[test]
    fn usage_is_not_shown_under_pseudonyms() {
        let mut header = header(&["ant", "bee"]);
        header.players[0].usage.tokens = Some(10);
        let state = TournamentState::new(&header);
        let open =
            TournamentEvaluation::from_state(&state, Faulted::Count).expect("no anchor").results;
        let names = ["P1", "P2"].map(str::to_owned);
        let rename = |name: &str| if name == "ant" { "P1" } else { "P2" }.to_owned();
        let hidden =
            TournamentEvaluation::under_names(&state, &names, rename).expect("no anchor").results;
        assert_eq!((open.usage(1), hidden.usage(1)), (Some(Usage::default()), None));
    }

    #[test]
    fn the_best_ranked_players_advance() {
        // The anchors claim that player 3 is better than player 0.
        let anchors = [("player 0", 1000.0), ("player 3", 1500.0)];
        let anchors = anchors.map(|(player, rating)| Anchor { player: player.to_owned(), rating });
        let state = |stages: Vec<Stage>| {
            let names = ["player 0", "player 1", "player 2", "player 3"];
            TournamentState::new(&Header { anchors: anchors.to_vec(), stages, ..header(&names) })
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
        let seen = TournamentEvaluation::from_state(&one_stage, Faulted::Count)
            .expect("known anchors")
            .ranking
            .order;
        assert_eq!(seen[..2], [2, 3], "player 0 won more, but both ratings are given");
        assert_eq!(two_stages.len(), first_stage + 2);
        let players = two_stages.fixture(first_stage).players;
        let mut going_on = players.two();
        going_on.sort_unstable();
        assert_eq!(going_on, [2, 3]);
    }
}
