//! The settings of the machine that every program may read.
//!
//! Secrets lie in `/etc`, too, and not all of them are kept from other users. So only what a language
//! needs is shown: a few files that every program reads, and the folders of runtimes. No list of
//! these could be complete, so a rule finds them: something of the same name in `/usr` needs the
//! folder, no service does, it is root's, and everyone may read it. A folder in `/var/lib` to which
//! its namesake in `/usr/lib` has a link is settings, too: that of GHC is one.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

/// What programs of all languages read: library paths, the time zone, names of locales and types.
const OF_ALL: &[&str] = &[
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "ld.so.preload",
    "localtime",
    "timezone",
    "locale.alias",
    "mime.types",
    "alternatives",
    "ssl/openssl.cnf",
];

/// The most files and folders of a runtime to look at.
const MOST_ENTRIES: usize = 10_000;

/// Folders of this many links and no program.
const NOT_OF_PROGRAMS: &[&str] = &["doc", "icons", "locale", "man"];

/// The settings on this machine. They are found once, since each start of a process needs them.
static HERE: LazyLock<Vec<PathBuf>> = LazyLock::new(|| Machine { root: Path::new("/") }.settings());

/// The settings on this machine, as paths that exist. Links among them lead to others of them, or to
/// system folders.
pub(crate) fn machine_settings() -> &'static [PathBuf] {
    &HERE
}

/// A machine's file system.
struct Machine<'a> {
    root: &'a Path,
}

impl Machine<'_> {
    fn settings(&self) -> Vec<PathBuf> {
        let etc = self.root.join("etc");
        let linked = self.linked_folders();
        let services = self.services();
        let mut found: BTreeSet<PathBuf> =
            OF_ALL.iter().map(|name| etc.join(name)).filter(|path| path.exists()).collect();
        for entry in list_machine_setting_names(&etc) {
            let name = entry.strip_suffix(".cfg").or(entry.strip_suffix(".conf")).unwrap_or(&entry);
            if self.has_program(name) && !is_machine_service_setting(name, &services) {
                self.add(&etc.join(&entry), &mut found);
            }
        }
        for folder in linked {
            let name = folder.file_name().and_then(OsStr::to_str).unwrap_or_default();
            if folder.is_dir() && !is_machine_service_setting(name, &services) {
                self.add(&folder, &mut found);
            }
        }
        found.into_iter().collect()
    }

    /// Whether a program and its folder have this name: `mono` has `/usr/bin/mono` and
    /// `/usr/lib/mono`. The folder may lack the version: that of `ldc2` is `/usr/lib/ldc`.
    fn has_program(&self, name: &str) -> bool {
        let usr = self.root.join("usr");
        let lib = usr.join("lib");
        let of_architecture =
            list_machine_setting_names(&lib).filter(|folder| folder.contains("-linux-"));
        let others = of_architecture.map(|folder| lib.join(folder)).chain([usr.join("lib64")]);
        let mut folders = others.chain([lib.clone()]);
        let plain = name.trim_end_matches(|last: char| last.is_ascii_digit());
        let is_there = |folder: &Path| folder.join(name).is_dir() || folder.join(plain).is_dir();
        !plain.is_empty()
            && usr.join("bin").join(name).exists()
            && folders.any(|folder| is_there(&folder))
    }

    /// The folders to which programs in `/usr` have links: `/etc/R` is one, because
    /// `/usr/lib/R/etc/Renviron` leads to `/etc/R/Renviron`.
    fn linked_folders(&self) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        for base in ["usr/lib", "usr/lib/jvm", "usr/share"].map(|base| self.root.join(base)) {
            for name in list_machine_setting_names(&base)
                .filter(|name| !NOT_OF_PROGRAMS.contains(&name.as_str()))
            {
                let folder = base.join(&name);
                for inside in [folder.join("etc"), folder.join("conf"), folder] {
                    let targets = list_machine_setting_links(&inside);
                    found.extend(targets.filter_map(|target| self.settings_folder(&target, &name)));
                }
            }
        }
        found
    }

    /// The folder of settings into which the target of a link leads, as written. The link is in the
    /// folder of the program `name`.
    fn settings_folder(&self, target: &Path, name: &str) -> Option<PathBuf> {
        let mut plain = Vec::new();
        for part in target.strip_prefix(self.root).unwrap_or(target).components() {
            match part {
                Component::Normal(name) => plain.push(name.to_str()?),
                Component::ParentDir => drop(plain.pop()),
                _ => {}
            }
        }
        match plain[..] {
            ["etc", folder, ..] => Some(self.root.join("etc").join(folder)),
            ["var", "lib", folder, ..] if folder == name => {
                Some(self.root.join("var/lib").join(folder))
            }
            _ => None,
        }
    }

    /// The names of the services of systemd, without what follows a `-`, `@` or `.`.
    fn services(&self) -> BTreeSet<String> {
        let folders = ["usr/lib/systemd/system", "lib/systemd/system", "etc/systemd/system"];
        let units = folders
            .map(|folder| self.root.join(folder))
            .into_iter()
            .flat_map(|it| list_machine_setting_names(&it));
        units.filter_map(|unit| Some(unit.split(['-', '@', '.']).next()?.to_owned())).collect()
    }

    /// Adds what everyone may read in a file or folder. If that is all of a folder, adds the folder.
    fn add(&self, path: &Path, found: &mut BTreeSet<PathBuf>) {
        let mut left = MOST_ENTRIES;
        let mut parts = BTreeSet::new();
        if collect_machine_settings(path, &mut parts, &mut left) {
            parts = BTreeSet::from([path.to_owned()]);
        }
        for part in &parts {
            // A link of a file may lead through `/etc/alternatives` to another name in `/etc`.
            if let Ok(target) = fs::canonicalize(part)
                && target != *part
                && target.starts_with(self.root.join("etc"))
                && is_public_machine_setting(&target)
            {
                found.insert(target);
            }
        }
        found.extend(parts);
    }
}

