//! The order of games. A schedule has sections, one after another; each is
//! known only when the earlier ones are over.
//!
//! Within a section, games are ordered by the number of their deal, so that partial results are
//! balanced; then by meeting; then by the game's number in its deal. A deal is one rotation: the
//! games of a meeting in which everyone sits once in every seat. With two seats it is a pair.

pub mod formats;
mod matchmaker;
mod meetings;
mod pairings;
pub mod progress_summary;
mod seating;
pub mod tournament_state;

use std::collections::HashMap;

use self::seating::seating_of_game;
use referee_record::model::fixture::{Fixture, Lineup};
use referee_record::model::stage::{MOST_PAIRS, Order};

/// The games that are known so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Schedule {
    /// The number of seats of a game, and so of games of a deal.
    seats: usize,
    sections: Vec<ScheduleSection>,
    /// The players, in the order in which they enter.
    entrants: Vec<usize>,
    /// The rank of each player when seats are assigned.
    places: Vec<usize>,
    /// In a league, the players of each deal by its number from 1, in the order of their numbers;
    /// `None` if the deal was chosen and never played.
    deals: Vec<Option<Lineup>>,
}

/// The most deals of a league in a row that were chosen and never played.
const WIDEST_GAP: usize = 1 << 16;

/// Meetings that are played together, all with the same number of deals.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ScheduleSection {
    /// The players of each, in the order of their numbers, and its turn: deals of different turns
    /// have different numbers.
    meetings: Vec<(Lineup, u32)>,
    /// The places of the meetings in this list.
    places: HashMap<(Lineup, u32), usize>,
    deals: u32,
    /// The number of turns.
    turns: u32,
    /// The highest number of a deal in the earlier sections.
    before: u32,
    /// The index of its first game.
    start: usize,
}

impl Schedule {
    /// An empty schedule of games with `seats` seats for players with these names.
    pub(crate) fn new<S: AsRef<str>>(names: &[S], seats: usize, order: &Order) -> Self {
        let mut sorted: Vec<usize> = (0..names.len()).collect();
        let entrants = match order {
            Order::Listed => {
                let entrants = sorted.clone();
                sorted.sort_by_key(|&player| names[player].as_ref());
                entrants
            }
            Order::Drawn(text) => {
                let lots = draw_schedule_lots(text, names);
                sorted.sort_by_key(|&player| lots[player]);
                sorted.clone()
            }
        };
        let mut places = vec![0; names.len()];
        for (place, player) in sorted.into_iter().enumerate() {
            places[player] = place;
        }
        Self { seats, sections: Vec::new(), entrants, places, deals: Vec::new() }
    }

    /// Ranks these players after all others when seats are assigned: everyone else has the same seats
    /// among them.
    pub(crate) fn rank_last(&mut self, last: &[usize]) {
        let mut ranked: Vec<usize> = (0..self.places.len()).collect();
        ranked.sort_by_key(|player| (last.contains(player), self.places[*player]));
        for (place, player) in ranked.into_iter().enumerate() {
            self.places[player] = place;
        }
    }

    /// All players, in the order in which they enter.
    pub(crate) fn entrants(&self) -> &[usize] {
        &self.entrants
    }

    /// Adds a section of these meetings, with this many deals each.
    pub(crate) fn push_section<L: Into<Lineup>>(
        &mut self,
        meetings: impl IntoIterator<Item = L>,
        deals: u32,
    ) {
        let mut counts: HashMap<Lineup, u32> = HashMap::new();
        let numbered = meetings.into_iter().map(|players| {
            let players = players.into().sorted();
            let count = counts.entry(players).or_default();
            *count += 1;
            (players, *count - 1)
        });
        let meetings = numbered.collect();
        self.push_turns(meetings, deals);
    }

    /// The same with numbers of deals that none of the meetings before has, even if they all get as
    /// many deals as a configuration allows.
    pub(crate) fn push_section_apart(&mut self, meetings: Vec<Lineup>, deals: u32) {
        self.push_section(meetings, deals);
        if let Some(added) = self.sections.last_mut() {
            let next = added.before.max(1).checked_next_multiple_of(MOST_PAIRS);
            added.before = next.unwrap_or(u32::MAX);
        }
    }

