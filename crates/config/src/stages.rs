//! The format of a tournament: one stage described by keys at the top of the file, or several in
//! one `[[stages]]` table each.

use toml::Spanned;

use super::clock_limits::check_whole_number;
use super::player_keys::PlayerKeys;
use super::problem::{ByteSpan, Problem, Problems, suggest_similar_word};
use super::toml_keys::{Field, FromTable, Given, TomlTableReader, read_toml_tables, table_keys};
use referee_ratings::MOST_PLAYERS;
use referee_record::model::stage::{
    FEWEST_OPPONENTS, Format, MOST_DRAWN_GAMES, MOST_LADDER_GAMES, MOST_MEETINGS_EACH, MOST_PAIRS,
    MOST_ROUNDS, MOST_TIE_BREAKS, Stage, WIDEST_MARGIN, count_scheduled_games,
};
use referee_record::wording::pluralize;
use referee_tournament::schedule::formats::swiss::max_swiss_rounds;

/// The formats by name.
const FORMATS: [&str; 7] =
    ["round-robin", "check", "gauntlet", "swiss", "knockout", "ladder", "league"];
/// How many tie-breaks a knockout match has by default.
const DEFAULT_TIE_BREAKS: u32 = 3;

table_keys! {
    /// The keys of one stage.
    StageKeys[at], "the configuration":
    "format" => format: Field<String>,
    "pairs" => pairs: Field<i128>,
    "deals" => deals: Field<i128>,
    "opponents" => opponents: Field<i128>,
    "meetings" => meetings: Field<i128>,
    "rounds" => rounds: Field<i128>,
    "tie-breaks" => tie_breaks: Field<i128>,
    "games" => games: Field<i128>,
    "margin" => margin: Field<i128>,
    "anchors" => anchors: Field<Vec<Spanned<String>>>,
}

table_keys! {
    /// A `[[stages]]` table.
    StageTable, "this `[[stages]]`":
    via(StageKeys::from_keys) => stage: StageKeys,
    "players" => players: Field<i128>,
}

/// The stages as given in the file.
#[derive(Debug, Clone, Default)]
pub(super) struct StagesKeys {
    /// The stage keys at the top of the file.
    top: StageKeys,
    /// The `[[stages]]` tables, if there are any.
    tables: Vec<StageTable>,
}

impl StagesKeys {
    pub(super) fn read(keys: &mut TomlTableReader<'_>, problems: &mut Problems) -> Self {
        let top = StageKeys::from_keys(keys, problems);
        let expected = "a `[[stages]]` table for each stage";
        let value = keys.value("stages");
        let read = value.and_then(|value| read_toml_tables("stages", value, expected, problems));
        Self { top, tables: read.unwrap_or_default() }
    }

    /// Whether they ask for a league.
    pub(super) fn are_a_league(&self) -> bool {
        let mut stages = self.tables.iter().map(|table| &table.stage);
        let is_league = |keys: &StageKeys| {
            keys.format.as_ref().is_some_and(|format| format.get_ref() == "league")
        };
        if self.tables.is_empty() { is_league(&self.top) } else { stages.any(is_league) }
    }
}

impl StageKeys {
    /// The keys that were given, with the places of their values and the format that they are for
    /// if it is only one.
    fn given_keys(&self) -> impl Iterator<Item = (&'static str, ByteSpan, Option<&'static str>)> {
        let keys = [
            ("format", self.format.as_ref().map(Spanned::span), None),
            ("pairs", self.pairs.as_ref().map(Spanned::span), None),
            ("deals", self.deals.as_ref().map(Spanned::span), None),
            ("opponents", self.opponents.as_ref().map(Spanned::span), Some("round-robin")),
            ("meetings", self.meetings.as_ref().map(Spanned::span), Some("round-robin")),
            ("rounds", self.rounds.as_ref().map(Spanned::span), Some("swiss")),
            ("tie-breaks", self.tie_breaks.as_ref().map(Spanned::span), Some("knockout")),
            ("games", self.games.as_ref().map(Spanned::span), Some("ladder")),
            ("margin", self.margin.as_ref().map(Spanned::span), Some("ladder")),
            ("anchors", self.anchors.as_ref().map(Spanned::span), Some("gauntlet")),
        ];
        keys.into_iter().filter_map(|(key, at, format)| Some((key, at?, format)))
    }
}

