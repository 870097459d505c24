//! The columns of the standings. Each is defined once here, with its key in `standings.csv` and
//! JSON and its heading on a terminal and on the page. To add a column, add an entry.

use serde::{Serialize, Serializer};

use super::csv_cells::{format_decimal_cell, format_text_cell};
use super::match_verdict::format_signed_elo;
use super::number_format::{format_margin, format_points, format_whole_number};
use super::text_columns::{Align, Keep, TextColumn, TextColumnCell};
use super::unranked::unranked_reason_name;
use super::{Standings, StandingsRow};
use referee_protocol::escape::escape_line;
use referee_protocol::{ReportedCost, Usage};
use referee_ratings::{Estimate, Points, ScoreMeans, SeatRatings};
use referee_record::model::fault::FaultCode;
use referee_tournament::analysis::named_results::FaultCounts;

/// All columns, in the order of the tables, of JSON, of the terminal and of the page. New ones come
/// last, because programs may read a table by column order.
const COLUMNS: &[StandingsColumn] = &[
    people_column(|row| TextColumnCell::plain(row.group))
        .shown("group", Keep::Always)
        .only_if(|it| it.groups > 1),
    data_column("rank", |row| StandingsCellValue::count(row.place())).shown("#", Keep::Always),
    data_column("player", |row| StandingsCellValue::Text(&row.player))
        .shown("player", Keep::Cut)
        .left()
        .with_cell(|row| TextColumnCell::plain(escape_line(&row.player))),
    people_column(|row| {
        TextColumnCell::or_dash(format_standings_column_points(
            row,
            standings_column_strength(row).map(|it| it.value),
        ))
    })
    .shown("points", Keep::Always)
    .of_points(ForPoints::Ranks),
    people_column(|row| {
        TextColumnCell::or_dash(format_standings_column_points(
            row,
            standings_column_strength(row).map(Estimate::margin),
        ))
    })
    .shown("±95%", Keep::Rank(5))
    .of_points(ForPoints::Ranks),
    data_column("rating", |row| StandingsCellValue::elo(row.shown_rating().map(|it| it.value)))
        .shown("rating", Keep::Always)
        .with_cell(|row| {
            TextColumnCell::or_dash(row.shown_rating().map(|it| format_whole_number(it.value)))
        }),
    people_column(|row| TextColumnCell::or_dash(row.shown_rating().map(rating_margin_column)))
        .shown("±95%", Keep::Rank(5)),
    people_column(|row| TextColumnCell::or_dash(row.rank_interval())).shown("ranks", Keep::Rank(6)),
    // Elo more than the version before, by the same author.
    people_column(|row| {
        TextColumnCell::or_dash(row.gain().map(|gain| format_signed_elo(gain.value)))
    })
    .shown("gain", Keep::Rank(3))
    .only_if(|standings| standings.rows.iter().any(|row| row.gain().is_some())),
    data_column("rating_low", |row| StandingsCellValue::elo(row.shown_rating().map(|it| it.low))),
    data_column("rating_high", |row| StandingsCellValue::elo(row.shown_rating().map(|it| it.high))),
    data_column("games", |row| StandingsCellValue::Number(row.games)).shown("games", Keep::Rank(2)),
    people_column(|row| {
        TextColumnCell::or_dash(format_standings_column_points(
            row,
            standings_column_score_means(row).map(|it| it.score),
        ))
    })
    .shown("points/game", Keep::Rank(0))
    .of_points(ForPoints::Means),
    people_column(|row| {
        TextColumnCell::or_dash(format_standings_column_points(
            row,
            standings_column_score_means(row).map(|it| it.margin),
        ))
    })
    .shown("margin", Keep::Rank(1))
    .of_points(ForPoints::Means),
    data_column("score", |row| StandingsCellValue::Points(row.score()))
        .shown("score", Keep::Rank(4))
        .of_two(),
    data_column("score", |row| {
        StandingsCellValue::Score(standings_column_game_score(row, row.score()))
    })
    .shown("score", Keep::Rank(4))
    .of_more(),
    people_column(|row| TextColumnCell::plain(format_standings_column_percent(row)))
        .shown("%", Keep::Rank(1)),
    data_column("wins", |row| StandingsCellValue::Number(row.outcomes.wins))
        .shown("W", Keep::Rank(0))
        .of_two(),
    data_column("draws", |row| StandingsCellValue::Number(row.outcomes.draws))
        .shown("D", Keep::Rank(0))
        .of_two(),
    data_column("losses", |row| StandingsCellValue::Number(row.outcomes.losses))
        .shown("L", Keep::Rank(0))
        .of_two(),
    // With more than two seats, a game has an outcome against each of the others.
    data_column("ahead", |row| StandingsCellValue::Number(row.outcomes.wins)).of_more(),
    data_column("level", |row| StandingsCellValue::Number(row.outcomes.draws)).of_more(),
    data_column("behind", |row| StandingsCellValue::Number(row.outcomes.losses)).of_more(),
    data_column("places", |row| StandingsCellValue::Places(&row.places)).of_more(),
    people_column(|row| TextColumnCell::plain(row.places.first().copied().unwrap_or(0)))
        .shown("1st", Keep::Rank(0))
        .of_more(),
    data_column("first_score", |row| {
        StandingsCellValue::Points(standings_column_seat_score(row, 0))
    })
    .of_two(),
    data_column("second_score", |row| {
        StandingsCellValue::Points(standings_column_seat_score(row, 1))
    })
    .of_two(),
    data_column("seats", |row| StandingsCellValue::SeatScores(standings_column_seat_scores(row)))
        .of_more(),
    data_column("faults", |row| StandingsCellValue::Faults(&row.faults))
        .shown("faults", Keep::Rank(3))
        .with_cell(|row| match row.fault_total() {
            0 => TextColumnCell::plain(0),
            faults => TextColumnCell::bad(faults),
        }),
    people_column(|row| TextColumnCell::plain(row.outages.unwrap_or(0)))
        .shown("void", Keep::Rank(3))
        .of_services(),
    people_column(|row| TextColumnCell::plain(standings_column_usage(row).tokens))
        .shown("tokens", Keep::Rank(3))
        .of_usage(),
    people_column(|row| TextColumnCell::plain(standings_column_usage(row).cost))
        .shown("cost", Keep::Rank(3))
        .of_usage(),
    data_column("rank_low", |row| {
        StandingsCellValue::count(row.rank_interval().map(|interval| interval.low))
    }),
    data_column("rank_high", |row| {
        StandingsCellValue::count(row.rank_interval().map(|interval| interval.high))
    }),
    // How likely the player is better than the next one, and how many more games would settle it.
    data_column("superiority", |row| {
        row.next.map_or(StandingsCellValue::Missing, |it| StandingsCellValue::Probability(it.los))
    }),
    data_column("games_to_separate", |row| {
        row.next
            .and_then(|next| next.games)
            .map_or(StandingsCellValue::Missing, StandingsCellValue::Number)
    }),
    // Only players of the same group can be compared.
    data_column("group", |row| StandingsCellValue::Count(row.group)),
    data_column("first_rating", |row| {
        StandingsCellValue::rating(standings_column_seat_ratings(row).map(|it| it.first))
    })
    .of_two(),
    data_column("second_rating", |row| {
        StandingsCellValue::rating(standings_column_seat_ratings(row).map(|it| it.second))
    })
    .of_two(),
    data_column("unranked", |row| {
        row.rank
            .err()
            .map(unranked_reason_name)
            .map_or(StandingsCellValue::Missing, StandingsCellValue::Text)
    }),
    data_column("mean_final_score", |row| {
        StandingsCellValue::point(row, standings_column_score_means(row).map(|it| it.score))
    })
    .of_points(ForPoints::Means),
    // The own score less the mean of the others'.
    data_column("mean_margin", |row| {
        StandingsCellValue::point(row, standings_column_score_means(row).map(|it| it.margin))
    })
    .of_points(ForPoints::Means),
    data_column("points", |row| {
        StandingsCellValue::point(row, standings_column_strength(row).map(|it| it.value))
    })
    .of_points(ForPoints::Ranks),
    data_column("points_low", |row| {
        StandingsCellValue::point(row, standings_column_strength(row).map(|it| it.low))
    })
    .of_points(ForPoints::Ranks),
    data_column("points_high", |row| {
        StandingsCellValue::point(row, standings_column_strength(row).map(|it| it.high))
    })
    .of_points(ForPoints::Ranks),
    data_column("void", |row| {
        row.outages.map_or(StandingsCellValue::Missing, StandingsCellValue::Number)
    })
    .of_services(),
    data_column("fault_outage", |row| {
        StandingsCellValue::Number(row.faults.get(&FaultCode::Outage).copied().unwrap_or(0))
    })
    .of_services(),
    data_column("tokens", |row| StandingsCellValue::Tokens(standings_column_usage(row).tokens))
        .of_usage(),
    data_column("cost", |row| StandingsCellValue::Cost(standings_column_usage(row).cost))
        .of_usage(),
];

