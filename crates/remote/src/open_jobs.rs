//! The coordinator's jobs: those that are handed out, and results that came before their job.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::delivery::DeliveryAck;
use super::spot_checks::FirstResult;
use super::worker_identity::WorkerId;
use referee_record::model::clock::{TimeControl, wall_clock_limit};
use referee_tournament::run::job::Job;
use referee_tournament::run::job_failure::JobFailure;
use referee_tournament::run::player_pool::LONGEST_OUTAGE_PAUSE;

/// The maximum size of all results that are kept for jobs not handed out yet, in bytes.
const MAX_EARLY_BYTES: usize = 64 << 20;

/// A result as it arrived.
pub(crate) struct ArrivedResult {
    /// Who sent it.
    pub(crate) worker: WorkerId,
    /// The packed outcome.
    pub(crate) packed: Bytes,
    /// Acknowledges it.
    pub(crate) ack: DeliveryAck,
}

/// A job that is handed out.
pub(crate) struct OpenJob {
    /// The number of the runner's worker that waits for it.
    pub(crate) slot: usize,
    /// The job.
    pub job: Job,
    /// How often it was handed out before.
    pub(crate) attempt: u32,
    /// When it was queued last.
    pub(crate) queued: Instant,
    /// The number of its message in the queue, once the server has said it.
    pub(crate) sequence: Option<u64>,
    /// When it was found to be delivered, or when another worker took it.
    pub(crate) taken: Option<Instant>,
    /// The worker that says that it has it.
    pub(crate) holder: Option<WorkerId>,
    /// The workers that had it and fell silent.
    pub(crate) lost: Vec<WorkerId>,
    /// The first result, if another worker does the job again as a check.
    pub(crate) first: Option<FirstResult>,
    /// The workers on which it failed.
    pub(crate) failures: Vec<(WorkerId, JobFailure)>,
}

impl OpenJob {
    fn new(slot: usize, job: Job) -> Self {
        Self {
            slot,
            job,
            attempt: 0,
            queued: Instant::now(),
            sequence: None,
            taken: None,
            holder: None,
            lost: Vec::new(),
            first: None,
            failures: Vec::new(),
        }
    }

    /// Begins another attempt.
    pub(crate) fn begin_again(&mut self) {
        self.attempt += 1;
        (self.sequence, self.taken, self.holder) = (None, None, None);
        self.queued = Instant::now();
    }

    /// The worker that leaves this attempt to others.
    pub(crate) fn left_by(&self) -> Option<&WorkerId> {
        let first = self.first.as_ref().map(|first| &first.worker);
        first.or(self.failures.last().map(|(worker, _)| worker))
    }

    /// The job in words, by the identities of its games.
    pub(crate) fn describe(&self) -> String {
        match &self.job {
            Job::Probe(_) => "the start of a player".to_owned(),
            Job::Play(games) => {
                let ids: Vec<&str> = games.iter().map(|game| game.id.as_str()).collect();
                format!("game {}", ids.join(" and "))
            }
        }
    }
}

/// The state of a job. There is one for each name.
enum JobState {
    /// Not handed out yet: a result that an earlier coordinator did not keep.
    Early(Box<ArrivedResult>),
    Open(Box<OpenJob>),
}

/// The jobs by name.
#[derive(Default)]
pub(crate) struct OpenJobs {
    jobs: HashMap<String, JobState>,
    early_bytes: usize,
}

impl OpenJobs {
    /// Opens a job for worker `slot` of the runner. Returns its result, if that came before.
    pub(crate) fn open(&mut self, name: &str, slot: usize, job: Job) -> Option<ArrivedResult> {
        let early = self.drop_early(name);
        let open = Box::new(OpenJob::new(slot, job));
        self.jobs.insert(name.to_owned(), JobState::Open(open));
        early
    }

    pub(crate) fn get(&mut self, name: &str) -> Option<&mut OpenJob> {
        match self.jobs.get_mut(name) {
            Some(JobState::Open(open)) => Some(open),
            _ => None,
        }
    }

    /// Closes a job: it has a result, or is left out.
    pub(crate) fn close(&mut self, name: &str) -> Option<OpenJob> {
        self.get(name)?;
        match self.jobs.remove(name) {
            Some(JobState::Open(open)) => Some(*open),
            _ => None,
        }
    }

