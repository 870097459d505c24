//! `league close`: ends a league, and writes the configuration of the final that gives the marks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;
use toml::{Table, Value};

use super::{change_league_control, configured_league};
use crate::commands::game_args::absolute_game_folder;
use crate::commands::{Failure, Status};
use crate::printer::Printer;
use referee_config::{Configuration, LeaguePlace};
use referee_entrants::relative_path::relative_path;
use referee_league::control::LeagueControl;
use referee_league::hand_in_history::{PastOutcome, read_hand_in_history};
use referee_league::invitations::Invitations;
use referee_league::version::{league_version_digest, league_version_dir, league_version_start};
use referee_protocol::escape::escape_line;
use referee_record::disk;
use referee_record::model::league_entry::{LeagueEntry, LeavingReason};
use referee_record::model::league_settings::LeagueSettings;
use referee_record::model::record::Header;
use referee_record::model::stage::{Stage, meetings_of_class};
use referee_record::model::tournament::Tournament;
use referee_record::shell::quote_for_shell;
use referee_record::tree_walk::UnfitTree;
use referee_record::wording::pluralize;
use referee_report::StandingsRow;
use referee_report::tournament_tables::TournamentTables;
use referee_tournament::analysis::TournamentAnalysis;
use referee_tournament::analysis::named_results::Faulted;
use referee_tournament::folder::{is_folder_in_use, read_folder_log, wait_for_folder_lock};

/// With more players, not everyone meets everyone.
const SMALL: usize = 40;
/// The number of opponents then.
const OPPONENTS: i64 = 20;
/// Why an author is absent whose last version is not what entered.
const CHANGED: &str = "the files of the last version have changed since it entered";

/// Arguments of `league close`.
#[derive(Debug, Args)]
pub(crate) struct CloseArgs {
    /// Where to write the final's configuration (default: `final.toml` beside the league's
    /// configuration)
    #[arg(long, value_name = "FILE")]
    pub(crate) into: Option<PathBuf>,
}

/// Closes the league, waits for its run to end, and writes the configuration of the final.
pub(super) fn run(args: &CloseArgs, config: &Path, printer: Printer) -> Result<Status, Failure> {
    let beside = || config.with_file_name("final.toml");
    let file = args.into.clone().unwrap_or_else(beside);
    if file.exists() {
        return Err(Failure::input(format!(
            "{} already exists; remove it, or use another file with --into",
            file.display()
        )));
    }
    let configuration = Configuration::read(config, printer.colour_err)?;
    let league = configured_league(&configuration, config)?;
    change_league_control(&league, |control| control.closed = true)?;
    if is_folder_in_use(&league.dir) {
        printer.note("the run is finishing its games");
        wait_for_folder_lock(&league.dir)?;
    }
    let contents = read_folder_log(&league.dir, |_, _| {})?;
    contents.problems.describe().iter().for_each(|line| printer.note(line));
    let header = contents.header.clone();
    if !header.is_league() {
        return Err(Failure::input(format!("{} does not contain a league", league.dir.display())));
    }
    let tables = TournamentTables::from_analysis(TournamentAnalysis::from_contents(
        &league.dir,
        contents,
        Faulted::Count,
    )?);
    let parent = file.parent().unwrap_or(Path::new("."));
    let FinalConfig { text, authors, notes } = FinalConfig::from_league(
        configuration.text(),
        &league,
        &header,
        &tables,
        &absolute_game_folder(parent)?,
    )?;
    disk::write_atomically(&file, |out| out.write_all(text.as_bytes()))
        .map_err(|error| Failure::cannot_write(&file, &error))?;
    let read = || Ok(Configuration::read(&file, printer.colour_err)?.tournament().into_result()?);
    if let Err(problem) = read().map(|_: Tournament| ()) {
        // So that the same command can be tried again.
        disk::remove_if_there(&file).map_err(|error| Failure::cannot_write(&file, &error))?;
        return Err(problem);
    }
    for note in &notes {
        printer.note(note);
    }
    let count = pluralize(authors, "player");
    printer.note(&format!("{}: {count} from the league", file.display()));
    let file = quote_for_shell(&file.to_string_lossy());
    printer.command("next", &format!("referee run --plan {file}; referee run {file}"));
    Ok(Status::Done)
}

