//! The folder for players that were submitted as archives or loose files; each gets its own
//! subfolder.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::archive::{
    LIMITS, UnpackLimits, copy_untrusted_file, is_archive, strip_archive_ending, unpack_archive,
};
use super::links::refuse_links;
use super::no_player::NoPlayer;
use super::platform_export::list_export_authors;
use super::platform_label::PlatformLabel;
use super::uploads::{ChosenUpload, Upload, UploadPart, choose_upload};
use super::{ImportError, format_some_names, is_submissions_sheet, list_submission_files};
use crate::build_commands::is_buildable;
use crate::build_plan::BuildPlan;
use crate::detection::{
    detect_after_build, detect_candidates, find_unbuilt_folder, nearest_folder,
    new_files_after_build,
};
use crate::start_command::StartCommand;
use crate::start_decision::decide_start;

/// How deep archives may be nested.
const DEEPEST: usize = 2;
/// The limits of an export, which holds the submissions of a whole course.
const EXPORT_LIMITS: UnpackLimits =
    UnpackLimits { entries: 200_000, bytes: 20 * 1024 * 1024 * 1024 };
/// Names of folders that are parts of one submission rather than submissions of their own.
const PARTS: [&str; 24] = [
    "assets",
    "bin",
    "build",
    "common",
    "core",
    "data",
    "dist",
    "doc",
    "docs",
    "examples",
    "include",
    "lib",
    "libs",
    "old",
    "out",
    "resources",
    "scripts",
    "source",
    "src",
    "target",
    "test",
    "tests",
    "tools",
    "utils",
];
/// The longest folder name, in bytes, with room for a number.
const LONGEST: usize = 200;

/// The folder, created when the first player needs it.
#[derive(Debug)]
pub(super) struct PlayersFolder {
    to: PathBuf,
    is_made: bool,
    remarks: Vec<String>,
    /// The folder of the last upload.
    top: Option<PathBuf>,
    taken: HashSet<String>,
}

impl PlayersFolder {
    pub(super) fn new(to: &Path) -> Self {
        let (remarks, taken) = (Vec::new(), HashSet::new());
        Self { to: to.to_owned(), is_made: false, remarks, top: None, taken }
    }

    /// Finds the player in an upload of the author called `name`.
    pub(super) fn find_player(
        &mut self,
        name: &str,
        upload: Upload,
    ) -> Result<StartCommand, NoPlayer> {
        match upload {
            Upload::Folder(dir) => {
                refuse_links(&dir)?;
                self.find_in_folder(name, &dir, DEEPEST)
            }
            Upload::Archive(archive) => self.find_in_archive(name, &archive, DEEPEST),
            Upload::Files(files) => {
                let to = self.reserve_folder(name)?;
                copy_loose_files(&files, &to, LIMITS.bytes)?;
                self.top = Some(to.clone());
                detect_submitted_player(&to)
            }
        }
    }

    /// Unpacks an archive that is a platform's export into a new folder.
    pub(super) fn unpack_export(&mut self, archive: &Path) -> Result<PathBuf, ImportError> {
        let file = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let to = self.reserve_folder(strip_archive_ending(&file)).map_err(|why| match why {
            NoPlayer::NoFolder(error) => ImportError::Players(error),
            why => ImportError::Export(file.clone(), why),
        })?;
        unpack_archive(archive, &to, EXPORT_LIMITS)
            .map_err(|error| ImportError::Export(file, NoPlayer::Refused(error)))?;
        Ok(to)
    }

    /// Takes the folder of the last upload.
    pub(super) fn take_top(&mut self) -> Option<PathBuf> {
        self.top.take()
    }

    /// Takes the remarks on the last player.
    pub(super) fn take_remarks(&mut self) -> Vec<String> {
        std::mem::take(&mut self.remarks)
    }

