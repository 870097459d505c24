//! Chooses which of an author's uploads counts.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::archive::is_archive;
use super::format_some_names;
use super::no_player::NoPlayer;
use super::platform_label::PlatformLabel;
use crate::build_commands::has_build_command;
use crate::detection::detect_player;

/// One file or folder from an author.
#[derive(Debug, Clone)]
pub(super) struct UploadPart {
    /// The path.
    pub path: PathBuf,
    /// The name in the folder of submissions.
    pub(crate) entry: String,
    /// The information in its name.
    pub(crate) label: PlatformLabel,
    kind: UploadKind,
    written: Option<SystemTime>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UploadKind {
    Folder,
    Archive,
    /// An archive that cannot be unpacked.
    Packed,
    /// A file that may be a player or part of one.
    Program,
    /// A file in a compiled language, or one that says how to build.
    Source,
    /// A page written by the platform.
    Page,
    Other,
    /// A link, or something in a folder behind one.
    Link,
    /// A device, a pipe or a socket.
    Special,
}

/// The upload to play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Upload {
    Folder(PathBuf),
    /// The content of an archive.
    Archive(PathBuf),
    /// Files, each with the name that its author gave it.
    Files(Vec<(PathBuf, String)>),
}

/// The upload that counts, and a remark about the others.
#[derive(Debug)]
pub(super) struct ChosenUpload {
    pub(crate) upload: Result<Upload, NoPlayer>,
    pub(crate) remark: Option<String>,
}

impl UploadPart {
    /// The file or folder `entry` in `dir`, with this label.
    pub(super) fn new(dir: &Path, entry: &str, label: PlatformLabel) -> Self {
        let top = dir.join(entry);
        let mut path = top.clone();
        path.extend(label.attachments);
        let found = fs::symlink_metadata(&path).ok();
        let kind = match found.as_ref().map(fs::Metadata::file_type) {
            Some(kind) if kind.is_symlink() || top.is_symlink() => UploadKind::Link,
            _ if label.is_page => UploadKind::Page,
            Some(kind) if kind.is_dir() => UploadKind::Folder,
            Some(kind) if kind.is_file() => UploadKind::from_file(&path, &label),
            Some(_) => UploadKind::Special,
            None => UploadKind::Other,
        };
        let written = found.and_then(|found| found.modified().ok());
        Self { path, entry: entry.to_owned(), label, kind, written }
    }

    /// Whether it is or contains an archive.
    pub(super) fn is_packed(&self) -> bool {
        matches!(self.kind, UploadKind::Archive | UploadKind::Packed)
    }

    /// The sort key; later uploads are greater.
    fn sort_key(&self) -> ((String, u64), u64, Option<SystemTime>, String) {
        let copies = self.label.original_file().1;
        (self.label.upload.clone(), copies, self.written, self.entry.clone())
    }

    /// The name that its author gave it. A Python module cannot be called `name-1`, and build files
    /// name the sources.
    fn file_name(&self) -> String {
        if ["", ".", ".."].contains(&&*self.label.file) {
            return self.entry.clone();
        }
        let (original, _) = self.label.original_file();
        let is_named = super::platform_label::split_label_ending(&original).1 == ".py"
            || has_build_command(&original);
        if is_named { original } else { self.label.file.clone() }
    }
}

impl UploadKind {
    fn from_file(path: &Path, label: &PlatformLabel) -> Self {
        let packed = [".rar", ".7z", ".xz", ".bz2", ".zst", ".gz"];
        let (file, _) = label.original_file();
        let lower = file.to_lowercase();
        if is_archive(path) {
            Self::Archive
        } else if packed.iter().any(|ending| lower.ends_with(ending)) {
            Self::Packed
        } else if detect_player(path).is_some() {
            Self::Program
        } else if has_build_command(&file) {
            Self::Source
        } else {
            Self::Other
        }
    }
}

