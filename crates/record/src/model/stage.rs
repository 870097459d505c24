//! The stages of a tournament, and their formats.

use std::cmp::Ordering;

use crate::wording::{deal_noun, pluralize};
use serde::{Deserialize, Serialize};

/// The maximum number of pairs in a meeting.
pub const MOST_PAIRS: u32 = 100_000;

/// The most meetings of a round-robin of games with more than two seats.
pub const MOST_MEETINGS: usize = 2000;
/// The most meetings of each player where not everyone meets everyone, in such games.
pub const MOST_MEETINGS_EACH: usize = 100;
/// The minimum number of opponents in a round-robin where not everyone meets everyone.
pub const FEWEST_OPPONENTS: usize = 2;
/// The maximum number of rounds of a Swiss stage.
pub const MOST_ROUNDS: u32 = 1000;
/// The maximum number of further pairs of a tied meeting.
pub const MOST_TIE_BREAKS: u32 = 100;
/// The maximum number of games that are drawn before they are played, of all stages: each takes some
/// dozen bytes of memory.
pub const MOST_DRAWN_GAMES: usize = 20_000_000;
/// The maximum number of games of a ladder.
pub const MOST_LADDER_GAMES: u32 = 100_000_000;
/// The widest margin at which a ladder ends, in Elo.
pub const WIDEST_MARGIN: u32 = 1000;

/// The order in which players enter a schedule, and which of two players has the first seat first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Order {
    /// In the order of the configuration, with seats by the order of the names. Anyone who has the
    /// configuration can predict it.
    #[default]
    Listed,
    /// Random, drawn from an unpredictable text.
    Drawn(String),
}

/// What puts the players of a tournament in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RankedBy {
    /// Their ratings in Elo: who is ahead of whom.
    #[default]
    Ratings,
    /// Their strengths in points, from the final scores.
    Scores,
}

impl RankedBy {
    /// Whether it is the default.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks like this")]
    pub(crate) fn is_ratings(&self) -> bool {
        *self == Self::Ratings
    }
}

/// A part of a tournament with its own format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The pairings.
    pub format: Format,
    /// The number of deals in each meeting; of games with two seats, of pairs.
    pub pairs: u32,
    /// How many players take part, the best of the earlier stages; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<usize>,
}

/// A format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Format {
    /// Everyone plays until it has met an opponent without a fault. A player that makes a fault is
    /// out.
    Check,
    /// Everyone meets everyone.
    RoundRobin,
    /// Everyone meets the same number of others, regardless of results.
    PartialRoundRobin {
        /// The number of opponents of each player; of games with more than two seats, the number of its
        /// meetings.
        opponents: usize,
        /// The names of the players that came after the start, in the order in which they came. A
        /// player comes again if it was corrected after it failed the check.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        late: Vec<String>,
        /// Those of them that were there at the start, and failed the check of all.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        corrected: Vec<String>,
    },
    /// Everyone meets the anchors; the anchors do not meet each other.
    Gauntlet {
        /// The names of the anchors.
        anchors: Vec<String>,
        /// Whether all others have the same opening and luck against an anchor, so that they can be
        /// compared game by game. Then each anchor's turn has a pair number of its own.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        same_luck: bool,
    },
    /// In each round, players with about the same score meet. Nobody meets the same player twice.
    Swiss {
        /// The number of rounds.
        rounds: u32,
    },
    /// The loser of a meeting is out.
    Knockout {
        /// How many further pairs a tied meeting may play before the better seed advances.
        tie_breaks: u32,
    },
    /// In each round, the most informative games for the ranking are played.
    Ladder {
        /// The maximum number of games.
        games: u32,
        /// Ends as soon as every rating's 95% interval extends at most this far each way, in Elo.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        margin: Option<u32>,
    },
    /// Players come and go while it is played, and it never ends by itself. The next games are
    /// chosen by their information about the current players' ratings.
    League,
    /// These meetings: a run adds them in games of more than two seats for players that are short of
    /// meetings, because they came late or met a player that was removed. They are written down where
    /// the header changes after their games began, so that they stay.
    Listed {
        /// The names of the players of each.
        meetings: Vec<Vec<String>>,
        /// How many of the players that came late were checked before.
        #[serde(default, skip_serializing_if = "is_zero")]
        late: usize,
    },
    /// Extra games, the most informative for the ranking first, as long as there is time. It cannot
    /// be configured: a run with an end time adds it.
    Further,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks like this")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Why a stage does not support this number of seats or players.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnsuitedStage {
    /// The format is for two seats.
    #[error(
        "the {format} format is for two-seat games, but this game has {seats}; expected \
         `round-robin` (with `meetings = K` for many players), `check`, `gauntlet` or `league`"
    )]
    Format {
        /// The format's name.
        format: &'static str,
        /// The number of seats.
        seats: usize,
    },
    /// A game has more seats than players take part.
    #[error(
        "a game has {seats} seats, but only {players} take part",
        players = pluralize(*players, "player")
    )]
    FewPlayers {
        /// The number of seats.
        seats: usize,
        /// The number of players.
        players: usize,
    },
    /// A game has more seats than there are anchors and an entrant.
    #[error(
        "a game has {seats} seats, so an entrant meets {others} at once, but there {are}",
        others = pluralize(*seats - 1, "anchor"),
        are = if *anchors == 1 { "is only one".to_owned() } else { format!("are {anchors}") },
    )]
    FewAnchors {
        /// The number of seats.
        seats: usize,
        /// The number of anchors.
        anchors: usize,
    },
    /// Too many meetings.
    #[error(
        "{players} players meet in more than {MOST_MEETINGS} different groups of {seats}; with \
         `meetings = {each}`, everyone plays {games} × `deals` games",
        each = meetings_of_class(*seats),
        games = meetings_of_class(*seats) * seats,
    )]
    ManyMeetings {
        /// The number of seats.
        seats: usize,
        /// The number of players.
        players: usize,
    },
    /// Its meetings follow from who won, so its players cannot be ranked by scores.
    #[error(
        "meetings in the {format} format depend on who wins, so players cannot be ranked by \
         scores; expected `round-robin`, `check` or `gauntlet`"
    )]
    Scores {
        /// The format's name.
        format: &'static str,
    },
    /// Too many meetings of each player.
    #[error("a player has at most {MOST_MEETINGS_EACH} meetings")]
    ManyMeetingsEach,
}

