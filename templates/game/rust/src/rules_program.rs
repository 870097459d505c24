//! The protocol of a rules program: one request per line on stdin, one answer per line on stdout.
//! You need not change this file.
#![allow(dead_code)] // a game need not use everything

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{json, Map, Number, Value};

/// The rules of a game.
pub trait Rules {
    /// The state of a game in progress.
    type State: Serialize + DeserializeOwned;

    /// The description of the game.
    fn game(&self) -> Game;

    /// What the characters on its boards mean: an object with `legend`.
    fn board(&self) -> Option<Value> {
        None
    }

    /// The first state, or an error if the options contradict each other.
    fn start(&self, options: &Options) -> Result<Self::State, String>;

    /// The length of the longest game.
    fn max_plies(&self, options: &Options) -> u32;

    /// The state after a step. Events are objects with the key `event`.
    fn play(
        &self,
        options: &Options,
        state: Self::State,
        step: &Step,
        events: &mut Vec<Value>,
    ) -> Self::State;

    /// Whose turn it is, what is legal, and the board for people.
    fn show(&self, options: &Options, state: &Self::State) -> Position;

    /// Judges a text that is not in the list of legal actions: the action that it means, or a
    /// refusal. By default, there is no other way to write an action.
    fn judge(&self, options: &Options, state: &Self::State, seat: usize, text: &str) -> Judgement {
        let legal = &self.show(options, state).legal[&seat];
        let examples = legal[..legal.len().min(3)].join(", ");
        let reason = format!("{text} is not legal here; legal actions include {examples}");
        let clauses = self.game().clauses;
        Judgement::refused(reason, clauses.first().map_or("", |clause| clause.id))
    }
}

/// The description of a game.
#[derive(Serialize)]
pub struct Game {
    pub name: &'static str,
    pub title: &'static str,
    pub version: &'static str,
    /// Two to sixteen, first seat first.
    pub seats: Vec<&'static str>,
    pub hidden: bool,
    pub options: Vec<GameOption>,
    pub clauses: Vec<Clause>,
}

/// A rule.
#[derive(Serialize)]
pub struct Clause {
    pub id: &'static str,
    pub title: &'static str,
    pub text: &'static str,
}

/// An option of the game.
#[derive(Serialize)]
pub struct GameOption {
    name: &'static str,
    #[serde(flatten)]
    values: Value,
    text: &'static str,
}

impl GameOption {
    pub fn boolean(name: &'static str, default: bool, text: &'static str) -> Self {
        Self {
            name,
            values: json!({"type": "boolean", "default": default}),
            text,
        }
    }

    pub fn integer(
        name: &'static str,
        default: i64,
        min: i64,
        max: i64,
        text: &'static str,
    ) -> Self {
        let values = json!({"type": "integer", "default": default, "min": min, "max": max});
        Self { name, values, text }
    }

    pub fn choice(name: &'static str, default: &str, values: &[&str], text: &'static str) -> Self {
        let values = json!({"type": "choice", "default": default, "values": values});
        Self { name, values, text }
    }
}

/// The options in force.
#[derive(Deserialize)]
pub struct Options(Map<String, Value>);

impl Options {
    pub fn boolean(&self, name: &str) -> bool {
        self.0[name].as_bool().expect("a boolean")
    }

    pub fn integer(&self, name: &str) -> i64 {
        self.0[name].as_i64().expect("an integer")
    }

    pub fn choice(&self, name: &str) -> &str {
        self.0[name].as_str().expect("a choice")
    }
}

/// A step.
pub enum Step {
    Move(String),
    /// The actions of the seats that were asked, by seat.
    Together(BTreeMap<usize, String>),
    Pass,
    Chance(String),
}

/// A step as sent: a game for two gets `both`, a list in seat order.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum StepWords {
    Move(String),
    Both(Vec<String>),
    Together(BTreeMap<String, String>),
    Pass(bool),
    Chance(String),
}

impl StepWords {
    fn step(self, seats: &[&str]) -> Step {
        match self {
            Self::Move(action) => Step::Move(action),
            Self::Both(actions) => Step::Together(actions.into_iter().enumerate().collect()),
            Self::Together(actions) => {
                let by_seat = actions.into_iter().map(|(name, it)| (seat_of(&name, seats), it));
                Step::Together(by_seat.collect())
            }
            Self::Pass(_) => Step::Pass,
            Self::Chance(outcome) => Step::Chance(outcome),
        }
    }
}