/// Who can take part in a stage.
struct StageField<'a> {
    /// The names of all players.
    names: &'a [&'a str],
    /// The number of players in this stage.
    players: usize,
    /// The number of seats of a game, if it is known.
    seats: Option<usize>,
}

/// Checks the stages that `keys` ask for, in order. Without the number of `seats`, the game is not
/// known, and nothing is said that depends on it.
pub(super) fn check_stages(
    keys: &StagesKeys,
    players: Option<&[PlayerKeys]>,
    seats: Option<usize>,
    problems: &mut Problems,
) -> Vec<Stage> {
    let names: Vec<&str> = players
        .unwrap_or_default()
        .iter()
        .filter_map(|player| Some(player.name.as_ref()?.get_ref().as_str()))
        .collect();
    if keys.tables.is_empty() {
        note_lonely_check_stage(&keys.top, problems);
        let field = StageField { names: &names, players: names.len(), seats };
        let stages = vec![check_stage(&keys.top, &field, problems)];
        note_many_games(&stages, &keys.top, &field, problems);
        return stages;
    }
    for (key, at, _) in keys.top.given_keys() {
        let title = format!("with `[[stages]]`, `{key}` belongs in a stage");
        problems.add(Problem::new(at, title).help(format!("move `{key}` into a stage")));
    }
    note_misplaced_check_stages(&keys.tables, problems);
    note_stages_beside_league(&keys.tables, problems);
    let mut left = names.len();
    let mut stages = Vec::new();
    for keys in &keys.tables {
        let most =
            check_whole_number("players", keys.players.as_ref(), &(2..=MOST_PLAYERS), problems);
        let players = most.map_or(left, |most| most.min(left));
        let field = StageField { names: &names, players, seats };
        let stage = Stage { players: most, ..check_stage(&keys.stage, &field, problems) };
        left = stage.taking_part(left);
        stages.push(stage);
    }
    let last = keys.tables.last().map_or(&keys.top, |table| &table.stage);
    let field = StageField { names: &names, players: names.len(), seats };
    note_many_games(&stages, last, &field, problems);
    stages
}

/// Notes that a tournament of this `field` has too many games; the `last` of its stages is where.
fn note_many_games(
    stages: &[Stage],
    last: &StageKeys,
    field: &StageField<'_>,
    problems: &mut Problems,
) {
    let games = count_scheduled_games(stages, field.players, field.seats.unwrap_or(2));
    if games <= MOST_DRAWN_GAMES {
        return;
    }
    let at = last.pairs.as_ref().or(last.deals.as_ref());
    let at = at.map_or_else(|| stage_span(last), Spanned::span);
    let title = format!("this tournament would have {games} games");
    let help = format!(
        "at most {MOST_DRAWN_GAMES} are possible: lower `pairs` or `deals`, or let everyone meet \
         fewer others"
    );
    problems.add(Problem::new(at, title).help(help));
}

/// Notes a check without a stage after it: a check decides who takes part in the next stage.
fn note_lonely_check_stage(keys: &StageKeys, problems: &mut Problems) {
    if let Some(field) = keys.format.as_ref().filter(|name| name.get_ref() == "check") {
        let problem = Problem::new(field.span(), "a check must be the first of several stages");
        let help = "put it first, without `players`, and add another `[[stages]]` table";
        problems.add(problem.help(help));
    }
}

fn note_misplaced_check_stages(stages: &[StageTable], problems: &mut Problems) {
    for (at, keys) in stages.iter().enumerate() {
        let is_first = at == 0 && stages.len() > 1 && keys.players.is_none();
        if !is_first {
            note_lonely_check_stage(&keys.stage, problems);
        }
    }
}

/// Notes a league that is not the only stage, or that leaves out players.
fn note_stages_beside_league(stages: &[StageTable], problems: &mut Problems) {
    for keys in stages {
        let Some(format) = keys.stage.format.as_ref().filter(|name| name.get_ref() == "league")
        else {
            continue;
        };
        if stages.len() > 1 {
            let problem = Problem::new(format.span(), "a league must be the only stage");
            problems.add(problem.help("it never ends by itself, so no stage can follow it"));
        }
        if let Some(players) = &keys.players {
            let problem = Problem::new(players.span(), "`players` has no effect in a league");
            problems.add(problem.help("remove it: every player in the league plays"));
        }
    }
}