    /// The same for meetings of different players, which take this many turns: in each round of
    /// deals, the deals of each turn have a number of their own.
    pub(crate) fn push_section_in_turns(&mut self, meetings: &[Lineup], deals: u32, turns: usize) {
        let turn = |at: usize| u32::try_from(at * turns / meetings.len()).unwrap_or(u32::MAX);
        let numbered =
            meetings.iter().enumerate().map(|(at, players)| (players.sorted(), turn(at)));
        self.push_turns(numbered.collect(), deals);
    }

    fn push_turns(&mut self, meetings: Vec<(Lineup, u32)>, deals: u32) {
        let places = meetings.iter().copied().zip(0..).collect();
        let turns = meetings.iter().map(|&(_, turn)| turn + 1).max().unwrap_or(1);
        // A stranger's header may ask for more deals than have numbers.
        let before = self
            .sections
            .last()
            .map_or(0, |last| last.before.saturating_add(last.turns.saturating_mul(last.deals)));
        let start = self.len();
        self.sections.push(ScheduleSection { meetings, places, deals, turns, before, start });
    }

    /// The empty schedule of a league of games with `seats` seats with this many players, in the
    /// order in which they came.
    pub(crate) fn of_league(players: usize, seats: usize) -> Self {
        let entrants: Vec<usize> = (0..players).collect();
        let (places, sections, deals) = (entrants.clone(), Vec::new(), Vec::new());
        Self { seats, sections, entrants, places, deals }
    }

    /// Adds a player that comes to a league.
    pub(crate) fn add_player(&mut self) {
        self.entrants.push(self.places.len());
        self.places.push(self.places.len());
    }

    /// Adds a deal of these players to a league.
    pub(crate) fn add_league_deal(&mut self, players: Lineup) {
        self.deals.push(Some(players.sorted()));
    }

    /// Makes room for the deal of a game in a league. Returns whether the deal is new.
    pub(crate) fn claim_league_deal(&mut self, game: Fixture) -> bool {
        let Some(at) = (game.pair as usize).checked_sub(1) else { return false };
        if !game.players.are_different() || at > self.deals.len() + WIDEST_GAP {
            return false;
        }
        self.deals.resize(self.deals.len().max(at + 1), None);
        let is_new = self.deals[at].is_none();
        if is_new {
            self.deals[at] = Some(game.players.sorted());
        }
        is_new
    }

    /// The number of games.
    pub(crate) fn len(&self) -> usize {
        let last = self.sections.last();
        let of_sections = last.map_or(0, |last| last.start + self.seats * last.count_deals());
        of_sections + self.seats * self.deals.len()
    }

    /// The number of sections.
    pub(crate) fn sections(&self) -> usize {
        self.sections.len()
    }

    /// The section of the game at `index`; 0 in a league, which has none.
    pub(crate) fn section(&self, index: usize) -> usize {
        self.sections.partition_point(|section| section.start <= index).saturating_sub(1)
    }

    /// The players of each meeting of a section, in the order of their numbers.
    pub(crate) fn meetings(&self, section: usize) -> impl ExactSizeIterator<Item = Lineup> {
        self.sections[section].meetings.iter().map(|&(players, _)| players)
    }

    /// The indices of a section's games.
    pub(crate) fn games(&self, section: usize) -> std::ops::Range<usize> {
        let section = &self.sections[section];
        section.start..section.start + self.seats * section.count_deals()
    }

    /// The indices of the games of the same deal as the game at `index`.
    pub(crate) fn deal(&self, index: usize) -> std::ops::Range<usize> {
        let at = self.sections.partition_point(|section| section.start <= index);
        let start = at.checked_sub(1).map_or(0, |at| self.sections[at].start);
        let first = index - (index - start) % self.seats;
        first..first + self.seats
    }

