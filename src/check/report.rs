//! What is said about a player that was checked.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use super::finding::Finding;
use crate::player::diagnosis::seconds;

/// Everything that was found out about a player.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Its name.
    pub player: String,
    /// How it is run, for people.
    pub command: String,
    /// The game.
    pub game: &'static str,
    /// Nothing was found wrong.
    pub ready: bool,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// What was measured.
    pub figures: Figures,
    /// How it did against the players of the house.
    pub against: Vec<Standing>,
    /// Things worth knowing that decided nothing.
    pub warnings: BTreeSet<String>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// How it went.
    pub verdict: Verdict,
    /// What was done, or why nothing was.
    pub said: String,
    /// What was found.
    pub finding: Option<Finding>,
}

/// How a step went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing was found.
    Passed,
    /// Something was found.
    Failed,
    /// It was not tried.
    NotTried,
}

/// What was measured, over all games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Figures {
    /// The longest start-up, in milliseconds.
    pub startup_ms: Option<f64>,
    /// The most memory, in bytes.
    pub memory: Option<u64>,
    /// The turns that were timed, under load apart.
    pub turns: u32,
    /// The mean time of a turn, in milliseconds.
    pub move_ms: Option<f64>,
    /// The slowest turn, in milliseconds.
    pub slowest_ms: Option<f64>,
    /// The slowest turn on a busy core, in milliseconds.
    pub slowest_under_load_ms: Option<f64>,
}

/// The results against one player of the house.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// Which.
    pub bot: String,
    /// Games won, drawn and lost.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

impl Standing {
    /// Nothing played yet.
    pub fn new(bot: &str) -> Self {
        Self { bot: bot.to_owned(), wins: 0, draws: 0, losses: 0 }
    }

    /// Points: 1 a win, 0.5 a draw.
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// Games played.
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }
}

impl Figures {
    /// Takes in the times of a game's turns.
    pub(super) fn time(&mut self, used_ns: &[u64], under_load: bool) {
        let slowest = used_ns.iter().max().map(|&used| millis(used));
        if under_load {
            self.slowest_under_load_ms = larger(self.slowest_under_load_ms, slowest);
            return;
        }
        self.slowest_ms = larger(self.slowest_ms, slowest);
        for &used in used_ns {
            let before = self.move_ms.unwrap_or_default() * f64::from(self.turns);
            self.turns += 1;
            self.move_ms = Some((before + millis(used)) / f64::from(self.turns));
        }
    }

    /// Takes in a start-up.
    pub(super) fn start(&mut self, startup_ns: u64) {
        self.startup_ms = larger(self.startup_ms, Some(millis(startup_ns)));
    }
}

#[expect(clippy::cast_precision_loss, reason = "nanoseconds of a turn are far below 2^53")]
fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

fn larger(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).max_by(f64::total_cmp)
}

impl Report {
    /// The first finding.
    pub fn finding(&self) -> Option<&Finding> {
        self.steps.iter().find_map(|step| step.finding.as_ref())
    }

    /// The verdict in a sentence.
    pub fn verdict(&self) -> String {
        match self.finding() {
            None => "ready: nothing was found".to_owned(),
            Some(finding) => format!("NOT READY: {}: {}", finding.code, finding.message),
        }
    }

    /// The whole report for people.
    pub fn in_words(&self) -> String {
        let (player, command) =
            (crate::escape::terminal(&self.player), crate::escape::terminal(&self.command));
        let mut text = if player == command { player } else { format!("{player}: {command}") };
        let _ = writeln!(text, " ({})", self.game);
        let width = self.steps.iter().map(|step| step.name.len()).max().unwrap_or_default();
        let mut told: Vec<&Finding> = Vec::new();
        for step in &self.steps {
            let mark = match step.verdict {
                Verdict::Passed => "ok  ",
                Verdict::Failed => "FAIL",
                Verdict::NotTried => "-   ",
            };
            // Writing into a string does not fail.
            let _ = writeln!(text, "  {mark}  {:width$}  {}", step.name, step.said);
            if let Some(finding) = &step.finding {
                let same = |other: &&Finding| {
                    (other.code, &other.message) == (finding.code, &finding.message)
                };
                if told.iter().any(same) {
                    let _ = writeln!(text, "        the same again");
                } else {
                    text.push_str(&in_detail(finding));
                    told.push(finding);
                }
            }
        }
        self.write_figures(&mut text);
        for warning in &self.warnings {
            let _ = writeln!(text, "  note: {}", crate::escape::terminal(warning));
        }
        text.push_str(&self.verdict());
        text
    }

    fn write_figures(&self, text: &mut String) {
        let time = |ms: Option<f64>| {
            ms.map_or("not measured".to_owned(), |ms| {
                seconds(Duration::from_secs_f64(ms.max(0.0) / 1e3))
            })
        };
        let memory = self.figures.memory.map_or("not measured".to_owned(), |bytes| {
            format!("{} MiB", bytes.div_ceil(1024 * 1024))
        });
        let _ = writeln!(
            text,
            "  start-up {}, memory {memory}, a turn {} (slowest {}, on a busy core {})",
            time(self.figures.startup_ms),
            time(self.figures.move_ms),
            time(self.figures.slowest_ms),
            time(self.figures.slowest_under_load_ms),
        );
        if !self.against.is_empty() {
            let scores: Vec<String> = self
                .against
                .iter()
                .map(|standing| {
                    format!("{} {} of {}", standing.bot, standing.points(), standing.games())
                })
                .collect();
            let _ = writeln!(text, "  points: {}", scores.join(", "));
        }
    }
}

fn in_detail(finding: &Finding) -> String {
    let mut lines: Vec<String> = finding.in_words().lines().map(str::to_owned).collect();
    lines.extend(finding.exchange.iter().map(ToString::to_string));
    lines.extend(finding.reproduce.iter().map(|command| format!("again: {command}")));
    let lines: Vec<String> = lines.iter().map(|line| format!("        {line}\n")).collect();
    lines.concat()
}
