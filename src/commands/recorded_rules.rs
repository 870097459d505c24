//! The rules of recorded games, for commands that read results.
//!
//! Results may come from a stranger, and their header may name any command. So a rules program is
//! started only if the reader named it too, and its command and files have the recorded hash.

use std::io::{IsTerminal, stdin};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::Failure;
use super::containment_args::containment_level_parser;
use crate::printer::Printer;
use referee_config::{CONFIG, find_rules_program};
use referee_games::RulesProgram;
use referee_match::game_program::FoundGameProgram;
use referee_match::player::PlayerSandbox;
use referee_protocol::escape::escape_line;
use referee_record::model::containment::{ContainmentRequest, PlayerLimits};
use referee_record::model::game_rules::GameRules;
use referee_record::model::record::Header;
use referee_sandbox::Level;

/// How the reader of results names and contains their rules program.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RecordedRulesArgs {
    /// The game file or configuration for these games, if their rules are a program (default: the
    /// tournament.toml in the current folder)
    #[arg(long = "game", value_name = "FILE")]
    pub(crate) game_file: Option<PathBuf>,
    /// Sandbox level for that program: `off`, `basic` or `strict` (default: the strongest that
    /// works, but never `off`)
    #[arg(
        long = "containment",
        value_name = "LEVEL",
        value_parser = containment_level_parser(),
        hide_possible_values = true
    )]
    pub(crate) level: Option<Level>,
}

impl RecordedRulesArgs {
    /// The rules of the games of the log with this header, in the folder `results`. Starts their
    /// program, if they have one, with the limits of the reader and not those of the header.
    pub(super) fn open(
        &self,
        header: &Header,
        results: &Path,
        printer: Printer,
    ) -> Result<GameRules, Failure> {
        let Some(recorded) = &header.program else {
            return match &self.game_file {
                None => Ok(GameRules::from_header(header)?),
                Some(_) => Err(Failure::input(format!(
                    "{} is built in; leave out --game",
                    escape_line(&header.game)
                ))),
            };
        };
        let (program, limits) = self.named(recorded, results, printer)?;
        let (code, dir) = (program.code_hash()?, PathBuf::from(&program.program.dir));
        if recorded.code != code {
            return Err(recorded_rules_changed(recorded, &dir, (&recorded.code, &code)));
        }
        let game = program.open_in_sandbox(self.sandbox(limits)?)?;
        match game.program() {
            Some(now) if now.hash != recorded.hash => {
                Err(recorded_rules_changed(recorded, &dir, (&recorded.hash, &now.hash)))
            }
            _ => Ok(GameRules::from_header_with_game(game, header)?),
        }
    }

    /// The program that the reader named, with its limits: in a file, by standing beside a
    /// configuration, or by agreeing to start it.
    fn named(
        &self,
        recorded: &RulesProgram,
        results: &Path,
        printer: Printer,
    ) -> Result<(FoundGameProgram, PlayerLimits), Failure> {
        let here = Some(Path::new(CONFIG)).filter(|config| config.exists());
        let found = match (&self.game_file, here) {
            (Some(file), _) => {
                let found = find_rules_program(file, printer.colour_err)?;
                return found.ok_or_else(|| recorded_rules_not_named(recorded));
            }
            (None, Some(config)) => find_rules_program(config, printer.colour_err).ok().flatten(),
            (None, None) => None,
        };
        if let Some(found) = found {
            return Ok(found);
        }
        let agreed = find_recorded_rules(recorded, results)
            .filter(|program| confirm_recorded_rules(program, recorded, printer));
        agreed
            .map(|program| (program, PlayerLimits::default()))
            .ok_or_else(|| recorded_rules_not_named(recorded))
    }

    fn sandbox(&self, limits: PlayerLimits) -> Result<Arc<PlayerSandbox>, Failure> {
        let request =
            ContainmentRequest { level: self.level, limits, ..ContainmentRequest::default() };
        let sandbox = PlayerSandbox::resolve(&request)?;
        if sandbox.policy().level() == Level::Off && self.level != Some(Level::Off) {
            return Err(Failure::system(
                "no sandbox works here for the rules program of these games (see `referee \
                 probe`); if you trust the program, add `--containment off`",
            ));
        }
        Ok(Arc::new(sandbox))
    }
}

/// The program that came with the results, if a user can confirm it and it has the
/// recorded hash.
fn find_recorded_rules(recorded: &RulesProgram, results: &Path) -> Option<FoundGameProgram> {
    if !(stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return None;
    }
    let program = FoundGameProgram::find_beside_results(recorded, results)?;
    program.code_hash().is_ok_and(|code| code == recorded.code).then_some(program)
}

/// Asks the person at the terminal whether to start a program.
fn confirm_recorded_rules(
    program: &FoundGameProgram,
    recorded: &RulesProgram,
    printer: Printer,
) -> bool {
    printer.prompt(&format!(
        "The rules of these games are a program that came with them: `{}` in {} (hash {}).\n\
         Start it in a sandbox? [y/N] ",
        format_recorded_command(&recorded.command),
        escape_line(&program.program.dir),
        escape_line(&recorded.code),
    ));
    let mut answer = String::new();
    let read = stdin().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

fn format_recorded_command(command: &[String]) -> String {
    escape_line(&command.join(" "))
}

fn recorded_rules_not_named(recorded: &RulesProgram) -> Failure {
    Failure::input(format!(
        "the rules of these games are a program, `{}`, which starts only if you choose it: add \
         `--game FILE` with its game file or configuration, or run this command in the folder with \
         its {CONFIG}",
        format_recorded_command(&recorded.command),
    ))
}

fn recorded_rules_changed(
    recorded: &RulesProgram,
    dir: &Path,
    (before, now): (&str, &str),
) -> Failure {
    Failure::input(format!(
        "the rules program in {} is not the one these games used, `{}` ({} became {now}); pass \
         theirs with `--game FILE`; if this one is newer, `referee run` replays the recorded \
         games with it, and accepts it if their results are the same",
        dir.display(),
        format_recorded_command(&recorded.command),
        escape_line(before),
    ))
}
