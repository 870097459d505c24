//! The files of a run: its description and bundles, which the coordinator puts onto the server.

use std::time::Duration;

use async_nats::jetstream::object_store::ObjectStore;

use super::bundle_folder::BundleFolder;
use super::error::RemoteError;
use super::nats_server::NatsServer;
use super::run_description::{DescribedPlayer, RunDescriber, RunDescription};
use super::run_streams::{DESCRIPTION, RunStreams};

/// What workers need for a run.
#[derive(Debug)]
pub struct RunFiles {
    /// The description of the run.
    pub description: RunDescription,
    /// The players that came since it began.
    pub newcomers: Vec<DescribedPlayer>,
    /// Packs them.
    pub packer: RunDescriber,
    /// The folder of all bundles.
    pub folder: BundleFolder,
}

impl RunFiles {
    /// How long a job belongs to a worker that gives no sign of life.
    pub(crate) fn lease(&self) -> Duration {
        Duration::from_secs(self.description.lease_s)
    }

    /// Creates what is missing of the run's queues, and sends what is missing of its files. Returns
    /// whether the queue of jobs was missing.
    ///
    /// # Errors
    /// The server refuses, or a file cannot be read.
    pub(crate) async fn create(
        &self,
        server: &NatsServer,
        streams: &RunStreams,
    ) -> Result<bool, RemoteError> {
        let was_missing = streams.create(self.lease()).await?;
        let store = streams.store().await?;
        for hash in self.description.bundles() {
            self.send_bundle(server, &store, hash).await?;
        }
        for player in &self.newcomers {
            if let Some(hash) = &player.bundle {
                self.send_bundle(server, &store, hash).await?;
            }
            let name = DescribedPlayer::object_name(player.number);
            if store.info(&name).await.is_err() {
                let text = serde_json::to_vec(player).map_err(RemoteError::Undescribed)?;
                let put = store.put(name.as_str(), &mut text.as_slice()).await;
                server.check("send the description of a player", put)?;
            }
        }
        if store.info(DESCRIPTION).await.is_err() {
            let text = serde_json::to_vec(&self.description).map_err(RemoteError::Undescribed)?;
            let put = store.put(DESCRIPTION, &mut text.as_slice()).await;
            server.check("send the description of the run", put)?;
        }
        Ok(was_missing)
    }

    /// Sends a bundle, unless it exists.
    async fn send_bundle(
        &self,
        server: &NatsServer,
        store: &ObjectStore,
        hash: &str,
    ) -> Result<(), RemoteError> {
        if store.info(hash).await.is_ok() {
            return Ok(());
        }
        let file = self.folder.path_of(hash);
        let unreadable = RemoteError::file("read the bundle", &file);
        let mut content = tokio::fs::File::open(&file).await.map_err(unreadable)?;
        let put = store.put(hash, &mut content).await;
        server.check("send the players' files", put)?;
        Ok(())
    }
}
