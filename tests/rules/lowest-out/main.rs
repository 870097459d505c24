//! Lowest out, as in game.py.

mod rules_program;

use std::collections::BTreeMap;

use rules_program::{serve, Clause, Game, GameOption, Options, Position, Rules, Step, Turn};
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};

const NAMES: [&str; 4] = ["red", "green", "blue", "white"];
const ROUNDS: u32 = 6;

/// The round, and for each seat the round in which it left.
#[derive(Serialize, Deserialize)]
struct State {
    out: Vec<u32>,
    round: u32,
}

struct LowestOut {
    seats: usize,
}

impl Rules for LowestOut {
    type State = State;

    fn game(&self) -> Game {
        Game {
            name: "lowest-out",
            title: "Lowest out",
            version: "1",
            seats: NAMES[..self.seats].to_vec(),
            hidden: self.seats == 3,
            options: vec![GameOption::boolean("scores", false, "by score (L2)")],
            clauses: vec![
                Clause {
                    id: "L1",
                    title: "Round",
                    text: "All seats that are in name 1, 2 or 3; the lowest are out.",
                },
                Clause {
                    id: "L2",
                    title: "End",
                    text: "Who is in longest wins. Six rounds are the most.",
                },
            ],
        }
    }

    fn start(&self, _options: &Options) -> Result<State, String> {
        Ok(State { out: vec![0; self.seats], round: 1 })
    }

    fn max_plies(&self, _options: &Options) -> u32 {
        ROUNDS
    }

    fn play(
        &self,
        _options: &Options,
        mut state: State,
        step: &Step,
        _events: &mut Vec<Value>,
    ) -> State {
        let Step::Together(named) = step else { panic!("all turns are simultaneous") };
        let (lowest, highest) = (named.values().min(), named.values().max());
        for (&seat, number) in named {
            if Some(number) == lowest && lowest != highest {
                state.out[seat] = state.round;
            }
        }
        state.round += 1;
        state
    }

    fn show(&self, options: &Options, state: &State) -> Position {
        let row = |(name, out): (&&str, &u32)| match out {
            0 => format!("{name}: in"),
            out => format!("{name}: out in round {out}"),
        };
        let inside = (0..self.seats).filter(|&seat| state.out[seat] == 0);
        let numbers = || ["1", "2", "3"].map(str::to_owned).to_vec();
        let legal: BTreeMap<_, _> = inside.map(|seat| (seat, numbers())).collect();
        let is_over = legal.len() == 1 || state.round > ROUNDS;
        Position {
            turn: if is_over { over(options, state) } else { Turn::Together },
            rows: NAMES.iter().zip(&state.out).map(row).collect(),
            legal,
            views: (self.seats == 3).then(|| vec![json!(state); self.seats]),
            ..Position::default()
        }
    }
}

fn over(options: &Options, state: &State) -> Turn {
    let rounds = |&out: &u32| if out == 0 { state.round } else { out };
    let lasted: Vec<u32> = state.out.iter().map(rounds).collect();
    if options.boolean("scores") {
        return Turn::Scores(lasted.into_iter().map(Into::into).collect(), "rounds");
    }
    if let [first, second] = lasted[..] {
        return Turn::Over((first != second).then(|| usize::from(second > first)), "rounds");
    }
    let ahead = |rounds| lasted.iter().filter(|&&other| other > rounds).count() as u32;
    Turn::Places(lasted.iter().map(|&rounds| 1 + ahead(rounds)).collect(), "rounds")
}

fn main() -> std::io::Result<()> {
    let seats = std::env::args().nth(1).and_then(|it| it.parse().ok());
    serve(&LowestOut { seats: seats.expect("a number of seats") })
}