/// The configuration of a final.
struct FinalConfig {
    text: String,
    /// The number of authors who play in it.
    authors: usize,
    /// What the organiser may not expect, a line each.
    notes: Vec<String>,
}

impl FinalConfig {
    /// The final of a league with this configuration, in a file in `folder`: its own players, the
    /// last version of each author, and those who have none, as absent.
    fn from_league(
        configuration: &str,
        league: &LeaguePlace,
        header: &Header,
        tables: &TournamentTables,
        folder: &Path,
    ) -> Result<Self, Failure> {
        let mut keys: Table =
            toml::from_str(configuration).map_err(|error| Failure::input(error.to_string()))?;
        for key in ["stages", "league", "build", "format", "pgn"] {
            keys.remove(key);
        }
        keys.insert("name".to_owned(), format!("{}-final", header.tournament).into());
        let mut players = match keys.remove("players") {
            Some(Value::Array(players)) => players,
            _ => Vec::new(),
        };
        anchor_final_ratings(&mut players, tables);
        let name = |player: &Value| Some(player.get("name")?.as_str()?.to_owned());
        let own: BTreeSet<String> = players.iter().filter_map(name).collect();
        let (mut there, mut changed) = (BTreeSet::new(), BTreeSet::new());
        let mut notes = Vec::new();
        let removed = LeagueControl::read(&league.dir)?.removed;
        for entry in last_versions_for_final(header, &removed) {
            let author = entry.author.clone();
            let dir = league_version_dir(&league.settings, entry);
            if let Some(player) = final_player_table(&dir, entry, folder)? {
                players.push(player);
                there.insert(author);
            } else {
                let name = escape_line(&author);
                notes.push(format!("{name} is absent from the final: {CHANGED}"));
                changed.insert(author);
            }
        }
        for author in list_final_authors(league, header)?.difference(&there) {
            if own.contains(author) {
                let name = escape_line(author);
                notes.push(format!("{name} is not listed as absent: a house player has this name"));
                continue;
            }
            let why = if removed.contains(author) {
                "removed by the organiser".to_owned()
            } else if changed.contains(author) {
                CHANGED.to_owned()
            } else {
                why_absent_from_final(&league.settings, author)
            };
            players.push(absent_final_author(author, why));
        }
        if let Some((key, value)) =
            final_meetings_key(there.len(), players.len(), header.seats.len())
        {
            keys.insert(key.to_owned(), value.into());
        }
        let text = render_final_config(keys, players, header)?;
        Ok(Self { text, authors: there.len(), notes })
    }
}

/// The configuration with these keys and players, for people to change.
fn render_final_config(
    keys: Table,
    players: Vec<Value>,
    header: &Header,
) -> Result<String, Failure> {
    // Values come before tables, or they would belong to one.
    let mut whole = Table::new();
    let (values, sections): (Vec<_>, Vec<_>) =
        keys.into_iter().partition(|(_, value)| !value.is_table() && !value.is_array());
    whole.extend(values.into_iter().chain(sections));
    whole.insert("players".to_owned(), Value::Array(players));
    let body = toml::to_string(&whole).map_err(|error| Failure::system(error.to_string()))?;
    Ok(format!(
        "# The final of the league `{}`: each author's last version. Change what you like,\n\
         # such as `{deals}`; `referee run --plan` shows how many games there will be.\n{body}",
        header.tournament,
        deals = if header.seats.len() == 2 { "pairs" } else { "deals" },
    ))
}

/// Everybody who has a link to hand in by, or has handed in.
fn list_final_authors(league: &LeaguePlace, header: &Header) -> Result<BTreeSet<String>, Failure> {
    let invitations = Invitations::read(&league.dir)?;
    let invited = invitations.authors().map(str::to_owned);
    let came =
        header.players.iter().filter_map(|player| Some(player.entry.as_ref()?.author.clone()));
    Ok(invited.chain(came).collect())
}

/// The table of an author without a player.
fn absent_final_author(author: &str, why: String) -> Value {
    let mut table = Table::new();
    table.insert("name".to_owned(), author.into());
    table.insert("absent".to_owned(), why.into());
    Value::Table(table)
}

