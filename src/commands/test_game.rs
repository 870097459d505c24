//! `referee test-game`: tries out a game and describes it.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use indicatif::HumanDuration;

use super::game_args::GameArgs;
use super::{Failure, OutputFormat, Status};
use crate::disk;
use crate::game_trial::{TrialPlan, TrialProgress, TrialStage, lines, page, try_out};
use crate::printer::Printer;
use crate::printer::activity::Activity;

/// Arguments of `test-game`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  referee test-game game.toml
  referee test-game games/connect-four/game.toml --option columns=5 --games 5000
  referee test-game game.toml --page trial.html

Exit codes: 0 nothing found; 1 something found; 2 invalid command line; 3 the rules program cannot
be started.")]
pub struct TestGameArgs {
    /// The game
    #[command(flatten)]
    pub game: GameArgs,
    /// Random games to play
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub games: u32,
    /// Games to play between searching players
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub search_games: u32,
    /// Nodes of each search
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub nodes: u64,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Also write a page with charts
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
}

/// A line that shows how far the trial has come.
struct StageProgress {
    line: Activity,
    /// The current stage, and when it began.
    stage: (TrialStage, Instant),
}

impl StageProgress {
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

/// Runs `referee test-game`.
pub fn run(args: &TestGameArgs, printer: Printer) -> Result<Status, Failure> {
    let rules = args.game.rules(printer)?;
    let TestGameArgs { games, seed, search_games, nodes, .. } = *args;
    let plan = TrialPlan { games, seed, search_games, nodes };
    let mut progress = StageProgress::new(printer);
    let trial = try_out(&rules, &plan, &mut |now| progress.show(now));
    drop(progress);
    match args.format {
        OutputFormat::Text => {
            for line in lines(&trial) {
                printer.line(&line)?;
            }
        }
        OutputFormat::Json => printer.line(&serde_json::json!(trial).to_string())?,
    }
    if let Some(path) = &args.page {
        disk::write_quickly(path, page(&trial).as_bytes())
            .map_err(|error| Failure::system(format!("{}: {error}", path.display())))?;
    }
    Ok(if trial.findings.is_empty() { Status::Done } else { Status::Found })
}
