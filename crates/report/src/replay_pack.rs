//! Replay packs: the replay frames of many games, for a file beside the page.
//!
//! A pack is the JSON of its games in a list, deflated, as base64 text: a page that is opened from
//! disk can load nothing but scripts. `pack.js` reads it.

use std::io::{self, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;

/// The games of a pack.
#[derive(Debug)]
pub struct ReplayPack {
    packed: DeflateEncoder<Vec<u8>>,
    games: usize,
}

impl Default for ReplayPack {
    fn default() -> Self {
        Self { packed: DeflateEncoder::new(Vec::new(), Compression::new(4)), games: 0 }
    }
}

impl ReplayPack {
    /// Adds a game, as the JSON of its [`ReplayFrames`](referee_match::replay::frames::ReplayFrames).
    ///
    /// # Errors
    ///
    /// None are expected: everything is written to memory.
    pub fn add(&mut self, game: &[u8]) -> io::Result<()> {
        self.packed.write_all(if self.games == 0 { b"[" } else { b"," })?;
        self.games += 1;
        // In one piece: each write costs the encoder far more than its bytes do.
        self.packed.write_all(game)
    }

    /// The number of games.
    pub fn games(&self) -> usize {
        self.games
    }

    /// The pack as text.
    ///
    /// # Errors
    ///
    /// As for [`add`](Self::add).
    pub fn finish(mut self) -> io::Result<String> {
        self.packed.write_all(if self.games == 0 { b"[]" } else { b"]" })?;
        Ok(STANDARD.encode(self.packed.finish()?))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::DeflateDecoder;
    use serde_json::Value;

    use super::*;
    use referee_match::replay::frames::ReplayFrames;

    /// The games of a pack, as the viewer reads them.
    fn unpacked(pack: ReplayPack) -> Value {
        let packed = STANDARD.decode(pack.finish().expect("memory")).expect("base64");
        let mut text = String::new();
        DeflateDecoder::new(&packed[..]).read_to_string(&mut text).expect("deflated text");
        serde_json::from_str(&text).expect("JSON")
    }

    #[test]
    fn a_pack_holds_its_games_in_order() {
        assert_eq!(unpacked(ReplayPack::default()), serde_json::json!([]));
        let mut pack = ReplayPack::default();
        let games = ["1-1", "1-2"].map(|id| ReplayFrames {
            id: id.to_owned(),
            pair: (3, 1),
            players: ["ant", "bee"].map(str::to_owned),
            seats: ["white".into(), "black".into()],
            end: "draw: done".to_owned(),
            frames: Vec::new(),
        });
        for game in &games {
            pack.add(&serde_json::to_vec(game).expect("JSON")).expect("memory");
        }
        assert_eq!(pack.games(), 2);
        assert_eq!(unpacked(pack), serde_json::json!(games));
    }
}
