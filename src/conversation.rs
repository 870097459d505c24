//! A recorded game told again to one of its players, line by line, up to one of its decisions.
//!
//! The player is told what the record says that it did, whatever it replies now. So a player that
//! decides by its seed comes to the decision as it did in the game, and every other one comes to
//! the same position.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::error::Failure;
use crate::model::clock::{Clock, TimeControl};
use crate::model::fault::{Fault, FaultCode};
use crate::model::record::{FaultPolicy, GameRecord};
use crate::player::{InitView, NotStarted, Player, Wire};
use crate::protocol::{Greeting, Wants};
use crate::referee::{Question, Setup};
use crate::tournament::audit::{Replay, Replayed};
use referee_games::{BySeat, Event, Game, Options, Seat, StepOf, Turn};
use referee_sandbox::Shortage;

/// A recorded game, and the terms that it was played by.
#[derive(Debug)]
pub struct Source<'a, G: Game> {
    /// The checked rules.
    pub rules: &'a Arc<G::Rules>,
    /// The same as options, for the player to read.
    pub options: &'a Options,
    /// The limits of time, as the player is told them.
    pub control: &'a TimeControl,
    /// What happens after a refused action.
    pub policy: FaultPolicy,
    /// The record.
    pub record: &'a GameRecord,
}

/// A decision of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// Whose.
    pub seat: Seat,
    /// The plies played before it.
    pub ply: u32,
}

/// What came of putting a decision to a player.
#[derive(Debug)]
pub struct Put<G> {
    /// The position where it was asked last.
    pub position: G,
    /// What happened since its turn before.
    pub events: Vec<Event>,
    /// What it said of itself; the start-up's time. Absent when it did not start.
    pub greeted: Option<(Greeting, Duration)>,
    /// The legal action it replied, or its fault.
    pub outcome: Result<String, Fault>,
    /// The time of that reply.
    pub used: Duration,
    /// Its first reply on the way that was not the recorded one.
    pub strayed: Option<Strayed>,
}

/// A reply that was not the recorded one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strayed {
    /// The plies played before it.
    pub ply: u32,
    /// What it replied; of a refused reply the diagnosis.
    pub said: String,
    /// What the record has there.
    pub recorded: String,
}

/// The plies before the first decision of a recorded game.
pub fn first_decision<G: Game>(source: &Source<'_, G>) -> Result<u32, String> {
    let mut tape = Tape::new(source)?;
    while matches!(tape.position().turn(), Turn::Chance(..) | Turn::Pass(_)) {
        if tape.step()? == Replayed::End {
            break;
        }
    }
    Ok(tape.position().ply())
}

/// The seat that decides after `ply` plies of a recorded game; where both do, the `wanted` one, or
/// else the player's `own`.
pub fn seat_at<G: Game>(
    source: &Source<'_, G>,
    ply: u32,
    wanted: Option<Seat>,
    own: Option<Seat>,
) -> Result<Seat, String> {
    let mut tape = Tape::new(source)?;
    while tape.position().ply() < ply || matches!(tape.position().turn(), Turn::Chance(..)) {
        if tape.step()? == Replayed::End {
            break;
        }
    }
    let reached = tape.position().ply();
    if reached != ply {
        return Err(if reached > ply {
            format!("the game begins after {reached} plies; ask for one from there on")
        } else {
            format!("the game has {reached} plies, not {ply}")
        });
    }
    let turn = tape.position().turn();
    let wanted = if turn == Turn::Both { wanted.or(own) } else { wanted };
    match (turn, wanted) {
        (Turn::Move(seat), None) => Ok(seat),
        (Turn::Move(seat), Some(wanted)) if seat == wanted => Ok(seat),
        (Turn::Both, Some(wanted)) => Ok(wanted),
        (Turn::Both, None) => Err("both seats decide there; name one with --seat".to_owned()),
        (Turn::Move(seat), Some(_)) => Err(format!("{} decides there", G::SEATS[seat])),
        (Turn::Pass(seat), _) => {
            Err(format!("{} passes there by force and is not asked", G::SEATS[seat]))
        }
        (Turn::Chance(..), _) => Err("the record ends before a roll there".to_owned()),
        (Turn::Over(_), _) => Err("the game is over there".to_owned()),
    }
}

/// Why a decision could not be put to a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotPut {
    /// The record cannot be told, for this reason.
    Record(String),
    /// The referee could not start the player.
    Shortage(Shortage),
}

