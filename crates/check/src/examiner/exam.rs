//! The settings and steps of a check, the same for every player.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::check_report::CheckReport;
use crate::drills::Drill;
use referee_match::player::PlayerSandbox;
use referee_record::model::clock::TimeControl;
use referee_record::model::game_rules::GameRules;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::record::{FaultPolicy, Header};

/// The settings that are the same for every player of a check.
#[derive(Debug, Clone)]
pub struct Exam {
    /// The rules in force.
    pub rules: GameRules,
    /// The time limits.
    pub control: TimeControl,
    /// The sandbox for the players.
    pub containment: Arc<PlayerSandbox>,
    /// The policy after a refused action.
    pub policy: FaultPolicy,
    /// The decisions that show each kind of turn.
    pub drills: Vec<Drill>,
    /// The partner for long games.
    pub partner: PlayerSpec,
    /// The built-in players to play against.
    pub bots: Vec<PlayerSpec>,
    /// The number of game pairs against each of them.
    pub pairs: u32,
    /// The seed for everything random.
    pub seed: u64,
    /// The time limit for the check of one player.
    pub within: Duration,
}

/// A player to be checked.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The player.
    pub spec: PlayerSpec,
    /// The arguments that name it to `referee ask`, quoted for the shell.
    pub words: String,
    /// Remarks for its author about how it is run.
    pub remarks: Vec<String>,
    /// The folder for the games that show a finding.
    pub records: PathBuf,
    /// The header for a log of its games.
    /// The header for a log of its games.
    pub header: Header,
    /// A command that repeats the check where those records are not.
    pub elsewhere: Option<String>,
}

/// A step of a check.
#[derive(Debug, Clone, Copy)]
pub(super) enum Task {
    Start,
    Turns,
    Itself,
    Long,
    Load,
    Against(usize),
}

impl Exam {
    /// The partner and the built-in players. One that is called `own`, as the candidate is, gets another
    /// name.
    pub fn opponents(&self, own: &str) -> impl Iterator<Item = PlayerSpec> {
        [&self.partner].into_iter().chain(&self.bots).cloned().map(move |mut bot| {
            if bot.name == own {
                bot.name = format!("{own} (built-in)");
            }
            bot
        })
    }

    /// The report on `candidate` before any step.
    pub fn untried(&self, candidate: &Candidate) -> CheckReport {
        let spec = &candidate.spec;
        let steps = self.tasks().map(|task| self.name(task)).collect();
        let mut report =
            CheckReport::new(&spec.name, &format_exam_command(spec), self.rules.game.name(), steps);
        report.warnings.extend(candidate.remarks.iter().cloned());
        report
    }

    pub(super) fn tasks(&self) -> impl Iterator<Item = Task> + use<> {
        [Task::Start, Task::Turns, Task::Itself, Task::Long, Task::Load]
            .into_iter()
            .chain((0..self.bots.len()).map(Task::Against))
    }

    pub(super) fn name(&self, task: Task) -> String {
        match task {
            Task::Start => "start".to_owned(),
            Task::Turns => "turns".to_owned(),
            Task::Itself => "itself".to_owned(),
            Task::Long => "long".to_owned(),
            Task::Load => "load".to_owned(),
            Task::Against(bot) => format!("against {}", self.bots[bot].name),
        }
    }
}
/// The command of a player, and the folder that it runs in, if that is another one than this.
fn format_exam_command(spec: &PlayerSpec) -> String {
    let is_elsewhere = spec.dir.is_relative() && spec.dir.components().next().is_some();
    match spec.dir.display().to_string().as_str() {
        "." | "./" => spec.command.clone(),
        dir if is_elsewhere => format!("{} in {dir}", spec.command),
        _ => spec.command.clone(),
    }
}
