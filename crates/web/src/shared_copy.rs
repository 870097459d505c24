//! A copy of something that changes, for all who look at it: one maker at a time, however many wait.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::WebError;

/// A copy that takes less time to make is made again for everyone who asks.
const QUICK: Duration = Duration::from_millis(200);
/// For how many times as long as a copy took to make it is good enough for some. So copies cost at
/// most a fifth of the time of a core, however often visitors ask.
const RESTS: u32 = 4;

/// How new a copy has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// It may lack the last changes, if copies take long to make.
    Recent,
    /// It has all changes so far.
    Current,
}

/// The latest copy of something that changes.
pub(crate) struct SharedCopy<T> {
    /// The number of changes so far.
    changed: watch::Receiver<u64>,
    state: Mutex<CopyState<T>>,
    /// The number of changes that the latest copy has.
    made: watch::Sender<u64>,
}

struct CopyState<T> {
    kept: Option<KeptCopy<T>>,
    making: Option<Making<T>>,
}

struct KeptCopy<T> {
    value: Arc<T>,
    /// The number of changes that it has.
    changes: u64,
    made: Instant,
    /// For how long it is good enough for some.
    rest: Duration,
}

/// A copy with the number of changes that it has, or why there is none, as soon as that is known.
type Making<T> = watch::Receiver<Option<Result<(u64, Arc<T>), Arc<WebError>>>>;

