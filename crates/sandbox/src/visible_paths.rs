//! The files of the machine that a contained process may see, besides the system folders.
//!
//! They come from three sources only: the installations of programs in system folders or in the
//! `PATH`; the process's own folder; and what the organiser lists, such as the program of a command.
//! Nothing that lies in its own folder adds to them: not a link, not the first line of a script.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::command::{Command, DirView};
use crate::installations::Installations;
use crate::paths::{is_path_in, lexical_path, real_path};
use crate::system_paths::{SYSTEM, is_system_path};

/// The paths that a process may see and those hidden from it. Of two that contain a file, the deeper
/// one decides.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct VisiblePaths {
    /// Shown with everything in them that is not hidden; sorted.
    shown: BTreeSet<PathBuf>,
    /// Hidden with everything in them that is not shown. None of them is shown itself.
    hidden: BTreeSet<PathBuf>,
}

/// A path that is shown or hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VisibleLayer<'a> {
    Shown(&'a Path),
    Hidden(&'a Path),
}

impl<'a> VisibleLayer<'a> {
    fn path(self) -> &'a Path {
        match self {
            Self::Shown(path) | Self::Hidden(path) => path,
        }
    }
}

/// The program that a process runs, which decides what else it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program<'a> {
    /// The caller's own, which needs nothing and does not see the command's folder.
    Caller,
    /// One in the system folder of the command's own, which lacks nothing.
    InImage,
    /// One of this machine.
    Here(&'a Path),
}

impl VisiblePaths {
    /// What the process of `command` may see if the organiser hides these real paths.
    pub(crate) fn for_command(command: &Command, program: Program<'_>, hidden: &[PathBuf]) -> Self {
        let dir =
            (program != Program::Caller).then(|| VisibleFolder::locate(command, &command.dir));
        let (mut own, listed) = match (command.view, &dir) {
            (DirView::Listed, Some(dir)) => dir.split_files(&command.readable),
            _ => (BTreeSet::new(), command.readable.clone()),
        };
        own.extend(self::listed_visible_paths(command, &listed, dir.as_ref()));
        if command.view == DirView::Whole {
            own.extend(dir.as_ref().map(|dir| dir.real.clone()));
        }
        let always: Vec<&Path> = hidden.iter().map(PathBuf::as_path).collect();
        let all: Vec<&Path> = hidden.iter().chain(&command.hidden).map(PathBuf::as_path).collect();
        let mut shown = own.clone();
        if program != Program::InImage {
            let mut found = Installations::new(command, &own, &all);
            if let Program::Here(program) = program {
                let is_own = dir.is_some_and(|dir| dir.holds(program));
                if is_own { found.add_own(program) } else { found.add(program) }
            }
            command.starts.iter().for_each(|program| found.add(program));
            shown.extend(found.paths());
        }
        let is_system = |path: &Path| program != Program::InImage && is_system_path(path);
        Self::new(shown, always, &command.hidden, is_system)
    }

    /// Leaves out what changes nothing: what is shown with the system, and the files `others` of
    /// other players in a place that is not shown.
    fn new(
        mut shown: BTreeSet<PathBuf>,
        always: Vec<&Path>,
        others: &[PathBuf],
        is_system: impl Fn(&Path) -> bool,
    ) -> Self {
        let is_needed =
            |path: &Path| SYSTEM.iter().any(|folder| is_path_in(Path::new(folder), path));
        let is_reached =
            |path: &Path| shown.iter().any(|shown| is_path_in(path, shown)) || is_system(path);
        let others = others.iter().map(PathBuf::as_path).filter(|path| is_reached(path));
        let hidden: BTreeSet<PathBuf> = always
            .into_iter()
            .chain(others)
            .filter(|path| !is_needed(path) && !shown.contains(*path))
            .map(Path::to_owned)
            .collect();
        let is_hidden = |path: &Path| hidden.iter().any(|hidden| is_path_in(path, hidden));
        shown.retain(|path| !is_system(path) || is_hidden(path));
        Self { shown, hidden }
    }

