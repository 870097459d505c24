//! Whether a record can be true: its actions replayed through the rules, its times through the
//! clock, its seeds drawn again.

use std::sync::Arc;
use std::time::Duration;

use crate::model::clock::{Clock, Measure, TimeControl, Verdict};
use crate::model::fault::FaultCode;
use crate::model::record::{GameRecord, Header, Score};
use crate::openings::Book;
use crate::seeds::{Luck, Secret};
use referee_games::{
    BySeat, Event, Game, GameKind, GameResult, Options, Outcome, Seat, Step, StepOf, Stream, Turn,
};

/// The options of a header, checked.
pub fn options_of(header: &Header) -> Result<(GameKind, Options), String> {
    let kind = GameKind::named(&header.game).ok_or_else(|| format!("no game `{}`", header.game))?;
    let given: Vec<(&str, String)> = header
        .options
        .iter()
        .map(|(name, value)| {
            (name.as_str(), value.as_str().map_or(value.to_string(), str::to_owned))
        })
        .collect();
    let given = given.iter().map(|(name, value)| (*name, value.as_str()));
    let options = referee_games::with_game!(kind, G => Options::resolve(G::OPTIONS, given))
        .map_err(|bad| format!("option {}: {}", bad.name, bad.message))?;
    Ok((kind, options))
}

/// A game played again from its record: the positions come one by one.
#[derive(Debug)]
pub struct Replay<'a, G: Game> {
    /// The position reached.
    pub position: G,
    /// What happened in the last step.
    pub events: Vec<Event>,
    texts: std::iter::Chain<std::slice::Iter<'a, String>, std::slice::Iter<'a, String>>,
    rolls: std::slice::Iter<'a, String>,
    /// How many actions of the opening are left.
    given: usize,
    /// What the rolls are compared with, if anything.
    luck: Option<Luck>,
    /// The first roll that differs from the luck.
    unlucky: Option<String>,
}

/// How a step of a replay went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replayed {
    /// A step was played.
    Step,
    /// The record has no more actions.
    End,
}

impl<'a, G: Game> Replay<'a, G> {
    /// The start of a recorded game.
    pub fn new(rules: &Arc<G::Rules>, record: &'a GameRecord) -> Self {
        Self {
            position: G::start(rules),
            events: Vec::new(),
            texts: record.opening.iter().chain(&record.actions),
            rolls: record.rolls.iter(),
            given: record.opening.len(),
            luck: None,
            unlucky: None,
        }
    }

    /// The same, the rolls being compared with this luck.
    fn with_luck(rules: &Arc<G::Rules>, record: &'a GameRecord, luck: Option<Luck>) -> Self {
        Self { luck, ..Self::new(rules, record) }
    }

    /// Plays the next step, or says why the record cannot be true.
    pub fn step(&mut self) -> Result<Replayed, String> {
        self.next_step().map(|step| step.map_or(Replayed::End, |_| Replayed::Step))
    }

    /// Plays the next step and returns it; none at the end of the record.
    pub fn next_step(&mut self) -> Result<Option<StepOf<G>>, String> {
        self.events.clear();
        let step = match self.position.turn() {
            Turn::Over(_) => return self.end("comes after the end of the game"),
            Turn::Chance(stream, outcomes) => match self.rolls.next() {
                None => return self.end("stands where a roll is missing"),
                Some(roll) => Step::Chance(self.drawn(stream, outcomes, roll)?),
            },
            Turn::Pass(_) => {
                let Some(text) = self.texts.next() else { return self.unrolled() };
                if *text != G::pass().to_string() {
                    return Err(format!("`{text}` stands where a pass was forced"));
                }
                Step::Move(G::pass())
            }
            Turn::Move(seat) => {
                let Some(text) = self.texts.next() else { return self.unrolled() };
                Step::Move(self.parse(seat, text)?)
            }
            Turn::Both => {
                let Some(one) = self.texts.next() else { return self.unrolled() };
                let Some(other) = self.texts.next() else {
                    return Err(format!("`{one}` stands alone where both seats move at once"));
                };
                let first = self.parse(Seat::First, one)?;
                Step::Both(BySeat::new(first, self.parse(Seat::Second, other)?))
            }
        };
        self.position.play(step.clone(), &mut self.events);
        self.mark_opening();
        Ok(Some(step))
    }

