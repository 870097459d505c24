//! Checks many players at the same time, each on its own cores.
//!
//! A failed check does not affect the others. A check that panics gets a report of its own, and an
//! interruption leaves a report of what was found before it.

use std::any::Any;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tokio::sync::{mpsc, watch};

use super::ReportPrinter;
use super::candidates::UnknownPlayer;
use crate::check::{Candidate, CheckReport, CheckStep, Exam, StepNews, examine};
use crate::commands::runtime::{interrupted, new_runtime};
use crate::error::Failure;
use crate::printer::activity::Activity;
use referee_tournament::run::cores::{one_per_core, reserve_cores};
use referee_tournament::run::worker::settle_on;

/// The outcome of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChecksEnd {
    /// Every player was checked.
    Complete,
    /// The checks were interrupted.
    Interrupted,
}

/// The work that all threads share.
struct SharedWork {
    exam: Exam,
    entries: Vec<Result<Candidate, UnknownPlayer>>,
    /// The first entry that no thread has taken yet.
    next: AtomicUsize,
}

/// A message from a thread.
enum ThreadMessage {
    /// The candidate with this number begins this step.
    Step(usize, String),
    /// The next step of the candidate with this number has ended.
    StepEnded(usize, Box<CheckStep>),
    /// The report on the entry with this number, and the error that kept the referee from finishing
    /// it.
    Examined(usize, Box<CheckReport>, Option<Failure>),
}

/// Checks all candidates, a limited number at a time (default: one per core). Passes the reports to
/// `report_printer` in the order of the entries.
///
/// # Errors
/// The referee's own failure in a check, after all other checks; or a failure of `report_printer`.
pub(super) fn examine_all(
    jobs: Option<NonZeroUsize>,
    exam: Exam,
    entries: Vec<Result<Candidate, UnknownPlayer>>,
    report_printer: &mut ReportPrinter,
) -> Result<ChecksEnd, Failure> {
    let each = exam.control.cores_per_game();
    let jobs = jobs.unwrap_or_else(|| one_per_core(each)).get().min(entries.len());
    let cores = reserve_cores(jobs, each);
    let shared = Arc::new(SharedWork { exam, entries, next: AtomicUsize::new(0) });
    let (tell_stop, stop) = watch::channel(false);
    let (tell, news) = mpsc::unbounded_channel();
    let mut threads = Vec::new();
    for cores in cores {
        let (shared, stop, tell) = (Arc::clone(&shared), stop.clone(), tell.clone());
        let work = move || {
            settle_on(&cores);
            shared.work(&stop, &tell);
        };
        match thread::Builder::new().name("check".to_owned()).spawn(work) {
            Ok(thread) => threads.push(thread),
            Err(error) if threads.is_empty() => {
                return Err(Failure::system(format!("cannot start a thread for checks: {error}")));
            }
            // The other threads do all the work.
            Err(_) => break,
        }
    }
    drop(tell);
    let collected = collect(&shared, news, &tell_stop, report_printer);
    tell_stop.send_replace(true);
    for thread in threads {
        // `guarded` has already caught any panic of a check.
        let _ = thread.join();
    }
    collected
}

impl SharedWork {
    /// Checks the entries that no thread has taken, until none is left or the checks must stop.
    fn work(&self, stop: &watch::Receiver<bool>, tell: &mpsc::UnboundedSender<ThreadMessage>) {
        while !*stop.borrow() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(entry) = self.entries.get(number) else { return };
            let mut report = self.untried(number);
            let failure = entry.as_ref().ok().and_then(|candidate| {
                let pass_on = |news: StepNews<'_>| {
                    let message = match news {
                        StepNews::Begun(name) => ThreadMessage::Step(number, name.to_owned()),
                        StepNews::Ended(ended) => {
                            ThreadMessage::StepEnded(number, Box::new(ended.clone()))
                        }
                    };
                    // If nobody listens any more, all threads have been told to stop.
                    let _ = tell.send(message);
                };
                guarded(&mut report, |report| self.examine(candidate, report, stop, pass_on)).err()
            });
            if tell.send(ThreadMessage::Examined(number, Box::new(report), failure)).is_err() {
                return;
            }
        }
    }

    fn examine(
        &self,
        candidate: &Candidate,
        report: &mut CheckReport,
        stop: &watch::Receiver<bool>,
        tell: impl Fn(StepNews<'_>),
    ) -> Result<(), Failure> {
        new_runtime()?.block_on(examine(&self.exam, candidate, report, stop.clone(), tell))
    }

    fn name(&self, number: usize) -> &str {
        match &self.entries[number] {
            Ok(candidate) => &candidate.spec.name,
            Err(refused) => &refused.word,
        }
    }

    /// The report on an entry before its check.
    fn untried(&self, number: usize) -> CheckReport {
        match &self.entries[number] {
            Ok(candidate) => self.exam.untried(candidate),
            Err(UnknownPlayer { word, why }) => {
                CheckReport::refused(word, self.exam.rules.game.name(), &why.message)
            }
        }
    }
}

