//! Unpacking archives of strangers: only plain files and folders, only below the folder that is
//! given, and only so many and so large.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek};
use std::path::{Component, Path, PathBuf};

use flate2::read::GzDecoder;
use zip::ZipArchive;

/// How much an archive may hold.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Files and folders.
    pub entries: usize,
    /// Bytes of all files together, unpacked.
    pub bytes: u64,
}

/// The limits of a submission: 10,000 entries, 500 MiB.
pub const LIMITS: Limits = Limits { entries: 10_000, bytes: 500 * 1024 * 1024 };

const ENDINGS: [&str; 4] = [".zip", ".tar.gz", ".tgz", ".tar"];

/// Whether a file's name is that of an archive that can be unpacked.
pub fn is_archive(path: &Path) -> bool {
    path.is_file() && path.to_str().is_some_and(|name| stem(name).len() < name.len())
}

/// The name without the ending of an archive, where it has one.
pub(super) fn stem(name: &str) -> &str {
    let lower = name.to_ascii_lowercase();
    let ending = ENDINGS.iter().find(|ending| lower.ends_with(*ending));
    ending.map_or(name, |ending| &name[..name.len() - ending.len()])
}

/// Unpacks `archive` into the new folder `to`. Nothing is left of one that is refused.
pub fn unpack(archive: &Path, to: &Path, limits: Limits) -> Result<(), String> {
    let unpacked = fs::create_dir_all(to)
        .map_err(|error| format!("cannot make the folder {}: {error}", to.display()))
        .and_then(|()| {
            let file =
                File::open(archive).map_err(|error| format!("it cannot be read: {error}"))?;
            let mut target = Target { to, limits, entries: 0, bytes: 0 };
            let ending = archive.extension().unwrap_or_default().to_ascii_lowercase();
            let input = BufReader::new(file);
            match ending.to_str() {
                Some("zip") => unzip(input, &mut target),
                Some("tar") => untar(input, &mut target),
                _ => untar(GzDecoder::new(input), &mut target),
            }
        });
    unpacked.map_err(|why| {
        // What was unpacked so far is of no use; the reason matters more than a failure here.
        let _ = fs::remove_dir_all(to);
        format!("the archive was refused: {why}")
    })
}

fn unzip(input: impl Read + Seek, target: &mut Target<'_>) -> Result<(), String> {
    let mut archive = ZipArchive::new(input).map_err(|error| format!("not a zip file: {error}"))?;
    for number in 0..archive.len() {
        let mut entry = archive
            .by_index(number)
            .map_err(|error| format!("entry {} cannot be read: {error}", number + 1))?;
        let name =
            entry.name().map_err(|error| format!("entry {}: {error}", number + 1))?.into_owned();
        let kind = if entry.is_dir() {
            Kind::Folder
        } else if entry.is_symlink() {
            Kind::Other
        } else {
            let runs = entry.unix_mode().is_some_and(|mode| mode & 0o111 != 0);
            Kind::File { runs }
        };
        target.put(&name, kind, &mut entry)?;
    }
    Ok(())
}

fn untar(input: impl Read, target: &mut Target<'_>) -> Result<(), String> {
    let broken = |error: io::Error| format!("not a tar file: {error}");
    let mut archive = tar::Archive::new(input);
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let header = entry.header();
        let kind = match header.entry_type() {
            tar::EntryType::Directory => Kind::Folder,
            tar::EntryType::Regular | tar::EntryType::Continuous => {
                Kind::File { runs: header.mode().is_ok_and(|mode| mode & 0o111 != 0) }
            }
            tar::EntryType::XGlobalHeader => continue,
            _ => Kind::Other,
        };
        target.put(&name, kind, &mut entry)?;
    }
    Ok(())
}

/// What an entry of an archive is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Folder,
    File {
        /// It may be executed.
        runs: bool,
    },
    /// A link, a device, a pipe.
    Other,
}

/// Where an archive goes, and how much of it has gone there.
struct Target<'a> {
    to: &'a Path,
    limits: Limits,
    entries: usize,
    bytes: u64,
}