    /// Marks the actions that were played last, where they belong to the opening.
    fn mark_opening(&mut self) {
        for event in &mut self.events {
            if let Event::Action { opening, .. } = event {
                *opening = self.given > 0;
                self.given = self.given.saturating_sub(1);
            }
        }
    }

    /// The end of the record, where neither actions nor rolls are left.
    fn end(&mut self, wrong: &str) -> Result<Option<StepOf<G>>, String> {
        match self.texts.next() {
            None => self.unrolled(),
            Some(text) => Err(format!("`{text}` {wrong}")),
        }
    }

    /// The end of the actions, where no rolls are left.
    fn unrolled(&mut self) -> Result<Option<StepOf<G>>, String> {
        match self.rolls.next() {
            None => Ok(None),
            Some(roll) => Err(format!("`{roll}` comes where nothing is rolled")),
        }
    }

    /// The outcome that was recorded as `roll`.
    fn drawn(
        &mut self,
        stream: Stream,
        outcomes: Vec<(G::Chance, u32)>,
        roll: &str,
    ) -> Result<G::Chance, String> {
        let lucky = self.luck.as_mut().map(|luck| luck.draw(stream, &outcomes).to_string());
        if let Some(lucky) = lucky.filter(|lucky| lucky != roll && self.unlucky.is_none()) {
            let ply = self.position.ply();
            self.unlucky =
                Some(format!("ply {ply}: `{roll}` was drawn, the secret says `{lucky}`"));
        }
        let drawn = outcomes.into_iter().find(|(outcome, _)| outcome.to_string() == roll);
        let (outcome, _) = drawn.ok_or_else(|| format!("`{roll}` cannot be drawn here"))?;
        Ok(outcome)
    }

    fn parse(&self, seat: Seat, text: &str) -> Result<G::Action, String> {
        let ply = self.position.ply();
        self.position
            .parse_action(seat, text)
            .map_err(|refusal| format!("ply {ply}: `{text}` was not legal: {refusal}"))
    }
}

/// What is wrong with a record of games that begin by the `book`: everything that was found.
pub fn audit<G: Game>(
    book: &Book<G>,
    header: &Header,
    secret: Option<&Secret>,
    record: &GameRecord,
) -> Vec<String> {
    let names = &record.players;
    let luck =
        secret.map(|secret| secret.luck(&names[Seat::First], &names[Seat::Second], record.pair));
    let mut found: Vec<String> = check_opening(book, secret, record).into_iter().collect();
    let mut replay = Replay::<G>::with_luck(book.rules(), record, luck);
    loop {
        match replay.step() {
            Ok(Replayed::Step) => {}
            Ok(Replayed::End) => break,
            Err(problem) => {
                found.push(problem);
                return found;
            }
        }
    }
    found.extend(replay.unlucky.take());
    found.extend(check_seats::<G>(record));
    found.extend(check_ending(&replay.position, record));
    found.extend(check_clock(&header.clock, record));
    found.extend(secret.into_iter().flat_map(|secret| check_seeds(secret, record)));
    found
}

/// Whether the game began as its pair does.
fn check_opening<G: Game>(
    book: &Book<G>,
    secret: Option<&Secret>,
    record: &GameRecord,
) -> Option<String> {
    let (one, other) = (&record.players[Seat::First], &record.players[Seat::Second]);
    let drawn = |secret: &Secret| {
        book.opening(record.pair, secret, secret.luck(one, other, record.pair)).texts()
    };
    let expected = book.fixed_texts(record.pair).or_else(|| secret.map(drawn))?;
    let words = |texts: &[String]| match texts {
        [] => "at the start".to_owned(),
        texts => format!("with `{}`", texts.join("; ")),
    };
    (record.opening != expected).then(|| {
        let (found, expected) = (words(&record.opening), words(&expected));
        format!("it begins {found}, pair {} begins {expected}", record.pair)
    })
}

fn check_seats<G: Game>(record: &GameRecord) -> Option<String> {
    let names = &record.players.names;
    let known = Seat::BOTH.into_iter().all(|seat| names[seat] == G::SEATS[seat]);
    (!known).then(|| format!("the seats are {} and {}", names.first, names.second))
}

