//! `games.csv`: one row per game, or with more than two seats per game and seat, written as the games
//! arrive.

use std::borrow::Cow;
use std::io::{self, Write};

use super::csv_cells::format_text_cell;
use referee_games::{Places, Seat};
use referee_record::log::{GameLine, GameLineNames};
use referee_record::model::fault::FaultCode;

/// The columns of `games.csv`, for games of two seats.
const COLUMNS: [&str; 12] = [
    "id",
    "pair",
    "game",
    "first",
    "second",
    "result",
    "winner",
    "reason",
    "fault",
    "plies",
    "first_ms",
    "second_ms",
];

/// Those that follow if games have final scores.
const SCORE_COLUMNS: [&str; 2] = ["first_final_score", "second_final_score"];

/// The columns for games of more seats.
const SEATED_COLUMNS: [&str; 12] = [
    "id",
    "deal",
    "game",
    "seat",
    "player",
    "place",
    "score",
    "final_score",
    "reason",
    "fault",
    "plies",
    "ms",
];

/// Writes `games.csv` to `W`, one game at a time.
#[derive(Debug)]
pub struct GamesCsv<W: Write> {
    table: csv::Writer<W>,
    names: GameLineNames,
    has_scores: bool,
}

impl<W: Write> GamesCsv<W> {
    /// Starts a table on `out` and writes its headings. With two seats, it has columns for final scores
    /// only if some game has them.
    pub fn new(out: W, names: GameLineNames, has_scores: bool) -> io::Result<Self> {
        let mut table = csv::Writer::from_writer(out);
        let is_of_two = names.seats() == 2;
        let has_scores = has_scores && is_of_two;
        let columns = if is_of_two { COLUMNS } else { SEATED_COLUMNS };
        let more = SCORE_COLUMNS.iter().filter(|_| has_scores);
        table.write_record(columns.iter().chain(more))?;
        Ok(Self { table, names, has_scores })
    }

    /// Writes one row for a game, or with more than two seats one for each.
    pub fn write_game(&mut self, game: &GameLine) -> io::Result<()> {
        let seats = game.fixture.players.seats();
        if self.names.seats() == 2 {
            let points = |seat| Cow::Owned(games_csv_score(game, seat));
            let points = seats.filter(|_| self.has_scores).map(points);
            self.table.write_record(
                games_csv_row(game, &self.names).into_iter().chain(points).map(Cow::into_owned),
            )?;
        } else {
            for seat in seats {
                self.table.write_record(
                    games_csv_seat_row(game, seat, &self.names).map(Cow::into_owned),
                )?;
            }
        }
        Ok(())
    }

    /// Flushes the buffer and returns the writer.
    pub fn finish(self) -> io::Result<W> {
        self.table.into_inner().map_err(csv::IntoInnerError::into_error)
    }
}

fn games_csv_row<'a>(game: &'a GameLine, names: &'a GameLineNames) -> [Cow<'a, str>; 12] {
    [
        game.id().into(),
        game.fixture.pair.to_string().into(),
        game.fixture.game.to_string().into(),
        format_text_cell(names.player(game, Seat::FIRST)),
        format_text_cell(names.player(game, Seat::SECOND)),
        format_text_cell(names.result(game)),
        format_text_cell(names.winner(game).unwrap_or("")),
        format_text_cell(&game.reason),
        games_csv_faults(game).into(),
        game.plies.to_string().into(),
        game.used_ms[Seat::FIRST].to_string().into(),
        game.used_ms[Seat::SECOND].to_string().into(),
    ]
}

