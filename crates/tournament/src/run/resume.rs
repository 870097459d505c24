//! Starts a tournament's folder, or resumes it if the changes of the configuration are allowed.

mod changes;
pub mod continuation;
mod drawn_openings;
mod error;
mod offer;
mod rewrite;

use std::path::Path;

use self::changes::{ChangedProgram, Played, RefusedChanges, find_header_changes, may_add_games};
use self::continuation::continuation_versions;
use self::drawn_openings::draw_openings;
pub use self::error::ResumeError;
use self::offer::{offer_late_gauntlet, offer_league_continuation};
use self::rewrite::rewrite_log;
use crate::folder::{FolderError, LockedFolder, LogContents, read_folder_log, read_folder_secret};
use crate::run::header_from_config::header_from_config;
use crate::verify_record::verify_under_rules;
use referee_games::safe_one_line;
use referee_record::disk;
use referee_record::log::{LOG, LogReader, LogWriter, WriteError};
use referee_record::model::containment::Containment;
use referee_record::model::game_rules::GameRules;
use referee_record::model::opening_source::{OpeningSource, Openings};
use referee_record::model::player_spec::Out;
use referee_record::model::record::Header;
use referee_record::model::stage::{Format, Stage, checked_round_robin_stages, configured_stages};
use referee_record::model::tournament::Tournament;
use referee_record::seeds::draw_random_identity;
use referee_record::shell::quote_for_shell;

/// A tournament that can start or resume.
#[derive(Debug)]
pub struct PreparedRun {
    /// The contents of its log.
    pub contents: LogContents,
    /// The log, locked by this process.
    pub log: LogWriter,
}

/// What a run finds in a log, and what it changes there before its first game.
#[derive(Debug)]
pub struct Resumption {
    /// The contents of the log.
    pub contents: LogContents,
    /// The header that the log gets.
    pub wanted: Header,
    /// The players whose games are played again.
    pub replaced: Vec<String>,
    /// The changes since the last run, as text.
    changes: Vec<String>,
}

/// The players whose games are to be played again, and how to ask for more.
#[derive(Debug, Clone, Copy)]
pub struct ReplaceRequest<'a> {
    /// The names of the players.
    pub players: &'a [String],
    /// The command that runs the tournament, without its `--replace`.
    pub command: &'a str,
}

impl ReplaceRequest<'_> {
    /// The command that also replaces the players of these programs.
    fn command_with(&self, programs: &[ChangedProgram]) -> String {
        let names = self.players.iter().chain(programs.iter().map(|program| &program.player));
        let options = names.map(|name| format!("--replace {}", quote_for_shell(name)));
        let words: Vec<String> = [self.command.to_owned()].into_iter().chain(options).collect();
        words.join(" ")
    }
}

/// Prepares the folder for the games that are due. Creates a log, or checks that the existing one
/// fits this configuration and applies allowed changes.
pub fn prepare_resume(
    folder: &LockedFolder,
    tournament: &Tournament,
    containment: &Containment,
    request: ReplaceRequest<'_>,
    note: &dyn Fn(&str),
) -> Result<PreparedRun, ResumeError> {
    refuse_unknown_replacements(request.players, tournament)?;
    if tournament.game.is_hidden() {
        disk::make_new_files_private();
    }
    let mut log = open_resumed_log(folder, tournament, containment, note)?;
    let contents = read_folder_log(folder.dir(), |_, _| {})?;
    let Resumption { contents, mut wanted, replaced, changes } =
        examine_resumed_log(folder.dir(), contents, tournament, containment, request, note)?;
    log.continue_at(&contents.header, contents.whole)?;
    if changes.is_empty() {
        return Ok(PreparedRun { contents, log });
    }
    wanted.changes.extend(changes);
    rewrite_log(folder.dir(), &mut log, &contents.header, &wanted, &replaced)?;
    Ok(PreparedRun { contents: read_folder_log(folder.dir(), |_, _| {})?, log })
}