/// Enough meetings of each player for a class, in games with this many seats: everyone
/// then plays about two dozen games.
pub fn meetings_of_class(seats: usize) -> usize {
    24_usize.div_ceil(seats)
}

/// In how many ways a game's players can be chosen from `players`.
fn count_stage_groups(players: usize, seats: usize) -> usize {
    // Each product is a number of ways as well, times what it is divided by. Past the largest number
    // it does not matter which it is.
    (0..seats).fold(1_usize, |ways, chosen| {
        ways.saturating_mul(players.saturating_sub(chosen)) / (chosen + 1)
    })
}

/// Describes the stages of a tournament with this many players, without further games.
pub fn describe_stages(stages: &[Stage], players: usize, seats: usize) -> String {
    let mut left = players;
    let describe = |stage: &Stage| {
        let before = left;
        left = stage.taking_part(left);
        let what = stage.describe(left, seats);
        stage.players.map_or(what.clone(), |most| format!("the best {}: {what}", most.min(before)))
    };
    let configured = stages.iter().filter(|stage| stage.format != Format::Further);
    configured.map(describe).collect::<Vec<_>>().join("; then ")
}

/// The number of games of these stages with this many players, in games with this many seats, without
/// those of ladders, which are not drawn before they are played.
pub fn count_scheduled_games(stages: &[Stage], players: usize, seats: usize) -> usize {
    let mut left = players;
    let drawn = stages.iter().map(|stage| {
        left = stage.taking_part(left);
        if matches!(stage.format, Format::Ladder { .. }) { 0 } else { stage.games(left, seats) }
    });
    drawn.fold(0, usize::saturating_add)
}

impl Stage {
    /// How many of the players that are left take part in it. The best ones of a gauntlet come
    /// besides its anchors.
    pub fn taking_part(&self, left: usize) -> usize {
        let besides = match &self.format {
            Format::Gauntlet { anchors, .. } => anchors.len(),
            _ => 0,
        };
        self.players.map_or(left, |most| left.min(most.saturating_add(besides)))
    }

