//! `league invite`: makes links with secrets, and ends them.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{UNENCRYPTED, open_league};
use crate::commands::{Failure, Status};
use crate::printer::Printer;
use referee_config::{LARGEST, LeaguePlace};
use referee_league::author_name::ORGANISER_NAME;
use referee_league::invitations::{InvitationError, Invitations};
use referee_protocol::escape::escape_line;
use referee_record::plain_files::read_plain_text;
use referee_report::csv_cells::format_text_cell;
use referee_tournament::name_likeness::are_names_alike;

/// Arguments of `league invite`.
#[derive(Debug, Args)]
pub(crate) struct InviteArgs {
    /// File with one author name per line
    #[arg(required_unless_present_any = ["renew", "withdraw", "organiser", "url"])]
    pub(crate) names: Option<PathBuf>,
    /// The page's public address (default: unchanged; initially, port 8018 on this machine)
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// Create a new link for this author and revoke the old one (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) renew: Vec<String>,
    /// Revoke this author's link (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) withdraw: Vec<String>,
    /// Create a link for the organiser and revoke the old one
    #[arg(long)]
    pub(crate) organiser: bool,
}

/// Makes the links, and prints them when they are valid.
pub(super) fn run(args: &InviteArgs, config: &Path, printer: Printer) -> Result<Status, Failure> {
    let league = open_league(config, printer)?;
    let change =
        |invitations: &mut Invitations| change_invitations(args, invitations, &league, printer);
    let (invitations, links) = Invitations::change(&league.dir, change)?;
    if !invitations.is_encrypted() && !is_local_invite_host(invitations.host()) {
        printer.note(UNENCRYPTED);
    }
    let table = invite_links_csv(&links).map_err(|error| Failure::system(error.to_string()))?;
    table.lines().try_for_each(|line| printer.line(line))?;
    Ok(Status::Done)
}

/// Ends and makes links, and returns those that were made, each with its name.
fn change_invitations(
    args: &InviteArgs,
    invitations: &mut Invitations,
    league: &LeaguePlace,
    printer: Printer,
) -> Result<Vec<(String, String)>, Failure> {
    if let Some(url) = &args.url {
        invitations.set_url(url)?;
    }
    for name in &args.withdraw {
        invitations.withdraw(name)?;
    }
    let mut links = Vec::new();
    for name in &args.renew {
        links.push((name.clone(), invitations.renew(name)?));
    }
    if let Some(list) = &args.names {
        links.extend(invite_all_listed(invitations, list, &league.players, printer)?);
    }
    if args.organiser {
        links.push((ORGANISER_NAME.to_owned(), invitations.renew_organiser()?));
    }
    Ok(links)
}

/// Invites everyone on the list who is not invited yet.
fn invite_all_listed(
    invitations: &mut Invitations,
    list: &Path,
    players: &[String],
    printer: Printer,
) -> Result<Vec<(String, String)>, Failure> {
    let mut links = Vec::new();
    let mut before = 0;
    for (line, name) in read_invited_names(list)? {
        let place = |why: String| Failure::input(format!("{}, line {line}: {why}", list.display()));
        if let Some(player) = players.iter().find(|player| are_names_alike(player, &name)) {
            let problem = if player.to_lowercase() == name.to_lowercase() {
                "a configured player has this name".to_owned()
            } else {
                format!("it is too similar to that of the configured player {player:?}")
            };
            return Err(place(InvitationError::Name { name, problem }.to_string()));
        }
        match invitations.invite(&name).map_err(|error| place(error.to_string()))? {
            Some(link) => links.push((name, link)),
            None => before += 1,
        }
    }
    if before > 0 {
        printer.note(&format!(
            "already invited, so not printed: {before} (--renew NAME creates a new link)"
        ));
    }
    Ok(links)
}

/// The names in the first column of a CSV file, each with its line. A heading is left out.
fn read_invited_names(list: &Path) -> Result<Vec<(u64, String)>, Failure> {
    let text = read_plain_text(list, LARGEST)
        .map_err(|why| Failure::input(format!("cannot read {}: {why}", list.display())))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut names = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| {
            Failure::input(format!("{}: {error}", escape_line(&list.to_string_lossy())))
        })?;
        let line = row.position().map_or(0, csv::Position::line);
        let name = row.get(0).unwrap_or_default().trim();
        let is_heading = names.is_empty() && ["author", "name"].contains(&&*name.to_lowercase());
        if !is_heading {
            names.push((line, name.to_owned()));
        }
    }
    Ok(names)
}

fn is_local_invite_host(host: &str) -> bool {
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|local| host.starts_with(local))
}

fn invite_links_csv(links: &[(String, String)]) -> csv::Result<String> {
    let mut table = csv::Writer::from_writer(Vec::new());
    for (author, link) in links {
        table.write_record([&*format_text_cell(author), link])?;
    }
    let bytes = table.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
