//! Work on a list on all cores.

use std::num::NonZeroUsize;
use std::thread;

/// Maps every item, on one thread per core. The results are in the order of the
/// items. If the system gives no more threads, this one does their part.
pub fn map_in_parallel<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    map_in_parallel_parts(cores, items, &work)
}

fn map_in_parallel_parts<T: Send, R: Send>(
    parts: usize,
    mut items: Vec<T>,
    work: &(impl Fn(T) -> R + Sync),
) -> Vec<R> {
    if parts < 2 || items.len() < 2 {
        return items.into_iter().map(work).collect();
    }
    let rest = items.split_off(items.len() / parts);
    // The thread takes the rest, unless there is no thread.
    let rest = std::sync::Mutex::new(rest);
    let take =
        || std::mem::take(&mut *rest.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    thread::scope(|scope| {
        let others = thread::Builder::new()
            .spawn_scoped(scope, || map_in_parallel_parts(parts - 1, take(), work));
        let mut results: Vec<R> = items.into_iter().map(work).collect();
        match others.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(others)) => results.extend(others),
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => results.extend(take().into_iter().map(work)),
        }
        results
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
            assert_eq!(
                map_in_parallel_parts(parts, items, &|item| 2 * item),
                twice,
                "{parts}, {count}"
            );
        }
    }

    #[test]
    #[should_panic(expected = "this one")]
    fn a_panic_goes_on() {
        map_in_parallel_parts(2, (0..1000).collect(), &|item| assert_ne!(item, 900, "this one"));
    }
}
