//! The games in play, for people who look at them.
//!
//! Nothing is kept while nobody looks. Otherwise the boards change between turns, when no clock
//! runs.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

use referee_games::{AnyPosition, BoardLook, BySeat, Drawing, Event, Text};
use referee_protocol::escape::escape_line;

/// A game in play, as it is shown.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct GameInPlay {
    id: String,
    players: Vec<String>,
    seats: Vec<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    look: Option<BoardLook>,
    frame: Value,
}

/// How a position is shown after these events, as JSON.
pub type Draw = fn(&dyn AnyPosition, &[Event]) -> Value;

/// The games in play by their ids, and how many people look at them.
#[derive(Debug, Default)]
pub struct Spectators {
    games: Mutex<BTreeMap<String, GameInPlay>>,
    /// Every spectator holds a receiver. It changes with the games.
    changed: watch::Sender<()>,
    /// Without it, positions are not shown.
    draw: Option<Draw>,
}

impl Spectators {
    /// No games yet, whose positions are shown as `draw` says.
    pub fn new(draw: Draw) -> Self {
        Self { draw: Some(draw), ..Self::default() }
    }

    /// Begins to look. As long as the receiver lives, games are shown from their next steps on; it
    /// changes when they do.
    pub fn subscribe(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// The games in play as a line of JSON: a list.
    pub fn games_as_json_line(&self) -> String {
        let games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        // Nothing in it can fail to become JSON.
        serde_json::to_string(&games.values().collect::<Vec<_>>()).unwrap_or_default() + "\n"
    }

    /// Shows a game while its steps are told to the returned value.
    pub(super) fn show_game<'a>(
        &'a self,
        id: &'a str,
        players: BySeat<&'a str>,
    ) -> SpectatedGame<'a> {
        SpectatedGame { spectators: self, id, players }
    }

    /// How to show positions, if anyone looks.
    fn draw(&self) -> Option<Draw> {
        self.draw.filter(|_| self.changed.receiver_count() > 0)
    }
}

/// A game that is shown until this is dropped.
#[derive(Debug)]
pub(super) struct SpectatedGame<'a> {
    spectators: &'a Spectators,
    id: &'a str,
    players: BySeat<&'a str>,
}

impl SpectatedGame<'_> {
    /// Shows the position after a step, if anyone looks.
    pub(super) fn show_position(&self, position: &dyn AnyPosition, events: &[Event]) {
        let Some(draw) = self.spectators.draw() else { return };
        let game = GameInPlay {
            id: self.id.to_owned(),
            players: self.players.values().iter().map(|name| escape_line(name)).collect(),
            seats: position.seats().into_iter().collect(),
            look: match position.draw() {
                Drawing::Board(_, look) => Some(look.clone()),
                Drawing::Text(_) => None,
            },
            frame: draw(position, events),
        };
        let mut games = self.spectators.games.lock().unwrap_or_else(PoisonError::into_inner);
        games.insert(self.id.to_owned(), game);
        drop(games);
        self.spectators.changed.send_replace(());
    }
}

impl Drop for SpectatedGame<'_> {
    fn drop(&mut self) {
        let mut games = self.spectators.games.lock().unwrap_or_else(PoisonError::into_inner);
        if games.remove(self.id).is_some() {
            self.spectators.changed.send_replace(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::{GameKind, Options, Step};
    use serde_json::json;

    #[test]
    fn games_are_shown_while_someone_looks() {
        let options = Options::resolve(GameKind::WatchYourBack.game().options(), []);
        let game = GameKind::WatchYourBack.game();
        let mut position = game.start(&options.expect("the defaults")).expect("the defaults");
        let mut events = Vec::new();
        position.play(Step::Move("3,3"), &mut events).expect("legal");
        let spectators = Spectators::new(|position, _| json!({ "ply": position.ply() }));
        let shown = spectators.show_game("a-1", BySeat::from(["ant\u{1b}", "bee"]));
        shown.show_position(&*position, &events);
        assert_eq!(spectators.games_as_json_line(), "[]\n", "nobody looks");
        let look = spectators.subscribe();
        shown.show_position(&*position, &events);
        let line = spectators.games_as_json_line();
        assert!(line.contains(r#""players":["ant\\u{1b}","bee"]"#), "{line}");
        assert!(line.contains(r#""ply":1"#) && look.has_changed().expect("there"), "{line}");
        drop(shown);
        assert_eq!(spectators.games_as_json_line(), "[]\n", "the game is over");
    }
}
