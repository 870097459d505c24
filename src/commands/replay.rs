//! `replay`: steps through a recorded game.

mod game_choice;
mod viewer;

use std::borrow::Cow;
use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;

use self::game_choice::list_games_to_replay;
use super::find_game::FoundGame;
use super::recorded_rules::RecordedRulesArgs;
use super::report::command_options;
use super::results_folder::find_results_folder;
use super::turning_args::TurningArgs;
use super::{Failure, OutputFormat, Status};
use crate::printer::Printer;
use referee_games::{Event, SeatMap, Turn};
use referee_match::replay::event_descriptions::{describe_step, events_are_ply};
use referee_match::replay::frames::describe_game_end;
use referee_match::replay::turning_points::TurningPoint;
use referee_match::replay::{Replay, ReplayError};
use referee_record::model::record::GameRecord;
use referee_report::board_picture::render_board_picture;
use referee_tournament::analysis::fault_cases::FaultCase;

/// Arguments of `replay`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee replay                                       lists games to choose from
  referee replay 3f9a1c07be52-1
  referee replay 3f9a --results results/autumn-cup     a prefix that matches one pair means its
                                                       first game; 3f9a-2 is the second
  referee replay 3f9a --ply 42                         only that position
  referee replay 3f9a --format json                    the record
  referee replay 3f9a --with bot:search-1000           where it turned, and what was better

Other keys on a terminal: Home and End go to the first and the last position, a number and Enter go
to that ply, f flips the board, q quits.")]
pub(crate) struct ReplayArgs {
    /// The game's id or a prefix of it, or a log with one game (default: list games)
    pub(crate) game_id: Option<String>,
    /// The results folder (default: from tournament.toml, otherwise the newest folder under
    /// results/)
    #[arg(long, value_name = "DIR")]
    pub(crate) results: Option<PathBuf>,
    /// Show only the position after N plies
    #[arg(long, value_name = "N", requires = "game_id")]
    pub(crate) ply: Option<u32>,
    /// Output format
    #[arg(long, value_enum, default_value_t, requires = "game_id")]
    pub(crate) format: OutputFormat,
    #[command(flatten)]
    pub(crate) turning: TurningArgs,
    #[command(flatten)]
    pub(crate) rules: RecordedRulesArgs,
}

/// Shows the game, or lists games.
pub(crate) fn run(args: &ReplayArgs, printer: Printer) -> Result<Status, Failure> {
    args.turning
        .refuse_unless(args.game_id.is_some(), "without a game id, replay only lists games")?;
    let is_text = args.format == OutputFormat::Text;
    args.turning.refuse_unless(is_text, "--format json prints the record as it is")?;
    let Some(word) = &args.game_id else {
        let dir = find_results_folder(args.results.as_deref(), printer)?;
        let called = command_options::ask_command_options(&dir, None);
        return list_games_to_replay(&dir, &called, printer).map(|()| Status::Done);
    };
    let FoundGame { header, record, dir } =
        FoundGame::find(word, args.results.as_deref(), printer)?;
    if args.format == OutputFormat::Json {
        return printer.json(&record).map(|()| Status::Done);
    }
    let is_of_two = record.players.len() == 2;
    args.turning.refuse_unless(is_of_two, "it only works for two-seat games")?;
    let rules = args.rules.open(&header, &dir, printer)?;
    let points = args.turning.points(&rules, &record)?;
    let replay = Replay::with_rules(&rules, &record)?;
    if std::io::stdin().is_terminal() && printer.is_terminal() && args.ply.is_none() {
        viewer::view_replay(replay, &header.clock, (&record, &points), printer.colour)?;
    } else {
        print_replay(replay, (&record, &points), args.ply, printer)?;
    }
    if args.ply.is_none() {
        let called = command_options::ask_command_options(&dir, None);
        for case in FaultCase::all_of_game(&record) {
            printer.command("again", &case.command(&called));
        }
    }
    Ok(Status::Done)
}