/// The codes of the faults that have a column in every table.
fn fault_column_codes() -> impl Iterator<Item = FaultCode> {
    FaultCode::ALL.into_iter().filter(|code| *code != FaultCode::Outage)
}

/// Half the width of a rating's interval. The rating of an anchor has none.
pub(super) fn rating_margin_column(rating: Estimate) -> String {
    if rating.margin() > 0.0 { format_margin(rating.margin()) } else { "fixed".to_owned() }
}

/// Gets a player's value in a column.
type ValueOf = for<'a> fn(&'a StandingsRow) -> StandingsCellValue<'a>;

struct StandingsColumn {
    /// Its key and value in `standings.csv` and JSON; `None` for a column only for people.
    data: Option<(&'static str, ValueOf)>,
    /// Its heading, and its treatment if there is little room; `None` for a column only for
    /// programs.
    shown: Option<(&'static str, Keep)>,
    align: Align,
    /// The cell on a terminal, if it differs from the value.
    cell: Option<fn(&StandingsRow) -> TextColumnCell>,
    /// Whether the column is shown, if not always.
    applies: fn(&Standings) -> bool,
    seats: ForSeats,
    points: ForPoints,
    /// Whether only tournaments have it in which a player may say that it cannot reach its service.
    of_services: bool,
    /// Whether only tournaments have it in which a player has a budget or reported usage.
    of_usage: bool,
}

/// The games that have a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ForSeats {
    Any,
    Two,
    /// All others.
    More,
}

/// The tournaments that have a column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ForPoints {
    /// All.
    Any,
    /// Those with final scores.
    Means,
    /// Those in which points put the players in order.
    Ranks,
}

