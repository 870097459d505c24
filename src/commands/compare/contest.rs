//! The ways to compare players: one against the other, both at one table among others, both against the
//! same opponents, or one with its opponents.

use serde_json::Value;

use super::super::Status;
use super::match_run::find_seat_in_match;
use referee_games::Seat;
use referee_ratings::{FieldGame, FieldMatch, MatchEnd, PlaceMatch, Rival, SprtMatch, SprtVerdict};
use referee_record::model::game_summary::GameSummary;
use referee_record::wording::pluralize;
use referee_report::field_verdict::{
    describe_field_opponents, describe_field_verdict, field_verdict_headline, field_verdict_json,
};
use referee_report::match_verdict::{
    VerdictPlayer, describe_match_verdict, match_verdict_headline, match_verdict_json,
};
use referee_report::place_verdict::{
    describe_place_verdict, place_verdict_headline, place_verdict_json,
};
use referee_tournament::analysis::match_game::match_game;
use referee_tournament::analysis::named_results::FaultCounts;

/// What games of a comparison are added to, until it has a verdict.
pub(super) trait Contest: Clone {
    /// The names of the players that are compared, or of the one whose place is asked for.
    fn names(&self) -> &[String];

    /// Adds a game of the deal with this number between the players with these names, in the order of
    /// the seats.
    fn add(&mut self, deal: u32, players: &[&str], summary: GameSummary);

    /// How many deals it has judged, from the first one on. The games of others do not count.
    fn judged(&self) -> u32;

    /// Why it ended, if it has.
    fn stop(&self) -> Option<MatchEnd>;

    /// What the command says by its exit code.
    fn status(&self) -> Status;

    /// The expected total number of games.
    fn expected_games(&self) -> usize;

    /// What to say before the first game.
    fn outlook(&self) -> Vec<String>;

    /// The state, for a line of the progress display.
    fn headline(&self) -> String;

    /// The verdict in words, given the faults of these players.
    fn text(&self, faults: &[FaultCounts]) -> String;

    /// The verdict as JSON, given the faults of these players and the results folder.
    fn json(&self, faults: &[FaultCounts], results: &str) -> Value;
}

/// The players with these names and their faults.
fn contest_players<'a, const N: usize>(
    names: &'a [String; N],
    faults: &'a [FaultCounts],
) -> [VerdictPlayer<'a>; N] {
    std::array::from_fn(|at| VerdictPlayer { name: &names[at], faults: &faults[at] })
}

fn contest_status(verdict: SprtVerdict) -> Status {
    match verdict {
        SprtVerdict::Better => Status::Done,
        SprtVerdict::NotBetter => Status::NotBetter,
        SprtVerdict::Undecided => Status::Undecided,
    }
}

/// One player against the other.
#[derive(Clone)]
pub(super) struct DirectContest {
    pub(super) names: [String; 2],
    pub(super) played: SprtMatch,
}

impl Contest for DirectContest {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn add(&mut self, deal: u32, players: &[&str], summary: GameSummary) {
        let seat = find_seat_in_match(&self.names[0], players).unwrap_or(Seat::SECOND);
        self.played.add(match_game(deal, seat, summary));
    }

    fn judged(&self) -> u32 {
        self.played.state().judged
    }

    fn stop(&self) -> Option<MatchEnd> {
        self.played.state().stop
    }

    fn status(&self) -> Status {
        contest_status(self.played.state().verdict())
    }

    fn expected_games(&self) -> usize {
        2 * self.played.expected_pairs() as usize
    }

    fn outlook(&self) -> Vec<String> {
        Vec::new()
    }

    fn headline(&self) -> String {
        match_verdict_headline(&self.played)
    }

    fn text(&self, faults: &[FaultCounts]) -> String {
        describe_match_verdict(&self.played, contest_players(&self.names, faults))
    }

    fn json(&self, faults: &[FaultCounts], results: &str) -> Value {
        match_verdict_json(&self.played, contest_players(&self.names, faults), results)
    }
}

/// Both players against the same opponents, or at one table with others.
#[derive(Clone)]
pub(super) struct FieldContest {
    pub(super) names: [String; 2],
    /// The opponents at each table.
    pub(super) tables: Vec<String>,
    pub(super) played: FieldMatch,
}

/// The games of a pair.
const PAIR: usize = 2;

/// The number of deals in whole rounds at this many tables, at least `deals`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
fn contest_whole_rounds(deals: f64, tables: usize) -> usize {
    (deals.ceil() as usize).next_multiple_of(tables)
}

/// A game of the player at `seat` against the opponents of a table.
fn contest_field_game(deal: u32, (rival, seat): (Rival, Seat), summary: GameSummary) -> FieldGame {
    FieldGame {
        deal,
        rival,
        seat: seat.index(),
        halves: u32::try_from(summary.halves()[seat]).unwrap_or_default(),
        forfeited: summary.is_faulted(),
        fingerprint: summary.fingerprint,
    }
}

