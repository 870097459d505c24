//! The table of checked players as a CSV file.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::command_failure::Failure;
use referee_check::{CheckReport, Readiness};
use referee_report::csv_cells::format_text_cell;

/// A CSV file, opened before the checks begin. Each row is written at once.
#[derive(Debug)]
pub(super) struct CheckTable {
    path: PathBuf,
    writer: csv::Writer<File>,
    /// The built-in players that every candidate meets, in order.
    bots: Vec<String>,
}

const HEAD: [&str; 10] = [
    "player",
    "verdict",
    "step",
    "fault",
    "message",
    "startup_ms",
    "memory_kib",
    "move_ms",
    "slowest_ms",
    "slowest_under_load_ms",
];

impl CheckTable {
    /// Creates a table at `path` for players that meet these `bots`.
    pub(super) fn create(path: &Path, bots: Vec<String>) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| Failure::cannot_write(path, &error))?;
        let writer = csv::Writer::from_writer(file);
        let mut table = Self { path: path.to_owned(), writer, bots };
        let points =
            table.bots.iter().map(|bot| format!("points_{}", bot.replace(['-', ':'], "_")));
        let head: Vec<String> = HEAD.map(str::to_owned).into_iter().chain(points).collect();
        table.put(&head)?;
        Ok(table)
    }

    /// Writes a player's row.
    pub(super) fn write(&mut self, report: &CheckReport) -> Result<(), Failure> {
        let row = render_check_table_row(report, &self.bots);
        self.put(&row)
    }

    fn put(&mut self, row: &[String]) -> Result<(), Failure> {
        let written = self.writer.write_record(row).and_then(|()| Ok(self.writer.flush()?));
        written.map_err(|error| Failure::cannot_write(&self.path, &error))
    }
}

fn render_check_table_row(report: &CheckReport, bots: &[String]) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.1}"));
    let figures = &report.figures;
    let verdict = match report.outcome() {
        Readiness::Ready => "ready",
        Readiness::NotReady => "not-ready",
        Readiness::Unfinished => "unfinished",
    };
    let step = report.decisive();
    let finding = step.and_then(|step| step.finding.as_ref());
    let message = step.map_or("", |step| finding.map_or(&step.summary, |finding| &finding.reason));
    let mut row = vec![
        format_text_cell(&report.player).into_owned(),
        verdict.to_owned(),
        step.map_or(String::new(), |step| step.name.clone()),
        finding.map_or(String::new(), |finding| finding.code.to_string()),
        format_text_cell(message).into_owned(),
        number(figures.startup_ms),
        figures.memory.map_or(String::new(), |bytes| (bytes / 1024).to_string()),
        number(figures.move_ms),
        number(figures.slowest_ms),
        number(figures.slowest_under_load_ms),
    ];
    row.extend(bots.iter().map(|bot| {
        let standing = report.against.iter().find(|standing| standing.bot == *bot);
        standing.map_or(String::new(), |standing| standing.shown_points().to_string())
    }));
    row
}
