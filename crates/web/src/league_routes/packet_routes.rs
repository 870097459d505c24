//! The packet of a version, for its author: as pages, and as an archive.

use std::fs;
use std::io::{self, Cursor, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use axum::body::{Body, HttpBody as _};
use axum::extract::{Path as Named, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use tempfile::TempDir;
use tokio::sync::OwnedSemaphorePermit;
use tokio_stream::StreamExt as _;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::entrance::{AuthorBounds, AuthorVisit, Entrance, KeptPacket};
use crate::WebError;
use crate::background_work::in_background;
use crate::live_tournament::latest_live_page;
use crate::shared_copy::Freshness;
use crate::tournament_routes::SCRIPT;
use referee_record::model::league_entry::LeagueEntry;
use referee_record::plain_files;
use referee_record::plain_files::{open_plain_nofollow, read_plain_nofollow};
use referee_report::csv_tables::PAGE;
use referee_report::packet_writer::write_packet;
use referee_report::page::page_template::add_template_own_link;
use referee_tournament::folder::read_folder_header;

/// Where an author's page lists packets.
const BACK: &str = "/author#versions";
/// The most packets that are kept.
const MOST_KEPT: usize = 16;
/// The most bytes of a file of a packet that is sent by itself.
const LARGEST: u64 = 256 << 20;

/// The page of a packet.
pub(super) async fn serve_packet_page(
    State(entrance): State<Arc<Entrance>>,
    visit: AuthorVisit,
    Named(number): Named<u32>,
) -> Response {
    answer_from_packet(&entrance, &visit, number, |folder| {
        let page = read_plain_nofollow(&folder.join(PAGE), LARGEST)?;
        let page = String::from_utf8(page).map_err(io::Error::other)?;
        // The archive has the same page, where the link would lead nowhere.
        Ok(Html(add_template_own_link(&page, BACK)).into_response())
    })
    .await
}

/// A game of a packet, which its page loads.
pub(super) async fn serve_packet_game(
    State(entrance): State<Arc<Entrance>>,
    visit: AuthorVisit,
    Named((number, file)): Named<(u32, String)>,
) -> Response {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if !file.strip_suffix(".js").is_some_and(|id| id.bytes().all(is_plain)) {
        return StatusCode::NOT_FOUND.into_response();
    }
    answer_from_packet(&entrance, &visit, number, move |folder| {
        let script = read_plain_nofollow(&folder.join("games").join(&file), LARGEST)?;
        Ok(([(header::CONTENT_TYPE, SCRIPT)], script).into_response())
    })
    .await
}

/// The whole packet as an archive.
pub(super) async fn serve_packet_archive(
    State(entrance): State<Arc<Entrance>>,
    visit: AuthorVisit,
    Named(number): Named<u32>,
) -> Response {
    answer_from_packet(&entrance, &visit, number, move |folder| {
        let name = format!("packet-{number}");
        Ok(zip_response(zip_packet_folder(folder, &name)?, &format!("{name}.zip")))
    })
    .await
}

/// The files of an author's own version, as it plays, as an archive.
pub(super) async fn serve_packet_player(
    State(entrance): State<Arc<Entrance>>,
    visit: AuthorVisit,
    Named(number): Named<u32>,
) -> Response {
    let bounds = entrance.author_bounds(&visit.name);
    let Ok(held) = Arc::clone(&bounds.asking).try_acquire_owned() else {
        let why = "you have too many downloads waiting\n";
        return (StatusCode::TOO_MANY_REQUESTS, why).into_response();
    };
    let _one = bounds.packing.lock().await;
    let Ok(permit) = Arc::clone(&entrance.packing).acquire_owned().await else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let folder = entrance.league.settings.entrants.join(&visit.name).join(number.to_string());
    let made = in_background(move || {
        let _held_until_it_ends = permit;
        plain_files::check_folder_nofollow(&folder)?;
        Ok(zip_packet_folder(&folder, &format!("player-{number}"))?)
    });
    match made.await {
        Ok(archive) => {
            hold_packet_permit(held, zip_response(archive, &format!("player-{number}.zip")))
        }
        Err(WebError::Packet(error)) if error.kind() == io::ErrorKind::NotFound => {
            entrance.not_found(BACK)
        }
        Err(failure) => entrance.failure_response(&failure),
    }
}

/// An archive to download.
fn zip_response(archive: Vec<u8>, name: &str) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    (headers, archive).into_response()
}

/// The same answer, which holds a permit until it is sent: a client with a slow line takes long, and
/// all of the answer is in memory.
fn hold_packet_permit(permit: OwnedSemaphorePermit, mut response: Response) -> Response {
    // The length of a stream is not known otherwise.
    if let Some(length) = response.body().size_hint().exact() {
        response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    }
    response.map(|body| {
        Body::from_stream(body.into_data_stream().map(move |piece| {
            let _held_until_it_is_sent = &permit;
            piece
        }))
    })
}

/// What `give` makes of the packet of an author's own version. Others have none here.
async fn answer_from_packet(
    entrance: &Arc<Entrance>,
    visit: &AuthorVisit,
    number: u32,
    give: impl FnOnce(&Path) -> io::Result<Response> + Send + 'static,
) -> Response {
    let bounds = entrance.author_bounds(&visit.name);
    let Ok(held) = Arc::clone(&bounds.asking).try_acquire_owned() else {
        let why = "you have too many packets waiting\n";
        return (StatusCode::TOO_MANY_REQUESTS, why).into_response();
    };
    let given = match make_version_packet(entrance, &bounds, (&visit.name, number)).await {
        Ok(None) => return entrance.not_found(BACK),
        Ok(Some(folder)) => in_background(move || Ok(give(folder.path()))).await,
        Err(failure) => Err(failure),
    };
    match given {
        Ok(Ok(response)) => hold_packet_permit(held, response),
        Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => entrance.not_found(BACK),
        Ok(Err(error)) => entrance.failure_response(&WebError::from(error)),
        Err(failure) => entrance.failure_response(&failure),
    }
}

/// The packet of an author's version, made anew if the log has changed. `None` if there is no such
/// version.
async fn make_version_packet(
    entrance: &Arc<Entrance>,
    bounds: &AuthorBounds,
    (author, version): (&str, u32),
) -> Result<Option<Arc<TempDir>>, WebError> {
    let live = latest_live_page(&entrance.live, Freshness::Recent).await?;
    let is_it = |entry: &LeagueEntry| entry.author == author && entry.version == version;
    if !live.entrants.iter().any(|player| player.entry.as_ref().is_some_and(is_it)) {
        return Ok(None);
    }
    let player = LeagueEntry::version_name(author, version);
    // One after the other, so that an author who asks often does not take the time of others.
    let _one = bounds.packing.lock().await;
    let changes = entrance.live.count_changes();
    if let Some(kept) = find_kept_packet(entrance, &player, changes) {
        return Ok(Some(kept));
    }
    let permit = Arc::clone(&entrance.packing).acquire_owned().await;
    let permit = permit?;
    let (source, name) = (Arc::clone(&entrance.live), player.clone());
    let made = in_background(move || {
        let _held_until_it_ends = permit;
        let folder = TempDir::new()?;
        let renderer = source.replay_renderer(&read_folder_header(&source.dir)?)?;
        let found = write_packet(&source.dir, &name, folder.path(), renderer)?;
        Ok(found.then(|| Arc::new(folder)))
    })
    .await?;
    if let Some(folder) = &made {
        keep_packet(entrance, KeptPacket { player, changes, folder: Arc::clone(folder) });
    }
    Ok(made)
}

fn find_kept_packet(entrance: &Entrance, player: &str, changes: u64) -> Option<Arc<TempDir>> {
    let packets = entrance.packets.lock().unwrap_or_else(PoisonError::into_inner);
    let mut newest = packets.iter().rev();
    let found = newest.find(|packet| packet.player == player && packet.changes == changes)?;
    Some(Arc::clone(&found.folder))
}

fn keep_packet(entrance: &Entrance, packet: KeptPacket) {
    let mut packets = entrance.packets.lock().unwrap_or_else(PoisonError::into_inner);
    packets.retain(|other| other.player != packet.player);
    packets.push(packet);
    if packets.len() > MOST_KEPT {
        packets.remove(0);
    }
}

/// All files in `folder` as an archive, under the name `top`. A build may have left links, which could
/// lead anywhere: they are left out.
fn zip_packet_folder(folder: &Path, top: &str) -> io::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    zip_packet_entries(folder, top, &mut archive)?;
    Ok(archive.finish().map_err(io::Error::other)?.into_inner())
}

