//! The report on a checked player.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;

use super::check_finding::CheckFinding;
use referee_match::player::fault_messages::DEBUG_OUTPUT;
use referee_record::model::clock::format_clock_seconds;
use referee_record::model::fault::FaultCode;
use referee_record::model::warning::{PlayerWarning, WarningWording};
use referee_report::colour::{Colour, ColouredText};

mod check_report_text;

pub use check_report_text::CheckReportText;

/// Everything known about a player. The report is complete at any moment: steps that were not taken
/// are marked as such.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckReport {
    /// The name.
    pub player: String,
    /// A description of how it is run.
    pub command: String,
    /// The game.
    pub game: String,
    /// Whether every step was taken and no problem was found.
    pub ready: bool,
    /// The steps, in order.
    pub steps: Vec<CheckStep>,
    /// The measurements.
    pub figures: CheckFigures,
    /// Its results against the built-in players.
    pub against: Vec<CheckOpponentScore>,
    /// Remarks that do not affect the verdict.
    pub warnings: BTreeSet<String>,
    /// Whether its time was up before the last step.
    #[serde(skip)]
    is_out_of_time: bool,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckStep {
    /// The name.
    pub name: String,
    /// The status.
    pub verdict: CheckStepVerdict,
    /// A summary, or the reason why it was skipped.
    #[serde(rename = "said")]
    pub summary: String,
    /// The finding, if there is one.
    pub finding: Option<CheckFinding>,
}

/// The status of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckStepVerdict {
    /// No problem was found.
    Passed,
    /// A problem was found.
    Failed,
    /// It was started but not finished.
    Unfinished,
    /// It was skipped.
    NotTried,
}

impl CheckStepVerdict {
    /// The status of a step that ended with this finding.
    pub(super) fn of(finding: Option<&CheckFinding>) -> Self {
        let is_machines = |finding: &CheckFinding| {
            // The program has not even started.
            finding.code == FaultCode::Containment && finding.ply.is_none()
        };
        match finding {
            None => Self::Passed,
            Some(finding) if is_machines(finding) => Self::Unfinished,
            Some(_) => Self::Failed,
        }
    }
}

/// The outcome of a whole check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// No problem was found.
    Ready,
    /// A problem was found.
    NotReady,
    /// No problem was found, but not all steps were taken.
    Unfinished,
}

/// The measurements over all games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct CheckFigures {
    /// The longest start-up, in milliseconds.
    pub startup_ms: Option<f64>,
    /// The largest memory use, in bytes.
    pub memory: Option<u64>,
    /// The number of timed turns, without those under load.
    pub turns: u32,
    /// The mean time of a turn, in milliseconds.
    pub move_ms: Option<f64>,
    /// The slowest turn, in milliseconds.
    pub slowest_ms: Option<f64>,
    /// The slowest turn on a busy core, in milliseconds.
    pub slowest_under_load_ms: Option<f64>,
}

/// The results against one built-in player.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckOpponentScore {
    /// The built-in player's name.
    pub bot: String,
    /// Games won; with more than two seats, those in which it was ahead of everyone.
    pub wins: u32,
    /// Games drawn; with more than two seats, those that were neither won nor lost.
    pub draws: u32,
    /// Games lost; with more than two seats, those in which everyone was ahead of it.
    pub losses: u32,
    /// Points: in each game, the share of the others that it was ahead of, those that were level
    /// counted half.
    pub points: f64,
}

impl CheckOpponentScore {
    /// Empty results against `bot`.
    pub fn new(bot: &str) -> Self {
        Self { bot: bot.to_owned(), wins: 0, draws: 0, losses: 0, points: 0.0 }
    }

    /// Adds a game in which it got so many `points`, from 0 to 1.
    pub fn add(&mut self, points: f64) {
        self.points += points;
        let count = match points {
            1.0 => &mut self.wins,
            0.0 => &mut self.losses,
            _ => &mut self.draws,
        };
        *count += 1;
    }

    /// What it achieved in games of this many seats.
    pub fn in_words(&self, seats: usize) -> String {
        let Self { wins, draws, losses, points, .. } = self;
        match seats {
            2 => format!("won {wins}, drawn {draws}, lost {losses}"),
            _ => format!("ahead of all in {wins}, behind all in {losses}, {points:.1} points"),
        }
    }

    /// The points with two decimals, as people read them.
    pub fn shown_points(&self) -> f64 {
        (self.points * 100.0).round() / 100.0
    }

    /// Games played.
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }
}

impl CheckFigures {
    /// Adds the times of a game's turns.
    pub(super) fn time(&mut self, used_ns: &[u64], under_load: bool) {
        let slowest = used_ns.iter().max().map(|&used| figure_in_millis(used));
        if under_load {
            self.slowest_under_load_ms = larger_check_figure(self.slowest_under_load_ms, slowest);
            return;
        }
        self.slowest_ms = larger_check_figure(self.slowest_ms, slowest);
        for &used in used_ns {
            let before = self.move_ms.unwrap_or_default() * f64::from(self.turns);
            self.turns += 1;
            self.move_ms = Some((before + figure_in_millis(used)) / f64::from(self.turns));
        }
    }

    /// Adds a start-up time.
    pub(super) fn start(&mut self, startup: Duration) {
        self.startup_ms = larger_check_figure(self.startup_ms, Some(startup.as_secs_f64() * 1e3));
    }
}

#[expect(clippy::cast_precision_loss, reason = "nanoseconds of a turn are far below 2^53")]
fn figure_in_millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

fn larger_check_figure(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).max_by(f64::total_cmp)
}

