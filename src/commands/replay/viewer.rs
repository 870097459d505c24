//! A viewer that fills the terminal: one position at a time, stepped by keys.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use console::{Key, Term};

use super::{
    format_all_replay_marks, format_replay_conclusion, format_replay_step, format_replay_title,
};
use crate::command_failure::Failure;
use crate::printer::{Colour, ColouredText};
use referee_games::{BySeat, Seat};
use referee_match::replay::turning_points::TurningPoint;
use referee_match::replay::{Replay, ReplayError, start_replay_clocks};
use referee_record::model::clock::{Clock, TimeControl, format_clock_seconds};
use referee_record::model::record::GameRecord;
use referee_report::board_picture::{BoardSide, render_board_picture, render_board_picture_from};

/// The keys, for the last line.
const KEYS: &str = "←→ step  PgUp PgDn 10  Home End  a number and Enter: go to  f flip  q quit";
/// The number of positions that a page key skips.
const PAGE: usize = 10;

/// One position of the game.
#[derive(Debug)]
struct ShownPosition {
    ply: u32,
    /// What led here.
    step: String,
    /// The board, as either side sees it.
    boards: [ColouredText; 2],
    clocks: String,
}

/// The position that is shown, and what was typed.
#[derive(Debug, Default)]
struct ViewerState {
    at: usize,
    is_flipped: bool,
    /// The digits of a ply to go to.
    typed: String,
}

/// What follows a key.
#[derive(Debug, PartialEq, Eq)]
enum AfterKey {
    Draw,
    Leave,
}

/// Shows a game until the person leaves.
pub(super) fn view_replay(
    replay: Replay<'_>,
    control: &TimeControl,
    (record, points): (&GameRecord, &[TurningPoint]),
    colour: Colour,
) -> Result<(), Failure> {
    let frames = viewer_frames(replay, control, (record, points), colour)?;
    let screen = ViewerScreen::enter().map_err(|error| viewer_failure(&error))?;
    let mut view = ViewerState::default();
    loop {
        let (rows, columns) = screen.term.size();
        let text = view.draw(&frames, &format_replay_title(record), usize::from(columns));
        screen.show(&text, usize::from(rows)).map_err(|error| viewer_failure(&error))?;
        let key = screen.term.read_key_raw().map_err(|error| viewer_failure(&error))?;
        if view.press(&key, &frames) == AfterKey::Leave {
            return Ok(());
        }
    }
}

fn viewer_failure(error: &io::Error) -> Failure {
    Failure::system(format!("cannot use the terminal: {error}"))
}

/// The positions of a game, each with what led to it. Rolls of dice are shown with the ply that
/// they decide about.
fn viewer_frames(
    mut replay: Replay<'_>,
    control: &TimeControl,
    (record, points): (&GameRecord, &[TurningPoint]),
    colour: Colour,
) -> Result<Vec<ShownPosition>, ReplayError> {
    let mut times = ViewerTimes::new(control, record);
    let start = "the start".to_owned();
    let nothing = BySeat::default_for(record.players.len());
    let mut frames = vec![viewer_frame(&replay, &[], start, times.text(record, &nothing), colour)];
    while let Some(played) = replay.next() {
        let played = played?;
        times.spend(&played.used);
        let step =
            format_replay_step(&played.events, (record, points), replay.current_position().ply());
        let times = times.text(record, &played.used);
        frames.push(viewer_frame(&replay, &played.events, step, times, colour));
    }
    if let Some(last) = frames.last_mut() {
        let _ = write!(
            last.step,
            "\n{}{}",
            format_replay_conclusion(record),
            format_all_replay_marks(record, points)
        );
    }
    Ok(frames)
}

fn viewer_frame(
    replay: &Replay<'_>,
    events: &[referee_games::Event],
    step: String,
    clocks: String,
    colour: Colour,
) -> ShownPosition {
    let position = replay.current_position();
    let boards = [
        render_board_picture(position, events, colour),
        render_board_picture_from(position, events, colour, BoardSide::Second),
    ];
    ShownPosition { ply: position.ply(), step, boards, clocks }
}

/// The time that each player has used, and its clock.
struct ViewerTimes {
    used: BySeat<Duration>,
    clocks: BySeat<Clock>,
}

impl ViewerTimes {
    fn new(control: &TimeControl, record: &GameRecord) -> Self {
        let used = BySeat::default_for(record.players.len());
        Self { used, clocks: start_replay_clocks(control, record) }
    }

    /// Adds the time of a ply.
    fn spend(&mut self, now: &BySeat<Option<Duration>>) {
        for (seat, now) in now.iter() {
            let Some(now) = *now else { continue };
            self.used[seat] += now;
            self.clocks[seat].spend(now);
        }
    }

    /// Each player's remaining time (without a budget: its time so far), and its time for this
    /// ply.
    fn text(&self, record: &GameRecord, now: &BySeat<Option<Duration>>) -> String {
        let time = |seat: Seat| {
            let name = &record.players.names[seat];
            let ply = now[seat]
                .map_or(String::new(), |now| format!(" (now {})", format_clock_seconds(now)));
            let (time, word) = match self.clocks[seat].left() {
                Some(left) => (left, "left"),
                None => (self.used[seat], "used"),
            };
            format!("{name} {} {word}{ply}", format_clock_seconds(time))
        };
        let times: Vec<String> = now.seats().map(time).collect();
        format!("clocks: {}", times.join(", "))
    }
}

