//! Openings: the first plies of a pair, played for both players before either is asked.
//!
//! They come from random legal play or from a list, by the number of the pair and nothing else, so
//! that every pairing begins alike. Where the referee rolls, the dice stay the pair's own: the
//! opening is played with the rolls that the game would have had without it, and the game goes on
//! with those that follow. Both games of a pair have the same dice by seat, and so the same
//! opening; another pairing has other dice, and makes other moves of the same random numbers.

use std::sync::Arc;

use rand_chacha::ChaCha20Rng;

use crate::model::openings::Openings;
use crate::seeds::{Luck, Secret};
use referee_games::{BySeat, Game, Seat, Step, StepOf, Turn};

/// How a game begins.
#[derive(Debug)]
pub struct Opening<G: Game> {
    /// The steps up to the first decision, chance and forced passes included.
    pub steps: Vec<StepOf<G>>,
    /// The luck of the rest of the game.
    pub luck: Luck,
}

impl<G: Game> Opening<G> {
    /// The actions as a record has them.
    pub fn texts(&self) -> Vec<String> {
        Self::texts_of(&self.steps)
    }

    /// The actions among these steps.
    pub fn texts_of(steps: &[StepOf<G>]) -> Vec<String> {
        let mut texts = Vec::new();
        for step in steps {
            match step {
                Step::Move(action) => texts.push(action.to_string()),
                Step::Both(both) => texts.extend(both.iter().map(|(_, one)| one.to_string())),
                Step::Chance(_) => {}
            }
        }
        texts
    }
}

/// Why a list of actions is no opening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// This action of the list, from 0, cannot be played; why.
    Action(usize, String),
    /// The referee rolls in this game, and a list says nothing of dice.
    Dice,
}

/// The openings of a tournament, ready to be played.
#[derive(Debug, Clone)]
pub struct Book<G: Game> {
    rules: Arc<G::Rules>,
    source: Source<G>,
}

#[derive(Debug, Clone)]
enum Source<G: Game> {
    Start,
    Random(u32),
    Listed(Vec<Vec<StepOf<G>>>),
}

impl<G: Game> Book<G> {
    /// The book of games that begin at the start.
    pub fn empty(rules: &Arc<G::Rules>) -> Self {
        Self { rules: Arc::clone(rules), source: Source::Start }
    }

    /// The book of these openings; the error says which of a list cannot be played, and why.
    pub fn new(rules: &Arc<G::Rules>, openings: Option<&Openings>) -> Result<Self, String> {
        let source = match openings {
            None => Source::Start,
            Some(Openings::Random { plies }) => Source::Random(*plies),
            Some(Openings::Listed(list)) => {
                let steps = |(number, texts): (usize, &Vec<String>)| {
                    listed::<G>(rules, texts).map_err(|unfit| match unfit {
                        Unfit::Action(_, why) => format!("opening {number}: {why}"),
                        Unfit::Dice => format!("opening {number}: the referee rolls in this game"),
                    })
                };
                Source::Listed((1..).zip(list).map(steps).collect::<Result<_, _>>()?)
            }
        };
        Ok(Self { rules: Arc::clone(rules), source })
    }

    /// The rules that they are played by.
    pub fn rules(&self) -> &Arc<G::Rules> {
        &self.rules
    }

    /// The opening of pair `pair`, from 1, of two players that have this luck.
    pub fn opening(&self, pair: u32, secret: &Secret, luck: Luck) -> Opening<G> {
        match &self.source {
            Source::Random(plies) => random(&self.rules, *plies, &secret.choices(pair), &luck),
            _ => Opening { steps: self.fixed(pair).unwrap_or_default().to_vec(), luck },
        }
    }

    /// The steps of the opening of pair `pair` where no chance decides; none where it does.
    fn fixed(&self, pair: u32) -> Option<&[StepOf<G>]> {
        match &self.source {
            Source::Start => Some(&[]),
            Source::Random(_) => None,
            Source::Listed(list) => {
                let at = (pair.max(1) as usize - 1) % list.len().max(1);
                Some(list.get(at).map_or(&[], Vec::as_slice))
            }
        }
    }

