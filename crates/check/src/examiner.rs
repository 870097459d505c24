//! The steps of a check, one after the other.

mod exam;
mod single_turns;

use referee_record::model::fixture::Lineup;
use referee_record::shell::quote_for_shell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::watch;

use self::exam::Task;
pub use self::exam::{Candidate, Exam};
use super::busy_cores::keep_cores_busy;
use super::check_report::{CheckOpponentScore, CheckReport, CheckStep, CheckStepVerdict};
use super::fault_transcript::transcript_before_fault_in;
use super::finding_log::write_finding_record;
use super::turn_kinds::turn_kinds_met;
use super::{CheckFinding, fault_transcript};
use crate::error::ExamError;
use referee_games::Seat;
use referee_match::openings::OpeningBook;
use referee_match::pauses::watch_for_pauses;
use referee_match::replay::Replay;
use referee_record::log::LogWriter;
use referee_record::model::fault::Fault;
use referee_record::model::fixture::Fixture;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::plies::Plies;
use referee_record::model::record::GameRecord;
use referee_record::model::warning::{GameWarning, WarningWording};
use referee_record::seeds::{TournamentSecret, derive_game_id};
use referee_record::wording::pluralize;
use referee_report::board_picture::render_board_picture;
use referee_report::colour::{Colour, ColouredText};
use referee_tournament::run::entrant::Entrant;
use referee_tournament::run::job::{FinishedGame, JobConditions, JobOutcome};
use referee_tournament::run::job_failure::JobFailure;
use referee_tournament::run::player_pool::PlayerPool;

/// After this many failed steps, the rest are skipped.
const PATIENCE: usize = 3;
/// The players' positions in the conditions: the checked player, a second copy of it, and the
/// partner for long games; the opponents follow.
const SUBJECT: usize = 0;
const TWIN: usize = 1;
const PARTNER: usize = 2;

/// The reason why a step stopped early.
enum Interruption {
    /// The check is over: it was interrupted, or its time is up.
    Over,
    Failed(ExamError),
}

impl From<ExamError> for Interruption {
    fn from(failure: ExamError) -> Self {
        Self::Failed(failure)
    }
}

/// News of a check under way.
#[derive(Debug)]
pub enum StepNews {
    /// The step with this name begins.
    Begun(String),
    /// The next step of the report has ended, or was skipped.
    Ended(Box<CheckStep>),
}

/// Takes every step with the candidate, until `stop` becomes true or its time is up. Results go
/// into `report` step by step, so that they are kept however this ends; `tell` receives the news.
/// A panic becomes an error.
///
/// # Errors
/// The referee itself failed; the report says so too.
pub fn examine(
    exam: &Exam,
    candidate: &Candidate,
    report: &mut CheckReport,
    stop: watch::Receiver<bool>,
    tell: impl Fn(StepNews),
) -> Result<(), ExamError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(ExamError::NoRuntime)?;
    catch_examiner_panic(report, |report| {
        runtime.block_on(take_examiner_steps(exam, candidate, report, stop, tell))
    })
}

/// Does `work` on a report. A panic becomes an error, and is added to the report.
fn catch_examiner_panic(
    report: &mut CheckReport,
    work: impl FnOnce(&mut CheckReport) -> Result<(), ExamError>,
) -> Result<(), ExamError> {
    // A report is complete at any moment, and nothing else that `work` changes is used again.
    let worked = catch_unwind(AssertUnwindSafe(|| work(report)));
    worked.unwrap_or_else(|panic| {
        let failure = JobFailure::from_panic(panic.as_ref());
        report.break_off(&failure.to_string());
        Err(ExamError::Broken { player: report.player.clone(), failure })
    })
}

