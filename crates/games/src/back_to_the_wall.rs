//! Back to the Wall: the match of The Genius, Tempo Up; clauses T1 to T13.
//!
//! [`Board`] is the position of a round without the options, small and fast. `WallSite` decides which
//! squares become walls. [`BackToTheWall`] is the match over all rounds. Both players move at once,
//! so every turn is [`Turn::Both`].

mod action;
mod board;
mod map;
mod options;
mod parsing;
mod squares;
mod state;
mod walls;

use std::convert::Infallible;
use std::sync::{Arc, LazyLock};

use rand::seq::IteratorRandom;
use rand::{Rng, RngCore};
use serde::{Deserialize, Serialize};

pub use action::Action;
pub use board::Board;
pub(crate) use board::{PieceRun, TurnEffects};
pub(crate) use map::MapGround;
pub use map::{ByPiece, Map, PIECES, Piece};
pub use options::Rules;
pub use squares::Squares;
pub use state::State;
pub(crate) use walls::WallPlacement;

use self::state::{state_caption, state_cells, state_rows};
use super::board::{Direction, Square};
use super::drawn_board::DrawnRow;
use super::event::{Event, NotPlaced};
use super::options::OptionKind;
use super::two_player::{BySide, GameResult, Outcome, Side, Step, Turn};
use super::{Game, Legal, OptionError, Options, Refusal, RuleSheet, Text};

/// A position of a match, with the rules in force.
#[derive(Debug, Clone)]
pub struct BackToTheWall {
    rules: Arc<Rules>,
    board: Board,
    /// The index of the round, and of its map.
    round: usize,
    /// The number of turns played in this round.
    turn: u32,
    ply: u32,
    finished: Vec<RoundResult>,
    outcome: Option<Outcome>,
}

/// Everything about a position except the rules.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Snapshot {
    walls: Squares,
    owned: BySide<Squares>,
    pieces: BySide<ByPiece<Square>>,
    round: usize,
    turn: u32,
    ply: u32,
    finished: Vec<RoundResult>,
}

/// The reason why a round ended (T7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RoundEnd {
    /// A player has more than half of the squares without a wall.
    Majority,
    /// No player can reach a square of the other one.
    Separated,
    /// No wall can be placed any more.
    NoWallsLeft,
    /// The turns are used up.
    TurnLimit,
}

impl RoundEnd {
    /// The name in records.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Majority => "majority",
            Self::Separated => "separated",
            Self::NoWallsLeft => "no-walls-left",
            Self::TurnLimit => "turn-limit",
        }
    }
}

/// The result of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundResult {
    /// The winner.
    pub result: GameResult,
    /// Why it ended.
    reason: RoundEnd,
    /// The number of squares of each player.
    squares: BySide<u32>,
}

/// The effects of a turn, and the result of the round if the turn ended it.
type PlayedTurn = (TurnEffects, Option<RoundResult>);

impl BackToTheWall {
    /// Creates a match under `rules` whose first round is at `board`. The end of the round is not
    /// tested before the first turn.
    pub(crate) fn from_board(rules: &Arc<Rules>, board: Board) -> Self {
        let rules = Arc::clone(rules);
        Self { rules, board, round: 0, turn: 0, ply: 0, finished: Vec::new(), outcome: None }
    }

    /// The board of the round.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The rules in force.
    pub fn rules_in_force(&self) -> &Rules {
        &self.rules
    }

    /// The rounds that are over.
    pub fn finished_rounds(&self) -> &[RoundResult] {
        &self.finished
    }

    /// The number of rounds that `seat` has won.
    pub(crate) fn rounds_won(&self, seat: Side) -> usize {
        self.finished.iter().filter(|round| round.result == GameResult::Win(seat)).count()
    }

    fn map(&self) -> &Map {
        &self.rules.maps[self.round]
    }

    /// Plays a turn of the round and tests whether the round or the match is over. The board stays
    /// that of this round until [`next_round`](Self::next_round).
    fn advance(&mut self, turn: &BySide<Action>) -> PlayedTurn {
        let effects = self.board.play(turn, self.rules.readings);
        self.turn += 1;
        self.ply += 1;
        let result = self.round_end_reason().map(|reason| self.round_result(reason));
        self.finished.extend(result);
        if result.is_some() {
            self.outcome = self.match_outcome();
        }
        (effects, result)
    }

    /// The reason why the round ends now, if it does (T7).
    fn round_end_reason(&self) -> Option<RoundEnd> {
        let half = self.board.squares_without_wall().len() / 2;
        if self.board.owned.iter().any(|(_, owned)| owned.len() > half) {
            Some(RoundEnd::Majority)
        } else if self.board.are_pieces_separated() {
            Some(RoundEnd::Separated)
        } else if !self.board.site(self.rules.readings).has_room() {
            Some(RoundEnd::NoWallsLeft)
        } else if self.turn >= self.rules.max_turns {
            Some(RoundEnd::TurnLimit)
        } else {
            None
        }
    }

