//! The progress of a tournament: a bar on a terminal, plain lines elsewhere, nothing when quiet.

mod worker_pool;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use crate::printer::Printer;
use referee_games::Seat;
use referee_protocol::escape;
use referee_ratings::Completion;
use referee_record::log::WriteError;
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::game_summary::GameSummary;
use referee_record::model::player::Out;
use referee_record::model::record::GameRecord;
use referee_tournament::analysis::fault_cases::FaultCase;
use referee_tournament::run::deadline::EndTime;
use referee_tournament::run::event::{Listener, RunEvent, WorkerPool};
use referee_tournament::schedule::state::TournamentState;

/// The interval of plain lines without a terminal.
const EVERY: Duration = Duration::from_secs(10);
/// The number of leaders to show.
const LEADERS: usize = 3;
/// The number of faults to tell. The page has all.
const FAULTS_TOLD: usize = 20;

/// Shows the progress of a tournament.
#[derive(Debug)]
pub(crate) struct Progress {
    printer: Printer,
    bar: Option<ProgressBar>,
    began: Instant,
    printed: Instant,
    due: u64,
    /// The text before the number of games due, if that is an estimate.
    about: &'static str,
    played: u64,
    /// The games of this run that ended in a fault, by their index in the schedule, as far as they
    /// count.
    faulted: Vec<usize>,
    /// The faults told: each kind of fault of a player once.
    told: HashSet<(String, FaultCode)>,
    /// The options with which commands find the tournament, if they can.
    called: Option<String>,
    /// The players, with their scores from this run and earlier ones.
    players: Vec<Contender>,
    /// The text shown instead of the leaders.
    headline: Option<String>,
    /// The time at which the games end, however many are left.
    until: Option<EndTime>,
    /// The state for which the games due were last counted.
    known: (usize, usize),
    /// The machines that play, if the run is not only on this one.
    pool: Option<WorkerPool>,
}

/// The state that changes the number of games due, apart from the games played.
fn known(state: &TournamentState) -> (usize, usize) {
    (state.len(), state.taken_out().count())
}

/// A player that may be in the lead.
#[derive(Debug, Clone)]
pub(crate) struct Contender {
    name: String,
    /// The score in half points.
    halves: usize,
    completion: Completion,
    is_out: bool,
}

impl Contender {
    /// The players of a tournament, with their current results.
    pub(crate) fn all(state: &TournamentState) -> Vec<Self> {
        let out = state.outs().into_iter();
        let mut all: Vec<Self> = state
            .names()
            .iter()
            .zip(out)
            .map(|(name, out)| Self {
                name: name.clone(),
                halves: 0,
                completion: Completion::default(),
                is_out: out.is_some(),
            })
            .collect();
        for (fixture, game) in state.counted() {
            for seat in Seat::BOTH {
                all[fixture.players[seat]].add(seat, game);
            }
        }
        all
    }

    fn add(&mut self, seat: Seat, game: GameSummary) {
        self.halves += game.halves()[seat];
        self.completion.add(game.faults[seat].is_some(), game.faults[!seat].is_some());
    }

    /// The share of points, 0 … 1; `None` if the player would have no rank.
    fn share(&self) -> Option<f64> {
        let may_lead = self.completion.plays() && !self.is_out;
        #[expect(clippy::cast_precision_loss, reason = "counts of games")]
        let share = || self.halves as f64 / 2.0 / f64::from(self.completion.games());
        may_lead.then(share)
    }
}

impl Progress {
    /// Creates the progress display for a tournament with these players.
    pub(crate) fn new(printer: Printer, players: Vec<Contender>) -> Self {
        let now = Instant::now();
        Self {
            printer,
            bar: None,
            began: now,
            printed: now,
            due: 0,
            about: "",
            played: 0,
            faulted: Vec::new(),
            told: HashSet::new(),
            called: None,
            players,
            headline: None,
            until: None,
            known: (0, 0),
            pool: None,
        }
    }

    /// Sets the time at which the games end, if there is one.
    #[must_use]
    pub(crate) fn until(self, until: Option<EndTime>) -> Self {
        Self { until, ..self }
    }

    /// Tells each kind of fault of a player once, with a command that repeats its decision. `called`
    /// are the options with which commands find the tournament.
    #[must_use]
    pub(crate) fn tell_faults(self, called: String) -> Self {
        Self { called: Some(called), ..self }
    }

    /// Shows this text instead of the leaders from now on. On a terminal it has a line of its own if
    /// it is given before the games begin.
    pub(crate) fn headline(&mut self, text: String) {
        self.headline = Some(text);
    }

