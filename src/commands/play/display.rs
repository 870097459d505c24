//! Where a game is shown while it is played.

use super::browser::GamePage;
use super::screen::Screen;
use crate::error::Failure;
use crate::report::board::picture;
use crate::report::story::{describe_step, is_ply};
use referee_games::{AnyPosition, Event, GameError, Position, TextStep};

/// Where a game is shown while it is played.
#[derive(Debug)]
pub(super) enum Display {
    /// On the terminal.
    Terminal(Screen),
    /// On a page in a browser.
    Browser(GamePage),
}

impl Display {
    /// Shows the position after the opening.
    pub(super) fn start(&mut self, start: &Position, opening: &[TextStep]) -> Result<(), Failure> {
        let (position, steps) = after(start, opening)?;
        match self {
            Self::Terminal(screen) => {
                let events = steps.last().map_or(&[][..], Vec::as_slice);
                screen.show(&picture(&*position, events, screen.printer.colour))
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
            Self::Terminal(screen) => {
                let mut text = describe_step(events, position.ply());
                if is_ply(events) {
                    let board = picture(position, events, screen.printer.colour);
                    text = format!("{text}\n{board}");
                }
                screen.show(&text)
            }
            Self::Browser(page) => {
                page.step(position, events);
                Ok(())
            }
        }
    }
}

/// The position after these steps, and the events of each.
fn after(start: &Position, steps: &[TextStep]) -> Result<(Position, Vec<Vec<Event>>), GameError> {
    let mut position = start.clone();
    let events = steps.iter().map(|step| {
        let mut events = Vec::new();
        position.play(step.as_text(), &mut events).map(|()| events)
    });
    let events = events.collect::<Result<_, _>>()?;
    Ok((position, events))
}
