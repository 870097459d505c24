//! A slow model of Backdraughts: a map of squares and walks step by step, written from the clauses
//! without looking at the fast rules. Squares are `(column, row)`.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};

/// A colour: `'W'` or `'B'`.
pub(crate) type Colour = char;
type Cell = (i32, i32);

const WAYS: [Cell; 4] = [(0, -1), (0, 1), (-1, 0), (1, 0)];

/// Options by name, as they are given.
pub(crate) type Given = Vec<(&'static str, String)>;

/// The options in force, as texts and numbers.
#[derive(Clone, Debug)]
pub(crate) struct BackdraughtsModelRules {
    first: String,
    opponent_answers: bool,
    dice: bool,
    capture: String,
    turning: bool,
    max_plies: usize,
    repetition: usize,
}

impl BackdraughtsModelRules {
    /// The rules with these options, unless they contradict each other (B10, B12).
    pub(crate) fn new(given: &Given) -> Option<Self> {
        let word = |name| given.iter().find(|(known, _)| *known == name).map(|(_, word)| &word[..]);
        let number = |name| word(name).map(|text| text.parse::<usize>().unwrap());
        let dice = word("move").unwrap_or("dice") == "dice";
        let capture = word("capture").unwrap_or(if dice { "six" } else { "ring" });
        if dice && word("repetition").is_some() || !dice && capture != "ring" {
            return None;
        }
        Some(Self {
            first: word("first").unwrap_or("white").to_owned(),
            opponent_answers: word("overlooked") == Some("opponent"),
            dice,
            capture: capture.to_owned(),
            turning: word("turning") == Some("on"),
            max_plies: number("max-plies").unwrap_or(if dice { 500 } else { 300 }),
            repetition: number("repetition").unwrap_or(if dice { 0 } else { 3 }),
        })
    }
}

/// The turn of a game.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Waits {
    StartRolls,
    Roll(Colour),
    Action(Colour),
    ForcedPass(Colour),
    Over(char, &'static str),
}

/// A whole game.
#[derive(Clone)]
pub(crate) struct BackdraughtsModel {
    rules: BackdraughtsModelRules,
    pawns: HashMap<Cell, Colour>,
    /// The seat on turn, once it is known.
    turn: Option<Colour>,
    roll: Option<usize>,
    /// The opponent of `turn` is asked about the overlooked action.
    asking: bool,
    plies: usize,
    turns_begun: HashMap<String, usize>,
    over: Option<(char, &'static str)>,
}

impl BackdraughtsModel {
    pub(crate) fn new(rules: BackdraughtsModelRules) -> Self {
        let rows = [
            "........", "...BBBB.", "....BBB.", ".W...BB.", ".WW...B.", ".WWW....", ".WWWW...",
            "........",
        ];
        let first = match rules.first.as_str() {
            "white" => Some('W'),
            "black" => Some('B'),
            _ => None,
        };
        Self::standing(rules, &rows.map(str::to_owned), first)
    }

    /// A game at these rows, at the start of the turn of `first`.
    pub(crate) fn standing(
        rules: BackdraughtsModelRules,
        rows: &[String],
        first: Option<Colour>,
    ) -> Self {
        let mut pawns = HashMap::new();
        for (row, text) in (0..).zip(rows) {
            pawns.extend((0..).zip(text.chars()).map(|(column, cell)| ((column, row), cell)));
        }
        pawns.retain(|_, cell| *cell != '.');
        let mut model = Self {
            rules,
            pawns,
            turn: None,
            roll: None,
            asking: false,
            plies: 0,
            turns_begun: HashMap::new(),
            over: None,
        };
        model.test_win();
        if let Some(colour) = first {
            model.begin(colour);
        }
        model
    }

    pub(crate) fn rows(&self) -> Vec<String> {
        let cell = |column, row| self.pawns.get(&(column, row)).copied().unwrap_or('.');
        (0..8).map(|row| (0..8).map(|column| cell(column, row)).collect()).collect()
    }

    fn cells_of(&self, colour: Colour) -> Vec<Cell> {
        let mine = self.pawns.iter().filter(|(_, owner)| **owner == colour);
        mine.map(|(cell, _)| *cell).collect()
    }

    fn lost(&self, colour: Colour) -> usize {
        10 - self.cells_of(colour).len()
    }

    fn begin(&mut self, colour: Colour) {
        (self.turn, self.roll, self.asking) = (Some(colour), None, false);
        *self.turns_begun.entry(format!("{}{colour}", self.rows().concat())).or_default() += 1;
    }

    /// The number to play, once there is one (B1, B9).
    fn number(&self) -> Option<usize> {
        if self.rules.dice { self.roll } else { Some(1 + self.lost(self.turn?) / 2) }
    }

    pub(crate) fn waits(&self) -> Waits {
        match (self.over, self.turn) {
            (Some((winner, reason)), _) => Waits::Over(winner, reason),
            (None, None) => Waits::StartRolls,
            (None, Some(colour)) if self.number().is_none() => Waits::Roll(colour),
            (None, Some(colour)) if self.asking => Waits::Action(other(colour)),
            (None, Some(colour)) if self.actions().is_empty() => Waits::ForcedPass(colour),
            (None, Some(colour)) => Waits::Action(colour),
        }
    }

    /// The moves and captures of the side on turn (B3, B5, B6, B10, B11).
    fn actions(&self) -> Vec<String> {
        let (Some(colour), Some(number)) = (self.turn, self.number()) else { return Vec::new() };
        let mut texts = Vec::new();
        for from in self.cells_of(colour) {
            for to in self.ends(from, number) {
                texts.push(format!("{}>{}", text(from), text(to)));
            }
            if self.may_capture(colour, number) && !self.enemies_beside(from, colour).is_empty() {
                texts.push(format!("capture {}", text(from)));
            }
        }
        texts
    }

    fn may_capture(&self, colour: Colour, number: usize) -> bool {
        let on_ring = |(column, row): &Cell| [0, 7].contains(column) || [0, 7].contains(row);
        let six = self.rules.dice && number == 6;
        let ring = !self.cells_of(colour).iter().any(on_ring);
        match self.rules.capture.as_str() {
            "six" => six,
            "ring" => ring,
            _ => six || ring,
        }
    }

    fn enemies_beside(&self, (column, row): Cell, colour: Colour) -> Vec<Cell> {
        let beside = WAYS.map(|(x, y)| (column + x, row + y));
        let enemy = |cell: &Cell| self.pawns.get(cell) == Some(&other(colour));
        beside.into_iter().filter(enemy).collect()
    }

    /// The squares where the pawn on `from` can end.
    fn ends(&self, from: Cell, number: usize) -> BTreeSet<Cell> {
        let mut board = self.pawns.clone();
        board.remove(&from);
        let mut ends = BTreeSet::new();
        for way in WAYS {
            if self.rules.turning {
                if is_free(&board, ahead(from, way)) {
                    wander(&board, ahead(from, way), way, number - 1, &mut ends);
                }
            } else {
                let path: Vec<_> = (1..=i32::try_from(number).unwrap())
                    .map(|far| (from.0 + far * way.0, from.1 + far * way.1))
                    .collect();
                if path.iter().all(|&cell| is_free(&board, cell)) {
                    ends.extend(path.last());
                }
            }
        }
        ends
    }

    /// All legal texts, sorted; only `pass` if it is forced; none if no seat acts.
    pub(crate) fn legal(&self) -> Vec<String> {
        let mut texts = match self.waits() {
            Waits::Action(_) => self.actions(),
            Waits::ForcedPass(_) => vec!["pass".to_owned()],
            _ => Vec::new(),
        };
        if self.over.is_none() && self.asking {
            texts.push("decline".to_owned());
        } else if self.rules.opponent_answers && matches!(self.waits(), Waits::Action(_)) {
            texts.push("pass".to_owned());
        }
        texts.sort();
        texts
    }

    /// Applies the rolls that decide who begins, or the roll of the side on turn.
    pub(crate) fn roll(&mut self, values: &[usize]) {
        match *values {
            [value] => self.roll = Some(value),
            [white, black] if white > black => self.begin('W'),
            [white, black] if white < black => self.begin('B'),
            _ => {}
        }
    }

    /// Plays a legal text.
    pub(crate) fn play(&mut self, text: &str) {
        let colour = self.turn.unwrap();
        let overlooked = text == "pass" && !self.actions().is_empty();
        if let Some(by) = text.strip_prefix("capture ") {
            for cell in self.enemies_beside(cell(by), colour) {
                self.pawns.remove(&cell);
            }
        } else if let Some((from, to)) = text.split_once('>') {
            self.pawns.remove(&cell(from));
            self.pawns.insert(cell(to), colour);
        }
        self.plies += 1;
        if overlooked {
            self.asking = true;
        } else {
            self.begin(other(colour));
        }
        self.test_win();
        self.test_length(!overlooked);
    }

    fn test_win(&mut self) {
        let wins = |colour| {
            let goal = if colour == 'W' { (7, 0) } else { (0, 7) };
            let at_goal = self.pawns.get(&goal) == Some(&colour);
            let alone = self.cells_of(other(colour)).is_empty();
            if at_goal { Some("goal") } else { alone.then_some("elimination") }
        };
        self.over = ['W', 'B'].into_iter().find_map(|colour| Some((colour, wins(colour)?)));
    }

    fn test_length(&mut self, turn_begins: bool) {
        let now = format!("{}{}", self.rows().concat(), self.turn.unwrap());
        let times = self.turns_begun.get(&now).copied().unwrap_or(0);
        let limit = self.rules.repetition;
        if self.over.is_some() {
        } else if turn_begins && limit > 0 && times >= limit {
            self.over = Some(('-', "repetition"));
        } else if self.plies >= self.rules.max_plies {
            self.over = Some(('-', "max-plies"));
        }
    }

    /// The state as in the protocol.
    pub(crate) fn state(&self) -> Value {
        let to_move = self.turn.map(|colour| if self.asking { other(colour) } else { colour });
        let mut state = json!({"board": self.rows(), "to_move": to_move.map(name)});
        if let Some(number) = self.number() {
            state[if self.rules.dice { "roll" } else { "distance" }] = number.into();
        }
        state["lost"] = json!({"white": self.lost('W'), "black": self.lost('B')});
        if self.asking {
            state["overlooked_by"] = self.turn.map(name).into();
        }
        state
    }
}

/// Walks on from `at`, having just gone `way`, with `left` squares to go (B11).
fn wander(
    board: &HashMap<Cell, Colour>,
    at: Cell,
    way: Cell,
    left: usize,
    ends: &mut BTreeSet<Cell>,
) {
    if left == 0 {
        ends.insert(at);
        return;
    }
    let free = |way: &Cell| is_free(board, ahead(at, *way));
    let mut ways = vec![way];
    if !free(&way) {
        // A quarter turn in either direction swaps the coordinates.
        ways = vec![(way.1, way.0), (-way.1, -way.0)];
    }
    ways.retain(free);
    if ways.is_empty() {
        ends.insert(at);
    }
    for way in ways {
        wander(board, ahead(at, way), way, left - 1, ends);
    }
}

fn ahead(at: Cell, way: Cell) -> Cell {
    (at.0 + way.0, at.1 + way.1)
}

fn is_free(board: &HashMap<Cell, Colour>, cell: Cell) -> bool {
    (0..8).contains(&cell.0) && (0..8).contains(&cell.1) && !board.contains_key(&cell)
}

pub(crate) fn other(colour: Colour) -> Colour {
    if colour == 'W' { 'B' } else { 'W' }
}

fn name(colour: Colour) -> &'static str {
    if colour == 'W' { "white" } else { "black" }
}

fn text((column, row): Cell) -> String {
    format!("{column},{row}")
}

fn cell(text: &str) -> Cell {
    let (column, row) = text.split_once(',').unwrap();
    (column.parse().unwrap(), row.parse().unwrap())
}