    /// The actions of the opening of pair `pair` as far as they follow without the secret.
    pub fn fixed_texts(&self, pair: u32) -> Option<Vec<String>> {
        self.fixed(pair).map(Opening::<G>::texts_of)
    }
}

/// The first `plies` plies of a random game, and on to its next decision; but no more than half of
/// that game, so that there is something left to play.
fn random<G: Game>(
    rules: &Arc<G::Rules>,
    plies: u32,
    choices: &ChaCha20Rng,
    luck: &Luck,
) -> Opening<G> {
    let begin = |plies: u32| {
        let mut choices = choices.clone();
        walk(rules, luck.clone(), |position: &G| match position.turn() {
            Turn::Pass(_) => Some(Step::Move(G::pass())),
            _ if position.ply() >= plies => None,
            Turn::Move(seat) => position.random_action(seat, &mut choices).map(Step::Move),
            Turn::Both => {
                let first = position.random_action(Seat::First, &mut choices)?;
                let second = position.random_action(Seat::Second, &mut choices)?;
                Some(Step::Both(BySeat::new(first, second)))
            }
            Turn::Chance(..) | Turn::Over(_) => None,
        })
    };
    let half = begin(u32::MAX).1.map_or(u32::MAX, |end| end / 2);
    begin(plies.min(half)).0
}

/// The steps of a list of actions in the order in which a record has them, and on to the next
/// decision. Forced passes may be left out; a simultaneous turn takes two actions, the first
/// seat's first.
pub fn listed<G: Game>(rules: &Arc<G::Rules>, texts: &[String]) -> Result<Vec<StepOf<G>>, Unfit> {
    let mut list = List { texts, read: 0, unfit: None };
    let no_luck = Luck::from_key([0; 32]);
    let (Opening { steps, .. }, end) = walk::<G>(rules, no_luck, |at| list.next(at));
    let rolls_first = matches!(G::start(rules).turn(), Turn::Chance(..));
    if rolls_first || steps.iter().any(|step| matches!(step, Step::Chance(_))) {
        return Err(Unfit::Dice);
    }
    match list.unfit {
        Some(unfit) => Err(unfit),
        None if end.is_some() => {
            let number = list.read.saturating_sub(1);
            Err(Unfit::Action(number, "the game is over after it".to_owned()))
        }
        None => Ok(steps),
    }
}

/// A list of actions that is being played.
struct List<'a> {
    texts: &'a [String],
    read: usize,
    unfit: Option<Unfit>,
}

impl List<'_> {
    fn next<G: Game>(&mut self, position: &G) -> Option<StepOf<G>> {
        match position.turn() {
            Turn::Pass(_) => {
                let is_written = |text: &String| text.trim() == G::pass().to_string();
                self.read += usize::from(self.texts.get(self.read).is_some_and(is_written));
                Some(Step::Move(G::pass()))
            }
            Turn::Move(seat) => self.action(position, seat).map(Step::Move),
            Turn::Both => {
                let first = self.action(position, Seat::First)?;
                if self.read == self.texts.len() {
                    let why = format!("`{first}` stands alone where both seats act at once");
                    self.unfit = Some(Unfit::Action(self.read - 1, why));
                }
                let second = self.action(position, Seat::Second)?;
                Some(Step::Both(BySeat::new(first, second)))
            }
            Turn::Chance(..) | Turn::Over(_) => None,
        }
    }

    fn action<G: Game>(&mut self, position: &G, seat: Seat) -> Option<G::Action> {
        let text = self.texts.get(self.read)?;
        self.read += 1;
        let parsed = position.parse_action(seat, text);
        parsed.map_err(|why| self.unfit = Some(Unfit::Action(self.read - 1, why.to_string()))).ok()
    }
}

