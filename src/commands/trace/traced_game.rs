//! A game in progress, played by lines of text.

use referee_games::{AnyPosition, Event, GameError, PASS, Position, Refusal, Seat, Stream, Turn};
use referee_match::replay::{ReplayScript, next_replay_step};
use referee_record::seeds::SeededLuck;

/// A game in progress, and its source of chance.
#[derive(Debug)]
pub(super) struct TracedGame {
    pub(super) game: Position,
    /// Draws chance outcomes that no line gives.
    pub(super) luck: Option<SeededLuck>,
}

/// A step that was played.
#[derive(Debug, Default)]
pub(super) struct TracedStep {
    /// The text of the step; `None` for the start of the game.
    pub(super) action: Option<String>,
    pub(super) events: Vec<Event>,
}

/// Whether a step used the line of input, or was due before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answers {
    Line,
    Nothing,
}

impl TracedGame {
    /// Plays the next step: the one in `text`, or a forced pass or chance outcome that is due
    /// before it.
    pub(super) fn step(&mut self, text: &str) -> Result<(TracedStep, Answers), GameError> {
        let mut line = LineScript { text, luck: &mut self.luck, answers: Answers::Line };
        let step = next_replay_step(&*self.game, &mut line)?;
        let step = step.ok_or_else(|| malformed_trace_line("the game is over"))?;
        let answers = line.answers;
        let mut events = Vec::new();
        self.game.play(step.as_text(), &mut events)?;
        Ok((TracedStep { action: Some(step.text()), events }, answers))
    }
}

/// A line of input as a script of one step.
struct LineScript<'a> {
    text: &'a str,
    luck: &'a mut Option<SeededLuck>,
    answers: Answers,
}

impl ReplayScript for LineScript<'_> {
    type Text = String;
    type Error = GameError;

    /// On a simultaneous turn, the line has the actions in seat order.
    fn action(
        &mut self,
        position: &dyn AnyPosition,
        seat: Seat,
    ) -> Result<Option<String>, GameError> {
        let Turn::Together(asked) = position.turn() else {
            return position.judge(seat, self.text).map(Some);
        };
        let actions: Vec<&str> = self.text.splitn(asked.len(), " / ").collect();
        if actions.len() < asked.len() {
            let all = if asked.len() == 2 { "both" } else { "all" };
            let expected = format!("expected {all} actions in seat order, with ` / ` between them");
            return Err(malformed_trace_line(&expected));
        }
        let before = asked.iter().take_while(|&other| other < seat).count();
        position.judge(seat, actions[before]).map(Some)
    }

    /// The outcome that the line gives, or one drawn before it.
    fn outcome(
        &mut self,
        position: &dyn AnyPosition,
        stream: Stream,
    ) -> Result<Option<String>, GameError> {
        let outcomes = position.outcomes();
        if outcomes.iter().any(|(outcome, _)| outcome == self.text) {
            return Ok(Some(self.text.to_owned()));
        }
        self.answers = Answers::Nothing;
        match self.luck {
            Some(luck) => Ok(Some(luck.draw(stream, &outcomes))),
            None => Err(malformed_trace_line(&format!(
                "expected a chance outcome such as `{}`, or --seed to draw one",
                outcomes.first().map_or("", |(outcome, _)| outcome)
            ))),
        }
    }

    fn pass(&mut self, _: &dyn AnyPosition, _: Seat) -> Result<bool, GameError> {
        if self.text != PASS {
            self.answers = Answers::Nothing;
        }
        Ok(true)
    }

    fn over(&mut self, position: &dyn AnyPosition) -> Result<(), GameError> {
        position.judge(Seat::FIRST, self.text).map(drop)
    }
}

fn malformed_trace_line(reason: &str) -> GameError {
    Refusal::Malformed(reason.to_owned()).into()
}
