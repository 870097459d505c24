//! Openings: the first plies of a pair's games, played for both players before either one's first
//! turn.
//!
//! They come from random legal play or from a list, and depend only on the number of the pair, so
//! that every pairing begins alike. If the referee rolls dice, the dice remain the pair's own: the
//! opening uses the rolls that the game would have had without it, and the game continues with the
//! rolls that follow. Both games of a pair have the same dice by seat, and so the same opening.
//! Another pairing has other dice, and turns the same random numbers into other moves.

use std::sync::Arc;

use rand_chacha::ChaCha20Rng;

use crate::replay::{DrawnScript, next_replay_step};
use referee_games::{AnyPosition, GameError, PASS, Position, Seat, Step, TextStep, Turn};
use referee_record::model::game_rules::GameRules;
use referee_record::model::opening_source::{ListedOpening, Openings};
use referee_record::seeds::{SeededLuck, TournamentSecret};

/// The beginning of a game.
#[derive(Debug)]
pub struct Opening {
    /// The steps up to the first decision, chance and forced passes included.
    pub steps: Vec<TextStep>,
    /// The luck of the rest of the game.
    pub luck: SeededLuck,
    /// The rules of the game, in which the opening may have another start position.
    pub rules: GameRules,
}

impl Opening {
    /// The actions, as a record has them, and the options of its own.
    pub fn to_listed(&self) -> ListedOpening {
        ListedOpening::new(self.rules.own.clone(), Self::action_texts(&self.steps))
    }

    /// The actions among these steps.
    pub fn action_texts(steps: &[TextStep]) -> Vec<String> {
        steps.iter().flat_map(TextStep::actions).map(str::to_owned).collect()
    }
}

/// The reason why a list of actions is not an opening.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// The action at this index of the list, from 0, cannot be played.
    #[error("{1}")]
    Action(usize, #[source] OpeningActionError),
    /// The game cannot start with the options of the opening.
    #[error("{0}")]
    Start(Box<GameError>),
    /// The referee rolls dice in this game, and a list does not contain dice.
    #[error("this game has dice")]
    Dice,
}

/// The reason why an action of a list cannot be played in an opening.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpeningActionError {
    /// The rules reject it.
    #[error(transparent)]
    Refused(Box<GameError>),
    /// Several seats act at once, but the list has no action for all of them.
    #[error("`{0}` is one action, but several seats act at once")]
    Alone(String),
    /// The game is over after it.
    #[error("the game is over after it")]
    Over,
}

/// The reason why a list of openings cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("opening {number}: {why}")]
pub struct BookError {
    /// The number of the opening that cannot be played, from 1.
    number: usize,
    /// The reason.
    #[source]
    why: Box<OpeningError>,
}

/// The openings of a tournament, ready to be played.
#[derive(Debug, Clone)]
pub struct OpeningBook {
    rules: GameRules,
    source: BookSource,
}

#[derive(Debug, Clone)]
enum BookSource {
    Start,
    Random(u32),
    /// Shared by all threads: a list may be long.
    Listed(Arc<[(ListedOpening, Vec<TextStep>)]>),
}

impl OpeningBook {
    /// The same book for use on another core, with a process of its own if the rules are a program.
    ///
    /// # Errors
    /// The rules program failed.
    pub fn for_another_core(mut self) -> Result<Self, GameError> {
        if let Some(game) = self.rules.game.for_another_core() {
            self.rules = GameRules::new(game, self.rules.options)?;
        }
        Ok(self)
    }

    /// A book without openings: games begin at the start position.
    pub fn empty(rules: GameRules) -> Self {
        Self { rules, source: BookSource::Start }
    }

    /// Builds a book of these openings. The error says which opening of a list cannot be played,
    /// and why.
    pub fn new(rules: GameRules, openings: Option<&Openings>) -> Result<Self, BookError> {
        let source = match openings {
            None => BookSource::Start,
            Some(Openings::Listed(list)) if list.is_empty() => BookSource::Start,
            Some(Openings::Random { plies }) => BookSource::Random(*plies),
            Some(Openings::Listed(list)) => {
                let steps = |(number, opening): (usize, &ListedOpening)| {
                    let steps = listed_opening_steps(&rules, opening);
                    let steps = steps.map_err(|why| BookError { number, why: why.into() })?;
                    let canonical = Opening::action_texts(&steps);
                    Ok((ListedOpening::new(opening.options(), canonical), steps))
                };
                BookSource::Listed((1..).zip(list).map(steps).collect::<Result<_, _>>()?)
            }
        };
        Ok(Self { rules, source })
    }

    /// The rules of the games.
    pub fn rules(&self) -> &GameRules {
        &self.rules
    }

    /// The opening of pair `pair`, from 1, for two players with this luck.
    ///
    /// # Errors
    /// The game's implementation failed.
    pub fn opening(
        &self,
        pair: u32,
        secret: &TournamentSecret,
        luck: SeededLuck,
    ) -> Result<Opening, GameError> {
        let rules = self.rules.clone();
        Ok(match &self.source {
            BookSource::Start => Opening { steps: Vec::new(), luck, rules },
            BookSource::Random(plies) => {
                draw_random_opening(rules, *plies, &secret.opening_stream(pair), &luck)?
            }
            BookSource::Listed(list) => {
                let (opening, steps) = opening_entry_for_pair(list, pair);
                Opening {
                    steps: steps.clone(),
                    luck,
                    rules: rules.with_own_options(&opening.options())?,
                }
            }
        })
    }