fn print_replay(
    mut replay: Replay<'_>,
    (record, points): (&GameRecord, &[TurningPoint]),
    only: Option<u32>,
    printer: Printer,
) -> Result<(), Failure> {
    let is_wanted =
        |replay: &Replay<'_>| only.is_none_or(|ply| ply == replay.current_position().ply());
    // A position before a roll is drawn with the dice, unless the game ended there.
    let is_rolling =
        |replay: &Replay<'_>| matches!(replay.current_position().turn(), Turn::Chance(_));
    let mut recent = Vec::new();
    if only.is_none() {
        printer.line(&format_replay_title(record))?;
    }
    loop {
        if is_wanted(&replay) && !is_rolling(&replay) {
            printer.styled(&render_board_picture(
                replay.current_position(),
                &recent,
                printer.colour,
            ))?;
            if let Some(ply) = only {
                return match format_replay_marks(record, points, ply).trim_start_matches('\n') {
                    "" => Ok(()),
                    marks => printer.line(marks),
                };
            }
        }
        let Some(played) = replay.next().transpose()? else { break };
        if events_are_ply(&played.events) {
            recent.clear();
        }
        if only.is_none() {
            printer.line(&format_replay_step(
                &played.events,
                (record, points),
                replay.current_position().ply(),
            ))?;
        }
        recent.extend(played.events);
    }
    if is_wanted(&replay) && is_rolling(&replay) {
        printer.styled(&render_board_picture(
            replay.current_position(),
            &recent,
            printer.colour,
        ))?;
        if only.is_some() {
            return Ok(());
        }
    }
    match only {
        Some(wanted) => {
            let short = ReplayError::Short { plies: record.plies, wanted };
            Err(Failure::input(short.to_string()))
        }
        None => printer
            .line(&(format_replay_conclusion(record) + &format_all_replay_marks(record, points))),
    }
}

fn format_replay_title(record: &GameRecord) -> String {
    let SeatMap { names, values } = &record.players;
    let players: Vec<String> =
        values.iter().map(|(seat, player)| format!("{player} ({})", names[seat])).collect();
    referee_protocol::escape::escape_line(&format!(
        "{}: {}, pair {}, game {}",
        record.id,
        players.join(" against "),
        record.pair,
        record.game
    ))
}

/// The most characters of a note on a terminal.
const MOST_OF_NOTE: usize = 1000;

/// The beginning of a long note; its end is in the log and on the page.
fn shorten_replay_note(note: &str) -> Cow<'_, str> {
    match note.char_indices().nth(MOST_OF_NOTE) {
        Some((end, _)) => Cow::Owned(format!("{}…", &note[..end])),
        None => Cow::Borrowed(note),
    }
}

fn format_replay_step(
    events: &[Event],
    (record, points): (&GameRecord, &[TurningPoint]),
    ply: u32,
) -> String {
    let mut line = describe_step(events, ply);
    for note in record.notes.iter().filter(|note| events_are_ply(events) && note.ply + 1 == ply) {
        let said = note.text().map(|said| format!("\"{}\"", shorten_replay_note(&said)));
        let eval = note.eval.map(|eval| format!("[{eval:+.2}]"));
        let remarks: Vec<String> = said.into_iter().chain(eval).collect();
        line.push_str(&referee_protocol::escape::escape_line(&format!("  {}", remarks.join(" "))));
    }
    if events_are_ply(events) {
        line.push_str(&format_replay_marks(record, points, ply));
    }
    line
}

/// What would have been better at a ply, in lines of their own.
fn format_replay_marks(record: &GameRecord, points: &[TurningPoint], ply: u32) -> String {
    let mut text = String::new();
    for point in points.iter().filter(|point| point.ply == ply) {
        let line = format!("{}: {point}", record.players.names[point.seat]);
        text.push_str("\n  ? ");
        text.push_str(&referee_protocol::escape::escape_line(&line));
    }
    text
}

/// All marks of a game, for its end.
fn format_all_replay_marks(record: &GameRecord, points: &[TurningPoint]) -> String {
    let mut plies: Vec<u32> = points.iter().map(|point| point.ply).collect();
    plies.dedup();
    let at =
        |ply: u32| format!("\nturned at ply {ply}:{}", format_replay_marks(record, points, ply));
    plies.into_iter().map(at).collect::<Vec<_>>().concat()
}

fn format_replay_conclusion(record: &GameRecord) -> String {
    let mut lines = Vec::new();
    for (seat, fault) in record.fault.iter().flatten() {
        lines.push(format!("{seat}: {}: {}", fault.code, fault.message));
        lines.extend(fault.stderr.iter().map(|line| format!("    {line}")));
    }
    let mut lines: Vec<String> =
        lines.iter().map(|line| referee_protocol::escape::escape_line(line)).collect();
    lines.push(describe_game_end(record));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::fault::FaultCode;
    use referee_record::model::record::examples::{faulty, game};

    #[test]
    fn a_long_note_is_cut() {
        let exact = "é".repeat(MOST_OF_NOTE);
        assert_eq!(shorten_replay_note(&exact), exact);
        assert_eq!(shorten_replay_note(&format!("{exact}!")), format!("{exact}…"));
    }

    #[test]
    fn the_conclusion_shows_what_a_failed_player_said() {
        let mut record = faulty(game("ant", "bee", "white"), &[("black", FaultCode::Crash)]);
        for fault in record.fault.iter_mut().flat_map(|faults| faults.values_mut()) {
            fault.stderr = vec!["KeyError: 'x'".to_owned()];
        }
        let text = format_replay_conclusion(&record);
        assert!(
            text.starts_with("black: crash: why\n    KeyError: 'x'\nant (white) wins: "),
            "{text}"
        );
    }
}
