//! Tests that measure time. They run in a program of their own and one after the other, so that no
//! other test takes their cores.
#![cfg(target_os = "linux")]

#[path = "../support/mod.rs"]
mod support;

mod fairness;
mod lag;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits until no other test of this program runs.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