    /// The place in its section's list of the meeting of the game at `index` of that section.
    pub(crate) fn meeting(&self, section: usize, index: usize) -> usize {
        let section = &self.sections[section];
        (index - section.start) / self.seats % section.meetings.len()
    }

    /// The game at `index`.
    ///
    /// The seats depend on the names, on the deal's number and, if the order is random, on the text
    /// it is drawn from.
    #[expect(clippy::cast_possible_truncation, reason = "a deal's number is a u32 by construction")]
    pub(crate) fn fixture(&self, index: usize) -> Fixture {
        if self.sections.is_empty() {
            let (deal, game) = (index / self.seats, index % self.seats);
            let players = self.deals[deal].unwrap_or_else(|| Lineup::unknown(self.seats));
            return self.seat_players(players, deal as u32, game);
        }
        let at = self.sections.partition_point(|section| section.start <= index) - 1;
        let section = &self.sections[at];
        let (rest, game) =
            ((index - section.start) / self.seats, (index - section.start) % self.seats);
        let count = section.meetings.len();
        let (players, turn) = section.meetings[rest % count];
        let round = (rest / count) as u32 * section.turns;
        let deal = section.before.saturating_add(round + turn);
        self.seat_players(players, deal, game)
    }

    /// A game of a meeting by the number of the deal, from 0, and of the game in it.
    #[expect(clippy::cast_possible_truncation, reason = "a deal has at most 16 games")]
    fn seat_players(&self, players: Lineup, deal: u32, game: usize) -> Fixture {
        let in_order = players.sorted_by_key(|player| self.places[player]);
        Fixture {
            players: seating_of_game(in_order, deal, game),
            pair: deal + 1,
            game: game as u8 + 1,
        }
    }

    /// The index of a game, if it belongs to this schedule.
    pub(crate) fn index(&self, fixture: Fixture) -> Option<usize> {
        let players = fixture.players.sorted();
        let deal = fixture.pair.checked_sub(1)?;
        let game = usize::from(fixture.game).checked_sub(1).filter(|&game| game < self.seats)?;
        let index = if self.sections.is_empty() {
            let known = (*self.deals.get(deal as usize)?)?;
            (known == players).then_some(self.seats * deal as usize + game)?
        } else {
            let begun = self.sections.partition_point(|section| section.before <= deal);
            let section = &self.sections[begun.checked_sub(1)?];
            let number = deal - section.before;
            let (turn, round) = (number % section.turns, number / section.turns);
            let meeting =
                *section.places.get(&(players, turn)).filter(|_| round < section.deals)?;
            section.start + self.seats * (round as usize * section.meetings.len() + meeting) + game
        };
        (self.fixture(index) == fixture).then_some(index)
    }
}

/// A random order of these players, drawn from `text`.
fn draw_schedule_lots(text: &str, names: &[impl AsRef<str>]) -> Vec<[u8; 32]> {
    let key = blake3::derive_key("referee 2026 schedule lots", text.as_bytes());
    let lot = |name: &str| *blake3::keyed_hash(&key, name.as_bytes()).as_bytes();
    names.iter().map(|name| lot(name.as_ref())).collect()
}

