//! A request for an action that is written part by part.

use serde_json::value::RawValue;

use crate::clock::TurnClock;

/// Writes the line of a [`TurnMessage`](crate::TurnMessage) without making the message first: long
/// parts write themselves.
#[derive(Debug)]
pub struct TurnLine<'l>(&'l mut Vec<u8>);

impl<'l> TurnLine<'l> {
    /// Begins a request in `line`, which is cleared first.
    pub fn begin(line: &'l mut Vec<u8>, id: u64, ply: u32) -> Self {
        line.clear();
        let mut request = Self(line);
        request.text(r#"{"type":"turn""#);
        request.number(r#","id":"#, id);
        request.number(r#","ply":"#, ply.into());
        request
    }

    /// Adds the position.
    pub fn state(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.text(r#","state":"#);
        write(self.0);
    }

    /// Adds the events since this player's last turn.
    pub fn events(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.text(r#","events":"#);
        write(self.0);
    }

    /// Adds the legal actions.
    pub fn legal(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.text(r#","legal":"#);
        write(self.0);
    }

    /// Adds guesses of the position, if there are any.
    pub fn guesses(&mut self, guesses: &[Box<RawValue>]) {
        let mut before = r#","guesses":["#;
        for guess in guesses {
            self.text(before);
            self.text(guess.get());
            before = ",";
        }
        if !guesses.is_empty() {
            self.text("]");
        }
    }

    /// Adds the clocks and the number of this retry, and ends the line.
    pub fn end(mut self, clock: TurnClock, retry: Option<u32>) {
        self.text(r#","clock":{"#);
        if let Some(left) = clock.left_ms {
            self.number(r#""left_ms":"#, left);
            self.text(",");
        }
        if let Some(left) = clock.opponent_left_ms {
            self.number(r#""opponent_left_ms":"#, left);
            self.text(",");
        }
        self.number(r#""used_ms":"#, clock.used_ms);
        self.text("}");
        if let Some(retry) = retry {
            self.number(r#","retry":"#, retry.into());
        }
        self.text("}\n");
    }

    fn text(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    #[expect(clippy::expect_used, reason = "a number serialises")]
    fn number(&mut self, name: &str, number: u64) {
        self.text(name);
        serde_json::to_writer(&mut *self.0, &number).expect("a number serialises");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::message::{Message, TurnMessage};
    use referee_games::{Event, Legal};

    /// The same request, written in both ways.
    fn written(message: TurnMessage<'_>) -> [String; 2] {
        let mut parts = b"of the message before".to_vec();
        let mut line = TurnLine::begin(&mut parts, message.id, message.ply);
        if let Some(state) = &message.state {
            line.state(|json| json.extend_from_slice(state.get().as_bytes()));
        }
        if let Some(events) = &message.events {
            line.events(|json| serde_json::to_writer(json, events).expect("plain data"));
        }
        if let Some(legal) = &message.legal {
            line.legal(|json| serde_json::to_writer(json, legal).expect("plain data"));
        }
        line.guesses(&message.guesses);
        line.end(message.clock, message.retry);
        let mut whole = Vec::new();
        Message::Turn(message).write(&mut whole);
        [parts, whole].map(|line| String::from_utf8(line).expect("JSON is UTF-8"))
    }

    #[test]
    fn a_line_written_in_parts_is_the_message() {
        let clock = TurnClock { left_ms: Some(9), opponent_left_ms: Some(0), used_ms: u64::MAX };
        let other = TurnClock { opponent_left_ms: Some(5), ..TurnClock::default() };
        let roll = Event::Roll { seat: "white".into(), value: 6 };
        let [state, guess] = [1.5, 2.5].map(|number| to_raw_value(&[number]).expect("plain data"));
        for message in [
            TurnMessage::default(),
            TurnMessage { id: 7, ply: 12, clock, retry: Some(2), ..TurnMessage::default() },
            TurnMessage { events: Some(vec![roll].into()), clock: other, ..TurnMessage::default() },
            TurnMessage {
                state: Some(std::borrow::Cow::Owned(state)),
                legal: Some(Legal::List(vec!["3,4".to_owned()])),
                guesses: vec![guess.clone(), guess].into(),
                ..TurnMessage::default()
            },
        ] {
            let [parts, whole] = written(message);
            assert_eq!(parts, whole);
        }
    }
}
