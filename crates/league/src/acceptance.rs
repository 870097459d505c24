//! A submission becomes a version: it is taken in, checked, kept, and enters. One that was removed
//! comes back.

use std::cell::RefCell;
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use super::author_report::{AuthorReport, ReportedOutcome};
use super::intake_worker::{IntakeAuthor, IntakeEvent, IntakeWorker, RunEnded, remove_intake_tree};
use super::prepared_submission::{
    PreparedSubmission, SubmissionError, prepare_submission, submission_size,
};
use super::present_players::kept_version;
use super::running_checks::{CheckContext, SubmissionUnderCheck};
use super::version::{
    KeptVersion, find_version_player, keep_version_start, league_version_digest, league_version_dir,
};
use super::{unix_seconds_now, with_hand_ins_hidden};
use referee_check::{Candidate, CheckReport, CheckReportText, Exam, Readiness, StepNews, examine};
use referee_protocol::escape::escape_line;
use referee_ratings::MOST_PLAYERS;
use referee_record::model::clock::TimeControl;
use referee_record::model::league_entry::{LeagueEntry, LeavingReason, MOST_VERSIONS};
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::record::HeaderPlayer;
use referee_record::model::roster_change::RosterChange;
use referee_record::model::short_clock::ClockArgument;
use referee_record::model::stage::Stage;
use referee_record::model::tournament::Tournament;
use referee_record::seeds::{NoRandomNumbers, draw_random_identity};
use referee_record::shell::quote_for_shell;
use referee_report::colour::Colour;
use referee_sandbox::resource_limits;
use referee_tournament::run::header_from_config::header_from_config;
use referee_tournament::run::instruction::Instruction;

/// The command with which an author repeats a check, whose records are gone when it has ended.
fn command_to_repeat_check(exam: &Exam, control: &TimeControl) -> String {
    let game = &exam.rules.game;
    let game = match game.program() {
        None => game.name().to_owned(),
        Some(_) => "game.toml".to_owned(),
    };
    let mut command = format!("referee check PLAYER --game {game} --seed {}", exam.seed);
    if let Some(clock) = ClockArgument::of(control) {
        command.push_str(" --tc ");
        command.push_str(&clock.to_string());
    }
    for (name, value) in exam.rules.options.given() {
        command.push_str(" --option ");
        command.push_str(&quote_for_shell(&format!("{name}={value}")));
    }
    command
}

/// How long the check of a submission may take.
pub const CHECK_LIMIT: Duration = Duration::from_secs(300);

impl CheckContext {
    /// Takes in a submission, and checks it.
    pub(crate) fn prepare_for_acceptance(
        &self,
        submission: &mut SubmissionUnderCheck,
    ) -> Result<PreparedSubmission, SubmissionError> {
        let name = submission.name();
        let SubmissionUnderCheck { folder, found, report: told, work, .. } = submission;
        let builds = self.builds.as_ref().map(|builds| (builds, &self.stop));
        let taken = prepare_submission((folder, found), (work, &name), self.largest, builds, told)?;
        if taken.bytes > self.disk {
            let why = format!(
                "unpacked and built, it is larger than {}",
                resource_limits::format_bytes(self.disk)
            );
            return Err(SubmissionError::Refused(why));
        }
        match self.check_for_acceptance(&taken.spec, work, told) {
            Some(report) if report.lets_in() => Ok(taken),
            Some(report) if report.outcome() == Readiness::NotReady => {
                Err(SubmissionError::NotReady(report.verdict()))
            }
            _ => Err(SubmissionError::Later("its check did not finish".to_owned())),
        }
    }

    fn warn(&self, warning: &str) {
        // A run that is over needs no warning.
        let _ = self.tell.send(Instruction::Warning(escape_line(warning)));
    }

