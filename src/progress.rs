//! The progress of a tournament: a bar on a terminal, plain lines elsewhere, nothing when quiet.

mod worker_pool;

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use self::worker_pool::{describe_pool_changes, describe_pool_spot_checks, describe_worker_pool};
use crate::printer::Printer;
use referee_games::Seat;
use referee_protocol::escape::escape_line;
use referee_ratings::{Completion, Pentanomial};
use referee_record::log::WriteError;
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::league_entry::LeavingReason;
use referee_record::model::player_spec::Out;
use referee_record::model::record::GameRecord;
use referee_record::model::roster_change::RosterChange;
use referee_record::wording::pluralize;
use referee_report::match_verdict::untested_verdict_headline;
use referee_tournament::analysis::fault_cases::FaultCase;
use referee_tournament::run::deadline::DeadlineTime;
use referee_tournament::run::run_event::{RunEvent, RunListener, WorkerPool};
use referee_tournament::schedule::tournament_state::TournamentState;

/// The interval of plain lines without a terminal.
const EVERY: Duration = Duration::from_secs(10);
/// The shortest time between two changes of the text beside the bar.
const REFRESH: Duration = Duration::from_secs(1);
/// The number of leaders to show.
const LEADERS: usize = 3;
/// The number of faults to tell. The page has all.
const FAULTS_TOLD: usize = 20;

/// Shows the progress of a tournament.
#[derive(Debug)]
pub(crate) struct ProgressDisplay {
    printer: Printer,
    bar: Option<ProgressBar>,
    began: Instant,
    /// When the leaders were last shown.
    printed: Instant,
    /// The number of games to expect, if it is not the number that the schedule says.
    expected: Option<u64>,
    played: u64,
    /// The games of earlier runs that ended in a fault.
    faulted_before: usize,
    /// The faults told: each kind of fault of a player once.
    told: HashSet<(String, FaultCode)>,
    /// The options with which commands find the tournament, if they can.
    called: Option<String>,
    /// The text shown instead of the leaders.
    headline: Option<String>,
    /// The time at which the games end, however many are left.
    until: Option<DeadlineTime>,
    /// The machines that play, if the run is not only on this one.
    pool: Option<WorkerPool>,
}

impl ProgressDisplay {
    /// Creates the progress display for a tournament.
    pub(crate) fn new(printer: Printer) -> Self {
        let now = Instant::now();
        Self {
            printer,
            bar: None,
            began: now,
            printed: now,
            expected: None,
            played: 0,
            faulted_before: 0,
            told: HashSet::new(),
            called: None,
            headline: None,
            until: None,
            pool: None,
        }
    }

    /// Sets the time at which the games end, if there is one.
    #[must_use]
    pub(crate) fn with_end_time(self, until: Option<DeadlineTime>) -> Self {
        Self { until, ..self }
    }

    /// Tells each kind of fault with a command that repeats the player's decision. `called` are the
    /// options by which commands find the tournament; `None` if no command can name its players.
    #[must_use]
    pub(crate) fn with_command_options(self, called: Option<String>) -> Self {
        Self { called, ..self }
    }

    /// Shows this text instead of the leaders from now on. On a terminal it has a line of its own if
    /// it is set before the games begin.
    pub(crate) fn headline(&mut self, text: String) {
        self.headline = Some(text);
    }

    /// Sets the expected number of games in this run, at least one more than were played.
    pub(crate) fn expect(&mut self, games: u64) {
        self.expected = Some(games.max(self.played + 1));
    }

    /// Expects no more games.
    pub(crate) fn expect_no_more(&mut self) {
        self.expected = Some(self.played);
    }

    /// The games due in this run.
    fn due(&self, state: &TournamentState) -> u64 {
        self.expected
            .map_or_else(|| self.played + state.count_due() as u64, |games| games.max(self.played))
    }

    fn summary(&self, state: &TournamentState) -> String {
        let headline = self.headline.clone();
        headline.unwrap_or_else(|| {
            let so_far = format_match_progress(state);
            let so_far =
                so_far.unwrap_or_else(|| format!("leading: {}", format_leaders_progress(state)));
            self.machines() + &so_far
        })
    }

    /// The machines that play, if they are not only this one.
    fn machines(&self) -> String {
        self.pool.as_ref().map_or_else(String::new, |pool| describe_worker_pool(pool) + ", ")
    }