    /// Whether it supports this many players, in games with this many seats.
    ///
    /// # Errors
    /// They cannot, for the reason given.
    pub fn suits(&self, seats: usize, players: usize) -> Result<(), UnsuitedStage> {
        if seats == 2 {
            return Ok(());
        }
        let format = |format| Err(UnsuitedStage::Format { format, seats });
        match &self.format {
            // More players come while it is played.
            Format::League => Ok(()),
            _ if players < seats => Err(UnsuitedStage::FewPlayers { seats, players }),
            Format::Swiss { .. } => format("swiss"),
            Format::Knockout { .. } => format("knockout"),
            Format::Ladder { .. } => format("ladder"),
            Format::RoundRobin if count_stage_groups(players, seats) > MOST_MEETINGS => {
                Err(UnsuitedStage::ManyMeetings { seats, players })
            }
            Format::PartialRoundRobin { opponents: each, .. } if *each > MOST_MEETINGS_EACH => {
                Err(UnsuitedStage::ManyMeetingsEach)
            }
            Format::Gauntlet { anchors, .. } if anchors.len() + 1 < seats => {
                Err(UnsuitedStage::FewAnchors { seats, anchors: anchors.len() })
            }
            Format::Check
            | Format::RoundRobin
            | Format::PartialRoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Listed { .. }
            | Format::Further => Ok(()),
        }
    }

    /// Whether its players can be ranked in this way.
    ///
    /// # Errors
    /// They cannot, for the reason given.
    pub fn suits_rank(&self, rank: RankedBy) -> Result<(), UnsuitedStage> {
        let format = match &self.format {
            _ if rank == RankedBy::Ratings => return Ok(()),
            Format::Swiss { .. } => "swiss",
            Format::Knockout { .. } => "knockout",
            Format::Ladder { .. } => "ladder",
            Format::League => "league",
            Format::Check
            | Format::RoundRobin
            | Format::PartialRoundRobin { .. }
            | Format::Gauntlet { .. }
            | Format::Listed { .. }
            | Format::Further => return Ok(()),
        };
        Err(UnsuitedStage::Scores { format })
    }

    /// Whether a configuration may have such a stage.
    pub(crate) fn is_within_bounds(&self) -> bool {
        let format = match self.format {
            Format::Swiss { rounds } => (1..=MOST_ROUNDS).contains(&rounds),
            Format::Knockout { tie_breaks } => tie_breaks <= MOST_TIE_BREAKS,
            Format::Ladder { games, margin } => {
                (2..=MOST_LADDER_GAMES).contains(&games)
                    && margin.is_none_or(|margin| (1..=WIDEST_MARGIN).contains(&margin))
            }
            Format::PartialRoundRobin { opponents, .. } => opponents >= FEWEST_OPPONENTS,
            Format::Check
            | Format::RoundRobin
            | Format::Gauntlet { .. }
            | Format::League
            | Format::Listed { .. }
            | Format::Further => true,
        };
        format
            && (1..=MOST_PAIRS).contains(&self.pairs)
            && self.players.is_none_or(|players| players >= 2)
    }

    /// The stage as it was at the start, before any player came late.
    #[must_use]
    pub fn without_late(&self) -> Self {
        let mut stage = self.clone();
        if let Format::PartialRoundRobin { late, corrected, .. } = &mut stage.format {
            late.clear();
            corrected.clear();
        }
        stage
    }

    /// A description of it with this many players, in games with this many seats.
    pub fn describe(&self, players: usize, seats: usize) -> String {
        let deals = pluralize(self.pairs, deal_noun(seats));
        let [meeting, other] =
            if seats == 2 { ["pairing", "opponent"] } else { ["meeting", "meeting"] };
        match &self.format {
            Format::Check => format!("a check of {deals} each"),
            Format::RoundRobin => {
                format!("{} of {deals}", pluralize(count_stage_groups(players, seats), meeting))
            }
            Format::PartialRoundRobin { opponents, .. } => {
                format!("{} each, {deals} per {meeting}", pluralize(*opponents, other))
            }
            Format::Gauntlet { anchors, .. } => {
                let entrants = players.saturating_sub(anchors.len());
                let anchors = pluralize(anchors.len(), "anchor");
                format!("a gauntlet of {entrants} against {anchors}, {deals} per {meeting}")
            }
            Format::Swiss { rounds } => {
                format!("{} of {deals}", pluralize(*rounds as usize, "Swiss round"))
            }
            Format::Knockout { .. } => format!("a knockout with {deals} per match"),
            Format::Ladder { games, .. } => {
                format!("a ladder of {} at most", pluralize(*games as usize, "game"))
            }
            Format::League => format!("a league that begins with {}", pluralize(players, "player")),
            Format::Listed { meetings, .. } => {
                format!(
                    "{} of {deals} for players who had too few",
                    pluralize(meetings.len(), meeting)
                )
            }
            Format::Further => "further games as time allows".to_owned(),
        }
    }

