//! Reports each outage of the server once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A time in which the server gives no answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct OutageLog(Arc<Mutex<OutageState>>);

#[derive(Debug, Default)]
struct OutageState {
    since: Option<Instant>,
    /// When the last one ended.
    ended: Option<Instant>,
}

impl OutageLog {
    /// Notes that a request of this time got no answer. Returns whether that begins an outage.
    pub(crate) fn begin(&self, asked: Instant) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = state.since.is_none() && state.ended.is_none_or(|ended| ended < asked);
        if is_news {
            state.since = Some(asked);
        }
        is_news
    }

    /// Notes an answer. Returns the length of the outage that it ends, if it ends one.
    pub(crate) fn end(&self) -> Option<Duration> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let since = state.since.take()?;
        state.ended = Some(Instant::now());
        Some(since.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_begins_and_ends_once() {
        let (outage, asked) = (OutageLog::default(), Instant::now());
        let shared = outage.clone();
        assert!(outage.end().is_none() && outage.begin(asked) && !shared.begin(asked));
        assert!(shared.end().is_some() && outage.end().is_none());
        assert!(!outage.begin(asked), "it was asked before the end");
        assert!(outage.begin(Instant::now()));
    }
}
