//! `completions` and `man`: shell completions and the manual page.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;

use super::{Failure, Status};
use crate::printer::Printer;

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  referee completions bash > ~/.local/share/bash-completion/completions/referee")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee man | man -l -
  referee man --dir ~/.local/share/man/man1    then `man referee-run` works")]
pub(crate) struct ManArgs {
    /// Write one page per command into this folder instead
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

/// Prints the completions of `command` for a shell.
pub(crate) fn run_completions_command(
    args: &CompletionsArgs,
    mut command: Command,
    printer: Printer,
) -> Result<Status, Failure> {
    let name = command.get_name().to_owned();
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut text);
    printer.line(String::from_utf8_lossy(&text).trim_end())?;
    Ok(Status::Done)
}

/// Prints the manual page of `command`, followed by those of its subcommands, or writes one page
/// per command into a folder.
pub(crate) fn run_man_command(
    args: &ManArgs,
    mut command: Command,
    printer: Printer,
) -> Result<Status, Failure> {
    command.build();
    if let Some(dir) = &args.dir {
        write_man_pages(dir, command).map_err(|error| {
            Failure::system(format!("cannot write manual pages to {}: {error}", dir.display()))
        })?;
        return Ok(Status::Done);
    }
    let mut text = Vec::new();
    let render = |command: Command, text: &mut Vec<u8>| {
        clap_mangen::Man::new(command)
            .render(text)
            .map_err(|error| Failure::system(format!("cannot write the manual: {error}")))
    };
    render(command.clone(), &mut text)?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        render(sub.clone(), &mut text)?;
    }
    printer.line(String::from_utf8_lossy(&text).trim_end())?;
    Ok(Status::Done)
}

/// Writes `referee.1`, `referee-run.1` and so on.
fn write_man_pages(dir: &Path, command: Command) -> std::io::Result<()> {
    std::fs::create_dir_all(dir)?;
    clap_mangen::generate_to(command.disable_help_subcommand(true), dir)
}