/// Refuses and notes what [`prepare_resume`] would refuse and note in the folder `dir`, but changes
/// nothing. Returns `None` if the tournament has no log yet.
pub fn examine_resume(
    dir: &Path,
    tournament: &Tournament,
    containment: &Containment,
    request: ReplaceRequest<'_>,
    note: &dyn Fn(&str),
) -> Result<Option<Resumption>, ResumeError> {
    refuse_unknown_replacements(request.players, tournament)?;
    if !dir.join(LOG).exists() {
        read_folder_secret(dir)?;
        continuation_versions(
            dir,
            &header_from_config(tournament, containment.clone(), String::new()),
        )?;
        return Ok(None);
    }
    drop(LogWriter::open_locked(dir)?);
    let contents = read_folder_log(dir, |_, _| {})?;
    examine_resumed_log(dir, contents, tournament, containment, request, note).map(Some)
}

/// Compares the log in `dir`, which has these contents, with the configuration.
fn examine_resumed_log(
    dir: &Path,
    contents: LogContents,
    tournament: &Tournament,
    containment: &Containment,
    request: ReplaceRequest<'_>,
    note: &dyn Fn(&str),
) -> Result<Resumption, ResumeError> {
    check_resumable_problems(&contents, note)?;
    if tournament.seed.or(contents.header.seed).is_none() {
        check_resume_secret(dir, &contents)?;
    }
    let mut wanted = header_with_openings(
        tournament,
        containment,
        &contents.header.identity,
        Some(&contents.header),
        note,
    )?;
    if wanted.is_league() {
        let came = contents.header.players.iter().filter(|player| player.entry.is_some());
        wanted.players.extend(came.cloned());
    }
    let further = contents.state.further_played() > 0;
    if further && !wanted.stages.contains(&Stage::extra_games()) {
        wanted.stages.push(Stage::extra_games());
    }
    let at = configured_stages(&wanted.stages).len();
    wanted.stages.splice(at..at, contents.state.listed_part_stages());
    let replaced = filter_changed_replacements(request.players, &contents.header, &wanted, note);
    let failed = players_failing_log_check(&contents);
    let is_failed = |name: &String| failed.contains(name);
    let (corrected, again): (Vec<_>, Vec<_>) = replaced.iter().cloned().partition(is_failed);
    mark_late_on_resume(&contents.header, &mut wanted, &corrected);
    wanted.created = contents.header.created;
    wanted.drawn = contents.header.drawn;
    wanted.version.clone_from(&contents.header.version);
    wanted.changes.clone_from(&contents.header.changes);
    let begun = u32::try_from(contents.state.begun_sections()).unwrap_or(u32::MAX);
    let stages = contents.state.begun_stages();
    let played = Played { failed: &failed, further, begun, stages };
    note_drawn_sections(Some(&contents.header), &mut wanted, &played);
    let changes = find_header_changes(&contents.header, &wanted, &replaced, &played)
        .map_err(|differences| resume_refusal(dir, &contents, &differences, request))?;
    let more = describe_openings_on_resume(&contents.header, &wanted);
    let changes = [changes, more, check_resume_rules(dir, &contents.header, tournament)?].concat();
    for change in &changes {
        note(change);
    }
    Ok(Resumption { contents, wanted, replaced: again, changes })
}

/// Notes for each disqualified player how many sections were drawn before it was, if later ones
/// depend on results: all that have begun if it is disqualified now.
fn note_drawn_sections(old: Option<&Header>, wanted: &mut Header, played: &Played<'_>) {
    if may_add_games(configured_stages(&wanted.stages)) && !played.further {
        return;
    }
    let known = |name: &str| old?.players.iter().find(|player| player.name == name);
    for player in wanted.players.iter_mut().filter(|player| player.disqualified.is_some()) {
        let before = known(&player.name).filter(|before| before.disqualified.is_some());
        player.drawn_before = before.map_or(Some(played.begun), |before| before.drawn_before);
    }
}