    /// Checks a player, step by step. `None` if the check could not begin.
    fn check_for_acceptance(
        &self,
        spec: &PlayerSpec,
        work: &Path,
        told: &mut AuthorReport,
    ) -> Option<CheckReport> {
        let mut exam = self.exam.clone();
        let candidate = match self.candidate_for_acceptance(spec, work, &mut exam) {
            Ok(candidate) => candidate,
            Err(error) => {
                self.warn(&format!("{}: {error}", spec.name));
                return None;
            }
        };
        let mut report = exam.untried(&candidate);
        let mut text = CheckReportText::new(&report, Colour::Plain, None);
        told.add(&CheckReportText::heading(&report));
        let written = RefCell::new((told, &mut text));
        let tell = |news: StepNews| {
            if let StepNews::Ended(step) = news {
                let (told, text) = &mut *written.borrow_mut();
                told.add(&text.step(&step));
                // The next step writes it again.
                let _ = told.send(&ReportedOutcome::BeingChecked);
            }
        };
        let checked = examine(&exam, &candidate, &mut report, self.stop.clone(), tell);
        let (told, text) = written.into_inner();
        told.add(&text.rest(&report));
        if let Err(error) = checked {
            self.warn(&format!("{}: {error}", spec.name));
        }
        Some(report)
    }

    fn candidate_for_acceptance(
        &self,
        spec: &PlayerSpec,
        work: &Path,
        exam: &mut Exam,
    ) -> Result<Candidate, NoRandomNumbers> {
        let identity = draw_random_identity()?;
        // Nobody can prepare for the games of a check.
        let hash = blake3::hash(identity.as_bytes());
        exam.seed = hash.as_bytes()[..4].iter().fold(0, |seed, byte| seed << 8 | u64::from(*byte));
        let players = [spec.clone()].into_iter().chain(exam.opponents(&spec.name)).collect();
        let tournament = Tournament {
            name: "check".to_owned(),
            stages: vec![Stage::round_robin(1)],
            seed: Some(exam.seed),
            openings: None,
            quarantine: 0,
            anchors: Vec::new(),
            players,
            ..self.template.clone()
        };
        Ok(Candidate {
            header: header_from_config(&tournament, exam.containment.record(), identity),
            elsewhere: Some(command_to_repeat_check(exam, &tournament.clock)),
            words: "PLAYER".to_owned(),
            remarks: referee_config::remarks_on_player(spec),
            spec: spec.clone(),
            records: work.join("records"),
        })
    }
}

impl IntakeWorker {
    /// Refuses a submission that cannot be a version of the league.
    pub(crate) fn check_acceptance_limits(
        &self,
        submission: &SubmissionUnderCheck,
    ) -> Result<(), SubmissionError> {
        if self.names.len() >= MOST_PLAYERS || submission.version > MOST_VERSIONS {
            let why = format!("the league is full: it has had {MOST_PLAYERS} players");
            return Err(SubmissionError::Refused(why));
        }
        let name = submission.name();
        if self.names.contains(&name) {
            return Err(SubmissionError::Refused(format!("another player is called `{name}`")));
        }
        Ok(())
    }

    /// Keeps a submission that has passed its check, and lets it enter. Returns its name.
    pub(crate) fn accept_submission(
        &mut self,
        submission: &mut SubmissionUnderCheck,
        taken: PreparedSubmission,
    ) -> Result<Result<String, SubmissionError>, RunEnded> {
        // During its check, its author may have been removed, and others may have entered.
        if let Some(why) = self.why_arrival_is_barred(&submission.author) {
            return Ok(Err(SubmissionError::Refused(why)));
        }
        if let Err(why) = self.check_acceptance_limits(submission) {
            return Ok(Err(why));
        }
        let entry = LeagueEntry {
            author: submission.author.clone(),
            version: submission.version,
            at: unix_seconds_now(),
            source: taken.handed_in.digest.clone(),
            kept: String::new(),
        };
        match self.keep_accepted_version(&entry, &taken) {
            Ok((spec, kept)) => self.enter_accepted_version(
                LeagueEntry { kept, ..entry },
                spec,
                taken,
                &mut submission.report,
            ),
            Err(why) => Ok(Err(why)),
        }
    }

