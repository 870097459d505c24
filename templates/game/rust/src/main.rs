//! The rules of @GAME@. The game here is Nim: replace it with your own.
//!
//! The result of every function must depend only on its arguments. The trait `Rules` in
//! rules_program.rs describes each. Seats count from 0.

mod rules_program;

use rules_program::{
    serve, Clause, Game, GameOption, Options, Position, Rules, Step, Turn,
};
use serde::{Deserialize, Serialize};

/// The state of a game in progress.
#[derive(Serialize, Deserialize)]
struct State {
    heaps: [u32; 3],
    next: usize,
}

const NAMES: [char; 3] = ['a', 'b', 'c'];

struct Nim;

impl Rules for Nim {
    type State = State;

    fn game(&self) -> Game {
        Game {
            name: "@GAME@",
            title: "@TITLE@",
            version: "1",
            seats: vec!["first", "second"],
            hidden: false,
            options: vec![GameOption::boolean(
                "misere",
                false,
                "the seat that takes the last stick loses (N2)",
            )],
            clauses: vec![
                Clause {
                    id: "N1",
                    title: "Move",
                    text: "There are heaps a, b and c of 3, 4 and 5 sticks. The seats take turns; \
                           each takes one or more sticks from one heap: `b2` takes two sticks from \
                           heap b.",
                },
                Clause {
                    id: "N2",
                    title: "End",
                    text: "The seat that takes the last stick wins.",
                },
            ],
        }
    }

    fn start(&self, _options: &Options) -> Result<State, String> {
        Ok(State {
            heaps: [3, 4, 5],
            next: 0,
        })
    }

    fn max_plies(&self, _options: &Options) -> u32 {
        12
    }

    fn play(
        &self,
        _options: &Options,
        mut state: State,
        step: &Step,
        _events: &mut Vec<serde_json::Value>,
    ) -> State {
        let Step::Move(action) = step else {
            panic!("only moves are played")
        };
        let (heap, count) = parse(action).expect("a legal action");
        state.heaps[heap] -= count;
        state.next = 1 - state.next;
        state
    }

    fn show(&self, options: &Options, state: &State) -> Position {
        let heaps = NAMES.iter().zip(state.heaps);
        let rows = heaps
            .clone()
            .map(|(name, sticks)| format!("{name} {}", "|".repeat(sticks as usize)));
        let legal: Vec<String> = heaps
            .flat_map(|(name, sticks)| (1..=sticks).map(move |n| format!("{name}{n}")))
            .collect();
        let turn = match (legal.is_empty(), options.boolean("misere")) {
            (false, _) => Turn::Move(state.next),
            (true, true) => Turn::Over(Some(state.next), "last-stick"),
            (true, false) => Turn::Over(Some(1 - state.next), "last-stick"),
        };
        let mut position = Position {
            turn,
            rows: rows.collect(),
            ..Position::default()
        };
        position.legal.insert(state.next, legal);
        position
    }
}

/// The heap and the number of sticks that a text names.
fn parse(text: &str) -> Option<(usize, u32)> {
    let mut characters = text.chars();
    let name = characters.next()?;
    let heap = NAMES.iter().position(|&known| known == name)?;
    Some((heap, characters.as_str().parse().ok()?))
}

fn main() -> std::io::Result<()> {
    serve(&Nim)
}
