//! The game record and the log's header: the data of a tournament in its results folder.
//!
//! Nothing here depends on a game's type: a record holds names and texts.

#[cfg(any(test, feature = "examples"))]
pub mod examples;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::model::adjudication::Adjudication;
use crate::model::clock::TimeControl;
use crate::model::containment::Containment;
use crate::model::fault::Fault;
use crate::model::game_summary::{SummaryOutages, summarize_places};
use crate::model::league_entry::{LeagueEntry, Leaving};
use crate::model::opening_source::{MOST_PLIES, OpeningBookSelection, Openings};
use crate::model::player_spec::{EngineProtocol, PlayerSpec, player_name_problem};
use crate::model::seat_usage::{SeatUsage, UsageLimit};
use crate::model::short_clock::ShortClock;
use crate::model::stage::{
    Format, MOST_DRAWN_GAMES, Order, RankedBy, Stage, UnsuitedStage, count_scheduled_games,
    has_league_stage,
};
use referee_games::{BySeat, Places, PlacesTell, RulesProgram, Seat, SeatMap};
use referee_protocol::{Score, SearchReport};
use referee_ratings::{Compared, DealTable, FixedRating, Results, Seating};

/// The version of the log's format.
pub const SCHEMA: &str = "referee-log-2";
/// The end of the year 9999, in seconds since 1970: the last time that has a date here.
const LATEST: u64 = 253_402_300_799;

/// The maximum number of retries of a turn.
pub const MOST_RETRIES: u32 = 10;

/// Line 1 of the log: everything that `rank`, `verify` and `replay` need besides the games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`SCHEMA`].
    pub schema: String,
    /// The version of the referee that wrote the log.
    pub version: String,
    /// The tournament's name.
    pub tournament: String,
    /// A random identity of this tournament, which every record's checksum includes.
    pub identity: String,
    /// When the log was created, in seconds since 1970.
    pub created: u64,
    /// The game's name.
    pub game: String,
    /// The program that knows the rules, unless the game is built in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<RulesProgram>,
    /// The names of the seats, first seat first.
    pub seats: BySeat<String>,
    /// All rules options in force.
    pub options: serde_json::Map<String, serde_json::Value>,
    /// The time limits.
    pub clock: TimeControl,
    /// The policy after a rejected action.
    pub fault_policy: FaultPolicy,
    /// When the referee ends games before their rules do; if absent, never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjudication: Option<Adjudication>,
    /// The number of faults in a row that quarantines a player; 0 for never.
    pub quarantine: u32,
    /// The stages, in order.
    pub stages: Vec<Stage>,
    /// What puts the players in order.
    #[serde(default, skip_serializing_if = "RankedBy::is_ratings")]
    pub rank: RankedBy,
    /// Present if the order of the schedule and the first seats are drawn from the identity.
    /// Otherwise they follow from the order of the configuration and the names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drawn: bool,
    /// The source of the openings; if absent, games begin at the start position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<Openings>,
    /// Where listed openings come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<OpeningBookSelection>,
    /// The containment in force.
    pub containment: Containment,
    /// The configured seed. If present, the tournament's random choices were foreseeable.
    pub seed: Option<u64>,
    /// The players whose ratings are fixed, by name.
    pub anchors: Vec<Anchor>,
    /// The players, in the order of the configuration.
    pub players: Vec<HeaderPlayer>,
    /// The league that this one continues under other rules, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<String>,
    /// The changes each time the tournament was resumed, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
}

