//! What a player may read and write, whom its signals reach, and that it has no network: Landlock.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, Scope, make_bitflags, path_beneath_rules,
};

use super::Mechanism;
use super::mounts::SCRATCH;
use super::runtime::{SETTINGS, SYSTEM};
use super::spec::{Failed, Spec};

/// The newest set of rights that is asked for; older kernels give what they know.
const NEWEST: ABI = ABI::V6;

const READ: BitFlags<AccessFs> = make_bitflags!(AccessFs::{Execute | ReadFile | ReadDir});

/// What a runtime reads of the machine: its size, and its own process.
const ABOUT_THE_MACHINE: &[&str] = &[
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/kernel",
    "/proc/sys/vm",
    "/sys/devices/system/cpu",
    "/sys/kernel/mm/transparent_hugepage",
];

const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Puts the rules in force for this process and what it becomes and starts, for ever.
pub(super) fn restrict(spec: &Spec, this: Option<&File>) -> Result<(), Failed> {
    let failed = |error: &dyn std::fmt::Display| Failed::setting_up("its rights", error);
    let rules = || -> Result<RulesetCreated, landlock::RulesetError> {
        let ruleset = Ruleset::default()
            .handle_access(AccessFs::from_all(NEWEST))?
            .handle_access(AccessNet::from_all(NEWEST))?
            .scope(Scope::from_all(NEWEST))?
            .create()?;
        if spec.has(Mechanism::Namespaces) { boxed(ruleset) } else { unboxed(ruleset, spec) }
    };
    let mut ruleset = rules().map_err(|error| failed(&error))?;
    // The referee's own program may be run wherever it lies, and after it was replaced.
    if let Some(this) = this {
        let rule = PathBeneath::new(this, make_bitflags!(AccessFs::{Execute | ReadFile}));
        ruleset = ruleset.add_rule(rule).map_err(|error| failed(&error))?;
    }
    ruleset.restrict_self().map(drop).map_err(|error| failed(&error))
}

/// In a box only what was shown is there: all of it may be read.
fn boxed(ruleset: RulesetCreated) -> Result<RulesetCreated, landlock::RulesetError> {
    let everything = AccessFs::from_all(NEWEST);
    ruleset
        .add_rules(path_beneath_rules(["/"], READ))?
        .add_rules(path_beneath_rules([SCRATCH], everything))?
        .add_rules(path_beneath_rules(DEVICES, make_bitflags!(AccessFs::{ReadFile | WriteFile})))
}

fn unboxed(ruleset: RulesetCreated, spec: &Spec) -> Result<RulesetCreated, landlock::RulesetError> {
    let system = SYSTEM.iter().chain(SETTINGS).chain(ABOUT_THE_MACHINE);
    let own: Vec<PathBuf> =
        spec.readable.iter().flat_map(|path| without(path, &spec.hidden)).collect();
    ruleset
        .add_rules(path_beneath_rules(system, READ))?
        .add_rules(path_beneath_rules(own, READ))?
        .add_rules(path_beneath_rules(&spec.scratch, AccessFs::from_all(NEWEST)))?
        .add_rules(path_beneath_rules(DEVICES, make_bitflags!(AccessFs::{ReadFile | WriteFile})))
}

/// `path`, or where something in it is hidden, everything in it but that.
fn without(path: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    if hidden.iter().any(|hidden| path.starts_with(hidden)) {
        return Vec::new();
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(path)) {
        return vec![path.to_owned()];
    }
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    entries.flatten().flat_map(|entry| without(&entry.path(), hidden)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hidden_folder_is_left_out_wherever_it_lies() {
        let dir = tempfile::tempdir().expect("a folder");
        for folder in ["a/results/cup", "a/b", "c"] {
            fs::create_dir_all(dir.path().join(folder)).expect("a folder");
        }
        let shown = |path: &str, hidden: &str| {
            let mut found = without(&dir.path().join(path), &[dir.path().join(hidden)]);
            found.sort();
            let names = found.iter().map(|path| path.strip_prefix(dir.path()).expect("below"));
            names.map(|name| name.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(shown("", "a/results"), ["a/b", "c"]);
        assert_eq!(shown("c", "a/results"), ["c"]);
        assert_eq!(shown("a/results/cup", "a/results"), [""; 0]);
    }
}
