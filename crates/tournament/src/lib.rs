//! Many games: which are played, on which threads, and what they show.
//!
//! - [`schedule`] knows the formats and the next games.
//! - [`folder`] is a results folder with its lock.
//! - [`run`] plays the games, resumes a run, and reports everything that happens as events.
//! - [`verify_record`] compares records with their replay.
//! - [`analysis`] turns a log into results, highlights and remarks.
//! - [`forecast`] says what the ratings of a tournament will be worth.
//! - [`name_likeness`] says which names people may confuse.
//!
//! The two games of a pair follow each other, with the seats swapped:
//!
//! ```
//! use referee_record::model::record::examples::header;
//! use referee_tournament::schedule::tournament_state::TournamentState;
//!
//! let state = TournamentState::new(&header(&["ant", "bee"]));
//! let due = state.next_due(0).expect("nothing has been played");
//! let [one, other] = [due, due + 1].map(|index| state.fixture(index));
//! assert_eq!((one.players.two()[0], one.pair), (other.players.two()[1], other.pair));
//! ```

pub mod analysis;
pub mod folder;
pub mod forecast;
pub mod name_likeness;
pub mod run;
pub mod schedule;
pub mod verify_record;