impl Header {
    /// Whether the values are such as a configuration allows: a log may be damaged, or come from a
    /// stranger.
    ///
    /// # Errors
    /// Says which value is not.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.check_size_bounds()?;
        if let Some(stage) = self.stages.iter().find(|stage| !stage.is_within_bounds()) {
            let stage = serde_json::to_value(stage).unwrap_or_default();
            return Err(format!("invalid stage in the log header: {stage}"));
        }
        if self.created > LATEST {
            return Err("it was created after the year 9999".to_owned());
        }
        if self.program.as_ref().is_some_and(|program| program.command.is_empty()) {
            return Err("the command of the rules program is empty".to_owned());
        }
        if !self.clock.is_within_bounds() {
            return Err("a time limit is longer than a day".to_owned());
        }
        if !self.adjudication.is_none_or(|rules| rules.is_within_bounds()) {
            return Err("an adjudication rule is out of range".to_owned());
        }
        if !self.containment.limits.is_within_bounds() {
            return Err("a resource limit is larger than a configuration allows".to_owned());
        }
        if matches!(self.fault_policy, FaultPolicy::Retry(times) if !(1..=MOST_RETRIES).contains(&times))
        {
            return Err(format!("expected 1 to {MOST_RETRIES} retries"));
        }
        if self.openings.as_ref().is_some_and(|openings| !openings.is_within_bounds()) {
            return Err(format!("openings need 1 to {MOST_PLIES} plies"));
        }
        let different: HashSet<&str> = self.seats.values().iter().map(String::as_str).collect();
        if different.len() < self.seats.len() || different.contains("draw") {
            return Err("the seats need different names, none of them `draw`".to_owned());
        }
        let mut players = self.players.len();
        if count_scheduled_games(&self.stages, players, self.seats.len()) > MOST_DRAWN_GAMES {
            return Err(format!("it has more than {MOST_DRAWN_GAMES} games"));
        }
        for stage in &self.stages {
            stage.suits_rank(self.rank).map_err(|problem| problem.to_string())?;
            players = stage.taking_part(players);
            match stage.suits(self.seats.len(), players) {
                // Nothing is played in it; a kept game may be of one player in all seats.
                Ok(()) | Err(UnsuitedStage::FewPlayers { .. }) => {}
                Err(problem) => return Err(problem.to_string()),
            }
            if let Format::Listed { meetings, .. } = &stage.format {
                self.check_meetings(meetings)?;
            }
        }
        self.check_players()
    }

    fn check_meetings(&self, meetings: &[Vec<String>]) -> Result<(), String> {
        let known: HashSet<&str> = self.players.iter().map(|player| &*player.name).collect();
        for meeting in meetings {
            let different: HashSet<&str> = meeting.iter().map(String::as_str).collect();
            let is_full = meeting.len() == self.seats.len() && different.len() == meeting.len();
            if !is_full || !different.is_subset(&known) {
                let seats = self.seats.len();
                return Err(format!(
                    "the meeting {meeting:?} does not name {seats} different players"
                ));
            }
        }
        Ok(())
    }

    fn check_players(&self) -> Result<(), String> {
        let mut names = HashSet::new();
        for HeaderPlayer { name, entry, .. } in &self.players {
            if entry.is_some() && self.is_league() {
                return Err(format!(
                    "the player {name:?} entered later, so it needs a line of its own"
                ));
            }
            if let Some(problem) = player_name_problem(name) {
                return Err(format!("invalid player name {name:?}: {problem}"));
            }
            if !names.insert(name.as_str()) {
                return Err(format!("two players have the name {name}"));
            }
        }
        match self.anchors.iter().find(|anchor| !names.contains(anchor.player.as_str())) {
            Some(Anchor { player, .. }) => {
                Err(format!("{player:?} has a fixed rating, but is not one of the players"))
            }
            None => Ok(()),
        }
    }

    /// The most pairs that a pairing is scheduled to play, tie-breaks excluded.
    pub fn most_pairs(&self) -> u32 {
        self.stages.iter().map(|stage| stage.pairs).max().unwrap_or(0)
    }

    /// A description of the openings for this many pairs of each pairing, if there are any.
    pub fn describe_openings(&self, pairs: u32) -> Option<String> {
        let openings = self.openings.as_ref()?;
        Some(match (openings, &self.book) {
            (Openings::Listed(list), Some(book)) => {
                book.describe(u64::from(pairs).min(list.len() as u64))
            }
            _ => openings.describe(),
        })
    }

    /// Results of such games without any so far, between this many players.
    pub fn empty_results(&self, players: usize) -> Results {
        match self.seats.len() {
            2 => Results::new(players),
            _ => Results::at_table(players, self.table()),
        }
    }

    /// What such games tell about their players.
    pub fn table(&self) -> DealTable {
        let ranking = self.program.as_ref().map(|program| program.ranking);
        let compared = match ranking.unwrap_or_default() {
            PlacesTell::Places => Compared::All,
            PlacesTell::Winner => Compared::Winner,
        };
        DealTable { seats: self.seats.len(), seating: Seating::Known, compared }
    }

    /// Whether a seat may not see everything in the game.
    pub fn is_hidden(&self) -> bool {
        self.program.as_ref().is_some_and(|program| program.hidden)
    }

    /// The clock of the player of this name, if it has its own.
    pub fn own_clock_of(&self, name: &str) -> Option<ShortClock> {
        self.players.iter().find(|player| player.name == name)?.tc
    }

    /// Whether it is the header of a league.
    pub fn is_league(&self) -> bool {
        has_league_stage(&self.stages)
    }

    /// The header as its line in the log has it: without the players that came to the league later.
    #[must_use]
    pub fn without_latecomers(&self) -> Self {
        let mut header = self.clone();
        if self.is_league() {
            header.players.retain(|player| player.entry.is_none());
        }
        header
    }

    /// The order in which players enter the schedule.
    pub fn order(&self) -> Order {
        if self.drawn { Order::Drawn(self.identity.clone()) } else { Order::Listed }
    }
}

