#![doc = include_str!("../README.md")]

mod clock;
mod error;
pub mod escape;
mod field;
mod greeting;
mod message;
pub mod places;
mod reply;
mod score;
mod search;
mod usage;

pub use clock::{InitClock, Measure, TurnClock};
pub use error::{ReplyError, shown};
pub use greeting::{Greeting, Wants};
pub use message::{EndMessage, ErrorMessage, InitMessage, Message, TurnMessage};
pub use reply::{LONG_NOTE_LIMIT, NOTE_LIMIT, Reply, ReplyWarning};
pub use score::Score;
pub use search::SearchReport;
pub use usage::{Cost, MOST_COST, ReportedUsage, Usage};

/// The protocol versions that this crate speaks.
pub const VERSIONS: &[u32] = &[1];

/// The longest line from a player, in bytes, including its newline.
pub const LINE_LIMIT: usize = 64 * 1024;
