//! `verify --repair`: moves unusable lines out of the log.

use std::io;
use std::path::{Path, PathBuf};

use crate::command_failure::Failure;
use crate::printer::Printer;
use referee_record::disk::{make_new_files_private, write_atomically};
use referee_record::log::{
    GameLineNames, LOG, LogReader, LogWriter, ScannedLine, keep_removed_lines,
};
use referee_record::plain_files::open_plain_nofollow;
use referee_tournament::folder::{
    FolderError, LineProblem, LineProblemKind, LockedFolder, add_line_or_problem,
};
use referee_tournament::schedule::tournament_state::TournamentState;

/// The file for unusable lines.
const SET_ASIDE: &str = "set-aside.jsonl";
/// The copy of the log before a repair.
const BEFORE: &str = "games.jsonl.before-repair";

/// Copies the log, moves its bad lines to another file, and replaces the log in one step.
pub(super) fn repair_log(dir: &Path, printer: Printer) -> Result<(), Failure> {
    let _locked = LockedFolder::open(dir)?;
    let mut log = LogWriter::open_locked(dir)?;
    let reader = LogReader::open(dir).map_err(FolderError::of_log(dir))?;
    if !reader.header_intact() {
        return Err(Failure::input(format!(
            "{}: the header was edited, so edited lines cannot be recognised; restore the log",
            dir.join(LOG).display()
        )));
    }
    if reader.header().is_hidden() {
        make_new_files_private();
    }
    let mut bad = 0;
    let mut count = |_: &[u8], problem: Option<LineProblem>| {
        bad += usize::from(problem.is_some());
        Ok(())
    };
    scan_lines_to_repair(dir, &mut count).map_err(|error| Failure::input(error.to_string()))?;
    if bad == 0 {
        printer.note("nothing to repair: every line of the log is usable");
        return Ok(());
    }
    let failed = |path: &Path, error| {
        Failure::system(format!("cannot write {}: {error}; the log is unchanged", path.display()))
    };
    let copy = copy_log_before_repair(dir).map_err(|error| failed(&dir.join(BEFORE), error))?;
    let path = dir.join(SET_ASIDE);
    keep_removed_lines(&path, |add| {
        scan_lines_to_repair(dir, &mut |raw, problem| {
            problem.map_or(Ok(()), |problem| add(&format_removed_line(raw, &problem)))
        })
    })
    .map_err(|error| failed(&path, error))?;
    log.replace(reader.header(), |out| {
        out.write_all(reader.header_line())?;
        scan_lines_to_repair(dir, &mut |raw, problem| match problem {
            None => out.write_all(raw),
            Some(_) => Ok(()),
        })
    })?;
    printer.note(&format!(
        "{} moved to {}; the original log is {}",
        if bad == 1 { "1 line was".to_owned() } else { format!("{bad} lines were") },
        path.display(),
        copy.display()
    ));
    Ok(())
}

/// Takes the bytes of a line, and its problem, if any.
type EachLine<'a> = &'a mut dyn FnMut(&[u8], Option<LineProblem>) -> io::Result<()>;

/// Passes the bytes of every line of the log to `each`, with the line's problem, if any.
fn scan_lines_to_repair(dir: &Path, each: EachLine<'_>) -> io::Result<()> {
    let mut reader = LogReader::open(dir).map_err(io::Error::other)?;
    let names = GameLineNames::of(reader.header());
    let mut state = TournamentState::new(reader.header());
    while let Some(line) = reader.next_line().map_err(io::Error::other)? {
        let raw = line.raw.clone();
        each(&raw, line_problem_to_repair(&ScannedLine::from_line(line, &names), &mut state))?;
    }
    Ok(())
}

/// The problem with a line, if any. An edited line does not affect the lines after it.
fn line_problem_to_repair(line: &ScannedLine, state: &mut TournamentState) -> Option<LineProblem> {
    if line.is_edited() {
        return Some(LineProblem::new(line, LineProblemKind::Edited));
    }
    add_line_or_problem(line, state).1
}

/// A removed line, with its position and its problem.
fn format_removed_line(raw: &[u8], problem: &LineProblem) -> Vec<u8> {
    let text = String::from_utf8_lossy(raw);
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let line = serde_json::json!({
        "line": problem.line, "problem": problem.kind.to_string(), "text": text,
    });
    format!("{line}\n").into_bytes()
}

/// Copies the log beside itself under a name that is not taken, and returns the copy's path.
fn copy_log_before_repair(dir: &Path) -> io::Result<PathBuf> {
    let mut path = dir.join(BEFORE);
    let mut number = 1;
    while path.try_exists()? {
        number += 1;
        path = dir.join(format!("{BEFORE}-{number}"));
    }
    write_atomically(&path, |out| {
        io::copy(&mut open_plain_nofollow(&dir.join(LOG))?, out).map(drop)
    })?;
    Ok(path)
}