impl Target<'_> {
    fn put(&mut self, name: &str, kind: Kind, content: &mut dyn Read) -> Result<(), String> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            return Err(format!("it holds more than {} entries", self.limits.entries));
        }
        let shown = crate::escape::bytes(name.as_bytes(), 200);
        let path = self.to.join(below(name).ok_or_else(|| {
            format!("`{shown}` lies outside of it; pack the folder itself, without `..`")
        })?);
        let failed = |error: io::Error| format!("`{shown}` cannot be unpacked: {error}");
        match kind {
            Kind::Other => Err(format!(
                "`{shown}` is a link or no plain file; pack the file that it stands for"
            )),
            Kind::Folder => fs::create_dir_all(&path).map_err(failed),
            Kind::File { runs } => {
                fs::create_dir_all(path.parent().unwrap_or(self.to)).map_err(failed)?;
                let copied = write(&path, runs, content, self.limits.bytes - self.bytes);
                self.bytes += copied.map_err(failed)?;
                if self.bytes >= self.limits.bytes {
                    let mib = self.limits.bytes / (1024 * 1024);
                    return Err(format!("it is larger than {mib} MiB unpacked"));
                }
                Ok(())
            }
        }
    }
}

/// Writes at most `most` bytes into a new file; how many.
fn write(path: &Path, runs: bool, content: &mut dyn Read, most: u64) -> io::Result<u64> {
    use std::os::unix::fs::OpenOptionsExt;
    let mode = if runs { 0o755 } else { 0o644 };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    io::copy(&mut content.take(most), &mut file)
}

/// The path of an entry below the folder; none where it would lie elsewhere, by a root, a drive,
/// `..` or a backslash that another system would read as a separator.
fn below(name: &str) -> Option<PathBuf> {
    if name.contains(['\\', '\0']) || name.as_bytes().get(1) == Some(&b':') {
        return None;
    }
    let mut path = PathBuf::new();
    for component in Path::new(name).components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::write::SimpleFileOptions;

    use super::*;

    const SMALL: Limits = Limits { entries: 3, bytes: 100 };

    fn zipped(dir: &Path, files: &[(&str, &str)]) -> PathBuf {
        let path = dir.join("a.zip");
        let mut writer = zip::ZipWriter::new(File::create(&path).expect("a file"));
        for (name, text) in files {
            let options = SimpleFileOptions::default().unix_permissions(0o755);
            writer.start_file(*name, options).expect("an entry");
            writer.write_all(text.as_bytes()).expect("written");
        }
        writer.finish().expect("an archive");
        path
    }

    fn refused(files: &[(&str, &str)]) -> String {
        let dir = tempfile::tempdir().expect("a folder");
        let to = dir.path().join("to");
        let why = unpack(&zipped(dir.path(), files), &to, SMALL).expect_err("refused");
        assert!(!to.exists(), "nothing is left");
        assert_eq!(fs::read_dir(dir.path()).expect("a list").count(), 1, "nothing lies beside");
        why
    }

    #[test]
    fn a_plain_archive_is_unpacked() {
        let dir = tempfile::tempdir().expect("a folder");
        let to = dir.path().join("to");
        unpack(&zipped(dir.path(), &[("a/b.py", "text")]), &to, SMALL).expect("unpacked");
        assert_eq!(fs::read_to_string(to.join("a/b.py")).expect("text"), "text");
    }

    #[test]
    fn what_lies_elsewhere_is_refused() {
        for name in ["../evil.py", "/evil.py", "a/../../evil.py", "..\\evil.py", "C:evil.py"] {
            let why = refused(&[(name, "text")]);
            assert!(why.contains("lies outside of it"), "{name}: {why}");
        }
    }

    #[test]
    fn too_much_is_refused() {
        let many = [("a", ""), ("b", ""), ("c", ""), ("d", "")];
        assert_eq!(refused(&many), "the archive was refused: it holds more than 3 entries");
        let large = "x".repeat(200);
        let why = refused(&[("a", &large)]);
        assert_eq!(why, "the archive was refused: it is larger than 0 MiB unpacked");
    }

    #[test]
    fn links_are_refused() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a.tar");
        let mut builder = tar::Builder::new(File::create(&path).expect("a file"));
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        builder.append_link(&mut header, "passwords", "/etc/passwd").expect("an entry");
        builder.into_inner().expect("an archive");
        let why = unpack(&path, &dir.path().join("to"), SMALL).expect_err("refused");
        assert_eq!(
            why,
            "the archive was refused: `passwords` is a link or no plain file; pack the file that \
             it stands for"
        );
    }
}