    /// The result of a round that ends now (T7, T8).
    fn round_result(&self, reason: RoundEnd) -> RoundResult {
        let squares = self.board.count_owned_squares();
        let winner = match squares.first.cmp(&squares.second) {
            std::cmp::Ordering::Greater => Some(Side::First),
            std::cmp::Ordering::Less => Some(Side::Second),
            std::cmp::Ordering::Equal => self.rules.tie,
        };
        RoundResult { result: winner.map_or(GameResult::Draw, GameResult::Win), reason, squares }
    }

    /// The outcome of the match, if no round is left to play (T9).
    fn match_outcome(&self) -> Option<Outcome> {
        let won = BySide::from_fn(|seat| self.rounds_won(seat));
        let all_played = self.finished.len() == self.rules.maps.len();
        let enough = won.first.max(won.second) >= self.rules.enough;
        let result = match won.first.cmp(&won.second) {
            std::cmp::Ordering::Greater => GameResult::Win(Side::First),
            std::cmp::Ordering::Less => GameResult::Win(Side::Second),
            std::cmp::Ordering::Equal => GameResult::Draw,
        };
        (all_played || enough).then_some(Outcome { result, reason: "rounds" })
    }

    fn next_round(&mut self) {
        self.round += 1;
        self.turn = 0;
        self.board = Board::start(self.map(), self.rules.start_captured);
    }

    /// Appends the events of a turn. The board must still be that of the round.
    fn push_turn_events(
        &self,
        turn: &BySide<Action>,
        played: &PlayedTurn,
        events: &mut Vec<Event>,
    ) {
        let (effects, result) = played;
        for (seat, submission) in turn.iter() {
            events.push(Event::Action {
                by: Self::SEATS[seat].into(),
                action: submission.to_string(),
                on_behalf_of: None,
                to: None,
                forced: false,
                opening: false,
            });
        }
        events.push(walls_event(&effects.placement));
        let runs = || PIECES.into_iter().zip(&effects.runs);
        events.extend(runs().filter_map(|(piece, run)| redirected_event(piece, run)));
        events.extend(runs().map(|(piece, run)| moved_event(piece, run)));
        events.extend(result.map(|result| Event::RoundEnd {
            board: self.map().name.clone(),
            winner: result.result.name(&Self::SEATS).into(),
            reason: result.reason.name().into(),
            squares: result.squares.to_seat_map(Self::SEATS),
        }));
        events.extend(self.outcome.map(|outcome| outcome.event(&Self::SEATS)));
    }

    fn round_start_event(&self) -> Event {
        Event::RoundStart {
            board: self.map().name.clone(),
            map: self.board.map_rows(),
            pieces: state::piece_squares_by_seat(&self.board),
        }
    }
}

fn walls_event(placement: &WallPlacement) -> Event {
    let not_placed = placement.not_placed();
    Event::Walls {
        placed: placement.placed.iter().collect(),
        not_placed: not_placed
            .map(|(square, clauses)| NotPlaced {
                square,
                clauses: clauses.into_iter().map(Text::from).collect(),
            })
            .collect(),
    }
}

fn redirected_event((seat, piece): (Side, Piece), run: &PieceRun) -> Option<Event> {
    run.redirected().map(|heading| Event::Redirected {
        by: BackToTheWall::SEATS[seat].into(),
        piece: piece.name().into(),
        from: run.wanted.letter().into(),
        to: heading.letter().into(),
    })
}

fn moved_event((seat, piece): (Side, Piece), run: &PieceRun) -> Event {
    Event::Moved {
        by: BackToTheWall::SEATS[seat].into(),
        piece: piece.name().into(),
        path: run.path().collect(),
        contested: run.path().filter(|square| run.contested.contains(*square)).collect(),
    }
}

fn submissions_of_step(step: Step<Action, Infallible>) -> BySide<Action> {
    match step {
        Step::Both(turn) => turn,
        Step::Move(_) | Step::Pass => unreachable!("both seats move at once"),
        Step::Chance(never) => match never {},
    }
}

/// Returns all subsets of the squares with `size` members.
fn wall_subsets(squares: Squares, size: u8) -> Vec<Squares> {
    if size == 0 {
        return vec![Squares::EMPTY];
    }
    let mut left = squares;
    let mut sets = Vec::new();
    while let Some(first) = left.pop() {
        let smaller = wall_subsets(left, size - 1).into_iter();
        sets.extend(smaller.map(|set| set | Squares::from_square(first)));
    }
    sets
}

/// The number of subsets of size `size` of a set of `count` (the binomial coefficient).
fn count_wall_subsets(count: u64, size: u64) -> u64 {
    (0..size).fold(1, |sets, chosen| sets * count.saturating_sub(chosen) / (chosen + 1))
}

