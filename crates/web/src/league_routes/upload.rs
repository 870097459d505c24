//! Handing in: files arrive in a private folder, and move to the author's folder when they are whole.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use tempfile::TempDir;
use tokio::sync::OwnedSemaphorePermit;

use super::entrance::{AuthorBounds, AuthorVisit, Entrance, redirect_visitor};
use super::incoming_form::{FormProblem, IncomingField, IncomingForm, drain_form_request};
use crate::WebError;
use crate::background_work::in_background;
use crate::visitors::AUTHOR;
use referee_league::author_folder::{AuthorFolder, is_not_submitted};
use referee_league::hand_in::read_hand_in;
use referee_protocol::escape::escape_line;
use referee_record::wording::pluralize;

/// The most files in a submission that is no archive.
const MOST_FILES: usize = 100;
/// The longest name of a file, in bytes.
const LONGEST_NAME: usize = 100;
/// The folder for several files, under which the author's folder has them.
const SEVERAL: &str = "files";
/// The field with what an author says of a submission.
const COMMENT: &str = "comment";
/// The longest text in it, in characters.
const LONGEST_COMMENT: usize = 500;
/// What was there before, on its way out.
const OLD: &str = "old";
/// How soon to try again when too many others hand in.
const SOON: Duration = Duration::from_secs(10);
/// How long an author waits after an upload that failed or had nothing new.
const MOMENT: Duration = Duration::from_secs(10);
/// How programs for Linux begin. Forms do not say that a file is a program.
const PROGRAM: &[u8] = b"\x7fELF";

/// Takes a submission.
pub(super) async fn handle_upload(
    State(entrance): State<Arc<Entrance>>,
    visit: AuthorVisit,
    request: Request,
) -> Response {
    match receive_upload(&entrance, &visit, request).await {
        Ok(HandedIn::New) => redirect_visitor(AUTHOR, None),
        Ok(HandedIn::Same) => {
            let text = "These are the files of your last hand-in; they will not be checked twice.";
            entrance.notice_response(
                StatusCode::OK,
                "Nothing new",
                text,
                (AUTHOR, "See the report on them"),
            )
        }
        Err(RefusedUpload::Form(problem)) => entrance.refuse_form(&problem, AUTHOR),
        Err(RefusedUpload::Said(status, why)) => {
            entrance.notice_response(status, "Upload rejected", &why, (AUTHOR, "Go back"))
        }
        Err(RefusedUpload::Wait(status, why, wait)) => {
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            let why = format!("{why} Try again in {}.", pluralize(seconds, "second"));
            let page = entrance.notice_response(status, "Too soon", &why, (AUTHOR, "Go back"));
            ([(header::RETRY_AFTER, seconds.to_string())], page).into_response()
        }
        Err(RefusedUpload::Failed(failure)) => entrance.failure_response(&*failure),
    }
}

/// What was handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HandedIn {
    /// Something new.
    New,
    /// What was there already.
    Same,
}

/// Why a submission is not taken.
enum RefusedUpload {
    Form(FormProblem),
    Said(StatusCode, String),
    Wait(StatusCode, String, Duration),
    Failed(Box<WebError>),
}

impl From<FormProblem> for RefusedUpload {
    fn from(problem: FormProblem) -> Self {
        Self::Form(problem)
    }
}

impl From<WebError> for RefusedUpload {
    fn from(failure: WebError) -> Self {
        Self::Failed(failure.into())
    }
}

