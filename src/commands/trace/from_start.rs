//! Answers requests for positions, each given by all actions up to it.
//!
//! An answer depends only on its own line. The positions on the way to the latest one are kept, so
//! looking ahead from there costs one step instead of a whole game.

use std::io::{BufWriter, Read, Write};

use serde::Serialize;

use super::record::Record;
use super::traced_game::{Answers, TracedGame, TracedStep};
use super::{Failure, for_each_line, write_line};
use referee_games::GameError;

/// Answers lists of actions with the positions they lead to.
pub(super) struct FromStart {
    /// The start of the game.
    pub(super) start: TracedGame,
    /// Whether to print the legal actions, too.
    pub(super) legal: bool,
    /// The positions on the way to the latest one; never longer than a game.
    pub(super) path: Vec<PathStep>,
}

/// An action's text, and the position it led to.
pub(super) struct PathStep {
    text: String,
    course: TracedGame,
    played: TracedStep,
}

/// The reason why a line has no position.
#[derive(Debug, Serialize)]
struct LineError {
    error: String,
    /// The index of the refused action.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
}

impl FromStart {
    /// Answers every line of `input` with one line.
    pub(super) fn answer_all(
        &mut self,
        input: impl Read,
        out: &mut BufWriter<impl Write>,
    ) -> Result<(), Failure> {
        for_each_line(input, out, |_, line, out| {
            let walked = match serde_json::from_slice::<Vec<String>>(line) {
                Ok(texts) => self.walk(&texts),
                Err(error) => Err(no_list(&error)),
            };
            match walked {
                Ok(()) => self.print(out),
                Err(refused) => write_line(&refused, out),
            }
        })
    }

    /// Makes the path lead through `texts`, and reuses the part that already does.
    fn walk(&mut self, texts: &[String]) -> Result<(), LineError> {
        let common = self.path.iter().zip(texts).take_while(|(stop, text)| stop.text == **text);
        self.path.truncate(common.count());
        for (at, text) in texts.iter().enumerate().skip(self.path.len()) {
            let course = self.path.last().map_or(&self.start, |stop| &stop.course);
            let stop = PathStep::after(course, text)
                .map_err(|refusal| LineError { error: refusal.to_string(), at: Some(at) })?;
            self.path.push(stop);
        }
        Ok(())
    }

    fn print(&self, out: &mut impl Write) -> Result<(), Failure> {
        let start = TracedStep::nothing();
        let (course, played) = match self.path.last() {
            Some(stop) => (&stop.course, &stop.played),
            None => (&self.start, &start),
        };
        write_line(&Record::new(&*course.game, played, self.legal), out)
    }
}

impl PathStep {
    /// The position to which `text` leads from `course`, after everything that is due before it.
    fn after(course: &TracedGame, text: &str) -> Result<Self, GameError> {
        let mut course = course.clone();
        let mut events = Vec::new();
        loop {
            let (mut played, answers) = course.step(text.trim_ascii())?;
            events.append(&mut played.events);
            if answers == Answers::Line {
                let played = TracedStep { events, ..played };
                return Ok(Self { text: text.to_owned(), course, played });
            }
        }
    }
}

fn no_list(error: &serde_json::Error) -> LineError {
    let error = format!("expected a JSON list of texts such as [\"3,4\",\"3,5\"]: {error}");
    LineError { error, at: None }
}
