//! Lists with a row for each game and seat, for any number of seats.

use referee_games::Seat;
use std::borrow::Cow;
use std::collections::HashMap;

use super::{
    BadImportLines, FieldError, ImportedHeader, ImportedNames, parse_imported_fault_code,
    parse_imported_score,
};
use crate::analysis::named_results::{Faulted, NamedResults};
use referee_ratings::{Compared, DealTable, GameOutcome, SeatedEnding, SeatedGame, Seating};
use referee_record::model::fault::FaultCode;
use referee_record::model::game_summary::GameSummary;
use referee_record::model::stage::RankedBy;

/// The most seats of a game.
const MOST_SEATS: usize = 16;

/// The index of each column.
#[derive(Debug)]
struct SeatRowColumns {
    /// The column that identifies a game: `id`, or else `game`.
    game: (&'static str, usize),
    player: usize,
    place: Option<usize>,
    final_score: Option<usize>,
    seat: Option<usize>,
    deal: Option<usize>,
    fault: Option<usize>,
}

impl SeatRowColumns {
    fn from_header(header: &ImportedHeader<'_>) -> Result<Self, String> {
        let (place, final_score) = (header.column("place")?, header.column("final_score")?);
        if place.or(final_score).is_none() {
            return Err(header.describe_missing_column("place", "game,seat,player,place"));
        }
        let game = match header.column("id")? {
            Some(id) => ("id", id),
            None => ("game", header.required_column("game", "game,seat,player,place")?),
        };
        Ok(Self {
            game,
            player: header.required_column("player", "game,seat,player,place")?,
            place,
            final_score,
            seat: header.column("seat")?,
            deal: header.column("deal")?,
            fault: header.column("fault")?,
        })
    }
}

/// A player's row in a game.
#[derive(Debug)]
struct SeatRow {
    line: usize,
    player: usize,
    /// The number of its seat among all seats of the list.
    seat: usize,
    /// The lowest is the best.
    order: f64,
    score: Option<f64>,
    fault: Option<FaultCode>,
}

#[derive(Debug)]
struct SeatRowGame {
    name: String,
    deal: Option<u32>,
    rows: Vec<SeatRow>,
}

impl SeatRowGame {
    fn first_line(&self) -> usize {
        self.rows.first().map_or(1, |row| row.line)
    }

