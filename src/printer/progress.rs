//! The progress of a tournament: a bar on a terminal, plain lines elsewhere, nothing when quiet.

use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use super::Printer;
use crate::escape;
use crate::fault::Fault;
use crate::record::GameRecord;
use crate::rules::Seat;
use crate::tournament::ledger::Ledger;
use crate::tournament::runner::{Listener, Out};

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
    /// What is said before the games that are due where their number is a guess.
    about: &'static str,
    played: u64,
    faults: u64,
    /// Points and games by player's name, of this run and of what was there before.
    scores: Vec<(String, f64, u32)>,
    /// What is shown in place of the leaders.
    headline: Option<String>,
    /// When the games end, however many are left.
    until: Option<Instant>,
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
            about: "",
            played: 0,
            faults: 0,
            scores,
            headline: None,
            until: None,
        }
    }

    /// The same for games that end at a given time, if one is given.
    #[must_use]
    pub fn until(self, until: Option<Instant>) -> Self {
        Self { until, ..self }
    }

    /// Shows this in place of the leaders from now on.
    pub fn headline(&mut self, text: String) {
        self.headline = Some(text);
    }

    /// So many games of this run are to be expected from now on, more than were played.
    pub fn expect(&mut self, games: u64) {
        (self.due, self.about) = (games.max(self.played + 1), "about ");
    }

    /// No more games are to be expected.
    pub fn over(&mut self) {
        (self.due, self.about) = (self.played, "");
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
                let left = in_time(Duration::from_secs_f64(left as f64 / rate), self.until);
                format!("{rate:.1}/s, {} left", HumanDuration(left))
            }
        };
        format!(
            "{} of {}{} games, {time}, {} with a fault, {}",
            self.played,
            self.about,
            self.due,
            self.faults,
            self.summary()
        )
    }
}

/// The time left, `until` being the end in any case.
fn in_time(left: Duration, until: Option<Instant>) -> Duration {
    until.map_or(left, |until| left.min(until.saturating_duration_since(Instant::now())))
}

/// Games a second and the time left, once a game is done and there is something to go by.
fn speed(state: &ProgressState, until: Option<Instant>, out: &mut dyn std::fmt::Write) {
    if state.pos() > 0 {
        let left = HumanDuration(in_time(state.eta(), until));
        // A formatter into a string does not fail.
        let _ = write!(out, "  {:.1}/s  {left:#} left", state.per_sec());
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
                let until = self.until;
                let speed = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                    speed(state, until, out);
                };
                bar.set_style(style.with_key("speed", speed));
            }
            bar.enable_steady_tick(Duration::from_millis(500));
            self.bar = Some(bar);
        }
    }

    fn finished(&mut self, record: &GameRecord, ledger: &Ledger) {
        self.count(record);
        if self.until.is_some() && self.played >= self.due {
            // There were more games than could be foreseen.
            self.due = self.played + ledger.due() as u64;
        }
        if let Some(bar) = &self.bar {
            bar.set_message(self.headline.clone().unwrap_or_else(|| self.leaders()));
            bar.set_length(self.due);
            bar.inc(1);
        } else if self.said.elapsed() >= EVERY && self.played < self.due {
            // The last one is said at the end.
            self.said = Instant::now();
            self.say(&self.plain_line());
        }
    }

    fn out(&mut self, player: &str, game: &str, why: Out) {
        let player = escape::terminal(player);
        self.say(&match why {
            Out::Quarantined => format!(
                "warning: {player} is quarantined after too many faults in a row, the last in \
                 game {game}; its later games are not played"
            ),
            Out::Unchecked => format!(
                "warning: {player} made a fault in game {game} of the check; its later games are \
                 not played"
            ),
        });
    }

    fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        } else if self.played > 0 {
            self.say(&self.plain_line());
        }
    }
}
