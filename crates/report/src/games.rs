//! `games.csv`: one row per game, or with more than two seats per game and seat, written as the games
//! arrive.

use std::borrow::Cow;
use std::io::{self, Write};

use super::csv_cells::text;
use referee_games::{Places, Seat};
use referee_record::log::{GameLine, GameNames};
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
pub struct GamesTable<W: Write> {
    table: csv::Writer<W>,
    names: GameNames,
}

impl<W: Write> GamesTable<W> {
    /// Starts a table on `out` and writes its headings.
    pub fn new(out: W, names: GameNames) -> io::Result<Self> {
        let mut table = csv::Writer::from_writer(out);
        table.write_record(if names.seats() == 2 { COLUMNS } else { SEATED_COLUMNS })?;
        Ok(Self { table, names })
    }

    /// Writes one row for a game, or with more than two seats one for each.
    pub fn write(&mut self, game: &GameLine) -> io::Result<()> {
        let mut write =
            |row: [Cow<'_, str>; 12]| self.table.write_record(row.iter().map(AsRef::as_ref));
        if self.names.seats() == 2 {
            write(row(game, &self.names))?;
        } else {
            for seat in game.fixture.players.seats() {
                write(seat_row(game, seat, &self.names))?;
            }
        }
        Ok(())
    }

    /// Flushes the buffer and returns the writer.
    pub fn finish(self) -> io::Result<W> {
        self.table.into_inner().map_err(csv::IntoInnerError::into_error)
    }
}

fn row<'a>(game: &'a GameLine, names: &'a GameNames) -> [Cow<'a, str>; 12] {
    [
        game.id().into(),
        game.fixture.pair.to_string().into(),
        game.fixture.game.to_string().into(),
        text(names.player(game, Seat::FIRST)),
        text(names.player(game, Seat::SECOND)),
        text(names.result(game)),
        text(names.winner(game).unwrap_or("")),
        text(&game.reason),
        faults(game).into(),
        game.plies.to_string().into(),
        game.used_ms[Seat::FIRST].to_string().into(),
        game.used_ms[Seat::SECOND].to_string().into(),
    ]
}

fn seat_row<'a>(game: &'a GameLine, seat: Seat, names: &'a GameNames) -> [Cow<'a, str>; 12] {
    let places = game.summary.places;
    let fault = game.summary.faults.of(seat);
    let points = game.points.as_ref().map(|points| points[seat].to_string());
    [
        game.id().into(),
        game.fixture.pair.to_string().into(),
        game.fixture.game.to_string().into(),
        text(names.seat(seat)),
        text(names.player(game, seat)),
        (places.of(seat) + 1).to_string().into(),
        format!("{:.4}", places.score(seat)).into(),
        points.unwrap_or_default().into(),
        text(&game.reason),
        fault.map_or("", FaultCode::name).into(),
        game.plies.to_string().into(),
        game.used_ms[seat].to_string().into(),
    ]
}

/// The codes of the game's faults: that of the loser, as `crash`, or else those of both seats,
/// first seat first, as `crash+timeout` or `timeout+none`.
fn faults(game: &GameLine) -> String {
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
    use referee_record::log::{GameFront, LinePlace};
    use referee_record::model::record::GameRecord;
    use referee_record::model::record::examples::{faulty, game, header};
    use referee_record::seeds::game_id;

    fn lines(games: &[GameRecord]) -> Vec<String> {
        let names = GameNames::of(&header(&["ant", "bee", "-x", "a,b"]));
        let mut table = GamesTable::new(Vec::new(), names.clone()).expect("memory");
        for game in games {
            let (first, second) = (&game.players[Seat::FIRST], &game.players[Seat::SECOND]);
            let id = game_id(&[first, second], game.pair, game.game);
            let front = GameFront::of(&GameRecord { id, ..game.clone() });
            let game = names.line(&front, LinePlace::default()).expect("known players");
            table.write(&game).expect("memory");
        }
        let text = String::from_utf8(table.finish().expect("memory")).expect("UTF-8");
        text.lines().map(ToOwned::to_owned).collect()
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
