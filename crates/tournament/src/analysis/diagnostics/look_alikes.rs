//! Players that decide alike: the share of identical decisions in identical positions. And players
//! that play the first legal action.
//!
//! A position counts once per player, with the first decision that the player made in it, and only
//! if there was a choice. Good players find the same good moves, so the share is shown next to the
//! share that the players have with all others. It is a reason to look closer, not a verdict.
//!
//! The number of kept decisions is bounded. Beyond it, positions are a sample: those with the
//! lowest hashes, regardless of the order of the games, so that the positions two players share
//! stay complete.

use std::collections::BTreeMap;

use serde::Serialize;

use super::decision_hashes::DecisionHash;

/// The minimum number of positions; fewer prove nothing.
const LEAST_POSITIONS: u32 = 20;
/// The smallest share of identical decisions to report.
const LEAST_SHARE: f64 = 0.8;
/// The smallest share of first legal actions to report.
const LEAST_FIRST: f64 = 0.95;
/// The minimum difference between such a share and that of all other players.
const LEAST_EXCESS: f64 = 0.1;
/// The most clusters of players to show.
const MOST: usize = 20;
/// The most decisions to keep, in about 24 MB.
const KEPT: usize = 500_000;

/// A cluster of players: each decides like at least one other, and all are connected.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LookAlikes {
    /// Their names.
    pub players: Vec<String>,
    /// The smallest number of different positions in which two that decide alike had a choice.
    pub positions: u32,
    /// The lowest share of these in which two that decide alike chose the same action, 0 … 1.
    pub share: f64,
    /// The share of identical decisions that the players have with all others, 0 … 1; null if they
    /// share no position with others.
    pub share_with_others: Option<f64>,
}

/// A player that plays the first legal action.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FirstLegal {
    /// The name.
    pub player: String,
    /// The number of different positions in which it had a choice.
    pub positions: u32,
    /// The share of these in which it chose the first legal action, 0 … 1.
    pub share: f64,
}

/// What players' decisions show.
#[derive(Debug)]
pub(super) struct Habits {
    /// The clusters of players that decide alike, the most similar first.
    pub(super) look_alikes: Vec<LookAlikes>,
    /// The players that nearly always play the first legal action, and more often than others do.
    pub(super) first_legal: Vec<FirstLegal>,
}

/// The first decision of each player in each position, if it is kept.
#[derive(Debug)]
pub(super) struct LookAlikeDecisions {
    /// The hash of an action, and whether it is the first legal one, by position and player.
    decided: BTreeMap<(u64, u32), (u32, bool)>,
    most: usize,
}

impl Default for LookAlikeDecisions {
    fn default() -> Self {
        Self::with_limit(KEPT)
    }
}

/// A number of positions, and how many of them have the decision that is looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct LookAlikePositions {
    all: u32,
    same: u32,
}

impl LookAlikeDecisions {
    fn with_limit(most: usize) -> Self {
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
        self.decided.entry(place).or_insert((decision.action as u32, decision.is_first));
        if self.decided.len() > self.most {
            self.decided.pop_last();
        }
    }

    /// The players that decide alike, or nearly always play the first legal action.
    pub(super) fn find_habits(&self, names: &[String]) -> Habits {
        let counted = self.count_positions(names.len());
        let look_alikes = counted.look_alikes(names);
        Habits { look_alikes, first_legal: counted.first_legal(names) }
    }

    /// Counts what so many players have in common.
    fn count_positions(&self, players: usize) -> LookAlikeCounts {
        // Where games begin alike, nearly every two players have a position in common.
        let mut table = vec![LookAlikePositions::default(); LookAlikeCounts::row_start(players)];
        let mut first = vec![LookAlikePositions::default(); players];
        let mut group: Vec<(usize, u32)> = Vec::new();
        let mut here = None;
        for (&(position, player), &(action, is_first)) in &self.decided {
            if here.replace(position) != Some(position) {
                group.clear();
            }
            let player = player as usize;
            first[player].add(LookAlikePositions { all: 1, same: u32::from(is_first) });
            let row = &mut table[LookAlikeCounts::row_start(player)..][..player];
            for &(other, other_action) in &group {
                row[other]
                    .add(LookAlikePositions { all: 1, same: u32::from(action == other_action) });
            }
            group.push((player, action));
        }
        LookAlikeCounts { table, first }
    }
}

