//! A player that speaks the protocol, as a process or as a function in this process.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::process::{self, PlayerProcess};
use super::reply_limit::ReplyLimit;
use super::{
    Answer, EndView, GuessRight, InitView, NotStarted, OutageRight, PlayerLaunch, PlayerSandbox,
    PlayerStatistics, TurnTime, TurnView, not_started_fault,
};
use referee_games::{Event, GameError, ProgramError, SeatMap};
use referee_protocol::{
    EndMessage, ErrorMessage, Greeting, GreetingWants, InitClock, InitMessage, Message, NOTE_LIMIT,
    Reply, ReplyError, ReplyWarning, ReportedUsage, TurnMessage, Usage, VERSIONS,
    reply_error_excerpt,
};
use referee_record::model::clock::format_clock_seconds;
use referee_record::model::fault::{Fault, FaultCode};

/// A player in this process: receives each line from the referee, and returns the reply if one is
/// owed.
pub type Respond = Box<dyn FnMut(&str) -> Option<String> + Send>;

/// The same, which also returns how long it thinks beyond the time it takes.
type ThinkingRespond = Box<dyn FnMut(&str) -> (Duration, Option<String>) + Send>;

/// Handles a message. Returns how long to think, and the reply if one is owed.
#[cfg(any(test, feature = "examples"))]
pub type PlayerScript = Box<dyn FnMut(&serde_json::Value) -> (Duration, Option<String>) + Send>;

/// A player that speaks the protocol.
#[derive(Debug)]
pub struct Wire {
    link: Link,
    next_id: u64,
    wants: GreetingWants,
    /// How many guesses it wants with each turn.
    guesses: u32,
    /// Whether it is frozen after each of its replies.
    pub(super) freeze: bool,
    /// Whether it still owes a reply, or cannot be used again.
    pub(super) owes: bool,
    /// Whether it may say that its rules program failed.
    asks_rules: bool,
    /// Whether it may ask for guesses of what a game hides from it.
    guess_right: GuessRight,
    /// Whether it may say that it cannot reach its service.
    outage_right: OutageRight,
    /// How many bytes each of its notes may have.
    note_limit: usize,
    /// What it reported to have used since that was last taken.
    pub(super) usage: Usage,
    /// The last line to the player.
    line: Vec<u8>,
    /// Its last reply.
    reply: Vec<u8>,
}

/// How the lines are exchanged.
enum Link {
    /// A process that is not started yet.
    Waiting(Box<PlayerLaunch>, Arc<PlayerSandbox>),
    /// A running process.
    Process(Box<PlayerProcess>),
    /// A function.
    Local(ThinkingRespond),
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Waiting(..) => "Waiting",
            Self::Process(_) => "Process",
            Self::Local(_) => "Local",
        })
    }
}

impl Wire {
    /// A player whose process starts when its game begins.
    pub fn process(launch: PlayerLaunch, sandbox: Arc<PlayerSandbox>) -> Self {
        let (asks_rules, guess_right) = (launch.asks_rules, launch.guesses);
        let (outage_right, note_limit) = (launch.outages, launch.note_limit);
        let link = Link::Waiting(Box::new(launch), sandbox);
        Self { asks_rules, guess_right, outage_right, note_limit, ..Self::new(link) }
    }

    /// A player in this process.
    pub fn local(mut respond: Respond) -> Self {
        Self::new(Link::Local(Box::new(move |line| (Duration::ZERO, respond(line)))))
    }

    /// A player for tests. It thinks in the time of the runtime, which a test can advance.
    ///
    /// # Panics
    /// A message is not JSON.
    #[cfg(any(test, feature = "examples"))]
    pub fn scripted(mut script: PlayerScript) -> Self {
        let respond = move |line: &str| script(&serde_json::from_str(line).expect("JSON"));
        Self::new(Link::Local(Box::new(respond)))
    }

    /// The same player, which may say that it cannot reach its service.
    #[cfg(any(test, feature = "examples"))]
    #[must_use]
    pub fn with_outages(self) -> Self {
        Self { outage_right: OutageRight::Granted, ..self }
    }

