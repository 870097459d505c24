//! A built-in player as a process: a [`BotSession`] that reads stdin.

use std::io::{self, BufRead, ErrorKind, Write};

use super::{BotSession, Reaction, SessionError};
use referee_games::{GameError, ProgramError};
use referee_protocol::Reply;

/// Plays on stdin and `output` until `quit` or the end of the input. If the referee violates the
/// protocol, the error is of the kind [`ErrorKind::InvalidData`].
pub fn serve_bot(session: BotSession, output: impl Write) -> io::Result<()> {
    serve_bot_on(session, io::stdin().lock(), output)
}

/// Answers the first line on stdin by saying that the rules program of the game failed.
pub fn serve_bot_failure(failure: &ProgramError, output: impl Write) -> io::Result<()> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    write_failure_reply(&line, failure, output)
}

/// Answers a line by saying that the rules program failed. The line was a message with an id.
fn write_failure_reply(
    line: &str,
    failure: &ProgramError,
    mut output: impl Write,
) -> io::Result<()> {
    let message: serde_json::Value = serde_json::from_str(line)?;
    let id = message["id"].as_u64().unwrap_or_default();
    writeln!(output, "{}", Reply::rules_program_failure_line(id, &failure.to_string()))?;
    output.flush()
}

fn serve_bot_on(
    mut session: BotSession,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let reaction = match session.respond(&line) {
            Ok(reaction) => reaction,
            Err(SessionError::Game(GameError::Program(failure))) => {
                return write_failure_reply(&line, &failure, &mut output);
            }
            Err(reason) => return Err(io::Error::new(ErrorKind::InvalidData, reason)),
        };
        match reaction {
            Reaction::Reply(mut reply) => {
                reply.push('\n');
                output.write_all(reply.as_bytes())?;
                output.flush()?;
            }
            Reaction::Nothing => {}
            Reaction::Quit => break,
        }
        line.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_bot_name;

    fn conversation(input: &str) -> (io::Result<()>, String) {
        let session = BotSession::new(parse_bot_name("random").expect("a bot"));
        let mut output = Vec::new();
        let result = serve_bot_on(session, input.as_bytes(), &mut output);
        (result, String::from_utf8(output).expect("text"))
    }

    #[test]
    fn the_session_ends_on_quit_and_at_the_end_of_input() {
        for input in ["", "{\"type\":\"quit\"}\nnever read\n", "{\"type\":\"rain\"}\r\n"] {
            let (result, output) = conversation(input);
            assert!(result.is_ok());
            assert_eq!(output, "");
        }
    }

    #[test]
    fn protocol_violations_are_described() {
        let (result, output) = conversation("{\"type\":\"turn\",\"id\":1}\n");
        let error = result.expect_err("no game has begun");
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert_eq!(error.to_string(), "a turn came before `init`");
        assert_eq!(output, "");
    }
}
