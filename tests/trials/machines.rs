//! Other machines: a Debian with systemd, booted in a virtual machine, in which the referee is
//! started in every way that people start it. `tests/machines/try` tries more of them.
#![expect(clippy::print_stdout, reason = "the table of what holds is for people")]

use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;

use crate::harness::{Lacks, alone, without};

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/machines");
/// The longest that a machine may take, in seconds.
const PATIENCE: &str = "1200";

pub(crate) fn tests() -> Vec<Trial> {
    vec![alone("all_control_groups_hold_under_systemd", || {
        let lacks = without(&["qemu-system-x86_64", "debootstrap"]);
        if lacks.is_some() {
            return lacks;
        }
        if !nix::unistd::geteuid().is_root() {
            return Some("debootstrap needs root".to_owned());
        }
        all_control_groups_hold()
    })]
}

fn all_control_groups_hold() -> Lacks {
    let machine = Path::new(env!("CARGO_TARGET_TMPDIR")).join("machines/bookworm");
    let folder = tempfile::tempdir().expect("a folder");
    let this = std::env::current_exe().expect("a path");
    run(Command::new(format!("{SCRIPTS}/image")).arg("bookworm").arg(&machine));
    run(Command::new(format!("{SCRIPTS}/stage"))
        .arg(folder.path())
        .arg(env!("CARGO_BIN_EXE_referee"))
        .args([&this, &this]));
    let mut boot = Command::new(format!("{SCRIPTS}/boot"));
    let said = run(boot.arg(&machine).arg(folder.path()).arg(PATIENCE));
    println!("{said}");
    assert!(said.contains("machine: 17 passed, 0 failed"), "{said}");
    None
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("the script starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{said}{errors}", output.status);
    said
}