    /// The number of its games with this many players, in games with this many seats; estimated if
    /// it depends on results.
    pub fn games(&self, players: usize, seats: usize) -> usize {
        let meetings = match &self.format {
            Format::Check => players.div_ceil(seats),
            Format::RoundRobin => count_stage_groups(players, seats),
            Format::PartialRoundRobin { opponents, late, .. } if seats == 2 => {
                let opponents = *opponents;
                let first = players.saturating_sub(late.len());
                let of_first = first * opponents.min(first.saturating_sub(1));
                of_first.div_ceil(2) + (first..players).map(|all| opponents.min(all)).sum::<usize>()
            }
            Format::PartialRoundRobin { opponents: rounds, late, .. } => {
                rounds * (players.saturating_sub(late.len()).div_ceil(seats) + late.len())
            }
            Format::Gauntlet { anchors, .. } => {
                players.saturating_sub(anchors.len()) * count_anchor_groups(anchors.len(), seats)
            }
            Format::Swiss { rounds } => players / 2 * *rounds as usize,
            Format::Knockout { .. } => players.saturating_sub(1),
            Format::Listed { meetings, .. } => meetings.len(),
            Format::Ladder { games, .. } => return *games as usize,
            Format::League | Format::Further => 0,
        };
        seats.saturating_mul(meetings).saturating_mul(self.pairs as usize)
    }

    /// A round-robin of all players with this many pairs in each meeting.
    pub fn round_robin(pairs: u32) -> Self {
        Self { format: Format::RoundRobin, pairs, players: None }
    }

    /// Extra games of all players after all other stages, as long as there is time.
    pub fn extra_games() -> Self {
        Self { format: Format::Further, pairs: 1, players: None }
    }
}

/// The number of groups of this many anchors that each entrant of a gauntlet meets, in games with this
/// many seats.
pub fn count_anchor_groups(anchors: usize, seats: usize) -> usize {
    match (anchors + 1).cmp(&seats) {
        Ordering::Less => 0,
        Ordering::Equal => 1,
        Ordering::Greater => anchors,
    }
}

/// The stages without those that a run adds after them.
pub fn configured_stages(stages: &[Stage]) -> &[Stage] {
    let is_added = |format: &Format| format.is_listed() || *format == Format::Further;
    let added = stages.iter().rev().take_while(|it| is_added(&it.format)).count();
    &stages[..stages.len() - added]
}

/// The anchors against whom all others have the same luck, if a stage says so.
pub fn same_luck_anchors(stages: &[Stage]) -> Option<&[String]> {
    stages.iter().find_map(|stage| match &stage.format {
        Format::Gauntlet { anchors, same_luck: true } => Some(anchors.as_slice()),
        _ => None,
    })
}

/// Whether a tournament with these stages is a league.
pub fn has_league_stage(stages: &[Stage]) -> bool {
    stages.iter().any(|stage| stage.format == Format::League)
}

/// A check of all and the partial round-robin after it, which late players join by a check of their
/// own, if these are the stages.
pub fn checked_round_robin_stages(stages: &[Stage]) -> Option<[&Stage; 2]> {
    match configured_stages(stages) {
        [check, all @ Stage { format: Format::PartialRoundRobin { .. }, players: None, .. }]
            if check.format == Format::Check =>
        {
            Some([check, all])
        }
        _ => None,
    }
}

impl Format {
    /// Whether a stage always has one section.
    pub fn has_one_section(&self) -> bool {
        let is_fixed = matches!(
            self,
            Self::RoundRobin | Self::PartialRoundRobin { .. } | Self::Gauntlet { .. }
        );
        is_fixed || self.is_listed()
    }

