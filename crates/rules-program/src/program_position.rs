//! A position of a game whose rules are a program.

use std::borrow::Cow;
use std::sync::Arc;

use rand::RngCore;
use rand::seq::IndexedRandom;
use referee_games::{
    AnyPosition, BySeat, Drawing, Event, GameError, Legal, PASS, Position, Refusal, Seat, SeatMap,
    SeatSet, Step, StepError, StepText, Text, Turn,
};
use serde_json::Number;
use serde_json::value::{RawValue, to_raw_value};

use crate::checked_position::{CheckedPosition, StepReport, check_position_text};
use crate::contract::{
    ActionAnswer, ContractStep, DRAWS, MOST_UNASKED, PositionAnswer, RequestType, RulesRequest,
};
use crate::error::{ExchangeError, RulesProgramError, Violation};
use crate::game_description::GameDescription;
use crate::printable::printable;
use crate::program_link::ProgramLink;
use crate::svg;

/// The longest reason for a refusal that is kept, in characters.
const LONGEST_REASON: usize = 512;

/// The data shared by all positions of a game.
#[derive(Debug)]
pub(crate) struct ProgramTable {
    pub(crate) description: Arc<GameDescription>,
    pub(crate) link: Arc<ProgramLink>,
    /// The options in force, as the program gets them.
    pub(crate) options: Box<RawValue>,
    /// The number of plies after which a game must be over.
    pub(crate) max_plies: u32,
}

/// A position of a game whose rules are a program.
#[derive(Debug, Clone)]
pub(crate) struct ProgramPosition {
    table: Arc<ProgramTable>,
    checked: Arc<CheckedPosition>,
    ply: u32,
    /// The number of chance events and forced passes in a row.
    unasked: u32,
}

impl ProgramPosition {
    /// The position after this many plies.
    pub(crate) fn at_ply(table: ProgramTable, checked: CheckedPosition, ply: u32) -> Self {
        Self { table: Arc::new(table), checked: Arc::new(checked), ply, unasked: 0 }
    }

