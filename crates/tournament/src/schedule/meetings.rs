//! The meetings of a section of games with more than two seats, which follow from its players alone.

use std::collections::{HashMap, VecDeque};

use referee_record::model::fixture::Lineup;
use referee_record::model::stage::MOST_MEETINGS_EACH;

use referee_record::model::stage::count_anchor_groups;

/// The most players among whom the next one of a meeting is looked for.
const WIDTH: usize = 256;

/// All meetings of `seats` of the players, so that at any time everyone has played about as often.
pub(super) fn all_meetings(players: &[usize], seats: usize) -> Vec<Vec<usize>> {
    let mut left = meeting_subsets(players.len(), seats);
    let mut played = vec![0_u32; players.len()];
    let mut meetings = Vec::with_capacity(left.len());
    // From the end of the list the next one can be taken without moving the others.
    left.reverse();
    let next = |left: &[Vec<usize>], played: &[u32]| {
        let load = |meeting: &[usize]| {
            let played = meeting.iter().map(|&at| played[at]);
            (played.clone().max(), played.sum::<u32>())
        };
        (0..left.len()).rev().min_by_key(|&at| load(&left[at]))
    };
    while let Some(at) = next(&left, &played) {
        let meeting = left.remove(at);
        for &at in &meeting {
            played[at] += 1;
        }
        meetings.push(meeting.into_iter().map(|at| players[at]).collect());
    }
    meetings
}

/// All ways to choose `size` of the numbers below `count`, each in rising order.
fn meeting_subsets(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let mut chosen: Vec<usize> = (0..size).collect();
    while chosen.last().is_some_and(|&last| last < count) {
        found.push(chosen.clone());
        // The last number that can grow does; those after it follow it closely.
        let Some(at) = (0..size).rev().find(|&at| chosen[at] + size - at < count) else { break };
        chosen[at] += 1;
        for next in at + 1..size {
            chosen[next] = chosen[next - 1] + 1;
        }
    }
    found
}

/// Everyone plays in `rounds` meetings, each with others that it has met least so far, regardless
/// of the results. Where a round leaves places open, those who played least play again.
///
/// Each round takes the players in an order of its own, which follows from theirs: anyone who knows
/// the one knows the other. With 8 to 200 players, ratings are as precise as with the same number
/// of games in which all pairs of players meet equally often, but for 3 to 10%.
pub(super) fn partial_meetings(players: &[usize], rounds: usize, seats: usize) -> Vec<Vec<usize>> {
    let mut meetings = Vec::new();
    let mut mixed = MeetingMixer::new(players.len(), seats);
    for round in 0..rounds {
        meetings.extend(mixed.next_round(round, |_| true));
    }
    number_meeting_players(meetings, players)
}

/// Further meetings after those that the players `had`, until each had `most`, or as many more as a
/// configuration allows. Those who had enough take a seat only where a meeting would lack a player.
pub(super) fn missing_meetings(
    players: &[usize],
    had: impl Iterator<Item = Lineup>,
    most: u32,
    seats: usize,
) -> Vec<Vec<usize>> {
    let places: HashMap<usize, usize> = players.iter().copied().zip(0..).collect();
    let mut mixed = MeetingMixer::new(players.len(), seats);
    for meeting in had {
        let there = meeting.players().filter_map(|player| places.get(&player).copied());
        mixed.add_meeting(&there.collect::<Vec<_>>());
    }
    mixed.is_new = mixed.played.iter().map(|&played| played == 0).collect();
    // A stranger's header may ask for more meetings than there is room for.
    let rounds = (0..MOST_MEETINGS_EACH).map(|round| mixed.next_round(round, |had| had < most));
    number_meeting_players(
        rounds.take_while(|round| !round.is_empty()).flatten().collect(),
        players,
    )
}

/// A late player meets `rounds` groups of the earlier ones, spread over them; none if they are too
/// few for a meeting.
pub(super) fn late_player_meetings(
    player: usize,
    earlier: &[usize],
    rounds: usize,
    seats: usize,
) -> Vec<Vec<usize>> {
    let others = seats - 1;
    if earlier.len() < others {
        return Vec::new();
    }
    let group = |round: usize| {
        let places = (0..others).map(move |at| 1 + round * others + at);
        places.map(|place| earlier[place % earlier.len()])
    };
    (0..rounds).map(|round| [player].into_iter().chain(group(round)).collect()).collect()
}

/// The players of meetings of places in their list.
fn number_meeting_players(meetings: Vec<Vec<usize>>, players: &[usize]) -> Vec<Vec<usize>> {
    let meetings = meetings.into_iter();
    meetings.map(|meeting| meeting.into_iter().map(|at| players[at]).collect()).collect()
}

/// Every entrant meets groups of the anchors. Each round moves the entrants to their next anchor; if
/// there are only as many anchors as a meeting takes, there is one round.
pub(super) fn gauntlet_meetings(
    entrants: &[usize],
    anchors: &[usize],
    seats: usize,
) -> Vec<Vec<usize>> {
    let round = |round: usize| {
        let entrants = entrants.iter().enumerate();
        entrants.map(move |(at, &entrant)| gauntlet_meeting(entrant, anchors, at + round, seats))
    };
    (0..count_anchor_groups(anchors.len(), seats)).flat_map(round).collect()
}

