//! Random numbers, drawn from separate keyed streams of one tournament secret.
//!
//! A stream's key depends only on the purpose of the stream, so that adding a player or resuming
//! does not change other games.

use std::sync::Arc;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::model::stage::{Stage, same_luck_anchors};
use referee_games::{Seat, Stream, draw_outcome};

/// The system provides no random numbers.
#[derive(Debug, thiserror::Error)]
#[error("the system provides no random numbers: {0}")]
pub struct NoRandomNumbers(#[from] getrandom::Error);

/// Unpredictable bytes.
///
/// # Errors
/// The system provides none.
pub fn draw_random_bytes<const N: usize>() -> Result<[u8; N], NoRandomNumbers> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

/// A random identity, of a log or of something else: 16 hex digits.
///
/// # Errors
/// See [`draw_random_bytes`].
pub fn draw_random_identity() -> Result<String, NoRandomNumbers> {
    Ok(format!("{:016x}", u64::from_le_bytes(draw_random_bytes()?)))
}

/// The secret of a tournament.
#[derive(Clone, PartialEq, Eq)]
pub struct TournamentSecret {
    key: [u8; 32],
    /// The anchors of a gauntlet in which all others have the same luck, if it is one.
    anchors: Option<Arc<[String]>>,
}

impl std::fmt::Debug for TournamentSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl TournamentSecret {
    /// The secret derived from a configured seed. It is predictable.
    pub fn from_seed(seed: u64) -> Self {
        Self::from_key(derive_seed_key("referee 2026 seed", &[&seed.to_le_bytes()]))
    }

    /// Draws a fresh secret.
    ///
    /// # Errors
    /// See [`draw_random_bytes`].
    pub fn fresh() -> Result<Self, NoRandomNumbers> {
        draw_random_bytes().map(Self::from_key)
    }

    /// The secret as 64 hex digits.
    pub fn to_hex(&self) -> String {
        blake3::Hash::from_bytes(self.key).to_hex().to_string()
    }

    /// Reads 64 hex digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text.trim()).ok().map(|hash| Self::from_key(*hash.as_bytes()))
    }

    fn from_key(key: [u8; 32]) -> Self {
        Self { key, anchors: None }
    }

    /// The same secret in a tournament with these stages: in a gauntlet whose format says so, all
    /// but the anchors have the same luck.
    #[must_use]
    pub fn for_stages(self, stages: &[Stage]) -> Self {
        Self { anchors: same_luck_anchors(stages).map(Into::into), ..self }
    }

    /// The name by which luck is drawn for a player: its own, or none if others have the same luck.
    fn luck_name<'a>(&self, player: &'a str) -> &'a str {
        let is_anchor = |anchors: &Arc<[String]>| anchors.iter().any(|anchor| anchor == player);
        if self.anchors.as_ref().is_none_or(is_anchor) { player } else { "" }
    }

    /// The seed given to `player` in a game against `others`. At most 53 bits, so that programs that
    /// store numbers as floats keep it exactly.
    ///
    /// It is the same in both games of a pair. With more than two players, it differs between the
    /// games of a deal, in which a player's own luck must not repeat.
    pub fn player_seed(&self, player: &str, others: &[&str], pair: u32, game: u8) -> u64 {
        let player = self.luck_name(player);
        let names =
            sort_seed_names(others.iter().map(|other| self.luck_name(other)).chain([player]));
        let (pair, game) = (pair.to_le_bytes(), [game]);
        let mut parts: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
        parts.extend([&pair[..], player.as_bytes()]);
        if others.len() > 1 {
            parts.push(&game);
        }
        ChaCha20Rng::from_seed(self.stream("player", &parts)).random::<u64>() >> 11
    }

    /// The referee's luck in pair `pair` of these players: the same in all its games.
    pub fn game_luck(&self, players: &[&str], pair: u32) -> SeededLuck {
        let names: Vec<&str> = players.iter().map(|player| self.luck_name(player)).collect();
        SeededLuck::from_key(hash_meeting_for_seed(&names, pair, |parts| {
            self.stream("luck", parts)
        }))
    }

    /// The random numbers for the opening of pair `pair`, the same for all players.
    pub fn opening_stream(&self, pair: u32) -> ChaCha20Rng {
        ChaCha20Rng::from_seed(self.stream("opening", &[&pair.to_le_bytes()]))
    }

    fn stream(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hash_seed_part(&mut hasher, purpose.as_bytes());
        for part in parts {
            hash_seed_part(&mut hasher, part);
        }
        *hasher.finalize().as_bytes()
    }
}