    /// A request about this position.
    fn request(&self, kind: RequestType) -> RulesRequest<'_> {
        let (options, state) = (Some(&*self.table.options), Some(&*self.checked.state));
        RulesRequest { options, state, ..RulesRequest::new(kind) }
    }

    /// A request about a seat in this position.
    fn request_for_seat(&self, kind: RequestType, seat: Seat) -> RulesRequest<'_> {
        let seat = Some(Cow::Borrowed(&*self.table.description.seats[seat]));
        RulesRequest { seat, ..self.request(kind) }
    }

    /// The legal action that `text` means, if it is not in the list.
    fn ask_to_judge(&self, seat: Seat, text: &str) -> Result<String, GameError> {
        let request = self.request_for_seat(RequestType::Judge, seat);
        let request = RulesRequest { text: Some(text.into()), ..request };
        let judged = self.table.link.ask(request, |answer: ActionAnswer, _| match answer {
            ActionAnswer { action: Some(action), .. } => Ok(Ok(self.legal_action(seat, action)?)),
            ActionAnswer { refused: Some(reason), clause, malformed, .. } => {
                Ok(Err(self.check_refusal(&reason, clause, malformed)?))
            }
            _ => Err(Violation::Undecided.into()),
        })?;
        Ok(judged?)
    }

    /// An action that the program says is legal.
    fn legal_action(&self, seat: Seat, action: String) -> Result<String, ExchangeError> {
        check_position_text(&action)?;
        if self.checked.legal.is_none() || self.checked.is_listed_action(seat, &action) {
            Ok(action)
        } else {
            Err(Violation::NotLegal(action).into())
        }
    }

    fn check_refusal(
        &self,
        reason: &str,
        clause: Option<String>,
        malformed: bool,
    ) -> Result<Refusal, ExchangeError> {
        let reason = printable(reason).chars().take(LONGEST_REASON).collect();
        let mut known = self.table.description.clauses.iter();
        if let Some(id) = clause.as_ref().filter(|&id| !known.any(|clause| clause.id == *id)) {
            return Err(Violation::Clause(id.clone()).into());
        }
        Ok(if malformed {
            Refusal::Malformed(reason)
        } else {
            Refusal::Illegal { clause: clause.unwrap_or_default().into(), reason }
        })
    }

    /// The step with the canonical texts of its actions.
    fn canonical_step<'s>(&self, step: StepText<'s>) -> Result<Step<Cow<'s, str>>, GameError> {
        let action = |seat, text: &'s str| {
            if self.checked.is_listed_action(seat, text) {
                Ok(Cow::Borrowed(text))
            } else {
                self.judge(seat, text).map(Cow::Owned)
            }
        };
        Ok(match (&self.checked.turn, step) {
            (Turn::Move(seat), Step::Move(chosen)) => Step::Move(action(*seat, chosen)?),
            (Turn::Pass(_), Step::Pass) => Step::Pass,
            (Turn::Together(asked), Step::Together(answers)) if answers.len() == asked.len() => {
                let judged = asked.iter().zip(answers).map(|(seat, text)| action(seat, text));
                Step::Together(judged.collect::<Result<_, _>>()?)
            }
            (Turn::Chance(_), Step::Chance(text)) => {
                if !self.checked.outcomes.iter().any(|(outcome, _)| outcome == text) {
                    return Err(StepError::NoOutcome { outcome: text.to_owned() }.into());
                }
                Step::Chance(Cow::Borrowed(text))
            }
            (turn, _) => return Err(StepError::NotAsked { turn: turn.clone() }.into()),
        })
    }

    /// The position after a step, which is legal.
    fn play_step(&self, step: &StepText<'_>) -> Result<(Self, StepReport), GameError> {
        let ply = self.ply + u32::from(!matches!(step, Step::Chance(_)));
        let unasked = match step {
            Step::Chance(_) | Step::Pass => self.unasked + 1,
            Step::Move(_) | Step::Together(_) => 0,
        };
        let seats = &self.table.description.seats;
        let mut words = ContractStep::from_step(step, self.checked.turn.asked(), seats);
        if let (ContractStep::Together(answers), true) = (&mut words, self.table.link.reverses) {
            *answers = std::mem::take(answers).into_iter().rev().collect();
        }
        let request = RulesRequest { step: Some(words), ..self.request(RequestType::Play) };
        self.table.link.ask(request, |answer: PositionAnswer, _| {
            let (checked, report) = CheckedPosition::new(&self.table.description, answer)?;
            let over = matches!(checked.turn, Turn::Over(_));
            // After the last ply, chance may still decide how the game ends.
            let goes_on = !over && !matches!(checked.turn, Turn::Chance(_));
            if ply >= self.table.max_plies && goes_on {
                return Err(Violation::Endless(self.table.max_plies).into());
            }
            if unasked > MOST_UNASKED && !over {
                return Err(Violation::Unasked.into());
            }
            let table = Arc::clone(&self.table);
            Ok((Self { table, checked: Arc::new(checked), ply, unasked }, report))
        })
    }

    /// Appends the events of a step: its actions, the program's events, and the end of the game.
    fn append_events(
        &self,
        step: &StepText<'_>,
        report: StepReport,
        actors: SeatSet,
        events: &mut Vec<Event>,
    ) {
        let seats = &self.table.description.seats;
        let on_behalf_of = report.on_behalf_of.map(|seat| seats[seat].clone());
        for (seat, action) in actors.iter().zip(step.actions()) {
            let by = seats[seat].clone();
            events.push(Event::Action {
                to: report.secret.then(|| [by.clone()]),
                by,
                action: action.to_owned(),
                forced: *step == Step::Pass,
                opening: false,
                on_behalf_of: on_behalf_of.clone(),
            });
        }
        events.extend(report.events.into_iter().map(Event::Other));
        if let Turn::Over(outcome) = &self.checked.turn {
            let scores = self.checked.scores.clone();
            let scores = scores.map(|scores| SeatMap::new(seats.clone(), scores));
            events.push(Event::over(outcome, seats, scores));
        }
    }
}

impl AnyPosition for ProgramPosition {
    fn seats(&self) -> BySeat<Text> {
        self.table.description.seats.clone()
    }

    fn turn(&self) -> Turn {
        self.checked.turn.clone()
    }