    fn pool_changed(&mut self, pool: &WorkerPool) {
        for change in describe_pool_changes(self.pool.as_ref(), pool) {
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

    /// What to say about the faults of a game, if they are the first of their kind, and the command
    /// that repeats each, if there is one.
    fn new_fault_notes(&mut self, record: &GameRecord) -> Vec<(String, Option<String>)> {
        let mut news = Vec::new();
        for case in FaultCase::all_of_game(record) {
            let kind = (case.player.clone(), case.fault.code);
            if self.told.len() > FAULTS_TOLD || !self.told.insert(kind) {
                continue;
            }
            news.push(if self.told.len() > FAULTS_TOLD {
                ("further faults are in the report".to_owned(), None)
            } else {
                (
                    progress_note_on_fault(&case),
                    self.called.as_deref().map(|called| case.command(called)),
                )
            });
        }
        news
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of games")]
    fn plain_line(&self, state: &TournamentState) -> String {
        let elapsed = self.began.elapsed();
        let rate = self.played as f64 / elapsed.as_secs_f64().max(1e-9);
        let due = self.due(state);
        if state.is_league() {
            let faulted = count_faults_for_progress(state).saturating_sub(self.faulted_before);
            let (played, summary) = (self.played, self.summary(state));
            return format!("{played} games, {rate:.1}/s, {faulted} with a fault, {summary}");
        }
        let time = match due - self.played {
            0 => format!("in {}", HumanDuration(elapsed)),
            left => {
                let left = limit_progress_time_left(
                    Duration::from_secs_f64(left as f64 / rate),
                    self.until,
                );
                format!("{rate:.1}/s, {} left", HumanDuration(left))
            }
        };
        let about = if self.expected > Some(self.played) { "about " } else { "" };
        let faulted = count_faults_for_progress(state).saturating_sub(self.faulted_before);
        let (played, summary) = (self.played, self.summary(state));
        format!("{played} of {about}{due} games, {time}, {faulted} with a fault, {summary}")
    }
}

/// The number of games that count and ended in a fault.
fn count_faults_for_progress(state: &TournamentState) -> usize {
    state.counted_games().filter(|(_, game)| game.is_faulted()).count()
}

/// The players with the largest shares of points, among those that would have a rank.
fn format_leaders_progress(state: &TournamentState) -> String {
    let mut scores = vec![(0, Completion::default()); state.names().len()];
    for (fixture, game) in state.counted_games() {
        let failed = |seat| game.faults.of(seat).is_some();
        for (seat, points) in game.halves().iter() {
            let (halves, completion) = &mut scores[fixture.players.at(seat)];
            *halves += points;
            let others = fixture.players.seats().filter(|&other| other != seat);
            completion.add(failed(seat), others.into_iter().any(failed));
        }
    }
    let others = state.header().seats.len() - 1;
    #[expect(clippy::cast_precision_loss, reason = "counts of games")]
    let percent =
        |halves: usize, games: u32| 50.0 * halves as f64 / (f64::from(games) * others as f64);
    let mut rows: Vec<(f64, &String)> = scores
        .iter()
        .zip(state.names())
        .zip(state.outs())
        .filter(|(((_, completion), _), out)| completion.plays() && out.is_none())
        .map(|(((halves, completion), name), _)| (percent(*halves, completion.games()), name))
        .collect();
    if rows.is_empty() {
        return "nobody yet".to_owned();
    }
    rows.sort_by(|one, other| other.0.total_cmp(&one.0));
    let shown = |(percent, name): &(f64, &String)| format!("{} {percent:.0}%", escape_line(name));
    rows.iter().take(LEADERS).map(shown).collect::<Vec<_>>().join(", ")
}

/// The estimate from a match of two players, from the side of the first, if it has one yet.
pub(crate) fn format_match_progress(state: &TournamentState) -> Option<String> {
    let [first, _] = state.names() else { return None };
    let (mut waiting, mut pairs, mut draws) = (HashMap::new(), Pentanomial::default(), 0);
    for (fixture, game) in state.counted_games().filter(|(_, game)| game.outcome().is_some()) {
        let seat = if fixture.players.at(Seat::FIRST) == 0 { Seat::FIRST } else { Seat::SECOND };
        let halves = game.halves()[seat];
        if let Some(other) = waiting.remove(&fixture.pair) {
            pairs[halves + other] += 1;
            draws += u32::from(halves == 1) + u32::from(other == 1);
        } else {
            waiting.insert(fixture.pair, halves);
        }
    }
    untested_verdict_headline(first, &pairs, draws)
}

/// A fault in a line.
fn progress_note_on_fault(case: &FaultCase) -> String {
    let FaultCase { id, player, fault, .. } = case;
    format!("{}: {} in game {id}: {}", escape_line(player), fault.code, fault.reason())
}

/// Limits the time left to the end at `until`.
fn limit_progress_time_left(left: Duration, until: Option<DeadlineTime>) -> Duration {
    until.map_or(left, |until| left.min(until.time_left()))
}

/// Games per second and the time left, after at least one game.
fn write_progress_speed(
    bar: &ProgressState,
    until: Option<DeadlineTime>,
    out: &mut dyn std::fmt::Write,
) {
    if bar.pos() > 0 {
        let left = HumanDuration(limit_progress_time_left(bar.eta(), until));
        // Formatting to a string does not fail.
        let _ = write!(out, "  {:.1}/s  {left:#} left", bar.per_sec());
    }
}

impl RunListener for ProgressDisplay {
    fn on(&mut self, event: RunEvent<'_>, state: &TournamentState) -> Result<(), WriteError> {
        match event {
            RunEvent::CannotStart { player, fault } => self.cannot_start(player, fault),
            RunEvent::Begun { due } => self.begin(state, due),
            RunEvent::GameFinished { record, .. } => self.finished(record, state),
            RunEvent::PlayerOut { player, game, why } => {
                self.say(&progress_note_on_removal(player, game, why));
            }
            RunEvent::Notice(text) => self.say(text),
            RunEvent::Warning(warning) => self.say(&format!("warning: {warning}")),
            RunEvent::Finishing { games } => self.finishing(games),
            RunEvent::Over { .. } => self.end(state),
            RunEvent::WorkerPool(pool) => self.pool_changed(pool),
            RunEvent::PlayersChanged(change) => self.say(&progress_note_on_roster(change)),
            RunEvent::GameBegun { .. } | RunEvent::SectionOver => {}
        }
        Ok(())
    }
}

impl ProgressDisplay {
    fn cannot_start(&mut self, player: &str, fault: &Fault) {
        self.told.insert((player.to_owned(), fault.code));
        self.say(&format!(
            "warning: {} cannot start and will lose its games: {}",
            escape_line(player),
            fault.message
        ));
        for line in &fault.stderr {
            self.say(&format!("    {line}"));
        }
    }

    fn begin(&mut self, state: &TournamentState, due: usize) {
        let (about, due) = match self.expected {
            Some(expected) => ("about ", expected),
            None => ("", due as u64),
        };
        self.began = Instant::now();
        self.printed = self.began;
        self.faulted_before = count_faults_for_progress(state);
        if state.is_league() {
            // The games begin with the first report of a worker: one may be over.
            if state.played() > 1 {
                self.say(&format!("{} so far", pluralize(state.played(), "game")));
            }
        } else if state.played() > 0 {
            self.say(&format!("{} games are in the log, {about}{due} to play", state.played()));
        }
        if self.printer.has_progress_bar() {
            // A headline is long, and has a line of its own; so has the estimate of a match.
            let is_long = self.headline.is_some() || state.names().len() == 2;
            let gap = if is_long { "\n" } else { "  " };
            let style = if state.is_league() {
                "{spinner} {pos} games{speed}  {wide_msg}".to_owned()
            } else {
                format!("{{bar:16}} {{pos}}/{{len}} games{{speed}}{gap}{{wide_msg}}")
            };
            let bar = ProgressBar::new(due);
            if let Ok(style) = ProgressStyle::with_template(&style) {
                let until = self.until;
                let is_endless = state.is_league();
                let speed = move |bar: &ProgressState, out: &mut dyn std::fmt::Write| {
                    if is_endless {
                        // Formatting to a string does not fail.
                        let _ = write!(out, "  {:.1}/s", bar.per_sec());
                    } else {
                        write_progress_speed(bar, until, out);
                    }
                };
                bar.set_style(style.with_key("speed", speed));
            }
            bar.enable_steady_tick(Duration::from_millis(500));
            self.bar = Some(bar);
        }
    }

    fn finished(&mut self, record: &GameRecord, state: &TournamentState) {
        self.played += 1;
        for (text, again) in self.new_fault_notes(record) {
            self.say(&text);
            if let Some(again) = again {
                self.above_the_bar(|printer| printer.command("    again", &again));
            }
        }
        let since = self.printed.elapsed();
        if let Some(bar) = &self.bar {
            bar.inc(1);
            if since >= REFRESH {
                bar.set_length(self.due(state));
                bar.set_message(escape_line(&self.summary(state)));
                self.printed = Instant::now();
            }
        } else if since >= EVERY && (state.is_league() || self.played < self.due(state)) {
            // The last game is reported at the end.
            self.say(&self.plain_line(state));
            self.printed = Instant::now();
        }
    }

    fn finishing(&self, games: usize) {
        let them = if games == 1 { "it" } else { "them" };
        let games = pluralize(games, "game");
        self.say(&format!("Finishing {games} in progress; press Ctrl-C again to drop {them}"));
    }

    fn end(&mut self, state: &TournamentState) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        } else if self.played > 0 {
            self.say(&self.plain_line(state));
        }
        if let Some(checked) = self.pool.as_ref().and_then(describe_pool_spot_checks) {
            self.say(&checked);
        }
    }
}

/// What to say about a player that comes or goes.
fn progress_note_on_roster(change: &RosterChange) -> String {
    let player = escape_line(change.player());
    match change {
        RosterChange::Entered { .. } => format!("{player} has entered"),
        RosterChange::Returned { .. } => format!("{player} is back"),
        RosterChange::Left { leaving, .. } => match leaving.why {
            LeavingReason::Replaced => format!("{player} has been replaced"),
            LeavingReason::Removed => format!("{player} has been removed"),
            LeavingReason::Lost => format!("{player} has lost its files"),
        },
    }
}

/// What to say about a player that was taken out.
fn progress_note_on_removal(player: &str, game: &str, why: Out) -> String {
    let player = escape_line(player);
    match why {
        Out::Quarantined => format!(
            "warning: {player} is quarantined after too many faults in a row, the last in game \
             {game}; its remaining games will be skipped"
        ),
        Out::Unchecked => format!(
            "warning: {player} failed the check (fault in game {game}); its remaining games will \
             be skipped"
        ),
        Out::Disqualified => format!("{player} is disqualified; none of its games counts"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::record::Header;
    use referee_record::model::record::examples::{faulty, game, header};
    use referee_record::model::stage::Stage;

    fn progress() -> ProgressDisplay {
        ProgressDisplay::new(Printer::new(true))
    }

    /// A tournament of two players that meet in this many pairs.
    fn state(pairs: u32) -> TournamentState {
        let stages = vec![Stage::round_robin(pairs)];
        TournamentState::new(&Header { stages, ..header(&["ant", "bee"]) })
    }

    /// The game at `index` of that tournament.
    fn record(state: &TournamentState, index: usize) -> GameRecord {
        let fixture = state.fixture(index);
        let [first, second] = fixture.players.two().map(|player| state.name(player));
        let plain = game(first, second, "white");
        GameRecord { id: state.id(index), pair: fixture.pair, game: fixture.game, ..plain }
    }

    #[test]
    fn earlier_games_count_for_the_leaders() {
        let mut state = state(1);
        let record = record(&state, 0);
        state.add(&record).expect("it belongs");
        let winner = record.winner().expect("not a draw").to_owned();
        assert!(
            format_leaders_progress(&state).starts_with(&format!("{winner} 100%")),
            "{}",
            format_leaders_progress(&state)
        );
    }

    #[test]
    fn a_line_says_how_much_is_done() {
        let mut state = state(1);
        let mut progress = progress();
        progress.on(RunEvent::Begun { due: 2 }, &state).expect("no failure");
        for index in [0, 1] {
            let record = record(&state, index);
            state.add(&record).expect("it belongs");
            let finished = RunEvent::GameFinished { record: &record, transcript: None };
            progress.on(finished, &state).expect("no failure");
            let line = progress.plain_line(&state);
            assert!(line.starts_with(&format!("{} of 2 games, ", index + 1)), "{line}");
            assert!(line.contains(", 0 with a fault, leading: "), "{line}");
        }
    }

    #[test]
    fn games_after_a_removal_count_neither_here_nor_in_the_tables() {
        let stages = vec![Stage::round_robin(3)];
        let header = Header { stages, quarantine: 2, ..header(&["ant", "bee", "cat"]) };
        let mut state = TournamentState::new(&header);
        let mut progress = progress();
        progress.on(RunEvent::Begun { due: state.count_due() }, &state).expect("no failure");
        // The cat fails in all its games, and the last of them are over first.
        for index in (0..state.len()).rev() {
            let plain = record(&state, index);
            let cat =
                [Seat::FIRST, Seat::SECOND].into_iter().find(|&seat| plain.players[seat] == "cat");
            let played = cat.map_or_else(
                || plain.clone(),
                |seat| {
                    faulty(plain.clone(), &[(["white", "black"][seat.index()], FaultCode::Crash)])
                },
            );
            state.add(&played).expect("it belongs");
            let finished = RunEvent::GameFinished { record: &played, transcript: None };
            progress.on(finished, &state).expect("no failure");
        }
        let counted = state.counted_games().filter(|(_, game)| game.is_faulted()).count();
        assert!(counted < 12, "some do not count");
        let line = progress.plain_line(&state);
        assert!(line.starts_with("18 of 18 games, "), "{line}");
        assert!(line.contains(&format!(", {counted} with a fault, ")), "{line}");
        assert!(!format_leaders_progress(&state).contains("cat"), "it is out");
    }

    #[test]
    fn an_expected_number_of_games_replaces_that_of_the_schedule() {
        let state = state(20);
        let mut progress = progress();
        progress.played = 1;
        progress.expect(10);
        assert!(progress.plain_line(&state).starts_with("1 of about 10 games, "));
        progress.expect(0);
        assert!(
            progress.plain_line(&state).starts_with("1 of about 2 games, "),
            "at least one more"
        );
        progress.expect_no_more();
        assert!(progress.plain_line(&state).starts_with("1 of 1 games, in "));
    }

    #[test]
    fn a_headline_takes_the_place_of_the_leaders() {
        let (mut progress, state) = (progress(), state(1));
        assert_eq!(progress.summary(&state), "leading: nobody yet");
        progress.headline("+5 Elo".to_owned());
        assert_eq!(progress.summary(&state), "+5 Elo");
    }

    #[test]
    fn a_match_of_two_shows_its_estimate() {
        let mut state = state(2);
        for index in 0..4 {
            let record = record(&state, index);
            let plain = GameRecord { result: "white".to_owned(), ..record.clone() };
            let drawn = game(&record.players[Seat::FIRST], &record.players[Seat::SECOND], "draw");
            let (id, pair, game) = (record.id, record.pair, record.game);
            let drawn = GameRecord { id, pair, game, ..drawn };
            state.add(if index == 0 { &drawn } else { &plain }).expect("it belongs");
        }
        let line = progress().summary(&state);
        assert_eq!(line, "ant -89 ±136 Elo, -246 ±340 nElo, pairs 0 1 1 0 0, draws 1");
    }

    #[test]
    fn each_kind_of_fault_of_a_player_is_told_once() {
        let crash =
            |player: &str| faulty(game(player, "bee", "black"), &[("white", FaultCode::Crash)]);
        let news = progress().new_fault_notes(&crash("ant"));
        assert!(matches!(news[..], [(_, None)]), "no command finds the player");
        let mut progress = progress().with_command_options(Some("--results cup".to_owned()));
        assert!(progress.new_fault_notes(&game("ant", "bee", "white")).is_empty());
        let record = crash("ant");
        let id = &record.id;
        let expected = format!("ant: crash in game {id}: why");
        let again = format!("referee ask ant --record {id} --ply 2 --results cup");
        assert_eq!(progress.new_fault_notes(&record), [(expected, Some(again))]);
        assert!(progress.new_fault_notes(&record).is_empty());
        let news =
            (0..30).flat_map(|number| progress.new_fault_notes(&crash(&format!("p{number}"))));
        let news: Vec<_> = news.collect();
        assert_eq!((news.len(), &*news[19].0), (20, "further faults are in the report"));
    }

    #[test]
    fn the_time_left_is_limited_by_the_end_time() {
        let (minute, hour) = (Duration::from_secs(60), Duration::from_secs(3600));
        assert_eq!(limit_progress_time_left(hour, None), hour);
        assert!(
            limit_progress_time_left(hour, Some(DeadlineTime::After(Instant::now() + minute)))
                <= minute
        );
        assert_eq!(
            limit_progress_time_left(hour, Some(DeadlineTime::After(Instant::now()))),
            Duration::ZERO
        );
    }

    #[test]
    fn players_that_cannot_start_are_not_shown_as_leaders() {
        let mut state = state(1);
        assert_eq!(format_leaders_progress(&state), "nobody yet");
        let plain = record(&state, 0);
        let seat = if plain.players[Seat::FIRST] == "bee" { "white" } else { "black" };
        state.add(&faulty(plain, &[(seat, FaultCode::NoStart)])).expect("it belongs");
        assert_eq!(format_leaders_progress(&state), "ant 100%");
    }
}
