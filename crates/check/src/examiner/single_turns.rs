//! The steps without whole games: starting the player and asking it for single turns.

use std::sync::Arc;
use std::time::Duration;

use super::{Examiner, Interruption, PARTNER, SUBJECT, StepResult};
use crate::CheckFinding;
use crate::drills::Drill;
use crate::error::ExamError;
use crate::fault_transcript::transcript_before_fault;
use referee_match::player::{InitView, NotStarted, Player, PlayerLaunch};
use referee_match::reask::{self, DecisionPoint, RecordedGame};
use referee_protocol::{Greeting, GreetingWants};
use referee_record::model::clock::{TimeControl, format_clock_seconds};
use referee_record::model::short_clock::with_own_short_clock;
use referee_record::model::warning::{PlayerWarning, WarningWording};
use referee_record::wording::pluralize;

impl Examiner<'_> {
    /// The player's time limits.
    fn control(&self) -> TimeControl {
        with_own_short_clock(&self.exam.control, self.candidate.spec.tc)
    }

    /// Starts it in every seat and lets it quit.
    pub(super) async fn start_in_every_seat(&mut self) -> StepResult {
        let mut starts = Vec::new();
        let mut wants = GreetingWants::default();
        let (game, seats) = (&*self.exam.rules.game, self.exam.rules.seats());
        for seat in seats.seats() {
            let mut player = self.launch_for_single_turn();
            let begun = {
                let view = InitView {
                    seat,
                    rules: &self.exam.rules,
                    position: &*self.exam.rules.start,
                    control: &self.control(),
                    opponent_increment: Duration::ZERO,
                    seed: 1,
                    opening: &[],
                };
                self.await_single_player(player.begin(&view)).await
            };
            let begun = match begun {
                Ok(begun) => begun,
                Err(stop) => {
                    player.kill().await;
                    return Err(stop);
                }
            };
            match begun {
                Ok((Greeting { wants: wanted, .. }, took)) => {
                    self.report.figures.start(took);
                    self.quit_single_player(player).await;
                    wants = wanted;
                    starts.push(format!("{} as {}", format_clock_seconds(took), seats[seat]));
                }
                Err(NotStarted::Shortage(shortage)) => return Err(ExamError::from(shortage).into()),
                Err(NotStarted::Game(error)) => return Err(ExamError::from(error).into()),
                Err(NotStarted::Fault(fault)) => {
                    let lines = transcript_before_fault(&player);
                    let mut finding = CheckFinding::new(game, &fault, seat, None, lines);
                    // A program is named by a file, which the configuration has.
                    let game = match game.program() {
                        None => format!(" --game {}", game.name()),
                        Some(_) => String::new(),
                    };
                    finding.reproduce = Some(format!("referee ask {}{game}", self.candidate.words));
                    player.leave().await;
                    return Ok(("it does not start".to_owned(), Some(finding)));
                }
            }
        }
        let after = starts.join(", ");
        Ok((format!("greets after {after}; {}", describe_wants(wants)), None))
    }

    /// Asks it for every kind of turn.
    pub(super) async fn ask_single_turns(&mut self) -> StepResult {
        let takes_openings = self.candidate.spec.takes_openings();
        let (mut kinds, mut asked, mut left_out) = (0, 0, 0);
        let exam = self.exam;
        for (number, drill) in (1..).zip(&exam.drills) {
            if !takes_openings && drill.beginning.plies > 0 {
                left_out += drill.kinds.len();
                continue;
            }
            if let Some(finding) = self.ask_drill_turn(number, drill).await? {
                let kinds: Vec<&str> = drill.kinds.values().map(String::as_str).collect();
                let summary = format!("a turn with {} went wrong", kinds.join(", "));
                return Ok((summary, Some(finding)));
            }
            kinds += drill.kinds.len();
            asked += 1;
        }
        let mut summary =
            format!("{} of turn, {}", pluralize(kinds, "kind"), pluralize(asked, "position"));
        if left_out > 0 {
            summary.push_str(
                "; the others only in whole games, because this player cannot start from an \
                 opening",
            );
        }
        Ok((summary, None))
    }

    async fn ask_drill_turn(
        &mut self,
        number: u32,
        drill: &Drill,
    ) -> Result<Option<CheckFinding>, Interruption> {
        let seat = drill.seat;
        let names = self.exam.rules.seats().map_seats(|at| {
            let number = if at == seat { SUBJECT } else { PARTNER };
            self.conditions.player(number).name.clone()
        });
        let secret = &self.conditions.secret;
        let seeds = names.map_seats(|seat| {
            let others: Vec<&str> = names.others(seat).map(|other| &*names[other]).collect();
            secret.player_seed(&names[seat], &others, number, 1)
        });
        let record = |startup, fault| {
            drill.beginning.record(
                self.exam.rules.seats(),
                &names,
                seeds.clone(),
                number,
                (seat, startup, fault),
            )
        };
        let unplayed = record(Duration::ZERO, None);
        let source = RecordedGame {
            rules: &self.exam.rules,
            control: &self.control(),
            policy: self.exam.policy,
            record: &unplayed,
        };
        let decision = DecisionPoint { seat, ply: drill.beginning.plies };
        let mut player = self.launch_for_single_turn();
        let put = self.await_single_player(reask::ask_again(&source, decision, &mut player)).await;
        let put = match put {
            Ok(put) => put.map_err(ExamError::from)?,
            Err(stop) => {
                player.kill().await;
                return Err(stop);
            }
        };
        let lines = transcript_before_fault(&player);
        self.quit_single_player(player).await;
        let startup = put.greeted.map_or(Duration::ZERO, |(_, took)| took);
        let Err(fault) = put.outcome else { return Ok(None) };
        let record = record(startup, Some(fault.clone()));
        self.record_finding(&fault, seat, &record, lines).map(Some)
    }

    pub(super) async fn quit_single_player(&mut self, mut player: Player) {
        let memory = player.peak_memory();
        let statistics = player.leave().await;
        // Only now can the stderr be read.
        let stderr = player.stderr().len();
        self.report.figures.memory = self.report.figures.memory.max(memory);
        let mut warn = |text: &str| self.report.warnings.insert(text.to_owned());
        if stderr > 0 {
            warn("writes to stderr, which is saved beside the log and is not a fault");
        }
        let left = (statistics.leftover > 0).then_some(statistics.leftover);
        let left = left.map(PlayerWarning::LeftProcesses);
        let wrote = statistics.afterwards.map(PlayerWarning::WroteAfterEnd);
        // The same texts as after a whole game, so that the report says them once.
        for warning in left.into_iter().chain(wrote) {
            warn(&warning.text(WarningWording::General));
        }
    }

    pub(super) fn launch_for_single_turn(&self) -> Player {
        let launch = PlayerLaunch::for_player(&self.candidate.spec, &*self.exam.rules.game);
        let containment = Arc::clone(&self.exam.containment);
        Player::process(launch, containment)
    }

    pub(super) async fn await_single_player<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, Interruption> {
        let mut over = self.over.clone();
        tokio::select! {
            biased;
            _ = over.wait_for(|over| *over) => Err(Interruption::Over),
            done = work => Ok(done),
        }
    }
}

/// Describes the parts of messages that it wants.
fn describe_wants(wants: GreetingWants) -> String {
    let wanted: Vec<&str> = wants.names().collect();
    if wanted.is_empty() {
        "wants nothing".to_owned()
    } else {
        format!("wants {}", wanted.join(", "))
    }
}
