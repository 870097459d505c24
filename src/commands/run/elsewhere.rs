//! `run --on`: the games are played by workers on other machines.

use clap::Args;

use super::{Failure, Settings};

/// Arguments that say where games are played.
#[derive(Debug, Args)]
pub struct ElsewhereArgs {
    /// Let the workers of this NATS server play the games (see `referee worker`)
    #[arg(long, value_name = "URL", conflicts_with = "jobs")]
    pub on: Option<String>,
    /// Reassign a worker's games after SECONDS without a heartbeat
    #[arg(long, hide = true, value_name = "SECONDS", default_value_t = 30)]
    pub lease: u64,
    /// With --on, play PERCENT of the games again on another worker and report differences. Only
    /// for deterministic players
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, requires = "on",
        value_parser = percentage)]
    pub spot_check: f64,
}

/// Where the games of a run are played.
#[derive(Debug, Clone)]
pub(in crate::commands) enum Place {
    /// In this process.
    Here,
    /// By the workers of this server.
    #[cfg(feature = "nats")]
    Elsewhere(Box<Elsewhere>),
}

impl Place {
    /// Whether they are played in this process.
    pub(super) fn is_here(&self) -> bool {
        match self {
            Self::Here => true,
            #[cfg(feature = "nats")]
            Self::Elsewhere(_) => false,
        }
    }
}

impl ElsewhereArgs {
    /// Where the games are played.
    #[cfg(not(feature = "nats"))]
    #[expect(clippy::unused_self, reason = "many machines need a feature")]
    pub(in crate::commands) fn place(&self, _: &Settings) -> Place {
        Place::Here
    }

    /// Where the games are played.
    #[cfg(feature = "nats")]
    pub(in crate::commands) fn place(&self, settings: &Settings) -> Place {
        let elsewhere = |address: &String| Elsewhere {
            address: address.clone(),
            request: settings.containment(),
            lease_s: self.lease.max(1),
            checked: self.spot_check / 100.0,
            results: settings.results.value.clone(),
        };
        let place = |address| Place::Elsewhere(Box::new(elsewhere(address)));
        self.on.as_ref().map_or(Place::Here, place)
    }

    /// Why the games cannot be played on a server, if that was asked for: this program was built
    /// without the feature.
    pub(in crate::commands) fn refusal(&self) -> Option<Failure> {
        self.on.as_ref().filter(|_| !cfg!(feature = "nats")).map(|_| missing_feature())
    }
}

/// Parses a percentage.
fn percentage(text: &str) -> Result<f64, &'static str> {
    text.parse()
        .ok()
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or("expected a number from 0 to 100")
}

/// The workers of a server.
#[cfg(feature = "nats")]
#[derive(Debug, Clone)]
pub(in crate::commands) struct Elsewhere {
    /// The server's address.
    pub(super) address: String,
    /// The containment that they must use.
    pub(super) request: crate::model::containment::ContainmentRequest,
    /// The lease of a job.
    pub(super) lease_s: u64,
    /// The share of games that are played again by another worker, 0 … 1.
    pub(super) checked: f64,
    /// The folder of all results, which is not sent.
    pub(super) results: std::path::PathBuf,
}

#[cfg(feature = "nats")]
impl From<crate::remote::error::RemoteError> for Failure {
    fn from(error: crate::remote::error::RemoteError) -> Self {
        use crate::remote::error::RemoteError;
        use crate::remote::server::ServerProblem;
        match error {
            RemoteError::Server(ServerProblem::Address(_)) => Self::input(error.to_string()),
            error => Self::system(error.to_string()),
        }
    }
}

/// The message of a program that was built without the feature.
pub(in crate::commands) fn missing_feature() -> Failure {
    Failure::input(
        "this program was built for one machine only; for many machines, build it with \
         `cargo build --release --features nats`",
    )
}

#[cfg(feature = "nats")]
pub(super) use self::with_nats::play_elsewhere;