    /// Sets the expected number of games in this run, at least one more than were played.
    pub(crate) fn expect(&mut self, games: u64) {
        (self.due, self.about) = (games.max(self.played + 1), "about ");
    }

    /// Expects no more games.
    pub(crate) fn over(&mut self) {
        (self.due, self.about) = (self.played, "");
    }

    /// The games due: at least those played, for a player may be taken out while it plays.
    fn due_games(&self) -> u64 {
        self.due.max(self.played)
    }

    fn summary(&self) -> String {
        let headline = self.headline.clone();
        headline.unwrap_or_else(|| format!("{}leading: {}", self.machines(), self.leaders()))
    }

    /// The machines that play, if they are not only this one.
    fn machines(&self) -> String {
        self.pool.as_ref().map_or_else(String::new, |pool| worker_pool::summary(pool) + ", ")
    }

    fn pool_changed(&mut self, pool: &WorkerPool) {
        for change in worker_pool::changes(self.pool.as_ref(), pool) {
            self.say(&change);
        }
        self.pool = Some(pool.clone());
    }

    fn say(&self, text: &str) {
        self.above_the_bar(|printer| printer.note(text));
    }

    fn above_the_bar(&self, print: impl FnOnce(Printer)) {
        match &self.bar {
            Some(bar) => bar.suspend(|| print(self.printer)),
            None => print(self.printer),
        }
    }

    /// Adds the scores of a game.
    fn score(&mut self, record: &GameRecord) {
        // Records without a result are refused earlier.
        let Ok(game) = GameSummary::of(record) else { return };
        for seat in Seat::BOTH {
            let name = &record.players[seat];
            if let Some(player) = self.players.iter_mut().find(|known| known.name == *name) {
                player.add(seat, game);
            }
        }
    }

    /// What to say about the faults of a game, if they are the first of their kind, and the command
    /// that repeats each.
    fn news_of_faults(&mut self, record: &GameRecord) -> Vec<(String, Option<String>)> {
        let Some(called) = &self.called else { return Vec::new() };
        let mut news = Vec::new();
        for case in FaultCase::all(record) {
            let kind = (case.player.clone(), case.fault.code);
            if self.told.len() > FAULTS_TOLD || !self.told.insert(kind) {
                continue;
            }
            news.push(if self.told.len() > FAULTS_TOLD {
                ("further faults are in the report".to_owned(), None)
            } else {
                (told(&case), Some(case.command(called)))
            });
        }
        news
    }

    fn leaders(&self) -> String {
        let share = |player| Some((Contender::share(player)?, player));
        let mut rows: Vec<(f64, &Contender)> = self.players.iter().filter_map(share).collect();
        if rows.is_empty() {
            return "nobody yet".to_owned();
        }
        rows.sort_by(|one, other| other.0.total_cmp(&one.0));
        let shown = |(share, player): &(f64, &Contender)| {
            format!("{} {:.0}%", escape::terminal(&player.name), 100.0 * share)
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
            self.due_games(),
            self.faulted.len(),
            self.summary()
        )
    }
}

/// A fault in a line.
fn told(case: &FaultCase) -> String {
    let FaultCase { id, player, fault, .. } = case;
    format!("{}: {} in game {id}: {}", escape::terminal(player), fault.code, fault.reason())
}

/// Limits the time left to the end at `until`.
fn in_time(left: Duration, until: Option<EndTime>) -> Duration {
    until.map_or(left, |until| left.min(until.left()))
}

/// Games per second and the time left, after at least one game.
fn speed(bar: &ProgressState, until: Option<EndTime>, out: &mut dyn std::fmt::Write) {
    if bar.pos() > 0 {
        let left = HumanDuration(in_time(bar.eta(), until));
        // Formatting to a string does not fail.
        let _ = write!(out, "  {:.1}/s  {left:#} left", bar.per_sec());
    }
}

impl Listener for Progress {
    fn on(&mut self, event: RunEvent<'_>, state: &TournamentState) -> Result<(), WriteError> {
        match event {
            RunEvent::CannotStart { player, fault } => self.cannot_start(player, fault),
            RunEvent::Begun { due } => self.begin(state, due),
            RunEvent::GameFinished { record, .. } => self.finished(record, state),
            RunEvent::PlayerOut { player, game, why } => self.out(player, game, why),
            RunEvent::Warning(warning) => self.say(&format!("warning: {warning}")),
            RunEvent::Over => self.end(),
            RunEvent::WorkerPool(pool) => self.pool_changed(pool),
            RunEvent::GameBegun { .. } | RunEvent::SectionOver => {}
        }
        Ok(())
    }
}

