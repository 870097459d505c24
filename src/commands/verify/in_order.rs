//! Work on many items on all cores, with the results in the order of the items.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

/// The items that a thread takes at once.
const BATCH: usize = 64;
/// The batches on the way per core: one in work, and one that waits.
const AHEAD: usize = 2;

/// Items, and where their results go.
type Batch<T, R> = (Vec<T>, Sender<Vec<R>>);

/// Passes every item of `next` to `work`, on all cores, and the results to `each`, in order. Only a
/// few hundred items are in memory at once.
///
/// # Errors
///
/// That of `next`, after the results of all items before it.
pub(super) fn in_order<T: Send, R: Send, E>(
    mut next: impl FnMut() -> Result<Option<T>, E>,
    work: impl Fn(T) -> R + Sync,
    mut each: impl FnMut(R),
) -> Result<(), E> {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let (batches, waiting) = channel();
    let waiting = Mutex::new(waiting);
    std::thread::scope(|scope| {
        // Ends the threads when this closure does.
        let batches = batches;
        for _ in 0..cores {
            scope.spawn(|| work_on(&waiting, &work));
        }
        let (mut pending, mut end) = (VecDeque::new(), None);
        loop {
            while end.is_none() && pending.len() < AHEAD * cores {
                let (batch, found_end) = fill(&mut next);
                let (reply, results) = channel();
                // The receiver lives as long as this function.
                let _ = batches.send((batch, reply));
                pending.push_back(results);
                end = found_end;
            }
            let Some(results) = pending.pop_front() else { return end.unwrap_or(Ok(())) };
            // A thread that panicked sends nothing, and its panic goes on when the scope ends.
            results.recv().into_iter().flatten().for_each(&mut each);
        }
    })
}

/// The next batch; with the end of the items, or the error there, if it was reached.
fn fill<T, E>(next: &mut impl FnMut() -> Result<Option<T>, E>) -> (Vec<T>, Option<Result<(), E>>) {
    let mut batch = Vec::with_capacity(BATCH);
    while batch.len() < BATCH {
        match next() {
            Ok(Some(item)) => batch.push(item),
            Ok(None) => return (batch, Some(Ok(()))),
            Err(error) => return (batch, Some(Err(error))),
        }
    }
    (batch, None)
}

/// Works on batches until none will come.
fn work_on<T, R>(waiting: &Mutex<Receiver<Batch<T, R>>>, work: impl Fn(T) -> R) {
    let next = || waiting.lock().ok()?.recv().ok();
    while let Some((batch, reply)) = next() {
        // If nobody waits for the results any more, the others end as well.
        let _ = reply.send(batch.into_iter().map(&work).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for count in [0, 1, BATCH, 40 * BATCH + 1] {
            let (mut items, mut found) = (0..count, Vec::new());
            let next = || Ok::<_, ()>(items.next());
            assert_eq!(in_order(next, |item| 2 * item, |twice| found.push(twice)), Ok(()));
            assert_eq!(found, (0..count).map(|item| 2 * item).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_comes_after_the_results_before_it() {
        let (mut items, mut found) = (0..100, 0);
        let next = || items.next().map(Some).ok_or("the end");
        assert_eq!(in_order(next, |item| item, |_| found += 1), Err("the end"));
        assert_eq!(found, 100);
    }

    #[test]
    #[should_panic(expected = "panicked")]
    fn a_panic_goes_on() {
        let mut items = 0..1000;
        let work = |item| assert_ne!(item, 500, "this one");
        let _ = in_order(|| Ok::<_, ()>(items.next()), work, |()| ());
    }
}
