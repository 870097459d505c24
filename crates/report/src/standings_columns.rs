//! The columns of the standings. Each is defined once here, with its key in `standings.csv` and
//! JSON and its heading on a terminal and on the page. To add a column, add an entry.

use serde::{Serialize, Serializer};

use super::columns::{Align, Column, Keep, TableCell};
use super::csv_cells::{decimal, text};
use super::numbers::{margin, whole};
use super::unranked;
use super::verdict::signed;
use super::{Row, Standings};
use referee_protocol::escape;
use referee_ratings::{Estimate, Points, SeatRatings};
use referee_record::model::fault::FaultCode;
use referee_tournament::analysis::results::FaultCounts;

/// All columns, in the order of the tables, of JSON, of the terminal and of the page. New ones come
/// last, because programs may read a table by column order.
const COLUMNS: &[StandingsColumn] = &[
    people(|row| TableCell::plain(row.group))
        .shown("group", Keep::Always)
        .only_if(|it| it.groups > 1),
    column("rank", |row| CellValue::count(row.place())).shown("#", Keep::Always),
    column("player", |row| CellValue::Text(&row.player))
        .shown("player", Keep::Cut)
        .left()
        .with_cell(|row| TableCell::plain(escape::terminal(&row.player))),
    column("rating", |row| CellValue::elo(row.shown_rating().map(|it| it.value)))
        .shown("rating", Keep::Always)
        .with_cell(|row| TableCell::or_dash(row.shown_rating().map(|it| whole(it.value)))),
    people(|row| TableCell::or_dash(row.shown_rating().map(half_width)))
        .shown("±95%", Keep::Rank(5)),
    people(|row| TableCell::or_dash(row.rank_interval())).shown("ranks", Keep::Rank(6)),
    // Elo more than the version before, by the same author.
    people(|row| TableCell::or_dash(row.gain().map(|(gain, _)| signed(gain.value))))
        .shown("gain", Keep::Rank(3))
        .only_if(|standings| standings.rows.iter().any(|row| row.gain().is_some())),
    column("rating_low", |row| CellValue::elo(row.shown_rating().map(|it| it.low))),
    column("rating_high", |row| CellValue::elo(row.shown_rating().map(|it| it.high))),
    column("games", |row| CellValue::Number(row.outcomes.games())).shown("games", Keep::Rank(2)),
    column("score", |row| CellValue::Points(row.score())).shown("score", Keep::Rank(4)),
    people(|row| TableCell::plain(percent(row))).shown("%", Keep::Rank(1)),
    column("wins", |row| CellValue::Number(row.outcomes.wins)).shown("W", Keep::Rank(0)),
    column("draws", |row| CellValue::Number(row.outcomes.draws)).shown("D", Keep::Rank(0)),
    column("losses", |row| CellValue::Number(row.outcomes.losses)).shown("L", Keep::Rank(0)),
    column("first_score", |row| CellValue::Points(row.by_seat.first)),
    column("second_score", |row| CellValue::Points(row.by_seat.second)),
    column("faults", |row| CellValue::Faults(&row.faults))
        .shown("faults", Keep::Rank(3))
        .with_cell(|row| match row.fault_total() {
            0 => TableCell::plain(0),
            faults => TableCell::bad(faults),
        }),
    column("rank_low", |row| CellValue::count(row.rank_interval().map(|interval| interval.low))),
    column("rank_high", |row| CellValue::count(row.rank_interval().map(|interval| interval.high))),
    // How likely the player is better than the next one, and how many more games would settle it.
    column("superiority", |row| {
        row.next.map_or(CellValue::Missing, |it| CellValue::Probability(it.los))
    }),
    column("games_to_separate", |row| {
        row.next.and_then(|next| next.games).map_or(CellValue::Missing, CellValue::Number)
    }),
    // Only players of the same group can be compared.
    column("group", |row| CellValue::Count(row.group)),
    column("first_rating", |row| CellValue::rating(seat_ratings(row).map(|it| it.first))),
    column("second_rating", |row| CellValue::rating(seat_ratings(row).map(|it| it.second))),
    column("unranked", |row| {
        row.rank.err().map(unranked::name).map_or(CellValue::Missing, CellValue::Text)
    }),
];

/// Half the width of a rating's interval. The rating of an anchor has none.
pub(super) fn half_width(rating: Estimate) -> String {
    if rating.margin() > 0.0 { margin(rating.margin()) } else { "fixed".to_owned() }
}

/// Gets a player's value in a column.
type ValueOf = for<'a> fn(&'a Row) -> CellValue<'a>;