/// Who or what comes next in a state.
pub enum Turn {
    Move(usize),
    /// Two or more seats choose at the same time: those for which `legal` has a list.
    Together,
    Pass(usize),
    /// Outcomes with their weights, and the seat whose luck is used, if any.
    Chance(Vec<(String, u32)>, Option<usize>),
    /// The winner of two seats, or `None` if all seats are level, and the reason.
    Over(Option<usize>, &'static str),
    /// The scores of all seats, first seat first, and the reason: the higher, the better.
    Scores(Vec<Number>, &'static str),
    /// The places of more than two seats, first seat first, for example 1, 2, 2, 4, and the reason.
    Places(Vec<u32>, &'static str),
}

/// The visible data of a state.
pub struct Position {
    pub turn: Turn,
    /// By seat.
    pub legal: BTreeMap<usize, Vec<String>>,
    /// The position as plain text, if there is no board.
    pub rows: Vec<String>,
    /// The board: an object with `cells`.
    pub board: Option<Value>,
    pub caption: String,
    /// With hidden information: what each seat may know.
    pub views: Option<Vec<Value>>,
    /// With hidden information: whether only its own seat receives the last action.
    pub secret: bool,
}

impl Default for Position {
    fn default() -> Self {
        Self {
            turn: Turn::Together,
            legal: BTreeMap::new(),
            rows: Vec::new(),
            board: None,
            caption: String::new(),
            views: None,
            secret: false,
        }
    }
}

/// The judgement of a text that is not in the list of legal actions.
pub struct Judgement(Value);

impl Judgement {
    /// It means this legal action.
    pub fn action(text: String) -> Self {
        Self(json!({"action": text}))
    }

    /// It is refused by this clause.
    pub fn refused(reason: String, clause: &str) -> Self {
        Self(json!({"refused": reason, "clause": clause}))
    }

    /// It does not even have the form of an action.
    pub fn malformed(reason: String, clause: &str) -> Self {
        Self(json!({"refused": reason, "clause": clause, "malformed": true}))
    }
}

/// A request; each type has some of the fields.
#[derive(Deserialize)]
struct Request {
    r#type: String,
    #[serde(default)]
    id: Value,
    options: Option<Options>,
    #[serde(default)]
    state: Value,
    step: Option<StepWords>,
    #[serde(default)]
    seat: String,
    #[serde(default)]
    text: String,
}

/// Answers requests until `quit` or the end of the input.
pub fn serve<R: Rules>(rules: &R) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let request: Request = serde_json::from_str(&line?)?;
        if request.r#type == "quit" {
            break;
        }
        let id = request.id.clone();
        let mut answer = answer(rules, request)?;
        answer["id"] = id;
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn answer<R: Rules>(rules: &R, request: Request) -> io::Result<Value> {
    let options = request.options.unwrap_or_else(|| Options(Map::new()));
    Ok(match (request.r#type.as_str(), request.step) {
        ("game", _) => {
            let mut game = serde_json::to_value(rules.game())?;
            game["protocol"] = json!(1);
            if let Some(board) = rules.board() {
                game["board"] = board;
            }
            game
        }
        ("start", _) => match rules.start(&options) {
            Ok(state) => {
                let mut answer = show(rules, &options, &state)?;
                answer["max_plies"] = json!(rules.max_plies(&options));
                answer
            }
            Err(error) => json!({ "error": error }),
        },
        ("play", Some(step)) => {
            let mut events = Vec::new();
            let before = serde_json::from_value(request.state)?;
            let step = step.step(&rules.game().seats);
            let state = rules.play(&options, before, &step, &mut events);
            let mut answer = show(rules, &options, &state)?;
            answer["events"] = Value::Array(events);
            answer
        }
        ("judge", _) => {
            let state = serde_json::from_value(request.state)?;
            let seat = seat_of(&request.seat, &rules.game().seats);
            rules.judge(&options, &state, seat, &request.text).0
        }
        (other, _) => json!({"error": format!("this game does not answer `{other}`")}),
    })
}

/// The seat of this name, which is one of the game's.
fn seat_of(name: &str, seats: &[&str]) -> usize {
    seats.iter().position(|seat| *seat == name).expect("a seat of the game")
}

/// An object with these values by the names of their seats.
fn by_seat<T: Serialize>(seats: &[&str], values: impl IntoIterator<Item = (usize, T)>) -> Value {
    let named = values.into_iter().map(|(seat, value)| (seats[seat].to_owned(), json!(value)));
    Value::Object(named.collect())
}

fn show<R: Rules>(rules: &R, options: &Options, state: &R::State) -> io::Result<Value> {
    let seats = rules.game().seats;
    let position = rules.show(options, state);
    let asked: Vec<&str> = position.legal.keys().map(|&seat| seats[seat]).collect();
    let winner = |seat: Option<usize>| seat.map_or("draw", |seat| seats[seat]);
    let turn = match position.turn {
        Turn::Move(seat) => json!({"move": seats[seat]}),
        Turn::Together if seats.len() == 2 => json!({"both": true}),
        Turn::Together => json!({"together": asked}),
        Turn::Pass(seat) => json!({"pass": seats[seat]}),
        Turn::Chance(ref outcomes, None) => json!({"chance": outcomes}),
        Turn::Chance(ref outcomes, Some(seat)) => json!({"chance": outcomes, "for": seats[seat]}),
        Turn::Over(seat, reason) => json!({"over": winner(seat), "reason": reason}),
        Turn::Scores(ref scores, reason) => json!({"over": {"scores": scores}, "reason": reason}),
        Turn::Places(ref places, reason) => {
            let places = by_seat(&seats, places.iter().enumerate());
            json!({"over": {"places": places}, "reason": reason})
        }
    };
    let mut answer = json!({
        "state": serde_json::to_value(state)?,
        "turn": turn,
        "rows": position.rows,
    });
    if let Some(board) = position.board {
        answer["board"] = board;
    }
    if !position.caption.is_empty() {
        answer["caption"] = json!(position.caption);
    }
    match position.turn {
        Turn::Move(seat) => answer["legal"] = json!(position.legal[&seat]),
        Turn::Together => answer["legal"] = by_seat(&seats, position.legal),
        _ => {}
    }
    if let Some(views) = position.views {
        answer["views"] = by_seat(&seats, views.into_iter().enumerate());
    }
    if position.secret {
        answer["secret"] = json!(true);
    }
    Ok(answer)
}
