//! Bundles: the files of a player or a rules program as one tar file, named by its hash.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use nix::libc;
use referee_record::tree_walk::{FoundFile, TreeVisitor, UnfitTree, walk_tree};
use referee_sandbox::PinnedPath;
use tar::{Archive, Builder, EntryType, Header};

/// The most bytes of a bundle.
pub(crate) const MOST_BYTES: u64 = 1 << 30;
/// The most files and folders of a root of a bundle.
const MOST_ENTRIES: usize = 1_000_000;

/// Folders of the system, which are expected on every machine and never bundled.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/nix/store",
    "/gnu/store",
];

/// Why a bundle cannot be made or used.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// A file cannot be read or written.
    #[error("cannot bundle {}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The files are larger than [`MOST_BYTES`].
    #[error(
        "the files in {} are larger than 1 GiB in total, which is too much to send: set the player's \
         `dir` to a folder that holds only its own files",
        .0.display()
    )]
    TooLarge(PathBuf),
    /// A folder cannot be walked through.
    #[error("cannot bundle {}: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The cause.
        source: UnfitTree,
    },
    /// It cannot be unpacked.
    #[error("cannot unpack a bundle to {}: {source}", path.display())]
    Unpack {
        /// The folder, or the bundle.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The content of a bundle does not have the hash that names it.
    #[error("bundle {expected} was refused: its content has the hash {found}")]
    Altered {
        /// The hash that names it.
        expected: String,
        /// The hash of its content.
        found: String,
    },
}

fn bundle_read_error_at(path: &Path) -> impl FnOnce(io::Error) -> BundleError {
    let path = path.to_owned();
    move |source| BundleError::File { path, source }
}

fn bundle_unpack_error_at(path: &Path) -> impl FnOnce(io::Error) -> BundleError {
    let path = path.to_owned();
    move |source| BundleError::Unpack { path, source }
}

/// Whether a path lies in a folder that every machine has for itself.
pub(crate) fn is_never_bundled(path: &Path) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// The files and folders of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BundleContents {
    /// The folder that has all of them; names in the bundle are relative to it.
    base: PathBuf,
    /// The files and folders, as absolute paths.
    roots: Vec<PathBuf>,
    /// Files and folders to leave out, as absolute paths.
    hidden: Vec<PathBuf>,
    /// Where the files and folders were when they were selected.
    places: Vec<PinnedPath>,
}

impl BundleContents {
    /// The files of these files and folders, without those of the system and the `hidden` ones.
    pub(crate) fn new<'p>(paths: impl IntoIterator<Item = &'p Path>, hidden: &[PathBuf]) -> Self {
        let mut roots: Vec<PathBuf> =
            paths.into_iter().filter(|path| !is_never_bundled(path)).map(Path::to_owned).collect();
        roots.sort();
        roots.dedup();
        let all = roots.clone();
        let is_inside =
            |path: &PathBuf| all.iter().any(|other| other != path && path.starts_with(other));
        roots.retain(|path| !is_inside(path));
        let base =
            roots.first().map_or_else(PathBuf::new, |first| common_bundle_base(first, &roots));
        Self { base, roots, hidden: hidden.to_vec(), places: Vec::new() }
    }

    /// The same, if the files and folders still lie there.
    pub(crate) fn at(self, places: &[PinnedPath]) -> Self {
        Self { places: places.to_vec(), ..self }
    }

    /// Opens one of the files and folders. A pipe is not waited for.
    fn open(&self, root: &Path) -> io::Result<OwnedFd> {
        if let Some(place) = self.places.iter().find(|place| place.given_path() == root) {
            return place.open();
        }
        let opened = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(root);
        opened.map(OwnedFd::from)
    }

    /// The name of a path in the bundle, if it is part of it.
    pub(crate) fn name_of(&self, path: &Path) -> Option<PathBuf> {
        let is_part = self.roots.iter().any(|root| path.starts_with(root));
        path.strip_prefix(&self.base).ok().filter(|_| is_part).map(Path::to_owned)
    }

    fn hides(&self, path: &Path) -> bool {
        self.hidden.iter().any(|hidden| path.starts_with(hidden))
    }

    /// Writes the bundle to `out`, always in the same way. Returns its hash.
    ///
    /// # Errors
    /// A file cannot be read, there are too many bytes, or `out` fails.
    pub(crate) fn write(&self, out: impl Write) -> Result<String, BundleError> {
        let mut hashed = HashedWrite { inner: out, hasher: blake3::Hasher::new(), written: 0 };
        let mut tar = Builder::new(&mut hashed);
        for root in self.roots.iter().filter(|root| !self.hides(root)) {
            let top = self.open(root).map_err(bundle_read_error_at(root))?;
            walk_tree(
                top,
                MOST_ENTRIES,
                &mut BundleVisitor { contents: self, root, tar: &mut tar },
            )?;
        }
        tar.finish().map_err(bundle_read_error_at(&self.base))?;
        drop(tar);
        hashed.flush().map_err(bundle_read_error_at(&self.base))?;
        Ok(hashed.hasher.finalize().to_hex().to_string())
    }
}