/// A player with a given rating instead of a fitted one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    /// The player's name.
    pub player: String,
    /// Its rating, in Elo.
    pub rating: f64,
}

/// The given ratings by player number, which is the player's position in `names`.
///
/// # Errors
///
/// Returns the first anchor that is not among the players.
pub fn fixed_anchor_ratings<'a>(
    anchors: &'a [Anchor],
    names: &[String],
) -> Result<Vec<FixedRating>, &'a Anchor> {
    let fixed = |anchor: &'a Anchor| {
        let player = names.iter().position(|name| *name == anchor.player).ok_or(anchor)?;
        Ok(FixedRating { player, rating: anchor.rating })
    };
    anchors.iter().map(fixed).collect()
}

/// A player's entry in the header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeaderPlayer {
    /// The configured name.
    pub name: String,
    /// How it is run, as text for people.
    pub command: String,
    /// A hash of its command and files.
    pub hash: String,
    /// Its own clock, instead of that of the tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tc: Option<ShortClock>,
    /// Whether it can start after an opening.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub takes_openings: bool,
    /// Whether each game is played by a process of its own.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub restart: bool,
    /// How often a game may be void because it cannot reach its service.
    #[serde(default, skip_serializing_if = "is_none")]
    pub outages: u8,
    /// How much of a service it may use before its games wait.
    #[serde(default, skip_serializing_if = "UsageLimit::is_none")]
    pub usage: UsageLimit,
    /// Why none of its games counts, if the organiser disqualified it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disqualified: Option<String>,
    /// How many sections of the tournament were drawn before it was disqualified, where later ones
    /// depend on results: these know it. None where pairings do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn_before: Option<u32>,
    /// Which version of whose player it is, if it came to a league that was being played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<LeagueEntry>,
    /// When it stopped playing in a league, if it did. The header of a log never says so: lines of
    /// the log do.
    #[serde(skip)]
    pub left: Option<Leaving>,
}

