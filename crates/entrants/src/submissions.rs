//! Imports submissions: a folder exported from a learning platform becomes the players of a
//! tournament.
//!
//! Entry names show the author (`label`); of an author's uploads the latest counts
//! (`uploads`); archives and loose files get their own folders (`players_folder`), in which the player is
//! detected. Every entry becomes a player, a part of one, or an error that says why it is not a
//! player.

mod archive;
mod gradescope;
mod identical_players;
mod links;
mod no_player;
mod platform_export;
mod platform_label;
mod players_folder;
mod uploads;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::{fs, io};

pub(crate) use archive::LIMITS;
pub use archive::{ArchiveError, UnpackLimits, unpack_archive_from};
pub(crate) use links::refuse_links;
pub use no_player::NoPlayer;
pub use players_folder::detect_built_player;

use self::archive::is_archive;
use self::identical_players::digest_identical_files;
use self::platform_export::open_platform_export;
use crate::start_command::StartCommand;
use platform_export::ExportEntry;
use platform_label::PlatformLabel;
use players_folder::PlayersFolder;
use referee_record::model::player_spec::{LONGEST_NAME, to_player_name};
use uploads::{ChosenUpload, UploadPart, choose_upload};

/// The most names to list.
const MOST_LISTED: usize = 8;

/// A submission and what was found in it.
#[derive(Debug)]
pub struct Submission {
    /// The player's name: its author's, if the platform's file names show it.
    pub name: String,
    /// Its name in the folder; if it has several entries, the first one's.
    pub entry: String,
    /// Remarks: that it came late, which upload counts, whose player it copies.
    pub remarks: Vec<String>,
    /// The folder of its upload, if it has one.
    pub top: Option<PathBuf>,
    /// That folder, if it was built; the player lies in the result.
    pub built: Option<PathBuf>,
    /// How the player is started, or the reason why no player was found.
    pub player: Result<StartCommand, NoPlayer>,
}