    fn new(link: Link) -> Self {
        let wants = GreetingWants::default();
        Self {
            link,
            next_id: 0,
            wants,
            guesses: 0,
            freeze: false,
            owes: false,
            asks_rules: false,
            guess_right: GuessRight::Granted,
            outage_right: OutageRight::Denied,
            note_limit: NOTE_LIMIT,
            usage: Usage::default(),
            line: Vec::new(),
            reply: Vec::new(),
        }
    }

    pub(super) async fn begin(
        &mut self,
        view: &InitView<'_>,
    ) -> Result<(Greeting, Duration), NotStarted> {
        let limit = view.control.startup;
        match &mut self.link {
            Link::Waiting(launch, sandbox) => {
                let process =
                    PlayerProcess::start(launch, sandbox, view.control, self.freeze).await?;
                self.link = Link::Process(Box::new(process));
            }
            Link::Process(process) => {
                process.begin_game();
                let silence = process.check_silence().await;
                silence.map_err(|fault| not_started_fault(fault, "between two games"))?;
            }
            Link::Local(_) => {}
        }
        let id = self.take_id();
        wire_init_message(view, id).write(&mut self.line);
        let limit = ReplyLimit::new(view.control.measure, Some(limit));
        let answer = self.exchange(limit).await;
        self.read_usage();
        answer.line.map_err(|fault| not_started_fault(fault, "the greeting failed"))?;
        let greeting = match Greeting::read(&self.reply, id) {
            Ok(greeting) => greeting,
            Err(ReplyError::RulesProgram(message)) if self.asks_rules => {
                return Err(NotStarted::Game(self.rules_failure(message).await));
            }
            Err(error) => return Err(self.bad_greeting(error).await.into()),
        };
        (self.wants, self.guesses) = (greeting.wants, greeting.guesses);
        Ok((greeting, answer.time.charged))
    }

    pub(super) async fn ask(&mut self, view: &TurnView<'_>) -> Result<Answer, GameError> {
        if let Err(fault) = self.check_silence().await {
            return Ok(Answer { reply: Err(fault), time: TurnTime::ZERO });
        }
        let id = self.take_id();
        self.write_turn(view, id);
        let answer = self.exchange(view.limit).await;
        let reply = match answer.line {
            Ok(()) => match self.read_reply(id) {
                Ok(reply) => Ok(reply),
                Err(ReplyError::RulesProgram(message)) if self.asks_rules => {
                    return Err(self.rules_failure(message).await);
                }
                Err(error) => Err(self.bad_line(error).await),
            },
            Err(fault) => {
                // What cost too much was used, too.
                self.read_usage();
                Err(fault)
            }
        };
        Ok(Answer { reply, time: answer.time })
    }

    /// Reads the reply to the turn with this id, and the usage that it reports.
    fn read_reply(&mut self, id: u64) -> Result<Reply, ReplyError> {
        let dropped = self.read_usage();
        let mut reply = Reply::read_with_note_limit(&self.reply, id, self.note_limit)?;
        reply.warnings.extend(dropped);
        Ok(reply)
    }

    /// Adds the usage that the last reply reports. Returns the parts that were dropped.
    fn read_usage(&mut self) -> Vec<ReplyWarning> {
        let ReportedUsage { usage, warnings } = ReportedUsage::read(&self.reply);
        self.usage += usage;
        warnings
    }

    /// Prepares a request with the parts that the player wants.
    fn write_turn(&mut self, view: &TurnView<'_>, id: u64) {
        let (position, seat) = (view.position, view.seat);
        let name = &position.seats()[seat];
        let message = TurnMessage {
            id,
            ply: position.ply(),
            state: self.wants.state.then(|| position.view(seat)),
            events: self.wants.events.then(|| Event::known_to(view.events, name)),
            legal: self.wants.legal.then(|| Cow::Owned(position.legal_json(seat))),
            guesses: view.guesses.into(),
            clock: view.clock.clone(),
            retry: view.retry,
        };
        Message::Turn(message).write(&mut self.line);
    }