impl HeaderPlayer {
    /// Whether it is a built-in player.
    pub fn is_built_in(&self) -> bool {
        self.command.starts_with("bot:")
    }
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub(super) fn is_none(count: &u8) -> bool {
    *count == 0
}

impl From<&PlayerSpec> for HeaderPlayer {
    fn from(player: &PlayerSpec) -> Self {
        Self {
            name: player.name.clone(),
            command: player.command.clone(),
            hash: player.hash.clone(),
            tc: player.tc,
            takes_openings: player.takes_openings(),
            restart: player.restart,
            outages: player.outages,
            usage: player.usage,
            disqualified: player.disqualified.clone(),
            drawn_before: None,
            entry: None,
            left: None,
        }
    }
}

impl HeaderPlayer {
    /// The entry of a person, who has no program, and so no hash.
    pub fn for_person(name: &str) -> Self {
        let (name, hash) = (name.to_owned(), NO_HASH.to_owned());
        Self {
            command: name.clone(),
            name,
            hash,
            tc: None,
            takes_openings: true,
            restart: true,
            outages: 0,
            usage: UsageLimit::default(),
            disqualified: None,
            drawn_before: None,
            entry: None,
            left: None,
        }
    }

    /// Whether it is a person.
    pub fn is_person(&self) -> bool {
        self.hash == NO_HASH
    }

    /// Whether it can give a game up, which is not a fault: a person, or an engine whose protocol has
    /// a word for it.
    pub fn can_resign(&self) -> bool {
        let engine = EngineProtocol::split(&self.command);
        self.is_person() || engine.is_some_and(|(protocol, _)| protocol == EngineProtocol::Gtp)
    }
}

/// The hash of a person.
const NO_HASH: &str = "0000000000000000";
/// The reason why a game ended that a player gave up, which is not a fault.
pub const RESIGNATION: &str = "resignation";

/// The policy after a rejected action (`malformed` or `illegal`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultPolicy {
    /// The game is lost.
    Lose,
    /// The player gets the turn again, up to this many times in a row.
    Retry(u32),
}

/// One finished game: a line of the log.
///
/// What tables and resuming need comes first, and what only replays need comes after it: reading
/// many games stops in front of `seed`. See [`GameFront`](crate::log::GameFront).
///
/// Whatever is read is within the bounds of [`bounds`](super::bounds).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct GameRecord {
    /// The game's identity, a function of the two names, the pair number and the game number.
    pub id: String,
    /// The pair's number among the pairs of these two players, from 1.
    pub pair: u32,
    /// The game's number in its pair: 1 or 2.
    pub game: u8,
    /// The players' names by seat.
    pub players: SeatMap<String>,
    /// The name of the winning seat, or `draw`; empty in a game with more than two seats.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub result: String,
    /// The places by seat, from 1, in a game with more than two seats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<SeatMap<u8>>,
    /// The reason: from the rules, the code of the fault that decided the game, or the rule by which
    /// it was adjudicated.
    pub reason: String,
    /// The scores by seat.
    pub scores: SeatMap<Score>,
    /// Plies played, opening and forced passes included.
    pub plies: u32,
    /// The faults by seat name; seats without a fault are absent.
    pub fault: Option<FaultRecord>,
    /// Earlier, void attempts at this game, with the reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub void: Vec<String>,
    /// How many of them were void because the player at this seat could not reach its service.
    #[serde(default, skip_serializing_if = "RecordedOutages::is_empty")]
    pub outages: RecordedOutages,
    /// What the players reported to have used of their services, in these attempts too.
    #[serde(default, skip_serializing_if = "SeatUsage::is_empty")]
    pub usage: SeatUsage,
    /// The name of the worker that played it, if that was not the program that keeps the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// The seeds given to the players, by seat.
    pub seed: SeatMap<u64>,
    /// The times.
    pub clock: ClockRecord,
    /// The outcomes of chance drawn by the referee, in order.
    pub rolls: Vec<String>,
    /// The scores by which the rules decided the game, by seat, if they did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_scores: Option<SeatMap<serde_json::Number>>,
    /// The options of the game that differ from those of the tournament, such as a start position
    /// from a list of openings.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub options: serde_json::Map<String, serde_json::Value>,
    /// The opening's actions.
    pub opening: Vec<String>,
    /// The actions played after the opening, in order, forced passes included.
    pub actions: Vec<String>,
    /// Remarks that did not affect the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The players' comments on their moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<RecordedNote>,
    /// The names and versions that the players reported, escaped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<SeatMap<String>>,
}

