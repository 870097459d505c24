//! Compares the tables of a results folder with its log.

use std::io;
use std::path::Path;

use blake3::{Hash, Hasher};
use serde::Serialize;

use super::VerifyFinding;
use crate::command_failure::Failure;
use referee_record::model::grades::Grades;
use referee_record::plain_files::{
    open_plain_nofollow, plain_file_has_content, read_plain_nofollow,
};
use referee_report::csv_tables::{GAMES_TABLE, GRADES_RULES, GRADES_TABLE, UNFINISHED};
use referee_report::tournament_tables::TournamentTables;

/// The most bytes of the rules for marks, which are applied to every player: enough for the names
/// and reasons of a thousand who are absent.
const LARGEST_RULES: u64 = 1 << 17;
/// The command that writes the marks again.
const REPORT_GRADES: &str = "`referee report --grades CONFIG`";

/// Whether the tables were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum TableState {
    /// The log has problems to solve first, or a run is writing to the folder.
    Unchecked,
    /// No run has ended yet, so there are no tables.
    Missing,
    /// The last run did not end, so the tables may be older than the log.
    Unfinished,
    Compared,
    /// They were compared, the marks by the rules that the folder itself carries.
    ComparedByOwnRules,
    /// They were compared, except for the marks: their rules are unknown.
    ComparedWithoutMarks,
}

impl TableState {
    /// What people are told of it, if anything.
    pub(super) fn remark(self) -> Option<&'static str> {
        Some(match self {
            Self::Missing => "It has no tables yet: `referee run` writes them when it ends.",
            Self::Unfinished => {
                "The last run was cut short; its tables may be older than the log: `referee run` \
                 writes them again."
            }
            Self::ComparedByOwnRules => {
                "The marks in grades.csv were checked against the rules beside them, in \
                 grades.json. `referee verify --grades CONFIG` checks them against a configuration."
            }
            Self::ComparedWithoutMarks => {
                "The marks in grades.csv were not checked, because their rules are unknown. \
                 `referee verify --grades CONFIG` checks them against [grades] in this \
                 tournament's configuration."
            }
            Self::Unchecked | Self::Compared => return None,
        })
    }
}

/// Compares the tables with the log. The table of games should have the hash `games`, and the marks
/// should follow from `grades`, or else from the rules in the folder.
pub(super) fn check_tables(
    tables: &TournamentTables,
    games: Hash,
    grades: Option<&Grades>,
) -> Result<(TableState, Vec<VerifyFinding>), Failure> {
    let dir = tables.analysis.dir();
    if dir.join(UNFINISHED).exists() {
        return Ok((TableState::Unfinished, Vec::new()));
    }
    let files = tables.csv_files().map_err(|error| table_check_failure(&error))?;
    let is_missing = |file: &str| !dir.join(file).exists();
    let names = files.iter().map(|(file, _)| *file).chain([GAMES_TABLE]);
    if tables.analysis.state.count_due() > 0 && names.clone().all(is_missing) {
        return Ok((TableState::Missing, Vec::new()));
    }
    let same =
        |(file, expected): &(&str, Vec<u8>)| plain_file_has_content(&dir.join(file), expected);
    let compared =
        names.zip(files.iter().map(same).chain([table_has_hash(&dir.join(GAMES_TABLE), games)]));
    let found =
        compared.filter_map(|(file, same)| table_check_finding(file, same, "`referee run`"));
    let mut found: Vec<VerifyFinding> = found.collect();
    let own = match grades.is_none().then(|| read_recorded_grade_rules(dir)).transpose() {
        Ok(own) => own.flatten(),
        Err(error) => {
            found.extend(table_check_finding(GRADES_RULES, Err(error), REPORT_GRADES));
            return Ok((TableState::ComparedWithoutMarks, found));
        }
    };
    let state = own.as_ref().map_or(TableState::Compared, |_| TableState::ComparedByOwnRules);
    match grades.or(own.as_ref()) {
        // Marks are only expected when all games are played.
        Some(_) if is_missing(GRADES_TABLE) && tables.analysis.state.count_due() > 0 => {}
        Some(grades) => {
            let same = plain_file_has_content(
                &dir.join(GRADES_TABLE),
                &grades_for_table_check(grades, tables)?,
            );
            found.extend(table_check_finding(GRADES_TABLE, same, REPORT_GRADES));
            return Ok((state, found));
        }
        None => {}
    }
    Ok((TableState::Compared, found))
}

/// The rules for marks in a results folder; `None` if it has neither marks nor rules.
fn read_recorded_grade_rules(dir: &Path) -> io::Result<Option<Grades>> {
    match read_plain_nofollow(&dir.join(GRADES_RULES), LARGEST_RULES) {
        Ok(rules) => Ok(Some(serde_json::from_slice(&rules)?)),
        Err(_) if !dir.join(GRADES_RULES).exists() && !dir.join(GRADES_TABLE).exists() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the file at `path` has this hash.
fn table_has_hash(path: &Path, expected: Hash) -> io::Result<bool> {
    let mut found = Hasher::new();
    io::copy(&mut open_plain_nofollow(path)?, &mut found)?;
    Ok(found.finalize() == expected)
}

fn grades_for_table_check(grades: &Grades, tables: &TournamentTables) -> Result<Vec<u8>, Failure> {
    tables.grade_players(grades).to_csv().map_err(|error| table_check_failure(&error))
}

pub(super) fn table_check_failure(error: &io::Error) -> Failure {
    Failure::system(format!("cannot compute tables: {error}"))
}

/// The problem with a table, and the command that writes it again.
fn table_check_finding(
    file: &'static str,
    same: io::Result<bool>,
    command: &str,
) -> Option<VerifyFinding> {
    let problem = match same {
        Ok(true) => return None,
        Ok(false) => format!("it differs from the log; {command} writes it again"),
        Err(error) => format!("it cannot be read: {error}; {command} writes it again"),
    };
    Some(VerifyFinding { file, line: None, id: None, problem })
}
