//! A player for tests. It thinks in the time of the runtime, which a test can advance.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::limit::Allowed;
use super::process::LineAnswer;
use referee_record::model::clock::seconds;
use referee_record::model::fault::{Fault, FaultCode};

/// Handles a message. Returns how long to think, and the reply if one is owed.
pub type PlayerScript = Box<dyn FnMut(&Value) -> (Duration, Option<String>) + Send>;

/// Receives the lines for a player that follows a script.
pub(super) struct Scripted(pub(super) PlayerScript);

impl fmt::Debug for Scripted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scripted")
    }
}

impl Scripted {
    /// Sends a line without a reply.
    pub(super) fn tell(&mut self, line: &[u8]) {
        self.take(line);
    }

    /// Sends a line, and waits for its reply within the allowed time.
    pub(super) async fn ask(
        &mut self,
        line: &[u8],
        reply: &mut Vec<u8>,
        allowed: Allowed,
    ) -> LineAnswer {
        let (thinks, text) = self.take(line);
        if let Some(left) = allowed.left.filter(|left| thinks > *left) {
            tokio::time::sleep(left).await;
            let message = format!("no reply within {}", seconds(left));
            return LineAnswer { line: Err(Fault::new(FaultCode::Timeout, message)), used: left };
        }
        tokio::time::sleep(thinks).await;
        let gone = || Fault::new(FaultCode::Exit, "it gave no reply");
        *reply = text.clone().unwrap_or_default().into_bytes();
        LineAnswer { line: text.map(drop).ok_or_else(gone), used: thinks }
    }

    fn take(&mut self, line: &[u8]) -> (Duration, Option<String>) {
        (self.0)(&serde_json::from_slice(line).expect("a message is JSON"))
    }
}