async fn receive_upload(
    entrance: &Arc<Entrance>,
    visit: &AuthorVisit,
    request: Request,
) -> Result<HandedIn, RefusedUpload> {
    let settings = &entrance.league.settings;
    let bounds = entrance.author_bounds(&visit.name);
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length: Option<u64> = length.and_then(|length| length.to_str().ok()?.parse().ok());
    let permits = acquire_upload_permits(entrance, &bounds).and_then(|permits| {
        // Only now: an upload that held the permits may have ended a moment ago.
        check_upload_allowed(entrance, visit, &bounds)?;
        match length {
            // What is beside the files is less.
            Some(length) if length / 2 > settings.largest => {
                Err(FormProblem::TooLarge(settings.largest).into())
            }
            _ => Ok(permits),
        }
    });
    let permits = match permits {
        Ok(permits) => permits,
        Err(refused) => {
            // Otherwise a browser that is still sending may not show the answer.
            if let Ok(_held) = bounds.draining.try_acquire() {
                drain_form_request(request, settings.largest).await;
            }
            return Err(refused);
        }
    };
    let mut upload =
        Upload { bounds, every: settings.every, begun: None, is_new: false, _permits: permits };
    let mut form = IncomingForm::begin(request, &visit.secret, settings.largest).await?;
    let arrived = receive_upload_files(entrance, &mut form, &mut upload).await?;
    let (place, author) = (Arc::clone(entrance), visit.name.clone());
    in_background(move || {
        let handed_in = put_upload_in_place(&place, &author, &arrived);
        // Here, because this goes on when the sender has left.
        upload.end(matches!(handed_in, Ok(HandedIn::New)));
        Ok(handed_in)
    })
    .await?
}

/// An upload by an author. If a file has begun to arrive, its end makes the author wait, even if the
/// sender just leaves: after something new as long as the league wants, and otherwise only a moment, so
/// that a failure costs nobody a deadline and nobody floods the page.
struct Upload {
    bounds: Arc<AuthorBounds>,
    /// How long the author waits after something new.
    every: Duration,
    /// When the last file began to arrive.
    begun: Option<Instant>,
    /// Whether something new is in place.
    is_new: bool,
    /// They are given back after the wait has begun.
    _permits: [OwnedSemaphorePermit; 2],
}

impl Upload {
    /// Ends it.
    fn end(mut self, is_new: bool) {
        self.is_new = is_new;
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let Some(begun) = self.begun else { return };
        let pause = if self.is_new {
            (begun, self.every)
        } else {
            (Instant::now(), MOMENT.min(self.every))
        };
        *self.bounds.pause.lock().unwrap_or_else(PoisonError::into_inner) = Some(pause);
    }
}

/// Why nothing is taken from this author now.
fn check_upload_allowed(
    entrance: &Entrance,
    visit: &AuthorVisit,
    bounds: &AuthorBounds,
) -> Result<(), RefusedUpload> {
    let control = entrance.control()?;
    let said = |why: &str| Err(RefusedUpload::Said(StatusCode::FORBIDDEN, why.to_owned()));
    if control.closed {
        return said("The league is closed.");
    }
    if control.removed.contains(&visit.name) {
        return said("The organiser has removed you; you can no longer hand anything in.");
    }
    let pause = *bounds.pause.lock().unwrap_or_else(PoisonError::into_inner);
    let wait = pause.and_then(|(since, wait)| wait.checked_sub(since.elapsed()));
    let wait = wait.unwrap_or_default();
    if wait.is_zero() {
        return Ok(());
    }
    Err(RefusedUpload::Wait(
        StatusCode::TOO_MANY_REQUESTS,
        "Your last upload was too recent.".to_owned(),
        wait,
    ))
}

/// Room for one more submission.
fn acquire_upload_permits(
    entrance: &Entrance,
    bounds: &AuthorBounds,
) -> Result<[OwnedSemaphorePermit; 2], RefusedUpload> {
    let own = Arc::clone(&bounds.uploading).try_acquire_owned().map_err(|_| {
        let why = "Another upload of yours is still in progress.".to_owned();
        RefusedUpload::Wait(StatusCode::TOO_MANY_REQUESTS, why, SOON)
    })?;
    let shared = Arc::clone(&entrance.uploads).try_acquire_owned().map_err(|_| {
        let why = "Too many other uploads are in progress.".to_owned();
        RefusedUpload::Wait(StatusCode::SERVICE_UNAVAILABLE, why, SOON)
    })?;
    Ok([own, shared])
}

/// What has arrived as a whole, in a folder that goes with this value.
struct UploadedFiles {
    folder: TempDir,
    names: Vec<String>,
    /// What its author says of it.
    comment: String,
}

