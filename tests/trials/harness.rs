//! A test harness for tests that may find that they cannot run. Such a test names what is missing,
//! and counts as skipped, not as passed. The standard harness cannot do that, nor can it make one
//! test per entry of a list.

use std::process::{Command, ExitCode};
use std::sync::{PoisonError, RwLock};

use libtest_mimic::{Arguments, Completion, Trial};

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

/// Held by every test that runs; by one that must run alone, for writing.
static RUNNING: RwLock<()> = RwLock::new(());

/// A quick test. `run` returns what kept it from running, if anything.
pub(crate) fn quick(
    name: impl Into<String>,
    run: impl FnOnce() -> Lacks + Send + 'static,
) -> Trial {
    test(name, || {
        let _with_others = RUNNING.read().unwrap_or_else(PoisonError::into_inner);
        run()
    })
}

/// A slow test during which no other runs, because it builds the program anew or measures time.
pub(crate) fn alone(
    name: impl Into<String>,
    run: impl FnOnce() -> Lacks + Send + 'static,
) -> Trial {
    let run = || {
        let _alone = RUNNING.write().unwrap_or_else(PoisonError::into_inner);
        run()
    };
    test(name, run).with_ignored_flag(true)
}

fn test(name: impl Into<String>, run: impl FnOnce() -> Lacks + Send + 'static) -> Trial {
    Trial::ignorable_test(name, || match run() {
        None => Ok(Completion::Completed),
        Some(missing) => Ok(Completion::ignored_with(format!("skipped: {missing}"))),
    })
}

/// A slow test, which runs only with `--ignored`.
pub(crate) fn slow(name: impl Into<String>, run: impl FnOnce() -> Lacks + Send + 'static) -> Trial {
    quick(name, run).with_ignored_flag(true)
}

/// Runs the tests selected by the arguments. Their names begin with their module's name.
pub(crate) fn run<const N: usize>(modules: [(&str, Vec<Trial>); N]) -> ExitCode {
    let named = |(module, tests): (&str, Vec<Trial>)| {
        let module = module.to_owned();
        tests.into_iter().map(move |test| test.with_kind(module.clone()))
    };
    let tests = modules.into_iter().flat_map(named).collect();
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}