/// Does `work` on a report. Turns a panic into a failure, and adds it to the report.
fn guarded(
    report: &mut CheckReport,
    work: impl FnOnce(&mut CheckReport) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // A report is complete at any moment, and nothing else that `work` changes is used again.
    let worked = catch_unwind(AssertUnwindSafe(|| work(report)));
    worked.unwrap_or_else(|panic| {
        let what = panic_message(panic.as_ref());
        report.break_off(&format!("the referee panicked: {what}"));
        let player = &report.player;
        Err(Failure::system(format!(
            "the check of {player} panicked: {what}; this is a bug in the referee"
        )))
    })
}

/// The message of a panic.
fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown reason")
}

/// Passes on the reports in the order of the entries. After an interruption, running checks end,
/// and checks that have not begun are reported as such.
fn collect(
    shared: &SharedWork,
    mut news: mpsc::UnboundedReceiver<ThreadMessage>,
    tell_stop: &watch::Sender<bool>,
    report_printer: &mut ReportPrinter,
) -> Result<ChecksEnd, Failure> {
    new_runtime()?.block_on(async {
        let mut stop = interrupted()?;
        let mut queue = ReportQueue::default();
        let mut activity = Activity::new(report_printer.printer);
        if let [Ok(_)] = &shared.entries[..] {
            activity.aside(|| report_printer.follow(&shared.untried(0)))?;
        }
        let mut failed = None;
        let mut end = ChecksEnd::Complete;
        loop {
            let told = tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop), if end == ChecksEnd::Complete => {
                    tell_stop.send_replace(true);
                    end = ChecksEnd::Interrupted;
                    continue;
                }
                told = news.recv() => told,
            };
            match told {
                None => break,
                Some(ThreadMessage::Step(number, name)) => {
                    activity.begin(number, format!("{}: {name}", shared.name(number)));
                }
                Some(ThreadMessage::StepEnded(number, ended)) => {
                    activity.end(number);
                    activity.aside(|| report_printer.step(&ended))?;
                }
                Some(ThreadMessage::Examined(number, report, failure)) => {
                    failed = failed.or(failure);
                    activity.end(number);
                    if shared.entries.len() > 1 {
                        let name = referee_protocol::escape::terminal(&report.player);
                        activity.note(&format!("{name}: {}", report.verdict()));
                    }
                    activity.aside(|| queue.take(number, *report, report_printer))?;
                }
            }
        }
        drop(activity);
        for number in queue.missing(shared.entries.len()) {
            let mut report = shared.untried(number);
            report.break_off("interrupted");
            queue.take(number, report, report_printer)?;
        }
        failed.map_or(Ok(end), Err)
    })
}

/// Reports that wait for earlier ones.
#[derive(Default)]
struct ReportQueue {
    next: usize,
    waiting: BTreeMap<usize, CheckReport>,
}

impl ReportQueue {
    fn take(
        &mut self,
        number: usize,
        report: CheckReport,
        report_printer: &mut ReportPrinter,
    ) -> Result<(), Failure> {
        self.waiting.insert(number, report);
        while let Some(report) = self.waiting.remove(&self.next) {
            self.next += 1;
            report_printer.take(&report)?;
        }
        Ok(())
    }

    /// The numbers of the reports that never came, among `all`.
    fn missing(&self, all: usize) -> Vec<usize> {
        (self.next..all).filter(|number| !self.waiting.contains_key(number)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::StepVerdict;

    #[test]
    fn a_panic_in_a_check_keeps_the_findings() {
        let steps = ["start", "turns"].map(str::to_owned).into();
        let mut report = CheckReport::new("ant", "ant", "a-game", steps);
        let failure = guarded(&mut report, |report| {
            report.steps[0].verdict = StepVerdict::Passed;
            panic!("of {} pieces", 3)
        });
        let message = "the check of ant panicked: of 3 pieces; this is a bug in the referee";
        assert_eq!(failure, Err(Failure::system(message)));
        let verdict =
            "not finished: the referee panicked: of 3 pieces; no problems found in 1 of 2 steps";
        assert_eq!(report.verdict(), verdict);
    }
}