/// Which columns a table has.
#[derive(Clone, Copy)]
struct StandingsTableKind {
    seats: ForSeats,
    points: ForPoints,
    has_services: bool,
    has_usage: bool,
}

impl StandingsTableKind {
    /// The table in which a player has this row.
    fn from_row(row: &StandingsRow) -> Self {
        let seats = if row.places.is_empty() { ForSeats::Two } else { ForSeats::More };
        let points = match row.points {
            None => ForPoints::Any,
            Some(points) if points.strength.is_none() => ForPoints::Means,
            Some(_) => ForPoints::Ranks,
        };
        let (has_services, has_usage) = (row.outages.is_some(), row.usage.is_some());
        Self { seats, points, has_services, has_usage }
    }

    fn from_standings(standings: &Standings) -> Self {
        let seats = standings.seats.as_ref().map_or(ForSeats::Two, |_| ForSeats::More);
        let first = standings.rows.first().map(Self::from_row);
        let points = first.map_or(ForPoints::Any, |first| first.points);
        let has_services = first.is_some_and(|first| first.has_services);
        let has_usage = first.is_some_and(|first| first.has_usage);
        Self { seats, points, has_services, has_usage }
    }
}

/// A column of every table, with nothing in it.
const EVERYWHERE: StandingsColumn = StandingsColumn {
    data: None,
    shown: None,
    align: Align::Right,
    cell: None,
    applies: |_| true,
    seats: ForSeats::Any,
    points: ForPoints::Any,
    of_services: false,
    of_usage: false,
};

/// A column only for programs.
const fn data_column(key: &'static str, value: ValueOf) -> StandingsColumn {
    StandingsColumn { data: Some((key, value)), ..EVERYWHERE }
}

/// A column only for people.
const fn people_column(cell: fn(&StandingsRow) -> TextColumnCell) -> StandingsColumn {
    StandingsColumn { cell: Some(cell), ..EVERYWHERE }
}

impl StandingsColumn {
    const fn shown(self, heading: &'static str, keep: Keep) -> Self {
        Self { shown: Some((heading, keep)), ..self }
    }

    const fn left(self) -> Self {
        Self { align: Align::Left, ..self }
    }

    const fn with_cell(self, cell: fn(&StandingsRow) -> TextColumnCell) -> Self {
        Self { cell: Some(cell), ..self }
    }

    const fn only_if(self, applies: fn(&Standings) -> bool) -> Self {
        Self { applies, ..self }
    }

    const fn of_two(self) -> Self {
        Self { seats: ForSeats::Two, ..self }
    }

    const fn of_more(self) -> Self {
        Self { seats: ForSeats::More, ..self }
    }

    const fn of_points(self, points: ForPoints) -> Self {
        Self { points, ..self }
    }