/// The reason why a folder of submissions could not be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It cannot be read.
    #[error("cannot read the folder: {0}")]
    Source(#[source] io::Error),
    /// An archive that is an export cannot be unpacked.
    #[error("`{0}`: {1}")]
    Export(String, #[source] NoPlayer),
    /// The folder for archives and loose files cannot be created; it must not exist.
    #[error("cannot create the folder for the players: {0}")]
    Players(#[source] io::Error),
}

/// The submissions in a folder.
#[derive(Debug)]
pub struct ImportedSubmissions {
    /// The submissions, by author.
    pub taken: Vec<Submission>,
    /// The files beside the uploads without an author: the platform's own, and lists and notes of
    /// the course.
    pub sheets: Vec<String>,
    /// The folders and archives in the folder that are exports; their entries were imported.
    pub opened: Vec<String>,
}

/// Imports the submissions in the folder `from`, or in an archive that is a platform's export.
/// Archives and loose files get subfolders of the new folder `to`.
pub fn import_submissions(from: &Path, to: &Path) -> Result<ImportedSubmissions, ImportError> {
    // Whoever names a link to an archive means the archive; links in a folder are a stranger's.
    let whole = from.canonicalize().map_err(ImportError::Source)?;
    let (dir, (names, bad)) = if is_archive(&whole) {
        let from = &whole;
        let name = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (from.parent().unwrap_or(Path::new("")), (vec![name], Vec::new()))
    } else {
        (from, read_submission_entries(from).map_err(ImportError::Source)?)
    };
    let mut players = PlayersFolder::new(to);
    let folder = open_platform_export(dir, &names, |archive| players.unpack_export(archive))?;
    let taken = import_exported_submissions(folder.entries, bad, &mut players)?;
    Ok(ImportedSubmissions { taken, sheets: folder.sheets, opened: folder.opened })
}

/// Imports the only submission in the folder `from`, which one author handed in, regardless of its
/// content looks like, it is one submission.
pub fn import_one_submission(from: &Path, to: &Path) -> Result<Option<Submission>, ImportError> {
    let (names, bad) = read_submission_entries(from).map_err(ImportError::Source)?;
    let entry = |name: String| ExportEntry {
        dir: from.to_owned(),
        label: PlatformLabel::parse(&name),
        name,
    };
    let entries = names.into_iter().map(entry).collect();
    let taken = import_exported_submissions(entries, bad, &mut PlayersFolder::new(to))?;
    Ok(taken.into_iter().next())
}

/// Finds the players of these entries, and adds them to `taken`.
fn import_exported_submissions(
    entries: Vec<ExportEntry>,
    mut taken: Vec<Submission>,
    players: &mut PlayersFolder,
) -> Result<Vec<Submission>, ImportError> {
    for (name, parts) in group_submissions_by_author(entries) {
        let Some(first) = parts.first() else { continue };
        let (name, entry) = (choose_submission_name(&name, &taken), first.entry.clone());
        let late =
            parts.iter().any(|part| part.label.late).then(|| "it was submitted late".to_owned());
        let ChosenUpload { upload, remark } = choose_upload(parts);
        let player = match upload.and_then(|upload| players.find_player(&name, upload)) {
            Err(NoPlayer::NoFolder(error)) => return Err(ImportError::Players(error)),
            player => player,
        };
        let remarks = late.into_iter().chain(remark).chain(players.take_remarks()).collect();
        let top = players.take_top();
        taken.push(Submission { name, entry, remarks, top, built: None, player });
    }
    remark_identical_submissions(&mut taken);
    Ok(taken)
}

/// The names in the folder, and a submission for each name that is not valid text.
fn read_submission_entries(from: &Path) -> io::Result<(Vec<String>, Vec<Submission>)> {
    let (mut names, mut bad) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(from)? {
        match entry?.file_name().into_string() {
            Ok(name) if is_submission_clutter(&name) => {}
            Ok(name) => names.push(name),
            Err(name) => bad.push(name.to_string_lossy().into_owned()),
        }
    }
    names.sort();
    bad.sort();
    let mut taken = Vec::new();
    for entry in bad {
        let (name, player) = (
            choose_submission_name(&tidy_submission_author(&entry), &taken),
            Err(NoPlayer::NotText),
        );
        let (remarks, top, built) = (Vec::new(), None, None);
        taken.push(Submission { name, entry, remarks, top, built, player });
    }
    Ok((names, taken))
}

/// The parts of each author, under the author's name, with the id added if several authors have the
/// same name.
fn group_submissions_by_author(entries: Vec<ExportEntry>) -> Vec<(String, Vec<UploadPart>)> {
    let mut authors: BTreeMap<(String, String), Vec<UploadPart>> = BTreeMap::new();
    for ExportEntry { dir, name, label } in entries {
        let author = tidy_submission_author(&label.author);
        let id = label.id.clone().unwrap_or_else(|| name.clone());
        authors.entry((author, id)).or_default().push(UploadPart::new(&dir, &name, label));
    }
    let mut namesakes: HashMap<String, usize> = HashMap::new();
    for (author, _) in authors.keys() {
        *namesakes.entry(author.to_lowercase()).or_default() += 1;
    }
    let players = authors.into_iter().map(|((author, id), parts)| {
        let is_shared = namesakes.get(&author.to_lowercase()).is_some_and(|many| *many > 1);
        let label = parts.first().map(|part| &part.label);
        let needs_id = label.is_some_and(|label| {
            label.id.is_some() && id != author && (is_shared || label.is_anonymous())
        });
        let name = if needs_id && id.ends_with(&format!("_{author}")) {
            // The id says more of who it is.
            tidy_submission_author(&id)
        } else if needs_id {
            format!("{author} {id}")
        } else {
            author
        };
        (name, parts)
    });
    players.collect()
}

/// Adds a remark to each submission with a player, or with what one may be made of, that is a copy of
/// another.
fn remark_identical_submissions(taken: &mut [Submission]) {
    let mut copies: HashMap<blake3::Hash, Vec<usize>> = HashMap::new();
    for (number, submission) in taken.iter().enumerate() {
        let dir = match &submission.player {
            Ok(start) => Some(&start.dir),
            // Its player is not built yet, or not chosen.
            Err(NoPlayer::Unbuilt(_) | NoPlayer::NoBuildFile(_) | NoPlayer::Several(_)) => {
                submission.top.as_ref()
            }
            Err(_) => None,
        };
        if let Some(digest) = dir.and_then(|dir| digest_identical_files(dir)) {
            copies.entry(digest).or_default().push(number);
        }
    }
    for same in copies.into_values().filter(|same| same.len() > 1) {
        for number in &same {
            let others = same.iter().filter(|other| *other != number);
            let names: Vec<&str> = others.map(|other| &*taken[*other].name).collect();
            let remark =
                format!("byte for byte the same as {}", format_some_names(names.into_iter()));
            taken[*number].remarks.push(remark);
        }
    }
}

/// The names in a folder, without files added by systems and platforms.
fn list_submission_files(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !is_submission_clutter(name) && name != "onlinetext.html")
        .collect();
    names.sort();
    names
}

/// Whether a file with this name is made by a system, not by people.
fn is_submission_clutter(name: &str) -> bool {
    let made = ["__macosx", "__pycache__", "thumbs.db", "desktop.ini"];
    name.starts_with('.') || name.starts_with("~$") || made.contains(&&*name.to_lowercase())
}

/// Whether a file beside the folders of authors, with this name, is a list or a note of the course,
/// not an upload.
fn is_submissions_sheet(name: &str) -> bool {
    is_submissions_table(name) || has_submission_ending(name, &["md", "txt"])
}

/// Whether a file is a table, by its name.
fn is_submissions_table(name: &str) -> bool {
    has_submission_ending(name, &["csv", "ods", "tsv", "xls", "xlsm", "xlsx"])
}

fn has_submission_ending(name: &str, endings: &[&str]) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_lowercase();
    endings.contains(&&*ending)
}

/// Lists names; if there are many, only some of them.
pub fn format_some_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let shown: Vec<String> =
        names.iter().take(MOST_LISTED).map(|name| format!("`{name}`")).collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// An author's name without control characters and extra blanks.
