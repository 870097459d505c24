//! `export`: prints the games of a tournament as data: one JSON line per game, for programs that
//! learn from them, chess games in PGN, or Go games in SGF.

use std::borrow::Cow;

use clap::Args;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::recorded_rules::RecordedRulesArgs;
use super::results_folder::{ResultsFolderArgs, note_sealed_results};
use super::{Failure, Status};
use crate::printer::Printer;
use referee_games::{AnyPosition, Event, Legal, Seat, SeatMap};
use referee_match::replay::{Replay, ReplayStep};
use referee_protocol::Score;
use referee_record::model::game_rules::GameRules;
use referee_record::model::record::GameRecord;
use referee_report::pgn::{PgnComments, PgnError, format_end_epd, pgn};
use referee_report::sgf::sgf;
use referee_rules_program::contract::{ContractStep, ContractTurn};
use referee_tournament::analysis::TournamentAnalysis;
use referee_tournament::analysis::named_results::Faulted;

/// Arguments of `export`.
#[expect(clippy::struct_excessive_bools, reason = "flags of the command line")]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee export > games.jsonl
  referee export results/autumn-cup | head -1 | python3 -m json.tool
  referee export --pgn > games.pgn
  referee export --epd > ends.epd
  referee export --sgf > games.sgf

Each line is a game: `game`, `options`, `id`, `pair`, `number` (1 or 2 in its pair), `players`,
`result`, `reason`, `fault`, `scores`, and `positions`. Each position has `ply`, `turn`, `state`,
`legal`, in a game with hidden information `views`, and unless it is the last one `step`, `events`
and whether the step belongs to the `opening`. Turns and steps are written as in `referee help games`.")]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) folder: ResultsFolderArgs,
    /// Print chess games in PGN, with scores and times as comments
    #[arg(long)]
    pub(crate) pgn: bool,
    /// Add the main lines that engines report to the comments
    #[arg(long, requires = "pgn")]
    pub(crate) pv: bool,
    /// Print the final positions of chess games in EPD
    #[arg(long, conflicts_with = "pgn")]
    pub(crate) epd: bool,
    /// Print Go games in SGF
    #[arg(long, conflicts_with_all = ["pgn", "epd"])]
    pub(crate) sgf: bool,
    #[command(flatten)]
    pub(crate) rules: RecordedRulesArgs,
}

/// Prints the games.
pub(crate) fn run(args: &ExportArgs, printer: Printer) -> Result<Status, Failure> {
    let dir = args.folder.find(printer)?;
    let analysis = TournamentAnalysis::read(&dir, Faulted::Count)?;
    if args.sgf {
        return export_each_game(&analysis, printer, |record| {
            let text = sgf(&analysis.header, record);
            printer.line(&text.map_err(|why| Failure::input(format!("game {}: {why}", record.id)))?)
        });
    }
    let rules = args.rules.open(&analysis.header, &dir, printer)?;
    let exporter = GameExporter { rules: &rules };
    let comments = if args.pv { PgnComments::MainLines } else { PgnComments::Scores };
    export_each_game(&analysis, printer, |record| {
        let broken = |why: PgnError| Failure::input(format!("game {}: {why}", record.id));
        if args.pgn {
            let text = pgn(&rules, &analysis.header, record, comments).map_err(broken)?;
            return printer.line(text.strip_suffix('\n').unwrap_or(&text));
        }
        if args.epd {
            return printer.line(&format_end_epd(&rules, record).map_err(broken)?);
        }
        printer.json_text(&exporter.game_json(record)?)
    })
}

/// Writes each game that may be seen.
fn export_each_game(
    analysis: &TournamentAnalysis,
    printer: Printer,
    mut write: impl FnMut(&GameRecord) -> Result<(), Failure>,
) -> Result<Status, Failure> {
    let mut sealed = 0;
    analysis.each_game(|game| {
        if game.is_sealed {
            sealed += 1;
            return Ok(());
        }
        write(&game.record)
    })?;
    note_sealed_results(sealed, printer);
    Ok(Status::Done)
}

