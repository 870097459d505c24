#![doc = include_str!("../README.md")]

pub mod escape;
mod greeting;
mod lenient_field;
mod message;
mod message_clock;
pub mod path_shortener;
mod reply;
mod reply_error;
mod reported_usage;
mod score;
mod search_report;

pub use greeting::{Greeting, GreetingWants};
pub use message::{EndMessage, ErrorMessage, InitMessage, Message, TurnMessage};
pub use message_clock::{InitClock, Measure, TurnClock};
pub use reply::{LONG_NOTE_LIMIT, NOTE_LIMIT, Reply, ReplyWarning};
pub use reply_error::{ReplyError, reply_error_excerpt};
pub use reported_usage::{MOST_COST, ReportedCost, ReportedUsage, Usage};
pub use score::Score;
pub use search_report::SearchReport;

/// The protocol versions that this crate speaks.
pub const VERSIONS: &[u32] = &[1];

/// The longest line from a player, in bytes, including its newline.
pub const LINE_LIMIT: usize = 64 * 1024;
