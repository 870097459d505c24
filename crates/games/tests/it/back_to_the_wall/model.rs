//! A slow model of Back to the Wall: grids of characters, lists of squares and loops, written from
//! the clauses without looking at the fast rules. Squares are `(column, row)`.

use serde_json::{Value, json};

type Cell = (i32, i32);

/// The directions with their letters; the order does not matter.
const WAYS: [(char, Cell); 4] = [('U', (0, -1)), ('D', (0, 1)), ('L', (-1, 0)), ('R', (1, 0))];

/// The options in force.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each option has two readings")]
pub(crate) struct BackToTheWallModelRules {
    pub(crate) all_connected: bool,
    pub(crate) walls_are_neighbours: bool,
    pub(crate) survivors: bool,
    pub(crate) cancel: bool,
    pub(crate) start_captured: bool,
    pub(crate) max_turns: usize,
    /// The winner of a tied round: `grunkle`, `charge` or `draw`.
    pub(crate) tie: &'static str,
    pub(crate) boards: Vec<ModelBoard>,
    /// The number of won rounds that ends the match.
    pub(crate) enough: usize,
}

/// A board as described by its file.
#[derive(Clone, Debug)]
pub(crate) struct ModelBoard {
    pub(crate) name: &'static str,
    pub(crate) walls: usize,
    pub(crate) adjacency: &'static str,
    pub(crate) map: Vec<&'static str>,
}

/// A piece: owner, kind, place and starting square.
#[derive(Clone, Debug)]
struct ModelPiece {
    by: &'static str,
    name: &'static str,
    at: Cell,
    home: Cell,
}

/// A whole match.
#[derive(Clone)]
pub(crate) struct BackToTheWallModel {
    rules: BackToTheWallModelRules,
    round: usize,
    turn: usize,
    walls: Vec<Cell>,
    owner: Vec<Vec<char>>,
    /// Grunkle's circle and square, Charge's circle and square.
    pieces: Vec<ModelPiece>,
    rounds: Vec<Value>,
    /// Winner and reason.
    pub(crate) over: Option<(&'static str, &'static str)>,
}

/// The named squares of a turn, and the clauses that took some out.
struct Sorted {
    placed: Vec<Cell>,
    out: Vec<(Cell, Vec<&'static str>)>,
}

impl BackToTheWallModel {
    pub(crate) fn new(rules: BackToTheWallModelRules) -> Self {
        let mut model = Self {
            rules,
            round: 0,
            turn: 0,
            walls: Vec::new(),
            owner: Vec::new(),
            pieces: Vec::new(),
            rounds: Vec::new(),
            over: None,
        };
        model.set_up();
        model
    }

    fn board(&self) -> &ModelBoard {
        &self.rules.boards[self.round]
    }

    fn width(&self) -> i32 {
        i32::try_from(self.board().map[0].len()).unwrap()
    }

    fn height(&self) -> i32 {
        i32::try_from(self.board().map.len()).unwrap()
    }

    fn cells(&self) -> Vec<Cell> {
        let width = self.width();
        (0..self.height()).flat_map(|row| (0..width).map(move |column| (column, row))).collect()
    }

    fn is_on_board(&self, (column, row): Cell) -> bool {
        column >= 0 && row >= 0 && column < self.width() && row < self.height()
    }

    fn symbol(&self, (column, row): Cell) -> char {
        let row = self.board().map[usize::try_from(row).unwrap()];
        row.chars().nth(usize::try_from(column).unwrap()).unwrap()
    }

    fn owner_of(&self, (column, row): Cell) -> char {
        self.owner[usize::try_from(row).unwrap()][usize::try_from(column).unwrap()]
    }

    fn give(&mut self, (column, row): Cell, to: char) {
        self.owner[usize::try_from(row).unwrap()][usize::try_from(column).unwrap()] = to;
    }

