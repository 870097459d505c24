//! Many games: which are played, on which threads, and what they show.
//!
//! - [`schedule`] knows the formats and the next games.
//! - [`folder`] is a results folder with its lock.
//! - [`run`] plays the games, resumes a run, and reports everything that happens as events.
//! - [`verify`] compares records with their replay.
//! - [`analysis`] turns a log into results, highlights and remarks.
//!
//! In a round-robin every two players meet once per round of pairs:
//!
//! ```
//! use referee_tournament::schedule::Pairings;
//!
//! let everyone = Pairings::Everyone(vec![0, 1, 2, 3]);
//! let mut meetings: Vec<_> = (0..everyone.len()).map(|place| everyone.get(place)).collect();
//! for (one, other) in &mut meetings {
//!     (*one, *other) = (*one.min(other), *one.max(other));
//! }
//! meetings.sort();
//! assert_eq!(meetings, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
//! ```

pub mod analysis;
pub mod folder;
pub mod run;
pub mod schedule;
pub mod verify;
