//! What a worker fetches of a run.

use std::path::PathBuf;
use std::{fs, io};

use super::error::RemoteError;
use super::run_description::{DescribedPlayer, RunDescription};
use super::run_streams::{DESCRIPTION, RunStreams};

/// The folder of the bundles that a worker has fetched.
#[derive(Debug, Clone)]
pub(crate) struct Downloads(pub(crate) PathBuf);

impl Downloads {
    /// The description of the run with this identity, and all bundles that it names.
    pub(crate) async fn run(
        &self,
        streams: &RunStreams,
        run: &str,
    ) -> Result<RunDescription, RemoteError> {
        let text = download_text(streams, DESCRIPTION, "fetch the description of the run").await?;
        let description: RunDescription =
            serde_json::from_slice(&text).map_err(RemoteError::Description)?;
        if description.run_id() != run {
            return Err(RemoteError::Unusable("the description belongs to another run"));
        }
        for hash in description.bundles() {
            self.bundle(streams, hash).await?;
        }
        Ok(description)
    }

    /// The player with this number, which came since the run began, and its bundle.
    pub(crate) async fn player(
        &self,
        streams: &RunStreams,
        number: usize,
    ) -> Result<DescribedPlayer, RemoteError> {
        let name = DescribedPlayer::object_name(number);
        let text = download_text(streams, &name, "fetch the description of a player").await?;
        let player: DescribedPlayer =
            serde_json::from_slice(&text).map_err(RemoteError::Description)?;
        if player.number != number {
            return Err(RemoteError::Unusable("the description belongs to another player"));
        }
        if let Some(hash) = &player.bundle {
            self.bundle(streams, hash).await?;
        }
        Ok(player)
    }

    /// Fetches a bundle, unless it is here.
    async fn bundle(&self, streams: &RunStreams, hash: &str) -> Result<(), RemoteError> {
        // It becomes the name of a file.
        if blake3::Hash::from_hex(hash).is_err() {
            return Err(RemoteError::Unusable("the description of the run names no valid bundle"));
        }
        let path = self.0.join(format!("{hash}.tar"));
        if path.exists() {
            return Ok(());
        }
        let partial = path.with_extension("part");
        let cannot = |error| RemoteError::file("write", &partial)(error);
        let mut file = fs::File::create(&partial).map_err(cannot)?;
        let append = |chunk: &[u8]| io::Write::write_all(&mut file, chunk).map_err(cannot);
        streams.fetch(hash, "fetch the players' files", append).await?;
        fs::rename(&partial, &path).map_err(cannot)
    }
}

/// A short text on the server.
async fn download_text(
    streams: &RunStreams,
    name: &str,
    what: &str,
) -> Result<Vec<u8>, RemoteError> {
    let mut text = Vec::new();
    let append = |chunk: &[u8]| {
        text.extend_from_slice(chunk);
        Ok(())
    };
    streams.fetch(name, what, append).await?;
    Ok(text)
}
