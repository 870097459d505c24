//! The users that sandboxed processes run as if the caller is root: one per process.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The first user number: above those that systems give to people, services and containers.
const FIRST: u32 = 1_900_000_000;
/// The number of users per caller, and the number of callers that get different users.
const EACH: u32 = 2048;
const CALLERS: u32 = 65_536;

/// The users of this caller.
#[derive(Debug)]
pub(crate) struct Users {
    first: u32,
    taken: Arc<Mutex<BTreeSet<u32>>>,
}

/// A user that belongs to one process until this is dropped.
#[derive(Debug)]
pub(crate) struct User {
    /// Its user number, which is also its group number.
    pub(crate) id: u32,
    taken: Arc<Mutex<BTreeSet<u32>>>,
}

impl Users {
    /// The users that this process may hand out, if it is root.
    pub(crate) fn of_this_process() -> Option<Self> {
        nix::unistd::geteuid().is_root().then(|| Self {
            first: FIRST + std::process::id() % CALLERS * EACH,
            taken: Arc::default(),
        })
    }

    /// Takes the first free user, if any.
    pub(crate) fn take(&self) -> Option<User> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let id = (self.first..self.first + EACH).find(|id| !taken.contains(id))?;
        taken.insert(id);
        Some(User { id, taken: Arc::clone(&self.taken) })
    }
}

impl Drop for User {
    fn drop(&mut self) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_processes_have_the_same_user_at_once() {
        let users = Users { first: 7, taken: Arc::default() };
        let (one, two) = (users.take().expect("a user"), users.take().expect("a user"));
        assert_eq!((one.id, two.id), (7, 8));
        drop(one);
        assert_eq!(users.take().expect("a user").id, 7);
    }

    #[test]
    fn every_number_is_one_that_the_kernel_takes() {
        assert!(FIRST.checked_add(CALLERS * EACH).is_some_and(|last| last < u32::MAX - 1));
    }
}