/// Why an author who was not removed has no player.
fn why_absent_from_final(league: &LeagueSettings, author: &str) -> String {
    // The history is for people: without it, less is said.
    let past = read_hand_in_history(&league.entrants, author).unwrap_or_default();
    match past.last().map(|last| &last.outcome) {
        None => "nothing was handed in".to_owned(),
        Some(PastOutcome::Refused { why }) => {
            format!("the last hand-in was refused: {}", why.lines().next().unwrap_or_default())
        }
        Some(PastOutcome::Entered { .. }) => CHANGED.to_owned(),
    }
}

/// The key of a final that says how often its players meet, unless everyone meets everyone.
fn final_meetings_key(authors: usize, players: usize, seats: usize) -> Option<(&'static str, i64)> {
    if seats == 2 {
        return (authors > SMALL).then_some(("opponents", OPPONENTS));
    }
    let most = meetings_of_class(seats);
    let is_fewer = Stage::round_robin(1).games(players, seats) <= players * most * seats;
    (!is_fewer).then(|| ("meetings", i64::try_from(most).unwrap_or(i64::MAX)))
}

/// The last version of each author who is not `removed`. One that was replaced counts if nothing came
/// after it: the run was killed before the next one entered, and then that one was refused. So does
/// one of an author who was removed and readmitted, but has not handed in since.
fn last_versions_for_final<'a>(
    header: &'a Header,
    removed: &BTreeSet<String>,
) -> impl Iterator<Item = &'a LeagueEntry> {
    let mut last: BTreeMap<&str, (&LeagueEntry, Option<LeavingReason>)> = BTreeMap::new();
    for player in &header.players {
        let Some(entry) = &player.entry else { continue };
        let known = last.get(entry.author.as_str()).map_or(0, |(entry, _)| entry.version);
        if entry.version > known {
            last.insert(&entry.author, (entry, player.left.map(|leaving| leaving.why)));
        }
    }
    let plays = |(entry, why): &(&LeagueEntry, Option<LeavingReason>)| {
        *why != Some(LeavingReason::Lost) && !removed.contains(&entry.author)
    };
    last.into_values().filter(plays).map(|(entry, _)| entry)
}

/// Gives the first players of the league the ratings that they have now, unless some of them have
/// given ones: so the final has the same scale.
fn anchor_final_ratings(players: &mut [Value], tables: &TournamentTables) {
    if players.iter().any(|player| player.get("rating").is_some()) {
        return;
    }
    for player in players.iter_mut().filter_map(Value::as_table_mut) {
        let rows = &tables.standings.rows;
        let row =
            rows.iter().find(|row| player.get("name").and_then(Value::as_str) == Some(&row.player));
        if let Some(rating) = row.and_then(StandingsRow::shown_rating) {
            player.insert("rating".to_owned(), (rating.value.round() + 0.0).into());
        }
    }
}

/// The table of an author's last version, under the author's name; `None` if its files have changed
/// since it entered.
fn final_player_table(
    dir: &Path,
    entry: &LeagueEntry,
    folder: &Path,
) -> Result<Option<Value>, Failure> {
    let shown = escape_line(&dir.display().to_string());
    match league_version_digest(dir) {
        // A machine in disorder takes nobody out.
        Err(why @ UnfitTree::Failed { .. }) => {
            return Err(Failure::system(format!("cannot read {shown}: {why}")));
        }
        Ok(now) if now == entry.kept => {}
        _ => return Ok(None),
    }
    let start = league_version_start(dir).ok_or_else(|| {
        Failure::input(format!("no player found in {shown}; remove the author, and close again"))
    })?;
    let mut table = Table::new();
    table.insert("name".to_owned(), entry.author.clone().into());
    table.insert("command".to_owned(), start.words.into());
    table.insert("files".to_owned(), vec![".".to_owned()].into());
    if !start.env.is_empty() {
        let env = start.env.into_iter().map(|(name, value)| (name, Value::from(value)));
        table.insert("env".to_owned(), Value::Table(env.collect()));
    }
    let dir = relative_path(folder, &absolute_game_folder(&start.dir)?);
    let dir = dir.to_str().ok_or_else(|| {
        Failure::input(format!("{} is not valid UTF-8; rename it", dir.display()))
    })?;
    table.insert("dir".to_owned(), dir.into());
    Ok(Some(Value::Table(table)))
}