async fn take_examiner_steps(
    exam: &Exam,
    candidate: &Candidate,
    report: &mut CheckReport,
    stop: watch::Receiver<bool>,
    tell: impl Fn(StepNews),
) -> Result<(), ExamError> {
    watch_for_pauses().map_err(ExamError::NoThread)?;
    let over = examiner_stop_or_timeout(stop.clone(), exam.within);
    let mut examiner = Examiner::new(exam, candidate, report, over);
    let taken = examiner.take_steps(tell).await;
    examiner.pool.dismiss().await;
    match taken {
        Ok(()) => Ok(()),
        Err(Interruption::Over) if *stop.borrow() => {
            report.break_off("interrupted");
            Ok(())
        }
        Err(Interruption::Over) => {
            report.end_in_time(exam.within);
            Ok(())
        }
        Err(Interruption::Failed(failure)) => {
            report.break_off(&failure.to_string());
            Err(failure)
        }
    }
}

/// Becomes true when `stop` does, or after the time `within`.
pub(crate) fn examiner_stop_or_timeout(
    mut stop: watch::Receiver<bool>,
    within: Duration,
) -> watch::Receiver<bool> {
    let (tell, told) = watch::channel(false);
    tokio::spawn(async move {
        // The check is over either way.
        let _ = tokio::time::timeout(within, stop.wait_for(|stop| *stop)).await;
        tell.send_replace(true);
        // The channel stays open as long as there is a receiver.
        tell.closed().await;
    });
    told
}

struct Examiner<'e> {
    exam: &'e Exam,
    candidate: &'e Candidate,
    conditions: Arc<JobConditions>,
    pool: PlayerPool,
    /// The games that show a finding, once there is one.
    log: Option<LogWriter>,
    over: watch::Receiver<bool>,
    report: &'e mut CheckReport,
}

/// The outcome of a step: a summary, and the finding if there is one.
type StepResult = Result<(String, Option<CheckFinding>), Interruption>;

impl<'e> Examiner<'e> {
    fn new(
        exam: &'e Exam,
        candidate: &'e Candidate,
        report: &'e mut CheckReport,
        over: watch::Receiver<bool>,
    ) -> Self {
        let spec = &candidate.spec;
        let twin = PlayerSpec { name: format!("{} again", spec.name), ..spec.clone() };
        let opponents: Vec<PlayerSpec> = exam.opponents(&spec.name).collect();
        let players = [spec, &twin].into_iter().chain(&opponents);
        let conditions = Arc::new(JobConditions {
            control: exam.control,
            policy: exam.policy,
            adjudication: None,
            players: players
                .map(|player| Entrant::from_spec(player, &*exam.rules.game, &exam.containment))
                .enumerate()
                .collect(),
            secret: TournamentSecret::from_seed(exam.seed),
            reads_memory: true,
            spectators: Arc::default(),
            closes: watch::Sender::default().subscribe(),
        });
        Self {
            exam,
            candidate,
            pool: PlayerPool::new(OpeningBook::empty(exam.rules.clone()), Arc::clone(&conditions)),
            conditions,
            log: None,
            over,
            report,
        }
    }

    async fn take_steps(&mut self, tell: impl Fn(StepNews)) -> Result<(), Interruption> {
        for (at, task) in self.exam.tasks().enumerate() {
            if let Some(why) = self.hopeless() {
                self.report.steps[at].summary = format!("skipped: {why}");
                tell(StepNews::Ended(Box::new(self.report.steps[at].clone())));
                continue;
            }
            let name = self.exam.name(task);
            tell(StepNews::Begun(name.clone()));
            let (summary, mut finding) = self.take(task).await?;
            if let Some(finding) = &mut finding {
                finding.add_advice(&self.candidate.spec);
            }
            let verdict = CheckStepVerdict::of(finding.as_ref());
            self.report.steps[at] = CheckStep { name, verdict, summary, finding };
            tell(StepNews::Ended(Box::new(self.report.steps[at].clone())));
        }
        self.report.drop_repeated_notes();
        self.report.note_slow_start(self.exam.control.startup);
        self.report.ready = self.report.decisive().is_none();
        Ok(())
    }

