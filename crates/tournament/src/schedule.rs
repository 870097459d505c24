//! The order of games. A schedule has sections, one after another; each is
//! known only when the earlier ones are over.
//!
//! Within a section, games are ordered by pair number, so that partial results are balanced; then
//! by pairing; then by the game's number in its pair.

pub mod formats;
mod matchmaker;
mod pairings;
pub mod state;
pub mod summary;

use std::collections::HashMap;

use referee_record::model::fixture::Fixture;
use referee_record::model::stage::Order;

/// The games that are known so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Schedule {
    sections: Vec<Section>,
    /// The players, in the order in which they enter.
    entrants: Vec<usize>,
    /// The rank of each player when seats are assigned.
    places: Vec<usize>,
    /// In a league, the two players of each pair by its number from 1, the lower number first; no
    /// players if the pair was chosen and never played.
    pairs: Vec<Option<(u32, u32)>>,
}

/// The most pairs of a league in a row that were chosen and never played.
const WIDEST_GAP: usize = 1 << 16;

/// Pairings that are played together, all with the same number of pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Section {
    /// The two players of each, the lower number first.
    pairings: Vec<(usize, usize)>,
    /// The places of the pairings in this list.
    places: HashMap<(usize, usize), usize>,
    pairs: u32,
    /// The highest pair number in the earlier sections.
    before: u32,
    /// The index of its first game.
    start: usize,
}

impl Schedule {
    /// An empty schedule for players with these names.
    pub(crate) fn new<S: AsRef<str>>(names: &[S], order: &Order) -> Self {
        let mut sorted: Vec<usize> = (0..names.len()).collect();
        let entrants = match order {
            Order::Listed => {
                let entrants = sorted.clone();
                sorted.sort_by_key(|&player| names[player].as_ref());
                entrants
            }
            Order::Drawn(text) => {
                let lots = lots(text, names);
                sorted.sort_by_key(|&player| lots[player]);
                sorted.clone()
            }
        };
        let mut places = vec![0; names.len()];
        for (place, player) in sorted.into_iter().enumerate() {
            places[player] = place;
        }
        Self { sections: Vec::new(), entrants, places, pairs: Vec::new() }
    }

    /// All players, in the order in which they enter.
    pub(crate) fn entrants(&self) -> &[usize] {
        &self.entrants
    }

    /// Adds a section of these pairings, with this many pairs each.
    pub(crate) fn push(&mut self, mut pairings: Vec<(usize, usize)>, pairs: u32) {
        for (one, other) in &mut pairings {
            (*one, *other) = (*one.min(other), *one.max(other));
        }
        let places = pairings.iter().copied().zip(0..).collect();
        let before = self.sections.last().map_or(0, |last| last.before + last.pairs);
        let start = self.len();
        self.sections.push(Section { pairings, places, pairs, before, start });
    }

    /// The empty schedule of a league with this many players, in the order in which they came.
    pub(crate) fn of_league(players: usize) -> Self {
        let entrants: Vec<usize> = (0..players).collect();
        Self { sections: Vec::new(), places: entrants.clone(), entrants, pairs: Vec::new() }
    }

    /// Adds a player that comes to a league.
    pub(crate) fn add_player(&mut self) {
        self.entrants.push(self.places.len());
        self.places.push(self.places.len());
    }

    /// Adds a pair of games to a league.
    pub(crate) fn choose(&mut self, pair: (usize, usize)) {
        self.pairs.push(Some(numbers(pair)));
    }

    /// Makes room for the pair of a game in a league. Returns whether the pair is new.
    pub(crate) fn claim(&mut self, game: Fixture) -> bool {
        let Some(at) = (game.pair as usize).checked_sub(1) else { return false };
        let [first, second] = game.players.two();
        if first == second || at > self.pairs.len() + WIDEST_GAP {
            return false;
        }
        self.pairs.resize(self.pairs.len().max(at + 1), None);
        let is_new = self.pairs[at].is_none();
        if is_new {
            self.pairs[at] = Some(numbers((first, second)));
        }
        is_new
    }

    /// The number of games.
    pub(crate) fn len(&self) -> usize {
        let of_sections = self.sections.last().map_or(0, |last| last.start + last.len());
        of_sections + 2 * self.pairs.len()
    }

    /// The number of sections.
    pub(crate) fn sections(&self) -> usize {
        self.sections.len()
    }

    /// The pairings of a section.
    pub(crate) fn pairings(&self, section: usize) -> &[(usize, usize)] {
        &self.sections[section].pairings
    }

    /// The indices of a section's games.
    pub(crate) fn games(&self, section: usize) -> std::ops::Range<usize> {
        let section = &self.sections[section];
        section.start..section.start + section.len()
    }

