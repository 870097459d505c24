//! The report on a player as text, step by step.

use std::fmt::Write as _;
use std::time::Duration;

use super::{CheckFigures, CheckReport, CheckStep, CheckStepVerdict, Readiness};
use crate::CheckFinding;
use referee_protocol::escape::escape_line;
use referee_record::model::clock::format_clock_seconds;
use referee_record::model::fault::FaultCode;
use referee_report::colour::{Colour, ColouredText};

const GREEN: &str = "32";
const RED: &str = "1;31";
const YELLOW: &str = "33";

/// Writes a report step by step, each finding in full only once.
#[derive(Debug)]
pub struct CheckReportText {
    colour: Colour,
    /// The width of a line, except lines with a command to copy, which stay whole.
    columns: Option<usize>,
    /// The width of the names of the steps.
    width: usize,
    /// The number of steps written so far.
    steps: usize,
    /// The findings written so far.
    told: Vec<(FaultCode, String)>,
}

impl CheckReportText {
    /// Begins the text of this report, in lines of at most this many columns.
    pub fn new(report: &CheckReport, colour: Colour, columns: Option<usize>) -> Self {
        let width = report.steps.iter().map(|step| step.name.len()).max().unwrap_or_default();
        Self { colour, columns, width, steps: 0, told: Vec::new() }
    }

    /// The line above the steps: the player and the game.
    pub fn heading(report: &CheckReport) -> ColouredText {
        let player = escape_line(&report.player);
        let command = escape_line(&report.command);
        let name = if player == command { player } else { format!("{player}: {command}") };
        format!("{name} ({})", report.game).into()
    }

    /// The lines of the next step.
    pub fn step(&mut self, step: &CheckStep) -> ColouredText {
        self.steps += 1;
        let mark = match step.verdict {
            CheckStepVerdict::Passed => self.colour.paint("ok  ", GREEN),
            CheckStepVerdict::Failed => self.colour.paint("FAIL", RED),
            CheckStepVerdict::Unfinished | CheckStepVerdict::NotTried => {
                self.colour.paint("-   ", YELLOW)
            }
        };
        let (width, summary) = (self.width, escape_line(&step.summary));
        let outcome = format!("  {:width$}  {summary}", step.name);
        let mut text = self.wrapped(&ColouredText::join(["  ".into(), mark, outcome.into()], ""));
        if let Some(finding) = &step.finding {
            let key = (finding.code, finding.message.clone());
            if self.told.contains(&key) {
                text.push("\n        same as above");
            } else {
                text.append(&self.details(finding));
                self.told.push(key);
            }
        }
        text
    }

    /// The steps that were not written yet, the measurements, the notes and the verdict.
    pub fn rest(&mut self, report: &CheckReport) -> ColouredText {
        let left = self.steps;
        let mut steps: Vec<ColouredText> =
            report.steps.iter().skip(left).map(|step| self.step(step)).collect();
        let mut lines: Vec<ColouredText> =
            figures(report).into_iter().map(ColouredText::from).collect();
        let notes = report.warnings.iter().map(|warning| escape_line(warning));
        lines.extend(notes.map(|note| {
            let label = self.colour.paint("note", YELLOW);
            ColouredText::join(["  ".into(), label, format!(": {note}").into()], "")
        }));
        let colour = match report.outcome() {
            Readiness::Ready => GREEN,
            Readiness::NotReady => RED,
            Readiness::Unfinished => YELLOW,
        };
        lines.push(self.colour.paint(&report.verdict(), colour));
        steps.push(self.wrapped(&ColouredText::join(lines, "\n")));
        ColouredText::join(steps, "\n")
    }

    fn details(&self, finding: &CheckFinding) -> ColouredText {
        let mut lines: Vec<ColouredText> =
            finding.describe().lines().map(ColouredText::from).collect();
        if let Some(board) = &finding.board {
            lines.extend(board.with_colour(self.colour).split_lines());
        }
        lines.extend(finding.shown_exchange().map(|line| line.to_string().into()));
        let label = || self.colour.paint("advice", GREEN);
        let advice = |text| ColouredText::join([label(), format!(": {text}").into()], "");
        lines.extend(finding.advice.iter().map(advice));
        let indented = |line| ColouredText::join(["\n        ".into(), line], "");
        let mut text = self.wrapped(&ColouredText::join(lines.into_iter().map(indented), ""));
        if let Some(again) = &finding.reproduce {
            text.push(&format!("\n        again: {again}"));
        }
        text
    }

    /// The text with its long lines broken between words.
    fn wrapped(&self, text: &ColouredText) -> ColouredText {
        self.columns.map_or_else(|| text.clone(), |columns| text.wrapped(columns))
    }
}

/// The lines of the measurements and the results; none if nothing was measured.
fn figures(report: &CheckReport) -> Option<String> {
    let figures = &report.figures;
    if *figures == CheckFigures::default() {
        return None;
    }
    let time = |ms: Option<f64>| match ms {
        None => "not measured".to_owned(),
        Some(..1.0) => "under 1 ms".to_owned(),
        Some(ms) => format_clock_seconds(Duration::from_secs_f64(ms / 1e3)),
    };
    let memory = figures
        .memory
        .map_or("not measured".to_owned(), |bytes| format!("{} MiB", bytes.div_ceil(1024 * 1024)));
    let mut text = format!(
        "  start-up {}, memory {memory}, a turn {} (slowest {}, on a busy core {})",
        time(figures.startup_ms),
        time(figures.move_ms),
        time(figures.slowest_ms),
        time(figures.slowest_under_load_ms),
    );
    if !report.against.is_empty() {
        let score = |standing: &super::CheckOpponentScore| {
            format!("{} {} of {}", standing.bot, standing.shown_points(), standing.games())
        };
        let scores: Vec<String> = report.against.iter().map(score).collect();
        // Writing to a string does not fail.
        let _ = write!(text, "\n  points: {}", scores.join(", "));
    }
    Some(text)
}
