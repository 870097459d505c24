//! Checks of games with hidden information: guesses must be consistent, and nothing may tell a seat
//! what its guesses hide.
//!
//! The game itself defines what a seat may not know, by `guess`: if two positions lead to the same
//! guesses, the seat may not tell them apart. And if everything that a seat has received is the
//! same in two positions, the guesses must be, too: otherwise they would reveal more.

use rand::Rng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use super::findings::GameFindings;
use super::walk::{TrialWalk, list_walk_steps};
use referee_games::{AnyPosition, Event, GameError, Position, Seat, Step, Turn};

/// The number of guesses that two positions must share to count as the same to a seat.
const GUESSES: usize = 3;
/// A text that hardly any game accepts.
const NONSENSE: &str = "nonsense";
const DRAWS: u64 = 1 << 53;

/// Checks that guesses look like the position to the seat, and lead to the same guesses.
pub(super) fn check_hidden_guesses(
    walk: &TrialWalk,
    rng: &mut ChaCha8Rng,
    findings: &mut GameFindings,
) {
    // The end of a game may reveal everything, and needs no guesses.
    if is_position_over(&*walk.position) {
        return;
    }
    for seat in walk.position.seats().seats() {
        let draw = rng.random_range(0..DRAWS);
        match find_hidden_guess_problem(&*walk.position, seat, draw) {
            Ok(Guessed::Nothing) => {}
            Ok(Guessed::Well) => findings.hidden.guesses = true,
            Ok(Guessed::Badly(problem)) => {
                findings.hidden.guesses = true;
                findings.add(&problem, &walk.steps);
            }
            Err(error) => findings.failed(&error, &walk.steps),
        }
    }
}

/// What a guess is like.
enum Guessed {
    /// The game makes none.
    Nothing,
    Well,
    Badly(String),
}

fn find_hidden_guess_problem(
    position: &dyn AnyPosition,
    seat: Seat,
    draw: u64,
) -> Result<Guessed, GameError> {
    let Some(guess) = position.guess(seat, draw)? else { return Ok(Guessed::Nothing) };
    let name = &position.seats()[seat];
    if let Some(what) = find_hidden_difference(position, &*guess, seat) {
        let problem = format!("{name} can tell a guess from the position by {what}");
        return Ok(Guessed::Badly(problem));
    }
    let again = guess.guess(seat, draw)?;
    if again.is_none_or(|again| again.state().get() != guess.state().get()) {
        let problem = "differs between positions that it cannot tell apart";
        return Ok(Guessed::Badly(format!("{name}'s guess for one draw {problem}")));
    }
    Ok(Guessed::Well)
}

/// The first difference between two positions in what a seat is sent.
fn find_hidden_difference(
    one: &dyn AnyPosition,
    other: &dyn AnyPosition,
    seat: Seat,
) -> Option<&'static str> {
    if one.view(seat).get() != other.view(seat).get() {
        return Some("its view");
    }
    if one.turn().asks(seat) != other.turn().asks(seat)
        || is_position_over(one) != is_position_over(other)
    {
        return Some("whether it is asked");
    }
    find_hidden_answer_difference(one, other, seat)
}

/// The first difference in a seat's possible answers, if it has to act in both positions.
fn find_hidden_answer_difference(
    one: &dyn AnyPosition,
    other: &dyn AnyPosition,
    seat: Seat,
) -> Option<&'static str> {
    if !one.turn().asks(seat) || !other.turn().asks(seat) {
        return None;
    }
    if one.legal(seat) != other.legal(seat) {
        return Some("its legal actions");
    }
    (one.judge(seat, NONSENSE) != other.judge(seat, NONSENSE)).then_some("a refusal")
}

fn is_position_over(position: &dyn AnyPosition) -> bool {
    matches!(position.turn(), Turn::Over(_))
}

