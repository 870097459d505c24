//! Stored data: the data of a tournament, and the log of its games.
//!
//! - [`model`] has players, stages, clocks, faults and the records of games.
//! - [`seeds`] derives all luck from the tournament's secret.
//! - [`log`] writes and reads `games.jsonl`, the one file from which every table follows.
//! - [`fingerprint`] notices that a player has changed, [`disk`] writes files that survive a crash,
//!   [`plain_files`] opens files that strangers made, and [`tree_walk`] walks through their folders.
//!
//! Both players of a pair of games get the same luck, in either order of names:
//!
//! ```
//! use referee_games::Stream;
//! use referee_record::seeds::TournamentSecret;
//!
//! let secret = TournamentSecret::from_seed(7);
//! let faces: Vec<(u8, u32)> = (1..=6).map(|face| (face, 1)).collect();
//! let [mut luck, mut same] =
//!     [("ant", "bee"), ("bee", "ant")].map(|(one, other)| secret.game_luck(&[one, other], 1));
//! for _ in 0..10 {
//!     let die = luck.draw(Stream::Shared, &faces);
//!     assert_eq!(die, same.draw(Stream::Shared, &faces));
//! }
//! ```

pub mod disk;
pub mod fingerprint;
pub mod log;
pub mod model;
pub mod parallel;
pub mod plain_files;
pub mod seeds;
pub mod shell;
pub mod tree_walk;
pub mod wording;