/// A game of two players at one table, as one of each of them.
fn contest_duel_games(deal: u32, seats: [Seat; 2], summary: GameSummary) -> [FieldGame; 2] {
    let [new, old] = seats;
    let game = |rival, (one, other)| FieldGame {
        deal,
        rival,
        seat: new.index(),
        halves: summary.halves_between(one, other).into(),
        // A game is counted once.
        forfeited: rival == Rival::New && summary.is_faulted(),
        fingerprint: summary.fingerprint,
    };
    [game(Rival::New, (new, old)), game(Rival::Old, (old, new))]
}

fn contest_too_few_pairs(most: usize) -> String {
    format!("--max-pairs allows only {most} games, so this will probably end undecided")
}

impl FieldContest {
    /// The number of games of the two in whole rounds of at least this many deals.
    fn games(&self, deals: f64) -> usize {
        self.games_of_deal() * contest_whole_rounds(deals, self.tables.len())
    }

    fn games_of_deal(&self) -> usize {
        let seats = self.played.field().seats;
        if self.played.is_duel() { seats } else { 2 * seats }
    }
}

impl Contest for FieldContest {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn add(&mut self, deal: u32, players: &[&str], summary: GameSummary) {
        let of = |name: &String, rival| Some((rival, find_seat_in_match(name, players)?));
        let [new, old] = &self.names;
        if self.played.is_duel() {
            if let (Some((_, one)), Some((_, other))) = (of(new, Rival::New), of(old, Rival::Old)) {
                let games = contest_duel_games(deal, [one, other], summary);
                for game in games {
                    self.played.add(game);
                }
            }
        } else if let Some(side) = of(new, Rival::New).or_else(|| of(old, Rival::Old)) {
            self.played.add(contest_field_game(deal, side, summary));
        }
    }

    fn judged(&self) -> u32 {
        self.played.deals()
    }

    fn stop(&self) -> Option<MatchEnd> {
        self.played.state().stop
    }

    fn status(&self) -> Status {
        contest_status(self.played.verdict())
    }

    fn expected_games(&self) -> usize {
        self.games(self.played.expected_deals().min(f64::from(self.played.most_deals())))
    }

    fn outlook(&self) -> Vec<String> {
        let ((elo0, elo1), [new, old]) = (self.played.hypotheses(), &self.names);
        let (expected, field) = (self.played.expected_deals(), self.played.field());
        let mut lines = vec![format!(
            "about {} games {} if the difference is {elo0} or {elo1} Elo; more in between, fewer with \
             draws",
            self.games(expected),
            describe_field_opponents(&self.played)
        )];
        if field.seats == 2 {
            lines.push(format!(
                "to know only whether {new} beats {old}, compare them without --against: that \
                 takes about a quarter of the games"
            ));
        }
        if expected > f64::from(self.played.most_deals()) {
            lines.push(contest_too_few_pairs(
                self.games_of_deal() * self.played.most_deals() as usize,
            ));
        }
        lines
    }

    fn headline(&self) -> String {
        field_verdict_headline(&self.played)
    }

    fn text(&self, faults: &[FaultCounts]) -> String {
        describe_field_verdict(&self.played, contest_players(&self.names, faults), &self.tables)
    }

    fn json(&self, faults: &[FaultCounts], results: &str) -> Value {
        field_verdict_json(
            &self.played,
            contest_players(&self.names, faults),
            &self.tables,
            results,
        )
    }
}

/// A player among its opponents.
#[derive(Clone)]
pub(super) struct PlacementContest {
    pub(super) names: [String; 1],
    pub(super) opponents: Vec<String>,
    pub(super) played: PlaceMatch,
}

impl Contest for PlacementContest {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn add(&mut self, deal: u32, players: &[&str], summary: GameSummary) {
        if let Some(seat) = find_seat_in_match(&self.names[0], players) {
            self.played.add(contest_field_game(deal, (Rival::New, seat), summary));
        }
    }

    fn judged(&self) -> u32 {
        self.played.pairs()
    }

    fn stop(&self) -> Option<MatchEnd> {
        self.played.state().stop
    }

    fn status(&self) -> Status {
        match self.stop() {
            Some(MatchEnd::Decided) => Status::Done,
            _ => Status::Undecided,
        }
    }

    fn expected_games(&self) -> usize {
        let pairs = self.played.expected_pairs().min(f64::from(self.played.most_pairs()));
        PAIR * contest_whole_rounds(pairs, self.opponents.len())
    }

    fn outlook(&self) -> Vec<String> {
        let (expected, within) = (self.played.expected_pairs(), self.played.within());
        let mut lines = vec![format!(
            "about {} games against {} to know the strength to ±{within} Elo; fewer with draws",
            PAIR * contest_whole_rounds(expected, self.opponents.len()),
            pluralize(self.opponents.len(), "opponent"),
        )];
        if expected > f64::from(self.played.most_pairs()) {
            lines.push(contest_too_few_pairs(PAIR * self.played.most_pairs() as usize));
        }
        lines
    }

    fn headline(&self) -> String {
        place_verdict_headline(&self.played)
    }

    fn text(&self, faults: &[FaultCounts]) -> String {
        let [player] = contest_players(&self.names, faults);
        describe_place_verdict(&self.played, player, &self.opponents)
    }

    fn json(&self, faults: &[FaultCounts], results: &str) -> Value {
        let [player] = contest_players(&self.names, faults);
        place_verdict_json(&self.played, player, &self.opponents, results)
    }
}