/// Receives the files of a form. They are on the disk when this returns.
async fn receive_upload_files(
    entrance: &Entrance,
    form: &mut IncomingForm,
    upload: &mut Upload,
) -> Result<UploadedFiles, RefusedUpload> {
    let incoming = entrance.incoming_folder();
    let folder = tempfile::Builder::new().prefix("hand-in-").tempdir_in(&incoming);
    let folder = folder.map_err(WebError::unwritable(&incoming))?;
    let mut arrived = UploadedFiles { folder, names: Vec::new(), comment: String::new() };
    let mut taken = HashSet::new();
    while let Some(mut field) = form.next_field().await? {
        if field.text_name() == Some(COMMENT) {
            let text = field.text().await?;
            arrived.comment = text.chars().take(LONGEST_COMMENT).collect();
            continue;
        }
        if field.file_name()?.is_empty() {
            // A browser sends this if no file was chosen.
            while field.chunk().await?.is_some() {}
            continue;
        }
        let name = check_upload_name(field.file_name()?)?;
        let is_new = taken.insert(name.to_lowercase());
        if !is_new || arrived.names.len() == MOST_FILES {
            let why = if is_new {
                format!("there are more than {MOST_FILES} files; send an archive")
            } else {
                format!("two files are named {name}")
            };
            return Err(FormProblem::Unusable(why).into());
        }
        let path = arrived.folder.path().join(&name);
        let file = File::options().read(true).write(true).create_new(true).open(&path);
        let file = file.map_err(WebError::unwritable(&path))?;
        upload.begun = Some(Instant::now());
        store_upload_file(&mut field, file, &path).await?;
        arrived.names.push(name);
    }
    if arrived.names.is_empty() {
        return Err(FormProblem::Unusable("choose a file first".to_owned()).into());
    }
    Ok(arrived)
}

/// The name under which a file is kept.
fn check_upload_name(sent: &str) -> Result<String, FormProblem> {
    let name = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let problem = if name.is_empty() || name.starts_with('.') {
        "it begins with a dot"
    } else if name.len() > LONGEST_NAME {
        "it is too long"
    } else if escape_line(name) != name {
        "it contains an invisible character"
    } else if is_not_submitted(OsStr::new(&name.to_lowercase())) {
        "this name is reserved for the report"
    } else {
        return Ok(name.to_owned());
    };
    Err(FormProblem::Unusable(format!("rename the file {}: {problem}", escape_line(name))))
}

/// Writes a file.
async fn store_upload_file(
    field: &mut IncomingField<'_>,
    mut file: File,
    path: &Path,
) -> Result<(), RefusedUpload> {
    while let Some(chunk) = field.chunk().await? {
        let shown = path.to_owned();
        file = in_background(move || {
            let written = file.write_all(&chunk);
            written.map(|()| file).map_err(WebError::unwritable(&shown))
        })
        .await?;
    }
    let shown = path.to_owned();
    in_background(move || finish_upload_file(&file).map_err(WebError::unwritable(&shown))).await?;
    Ok(())
}

/// Lets a program be started, and makes sure that the file survives a power failure.
fn finish_upload_file(mut file: &File) -> io::Result<()> {
    let mut begin = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(PROGRAM.len() as u64).read_to_end(&mut begin)?;
    let mode = if begin == PROGRAM { 0o755 } else { 0o644 };
    file.set_permissions(Permissions::from_mode(mode))?;
    file.sync_all()
}

/// Moves what has arrived to the author's folder, in place of what was there.
fn put_upload_in_place(
    entrance: &Entrance,
    author: &str,
    arrived: &UploadedFiles,
) -> Result<HandedIn, RefusedUpload> {
    let path = entrance.hand_in_folder(author);
    let largest = entrance.league.settings.largest;
    let replaced = AuthorFolder::make(&path).and_then(|folder| {
        // The intake says why it cannot read something.
        let digest = || Some(read_hand_in(&folder, None, largest).ok()?.digest);
        let before = digest();
        replace_with_upload(&folder, arrived)?;
        let is_same = before.is_some() && before == digest();
        Ok(if is_same { HandedIn::Same } else { HandedIn::New })
    });
    replaced.map_err(|error| WebError::unwritable(&path)(error).into())
}