#[cfg(feature = "nats")]
mod with_nats {
    use std::path::Path;

    use tokio::sync::watch;

    use super::{Elsewhere, Failure};
    use crate::model::player::PlayerSpec;
    use crate::model::record::Header;
    use crate::model::rules::GameRules;
    use crate::model::tournament::Tournament;
    use crate::openings::OpeningBook;
    use crate::remote::bundle::Contents;
    use crate::remote::coordinator::Coordinator;
    use crate::remote::description::{
        RunDescription, WrittenBundle, pack_player, pack_rules, write_bundle,
    };
    use crate::remote::error::RemoteError;
    use crate::remote::inspection::Inspector;
    use crate::remote::run_files::RunFiles;
    use crate::remote::scratch::ScratchFolder;
    use crate::run::event::Listener;
    use crate::run::{RunEnd, Runner};
    use crate::seeds::Secret;

    /// Plays the games of `runner` on the workers of a server. `dir` is the results folder, and
    /// `players` are in the order of the log.
    pub(in crate::commands::run) async fn play_elsewhere(
        place: &Elsewhere,
        (tournament, header, secret, dir): (&Tournament, &Header, &Secret, &Path),
        players: &[&PlayerSpec],
        runner: Runner<'_>,
        synced: watch::Receiver<u64>,
        listener: &mut dyn Listener,
        stop: watch::Receiver<bool>,
    ) -> Result<RunEnd, Failure> {
        let rules = GameRules::new(tournament.game.clone(), tournament.options.clone())?;
        let book = OpeningBook::new(rules, tournament.openings.as_ref())?;
        let inspector = Inspector {
            book,
            header: header.clone(),
            secret: secret.clone(),
            names: players.iter().map(|player| player.name.clone()).collect(),
        };
        let folder = ScratchFolder::new(dir.join(".bundles"))?;
        let (description, bundles) =
            describe(place, tournament, header, secret, players, &folder.path)?;
        let files = RunFiles { description, bundles, folder };
        let mut stop_opening = stop.clone();
        let coordinator = tokio::select! {
            biased;
            _ = stop_opening.wait_for(|stop| *stop) => return Ok(RunEnd::Stopped),
            opened = Coordinator::open(&place.address, files, inspector, synced, place.checked) => opened?,
        };
        Ok(Box::pin(coordinator.run(runner, listener, stop)).await?)
    }

    /// The description of the run, and the bundles in it, which are written to `folder`.
    fn describe(
        place: &Elsewhere,
        tournament: &Tournament,
        header: &Header,
        secret: &Secret,
        players: &[&PlayerSpec],
        folder: &Path,
    ) -> Result<(RunDescription, Vec<WrittenBundle>), Failure> {
        let hidden = [&place.request.hidden[..], std::slice::from_ref(&place.results)].concat();
        let mut bundles = Vec::new();
        let mut write = |contents: Option<Contents>| -> Result<Option<String>, Failure> {
            let Some(contents) = contents else { return Ok(None) };
            let bundle = write_bundle(&contents, folder).map_err(RemoteError::from)?;
            let hash = bundle.hash.clone();
            bundles.push(bundle);
            Ok(Some(hash))
        };
        let rules = match tournament.game.program() {
            None => None,
            Some(program) => {
                let packing = pack_rules(program, &hidden);
                let mut item = packing.item;
                item.bundle = write(packing.contents)?.unwrap_or_default();
                Some(item)
            }
        };
        let mut packed = Vec::new();
        for player in players {
            let packing = pack_player(player, &hidden);
            let mut item = packing.item;
            item.bundle = write(packing.contents)?;
            packed.push(item);
        }
        let description = RunDescription {
            header: header.clone(),
            secret: secret.to_hex(),
            level: place.request.level,
            require: place.request.require.iter().map(ToString::to_string).collect(),
            limits: place.request.limits,
            rules,
            players: packed,
            lease_s: place.lease_s,
        };
        Ok((description, bundles))
    }
}
