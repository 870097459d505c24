//! Finds the kinds of turn of a game by playing it: at random, evenly, and so that the opponent has
//! few actions. No game needs a list of them.
//!
//! A kind is the form of a legal action (`3,4>3,5` and `5,1>5,0` have the same form), or an event
//! since the seat's previous turn. A drill is a decision with kinds that no earlier drill has.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::beginning::Beginning;
use super::turn_kinds::turn_kinds_at;
use referee_bots::{Allotment, BotEngine, BotKind, create_built_in_player};
use referee_games::{AnyPosition, BySeat, Event, GameError, Legal, Seat, Step, StepText, Turn};
use referee_match::replay::{DrawnScript, next_replay_step};
use referee_record::model::game_rules::GameRules;
use referee_record::seeds::TournamentSecret;

/// The number of games to search for kinds of turn.
const GAMES: u32 = 300;
/// The most drills per seat.
const MOST: usize = 12;
/// The search ends after asking a rules program about this many actions: it answers some thousands
/// of times per second.
const PROGRAM_EFFORT: u64 = 10_000;

/// A decision for a player to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drill {
    /// The seat that decides.
    pub seat: Seat,
    /// The game up to the decision.
    pub beginning: Beginning,
    /// The kinds of turn that no earlier drill has, each in words.
    pub kinds: BTreeMap<String, String>,
}

/// The drills of a game with these options, the same every time.
///
/// # Errors
/// The options are not valid together, or the game failed.
pub fn drills(rules: &GameRules) -> Result<Vec<Drill>, GameError> {
    drills_of(rules, GAMES)
}

/// The drills found in this number of games.
fn drills_of(rules: &GameRules, games: u32) -> Result<Vec<Drill>, GameError> {
    let is_program = rules.game.program().is_some();
    let most_effort = if is_program { PROGRAM_EFFORT } else { u64::MAX };
    let mut search = DrillSearch::new(rules, most_effort);
    for number in 0..games {
        if search.is_over() {
            break;
        }
        search.play(rules, number)?;
    }
    search.drills.sort_by_key(|drill| (drill.seat, drill.beginning.plies));
    Ok(search.drills)
}

/// How the side on turn chooses.
enum DrillPlayer {
    /// Like this built-in player.
    Engine(Box<dyn BotEngine>),
    /// It leaves the opponent as few actions as possible without ending the game. If the opponent
    /// has just been forced to pass, it leaves as many as possible, to keep the game going.
    Squeeze {
        /// Whether the opponent has just been forced to pass.
        passed: bool,
    },
}

impl DrillPlayer {
    fn of(number: u32, rules: &GameRules) -> Result<Self, GameError> {
        Ok(match number % 3 {
            0 => {
                Self::Engine(create_built_in_player(&*rules.game, BotKind::Random, &rules.options)?)
            }
            1 => {
                Self::Engine(create_built_in_player(&*rules.game, BotKind::Steady, &rules.options)?)
            }
            _ => Self::Squeeze { passed: false },
        })
    }

    fn choose(
        &mut self,
        position: &dyn AnyPosition,
        seat: Seat,
        rng: &mut ChaCha8Rng,
    ) -> Result<Option<String>, GameError> {
        match self {
            Self::Engine(engine) => {
                let choice = engine.choose(seat, Allotment::default(), rng);
                Ok(choice.map(|choice| choice.action))
            }
            Self::Squeeze { .. } if matches!(position.turn(), Turn::Together(_)) => {
                position.sample(seat, rng)
            }
            Self::Squeeze { passed } => {
                choose_drill_squeeze(position, seat, std::mem::take(passed), rng)
            }
        }
    }

    /// Follows a step that was played.
    fn follow(&mut self, step: StepText<'_>) -> Result<(), GameError> {
        match self {
            Self::Squeeze { passed } => *passed |= step == Step::Pass,
            Self::Engine(engine) => engine.follow(step)?,
        }
        Ok(())
    }
}

/// Chooses the action of `seat` that leaves the others the fewest actions, or the most in order
/// to `release` it. Ties are broken at random.
fn choose_drill_squeeze(
    position: &dyn AnyPosition,
    seat: Seat,
    release: bool,
    rng: &mut ChaCha8Rng,
) -> Result<Option<String>, GameError> {
    let Legal::List(actions) = position.legal(seat) else { return position.sample(seat, rng) };
    let cost = |action: &String| {
        let mut after = position.boxed();
        after.play(Step::Move(action), &mut Vec::new())?;
        let seats = after.seats();
        let left: u64 = seats.others(seat).map(|other| after.legal_count(other)).sum();
        Ok(match after.turn() {
            Turn::Over(_) => u64::MAX,
            _ if release => u64::MAX - 1 - left,
            _ => left,
        })
    };
    let costs = actions.iter().map(cost).collect::<Result<Vec<u64>, GameError>>()?;
    let least = costs.iter().min();
    let equals: Vec<_> =
        actions.iter().zip(&costs).filter(|(_, cost)| Some(*cost) == least).collect();
    Ok(equals.choose(rng).map(|(action, _)| (*action).clone()))
}

