//! The messages between the referee and a player: version 1 of the protocol, for both sides.
//!
//! The referee writes a [`Message`] and reads the player's [`Greeting`] or [`Reply`]; a player does
//! the opposite. Everything here is pure text. `docs/protocol.md` describes the protocol.
//!
//! ```
//! use referee_protocol::{Message, Reply, TurnClock, TurnMessage};
//!
//! // The referee asks for an action …
//! let turn = TurnMessage {
//!     id: 7,
//!     ply: 12,
//!     state: None,
//!     events: None,
//!     legal: None,
//!     guesses: (&[]).into(),
//!     clock: TurnClock { left_ms: Some(9_500), opponent_left_ms: Some(8_000), ..TurnClock::default() },
//!     retry: None,
//! };
//! let mut line = Vec::new();
//! Message::Turn(turn).write(&mut line);
//!
//! // … the player reads the request and replies …
//! let Some(Message::Turn(turn)) = Message::read(std::str::from_utf8(&line)?)? else {
//!     panic!("the referee sent a turn");
//! };
//! assert_eq!(turn.clock.left_ms, Some(9_500));
//! let line = Reply { action: "3,4".to_owned(), ..Reply::default() }.to_line(turn.id);
//! assert_eq!(line, r#"{"id":7,"action":"3,4"}"#);
//!
//! // … and the referee reads the reply.
//! let reply = Reply::read(line.as_bytes(), 7)?;
//! assert_eq!(reply.action, "3,4");
//! let error = Reply::read(b"{\"id\":6,\"action\":\"3,4\"}", 7).expect_err("another request's id");
//! assert_eq!(error.to_string(), "the reply carries id 6, but the request was 7");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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

pub use clock::{InitClock, Measure, TurnClock};
pub use error::{ReplyError, shown};
pub use greeting::{Greeting, Wants};
pub use message::{EndMessage, ErrorMessage, InitMessage, Message, TurnMessage};
pub use reply::{Reply, ReplyWarning};
pub use score::Score;
pub use search::SearchReport;

/// The protocol versions that this crate speaks.
pub const VERSIONS: &[u32] = &[1];

/// The longest line from a player, in bytes, including its newline.
pub const LINE_LIMIT: usize = 64 * 1024;
