//! Writes a log again, with another header or without the games of replaced players.

use std::io;
use std::path::Path;

use super::ResumeError;
use referee_record::log::{
    LogLine, LogReader, LogWriter, SUPERSEDED, keep_removed_lines, write_log_header,
};
use referee_record::model::record::{GameRecord, Header};

/// Rewrites the log with the new header and without the games of replaced players. Those are saved
/// first, in the file of superseded games.
pub(super) fn rewrite_log(
    dir: &Path,
    log: &mut LogWriter,
    old: &Header,
    wanted: &Header,
    replaced: &[String],
) -> Result<(), ResumeError> {
    let is_superseded = |record: &GameRecord| {
        record.players.values.values().iter().any(|name| replaced.contains(name))
    };
    if !replaced.is_empty() {
        let path = dir.join(SUPERSEDED);
        keep_removed_lines(&path, |add| {
            each_line_to_rewrite(dir, &mut |line| match &line.record {
                Ok(record) if is_superseded(record) => {
                    add(&format_superseded_game(record, old, replaced))
                }
                _ => Ok(()),
            })
        })
        .map_err(|source| ResumeError::Superseded { path, source })?;
    }
    // Those who came to a league later have lines of their own.
    let founders = wanted.without_latecomers();
    log.replace(wanted, |out| {
        write_log_header(out, &founders)?;
        each_line_to_rewrite(dir, &mut |line| match &line.record {
            Ok(record) if is_superseded(record) => Ok(()),
            _ => out.write_all(&line.raw),
        })
    })?;
    Ok(())
}

fn each_line_to_rewrite(
    dir: &Path,
    each: &mut dyn FnMut(&LogLine) -> io::Result<()>,
) -> io::Result<()> {
    let mut reader = LogReader::open(dir).map_err(io::Error::other)?;
    while let Some(line) = reader.next_line().map_err(io::Error::other)? {
        each(&line)?;
    }
    Ok(())
}

/// A superseded game, with the hashes of the players that played it.
fn format_superseded_game(record: &GameRecord, header: &Header, replaced: &[String]) -> Vec<u8> {
    let hashes: serde_json::Map<String, serde_json::Value> = header
        .players
        .iter()
        .filter(|player| replaced.contains(&player.name))
        .map(|player| (player.name.clone(), player.hash.clone().into()))
        .collect();
    let line = serde_json::json!({ "replaced": hashes, "game": record });
    format!("{line}\n").into_bytes()
}
