//! The player's side of the protocol, without input and output: it takes a line and returns at most
//! one line.

use super::BotKind;
use super::any_game_bot::any_game_bot_guesses;
use super::error::SessionError;
use super::seated_bot::SeatedBot;
use referee_games::{GameKind, SharedGame};
use referee_protocol::{Greeting, GreetingWants, InitMessage, Message, TurnMessage, VERSIONS};

/// A built-in player that speaks the protocol, for any number of games.
pub struct BotSession {
    kind: BotKind,
    /// The game whose rules are a program, if the player plays one.
    foreign: Option<SharedGame>,
    player: Option<SeatedBot>,
}

/// What to do after a received line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reaction {
    /// Send this line (without its newline).
    Reply(String),
    /// Wait for the next line.
    Nothing,
    /// End the process.
    Quit,
}

impl BotSession {
    /// Creates a session for this kind of player, before its first game.
    pub fn new(kind: BotKind) -> Self {
        Self { kind, foreign: None, player: None }
    }

    /// Creates a session that also plays this game, which need not be built in.
    pub fn with_game(kind: BotKind, game: SharedGame) -> Self {
        Self { foreign: Some(game), ..Self::new(kind) }
    }

    /// Reacts to a line.
    ///
    /// # Errors
    /// The referee violated the protocol, or the game is unknown.
    pub fn respond(&mut self, line: &str) -> Result<Reaction, SessionError> {
        match Message::read(line).map_err(SessionError::NotAMessage)? {
            Some(Message::Init(init)) => self.start_game(&init),
            Some(Message::Turn(request)) => self.answer(&request),
            Some(Message::End(_)) => {
                self.player = None;
                Ok(Reaction::Nothing)
            }
            Some(Message::Error(_)) | None => Ok(Reaction::Nothing),
            Some(Message::Quit) => Ok(Reaction::Quit),
        }
    }

    fn start_game(&mut self, init: &InitMessage<'_>) -> Result<Reaction, SessionError> {
        if !init.protocol.iter().any(|version| VERSIONS.contains(version)) {
            return Err(SessionError::Versions);
        }
        let foreign = self.foreign.clone().filter(|game| game.name() == init.game);
        let game = foreign
            .or_else(|| GameKind::named(&init.game).map(GameKind::shared))
            .ok_or_else(|| SessionError::UnknownGame(init.game.to_string()))?;
        // In a game whose rules are a program, it receives the position itself.
        let (wants, guesses) = match game.program() {
            None => (GreetingWants { events: true, ..GreetingWants::NOTHING }, 0),
            Some(_) => (
                GreetingWants { legal: true, ..GreetingWants::NOTHING },
                any_game_bot_guesses(self.kind),
            ),
        };
        self.player = Some(SeatedBot::new(game, self.kind, init)?);
        let greeting = Greeting {
            name: Some(self.kind.to_string()),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            wants,
            guesses,
        };
        Ok(Reaction::Reply(greeting.to_line(init.id)))
    }

    fn answer(&mut self, request: &TurnMessage<'_>) -> Result<Reaction, SessionError> {
        let player = self.player.as_mut().ok_or(SessionError::NotStarted)?;
        let reply = player.reply(request)?;
        // A search continues without the positions that a failing rules program does not give it.
        match self.foreign.as_ref().and_then(|game| game.failed()) {
            Some(failure) => Err(failure.into()),
            None => Ok(Reaction::Reply(reply.to_line(request.id))),
        }
    }
}

#[cfg(test)]
mod tests;
