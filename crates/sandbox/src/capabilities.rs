//! Tests what this machine can enforce, level by level and mechanism by mechanism.

use crate::containment_request::Request;
use crate::error::{SpawnError, Unavailable};
use crate::level::{Level, Mechanism, Requirement};
use crate::resolve::resolve_level;
use crate::self_test::run_self_test_alone;

/// A level or mechanism, and whether it works on this machine.
#[derive(Debug)]
pub struct Capability {
    /// The level or mechanism.
    pub what: Requirement,
    /// `Ok` if it was put in force and passed its test; otherwise why it does not work.
    pub result: Result<(), Unavailable>,
}

/// Tests every level, and every mechanism with as few others as possible.
///
/// Like [`resolve`](crate::resolve), it blocks and must not be called from an asynchronous task.
pub fn capabilities() -> Vec<Capability> {
    let levels = Level::ALL.into_iter().map(|level| Capability {
        what: Requirement::Level(level),
        result: match resolve_level(level, &Request::default()) {
            Ok(best) => best.map(drop),
            Err(shortage) => Err(SpawnError::from(shortage).into()),
        },
    });
    let mechanisms = Mechanism::ALL.into_iter().map(|one| Capability {
        what: Requirement::Mechanism(one),
        result: run_self_test_alone(one),
    });
    levels.chain(mechanisms).collect()
}
