//! What a build leaves: the player in its result.

use std::path::{Path, PathBuf};

use super::program::is_compiled_program;
use super::{detect_candidates, detect_file_in, levels_for_detection};
use crate::build_commands::list_build_folder;
use crate::build_plan::{BuildPlan, BuildPurpose};
use crate::start_command::StartCommand;

/// How the possible players in the folder `result`, which `plan` made, are started.
///
/// A build that only adds files changes no player: what it was in the source it is in the result.
/// After any other build it is what a folder's player is, or else the only program that the build
/// made.
pub(crate) fn detect_after_build(plan: &BuildPlan, result: &Path) -> Vec<StartCommand> {
    let source = &plan.source;
    let found = match plan.purpose {
        BuildPurpose::Additions => {
            let before = detect_candidates(source).into_iter();
            before.map(|start| start.moved(source, result)).collect()
        }
        BuildPurpose::Player => {
            let found = detect_candidates(result);
            let made = detect_programs_after_build(source, result);
            let depth = |found: &[StartCommand]| {
                found.first().map_or(usize::MAX, |start| start.dir.components().count())
            };
            if depth(&made) < depth(&found) { made } else { found }
        }
    };
    found.into_iter().map(|start| add_built_libraries(plan, result, start)).collect()
}

/// The same with the libraries that the build installed.
fn add_built_libraries(plan: &BuildPlan, result: &Path, start: StartCommand) -> StartCommand {
    let mut start = start;
    if start.words.first().is_some_and(|program| program == "python3") {
        start.env.extend(plan.library_path(result, &start.dir));
    }
    start
}

/// The programs in the topmost level of folders in `result` that has any which `source` has not.
fn detect_programs_after_build(source: &Path, result: &Path) -> Vec<StartCommand> {
    let is_ours = |dir: &Path| dir.components().all(|part| part.as_os_str() != "CMakeFiles");
    let in_folder = |dir: &PathBuf| {
        let from = source.join(dir.strip_prefix(result).unwrap_or(Path::new("")));
        let new = list_build_folder(dir)
            .into_iter()
            .filter(move |name| !from.join(name).exists() && is_compiled_program(&dir.join(name)));
        new.filter_map(|name| detect_file_in(dir, &name)).collect::<Vec<_>>()
    };
    let in_level = |level: &Vec<PathBuf>| -> Vec<_> {
        level.iter().filter(|dir| is_ours(dir)).flat_map(in_folder).collect()
    };
    levels_for_detection(result)
        .iter()
        .map(in_level)
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// The files in `result` that `source` has not, by their paths in it.
pub(crate) fn new_files_after_build(source: &Path, result: &Path) -> Vec<String> {
    let in_folder = |dir: &PathBuf| {
        let below = dir.strip_prefix(result).unwrap_or(Path::new("")).to_owned();
        let names = list_build_folder(dir).into_iter().map(move |name| below.join(name));
        let new = names.filter(|name| result.join(name).is_file() && !source.join(name).exists());
        new.map(|name| name.display().to_string()).collect::<Vec<_>>()
    };
    levels_for_detection(result).iter().flatten().flat_map(in_folder).collect()
}
