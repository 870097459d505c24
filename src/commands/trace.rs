//! `referee trace`: the rules in a pipe, actions in and states out.

mod record;

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use clap::Args;

use super::game_args::GameArgs;
use super::{Failure, Status};
use crate::printer::Printer;
use crate::rules::{BySeat, Event, Game, Refusal, Seat, Step, StepOf, Stream, Turn};
use crate::seeds::{Luck, Secret};
use crate::with_game;
use record::Record;

const EXAMPLES: &str = "\
Examples:
  printf '3,4\\n3,5\\n' | referee trace watch-your-back
  referee trace watch-your-back --option max-moves=0 --legal < actions.txt
  echo 'R U 3,5 / L D 3,1' | referee trace back-to-the-wall --board mine.toml

Input: one action a line, as in `referee rules GAME`. A line `pass` is a forced pass; before any
other line the forced passes that are due are made. Chance is a line like `roll 4`, or left to
--seed. Both actions of a simultaneous turn stand on one line, with ` / ` between them.
Output: a JSON line for the start and one for each ply or outcome of chance.";

/// Play actions from standard input and print every state as JSON
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct TraceArgs {
    #[command(flatten)]
    game: GameArgs,

    /// Let chance be drawn from this seed where the input does not give it
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Print the legal actions too
    #[arg(long)]
    legal: bool,
}

/// Runs `referee trace`.
pub fn run(args: &TraceArgs, printer: Printer) -> Result<Status, Failure> {
    with_game!(args.game.game, G => trace::<G>(args, printer))
}

fn trace<G: Game>(args: &TraceArgs, printer: Printer) -> Result<Status, Failure> {
    let mut tracer = Tracer {
        game: G::start(&args.game.rules::<G>(printer)?),
        luck: args.seed.map(|seed| Secret::from_seed(seed).luck("first", "second", 1)),
        legal: args.legal,
        out: printer.stream(),
    };
    let result = tracer.print(None, &[]).and_then(|()| tracer.all(io::stdin().lock()));
    let flushed = tracer.flush();
    result.and(flushed).map(|()| Status::Done)
}

/// A game under way, where its chance comes from, and where its records go.
struct Tracer<G, W: Write> {
    game: G,
    luck: Option<Luck>,
    legal: bool,
    out: BufWriter<W>,
}

impl<G: Game, W: Write> Tracer<G, W> {
    /// Plays every line of `input`. What is printed is flushed whenever the input may keep us
    /// waiting, so that a program can hold a dialogue.
    fn all(&mut self, input: impl Read) -> Result<(), Failure> {
        let mut input = BufReader::new(input);
        let mut line = Vec::new();
        for number in 1_u64.. {
            if !input.buffer().contains(&b'\n') {
                self.flush()?;
            }
            line.clear();
            let read = input.read_until(b'\n', &mut line);
            if read.map_err(|error| Failure::system(format!("cannot read the input: {error}")))?
                == 0
            {
                break;
            }
            let failure = |refusal| Failure::bad_line(format!("line {number}: {refusal}"));
            match str::from_utf8(&line).map(str::trim_ascii) {
                Ok("") => {}
                Ok(text) => self.line(text)?.map_err(failure)?,
                Err(_) => return Err(failure(malformed("the line is not UTF-8"))),
            }
        }
        Ok(())
    }

    /// Plays one line, and before it what is due without one.
    fn line(&mut self, text: &str) -> Result<Result<(), Refusal>, Failure> {
        loop {
            match self.next(text) {
                Err(refusal) => return Ok(Err(refusal)),
                Ok((step, Answers::Line)) => return self.play(step).map(Ok),
                Ok((step, Answers::Nothing)) => self.play(step)?,
            }
        }
    }

    /// The next step: what `text` says, or a forced pass or an outcome of chance before it.
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

    fn play(&mut self, step: StepOf<G>) -> Result<(), Failure> {
        let text = match &step {
            Step::Move(action) => action.to_string(),
            Step::Both(BySeat { first, second }) => format!("{first} / {second}"),
            Step::Chance(outcome) => outcome.to_string(),
        };
        let mut events = Vec::new();
        self.game.play(step, &mut events);
        self.print(Some(&text), &events)
    }

    fn print(&mut self, action: Option<&str>, events: &[Event]) -> Result<(), Failure> {
        let record = Record::new(&self.game, action, events, self.legal);
        serde_json::to_writer(&mut self.out, &record)
            .map_err(io::Error::from)
            .and_then(|()| self.out.write_all(b"\n"))
            .map_err(|error| Printer::broken(&error))
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(|error| Printer::broken(&error))
    }
}

/// What a step answers: the line of input, or nothing, being due before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answers {
    Line,
    Nothing,
}

fn malformed(reason: &str) -> Refusal {
    Refusal::Malformed(reason.to_owned())
}

#[cfg(test)]
mod tests;