impl ScheduleSection {
    /// The number of deals.
    fn count_deals(&self) -> usize {
        self.meetings.len() * self.deals as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::meetings::{gauntlet_meetings_in_turn, partial_meetings};
    use super::pairings::{all_pairings, gauntlet_pairings_in_turn};
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|player| format!("player {}", (player * 7 + 3) % 24)).collect()
    }

    fn round_robin(players: usize, pairs: u32) -> Schedule {
        let mut schedule = Schedule::new(&names(players), 2, &Order::Listed);
        schedule.push_section(all_pairings(&(0..players).collect::<Vec<_>>()), pairs);
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
            // After two rounds, or three if a player sits out, all players are connected.
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
        fn a_deal_is_one_rotation_and_every_game_has_its_index(
            seats in 2_usize..=16, more in 0_usize..4, deals in 1_u32..3, sections in 1_usize..3,
        ) {
            let players: Vec<usize> = (0..seats + more).collect();
            let mut schedule = Schedule::new(&names(players.len()), seats, &Order::Listed);
            for _ in 0..sections {
                // With few players, the same ones meet again.
                let meetings = partial_meetings(&players, 3, seats);
                schedule.push_section(meetings.into_iter().map(Lineup::from_iter), deals);
            }
            let mut seen = std::collections::HashSet::new();
            for index in 0..schedule.len() {
                let fixture = schedule.fixture(index);
                prop_assert_eq!(schedule.index(fixture), Some(index));
                prop_assert!(seen.insert((fixture.players.sorted(), fixture.pair, fixture.game)));
                let deal: Vec<Fixture> =
                    schedule.deal(index).map(|index| schedule.fixture(index)).collect();
                let same = |other: &Fixture| {
                    (other.pair, other.players.sorted()) == (fixture.pair, fixture.players.sorted())
                };
                prop_assert!(deal.len() == seats && deal.contains(&fixture) && deal.iter().all(same));
                for player in fixture.players.players() {
                    let sat: std::collections::HashSet<_> =
                        deal.iter().map(|game| game.seat_of(player)).collect();
                    prop_assert_eq!(sat.len(), seats);
                }
            }
        }

        #[test]
        fn sections_follow_each_other(pairs in prop::collection::vec(1_u32..4, 1..6)) {
            let mut schedule = Schedule::new(&names(5), 2, &Order::Listed);
            for (at, &pairs) in pairs.iter().enumerate() {
                let players = [vec![0, 1, 2, 3, 4], vec![4, 2, 0], vec![]][at % 3].clone();
                schedule.push_section(all_pairings(&players), pairs);
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
            let mut schedule = Schedule::new(&names, 2, &order);
            let entrants = schedule.entrants().to_vec();
            schedule.push_section(all_pairings(&entrants), 2);
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
    fn each_turn_has_numbers_of_its_own() {
        let mut schedule = round_robin(5, 2);
        let before = schedule.len();
        let meetings = gauntlet_pairings_in_turn(&[0, 1], &[2, 3, 4]).into_iter().map(Lineup::from);
        schedule.push_section_in_turns(&meetings.collect::<Vec<_>>(), 2, 3);
        let mut met = Vec::new();
        for index in before..schedule.len() {
            let fixture = schedule.fixture(index);
            assert_eq!(schedule.index(fixture), Some(index));
            let [first, second] = fixture.players.two();
            met.push((first.min(second), first.max(second), fixture.pair));
        }
        met.dedup();
        let turn = |pair| [0, 1].map(|entrant| (entrant, 2 + (pair as usize - 3) % 3, pair));
        assert_eq!(met, (3..9).flat_map(turn).collect::<Vec<_>>());
        let foreign = Fixture { players: [0, 3].into(), pair: 3, game: 1 };
        assert_eq!(schedule.index(foreign), None, "it is another anchor's turn");
    }

    /// At a table, a player that takes another one's place sits as the other did.
    #[test]
    fn players_of_a_turn_have_the_same_seats() {
        let anchors = [0, 2, 4, 6, 7];
        for seats in [3, 4, 5] {
            let mut schedule = Schedule::new(&names(8), seats, &Order::Drawn("lots".to_owned()));
            schedule.rank_last(&anchors);
            let meetings = gauntlet_meetings_in_turn(&[1, 3], &anchors, seats);
            let meetings: Vec<Lineup> = meetings.into_iter().map(Lineup::from_iter).collect();
            schedule.push_section_in_turns(&meetings, 2, anchors.len());
            let mut games = HashMap::new();
            for index in 0..schedule.len() {
                let fixture = schedule.fixture(index);
                assert_eq!(schedule.index(fixture), Some(index));
                let seated = fixture.players.players().map(|it| if it == 3 { 1 } else { it });
                *games.entry((fixture.pair, fixture.game, seated.collect())).or_insert(0) += 1;
            }
            let games: HashMap<(u32, u8, Vec<usize>), i32> = games;
            assert!(games.values().all(|&count| count == 2) && games.len() == 10 * seats);
        }
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
