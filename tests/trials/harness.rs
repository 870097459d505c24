//! A test harness for tests that may find that they cannot run. Such a test names what is missing,
//! and counts as skipped, not as passed. The standard harness cannot do that, nor can it make one
//! test per entry of a list.

use std::num::NonZeroUsize;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Completion, Conclusion, Trial};

/// The reason why a test cannot run on this machine; `None` if it can.
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

/// The kind of a test that must run alone, until it is named.
const ALONE: &str = "alone";

/// A quick test. `run` returns what kept it from running, if anything.
pub(crate) fn quick(
    name: impl Into<String>,
    run: impl FnOnce() -> Lacks + Send + 'static,
) -> Trial {
    Trial::ignorable_test(name, || match run() {
        None => Ok(Completion::Completed),
        Some(missing) => Ok(Completion::ignored_with(format!("skipped: {missing}"))),
    })
}

/// A slow test during which no other of this file runs, because it builds the program anew, measures
/// time, or emulates a machine.
pub(crate) fn alone(
    name: impl Into<String>,
    run: impl FnOnce() -> Lacks + Send + 'static,
) -> Trial {
    slow(name, run).with_kind(ALONE)
}

/// A slow test, which runs only with `--ignored`.
pub(crate) fn slow(name: impl Into<String>, run: impl FnOnce() -> Lacks + Send + 'static) -> Trial {
    quick(name, run).with_ignored_flag(true)
}

/// Runs the tests selected by the arguments: first those that run alone, one by one, and then the
/// others. Their names begin with their module's name.
pub(crate) fn run<const N: usize>(modules: [(&str, Vec<Trial>); N]) -> ExitCode {
    let all = modules.into_iter().flat_map(|(module, tests)| {
        tests.into_iter().map(move |test| (test.kind() == ALONE, test.with_kind(module)))
    });
    let (alone, others): (Vec<_>, Vec<_>) = all.partition(|(is_alone, _)| *is_alone);
    let [alone, others] =
        [alone, others].map(|tests| tests.into_iter().map(|(_, test)| test).collect());
    let mut arguments = Arguments::from_args();
    let one_by_one = Arguments { test_threads: Some(1), ..arguments.clone() };
    if arguments.test_threads.is_none() {
        // More than half of the time, these tests wait: for players that sleep, for browsers, for
        // limits.
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        arguments.test_threads = Some(2 * cores);
    }
    let ended = [(one_by_one, alone), (arguments, others)]
        .map(|(arguments, tests)| libtest_mimic::run(&arguments, tests));
    // As the standard harness does.
    if ended.iter().any(Conclusion::has_failed) { ExitCode::from(101) } else { ExitCode::SUCCESS }
}
