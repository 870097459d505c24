//! Positions asked for one by one, each by all that was played up to it.
//!
//! An answer depends on its line alone. The positions on the way to the last one are kept, so that
//! looking ahead from there costs one step and not a whole game.

use std::io::{BufWriter, Read, Write};

use serde::Serialize;

use super::course::{Answers, Course, Played};
use super::record::Record;
use super::{Failure, for_each_line, write_line};
use referee_games::GameError;

/// Answers lists of actions with the positions after them.
pub(super) struct FromStart {
    /// The start of the game.
    pub(super) start: Course,
    /// The legal actions are told too.
    pub(super) legal: bool,
    /// The way to the last position: no longer than a game.
    pub(super) path: Vec<Stop>,
}

/// A text, and where it led.
pub(super) struct Stop {
    text: String,
    course: Course,
    played: Played,
}

/// Why a line has no position.
#[derive(Debug, Serialize)]
struct Refused {
    error: String,
    /// The index of the text that is refused.
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

    /// Makes the path lead through `texts`; its part that does so already stays.
    fn walk(&mut self, texts: &[String]) -> Result<(), Refused> {
        let common = self.path.iter().zip(texts).take_while(|(stop, text)| stop.text == **text);
        self.path.truncate(common.count());
        for (at, text) in texts.iter().enumerate().skip(self.path.len()) {
            let course = self.path.last().map_or(&self.start, |stop| &stop.course);
            let stop = Stop::after(course, text)
                .map_err(|refusal| Refused { error: refusal.to_string(), at: Some(at) })?;
            self.path.push(stop);
        }
        Ok(())
    }

    fn print(&self, out: &mut impl Write) -> Result<(), Failure> {
        let start = Played::nothing();
        let (course, played) = match self.path.last() {
            Some(stop) => (&stop.course, &stop.played),
            None => (&self.start, &start),
        };
        write_line(&Record::new(&*course.game, played, self.legal), out)
    }
}

impl Stop {
    /// Where `text` leads from `course`; what is due before it happens too.
    fn after(course: &Course, text: &str) -> Result<Self, GameError> {
        let mut course = course.clone();
        let mut events = Vec::new();
        loop {
            let (mut played, answers) = course.step(text.trim_ascii())?;
            events.append(&mut played.events);
            if answers == Answers::Line {
                let played = Played { events, ..played };
                return Ok(Self { text: text.to_owned(), course, played });
            }
        }
    }
}

fn no_list(error: &serde_json::Error) -> Refused {
    let error = format!("expected a JSON list of texts such as [\"3,4\",\"3,5\"]: {error}");
    Refused { error, at: None }
}