impl ViewerState {
    /// Follows a key.
    fn press(&mut self, key: &Key, frames: &[ShownPosition]) -> AfterKey {
        let last = frames.len() - 1;
        match key {
            Key::Char('q') | Key::Escape | Key::CtrlC => return AfterKey::Leave,
            Key::ArrowRight | Key::ArrowDown | Key::Char(' ' | 'l') => self.at += 1,
            Key::ArrowLeft | Key::ArrowUp | Key::Char('h') => self.at = self.at.saturating_sub(1),
            Key::PageDown => self.at += PAGE,
            Key::PageUp => self.at = self.at.saturating_sub(PAGE),
            Key::Home => self.at = 0,
            Key::End => self.at = last,
            Key::Char('f') => self.is_flipped = !self.is_flipped,
            Key::Enter => match self.typed.parse::<u32>() {
                Ok(ply) => {
                    self.at = frames.iter().position(|it| it.ply >= ply).unwrap_or(last);
                }
                Err(_) => self.at += 1,
            },
            Key::Char(digit) if digit.is_ascii_digit() => {
                self.typed.push(*digit);
                return AfterKey::Draw;
            }
            Key::Backspace => {
                self.typed.pop();
                return AfterKey::Draw;
            }
            _ => {}
        }
        self.typed.clear();
        self.at = self.at.min(last);
        AfterKey::Draw
    }

    /// The whole screen, no line wider than `columns`.
    fn draw(&self, frames: &[ShownPosition], title: &str, columns: usize) -> ColouredText {
        let frame = &frames[self.at];
        let plies = frames.last().map_or(0, |last| last.ply);
        let keys = match &*self.typed {
            "" => KEYS.to_owned(),
            typed => format!("go to ply {typed}_  (Enter goes there, Backspace deletes)"),
        };
        let board = &frame.boards[usize::from(self.is_flipped)];
        let mut text = ColouredText::plain(&format!("{title}\nply {} of {plies}\n\n", frame.ply));
        text.append(board);
        text.push(&format!("\n\n{}\n{}\n\n{keys}", frame.step, frame.clocks));
        text.wrapped(columns)
    }
}

/// The terminal's second screen. The first one comes back when this is dropped.
struct ViewerScreen {
    term: Term,
}

impl ViewerScreen {
    fn enter() -> io::Result<Self> {
        let term = Term::stdout();
        term.write_str("\x1b[?1049h\x1b[?25l")?;
        Ok(Self { term })
    }

    /// Shows the first `rows` lines of the text.
    fn show(&self, text: &ColouredText, rows: usize) -> io::Result<()> {
        let lines: Vec<&str> = text.lines().take(rows).collect();
        self.term.write_str(&format!("\x1b[H\x1b[J{}", lines.join("\r\n")))
    }
}

impl Drop for ViewerScreen {
    fn drop(&mut self) {
        // If the terminal is gone, there is nothing to restore.
        let _ = self.term.write_str("\x1b[?25h\x1b[?1049l");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames() -> Vec<ShownPosition> {
        let frame = |ply: u32| ShownPosition {
            ply,
            step: format!("step {ply}"),
            boards: ["upright".into(), "flipped".into()],
            clocks: "time".to_owned(),
        };
        (0..=30).map(frame).collect()
    }

    /// The ply that is shown after these keys.
    fn after(keys: &[Key]) -> u32 {
        let (frames, mut view) = (frames(), ViewerState::default());
        for key in keys {
            assert_eq!(view.press(key, &frames), AfterKey::Draw, "{key:?}");
        }
        frames[view.at].ply
    }

    #[test]
    fn keys_step_and_never_leave_the_game() {
        assert_eq!(after(&[Key::ArrowLeft]), 0);
        assert_eq!(after(&[Key::ArrowRight, Key::Char(' '), Key::Enter]), 3);
        assert_eq!(after(&[Key::PageDown, Key::PageDown, Key::ArrowLeft]), 19);
        assert_eq!(after(&[Key::End, Key::ArrowRight]), 30);
        assert_eq!(after(&[Key::End, Key::Home]), 0);
    }

    #[test]
    fn a_number_goes_to_a_ply() {
        assert_eq!(after(&[Key::Char('1'), Key::Char('2'), Key::Enter]), 12);
        assert_eq!(after(&[Key::Char('1'), Key::Char('2'), Key::Backspace, Key::Enter]), 1);
        assert_eq!(after(&[Key::Char('9'), Key::Char('9'), Key::Enter]), 30);
    }

    #[test]
    fn the_screen_fits_and_can_be_flipped() {
        let (frames, mut view) = (frames(), ViewerState::default());
        let text = view.draw(&frames, &"long ".repeat(40), 80);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("ply 0 of 30") && text.contains("upright"), "{text}");
        view.press(&Key::Char('f'), &frames);
        assert!(view.draw(&frames, "", 80).contains("flipped"));
        assert_eq!(view.press(&Key::Char('q'), &frames), AfterKey::Leave);
    }
}
