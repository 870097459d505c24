//! A file with the report of each player, to hand out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::Failure;
use super::candidates::{file_name, free};
use crate::check::CheckReport;
use crate::printer::Colour;

/// The folder of the reports.
pub(super) struct ReportFiles {
    dir: PathBuf,
    /// The file names used so far, without their extension.
    taken: BTreeSet<String>,
}

impl ReportFiles {
    /// Creates the folder unless it exists.
    pub(super) fn create(dir: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(dir).map_err(|error| {
            Failure::system(format!("cannot create {}: {error}", dir.display()))
        })?;
        Ok(Self { dir: dir.to_owned(), taken: BTreeSet::new() })
    }

    /// Writes a player's report, and replaces that of an earlier check.
    pub(super) fn write(&mut self, report: &CheckReport) -> Result<(), Failure> {
        let name = free(&file_name(&report.player), &mut self.taken);
        let path = self.dir.join(format!("{name}.txt"));
        fs::write(&path, format!("{}\n", report.describe(Colour::Plain, None)))
            .map_err(|error| Failure::cannot_write(&path, &error))
    }
}
