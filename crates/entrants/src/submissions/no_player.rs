//! The reasons why a submission has no player.

use std::io;
use std::path::Path;

use super::{ArchiveError, format_some_names};
use crate::start_command::StartCommand;

/// The reasons why a submission has no player. The names come from strangers.
#[derive(Debug, thiserror::Error)]
pub enum NoPlayer {
    /// The name is not valid text.
    #[error("its name is not UTF-8; rename it")]
    NotText,
    /// It is only a text written on the platform.
    #[error("only text was submitted, no file")]
    OnlyText,
    /// It is an archive of a kind that cannot be unpacked.
    #[error("cannot unpack `{0}`; use .zip or .tar.gz")]
    Packed(String),
    /// It is an archive that was refused.
    #[error("{0}")]
    Refused(#[source] ArchiveError),
    /// It is an archive nested too deep in other archives.
    #[error("`{0}` is nested too deeply in archives")]
    TooDeep(String),
    /// Several files may be the player.
    #[error("several files could be the player: {}", describe_no_single_player(.0))]
    Several(Vec<StartCommand>),
    /// It must be built first, with this command.
    #[error("no player was recognised; build it first with `{0}`")]
    Unbuilt(String),
    /// It is source code without a file that says how to build it; this command may build it.
    #[error(
        "no player was recognised; hand in a build file (such as a `Makefile`) with the source \
         code, or build it first with `{0}`"
    )]
    NoBuildFile(String),
    /// This command built it, but made no program.
    #[error(
        "`{command}` succeeded, but no program was recognised{}; name yours `player`",
        describe_no_player_made(made)
    )]
    NothingMade {
        /// The command.
        command: String,
        /// The files that it made.
        made: Vec<String>,
    },
    /// Its build failed, for this reason.
    #[error("{0}")]
    NotBuilt(String),
    /// These files are neither programs nor archives.
    #[error("{}", describe_non_programs(.0))]
    NoProgram(Vec<String>),
    /// Nothing in it looks like a player; it holds these files.
    #[error("no player was recognised; {}", describe_no_player_folder(.0))]
    Unrecognised(Vec<String>),
    /// This file in it is a link that leads out of it.
    #[error("`{0}` is a link that points outside the submission; hand in the file itself")]
    Link(String),
    /// This file of it is something else.
    #[error("`{0}` is a device, a pipe or a socket; hand in a file")]
    Special(String),
    /// It has more files and folders than this limit.
    #[error("it contains more than {0} files")]
    TooMany(usize),
    /// The loose files have this many bytes or more.
    #[error("its files exceed {} MiB in total", .0 / (1024 * 1024))]
    TooLarge(u64),
    /// The folder for players could not be created.
    #[error("cannot create a folder for it: {0}")]
    NoFolder(#[source] io::Error),
    /// A file could not be copied.
    #[error("it could not be copied: {0}")]
    Copy(#[source] io::Error),
}

fn describe_non_programs(files: &[String]) -> String {
    match files {
        [only] => format!("`{only}` is neither a program nor an archive"),
        _ => format!("none of {} is a program or an archive", format_file_names(files)),
    }
}

fn describe_no_single_player(found: &[StartCommand]) -> String {
    let is_shared = |top: &&Path| found.iter().all(|start| start.dir.starts_with(top));
    let top = found.first().and_then(|start| start.dir.ancestors().find(is_shared));
    let file = |start: &StartCommand| {
        let dir = &start.dir;
        let below = dir.strip_prefix(top.unwrap_or(dir)).unwrap_or(dir);
        below.join(start.file()).display().to_string()
    };
    format_file_names(&found.iter().map(file).collect::<Vec<_>>())
}

fn describe_no_player_made(made: &[String]) -> String {
    if made.is_empty() { String::new() } else { format!(", only {}", format_file_names(made)) }
}

fn describe_no_player_folder(files: &[String]) -> String {
    match files {
        [] => "it is empty".to_owned(),
        _ => format!("it contains {}", format_file_names(files)),
    }
}

fn format_file_names(files: &[String]) -> String {
    format_some_names(files.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_says_what_is_there_or_what_to_do() {
        let text = |why: NoPlayer| why.to_string();
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        assert!(text(NoPlayer::Packed("x.rar".to_owned())).contains("`x.rar`"));
        assert!(text(NoPlayer::Unbuilt("make".to_owned())).contains("`make`"));
        assert!(text(NoPlayer::TooDeep("x.zip".to_owned())).contains("`x.zip`"));
        let one = text(NoPlayer::NoProgram(names(&["a.txt"])));
        let two = text(NoPlayer::NoProgram(names(&["a.txt", "b.txt"])));
        assert!(
            one.contains("`a.txt` is neither") && two.contains("a.txt") && two.contains("b.txt"),
            "{two}"
        );
        let empty = text(NoPlayer::Unrecognised(Vec::new()));
        let holds = text(NoPlayer::Unrecognised(names(&["a.txt"])));
        assert!(empty.contains("empty") && holds.contains("a.txt"), "{empty} {holds}");
    }

    #[test]
    fn a_failure_of_the_system_is_the_source() {
        use std::error::Error;
        let copy = NoPlayer::Copy(io::Error::other("no room"));
        assert!(copy.to_string().contains("no room") && copy.source().is_some());
        assert!(NoPlayer::NotText.source().is_none());
    }
}
