//! Clocks and medians.

use std::error::Error;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The number of rounds of each measurement.
pub(crate) const ROUNDS: usize = 7;

/// The CPU time of this thread, in microseconds.
pub(crate) fn cpu() -> Outcome<f64> {
    let now = Duration::from(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)?);
    Ok(now.as_secs_f64() * 1e6)
}

/// The wall time of some work, in seconds.
pub(crate) fn timed(work: impl FnOnce() -> Outcome<()>) -> Outcome<f64> {
    let began = Instant::now();
    work()?;
    Ok(began.elapsed().as_secs_f64())
}

/// The median of some measurements.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The median of several measurements in turn.
pub(crate) fn median_of(rounds: usize, measure: impl FnMut() -> Outcome<f64>) -> Outcome<f64> {
    let mut measure = measure;
    let mut all = (0..rounds).map(|_| measure()).collect::<Outcome<Vec<f64>>>()?;
    Ok(median(&mut all))
}