fn games_csv_seat_row<'a>(
    game: &'a GameLine,
    seat: Seat,
    names: &'a GameLineNames,
) -> [Cow<'a, str>; 12] {
    let places = game.summary.places;
    let fault = game.summary.faults.of(seat);
    [
        game.id().into(),
        game.fixture.pair.to_string().into(),
        game.fixture.game.to_string().into(),
        format_text_cell(names.seat(seat)),
        format_text_cell(names.player(game, seat)),
        (places.place_of(seat) + 1).to_string().into(),
        format!("{:.4}", places.score(seat)).into(),
        games_csv_score(game, seat).into(),
        format_text_cell(&game.reason),
        fault.map_or("", FaultCode::name).into(),
        game.plies.to_string().into(),
        game.used_ms[seat].to_string().into(),
    ]
}

/// A seat's final score; empty if the game has none.
fn games_csv_score(game: &GameLine, seat: Seat) -> String {
    game.points.as_ref().map(|points| points[seat].to_string()).unwrap_or_default()
}

/// The codes of the game's faults: that of the loser, as `crash`, or else those of both seats,
/// first seat first, as `crash+timeout` or `timeout+none`.
fn games_csv_faults(game: &GameLine) -> String {
    let code = |seat| game.summary.faults.of(seat).map(FaultCode::name);
    match (code(Seat::FIRST), code(Seat::SECOND)) {
        (None, None) => String::new(),
        (first, second) if game.summary.places == Places::level(2) => {
            format!("{}+{}", first.unwrap_or("none"), second.unwrap_or("none"))
        }
        (first, second) => first.or(second).unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::{BySeat, SeatMap};
    use referee_record::log::{GameFront, LinePlace};
    use referee_record::model::record::GameRecord;
    use referee_record::model::record::examples::{faulty, game, header};
    use referee_record::seeds::derive_game_id;

    fn lines(games: &[GameRecord]) -> Vec<String> {
        lines_with(games, false)
    }

    fn lines_with(games: &[GameRecord], has_scores: bool) -> Vec<String> {
        let names = GameLineNames::of(&header(&["ant", "bee", "-x", "a,b"]));
        let mut table = GamesCsv::new(Vec::new(), names.clone(), has_scores).expect("memory");
        for game in games {
            let (first, second) = (&game.players[Seat::FIRST], &game.players[Seat::SECOND]);
            let id = derive_game_id(&[first, second], game.pair, game.game);
            let front = GameFront::of(&GameRecord { id, ..game.clone() });
            let game = names.line(&front, LinePlace::default()).expect("known players");
            table.write_game(&game).expect("memory");
        }
        let text = String::from_utf8(table.finish().expect("memory")).expect("UTF-8");
        text.lines().map(ToOwned::to_owned).collect()
    }

    #[test]
    fn final_scores_of_two_seats_come_last() {
        let plain = game("ant", "bee", "black");
        let scores = BySeat::from([3.into(), 40.into()]);
        let names = plain.players.names.clone();
        let with = GameRecord { final_scores: Some(SeatMap::new(names, scores)), ..plain.clone() };
        let lines = lines_with(&[with, plain], true);
        assert!(lines[0].ends_with(",first_ms,second_ms,first_final_score,second_final_score"));
        assert!(lines[1].ends_with(",2,2,0,3,40") && lines[2].ends_with(",2,2,0,,"), "{lines:?}");
    }

    #[test]
    fn every_game_is_a_row() {
        let both = [("white", FaultCode::Timeout), ("black", FaultCode::Crash)];
        let games = [
            game("ant", "bee", "black"),
            faulty(game("ant", "bee", "draw"), &both),
            faulty(game("-x", "a,b", "white"), &both[1..]),
        ];
        assert_eq!(
            lines(&games),
            [
                "id,pair,game,first,second,result,winner,reason,fault,plies,first_ms,second_ms",
                "08eee709cd92-1,1,1,ant,bee,black,bee,elimination,,2,2,0",
                "08eee709cd92-1,1,1,ant,bee,draw,,elimination,timeout+crash,2,2,0",
                "2e5306a149c6-1,1,1,'-x,\"a,b\",white,'-x,elimination,crash,2,2,0",
            ]
        );
    }
}
