//! Simulated tournaments between players of known strength: what the ratings of each format are
//! worth. Slow, with fixed seeds; the tests print the tables of `docs/ratings.md`.

#![expect(clippy::print_stdout, reason = "the tables are for people")]

mod coverage;
mod formats;
mod league;
mod seats;