/// Plays from the start, chance by `luck`, for as long as `choose` gives a step where a seat is to
/// act. Returns what was played up to the last decision, nothing where that is the first one, and
/// the plies of the game if it ended behind that.
fn walk<G: Game>(
    rules: &Arc<G::Rules>,
    mut luck: Luck,
    mut choose: impl FnMut(&G) -> Option<StepOf<G>>,
) -> (Opening<G>, Option<u32>) {
    let mut position = G::start(rules);
    let mut steps = Vec::new();
    let (mut decision, mut left) = (0, luck.clone());
    let end = loop {
        let turn = position.turn();
        if matches!(turn, Turn::Move(_) | Turn::Both) && position.ply() > 0 {
            (decision, left) = (steps.len(), luck.clone());
        }
        let step = match turn {
            Turn::Over(_) => break Some(position.ply()),
            Turn::Chance(stream, outcomes) => Some(Step::Chance(luck.draw(stream, &outcomes))),
            Turn::Pass(_) | Turn::Move(_) | Turn::Both => choose(&position),
        };
        let Some(step) = step else { break None };
        position.play_silently(step.clone());
        steps.push(step);
    };
    steps.truncate(decision);
    (Opening { steps, luck: left }, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::openings::MOST_PLIES;
    use referee_games::back_to_the_wall::BackToTheWall;
    use referee_games::backdraughts::Backdraughts;
    use referee_games::watch_your_back::WatchYourBack;
    use referee_games::with_game;
    use referee_games::{GameKind, Options};

    fn rules<G: Game>(given: &[(&str, &str)]) -> Arc<G::Rules> {
        let options = Options::resolve(G::OPTIONS, given.iter().copied()).expect("options");
        Arc::new(G::rules(&options).expect("rules"))
    }

    fn book<G: Game>(plies: u32) -> Book<G> {
        Book::new(&rules::<G>(&[]), Some(&Openings::Random { plies })).expect("no list")
    }

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    }

    /// Plays an opening and returns where the game stands.
    fn after<G: Game>(opening: &Opening<G>) -> G {
        let mut position = G::start(&rules::<G>(&[]));
        opening.steps.iter().for_each(|step| position.play_silently(step.clone()));
        position
    }

    fn a_random_opening_leads_to_a_decision<G: Game>() {
        let secret = Secret::from_seed(7);
        for plies in [1, 2, 9, MOST_PLIES] {
            let book = book::<G>(plies);
            for pair in 1..40 {
                let luck = || secret.luck("ant", "bee", pair);
                let opening = book.opening(pair, &secret, luck());
                let position = after(&opening);
                let turn = position.turn();
                assert!(matches!(turn, Turn::Move(_) | Turn::Both), "{plies} {pair} {turn:?}");
                assert!(plies > 2 || position.ply() >= plies, "{plies} {}", position.ply());
                assert_eq!(opening.steps, book.opening(pair, &secret, luck()).steps);
                // The game goes on with the rolls behind those of the opening.
                let mut luck = luck();
                let mut again = G::start(&rules::<G>(&[]));
                for step in &opening.steps {
                    if let Turn::Chance(stream, outcomes) = again.turn() {
                        assert_eq!(*step, Step::Chance(luck.draw(stream, &outcomes)));
                    }
                    again.play_silently(step.clone());
                }
                let faces: Vec<(u32, u32)> = (1..=6).map(|face| (face, 1)).collect();
                let mut left = opening.luck;
                for stream in [Seat::First, Seat::Second].map(referee_games::Stream::Seat) {
                    let one: Vec<u32> = (0..9).map(|_| luck.draw(stream, &faces)).collect();
                    let other: Vec<u32> = (0..9).map(|_| left.draw(stream, &faces)).collect();
                    assert_eq!(one, other);
                }
            }
        }
    }

    #[test]
    fn random_openings_lead_to_a_decision() {
        for &kind in GameKind::all() {
            with_game!(kind, G => a_random_opening_leads_to_a_decision::<G>());
        }
    }

    #[test]
    fn without_dice_openings_depend_on_the_pair_alone() {
        let (book, secret) = (book::<WatchYourBack>(8), Secret::from_seed(7));
        let of = |one: &str, pair| {
            book.opening(pair, &secret, secret.luck(one, "bee", pair)).texts().join(" ")
        };
        assert_eq!(of("ant", 1), of("cat", 1));
        assert_ne!(of("ant", 1), of("ant", 2));
        let other = Secret::from_seed(8);
        let elsewhere = book.opening(1, &other, other.luck("ant", "bee", 1)).texts().join(" ");
        assert_ne!(of("ant", 1), elsewhere);
    }

    #[test]
    fn an_opening_is_at_most_half_of_its_game() {
        let rules = rules::<WatchYourBack>(&[("max-moves", "10")]);
        let openings = Openings::Random { plies: MOST_PLIES };
        let book = Book::<WatchYourBack>::new(&rules, Some(&openings)).expect("no list");
        let secret = Secret::from_seed(7);
        for pair in 1..20 {
            let opening = book.opening(pair, &secret, secret.luck("ant", "bee", pair));
            let mut position = WatchYourBack::start(&rules);
            opening.steps.iter().for_each(|step| position.play_silently(*step));
            assert!(matches!(position.turn(), Turn::Move(_)), "{:?}", position.turn());
            // 24 placements and at most 10 moves.
            assert!((12..=17).contains(&position.ply()), "{}", position.ply());
        }
    }

    #[test]
    fn a_list_is_played_in_turn() {
        let rules = rules::<WatchYourBack>(&[]);
        let lists = vec![texts(&["3,3", "3,4"]), texts(&["2,2"])];
        let book = Book::<WatchYourBack>::new(&rules, Some(&Openings::Listed(lists.clone())));
        let book = book.expect("legal actions");
        for (pair, list) in [(1, 0), (2, 1), (3, 0)] {
            assert_eq!(book.fixed_texts(pair).as_ref(), Some(&lists[list]));
        }
        assert_eq!(Book::<WatchYourBack>::empty(&rules).fixed_texts(1), Some(Vec::new()));
    }

    #[test]
    fn a_list_that_cannot_be_played_is_refused() {
        let play =
            |list: &[&str]| listed::<WatchYourBack>(&rules::<WatchYourBack>(&[]), &texts(list));
        let refused = |list: &[&str]| play(list).expect_err("refused");
        assert_eq!(refused(&["3,3", "0,0"]), Unfit::Action(1, "W1: 0,0 is a corner".to_owned()));
        assert!(
            matches!(refused(&["3,3", "x"]), Unfit::Action(1, why) if why.starts_with("syntax"))
        );
        assert!(matches!(refused(&["pass"]), Unfit::Action(0, _)));
        assert_eq!(play(&["3,3"]).map(|steps| steps.len()), Ok(1));
    }

    #[test]
    fn a_simultaneous_turn_takes_two() {
        let rules = rules::<BackToTheWall>(&[("rounds", "once")]);
        let play = |list: &[&str]| listed::<BackToTheWall>(&rules, &texts(list));
        let both = ["R U 3,5", "L D 3,1"];
        assert_eq!(play(&both).map(|steps| steps.len()), Ok(1));
        let alone = "`R U 3,5` stands alone where both seats act at once".to_owned();
        assert_eq!(play(&both[..1]), Err(Unfit::Action(0, alone)));
    }

    #[test]
    fn a_list_says_nothing_of_dice() {
        let with_dice = rules::<Backdraughts>(&[]);
        assert_eq!(listed::<Backdraughts>(&with_dice, &texts(&["1,3>4,3"])), Err(Unfit::Dice));
    }

    /// A position of a random game in which a pass is forced.
    fn forced_to_pass() -> Backdraughts {
        let (rules, secret) = (rules::<Backdraughts>(&[]), Secret::from_seed(7));
        let passing = (1..500).find_map(|pair| {
            let mut choices = secret.choices(pair);
            let mut passing = None;
            walk::<Backdraughts>(&rules, secret.luck("ant", "bee", pair), |position| {
                if let Turn::Move(seat) = position.turn() {
                    return position.random_action(seat, &mut choices).map(Step::Move);
                }
                passing = Some(position.clone());
                None
            });
            passing
        });
        passing.expect("a forced pass")
    }

    #[test]
    fn a_forced_pass_may_be_left_out_of_a_list() {
        let position = forced_to_pass();
        for (text, read) in [("pass", 1), (" pass", 1), ("1,3>4,3", 0)] {
            let texts = texts(&[text]);
            let mut list = List { texts: &texts, read: 0, unfit: None };
            assert_eq!(list.next(&position), Some(Step::Move(Backdraughts::pass())));
            assert_eq!((list.read, list.unfit), (read, None));
        }
    }
}
