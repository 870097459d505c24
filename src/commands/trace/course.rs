//! A game under way that is played by lines of text.

use crate::seeds::Luck;
use referee_games::{BySeat, Event, Game, Refusal, Seat, Step, StepOf, Stream, Turn};

/// A game under way, and where its chance comes from.
#[derive(Debug, Clone)]
pub(super) struct Course<G> {
    /// The position.
    pub(super) game: G,
    /// Draws the chance that no line names.
    pub(super) luck: Option<Luck>,
}

/// A step that was played.
#[derive(Debug, Clone)]
pub(super) struct Played {
    /// Its text; none for the start of the game.
    pub(super) action: Option<String>,
    /// What happened.
    pub(super) events: Vec<Event>,
}

impl Played {
    /// The start of a game.
    pub(super) fn nothing() -> Self {
        Self { action: None, events: Vec::new() }
    }
}

/// What a step answers: the line of input, or nothing, being due before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answers {
    Line,
    Nothing,
}

impl<G: Game> Course<G> {
    /// Plays the next step: what `text` says, or a forced pass or an outcome of chance before it.
    pub(super) fn step(&mut self, text: &str) -> Result<(Played, Answers), Refusal> {
        let (step, answers) = self.next(text)?;
        let action = Some(match &step {
            Step::Move(action) => action.to_string(),
            Step::Both(BySeat { first, second }) => format!("{first} / {second}"),
            Step::Chance(outcome) => outcome.to_string(),
        });
        let mut events = Vec::new();
        self.game.play(step, &mut events);
        Ok((Played { action, events }, answers))
    }

    fn next(&mut self, text: &str) -> Result<(StepOf<G>, Answers), Refusal> {
        match self.game.turn() {
            Turn::Move(seat) => {
                Ok((Step::Move(self.game.parse_action(seat, text)?), Answers::Line))
            }
            Turn::Pass(_) if text == G::pass().to_string() => {
                Ok((Step::Move(G::pass()), Answers::Line))
            }
            Turn::Pass(_) => Ok((Step::Move(G::pass()), Answers::Nothing)),
            Turn::Both => Ok((Step::Both(self.both(text)?), Answers::Line)),
            Turn::Chance(stream, outcomes) => self.chance(stream, &outcomes, text),
            Turn::Over(_) => Err(match self.game.parse_action(Seat::First, text) {
                Err(refusal) => refusal,
                Ok(_) => malformed("the game is over"),
            }),
        }
    }

    /// The two actions of a simultaneous turn, in seat order.
    fn both(&self, text: &str) -> Result<BySeat<G::Action>, Refusal> {
        let Some((first, second)) = text.split_once(" / ") else {
            return Err(malformed("expected both actions in seat order, with ` / ` between them"));
        };
        Ok(BySeat::new(
            self.game.parse_action(Seat::First, first)?,
            self.game.parse_action(Seat::Second, second)?,
        ))
    }

    /// The outcome that `text` names, or one drawn before it.
    fn chance(
        &mut self,
        stream: Stream,
        outcomes: &[(G::Chance, u32)],
        text: &str,
    ) -> Result<(StepOf<G>, Answers), Refusal> {
        if let Some((outcome, _)) = outcomes.iter().find(|(outcome, _)| outcome.to_string() == text)
        {
            return Ok((Step::Chance(outcome.clone()), Answers::Line));
        }
        match &mut self.luck {
            Some(luck) => Ok((Step::Chance(luck.draw(stream, outcomes)), Answers::Nothing)),
            None => Err(malformed(&format!(
                "expected an outcome of chance such as `{}`, or --seed to draw it",
                outcomes.first().map(|(outcome, _)| outcome.to_string()).unwrap_or_default()
            ))),
        }
    }
}

fn malformed(reason: &str) -> Refusal {
    Refusal::Malformed(reason.to_owned())
}