    fn set_up(&mut self) {
        let cells = self.cells();
        self.turn = 0;
        self.walls = cells.iter().copied().filter(|&cell| self.symbol(cell) == '#').collect();
        self.owner = self.board().map.iter().map(|row| vec!['.'; row.len()]).collect();
        let piece = |by, name, letter| {
            let at = *cells.iter().find(|&&cell| self.symbol(cell) == letter).unwrap();
            ModelPiece { by, name, at, home: at }
        };
        self.pieces = vec![
            piece("grunkle", "circle", 'G'),
            piece("grunkle", "square", 'g'),
            piece("charge", "circle", 'C'),
            piece("charge", "square", 'c'),
        ];
        if self.rules.start_captured {
            for piece in self.pieces.clone() {
                self.give(piece.at, letter(piece.by));
            }
        }
    }

    /// The squares that may be named.
    pub(crate) fn free(&self) -> Vec<Cell> {
        let taken = |cell: &Cell| self.pieces.iter().any(|piece| piece.at == *cell);
        let free = |cell: &Cell| !self.walls.contains(cell) && !taken(cell);
        self.cells().into_iter().filter(free).collect()
    }

    /// The corners, and the squares beside them and beside the pieces, where walls do harm.
    pub(crate) fn tender(&self) -> Vec<Cell> {
        let mut middles = self.corners();
        middles.extend(self.pieces.iter().map(|piece| piece.at));
        let near = |cell: &Cell| {
            middles.iter().any(|at| (at.0 - cell.0).abs() + (at.1 - cell.1).abs() <= 1)
        };
        self.free().into_iter().filter(near).collect()
    }

    pub(crate) fn walls_each(&self) -> usize {
        self.board().walls
    }

    /// Whether a text is a legal submission (T10).
    pub(crate) fn is_legal(&self, text: &str) -> bool {
        let words: Vec<&str> = text.split(' ').collect();
        if self.over.is_some() || words.len() != 2 + self.walls_each() {
            return false;
        }
        let is_way = |word: &str| ["U", "D", "L", "R"].contains(&word);
        let free: Vec<String> = self.free().into_iter().map(written).collect();
        let walls = &words[2..];
        let distinct = (1..walls.len()).all(|at| !walls[..at].contains(&walls[at]));
        is_way(words[0])
            && is_way(words[1])
            && distinct
            && walls.iter().all(|wall| free.contains(&(*wall).to_owned()))
    }

    /// Plays legal texts of both players, and returns the events.
    pub(crate) fn play(&mut self, grunkle: &str, charge: &str) -> Vec<Value> {
        let mut events: Vec<Value> = [("grunkle", grunkle), ("charge", charge)]
            .iter()
            .map(|(by, text)| json!({"event": "action", "by": by, "action": canonical(text)}))
            .collect();
        let (ours, theirs) = (named(grunkle), named(charge));
        let sorted = self.place(&ours, &theirs);
        for &cell in &sorted.placed {
            self.walls.push(cell);
            self.give(cell, '.');
        }
        let not_placed: Vec<Value> = sorted
            .out
            .iter()
            .map(|(cell, clauses)| json!({"square": written(*cell), "clauses": clauses}))
            .collect();
        let placed: Vec<String> = sorted.placed.iter().copied().map(written).collect();
        events.push(json!({"event": "walls", "placed": placed, "not_placed": not_placed}));
        let wanted: Vec<char> =
            [grunkle, charge].iter().flat_map(|text| [first(text, 0), first(text, 2)]).collect();
        self.go(&wanted, &mut events);
        self.turn += 1;
        if let Some(reason) = self.ending() {
            self.end_round(reason, &mut events);
        }
        events
    }

    /// Decides the fate of the squares that the two players name (T1 to T5).
    fn place(&self, ours: &[Cell], theirs: &[Cell]) -> Sorted {
        let in_order = |cells: &[Cell]| -> Vec<Cell> {
            self.cells().into_iter().filter(|cell| cells.contains(cell)).collect()
        };
        let union = in_order(&[ours, theirs].concat());
        let both: Vec<Cell> = union
            .iter()
            .copied()
            .filter(|cell| ours.contains(cell) && theirs.contains(cell))
            .collect();
        let cancelled = if self.rules.cancel { both } else { Vec::new() };
        let all = without(&union, &cancelled);
        let adjacent = self.adjacent(&all);
        let enclosing = self.enclosing(&all);
        let input = if self.rules.survivors {
            without(&without(&all, &adjacent), &enclosing)
        } else {
            all.clone()
        };
        let closing = self.closing(&input);
        let by_clause = [("T1", closing), ("T2", adjacent), ("T3", enclosing), ("T5", cancelled)];
        let mut sorted = Sorted { placed: Vec::new(), out: Vec::new() };
        for cell in union {
            let has = by_clause.iter().filter(|(_, cells)| cells.contains(&cell));
            let clauses: Vec<&str> = has.map(|(clause, _)| *clause).collect();
            if clauses.is_empty() {
                sorted.placed.push(cell);
            } else {
                sorted.out.push((cell, clauses));
            }
        }
        sorted
    }

