//! Spot checks: a share of the games is played again by another worker, and compared.
//!
//! The rules show whether a record is possible, not whether it is what the players did. Players
//! that always play the same in the same situation let another worker find that out.

use super::delivery::DeliveryAck;
use super::worker_identity::WorkerId;
use referee_record::model::record::GameRecord;
use referee_tournament::run::job::FinishedGame;

/// The result of a job that another worker does again.
pub(crate) struct FirstResult {
    /// Who did it first.
    pub(crate) worker: WorkerId,
    pub(crate) games: Vec<FinishedGame>,
    /// Acknowledges the result.
    pub(crate) ack: DeliveryAck,
}

/// Chooses the jobs that are checked, and compares their results.
#[derive(Debug)]
pub(crate) struct SpotChecks {
    /// The share of jobs, 0 … 1.
    share: f64,
    /// Drawn afresh, so that no worker knows which jobs are checked.
    key: [u8; 32],
    /// How many games were compared.
    pub(crate) compared: u64,
    /// How many of them were different.
    pub(crate) different: u64,
}

impl SpotChecks {
    /// Checks this `share` of jobs, chosen by `key`.
    pub(crate) fn new(share: f64, key: [u8; 32]) -> Self {
        Self { share, key, compared: 0, different: 0 }
    }

    /// Whether a job is to be checked.
    pub(crate) fn chooses(&self, name: &str) -> bool {
        let hash = blake3::keyed_hash(&self.key, name.as_bytes());
        let (bytes, _) = hash.as_bytes().split_at(4);
        let drawn = bytes.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
        f64::from(drawn) < self.share * f64::from(u32::MAX)
    }

    /// Compares the games of both workers. Returns the differences.
    pub(crate) fn compare(
        &mut self,
        first: &[FinishedGame],
        second: &[FinishedGame],
    ) -> Vec<SpotCheckDifference> {
        let pairs = first.iter().zip(second);
        let found: Vec<SpotCheckDifference> = pairs
            .filter_map(|(one, other)| find_spot_check_difference(&one.record, &other.record))
            .collect();
        self.compared += first.len().min(second.len()) as u64;
        self.different += found.len() as u64;
        found
    }
}

/// The first difference between two records of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpotCheckDifference {
    /// The game's identity.
    pub(crate) game: String,
    /// The number of the first other action, from 1; none if only the end differs.
    pub(crate) ply: Option<usize>,
}

fn find_spot_check_difference(one: &GameRecord, other: &GameRecord) -> Option<SpotCheckDifference> {
    let (first, second) = (&one.actions, &other.actions);
    let both = first.iter().zip(second).position(|(one, other)| one != other);
    let shorter = first.len().min(second.len());
    let ply = both.or((first.len() != second.len()).then_some(shorter)).map(|at| at + 1);
    let same_end =
        (&one.result, &one.places, &one.reason) == (&other.result, &other.places, &other.reason);
    (ply.is_some() || !same_end).then(|| SpotCheckDifference { game: one.id.clone(), ply })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_jobs_that_are_checked_is_as_asked() {
        let chosen = |share| {
            let checks = SpotChecks::new(share, [7; 32]);
            (0..1000).filter(|number| checks.chooses(&number.to_string())).count()
        };
        assert_eq!((chosen(0.0), chosen(1.0)), (0, 1000));
        assert!((200..300).contains(&chosen(0.25)), "{}", chosen(0.25));
    }
}
