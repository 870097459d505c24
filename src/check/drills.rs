//! The kinds of turn of a game: found by playing it, at random, evenly, and so that the other side
//! is short of actions; so no game needs a list.
//!
//! A kind is how a legal action is written (`3,4>3,5` and `5,1>5,0` are of one kind), or something
//! that happened since the seat's turn before. A drill is a decision at which kinds occur that no
//! drill before it had.

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::beginning::Beginning;
use crate::model::record::GameRecord;
use crate::seeds::Secret;
use crate::tournament::audit::{Replay, Replayed};
use referee_bots::{Allotment, Bot, Kind, Playable};
use referee_games::{BySeat, Event, Game, Legal, Seat, Step, StepOf, Turn};

/// Games that are searched for kinds of turn.
const GAMES: u32 = 300;
/// The most drills a seat.
const MOST: usize = 12;

/// A decision to be put to a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drill {
    /// Whose decision.
    pub seat: Seat,
    /// How the game came there.
    pub beginning: Beginning,
    /// The kinds of turn that it shows first.
    pub kinds: BTreeSet<String>,
}

/// The drills of the game `G` under these rules, the same every time.
pub fn drills<G: Playable>(rules: &Arc<G::Rules>) -> Vec<Drill> {
    let mut search = Search { seen: BySeat::default(), drills: Vec::new() };
    for number in 0..GAMES {
        search.play::<G>(rules, number);
    }
    search.drills.sort_by_key(|drill| (drill.seat, drill.beginning.plies));
    search.drills
}

/// How the side that moves chooses.
enum Way<G: Game> {
    /// As this player of the house does.
    Bot(Box<dyn Bot<G>>),
    /// It leaves the opponent as few actions as it can without ending the game; and as many as it
    /// can when the opponent has just had none, which is then to go on.
    Squeeze {
        /// The opponent has just passed by force.
        passed: bool,
    },
}

impl<G: Playable> Way<G> {
    fn of(number: u32) -> Self {
        match number % 3 {
            0 => Self::Bot(Kind::Random.bot()),
            1 => Self::Bot(Kind::Steady.bot()),
            _ => Self::Squeeze { passed: false },
        }
    }

    fn choose(&mut self, position: &G, seat: Seat, rng: &mut ChaCha8Rng) -> Option<G::Action> {
        match self {
            Self::Bot(bot) => {
                bot.choose(position, seat, Allotment::default(), rng).map(|choice| choice.action)
            }
            Self::Squeeze { .. } if position.turn() == Turn::Both => {
                position.random_action(seat, rng)
            }
            Self::Squeeze { passed } => squeeze(position, seat, std::mem::take(passed), rng),
        }
    }

    fn note_pass(&mut self) {
        if let Self::Squeeze { passed } = self {
            *passed = true;
        }
    }
}

/// An action of `seat` that leaves the opponent the fewest actions, or, to `release` it, the most;
/// chance breaks ties.
fn squeeze<G: Game>(
    position: &G,
    seat: Seat,
    release: bool,
    rng: &mut ChaCha8Rng,
) -> Option<G::Action> {
    let actions = position.legal_actions(seat);
    let cost = |action: &G::Action| {
        let mut after = position.clone();
        after.play_silently(Step::Move(action.clone()));
        match after.turn() {
            Turn::Over(_) => u64::MAX,
            _ if release => u64::MAX - 1 - after.legal_count(!seat),
            _ => after.legal_count(!seat),
        }
    };
    let costs: Vec<u64> = actions.iter().map(cost).collect();
    let least = costs.iter().min()?;
    let equals: Vec<_> = actions.iter().zip(&costs).filter(|(_, cost)| *cost == least).collect();
    equals.choose(rng).map(|(action, _)| (*action).clone())
}

struct Search {
    seen: BySeat<BTreeSet<String>>,
    drills: Vec<Drill>,
}

impl Search {
    fn play<G: Playable>(&mut self, rules: &Arc<G::Rules>, number: u32) {
        let mut luck = Secret::from_seed(1).luck("one", "other", number);
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(number));
        let mut way = Way::<G>::of(number);
        let mut position = G::start(rules);
        let mut beginning = Beginning::default();
        let (mut events, mut told) = (Vec::new(), BySeat::<usize>::default());
        loop {
            let mut choose = |search: &mut Self, seat: Seat| {
                search.look(&position, seat, &events[told[seat]..], &beginning);
                told[seat] = events.len();
                way.choose(&position, seat, &mut rng)
            };
            let step: Option<StepOf<G>> = match position.turn() {
                Turn::Over(_) => None,
                Turn::Chance(stream, outcomes) => Some(Step::Chance(luck.draw(stream, &outcomes))),
                Turn::Pass(_) => {
                    way.note_pass();
                    Some(Step::Move(G::pass()))
                }
                Turn::Move(seat) => choose(self, seat).map(Step::Move),
                Turn::Both => {
                    let (first, second) = (choose(self, Seat::First), choose(self, Seat::Second));
                    first.zip(second).map(|(first, second)| Step::Both(BySeat::new(first, second)))
                }
            };
            let Some(step) = step else { return };
            beginning.push::<G>(&step);
            position.play(step, &mut events);
        }
    }

    fn look<G: Game>(&mut self, position: &G, seat: Seat, events: &[Event], so_far: &Beginning) {
        let mut kinds = kinds_of(position, seat, events);
        kinds.retain(|kind| !self.seen[seat].contains(kind));
        let full = self.drills.iter().filter(|drill| drill.seat == seat).count() >= MOST;
        if kinds.is_empty() || full {
            return;
        }
        self.seen[seat].extend(kinds.iter().cloned());
        self.drills.push(Drill { seat, beginning: so_far.clone(), kinds });
    }
}

