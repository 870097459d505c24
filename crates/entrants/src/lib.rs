//! Entrants: turns a hand-in into a program that can be started, or the reason why it cannot
//! be.
//!
//! - [`detection`] looks at a file or a folder and finds what may be a player in it: a program, a
//!   script, a class of 2018, a class file or a jar of Java.
//! - [`build_commands`] knows what can be built, and with which command. [`build_rules`] says what of it is
//!   built here, and where the result is kept; [`build`] builds it, in the sandbox.
//! - [`start_decision`] puts these together: the one place that decides how a submission is
//!   started, for all commands, for leagues and for `referee new tournament`.
//! - [`submissions`] imports the exports of learning platforms: archives, loose files, late and
//!   repeated uploads.
//!
//! Nothing here is about one tournament: no configuration, no settings of players, no names that
//! must be unique in it. Nothing prints either; the program shows what is returned. And nothing
//! starts a player: a [`StartCommand`](start_command::StartCommand) is only words in a folder.
//!
//! Odd at first: a build runs in a second process of *this same program*. [`build::Builder`] starts
//! it in the sandbox under the hidden argument `__build`, and it copies, builds, and packs the result
//! onto its standard output. So a program that builds has to call [`build::serve_sandboxed_build`] first
//! thing in `main`.
//!
//! ```
//! use referee_entrants::detection::detect_player;
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("ant.py"), "print('ant')\n")?;
//! std::fs::write(folder.path().join("README.md"), "An ant.\n")?;
//!
//! let start = detect_player(folder.path()).expect("a player");
//! assert_eq!(start.words, ["python3", "ant.py"]);
//! assert_eq!(start.dir, folder.path());
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod build;
pub mod build_commands;
pub mod build_plan;
pub mod build_rules;
pub mod detection;
pub mod relative_path;
pub mod start_command;
pub mod start_decision;
pub mod submissions;
#[cfg(any(test, feature = "examples"))]
pub mod test_folder;

use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Whether a file has an executable bit.
pub fn is_executable(metadata: &fs::Metadata) -> bool {
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}