    pub(super) async fn refuse(&mut self, fault: &Fault) {
        let message = ErrorMessage {
            code: fault.code.name().into(),
            message: fault.message.as_str().into(),
            clause: fault.clause.as_deref().map(Cow::Borrowed),
            raw: fault.raw.as_deref().map(Cow::Borrowed),
        };
        Message::Error(message).write(&mut self.line);
        self.tell().await;
    }

    pub(super) async fn end(&mut self, view: &EndView<'_>) {
        let message = EndMessage {
            events: self.wants.events.then(|| Event::known_to(view.events, &view.seats[view.seat])),
            state: self.wants.state.then(|| view.position.view(view.seat)),
            ..wire_end_message(view)
        };
        Message::End(message).write(&mut self.line);
        self.tell().await;
    }

    pub(super) async fn leave(&mut self) -> PlayerStatistics {
        Message::Quit.write(&mut self.line);
        self.tell().await;
        let Link::Process(process) = &mut self.link else { return PlayerStatistics::default() };
        if self.owes {
            let leftover = process.kill().await;
            return PlayerStatistics { leftover, ..self.statistics() };
        }
        let leftover = process.leave().await;
        let afterwards = process.said_unasked();
        PlayerStatistics { leftover, afterwards, ..self.statistics() }
    }

    fn statistics(&self) -> PlayerStatistics {
        self.running().map_or_else(PlayerStatistics::default, PlayerProcess::statistics)
    }

    pub(super) fn guesses(&self, is_hidden: bool) -> u32 {
        let is_allowed = !is_hidden || self.guess_right == GuessRight::Granted;
        if is_allowed { self.guesses } else { 0 }
    }

    /// Its process, if it is one that runs.
    pub(super) fn running(&self) -> Option<&PlayerProcess> {
        match &self.link {
            Link::Process(process) => Some(process),
            _ => None,
        }
    }

    pub(super) fn running_mut(&mut self) -> Option<&mut PlayerProcess> {
        match &mut self.link {
            Link::Process(process) => Some(process),
            _ => None,
        }
    }

    pub(super) fn freeze_off_turn(&mut self) {
        self.freeze = true;
        if let Some(process) = self.running_mut() {
            process.freeze_off_turn();
        }
    }

    fn take_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id - 1
    }

    pub(super) async fn spoke_unasked(&mut self) -> Option<Fault> {
        let fault = self.check_silence().await.err();
        fault.filter(|fault| fault.code == FaultCode::UnexpectedOutput)
    }

    async fn check_silence(&mut self) -> Result<(), Fault> {
        match self.running_mut() {
            Some(process) => process.check_silence().await,
            None => Ok(()),
        }
    }

    /// Sends the prepared line and waits for the reply.
    async fn exchange(&mut self, limit: ReplyLimit) -> process::LineAnswer {
        self.owes = true;
        self.reply.clear();
        let answer = match &mut self.link {
            Link::Process(process) => process.ask(&self.line, &mut self.reply, limit).await,
            Link::Local(respond) => {
                answer_in_process(respond, &self.line, &mut self.reply, limit).await
            }
            Link::Waiting(..) => {
                let fault = Fault::new(FaultCode::NoStart, "it was asked before it was started");
                process::LineAnswer { line: Err(fault), time: TurnTime::ZERO }
            }
        };
        self.owes = answer.line.is_err();
        answer
    }

    /// The fault of a player whose line is not a valid greeting. If a hosting program reports the
    /// fault, its text is the whole message.
    async fn bad_greeting(&mut self, error: ReplyError) -> Fault {
        let hosted = matches!(error, ReplyError::Hosted { .. });
        let fault = self.bad_line(error).await;
        match fault.code {
            FaultCode::Malformed | FaultCode::Crash if hosted => {
                Fault { code: FaultCode::NoStart, ..fault }
            }
            FaultCode::Outage => fault,
            _ => not_started_fault(fault, "the greeting failed"),
        }
    }

    /// The fault of a player whose line is not a valid reply. A hosted player that crashed gets a
    /// fault with the last lines of its stderr.
    async fn bad_line(&mut self, error: ReplyError) -> Fault {
        match (&mut self.link, error) {
            (Link::Process(process), ReplyError::Hosted { message, crashed: true }) => {
                self.owes = true;
                process.diagnose_exit(Fault::new(FaultCode::Crash, message)).await
            }
            (_, ReplyError::Outage { message }) if self.outage_right == OutageRight::Granted => {
                Fault::new(FaultCode::Outage, message)
            }
            (_, error) => Fault {
                raw: Some(reply_error_excerpt(&self.reply)),
                ..Fault::new(FaultCode::Malformed, error.to_string())
            },
        }
    }

    /// The failure of its rules program, which writes to the same stderr.
    async fn rules_failure(&mut self, mut message: String) -> GameError {
        self.owes = true;
        if let Link::Process(process) = &mut self.link {
            let fault = process.diagnose_exit(Fault::new(FaultCode::Crash, "")).await;
            message.extend(fault.stderr.iter().map(|line| format!("\n  stderr: {line}")));
        }
        GameError::Program(ProgramError::new(RulesFailure(message)))
    }

    /// Sends the prepared line, unless the player owes a reply.
    async fn tell(&mut self) {
        if self.owes {
            return;
        }
        match &mut self.link {
            Link::Process(process) => process.tell(&self.line).await,
            Link::Local(respond) => {
                respond(std::str::from_utf8(&self.line).unwrap_or_default());
            }
            Link::Waiting(..) => {}
        }
    }
}

