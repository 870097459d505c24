//! The progress of a tournament: a bar on a terminal, plain lines elsewhere, nothing when quiet.

use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use super::Printer;
use crate::escape;
use crate::fault::Fault;
use crate::record::GameRecord;
use crate::rules::Seat;
use crate::tournament::ledger::Ledger;
use crate::tournament::runner::Listener;

/// How often plain lines are printed where there is no terminal.
const EVERY: Duration = Duration::from_secs(10);
/// How many leaders are shown.
const LEADERS: usize = 3;

/// Shows how a tournament goes.
#[derive(Debug)]
pub struct Progress {
    printer: Printer,
    bar: Option<ProgressBar>,
    began: Instant,
    said: Instant,
    due: u64,
    played: u64,
    faults: u64,
    /// Points and games by player's name, of this run and of what was there before.
    scores: Vec<(String, f64, u32)>,
    /// What is shown in place of the leaders.
    headline: Option<String>,
}

impl Progress {
    /// Progress from these scores on: name, points, games.
    pub fn new(printer: Printer, scores: Vec<(String, f64, u32)>) -> Self {
        let now = Instant::now();
        Self {
            printer,
            bar: None,
            began: now,
            said: now,
            due: 0,
            played: 0,
            faults: 0,
            scores,
            headline: None,
        }
    }

    /// Shows this in place of the leaders from now on.
    pub fn headline(&mut self, text: String) {
        self.headline = Some(text);
    }

    fn summary(&self) -> String {
        self.headline.clone().unwrap_or_else(|| format!("leading: {}", self.leaders()))
    }

    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.printer.note(text)),
            None => self.printer.note(text),
        }
    }

    fn count(&mut self, record: &GameRecord) {
        self.played += 1;
        self.faults += u64::from(record.fault.is_some());
        for seat in Seat::BOTH {
            let name = &record.players[seat];
            if let Some(row) = self.scores.iter_mut().find(|(known, ..)| known == name) {
                row.1 += record.score(seat);
                row.2 += 1;
            }
        }
    }

    fn leaders(&self) -> String {
        let mut rows: Vec<_> = self.scores.iter().filter(|row| row.2 > 0).collect();
        let share = |row: &(String, f64, u32)| row.1 / f64::from(row.2);
        rows.sort_by(|one, other| share(other).total_cmp(&share(one)));
        let shown = |row: &&(String, f64, u32)| {
            format!("{} {:.0}%", escape::terminal(&row.0), 100.0 * share(row))
        };
        rows.iter().take(LEADERS).map(shown).collect::<Vec<_>>().join(", ")
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of games")]
    fn plain_line(&self) -> String {
        let elapsed = self.began.elapsed();
        let rate = self.played as f64 / elapsed.as_secs_f64().max(1e-9);
        let time = match self.due.saturating_sub(self.played) {
            0 => format!("in {}", HumanDuration(elapsed)),
            left => {
                let left = Duration::from_secs_f64(left as f64 / rate);
                format!("{rate:.1}/s, {} left", HumanDuration(left))
            }
        };
        format!(
            "{} of {} games, {time}, {} with a fault, {}",
            self.played,
            self.due,
            self.faults,
            self.summary()
        )
    }
}

/// Games a second and the time left, once a game is done and there is something to go by.
fn speed(state: &ProgressState, out: &mut dyn std::fmt::Write) {
    if state.pos() > 0 {
        // A formatter into a string does not fail.
        let _ = write!(out, "  {:.1}/s  {:#} left", state.per_sec(), HumanDuration(state.eta()));
    }
}

impl Listener for Progress {
    fn cannot_start(&mut self, player: &str, fault: &Fault) {
        self.say(&format!(
            "warning: {} cannot start and will lose its games: {}",
            escape::terminal(player),
            fault.message
        ));
        for line in &fault.stderr {
            self.say(&format!("    {line}"));
        }
    }

    fn begin(&mut self, ledger: &Ledger, due: usize) {
        self.began = Instant::now();
        self.said = self.began;
        self.due = due as u64;
        if ledger.played() > 0 {
            self.say(&format!("{} games are in the log, {due} to play", ledger.played()));
        }
        if self.printer.bar() {
            let style = "{bar:16} {pos}/{len} games{speed}  {wide_msg}";
            let bar = ProgressBar::new(self.due);
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style.with_key("speed", speed));
            }
            bar.enable_steady_tick(Duration::from_millis(500));
            self.bar = Some(bar);
        }
    }

    fn finished(&mut self, record: &GameRecord, _: &Ledger) {
        self.count(record);
        if let Some(bar) = &self.bar {
            bar.set_message(self.headline.clone().unwrap_or_else(|| self.leaders()));
            bar.inc(1);
        } else if self.said.elapsed() >= EVERY {
            self.said = Instant::now();
            self.say(&self.plain_line());
        }
    }

    fn quarantined(&mut self, player: &str, game: &str) {
        self.say(&format!(
            "warning: {} is quarantined after too many faults in a row, the last in game {game}; \
             its later games are not played",
            escape::terminal(player),
        ));
    }

    fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        } else if self.played > 0 {
            self.say(&self.plain_line());
        }
    }
}