/// Says if more openings are drawn from the same book, for more pairs than before.
fn describe_openings_on_resume(old: &Header, wanted: &Header) -> Vec<String> {
    match (&old.openings, &wanted.openings) {
        (Some(Openings::Listed(before)), Some(Openings::Listed(now)))
            if before.len() != now.len() =>
        {
            vec![format!("openings: {} became {}", before.len(), now.len())]
        }
        _ => Vec::new(),
    }
}

/// In a partial round-robin, the players that the results do not have yet are late. So are those
/// that failed the check before it, and are corrected.
fn mark_late_on_resume(old: &Header, wanted: &mut Header, again: &[String]) {
    let place = |name: &str| old.players.iter().position(|player| player.name == name);
    let names = wanted.players.iter().map(|player| &player.name);
    let new: Vec<String> = names.filter(|name| place(name).is_none()).cloned().collect();
    for (before, stage) in old.stages.iter().zip(&mut wanted.stages) {
        if let Format::PartialRoundRobin { late: before, corrected: known, .. } = &before.format
            && let Format::PartialRoundRobin { late, corrected, .. } = &mut stage.format
        {
            let is_of_start = |name: &&String| !before.contains(name);
            *corrected = known.iter().chain(again.iter().filter(is_of_start)).cloned().collect();
            *late = [before.as_slice(), &new, again].concat();
        }
    }
    // In some formats, who meets whom depends on this order.
    wanted.players.sort_by_key(|player| place(&player.name).unwrap_or(usize::MAX));
}

/// The players that failed the check, and may come again as late ones.
fn players_failing_log_check(contents: &LogContents) -> Vec<String> {
    if checked_round_robin_stages(&contents.header.stages).is_none() {
        return Vec::new();
    }
    let all = contents.state.names().iter().zip(contents.state.outs());
    all.filter(|(_, out)| *out == Some(Out::Unchecked)).map(|(name, _)| name.clone()).collect()
}

/// Refuses to replace players that are not configured.
fn refuse_unknown_replacements(
    replaced: &[String],
    tournament: &Tournament,
) -> Result<(), ResumeError> {
    let is_player = |name: &String| tournament.players.iter().any(|player| player.name == *name);
    replaced
        .iter()
        .find(|name| !is_player(name))
        .map_or(Ok(()), |name| Err(ResumeError::Unknown(name.clone())))
}

/// If the rules program has changed, plays every recorded game again with it. Returns the change.
///
/// # Errors
/// A game has a different result, or the program failed.
fn check_resume_rules(
    dir: &Path,
    old: &Header,
    tournament: &Tournament,
) -> Result<Vec<String>, ResumeError> {
    let (Some(before), Some(now)) = (&old.program, tournament.game.program()) else {
        return Ok(Vec::new());
    };
    if before.hash == now.hash {
        return Ok(Vec::new());
    }
    let change = format!("rules program: {} became {}", safe_one_line(&before.hash), now.hash);
    let rules = GameRules::new(tournament.game.clone(), tournament.options.clone())?;
    let unreadable = FolderError::of_log(dir);
    let mut reader = LogReader::open(dir).map_err(unreadable)?;
    while let Some(record) = reader.next_record().map_err(unreadable)? {
        if let Some((ply, finding)) = verify_under_rules(&rules, old, &record)? {
            return Err(ResumeError::Rules {
                change,
                id: record.id,
                ply,
                finding: Box::new(finding),
            });
        }
    }
    Ok(vec![format!("{change}; all recorded games have the same results under the new rules")])
}

