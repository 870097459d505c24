//! The pairings of a section of the schedule, computed where possible.

/// The pairings of a section, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pairings {
    /// Everyone meets everyone, in the rounds of the circle method.
    Everyone(Vec<usize>),
    /// Everyone in the first list meets everyone in the second; players of one list do not meet.
    Field {
        /// The players to be measured.
        entrants: Vec<usize>,
        /// The players that they are measured against.
        anchors: Vec<usize>,
    },
    /// An explicit list.
    Listed(Vec<(usize, usize)>),
}

impl Pairings {
    /// The number of pairings.
    pub fn len(&self) -> usize {
        match self {
            Self::Everyone(players) => players.len() * players.len().saturating_sub(1) / 2,
            Self::Field { entrants, anchors } => entrants.len() * anchors.len(),
            Self::Listed(pairings) => pairings.len(),
        }
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The two players of the pairing at index `place`, the lower number first.
    pub fn get(&self, place: usize) -> (usize, usize) {
        let (one, other) = match self {
            Self::Everyone(players) => {
                let (one, other) = Circle(players.len()).pairing(place);
                (players[one], players[other])
            }
            // Each round moves every entrant to the next anchor.
            Self::Field { entrants, anchors } => {
                let (round, entrant) = (place / entrants.len(), place % entrants.len());
                (entrants[entrant], anchors[(entrant + round) % anchors.len()])
            }
            Self::Listed(pairings) => pairings[place],
        };
        (one.min(other), one.max(other))
    }

    /// The index of the pairing of two players, if they meet here.
    pub fn place(&self, one: usize, other: usize) -> Option<usize> {
        let at = |players: &[usize], player| players.iter().position(|&known| known == player);
        match self {
            Self::Everyone(players) => {
                let (one, other) = (at(players, one)?, at(players, other)?);
                let circle = Circle(players.len());
                (one != other).then(|| circle.place(one.min(other), one.max(other)))
            }
            Self::Field { entrants, anchors } => {
                let (entrant, anchor) = match (at(entrants, one), at(anchors, other)) {
                    (Some(entrant), Some(anchor)) => (entrant, anchor),
                    _ => (at(entrants, other)?, at(anchors, one)?),
                };
                let round = (anchor + anchors.len() - entrant % anchors.len()) % anchors.len();
                Some(round * entrants.len() + entrant)
            }
            Self::Listed(pairings) => {
                let same =
                    |&pairing: &(usize, usize)| pairing == (one, other) || pairing == (other, one);
                pairings.iter().position(same)
            }
        }
    }
}

/// The circle method for this many players.
#[derive(Clone, Copy)]
struct Circle(usize);

impl Circle {
    /// The place in the circle that never moves: that of the last player, or of a bye.
    fn last(self) -> usize {
        self.0 + self.0 % 2 - 1
    }

    /// The number of pairings in each round, one fewer if there is a bye.
    fn tables(self) -> usize {
        self.0 / 2
    }

    fn pairing(self, place: usize) -> (usize, usize) {
        let (round, table) = (place / self.tables(), place % self.tables());
        let last = self.last();
        // Table 0 seats the last player, unless that is the bye.
        match table + self.0 % 2 {
            0 => (last, round),
            table => ((round + table) % last, (round + last - table) % last),
        }
    }

    /// The inverse of [`Self::pairing`].
    fn place(self, low: usize, high: usize) -> usize {
        let last = self.last();
        if high == last {
            return low * self.tables();
        }
        // low = round + table and high = round - table, or the other way round, modulo `last`,
        // which is odd: so the round is half of the sum.
        let sum = low + high;
        let twice = if sum.is_multiple_of(2) { sum } else { sum + last };
        let round = twice / 2 % last;
        let away = (low + last - round) % last;
        let table = away.min(last - away);
        round * self.tables() + table - self.0 % 2
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any() -> impl Strategy<Value = Pairings> {
        let players = |count: usize| (0..count).map(|player| player * 2 + 1).collect::<Vec<_>>();
        prop_oneof![
            (0_usize..24).prop_map(move |count| Pairings::Everyone(players(count))),
            (0_usize..9, 0_usize..9).prop_map(|(entrants, anchors)| Pairings::Field {
                entrants: (0..entrants).collect(),
                anchors: (entrants..entrants + anchors).collect(),
            }),
            (0_usize..9).prop_map(|count| Pairings::Listed(
                (0..count).map(|at| (2 * at + 1, 2 * at)).collect()
            )),
        ]
    }

    proptest! {
        #[test]
        fn every_pairing_has_one_place(pairings in any()) {
            for place in 0..pairings.len() {
                let (low, high) = pairings.get(place);
                prop_assert!(low < high);
                prop_assert_eq!(pairings.place(low, high), Some(place));
                prop_assert_eq!(pairings.place(high, low), Some(place));
            }
            prop_assert_eq!(pairings.place(1, 1), None);
            prop_assert_eq!(pairings.place(0, 1000), None);
        }

        #[test]
        fn no_player_plays_twice_in_a_round(count in 2_usize..24) {
            let pairings = Pairings::Everyone((0..count).collect());
            let tables = count / 2;
            for start in (0..pairings.len()).step_by(tables) {
                let mut seen = vec![0; count];
                for place in start..start + tables {
                    let (low, high) = pairings.get(place);
                    seen[low] += 1;
                    seen[high] += 1;
                }
                prop_assert!(seen.iter().all(|&count| count <= 1));
            }
        }
    }
}
