//! Simulated tournaments between players of known strength: what the ratings of each format are
//! worth. Slow, with fixed seeds; the tests print the tables of `docs/ratings.md`.

#![expect(clippy::print_stdout, reason = "the tables are for people")]

mod coverage;
mod formats;
mod league;
mod seats;

/// How many of so many cases are simulated: some are enough to notice a mistake, and with
/// `REFEREE_SIMULATIONS=all`, which the documentation's figures are from, it is all of them.
const fn cases(all: u64, some: u64) -> u64 {
    if option_env!("REFEREE_SIMULATIONS").is_some() { all } else { some }
}