impl Progress {
    fn cannot_start(&mut self, player: &str, fault: &Fault) {
        self.told.insert((player.to_owned(), fault.code));
        self.say(&format!(
            "warning: {} cannot start and will lose its games: {}",
            escape::terminal(player),
            fault.message
        ));
        for line in &fault.stderr {
            self.say(&format!("    {line}"));
        }
    }

    fn begin(&mut self, state: &TournamentState, due: usize) {
        self.began = Instant::now();
        self.printed = self.began;
        self.due = due as u64;
        self.known = known(state);
        if state.played() > 0 {
            self.say(&format!("{} games are in the log, {due} to play", state.played()));
        }
        if self.printer.bar() {
            // A headline is long, and has a line of its own.
            let gap = if self.headline.is_some() { "\n" } else { "  " };
            let style = format!("{{bar:16}} {{pos}}/{{len}} games{{speed}}{gap}{{wide_msg}}");
            let bar = ProgressBar::new(self.due);
            if let Ok(style) = ProgressStyle::with_template(&style) {
                let until = self.until;
                let speed = move |bar: &ProgressState, out: &mut dyn std::fmt::Write| {
                    speed(bar, until, out);
                };
                bar.set_style(style.with_key("speed", speed));
            }
            bar.enable_steady_tick(Duration::from_millis(500));
            self.bar = Some(bar);
        }
    }

    fn finished(&mut self, record: &GameRecord, state: &TournamentState) {
        self.played += 1;
        for (text, again) in self.news_of_faults(record) {
            self.say(&text);
            if let Some(again) = again {
                self.above_the_bar(|printer| printer.command("    again", &again));
            }
        }
        let place = state.place(record).filter(|&index| !state.is_void(index));
        self.faulted.extend(place.filter(|_| record.fault.is_some()));
        if self.known != known(state) {
            // A player was taken out, so that other games may not count, or the next games became
            // known.
            self.known = known(state);
            self.due = self.played + state.due() as u64;
            self.faulted.retain(|&index| !state.is_void(index));
            self.players = Contender::all(state);
        } else if place.is_some() {
            self.score(record);
        }
        if let Some(bar) = &self.bar {
            bar.set_message(self.summary());
            bar.set_length(self.due_games());
            bar.inc(1);
        } else if self.printed.elapsed() >= EVERY && self.played < self.due {
            // The last game is reported at the end.
            self.printed = Instant::now();
            self.say(&self.plain_line());
        }
    }