    #[cfg(test)]
    pub(crate) fn example(shown: &[&Path], hidden: &[&Path]) -> Self {
        let shown = shown.iter().map(|path| path.to_path_buf()).collect();
        Self::new(shown, hidden.to_vec(), &[], is_system_path)
    }

    /// Shows this path, too.
    pub(crate) fn show(&mut self, path: PathBuf) {
        self.shown.insert(path);
    }

    pub(crate) fn shown(&self) -> &BTreeSet<PathBuf> {
        &self.shown
    }

    /// Whether this path is hidden itself.
    pub(crate) fn hides(&self, path: &Path) -> bool {
        self.hidden.contains(path)
    }

    /// Whether something in this path is hidden.
    pub(crate) fn hides_in(&self, path: &Path) -> bool {
        self.hidden.iter().any(|hidden| is_path_in(hidden, path))
    }

    /// Whether something in this path is shown.
    pub(crate) fn shows_in(&self, path: &Path) -> bool {
        self.shown.iter().any(|shown| is_path_in(shown, path))
    }

    /// The shown and hidden paths, each folder before its contents, without redundant ones.
    pub(crate) fn layers(&self) -> Vec<VisibleLayer<'_>> {
        let shown = self.shown.iter().map(|path| VisibleLayer::Shown(path));
        let hidden = self.hidden.iter().map(|path| VisibleLayer::Hidden(path));
        let mut all: Vec<VisibleLayer<'_>> = shown.chain(hidden).collect();
        all.sort_by_key(|layer| layer.path());
        let mut layers: Vec<VisibleLayer<'_>> = Vec::new();
        for layer in all {
            let above = layers.iter().rfind(|above| is_path_in(layer.path(), above.path()));
            let is_same = above.is_some_and(|above| {
                std::mem::discriminant(above) == std::mem::discriminant(&layer)
            });
            if !is_same {
                layers.push(layer);
            }
        }
        layers
    }
}

/// The real paths of what the organiser lists. What lies in the own folder or in another listed
/// folder is shown with it: a link there would show what its author wants.
fn listed_visible_paths(
    command: &Command,
    paths: &[PathBuf],
    dir: Option<&VisibleFolder>,
) -> BTreeSet<PathBuf> {
    let folders = paths.iter().filter(|path| path.is_dir());
    let folders: Vec<VisibleFolder> =
        folders.map(|path| VisibleFolder::locate(command, path)).collect();
    let is_in_another = |path: &Path| {
        let mut folders = folders.iter().filter(|folder| folder.named != lexical_path(path));
        dir.is_some_and(|dir| dir.holds(path)) || folders.any(|folder| folder.holds(path))
    };
    paths
        .iter()
        .filter(|path| !is_in_another(path))
        .map(|path| command.resolve_path(path))
        .collect()
}

/// A folder whose content its author wrote.
#[derive(Debug)]
struct VisibleFolder {
    /// The path as given.
    named: PathBuf,
    real: PathBuf,
}

impl VisibleFolder {
    fn locate(command: &Command, path: &Path) -> Self {
        Self { named: lexical_path(path), real: command.resolve_path(path) }
    }

    /// The places of those paths that lie in it and lead over no link, and all other paths.
    fn split_files(&self, paths: &[PathBuf]) -> (BTreeSet<PathBuf>, Vec<PathBuf>) {
        let (own, other): (Vec<_>, Vec<_>) = paths.iter().cloned().partition(|it| self.holds(it));
        let place = |path: &PathBuf| {
            let path = lexical_path(path);
            let below = path.strip_prefix(&self.named).or_else(|_| path.strip_prefix(&self.real));
            Some(self.real.join(below.ok()?)).filter(|place| real_path(place) == *place)
        };
        (own.iter().filter_map(place).collect(), other)
    }

    /// Whether `path` leads through it. Links in it may then lead elsewhere.
    fn holds(&self, path: &Path) -> bool {
        let path = lexical_path(path);
        is_path_in(&path, &self.named) || is_path_in(&path, &self.real)
    }
}

#[cfg(test)]
mod tests;