    const fn of_services(self) -> Self {
        Self { of_services: true, ..self }
    }

    const fn of_usage(self) -> Self {
        Self { of_usage: true, ..self }
    }

    /// Whether such a table has the column.
    fn belongs_to(&self, kind: StandingsTableKind) -> bool {
        let is_of_seats = self.seats == ForSeats::Any || self.seats == kind.seats;
        is_of_seats
            && self.points <= kind.points
            && self.of_services <= kind.has_services
            && self.of_usage <= kind.has_usage
    }

    /// A player's cell on a terminal.
    fn cell(&self, row: &StandingsRow) -> TextColumnCell {
        match (self.cell, self.data) {
            (Some(cell), _) => cell(row),
            (None, Some((_, value))) => match value(row) {
                StandingsCellValue::Missing => TextColumnCell::or_dash(None::<&str>),
                value => TextColumnCell::plain(value.table_cells().concat()),
            },
            (None, None) => TextColumnCell::plain(""),
        }
    }
}

/// A cell's value for programs.
#[derive(Serialize)]
#[serde(untagged)]
enum StandingsCellValue<'a> {
    /// No value: empty in tables, null in JSON.
    Missing,
    /// A number of games.
    Number(u32),
    /// A rank or a group.
    Count(usize),
    /// A number of tokens.
    Tokens(u64),
    /// A cost in the organiser's currency.
    Cost(ReportedCost),
    /// A score.
    Points(Points),
    /// A score of games with more than two seats, with two decimals in tables.
    Score(f64),
    /// The number of games in each place; tables have one column per place.
    Places(&'a [u32]),
    /// The scores at each seat; tables have one column per seat.
    SeatScores(Vec<f64>),
    /// Elo, with one decimal in tables.
    Elo(f64),
    /// A rating with its interval; tables show only the rating.
    Rating(Estimate),
    /// Points, with a number of decimals in tables.
    Point(Decimals),
    /// A probability, 0 … 1.
    Probability(f64),
    /// A name.
    Text(&'a str),
    /// The faults; tables show their number, and one column per code.
    Faults(&'a FaultCounts),
}

/// A number that tables round.
#[derive(Clone, Copy)]
struct Decimals {
    value: f64,
    decimals: usize,
}

impl Serialize for Decimals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value)
    }
}

impl StandingsCellValue<'_> {
    /// Points of a player, with more decimals than people see.
    fn point(row: &StandingsRow, value: Option<f64>) -> Self {
        let decimals = row.points.map_or(0, |points| points.decimals + 2);
        value.map_or(Self::Missing, |value| Self::Point(Decimals { value, decimals }))
    }

    fn count(count: Option<usize>) -> Self {
        count.map_or(Self::Missing, Self::Count)
    }

    fn elo(elo: Option<f64>) -> Self {
        elo.map_or(Self::Missing, Self::Elo)
    }

    fn rating(rating: Option<Estimate>) -> Self {
        rating.map_or(Self::Missing, Self::Rating)
    }

    /// The cells in a table: one, except for faults.
    fn table_cells(&self) -> Vec<String> {
        vec![match *self {
            Self::Missing => String::new(),
            Self::Number(number) => number.to_string(),
            Self::Count(count) => count.to_string(),
            Self::Tokens(tokens) => tokens.to_string(),
            Self::Cost(cost) => cost.to_string(),
            Self::Points(points) => points.to_string(),
            Self::Score(score) => format_standings_column_decimals(score),
            Self::Places(places) => return places.iter().map(u32::to_string).collect(),
            Self::SeatScores(ref scores) => {
                return scores
                    .iter()
                    .map(|&score| format_standings_column_decimals(score))
                    .collect();
            }
            Self::Elo(elo) => format_decimal_cell(elo),
            Self::Rating(rating) => format_decimal_cell(rating.value),
            Self::Point(Decimals { value, decimals }) => format!("{value:.decimals$}"),
            Self::Probability(probability) => format!("{probability:.3}"),
            Self::Text(name) => format_text_cell(name).into_owned(),
            Self::Faults(faults) => {
                let total: u32 = faults.values().sum();
                let of = |code| faults.get(&code).copied().unwrap_or(0);
                return std::iter::once(total)
                    .chain(fault_column_codes().map(of))
                    .map(|n| n.to_string())
                    .collect();
            }
        }]
    }
}

