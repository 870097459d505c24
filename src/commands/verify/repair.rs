//! `verify --repair`: moves unusable lines out of the log.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::disk::write_whole;
use crate::error::Failure;
use crate::folder::{LineProblem, LineProblemKind, LockedFolder, log_failure, place};
use crate::log::{LOG, LogLine, LogReader, LogWriter, set_aside};
use crate::printer::Printer;
use crate::schedule::state::TournamentState;

/// The file for unusable lines.
const SET_ASIDE: &str = "set-aside.jsonl";
/// The copy of the log before a repair.
const BEFORE: &str = "games.jsonl.before-repair";

/// Copies the log, moves its bad lines to another file, and replaces the log in one step.
pub(super) fn repair(dir: &Path, printer: Printer) -> Result<(), Failure> {
    let _locked = LockedFolder::open(dir)?;
    let mut log = LogWriter::hold(dir)?;
    let reader = LogReader::open(dir).map_err(|error| log_failure(dir, &error))?;
    if !reader.header_intact() {
        return Err(Failure::input(format!(
            "{}: the header was edited, so edited lines cannot be recognised; restore the log",
            dir.join(LOG).display()
        )));
    }
    let mut bad = 0;
    let mut count = |_: &LogLine, problem: Option<LineProblem>| {
        bad += usize::from(problem.is_some());
        Ok(())
    };
    each_line(dir, &mut count).map_err(|error| Failure::input(error.to_string()))?;
    if bad == 0 {
        printer.note("nothing to repair: every line of the log is usable");
        return Ok(());
    }
    let failed = |path: &Path, error| {
        Failure::system(format!("cannot write {}: {error}; the log is as it was", path.display()))
    };
    let copy = keep_copy(dir).map_err(|error| failed(&dir.join(BEFORE), error))?;
    let path = dir.join(SET_ASIDE);
    set_aside(&path, |add| {
        each_line(dir, &mut |line, problem| {
            problem.map_or(Ok(()), |problem| add(&removed_line(line, &problem)))
        })
    })
    .map_err(|error| failed(&path, error))?;
    log.replace(reader.header(), |out| {
        out.write_all(reader.header_line())?;
        each_line(dir, &mut |line, problem| match problem {
            None => out.write_all(&line.raw),
            Some(_) => Ok(()),
        })
    })?;
    printer.note(&format!(
        "{} moved to {}; the log as it was is {}",
        if bad == 1 { "1 line was".to_owned() } else { format!("{bad} lines were") },
        path.display(),
        copy.display()
    ));
    Ok(())
}

/// Passes every line of the log to `each`, with its problem, if any.
fn each_line(
    dir: &Path,
    each: &mut dyn FnMut(&LogLine, Option<LineProblem>) -> io::Result<()>,
) -> io::Result<()> {
    let mut reader = LogReader::open(dir).map_err(io::Error::other)?;
    let mut state = TournamentState::new(reader.header().into());
    while let Some(line) = reader.next_line().map_err(io::Error::other)? {
        each(&line, problem(&line, &mut state))?;
    }
    Ok(())
}

/// The problem with a line, if any. An edited line does not affect the lines after it.
fn problem(line: &LogLine, state: &mut TournamentState) -> Option<LineProblem> {
    if line.record.is_ok() && !line.intact {
        return Some(LineProblem::of(line, LineProblemKind::Edited));
    }
    place(line, state).1
}

/// A removed line, with its position and its problem.
fn removed_line(line: &LogLine, problem: &LineProblem) -> Vec<u8> {
    let text = String::from_utf8_lossy(&line.raw);
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let line = serde_json::json!({
        "line": line.number, "problem": problem.kind.to_string(), "text": text,
    });
    format!("{line}\n").into_bytes()
}

/// Copies the log beside itself, unless an identical copy exists, and returns the copy's path.
fn keep_copy(dir: &Path) -> io::Result<PathBuf> {
    let log = dir.join(LOG);
    let mut path = dir.join(BEFORE);
    let mut number = 1;
    while path.try_exists()? {
        if is_same(&log, &path)? {
            return Ok(path);
        }
        number += 1;
        path = dir.join(format!("{BEFORE}-{number}"));
    }
    write_whole(&path, |out| io::copy(&mut File::open(&log)?, out).map(drop))?;
    Ok(path)
}

fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    let (one, other) = (File::open(one)?, File::open(other)?);
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut one, mut other) = (BufReader::new(one).bytes(), BufReader::new(other).bytes());
    loop {
        match (one.next().transpose()?, other.next().transpose()?) {
            (None, None) => return Ok(true),
            (one, other) if one == other => {}
            _ => return Ok(false),
        }
    }
}