    /// Moves a submission to its last place, and finds its player there. Also returns a hash of all
    /// that is there.
    fn keep_accepted_version(
        &self,
        entry: &LeagueEntry,
        taken: &PreparedSubmission,
    ) -> Result<(PlayerSpec, String), SubmissionError> {
        let to = league_version_dir(&self.league, entry);
        let of_author = to.parent().unwrap_or(&to);
        let failed = |error: io::Error| match SubmissionError::from_error(error) {
            SubmissionError::Refused(why) => {
                SubmissionError::Refused(format!("cannot store it: {why}"))
            }
            other => other,
        };
        fs::create_dir_all(of_author).map_err(failed)?;
        // What a run that was killed left there never played.
        remove_intake_tree(&to).map_err(failed)?;
        self.drop_oldest_versions(of_author, entry.version, taken.bytes).map_err(failed)?;
        fs::rename(&taken.tree, &to).map_err(failed)?;
        keep_version_start(&to, taken.built.as_ref()).map_err(failed)?;
        let name = LeagueEntry::version_name(&entry.author, entry.version);
        let kept = league_version_digest(&to).map_err(SubmissionError::from_error)?;
        let spec = find_version_player(&to, &name);
        Ok((spec.map_err(SubmissionError::Refused)?, kept))
    }

    /// Removes the files of an author's oldest versions until as many bytes as this fit.
    fn drop_oldest_versions(&self, of_author: &Path, next: u32, bytes: u64) -> io::Result<()> {
        let mut kept = Vec::new();
        for version in (1..next).rev() {
            let dir = of_author.join(version.to_string());
            if !dir.exists() {
                continue;
            }
            let size = submission_size(&dir);
            kept.push((dir, size));
        }
        let mut left = self.league.disk.saturating_sub(bytes);
        for (at, (dir, size)) in kept.into_iter().enumerate() {
            match left.checked_sub(size) {
                Some(rest) => left = rest,
                // The newest of them plays until this one has entered.
                None if at == 0 => left = 0,
                None => {
                    left = 0;
                    remove_intake_tree(&dir)?;
                    keep_version_start(&dir, None)?;
                }
            }
        }
        Ok(())
    }

    /// Lets a version enter in place of the one before.
    fn enter_accepted_version(
        &mut self,
        entry: LeagueEntry,
        spec: PlayerSpec,
        taken: PreparedSubmission,
        told: &mut AuthorReport,
    ) -> Result<Result<String, SubmissionError>, RunEnded> {
        let (author, name) = (entry.author.clone(), spec.name.clone());
        let player = HeaderPlayer { entry: Some(entry), ..HeaderPlayer::from(&spec) };
        // The old version first: a run that is killed in between takes the new one in at its next
        // start, but would never let the old one go.
        self.withdraw_version(&author, LeavingReason::Replaced)?;
        let change =
            RosterChange::Entered { player: player.clone().into(), files: taken.handed_in.hashes };
        let program = with_hand_ins_hidden(spec, &self.hidden);
        if let Err(why) = self.request_roster_change(change, Some(program))? {
            // No fault of the author's: the workers could not be told, for example.
            return Ok(Err(SubmissionError::Later(why)));
        }
        (self.hear)(&IntakeEvent::Entered { player: name.clone(), author: author.clone() });
        told.add(&format!("It plays as `{name}`."));
        self.names.push(name.clone());
        self.remember(&player);
        Ok(Ok(name))
    }

    /// Lets the last versions play again of authors who were removed, and are so no more.
    pub(crate) fn bring_back_readmitted(&mut self) -> Result<(), RunEnded> {
        let is_back = |(author, known): &(&String, &IntakeAuthor)| {
            known.is_removed() && !self.control.removed.contains(*author)
        };
        let back = self.authors.iter().filter(is_back);
        let back: Vec<_> = back
            .filter_map(|(author, known)| Some((author.clone(), known.last.clone()?)))
            .collect();
        for (author, mut version) in back {
            match self.bring_back(&version)? {
                Ok(()) => {
                    version.left = None;
                    self.authors.entry(author).or_default().last = Some(version);
                }
                Err(why) => self.warn(&format!("{} cannot play again: {why}", version.name))?,
            }
        }
        Ok(())
    }

    /// Lets a version play again.
    fn bring_back(&self, version: &HeaderPlayer) -> Result<Result<(), String>, RunEnded> {
        let Some(entry) = &version.entry else { return Ok(Ok(())) };
        let program = match kept_version(&self.league, version, entry, &self.hidden) {
            KeptVersion::Ready(program) => *program,
            KeptVersion::Unavailable(why) => return Ok(Err(why)),
            KeptVersion::Changed => {
                return Ok(Err("its files have changed since it entered".to_owned()));
            }
        };
        let player = version.name.clone();
        self.request_roster_change(
            RosterChange::Returned { player, at: unix_seconds_now() },
            Some(program),
        )
    }
}
