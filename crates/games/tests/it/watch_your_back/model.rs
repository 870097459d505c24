//! A slow model of Watch Your Back!: a grid of characters and loops, written from the clauses
//! without looking at the fast rules. Squares are `(column, row)`.

/// A colour: `'W'` or `'B'`.
pub(crate) type Colour = char;
type Cell = (i32, i32);

const WAYS: [Cell; 4] = [(0, -1), (0, 1), (-1, 0), (1, 0)];

/// The options in force, as texts and numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WatchYourBackModelRules {
    pub(crate) after_shrink_only: bool,
    pub(crate) mutual_block: bool,
    pub(crate) repetition: usize,
    pub(crate) max_moves: usize,
}

/// A whole game.
#[derive(Clone)]
pub(crate) struct WatchYourBackModel {
    rules: WatchYourBackModelRules,
    grid: Vec<Vec<char>>,
    placed: usize,
    moves: usize,
    seen: Vec<String>,
    /// Winner (`W`, `B` or `-` for a draw) and reason.
    pub(crate) over: Option<(char, &'static str)>,
}

impl WatchYourBackModel {
    pub(crate) fn new(rules: WatchYourBackModelRules) -> Self {
        let mut grid = vec![vec!['.'; 8]; 8];
        for (column, row) in [(0, 0), (7, 0), (0, 7), (7, 7)] {
            grid[row][column] = 'X';
        }
        Self { rules, grid, placed: 0, moves: 0, seen: Vec::new(), over: None }
    }

    /// A game at these rows after `moves` moves of the moving phase.
    pub(crate) fn standing(rules: WatchYourBackModelRules, rows: &[String], moves: usize) -> Self {
        let grid = rows.iter().map(|row| row.chars().collect()).collect();
        let mut model = Self { rules, grid, placed: 24, moves, seen: Vec::new(), over: None };
        model.test_end(true);
        model.remember();
        model
    }

    pub(crate) fn rows(&self) -> Vec<String> {
        self.grid.iter().map(|row| row.iter().collect()).collect()
    }

    pub(crate) fn to_move(&self) -> Colour {
        if (self.placed + self.moves).is_multiple_of(2) { 'W' } else { 'B' }
    }

    fn at(&self, (column, row): Cell) -> char {
        if !(0..8).contains(&column) || !(0..8).contains(&row) {
            return '#';
        }
        self.grid[usize::try_from(row).unwrap()][usize::try_from(column).unwrap()]
    }

    fn set(&mut self, (column, row): Cell, symbol: char) {
        self.grid[usize::try_from(row).unwrap()][usize::try_from(column).unwrap()] = symbol;
    }

    fn cells_with(&self, symbol: char) -> Vec<Cell> {
        let cells = (0..8).flat_map(|column| (0..8).map(move |row| (column, row)));
        cells.filter(|&cell| self.at(cell) == symbol).collect()
    }

    fn moves_of(&self, colour: Colour) -> Vec<(Cell, Cell)> {
        let mut moves = Vec::new();
        for from in self.cells_with(colour) {
            for (x, y) in WAYS {
                let next = (from.0 + x, from.1 + y);
                let behind = (from.0 + 2 * x, from.1 + 2 * y);
                if self.at(next) == '.' {
                    moves.push((from, next));
                } else if "WB".contains(self.at(next)) && self.at(behind) == '.' {
                    moves.push((from, behind));
                }
            }
        }
        moves
    }

    /// All legal texts, sorted; only `pass` if it is forced; none if the game is over.
    pub(crate) fn legal(&self) -> Vec<String> {
        let mut texts: Vec<String> = if self.over.is_some() {
            Vec::new()
        } else if self.placed < 24 {
            let rows = if self.to_move() == 'W' { 0..=5 } else { 2..=7 };
            let cells = self.cells_with('.').into_iter().filter(|cell| rows.contains(&cell.1));
            cells.map(|(column, row)| format!("{column},{row}")).collect()
        } else {
            let moves = self.moves_of(self.to_move()).into_iter();
            let texts: Vec<_> = moves
                .map(|(from, to)| format!("{},{}>{},{}", from.0, from.1, to.0, to.1))
                .collect();
            if texts.is_empty() { vec!["pass".to_owned()] } else { texts }
        };
        texts.sort();
        texts
    }