/// The random outcomes that the referee draws in one game: a stream for each seat and one for
/// all.
#[derive(Debug, Clone)]
pub struct SeededLuck {
    key: [u8; 32],
    shared: ChaCha20Rng,
    /// The streams of the first seats. Those of the others are made when they are drawn from.
    by_seat: Vec<ChaCha20Rng>,
}

impl SeededLuck {
    /// Luck from a key.
    pub fn from_key(key: [u8; 32]) -> Self {
        Self { key, shared: stream(key, 0), by_seat: Vec::new() }
    }

    /// Draws one of the outcomes by weight.
    ///
    /// # Panics
    /// If the list is empty or all weights are zero, which no position offers.
    pub fn draw<C: Clone>(&mut self, from: Stream, outcomes: &[(C, u32)]) -> C {
        let random = match from {
            Stream::Seat(seat) => self.seat_stream(seat),
            Stream::Shared => &mut self.shared,
        };
        draw_outcome(outcomes, random).expect("an outcome with a weight").clone()
    }

    fn seat_stream(&mut self, seat: Seat) -> &mut ChaCha20Rng {
        for number in self.by_seat.len()..=seat.index() {
            self.by_seat.push(stream(self.key, number as u64 + 1));
        }
        &mut self.by_seat[seat.index()]
    }
}

fn stream(key: [u8; 32], number: u64) -> ChaCha20Rng {
    let mut stream = ChaCha20Rng::from_seed(key);
    stream.set_stream(number);
    stream
}

/// The seed of the random order of an opening book, in a tournament without a configured seed.
pub fn book_order_seed(identity: &str) -> u64 {
    let key = derive_seed_key("referee 2026 book order", &[identity.as_bytes()]);
    ChaCha20Rng::from_seed(key).random()
}

/// The seed of a step of a longer search, which has a seed itself.
pub fn step_seed(seed: u64, step: u32) -> u64 {
    let key = derive_seed_key("referee 2026 step", &[&seed.to_le_bytes(), &step.to_le_bytes()]);
    ChaCha20Rng::from_seed(key).random::<u64>() >> 11
}

/// The identity of a game, for example `3f9a1c07be52-1`: a function of the players' names, in any
/// order, the pair's number and the game's number.
pub fn derive_game_id(players: &[&str], pair: u32, game: u8) -> String {
    let hash = hash_meeting_for_seed(players, pair, |parts| {
        derive_seed_key("referee 2026 game identity", parts)
    });
    let digits = blake3::Hash::from_bytes(hash).to_hex();
    format!("{}-{game}", &digits[..12])
}

/// Hashes the names of a meeting in order, and the number of its pair.
fn hash_meeting_for_seed(
    players: &[&str],
    pair: u32,
    hash: impl FnOnce(&[&[u8]]) -> [u8; 32],
) -> [u8; 32] {
    let (names, pair) = (sort_seed_names(players.iter().copied()), pair.to_le_bytes());
    let names = names.iter().map(|name| name.as_bytes());
    hash(&names.chain([&pair[..]]).collect::<Vec<_>>())
}

/// A hash of length-prefixed parts, bound to its purpose.
fn derive_seed_key(context: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key(context);
    for part in parts {
        hash_seed_part(&mut hasher, part);
    }
    *hasher.finalize().as_bytes()
}

/// Each part is preceded by its length, so that different lists of parts never hash the same input.
fn hash_seed_part(hasher: &mut blake3::Hasher, part: &[u8]) {
    hasher.update(&(part.len() as u64).to_le_bytes());
    hasher.update(part);
}

