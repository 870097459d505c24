//! `referee test-game`: tries out a game and describes it, or counts its positions.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::HumanDuration;

use super::game_args::GameArgs;
use super::{Failure, OutputFormat, Status};
use crate::printer::Printer;
use crate::printer::activity::Activity;
use referee_check::game_trial::{
    ExampleGame, TrialPlan, TrialProgress, TrialStage, format_trial, run_game_trial,
};
use referee_games::{AnyPosition, perft, perft_divide};
use referee_match::replay::frames::ReplayFrames;
use referee_record::log::write_atomically;
use referee_record::model::clock::TimeControl;
use referee_record::model::plies::Plies;
use referee_record::plain_files::read_plain_nofollow;
use referee_report::board_picture::render_board_picture;
use referee_report::page::render_report_of_game;

/// The arguments that only matter in a trial.
const TRIAL: [&str; 6] = ["games", "search_games", "nodes", "seed", "page", "format"];

/// The most bytes of a page that is replaced.
const LARGEST_PAGE: u64 = 1 << 28;

/// Arguments of `test-game`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  referee test-game game.toml
  referee test-game games/connect-four/game.toml --option columns=5 --games 5000
  referee test-game game.toml --page board.html     how the board looks in a browser
  referee test-game watch-your-back --perft 2 --divide

Exit codes: 0 nothing found; 1 something found; 2 invalid command line; 3 the rules program cannot
be started.")]
pub(crate) struct TestGameArgs {
    /// The game
    #[command(flatten)]
    pub(crate) game: GameArgs,
    /// Random games to play
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) games: u32,
    /// Games to play between searching players
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) search_games: u32,
    /// Nodes per search
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) nodes: u64,
    /// Seed for all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Also write a page with a random game, as the report shows it
    #[arg(long, value_name = "FILE")]
    pub(crate) page: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: OutputFormat,
    /// Only count the positions DEPTH plies from the start
    ///
    /// Use it to compare the rules with another implementation. Rolls are not plies, and all of
    /// them are followed; a forced pass is a ply; a simultaneous turn counts pairs of actions. A
    /// game that ends earlier adds nothing.
    #[arg(long, value_name = "DEPTH", conflicts_with_all = TRIAL)]
    pub(crate) perft: Option<u32>,
    /// Also print the count for each action at the start
    #[arg(long, requires = "perft")]
    pub(crate) divide: bool,
}

/// A line that shows how far the trial has come.
struct TestGameProgress {
    line: Activity,
    /// The current stage, and when it began.
    stage: (TrialStage, Instant),
}

impl TestGameProgress {
    fn new(printer: Printer) -> Self {
        let stage = (TrialStage::NearPositions, Instant::now());
        Self { line: Activity::new(printer), stage }
    }

    fn show(&mut self, TrialProgress { stage, done, of }: TrialProgress) {
        if self.stage.0 != stage {
            self.stage = (stage, Instant::now());
        }
        let what = match stage {
            TrialStage::NearPositions => "positions near the start",
            TrialStage::RandomGames => "random games",
            TrialStage::SearchGames => "games between searching players",
        };
        let spent = self.stage.1.elapsed();
        let left = match done {
            0 => String::new(),
            _ => format!(", about {} left", HumanDuration(spent * (of - done) / done)),
        };
        self.line.begin(0, format!("{what}: {done} of {of}{left}"));
    }
}

/// Prints the number of positions; before it, one line per action once counted.
fn print_position_counts(
    start: &dyn AnyPosition,
    depth: u32,
    is_divided: bool,
    printer: Printer,
) -> Result<Status, Failure> {
    if !is_divided || depth == 0 {
        printer.line(&format!("nodes {}", perft(start, depth)?))?;
        return Ok(Status::Done);
    }
    let broken = |error: io::Error| Printer::broken(&error);
    let (mut out, mut total) = (printer.stream(), 0);
    for below in perft_divide(start, depth)? {
        let (step, count) = below?;
        total += count;
        writeln!(out, "{} {count}", step.text()).map_err(broken)?;
    }
    writeln!(out, "nodes {total}").and_then(|()| out.flush()).map_err(broken)?;
    Ok(Status::Done)
}

/// Runs `referee test-game`.
pub(crate) fn run(args: &TestGameArgs, printer: Printer) -> Result<Status, Failure> {
    let rules = args.game.rules(printer)?;
    if let Some(depth) = args.perft {
        return print_position_counts(&*rules.start, depth, args.divide, printer);
    }
    let TestGameArgs { games, seed, search_games, nodes, .. } = *args;
    let plan = TrialPlan { games, seed, search_games, nodes };
    let mut progress = TestGameProgress::new(printer);
    let trial = run_game_trial(&rules, &plan, &mut |now| progress.show(now));
    drop(progress);
    let example = ExampleGame::play(&rules, seed);
    match args.format {
        OutputFormat::Text => {
            for line in format_trial(&trial) {
                printer.line(&line)?;
            }
            // A game that fails is usually among what was found.
            if let Ok(ExampleGame { middle, events, .. }) = &example {
                let plies = Plies(middle.ply());
                printer
                    .line(&format!("\na random game after {plies}, as the terminal shows it\n"))?;
                printer.styled(&render_board_picture(&**middle, events, printer.colour))?;
            }
        }
        OutputFormat::Json => printer.json(&trial)?,
    }
    if let Some(path) = &args.page {
        let ExampleGame { record, .. } = example?;
        let replay =
            ReplayFrames::from_record(&rules, &TimeControl::unlimited(Duration::ZERO), &record);
        write_test_game_page(path, &render_report_of_game(&replay))?;
    }
    Ok(if trial.findings.is_empty() { Status::Done } else { Status::Found })
}

/// Writes the page into a new file, or over another page.
fn write_test_game_page(path: &Path, page: &str) -> Result<(), Failure> {
    let is_page = |text: Vec<u8>| text.is_empty() || text.starts_with(b"<!DOCTYPE html>");
    match read_plain_nofollow(path, LARGEST_PAGE).map(is_page) {
        Ok(false) => Err(Failure::input(format!(
            "--page: {} exists and is not an HTML page; use another file",
            path.display()
        ))),
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Failure::cannot_write(path, &error))
        }
        _ => write_atomically(path, |out| out.write_all(page.as_bytes()))
            .map_err(|error| Failure::cannot_write(path, &error)),
    }
}