    fn adjacent(&self, all: &[Cell]) -> Vec<Cell> {
        let touches = |one: Cell, other: Cell| {
            let (x, y) = ((one.0 - other.0).abs(), (one.1 - other.1).abs());
            match self.board().adjacency {
                "king" => x.max(y) == 1,
                "rook" => x + y == 1,
                _ => false,
            }
        };
        let has_neighbour = |cell: &Cell| {
            all.iter().any(|other| touches(*cell, *other))
                || self.rules.walls_are_neighbours
                    && self.walls.iter().any(|other| touches(*cell, *other))
        };
        all.iter().copied().filter(has_neighbour).collect()
    }

    fn enclosing(&self, all: &[Cell]) -> Vec<Cell> {
        let mut out = Vec::new();
        for piece in &self.pieces {
            let around: Vec<Cell> = WAYS
                .iter()
                .map(|(_, way)| step(piece.at, *way))
                .filter(|cell| self.is_on_board(*cell))
                .collect();
            if around.iter().all(|cell| self.walls.contains(cell) || all.contains(cell)) {
                out.extend(around.into_iter().filter(|cell| all.contains(cell)));
            }
        }
        out
    }

    fn corners(&self) -> Vec<Cell> {
        let (right, bottom) = (self.width() - 1, self.height() - 1);
        vec![(0, 0), (right, 0), (0, bottom), (right, bottom)]
    }

    /// Everything that can be reached from `from` when these squares are walls as well.
    fn reach(&self, from: Cell, more: &[Cell]) -> Vec<Cell> {
        let mut left: Vec<Vec<bool>> =
            self.board().map.iter().map(|row| vec![true; row.len()]).collect();
        let mut take = |(column, row): Cell| {
            let (Ok(column), Ok(row)) = (usize::try_from(column), usize::try_from(row)) else {
                return false;
            };
            let square = left.get_mut(row).and_then(|row| row.get_mut(column));
            square.is_some_and(std::mem::take)
        };
        for wall in self.walls.iter().chain(more) {
            take(*wall);
        }
        let (mut reached, mut next) = (Vec::new(), vec![from]);
        while let Some(cell) = next.pop() {
            if take(cell) {
                reached.push(cell);
                next.extend(WAYS.iter().map(|(_, way)| step(cell, *way)));
            }
        }
        reached
    }

    fn is_closed(&self, corner: Cell, more: &[Cell]) -> bool {
        let inside = self.reach(corner, more);
        let others: Vec<Cell> = self.corners().into_iter().filter(|at| *at != corner).collect();
        let reaches = |at: &Cell| inside.contains(at);
        if self.rules.all_connected {
            !others.iter().all(reaches)
        } else {
            !others.iter().any(reaches)
        }
    }

    fn closing(&self, all: &[Cell]) -> Vec<Cell> {
        let mut out = Vec::new();
        for corner in self.corners() {
            if !self.is_closed(corner, all) {
                continue;
            }
            for size in 1..=all.len() {
                let opens = |set: &Vec<Cell>| !self.is_closed(corner, &without(all, set));
                let union: Vec<Cell> =
                    subsets(all, size).into_iter().filter(opens).flatten().collect();
                if !union.is_empty() {
                    out.extend(union);
                    break;
                }
            }
        }
        out
    }