fn sort_seed_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::stage::Format;

    #[test]
    fn streams_depend_only_on_their_names() {
        let secret = TournamentSecret::from_seed(7);
        assert_eq!(
            secret.player_seed("a", &["b"], 1, 1),
            TournamentSecret::from_seed(7).player_seed("a", &["b"], 1, 1)
        );
        assert_ne!(secret.player_seed("a", &["b"], 1, 1), secret.player_seed("b", &["a"], 1, 1));
        assert_ne!(secret.player_seed("a", &["b"], 1, 1), secret.player_seed("a", &["b"], 2, 1));
        assert_ne!(secret.player_seed("a", &["bc"], 1, 1), secret.player_seed("ab", &["c"], 1, 1));
    }

    #[test]
    fn a_seed_differs_between_the_games_of_more_than_two_players() {
        let seed = |others: &[&str], game| {
            TournamentSecret::from_seed(7).player_seed("a", others, 1, game)
        };
        assert_eq!(seed(&["b"], 1), seed(&["b"], 2));
        assert_ne!(seed(&["b", "c"], 1), seed(&["b", "c"], 2));
        assert_eq!(seed(&["b", "c"], 1), seed(&["c", "b"], 1));
    }

    #[test]
    fn all_but_the_anchors_have_the_same_luck_if_the_format_says_so() {
        let stage = |same_luck| {
            let anchors = vec!["ant".to_owned(), "bee".to_owned()];
            [Stage { format: Format::Gauntlet { anchors, same_luck }, pairs: 1, players: None }]
        };
        let seeds = |same_luck, other: &str, anchor: &str| {
            let secret = TournamentSecret::from_seed(7).for_stages(&stage(same_luck));
            let faces: Vec<(u32, u32)> = (1..=6).map(|face| (face, 1)).collect();
            let mut luck = secret.game_luck(&[other, anchor], 1);
            let dice: Vec<u32> = (0..9).map(|_| luck.draw(Stream::Shared, &faces)).collect();
            let own = secret.player_seed(other, &[anchor], 1, 1);
            (own, secret.player_seed(anchor, &[other], 1, 1), dice)
        };
        assert_eq!(seeds(true, "new", "ant"), seeds(true, "old", "ant"));
        let (new, ant, dice) = seeds(true, "new", "ant");
        let (other, bee, others_dice) = seeds(true, "new", "bee");
        assert!(new != ant && new != other && ant != bee && dice != others_dice);
        assert_ne!(seeds(false, "new", "ant"), seeds(false, "old", "ant"));
    }

    #[test]
    fn an_identity_ignores_the_order_of_the_names() {
        assert_eq!(derive_game_id(&["a", "b"], 1, 1), derive_game_id(&["b", "a"], 1, 1));
        assert_ne!(derive_game_id(&["a", "b"], 1, 1), derive_game_id(&["a", "b"], 1, 2));
        assert_ne!(derive_game_id(&["a", "bc"], 1, 1), derive_game_id(&["ab", "c"], 1, 1));
    }

    #[test]
    fn secrets_round_trip_as_hex_digits() {
        let secret = TournamentSecret::from_seed(7);
        assert_eq!(TournamentSecret::from_hex(&secret.to_hex()), Some(secret));
        assert_eq!(TournamentSecret::from_hex("7"), None);
    }

    #[test]
    fn the_streams_of_a_game_do_not_disturb_each_other() {
        let faces: Vec<(u32, u32)> = (1..=6).map(|face| (face, 1)).collect();
        let draw = |luck: &mut SeededLuck, stream| -> Vec<u32> {
            (0..20).map(|_| luck.draw(stream, &faces)).collect()
        };
        let (mut one, mut other) = (SeededLuck::from_key([7; 32]), SeededLuck::from_key([7; 32]));
        let (first, second) = (Stream::Seat(Seat::FIRST), Stream::Seat(Seat::SECOND));
        let ahead = draw(&mut one, first);
        assert_eq!(draw(&mut one, second), draw(&mut other, second));
        assert_eq!(ahead, draw(&mut other, first));
        assert_ne!(ahead, draw(&mut other, Stream::Shared));
    }

    #[test]
    fn draws_follow_the_weights() {
        let mut luck = SeededLuck::from_key([7; 32]);
        let ones = (0..3000).filter(|_| luck.draw(Stream::Shared, &[(1, 1), (2, 2)]) == 1).count();
        assert!((900..1100).contains(&ones), "{ones}");
    }

    #[test]
    fn luck_is_fair_and_the_same_for_both_games() {
        let secret = TournamentSecret::from_seed(7);
        let faces: Vec<(u8, u32)> = (1..=6).map(|face| (face, 1)).collect();
        let rolls = |mut luck: SeededLuck| {
            (0..600).map(|_| luck.draw(Stream::Seat(Seat::FIRST), &faces)).collect::<Vec<_>>()
        };
        let one = rolls(secret.game_luck(&["a", "b"], 1));
        assert_eq!(one, rolls(secret.game_luck(&["b", "a"], 1)));
        let mut counts = [0; 7];
        for roll in one {
            counts[usize::from(roll)] += 1;
        }
        for (face, count) in counts.into_iter().enumerate().skip(1) {
            assert!((60..=140).contains(&count), "{face} came {count} times of 600");
        }
    }
}
