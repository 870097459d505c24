//! The player's side of the protocol, without input and output: it takes a line and returns at most
//! one line.

use serde::Serialize;

use super::BotKind;
use super::message::{Greeting, Init, Message, TurnRequest};
use super::seated::Seated;
use referee_games::{GameKind, SharedGame};

/// The supported version of the protocol.
const PROTOCOL: u32 = 1;

/// A built-in player that speaks the protocol, for any number of games.
pub struct Session {
    kind: BotKind,
    /// The game whose rules are a program, if it plays one.
    foreign: Option<SharedGame>,
    player: Option<Seated>,
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

impl Session {
    /// Creates a session for this kind of player, before its first game.
    pub fn new(kind: BotKind) -> Self {
        Self { kind, foreign: None, player: None }
    }

    /// Creates a session that also plays this game, which need not be built in.
    pub fn with_game(kind: BotKind, game: SharedGame) -> Self {
        Self { foreign: Some(game), ..Self::new(kind) }
    }

    /// Reacts to a line. The error describes how the referee violated the protocol.
    pub fn respond(&mut self, line: &str) -> Result<Reaction, String> {
        let message = serde_json::from_str(line)
            .map_err(|error| format!("cannot read the referee's line: {error}"))?;
        match message {
            Message::Init(init) => self.sit_down(&init),
            Message::Turn(request) => self.answer(&request),
            Message::End => {
                self.player = None;
                Ok(Reaction::Nothing)
            }
            Message::Other => Ok(Reaction::Nothing),
            Message::Quit => Ok(Reaction::Quit),
        }
    }

    fn sit_down(&mut self, init: &Init) -> Result<Reaction, String> {
        if !init.protocol.contains(&PROTOCOL) {
            return Err(format!("the referee does not speak protocol {PROTOCOL}"));
        }
        let foreign = self.foreign.clone().filter(|game| game.name() == init.game);
        let game = foreign
            .or_else(|| GameKind::named(&init.game).map(GameKind::shared))
            .ok_or_else(|| format!("there is no game `{}` here", init.game))?;
        self.player = Some(Seated::new(game, self.kind, init)?);
        reply(&Greeting {
            id: init.id,
            name: self.kind.to_string(),
            version: env!("CARGO_PKG_VERSION"),
            want: ["events"],
        })
    }

    fn answer(&mut self, request: &TurnRequest) -> Result<Reaction, String> {
        let player = self.player.as_mut().ok_or("a turn came before `init`")?;
        reply(&player.reply(request)?)
    }
}

fn reply(message: &impl Serialize) -> Result<Reaction, String> {
    serde_json::to_string(message).map(Reaction::Reply).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