    /// Whether its meetings are listed.
    pub fn is_listed(&self) -> bool {
        matches!(self, Self::Listed { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gauntlet_of_two() -> Format {
        Format::Gauntlet { anchors: vec!["ant".to_owned(), "bee".to_owned()], same_luck: false }
    }

    fn some() -> Format {
        let late = vec!["ant".to_owned()];
        Format::PartialRoundRobin { opponents: 3, late, corrected: Vec::new() }
    }

    #[test]
    fn the_best_of_a_gauntlet_come_besides_its_anchors() {
        let best = |format| Stage { format, pairs: 1, players: Some(2) };
        let [gauntlet, plain] = [gauntlet_of_two(), Format::RoundRobin].map(best);
        assert_eq!((gauntlet.taking_part(6), plain.taking_part(6)), (4, 2));
        assert_eq!(gauntlet.games(gauntlet.taking_part(6), 2), 8);
        let described = describe_stages(&[Stage::round_robin(1), gauntlet], 6, 2);
        let end = "; then the best 2: a gauntlet of 2 against 2 anchors, 1 pair per pairing";
        assert!(described.ends_with(end), "{described}");
    }

    fn all() -> [Format; 10] {
        let table = ["ant", "bee"].map(str::to_owned).to_vec();
        [
            Format::Check,
            Format::RoundRobin,
            some(),
            gauntlet_of_two(),
            Format::Swiss { rounds: 3 },
            Format::Knockout { tie_breaks: 1 },
            Format::Ladder { games: 400, margin: Some(30) },
            Format::League,
            Format::Listed { meetings: vec![table.clone(), table], late: 1 },
            Format::Further,
        ]
    }

    fn stage(format: Format, pairs: u32) -> Stage {
        Stage { format, pairs, players: None }
    }

    #[test]
    fn some_formats_are_for_any_number_of_seats() {
        let shown = |format: Format| {
            let stage = stage(format, 2);
            let suits = stage.suits(4, 8).map_err(|problem| problem.to_string());
            suits.map(|()| (stage.describe(8, 4), stage.games(8, 4)))
        };
        let said = |text: &str, games| Ok((text.to_owned(), games));
        let anchors = ["ant", "bee", "cat", "dog"].map(str::to_owned).to_vec();
        let (late, corrected) = (Vec::new(), Vec::new());
        let some = Format::PartialRoundRobin { opponents: 3, late, corrected };
        assert_eq!(shown(Format::Check), said("a check of 2 deals each", 16));
        assert_eq!(shown(Format::RoundRobin), said("70 meetings of 2 deals", 560));
        assert_eq!(shown(some), said("3 meetings each, 2 deals per meeting", 48));
        let gauntlet = "a gauntlet of 4 against 4 anchors, 2 deals per meeting";
        assert_eq!(shown(Format::Gauntlet { anchors, same_luck: false }), said(gauntlet, 128));
        let refused = [
            (Format::Swiss { rounds: 3 }, "the swiss format is for two-seat games"),
            (gauntlet_of_two(), "a game has 4 seats, so an entrant meets 3 anchors at once"),
        ];
        for (format, begin) in refused {
            let problem = shown(format).expect_err("it does not suit");
            assert!(problem.starts_with(begin), "{problem}");
        }
        assert_eq!(stage(Format::League, 1).suits(4, 1), Ok(()), "others come later");
        let all = |players| stage(Format::RoundRobin, 1).suits(4, players);
        let few = UnsuitedStage::FewPlayers { seats: 4, players: 3 };
        assert_eq!((all(3), all(16)), (Err(few), Ok(())));
        for many in [17, 10_000] {
            assert_eq!(all(many), Err(UnsuitedStage::ManyMeetings { seats: 4, players: many }));
        }
    }

    #[test]
    fn the_number_of_games_follows_from_the_format() {
        let games = |players| all().map(|format| stage(format, 2).games(players, 2));
        assert_eq!(games(5), [12, 40, 36, 24, 24, 16, 400, 0, 8, 0]);
        assert_eq!(games(1), [4, 0, 0, 0, 0, 0, 400, 0, 8, 0], "a check needs an opponent");
        assert_eq!(games(0), [0, 0, 0, 0, 0, 0, 400, 0, 8, 0]);
    }

    #[test]
    fn a_stage_reads_as_it_is_written() {
        for format in all() {
            let stage = Stage { format, pairs: 2, players: Some(8) };
            let text = serde_json::to_string(&stage).expect("plain data");
            assert_eq!(serde_json::from_str::<Stage>(&text).expect(&text), stage);
        }
        let plain = serde_json::to_string(&Stage::round_robin(1)).expect("plain data");
        assert_eq!(plain, r#"{"format":"round-robin","pairs":1}"#);
        for unknown in [r#"{"format":"cup","pairs":1}"#, r#"{"format":"check","pairs":1,"x":1}"#] {
            assert!(serde_json::from_str::<Stage>(unknown).is_err(), "{unknown}");
        }
    }

    #[test]
    fn a_format_is_described_with_its_size() {
        let said = all().map(|format| stage(format, 2).describe(5, 2));
        assert_eq!(
            said,
            [
                "a check of 2 pairs each",
                "10 pairings of 2 pairs",
                "3 opponents each, 2 pairs per pairing",
                "a gauntlet of 3 against 2 anchors, 2 pairs per pairing",
                "3 Swiss rounds of 2 pairs",
                "a knockout with 2 pairs per match",
                "a ladder of 400 games at most",
                "a league that begins with 5 players",
                "2 pairings of 2 pairs for players who had too few",
                "further games as time allows",
            ]
        );
        assert_eq!(stage(Format::RoundRobin, 1).describe(2, 2), "1 pairing of 1 pair");
    }
}
