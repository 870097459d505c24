//! The packages that people install, built and tried on a system without Rust.

use std::process::Command;

use libtest_mimic::Trial;

use crate::harness::{Lacks, alone, without};

pub(crate) fn tests() -> Vec<Trial> {
    vec![alone("first_steps_without_rust", first_steps)]
}

#[expect(clippy::print_stdout, reason = "the times are for people")]
fn first_steps() -> Lacks {
    let missing = without(&["maturin", "dpkg-deb", "objdump", "unshare"]);
    if missing.is_some() {
        return missing;
    }
    if !nix::unistd::geteuid().is_root() {
        return Some("a clean root needs the rights to mount".to_owned());
    }
    let project = env!("CARGO_MANIFEST_DIR");
    let folder = tempfile::tempdir().expect("a folder");
    let (packages, scratch) = (folder.path().join("packages"), folder.path().join("scratch"));
    std::fs::create_dir(&scratch).expect("a folder");
    // With the profile of these tests, so that little has to be compiled.
    let built = Command::new(format!("{project}/packaging/build"))
        .arg(&packages)
        .env("PROFILE", "dev")
        .output()
        .expect("the script starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));

    let steps = Command::new("unshare")
        .arg("--mount")
        .arg(format!("{project}/tests/packages/first_ten_minutes.sh"))
        .args([&packages, &scratch])
        .output()
        .expect("unshare starts");
    let said = String::from_utf8_lossy(&steps.stdout);
    let errors = String::from_utf8_lossy(&steps.stderr);
    if steps.status.code() == Some(77) {
        return Some(errors.trim().to_owned());
    }
    assert!(steps.status.success(), "{said}{errors}");
    print!("{said}");
    assert_eq!(said.lines().count(), 7, "{said}");
    None
}