/// Everything that was there leaves before the new files come, in one step: nobody sees both.
fn replace_with_upload(folder: &AuthorFolder, arrived: &UploadedFiles) -> io::Result<()> {
    let new = match arrived.names.as_slice() {
        [name] => name,
        names => {
            let several = tempfile::Builder::new().prefix(".").tempdir_in(arrived.folder.path())?;
            for name in names {
                fs::rename(arrived.folder.path().join(name), several.path().join(name))?;
            }
            fs::set_permissions(several.path(), Permissions::from_mode(0o755))?;
            File::open(several.path())?.sync_all()?;
            fs::rename(several.keep(), arrived.folder.path().join(SEVERAL))?;
            SEVERAL
        }
    };
    let old = tempfile::Builder::new().prefix(OLD).tempdir_in(arrived.folder.path())?;
    for name in folder.handed_in()? {
        folder.move_out(&name, &old.path().join(&name))?;
    }
    folder.write_comment(&arrived.comment)?;
    folder.move_in(&arrived.folder.path().join(new), new)
}

#[cfg(test)]
mod tests {
    use tokio::sync::Semaphore;

    use super::*;
    use referee_league::REPORT_FILE;

    #[test]
    fn an_author_waits_long_only_after_something_new() {
        let (every, begun) = (Duration::from_secs(3600), Instant::now());
        let (bounds, shared) = (Arc::<AuthorBounds>::default(), Arc::new(Semaphore::new(1)));
        let upload = |begun, every| {
            let held = [&bounds.uploading, &shared].map(|permits| {
                Arc::clone(permits).try_acquire_owned().expect("the last upload has ended")
            });
            Upload { bounds: Arc::clone(&bounds), every, begun, is_new: false, _permits: held }
        };
        let pause = || *bounds.pause.lock().expect("nobody panics");
        let wait = || pause().map(|(_, wait)| wait);
        drop(upload(None, every));
        assert_eq!(pause(), None, "no file came");
        upload(Some(begun), every).end(true);
        assert_eq!(pause(), Some((begun, every)));
        drop(upload(Some(begun), every));
        assert_eq!(wait(), Some(MOMENT), "its sender left");
        upload(Some(begun), every).end(false);
        assert_eq!(wait(), Some(MOMENT));
        upload(Some(begun), Duration::from_secs(1)).end(false);
        assert_eq!(wait(), Some(Duration::from_secs(1)), "never longer than after something new");
    }

    #[test]
    fn names_of_files_lead_nowhere_else() {
        for (sent, name) in [
            ("player.py", "player.py"),
            ("../../etc/cron.d/x", "x"),
            ("C:\\Users\\ann\\player.py", "player.py"),
            ("Zoë 象棋.zip", "Zoë 象棋.zip"),
        ] {
            assert_eq!(check_upload_name(sent).expect(sent), name);
        }
        let long = "a".repeat(LONGEST_NAME + 1);
        for bad in [
            "",
            ".",
            "..",
            "x/..",
            "a/",
            ".hidden",
            "report.txt",
            "Report.TXT",
            "a\u{202e}b",
            "a\nb",
            &long,
        ] {
            check_upload_name(bad).expect_err(bad);
        }
    }

    #[test]
    fn what_arrives_replaces_all_but_the_report() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = dir.path().join("ann");
        let held = AuthorFolder::make(&folder).expect("a folder");
        fs::write(folder.join(REPORT_FILE), "entered").expect("written");
        let hand = |names: &[&str]| {
            let new = TempDir::new_in(dir.path()).expect("a folder");
            for name in names {
                fs::write(new.path().join(name), *name).expect("written");
            }
            let names = names.iter().map(ToString::to_string).collect();
            replace_with_upload(
                &held,
                &UploadedFiles { folder: new, names, comment: "tries".to_owned() },
            )
            .expect("in place");
            let mut left = held.handed_in().expect("a folder");
            left.sort();
            assert_eq!(fs::read_to_string(folder.join(REPORT_FILE)).expect("there"), "entered");
            left.into_iter().map(|name| name.into_string().expect("text")).collect::<Vec<_>>()
        };
        assert_eq!(hand(&["player.py"]), ["player.py"]);
        assert_eq!(hand(&["a.py", "old", "files"]), [SEVERAL]);
        assert_eq!(hand(&["player.zip"]), ["player.zip"]);
        assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1, "nothing else is left");
    }
}
