//! Work on a list on all cores.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

/// Maps every item, on as many threads as there are cores. The results are in the order of the
/// items.
pub fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    map_in(cores, items, &work)
}

fn map_in<T: Send, R: Send>(
    parts: usize,
    mut items: Vec<T>,
    work: &(impl Fn(T) -> R + Sync),
) -> Vec<R> {
    if parts < 2 || items.len() < 2 {
        return items.into_iter().map(work).collect();
    }
    let rest = items.split_off(items.len() / parts);
    let (rest, mut results) = both(|| map_in(parts - 1, rest, work), || map_in(1, items, work));
    results.extend(rest);
    results
}

/// Does two things at once, the first on a thread of its own; if the system gives no more threads,
/// one after the other.
///
/// # Panics
///
/// When one of them panics.
pub fn both<A: Send, B>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B) -> (A, B) {
    // The thread takes the work, unless there is no thread.
    let first = Mutex::new(Some(first));
    let take = || first.lock().unwrap_or_else(PoisonError::into_inner).take();
    thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, || take().map(|work| work()));
        let second = second();
        let done = match other.map(ScopedJoinHandle::join) {
            Ok(Ok(done)) => done,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => take().map(|work| work()),
        };
        (done.expect("it is done once"), second)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for (parts, count) in [(1, 5), (2, 0), (2, 1), (3, 100), (8, 7)] {
            let items: Vec<usize> = (0..count).collect();
            let twice: Vec<usize> = items.iter().map(|item| 2 * item).collect();
            assert_eq!(map_in(parts, items, &|item| 2 * item), twice, "{parts}, {count}");
        }
    }

    #[test]
    #[should_panic(expected = "this one")]
    fn a_panic_goes_on() {
        map_in(2, (0..1000).collect(), &|item| assert_ne!(item, 900, "this one"));
    }
}
