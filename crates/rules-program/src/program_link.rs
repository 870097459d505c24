//! The link to a rules program: it starts the program when it is needed, asks it, and reads its
//! answers.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use referee_games::{GameError, WholeNumber};
use serde::de::DeserializeOwned;

use crate::contract::{AnswerError, AnswerId, RequestType, RulesRequest};
use crate::error::{ExchangeError, RulesProgramError};
use crate::program_pipes::{ProgramEnd, ProgramLauncher, ProgramPipes, RulesProcess};

/// A link to a rules program, for one core. The program starts with the first request, and again
/// with the first request after a failure.
#[derive(Debug)]
pub(crate) struct ProgramLink {
    launcher: Arc<dyn ProgramLauncher>,
    /// The time for an answer.
    reply: Duration,
    running: Mutex<Option<RunningProgram>>,
    /// The first failure, except of a guess, which the program may not find.
    failed: OnceLock<GameError>,
    /// Whether the answers of a simultaneous turn are sent last seat first.
    pub(crate) reverses: bool,
}

#[derive(Debug)]
struct RunningProgram {
    // Pipes close before the process is ended, so that the program can exit on its own.
    pipes: ProgramPipes,
    process: Box<dyn RulesProcess>,
    next_id: u64,
    line: Vec<u8>,
    answer: Vec<u8>,
}

impl ProgramLink {
    pub(crate) fn new(launcher: Arc<dyn ProgramLauncher>, reply: Duration) -> Self {
        let (running, failed) = (Mutex::new(None), OnceLock::new());
        Self { launcher, reply, running, failed, reverses: false }
    }

    /// A link of the same kind with a process of its own.
    pub(crate) fn with_own_process(&self) -> Self {
        Self::new(Arc::clone(&self.launcher), self.reply)
    }

    /// The first failure of the program, except of a guess.
    pub(crate) fn first_failure(&self) -> Option<GameError> {
        self.failed.get().cloned()
    }

    /// Asks the program, and passes the answer to `check`, which also gets the answer's text.
    ///
    /// # Errors
    /// The program failed, or its answer was refused. The program is then ended.
    pub(crate) fn ask<A: DeserializeOwned, T>(
        &self,
        request: RulesRequest<'_>,
        check: impl FnOnce(A, &str) -> Result<T, ExchangeError>,
    ) -> Result<T, GameError> {
        // After a panic, the state of the interrupted exchange is unknown.
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let program = match &mut *running {
            Some(program) => program,
            none => none.insert(self.start().map_err(RulesProgramError::from)?),
        };
        let kind = request.kind;
        let is_first = program.next_id == 1;
        let limit =
            self.reply + if is_first { self.launcher.start_limit() } else { Duration::ZERO };
        let checked =
            program.send_request(request, limit).and_then(|()| program.read_answer(check));
        let problem = match checked {
            Ok(answer) => return Ok(answer),
            Err(problem) => problem,
        };
        let error = GameError::from(program.end_after_failure(kind, problem));
        *running = None;
        if kind != RequestType::Guess {
            self.failed.get_or_init(|| error.clone());
        }
        Err(error)
    }

    fn start(&self) -> Result<RunningProgram, ExchangeError> {
        let (process, pipes) =
            self.launcher.start().map_err(|error| ExchangeError::NotStarted(error.to_string()))?;
        Ok(RunningProgram { pipes, process, next_id: 1, line: Vec::new(), answer: Vec::new() })
    }
}

impl RunningProgram {
    fn send_request(
        &mut self,
        request: RulesRequest<'_>,
        limit: Duration,
    ) -> Result<(), ExchangeError> {
        self.line.clear();
        self.answer.clear();
        serde_json::to_writer(&mut self.line, &RulesRequest { id: self.next_id, ..request })?;
        self.line.push(b'\n');
        self.pipes.exchange(&self.line, &mut self.answer, limit)
    }

    /// Reads the answer to the last request.
    fn read_answer<A: DeserializeOwned, T>(
        &mut self,
        check: impl FnOnce(A, &str) -> Result<T, ExchangeError>,
    ) -> Result<T, ExchangeError> {
        let asked = self.next_id;
        self.next_id += 1;
        let text = std::str::from_utf8(&self.answer)
            .map_err(|error| serde::de::Error::custom(format!("it is not UTF-8: {error}")))
            .map_err(ExchangeError::Json)?;
        if text.starts_with('\u{feff}') {
            let told = "it begins with a byte order mark; write UTF-8 without one";
            return Err(ExchangeError::Json(serde::de::Error::custom(told)));
        }
        match serde_json::from_str(text)? {
            AnswerId { id: Some(WholeNumber(id)) } if id == asked => {}
            AnswerId { id: given } => {
                return Err(ExchangeError::Id { asked, given: given.map(|WholeNumber(id)| id) });
            }
        }
        let checked = serde_json::from_str(text).map_err(ExchangeError::from);
        // The program's own error says more than what its answer lacks.
        checked.and_then(|answer| check(answer, text)).map_err(|problem| {
            let told = serde_json::from_str(text);
            told.map_or(problem, |AnswerError { error }| ExchangeError::Told(error))
        })
    }

    fn end_after_failure(
        &mut self,
        kind: RequestType,
        problem: ExchangeError,
    ) -> RulesProgramError {
        let ProgramEnd { how, stderr } = self.process.end();
        let problem = match problem {
            ExchangeError::Ended(_) => ExchangeError::Ended(how),
            problem => problem,
        };
        let text = |bytes: &[u8]| Some(String::from_utf8_lossy(bytes).into_owned());
        RulesProgramError {
            advice: advise_on_answer(kind, &problem),
            problem,
            request: text(&self.line),
            answer: text(&self.answer).filter(|answer| !answer.is_empty()),
            stderr,
        }
    }
}

/// What helps to understand a problem with the answer to such a request.
fn advise_on_answer(kind: RequestType, problem: &ExchangeError) -> Option<&'static str> {
    match (kind, problem) {
        (_, ExchangeError::Json(error)) if !error.is_data() => {
            Some("an answer is one line of JSON on stdout; write debug output to stderr")
        }
        (RequestType::Sample, _) => Some("the position has no `legal`, so its actions are sampled"),
        _ => None,
    }
}