impl CheckReport {
    /// Creates the report on `player` before any step.
    pub fn new(player: &str, command: &str, game: &str, steps: Vec<String>) -> Self {
        let untried = |name| CheckStep {
            name,
            verdict: CheckStepVerdict::NotTried,
            summary: "skipped".to_owned(),
            finding: None,
        };
        Self {
            player: player.to_owned(),
            command: command.to_owned(),
            game: game.to_owned(),
            ready: false,
            steps: steps.into_iter().map(untried).collect(),
            figures: CheckFigures::default(),
            against: Vec::new(),
            warnings: BTreeSet::new(),
            is_out_of_time: false,
        }
    }

    /// Creates a report on something that is not a player, named as the user gave it.
    pub fn refused(word: &str, game: &str, why: &str) -> Self {
        let mut report = Self::new(word, word, game, vec!["player".to_owned()]);
        report.steps[0].verdict = CheckStepVerdict::Failed;
        why.clone_into(&mut report.steps[0].summary);
        report
    }

    /// Why this is not a player, if it is not, without its name.
    pub fn no_player(&self) -> Option<&str> {
        let [step] = &self.steps[..] else { return None };
        let why = (step.verdict == CheckStepVerdict::Failed).then_some(&*step.summary)?;
        let subject = format!("player `{}`: ", self.player.escape_debug());
        Some(why.strip_prefix(&*subject).unwrap_or(why))
    }

    /// Marks the current step as unfinished, with the reason. The steps after it stay untried.
    pub fn break_off(&mut self, why: &str) {
        self.ready = false;
        let under_way =
            self.steps.iter_mut().find(|step| step.verdict == CheckStepVerdict::NotTried);
        if let Some(step) = under_way {
            (step.verdict, step.summary) =
                (CheckStepVerdict::Unfinished, format!("not finished: {why}"));
        }
    }

    /// The same because the time `within` is up.
    pub(super) fn end_in_time(&mut self, within: Duration) {
        self.is_out_of_time = true;
        let within = humantime::format_duration(within);
        self.break_off(&format!("the time limit of {within} has passed (--within)"));
    }

    /// Drops the note on output after the end if a finding already reports wrong output.
    pub(super) fn drop_repeated_notes(&mut self) {
        let is_output = |finding: &CheckFinding| {
            matches!(finding.code, FaultCode::Malformed | FaultCode::UnexpectedOutput)
                || finding.message.contains(DEBUG_OUTPUT)
        };
        if self.steps.iter().filter_map(|step| step.finding.as_ref()).any(is_output) {
            let note = PlayerWarning::WroteAfterEnd(String::new()).text(WarningWording::General);
            self.warnings.remove(&note);
        }
    }

    /// Notes a start that took more than half of the time `allowed`.
    pub(super) fn note_slow_start(&mut self, allowed: Duration) {
        let took = Duration::from_secs_f64(self.figures.startup_ms.unwrap_or_default() / 1e3);
        if took > allowed / 2 && took <= allowed {
            let (took, allowed) = (format_clock_seconds(took), format_clock_seconds(allowed));
            let why = "on a slower or busier machine it may be too late";
            self.warnings.insert(format!("took {took} to start (limit {allowed}): {why}"));
        }
    }

    /// The first failed step, or else the unfinished one.
    pub fn decisive(&self) -> Option<&CheckStep> {
        let first = |verdict| self.steps.iter().find(|step| step.verdict == verdict);
        first(CheckStepVerdict::Failed).or_else(|| first(CheckStepVerdict::Unfinished))
    }

    /// The outcome of the check.
    pub fn outcome(&self) -> Readiness {
        match self.decisive().map(|step| step.verdict) {
            Some(CheckStepVerdict::Failed) => Readiness::NotReady,
            None if self.ready => Readiness::Ready,
            _ => Readiness::Unfinished,
        }
    }

    /// Whether a league lets the player in: nothing speaks against it, and the check has ended or had
    /// no time for more. Who thinks for as long as the clock allows is slow, but not wrong.
    pub fn lets_in(&self) -> bool {
        let has_started =
            self.steps.first().is_some_and(|step| step.verdict == CheckStepVerdict::Passed);
        match self.outcome() {
            Readiness::Ready => true,
            Readiness::NotReady => false,
            Readiness::Unfinished => self.is_out_of_time && has_started,
        }
    }

    /// The command that repeats the first failure.
    pub fn repeats(&self) -> Option<&str> {
        self.decisive()?.finding.as_ref()?.reproduce.as_deref()
    }

    /// The verdict in a sentence.
    pub fn verdict(&self) -> String {
        let taken =
            self.steps.iter().filter(|step| step.verdict == CheckStepVerdict::Passed).count();
        match (self.outcome(), self.decisive()) {
            (Readiness::Ready, _) => "ready: no problems found".to_owned(),
            (Readiness::NotReady, Some(step)) => match &step.finding {
                Some(finding) => format!("NOT READY: {}: {}", finding.code, finding.reason),
                None => {
                    format!("NOT READY: {}", referee_protocol::escape::escape_line(&step.summary))
                }
            },
            (_, step) => {
                let why = step.map_or("skipped", |step| &step.summary);
                let steps = self.steps.len();
                format!("{why}; no problems found in {taken} of {steps} steps")
            }
        }
    }

    /// The whole report as text, in lines of at most this many columns.
    pub fn describe(&self, colour: Colour, columns: Option<usize>) -> ColouredText {
        let mut text = CheckReportText::new(self, colour, columns);
        ColouredText::join([CheckReportText::heading(self), text.rest(self)], "\n")
    }
}

#[cfg(test)]
mod tests;
