//! Finds the fault in a reply, its time or its absence.

use std::time::{Duration, Instant};

use nix::libc;

use super::outcome::{NoLine, WriteOutcome};
use super::{LineAnswer, PlayerProcess, process_turn_time};
use crate::player::cpu_usage::Interval;
use crate::player::fault_messages::{
    Late, closed_output_fault, early_end_fault, late_reply_fault, no_reply_fault, overrun_fault,
    oversize_line_fault, oversize_output_fault, supervisor_gone_fault, timeout_fault,
};
use crate::player::reply_limit::ReplyLimit;
use crate::player::reply_timer::ReplyTimer;
use crate::player::transcript::LineDirection;
use referee_record::model::clock::Measure;
use referee_record::model::fault::Fault;
use referee_sandbox::SupervisorGone;

/// How long the exit of a process may lag behind the end of its stdout.
pub(super) const EXIT_LAG: Duration = Duration::from_secs(1);
/// How long the end of stderr may lag behind the exit of the process.
const STDERR_LAG: Duration = Duration::from_millis(200);

impl PlayerProcess {
    /// The fault of a reply that took too long, overtime included: what the opponent took of that is
    /// not known here.
    pub(super) fn diagnose_reply_time(
        &self,
        limit: ReplyLimit,
        wall: Duration,
        cpu: Duration,
    ) -> Result<(), Fault> {
        match self.over_cpu(limit, cpu) {
            Some(fault) => Err(fault),
            None if wall > limit.bound + limit.overtime => {
                Err(late_reply_fault(self.awaited(), [wall, limit.bound], limit.margin))
            }
            None => Ok(()),
        }
    }

    /// The fault of a player whose time is up.
    pub(super) async fn diagnose_late_reply(
        &mut self,
        limit: ReplyLimit,
        asked: Instant,
        written: WriteOutcome,
        timer: &ReplyTimer,
    ) -> LineAnswer {
        let now = Instant::now();
        let cpu = self.cpu_usage.end_interval(Interval::OnTurn, now).cpu;
        let wall = self.charged_wall_time(asked, now, timer);
        let state = self.sandboxed.state();
        let time = process_turn_time(limit, wall, cpu, timer);
        self.note_partial(now);
        let fault = match self.over_cpu(limit, cpu) {
            Some(fault) => no_reply_fault(self.awaited(), fault),
            None => self.diagnose_overrun(timeout_fault(Late {
                awaited: self.awaited(),
                allowance: limit.bound,
                margin: if limit.measure == Measure::Wall { limit.margin } else { Duration::ZERO },
                budget: limit.budget,
                measure: limit.measure,
                cpu: self.cpu_usage.used_in_game().map(|_| cpu),
                wall,
                partial: &self.buffer,
                state,
                unread: written == WriteOutcome::Late,
            })),
        };
        let patience = if self.bridged { EXIT_LAG } else { Duration::ZERO };
        if self.bridged {
            self.sandboxed.signal(libc::SIGUSR1);
        }
        LineAnswer { line: Err(self.diagnose_with_stderr(fault, patience).await), time }
    }

    /// What it was asked for, in messages.
    fn awaited(&self) -> &'static str {
        self.awaits.unwrap_or("reply")
    }

    pub(super) fn note_partial(&mut self, now: Instant) {
        if !self.buffer.is_empty() {
            self.transcript.push(LineDirection::FromPlayer, now, &self.buffer);
        }
    }

    /// Diagnoses the end of the output after the process has exited.
    pub(super) async fn diagnose_end_of_output(&mut self, end: NoLine) -> Fault {
        self.note_partial(Instant::now());
        match end {
            NoLine::Oversize => return oversize_line_fault(&self.buffer),
            NoLine::TooMuch => {
                return oversize_output_fault(self.limits.output, self.awaits);
            }
            NoLine::Closed | NoLine::Exited => {}
        }
        self.wait_for_end(EXIT_LAG).await;
        let status = match self.ended {
            None => return closed_output_fault(),
            Some(Err(SupervisorGone)) => return supervisor_gone_fault(),
            Some(Ok(status)) => status,
        };
        let fault = self.diagnose_overrun(early_end_fault(status, &self.buffer));
        self.diagnose_with_stderr(fault, STDERR_LAG).await
    }

    /// The fault of a player that is about to exit because of it, with its last lines of stderr.
    pub(in crate::player) async fn diagnose_exit(&mut self, fault: Fault) -> Fault {
        self.wait_for_end(EXIT_LAG).await;
        let fault = self.diagnose_overrun(fault);
        self.diagnose_with_stderr(fault, STDERR_LAG).await
    }

    /// Adds the last lines of stderr to the fault, after waiting this long for its end.
    pub(super) async fn diagnose_with_stderr(
        &mut self,
        mut fault: Fault,
        patience: Duration,
    ) -> Fault {
        self.stderr.settle(patience).await;
        if let Some(hint) = self.barred.hint(&self.stderr.text()) {
            fault.message = format!("{}; {hint}", fault.message);
        }
        Fault { stderr: self.stderr.last_lines(), ..fault }
    }

    /// The fault of a failed player, based on the limit that it reached, if any.
    pub(super) fn diagnose_overrun(&self, fault: Fault) -> Fault {
        self.sandboxed.overrun().map_or(fault.clone(), |overrun| overrun_fault(overrun, fault))
    }
}
