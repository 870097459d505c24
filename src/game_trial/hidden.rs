//! Checks of games with hidden information: guesses must be consistent, and nothing may tell a seat
//! what its guesses hide.
//!
//! The game itself defines what a seat may not know, by `guess`: if two positions lead to the same
//! guesses, the seat may not tell them apart.

use rand::Rng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use super::findings::Findings;
use super::walk::{Walk, steps};
use referee_games::{AnyPosition, Event, GameError, Position, Seat, Step, Turn};

/// The number of guesses that two positions must share to count as the same to a seat.
const GUESSES: usize = 3;
/// A text that hardly any game accepts.
const NONSENSE: &str = "nonsense";
const DRAWS: u64 = 1 << 53;

/// Checks that guesses look like the position to the seat, and lead to the same guesses.
pub(super) fn check_guesses(walk: &Walk, rng: &mut ChaCha8Rng, findings: &mut Findings) {
    for seat in Seat::BOTH {
        let draw = rng.random_range(0..DRAWS);
        match guess_problem(&*walk.position, seat, draw) {
            Ok(None) => {}
            Ok(Some(problem)) => findings.add(&problem, &walk.steps),
            Err(error) => findings.failed(&error, &walk.steps),
        }
    }
}

fn guess_problem(
    position: &dyn AnyPosition,
    seat: Seat,
    draw: u64,
) -> Result<Option<String>, GameError> {
    let Some(guess) = position.guess(seat, draw)? else { return Ok(None) };
    let name = &position.seats()[seat];
    if let Some(what) = difference(position, &*guess, seat) {
        return Ok(Some(format!("{name} can tell a guess from the position by {what}")));
    }
    let again = guess.guess(seat, draw)?;
    if again.is_none_or(|again| again.state().get() != guess.state().get()) {
        let problem = "differs between positions that it cannot tell apart";
        return Ok(Some(format!("the guess of {name} for one draw {problem}")));
    }
    Ok(None)
}

/// The first difference between two positions in what a seat is sent.
fn difference(one: &dyn AnyPosition, other: &dyn AnyPosition, seat: Seat) -> Option<&'static str> {
    if one.view(seat).get() != other.view(seat).get() {
        return Some("its view");
    }
    difference_beside_view(one, other, seat)
}

fn difference_beside_view(
    one: &dyn AnyPosition,
    other: &dyn AnyPosition,
    seat: Seat,
) -> Option<&'static str> {
    let over = |position: &dyn AnyPosition| matches!(position.turn(), Turn::Over(_));
    if one.turn().asks(seat) != other.turn().asks(seat) || over(one) != over(other) {
        return Some("whether it is asked");
    }
    if !one.turn().asks(seat) {
        return None;
    }
    if one.legal(seat) != other.legal(seat) {
        return Some("its legal actions");
    }
    (one.judge(seat, NONSENSE) != other.judge(seat, NONSENSE)).then_some("a refusal")
}

/// Compares the positions after two different steps, for a seat that chose neither.
pub(super) fn check_twins(walk: &Walk, rng: &mut ChaCha8Rng, findings: &mut Findings) {
    let mover = match walk.position.turn() {
        Turn::Move(seat) => Some(seat),
        Turn::Chance(_) => None,
        _ => return,
    };
    let chosen = steps(&*walk.position, rng).into_iter().choose_multiple(rng, 2);
    let [one, other] =
        <[_; 2]>::try_from(chosen).map_or_else(|_| [None, None], |two| two.map(Some));
    let (Some(one), Some(other)) = (one, other) else { return };
    let (mut left, mut right) = (walk.clone(), walk.clone());
    for (twin, step) in [(&mut left, one), (&mut right, other)] {
        if let Err(error) = twin.play(step) {
            findings.failed(&error, &twin.steps);
            return;
        }
    }
    for seat in Seat::BOTH.into_iter().filter(|seat| Some(*seat) != mover) {
        match told(&left, &right, seat, rng) {
            Ok(None) => {}
            Ok(Some(problem)) => findings.add(&problem, &left.steps),
            Err(error) => findings.failed(&error, &left.steps),
        }
    }
}

/// The first difference that tells a seat which of two positions it is in, although it may not
/// know.
fn told(
    left: &Walk,
    right: &Walk,
    seat: Seat,
    rng: &mut ChaCha8Rng,
) -> Result<Option<String>, GameError> {
    let (one, other) = (&left.position, &right.position);
    let name = one.seats()[seat].to_string();
    let known = |walk: &Walk| events_of(walk, &name);
    let by = if one.view(seat).get() != other.view(seat).get() {
        Some("its view")
    } else if known(left) != known(right) {
        Some("the events")
    } else {
        let by = difference_beside_view(&**one, &**other, seat);
        return Ok(by.map(|by| format!("{by} of {name} depends on what it may not know")));
    };
    let same = same_guesses(one, other, seat, rng)?;
    let other = other_step(right);
    Ok(by.filter(|_| same).map(|by| {
        format!("{name} learns from {by} what its guesses hide: the last step and `{other}` differ")
    }))
}

/// The text of the last step.
fn other_step(walk: &Walk) -> &str {
    match walk.steps.last() {
        Some(Step::Move(text) | Step::Chance(text)) => text,
        _ => "",
    }
}

/// The events of the last step that the seat is told, as JSON.
fn events_of(walk: &Walk, seat: &str) -> Vec<String> {
    let is_told = |event: &&Event| match event {
        Event::Action { to: Some([only]), .. } => only == seat,
        Event::Other(event) => event.is_known_to(seat),
        _ => true,
    };
    let told = walk.events.iter().filter(is_told);
    told.map(|event| serde_json::to_string(event).unwrap_or_default()).collect()
}

/// Whether two positions are the same to a seat, judging by its guesses.
fn same_guesses(
    one: &Position,
    other: &Position,
    seat: Seat,
    rng: &mut ChaCha8Rng,
) -> Result<bool, GameError> {
    for _ in 0..GUESSES {
        let draw = rng.random_range(0..DRAWS);
        let (Some(left), Some(right)) = (one.guess(seat, draw)?, other.guess(seat, draw)?) else {
            return Ok(false);
        };
        if left.state().get() != right.state().get() {
            return Ok(false);
        }
    }
    Ok(true)
}
