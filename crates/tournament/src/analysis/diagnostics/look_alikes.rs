//! Players that decide alike: the share of identical decisions in identical positions.
//!
//! A position counts once per player, with the first decision that the player made in it, and only
//! if there was a choice. Good players find the same good moves, so the share is shown next to the
//! share that the two have with all others. It is a reason to look closer, not a verdict.
//!
//! The number of kept decisions is bounded. Beyond it, positions are a sample: those with the
//! lowest hashes, whatever the order of the games, so that the positions two players share stay
//! complete.

use std::collections::BTreeMap;

use serde::Serialize;

use super::decisions::DecisionHash;

/// The minimum number of common positions; fewer prove nothing.
const LEAST_POSITIONS: u32 = 20;
/// The smallest share of identical decisions to report.
const LEAST_SHARE: f64 = 0.8;
/// The minimum difference between that share and the share with all other players.
const LEAST_EXCESS: f64 = 0.1;
/// The most pairs of players to show.
const MOST: usize = 20;
/// The most decisions to keep, in about 20 MB.
const KEPT: usize = 500_000;

/// Two players that decide alike.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LookAlike {
    /// Their names.
    pub players: [String; 2],
    /// The number of different positions in which both had a choice.
    pub positions: u32,
    /// The share of these in which they chose the same action, 0 … 1.
    pub share: f64,
    /// The share of identical decisions that the two have with all others, 0 … 1; null if they
    /// share no position with others.
    pub share_with_others: Option<f64>,
}

/// The first decision of each player in each position, if it is kept.
#[derive(Debug)]
pub(super) struct LookAlikes {
    /// The hash of an action, by position and player.
    decided: BTreeMap<(u64, u32), u32>,
    most: usize,
}

impl Default for LookAlikes {
    fn default() -> Self {
        Self::keeping(KEPT)
    }
}

/// The number of common positions, and how many of them have the same decision.
#[derive(Debug, Clone, Copy, Default)]
struct CommonPositions {
    positions: u32,
    same: u32,
}

impl LookAlikes {
    fn keeping(most: usize) -> Self {
        Self { decided: BTreeMap::new(), most }
    }

    #[expect(clippy::cast_possible_truncation, reason = "a part of a hash, and a small number")]
    pub(super) fn add(&mut self, player: usize, decision: &DecisionHash) {
        let place = (decision.position, player as u32);
        if self.decided.len() >= self.most
            && self.decided.last_key_value().is_none_or(|(last, _)| *last < place)
        {
            return;
        }
        self.decided.entry(place).or_insert(decision.action as u32);
        if self.decided.len() > self.most {
            self.decided.pop_last();
        }
    }

    pub(super) fn found(&self, names: &[String]) -> Vec<LookAlike> {
        let common = self.common();
        let mut of_player = vec![CommonPositions::default(); names.len()];
        for (&(one, other), common) in &common {
            for player in [one, other] {
                of_player[player].positions += common.positions;
                of_player[player].same += common.same;
            }
        }
        let mut found: Vec<LookAlike> = common
            .into_iter()
            .filter(|(_, common)| common.positions >= LEAST_POSITIONS)
            .filter_map(|((one, other), common)| {
                let rest = |all: fn(&CommonPositions) -> u32| {
                    all(&of_player[one]) + all(&of_player[other]) - 2 * all(&common)
                };
                let elsewhere =
                    CommonPositions { positions: rest(|c| c.positions), same: rest(|c| c.same) };
                let (share, others) = (common.share()?, elsewhere.share());
                let strange = share >= LEAST_SHARE
                    && others.is_none_or(|others| share - others >= LEAST_EXCESS);
                strange.then(|| LookAlike {
                    players: [names[one].clone(), names[other].clone()],
                    positions: common.positions,
                    share,
                    share_with_others: others,
                })
            })
            .collect();
        found.sort_by(|one, other| {
            other.share.total_cmp(&one.share).then(other.positions.cmp(&one.positions))
        });
        found.truncate(MOST);
        found
    }

    fn common(&self) -> BTreeMap<(usize, usize), CommonPositions> {
        let mut common: BTreeMap<(usize, usize), CommonPositions> = BTreeMap::new();
        let mut group: Vec<(usize, u32)> = Vec::new();
        let mut here = None;
        for (&(position, player), &action) in &self.decided {
            if here.replace(position) != Some(position) {
                group.clear();
            }
            let player = player as usize;
            for &(other, other_action) in &group {
                let entry = common.entry((other, player)).or_default();
                entry.positions += 1;
                entry.same += u32::from(action == other_action);
            }
            group.push((player, action));
        }
        common
    }
}

impl CommonPositions {
    fn share(self) -> Option<f64> {
        (self.positions > 0).then(|| f64::from(self.same) / f64::from(self.positions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::Seat;

    fn decision(position: u64, action: u64) -> DecisionHash {
        DecisionHash { seat: Seat::First, position, action }
    }

    #[test]
    fn look_alikes_are_found() {
        let mut seen = LookAlikes::default();
        for position in 0..40 {
            for player in 0..4 {
                // Players 1 and 3 choose the same in all positions but one; the others choose
                // freely.
                let own = (position * 7 + player * 13) % 5;
                let twin = if position == 0 { player } else { 9 };
                let action = if player % 2 == 1 { twin } else { own };
                let player = usize::try_from(player).expect("small");
                seen.add(player, &decision(position, action));
                // A later decision in the same position does not count.
                seen.add(player, &decision(position, 99));
            }
        }
        let names = ["ant", "bee", "cat", "dog"].map(str::to_owned);
        let found = seen.found(&names);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].players, ["bee", "dog"]);
        assert_eq!(found[0].positions, 40);
        assert!((found[0].share - 39.0 / 40.0).abs() < 1e-12);
        assert!(found[0].share_with_others.is_some_and(|share| share < 0.05), "{found:?}");
    }

    #[test]
    fn beyond_the_limit_the_sample_does_not_depend_on_the_order() {
        let decisions: Vec<_> = (0..400_u64)
            .map(|number| {
                (number % 2, decision((number / 2).wrapping_mul(0x9e37_79b9_7f4a_7c15), number % 3))
            })
            .collect();
        let sample = |decisions: &mut dyn Iterator<Item = &(u64, DecisionHash)>| {
            let mut seen = LookAlikes::keeping(100);
            for (player, decision) in decisions {
                seen.add(usize::from(*player == 1), decision);
                assert!(seen.decided.len() <= 100);
            }
            seen.decided
        };
        let kept = sample(&mut decisions.iter());
        assert_eq!(kept, sample(&mut decisions.iter().rev()));
        let mut both = LookAlikes::keeping(100);
        both.decided = kept;
        assert_eq!(both.common()[&(0, 1)].positions, 50, "what is common is kept whole");
    }

    #[test]
    fn common_decisions_and_few_positions_are_not_reported() {
        let mut all = LookAlikes::default();
        for player in 0..3 {
            (0..50).for_each(|position| all.add(player, &decision(position, 1)));
        }
        let names = ["ant", "bee", "cat"].map(str::to_owned);
        assert!(all.found(&names).is_empty());
        let mut few = LookAlikes::default();
        for player in 0..2 {
            (0..19).for_each(|position| few.add(player, &decision(position, 1)));
        }
        assert!(few.found(&names).is_empty());
    }
}
