//! Where a game is shown while it is played.

use super::browser::BrowserPage;
use super::screen::Screen;
use crate::command_failure::Failure;
use crate::printer::ColouredText;
use referee_games::{AnyPosition, Event, GameError, Position, TextStep, Turn};
use referee_match::replay::event_descriptions::{describe_step, events_are_ply};
use referee_report::board_picture::render_board_picture;

/// Where a game is shown while it is played.
#[derive(Debug)]
pub(super) enum GameDisplay {
    Terminal(TerminalDisplay),
    Browser(BrowserPage),
}

impl GameDisplay {
    /// Shows the position after the opening.
    pub(super) fn start(&mut self, start: &Position, opening: &[TextStep]) -> Result<(), Failure> {
        let (position, steps) = play_displayed_opening(start, opening)?;
        match self {
            Self::Terminal(board) => {
                board.recent = steps.into_iter().next_back().unwrap_or_default();
                match board.board_to_draw(&*position) {
                    Some(drawn) => board.screen.show(&drawn),
                    None => Ok(()),
                }
            }
            Self::Browser(page) => {
                page.start(&*position, &steps);
                Ok(())
            }
        }
    }

    /// Shows the position after a step.
    pub(super) fn step(
        &mut self,
        position: &dyn AnyPosition,
        events: &[Event],
    ) -> Result<(), Failure> {
        match self {
            Self::Terminal(board) => {
                if events_are_ply(events) {
                    board.recent.clear();
                }
                board.recent.extend_from_slice(events);
                let step = ColouredText::from(describe_step(events, position.ply()));
                let text = ColouredText::join(
                    [step].into_iter().chain(board.board_to_draw(position)),
                    "\n",
                );
                board.screen.show(&text)
            }
            Self::Browser(page) => {
                page.step(position, events);
                Ok(())
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct TerminalDisplay {
    screen: Screen,
    /// The events of the last ply and after it.
    recent: Vec<Event>,
}

impl TerminalDisplay {
    pub(super) fn new(screen: Screen) -> Self {
        Self { screen, recent: Vec::new() }
    }

    /// The position to draw; `None` before a roll: it is drawn with the dice. Where positions
    /// replace each other, all are drawn.
    fn board_to_draw(&self, position: &dyn AnyPosition) -> Option<ColouredText> {
        let is_rolling = matches!(position.turn(), Turn::Chance(_));
        let is_drawn = !is_rolling || self.screen.in_place;
        is_drawn.then(|| render_board_picture(position, &self.recent, self.screen.printer.colour))
    }
}

fn play_displayed_opening(
    start: &Position,
    steps: &[TextStep],
) -> Result<(Position, Vec<Vec<Event>>), GameError> {
    let mut position = start.clone();
    let events = steps.iter().map(|step| {
        let mut events = Vec::new();
        position.play(step.as_text(), &mut events).map(|()| events)
    });
    let events = events.collect::<Result<_, _>>()?;
    Ok((position, events))
}