/// The failure of a built-in player's rules program, in the program's own words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct RulesFailure(String);

/// The message of a game's end with what it says of the outcome: in a game for two, who won; with
/// more seats, the places.
fn wire_end_message<'a>(view: &EndView<'a>) -> EndMessage<'a> {
    let names = || view.seats.clone();
    let nothing = EndMessage { reason: view.reason.into(), ..EndMessage::default() };
    if view.seats.len() > 2 {
        let final_scores = view.position.scores().cloned();
        return EndMessage {
            place: Some(view.places.place_of(view.seat) + 1),
            places: Some(SeatMap::new(names(), view.places.counted_from_one())),
            final_scores: final_scores.map(|scores| SeatMap::new(names(), scores)),
            ..nothing
        };
    }
    let result = match view.scores[view.seat].0 {
        1.0 => "win",
        0.0 => "loss",
        _ => "draw",
    };
    let scores = SeatMap::new(names(), view.scores.clone());
    EndMessage { result: Some(result.into()), scores: Some(scores), ..nothing }
}

fn wire_init_message<'a>(view: &InitView<'a>, id: u64) -> Message<'a> {
    let seats = view.rules.seats();
    Message::Init(InitMessage {
        id,
        protocol: VERSIONS.into(),
        game: view.rules.game.name().into(),
        options: view.rules.options.to_json(),
        you: seats[view.seat].clone(),
        seats: seats.into_iter().collect(),
        clock: InitClock::from(view.control),
        seed: view.seed,
        state: view.position.view(view.seat),
        // The events of a hidden game's opening come with the first turn, as far as the seat may
        // know them.
        opening: if view.rules.game.is_hidden() { &[][..] } else { view.opening }.into(),
    })
}

/// Answers a request, after thinking until the time is up at most.
async fn answer_in_process(
    respond: &mut ThinkingRespond,
    line: &[u8],
    reply: &mut Vec<u8>,
    limit: ReplyLimit,
) -> process::LineAnswer {
    let asked = Instant::now();
    let (thinks, text) = respond(std::str::from_utf8(line).unwrap_or_default());
    let used = asked.elapsed() + thinks;
    if thinks > limit.bound + limit.margin {
        sleep(limit.bound).await;
        let message = format!("no reply within {}", format_clock_seconds(limit.bound));
        let fault = Fault::new(FaultCode::Timeout, message);
        return process::LineAnswer { line: Err(fault), time: TurnTime::from_charged(limit.bound) };
    }
    if !thinks.is_zero() {
        sleep(thinks).await;
    }
    reply.clear();
    reply.extend_from_slice(text.as_deref().unwrap_or_default().as_bytes());
    let line = text.map(drop).ok_or_else(|| Fault::new(FaultCode::Exit, "it did not reply"));
    process::LineAnswer { line, time: TurnTime::from_charged(used) }
}

#[cfg(test)]
mod tests;