/// Compares the positions after two different steps, for a seat that chose neither.
pub(super) fn check_hidden_twins(
    walk: &TrialWalk,
    rng: &mut ChaCha8Rng,
    findings: &mut GameFindings,
) {
    let mover = match walk.position.turn() {
        Turn::Move(seat) => Some(seat),
        Turn::Chance(_) => None,
        _ => return,
    };
    let chosen = list_walk_steps(&*walk.position, rng).into_iter().choose_multiple(rng, 2);
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
    if is_position_over(&*left.position) || is_position_over(&*right.position) {
        return;
    }
    for seat in walk.position.seats().seats().filter(|seat| Some(*seat) != mover) {
        match compare_hidden_positions(&left, &right, seat, rng) {
            Ok(Comparison::Told) => {}
            Ok(Comparison::Alike(problem)) => {
                findings.hidden.pairs += 1;
                if let Some(problem) = problem {
                    findings.add(&problem, &left.steps);
                }
            }
            Err(error) => findings.failed(&error, &left.steps),
        }
    }
}

/// Whether a seat may know which of two positions it is in.
enum Comparison {
    /// It learns it, and may.
    Told,
    /// It may not know; and the problem if it can find out.
    Alike(Option<String>),
}

/// Compares two positions that differ in the last step, which a seat did not choose. That a seat is
/// asked, or asked again, is public.
fn compare_hidden_positions(
    left: &TrialWalk,
    right: &TrialWalk,
    seat: Seat,
    rng: &mut ChaCha8Rng,
) -> Result<Comparison, GameError> {
    let (one, other) = (&left.position, &right.position);
    let name = one.seats()[seat].to_string();
    let known = |walk: &TrialWalk| hidden_step_events(walk, &name);
    let by = if one.view(seat).get() != other.view(seat).get() {
        Some("its view")
    } else if known(left) != known(right) {
        Some("the events")
    } else {
        None
    };
    let guesses = have_same_hidden_guesses(one, other, seat, rng)?;
    let step = last_hidden_step(right);
    let problem = match (by, guesses) {
        (Some(_), SameGuesses::No | SameGuesses::Unanswered) => return Ok(Comparison::Told),
        (Some(by), SameGuesses::Yes) => Some(format!(
            "{name} can tell from {by} what its guesses hide: whether the last step was this one \
             or `{step}`"
        )),
        (None, _) if one.turn().asks(seat) != other.turn().asks(seat) => {
            return Ok(Comparison::Told);
        }
        (None, SameGuesses::No) => Some(format!(
            "{name}'s guesses leak hidden information: they differ between the last step and \
             `{step}`, although its view and events are the same"
        )),
        (None, _) => find_hidden_answer_difference(&**one, &**other, seat)
            .map(|by| format!("{name} can tell from {by} what it should not know")),
    };
    Ok(Comparison::Alike(problem))
}

/// The text of the last step.
fn last_hidden_step(walk: &TrialWalk) -> &str {
    match walk.steps.last() {
        Some(Step::Move(text) | Step::Chance(text)) => text,
        _ => "",
    }
}

/// The events of the last step that the seat receives, as JSON.
fn hidden_step_events(walk: &TrialWalk, seat: &str) -> Vec<String> {
    let is_told = |event: &&Event| match event {
        Event::Action { to: Some([only]), .. } => only == seat,
        Event::Other(event) => event.is_known_to(seat),
        _ => true,
    };
    let told = walk.events.iter().filter(is_told);
    told.map(|event| serde_json::to_string(event).unwrap_or_default()).collect()
}

/// Whether two positions are the same to a seat, judging by its guesses.
enum SameGuesses {
    Yes,
    No,
    /// The game makes no guesses.
    Unanswered,
}

fn have_same_hidden_guesses(
    one: &Position,
    other: &Position,
    seat: Seat,
    rng: &mut ChaCha8Rng,
) -> Result<SameGuesses, GameError> {
    for _ in 0..GUESSES {
        let draw = rng.random_range(0..DRAWS);
        let (Some(left), Some(right)) = (one.guess(seat, draw)?, other.guess(seat, draw)?) else {
            return Ok(SameGuesses::Unanswered);
        };
        if left.state().get() != right.state().get() {
            return Ok(SameGuesses::No);
        }
    }
    Ok(SameGuesses::Yes)
}