/// The positions of players, and those that they have in common.
struct LookAlikeCounts {
    /// The positions that each two players have in common: for each player, those with each player
    /// before it.
    table: Vec<LookAlikePositions>,
    /// The positions of each player, and those in which it plays the first legal action.
    first: Vec<LookAlikePositions>,
}

impl LookAlikeCounts {
    /// The positions that each two players have in common, sorted by the second.
    fn pairs(&self) -> impl Iterator<Item = ([usize; 2], LookAlikePositions)> {
        (0..self.first.len()).flat_map(|player| {
            let row = self.table[Self::row_start(player)..][..player].iter().enumerate();
            row.map(move |(other, common)| ([other, player], *common))
        })
    }

    /// Where the row of a player begins in the table.
    fn row_start(player: usize) -> usize {
        player * player.saturating_sub(1) / 2
    }

    /// The clusters of players that decide alike, the most similar first.
    fn look_alikes(&self, names: &[String]) -> Vec<LookAlikes> {
        let mut of_player = vec![LookAlikePositions::default(); names.len()];
        for (pair, common) in self.pairs() {
            for player in pair {
                of_player[player].add(common);
            }
        }
        let is_similar = |&(pair, common): &([usize; 2], LookAlikePositions)| {
            let [one, other] = pair.map(|player| of_player[player]);
            let rest = LookAlikePositions {
                all: one.all + other.all - 2 * common.all,
                same: one.same + other.same - 2 * common.same,
            };
            common.stands_out(LEAST_SHARE, rest)
        };
        let mut similar: Vec<_> = self.pairs().filter(is_similar).collect();
        if similar.is_empty() {
            return Vec::new();
        }
        similar.sort_by_key(|(pair, _)| *pair);
        // The cluster of each player has the number of one of its players.
        let mut cluster_of: Vec<usize> = (0..names.len()).collect();
        for &(pair, _) in &similar {
            let [old, new] = pair.map(|player| cluster_of[player]);
            if old != new {
                cluster_of.iter_mut().filter(|of| **of == old).for_each(|of| *of = new);
            }
        }
        let mut others = vec![LookAlikePositions::default(); names.len()];
        for (pair, common) in self.pairs() {
            let clusters = pair.map(|player| cluster_of[player]);
            if clusters[0] != clusters[1] {
                for cluster in clusters {
                    others[cluster].add(common);
                }
            }
        }
        let mut clusters: BTreeMap<usize, LookAlikes> = BTreeMap::new();
        for ([one, _], common) in similar {
            let at = cluster_of[one];
            let players = names.iter().zip(&cluster_of).filter(|(_, of)| **of == at);
            let share = common.share().unwrap_or_default();
            let cluster = clusters.entry(at).or_insert_with(|| LookAlikes {
                players: players.map(|(name, _)| name.clone()).collect(),
                positions: common.all,
                share,
                share_with_others: others[at].share(),
            });
            cluster.positions = cluster.positions.min(common.all);
            cluster.share = cluster.share.min(share);
        }
        let mut found: Vec<_> = clusters.into_values().collect();
        found.sort_by(|one, other| {
            other.share.total_cmp(&one.share).then(other.positions.cmp(&one.positions))
        });
        found.truncate(MOST);
        found
    }

    /// The players that nearly always play the first legal action, and more often than others do.
    fn first_legal(&self, names: &[String]) -> Vec<FirstLegal> {
        let mut total = LookAlikePositions::default();
        self.first.iter().for_each(|&own| total.add(own));
        let found = names.iter().zip(&self.first).filter_map(|(name, own)| {
            let others =
                LookAlikePositions { all: total.all - own.all, same: total.same - own.same };
            let share = own.share().filter(|_| own.stands_out(LEAST_FIRST, others))?;
            Some(FirstLegal { player: name.clone(), positions: own.all, share })
        });
        found.collect()
    }
}

impl LookAlikePositions {
    fn add(&mut self, more: Self) {
        self.all += more.all;
        self.same += more.same;
    }