fn tidy_submission_author(author: &str) -> String {
    match to_player_name(author) {
        name if name.is_empty() => "player".to_owned(),
        name => name,
    }
}

/// `name`, with a number added if it is taken.
fn choose_submission_name(name: &str, taken: &[Submission]) -> String {
    let numbered = (2..).map(|number| {
        let end = format!("-{number}");
        let start: String = name.chars().take(LONGEST_NAME - end.len()).collect();
        start + &end
    });
    let mut names = std::iter::once(to_player_name(name)).chain(numbered);
    let is_free = |name: &String| taken.iter().all(|other| other.name != *name);
    names.find(is_free).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the players in a folder with these files.
    fn names(entries: &[&str]) -> Vec<String> {
        let dir = tempfile::tempdir().expect("a folder");
        for entry in entries {
            fs::write(dir.path().join(entry), "").expect("written");
        }
        let to = tempfile::tempdir().expect("a folder");
        let taken =
            import_submissions(dir.path(), &to.path().join("players")).expect("taken in").taken;
        taken.into_iter().map(|submission| submission.name).collect()
    }

    #[test]
    fn authors_with_the_same_name_get_different_names() {
        let moodle = |author: &str| format!("{author}_assignsubmission_file_a.py");
        let entries = ["Participant_17", "Bob Ray_18", "Ada_19", "ada_20"].map(moodle);
        let expected = ["Ada 19", "Bob Ray", "Participant 17", "ada 20"];
        assert_eq!(names(&entries.each_ref().map(|entry| &**entry)), expected);
        assert_eq!(
            names(&["anon_6Xb2q_1_a.py", "anon_7Yc3r_2_a.py"]),
            ["anon 6Xb2q", "anon 7Yc3r"]
        );
        assert_eq!(
            names(&["ant.js", "ant.py", "team_1", "team_2"]),
            ["ant", "ant-2", "team_1", "team_2"]
        );
    }

    #[test]
    fn long_names_with_the_same_beginning_stay_distinct() {
        let long = ["b", "c"].map(|end| format!("{}{end}.py", "a".repeat(70)));
        let names = names(&long.each_ref().map(|entry| &**entry));
        assert!(
            names[0] != names[1] && names.iter().all(|name| !name.ends_with("-2")),
            "{names:?}"
        );
        let taken = |name: &str| Submission {
            name: name.to_owned(),
            entry: String::new(),
            remarks: Vec::new(),
            top: None,
            built: None,
            player: Err(NoPlayer::NotText),
        };
        assert_eq!(choose_submission_name("ant", &[taken("ant"), taken("ant-2")]), "ant-3");
        let full = "a".repeat(LONGEST_NAME);
        assert_eq!(choose_submission_name(&full, &[taken(&full)]).len(), LONGEST_NAME);
    }

    #[test]
    fn the_latest_archive_in_a_folder_counts() {
        let dir = tempfile::tempdir().expect("a folder");
        let author = dir.path().join("Ada_1_assignsubmission_file_");
        fs::create_dir(&author).expect("a folder");
        for (name, age) in [("a.tar", 10), ("b.tar", 20)] {
            let mut builder =
                tar::Builder::new(fs::File::create(author.join(name)).expect("a file"));
            let mut header = tar::Header::new_gnu();
            header.set_size(4);
            header.set_mode(0o644);
            builder.append_data(&mut header, format!("{name}.py"), &b"text"[..]).expect("an entry");
            let file = builder.into_inner().expect("an archive");
            let written = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
            file.set_modified(written).expect("an old file");
        }
        let to = tempfile::tempdir().expect("a folder");
        let taken =
            import_submissions(dir.path(), &to.path().join("players")).expect("taken in").taken;
        assert_eq!(taken[0].remarks, ["the latest, `a.tar`, is used; not used: `b.tar`"]);
        assert!(to.path().join("players/Ada/a.tar.py").is_file());
    }

    #[test]
    fn nested_archives_are_unpacked() {
        let dir = tempfile::tempdir().expect("a folder");
        let packed = |name: &str, entry: &str, bytes: &[u8]| {
            let mut builder = tar::Builder::new(Vec::new());
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, entry, bytes).expect("an entry");
            let archive = builder.into_inner().expect("an archive");
            fs::write(dir.path().join(name), &archive).expect("written");
            archive
        };
        let one = packed("one.tar", "deep/player.py", b"text");
        let two = packed("two.tar", "top/one.tar", &one);
        packed("three.tar", "two.tar", &two);
        let to = tempfile::tempdir().expect("a folder");
        let to = to.path().join("players");
        let found: Vec<String> = import_submissions(dir.path(), &to)
            .expect("taken in")
            .taken
            .into_iter()
            .map(|submission| match submission.player {
                Ok(start) => start.dir.strip_prefix(&to).expect("below").display().to_string(),
                Err(why) => why.to_string(),
            })
            .collect();
        let deep = "`one.tar` is nested too deeply in archives";
        assert_eq!(found, ["one/deep", deep, "two/top/one/deep"]);
    }
}