    /// Plays a legal text.
    pub(crate) fn play(&mut self, text: &str) {
        let colour = self.to_move();
        if text != "pass" {
            let mut cells = text.split('>').map(cell);
            let first = cells.next().unwrap();
            let to = cells.next().inspect(|_| self.set(first, '.')).unwrap_or(first);
            self.set(to, colour);
            self.eliminate_around(to, colour);
        }
        if self.placed < 24 {
            self.placed += 1;
        } else {
            self.moves += 1;
            if self.moves == 128 || self.moves == 192 {
                self.test_end(!self.rules.after_shrink_only);
                if self.over.is_none() {
                    self.shrink(if self.moves == 128 { 1 } else { 2 });
                }
            }
        }
        self.test_end(true);
        if self.moves > 0 && self.over.is_none() {
            self.test_length();
        }
    }

    fn eliminate_around(&mut self, to: Cell, colour: Colour) {
        let enemy = other(colour);
        for (x, y) in WAYS {
            let beside = (to.0 + x, to.1 + y);
            let behind = self.at((to.0 + 2 * x, to.1 + 2 * y));
            if self.at(beside) == enemy && (behind == colour || behind == 'X') {
                self.set(beside, '.');
            }
        }
        let hostile = |cell| [enemy, 'X'].contains(&self.at(cell));
        let row = hostile((to.0 - 1, to.1)) && hostile((to.0 + 1, to.1));
        let column = hostile((to.0, to.1 - 1)) && hostile((to.0, to.1 + 1));
        if row || column {
            self.set(to, '.');
        }
    }

    fn shrink(&mut self, low: i32) {
        let high = 7 - low;
        for column in 0..8 {
            for row in 0..8 {
                if column < low || column > high || row < low || row > high {
                    self.set((column, row), '#');
                }
            }
        }
        let corners = [(low, low), (low, high), (high, high), (high, low)];
        for corner in corners {
            self.set(corner, 'X');
            for (x, y) in WAYS {
                let beside = (corner.0 + x, corner.1 + y);
                let behind = self.at((corner.0 + 2 * x, corner.1 + 2 * y));
                if "WB".contains(self.at(beside)) && behind == other(self.at(beside)) {
                    self.set(beside, '.');
                }
            }
        }
    }

    fn test_end(&mut self, now: bool) {
        if !now || self.placed < 24 || self.over.is_some() {
            return;
        }
        let (white, black) = (self.cells_with('W').len(), self.cells_with('B').len());
        let winner = match (white < 2, black < 2) {
            (true, true) => '-',
            (true, false) => 'B',
            (false, true) => 'W',
            (false, false) => return,
        };
        self.over = Some((winner, "elimination"));
    }

    fn remember(&mut self) {
        if self.moves >= 192 {
            self.seen.push(format!("{}{}", self.rows().concat(), self.to_move()));
        }
    }

    fn test_length(&mut self) {
        self.remember();
        let now = self.seen.last();
        let times = self.seen.iter().filter(|then| Some(*then) == now).count();
        let blocked = self.moves_of('W').is_empty() && self.moves_of('B').is_empty();
        if self.rules.mutual_block && self.moves >= 192 && blocked {
            self.over = Some(('-', "mutual-block"));
        } else if self.rules.repetition > 0 && times >= self.rules.repetition {
            self.over = Some(('-', "repetition"));
        } else if self.rules.max_moves > 0 && self.moves >= self.rules.max_moves {
            self.over = Some(('-', "max-moves"));
        }
    }
}

fn other(colour: Colour) -> Colour {
    if colour == 'W' { 'B' } else { 'W' }
}

fn cell(text: &str) -> Cell {
    let (column, row) = text.split_once(',').unwrap();
    (column.parse().unwrap(), row.parse().unwrap())
}