    fn share(self) -> Option<f64> {
        (self.all > 0).then(|| f64::from(self.same) / f64::from(self.all))
    }

    /// Whether the share is at least `least`, and clearly larger than that of the others.
    fn stands_out(self, least: f64, others: Self) -> bool {
        let is_clear =
            |share: f64| others.share().is_none_or(|others| share - others >= LEAST_EXCESS);
        self.all >= LEAST_POSITIONS
            && self.share().is_some_and(|share| share >= least && is_clear(share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::Seat;

    fn decision(position: u64, action: u64) -> DecisionHash {
        DecisionHash { seat: Seat::FIRST, position, action, is_first: action == 0 }
    }

    #[test]
    fn look_alikes_are_found() {
        let mut seen = LookAlikeDecisions::default();
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
        let found = seen.find_habits(&names).look_alikes;
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
            let mut seen = LookAlikeDecisions::with_limit(100);
            for (player, decision) in decisions {
                seen.add(usize::from(*player == 1), decision);
                assert!(seen.decided.len() <= 100);
            }
            seen.decided
        };
        let kept = sample(&mut decisions.iter());
        assert_eq!(kept, sample(&mut decisions.iter().rev()));
        let mut both = LookAlikeDecisions::with_limit(100);
        both.decided = kept;
        assert_eq!(
            both.count_positions(2).pairs().next().expect("a pair").1.all,
            50,
            "what is common is kept whole"
        );
    }

    #[test]
    fn common_decisions_and_few_positions_are_not_reported() {
        let mut all = LookAlikeDecisions::default();
        for player in 0..3 {
            (0..50).for_each(|position| all.add(player, &decision(position, 1)));
        }
        let names = ["ant", "bee", "cat"].map(str::to_owned);
        assert!(all.find_habits(&names).look_alikes.is_empty());
        let mut few = LookAlikeDecisions::default();
        for player in 0..2 {
            (0..19).for_each(|position| few.add(player, &decision(position, 1)));
        }
        assert!(few.find_habits(&names).look_alikes.is_empty());
    }

    #[test]
    fn players_that_decide_alike_form_clusters() {
        let mut seen = LookAlikeDecisions::default();
        for position in 0..100 {
            // Bee decides like ant in 90% and like cat in 85%, which ant and cat do in 75%. Dog and
            // elk are a cluster of their own, and fox is unlike the others.
            let own = |from: u64, player: u64| if position < from { player } else { 9 };
            let of = [own(10, 0), 9, if position >= 85 { 2 } else { 9 }, 20, 20, 30];
            for (player, action) in of.into_iter().enumerate() {
                seen.add(player, &decision(position, action));
            }
        }
        let names = ["ant", "bee", "cat", "dog", "elk", "fox"].map(str::to_owned);
        let found = seen.find_habits(&names).look_alikes;
        assert_eq!(found[0].players, ["dog", "elk"]);
        assert_eq!(found[1].players, ["ant", "bee", "cat"]);
        assert_eq!((found.len(), found[1].positions, found[1].share), (2, 100, 0.85));
        assert_eq!(found[1].share_with_others, Some(0.0));
    }

    #[test]
    fn players_that_play_the_first_legal_action_are_found() {
        let first_of = |players: &[(usize, u64)], positions: u64| {
            let mut seen = LookAlikeDecisions::default();
            for &(player, every) in players {
                for position in 0..positions {
                    let is_other = position % every == every - 1;
                    seen.add(player, &decision(position, u64::from(is_other)));
                }
            }
            seen.find_habits(&["ant", "bee", "cat"].map(str::to_owned)).first_legal
        };
        // Ant plays another action in each 20th position, bee in each 19th, cat in each second.
        let found = first_of(&[(0, 20), (1, 19), (2, 2)], 380);
        let ant = FirstLegal { player: "ant".to_owned(), positions: 380, share: 0.95 };
        assert_eq!(found, [ant]);
        assert!(first_of(&[(0, 100), (2, 2)], 19).is_empty(), "too few positions");
        assert!(first_of(&[(0, 100), (1, 12)], 80).is_empty(), "others do nearly the same");
    }
}