    /// The game at `index`.
    ///
    /// The first seat depends on the two names, on the pair's number and, if the order is random,
    /// on the text it is drawn from.
    #[expect(clippy::cast_possible_truncation, reason = "a pair's number is a u32 by construction")]
    pub(crate) fn fixture(&self, index: usize) -> Fixture {
        if self.sections.is_empty() {
            let (pair, game) = (index / 2, index % 2);
            let (one, other) = self.pairs[pair].unwrap_or_default();
            return self.seated((one as usize, other as usize), pair as u32, game);
        }
        let at = self.sections.partition_point(|section| section.start <= index) - 1;
        let section = &self.sections[at];
        let (rest, game) = ((index - section.start) / 2, (index - section.start) % 2);
        let count = section.pairings.len();
        let pair = section.before + (rest / count) as u32;
        self.seated(section.pairings[rest % count], pair, game)
    }

    /// A game of two players by the number of the pair, from 0, and of the game in it.
    #[expect(clippy::cast_possible_truncation, reason = "a pair has two games")]
    fn seated(&self, (one, other): (usize, usize), pair: u32, game: usize) -> Fixture {
        let in_order = self.places[one] < self.places[other];
        let swap = in_order == ((pair as usize + game) % 2 == 1);
        let players = if swap { [other, one] } else { [one, other] };
        Fixture { players: players.into(), pair: pair + 1, game: game as u8 + 1 }
    }

    /// The index of a game, if it belongs to this schedule.
    pub(crate) fn index(&self, fixture: Fixture) -> Option<usize> {
        let [first, second] = fixture.players.two();
        let pair = fixture.pair.checked_sub(1)?;
        if self.sections.is_empty() {
            let players = (*self.pairs.get(pair as usize)?)?;
            let index = 2 * pair as usize + usize::from(fixture.game).checked_sub(1)?;
            let is_one = players == numbers((first, second)) && fixture.game <= 2;
            return (is_one && self.fixture(index) == fixture).then_some(index);
        }
        let at = self.sections.partition_point(|section| section.before <= pair).checked_sub(1)?;
        let section = &self.sections[at];
        let round = (pair - section.before) as usize;
        let pairing = *section.places.get(&(first.min(second), first.max(second)))?;
        if round >= section.pairs as usize || !(1..=2).contains(&fixture.game) {
            return None;
        }
        let game = usize::from(fixture.game) - 1;
        let index = section.start + 2 * (round * section.pairings.len() + pairing) + game;
        (self.fixture(index) == fixture).then_some(index)
    }
}

/// The numbers of two players, the lower one first. There are fewer players than fit into 32 bits.
fn numbers((one, other): (usize, usize)) -> (u32, u32) {
    let number = |player: usize| u32::try_from(player).unwrap_or(u32::MAX);
    (number(one.min(other)), number(one.max(other)))
}

/// A random order of these players, drawn from `text`.
fn lots(text: &str, names: &[impl AsRef<str>]) -> Vec<[u8; 32]> {
    let key = blake3::derive_key("referee 2026 schedule lots", text.as_bytes());
    let lot = |name: &str| *blake3::keyed_hash(&key, name.as_bytes()).as_bytes();
    names.iter().map(|name| lot(name.as_ref())).collect()
}

