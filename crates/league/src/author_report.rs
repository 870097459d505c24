//! The report that an author gets: a file in the author's folder, written again after every step.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::author_folder::AuthorFolder;
use referee_protocol::path_shortener::PathShortener;

/// What a report says before the name under which a submission entered.
const ENTERED: &str = "entered as ";

/// The name under which a submission entered, if its report says that it did.
pub fn entered_name_in_report(report: &str) -> Option<&str> {
    report.lines().next()?.split_once(&format!(": {ENTERED}")).map(|(_, name)| name)
}

/// The most bytes of a report that are read.
const MOST_READ: u64 = 4096;
/// The least time between two reports on the progress of a build.
const PAUSE: Duration = Duration::from_millis(500);
/// The digits of a digest that are shown.
const DIGITS: usize = 16;

/// What became of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReportedOutcome {
    BeingChecked,
    /// It entered under this name.
    Entered(String),
    Refused,
}

/// The report on a submission.
#[derive(Debug)]
pub(crate) struct AuthorReport {
    folder: Arc<AuthorFolder>,
    places: PathShortener,
    digest: String,
    text: String,
    /// When its progress was last sent.
    sent: Instant,
}

impl AuthorReport {
    /// A report on the submission with this digest, in the author's folder. It shows none of these
    /// `places`.
    pub(crate) fn new(folder: &Arc<AuthorFolder>, digest: &str, places: &PathShortener) -> Self {
        let digest = digest[..DIGITS.min(digest.len())].to_owned();
        let (folder, places) = (Arc::clone(folder), places.clone());
        Self { folder, places, digest, text: String::new(), sent: Instant::now() }
    }

    /// Adds lines, without the places of files on this machine.
    pub(crate) fn add(&mut self, text: &str) {
        self.text.push_str(&self.places.shorten(text.trim_end()));
        self.text.push('\n');
    }

    /// Writes the report as it is now.
    pub(crate) fn send(&self, outcome: &ReportedOutcome) -> io::Result<()> {
        let outcome = match outcome {
            ReportedOutcome::BeingChecked => "being checked".to_owned(),
            ReportedOutcome::Entered(name) => format!("{ENTERED}{name}"),
            ReportedOutcome::Refused => "refused".to_owned(),
        };
        let text = format!("hand-in {}: {outcome}\n\n{}", self.digest, self.text);
        self.folder.write_report(&text)
    }

    /// Writes the report as it is now, unless it was written just before.
    pub(crate) fn send_progress(&mut self) {
        if self.sent.elapsed() >= PAUSE {
            self.sent = Instant::now();
            // The next step writes it again.
            let _ = self.send(&ReportedOutcome::BeingChecked);
        }
    }

    /// Whether the report that is there says that this submission was refused. Only its author
    /// could have forged that, and only to be refused.
    pub(crate) fn was_refused(&self) -> bool {
        self.starts_with(&format!("hand-in {}: refused\n", self.digest))
    }

    /// Whether the report that is there says that this submission was refused for this reason only.
    pub(crate) fn was_refused_for(&self, why: &str) -> bool {
        let why = self.places.shorten(why);
        self.starts_with(&format!("hand-in {}: refused\n\n{why}\n", self.digest))
    }

    /// Whether the report that is there says that this submission entered as `name`.
    pub(crate) fn was_entered(&self, name: &str) -> bool {
        self.starts_with(&format!("hand-in {}: {ENTERED}{name}\n", self.digest))
    }

    fn starts_with(&self, line: &str) -> bool {
        let there = self.folder.report(MOST_READ);
        there.is_ok_and(|text| text.starts_with(line.as_bytes()))
    }
}