    /// Keeps a result for a job that is not open. Returns the result that has to go instead: an
    /// older one of the job, or this one if too much is kept.
    pub(crate) fn keep_early(
        &mut self,
        name: &str,
        arrival: ArrivedResult,
    ) -> Option<ArrivedResult> {
        let old = self.drop_early(name);
        let is_late = self.jobs.contains_key(name);
        if is_late || self.early_bytes + arrival.packed.len() > MAX_EARLY_BYTES {
            return Some(arrival);
        }
        self.early_bytes += arrival.packed.len();
        self.jobs.insert(name.to_owned(), JobState::Early(Box::new(arrival)));
        old
    }

    /// Drops the result that was kept for a job.
    pub(crate) fn drop_early(&mut self, name: &str) -> Option<ArrivedResult> {
        if !matches!(self.jobs.get(name), Some(JobState::Early(_))) {
            return None;
        }
        match self.jobs.remove(name) {
            Some(JobState::Early(arrival)) => {
                self.early_bytes -= arrival.packed.len();
                Some(*arrival)
            }
            _ => None,
        }
    }

    pub(crate) fn iter(&mut self) -> impl Iterator<Item = (&String, &mut OpenJob)> {
        self.jobs.iter_mut().filter_map(|(name, state)| match state {
            JobState::Open(open) => Some((name, &mut **open)),
            JobState::Early(_) => None,
        })
    }
}

/// How long a worker may take for a deal, as many games as there are `seats`: the time that the
/// clocks allow all players of games of `plies` plies, and as much again for each player, because a
/// game that a player disturbs is played again. Without limits, ten times the longest job so far,
/// but at least an hour.
pub(crate) fn job_time_bound(
    control: &TimeControl,
    seats: usize,
    plies: u32,
    longest: Duration,
) -> Duration {
    let of_budget = control.budget.map(|budget| {
        let periods = control.moves.map_or(1, |moves| plies / moves.max(1) + 1);
        budget * periods + control.increment * plies
    });
    let of_moves = control.per_move.map(|limit| limit * plies);
    let thinking = match (of_budget, of_moves) {
        (Some(budget), Some(moves)) => Some(budget.min(moves)),
        (one, other) => one.or(other),
    };
    let Some(thinking) = thinking else { return (longest * 10).max(Duration::from_secs(3600)) };
    // Besides, the referee needs some time of its own.
    let player =
        wall_clock_limit(control.measure, control.startup + thinking) + Duration::from_secs(1);
    let seats = u32::try_from(seats).unwrap_or(u32::MAX);
    player.saturating_mul(seats.saturating_mul(seats).saturating_mul(seats.saturating_add(1)))
}

/// The bound of a job whose games may be void this often because of each player, and are played again
/// after a pause.
pub(crate) fn job_time_bound_with_outages(bound: Duration, seats: usize, outages: u8) -> Duration {
    let again = u32::try_from(seats).unwrap_or(u32::MAX).saturating_mul(outages.into());
    let pauses = LONGEST_OUTAGE_PAUSE.saturating_mul(again);
    let games = u32::try_from(seats).unwrap_or(u32::MAX);
    bound.saturating_mul(again.saturating_add(1)).saturating_add(pauses.saturating_mul(games))
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::clock::Measure;

    #[test]
    fn a_job_has_one_state() {
        let mut jobs = OpenJobs::default();
        assert!(jobs.open("a", 7, Job::Probe(0)).is_none());
        assert_eq!(jobs.iter().count(), 1);
        assert!(jobs.drop_early("a").is_none() && jobs.get("b").is_none());
        let open = jobs.get("a").expect("open");
        (open.taken, open.sequence) = (Some(Instant::now()), Some(3));
        open.begin_again();
        assert_eq!((open.attempt, open.taken, open.sequence), (1, None, None));
        assert_eq!(jobs.close("a").map(|open| open.slot), Some(7));
        assert!(jobs.close("a").is_none());
        assert!(jobs.open("a", 8, Job::Probe(0)).is_none());
    }

    #[test]
    fn the_bound_of_a_job_follows_from_the_clocks() {
        let seconds = Duration::from_secs;
        let mut control = TimeControl::unlimited(seconds(1));
        let bound = |control: &TimeControl| job_time_bound(control, 2, 100, seconds(400)).as_secs();
        assert_eq!(bound(&control), 4000);
        control.budget = Some(seconds(60));
        assert_eq!(bound(&control), 12 * 62);
        control.increment = seconds(1);
        assert_eq!(bound(&control), 12 * 162);
        control.per_move = Some(Duration::from_millis(500));
        assert_eq!(bound(&control), 12 * 52);
        control.measure = Measure::Cpu;
        assert_eq!(bound(&control), 12 * 512);
        // Four games of four players, five times over.
        assert_eq!(job_time_bound(&control, 4, 100, seconds(400)).as_secs(), 4 * 4 * 5 * 512);
    }
}
