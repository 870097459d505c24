//! A test game with a fixed sequence of turns, one letter each.

use std::borrow::Cow;

use rand::RngCore;
use serde_json::value::{RawValue, to_raw_value};

use referee_games::{
    AnyPosition, BySeat, Drawing, Event, GameError, GameKind, Legal, Options, Outcome, Places,
    Position, Refusal, Seat, Step, StepText, Stream, Text, Turn,
};
use referee_record::model::game_rules::GameRules;

/// `w` and `b` are turns of white and black, `p` is a forced pass of black, `d` a die, `2` a turn
/// of both. The game ends in a draw. `go` and `stay` are legal; `no` breaks the clause P1.
#[derive(Debug, Clone)]
struct FixedTurns {
    turns: &'static str,
    done: usize,
}

/// The rules of a game with these turns.
///
/// # Panics
/// The options of a built-in game have no defaults.
pub fn scripted_game_rules(turns: &'static str) -> GameRules {
    let game = GameKind::WatchYourBack.shared();
    let options = Options::resolve(game.options(), []).expect("the defaults");
    let start = Box::new(FixedTurns { turns, done: 0 });
    GameRules { game, options, start, own: serde_json::Map::new() }
}

impl FixedTurns {
    fn next(&self) -> Option<char> {
        self.turns.chars().nth(self.done)
    }

    fn action(&self, by: Seat, action: &str, forced: bool) -> Event {
        let (by, action) = (self.seats()[by].clone(), action.to_owned());
        Event::Action { by, action, forced, opening: false, on_behalf_of: None, to: None }
    }
}

impl AnyPosition for FixedTurns {
    fn seats(&self) -> BySeat<Text> {
        BySeat::from([Cow::Borrowed("white"), Cow::Borrowed("black")])
    }

    fn turn(&self) -> Turn {
        match self.next() {
            Some('w') => Turn::Move(Seat::FIRST),
            Some('b') => Turn::Move(Seat::SECOND),
            Some('p') => Turn::Pass(Seat::SECOND),
            Some('d') => Turn::Chance(Stream::Shared),
            Some(_) => Turn::Together([Seat::FIRST, Seat::SECOND].into_iter().collect()),
            None => Turn::Over(Outcome { places: Places::level(2), reason: "done".into() }),
        }
    }

    fn outcomes(&self) -> Vec<(String, u32)> {
        vec![("6".to_owned(), 1)]
    }

    fn ply(&self) -> u32 {
        let plies = self.turns.chars().take(self.done).filter(|turn| *turn != 'd').count();
        u32::try_from(plies).expect("few")
    }

    fn legal(&self, _: Seat) -> Legal {
        Legal::List(vec!["go".to_owned(), "stay".to_owned()])
    }

    fn legal_count(&self, _: Seat) -> u64 {
        2
    }

    fn judge(&self, _: Seat, text: &str) -> Result<String, GameError> {
        match text {
            "go" | "stay" => Ok(text.to_owned()),
            "no" => Err(GameError::Refused(Refusal::Illegal {
                clause: "P1".into(),
                reason: "no is not allowed".to_owned(),
            })),
            _ => Err(GameError::Refused(Refusal::Malformed("expected `go` or `stay`".to_owned()))),
        }
    }

    fn play(&mut self, step: StepText<'_>, events: &mut Vec<Event>) -> Result<(), GameError> {
        match (self.next(), step) {
            (Some('w'), Step::Move(action)) => events.push(self.action(Seat::FIRST, action, false)),
            (Some('b'), Step::Move(action)) => {
                events.push(self.action(Seat::SECOND, action, false));
            }
            (Some('p'), Step::Pass) => events.push(self.action(Seat::SECOND, "pass", true)),
            (Some('d'), Step::Chance(_)) => {
                events.push(Event::Roll { seat: "white".into(), value: 6 });
            }
            (Some('2'), Step::Together(both)) => {
                for (seat, action) in [Seat::FIRST, Seat::SECOND].into_iter().zip(both) {
                    events.push(self.action(seat, action, false));
                }
            }
            (turn, step) => panic!("{step:?} in a turn {turn:?}"),
        }
        self.done += 1;
        Ok(())
    }

    fn sample(&self, _: Seat, _: &mut dyn RngCore) -> Result<Option<String>, GameError> {
        Ok(Some("go".to_owned()))
    }

    fn state(&self) -> Cow<'_, RawValue> {
        Cow::Owned(to_raw_value(&self.done).expect("a number"))
    }

    fn draw(&self) -> Drawing<'_> {
        Drawing::Text(Vec::new())
    }

    fn caption(&self) -> String {
        String::new()
    }

    fn boxed(&self) -> Position {
        Box::new(self.clone())
    }
}
