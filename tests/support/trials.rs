//! Tests that may find out that they cannot run. Such a one says by name what is missing and counts
//! as skipped, not as passed: the ordinary harness cannot do that. Nor can it make a test for each
//! of a list.

#![allow(dead_code, reason = "each file of tests uses its own part of this")]

use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Completion, Trial};

/// What a test needs and this machine has not.
pub(crate) type Lacks = Option<String>;

/// Says which of these programs cannot be run here.
pub(crate) fn without(programs: &[&str]) -> Lacks {
    let runs = |program: &str| {
        ["--version", "version"].iter().any(|arg| {
            Command::new(program).arg(arg).output().is_ok_and(|output| output.status.success())
        })
    };
    let missing: Vec<_> = programs.iter().copied().filter(|program| !runs(program)).collect();
    (!missing.is_empty()).then(|| format!("there is no {} here", missing.join(" and no ")))
}

/// A quick test; it returns what kept it from running, if anything.
pub(crate) fn quick(
    name: impl Into<String>,
    run: impl FnOnce() -> Lacks + Send + 'static,
) -> Trial {
    Trial::ignorable_test(name, || match run() {
        None => Ok(Completion::Completed),
        Some(missing) => Ok(Completion::ignored_with(format!("skipped: {missing}"))),
    })
}

/// One that runs with `--ignored`.
pub(crate) fn slow(name: impl Into<String>, run: impl FnOnce() -> Lacks + Send + 'static) -> Trial {
    quick(name, run).with_ignored_flag(true)
}

/// Runs those that the arguments ask for.
pub(crate) fn run(tests: Vec<Trial>) -> ExitCode {
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}
