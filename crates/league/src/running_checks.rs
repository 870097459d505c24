//! Checks under way: each in a thread of its own, so that a long one does not hold up all others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use tokio::sync::{mpsc, watch};

use super::author_folder::AuthorFolder;
use super::author_report::{AuthorReport, ReportedOutcome};
use super::check_queue::{BegunCheck, queued_check_start};
use super::hand_in_history::PastOutcome;
use super::hand_in_watch::QUIET;
use super::intake_worker::{IntakeAuthor, IntakeWorker, RunEnded, WORK, remove_intake_tree};
use super::prepared_submission::{PreparedSubmission, SubmissionBuilds, SubmissionError};
use super::unix_seconds_now;
use super::version::last_league_version;
use referee_check::Exam;
use referee_protocol::escape::escape_lines;
use referee_record::model::league_entry::LeagueEntry;
use referee_record::model::tournament::Tournament;
use referee_record::tree_walk::FoundTree;
use referee_tournament::run::instruction::Instruction;
use referee_tournament::run::job_failure::JobFailure;

/// What every check needs.
pub(crate) struct CheckContext {
    pub(crate) exam: Exam,
    pub(crate) builds: Option<SubmissionBuilds>,
    pub(crate) template: Tournament,
    /// The most bytes of a submission.
    pub(crate) largest: u64,
    /// The most bytes of all that is kept of an author.
    pub(crate) disk: u64,
    pub(crate) tell: mpsc::UnboundedSender<Instruction>,
    pub(crate) stop: watch::Receiver<bool>,
}

/// What is checked.
pub(crate) struct SubmissionUnderCheck {
    pub(crate) author: String,
    pub(crate) version: u32,
    pub(crate) folder: Arc<AuthorFolder>,
    pub(crate) found: FoundTree,
    pub(crate) report: AuthorReport,
    /// Where it is built and checked.
    pub(crate) work: PathBuf,
}

impl SubmissionUnderCheck {
    /// What it is called if it enters.
    pub(crate) fn name(&self) -> String {
        LeagueEntry::version_name(&self.author, self.version)
    }
}

/// A check that is under way.
#[derive(Debug)]
pub(crate) struct RunningCheck {
    pub(crate) author: String,
    pub(crate) began: Instant,
    /// The same, in seconds since 1970.
    at: u64,
    /// Whether something changed in its author's folder meanwhile.
    pub(crate) is_outdated: bool,
    thread: JoinHandle<()>,
}

impl RunningCheck {
    /// The check, as everyone may know it.
    pub(crate) fn to_begun_check(&self) -> BegunCheck {
        BegunCheck { author: self.author.clone(), at: self.at }
    }

    /// Waits for its end.
    pub(crate) fn join(self) {
        // It has caught its panics.
        let _ = self.thread.join();
    }
}

/// A submission whose check has ended.
pub(crate) struct FinishedCheck {
    submission: SubmissionUnderCheck,
    taken: Result<PreparedSubmission, SubmissionError>,
}

impl IntakeWorker {
    /// When the next check may begin, if one waits and it need not wait for another one's end.
    pub(crate) fn next_check_at(&self) -> Option<Instant> {
        if self.waiting.is_empty() || self.is_closing {
            return None;
        }
        let begun: Vec<Instant> = self.busy().collect();
        queued_check_start(&begun, self.most_checks, Instant::now())
    }

    /// Begins the check of the next submission in the queue, if it may begin.
    pub(crate) fn begin_next_check(&mut self) -> Result<(), RunEnded> {
        if self.next_check_at().is_none_or(|at| at > Instant::now()) {
            return Ok(());
        }
        let Some(author) = self.waiting.next(unix_seconds_now()) else { return Ok(()) };
        if let Some(submission) = self.find_submission_to_check(&author)? {
            self.waiting.began(&author, unix_seconds_now());
            match self.check_acceptance_limits(&submission) {
                Ok(()) => self.spawn_running_check(submission)?,
                Err(why) => self.record_check_outcome(submission, Err(why))?,
            }
        }
        self.publish_queue()
    }

    /// What is in an author's folder, to be checked; `None` if it is not to be checked.
    fn find_submission_to_check(
        &mut self,
        author: &str,
    ) -> Result<Option<SubmissionUnderCheck>, RunEnded> {
        let folder = AuthorFolder::open(&self.league.hand_in.join(author)).map(Arc::new);
        // The organiser may have decided so meanwhile.
        let Some(folder) = folder.ok().filter(|_| !self.control.closed) else { return Ok(None) };
        let Some(found) = self.read_arrived_submission(author, &folder)? else { return Ok(None) };
        let mut report = AuthorReport::new(&folder, &found.digest, &self.places);
        // It has changed since it was queued.
        if let Some(name) = self.playing_version_of_arrival(author, &found.digest) {
            self.report_arrival_already_plays(report, name)?;
            return Ok(None);
        }
        if let Some(why) = self.why_arrival_is_barred(author) {
            self.reject_submission(author, report, &why)?;
            return Ok(None);
        }
        if let Some(version) = self.find_earlier_version(author, &found.digest)? {
            let name = LeagueEntry::version_name(author, version);
            report.add(&format!("You have handed in these files before, as `{name}`."));
        }
        // Another league may have had versions since: one that this league continues, or that
        // continues this one.
        let known = self.authors.get(author).map_or(0, IntakeAuthor::version);
        let version = match last_league_version(&self.league, author) {
            Ok(last) => last.max(known) + 1,
            Err(error) => {
                let why = format!("the history of `{author}` cannot be read: {error}");
                self.postpone_submission(author, report, &why)?;
                return Ok(None);
            }
        };
        let author = author.to_owned();
        // One author has one check at a time.
        let work = self.league.entrants.join(WORK).join(&author);
        Ok(Some(SubmissionUnderCheck { author, version, folder, found, report, work }))
    }

