//! Checks many players at the same time, each on its own cores.
//!
//! A failed check does not affect the others. A check that panics gets a report of its own, and an
//! interruption leaves a report of what was found before it.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tokio::sync::{mpsc, watch};

use super::CheckReportPrinter;
use super::candidates::UnknownCandidate;
use crate::command_failure::Failure;
use crate::commands::runtime::{new_runtime, watch_interruption};
use crate::printer::activity::Activity;
use referee_check::{Candidate, CheckReport, Exam, StepNews, examine};
use referee_protocol::escape::escape_line;
use referee_tournament::run::cores::{count_games_for_cores, reserve_cores};
use referee_tournament::run::worker_thread::bind_worker_thread;

/// The work that all threads share.
struct SharedChecks {
    exam: Exam,
    entries: Vec<Result<Candidate, UnknownCandidate>>,
    /// The first entry that no thread has taken yet.
    next: AtomicUsize,
}

/// A message from a thread about an entry.
enum CheckNews {
    /// A step begins or has ended.
    Step(StepNews),
    /// The report on it, and the error that kept the referee from finishing it.
    Examined(Box<CheckReport>, Option<Failure>),
}

/// Sends news with the number of the entry. Without a receiver, all threads have been
/// told to stop.
type NewsSender = mpsc::UnboundedSender<(usize, CheckNews)>;

/// Checks all candidates, a limited number at a time (default: one per core). Passes the reports to
/// `report_printer` in the order of the entries. Returns whether the checks were interrupted.
///
/// # Errors
/// The referee's own failure in a check, after all other checks; or a failure of `report_printer`.
pub(super) fn run_parallel_checks(
    jobs: Option<NonZeroUsize>,
    exam: Exam,
    entries: Vec<Result<Candidate, UnknownCandidate>>,
    report_printer: &mut CheckReportPrinter,
) -> Result<bool, Failure> {
    let each = exam.control.cores_per_game(exam.rules.seats().len());
    let jobs = jobs.unwrap_or_else(|| count_games_for_cores(each)).get().min(entries.len());
    let shared = SharedChecks { exam, entries, next: AtomicUsize::new(0) };
    let (tell_stop, stop) = watch::channel(false);
    let (tell, news) = mpsc::unbounded_channel();
    thread::scope(|scope| {
        for (number, cores) in reserve_cores(jobs, each).into_iter().enumerate() {
            let (shared, stop, tell) = (&shared, stop.clone(), tell.clone());
            let work = move || {
                bind_worker_thread(&cores);
                shared.work(&stop, &tell);
            };
            match thread::Builder::new().name("check".to_owned()).spawn_scoped(scope, work) {
                Ok(_) => {}
                Err(error) if number == 0 => {
                    return Err(Failure::system(format!(
                        "cannot start a thread for checks: {error}"
                    )));
                }
                // The other threads do all the work.
                Err(_) => break,
            }
        }
        drop(tell);
        let collected = collect_parallel_reports(&shared, news, &tell_stop, report_printer);
        tell_stop.send_replace(true);
        collected
    })
}

impl SharedChecks {
    /// Checks the entries that no thread has taken, until none is left or the checks must stop.
    fn work(&self, stop: &watch::Receiver<bool>, tell: &NewsSender) {
        while !*stop.borrow() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(entry) = self.entries.get(number) else { return };
            let mut report = self.untried(number);
            let failure = entry.as_ref().ok().and_then(|candidate| {
                let pass_on = |news| drop(tell.send((number, CheckNews::Step(news))));
                let examined = examine(&self.exam, candidate, &mut report, stop.clone(), pass_on);
                examined.err().map(Failure::from)
            });
            // See `NewsSender`.
            let _ = tell.send((number, CheckNews::Examined(Box::new(report), failure)));
        }
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
            Err(UnknownCandidate { word, why }) => {
                CheckReport::refused(word, self.exam.rules.game.name(), &why.message)
            }
        }
    }

    /// The report on an entry whose check has not begun.
    fn interrupted(&self, number: usize) -> CheckReport {
        let mut report = self.untried(number);
        report.break_off("interrupted");
        report
    }
}

/// Passes on the reports in the order of the entries. After an interruption, running checks end,
/// and checks that have not begun are reported as such.
fn collect_parallel_reports(
    shared: &SharedChecks,
    mut news: mpsc::UnboundedReceiver<(usize, CheckNews)>,
    tell_stop: &watch::Sender<bool>,
    report_printer: &mut CheckReportPrinter,
) -> Result<bool, Failure> {
    new_runtime()?.block_on(async {
        let mut stop = watch_interruption()?;
        let mut waiting: Vec<Option<Box<CheckReport>>> = Vec::new();
        waiting.resize_with(shared.entries.len(), || None);
        let mut next = 0;
        let mut activity = Activity::new(report_printer.printer);
        if let [Ok(_)] = &shared.entries[..] {
            activity.aside(|| report_printer.follow(&shared.untried(0)))?;
        }
        let (mut failed, mut is_interrupted) = (None, false);
        loop {
            let told = tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop), if !is_interrupted => {
                    tell_stop.send_replace(true);
                    is_interrupted = true;
                    continue;
                }
                told = news.recv() => told,
            };
            let Some((number, news)) = told else { break };
            match news {
                CheckNews::Step(StepNews::Begun(name)) => {
                    activity.begin(number, format!("{}: {name}", shared.name(number)));
                }
                CheckNews::Step(StepNews::Ended(ended)) => {
                    activity.end(number);
                    activity.aside(|| report_printer.step(&ended))?;
                }
                CheckNews::Examined(report, failure) => {
                    failed = failed.or(failure);
                    activity.end(number);
                    if shared.entries.len() > 1 {
                        let name = escape_line(&report.player);
                        activity.note(&format!("{name}: {}", report.verdict()));
                    }
                    waiting[number] = Some(report);
                    while let Some(report) = waiting.get_mut(next).and_then(Option::take) {
                        next += 1;
                        activity.aside(|| report_printer.print(&report))?;
                    }
                }
            }
        }
        drop(activity);
        for (number, report) in waiting.into_iter().enumerate().skip(next) {
            let report = report.unwrap_or_else(|| Box::new(shared.interrupted(number)));
            report_printer.print(&report)?;
        }
        failed.map_or(Ok(is_interrupted), Err)
    })
}
