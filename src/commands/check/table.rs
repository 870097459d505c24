//! The table of checked players as a CSV file.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::check::{Report, Standing};
use crate::commands::Failure;
use crate::report::tables::text;

/// A CSV file, opened before anything is checked.
#[derive(Debug)]
pub(super) struct Table {
    path: PathBuf,
    file: File,
}

impl Table {
    /// An empty file at `path`.
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| {
            Failure::system(format!("cannot write {}: {error}", path.display()))
        })?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes a row for each player.
    pub(super) fn write(&mut self, reports: &[Report]) -> Result<(), Failure> {
        let failed = |error: csv::Error| {
            Failure::system(format!("cannot write {}: {error}", self.path.display()))
        };
        let mut writer = csv::Writer::from_writer(&mut self.file);
        let bots = bots(reports);
        let mut head: Vec<String> = [
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
        ]
        .map(str::to_owned)
        .into();
        head.extend(bots.iter().map(|bot| format!("points_{}", bot.replace(['-', ':'], "_"))));
        writer.write_record(&head).map_err(failed)?;
        for report in reports {
            writer.write_record(row(report, &bots)).map_err(failed)?;
        }
        writer.flush().map_err(|error| failed(error.into()))
    }
}

/// The house players that anyone met, in order.
fn bots(reports: &[Report]) -> Vec<&str> {
    let mut bots: Vec<&str> = Vec::new();
    for Standing { bot, .. } in reports.iter().flat_map(|report| &report.against) {
        if !bots.contains(&bot.as_str()) {
            bots.push(bot);
        }
    }
    bots
}

fn row(report: &Report, bots: &[&str]) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.1}"));
    let figures = &report.figures;
    let failed = report.steps.iter().find(|step| step.finding.is_some());
    let finding = report.finding();
    let mut row = vec![
        text(&report.player).into_owned(),
        if report.ready { "ready" } else { "not-ready" }.to_owned(),
        failed.map_or(String::new(), |step| step.name.clone()),
        finding.map_or(String::new(), |finding| finding.code.to_string()),
        finding.map_or(String::new(), |finding| text(&finding.message).into_owned()),
        number(figures.startup_ms),
        figures.memory.map_or(String::new(), |bytes| (bytes / 1024).to_string()),
        number(figures.move_ms),
        number(figures.slowest_ms),
        number(figures.slowest_under_load_ms),
    ];
    row.extend(bots.iter().map(|bot| {
        let standing = report.against.iter().find(|standing| standing.bot == *bot);
        standing.map_or(String::new(), |standing| standing.points().to_string())
    }));
    row
}
