//! Opens a learning platform's export: finds the folder or the archive with its entries, and reads
//! whose each of them is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::archive::{is_archive, list_archive_names};
use super::gradescope::GradescopeMetadata;
use super::platform_label::{
    PlatformLabel, is_sakai_attachment, parse_sakai_folder_label, split_autolab_label,
};
use super::{
    ImportError, is_submission_clutter, is_submissions_sheet, is_submissions_table,
    list_submission_files,
};

/// How many folders with a single entry to open in search of an export.
const DEEPEST: usize = 3;
/// The file that Gradescope writes into every export.
const GRADESCOPE: &str = "submission_metadata.yml";
/// Files that platforms write beside the uploads.
const PLATFORM_FILES: [&str; 2] = ["index.html", GRADESCOPE];

/// An entry of a folder of submissions.
#[derive(Debug)]
pub(super) struct ExportEntry {
    /// The folder that it is in.
    pub(super) dir: PathBuf,
    pub(super) name: String,
    pub(super) label: PlatformLabel,
}

/// The entries of a folder of submissions, sorted by what they are.
#[derive(Debug, Default)]
pub(super) struct ExportFolder {
    pub(super) entries: Vec<ExportEntry>,
    /// Files without an author: the platform's own, and lists and notes of the course.
    pub(super) sheets: Vec<String>,
    /// Folders and archives that were opened because they are the export itself.
    pub(super) opened: Vec<String>,
}

/// Reads whose the entries `names` of the folder `dir` are. If all of them are exports of a
/// platform, or lead to one, the entries of those are read instead.
///
/// Only if all are: among other submissions, it is a submission that imitates an export, and could
/// replace the player of another author. `unpack` unpacks an archive and returns its folder.
pub(super) fn open_platform_export(
    dir: &Path,
    names: &[String],
    mut unpack: impl FnMut(&Path) -> Result<PathBuf, ImportError>,
) -> Result<ExportFolder, ImportError> {
    let outer = read_export_folder(dir, &ExportListing::from_folder(dir, names));
    // A table of marks may lie beside an export as it was downloaded. Nobody hands one in as a player.
    let is_note = |entry: &&ExportEntry| {
        is_submissions_table(&entry.name)
            && !is_unlinked_export_folder(&entry.dir.join(&entry.name))
    };
    let (notes, uploads): (Vec<_>, Vec<_>) = outer.entries.iter().partition(is_note);
    let is_plain = |entry: &&ExportEntry| entry.label.id.is_none();
    // A single one may be named like an upload: it can replace no other author's player.
    if uploads.is_empty() || uploads.len() > 1 && !uploads.iter().all(is_plain) {
        return Ok(outer);
    }
    let mut folder = ExportFolder::default();
    let found = |entry: &&ExportEntry| PlatformExport::find(&entry.dir.join(&entry.name), DEEPEST);
    let exports: Option<Vec<PlatformExport>> = uploads.iter().map(found).collect();
    let Some(exports) = exports else { return Ok(outer) };
    folder.sheets.extend(notes.iter().map(|entry| entry.name.clone()));
    for (export, entry) in exports.into_iter().zip(&uploads) {
        let dir = match export {
            PlatformExport::Folder(dir) => dir,
            PlatformExport::Archive(archive) => unpack(&archive)?,
        };
        let dir = find_export_folder(&dir, DEEPEST).unwrap_or(dir);
        let inner = read_export_folder(
            &dir,
            &ExportListing::from_folder(&dir, &list_submission_files(&dir)),
        );
        folder.entries.extend(inner.entries);
        folder.sheets.extend(inner.sheets);
        folder.opened.push(entry.name.clone());
    }
    folder.sheets.extend(outer.sheets);
    Ok(folder)
}

/// The names of the authors' entries if the folder `dir` is, or holds only, an export.
pub(super) fn list_export_authors(dir: &Path) -> Option<Vec<String>> {
    let dir = find_export_folder(dir, DEEPEST)?;
    let folder =
        read_export_folder(&dir, &ExportListing::from_folder(&dir, &list_submission_files(&dir)));
    Some(folder.entries.into_iter().map(|entry| entry.name).collect())
}

/// An export that was found.
enum PlatformExport {
    /// A folder with its entries.
    Folder(PathBuf),
    /// An archive, not unpacked yet.
    Archive(PathBuf),
}

