//! `league serve`: the page of a league, where everyone sees the ranking, authors hand in, and the
//! organiser decides.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use referee_sandbox::Level;

use super::{UNENCRYPTED, league_has_begun, open_league};
use crate::commands::containment_args::containment_level_parser;
use crate::commands::recorded_rules::RecordedRulesArgs;
use crate::commands::report::command_options;
use crate::commands::runtime::{new_runtime, run_until_interrupted, watch_interruption};
use crate::commands::{Failure, Status};
use crate::printer::Printer;
use referee_config::LeaguePlace;
use referee_league::invitations::Invitations;
use referee_tournament::folder::read_folder_header;
use referee_web::league_routes::{Entrance, private_pages};
use referee_web::live_tournament::{LiveTournament, Naming};
use referee_web::{WebServer, tournament_routes};

/// Arguments of `league serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee league serve                   the league in league.toml
  referee league serve chess-league.toml --listen 127.0.0.1:0     any free port")]
pub(crate) struct LeagueServeArgs {
    /// The configuration of the league (default: the file given by --config)
    #[arg(value_name = "CONFIG")]
    pub(crate) file: Option<PathBuf>,
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8018")]
    pub(crate) listen: SocketAddr,
    /// Sandbox level for the rules program, if any: `off`, `basic` or `strict` (default: the
    /// strongest that works, but never `off`)
    #[arg(
        long = "containment",
        value_name = "LEVEL",
        value_parser = containment_level_parser(),
        hide_possible_values = true
    )]
    pub(crate) level: Option<Level>,
}

/// How often to look whether the league has begun.
const PAUSE: Duration = Duration::from_millis(500);

/// Waits until the league is played for the first time: a machine may start this command before that
/// run. Returns whether it was not interrupted.
fn wait_for_first_league_run(league: &LeaguePlace, printer: Printer) -> Result<bool, Failure> {
    if league_has_begun(league) {
        return Ok(true);
    }
    printer.note("the league has not begun: the page opens with the first `referee run`");
    let begun = async {
        while !league_has_begun(league) {
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    };
    Ok(run_until_interrupted(begun)?.is_some())
}

/// Serves until Ctrl-C.
pub(super) fn run(
    args: &LeagueServeArgs,
    config: &Path,
    printer: Printer,
) -> Result<Status, Failure> {
    let config = args.file.as_deref().unwrap_or(config);
    let league = open_league(config, printer)?;
    if !wait_for_first_league_run(&league, printer)? {
        return Ok(Status::Done);
    }
    let dir = league.dir.clone();
    let header = read_folder_header(&dir)?;
    let game_file = header.program.is_some().then(|| config.to_owned());
    let rules = RecordedRulesArgs { game_file, level: args.level };
    let called = command_options::ask_command_options(&dir, None);
    let rules = rules.open(&header, &dir, printer)?;
    let naming = if league.settings.pseudonyms { Naming::Pseudonyms } else { Naming::Names };
    let invitations = Invitations::read(&league.dir)?;
    if !args.listen.ip().is_loopback() && !invitations.is_encrypted() {
        printer.note(UNENCRYPTED);
    }
    new_runtime()?.block_on(async {
        let mut stop = watch_interruption()?;
        let web = WebServer::listen(args.listen).await?.known_as(invitations.host());
        let live = Arc::new(LiveTournament::new(dir, rules, naming, called)?.with_own_pages());
        let entrance = Arc::new(Entrance::open(league, header.tournament, Arc::clone(&live))?);
        printer.line(&web.url())?;
        tokio::select! {
            never = web.serve(tournament_routes(live).merge(private_pages(entrance))) => match never {},
            _ = stop.wait_for(|stop| *stop) => {}
        }
        Ok(Status::Done)
    })
}
