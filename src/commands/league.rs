//! `league`: what the organiser of a league does besides running it.

mod close;
mod invite;
mod serve;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::{Failure, Status};
use crate::config::{self, LeaguePlace, similar};
use crate::league::control::{Control, LONGEST_MESSAGE};
use crate::league::invitations::{Invitations, author_problem};
use crate::printer::Printer;
use referee_protocol::escape;
use referee_record::log::LOG;

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
  referee league serve                       the page, where authors hand in
  referee league invite --renew 'Ann Lee'    another link, in place of a lost one
  referee league message 'No games on Friday.'
  referee league remove 'Ann Lee'            her versions play no more
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
    /// Serve the page of the league, where authors hand in
    ///
    /// Everyone sees the ranking. Authors and the organiser come by links of `league invite`.
    Serve(serve::LeagueServeArgs),
    /// Make links with which authors hand in, and print them as CSV
    ///
    /// The list has a name on each line, in its first column. Whoever is invited already keeps the
    /// link. Links cannot be printed again: only hashes of their secrets are kept.
    Invite(invite::InviteArgs),
    /// Start no more games until `league resume`; authors still hand in
    Pause,
    /// Go on after `league pause` or `league close`
    Resume,
    /// End the league, and write the configuration of the final that gives the marks
    ///
    /// The final has the last version of each author, and the same first players.
    Close(close::CloseArgs),
    /// Let the versions of an author play no more, and take none in
    Remove(AuthorArgs),
    /// Let an author play again after `league remove`
    Readmit(AuthorArgs),
    /// Tell all authors something on their pages; nothing, to remove it
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
    let change = |change: &dyn Fn(&mut Control)| {
        let league = LeaguePlace::open(&args.config, printer)?;
        league.change(|control| change(control))
    };
    let change_author = |author: &AuthorArgs, change: &dyn Fn(&mut Control)| {
        let league = LeaguePlace::open(&args.config, printer)?;
        league.find_author(&author.author)?;
        league.change(|control| change(control))
    };
    match &args.command {
        LeagueCommand::Serve(serve) => return serve::run(serve, &args.config, printer),
        LeagueCommand::Invite(invite) => return invite::run(invite, &args.config, printer),
        LeagueCommand::Pause => change(&|control| control.paused = true),
        LeagueCommand::Close(close) => return close::run(close, &args.config, printer),
        LeagueCommand::Resume => change(&Control::resume),
        LeagueCommand::Remove(author) => change_author(author, &|control| {
            control.removed.insert(author.author.clone());
        }),
        LeagueCommand::Readmit(author) => change_author(author, &|control| {
            control.removed.remove(&author.author);
        }),
        LeagueCommand::Message(message) => {
            refuse_long(&message.text)?;
            change(&|control| message.text.clone_into(&mut control.message))
        }
    }
    .map(|_| Status::Done)
}

/// Fails if a message is too long.
fn refuse_long(message: &str) -> Result<(), Failure> {
    let length = message.chars().count();
    if length <= LONGEST_MESSAGE {
        return Ok(());
    }
    Err(Failure::input(format!(
        "the message has {length} characters; at most {LONGEST_MESSAGE} are possible"
    )))
}

impl LeaguePlace {
    /// Reads what the configuration says of the league.
    fn open(config: &Path, printer: Printer) -> Result<Self, Failure> {
        config::league(config, printer.colour_err)?.ok_or_else(|| {
            Failure::input(format!(
                "{} describes no league; write `format = \"league\"` there, or name another file \
                 with --config",
                config.display()
            ))
        })
    }

    fn invitations(&self) -> Result<Invitations, Failure> {
        Ok(Invitations::read(&self.dir)?)
    }

    /// Fails if it was never played.
    fn refuse_unbegun(&self) -> Result<(), Failure> {
        if self.dir.join(LOG).is_file() {
            return Ok(());
        }
        Err(Failure::input(format!(
            "the league has not begun: {} has no {LOG}; begin with `referee run`",
            self.dir.display()
        )))
    }

    fn change(&self, change: impl FnOnce(&mut Control)) -> Result<Control, Failure> {
        self.refuse_unbegun()?;
        Ok(Control::change(&self.dir, change)?)
    }

    /// Fails if no author of this name was invited or handed in.
    fn find_author(&self, name: &str) -> Result<(), Failure> {
        let invitations = self.invitations()?;
        let has_folder =
            author_problem(name).is_none() && self.settings.hand_in.join(name).is_dir();
        if has_folder || invitations.authors().any(|author| author == name) {
            return Ok(());
        }
        let advice = match similar(name, invitations.authors()) {
            Some(author) => format!("; did you mean {author:?}?"),
            None => String::new(),
        };
        Err(Failure::input(format!(
            "no author is called {}{}",
            escape::terminal(name),
            escape::terminal(&advice)
        )))
    }
}