    /// Finds the player in the folder `dir`, or in the archive in it; `left` more levels of
    /// archives may be unpacked.
    fn find_in_folder(
        &mut self,
        name: &str,
        dir: &Path,
        left: usize,
    ) -> Result<StartCommand, NoPlayer> {
        self.top = Some(dir.to_owned());
        let nothing = match detect_submitted_player(dir) {
            Err(nothing @ NoPlayer::Unrecognised(_)) => nothing,
            other => {
                self.remarks.extend(remark_several_submissions(dir));
                return other;
            }
        };
        let Some(ChosenUpload { upload, remark }) = choose_packed_upload(dir) else {
            return Err(nothing);
        };
        self.remarks.extend(remark);
        match upload {
            Ok(Upload::Archive(archive)) => self.find_in_archive(name, &archive, left),
            Ok(_) => Err(nothing),
            Err(why) => Err(why),
        }
    }

    /// Unpacks an archive and finds the player in it.
    fn find_in_archive(
        &mut self,
        name: &str,
        archive: &Path,
        left: usize,
    ) -> Result<StartCommand, NoPlayer> {
        let file = archive.file_name().unwrap_or_default().to_string_lossy();
        let Some(left) = left.checked_sub(1) else { return Err(NoPlayer::TooDeep(file.into())) };
        let is_inside = archive.starts_with(&self.to);
        let to = if is_inside {
            archive.with_file_name(strip_archive_ending(&file))
        } else {
            self.reserve_folder(name)?
        };
        unpack_archive(archive, &to, LIMITS).map_err(NoPlayer::Refused)?;
        self.find_in_folder(name, &to, left)
    }

    /// A new name for the folder of the author called `name`. The parent folder is created for the
    /// first author. Names differ by more than case, because some systems ignore case.
    fn reserve_folder(&mut self, name: &str) -> Result<PathBuf, NoPlayer> {
        if !self.is_made {
            fs::create_dir_all(self.to.parent().unwrap_or(Path::new(".")))
                .map_err(NoPlayer::NoFolder)?;
            // The content of an existing folder would be mixed with the players.
            fs::create_dir(&self.to).map_err(NoPlayer::NoFolder)?;
            self.is_made = true;
        }
        let folder = player_folder_name(name);
        let numbered = (2..).map(|number| format!("{folder}-{number}"));
        let mut names = std::iter::once(folder.clone()).chain(numbered);
        let free = names.find(|name| self.taken.insert(name.to_lowercase()));
        Ok(self.to.join(free.unwrap_or(folder)))
    }
}

/// Detects the player in the folder `dir`.
fn detect_submitted_player(dir: &Path) -> Result<StartCommand, NoPlayer> {
    choose_only_candidate(decide_start(dir, None).found).unwrap_or_else(|| {
        Err(match find_unbuilt_folder(dir) {
            Some((at, command)) if is_buildable(&at) => NoPlayer::Unbuilt(command),
            Some((_, command)) => NoPlayer::NoBuildFile(command),
            None => NoPlayer::Unrecognised(list_submission_files(dir)),
        })
    })
}

/// Detects the player in the folder `result`, which `plan` made.
pub fn detect_built_player(plan: &BuildPlan, result: &Path) -> Result<StartCommand, NoPlayer> {
    choose_only_candidate(detect_after_build(plan, result)).unwrap_or_else(|| {
        let (command, made) = (plan.command.clone(), new_files_after_build(&plan.source, result));
        Err(NoPlayer::NothingMade { command, made })
    })
}

/// The only one of these; `None` if there is none.
fn choose_only_candidate(mut found: Vec<StartCommand>) -> Option<Result<StartCommand, NoPlayer>> {
    Some(match found.len() {
        0 | 1 => Ok(found.pop()?),
        _ => Err(NoPlayer::Several(found)),
    })
}

/// Chooses the archive in a folder, or on the first level of folders below it that has any.
fn choose_packed_upload(dir: &Path) -> Option<ChosenUpload> {
    let (_, packed) = nearest_folder(dir, |dir| {
        let names = list_submission_files(dir);
        let parts = names
            .iter()
            .map(|name| UploadPart::new(dir, name, PlatformLabel::from_author_file(name)));
        let packed: Vec<UploadPart> = parts.filter(UploadPart::is_packed).collect();
        (!packed.is_empty()).then_some(packed)
    })?;
    Some(choose_upload(packed))
}