/// Adds what lies at one of the roots to a bundle.
struct BundleVisitor<'t, 'w, W: Write> {
    contents: &'t BundleContents,
    root: &'t Path,
    tar: &'t mut Builder<&'w mut HashedWrite<W>>,
}

impl<W: Write> BundleVisitor<'_, '_, W> {
    /// The path of an entry as it was named, and its name in the bundle.
    fn named(&self, path: &Path) -> (PathBuf, PathBuf) {
        let path = bundle_path_below(self.root, path);
        let name = path.strip_prefix(&self.contents.base).unwrap_or(&path).to_owned();
        (path, name)
    }

    /// The header of an entry with this many bytes, if the bundle still has room for it.
    fn header(&self, kind: EntryType, mode: u32, size: u64) -> Result<Header, BundleError> {
        if self.tar.get_ref().written.saturating_add(size) > MOST_BYTES {
            return Err(BundleError::TooLarge(self.contents.base.clone()));
        }
        let mut header = Header::new_gnu();
        header.set_mtime(0);
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(size);
        Ok(header)
    }
}

impl<W: Write> TreeVisitor for BundleVisitor<'_, '_, W> {
    type Error = BundleError;

    fn unfit(&self, source: UnfitTree) -> BundleError {
        BundleError::Folder { folder: self.root.to_owned(), source }
    }

    fn leaves_out(&self, path: &Path) -> bool {
        self.contents.hides(&bundle_path_below(self.root, path))
    }

    fn folder(&mut self, path: &Path) -> Result<(), BundleError> {
        let (path, name) = self.named(path);
        if name.as_os_str().is_empty() {
            return Ok(());
        }
        let mut header = self.header(EntryType::Directory, 0o555, 0)?;
        self.tar.append_data(&mut header, name, io::empty()).map_err(bundle_read_error_at(&path))
    }

    fn file(&mut self, path: &Path, found: FoundFile) -> Result<(), BundleError> {
        let (path, name) = self.named(path);
        let FoundFile { file, size, runs } = found;
        let mut header = self.header(EntryType::Regular, if runs { 0o555 } else { 0o444 }, size)?;
        let whole = WholeBundleFile { file, left: size };
        self.tar.append_data(&mut header, name, whole).map_err(bundle_read_error_at(&path))
    }

    fn link(&mut self, path: &Path, target: &Path) -> Result<(), BundleError> {
        let (path, name) = self.named(path);
        let mut header = self.header(EntryType::Symlink, 0o777, 0)?;
        self.tar.append_link(&mut header, name, target).map_err(bundle_read_error_at(&path))
    }

    /// Sockets and pipes contain no code.
    fn special(&mut self, _: &Path) -> Result<(), BundleError> {
        Ok(())
    }
}

/// An entry of a tree that lies at `root`.
fn bundle_path_below(root: &Path, path: &Path) -> PathBuf {
    // An empty path must not add a `/`.
    if path == Path::new("") { root.to_owned() } else { root.join(path) }
}

/// The lowest folder that contains all of `roots`, including `first`.
fn common_bundle_base(first: &Path, roots: &[PathBuf]) -> PathBuf {
    let start = if first.is_dir() { first } else { first.parent().unwrap_or(first) };
    let has_all = |folder: &&Path| roots.iter().all(|root| root.starts_with(folder));
    start.ancestors().find(has_all).unwrap_or(start).to_owned()
}