/// The kinds of turn that `seat`'s decision in `position` is of, after `events`.
pub(super) fn kinds_of<G: Game>(position: &G, seat: Seat, events: &[Event]) -> BTreeSet<String> {
    let happened = events.iter().filter_map(|event| kind_of_event(event, G::SEATS[seat]));
    happened.chain(kinds_of_actions(&position.legal(seat))).collect()
}

/// The kinds of turn that `seat` met in a recorded game, as far as that can be replayed.
pub(super) fn kinds_met<G: Game>(
    rules: &Arc<G::Rules>,
    record: &GameRecord,
    seat: Seat,
) -> BTreeSet<String> {
    let mut replay = Replay::<G>::new(rules, record);
    let (mut events, mut kinds) = (Vec::new(), BTreeSet::new());
    loop {
        let asked = match replay.position.turn() {
            Turn::Move(mover) => mover == seat,
            Turn::Both => true,
            _ => false,
        };
        if asked {
            kinds.extend(kinds_of(&replay.position, seat, &events));
            events.clear();
        }
        if !matches!(replay.step(), Ok(Replayed::Step)) {
            return kinds;
        }
        events.append(&mut replay.events);
    }
}

fn kinds_of_actions(legal: &Legal) -> BTreeSet<String> {
    match legal {
        Legal::List(texts) => texts.iter().map(|text| shape(text)).collect(),
        Legal::Factored { .. } => BTreeSet::from(["directions and walls".to_owned()]),
    }
}

/// An action's text with `n` for every number.
fn shape(text: &str) -> String {
    let mut shape = String::with_capacity(text.len() + 2);
    shape.push('`');
    for character in text.chars() {
        match character {
            '0'..='9' if shape.ends_with('n') => {}
            '0'..='9' => shape.push('n'),
            other => shape.push(other),
        }
    }
    shape.push('`');
    shape
}

/// What happened as its name on the wire, with what tells kinds of it apart. A plain action and
/// a roll are no kind, the turns of a game consist of them.
fn kind_of_event(event: &Event, you: &str) -> Option<String> {
    let value = serde_json::to_value(event).ok()?;
    let word = |key: &str| value.get(key).and_then(Value::as_str);
    let owner = if word("by") == Some(you) { "its own" } else { "the opponent's" };
    let name = word("event")?;
    match name {
        "action" if value.get("forced").is_some() => Some(format!("{owner} forced pass")),
        "action" if value.get("for").is_some() => Some(format!("{owner} action for the other")),
        "action" | "roll" | "over" => None,
        _ => Some(word("why").map_or(name.to_owned(), |why| format!("{name} ({why})"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::watch_your_back::WatchYourBack;
    use referee_games::{GameKind, Options};

    #[test]
    fn every_game_has_drills_and_they_are_the_same_every_time() {
        for &kind in GameKind::all() {
            referee_games::with_game!(kind, G => {
                let options = Options::resolve(G::OPTIONS, []).expect("defaults");
                let rules = Arc::new(G::rules(&options).expect("rules"));
                let found = drills::<G>(&rules);
                assert_eq!(found, drills::<G>(&rules));
                assert!(found.len() >= 2, "{kind:?}: {found:?}");
            });
        }
    }

    #[test]
    fn the_kinds_of_a_game_with_a_shrinking_board_are_all_found() {
        let options = Options::resolve(WatchYourBack::OPTIONS, []).expect("defaults");
        let rules = Arc::new(WatchYourBack::rules(&options).expect("rules"));
        let found = drills::<WatchYourBack>(&rules);
        for seat in Seat::BOTH {
            let kinds: BTreeSet<&str> = found
                .iter()
                .filter(|drill| drill.seat == seat)
                .flat_map(|drill| drill.kinds.iter().map(String::as_str))
                .collect();
            let expected = [
                "`n,n>n,n`",
                "`n,n`",
                "its own forced pass",
                "removed (corner)",
                "removed (surrounded)",
                "shrink",
                "the opponent's forced pass",
            ];
            assert_eq!(kinds, expected.into_iter().collect());
        }
    }
}
