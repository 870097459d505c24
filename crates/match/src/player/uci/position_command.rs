//! The command that tells an engine the position.

use serde::Deserialize;

use referee_games::{AnyPosition, Event, GameError, ProgramError, Seat};

/// The start position, which UCI has a word for.
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The state of a game of chess, as far as engines need it.
#[derive(Deserialize)]
struct ChessState {
    /// The start position, if the game tells it.
    start: Option<String>,
    /// All moves since, separated by blanks.
    moves: String,
}

/// The command `position` of a game. It has all moves so far, so each turn only adds the new ones:
/// to write it anew would cost more the longer a game is.
#[derive(Debug, Default)]
pub(super) struct PositionCommand {
    text: String,
    has_moves: bool,
}

impl PositionCommand {
    /// The command at the position of the first turn.
    ///
    /// # Errors
    /// The state of a rules program is not one of chess.
    pub(super) fn new(position: &dyn AnyPosition, seat: Seat) -> Result<Self, GameError> {
        let state = position.view(seat);
        let ChessState { start, moves } = serde_json::from_str(state.get())
            .map_err(|error| GameError::Program(ProgramError::new(error)))?;
        let start = match start {
            Some(fen) if fen != START => format!("fen {fen}"),
            _ => "startpos".to_owned(),
        };
        let mut command = Self { text: format!("position {start}"), has_moves: false };
        moves.split_ascii_whitespace().for_each(|text| command.add(text));
        Ok(command)
    }

    /// Adds the moves among the events after the first turn began. Moves of the opening came before
    /// it.
    pub(super) fn follow(&mut self, events: &[Event]) {
        for event in events {
            if let Event::Action { action, opening: false, .. } = event {
                self.add(action);
            }
        }
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(if self.has_moves { " " } else { " moves " });
        self.text.push_str(text);
        self.has_moves = true;
    }

    /// The command.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::{GameKind, Options, Step};

    #[test]
    fn moves_are_added_as_they_are_played() {
        let game = GameKind::Chess.game();
        let options = Options::resolve(game.options(), []).expect("defaults");
        let mut position = game.start(&options).expect("a start");
        let mut events = Vec::new();
        let mut command = PositionCommand::new(&*position, Seat::FIRST).expect("chess");
        assert_eq!(command.as_str(), "position startpos");
        position.play(Step::Move("e2e4"), &mut events).expect("legal");
        if let Some(Event::Action { opening, .. }) = events.first_mut() {
            *opening = true;
        }
        let mut after = PositionCommand::new(&*position, Seat::FIRST).expect("chess");
        assert_eq!(after.as_str(), "position startpos moves e2e4");
        for text in ["e7e5", "Nf3"] {
            position.play(Step::Move(text), &mut events).expect("legal");
        }
        after.follow(&events);
        assert_eq!(after.as_str(), "position startpos moves e2e4 e7e5 g1f3", "no opening twice");
        command.follow(&events[..0]);
        assert_eq!(command.as_str(), "position startpos", "asked again");
    }

    #[test]
    fn another_start_is_named() {
        let game = GameKind::Chess.game();
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let start = Options::resolve(game.options(), [("fen", fen)]).expect("an option");
        let position = game.start(&start).expect("a start");
        let command = PositionCommand::new(&*position, Seat::FIRST).expect("chess");
        assert_eq!(command.as_str(), format!("position fen {fen}"));
    }
}