    /// Redirects and moves all pieces (T11, T12).
    fn go(&mut self, wanted: &[char], events: &mut Vec<Value>) {
        let chosen: Vec<Option<char>> =
            (0..4).map(|index| self.redirect(&self.pieces[index], wanted[index])).collect();
        for (piece, (wanted, way)) in self.pieces.iter().zip(wanted.iter().zip(&chosen)) {
            if way.is_some_and(|way| way != *wanted) {
                events.push(json!({
                    "event": "redirected", "by": piece.by, "piece": piece.name,
                    "from": wanted.to_string(), "to": way.unwrap().to_string(),
                }));
            }
        }
        let mut moving = chosen;
        let mut paths: Vec<Vec<Cell>> = vec![Vec::new(); 4];
        let mut contested: Vec<Vec<Cell>> = vec![Vec::new(); 4];
        while moving.iter().any(Option::is_some) {
            let mut entered = Vec::new();
            for index in 0..4 {
                let Some(way) = moving[index] else { continue };
                let next = step(self.pieces[index].at, delta(way));
                if self.is_on_board(next) && !self.walls.contains(&next) {
                    self.pieces[index].at = next;
                    paths[index].push(next);
                    entered.push(index);
                } else {
                    moving[index] = None;
                }
            }
            for index in entered {
                let piece = self.pieces[index].clone();
                let rival = |other: &ModelPiece| other.by != piece.by && other.at == piece.at;
                if self.pieces.iter().any(rival) {
                    contested[index].push(piece.at);
                } else {
                    self.give(piece.at, letter(piece.by));
                }
            }
        }
        for index in 0..4 {
            let texts = |cells: &[Cell]| cells.iter().copied().map(written).collect::<Vec<_>>();
            events.push(json!({
                "event": "moved", "by": self.pieces[index].by, "piece": self.pieces[index].name,
                "path": texts(&paths[index]), "contested": texts(&contested[index]),
            }));
        }
    }

    /// The squares that a run in this direction enters.
    fn run(&self, from: Cell, way: char) -> Vec<Cell> {
        let mut cells = Vec::new();
        let mut next = step(from, delta(way));
        while self.is_on_board(next) && !self.walls.contains(&next) {
            cells.push(next);
            next = step(next, delta(way));
        }
        cells
    }

    fn redirect(&self, piece: &ModelPiece, wanted: char) -> Option<char> {
        if !self.run(piece.at, wanted).is_empty() {
            return Some(wanted);
        }
        let mut ways: Vec<char> = WAYS.iter().map(|(letter, _)| *letter).collect();
        ways.retain(|way| *way != wanted && !self.run(piece.at, *way).is_empty());
        let unowned = |way: char| {
            self.run(piece.at, way).into_iter().filter(|cell| self.owner_of(*cell) == '.').count()
        };
        let most = ways.iter().map(|way| unowned(*way)).max()?;
        ways.retain(|way| unowned(*way) == most);
        let opposite = |way: char| step(delta(way), delta(wanted)) == (0, 0);
        if ways.iter().any(|way| !opposite(*way)) {
            ways.retain(|way| !opposite(*way));
        }
        let homewards = |way: char| match way {
            'L' => piece.home.0 == 0,
            'R' => piece.home.0 != 0,
            'U' => piece.home.1 == 0,
            _ => piece.home.1 != 0,
        };
        ways.iter().copied().find(|way| homewards(*way)).or_else(|| ways.first().copied())
    }

    fn count(&self, owner: char) -> usize {
        self.owner.iter().flatten().filter(|symbol| **symbol == owner).count()
    }

    /// The reason why the round ends now (T7).
    fn ending(&self) -> Option<&'static str> {
        let open = self.cells().len() - self.walls.len();
        let regions: Vec<Vec<Cell>> =
            self.pieces.iter().map(|piece| self.reach(piece.at, &[])).collect();
        let meet = |one: usize, other: usize| regions[one].contains(&self.pieces[other].at);
        let separated = (0..4).all(|one| (0..one).all(|other| !meet(one, other)));
        if self.count('G') * 2 > open || self.count('C') * 2 > open {
            Some("majority")
        } else if separated {
            Some("separated")
        } else if !self.has_room(&mut Vec::new(), &self.free()) {
            Some("no-walls-left")
        } else if self.turn >= self.rules.max_turns {
            Some("turn-limit")
        } else {
            None
        }
    }