impl From<String> for NotPut {
    fn from(reason: String) -> Self {
        Self::Record(reason)
    }
}

impl From<NotPut> for Failure {
    fn from(why: NotPut) -> Self {
        match why {
            NotPut::Record(reason) => Self::input(reason),
            NotPut::Shortage(shortage) => shortage.into(),
        }
    }
}

/// Tells the game to `player` and asks it for `decision`. A player that fails on the way, in
/// another way than by a refused action, is not asked any further.
pub async fn put<G: Game>(
    source: &Source<'_, G>,
    decision: Decision,
    player: &mut Player,
) -> Result<Put<G>, NotPut> {
    let seat = decision.seat;
    let mut tape = Tape::new(source)?;
    let begun = player.begin(&tape.init(seat)).await;
    let mut put = Put {
        position: tape.position().clone(),
        events: Vec::new(),
        greeted: None,
        outcome: Ok(String::new()),
        used: Duration::ZERO,
        strayed: None,
    };
    match begun {
        Ok(greeted) => put.greeted = Some(greeted),
        Err(NotStarted::Fault(fault)) => return Ok(Put { outcome: Err(fault), ..put }),
        Err(NotStarted::Shortage(shortage)) => return Err(NotPut::Shortage(shortage)),
    }
    let mut told = 0;
    loop {
        let ply = tape.position().ply();
        if tape.asks(seat) {
            put.position = tape.position().clone();
            put.events = tape.events[told..].to_vec();
            (put.outcome, put.used) = ask(&tape, seat, &put.events, player).await;
            told = tape.events.len();
            if ply == decision.ply && put.outcome.is_ok() {
                let extra = player.spoke_unasked().await;
                put.outcome = extra.map_or(put.outcome, Err);
            }
            if ply == decision.ply || is_final(&put.outcome) {
                return Ok(put);
            }
            let recorded = tape.recorded(seat);
            note_straying(&mut put, ply, recorded);
        } else if ply > decision.ply {
            return Err(format!("nobody is asked after {} plies", decision.ply).into());
        }
        if tape.step()? == Replayed::End {
            return Err(format!("the game has {ply} plies, not {}", decision.ply).into());
        }
    }
}

/// The lines that a player in that seat is sent up to the decision, without newlines; `wants` is
/// what it asked for.
pub async fn lines<G: Game>(
    source: &Source<'_, G>,
    decision: Decision,
    wants: Wants,
) -> Result<Vec<String>, NotPut> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&heard);
    let greeting = greeting_of(wants);
    let respond = move |line: &str| {
        let mut heard = sink.lock().unwrap_or_else(PoisonError::into_inner);
        heard.push(line.trim_end().to_owned());
        // What it replies to a turn does not matter: the record goes on by itself.
        Some(if heard.len() == 1 { greeting.clone() } else { "-".to_owned() })
    };
    let mut player = Player::Wire(Box::new(Wire::local(Box::new(respond))));
    put(source, decision, &mut player).await?;
    drop(player);
    let lines = heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(lines)
}

fn greeting_of(wants: Wants) -> String {
    let named = [("state", wants.state), ("events", wants.events), ("legal", wants.legal)];
    let wanted: Vec<&str> =
        named.into_iter().filter(|(_, wanted)| *wanted).map(|(name, _)| name).collect();
    serde_json::json!({ "want": wanted }).to_string()
}

async fn ask<G: Game>(
    tape: &Tape<'_, '_, G>,
    seat: Seat,
    events: &[Event],
    player: &mut Player,
) -> (Result<String, Fault>, Duration) {
    let source = tape.source;
    let setup = Setup {
        rules: source.rules,
        options: source.options,
        control: source.control,
        policy: source.policy,
        opening: &[],
        seeds: source.record.seed.values,
    };
    let question = Question::new(seat, &setup, tape.position(), events, tape.clocks);
    let answered = question.put(player).await;
    let outcome = answered.decided.map(|(action, _)| action.to_string());
    (outcome, answered.used.unwrap_or_default())
}

/// Whether a player that replied so cannot be asked any more.
fn is_final(outcome: &Result<String, Fault>) -> bool {
    let may_go_on = |fault: &Fault| matches!(fault.code, FaultCode::Malformed | FaultCode::Illegal);
    outcome.as_ref().is_err_and(|fault| !may_go_on(fault))
}

