//! `referee trace`: reads actions and prints states, for use in a pipe.

mod from_start;
mod record;
mod traced_game;

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use clap::Args;
use serde::Serialize;

use super::game_args::GameArgs;
use super::{Failure, Status};
use crate::printer::Printer;
use crate::seeds::Secret;
use from_start::FromStart;
use record::Record;
use referee_games::{GameError, Refusal};
use traced_game::{Answers, TracedGame, TracedStep};

const EXAMPLES: &str = "\
Examples:
  printf '3,4\\n3,5\\n' | referee trace watch-your-back
  referee trace watch-your-back --option max-moves=0 --legal < actions.txt
  echo 'R U 3,5 / L D 3,1' | referee trace back-to-the-wall --board mine.toml
  echo '[\"3,4\",\"3,5\"]' | referee trace watch-your-back --from-start

Input: one action per line, as in `referee rules GAME`. A line `pass` is a forced pass; before any
other line, pending forced passes are made automatically. Write rolls as `roll 4`, or use --seed.
Write both actions of a simultaneous turn on one line, separated by ` / `.
Output: one line of JSON for the start, and one for each ply or roll.

With --from-start, each line is a separate query: a JSON list of such lines from the start of the
game. The answer is one line: the position after them, or {\"error\":TEXT,\"at\":N} if the rules
reject the element at index N. One process can answer queries about any positions, in any order.";

/// Arguments of `trace`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct TraceArgs {
    #[command(flatten)]
    game: GameArgs,

    /// Draw rolls that are missing in the input from this seed
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Also print the legal actions
    #[arg(long)]
    legal: bool,

    /// Read one JSON list of actions per line, and print the position after them
    #[arg(long)]
    from_start: bool,
}

/// Runs `referee trace`.
pub fn run(args: &TraceArgs, printer: Printer) -> Result<Status, Failure> {
    let luck = args.seed.map(|seed| Secret::from_seed(seed).luck("first", "second", 1));
    let course = TracedGame { game: args.game.rules(printer)?.start, luck };
    let (mut out, input) = (printer.stream(), io::stdin().lock());
    let traced = if args.from_start {
        FromStart { start: course, legal: args.legal, path: Vec::new() }.answer_all(input, &mut out)
    } else {
        Tracer { course, legal: args.legal }.play_all(input, &mut out)
    };
    let flushed = flush(&mut out);
    traced.and(flushed).map(|()| Status::Done)
}

/// A game played line by line.
struct Tracer {
    course: TracedGame,
    legal: bool,
}

impl Tracer {
    /// Plays every line of `input`, and prints the start and the result of each step.
    fn play_all(
        &mut self,
        input: impl Read,
        out: &mut BufWriter<impl Write>,
    ) -> Result<(), Failure> {
        self.print(&TracedStep::nothing(), out)?;
        for_each_line(input, out, |number, line, out| {
            let failure = |error: GameError| Failure::bad_line(format!("line {number}: {error}"));
            let text = str::from_utf8(line).map_err(|_| failure(not_utf8()))?;
            loop {
                let (played, answers) = self.course.step(text).map_err(failure)?;
                self.print(&played, out)?;
                if answers == Answers::Line {
                    return Ok(());
                }
            }
        })
    }

    fn print(&self, played: &TracedStep, out: &mut impl Write) -> Result<(), Failure> {
        write_line(&Record::new(&*self.course.game, played, self.legal), out)
    }
}

/// Passes on each line that is not blank, with its number from 1. Flushes the output before waiting
/// for input, so that a program can hold a dialogue.
fn for_each_line<W: Write>(
    input: impl Read,
    out: &mut BufWriter<W>,
    mut take: impl FnMut(u64, &[u8], &mut BufWriter<W>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    for number in 1.. {
        if !input.buffer().contains(&b'\n') {
            flush(out)?;
        }
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        if read.map_err(|error| Failure::system(format!("cannot read the input: {error}")))? == 0 {
            break;
        }
        match line.trim_ascii() {
            [] => {}
            line => take(number, line, out)?,
        }
    }
    Ok(())
}

fn write_line(record: &impl Serialize, out: &mut impl Write) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, record)
        .map_err(io::Error::from)
        .and_then(|()| out.write_all(b"\n"))
        .map_err(|error| Printer::broken(&error))
}

fn flush(out: &mut impl Write) -> Result<(), Failure> {
    out.flush().map_err(|error| Printer::broken(&error))
}

fn not_utf8() -> GameError {
    Refusal::Malformed("the line is not UTF-8".to_owned()).into()
}

#[cfg(test)]
mod tests;
