//! Notices what arrives in authors' folders: queues what is new, and turns away who cannot take part.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, UNIX_EPOCH};

use super::author_folder::AuthorFolder;
use super::author_name::author_problem;
use super::author_report::{AuthorReport, ReportedOutcome};
use super::hand_in::read_hand_in;
use super::hand_in_history::PastOutcome;
use super::hand_in_watch::hand_in_folder_time;
use super::intake_worker::{IntakeWorker, REMOVED, RunEnded};
use super::invitations::Invitations;
use super::prepared_submission::SubmissionError;
use referee_protocol::escape::escape_lines;
use referee_record::model::league_entry::LeagueEntry;
use referee_record::tree_walk::FoundTree;
use referee_tournament::name_likeness::are_names_alike;

impl IntakeWorker {
    /// Reads an author's folder, to see whether something is new, and tells everyone who waits now.
    pub(crate) fn read_arrivals(&mut self, author: &str) -> Result<(), RunEnded> {
        self.queue_arrivals(author)?;
        // While nothing is checked, nobody is told who waits.
        if self.running.is_empty() {
            return Ok(());
        }
        // A report changes the folder, too, and what is later than the queue looks like a submission.
        self.publish_queue()
    }

    /// Queues what is new in an author's folder: a submission for its check, which reads it again,
    /// and a challenge for its games.
    fn queue_arrivals(&mut self, author: &str) -> Result<(), RunEnded> {
        let path = self.league.hand_in.join(author);
        if self.control.closed {
            return Ok(());
        }
        // An author has one check at a time. What changed meanwhile is read after it.
        if let Some(running) = self.running.iter_mut().find(|it| it.author == author) {
            running.is_outdated = true;
            return Ok(());
        }
        let opened = AuthorFolder::open(&path).map(Arc::new);
        self.note_unopened_arrival(author, &path, opened.as_ref().err())?;
        let Ok(folder) = opened else { return Ok(()) };
        self.note_challenge(author, &folder);
        let Some(found) = self.read_arrived_submission(author, &folder)? else { return Ok(()) };
        let mut report = AuthorReport::new(&folder, &found.digest, &self.places);
        if let Some(name) = self.playing_version_of_arrival(author, &found.digest) {
            // What was queued before is not what its author wants now.
            if self.waiting.forget(author) {
                self.publish_queue()?;
            }
            return self.report_arrival_already_plays(report, name);
        }
        let is_removed = self.control.removed.contains(author);
        if report.was_refused() && (is_removed || !report.was_refused_for(REMOVED)) {
            return Ok(());
        }
        if let Some(why) = self.why_arrival_is_barred(author) {
            return self.reject_submission(author, report, &why);
        }
        let checked = self.authors.get(author).and_then(|known| known.checked);
        if let Some(at) = checked.map(|checked| checked + self.league.every)
            && at > Instant::now()
        {
            self.watch.later(author.to_owned(), at);
            report.add(
                "Queued: an author's submissions are checked one at a time, with a pause in \
                 between.",
            );
            return self.send(&report, &ReportedOutcome::BeingChecked);
        }
        let since = hand_in_folder_time(&path);
        let since = since.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        self.waiting.wait(author, since.as_secs(), &found.digest);
        report.add("Queued for its check.");
        self.send(&report, &ReportedOutcome::BeingChecked)
    }

    /// Warns once of an author's folder at `path` that cannot be opened for this reason. One that is
    /// gone needs no warning.
    fn note_unopened_arrival(
        &mut self,
        author: &str,
        path: &Path,
        why: Option<&io::Error>,
    ) -> Result<(), RunEnded> {
        let Some(why) = why.filter(|why| why.kind() != io::ErrorKind::NotFound) else {
            self.unopened.remove(author);
            return Ok(());
        };
        let why = why.to_string();
        if self.unopened.get(author) == Some(&why) {
            return Ok(());
        }
        self.warn(&format!("cannot read {}: {why}", path.display()))?;
        self.unopened.insert(author.to_owned(), why);
        Ok(())
    }

    /// The version of an author that plays with the files that have this digest, if there is one.
    pub(crate) fn playing_version_of_arrival(&self, author: &str, digest: &str) -> Option<String> {
        let known = self.authors.get(author).filter(|known| known.is_there())?;
        let entry = known.entry().filter(|entry| entry.source == digest)?;
        Some(LeagueEntry::version_name(author, entry.version))
    }

    /// Tells an author whose files are those of the version called `name` that nothing is new.
    pub(crate) fn report_arrival_already_plays(
        &self,
        mut report: AuthorReport,
        name: String,
    ) -> Result<(), RunEnded> {
        if report.was_entered(&name) {
            return Ok(());
        }
        report.add(&format!("`{name}` is already playing with these files."));
        self.send(&report, &ReportedOutcome::Entered(name))
    }

    /// What is in an author's folder; `None` if there is nothing, or if it cannot be read, which its
    /// author is told once.
    pub(crate) fn read_arrived_submission(
        &mut self,
        author: &str,
        folder: &Arc<AuthorFolder>,
    ) -> Result<Option<FoundTree>, RunEnded> {
        let error = match read_hand_in(folder, None, self.league.largest) {
            Ok(found) => return Ok(Some(found).filter(|found| found.files > 0)),
            Err(error) => error,
        };
        // What cannot be read has no digest.
        let report = AuthorReport::new(folder, "unreadable", &self.places);
        match SubmissionError::from_error(error) {
            SubmissionError::Changed => Ok(()),
            SubmissionError::Later(why) => self.postpone_submission(author, report, &why),
            SubmissionError::Refused(why) if report.was_refused_for(&escape_lines(&why)) => Ok(()),
            SubmissionError::Refused(why) | SubmissionError::NotReady(why) => {
                if self.why_arrival_is_barred(author).is_none() {
                    let outcome = PastOutcome::Refused { why: escape_lines(&why) };
                    self.remember_hand_in(author, (folder, ""), outcome)?;
                }
                self.reject_submission(author, report, &why)
            }
        }?;
        Ok(None)
    }

    /// Why the author of this name cannot take part, if so.
    pub(crate) fn why_arrival_is_barred(&self, author: &str) -> Option<String> {
        if self.control.removed.contains(author) {
            return Some(REMOVED.to_owned());
        }
        if let Some(problem) = author_problem(author) {
            return Some(format!("invalid author name: {problem}"));
        }
        // An invitation does not help: in the final, two players would have one name.
        let mut houses = self.room.template.players.iter().map(|player| &player.name);
        if let Some(house) = houses.find(|house| are_names_alike(house, author)) {
            return Some(format!(
                "the author's name is too similar to that of the house player `{house}`; hand in \
                 under another name"
            ));
        }
        // A broken list of invitations is reported by everything that needs it.
        let invited = Invitations::read(&self.dir).unwrap_or_default();
        if invited.authors().any(|invited| invited == author) {
            return None;
        }
        let entered = self.authors.keys().map(String::as_str);
        let mut others = entered.chain(invited.authors()).filter(|other| *other != author);
        let known = others.find(|other| are_names_alike(other, author));
        known.map(|other| format!("the author's name is too similar to `{other}`"))
    }
}