fn note_straying<G>(put: &mut Put<G>, ply: u32, recorded: Option<String>) {
    let said = match &put.outcome {
        Ok(action) => action.clone(),
        Err(fault) => fault.message.clone(),
    };
    let Some(recorded) = recorded.filter(|recorded| *recorded != said) else { return };
    put.strayed.get_or_insert(Strayed { ply, said, recorded });
}

/// A recorded game that runs on, its events and clocks kept.
struct Tape<'s, 'a, G: Game> {
    source: &'s Source<'a, G>,
    replay: Replay<'a, G>,
    events: Vec<Event>,
    clocks: BySeat<Clock>,
    /// How many decisions each seat has made.
    decided: BySeat<usize>,
    /// How many of the recorded actions, the opening's included, were played.
    played: usize,
}

impl<'s, 'a, G: Game> Tape<'s, 'a, G> {
    /// The game behind its opening.
    fn new(source: &'s Source<'a, G>) -> Result<Self, String> {
        let mut clocks = BySeat::from_fn(|_| Clock::new(*source.control));
        for seat in Seat::BOTH {
            let startup = Duration::from_nanos(source.record.clock.startup_ns[seat]);
            clocks[seat].charge_startup(startup);
        }
        let mut tape = Self {
            source,
            replay: Replay::new(source.rules, source.record),
            events: Vec::new(),
            clocks,
            decided: BySeat::default(),
            played: 0,
        };
        tape.play_opening()?;
        Ok(tape)
    }

    /// A roll after the last action of an opening belongs to it.
    fn play_opening(&mut self) -> Result<(), String> {
        let opening = self.source.record.opening.len();
        let is_roll = |turn: Turn<G::Chance>| matches!(turn, Turn::Chance(..));
        while self.played < opening || opening > 0 && is_roll(self.position().turn()) {
            if self.next()? == Replayed::End {
                break;
            }
        }
        Ok(())
    }

    fn position(&self) -> &G {
        &self.replay.position
    }

    fn init(&self, seat: Seat) -> InitView<'_, G> {
        InitView {
            seat,
            position: self.position(),
            options: self.source.options,
            control: self.source.control,
            seed: self.source.record.seed[seat],
            opening: &self.source.record.opening,
        }
    }

    fn asks(&self, seat: Seat) -> bool {
        match self.position().turn() {
            Turn::Move(mover) => mover == seat,
            Turn::Both => true,
            _ => false,
        }
    }

    /// What the record says that `seat`, which is asked, replied.
    fn recorded(&self, seat: Seat) -> Option<String> {
        let second = matches!(self.position().turn(), Turn::Both) && seat == Seat::Second;
        let record = self.source.record;
        let mut texts = record.opening.iter().chain(&record.actions);
        texts.nth(self.played + usize::from(second)).cloned()
    }

    /// Plays the next step, the decisions on the clock.
    fn step(&mut self) -> Result<Replayed, String> {
        for seat in Seat::BOTH {
            if self.asks(seat) {
                let used = self.source.record.clock.used_ns[seat].get(self.decided[seat]);
                self.clocks[seat].spend(Duration::from_nanos(used.copied().unwrap_or_default()));
                self.decided[seat] += 1;
            }
        }
        self.next()
    }

    fn next(&mut self) -> Result<Replayed, String> {
        let texts = match self.position().turn() {
            Turn::Move(_) | Turn::Pass(_) => 1,
            Turn::Both => 2,
            Turn::Chance(..) | Turn::Over(_) => 0,
        };
        let replayed = self.replay.step()?;
        if replayed == Replayed::Step {
            self.played += texts;
            self.events.append(&mut self.replay.events);
        }
        Ok(replayed)
    }
}

/// The steps of a recorded game up to its decision after `ply` plies, the rolls before that
/// decision included.
pub fn steps_to<G: Game>(
    rules: &Arc<G::Rules>,
    record: &GameRecord,
    ply: u32,
) -> Result<Vec<StepOf<G>>, String> {
    let mut replay = Replay::<G>::new(rules, record);
    let mut steps = Vec::new();
    while replay.position.ply() < ply || matches!(replay.position.turn(), Turn::Chance(..)) {
        match replay.next_step()? {
            Some(step) => steps.push(step),
            None if replay.position.ply() == ply => break,
            None => {
                return Err(format!("the game has {} plies, not {ply}", replay.position.ply()));
            }
        }
    }
    Ok(steps)
}
