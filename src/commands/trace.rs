//! `referee trace`: reads actions and prints states, or answers requests, for use in a pipe.

mod trace_line;
mod traced_game;

use std::io::{self, BufRead, BufReader, Read, Write};

use clap::Args;

use super::game_args::{GameArgs, GameArgument};
use super::{Failure, Status};
use crate::printer::Printer;
use referee_games::{GameError, Refusal, Seat};
use referee_protocol::escape::escape_json;
use referee_record::seeds::TournamentSecret;
use trace_line::TraceLine;
use traced_game::{Answers, TracedGame, TracedStep};

const EXAMPLES: &str = "\
Examples:
  printf '3,4\\n3,5\\n' | referee trace watch-your-back
  referee trace watch-your-back --option max-moves=0 --legal < actions.txt
  echo 'R U 3,5 / L D 3,1' | referee trace back-to-the-wall --board mine.toml
  echo '{\"type\":\"game\",\"id\":1,\"protocol\":[1]}' | referee trace backdraughts --requests

Input: one action per line, as in `referee rules GAME`. A line `pass` is a forced pass; before any
other line, pending forced passes are made automatically. Write rolls as `roll 4`, or use --seed.
Write both actions of a simultaneous turn on one line, separated by ` / `.
Output: one line of JSON for the start, and one for each ply or roll.

With --requests, each line is a request as `referee help games` describes it, for example for the position
after a step. One process can answer requests about any position and options, in any order.";

/// Arguments of `trace`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TraceArgs {
    #[command(flatten)]
    game: GameArgs,

    /// Seed for rolls that the input does not give
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Also print the legal actions
    #[arg(long)]
    legal: bool,

    /// Answer requests about a built-in game, as a rules program does
    #[arg(long, conflicts_with_all = ["options", "boards", "seed", "legal"])]
    requests: bool,
}

/// Runs `referee trace`.
pub(crate) fn run(args: &TraceArgs, printer: Printer) -> Result<Status, Failure> {
    if args.requests {
        return answer_trace_requests(&args.game.game, printer);
    }
    let game = args.game.rules(printer)?.start;
    let seats: Vec<&str> = game.seats().seats().map(Seat::ordinal).collect();
    let luck = args.seed.map(|seed| TournamentSecret::from_seed(seed).game_luck(&seats, 1));
    let course = TracedGame { game, luck };
    let (mut out, input) = (printer.stream(), io::stdin().lock());
    let traced = Tracer { course, legal: args.legal }.play_all(input, &mut out);
    let flushed = flush_trace(&mut out);
    traced.and(flushed).map(|()| Status::Done)
}

/// Answers requests as a rules program, until `quit` or the end of the input.
fn answer_trace_requests(game: &GameArgument, printer: Printer) -> Result<Status, Failure> {
    let GameArgument::BuiltIn(game) = game else {
        return Err(Failure::input(
            "--requests: only for built-in games; the game's own program answers its requests",
        ));
    };
    let served =
        referee_rules_program::serve_rules(game.game(), io::stdin().lock(), printer.json_stream());
    served.map_err(|error| Failure::input(format!("--requests: {error}")))?;
    Ok(Status::Done)
}

/// A game played line by line.
struct Tracer {
    course: TracedGame,
    legal: bool,
}

impl Tracer {
    /// Plays every line of `input` that is not blank, and prints the start and the result of each
    /// step. Flushes the output before waiting for input, so that a program can hold a dialogue.
    fn play_all(&mut self, input: impl Read, out: &mut impl Write) -> Result<(), Failure> {
        self.print(&TracedStep::default(), out)?;
        let mut input = BufReader::new(input);
        let mut line = Vec::new();
        for number in 1.. {
            if !input.buffer().contains(&b'\n') {
                flush_trace(out)?;
            }
            line.clear();
            let read = input.read_until(b'\n', &mut line);
            if read.map_err(|error| Failure::system(format!("cannot read the input: {error}")))?
                == 0
            {
                break;
            }
            match line.trim_ascii() {
                [] => {}
                line => self.play(number, line, out)?,
            }
        }
        Ok(())
    }

    /// Plays a line and everything that is due before it.
    fn play(&mut self, number: u64, line: &[u8], out: &mut impl Write) -> Result<(), Failure> {
        let failure = |error: GameError| Failure::bad_line(format!("line {number}: {error}"));
        let text = str::from_utf8(line).map_err(|_| failure(trace_not_utf8()))?;
        loop {
            let (played, answers) = self.course.step(text).map_err(failure)?;
            self.print(&played, out)?;
            if answers == Answers::Line {
                return Ok(());
            }
        }
    }

    fn print(&self, played: &TracedStep, out: &mut impl Write) -> Result<(), Failure> {
        serde_json::to_string(&TraceLine::new(&*self.course.game, played, self.legal))
            .map_err(io::Error::from)
            .and_then(|record| writeln!(out, "{}", escape_json(&record)))
            .map_err(|error| Printer::broken(&error))
    }
}

fn flush_trace(out: &mut impl Write) -> Result<(), Failure> {
    out.flush().map_err(|error| Printer::broken(&error))
}

fn trace_not_utf8() -> GameError {
    Refusal::Malformed("the line is not UTF-8".to_owned()).into()
}

#[cfg(test)]
mod tests;