fn check_stage(keys: &StageKeys, field: &StageField<'_>, problems: &mut Problems) -> Stage {
    note_stage_seat_keys(keys, field.seats, problems);
    let pairs = check_whole_number("pairs", keys.pairs.as_ref(), &(1..=MOST_PAIRS), problems);
    let deals = check_whole_number("deals", keys.deals.as_ref(), &(1..=MOST_PAIRS), problems);
    let pairs = pairs.or(deals).unwrap_or(1);
    let stage =
        Stage { format: check_stage_format(keys, pairs, field, problems), pairs, players: None };
    // How few players there can be is said elsewhere.
    let unsuited = field.seats.filter(|_| field.players > 1);
    if let Some(Err(problem)) = unsuited.map(|seats| stage.suits(seats, field.players)) {
        problems.add(Problem::new(stage_span(keys), problem.to_string()));
    }
    stage
}

/// Notes keys for games of two seats in a stage of others, and the other way round.
fn note_stage_seat_keys(keys: &StageKeys, seats: Option<usize>, problems: &mut Problems) {
    let Some(seats) = seats else { return };
    for [of_two, of_more] in [["pairs", "deals"], ["opponents", "meetings"]] {
        let (wrong, right) = if seats == 2 { (of_more, of_two) } else { (of_two, of_more) };
        if let Some((_, at, _)) = keys.given_keys().find(|(key, ..)| *key == wrong) {
            let others = if seats == 2 { "more than two" } else { "two" };
            let title = format!("`{wrong}` is for games with {others} seats");
            let help = format!("this game has {seats} seats: write `{right}` instead");
            problems.add(Problem::new(at, title).help(help));
        }
    }
}

fn check_stage_format(
    keys: &StageKeys,
    pairs: u32,
    field: &StageField<'_>,
    problems: &mut Problems,
) -> Format {
    let StageField { names, players, .. } = *field;
    let name = keys.format.as_ref().map_or(FORMATS[0], |name| name.get_ref().as_str());
    note_useless_stage_keys(name, keys, problems);
    match name {
        "round-robin" => check_round_robin_stage(keys, players, problems),
        "check" => Format::Check,
        "gauntlet" => Format::Gauntlet {
            anchors: check_stage_anchors(keys, names, problems),
            same_luck: false,
        },
        "swiss" => Format::Swiss { rounds: read_swiss_stage_rounds(keys, players, problems) },
        "knockout" => {
            let given = keys.tie_breaks.as_ref();
            let tie_breaks =
                check_whole_number("tie-breaks", given, &(0..=MOST_TIE_BREAKS), problems);
            Format::Knockout { tie_breaks: tie_breaks.unwrap_or(DEFAULT_TIE_BREAKS) }
        }
        "ladder" => check_ladder_stage(keys, pairs, problems),
        "league" => check_league_stage(keys, problems),
        other => {
            if let Some(field) = &keys.format {
                let title = format!("unknown format `{}`", other.escape_debug());
                let label = suggest_similar_word(other, FORMATS);
                problems.add(Problem::new(field.span(), title).label(label));
            }
            Format::RoundRobin
        }
    }
}

fn note_useless_stage_keys(format: &str, keys: &StageKeys, problems: &mut Problems) {
    for (key, at, of) in keys.given_keys() {
        if let Some(of) = of.filter(|of| *of != format && FORMATS.contains(&format)) {
            let title = format!("`{key}` has no effect in a {format} stage");
            let help = format!("remove `{key}`, or write `format = \"{of}\"`");
            problems.add(Problem::new(at, title).help(help));
        }
    }
}

fn check_round_robin_stage(keys: &StageKeys, players: usize, problems: &mut Problems) -> Format {
    let all = |opponents| Format::PartialRoundRobin {
        opponents,
        late: Vec::new(),
        corrected: Vec::new(),
    };
    if let Some(field) = &keys.meetings {
        let meetings = check_whole_number(
            "meetings",
            Some(field),
            &(FEWEST_OPPONENTS..=MOST_MEETINGS_EACH),
            problems,
        );
        return all(meetings.unwrap_or(FEWEST_OPPONENTS));
    }
    let Some(field) = &keys.opponents else { return Format::RoundRobin };
    let opponents =
        check_whole_number("opponents", Some(field), &(FEWEST_OPPONENTS..=MOST_PLAYERS), problems);
    let opponents = opponents.unwrap_or(FEWEST_OPPONENTS);
    if opponents >= players {
        let title = format!("{players} players cannot have {opponents} opponents each");
        let problem = Problem::new(field.span(), title);
        problems.add(problem.help("leave out `opponents` to let everyone meet everyone"));
    }
    all(opponents)
}

