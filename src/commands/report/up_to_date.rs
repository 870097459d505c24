//! Whether the tables and the page beside a log are up to date: then a run that plays nothing leaves
//! them alone.
//!
//! As in a makefile, that is a matter of times. They are made again if the log, the configuration or
//! this program has changed since, or if a file is missing.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use referee_record::log::LOG;
use referee_report::csv_tables::{GAMES_TABLE, PAGE, TABLES, UNFINISHED};
use referee_report::game_files::game_file_paths;

/// A time of a file, in seconds and nanoseconds.
type FileTime = (i64, i64);

/// Whether the tables and the page in the results folder `dir`, with `games` games in its log, are
/// up to date.
pub(in crate::commands) fn is_up_to_date(dir: &Path, config: &Path, games: usize) -> bool {
    let Some(changed) = last_report_input_change(dir, &[config]) else { return false };
    let files = TABLES.into_iter().chain([GAMES_TABLE, PAGE]).map(PathBuf::from);
    files
        .chain(game_file_paths(games))
        .all(|file| file_time_if_written(&dir.join(file)) > Some(changed))
}

/// Whether a file of the results folder `dir` that is written game by game, just after the log, is
/// up to date. Both may have the same time: the system's clock of files is coarse.
pub(in crate::commands) fn file_is_up_to_date(dir: &Path, file: &str) -> bool {
    last_report_input_change(dir, &[])
        .is_some_and(|changed| file_time_if_written(&dir.join(file)) >= Some(changed))
}

/// When a file was written, if it is one.
fn file_time_if_written(path: &Path) -> Option<FileTime> {
    let found = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((found.mtime(), found.mtime_nsec()))
}

/// When the log in `dir`, this program or one of these files changed last; `None` if that is unknown,
/// or if a run was cut off before it wrote its tables.
fn last_report_input_change(dir: &Path, files: &[&Path]) -> Option<FileTime> {
    if dir.join(UNFINISHED).exists() {
        return None;
    }
    let (log, program) = (dir.join(LOG), std::env::current_exe().ok()?);
    let all = [&*log, &*program].into_iter().chain(files.iter().copied());
    // The time of the inode, which also changes when another file takes the place of this one.
    let times = all.map(|path| fs::metadata(path).ok().map(|it| (it.ctime(), it.ctime_nsec())));
    times.collect::<Option<Vec<_>>>()?.into_iter().max()
}