/// Chooses the latest upload: an archive, a folder, or all loose files together.
pub(super) fn choose_upload(mut parts: Vec<UploadPart>) -> ChosenUpload {
    parts.sort_by_cached_key(UploadPart::sort_key);
    let mut unused = remove_superseded_uploads(&mut parts);
    let counts = |part: &UploadPart| {
        use UploadKind::{Archive, Folder, Link, Program, Special};
        matches!(part.kind, Folder | Archive | Program | Link | Special)
    };
    let is_source = |part: &&UploadPart| part.kind == UploadKind::Source;
    let latest = parts.iter().rfind(|part| counts(part)).or_else(|| parts.iter().rfind(is_source));
    let Some(latest) = latest.cloned() else {
        let names = format_some_names(unused.iter().map(|part| &*part.entry));
        let remark = (!unused.is_empty()).then(|| format!("not used, as it is older: {names}"));
        return ChosenUpload { upload: Err(explain_unplayable_uploads(&parts)), remark };
    };
    let is_loose = |part: &UploadPart| {
        use UploadKind::{Link, Other, Program, Source, Special};
        matches!(part.kind, Program | Source | Other | Link | Special)
    };
    let goes_along =
        |part: &UploadPart| part.path == latest.path || is_loose(&latest) && is_loose(part);
    let (used, rest): (Vec<UploadPart>, Vec<UploadPart>) = parts.into_iter().partition(goes_along);
    unused.extend(rest.into_iter().filter(|part| part.kind != UploadKind::Page));
    let upload = match latest.kind {
        UploadKind::Folder => Ok(Upload::Folder(latest.path)),
        UploadKind::Archive => Ok(Upload::Archive(latest.path)),
        _ => list_upload_files(&used).map(Upload::Files),
    };
    ChosenUpload { upload, remark: remark_unused_uploads(&used, &unused) }
}

/// The files of these parts, each with the name that its author gave it; names that would then be
/// the same stay unchanged. Fails if one of them is not a file.
fn list_upload_files(parts: &[UploadPart]) -> Result<Vec<(PathBuf, String)>, NoPlayer> {
    let named = |part: &UploadPart| {
        let name = part.file_name();
        let is_shared = parts.iter().filter(|other| other.file_name() == name).count() > 1;
        if is_shared { part.label.file.clone() } else { name }
    };
    let file = |part: &UploadPart| match part.kind {
        UploadKind::Link => Err(NoPlayer::Link(part.entry.clone())),
        UploadKind::Special => Err(NoPlayer::Special(part.entry.clone())),
        _ => Ok((part.path.clone(), named(part))),
    };
    parts.iter().map(file).collect()
}

/// Removes and returns the parts that the same author replaced later: everything before the last
/// attempt, and files with a later version.
fn remove_superseded_uploads(parts: &mut Vec<UploadPart>) -> Vec<UploadPart> {
    // An attempt with nothing but a comment replaces no file.
    let has_file = |part: &&UploadPart| part.kind != UploadKind::Page;
    let last = parts.iter().rfind(has_file).or(parts.last());
    let last = last.map(|part| part.label.upload.0.clone());
    let names: HashSet<String> = parts.iter().map(|part| part.label.file.to_lowercase()).collect();
    // `part-1.js` and `part-2.js` are two files, unless there is a `part.js` that they replaced.
    let version_of = |part: &UploadPart| {
        let original = part.label.original_file().0.to_lowercase();
        if names.contains(&original) { original } else { part.label.file.to_lowercase() }
    };
    let mut seen = HashSet::new();
    let mut is_old: Vec<bool> = parts
        .iter()
        .rev()
        .map(|part| {
            let is_before = last.as_ref().is_some_and(|last| part.label.upload.0 != *last);
            let is_kept = part.kind == UploadKind::Page || part.label.file.is_empty();
            is_before || !is_kept && !seen.insert(version_of(part))
        })
        .collect();
    let mut old = Vec::new();
    parts.retain(|part| {
        let is_old = is_old.pop().unwrap_or_default();
        old.extend(Some(part.clone()).filter(|part| is_old && part.kind != UploadKind::Page));
        !is_old
    });
    old
}

fn remark_unused_uploads(used: &[UploadPart], unused: &[UploadPart]) -> Option<String> {
    let names = |parts: &[UploadPart]| format_some_names(parts.iter().map(|part| &*part.entry));
    let verb = if used.len() == 1 { "is" } else { "are" };
    (!unused.is_empty())
        .then(|| format!("the latest, {}, {verb} used; not used: {}", names(used), names(unused)))
}