    /// The reason why no more steps are tried, if there is one.
    fn hopeless(&self) -> Option<&'static str> {
        let has_failed = |step: &&CheckStep| {
            matches!(step.verdict, CheckStepVerdict::Failed | CheckStepVerdict::Unfinished)
        };
        let mut failed = self.report.steps.iter().filter(has_failed);
        let first = failed.next()?;
        if first.name == "start" {
            return Some("it does not start");
        }
        (1 + failed.count() >= PATIENCE).then_some("too many failures already")
    }

    async fn take(&mut self, task: Task) -> StepResult {
        match task {
            Task::Start => self.start_in_every_seat().await,
            Task::Turns => self.ask_single_turns().await,
            Task::Itself => self.play_itself().await,
            Task::Long => self.play_long_games().await,
            Task::Load => self.play_under_load().await,
            Task::Against(bot) => self.play_against_bot(bot).await,
        }
    }

    async fn play_itself(&mut self) -> StepResult {
        let (finished, finding) = self.pairs(TWIN, 1, false).await?;
        Ok((format!("{} against itself", pluralize(finished.len(), "game")), finding))
    }

    async fn play_long_games(&mut self) -> StepResult {
        let (finished, finding) = self.pairs(PARTNER, 1, false).await?;
        let plies = finished.iter().map(|record| record.plies).max().unwrap_or_default();
        let seated = finished.iter().map(|record| (record, self.seat_of(record)));
        let met = turn_kinds_met(&self.exam.rules.start, seated).join(", ");
        let summary =
            format!("{}, up to {}; met {met}", pluralize(finished.len(), "game"), Plies(plies));
        Ok((summary, finding))
    }

    async fn play_under_load(&mut self) -> StepResult {
        let busy = keep_cores_busy().map_err(ExamError::NoLoad)?;
        let played = self.pairs(PARTNER, 1, true).await;
        drop(busy);
        let (finished, finding) = played?;
        Ok((format!("{} on a busy core", pluralize(finished.len(), "game")), finding))
    }

    async fn play_against_bot(&mut self, bot: usize) -> StepResult {
        let (finished, finding) = self.pairs(PARTNER + 1 + bot, self.exam.pairs, false).await?;
        let mut standing = CheckOpponentScore::new(&self.exam.bots[bot].name);
        for record in &finished {
            standing.add(record.score(self.seat_of(record)));
        }
        let games = pluralize(finished.len(), "game");
        let summary = format!("{games}: {}", standing.in_words(usize::from(self.seats())));
        self.report.against.push(standing);
        Ok((summary, finding))
    }

    /// Plays pairs against the player with this number, up to the first finding.
    async fn pairs(
        &mut self,
        opponent: usize,
        pairs: u32,
        under_load: bool,
    ) -> Result<(Vec<GameRecord>, Option<CheckFinding>), Interruption> {
        let mut records = Vec::new();
        // Games under load have their own numbers, so that they are different games.
        let first = if under_load { 1001 } else { 1 };
        for pair in first..first + pairs {
            for game in 1..=self.seats() {
                let finished = self.play(opponent, pair, game).await?;
                self.measure(&finished, under_load);
                let finding = self.finding_of(&finished, opponent)?;
                records.push(finished.record);
                if finding.is_some() {
                    return Ok((records, finding));
                }
            }
        }
        Ok((records, None))
    }

    async fn play(
        &mut self,
        opponent: usize,
        pair: u32,
        game: u8,
    ) -> Result<FinishedGame, Interruption> {
        let at = |seat: u8| if seat == game { SUBJECT } else { opponent };
        let players: Lineup = (1..=self.seats()).map(at).collect();
        let name = |number: usize| self.conditions.player(number).name.clone();
        let names: Vec<String> = players.players().map(name).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let id = derive_game_id(&names, pair, game);
        let fixture = Fixture { players, pair, game };
        match self.pool.play(id, fixture, &mut self.over).await {
            JobOutcome::Played(games) => games.into_iter().next().ok_or(Interruption::Over),
            JobOutcome::Shortage(shortage) => Err(ExamError::Shortage(shortage).into()),
            JobOutcome::Failed(failure) => Err(ExamError::Job(failure).into()),
            JobOutcome::Probed(_) | JobOutcome::Stopped => Err(Interruption::Over),
        }
    }

    /// The candidate's seat in a game with another player; the first seat if it plays itself.
    fn seat_of(&self, record: &GameRecord) -> Seat {
        let own = |seat: &Seat| record.players[*seat] == self.candidate.spec.name;
        record.players.seats().find(own).unwrap_or(Seat::FIRST)
    }

    /// The number of seats.
    fn seats(&self) -> u8 {
        self.exam.rules.seats().iter().map(|_| 1).sum()
    }

    fn measure(&mut self, finished: &FinishedGame, under_load: bool) {
        let record = &finished.record;
        let seat = self.seat_of(record);
        let figures = &mut self.report.figures;
        figures.time(&record.clock.used_ns[seat], under_load);
        figures.memory =
            figures.memory.max(finished.memory.as_ref().and_then(|memory| memory[seat]));
        if !under_load {
            figures.start(Duration::from_nanos(record.clock.startup_ns[seat]));
        }
        let mine = finished.warnings.iter().filter(|warning| warning.seat == seat);
        let texts = mine.map(|GameWarning { warning, .. }| warning.text(WarningWording::General));
        self.report.warnings.extend(texts);
    }

    fn finding_of(
        &mut self,
        finished: &FinishedGame,
        opponent: usize,
    ) -> Result<Option<CheckFinding>, Interruption> {
        let record = &finished.record;
        let own = self.seat_of(record);
        let others = record.players.values.others(own);
        let twins = others.clone().filter(|_| opponent == TWIN);
        let fault_at = |seat| Some((seat, record.fault_of(seat)?));
        let failed = [own].into_iter().chain(twins).find_map(fault_at);
        let Some((seat, fault)) = failed else {
            if let Some((seat, fault)) = others.into_iter().find_map(fault_at) {
                let (name, message) = (record.players[seat].clone(), fault.message.clone());
                return Err(ExamError::Partner { name, message }.into());
            }
            return Ok(None);
        };
        let transcript = finished.transcript.as_deref().unwrap_or_default();
        let lines = transcript_before_fault_in(transcript, &self.exam.rules.seats()[seat]);
        let fault = fault.clone();
        self.record_finding(&fault, seat, record, lines).map(Some)
    }

    /// The board after all plies of a record, with colours; `None` if the game hides something from
    /// the player.
    fn board_before(&self, record: &GameRecord) -> Option<ColouredText> {
        let rules = &self.exam.rules;
        if rules.game.is_hidden() {
            return None;
        }
        let (mut replay, mut events) = (Replay::new(&rules.start, record).ok()?, Vec::new());
        for played in replay.by_ref() {
            events = played.ok()?.events;
        }
        Some(render_board_picture(replay.current_position(), &events, Colour::Ansi))
    }

    /// Records the game that shows a fault.
    fn record_finding(
        &mut self,
        fault: &Fault,
        seat: Seat,
        record: &GameRecord,
        lines: Vec<fault_transcript::FaultTranscriptLine>,
    ) -> Result<CheckFinding, Interruption> {
        let Candidate { records: dir, header, .. } = self.candidate;
        write_finding_record(&mut self.log, (dir, header), record)?;
        let mut finding =
            CheckFinding::new(&*self.exam.rules.game, fault, seat, Some(record.plies), lines);
        finding.board = self.board_before(record);
        let here = || {
            let dir = quote_for_shell(&dir.to_string_lossy());
            format!(
                "referee ask {} --results {dir} --record {} --ply {} --seat {}",
                self.candidate.words,
                record.id,
                record.plies,
                self.exam.rules.seats()[seat]
            )
        };
        finding.reproduce = Some(self.candidate.elsewhere.clone().unwrap_or_else(here));
        Ok(finding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_a_check_keeps_the_findings() {
        let steps = ["start", "turns"].map(str::to_owned).into();
        let mut report = CheckReport::new("ant", "ant", "a-game", steps);
        let error = catch_examiner_panic(&mut report, |report| {
            report.steps[0].verdict = CheckStepVerdict::Passed;
            panic!("of {} pieces", 3)
        });
        let message =
            "the check of ant: the referee panicked: of 3 pieces; this is a bug in the referee";
        assert_eq!(error.expect_err("a panic").to_string(), message);
        let verdict =
            "not finished: the referee panicked: of 3 pieces; no problems found in 1 of 2 steps";
        assert_eq!(report.verdict(), verdict);
    }
}