    fn describe(&self) -> String {
        format!("game `{}`", self.name.escape_debug())
    }
}

/// The rows read so far.
#[derive(Debug)]
pub(super) struct SeatRowList {
    columns: SeatRowColumns,
    names: ImportedNames,
    seats: ImportedNames,
    /// In the order of their first rows.
    games: Vec<SeatRowGame>,
    /// The place of each game in that list.
    places: HashMap<String, usize>,
}

impl SeatRowList {
    pub(super) fn new(header: &ImportedHeader<'_>) -> Result<Self, String> {
        Ok(Self {
            columns: SeatRowColumns::from_header(header)?,
            names: ImportedNames::default(),
            seats: ImportedNames::default(),
            games: Vec::new(),
            places: HashMap::new(),
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// Adds the row on the line with this number.
    pub(super) fn add(&mut self, line: usize, fields: &[Cow<'_, str>]) -> Result<(), FieldError> {
        let columns = &self.columns;
        let optional = |at: Option<usize>| at.map_or("", |at| &*fields[at]);
        let (column, game) = (columns.game.0, &*fields[columns.game.1]);
        if game.is_empty() {
            return Err((Some(column), "it is empty; expected the game's number".to_owned()));
        }
        let score = parse_imported_score("final_score", optional(columns.final_score))?;
        let order = match (columns.place, score) {
            (Some(at), _) => parse_seat_row_place(&fields[at])?,
            (None, Some(score)) => -score,
            (None, None) => {
                let problem = "it is empty; expected a number".to_owned();
                return Err((Some("final_score"), problem));
            }
        };
        let deal = parse_seat_row_deal(optional(columns.deal))?;
        let fault = Some(optional(columns.fault)).filter(|fault| !fault.is_empty());
        let fault = fault.map(|name| parse_imported_fault_code(name, "or nothing")).transpose()?;
        let seat = columns.seat.map(|at| self.seats.number_of("seat", "seat", &fields[at]));
        let seat = seat.transpose()?;
        let player = self.names.number_of("player", "player's name", &fields[columns.player])?;
        let game = *self.places.entry(game.to_owned()).or_insert_with(|| {
            self.games.push(SeatRowGame { name: game.to_owned(), deal, rows: Vec::new() });
            self.games.len() - 1
        });
        let game = &mut self.games[game];
        if game.deal != deal {
            let problem =
                format!("{} has a different deal on line {}", game.describe(), game.first_line());
            return Err((Some("deal"), problem));
        }
        if game.rows.len() == MOST_SEATS {
            let problem = format!(
                "{} has more than {MOST_SEATS} lines; expected one for each of its 2 to \
                 {MOST_SEATS} seats",
                game.describe()
            );
            return Err((Some(column), problem));
        }
        for other in &game.rows {
            let twice =
                |what| format!("{} has the same {what} on line {}", game.describe(), other.line);
            if other.player == player {
                return Err((Some("player"), twice("player")));
            }
            if seat == Some(other.seat) {
                return Err((Some("seat"), twice("seat")));
            }
        }
        // Without a column for seats, they are not known.
        let seat = seat.unwrap_or(game.rows.len());
        game.rows.push(SeatRow { line, player, seat, order, score, fault });
        Ok(())
    }

    /// Checks what rows must have in common.
    pub(super) fn check(&self, bad: &mut BadImportLines) {
        let Some(first) = self.games.first() else { return };
        let (seats, column) = (first.rows.len(), self.columns.game.0);
        if seats == 1 {
            let problem = format!(
                "{} has one line; expected 2 to {MOST_SEATS}, one per seat, with the same `{column}`",
                first.describe(),
            );
            return bad.add(first.first_line(), (Some(column), problem));
        }
        let mut deals: HashMap<(Vec<usize>, u32, usize, usize), usize> = HashMap::new();
        for game in &self.games {
            if game.rows.len() != seats {
                let problem = format!(
                    "{} has {} players, and {} has {seats}; expected a line for each seat, and \
                     the same number of seats in all games",
                    game.describe(),
                    game.rows.len(),
                    first.describe(),
                );
                bad.add(game.first_line(), (None, problem));
            }
            let is_first = game.rows.iter().any(|row| row.order <= 1.0);
            if self.columns.place.is_some() && !is_first {
                let problem = format!("{} has no player in place 1", game.describe());
                bad.add(game.first_line(), (Some("place"), problem));
            }
            let (Some(deal), true) = (game.deal, self.columns.seat.is_some()) else { continue };
            let mut players: Vec<usize> = game.rows.iter().map(|row| row.player).collect();
            players.sort_unstable();
            for row in &game.rows {
                let key = (players.clone(), deal, row.player, row.seat);
                let Some(line) = deals.insert(key, row.line) else { continue };
                let problem = format!(
                    "`{}` already has this seat in deal {deal} (line {line}); everyone must sit in \
                     each seat once; give each deal of these players its own number, and leave the \
                     field empty for single games",
                    self.names.list[row.player].escape_debug()
                );
                bad.add(row.line, (Some("deal"), problem));
            }
        }
        let all = &self.seats.list;
        if all.len() > seats {
            let names = all.iter().take(seats + 1).map(|seat| format!("`{}`", seat.escape_debug()));
            let problem = format!(
                "there are {} seats overall, such as {}, but {seats} in {}; expected the same \
                 seats in all games",
                all.len(),
                names.collect::<Vec<_>>().join(", "),
                first.describe(),
            );
            bad.add(first.first_line(), (Some("seat"), problem));
        }
    }

    /// All games as results; players are numbered by name.
    pub(super) fn into_results(
        mut self,
        faulted: Faulted,
        compared: Compared,
        rank: RankedBy,
    ) -> NamedResults {
        let (names, numbers) = self.names.sorted();
        let seats = self.games.first().map_or(2, |game| game.rows.len());
        let seating = match self.columns.seat {
            Some(_) => Seating::Known,
            None => Seating::Unknown,
        };
        let seat_numbers = self.seats.in_seat_order();
        for game in &mut self.games {
            for row in &mut game.rows {
                row.player = numbers[row.player];
                row.seat = seat_numbers.get(row.seat).copied().unwrap_or(row.seat);
            }
            game.rows.sort_unstable_by_key(|row| match seating {
                Seating::Known => row.seat,
                Seating::Unknown => row.player,
            });
        }
        if let (2, Seating::Known) = (seats, seating) {
            let mut results = NamedResults::new(&names).with_faulted(faulted).ranked_by(rank);
            for game in &self.games {
                add_seat_rows_of_two(&mut results, game);
            }
            return results;
        }
        let table = DealTable { seats, seating, compared };
        let mut seat_names = self.seats.list.clone();
        for (name, &number) in self.seats.list.iter().zip(&seat_numbers) {
            seat_names[number].clone_from(name);
        }
        let mut results =
            NamedResults::at_table(&names, table, seat_names).with_faulted(faulted).ranked_by(rank);
        for game in &self.games {
            add_seat_row_game(&mut results, game);
        }
        results
    }
}

fn add_seat_rows_of_two(results: &mut NamedResults, game: &SeatRowGame) {
    let [first, second] = &game.rows[..] else { return };
    let seats = Seat::all(2).zip([first.fault, second.fault]);
    let faults = seats.filter_map(|(seat, fault)| Some((seat, fault?))).collect();
    let outcome = match first.order.total_cmp(&second.order) {
        std::cmp::Ordering::Less => GameOutcome::Win,
        std::cmp::Ordering::Equal => GameOutcome::Draw,
        std::cmp::Ordering::Greater => GameOutcome::Loss,
    };
    let players = [first.player, second.player].into();
    let summary = GameSummary { faults, ..GameSummary::from_outcome(outcome) };
    results.add_summary(players, game.deal, summary, seat_row_final_scores(game).as_deref());
}

fn add_seat_row_game(results: &mut NamedResults, game: &SeatRowGame) {
    let players: Vec<usize> = game.rows.iter().map(|row| row.player).collect();
    let place = |own: &SeatRow| {
        let better = game.rows.iter().filter(|row| row.order < own.order);
        better.map(|_| 1).sum::<u32>()
    };
    let places: Vec<u32> = game.rows.iter().map(place).collect();
    let faults: Vec<Option<FaultCode>> = game.rows.iter().map(|row| row.fault).collect();
    let forfeits: Vec<bool> = faults.iter().map(Option::is_some).collect();
    // Where all others share the first place, nothing was decided between them.
    let is_undecided = forfeits.iter().zip(&places).all(|(&failed, &place)| failed == (place > 0));
    let ending = if forfeits.contains(&true) && is_undecided {
        SeatedEnding::Fault
    } else {
        SeatedEnding::Rules
    };
    let scores = seat_row_final_scores(game);
    let game = SeatedGame {
        players: &players,
        places: &places,
        forfeits: &forfeits,
        ending,
        deal: game.deal,
        fingerprint: None,
    };
    results.add_seated(&game, &faults, scores.as_deref());
}

/// The final scores, if all have one.
fn seat_row_final_scores(game: &SeatRowGame) -> Option<Box<[f64]>> {
    game.rows.iter().map(|row| row.score).collect()
}

fn parse_seat_row_place(text: &str) -> Result<f64, FieldError> {
    let place = text.parse().ok().filter(|&place: &u32| place > 0);
    place.map(f64::from).ok_or_else(|| {
        let problem = format!(
            "invalid place `{}`; expected 1 for the best player, 2 for the next, and the same for \
             players that are level",
            text.escape_debug()
        );
        (Some("place"), problem)
    })
}

fn parse_seat_row_deal(text: &str) -> Result<Option<u32>, FieldError> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| {
        let problem = format!(
            "invalid deal `{}`; expected a whole number that the games of a deal share, or nothing",
            text.escape_debug()
        );
        (Some("deal"), problem)
    })
}