/// The remark that the folder `dir` seems to hold submissions of several authors, and one of them
/// would play for all.
fn remark_several_submissions(dir: &Path) -> Option<String> {
    let plain = || {
        let names = list_submission_files(dir);
        let is_own = |name: &&String| {
            let path = dir.join(name);
            let is_part = PARTS.contains(&&*name.to_lowercase());
            let has_player =
                || !detect_candidates(&path).is_empty() || find_unbuilt_folder(&path).is_some();
            is_archive(&path) || path.is_dir() && !is_part && has_player()
        };
        let is_top = names.iter().any(|name| {
            !is_submissions_sheet(name)
                && !detect_candidates(&dir.join(name)).is_empty()
                && dir.join(name).is_file()
        });
        let own: Vec<String> = names.iter().filter(is_own).cloned().collect();
        (!is_top && own.len() > 1).then_some(own)
    };
    let names = list_export_authors(dir).or_else(plain)?;
    let listed = format_some_names(names.iter().map(String::as_str));
    Some(format!(
        "it seems to hold several submissions ({listed}) but is treated as one; to import each of \
         them, pass their folder to `referee new tournament`"
    ))
}

/// Copies files of less than `most` bytes in all to the new folder `to`. If one cannot be copied, the
/// folder is removed.
fn copy_loose_files(files: &[(PathBuf, String)], to: &Path, most: u64) -> Result<(), NoPlayer> {
    fs::create_dir(to).map_err(NoPlayer::Copy)?;
    let copied = files.iter().try_fold(most, |left, (from, name)| {
        let bytes = copy_untrusted_file(from, &to.join(name), left).map_err(NoPlayer::Copy)?;
        left.checked_sub(bytes).filter(|left| *left > 0).ok_or(NoPlayer::TooLarge(most))
    });
    if copied.is_err() {
        // The partial content is useless, and the reason matters more than a failure here.
        let _ = fs::remove_dir_all(to);
    }
    copied.map(drop)
}

/// The folder name for the author called `name`.
fn player_folder_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let mut folder: String = name.chars().map(plain).collect();
    let fits = folder.char_indices().map(|(at, _)| at).take_while(|at| *at <= LONGEST).last();
    if folder.len() > LONGEST {
        folder.truncate(fits.unwrap_or_default());
    }
    match folder.trim_matches('.') {
        "" => "player".to_owned(),
        folder => folder.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_player_gets_a_folder_of_its_own() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut players = PlayersFolder::new(&dir.path().join("players"));
        let names = ["o'brien", "o-brien", "O-Brien", " .", "..", "Zoë 象"];
        let places = names.map(|name| players.reserve_folder(name).expect("a folder"));
        let folders = places.map(|path| path.strip_prefix(&players.to).expect("below").to_owned());
        let expected = ["o-brien", "o-brien-2", "O-Brien-3", "-", "player", "Zoë-象"];
        assert_eq!(folders, expected.map(PathBuf::from));
    }

    #[test]
    fn of_a_loose_file_only_bytes_are_copied() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().expect("a folder");
        let at = |name: &str| dir.path().join(name);
        let copied =
            |name: &str, most| copy_loose_files(&[(at(name), "copy".to_owned())], &at("to"), most);
        for (mode, runs) in [(0o6777, true), (0o4666, false)] {
            fs::write(at("file"), "five!").expect("a file");
            fs::set_permissions(at("file"), fs::Permissions::from_mode(mode)).expect("a mode");
            copied("file", 6).expect("copied");
            let mode = fs::metadata(at("to/copy")).expect("a copy").permissions().mode() & 0o7777;
            assert_eq!((mode & !0o755, mode & 0o100 != 0), (0, runs), "{mode:o}");
            assert_eq!(fs::read_to_string(at("to/copy")).expect("a copy"), "five!");
            fs::remove_dir_all(at("to")).expect("removed");
        }
        // What took the place of a file after it was looked at.
        symlink("file", at("link")).expect("a link");
        nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
        for (name, most) in [("link", 6), ("pipe", 6), ("file", 5)] {
            copied(name, most).expect_err(name);
            assert!(!at("to").exists(), "nothing is left of {name}");
        }
    }

    #[test]
    fn the_name_of_a_folder_is_not_too_long() {
        let folder = player_folder_name(&"象".repeat(100));
        assert!((LONGEST - 3..=LONGEST).contains(&folder.len()), "{}", folder.len());
    }
}
