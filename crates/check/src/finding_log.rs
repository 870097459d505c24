//! Saves the games with a finding as a log, so that they can be replayed and their decisions
//! repeated.

use std::path::Path;

use crate::error::ExamError;
use referee_record::disk;
use referee_record::log::{LOG, LogWriter, WriteError};
use referee_record::model::record::{GameRecord, Header};

/// Keeps a record in the `log` of a player, which the first one creates in the folder `dir`, in place
/// of the log of an earlier check. If a later check has replaced it since, nothing more is kept.
pub(super) fn write_finding_record(
    log: &mut Option<LogWriter>,
    (dir, header): (&Path, &Header),
    record: &GameRecord,
) -> Result<(), ExamError> {
    let log = if let Some(log) = log { log } else { log.insert(create_finding_log(dir, header)?) };
    match log.append(record) {
        Ok(()) | Err(WriteError::Moved(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn create_finding_log(dir: &Path, header: &Header) -> Result<LogWriter, ExamError> {
    let path = dir.join(LOG);
    // It may lie in a submission, where a link leads anywhere.
    dir.parent()
        .map_or(Ok(()), disk::create_results_subfolder)
        .and_then(|()| disk::create_results_subfolder(dir))
        .and_then(|()| disk::remove_if_there(&path))
        .map_err(|source| WriteError::Failed { path, source })
        .and_then(|()| LogWriter::create(dir, header))
        .map_err(ExamError::from)
}
