//! `run --on`: the games are played by workers on other machines.

use clap::Args;

use super::{Failure, Settings};

/// Arguments that say where games are played.
#[derive(Debug, Clone, Args)]
pub(crate) struct RemoteArgs {
    /// Let the workers of this NATS server play the games (see `referee worker`)
    #[arg(long, value_name = "URL", conflicts_with = "jobs")]
    pub(crate) on: Option<String>,
    /// Reassign a worker's games after SECONDS without a heartbeat
    #[arg(long, hide = true, value_name = "SECONDS", default_value_t = 30)]
    pub(crate) lease: u64,
    /// With --on, play PERCENT of the games again on another worker and report differences. Only
    /// for deterministic players
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, requires = "on",
        value_parser = parse_remote_percentage)]
    pub(crate) spot_check: f64,
}

impl RemoteArgs {
    /// The workers that play the games, unless this process plays them.
    pub(in crate::commands) fn workers(&self, settings: &Settings) -> Option<RemoteWorkers> {
        self.on.as_ref().map(|address| RemoteWorkers {
            address: address.clone(),
            request: settings.base.containment.clone(),
            lease_s: self.lease.max(1),
            checked: self.spot_check / 100.0,
            results: settings.base.results.clone(),
        })
    }

    /// Why the games cannot be played on a server, if that was asked for: this program was built
    /// without the feature.
    pub(in crate::commands) fn refusal(&self) -> Option<Failure> {
        self.on.as_ref().filter(|_| !cfg!(feature = "nats")).map(|_| missing_remote_feature())
    }
}

/// Parses a percentage.
fn parse_remote_percentage(text: &str) -> Result<f64, &'static str> {
    text.parse()
        .ok()
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or("expected a number from 0 to 100")
}

/// The workers of a server.
#[cfg_attr(not(feature = "nats"), expect(dead_code, reason = "refused without the feature"))]
#[derive(Debug, Clone)]
pub(in crate::commands) struct RemoteWorkers {
    /// The server's address.
    pub(super) address: String,
    /// The containment that they must use.
    pub(super) request: referee_record::model::containment::ContainmentRequest,
    /// The lease of a job.
    pub(super) lease_s: u64,
    /// The share of games that are played again by another worker, 0 … 1.
    pub(super) checked: f64,
    /// The folder of all results, which is not sent.
    pub(super) results: std::path::PathBuf,
}

#[cfg(feature = "nats")]
impl From<referee_remote::error::RemoteError> for Failure {
    fn from(error: referee_remote::error::RemoteError) -> Self {
        use referee_remote::error::RemoteError;
        use referee_remote::nats_server::ServerProblem;
        match error {
            RemoteError::Server(ServerProblem::Address(_)) => Self::input(error.to_string()),
            error => Self::system(error.to_string()),
        }
    }
}

/// The message of a program that was built without the feature.
pub(in crate::commands) fn missing_remote_feature() -> Failure {
    Failure::input(
        "this program was built for one machine only; for many machines, build it with \
         `cargo build --release --features nats`",
    )
}

#[cfg(feature = "nats")]
pub(super) use self::with_nats::play_remotely;

#[cfg(feature = "nats")]
mod with_nats {
    use std::path::Path;

    use tokio::sync::watch;

    use super::{Failure, RemoteWorkers};
    use referee_match::openings::OpeningBook;
    use referee_record::model::game_rules::GameRules;
    use referee_record::model::player_spec::PlayerSpec;
    use referee_record::model::record::Header;
    use referee_record::model::tournament::Tournament;
    use referee_record::seeds::TournamentSecret;
    use referee_remote::bundle_folder::BundleFolder;
    use referee_remote::coordinator::Coordinator;
    use referee_remote::error::RemoteError;
    use referee_remote::inspection::Inspector;
    use referee_remote::run_description::{RunDescriber, RunDescription};
    use referee_remote::run_files::RunFiles;
    use referee_tournament::run::run_event::RunListener;
    use referee_tournament::run::{RunEnd, TournamentRunner};

    /// Plays the games of `runner` on the workers of a server. `dir` is the results folder, and
    /// `players` are the current ones, with their numbers.
    pub(in crate::commands::run) async fn play_remotely(
        workers: &RemoteWorkers,
        (tournament, header, secret, dir): (&Tournament, &Header, &TournamentSecret, &Path),
        players: &[(usize, &PlayerSpec)],
        runner: TournamentRunner<'_>,
        synced: watch::Receiver<u64>,
        listener: &mut dyn RunListener,
        stop: watch::Receiver<bool>,
    ) -> Result<RunEnd, Failure> {
        refuse_rooms_for_remote(players)?;
        let rules = GameRules::new(tournament.game.clone(), tournament.options.clone())?;
        let book = OpeningBook::new(rules, header.openings.as_ref())?;
        let inspector = Inspector {
            book,
            header: header.clone(),
            secret: secret.clone(),
            names: runner.state.names().to_vec(),
        };
        let folder = BundleFolder::new(dir.join(".bundles"))?;
        let hidden = [&workers.request.hidden[..], std::slice::from_ref(&workers.results)].concat();
        let packer = RunDescriber { folder: folder.path.clone(), hidden };
        let description =
            describe_remote_run(workers, tournament, header, secret, players, &packer)?;
        let files = RunFiles { description, newcomers: Vec::new(), packer, folder };
        let mut stop_opening = stop.clone();
        let coordinator = tokio::select! {
            biased;
            _ = stop_opening.wait_for(|stop| *stop) => return Ok(RunEnd::Stopped),
            opened = Coordinator::open(&workers.address, files, inspector, synced, workers.checked) => opened?,
        };
        Ok(Box::pin(coordinator.run(runner, listener, stop)).await?)
    }

    /// Refuses players that need something of this machine that is not sent.
    fn refuse_rooms_for_remote(players: &[(usize, &PlayerSpec)]) -> Result<(), Failure> {
        let needs_room = |player: &PlayerSpec| {
            player.root.is_some() || !player.devices.is_empty() || !player.network.is_empty()
        };
        match players.iter().find(|(_, player)| needs_room(player)) {
            None => Ok(()),
            Some((_, player)) => Err(Failure::input(format!(
                "{}: a player with `root`, `devices` or `network` cannot play on other machines; \
                 leave out --on",
                referee_protocol::escape::escape_line(&player.name)
            ))),
        }
    }

    /// The description of the run, with bundles by `packer`.
    fn describe_remote_run(
        workers: &RemoteWorkers,
        tournament: &Tournament,
        header: &Header,
        secret: &TournamentSecret,
        players: &[(usize, &PlayerSpec)],
        packer: &RunDescriber,
    ) -> Result<RunDescription, RemoteError> {
        let rules = tournament.game.program().map(|program| packer.rules(program)).transpose()?;
        let sent: Result<_, _> =
            players.iter().map(|&(number, player)| packer.player(number, player)).collect();
        Ok(RunDescription {
            header: header.clone(),
            secret: secret.to_hex(),
            containment: workers.request.clone(),
            rules,
            players: sent?,
            lease_s: workers.lease_s,
        })
    }
}
