//! The data of a tournament: players, stages, openings, clocks, faults, and game records. Nothing
//! here reads a file, starts a process or reads a clock.

pub mod adjudication;
pub mod bounds;
pub mod clock;
pub mod containment;
pub mod entry;
pub mod fault;
pub mod fixture;
pub mod game_summary;
pub mod grades;
pub mod league;
pub mod openings;
pub mod player;
pub mod plies;
pub mod record;
pub mod roster;
pub mod rules;
pub mod stage;
pub mod tc;
pub mod tournament;
pub mod usage;
pub mod warning;