/// Every entrant meets the first group of the anchors, then every entrant the second one, and so on.
pub(super) fn gauntlet_meetings_in_turn(
    entrants: &[usize],
    anchors: &[usize],
    seats: usize,
) -> Vec<Vec<usize>> {
    let turn = |turn: usize| {
        entrants.iter().map(move |&entrant| gauntlet_meeting(entrant, anchors, turn, seats))
    };
    (0..count_anchor_groups(anchors.len(), seats)).flat_map(turn).collect()
}

/// An entrant and the group of the anchors that begins at a place.
fn gauntlet_meeting(entrant: usize, anchors: &[usize], from: usize, seats: usize) -> Vec<usize> {
    let group = (from..from + seats - 1).map(|at| anchors[at % anchors.len()]);
    [entrant].into_iter().chain(group).collect()
}

/// The meetings of players so far, by their places in the list.
struct MeetingMixer {
    seats: usize,
    /// By player: how often it played, and those whom it met, as often as it did.
    played: Vec<u32>,
    met: Vec<Vec<usize>>,
    /// By player: whether it is new among players of whom others are known. Such players meet known
    /// ones and not each other, so that all can be compared.
    is_new: Vec<bool>,
}

impl MeetingMixer {
    fn new(count: usize, seats: usize) -> Self {
        Self {
            seats,
            played: vec![0; count],
            met: vec![Vec::new(); count],
            is_new: vec![false; count],
        }
    }

    /// Everyone `is_short` of meetings plays in the next ones, if there are enough players for one.
    fn next_round(&mut self, number: usize, is_short: impl Fn(u32) -> bool) -> Vec<Vec<usize>> {
        let order = draw_meeting_order(number, self.played.len());
        let is_left = |at: &usize| self.seats <= order.len() && is_short(self.played[*at]);
        let mut left: VecDeque<usize> = order.iter().copied().filter(is_left).collect();
        let mut meetings = Vec::with_capacity(left.len().div_ceil(self.seats));
        while !left.is_empty() {
            meetings.push(self.next_meeting(&mut left, &order));
        }
        meetings
    }

    fn add_meeting(&mut self, meeting: &[usize]) {
        for &one in meeting {
            self.played[one] += 1;
            self.met[one].extend(meeting.iter().filter(|&&other| other != one));
        }
    }

    /// The next meeting: of the first of those that are `left`, which are then fewer, and others.
    fn next_meeting(&mut self, left: &mut VecDeque<usize>, order: &[usize]) -> Vec<usize> {
        let mut meeting = Vec::with_capacity(self.seats);
        // By player: how often it met those in the meeting.
        let mut met = vec![0_u32; order.len()];
        while meeting.len() < self.seats {
            let has_new = meeting.iter().any(|&at| self.is_new[at]);
            let fits = |at: usize| !(has_new && self.is_new[at]);
            let places = (0..left.len().min(WIDTH)).filter(|&at| fits(left[at]));
            let next = if let Some(at) = places.min_by_key(|&at| met[left[at]]) {
                left.remove(at)
            } else {
                let free = order.iter().copied().filter(|at| !meeting.contains(at));
                // Two new players meet only where too few others are there.
                let next = free.min_by_key(|&at| (!fits(at), self.played[at], met[at]));
                left.retain(|&at| Some(at) != next);
                next
            };
            // There are at least as many players as seats.
            let Some(next) = next else { break };
            self.met[next].iter().for_each(|&other| met[other] += 1);
            meeting.push(next);
        }
        self.add_meeting(&meeting);
        meeting
    }
}

/// A single round of [`partial_meetings`], the one with this number.
pub(super) fn meetings_of_round(players: &[usize], number: usize, seats: usize) -> Vec<Vec<usize>> {
    let meetings = partial_meetings(players, number + 1, seats);
    let each = players.len().div_ceil(seats);
    meetings.into_iter().skip(number * each).collect()
}