/// Scores by seat, as numbers to calculate with.
pub(crate) fn recorded_scores(scores: &BySeat<serde_json::Number>) -> Box<[f64]> {
    scores.values().iter().map(|score| score.as_f64().unwrap_or_default()).collect()
}

/// How often a game was void because a player could not reach its service, by seat name; seats
/// without such are absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordedOutages(pub std::collections::BTreeMap<String, u8>);

impl RecordedOutages {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The count of the seat with this name.
    pub fn count_for(&self, seat: &str) -> u8 {
        self.0.get(seat).copied().unwrap_or(0)
    }

    /// The counts of these seats.
    pub(crate) fn by_seat(&self, seats: &BySeat<impl AsRef<str>>) -> SummaryOutages {
        seats.iter().map(|(seat, name)| (seat, self.count_for(name.as_ref()))).collect()
    }
}

/// The faults of a game by seat name (`{"white":{…}}`): one, or two for a double fault.
pub type FaultRecord = std::collections::BTreeMap<String, Fault>;

/// The times of a game, in nanoseconds if not said otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockRecord {
    /// When the game began, in seconds since 1970; 0 in a log under pseudonyms.
    pub began: u64,
    /// The clocks of players that have their own, by seat; absent if neither has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tc: Option<SeatMap<Option<ShortClock>>>,
    /// Start-up time by seat, from the start of the process to the greeting.
    pub startup_ns: SeatMap<u64>,
    /// Time of each turn that was asked, in order, by seat, as the time control counts it.
    pub used_ns: SeatMap<Vec<u64>>,
    /// CPU time of the players' processes over the whole game, if it could be measured.
    pub cpu_ns: SeatMap<Option<u64>>,
    /// Wall time of the whole game, from the start of the first player until both had exited.
    pub wall_ns: u64,
}

/// A player's comment on a move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedNote {
    /// The ply of the move.
    pub ply: u32,
    /// The seat's name.
    pub by: String,
    /// Its note, as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Its evaluation, -1 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eval: Option<f64>,
    /// What it reported about its search.
    #[serde(flatten)]
    pub search: SearchReport,
}

impl RecordedNote {
    /// The report and the note as one text, if there is either.
    pub fn text(&self) -> Option<String> {
        match (self.search.is_empty(), &self.note) {
            (true, note) => note.clone(),
            (false, None) => Some(self.search.to_string()),
            (false, Some(note)) => Some(format!("{}: {note}", self.search)),
        }
    }
}

impl GameRecord {
    /// The score of `seat`: 1, 0.5 or 0.
    pub fn score(&self, seat: Seat) -> f64 {
        self.scores[seat].0
    }

    /// The clocks of players that have their own.
    pub fn own_clocks(&self) -> BySeat<Option<ShortClock>> {
        let none = || BySeat::default_for(self.players.values.len());
        self.clock.tc.as_ref().map_or_else(none, |tc| tc.values.clone())
    }

    /// The fault of `seat`, if any.
    pub fn fault_of(&self, seat: Seat) -> Option<&Fault> {
        self.fault.as_ref()?.get(self.players.names[seat].as_ref())
    }

    /// The places; `None` if they are such as no game ends with, or if neither a seat nor a draw is
    /// recorded.
    pub fn places(&self) -> Option<Places> {
        summarize_places(&self.players.names, &self.result, self.places.as_ref())
    }

    /// The scores with which the rules ended it, by seat, if they did.
    pub fn final_scores(&self) -> Option<Box<[f64]>> {
        self.final_scores.as_ref().map(|scores| recorded_scores(&scores.values))
    }

    /// The name of the player that is ahead of all others; none for a draw.
    pub fn winner(&self) -> Option<&str> {
        self.places()?.winner().map(|seat| self.players[seat].as_str())
    }
}
