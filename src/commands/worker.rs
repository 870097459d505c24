//! `worker`: plays games for tournaments that run on many machines.

use std::num::NonZeroUsize;

use clap::Args;

use super::run::parse_run_jobs;
use super::{Failure, Status};
use crate::printer::Printer;

/// Arguments of `worker`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee worker nats://server:4222           play for the run that is announced there
  referee worker nats://server:4222 --jobs 4  four games at once

The user and password come from the address or from NATS_USER and NATS_PASSWORD, or NATS_CREDS names
a credentials file; NATS_CA names a file with a CA certificate. `referee help many-machines`
explains the setup.

A worker serves one run after another until it is stopped. Ctrl-C stops it; its unfinished games are
played elsewhere.

Exit codes: 2 invalid arguments, or built without this feature; 3 the server cannot be used; 130
stopped.")]
pub(crate) struct WorkerArgs {
    /// The address of a NATS server
    #[arg(value_name = "URL")]
    pub(crate) address: String,
    /// Number of games played at the same time (default: one per core)
    #[arg(long, value_name = "N", value_parser = parse_run_jobs)]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// The name shown for this machine (default: its host name)
    #[arg(long)]
    pub(crate) name: Option<String>,
}

/// Plays until it is stopped.
#[cfg(not(feature = "nats"))]
pub(crate) fn run(_: &WorkerArgs, _: Printer) -> Result<Status, Failure> {
    Err(super::run::remote_args::missing_remote_feature())
}

/// Plays until it is stopped.
#[cfg(feature = "nats")]
pub(crate) fn run(args: &WorkerArgs, printer: Printer) -> Result<Status, Failure> {
    use super::runtime::{new_runtime, watch_interruption};
    use referee_remote::remote_worker::RemoteWorker;
    use referee_remote::worker_identity::is_worker_name;
    use referee_tournament::run::cores::count_real_cores;

    let name = args.name.clone().unwrap_or_else(worker_host_name);
    if !is_worker_name(&name) {
        return Err(Failure::input(format!(
            "--name {}: expected up to 64 letters, digits, `.`, `_` and `-`",
            referee_protocol::escape::escape_line(&name)
        )));
    }
    let slots = args.jobs.unwrap_or_else(count_real_cores).get();
    new_runtime()?.block_on(async {
        let stop = watch_interruption()?;
        let note = std::sync::Arc::new(move |text: &str| printer.note(text));
        let worker = RemoteWorker::connect(&args.address, &name, slots, note, stop).await?;
        Ok::<(), Failure>(worker.work().await?)
    })?;
    Ok(Status::Interrupted)
}

/// The name of this machine, safe to show.
#[cfg(feature = "nats")]
fn worker_host_name() -> String {
    let name = nix::unistd::gethostname().unwrap_or_default().to_string_lossy().into_owned();
    let keep = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let plain: String = name.chars().map(keep).take(64).collect();
    if plain.is_empty() { "worker".to_owned() } else { plain }
}