    fn out(&mut self, player: &str, game: &str, why: Out) {
        for known in self.players.iter_mut().filter(|known| known.name == player) {
            known.is_out = true;
        }
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
        if let Some(checked) = self.pool.as_ref().and_then(worker_pool::checked) {
            self.say(&checked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::record::Header;
    use referee_record::model::record::examples::{faulty, game, header};
    use referee_record::model::stage::Stage;

    fn progress(names: &[&str]) -> Progress {
        let contender = |name: &&str| Contender {
            name: (*name).to_owned(),
            halves: 0,
            completion: Completion::default(),
            is_out: false,
        };
        Progress::new(Printer::new(true), names.iter().map(contender).collect())
    }

    /// A tournament of two players that meet in this many pairs.
    fn state(pairs: u32) -> TournamentState {
        let stages = vec![Stage::round_robin(pairs)];
        TournamentState::new(&Header { stages, ..header(&["ant", "bee"]) })
    }

    /// The game at `index` of that tournament.
    fn record(state: &TournamentState, index: usize) -> GameRecord {
        let fixture = state.fixture(index);
        let [first, second] = Seat::BOTH.map(|seat| state.name(fixture.players[seat]));
        let plain = game(first, second, "white");
        GameRecord { id: state.id(index), pair: fixture.pair, game: fixture.game, ..plain }
    }

    #[test]
    fn earlier_games_count_for_the_leaders() {
        let mut state = state(1);
        let record = record(&state, 0);
        state.add(&record).expect("it belongs");
        let progress = Progress::new(Printer::new(true), Contender::all(&state));
        let winner = record.winner().expect("not a draw").to_owned();
        assert!(
            progress.leaders().starts_with(&format!("{winner} 100%")),
            "{}",
            progress.leaders()
        );
    }

    #[test]
    fn a_line_says_how_much_is_done() {
        let mut state = state(1);
        let mut progress = progress(&["ant", "bee"]);
        progress.on(RunEvent::Begun { due: 2 }, &state).expect("no failure");
        for index in [0, 1] {
            let record = record(&state, index);
            state.add(&record).expect("it belongs");
            let finished = RunEvent::GameFinished { record: &record, transcript: None };
            progress.on(finished, &state).expect("no failure");
            let line = progress.plain_line();
            assert!(line.starts_with(&format!("{} of 2 games, ", index + 1)), "{line}");
            assert!(line.contains(", 0 with a fault, leading: "), "{line}");
        }
    }

    #[test]
    fn games_after_a_removal_count_neither_here_nor_in_the_tables() {
        let stages = vec![Stage::round_robin(3)];
        let header = Header { stages, quarantine: 2, ..header(&["ant", "bee", "cat"]) };
        let mut state = TournamentState::new(&header);
        let mut progress = progress(&["ant", "bee", "cat"]);
        progress.on(RunEvent::Begun { due: state.due() }, &state).expect("no failure");
        // The cat fails in all its games, and the last of them are over first.
        for index in (0..state.len()).rev() {
            let plain = record(&state, index);
            let cat = Seat::BOTH.into_iter().find(|&seat| plain.players[seat] == "cat");
            let played = cat.map_or_else(
                || plain.clone(),
                |seat| {
                    faulty(plain.clone(), &[(["white", "black"][seat as usize], FaultCode::Crash)])
                },
            );
            state.add(&played).expect("it belongs");
            let finished = RunEvent::GameFinished { record: &played, transcript: None };
            progress.on(finished, &state).expect("no failure");
        }
        let counted = state.counted().filter(|(_, game)| game.is_faulted()).count();
        assert!(counted < 12, "some do not count");
        let line = progress.plain_line();
        assert!(line.starts_with("18 of 18 games, "), "{line}");
        assert!(line.contains(&format!(", {counted} with a fault, ")), "{line}");
        let fresh = Progress::new(Printer::new(true), Contender::all(&state));
        assert_eq!(progress.leaders(), fresh.leaders());
    }

    #[test]
    fn newly_known_games_are_added_to_the_progress() {
        let mut progress = progress(&["ant", "bee"]);
        progress.played = 1;
        progress.expect(10);
        assert!(progress.plain_line().starts_with("1 of about 10 games, "));
        progress.expect(0);
        assert!(progress.plain_line().starts_with("1 of about 2 games, "), "at least one more");
        progress.over();
        assert!(progress.plain_line().starts_with("1 of 1 games, in "));
    }

    #[test]
    fn a_headline_takes_the_place_of_the_leaders() {
        let mut progress = progress(&["ant"]);
        assert_eq!(progress.summary(), "leading: nobody yet");
        progress.headline("+5 Elo".to_owned());
        assert_eq!(progress.summary(), "+5 Elo");
    }

    #[test]
    fn each_kind_of_fault_of_a_player_is_told_once() {
        let crash =
            |player: &str| faulty(game(player, "bee", "black"), &[("white", FaultCode::Crash)]);
        let mut quiet = progress(&["ant"]);
        assert!(quiet.news_of_faults(&crash("ant")).is_empty(), "no commands");
        let mut progress = progress(&["ant", "bee"]).tell_faults("--results cup".to_owned());
        assert!(progress.news_of_faults(&game("ant", "bee", "white")).is_empty());
        let record = crash("ant");
        let id = &record.id;
        let expected = format!("ant: crash in game {id}: why");
        let again = format!("referee ask ant --record {id} --ply 2 --results cup");
        assert_eq!(progress.news_of_faults(&record), [(expected, Some(again))]);
        assert!(progress.news_of_faults(&record).is_empty());
        let news =
            (0..30).flat_map(|number| progress.news_of_faults(&crash(&format!("p{number}"))));
        let news: Vec<_> = news.collect();
        assert_eq!((news.len(), &*news[19].0), (20, "further faults are in the report"));
    }

    #[test]
    fn the_time_left_is_limited_by_the_end_time() {
        let (minute, hour) = (Duration::from_secs(60), Duration::from_secs(3600));
        assert_eq!(in_time(hour, None), hour);
        assert!(in_time(hour, Some(EndTime::After(Instant::now() + minute))) <= minute);
        assert_eq!(in_time(hour, Some(EndTime::After(Instant::now()))), Duration::ZERO);
    }

    #[test]
    fn unranked_players_are_not_shown_as_leaders() {
        let mut progress = progress(&["ant", "bee", "mute", "out"]);
        assert_eq!(progress.leaders(), "nobody yet");
        let no_start = [("black", FaultCode::NoStart)];
        progress.score(&faulty(game("ant", "mute", "white"), &no_start));
        progress.score(&game("out", "bee", "white"));
        progress.score(&game("ant", "bee", "draw"));
        progress.out("out", "id", Out::Quarantined);
        assert_eq!(progress.leaders(), "ant 75%, bee 25%");
    }
}