    fn spawn_running_check(&mut self, submission: SubmissionUnderCheck) -> Result<(), RunEnded> {
        self.send(&submission.report, &ReportedOutcome::BeingChecked)?;
        let author = submission.author.clone();
        let (folder, digest) = (Arc::clone(&submission.folder), submission.found.digest.clone());
        let (room, done) = (Arc::clone(&self.room), self.checked.0.clone());
        let bell = self.watch.bell();
        let work = move || {
            let mut submission = submission;
            let taken = catch_check_panic(|| room.prepare_for_acceptance(&mut submission));
            // Once the intake has stopped, nobody waits for it.
            let _ = done.send(FinishedCheck { submission, taken });
            bell.ended();
        };
        match thread::Builder::new().name("check".to_owned()).spawn(work) {
            Ok(thread) => {
                let (began, at) = (Instant::now(), unix_seconds_now());
                let running = RunningCheck { author, began, at, is_outdated: false, thread };
                self.running.push(running);
                self.leave_places()
            }
            Err(error) => {
                let report = AuthorReport::new(&folder, &digest, &self.places);
                self.postpone_submission(
                    &author,
                    report,
                    &format!("cannot start a thread: {error}"),
                )
            }
        }
    }

    /// Decides what becomes of the submissions whose checks have ended.
    pub(crate) fn conclude_running_checks(&mut self) -> Result<(), RunEnded> {
        while let Ok(checked) = self.checked.1.try_recv() {
            // A check that was broken off tells nothing.
            if *self.room.stop.borrow() {
                return Err(RunEnded);
            }
            self.conclude_running_check(checked)?;
        }
        if self.is_closing && self.running.is_empty() {
            return self.follow_control();
        }
        Ok(())
    }

    fn conclude_running_check(&mut self, checked: FinishedCheck) -> Result<(), RunEnded> {
        let FinishedCheck { mut submission, taken } = checked;
        let author = submission.author.clone();
        let Some(at) = self.running.iter().position(|check| check.author == author) else {
            return Ok(());
        };
        let ended = self.running.swap_remove(at);
        let (took, is_outdated) = (ended.began.elapsed(), ended.is_outdated);
        ended.join();
        let accepted = match taken {
            Ok(taken) => self.accept_submission(&mut submission, taken)?,
            Err(why) => Err(why),
        };
        if let Err(error) = remove_intake_tree(&submission.work) {
            self.warn(&format!("cannot remove {}: {error}", submission.work.display()))?;
        }
        self.leave_places()?;
        self.waiting.took(took);
        // What was not decided is tried again without the pause between an author's checks.
        if !matches!(accepted, Err(SubmissionError::Changed | SubmissionError::Later(_))) {
            self.authors.entry(author.clone()).or_default().checked = Some(Instant::now());
        }
        self.record_check_outcome(submission, accepted)?;
        if is_outdated {
            self.watch.later(author, Instant::now());
        }
        self.publish_queue()
    }

    /// Tells everyone what became of a submission.
    fn record_check_outcome(
        &mut self,
        submission: SubmissionUnderCheck,
        accepted: Result<String, SubmissionError>,
    ) -> Result<(), RunEnded> {
        let SubmissionUnderCheck { author, version, folder, found, report, .. } = submission;
        let outcome = match &accepted {
            Ok(_) => Some(PastOutcome::Entered { version }),
            Err(SubmissionError::Refused(why) | SubmissionError::NotReady(why)) => {
                Some(PastOutcome::Refused { why: escape_lines(why) })
            }
            Err(SubmissionError::Changed | SubmissionError::Later(_)) => None,
        };
        if let Some(outcome) = outcome {
            self.remember_hand_in(&author, (&folder, &found.digest), outcome)?;
        }
        match accepted {
            Ok(name) => self.send(&report, &ReportedOutcome::Entered(name)),
            Err(SubmissionError::Changed) => {
                self.watch.later(author, Instant::now() + QUIET);
                Ok(())
            }
            Err(SubmissionError::Later(why)) => self.postpone_submission(&author, report, &why),
            Err(SubmissionError::Refused(why)) => self.reject_submission(&author, report, &why),
            Err(SubmissionError::NotReady(why)) => self.publish_rejection(&author, &report, &why),
        }
    }
}

/// Runs `work`. If it panics, that is not the fault of the submission.
fn catch_check_panic(
    work: impl FnOnce() -> Result<PreparedSubmission, SubmissionError>,
) -> Result<PreparedSubmission, SubmissionError> {
    // What it changes, a report, is complete at any moment.
    let worked = catch_unwind(AssertUnwindSafe(work));
    worked.unwrap_or_else(|panic| {
        Err(SubmissionError::Later(JobFailure::from_panic(panic.as_ref()).to_string()))
    })
}