/// The first `left` bytes of a file. Having fewer is an error: the file shrank while it was read,
/// and a bundle that announces more than it has would take the next file for the rest.
struct WholeBundleFile {
    file: File,
    left: u64,
}

impl Read for WholeBundleFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = (&mut self.file).take(self.left).read(buffer)?;
        if read == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(io::Error::other("it shrank while it was being read"));
        }
        self.left -= read as u64;
        Ok(read)
    }
}

/// Hashes and counts what is written.
struct HashedWrite<W> {
    inner: W,
    hasher: blake3::Hasher,
    written: u64,
}

impl<W: Write> Write for HashedWrite<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Checks the hash of a bundle, and unpacks it into `folder`, which is read-only afterwards.
/// `folder` appears when it is complete; the bundle is unpacked beside it.
///
/// # Errors
/// It has another hash, or it cannot be unpacked.
pub(crate) fn unpack_bundle(bundle: &Path, hash: &str, folder: &Path) -> Result<(), BundleError> {
    let failed = || bundle_unpack_error_at(folder);
    let mut hasher = blake3::Hasher::new();
    hasher
        .update_reader(File::open(bundle).map_err(bundle_unpack_error_at(bundle))?)
        .map_err(bundle_unpack_error_at(bundle))?;
    let found = hasher.finalize().to_hex().to_string();
    if found != hash {
        return Err(BundleError::Altered { expected: hash.to_owned(), found });
    }
    let beside = folder.with_extension("part");
    if beside.exists() {
        remove_bundle_tree(&beside).map_err(failed())?;
    }
    let unpacked = unpack_bundle_entries(bundle, &beside);
    if let Err(error) = unpacked.and_then(|()| fs::rename(&beside, folder)) {
        if let Err(error) = remove_bundle_tree(&beside) {
            tracing::warn!(%error, path = %beside.display(), "a folder was left behind");
        }
        return Err(failed()(error));
    }
    Ok(())
}

/// Unpacks into the new folder `to`. Links are made last, so nothing is written through them.
fn unpack_bundle_entries(bundle: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    let mut archive = Archive::new(File::open(bundle)?);
    archive.set_preserve_mtime(false);
    let (mut folders, mut links) = (vec![to.to_owned()], Vec::new());
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = entry.path()?.into_owned();
        if !name.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(io::Error::other(format!("{} is outside", name.display())));
        }
        let path = to.join(name);
        match entry.header().entry_type() {
            EntryType::Directory => {
                fs::create_dir_all(&path)?;
                folders.push(path);
            }
            EntryType::Symlink => {
                let target = entry.link_name()?.unwrap_or_default().into_owned();
                links.push((target, path));
            }
            EntryType::Regular => {
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent)?;
                }
                entry.unpack(path)?;
            }
            _ => return Err(io::Error::other("an entry is neither a file, a folder nor a link")),
        }
    }
    let made: BTreeSet<PathBuf> = links.iter().map(|(_, path)| path.clone()).collect();
    for (target, path) in links {
        if let Some(link) = path.ancestors().skip(1).find(|above| made.contains(*above)) {
            let shown = |path: &Path| path.strip_prefix(to).unwrap_or(path).display().to_string();
            let why = format!("{} lies below the link {}", shown(&path), shown(link));
            return Err(io::Error::other(why));
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        symlink(target, path)?;
    }
    let read_only = |path: &PathBuf| fs::set_permissions(path, Permissions::from_mode(0o555));
    folders.iter().try_for_each(read_only)
}

/// Removes a folder in which folders may be read-only; or a link, but not what it leads to.
pub(crate) fn remove_bundle_tree(folder: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(folder)?.is_dir() {
        return fs::remove_file(folder);
    }
    make_bundle_writable(folder)?;
    fs::remove_dir_all(folder)
}

