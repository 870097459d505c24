//! `league`: what the organiser of a league does besides running it. It is played by `run`: see
//! `run/play_league.rs`.

mod close;
mod invite;
mod serve;

use std::cell::Cell;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::{Failure, Status};
use crate::printer::Printer;
use referee_config::{Configuration, LeaguePlace, find_similar_word};
use referee_league::author_name::author_problem;
use referee_league::control::LeagueControl;
use referee_league::invitations::Invitations;
use referee_protocol::escape::escape_line;
use referee_record::log::LOG;
use referee_record::model::league_settings::LeagueSettings;
use referee_record::model::record::HeaderPlayer;
use referee_tournament::folder::read_folder_header;
use referee_tournament::run::resume::continuation::continuation_folder;

/// The configuration of a league if none is named.
const LEAGUE_CONFIG: &str = "league.toml";

/// The note about a page that others reach without encryption.
const UNENCRYPTED: &str =
    "links and cookies travel unencrypted: see `referee help league` for https";

/// Arguments of `league`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee league invite names.csv --url https://league.example.org > links.csv
  referee league serve                       the page, where authors hand in versions
  referee league invite --renew 'Ann Lee'    another link, in place of a lost one
  referee league message 'No games on Friday.'
  referee league remove 'Ann Lee'            stops her versions
  referee league close                       the end of term: writes final.toml")]
pub(crate) struct LeagueArgs {
    /// The configuration of the league
    #[arg(long, value_name = "FILE", default_value = LEAGUE_CONFIG, global = true)]
    pub(crate) config: PathBuf,
    #[command(subcommand)]
    pub(crate) command: LeagueCommand,
}

/// The commands of a league.
#[derive(Debug, Subcommand)]
pub(crate) enum LeagueCommand {
    /// Serve the league's page, where authors hand in versions
    ///
    /// Everyone sees the ranking. Authors and the organiser use links from `league invite`.
    Serve(serve::LeagueServeArgs),
    /// Create hand-in links for authors, and print them as CSV
    ///
    /// The list has a name on each line, in its first column. Authors who are already invited keep
    /// their links. Links cannot be printed again: only hashes of their secrets are stored.
    Invite(invite::InviteArgs),
    /// Stop starting games until `league resume`; hand-ins stay open
    Pause,
    /// Resume after `league pause` or `league close`
    Resume,
    /// End the league and write the configuration for the final, which decides the marks
    ///
    /// The final has each author's last version, and the players that the league began with.
    Close(close::CloseArgs),
    /// Stop an author's versions from playing, and accept no new ones
    Remove(AuthorArgs),
    /// Let an author play again after `league remove`
    Readmit(AuthorArgs),
    /// Show a message on every author's page (empty text removes it)
    Message(MessageArgs),
}

/// An author.
#[derive(Debug, Args)]
pub(crate) struct AuthorArgs {
    /// The author's name
    #[arg(value_name = "NAME")]
    pub(crate) author: String,
}

/// A message.
#[derive(Debug, Args)]
pub(crate) struct MessageArgs {
    /// The message
    pub(crate) text: String,
}

