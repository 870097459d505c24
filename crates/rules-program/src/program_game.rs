//! A game whose rules are a program.

use std::sync::Arc;
use std::time::Duration;

use referee_games::{
    AnyGame, BoardLook, BySeat, Clause, GameError, OptionError, OptionSpec, Options, Position,
    RulesProgram, SharedGame, Text,
};
use serde_json::value::{RawValue, to_raw_value};

use crate::checked_position::CheckedPosition;
use crate::contract::{GameAnswer, MOST_PLIES, PositionAnswer, RequestType, RulesRequest, VERSION};
use crate::error::{ExchangeError, RulesProgramError, Violation};
use crate::game_description::GameDescription;
use crate::program_link::ProgramLink;
use crate::program_pipes::ProgramLauncher;
use crate::program_position::{ProgramPosition, ProgramTable};

/// A game whose rules are a program.
#[derive(Debug)]
pub struct ProgramGame {
    description: Arc<GameDescription>,
    program: Arc<RulesProgram>,
    link: Arc<ProgramLink>,
}

impl ProgramGame {
    /// Starts the program and asks what the game is. `identify` gets the answer as compact JSON
    /// without its id, and returns the identity of the program.
    ///
    /// # Errors
    /// The program failed.
    pub fn open(
        launcher: Arc<dyn ProgramLauncher>,
        reply: Duration,
        identify: impl FnOnce(&str) -> RulesProgram,
    ) -> Result<Self, GameError> {
        let link = ProgramLink::new(launcher, reply);
        let request =
            RulesRequest { protocol: Some([VERSION]), ..RulesRequest::new(RequestType::Game) };
        let (description, text) = link.ask(request, |answer: GameAnswer, text| {
            let description = GameDescription::new(answer)?;
            Ok((description, strip_answer_id(text)?))
        })?;
        let GameDescription { hidden, ranking, .. } = description;
        let program = RulesProgram { hidden, ranking, ..identify(&text) };
        Ok(Self {
            description: Arc::new(description),
            program: Arc::new(program),
            link: Arc::new(link),
        })
    }

    /// The same game behind another link.
    fn with_link(&self, link: ProgramLink) -> Self {
        let (description, program) = (Arc::clone(&self.description), Arc::clone(&self.program));
        Self { description, program, link: Arc::new(link) }
    }

    /// The data shared by all positions of a game under these options.
    fn table(&self, options: Box<RawValue>, max_plies: u32) -> ProgramTable {
        let (description, link) = (Arc::clone(&self.description), Arc::clone(&self.link));
        ProgramTable { description, link, options, max_plies }
    }
}

/// The options as the program gets them.
fn serialize_program_options(options: &Options) -> Result<Box<RawValue>, GameError> {
    let error = |error: serde_json::Error| OptionError::Rules(error.to_string().into());
    Ok(to_raw_value(options).map_err(error)?)
}

/// The answer as compact JSON without its id.
fn strip_answer_id(text: &str) -> Result<String, ExchangeError> {
    let mut fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text)?;
    fields.shift_remove("id");
    Ok(serde_json::Value::from(fields).to_string())
}

impl AnyGame for ProgramGame {
    fn name(&self) -> &str {
        &self.description.name
    }

    fn title(&self) -> &str {
        &self.description.title
    }

    fn seats(&self) -> BySeat<Text> {
        self.description.seats.clone()
    }

    fn clauses(&self) -> &[Clause] {
        &self.description.clauses
    }

    fn look(&self) -> Option<&BoardLook> {
        self.description.board.as_ref()
    }

    fn options(&self) -> &[OptionSpec] {
        &self.description.options
    }

    fn start(&self, options: &Options) -> Result<Position, GameError> {
        let options = serialize_program_options(options)?;
        let request =
            RulesRequest { options: Some(&options), ..RulesRequest::new(RequestType::Start) };
        let started = self.link.ask(request, |mut answer: PositionAnswer, _| {
            if let Some(error) = answer.error.take() {
                return Ok(Err(error));
            }
            let plies = answer.max_plies.ok_or(Violation::Missing("max_plies"))?;
            if !(1..=MOST_PLIES).contains(&plies) {
                return Err(Violation::MostPlies(plies).into());
            }
            Ok(Ok((CheckedPosition::new(&self.description, answer)?.0, plies)))
        })?;
        let (checked, max_plies) = started
            .map_err(|error| OptionError::Rules(crate::printable::printable(&error).into()))?;
        Ok(Box::new(ProgramPosition::at_ply(self.table(options, max_plies), checked, 0)))
    }

    /// Every game ends: its program says after how many plies.
    fn endless(&self, _: &Options) -> Result<Option<String>, GameError> {
        Ok(None)
    }

    fn is_hidden(&self) -> bool {
        self.description.hidden
    }

    fn described(
        &self,
        options: &Options,
        description: &RawValue,
        ply: u32,
    ) -> Result<Option<Position>, GameError> {
        let checked = serde_json::from_str(description.get())
            .map_err(ExchangeError::from)
            .and_then(|answer| Ok(CheckedPosition::new(&self.description, answer)?.0))
            .map_err(RulesProgramError::from)?;
        let table = self.table(serialize_program_options(options)?, MOST_PLIES);
        Ok(Some(Box::new(ProgramPosition::at_ply(table, checked, ply))))
    }

    fn program(&self) -> Option<&RulesProgram> {
        Some(&self.program)
    }

    fn failed(&self) -> Option<GameError> {
        self.link.first_failure()
    }

    fn for_another_core(&self) -> Option<SharedGame> {
        Some(Arc::new(self.with_link(self.link.with_own_process())))
    }

    fn for_comparison(&self) -> Option<SharedGame> {
        let mut link = self.link.with_own_process();
        link.reverses = true;
        Some(Arc::new(self.with_link(link)))
    }
}