/// The columns for programs, with their keys.
fn standings_data_columns(
    kind: StandingsTableKind,
) -> impl Iterator<Item = (&'static str, ValueOf)> {
    COLUMNS.iter().filter(move |column| column.belongs_to(kind)).filter_map(|column| column.data)
}

/// The headings of `standings.csv`.
pub(super) fn standings_column_headings(standings: &Standings) -> Vec<String> {
    let seats = standings.seats.as_ref();
    let codes =
        || fault_column_codes().map(|code| format!("fault_{}", code.name().replace('-', "_")));
    let places = seats.map_or(0, |seats| seats.count);
    let names = |at: usize| {
        let named = seats.and_then(|seats| seats.values.get(at));
        named.map_or_else(|| format!("score_{}", at + 1), |(name, _)| format!("score_{name}"))
    };
    let headings = standings_data_columns(StandingsTableKind::from_standings(standings)).flat_map(
        |(key, _)| match key {
            "faults" => std::iter::once(key.to_owned()).chain(codes()).collect(),
            "places" => (1..=places).map(|place| format!("place_{place}")).collect(),
            "seats" => (0..places).map(names).collect(),
            key => vec![key.to_owned()],
        },
    );
    headings.map(|heading| format_text_cell(&heading).into_owned()).collect()
}

/// A player's row in `standings.csv`.
pub(super) fn standings_column_cells(row: &StandingsRow) -> Vec<String> {
    standings_data_columns(StandingsTableKind::from_row(row))
        .flat_map(|(_, value)| value(row).table_cells())
        .collect()
}

/// A player in JSON: the columns of `standings.csv`, with faults by code and ratings by seat with
/// their intervals.
#[derive(Debug)]
pub struct PlayerJson<'a>(pub(super) &'a StandingsRow);

impl Serialize for PlayerJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            standings_data_columns(StandingsTableKind::from_row(self.0))
                .map(|(key, value)| (key, value(self.0))),
        )
    }
}

pub(super) fn people_standings_columns(standings: &Standings) -> Vec<TextColumn> {
    let kind = StandingsTableKind::from_standings(standings);
    let column = |column: &StandingsColumn| {
        let (heading, keep) = column.shown.filter(|_| column.belongs_to(kind))?;
        let cells = standings.rows.iter().map(|row| column.cell(row)).collect();
        let heading = heading.to_owned();
        (column.applies)(standings).then_some(TextColumn {
            heading,
            keep,
            align: column.align,
            cells,
        })
    };
    COLUMNS.iter().filter_map(column).collect()
}

/// The ratings by seat, if the player's rating is shown.
fn standings_column_seat_ratings(row: &StandingsRow) -> Option<SeatRatings> {
    row.seat_ratings.filter(|_| row.shown_rating().is_some())
}

/// The means of a player's final scores, if it has some.
fn standings_column_score_means(row: &StandingsRow) -> Option<ScoreMeans> {
    row.points?.means
}

/// The strength in points, if it says how well the player plays.
fn standings_column_strength(row: &StandingsRow) -> Option<Estimate> {
    row.points?.strength.and(row.shown_strength())
}

fn format_standings_column_points(row: &StandingsRow, value: Option<f64>) -> Option<String> {
    Some(format_points(value?, row.points?.decimals))
}

/// What a player used of its service.
fn standings_column_usage(row: &StandingsRow) -> Usage {
    row.usage.unwrap_or_default()
}

/// The score at a seat.
fn standings_column_seat_score(row: &StandingsRow, seat: usize) -> Points {
    row.by_seat.get(seat).copied().unwrap_or_default()
}

fn format_standings_column_percent(row: &StandingsRow) -> String {
    let share = row.score().share(row.games * row.others());
    share.map_or_else(|| "–".into(), |share| format!("{:.1}", 100.0 * share))
}

/// A score of comparisons as one of games: a game counts 1.
fn standings_column_game_score(row: &StandingsRow, comparisons: Points) -> f64 {
    comparisons.share(row.others()).unwrap_or(0.0)
}

fn standings_column_seat_scores(row: &StandingsRow) -> Vec<f64> {
    row.by_seat.iter().map(|&comparisons| standings_column_game_score(row, comparisons)).collect()
}

impl StandingsRow {
    /// The score of all its games as text: a game counts 1.
    pub(crate) fn score_of_games(&self) -> String {
        match self.others() {
            ..2 => self.score().to_string(),
            _ => format_standings_column_decimals(standings_column_game_score(self, self.score())),
        }
    }
}

/// A number of at most two decimals.
fn format_standings_column_decimals(number: f64) -> String {
    format!("{number:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
}
