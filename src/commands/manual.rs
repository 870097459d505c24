//! `completions` and `man`: shell completions and the manual page.

use clap::{Args, Command};
use clap_complete::Shell;

use super::{Failure, Status};
use crate::printer::Printer;

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  referee completions bash > ~/.local/share/bash-completion/completions/referee")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  referee man | man -l -")]
pub struct ManArgs {}

/// Prints the completions of `command` for a shell.
pub fn completions(
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

/// Prints the manual page of `command`, followed by those of its subcommands.
pub fn man(command: Command, printer: Printer) -> Result<Status, Failure> {
    let mut text = Vec::new();
    let mut command = command;
    command.build();
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
