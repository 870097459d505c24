//! `games.csv`: one row per game, written as the games arrive.

use std::borrow::Cow;
use std::io::{self, Write};

use super::csv_cells::text;
use crate::analysis::pass::{LogVisitor, LoggedGame};
use crate::error::Failure;
use crate::model::record::GameRecord;
use referee_games::Seat;

/// The columns of `games.csv`.
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

/// Writes `games.csv` to `W`, one game at a time.
#[derive(Debug)]
pub struct GamesTable<W: Write> {
    table: csv::Writer<W>,
}

impl<W: Write> GamesTable<W> {
    /// Starts a table on `out` and writes its headings.
    pub fn new(out: W) -> io::Result<Self> {
        let mut table = csv::Writer::from_writer(out);
        table.write_record(COLUMNS)?;
        Ok(Self { table })
    }

    /// Writes one row for a game.
    pub fn write(&mut self, game: &GameRecord) -> io::Result<()> {
        Ok(self.table.write_record(row(game).iter().map(AsRef::as_ref))?)
    }

    /// Flushes the buffer, so that a reader sees every row so far.
    pub fn flush(&mut self) -> io::Result<()> {
        self.table.flush()
    }

    /// Flushes the buffer and returns the writer.
    pub fn finish(self) -> io::Result<W> {
        self.table.into_inner().map_err(csv::IntoInnerError::into_error)
    }
}

impl<W: Write> LogVisitor for GamesTable<W> {
    fn visit(&mut self, game: &LoggedGame<'_>) -> Result<(), Failure> {
        self.write(game.record)
            .map_err(|error| Failure::system(format!("cannot write games.csv: {error}")))
    }
}

fn row(game: &GameRecord) -> [Cow<'_, str>; 12] {
    [
        text(&game.id),
        game.pair.to_string().into(),
        game.game.to_string().into(),
        text(&game.players[Seat::First]),
        text(&game.players[Seat::Second]),
        text(&game.result),
        text(game.winner().unwrap_or("")),
        text(&game.reason),
        faults(game).into(),
        game.plies.to_string().into(),
        used_ms(game, Seat::First).to_string().into(),
        used_ms(game, Seat::Second).to_string().into(),
    ]
}

/// The codes of the game's faults, `crash` or `crash+timeout`, first seat first.
fn faults(game: &GameRecord) -> String {
    let faults = Seat::BOTH.into_iter().filter_map(|seat| game.fault_of(seat));
    faults.map(|fault| fault.code.name()).collect::<Vec<_>>().join("+")
}

/// The total time used, in whole milliseconds, rounded down.
fn used_ms(game: &GameRecord, seat: Seat) -> u64 {
    let total = game.clock.used_ns[seat].iter().fold(0_u64, |sum, &ns| sum.saturating_add(ns));
    total / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fault::FaultCode;
    use crate::model::record::examples::{faulty, game};

    fn lines(games: &[GameRecord]) -> Vec<String> {
        let mut table = GamesTable::new(Vec::new()).expect("memory");
        for game in games {
            table.write(game).expect("memory");
        }
        let text = String::from_utf8(table.finish().expect("memory")).expect("UTF-8");
        text.lines().skip(1).map(ToOwned::to_owned).collect()
    }

    #[test]
    fn a_game_is_a_row() {
        let both = [("white", FaultCode::Timeout), ("black", FaultCode::Crash)];
        let games = [
            game("ant", "bee", "black"),
            faulty(game("ant", "bee", "draw"), &both),
            faulty(game("-x", "a,b", "white"), &both[1..]),
        ];
        assert_eq!(
            lines(&games),
            [
                "ant-bee-1-1,1,1,ant,bee,black,bee,elimination,,2,2,0",
                "ant-bee-1-1,1,1,ant,bee,draw,,elimination,timeout+crash,2,2,0",
                "\"'-x-a,b-1-1\",1,1,'-x,\"a,b\",white,'-x,elimination,crash,2,2,0",
            ]
        );
    }

    #[test]
    fn the_heading_stands_without_games() {
        let table = GamesTable::new(Vec::new()).expect("memory").finish().expect("memory");
        assert_eq!(
            table,
            b"id,pair,game,first,second,result,winner,reason,fault,plies,first_ms,second_ms\n"
        );
    }
}