/// Turns the games of a log into JSON.
struct GameExporter<'a> {
    rules: &'a GameRules,
}

impl GameExporter<'_> {
    /// A game as JSON.
    fn game_json(&self, record: &GameRecord) -> Result<String, Failure> {
        let broken =
            |error: &dyn std::fmt::Display| Failure::input(format!("game {}: {error}", record.id));
        let rules = self.rules.with_own_options(&record.options).map_err(|error| broken(&error))?;
        let mut replay = Replay::new(&rules.start, record).map_err(|error| broken(&error))?;
        let mut positions = Vec::new();
        loop {
            let before = replay.current_position().boxed();
            let played = replay.next().transpose().map_err(|error| broken(&error))?;
            let position = ExportedPosition::position_json(&*before, played.as_ref(), self.rules)
                .map_err(|error| broken(&error))?;
            positions.push(position);
            if played.is_none() {
                break;
            }
        }
        let fault = record.fault.as_ref();
        let game = ExportedGame {
            game: self.rules.game.name(),
            options: rules.options.to_json(),
            id: &record.id,
            pair: record.pair,
            number: record.game,
            players: &record.players,
            result: &record.result,
            places: record.places.as_ref(),
            reason: &record.reason,
            fault: fault
                .map(|faults| faults.iter().map(|(seat, it)| (&**seat, it.code.name())).collect()),
            scores: &record.scores,
            positions,
        };
        serde_json::to_string(&game).map_err(|error| broken(&error))
    }
}

/// A game with all its positions.
#[derive(Debug, Serialize)]
struct ExportedGame<'a> {
    game: &'a str,
    options: Map<String, Value>,
    id: &'a str,
    pair: u32,
    number: u8,
    players: &'a SeatMap<String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    result: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    places: Option<&'a SeatMap<u8>>,
    reason: &'a str,
    /// The code of the fault of each seat that made one.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<std::collections::BTreeMap<&'a str, &'a str>>,
    scores: &'a SeatMap<Score>,
    positions: Vec<Box<RawValue>>,
}

/// A position, and the step that was played there.
#[derive(Debug, Serialize)]
struct ExportedPosition<'a> {
    ply: u32,
    turn: ContractTurn,
    state: Cow<'a, RawValue>,
    /// By seat, of those that are asked.
    #[serde(skip_serializing_if = "Map::is_empty")]
    legal: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    views: Option<SeatMap<Cow<'a, RawValue>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<ContractStep<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    events: &'a [Event],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    opening: bool,
}

impl<'a> ExportedPosition<'a> {
    /// The position as JSON, with the step that was played there.
    fn position_json(
        position: &'a dyn AnyPosition,
        played: Option<&'a ReplayStep<'a>>,
        rules: &GameRules,
    ) -> serde_json::Result<Box<RawValue>> {
        let seats = position.seats();
        let turn = position.turn();
        let legal = |seat: Seat| -> serde_json::Result<_> {
            let legal: Legal = position.legal(seat);
            Ok((seats[seat].to_string(), serde_json::to_value(legal)?))
        };
        let views = || SeatMap::new(seats.clone(), seats.map_seats(|seat| position.view(seat)));
        serde_json::value::to_raw_value(&Self {
            ply: position.ply(),
            legal: turn.asked().iter().map(legal).collect::<Result<_, _>>()?,
            turn: ContractTurn::from_turn(&turn, &seats, position.outcomes()),
            state: position.state(),
            views: rules.game.is_hidden().then(views),
            step: played.map(|played| ContractStep::from_step(&played.step, turn.asked(), &seats)),
            events: played.map_or(&[], |played| &played.events),
            opening: played.is_some_and(|played| played.is_opening),
        })
    }
}