    /// The opening of pair `pair`; `None` if openings are random.
    pub fn fixed_opening(&self, pair: u32) -> Option<ListedOpening> {
        match &self.source {
            BookSource::Start => Some(ListedOpening::Actions(Vec::new())),
            BookSource::Random(_) => None,
            BookSource::Listed(list) => Some(opening_entry_for_pair(list, pair).0.clone()),
        }
    }
}

/// The entry of a list, which is not empty, that pair `pair` uses, from 1.
fn opening_entry_for_pair<T>(list: &[T], pair: u32) -> &T {
    &list[(pair.max(1) as usize - 1) % list.len()]
}

fn listed_opening_steps(
    rules: &GameRules,
    opening: &ListedOpening,
) -> Result<Vec<TextStep>, OpeningError> {
    let rules = rules
        .with_own_options(&opening.options())
        .map_err(|why| OpeningError::Start(why.into()))?;
    play_opening_list(&rules.start, opening.actions())
}

/// Plays the first `plies` plies of a random game and continues to the next decision, but plays at
/// most half of that game, so that something is left to play.
fn draw_random_opening(
    rules: GameRules,
    plies: u32,
    choices: &ChaCha20Rng,
    luck: &SeededLuck,
) -> Result<Opening, GameError> {
    let begin =
        |plies: u32| walk_random_opening(&rules.start, plies, choices.clone(), luck.clone());
    let half = begin(u32::MAX)?.end.map_or(u32::MAX, |end| end / 2);
    let OpeningWalk { steps, luck, .. } = begin(plies.min(half))?;
    Ok(Opening { steps, luck, rules })
}

/// Plays a list of actions, in the order of a record, and continues to the next decision. The list
/// may omit forced passes. A simultaneous turn takes an action of each seat asked, in seat
/// order.
pub fn play_opening_list(
    start: &Position,
    texts: &[String],
) -> Result<Vec<TextStep>, OpeningError> {
    let mut position = start.clone();
    let (mut steps, mut read) = (Vec::new(), 0);
    loop {
        let mut next = |seat| next_opening_action(&*position, seat, texts, &mut read);
        let step = match position.turn() {
            Turn::Over(_) => return Err(opening_action_error(read, OpeningActionError::Over)),
            Turn::Chance(_) => return Err(OpeningError::Dice),
            Turn::Pass(_) => {
                read += usize::from(texts.get(read).is_some_and(|text| text.trim() == PASS));
                Step::Pass
            }
            Turn::Move(seat) => {
                let Some(action) = next(seat)? else { return Ok(steps) };
                Step::Move(action)
            }
            Turn::Together(seats) => {
                let mut actions = Vec::new();
                for seat in seats.iter() {
                    match (next(seat)?, actions.first()) {
                        (Some(action), _) => actions.push(action),
                        (None, None) => return Ok(steps),
                        (None, Some(first)) => {
                            return Err(opening_action_error(
                                read,
                                OpeningActionError::Alone(first.clone()),
                            ));
                        }
                    }
                }
                Step::Together(actions)
            }
        };
        let played = position.play_silently(step.as_text());
        played.map_err(|why| {
            opening_action_error(read, OpeningActionError::Refused(Box::new(why)))
        })?;
        steps.push(step);
    }
}

/// The next action of a list, if there is one, after as many as were read.
fn next_opening_action(
    position: &dyn AnyPosition,
    seat: Seat,
    texts: &[String],
    read: &mut usize,
) -> Result<Option<String>, OpeningError> {
    let Some(text) = texts.get(*read) else { return Ok(None) };
    *read += 1;
    let judged = position.judge(seat, text).map(Some);
    judged.map_err(|why| opening_action_error(*read, OpeningActionError::Refused(Box::new(why))))
}

/// Explains why the last of these actions cannot be played.
fn opening_action_error(read: usize, why: OpeningActionError) -> OpeningError {
    OpeningError::Action(read.saturating_sub(1), why)
}

/// The beginning of a random game.
struct OpeningWalk {
    /// The steps up to the last decision; none if that is the first one.
    steps: Vec<TextStep>,
    /// The luck at that decision.
    luck: SeededLuck,
    /// The game's number of plies, if it ended.
    end: Option<u32>,
}

/// Plays at random from the start, up to a number of plies.
fn walk_random_opening(
    start: &Position,
    plies: u32,
    mut choices: ChaCha20Rng,
    mut luck: SeededLuck,
) -> Result<OpeningWalk, GameError> {
    let mut script = DrawnScript {
        luck: &mut luck,
        choose: |position: &dyn AnyPosition, seat| {
            if position.ply() < plies { position.sample(seat, &mut choices) } else { Ok(None) }
        },
    };
    let mut position = start.clone();
    let (mut steps, mut events) = (Vec::new(), Vec::new());
    let (mut decision, mut luck) = (0, script.luck.clone());
    loop {
        if !position.turn().asked().is_empty() && position.ply() > 0 {
            (decision, luck) = (steps.len(), script.luck.clone());
        }
        let Some(step) = next_replay_step(&*position, &mut script)? else { break };
        events.clear();
        position.play(step.as_text(), &mut events)?;
        steps.push(step);
    }
    let end = matches!(position.turn(), Turn::Over(_)).then(|| position.ply());
    steps.truncate(decision);
    Ok(OpeningWalk { steps, luck, end })
}

#[cfg(test)]
mod tests;