/// Opens or creates the log, and locks it against other processes.
fn open_resumed_log(
    folder: &LockedFolder,
    tournament: &Tournament,
    containment: &Containment,
    note: &dyn Fn(&str),
) -> Result<LogWriter, ResumeError> {
    if folder.has_log() {
        return Ok(LogWriter::open_locked(folder.dir())?);
    }
    let identity = draw_random_identity().map_err(FolderError::from)?;
    let header = header_with_openings(tournament, containment, &identity, None, note)?;
    let versions = continuation_versions(folder.dir(), &header)?;
    LogWriter::create_with(folder.dir(), &header, &versions).map_err(|error| match error {
        WriteError::Failed { .. } => ResumeError::NotCreated(error),
        other => other.into(),
    })
}

/// Warns about problems in a log that can be resumed. Refuses a log that cannot.
fn check_resumable_problems(
    contents: &LogContents,
    note: &dyn Fn(&str),
) -> Result<(), ResumeError> {
    if let Some(problem) = contents.problems.foreign() {
        return Err(ResumeError::Foreign(problem.clone()));
    }
    contents.problems.describe().iter().for_each(|line| note(line));
    if contents.torn {
        note("the last line of the log is incomplete; that game will be replayed");
    }
    Ok(())
}

/// The replaced players whose programs differ from those that played.
fn filter_changed_replacements(
    replaced: &[String],
    old: &Header,
    new: &Header,
    note: &dyn Fn(&str),
) -> Vec<String> {
    let hash = |header: &Header, name: &String| {
        header.players.iter().find(|player| player.name == *name).map(|player| player.hash.clone())
    };
    let is_same = |name: &&String| hash(old, name) == hash(new, name);
    let (same, changed): (Vec<_>, Vec<_>) = replaced.iter().partition(is_same);
    for name in same {
        note(&format!("--replace {name}: its program has not changed; its games are kept"));
    }
    changed.into_iter().cloned().collect()
}

/// Refuses a log with games but without its secret: the remaining games would be played under
/// another secret.
fn check_resume_secret(dir: &Path, contents: &LogContents) -> Result<(), ResumeError> {
    if read_folder_secret(dir)?.is_some() || contents.state.played() == 0 {
        return Ok(());
    }
    Err(ResumeError::LostSecret(dir.to_owned()))
}

/// The header for this configuration, with openings drawn from its book, if it has one. `old` is the
/// header of the tournament so far; what was drawn stays.
pub fn header_with_openings(
    tournament: &Tournament,
    containment: &Containment,
    identity: &str,
    old: Option<&Header>,
    note: &dyn Fn(&str),
) -> Result<Header, ResumeError> {
    let mut wanted = header_from_config(tournament, containment.clone(), identity.to_owned());
    if old.is_none() {
        note_drawn_sections(None, &mut wanted, &Played::default());
    }
    if let Some(OpeningSource::Book(book)) = &tournament.openings {
        draw_openings(&**book, &mut wanted, old, note)
            .map_err(|source| ResumeError::Book { file: book.selection().file.clone(), source })?;
    }
    Ok(wanted)
}

/// The error that the results do not fit the configuration. If only programs have changed, it ends
/// with the command that replaces them.
fn resume_refusal(
    dir: &Path,
    contents: &LogContents,
    found: &RefusedChanges,
    request: ReplaceRequest<'_>,
) -> ResumeError {
    let RefusedChanges { forbidden, programs, too_late } = found;
    let lines = forbidden.iter().cloned().chain(programs.iter().map(ToString::to_string));
    let differences = lines.map(|line| safe_one_line(&line)).collect::<Vec<_>>().join("\n  ");
    let is_all = !too_late.is_empty() && too_late.len() == forbidden.len();
    let offer = if contents.header.is_league() {
        offer_league_continuation(&contents.header.tournament)
    } else {
        is_all.then(|| offer_late_gauntlet(dir, contents, too_late)).flatten().unwrap_or_default()
    };
    let dir = dir.to_owned();
    if !forbidden.is_empty() {
        return ResumeError::Differs { dir, differences, offer };
    }
    ResumeError::Programs { dir, differences, command: request.command_with(programs) }
}
