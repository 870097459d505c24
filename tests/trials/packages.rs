//! The packages that people install, built and tried on a system without Rust.

use std::process::Command;

use libtest_mimic::Trial;

use crate::harness::{Lacks, alone, slow, without};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        alone("first_steps_without_rust", first_steps),
        slow("the_python_module_calls_the_program", python_module),
    ]
}

/// The module of the wheel, with the program of these tests.
#[expect(clippy::print_stdout, reason = "it says whether pandas was there")]
fn python_module() -> Lacks {
    let missing = without(&["python3"]);
    if missing.is_some() {
        return missing;
    }
    let project = env!("CARGO_MANIFEST_DIR");
    let folder = tempfile::tempdir().expect("a folder");
    // Beside a path of the caller, in which pandas may be.
    let path = std::env::var("PYTHONPATH").map(|path| format!(":{path}")).unwrap_or_default();
    let run = Command::new("python3")
        .arg(format!("{project}/tests/packages/python_module.py"))
        .current_dir(folder.path())
        .env("PYTHONPATH", format!("{project}/packaging/python{path}"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("REFEREE", env!("CARGO_BIN_EXE_referee"))
        .output()
        .expect("python3 starts");
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stderr));
    assert!(said.starts_with("ok"), "{said}");
    print!("{said}");
    None
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