/// A column of the standings.
struct StandingsColumn {
    /// Its key and value in `standings.csv` and JSON; `None` for a column only for people.
    data: Option<(&'static str, ValueOf)>,
    /// Its heading, and its treatment if there is little room; `None` for a column only for
    /// programs.
    shown: Option<(&'static str, Keep)>,
    align: Align,
    /// The cell on a terminal, if it differs from the value.
    cell: Option<fn(&Row) -> TableCell>,
    /// Whether the column is shown, if not always.
    applies: fn(&Standings) -> bool,
}

/// A column only for programs.
const fn column(key: &'static str, value: ValueOf) -> StandingsColumn {
    let (data, align) = (Some((key, value)), Align::Right);
    StandingsColumn { data, shown: None, align, cell: None, applies: |_| true }
}

/// A column only for people.
const fn people(cell: fn(&Row) -> TableCell) -> StandingsColumn {
    let (cell, align) = (Some(cell), Align::Right);
    StandingsColumn { data: None, shown: None, align, cell, applies: |_| true }
}

impl StandingsColumn {
    const fn shown(self, heading: &'static str, keep: Keep) -> Self {
        Self { shown: Some((heading, keep)), ..self }
    }

    const fn left(self) -> Self {
        Self { align: Align::Left, ..self }
    }

    const fn with_cell(self, cell: fn(&Row) -> TableCell) -> Self {
        Self { cell: Some(cell), ..self }
    }

    const fn only_if(self, applies: fn(&Standings) -> bool) -> Self {
        Self { applies, ..self }
    }

    /// A player's cell on a terminal.
    fn cell(&self, row: &Row) -> TableCell {
        match (self.cell, self.data) {
            (Some(cell), _) => cell(row),
            (None, Some((_, value))) => match value(row) {
                CellValue::Missing => TableCell::or_dash(None::<&str>),
                value => TableCell::plain(value.in_table().concat()),
            },
            (None, None) => TableCell::plain(""),
        }
    }
}

/// A cell's value for programs.
#[derive(Serialize)]
#[serde(untagged)]
enum CellValue<'a> {
    /// No value: empty in tables, null in JSON.
    Missing,
    /// A number of games.
    Number(u32),
    /// A rank or a group.
    Count(usize),
    /// A score.
    Points(Points),
    /// Elo, with one decimal in tables.
    Elo(f64),
    /// A rating with its interval; tables show only the rating.
    Rating(Estimate),
    /// A probability, 0 … 1.
    Probability(f64),
    /// A name.
    Text(&'a str),
    /// The faults; tables show their number, and one column per code.
    Faults(&'a FaultCounts),
}

impl CellValue<'_> {
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
    fn in_table(&self) -> Vec<String> {
        vec![match *self {
            Self::Missing => String::new(),
            Self::Number(number) => number.to_string(),
            Self::Count(count) => count.to_string(),
            Self::Points(points) => points.to_string(),
            Self::Elo(elo) => decimal(elo),
            Self::Rating(rating) => decimal(rating.value),
            Self::Probability(probability) => format!("{probability:.3}"),
            Self::Text(name) => text(name).into_owned(),
            Self::Faults(faults) => {
                let total: u32 = faults.values().sum();
                let of = |code| faults.get(&code).copied().unwrap_or(0);
                return [total]
                    .into_iter()
                    .chain(FaultCode::ALL.map(of))
                    .map(|n| n.to_string())
                    .collect();
            }
        }]
    }
}

/// The columns for programs, with their keys.
fn data() -> impl Iterator<Item = (&'static str, ValueOf)> {
    COLUMNS.iter().filter_map(|column| column.data)
}

/// The headings of `standings.csv`.
pub(super) fn table_headings() -> Vec<String> {
    let codes = || FaultCode::ALL.map(|code| format!("fault_{}", code.name().replace('-', "_")));
    data()
        .flat_map(|(key, _)| {
            let more = (key == "faults").then(codes).into_iter().flatten();
            std::iter::once(key.to_owned()).chain(more)
        })
        .collect()
}

/// A player's row in `standings.csv`.
pub(super) fn table_row(row: &Row) -> Vec<String> {
    data().flat_map(|(_, value)| value(row).in_table()).collect()
}

/// A player in JSON: the columns of `standings.csv`, with faults by code and ratings by seat with
/// their intervals.
#[derive(Debug)]
pub struct PlayerJson<'a>(pub(super) &'a Row);

impl Serialize for PlayerJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(data().map(|(key, value)| (key, value(self.0))))
    }
}

/// The columns for people.
pub(super) fn people_columns(standings: &Standings) -> Vec<Column> {
    let column = |column: &StandingsColumn| {
        let (heading, keep) = column.shown?;
        let cells = standings.rows.iter().map(|row| column.cell(row)).collect();
        let heading = heading.to_owned();
        (column.applies)(standings).then_some(Column { heading, keep, align: column.align, cells })
    };
    COLUMNS.iter().filter_map(column).collect()
}

/// The ratings by seat, if the player's rating is shown.
fn seat_ratings(row: &Row) -> Option<SeatRatings> {
    row.seat_ratings.filter(|_| row.shown_rating().is_some())
}

fn percent(row: &Row) -> String {
    let share = row.score().share(row.outcomes.games());
    share.map_or_else(|| "–".into(), |share| format!("{:.1}", 100.0 * share))
}