/// Every pair of directions.
pub fn piece_direction_pairs() -> impl Iterator<Item = ByPiece<Direction>> {
    let with = |circle| Direction::ALL.into_iter().map(move |square| ByPiece { circle, square });
    Direction::ALL.into_iter().flat_map(with)
}

impl Game for BackToTheWall {
    type Rules = Rules;
    type Action = Action;
    type Chance = Infallible;
    type State = State;
    type Snapshot = Snapshot;

    const NAME: &'static str = "back-to-the-wall";
    const TITLE: &'static str = "Back to the Wall";
    const SEATS: BySide<&'static str> = BySide::new("grunkle", "charge");

    fn sheet() -> &'static RuleSheet {
        static SHEET: LazyLock<RuleSheet> = LazyLock::new(|| {
            let mut sheet = RuleSheet::read(include_str!("back_to_the_wall/rules.toml"));
            for option in &mut sheet.options {
                if let OptionKind::List(list) = &mut option.kind {
                    list.check = |file, text| Map::check_board_file(file, text).map(Some);
                }
            }
            sheet
        });
        &SHEET
    }

    fn rules(options: &Options) -> Result<Rules, OptionError> {
        Rules::new(options)
    }

    /// Every round ends after `max-turns` turns.
    fn endless(_: &Rules) -> Option<String> {
        None
    }

    fn start(rules: &Arc<Rules>) -> Self {
        Self::from_board(rules, Board::start(&rules.maps[0], rules.start_captured))
    }

    fn turn(&self) -> Turn {
        self.outcome.map_or(Turn::Both, Turn::Over)
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn legal_actions(&self, _: Side) -> Vec<Action> {
        if self.outcome.is_some() {
            return Vec::new();
        }
        let sets = wall_subsets(self.board.nameable_squares(), self.board.ground.walls_each);
        let with_each =
            |directions| sets.iter().map(move |walls| Action { directions, walls: *walls });
        piece_direction_pairs().flat_map(with_each).collect()
    }

    fn legal(&self, _: Side) -> Legal<Action> {
        if self.outcome.is_some() {
            return Legal::List(Vec::new());
        }
        Legal::Factored {
            directions: Direction::ALL.map(|direction| direction.letter().into()),
            walls: self.board.ground.walls_each,
            squares: self.board.nameable_squares().iter().collect(),
        }
    }

    fn legal_count(&self, _: Side) -> u64 {
        if self.outcome.is_some() {
            return 0;
        }
        let squares = u64::from(self.board.nameable_squares().len());
        16 * count_wall_subsets(squares, u64::from(self.board.ground.walls_each))
    }

    fn random_action(&self, _: Side, rng: &mut (impl RngCore + ?Sized)) -> Option<Action> {
        if self.outcome.is_some() {
            return None;
        }
        let mut direction = || Direction::ALL[rng.random_range(0..Direction::ALL.len())];
        let directions = ByPiece { circle: direction(), square: direction() };
        let walls_each = usize::from(self.board.ground.walls_each);
        let walls = self.board.nameable_squares().iter().choose_multiple(rng, walls_each);
        let walls = walls.into_iter().collect();
        Some(Action { directions, walls })
    }

    fn parse_action(&self, _: Side, text: &str) -> Result<Action, Refusal> {
        parsing::parse_submission(&self.board, self.outcome.is_some(), text.trim_ascii())
    }

    fn play_unchecked(&mut self, step: Step<Action, Infallible>, events: &mut Vec<Event>) {
        let turn = submissions_of_step(step);
        let played = self.advance(&turn);
        self.push_turn_events(&turn, &played, events);
        if played.1.is_some() && self.outcome.is_none() {
            self.next_round();
            events.push(self.round_start_event());
        }
    }

    fn play_silently(&mut self, step: Step<Action, Infallible>) {
        let (_, ended) = self.advance(&submissions_of_step(step));
        if ended.is_some() && self.outcome.is_none() {
            self.next_round();
        }
    }

    fn state(&self) -> State {
        State::new(self)
    }

    fn snapshot(&self) -> Snapshot {
        let Board { walls, owned, pieces, .. } = self.board;
        let Self { round, turn, ply, .. } = *self;
        Snapshot { walls, owned, pieces, round, turn, ply, finished: self.finished.clone() }
    }

    fn restored(&self, snapshot: Snapshot) -> Option<Self> {
        let Snapshot { walls, owned, pieces, round, turn, ply, finished } = snapshot;
        let ground = self.rules.maps.get(round)?.ground;
        let board = Board { ground, walls, owned, pieces };
        let rules = Arc::clone(&self.rules);
        let game = Self { rules, board, round, turn, ply, finished, outcome: None };
        Some(Self { outcome: game.match_outcome(), ..game })
    }

    fn rows(&self) -> Vec<String> {
        state_rows(&self.board)
    }

    fn cells(&self) -> Vec<DrawnRow> {
        state_cells(&self.board)
    }

    fn caption(&self) -> String {
        state_caption(self)
    }
}

#[cfg(test)]
mod tests;