    fn outcomes(&self) -> Vec<(String, u32)> {
        self.checked.outcomes.clone()
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn legal(&self, seat: Seat) -> Legal {
        self.checked.legal_for_players(seat)
    }

    fn legal_list(&self, seat: Seat) -> Option<Vec<String>> {
        Some(self.checked.legal.as_ref()?[seat].clone())
    }

    fn first_legal(&self, seat: Seat) -> Option<String> {
        self.checked.legal.as_ref()?[seat].first().cloned()
    }

    fn legal_count(&self, seat: Seat) -> u64 {
        self.checked.legal.as_ref().map_or(0, |legal| legal[seat].len() as u64)
    }

    fn judge(&self, seat: Seat, text: &str) -> Result<String, GameError> {
        let text = text.trim();
        match &self.checked.turn {
            _ if self.checked.is_listed_action(seat, text) => Ok(text.to_owned()),
            Turn::Pass(passing) if *passing == seat && text == PASS => Ok(PASS.to_owned()),
            turn if turn.asks(seat) => match check_position_text(text) {
                Ok(()) => self.ask_to_judge(seat, text),
                Err(violation) => Err(Refusal::Malformed(violation.to_string()).into()),
            },
            turn => Err(StepError::NotAsked { turn: turn.clone() }.into()),
        }
    }

    fn play(&mut self, step: StepText<'_>, events: &mut Vec<Event>) -> Result<(), GameError> {
        let canonical = self.canonical_step(step)?;
        let step = canonical.as_text();
        let actors = match self.checked.turn {
            Turn::Pass(seat) => seat.into(),
            ref turn => turn.asked(),
        };
        let (after, report) = self.play_step(&step)?;
        after.append_events(&step, report, actors, events);
        *self = after;
        Ok(())
    }

    fn sample(&self, seat: Seat, rng: &mut dyn RngCore) -> Result<Option<String>, GameError> {
        if !self.checked.turn.asks(seat) {
            return Ok(None);
        }
        if let Some(legal) = &self.checked.legal {
            return Ok(legal[seat].choose(rng).cloned());
        }
        let request = self.request_for_seat(RequestType::Sample, seat);
        let request = RulesRequest { draw: Some(rng.next_u64() % DRAWS), ..request };
        self.table.link.ask(request, |answer: ActionAnswer, _| {
            let action = answer.action.ok_or(Violation::Missing("action"))?;
            check_position_text(&action)?;
            Ok(Some(action))
        })
    }

    fn state(&self) -> Cow<'_, RawValue> {
        Cow::Borrowed(&self.checked.state)
    }

    fn view(&self, seat: Seat) -> Cow<'_, RawValue> {
        Cow::Borrowed(self.checked.views.as_ref().map_or(&self.checked.state, |views| &views[seat]))
    }

    fn guess(&self, seat: Seat, draw: u64) -> Result<Option<Position>, GameError> {
        if !self.table.description.hidden {
            return Ok(Some(self.boxed()));
        }
        let request = self.request_for_seat(RequestType::Guess, seat);
        let request = RulesRequest { draw: Some(draw % DRAWS), ..request };
        self.table.link.ask(request, |answer: PositionAnswer, _| {
            if answer.state.is_none() && answer.turn.is_none() {
                return Ok(None);
            }
            let (checked, _) = CheckedPosition::new(&self.table.description, answer)?;
            let (table, checked) = (Arc::clone(&self.table), Arc::new(checked));
            Ok(Some(Box::new(Self { table, checked, ..*self }) as Position))
        })
    }

    fn description(&self) -> Option<Box<RawValue>> {
        to_raw_value(&self.checked.answer(&self.table.description)).ok()
    }

    fn can_win(&self, seat: Seat) -> bool {
        !self.checked.cannot_win.contains(&seat)
    }

    fn eliminated(&self) -> SeatSet {
        self.checked.eliminated
    }

    fn values(&self) -> Option<BySeat<f64>> {
        self.checked.values.clone()
    }

    fn scores(&self) -> Option<&BySeat<Number>> {
        self.checked.scores.as_ref()
    }

    fn draw(&self) -> Drawing<'_> {
        match (&self.checked.board, &self.table.description.board) {
            (Some(board), Some(look)) => Drawing::Board(board.clone(), look),
            _ => Drawing::Text(self.checked.rows.clone()),
        }
    }

    fn svg(&self) -> Result<Option<String>, GameError> {
        let clean = self.checked.svg.as_deref().map(svg::clean_svg).transpose();
        clean.map_err(|error| RulesProgramError::from(ExchangeError::Contract(error.into())).into())
    }

    fn caption(&self) -> String {
        self.checked.caption.clone()
    }

    fn boxed(&self) -> Position {
        Box::new(self.clone())
    }
}