impl PlatformExport {
    /// The export at `path`: a folder, an archive, or the only entry of a folder.
    fn find(path: &Path, left: usize) -> Option<Self> {
        if fs::symlink_metadata(path).ok()?.is_symlink() {
            return None;
        }
        if is_archive(path) {
            let listing = ExportListing::from_archive_paths(&list_archive_names(path)?);
            return is_platform_export(&listing).then(|| Self::Archive(path.to_owned()));
        }
        if let Some(dir) = find_export_folder(path, left) {
            return Some(Self::Folder(dir));
        }
        let inside = only_export_entry(path)?;
        Self::find(&inside, left.checked_sub(1)?)
    }
}

/// The folder at or below `dir` with the entries of an export.
fn find_export_folder(dir: &Path, left: usize) -> Option<PathBuf> {
    if !is_unlinked_export_folder(dir) {
        return None;
    }
    if is_platform_export(&ExportListing::from_folder(dir, &list_submission_files(dir))) {
        return Some(dir.to_owned());
    }
    find_export_folder(&only_export_entry(dir)?, left.checked_sub(1)?)
}

/// Whether there is a folder at `path` itself, not behind a link: links are only refused later.
fn is_unlinked_export_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// The only entry of a folder that is neither a list nor a note.
fn only_export_entry(dir: &Path) -> Option<PathBuf> {
    let mut names = list_submission_files(dir);
    names.retain(|name| !is_submissions_sheet(name));
    match &names[..] {
        [only] => Some(dir.join(only)),
        _ => None,
    }
}

/// The names in a folder or an archive, each with the names in it.
#[derive(Debug, Default)]
struct ExportListing(BTreeMap<String, Option<BTreeSet<String>>>);

impl ExportListing {
    fn from_folder(dir: &Path, names: &[String]) -> Self {
        let inside = |name: &String| {
            let path = dir.join(name);
            is_unlinked_export_folder(&path)
                .then(|| list_submission_files(&path).into_iter().collect())
        };
        Self(names.iter().map(|name| (name.clone(), inside(name))).collect())
    }

    /// The names at the top of an archive with these paths. A folder around everything is left out.
    fn from_archive_paths(paths: &[String]) -> Self {
        let mut listing = Self::default();
        let mut rests = Vec::new();
        for path in paths {
            let path = path.replace('\\', "/");
            let (name, rest) =
                path.split_once('/').map_or((&*path, None), |(name, rest)| (name, Some(rest)));
            if name.is_empty() || is_submission_clutter(name) {
                continue;
            }
            let inside = listing.0.entry(name.to_owned()).or_default();
            let Some(rest) = rest else { continue };
            let first = rest.split('/').next().filter(|first| !first.is_empty());
            inside.get_or_insert_default().extend(first.map(str::to_owned));
            rests.push(rest.to_owned());
        }
        let is_around = listing.0.len() == 1 && !is_platform_export(&listing);
        if is_around && !rests.is_empty() { Self::from_archive_paths(&rests) } else { listing }
    }

    fn is_folder(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(Option::is_some)
    }

    /// Whose each entry is.
    fn label_entries(&self, metadata: &GradescopeMetadata) -> Vec<(String, PlatformLabel)> {
        let is_sakai = self.0.values().flatten().flatten().any(|name| is_sakai_attachment(name));
        let is_gradescope = self.0.contains_key(GRADESCOPE);
        let handed_in = autolab_export_names(self.0.keys());
        let label = |name: &String, inside: &Option<BTreeSet<String>>| {
            let empty = BTreeSet::new();
            let sakai = || {
                let inside = inside.as_ref().unwrap_or(&empty);
                is_sakai.then(|| parse_sakai_folder_label(name, inside)).flatten()
            };
            let gradescope = || is_gradescope.then(|| metadata.label(name)).flatten();
            let autolab = || {
                let (author, version, file) = split_autolab_label(name)?;
                let is_there =
                    author.contains('@') || handed_in.contains(strip_export_extension(file));
                is_there.then(|| PlatformLabel::versioned(author, version, file))
            };
            let read = PlatformLabel::parse(name);
            if read.id.is_some() {
                return read;
            }
            sakai().or_else(gradescope).or_else(autolab).unwrap_or(read)
        };
        self.0.iter().map(|(name, inside)| (name.clone(), label(name, inside))).collect()
    }
}