fn make_bundle_writable(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_bundle_writable(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a player, shared files beside it, and the results of a tournament.
    fn scene() -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, text) in
            [("ant/main.py", "1"), ("ant/data/book", "2"), ("shared/tools.py", "3"), ("bee/x", "4")]
        {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("created");
            fs::write(path, text).expect("written");
        }
        let runs = dir.path().join("ant/run.sh");
        fs::write(&runs, "#!/bin/sh").expect("written");
        fs::set_permissions(&runs, Permissions::from_mode(0o755)).expect("executable");
        dir
    }

    #[test]
    fn a_bundle_is_the_same_each_time_and_unpacks_read_only() {
        let dir = scene();
        let path = |name: &str| dir.path().join(name);
        let paths = [path("ant"), path("shared/tools.py"), PathBuf::from("/usr/bin/env")];
        let contents = BundleContents::new(paths.iter().map(PathBuf::as_path), &[path("ant/data")]);
        assert_eq!(contents.base, dir.path());
        let name = contents.name_of(&path("ant/main.py"));
        assert_eq!(name, Some(PathBuf::from("ant/main.py")));
        assert_eq!(contents.name_of(&path("bee/x")), None);
        let mut bytes = Vec::new();
        let hash = contents.write(&mut bytes).expect("a bundle");
        assert_eq!(contents.write(io::sink()).expect("a bundle"), hash);
        let (bundle, to) = (path("bundle.tar"), path("unpacked"));
        fs::write(&bundle, &bytes).expect("written");
        unpack_bundle(&bundle, &hash, &to).expect("unpacked");
        assert_eq!(fs::read_to_string(to.join("shared/tools.py")).expect("a file"), "3");
        assert!(!to.join("ant/data").exists() && !to.join("bee").exists());
        let mode = |name: &str| fs::metadata(to.join(name)).expect("a file").permissions().mode();
        assert_eq!(mode("ant/main.py") & 0o777, 0o444);
        assert_eq!(mode("ant/run.sh") & 0o777, 0o555);
        assert_eq!(mode("ant") & 0o777, 0o555);
        remove_bundle_tree(&to).expect("ours");
    }

    #[test]
    fn an_altered_bundle_is_refused() {
        let dir = scene();
        let folder = dir.path().join("ant");
        let mut bytes = Vec::new();
        let contents = BundleContents::new([folder.as_path()], &[]);
        let hash = contents.write(&mut bytes).expect("a bundle");
        bytes.extend([0; 512]);
        let bundle = dir.path().join("bundle.tar");
        fs::write(&bundle, &bytes).expect("written");
        let to = dir.path().join("unpacked");
        let error = unpack_bundle(&bundle, &hash, &to).expect_err("another hash");
        assert!(error.to_string().contains("was refused"), "{error}");
        assert!(!to.exists());
    }

    #[test]
    fn a_folder_outside_is_refused() {
        let dir = scene();
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Directory);
        header.set_size(0);
        header.as_old_mut().name[..4].copy_from_slice(b"../x");
        header.set_cksum();
        let mut archive = tar::Builder::new(Vec::new());
        archive.append(&header, io::empty()).expect("memory");
        let bytes = archive.into_inner().expect("memory");
        let bundle = dir.path().join("bundle.tar");
        fs::write(&bundle, &bytes).expect("written");
        let hash = blake3::hash(&bytes).to_hex();
        let error =
            unpack_bundle(&bundle, &hash, &dir.path().join("unpacked")).expect_err("outside");
        assert!(error.to_string().ends_with("../x is outside"), "{error}");
        assert!(!dir.path().join("x").exists());
    }

    /// A bundle of these entries, each a type, a name and a link's target or a file's content.
    fn bundle_of(dir: &Path, entries: &[(EntryType, &str, &str)]) -> (PathBuf, String) {
        let mut archive = tar::Builder::new(Vec::new());
        for (kind, name, text) in entries {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(*kind);
            header.set_mode(0o444);
            header.set_size(0);
            if *kind == EntryType::Symlink {
                archive.append_link(&mut header, name, text).expect("memory");
            } else {
                header.set_size(text.len() as u64);
                archive.append_data(&mut header, name, text.as_bytes()).expect("memory");
            }
        }
        let bytes = archive.into_inner().expect("memory");
        let bundle = dir.join("bundle.tar");
        fs::write(&bundle, &bytes).expect("written");
        (bundle, blake3::hash(&bytes).to_hex().to_string())
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let dir = scene();
        let outside = dir.path().join("ant").display().to_string();
        let to = dir.path().join("unpacked");
        for below in [(EntryType::Directory, "link/below", ""), (EntryType::Regular, "link/x", "5")]
        {
            let (bundle, hash) =
                bundle_of(dir.path(), &[(EntryType::Symlink, "link", &outside), below]);
            unpack_bundle(&bundle, &hash, &to).expect_err("the name is taken twice");
            assert!(!dir.path().join(below.1.replace("link", "ant")).exists());
            assert!(!to.exists());
        }
    }

    #[test]
    fn no_link_is_made_through_a_link() {
        let dir = scene();
        let (outside, to) = (dir.path().join("ant"), dir.path().join("unpacked"));
        let target = outside.display().to_string();
        let links = [(EntryType::Symlink, "link", &*target), (EntryType::Symlink, "link/x", "/")];
        for order in [links, [links[1], links[0]]] {
            let (bundle, hash) = bundle_of(dir.path(), &order);
            let error = unpack_bundle(&bundle, &hash, &to).expect_err("outside").to_string();
            assert!(error.ends_with("link/x lies below the link link"), "{error}");
            assert!(fs::symlink_metadata(outside.join("x")).is_err() && !to.exists());
        }
    }

    /// Lets an author put a link in the place of `folder` as soon as something was written.
    struct Swap {
        folder: PathBuf,
        written: Vec<u8>,
    }

    impl Write for Swap {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.written.is_empty() {
                fs::rename(&self.folder, self.folder.with_extension("old"))?;
                symlink("../private", &self.folder)?;
            }
            self.written.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nothing_behind_a_link_is_bundled_that_takes_the_place_of_a_folder() {
        let dir = scene();
        fs::create_dir(dir.path().join("private")).expect("a folder");
        fs::write(dir.path().join("private/book"), "PRIVATE").expect("a file");
        let ant = dir.path().join("ant");
        fs::remove_file(ant.join("main.py")).expect("so that `data` comes first");
        let mut swap = Swap { folder: ant.join("data"), written: Vec::new() };
        BundleContents::new([ant.as_path()], &[]).write(&mut swap).expect("a bundle");
        let text = String::from_utf8_lossy(&swap.written).into_owned();
        assert!(text.contains("data/book") && !text.contains("PRIVATE"), "{text}");
    }

    #[test]
    fn a_folder_that_became_a_link_is_not_bundled() {
        let dir = scene();
        let ant = dir.path().join("ant");
        let contents = BundleContents::new([ant.as_path()], &[]).at(&[PinnedPath::find(&ant)]);
        contents.write(io::sink()).expect("a bundle");
        fs::rename(&ant, dir.path().join("old")).expect("renamed");
        symlink("bee", &ant).expect("a link");
        contents.write(io::sink()).expect_err("a link");
    }

    #[test]
    fn a_failed_unpacking_leaves_no_folder_and_can_be_repeated() {
        let dir = scene();
        let to = dir.path().join("unpacked");
        let half = [(EntryType::Regular, "main.py", "1"), (EntryType::Fifo, "pipe", "")];
        let (bundle, hash) = bundle_of(dir.path(), &half);
        unpack_bundle(&bundle, &hash, &to).expect_err("a pipe");
        assert!(!to.exists() && !to.with_extension("part").exists());
        // What a worker that was killed has left.
        fs::create_dir(to.with_extension("part")).expect("a folder");
        fs::write(to.with_extension("part").join("old"), "0").expect("written");
        let (bundle, hash) = bundle_of(dir.path(), &half[..1]);
        unpack_bundle(&bundle, &hash, &to).expect("unpacked");
        assert_eq!(fs::read_dir(&to).expect("a folder").count(), 1);
        remove_bundle_tree(&to).expect("ours");
    }

    #[test]
    fn a_file_that_shrinks_is_not_bundled() {
        let dir = scene();
        let path = dir.path().join("ant/main.py");
        let mut whole = WholeBundleFile { file: File::open(path).expect("a file"), left: 2 };
        let error = io::copy(&mut whole, &mut io::sink()).expect_err("it has one byte");
        assert!(error.to_string().contains("it shrank"), "{error}");
    }
}
