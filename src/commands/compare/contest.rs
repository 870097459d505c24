//! The two ways to compare players: one against the other, or both against the same opponents.

use serde_json::Value;

use super::match_run::seat_of;
use referee_games::Seat;
use referee_ratings::{FieldGame, FieldMatch, MatchEnd, Rival, SprtMatch, SprtVerdict};
use referee_record::model::game_summary::GameSummary;
use referee_record::wording::counted;
use referee_report::verdict::MatchPlayer;
use referee_report::{field_verdict, verdict};
use referee_tournament::analysis::results::FaultCounts;
use referee_tournament::analysis::sprt::match_game;

/// What games of a comparison are added to, until it has a verdict.
pub(super) trait Contest: Clone {
    /// The names of the two players that are compared.
    fn names(&self) -> [&str; 2];

    /// Adds a game of the pair with this number between the players with these names, in the order of
    /// the seats.
    fn add(&mut self, pair: u32, players: [&str; 2], summary: GameSummary);

    /// Why it ended, if it has.
    fn stop(&self) -> Option<MatchEnd>;

    /// The verdict; undecided until it ends.
    fn verdict(&self) -> SprtVerdict;

    /// The expected total number of games.
    fn expected_games(&self) -> usize;

    /// What to say before the first game.
    fn outlook(&self) -> Vec<String>;

    /// The state, for a line of the progress display.
    fn headline(&self) -> String;

    /// The verdict in words, given the faults of the two.
    fn text(&self, faults: &[FaultCounts; 2]) -> String;

    /// The verdict as JSON, given the faults of the two and the results folder.
    fn json(&self, faults: &[FaultCounts; 2], results: &str) -> Value;

    /// The two players and their faults.
    fn players<'a>(&'a self, faults: &'a [FaultCounts; 2]) -> [MatchPlayer<'a>; 2] {
        let names = self.names();
        [0, 1].map(|at: usize| MatchPlayer { name: names[at], faults: &faults[at] })
    }
}

/// One player against the other.
#[derive(Clone)]
pub(super) struct Direct {
    pub(super) names: [String; 2],
    pub(super) played: SprtMatch,
}

impl Contest for Direct {
    fn names(&self) -> [&str; 2] {
        self.names.each_ref().map(String::as_str)
    }

    fn add(&mut self, pair: u32, players: [&str; 2], summary: GameSummary) {
        let seat = seat_of(&self.names[0], players).unwrap_or(Seat::SECOND);
        self.played.add(match_game(pair, seat, summary));
    }

    fn stop(&self) -> Option<MatchEnd> {
        self.played.state().stop
    }

    fn verdict(&self) -> SprtVerdict {
        self.played.state().verdict()
    }

    fn expected_games(&self) -> usize {
        2 * self.played.expected_pairs() as usize
    }

    fn outlook(&self) -> Vec<String> {
        Vec::new()
    }

    fn headline(&self) -> String {
        verdict::headline(&self.played)
    }

    fn text(&self, faults: &[FaultCounts; 2]) -> String {
        verdict::text(&self.played, self.players(faults))
    }

    fn json(&self, faults: &[FaultCounts; 2], results: &str) -> Value {
        verdict::json(&self.played, self.players(faults), results)
    }
}

/// Both players against the same opponents.
#[derive(Clone)]
pub(super) struct InField {
    pub(super) names: [String; 2],
    pub(super) opponents: Vec<String>,
    pub(super) played: FieldMatch,
}

/// The games of a deal: a pair of each of the two.
const DEAL: usize = 4;

impl InField {
    /// The number of games in whole rounds of at least this many deals.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    fn games(&self, deals: f64) -> usize {
        DEAL * (deals.ceil() as usize).next_multiple_of(self.opponents.len())
    }
}

impl Contest for InField {
    fn names(&self) -> [&str; 2] {
        self.names.each_ref().map(String::as_str)
    }

    fn add(&mut self, pair: u32, players: [&str; 2], summary: GameSummary) {
        let of = |name: &String, rival| Some((rival, seat_of(name, players)?));
        let [new, old] = &self.names;
        let Some((rival, seat)) = of(new, Rival::New).or_else(|| of(old, Rival::Old)) else {
            return;
        };
        self.played.add(FieldGame {
            deal: pair,
            rival,
            at_first_seat: seat == Seat::FIRST,
            halves: u32::try_from(summary.halves()[seat]).unwrap_or_default(),
            forfeited: summary.is_faulted(),
            fingerprint: summary.fingerprint,
        });
    }

    fn stop(&self) -> Option<MatchEnd> {
        self.played.state().stop
    }

    fn verdict(&self) -> SprtVerdict {
        self.played.verdict()
    }

    fn expected_games(&self) -> usize {
        self.games(self.played.expected_deals().min(f64::from(self.played.most_deals())))
    }

    fn outlook(&self) -> Vec<String> {
        let ((elo0, elo1), [new, old]) = (self.played.hypotheses(), self.names());
        let expected = self.played.expected_deals();
        let opponents = counted(self.opponents.len(), "opponent");
        let mut lines = vec![
            format!(
                "about {} games against {opponents} if the difference is {elo0} or {elo1} Elo; more \
                 in between, fewer with draws",
                self.games(expected)
            ),
            format!(
                "to know only whether {new} beats {old}, compare them without --against: that \
                 takes about a quarter of the games"
            ),
        ];
        if expected > f64::from(self.played.most_deals()) {
            lines.push(format!(
                "--max-pairs allows {}, so this will probably end undecided",
                DEAL * self.played.most_deals() as usize
            ));
        }
        lines
    }

    fn headline(&self) -> String {
        field_verdict::headline(&self.played)
    }

    fn text(&self, faults: &[FaultCounts; 2]) -> String {
        field_verdict::text(&self.played, self.players(faults), &self.opponents)
    }

    fn json(&self, faults: &[FaultCounts; 2], results: &str) -> Value {
        field_verdict::json(&self.played, self.players(faults), &self.opponents, results)
    }
}
