use std::fmt;
use std::sync::Arc;

use std::io::BufWriter;

use super::*;
use referee_games::two_player::{BySide, GameResult, Outcome, Side, Step, Turn};
use referee_games::{
    Event, Game, OptionError, Options, RuleSheet, SeatMap, Stream, TypedPosition, perft,
    perft_divide,
};

/// A game of two turns with a die: a roll, then both players name a number up to it.
#[derive(Debug, Clone, Default)]
struct Toy {
    roll: Option<u32>,
    sums: BySide<u32>,
    turns: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Roll(u32);

impl fmt::Display for Roll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "roll {}", self.0)
    }
}

impl Game for Toy {
    type Rules = ();
    type Action = u32;
    type Chance = Roll;
    type State = SeatMap<u32>;
    type Snapshot = (Option<u32>, BySide<u32>, u32);

    const NAME: &'static str = "toy";
    const TITLE: &'static str = "A game of the tests";
    const SEATS: BySide<&'static str> = BySide::new("left", "right");

    fn sheet() -> &'static RuleSheet {
        static SHEET: RuleSheet =
            RuleSheet { clauses: Vec::new(), options: Vec::new(), board: None };
        &SHEET
    }

    fn rules(_: &Options) -> Result<(), OptionError> {
        Ok(())
    }

    fn endless((): &()) -> Option<String> {
        None
    }

    fn start(_: &Arc<()>) -> Self {
        Self::default()
    }

    fn turn(&self) -> Turn {
        match self.roll {
            _ if self.turns == 2 => {
                Turn::Over(Outcome { result: GameResult::Draw, reason: "turns" })
            }
            None => Turn::Chance(Stream::Shared),
            Some(_) => Turn::Both,
        }
    }

    fn outcomes(&self) -> Vec<(Roll, u32)> {
        match self.turn() {
            Turn::Chance(_) => vec![(Roll(1), 1), (Roll(2), 2)],
            _ => Vec::new(),
        }
    }

    fn ply(&self) -> u32 {
        self.turns
    }

    fn legal_actions(&self, _: Side) -> Vec<u32> {
        (1..=self.roll.unwrap_or(0)).collect()
    }

    fn parse_action(&self, seat: Side, text: &str) -> Result<u32, Refusal> {
        let number =
            text.parse().map_err(|_| Refusal::Malformed("expected a number".to_owned()))?;
        self.legal_actions(seat).contains(&number).then_some(number).ok_or(Refusal::Illegal {
            clause: "T1".into(),
            reason: format!("{number} is not on the die"),
        })
    }

    fn play_unchecked(&mut self, step: Step<u32, Roll>, _: &mut Vec<Event>) {
        match step {
            Step::Chance(Roll(number)) => self.roll = Some(number),
            Step::Both(BySide { first, second }) => {
                self.sums = BySide::new(self.sums.first + first, self.sums.second + second);
                self.turns += 1;
                self.roll = None;
            }
            Step::Move(_) | Step::Pass => {}
        }
    }

    fn state(&self) -> SeatMap<u32> {
        self.sums.to_seat_map(Self::SEATS)
    }

    fn snapshot(&self) -> Self::Snapshot {
        (self.roll, self.sums, self.turns)
    }

    fn restored(&self, (roll, sums, turns): Self::Snapshot) -> Option<Self> {
        Some(Self { roll, sums, turns })
    }

    fn rows(&self) -> Vec<String> {
        Vec::new()
    }

    fn caption(&self) -> String {
        String::new()
    }
}

fn course(seed: Option<u64>) -> TracedGame {
    let luck = seed.map(|seed| TournamentSecret::from_seed(seed).game_luck(&["a", "b"], 1));
    TracedGame { game: Box::new(TypedPosition::new(Toy::default())), luck }
}

/// The output of `take`, and how it ends.
fn printed(
    take: impl FnOnce(&mut BufWriter<&mut Vec<u8>>) -> Result<(), Failure>,
) -> (String, Result<(), String>) {
    let mut bytes = Vec::new();
    let mut out = BufWriter::new(&mut bytes);
    let result = take(&mut out).map_err(|failure| failure.to_string());
    flush_trace(&mut out).expect("a vector takes everything");
    drop(out);
    (String::from_utf8(bytes).expect("JSON is UTF-8"), result)
}

/// The output of tracing `input` after the start, and how it ends.
fn traced(input: &str, seed: Option<u64>, legal: bool) -> (String, Result<(), String>) {
    let mut tracer = Tracer { course: course(seed), legal };
    let (out, result) = printed(|out| tracer.play_all(input.as_bytes(), out));
    let (_, rest) = out.split_once('\n').expect("the start");
    (rest.to_owned(), result)
}

#[test]
fn chance_and_both_actions_come_from_the_lines() {
    let (out, result) = traced("roll 2\n\n2 / 1\r\n", None, true);
    assert_eq!(result, Ok(()));
    assert_eq!(
        out,
        concat!(
            r#"{"ply":0,"action":"roll 2","state":{"left":0,"right":0},"events":[],"turn":{"both":["left","right"]},"legal":{"left":["1","2"],"right":["1","2"]}}"#,
            "\n",
            r#"{"ply":1,"action":"2 / 1","state":{"left":2,"right":1},"events":[],"turn":{"chance":["roll 1","roll 2"]},"legal":[]}"#,
            "\n"
        )
    );
}

#[test]
fn bad_lines_say_what_is_wrong() {
    let refused = |input: &str| traced(input, None, false).1.expect_err("a bad line");
    assert_eq!(
        refused("1 / 1"),
        "line 1: syntax: expected a chance outcome such as `roll 1`, or --seed to draw one"
    );
    assert_eq!(
        refused("roll 1\n1"),
        "line 2: syntax: expected both actions in seat order, with ` / ` between them"
    );
    assert_eq!(refused("roll 1\n1 / 2"), "line 2: T1: 2 is not on the die");
    assert_eq!(
        refused("roll 1\n1 / 1\nroll 1\n1 / 1\nroll 1"),
        "line 5: syntax: expected a number"
    );
}

#[test]
fn the_seed_only_draws_rolls_missing_in_the_input() {
    let (out, result) = traced("1 / 1\nroll 2\n2 / 2\n", Some(7), false);
    assert_eq!(result, Ok(()));
    assert_eq!(out.lines().count(), 4);
    assert_eq!(traced("1 / 1\nroll 2\n2 / 2\n", Some(7), false).0, out);
    assert!(out.ends_with("\"turn\":{\"over\":{\"result\":\"draw\",\"reason\":\"turns\"}}}\n"));
}

#[test]
fn perft_follows_chance_and_counts_pairs() {
    let start = TypedPosition::new(Toy::default());
    let counts = (0..4).map(|depth| perft(&start, depth).expect("listed"));
    assert_eq!(counts.collect::<Vec<_>>(), [1, 5, 25, 0]);
    let divided = |game: &TypedPosition<Toy>, depth| -> Vec<String> {
        let counts = perft_divide(game, depth).expect("listed").map(|below| below.expect("legal"));
        counts.map(|(step, count)| format!("{} {count}", step.text())).collect()
    };
    assert_eq!(divided(&start, 2), ["roll 1 5", "roll 2 20"]);
    let rolled = TypedPosition::new(Toy { roll: Some(2), ..*start.game() });
    assert_eq!(divided(&rolled, 1), ["1 / 1 1", "1 / 2 1", "2 / 1 1", "2 / 2 1"]);
}
