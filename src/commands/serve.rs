//! `serve`: serves the page of a running tournament, which updates by itself.

use std::net::SocketAddr;
use std::sync::Arc;

use clap::Args;

use super::recorded_rules::RecordedRulesArgs;
use super::report::command_options;
use super::results_folder::ResultsFolderArgs;
use super::runtime::{new_runtime, watch_interruption};
use super::{Failure, Status};
use crate::printer::Printer;
use referee_tournament::folder::read_folder_header;
use referee_web::live_tournament::{LiveTournament, Naming};
use referee_web::{WebServer, tournament_routes};

/// Arguments of `serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee serve                          the tournament in tournament.toml
  referee serve results/autumn-cup --listen 127.0.0.1:0     any free port
  referee serve --listen 0.0.0.0:8018    open to everyone who can reach this machine")]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) folder: ResultsFolderArgs,
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8018")]
    pub(crate) listen: SocketAddr,
    #[command(flatten)]
    pub(crate) rules: RecordedRulesArgs,
}

/// Serves until Ctrl-C.
pub(crate) fn run(args: &ServeArgs, printer: Printer) -> Result<Status, Failure> {
    let dir = args.folder.find(printer)?;
    let called = command_options::ask_command_options(&dir, None);
    let rules = args.rules.open(&read_folder_header(&dir)?, &dir, printer)?;
    new_runtime()?.block_on(async {
        let mut stop = watch_interruption()?;
        let web = WebServer::listen(args.listen).await?;
        let served = Arc::new(LiveTournament::new(dir, rules, Naming::Names, called)?);
        printer.line(&web.url())?;
        tokio::select! {
            never = web.serve(tournament_routes(served)) => match never {},
            _ = stop.wait_for(|stop| *stop) => {}
        }
        Ok(Status::Done)
    })
}
