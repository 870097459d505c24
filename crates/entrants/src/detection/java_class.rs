//! Compiled Java: the names of classes, and the main classes of jars.

use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use referee_record::plain_files::{BoundedReader, open_plain_nofollow, read_plain_start_nofollow};

/// The most bytes of a class to read.
const LONGEST_CLASS: u64 = 1024 * 1024;
/// The most bytes of a jar's manifest to read.
const LONGEST_MANIFEST: u64 = 64 * 1024;
/// The most bytes of a jar's directory to read, which the library keeps in memory at once. The names
/// of 30,000 classes fit.
const LONGEST_DIRECTORY: u64 = 4 * 1024 * 1024;

/// The folder that the classes of a program are found from, and the full name of the class in the
/// file `path`. `None` if its folders are not those of its package.
pub(super) fn find_java_class_name(path: &Path) -> Option<(PathBuf, String)> {
    let bytes = read_plain_start_nofollow(path, LONGEST_CLASS).ok()?;
    let name = parse_java_class_name(&bytes)?;
    let mut root = path.to_owned();
    let mut parts = name.rsplit('/');
    (root.file_stem()?.to_str()? == parts.next()?).then_some(())?;
    root.pop();
    for part in parts {
        (root.file_name()?.to_str()? == part).then_some(())?;
        root.pop();
    }
    Some((root, name.replace('/', ".")))
}

/// The name of a class, with its package, from the text of its file.
fn parse_java_class_name(bytes: &[u8]) -> Option<String> {
    let mut at = JavaClassReader { bytes, at: 8 };
    let count = at.number()?;
    let (mut texts, mut classes) = (vec![None; count.into()], vec![0; count.into()]);
    let mut index = 1;
    while index < usize::from(count) {
        // The tags of the constant pool, in section 4.4 of the specification of the machine.
        match at.byte()? {
            1 => {
                let length = at.number()?;
                texts[index] = Some(at.take_bytes(length.into())?);
            }
            7 => classes[index] = at.number()?,
            8 | 16 | 19 | 20 => drop(at.take_bytes(2)?),
            15 => drop(at.take_bytes(3)?),
            3 | 4 | 9..=12 | 17 | 18 => drop(at.take_bytes(4)?),
            5 | 6 => {
                at.take_bytes(8)?;
                // It counts as two.
                index += 1;
            }
            _ => return None,
        }
        index += 1;
    }
    // The flags come first.
    at.take_bytes(2)?;
    let class = classes.get(usize::from(at.number()?))?;
    let text = (*texts.get(usize::from(*class))?)?;
    String::from_utf8(text.to_owned()).ok()
}

struct JavaClassReader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> JavaClassReader<'b> {
    fn take_bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take_bytes(1).map(|bytes| bytes[0])
    }

    fn number(&mut self) -> Option<u16> {
        self.take_bytes(2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
    }
}

/// Whether a class has a main method, as far as the names in it say.
pub(super) fn has_java_main(path: &Path) -> bool {
    let bytes = read_plain_start_nofollow(path, LONGEST_CLASS).unwrap_or_default();
    let has = |text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
    has(b"\x04main") && has(b"([Ljava/lang/String;)V")
}

/// Whether a jar says which class to start.
pub(super) fn jar_has_main_class(path: &Path) -> bool {
    read_jar_manifest(path)
        .is_some_and(|text| text.lines().any(|line| line.starts_with("Main-Class:")))
}

fn read_jar_manifest(path: &Path) -> Option<String> {
    let jar =
        BoundedReader::new(BufReader::new(open_plain_nofollow(path).ok()?), LONGEST_DIRECTORY);
    let left = jar.read_limit();
    let mut jar = zip::ZipArchive::new(jar).ok()?;
    left.set(2 * LONGEST_MANIFEST);
    let file = jar.by_name("META-INF/MANIFEST.MF").ok()?;
    let mut text = String::new();
    file.take(LONGEST_MANIFEST).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The folder from which the classes of the sources in `dir` are found, within `top`: its package
/// says how far above it lies.
pub(crate) fn find_java_class_root(dir: &Path, top: &Path) -> PathBuf {
    let names = crate::build_commands::list_build_folder(dir);
    let mut sources = names.iter().filter(|name| crate::build_commands::is_java_source(name));
    let package =
        sources.find_map(|name| read_java_class_package(&dir.join(name))).unwrap_or_default();
    let mut root = dir.to_owned();
    for part in package.rsplit('.').filter(|part| !part.is_empty()) {
        let is_named = root.file_name().is_some_and(|name| name == part);
        if !is_named || root == top {
            return dir.to_owned();
        }
        root.pop();
    }
    root
}

/// The package that a source file names.
fn read_java_class_package(path: &Path) -> Option<String> {
    let bytes = read_plain_start_nofollow(path, LONGEST_CLASS).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut names = text.lines().filter_map(|line| {
        let rest = line.trim_start_matches('\u{feff}').trim().strip_prefix("package ")?;
        Some(rest.split(';').next()?.trim().to_owned())
    });
    names.next()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use super::*;

    /// A jar that names its main class, and has this many further entries with long names.
    fn jar(dir: &Path, others: usize) -> PathBuf {
        let path = dir.join("player.jar");
        let mut jar = zip::ZipWriter::new(File::create(&path).expect("a file"));
        let options = zip::write::SimpleFileOptions::default();
        jar.start_file("META-INF/MANIFEST.MF", options).expect("begun");
        jar.write_all(b"Main-Class: Player\n").expect("written");
        for number in 0..others {
            jar.start_file(format!("{number}{}", "x".repeat(60_000)), options).expect("begun");
        }
        jar.finish().expect("a jar");
        path
    }

    #[test]
    fn the_directory_of_a_jar_is_read_within_bounds() {
        let dir = tempfile::tempdir().expect("a folder");
        assert!(jar_has_main_class(&jar(dir.path(), 50)));
        assert!(!jar_has_main_class(&jar(dir.path(), 100)));
    }
}