struct DrillSearch {
    seen: BySeat<BTreeSet<String>>,
    /// The actions that were legal at an earlier decision.
    met: BySeat<HashSet<String>>,
    drills: Vec<Drill>,
    /// How many actions the game was asked about, and the most.
    effort: u64,
    most_effort: u64,
}

impl DrillSearch {
    fn new(rules: &GameRules, most_effort: u64) -> Self {
        let seats = rules.seats().len();
        let (seen, met) = (BySeat::default_for(seats), BySeat::default_for(seats));
        Self { seen, met, drills: Vec::new(), effort: 0, most_effort }
    }

    /// Whether nothing more is searched.
    fn is_over(&self) -> bool {
        let is_full = |seat| self.drills.iter().filter(|drill| drill.seat == seat).count() >= MOST;
        self.effort >= self.most_effort || self.seen.seats().all(is_full)
    }

    fn play(&mut self, rules: &GameRules, number: u32) -> Result<(), GameError> {
        let mut luck = TournamentSecret::from_seed(1).game_luck(&["one", "other"], number);
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(number));
        let mut player = DrillPlayer::of(number, rules)?;
        let (mut beginning, mut events) = (Beginning::default(), Vec::new());
        // How many events each seat has received.
        let mut sent = BySeat::<usize>::default_for(self.seen.len());
        let mut position = rules.start.clone();
        while !self.is_over() {
            let choose = |position: &dyn AnyPosition, seat| {
                self.look(position, seat, &events[sent[seat]..], &beginning);
                sent[seat] = events.len();
                player.choose(position, seat, &mut rng)
            };
            let mut script = DrawnScript { luck: &mut luck, choose };
            let Some(step) = next_replay_step(&*position, &mut script)? else { break };
            beginning.push(&step.as_text());
            player.follow(step.as_text())?;
            position.play(step.as_text(), &mut events)?;
        }
        Ok(())
    }

    fn look(
        &mut self,
        position: &dyn AnyPosition,
        seat: Seat,
        events: &[Event],
        so_far: &Beginning,
    ) {
        if self.drills.iter().filter(|drill| drill.seat == seat).count() >= MOST {
            return;
        }
        let mut legal = position.legal(seat);
        self.effort += 1;
        if let Legal::List(texts) = &mut legal {
            // Two in three games try every action to choose one.
            self.effort += texts.len() as u64;
            // The kind of an action that was legal earlier is known already.
            texts.retain(|text| !self.met[seat].contains(text));
            self.met[seat].extend(texts.iter().cloned());
        }
        let mut kinds = turn_kinds_at(position, seat, events, &legal);
        kinds.retain(|kind, _| !self.seen[seat].contains(kind));
        if kinds.is_empty() {
            return;
        }
        self.seen[seat].extend(kinds.keys().cloned());
        self.drills.push(Drill { seat, beginning: so_far.clone(), kinds });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::{GameKind, Options};

    fn rules(game: GameKind) -> GameRules {
        let options = Options::resolve(game.game().options(), []).expect("defaults");
        GameRules::new(game.shared(), options).expect("defaults")
    }

    #[test]
    fn every_game_has_drills_and_they_are_the_same_every_time() {
        for &game in GameKind::all() {
            // A few games show most kinds, and take less time.
            let drills = || drills_of(&rules(game), 30).expect("drills");
            let found = drills();
            assert_eq!(found, drills());
            assert!(found.len() >= 2, "{game:?}: {found:?}");
        }
    }

    #[test]
    fn a_search_ends_when_its_effort_is_spent() {
        let rules = rules(GameKind::WatchYourBack);
        let mut search = DrillSearch::new(&rules, 500);
        for number in 0..30 {
            search.play(&rules, number).expect("a game");
        }
        assert!(search.is_over() && search.effort < 600, "{}", search.effort);
        assert!(!search.drills.is_empty());
    }

    #[test]
    fn the_kinds_of_a_game_with_a_shrinking_board_are_all_found() {
        let game = GameKind::WatchYourBack;
        let found = drills(&rules(game)).expect("drills");
        for seat in [Seat::FIRST, Seat::SECOND] {
            let kinds: BTreeSet<&str> = found
                .iter()
                .filter(|drill| drill.seat == seat)
                .flat_map(|drill| drill.kinds.keys().map(String::as_str))
                .collect();
            let expected = [
                "its own forced pass",
                "#,#",
                "#,#>#,#",
                "the event `removed` (corner)",
                "the event `removed` (surrounded)",
                "the event `shrink`",
                "the opponent's forced pass",
            ];
            assert_eq!(kinds, expected.into_iter().collect());
        }
        let words: Vec<&String> = found.iter().flat_map(|drill| drill.kinds.values()).collect();
        assert!(words.contains(&&"actions like `0,1`".to_owned()), "{words:?}");
        assert!(words.contains(&&"the event `shrink`".to_owned()), "{words:?}");
    }
}