/// The file names under which Autolab keeps uploads. One assignment has one for everybody, so a
/// name counts if several authors share it, or if it is the usual one.
fn autolab_export_names<'a>(names: impl Iterator<Item = &'a String>) -> BTreeSet<String> {
    let mut authors: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (author, _, file) in names.filter_map(|name| split_autolab_label(name)) {
        authors.entry(strip_export_extension(file)).or_default().insert(author);
    }
    authors.retain(|file, authors| authors.len() > 1 || *file == "handin");
    authors.into_keys().map(str::to_owned).collect()
}

fn strip_export_extension(file: &str) -> &str {
    file.split_once('.').map_or(file, |(stem, _)| stem)
}

/// Whether a folder with these names is an export: everything but lists and the platform's own
/// files is labelled by the platform. Labels of single files mean nothing, because authors name
/// files as they like.
fn is_platform_export(listing: &ExportListing) -> bool {
    let labels = listing.label_entries(&GradescopeMetadata::default());
    let mut uploads =
        labels.iter().filter(|(name, _)| !is_submissions_sheet(name) && !is_platform_file(name));
    let is_labelled = |(_, label): &(String, PlatformLabel)| label.id.is_some();
    uploads.clone().count() > 0 && uploads.all(is_labelled)
}

fn is_platform_file(name: &str) -> bool {
    PLATFORM_FILES.contains(&name)
}

/// The entries of one folder. Lists and notes have no author only where authors have folders or
/// labels of their own; elsewhere a file may be all that someone handed in.
fn read_export_folder(dir: &Path, listing: &ExportListing) -> ExportFolder {
    let metadata = GradescopeMetadata::read(&dir.join(GRADESCOPE));
    let labels = listing.label_entries(&metadata);
    let is_labelled = labels.iter().any(|(_, label)| label.id.is_some());
    let has_folders = labels.iter().any(|(name, _)| listing.is_folder(name));
    let mut folder = ExportFolder::default();
    for (name, label) in labels {
        let is_nobodys = label.id.is_none()
            && !listing.is_folder(&name)
            && ((has_folders || is_labelled) && is_submissions_sheet(&name)
                || is_labelled && is_platform_file(&name));
        if is_nobodys {
            folder.sheets.push(name);
        } else {
            folder.entries.push(ExportEntry { dir: dir.to_owned(), name, label });
        }
    }
    folder
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The authors in an archive with these paths, each with the file that counts as handed in.
    fn authors(paths: &[&str]) -> Vec<String> {
        let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
        let listing = ExportListing::from_archive_paths(&paths);
        let labels = listing.label_entries(&GradescopeMetadata::default()).into_iter();
        let known = labels.filter(|(_, label)| label.id.is_some());
        known.map(|(_, label)| format!("{} {}", label.author, label.upload.1)).collect()
    }

    #[test]
    fn labels_follow_from_the_whole_folder() {
        let sakai = ["Part/Lee, Ann(alee)/Submission attachment(s)/a.py", "Part/grades.csv"];
        assert_eq!(authors(&sakai), ["Lee, Ann 0"]);
        assert_eq!(authors(&["Lee, Ann(alee)/a.py"]), [""; 0], "a name with a bracket");
        let gradescope = ["x_export/submission_12/a.py", "x_export/submission_metadata.yml"];
        assert_eq!(authors(&gradescope), ["submission_12 12"]);
        assert_eq!(authors(&["submission_12/a.py"]), [""; 0]);
        assert_eq!(authors(&["x/", "x/A_1_assignsubmission_file/", "x/notes.txt"]), ["A 0"]);
        assert_eq!(
            authors(&["ann_1_bot.py", "ann_12_bot.py", "bo_2_bot.zip"]),
            ["ann 12", "ann 1", "bo 2"]
        );
        assert_eq!(authors(&["ann_1_handin.py"]), ["ann 1"]);
        assert_eq!(authors(&["ann@uni.example_3_x.py"]), ["ann@uni.example 3"]);
        assert_eq!(authors(&["team_1_bot.py", "team_2_bot.py"]), [""; 0], "two teams");
    }

    #[test]
    fn a_folder_of_one_author_is_no_export() {
        let export = |paths: &[&str]| {
            let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
            is_platform_export(&ExportListing::from_archive_paths(&paths))
        };
        assert!(export(&["ann_17_101_player.py", "bo_18_102_bot.zip", "notes.txt"]));
        assert!(!export(&["player.py", "map_10_20_small.txt"]), "data of a player");
        assert!(!export(&["ann/player.py", "bo/player.py"]));
        assert!(!export(&[]) && !export(&["notes.txt"]));
    }
}