impl<T: Send + Sync + 'static> SharedCopy<T> {
    pub(crate) fn new(changed: watch::Receiver<u64>) -> Self {
        let state = Mutex::new(CopyState { kept: None, making: None });
        Self { changed, state, made: watch::Sender::new(0) }
    }

    /// A copy that is new enough, which `build` makes if there is none. Where the last one is a
    /// little too old, it is served while another one is made.
    pub(crate) async fn get<F>(
        self: &Arc<Self>,
        need: Freshness,
        build: impl Fn() -> F,
    ) -> Result<Arc<T>, WebError>
    where
        F: Future<Output = Result<T, WebError>> + Send + 'static,
    {
        let wanted = self.changes();
        loop {
            let mut under_way = match self.find(need, &build) {
                Ok(kept) => return Ok(kept),
                Err(making) => making,
            };
            // Broken off: the next round begins anew.
            let Ok(made) = under_way.wait_for(Option::is_some).await else { continue };
            match made.clone() {
                Some(Ok((changes, value))) if need == Freshness::Recent || changes >= wanted => {
                    return Ok(value);
                }
                Some(Err(failure)) => return Err(WebError::Shared(failure)),
                _ => {}
            }
        }
    }

    /// A copy that is there and new enough; otherwise the one that is being made.
    fn find<F>(
        self: &Arc<Self>,
        need: Freshness,
        build: impl Fn() -> F,
    ) -> Result<Arc<T>, Making<T>>
    where
        F: Future<Output = Result<T, WebError>> + Send + 'static,
    {
        let changes = self.changes();
        let mut state = self.lock();
        let mut older = None;
        if let Some(kept) = &state.kept {
            let suffices_for =
                |time: Duration| need == Freshness::Recent && kept.made.elapsed() < time;
            if kept.changes == changes || suffices_for(kept.rest) {
                return Ok(Arc::clone(&kept.value));
            }
            older = suffices_for(2 * kept.rest).then(|| Arc::clone(&kept.value));
        }
        let under_way = state.making.clone().filter(|it| it.has_changed().is_ok());
        let under_way = under_way.unwrap_or_else(|| self.begin(build()));
        state.making = Some(under_way.clone());
        older.ok_or(under_way)
    }

    /// Makes a copy, also if everyone who waits for it leaves.
    fn begin(
        self: &Arc<Self>,
        build: impl Future<Output = Result<T, WebError>> + Send + 'static,
    ) -> Making<T> {
        let (done, under_way) = watch::channel(None);
        let (shared, began, changes) = (Arc::clone(self), Instant::now(), self.changes());
        tokio::spawn(async move {
            let made = build.await.map(Arc::new);
            let took = began.elapsed();
            let mut state = shared.lock();
            state.making = None;
            if let Ok(value) = &made {
                let rest = if took < QUICK { Duration::ZERO } else { RESTS * took };
                let value = Arc::clone(value);
                state.kept = Some(KeptCopy { value, changes, made: Instant::now(), rest });
            }
            drop(state);
            done.send_replace(Some(made.map(|value| (changes, value)).map_err(Arc::new)));
            shared.made.send_replace(changes);
        });
        under_way
    }

    /// The number of changes that copies have, one after the other.
    pub(crate) fn made(&self) -> watch::Receiver<u64> {
        self.made.subscribe()
    }

    /// Whether a request waits for a copy, and the last one lacks something; then until when it is
    /// good enough.
    pub(crate) fn is_missed(&self) -> Option<Instant> {
        if self.made.receiver_count() == 0 {
            return None;
        }
        let state = self.lock();
        match &state.kept {
            Some(kept) if kept.changes == self.changes() => None,
            Some(kept) => Some(kept.made + kept.rest),
            None => Some(Instant::now()),
        }
    }

    fn changes(&self) -> u64 {
        *self.changed.borrow()
    }

    fn lock(&self) -> MutexGuard<'_, CopyState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use tokio::time::sleep;

    use super::*;

    /// How long a copy takes.
    const LONG: Duration = Duration::from_secs(2);

    struct Copies {
        change: watch::Sender<u64>,
        shared: Arc<SharedCopy<u64>>,
        made: Arc<AtomicU64>,
    }

    impl Copies {
        fn new() -> Self {
            let (change, changed) = watch::channel(0);
            Self { change, shared: Arc::new(SharedCopy::new(changed)), made: Arc::default() }
        }

        /// The number of the copy that is served.
        async fn get(&self, need: Freshness) -> u64 {
            let make = || {
                let made = Arc::clone(&self.made);
                async move {
                    sleep(LONG).await;
                    Ok(made.fetch_add(1, Ordering::Relaxed) + 1)
                }
            };
            *self.shared.get(need, make).await.expect("a copy")
        }

        fn change(&self) {
            self.change.send_modify(|count| *count += 1);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn all_who_wait_share_one_copy_while_things_change() {
        let copies = Copies::new();
        let ask = async || {
            copies.change();
            copies.get(Freshness::Recent).await
        };
        let later = async |after: Duration| {
            sleep(after).await;
            ask().await
        };
        let given = tokio::join!(ask(), ask(), later(LONG / 2), later(LONG / 2), ask());
        assert_eq!(given, (1, 1, 1, 1, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn an_old_copy_is_given_while_a_new_one_is_made_but_not_for_ever() {
        let copies = Copies::new();
        assert_eq!(copies.get(Freshness::Recent).await, 1);
        copies.change();
        assert_eq!(copies.get(Freshness::Recent).await, 1);
        sleep(RESTS * LONG).await;
        assert_eq!(copies.made.load(Ordering::Relaxed), 1, "the first one is good enough");
        assert_eq!(copies.get(Freshness::Recent).await, 1);
        sleep(LONG * 2).await;
        assert_eq!(copies.get(Freshness::Recent).await, 2, "it was made meanwhile");
        copies.change();
        sleep(2 * RESTS * LONG).await;
        assert_eq!(copies.get(Freshness::Recent).await, 3, "the second one is too old");
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_needs_all_changes_waits_for_them() {
        let copies = Copies::new();
        let late = async || {
            sleep(LONG / 2).await;
            copies.change();
            copies.get(Freshness::Current).await
        };
        assert_eq!(tokio::join!(copies.get(Freshness::Current), late()), (1, 2));
        assert_eq!(copies.get(Freshness::Current).await, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn followers_are_missed_only_while_something_is_new() {
        let copies = Copies::new();
        assert_eq!(copies.shared.is_missed(), None, "nobody follows");
        let follower = copies.shared.made();
        assert!(copies.shared.is_missed().is_some());
        copies.get(Freshness::Current).await;
        assert_eq!(copies.shared.is_missed(), None);
        copies.change();
        let at = copies.shared.is_missed().expect("something is new");
        assert_eq!(at.duration_since(Instant::now()), RESTS * LONG);
        drop(follower);
        assert_eq!(copies.shared.is_missed(), None);
    }
}