/// The order of the places from 0 to `count` in a round: in the first unchanged, then as good as
/// random.
fn draw_meeting_order(round: usize, count: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    if round > 0 {
        let key = blake3::derive_key("referee 2026 order of a round", &round.to_le_bytes());
        let lot = |place: &usize| *blake3::keyed_hash(&key, &place.to_le_bytes()).as_bytes();
        places.sort_by_cached_key(lot);
    }
    places
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn players(count: usize) -> Vec<usize> {
        (0..count).map(|player| 7 * player + 3).collect()
    }

    /// The number of meetings of each of these players.
    fn loads(players: &[usize], meetings: &[Vec<usize>]) -> Vec<usize> {
        let load = |player| meetings.iter().filter(|meeting| meeting.contains(player)).count();
        players.iter().map(load).collect()
    }

    fn is_of_different(meeting: &[usize], seats: usize) -> bool {
        meeting.iter().collect::<BTreeSet<_>>().len() == seats && meeting.len() == seats
    }

    proptest! {
        #[test]
        fn all_meet_once_and_play_about_as_often_at_any_time(
            count in 0_usize..12, seats in 3_usize..6, stop in 0_usize..500,
        ) {
            let players = players(count);
            let meetings = all_meetings(&players, seats);
            let different: BTreeSet<BTreeSet<usize>> =
                meetings.iter().map(|meeting| meeting.iter().copied().collect()).collect();
            let expected = (0..seats).fold(1, |ways, at| ways * count.saturating_sub(at) / (at + 1));
            prop_assert_eq!((different.len(), meetings.len()), (expected, expected));
            let loads = loads(&players, &meetings[..stop % (meetings.len() + 1)]);
            let range = loads.iter().max().zip(loads.iter().min());
            prop_assert!(range.is_none_or(|(most, least)| most - least <= 3), "{loads:?}");
        }

        #[test]
        fn everyone_plays_in_every_round(
            count in 7_usize..200,
            seats in prop::sample::select(vec![3_usize, 4, 6]),
            rounds in 2_usize..9,
        ) {
            let players = players(count);
            let before = partial_meetings(&players, rounds, seats);
            prop_assert!(before.iter().all(|meeting| is_of_different(meeting, seats)));
            let loads_before = loads(&players, &before);
            prop_assert!(loads_before.iter().all(|&load| load >= rounds), "{loads_before:?}");
            // The last ones of a round may have to be those who fill in for themselves.
            let most = loads_before.iter().max().expect("players");
            prop_assert!(*most <= rounds + 2 + rounds * seats / count, "{loads_before:?}");
            // The field is connected.
            let mut known = BTreeSet::from([players[0]]);
            for _ in 0..count {
                for meeting in &before {
                    if meeting.iter().any(|player| known.contains(player)) {
                        known.extend(meeting);
                    }
                }
            }
            prop_assert_eq!(known.len(), count);
        }

        #[test]
        fn every_entrant_meets_every_anchor_as_often(
            entrants in 0_usize..9, anchors in 0_usize..9, seats in 3_usize..6,
        ) {
            let everyone = players(entrants + anchors);
            let (new, known) = everyone.split_at(entrants);
            let meetings = gauntlet_meetings(new, known, seats);
            let is_enough = anchors + 1 >= seats;
            let each = if anchors + 1 == seats { 1 } else { seats - 1 };
            prop_assert!(meetings.iter().all(|meeting| is_of_different(meeting, seats)));
            for entrant in new {
                for anchor in known {
                    let both = |meeting: &&Vec<usize>| {
                        meeting.contains(entrant) && meeting.contains(anchor)
                    };
                    let met = meetings.iter().filter(both).count();
                    prop_assert_eq!(met, if is_enough { each } else { 0 });
                }
            }
            // In turn, all entrants meet the same group before anyone meets the next one.
            let turns = gauntlet_meetings_in_turn(new, known, seats);
            for turn in turns.chunks(entrants.max(1)) {
                let groups: BTreeSet<_> = turn.iter().map(|meeting| &meeting[1..]).collect();
                prop_assert_eq!(groups.len(), 1);
                prop_assert!(turn.iter().map(|meeting| &meeting[0]).eq(new));
            }
            let sets = |meetings: Vec<Vec<usize>>| {
                let sets = meetings.into_iter().map(|meeting| meeting.into_iter().collect());
                let mut sets: Vec<BTreeSet<usize>> = sets.collect();
                sets.sort();
                sets
            };
            prop_assert_eq!(sets(turns), sets(meetings));
        }
    }

    /// Otherwise, as many late players as there are seats would only meet each other.
    #[test]
    fn new_players_meet_known_ones() {
        for (known, new) in [(8, 4), (8, 3), (4, 6), (4, 1)] {
            let players = players(known + new);
            let had = partial_meetings(&players[..known], 3, 4);
            let had = had.into_iter().map(Lineup::from_iter);
            let more = missing_meetings(&players, had, 3, 4);
            let is_new = |player: &usize| players[known..].contains(player);
            for meeting in &more {
                assert!(is_of_different(meeting, 4));
                assert_eq!(meeting.iter().filter(|it| is_new(it)).count(), 1, "{known} {new}");
            }
            assert_eq!(loads(&players[known..], &more), vec![3; new]);
        }
    }

    #[test]
    fn players_meet_others_before_they_meet_again() {
        // Sixteen players can meet in five rounds of four tables without meeting anyone twice; this
        // finds three such rounds, and pairs meet twice at most.
        let meetings = partial_meetings(&players(16), 4, 4);
        let mut met = std::collections::BTreeMap::new();
        for meeting in &meetings {
            for (at, one) in meeting.iter().enumerate() {
                for other in &meeting[at + 1..] {
                    *met.entry((one.min(other), one.max(other))).or_insert(0) += 1;
                }
            }
        }
        assert_eq!(met.values().max(), Some(&2));
        assert!(met.len() >= 80, "{} of 96 at most", met.len());
    }
}
