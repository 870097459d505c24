//! What a tournament is made of, as data: players, stages, openings, clocks, faults, and the record
//! of a game. Nothing here reads a file, starts a process or looks at a clock.

pub mod clock;
pub mod containment;
pub mod fault;
pub mod game_summary;
pub mod grades;
pub mod openings;
pub mod player;
pub mod record;
pub mod rules;
pub mod stage;
pub mod tournament;