/// The reason why no player is among these parts.
fn explain_unplayable_uploads(parts: &[UploadPart]) -> NoPlayer {
    let packed = parts.iter().find(|part| part.kind == UploadKind::Packed);
    let packed = packed.map(|part| NoPlayer::Packed(part.entry.clone()));
    let only_pages =
        || parts.iter().all(|part| part.kind == UploadKind::Page).then_some(NoPlayer::OnlyText);
    packed.or_else(only_pages).unwrap_or_else(|| {
        let files = parts.iter().filter(|part| part.kind != UploadKind::Page);
        NoPlayer::NoProgram(files.map(|part| part.entry.clone()).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts used of these files from one author, and the remark.
    fn chosen(entries: &[&str]) -> (String, String) {
        let dir = tempfile::tempdir().expect("a folder");
        let part = |entry: &&str| {
            fs::write(dir.path().join(entry), "").expect("written");
            UploadPart::new(dir.path(), entry, PlatformLabel::parse(entry))
        };
        let ChosenUpload { upload, remark } = choose_upload(entries.iter().map(part).collect());
        let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
        let used = match upload {
            Ok(Upload::Folder(path) | Upload::Archive(path)) => name(&path),
            Ok(Upload::Files(files)) => {
                files.into_iter().map(|(_, name)| name).collect::<Vec<_>>().join(" ")
            }
            Err(why) => why.to_string(),
        };
        (used, remark.unwrap_or_default())
    }

    #[test]
    fn the_latest_upload_counts() {
        let both = ["ada_1_20_player-1.zip", "ada_1_9_player.zip"];
        let remark = "the latest, `ada_1_20_player-1.zip`, is used; not used: `ada_1_9_player.zip`";
        assert_eq!(chosen(&both), ("ada_1_20_player-1.zip".into(), remark.into()));
        let attempts = [
            "P_ada_attempt_2018-05-11-23-58-02_b.zip",
            "P_ada_attempt_2018-05-11-23-58-02.txt",
            "P_ada_attempt_2018-05-12-00-00-01_a.py",
            "P_ada_attempt_2018-05-12-00-00-01.txt",
        ];
        let remark = "the latest, `P_ada_attempt_2018-05-12-00-00-01_a.py`, is used; not used: \
                      `P_ada_attempt_2018-05-11-23-58-02_b.zip`";
        assert_eq!(chosen(&attempts), ("a.py".into(), remark.into()));
    }

    #[test]
    fn a_later_attempt_without_a_file_replaces_none() {
        let attempts = [
            "P_ada_attempt_2026-05-11-10-00-00_bot.zip",
            "P_ada_attempt_2026-05-11-10-00-00.txt",
            "P_ada_attempt_2026-05-12-09-00-00.txt",
        ];
        let used = "P_ada_attempt_2026-05-11-10-00-00_bot.zip";
        assert_eq!(chosen(&attempts), (used.into(), String::new()));
        let packed = [
            "P_ada_attempt_2026-05-11-10-00-00_bot.zip",
            "P_ada_attempt_2026-05-12-09-00-00_b.rar",
        ];
        let told = "not used, as it is older: `P_ada_attempt_2026-05-11-10-00-00_bot.zip`";
        assert_eq!(chosen(&packed).1, told);
    }

    #[test]
    fn loose_files_of_an_author_are_one_player() {
        let files = ["ada_1_20_player-1.py", "ada_1_21_board.py", "ada_1_22_book.json"];
        assert_eq!(chosen(&files), ("player.py board.py book.json".into(), String::new()));
        let files = ["A_1_assignsubmission_file_a.py", "A_1_assignsubmission_file_b-2.js"];
        assert_eq!(chosen(&files), ("a.py b-2.js".into(), String::new()));
        let files = ["ada_1_20_part-1.js", "ada_1_21_part-2.js", "ada_1_22_player.js"];
        let all = "part-1.js part-2.js player.js";
        assert_eq!(chosen(&files), (all.into(), String::new()), "two files, not two versions");
        let files = ["ada_1_20_a-1.py", "ada_1_21_a-2.py"];
        assert_eq!(chosen(&files), ("a-1.py a-2.py".into(), String::new()));
    }

    #[test]
    fn submissions_without_a_player_are_explained() {
        let packed = "cannot unpack `ada_1_2_a.rar`; use .zip or .tar.gz";
        assert_eq!(chosen(&["ada_1_2_a.rar", "ada_1_3_a.pdf"]).0, packed);
        assert_eq!(chosen(&["report.pdf"]).0, "`report.pdf` is neither a program nor an archive");
        let two = "none of `ada_1_2_a.pdf`, `ada_1_3_b.txt` is a program or an archive";
        assert_eq!(chosen(&["ada_1_2_a.pdf", "ada_1_3_b.txt", "ada_1_text.html"]).0, two);
        assert_eq!(chosen(&["ada_1_text.html"]).0, "only text was submitted, no file");
        let with_report = ["ada_1_2_a.zip", "ada_1_3_a.pdf"];
        let remark = "the latest, `ada_1_2_a.zip`, is used; not used: `ada_1_3_a.pdf`";
        assert_eq!(chosen(&with_report), ("ada_1_2_a.zip".into(), remark.into()));
    }
}
