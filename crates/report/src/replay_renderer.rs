//! Makes replays of games for the viewer.

use std::collections::HashMap;
use std::io;

use crate::game_files::GameDecisions;
use crate::replay_pack::ReplayPack;
use referee_match::replay::frames::ReplayFrames;
use referee_match::replay::turning_points::TurningPoint;
use referee_record::model::clock::TimeControl;
use referee_record::model::game_rules::GameRules;
use referee_record::model::record::GameRecord;
use referee_tournament::analysis::diagnostics::decision_hashes::add_decision_hashes;
use referee_tournament::analysis::logged_game::LoggedGame;

/// The turning points of games, by the game's id.
pub type TurningPoints = HashMap<String, Vec<TurningPoint>>;

/// Makes replays of games, as JSON.
pub struct ReplayRenderer {
    /// The rules of the games.
    pub rules: GameRules,
    /// Their limits.
    pub control: TimeControl,
    /// The plies to mark, by game.
    pub turned: TurningPoints,
}

impl ReplayRenderer {
    /// Marks where the game with this id turned.
    fn mark_turning_points(&self, frames: &mut ReplayFrames, id: &str) {
        frames.mark_turning_points(self.turned.get(id).map_or(&[], Vec::as_slice));
    }

    /// The games as a pack, and the decisions in each; a sealed game shows none.
    pub(crate) fn render_pack(
        &self,
        games: &[LoggedGame],
    ) -> io::Result<(String, Vec<GameDecisions>)> {
        let Self { rules, control, .. } = self;
        let mut pack = ReplayPack::default();
        let mut all = Vec::new();
        for game in games {
            if game.is_sealed {
                pack.add(&ReplayFrames::sealed(rules, &game.record))?;
                all.push(Ok(Vec::new()));
                continue;
            }
            let mut decisions = Vec::new();
            let (mut frames, replayed) =
                ReplayFrames::from_record_watched(rules, control, &game.record, |replay| {
                    add_decision_hashes(replay, &mut decisions);
                });
            self.mark_turning_points(&mut frames, &game.record.id);
            pack.add(&frames)?;
            all.push(replayed.map(|()| decisions));
        }
        Ok((pack.finish()?, all))
    }

    /// The replay of a game, as JSON, marked where the game with this id turned: its own, unless
    /// the record hides names.
    ///
    /// # Errors
    /// It cannot become JSON.
    pub fn json(&self, record: &GameRecord, id: &str) -> serde_json::Result<String> {
        let mut frames = ReplayFrames::from_record(&self.rules, &self.control, record);
        self.mark_turning_points(&mut frames, id);
        serde_json::to_string(&frames)
    }

    /// The replay of a game that may not be shown yet, as JSON.
    ///
    /// # Errors
    /// It cannot become JSON.
    pub fn sealed_json(&self, record: &GameRecord) -> serde_json::Result<String> {
        serde_json::to_string(&ReplayFrames::sealed(&self.rules, record))
    }
}