/// Collects what everyone may read in `path`. Returns whether that is all of it.
fn collect_machine_settings(path: &Path, parts: &mut BTreeSet<PathBuf>, left: &mut usize) -> bool {
    let Some(rest) = left.checked_sub(1) else { return false };
    *left = rest;
    if path.is_symlink() {
        parts.insert(path.to_owned());
        return true;
    }
    if !is_public_machine_setting(path) {
        return false;
    }
    if !path.is_dir() {
        parts.insert(path.to_owned());
        return true;
    }
    let mut is_whole = true;
    let mut inside = BTreeSet::new();
    for name in list_machine_setting_names(path) {
        is_whole &= collect_machine_settings(&path.join(name), &mut inside, left);
    }
    if is_whole {
        parts.insert(path.to_owned());
    } else {
        parts.extend(inside);
    }
    is_whole
}

/// Whether a service has this name, or one that continues it.
fn is_machine_service_setting(name: &str, services: &BTreeSet<String>) -> bool {
    services.contains(name) || services.contains(&format!("{name}d"))
}

/// Whether it is root's, and everyone may read it, and enter it if it is a folder. A process may have
/// the groups of its organiser.
fn is_public_machine_setting(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| {
        let needed = if found.is_dir() { 0o5 } else { 0o4 };
        found.permissions().mode() & needed == needed && (found.uid() == 0 || cfg!(test))
    })
}

/// The names in a folder; empty if it cannot be read.
fn list_machine_setting_names(folder: &Path) -> impl Iterator<Item = String> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok())
}

/// The targets of the links in a folder as written, from the root if they are relative.
fn list_machine_setting_links(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    links.filter_map(|link| Some(folder.join(fs::read_link(link.path()).ok()?)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A machine with these files. A name with `->` is a link.
    fn machine(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        for file in files {
            let (name, target) = file.split_once(" -> ").unwrap_or((file, ""));
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            match target {
                "" => fs::write(path, "").expect("a file"),
                target => symlink(target, path).expect("a link"),
            }
        }
        dir
    }

    fn settings_of(dir: &tempfile::TempDir) -> Vec<String> {
        let found = Machine { root: dir.path() }.settings();
        let names = found.iter().map(|path| path.strip_prefix(dir.path()).expect("in it"));
        names.map(|name| name.display().to_string()).collect()
    }

    #[test]
    fn the_settings_of_runtimes_are_found_by_what_needs_them() {
        let dir = machine(&[
            "etc/localtime",
            "etc/R/Renviron",
            "usr/lib/R/etc/Renviron -> /etc/R/Renviron",
            "etc/maven/settings.xml",
            "usr/share/maven/conf -> /etc/maven",
            "etc/java-99-openjdk/logging.properties",
            "usr/lib/jvm/java-99-openjdk-amd64/conf/logging.properties \
             -> ../../../../../etc/java-99-openjdk/logging.properties",
            "var/lib/ghc/package.conf.d/base.conf",
            "usr/lib/ghc/package.conf.d -> /var/lib/ghc/package.conf.d",
            "etc/mono/config",
            "usr/bin/mono",
            "usr/lib/mono/4.5",
            "etc/fpc-3.cfg",
            "etc/fpc.cfg -> fpc-3.cfg",
            "usr/bin/fpc",
            "usr/lib/x86_64-linux-gnu/fpc/3",
            "etc/ldc2.conf",
            "usr/bin/ldc2",
            "usr/lib/ldc/x86_64-linux-gnu/include",
        ]);
        let expected = [
            "etc/R",
            "etc/fpc-3.cfg",
            "etc/fpc.cfg",
            "etc/java-99-openjdk",
            "etc/ldc2.conf",
            "etc/localtime",
            "etc/maven",
            "etc/mono",
            "var/lib/ghc",
        ];
        assert_eq!(settings_of(&dir), expected);
    }

    #[test]
    fn other_settings_stay_hidden() {
        let dir = machine(&[
            "etc/passwd",
            "etc/environment",
            "usr/share/tool/environment -> /etc/environment",
            "etc/ansible/hosts",
            "usr/bin/ansible",
            "etc/apt/auth.conf",
            "usr/bin/apt",
            "usr/lib/apt/methods",
            "usr/lib/systemd/system/apt-daily.service",
            "etc/web/passwords",
            "usr/share/web/conf -> /etc/web",
            "var/lib/other/data",
            "usr/share/tool/data -> /var/lib/other/data",
            "etc/systemd/system/webd.service",
        ]);
        assert_eq!(settings_of(&dir), [""; 0]);
    }

    #[test]
    fn what_not_everyone_may_read_stays_hidden() {
        let dir = machine(&[
            "etc/maven/settings.xml",
            "etc/maven/logging/simple.properties",
            "etc/maven/keys/private",
            "etc/maven/secret",
            "usr/share/maven/conf -> /etc/maven",
        ]);
        for (name, mode) in [("keys", 0o700), ("secret", 0o640)] {
            let path = dir.path().join("etc/maven").join(name);
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
        }
        assert_eq!(settings_of(&dir), ["etc/maven/logging", "etc/maven/settings.xml"]);
    }
}
