//! The checks of a position: nonsense is refused by a clause, sampled actions are legal, and no
//! seat learns what it may not know.

use rand::RngCore;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand_chacha::ChaCha8Rng;

use super::findings::GameFindings;
use super::hidden_information::{check_hidden_guesses, check_hidden_twins};
use super::walk::{TrialWalk, list_walk_steps};
use referee_games::{GameError, Refusal, Seat};
use referee_record::model::game_rules::GameRules;

/// The number of steps from a position to play.
const STEPS: usize = 4;
/// Texts that hardly any game accepts.
const NONSENSE: [&str; 10] = [
    "nonsense",
    "0",
    "-1",
    "1e9",
    "99999999999999999999",
    "é",
    "a b c",
    "'\"\\",
    "null",
    "\u{1f600}",
];

/// Checks the position at the end of a walk.
pub(super) fn check_trial_position(
    rules: &GameRules,
    walk: &TrialWalk,
    rng: &mut ChaCha8Rng,
    findings: &mut GameFindings,
) {
    if let Err(error) = walk.position.svg() {
        findings.add(&error.to_string(), &walk.steps);
    }
    for seat in walk.position.turn().asked().iter() {
        check_trial_judging(rules, walk, seat, rng, findings);
        check_trial_sampling(walk, seat, rng, findings);
    }
    for step in list_walk_steps(&*walk.position, rng).into_iter().choose_multiple(rng, STEPS) {
        let mut after = walk.clone();
        if let Err(error) = after.play(step) {
            findings.failed(&error, &after.steps);
        }
        check_trial_elimination(walk, &after, findings);
    }
    if rules.game.is_hidden() {
        check_hidden_guesses(walk, rng, findings);
        check_hidden_twins(walk, rng, findings);
    }
}

/// Checks that seats that are out stay out.
fn check_trial_elimination(before: &TrialWalk, after: &TrialWalk, findings: &mut GameFindings) {
    let back = before.position.eliminated().without(after.position.eliminated());
    if let Some(seat) = back.iter().next() {
        let name = &after.position.seats()[seat];
        let problem = format!("`{name}` was listed in `eliminated`, but no longer is");
        findings.add(&problem, &after.steps);
    }
}

/// Judges nonsense and texts that are almost actions.
fn check_trial_judging(
    rules: &GameRules,
    walk: &TrialWalk,
    seat: Seat,
    rng: &mut ChaCha8Rng,
    findings: &mut GameFindings,
) {
    let legal = walk.position.legal_list(seat);
    let mut texts: Vec<String> =
        NONSENSE.choose_multiple(rng, 2).map(|text| (*text).to_owned()).collect();
    let action = legal.as_ref().and_then(|legal| legal.choose(rng));
    texts.extend(action.map(|action| format!("{action}{}", rng.next_u32() % 10)));
    for text in texts {
        match walk.position.judge(seat, &text) {
            Ok(_) | Err(GameError::Refused(Refusal::Malformed(_))) => {}
            Err(GameError::Refused(Refusal::Illegal { clause, .. })) => {
                if !rules.game.clauses().iter().any(|known| known.id == clause) {
                    let problem = format!("\"{text}\" is refused without naming a known clause");
                    findings.add(&problem, &walk.steps);
                }
            }
            Err(error) => findings.failed(&error, &walk.steps),
        }
    }
}

/// Draws an action from a game that does not list them.
fn check_trial_sampling(
    walk: &TrialWalk,
    seat: Seat,
    rng: &mut ChaCha8Rng,
    findings: &mut GameFindings,
) {
    if walk.position.legal_list(seat).is_some() {
        return;
    }
    match walk.position.sample(seat, rng) {
        Err(error) => findings.failed(&error, &walk.steps),
        Ok(None) => findings.add("no action is sampled for a seat that must move", &walk.steps),
        Ok(Some(action)) => match walk.position.judge(seat, &action) {
            Ok(judged) if judged == action => {}
            Ok(judged) => {
                let problem = format!("the sampled action `{action}` is judged to mean `{judged}`");
                findings.add(&problem, &walk.steps);
            }
            Err(GameError::Program(error)) => {
                findings.failed(&GameError::Program(error), &walk.steps);
            }
            Err(refused) => {
                let problem = format!("the sampled action `{action}` is refused: {refused}");
                findings.add(&problem, &walk.steps);
            }
        },
    }
}

#[cfg(test)]
mod tests;