fn read_swiss_stage_rounds(keys: &StageKeys, players: usize, problems: &mut Problems) -> u32 {
    let Some(field) = &keys.rounds else {
        let problem = Problem::new(stage_span(keys), "a Swiss stage needs `rounds`");
        problems.add(problem.help("add a line such as `rounds = 7`"));
        return 1;
    };
    let most = u32::try_from(max_swiss_rounds(players)).unwrap_or(u32::MAX).max(1);
    let rounds =
        check_whole_number("rounds", Some(field), &(1..=MOST_ROUNDS), problems).unwrap_or(1);
    if rounds > most {
        let title = format!("{players} players cannot play {rounds} rounds of a Swiss stage");
        let help = format!(
            "no two players meet twice: play at most {}, or use `format = \
             \"round-robin\"`",
            pluralize(most, "round")
        );
        problems.add(Problem::new(field.span(), title).help(help));
    }
    rounds
}

fn check_ladder_stage(keys: &StageKeys, pairs: u32, problems: &mut Problems) -> Format {
    let Some(field) = &keys.games else {
        let problem =
            Problem::new(stage_span(keys), "a ladder needs `games`, its maximum number of games");
        problems.add(problem.help("add a line such as `games = 2000`"));
        return Format::RoundRobin;
    };
    let games =
        check_whole_number("games", Some(field), &(2..=MOST_LADDER_GAMES), problems).unwrap_or(2);
    if games < 2 * pairs {
        let title =
            format!("a ladder of {games} games has no meeting of {}", pluralize(pairs, "pair"));
        let help = format!("raise `games` to {} or more, or lower `pairs`", 2 * pairs);
        problems.add(Problem::new(field.span(), title).help(help));
    }
    let margin = check_whole_number("margin", keys.margin.as_ref(), &(1..=WIDEST_MARGIN), problems);
    Format::Ladder { games, margin }
}

/// The games of a league are chosen one deal at a time.
fn check_league_stage(keys: &StageKeys, problems: &mut Problems) -> Format {
    for (given, key, deal) in [(&keys.pairs, "pairs", "pair"), (&keys.deals, "deals", "deal")] {
        let Some(given) = given else { continue };
        let title = format!("`{key}` has no effect in a league");
        let help = format!("remove it: a league plays one {deal} after another");
        problems.add(Problem::new(given.span(), title).help(help));
    }
    Format::League
}

fn check_stage_anchors(keys: &StageKeys, names: &[&str], problems: &mut Problems) -> Vec<String> {
    let Some(field) = &keys.anchors else {
        let problem = Problem::new(stage_span(keys), "a gauntlet needs `anchors`");
        problems.add(problem.help("add a line such as `anchors = [\"house\"]`"));
        return Vec::new();
    };
    let mut anchors: Vec<String> = Vec::new();
    for anchor in field.get_ref() {
        let name = anchor.get_ref();
        if !names.contains(&name.as_str()) {
            let title = format!("the anchor `{}` is not a player", name.escape_debug());
            let label = suggest_similar_word(name, names.iter().copied());
            problems.add(Problem::new(anchor.span(), title).label(label));
        } else if anchors.contains(name) {
            let title = format!("`{}` is listed twice", name.escape_debug());
            problems.add(Problem::new(anchor.span(), title));
        }
        anchors.push(name.clone());
    }
    if anchors.is_empty() || anchors.len() >= names.len() {
        let problem = Problem::new(field.span(), "a gauntlet needs both anchors and other players");
        problems.add(problem.help("list at least one of the players, but not all"));
    }
    anchors
}

fn stage_span(keys: &StageKeys) -> ByteSpan {
    let format: Given<'_, String> = keys.format.as_ref();
    format.map_or_else(|| keys.at.clone(), Spanned::span)
}