/// Does what the organiser wants.
pub(crate) fn run(args: &LeagueArgs, printer: Printer) -> Result<Status, Failure> {
    let is_new = Cell::new(true);
    let note = |control: &mut LeagueControl, set: &dyn Fn(&mut LeagueControl)| {
        let before = control.clone();
        set(control);
        is_new.set(*control != before);
    };
    let set = |set: &dyn Fn(&mut LeagueControl)| {
        change_league_control(&open_league(&args.config, printer)?, |control| note(control, set))
    };
    let set_author = |author: &AuthorArgs, set: &dyn Fn(&mut LeagueControl)| {
        let league = open_league(&args.config, printer)?;
        refuse_unknown_league_author(&league, &author.author)?;
        change_league_control(&league, |control| note(control, set))
    };
    match &args.command {
        LeagueCommand::Serve(serve) => return serve::run(serve, &args.config, printer),
        LeagueCommand::Invite(invite) => return invite::run(invite, &args.config, printer),
        LeagueCommand::Pause => set(&|control| control.paused = true)
            .map(|_| "no games start until `referee league resume`".to_owned()),
        LeagueCommand::Close(close) => return close::run(close, &args.config, printer),
        LeagueCommand::Resume => set(&LeagueControl::resume)
            .map(|_| "games start again, and submissions are accepted".to_owned()),
        LeagueCommand::Remove(author) => set_author(author, &|control| {
            control.removed.insert(author.author.clone());
        })
        .map(|_| {
            format!(
                "{}'s versions stop playing, and no new ones are accepted",
                escape_line(&author.author)
            )
        }),
        LeagueCommand::Readmit(author) => set_author(author, &|control| {
            control.removed.remove(&author.author);
        })
        .map(|_| {
            format!(
                "{}'s last version plays again, and submissions are accepted",
                escape_line(&author.author)
            )
        }),
        LeagueCommand::Message(message) => {
            LeagueControl::refuse_long_message(&message.text).map_err(Failure::input)?;
            set(&|control| message.text.clone_into(&mut control.message)).map(|_| {
                match &*message.text {
                    "" => "the authors' pages no longer show a message".to_owned(),
                    _ => "the authors' pages now show the message".to_owned(),
                }
            })
        }
    }
    .map(|done| {
        printer.note(&if is_new.get() { done } else { format!("no change: {done}") });
        Status::Done
    })
}

/// Reads what the configuration says of the league.
fn open_league(config: &Path, printer: Printer) -> Result<LeaguePlace, Failure> {
    configured_league(&Configuration::read(config, printer.colour_err)?, config)
}

/// What the configuration in the file `path` says of the league.
fn configured_league(configuration: &Configuration, path: &Path) -> Result<LeaguePlace, Failure> {
    let league = configuration.league()?.ok_or_else(|| {
        Failure::input(format!(
            "{} does not describe a league; add `format = \"league\"`, or pass another file with \
             --config",
            path.display()
        ))
    })?;
    take_over_previous_league(&league.settings, &league.dir)?;
    Ok(league)
}

/// Takes over the links and the organiser's wishes of the league that the one in the folder `dir`
/// continues, before that has begun.
pub(super) fn take_over_previous_league(
    settings: &LeagueSettings,
    dir: &Path,
) -> Result<(), Failure> {
    if let Some(name) = settings.continues.as_ref().filter(|_| !dir.join(LOG).is_file()) {
        let before = continuation_folder(dir, name)?;
        Invitations::take_over(dir, &before)?;
        LeagueControl::take_over(dir, &before)?;
    }
    Ok(())
}

/// Whether the league was played before.
fn league_has_begun(league: &LeaguePlace) -> bool {
    league.dir.join(LOG).is_file()
}

/// Fails if the league was never played.
fn refuse_unbegun_league(league: &LeaguePlace) -> Result<(), Failure> {
    if league_has_begun(league) {
        return Ok(());
    }
    Err(Failure::input(format!(
        "the league has not begun: {} has no {LOG}; begin with `referee run CONFIG`",
        league.dir.display()
    )))
}

/// Changes what the organiser wants of the league.
fn change_league_control(
    league: &LeaguePlace,
    change: impl FnOnce(&mut LeagueControl),
) -> Result<LeagueControl, Failure> {
    refuse_unbegun_league(league)?;
    Ok(LeagueControl::change(&league.dir, change)?)
}

/// Fails if no author of this name was invited or handed in.
fn refuse_unknown_league_author(league: &LeaguePlace, name: &str) -> Result<(), Failure> {
    let invitations = Invitations::read(&league.dir)?;
    let has_folder = author_problem(name).is_none() && league.settings.hand_in.join(name).is_dir();
    let is_author =
        |player: &HeaderPlayer| player.entry.as_ref().is_some_and(|it| it.author == name);
    let has_version =
        league_has_begun(league) && read_folder_header(&league.dir)?.players.iter().any(is_author);
    if has_folder || has_version || invitations.authors().any(|author| author == name) {
        return Ok(());
    }
    let advice = match find_similar_word(name, invitations.authors()) {
        Some(author) => format!("; did you mean {author:?}?"),
        None => String::new(),
    };
    Err(Failure::input(format!(
        "no author is called {}{}",
        escape_line(name),
        escape_line(&advice)
    )))
}
