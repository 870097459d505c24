//! Replay packs: the replay frames of many games, for a file beside the page.
//!
//! A pack is the JSON of its games in a list, deflated, as base64 text: a page that is opened from
//! disk can load nothing but scripts. `pack.js` reads it.

use std::io::{self, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;

use referee_match::replay::frames::ReplayFrames;

/// The level of compression: a tenth larger than at the default level, in two thirds of the time.
const LEVEL: u32 = 4;

/// The games of a pack.
#[derive(Debug)]
pub struct ReplayPack {
    packed: DeflateEncoder<Vec<u8>>,
    has_games: bool,
}

impl Default for ReplayPack {
    fn default() -> Self {
        Self { packed: DeflateEncoder::new(Vec::new(), Compression::new(LEVEL)), has_games: false }
    }
}

impl ReplayPack {
    /// Adds a game.
    ///
    /// # Errors
    ///
    /// None are expected: everything is written to memory.
    pub fn add(&mut self, game: &ReplayFrames) -> io::Result<()> {
        self.packed.write_all(if self.has_games { b"," } else { b"[" })?;
        self.has_games = true;
        // In one piece: each write costs the encoder far more than its bytes do.
        self.packed.write_all(&serde_json::to_vec(game)?)
    }

    /// The pack as text.
    ///
    /// # Errors
    ///
    /// As for [`add`](Self::add).
    pub fn finish(mut self) -> io::Result<String> {
        self.packed.write_all(if self.has_games { b"]" } else { b"[]" })?;
        Ok(STANDARD.encode(self.packed.finish()?))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::DeflateDecoder;
    use serde_json::Value;

    use super::*;

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
            players: ["ant", "bee"].map(str::to_owned).into(),
            seats: vec!["white".into(), "black".into()],
            look: None,
            end: "draw: done".to_owned(),
            frames: Vec::new(),
        });
        for game in &games {
            pack.add(game).expect("memory");
        }
        assert_eq!(unpacked(pack), serde_json::json!(games));
    }
}