    /// Whether `chosen` can grow to a set of 2k squares that would be placed in full. A set that is
    /// not placed in full is not placed within a larger one either.
    fn has_room(&self, chosen: &mut Vec<Cell>, left: &[Cell]) -> bool {
        if !self.place(chosen, &[]).out.is_empty() {
            return false;
        }
        if chosen.len() == 2 * self.walls_each() {
            return true;
        }
        for (at, cell) in left.iter().enumerate() {
            chosen.push(*cell);
            let found = self.has_room(chosen, &left[at + 1..]);
            chosen.pop();
            if found {
                return true;
            }
        }
        false
    }

    fn end_round(&mut self, reason: &str, events: &mut Vec<Value>) {
        let (grunkle, charge) = (self.count('G'), self.count('C'));
        let winner = match grunkle.cmp(&charge) {
            std::cmp::Ordering::Greater => "grunkle",
            std::cmp::Ordering::Less => "charge",
            std::cmp::Ordering::Equal => self.rules.tie,
        };
        let round = json!({
            "board": self.board().name, "winner": winner, "reason": reason,
            "squares": {"grunkle": grunkle, "charge": charge},
        });
        let mut event = round.clone();
        event["event"] = "round-end".into();
        events.push(event);
        self.rounds.push(round);
        let won = |name: &str| self.rounds.iter().filter(|round| round["winner"] == name).count();
        let (ours, theirs) = (won("grunkle"), won("charge"));
        if ours.max(theirs) >= self.rules.enough || self.rounds.len() == self.rules.boards.len() {
            let result = match ours.cmp(&theirs) {
                std::cmp::Ordering::Greater => "grunkle",
                std::cmp::Ordering::Less => "charge",
                std::cmp::Ordering::Equal => "draw",
            };
            self.over = Some((result, "rounds"));
            events.push(json!({"event": "over", "result": result, "reason": "rounds"}));
            return;
        }
        self.round += 1;
        self.set_up();
        let state = self.state();
        events.push(json!({
            "event": "round-start", "board": state["board"], "map": state["map"],
            "pieces": state["pieces"],
        }));
    }

    /// The state as in the protocol.
    pub(crate) fn state(&self) -> Value {
        let wall = |cell: Cell| if self.walls.contains(&cell) { '#' } else { '.' };
        let row = |row| (0..self.width()).map(|column| wall((column, row))).collect();
        let map: Vec<String> = (0..self.height()).map(row).collect();
        let owner: Vec<String> = self.owner.iter().map(|row| row.iter().collect()).collect();
        let at = |index: usize| written(self.pieces[index].at);
        json!({
            "round": self.round + 1,
            "board": self.board().name,
            "map": map,
            "owner": owner,
            "pieces": {
                "grunkle": {"circle": at(0), "square": at(1)},
                "charge": {"circle": at(2), "square": at(3)},
            },
            "turn": self.turn,
            "rounds": self.rounds,
        })
    }
}

fn letter(by: &str) -> char {
    if by == "grunkle" { 'G' } else { 'C' }
}

fn step((column, row): Cell, (x, y): Cell) -> Cell {
    (column + x, row + y)
}

fn delta(way: char) -> Cell {
    WAYS.iter().find(|(letter, _)| *letter == way).unwrap().1
}

fn written((column, row): Cell) -> String {
    format!("{column},{row}")
}

fn first(text: &str, at: usize) -> char {
    text.chars().nth(at).unwrap()
}

/// The squares that a legal text names.
fn named(text: &str) -> Vec<Cell> {
    let cell = |word: &str| {
        let (column, row) = word.split_once(',').unwrap();
        (column.parse().unwrap(), row.parse().unwrap())
    };
    text.split(' ').skip(2).map(cell).collect()
}

/// The text with its squares row by row.
fn canonical(text: &str) -> String {
    let mut cells = named(text);
    cells.sort_by_key(|(column, row)| (*row, *column));
    let mut words = vec![text[..3].to_owned()];
    words.extend(cells.into_iter().map(written));
    words.join(" ")
}

fn without(cells: &[Cell], out: &[Cell]) -> Vec<Cell> {
    cells.iter().copied().filter(|cell| !out.contains(cell)).collect()
}

fn subsets(cells: &[Cell], size: usize) -> Vec<Vec<Cell>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, cell) in cells.iter().enumerate() {
        for mut rest in subsets(&cells[at + 1..], size - 1) {
            rest.push(*cell);
            all.push(rest);
        }
    }
    all
}