fn zip_packet_entries(
    folder: &Path,
    name: &str,
    archive: &mut ZipWriter<Cursor<Vec<u8>>>,
) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            zip_packet_entries(&entry.path(), &name, archive)?;
        } else if kind.is_file() {
            let runs = entry.metadata()?.permissions().mode() & 0o100 != 0;
            let options = SimpleFileOptions::default();
            let options = if runs { options.unix_permissions(0o755) } else { options };
            archive.start_file(name, options).map_err(io::Error::other)?;
            io::copy(&mut open_plain_nofollow(&entry.path())?, archive)?;
        }
    }
    archive.flush()
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use tokio::sync::Semaphore;

    use super::*;

    #[tokio::test]
    async fn a_download_counts_until_it_is_sent() {
        let asking = Arc::new(Semaphore::new(1));
        let permit = Arc::clone(&asking).try_acquire_owned().expect("it is free");
        let response = hold_packet_permit(permit, zip_response(b"an archive".to_vec(), "x.zip"));
        assert_eq!(response.headers()[header::CONTENT_LENGTH], "10");
        assert_eq!(asking.available_permits(), 0);
        let sent = to_bytes(response.into_body(), 10).await.expect("a body");
        assert_eq!(&sent[..], b"an archive");
        assert_eq!(asking.available_permits(), 1);
    }
}
