//! How a person who plays reads and types.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use referee_games::{Legal, Seat};

/// A question to a person.
#[derive(Debug)]
pub struct Question {
    /// The seat that is on turn.
    pub seat: Seat,
    /// Who is asked, in words.
    pub text: String,
    /// The legal actions.
    pub legal: Legal,
}

impl Question {
    /// The question as a terminal shows it.
    pub fn prompt(&self) -> String {
        format!("{} (? for the legal actions): ", self.text)
    }
}

/// A line that a person is about to type; `None` if the person has left.
pub type PendingLine<'a> = Pin<Box<dyn Future<Output = Option<String>> + Send + 'a>>;

/// How a person who plays reads and types.
pub trait UserInterface: fmt::Debug + Send {
    /// Shows lines of text.
    fn tell(&mut self, text: &str);

    /// Shows what the person sees of a game with hidden information.
    fn show_view(&mut self, text: &str) {
        self.tell(text);
    }

    /// Asks for a line.
    fn ask(&mut self, question: Question) -> PendingLine<'_>;
}
