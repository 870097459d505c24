//! The data of a tournament: players, stages, openings, clocks, faults, and game records. Nothing
//! here reads a file, starts a process or reads a clock.

pub mod adjudication;
pub mod bounds;
pub mod clock;
pub mod containment;
pub mod fault;
pub mod fixture;
pub mod game_rules;
pub mod game_summary;
pub mod grades;
pub mod league_entry;
pub mod league_settings;
pub mod opening_source;
pub mod player_spec;
pub mod plies;
pub mod record;
pub mod roster_change;
pub mod seat_usage;
pub mod short_clock;
pub mod stage;
pub mod tournament;
pub mod warning;
