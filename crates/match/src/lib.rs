//! Plays one game between two programs, and plays recorded games again.

pub mod game_program;
pub mod openings;
pub mod pauses;
pub mod player;
pub mod reask;
pub mod referee;
pub mod replay;