fn check_ending<G: Game>(position: &G, record: &GameRecord) -> Vec<String> {
    let expected = match (position.turn(), &record.fault) {
        (Turn::Over(outcome), None) => outcome,
        (Turn::Over(_), Some(_)) => return vec!["a fault after the end of the game".to_owned()],
        (_, None) => return vec!["the game was not over and nobody made a fault".to_owned()],
        (_, Some(faults)) => {
            let by = |seat: Seat| faults.get(G::SEATS[seat]);
            match (by(Seat::First), by(Seat::Second)) {
                (Some(fault), None) => {
                    Outcome { result: GameResult::Win(Seat::Second), reason: fault.code.name() }
                }
                (None, Some(fault)) => {
                    Outcome { result: GameResult::Win(Seat::First), reason: fault.code.name() }
                }
                (Some(_), Some(_)) => Outcome { result: GameResult::Draw, reason: "double-fault" },
                (None, None) => return vec!["the fault is of no seat".to_owned()],
            }
        }
    };
    let result = match expected.result {
        GameResult::Win(seat) => G::SEATS[seat],
        GameResult::Draw => "draw",
    };
    let mut found = Vec::new();
    let mut same = |what: &str, recorded: &str, expected: &str| {
        if recorded != expected {
            found.push(format!("the {what} is {recorded}, the replay says {expected}"));
        }
    };
    same("result", &record.result, result);
    same("reason", &record.reason, expected.reason);
    same("number of plies", &record.plies.to_string(), &position.ply().to_string());
    // A double fault is nobody's half point; older versions recorded it as if it were.
    let both_failed = Seat::BOTH.into_iter().all(|seat| record.fault_of(seat).is_some());
    let was_shared = Seat::BOTH.into_iter().all(|seat| record.scores[seat] == Score(0.5));
    for seat in Seat::BOTH {
        let what = format!("score of {}", G::SEATS[seat]);
        let score = if both_failed && !was_shared { 0.0 } else { expected.result.score(seat) };
        same(&what, &record.score(seat).to_string(), &score.to_string());
    }
    found
}

/// A turn that was over its allowance must have been the last, and a fault.
fn check_clock(control: &TimeControl, record: &GameRecord) -> Vec<String> {
    let mut found = Vec::new();
    for seat in Seat::BOTH {
        let mut clock = Clock::new(*control);
        clock.charge_startup(Duration::from_nanos(record.clock.startup_ns[seat]));
        let late_fault = record
            .fault_of(seat)
            .is_some_and(|fault| matches!(fault.code, FaultCode::Timeout | FaultCode::Cpu));
        let turns = &record.clock.used_ns[seat];
        for (turn, used) in turns.iter().enumerate() {
            let late = clock.spend(Duration::from_nanos(*used)) == Verdict::Late;
            let excused = turn + 1 == turns.len() && record.fault_of(seat).is_some();
            if late && !excused {
                let name = &record.players.names[seat];
                found.push(format!("turn {} of {name} was over its time", turn + 1));
            }
        }
        let last_late = turns.last().is_some_and(|_| late_at_end(control, record, seat));
        if late_fault && control.measure == Measure::Wall && !last_late && !clock.is_out() {
            let name = &record.players.names[seat];
            found.push(format!("{name} lost on time within its time"));
        }
    }
    found
}

fn late_at_end(control: &TimeControl, record: &GameRecord, seat: Seat) -> bool {
    let mut clock = Clock::new(*control);
    clock.charge_startup(Duration::from_nanos(record.clock.startup_ns[seat]));
    let verdicts = record.clock.used_ns[seat].iter();
    verdicts.map(|used| clock.spend(Duration::from_nanos(*used))).last() == Some(Verdict::Late)
}

fn check_seeds(secret: &Secret, record: &GameRecord) -> Vec<String> {
    Seat::BOTH
        .into_iter()
        .filter(|&seat| {
            let (player, opponent) = (&record.players[seat], &record.players[!seat]);
            record.seed[seat] != secret.player_seed(player, opponent, record.pair)
        })
        .map(|seat| format!("the seed of {} is not the secret's", record.players[seat]))
        .collect()
}