impl Section {
    fn len(&self) -> usize {
        2 * self.pairings.len() * self.pairs as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::pairings::everyone;
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|player| format!("player {}", (player * 7 + 3) % 24)).collect()
    }

    fn round_robin(players: usize, pairs: u32) -> Schedule {
        let mut schedule = Schedule::new(&names(players), &Order::Listed);
        schedule.push(everyone(&(0..players).collect::<Vec<_>>()), pairs);
        schedule
    }

    proptest! {
        #[test]
        fn a_round_robin_is_balanced_wherever_it_stops(
            players in 2_usize..24, pairs in 1_u32..4, stop in 0_usize..2000,
        ) {
            let schedule = round_robin(players, pairs);
            let stop = stop % (schedule.len() + 1);
            let mut games = vec![0; players];
            let mut group: Vec<usize> = (0..players).collect();
            for index in 0..stop {
                let [first, second] = schedule.fixture(index).players.two();
                games[first] += 1;
                games[second] += 1;
                let (one, other) = (group[first], group[second]);
                group.iter_mut().filter(|of| **of == other).for_each(|of| *of = one);
            }
            // One round may be in progress, and with an odd number of players one sits out each
            // round.
            let uneven = games.iter().max().expect("two") - games.iter().min().expect("two");
            prop_assert!(uneven <= 4 - 2 * usize::from(players % 2 == 0), "{games:?}");
            // After two rounds, or three if somebody sits out, all players are connected.
            let rounds = 2 + players % 2;
            if stop >= 2 * rounds * (players / 2) {
                prop_assert!(group.iter().all(|&of| of == group[0]), "{group:?}");
            }
        }

        #[test]
        fn everyone_meets_everyone_in_both_seats(players in 0_usize..24, pairs in 1_u32..4) {
            let schedule = round_robin(players, pairs);
            let mut met: HashMap<(usize, usize), u32> = HashMap::new();
            for index in 0..schedule.len() {
                let fixture = schedule.fixture(index);
                prop_assert_eq!(schedule.index(fixture), Some(index));
                *met.entry(fixture.players.two().into()).or_default() += 1;
            }
            for one in 0..players {
                for other in (0..players).filter(|&other| other != one) {
                    prop_assert_eq!(met.get(&(one, other)), Some(&pairs));
                }
            }
        }

        #[test]
        fn the_games_of_a_pair_swap_the_seats(players in 2_usize..24, pairs in 1_u32..4) {
            let schedule = round_robin(players, pairs);
            for index in (0..schedule.len()).step_by(2) {
                let (one, two) = (schedule.fixture(index), schedule.fixture(index + 1));
                prop_assert_eq!(one.players.two()[0], two.players.two()[1]);
                prop_assert_eq!(one.players.two()[1], two.players.two()[0]);
                prop_assert_eq!((one.pair, one.game, two.game), (two.pair, 1, 2));
            }
        }

        #[test]
        fn sections_follow_each_other(pairs in prop::collection::vec(1_u32..4, 1..6)) {
            let mut schedule = Schedule::new(&names(5), &Order::Listed);
            for (at, &pairs) in pairs.iter().enumerate() {
                let players = [vec![0, 1, 2, 3, 4], vec![4, 2, 0], vec![]][at % 3].clone();
                schedule.push(everyone(&players), pairs);
            }
            let mut seen = std::collections::HashSet::new();
            for index in 0..schedule.len() {
                let fixture = schedule.fixture(index);
                prop_assert_eq!(schedule.index(fixture), Some(index));
                prop_assert!(seen.insert(fixture));
            }
            let games: usize = (0..schedule.sections()).map(|at| schedule.games(at).len()).sum();
            prop_assert_eq!(games, schedule.len());
        }
    }

    /// Knowing a listed schedule does not help to predict a random one.
    #[test]
    fn a_random_schedule_does_not_depend_on_the_names() {
        let names = names(8);
        let schedule = |order| {
            let mut schedule = Schedule::new(&names, &order);
            let entrants = schedule.entrants().to_vec();
            schedule.push(everyone(&entrants), 2);
            schedule
        };
        let both = |fixture: Fixture| {
            let [first, second] = fixture.players.two();
            (first.min(second), first.max(second))
        };
        let listed = schedule(Order::Listed);
        let (mut first_meetings, mut first_seats) = (0, 0);
        for text in 0..400 {
            let drawn = schedule(Order::Drawn(text.to_string()));
            let all = |schedule: &Schedule| {
                let mut all: Vec<_> = (0..schedule.len())
                    .map(|index| (both(schedule.fixture(index)), schedule.fixture(index).pair))
                    .collect();
                all.sort_unstable();
                all
            };
            assert_eq!(all(&drawn), all(&listed), "the same games");
            let meets = |schedule: &Schedule, player: usize| {
                let fixtures = (0..schedule.len()).map(|index| schedule.fixture(index));
                fixtures.map(both).find(|both| both.0 == player || both.1 == player)
            };
            first_meetings += usize::from(meets(&drawn, 3) == meets(&listed, 3));
            let index = (0..drawn.len()).find(|&index| both(drawn.fixture(index)) == (2, 5));
            first_seats +=
                usize::from(drawn.fixture(index.expect("they meet")).players.two()[0] == 2);
        }
        // A seventh and a half of 400.
        assert!((35..=80).contains(&first_meetings), "{first_meetings}");
        assert!((160..=240).contains(&first_seats), "{first_seats}");
    }

    #[test]
    fn foreign_fixtures_have_no_index() {
        let schedule = round_robin(3, 2);
        let fixture = schedule.fixture(0);
        for bad in [
            Fixture { pair: 3, ..fixture },
            Fixture { pair: 0, ..fixture },
            Fixture { game: 3, ..fixture },
            Fixture { game: 0, ..fixture },
            Fixture { players: [0, 3].into(), ..fixture },
            Fixture {
                players: fixture.players.players().collect::<Vec<_>>().into_iter().rev().collect(),
                ..fixture
            },
        ] {
            assert_eq!(schedule.index(bad), None, "{bad:?}");
        }
    }
}
