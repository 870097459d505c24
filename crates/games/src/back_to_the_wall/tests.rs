use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::map::{Adjacency, MapSymmetry};
use super::walls::{AdjacencyScope, CornerRule, Readings, Rule1Input, SameSquare, WallSite};
use super::*;

mod fairness;
mod walls;

const DEFAULTS: Readings = Readings {
    corner_rule: CornerRule::Isolated,
    adjacency_scope: AdjacencyScope::Submitted,
    rule_1_input: Rule1Input::Submissions,
    same_square: SameSquare::OneWall,
};

fn square(text: &str) -> Square {
    let (column, row) = text.split_once(',').expect("a square");
    Square::new(column.parse().expect("a column"), row.parse().expect("a row"))
}

fn set(texts: &str) -> Squares {
    texts.split_whitespace().map(square).collect()
}

fn empty(size: u8, walls_each: u8, adjacency: Adjacency, walls: &str) -> Board {
    let ground = MapGround::new(size, size, walls_each, adjacency);
    let pair = |seat| ByPiece {
        circle: ground.home(seat, Piece::Circle),
        square: ground.home(seat, Piece::Square),
    };
    Board {
        ground,
        walls: set(walls),
        owned: BySide::from_fn(|seat| ground.homes(seat)),
        pieces: BySide::from_fn(pair),
    }
}

fn once(walls: &str) -> Board {
    empty(7, 1, Adjacency::King, walls)
}

fn twice(walls: &str) -> Board {
    empty(9, 2, Adjacency::Rook, walls)
}

fn thrice(walls: &str) -> Board {
    empty(11, 3, Adjacency::None, walls)
}

/// The board with the top-left piece on the centre square.
fn away(mut board: Board) -> Board {
    let middle = board.ground.width / 2;
    board.pieces.first.circle = Square::new(middle, middle);
    board
}

fn submission(text: &str) -> Action {
    let written = action::Action::read(text).expect("a submission");
    let walls = written.walls.iter().filter_map(|point| point.square_of(15, 15));
    Action { directions: written.directions, walls: walls.collect() }
}

fn turn(first: &str, second: &str) -> BySide<Action> {
    BySide::new(submission(first), submission(second))
}

/// Rules with these options on top of the defaults.
fn rules(given: &[(&str, &str)]) -> Result<Arc<Rules>, OptionError> {
    let options = Options::resolve(&BackToTheWall::sheet().options, given.iter().copied())?;
    Rules::new(&options).map(Arc::new)
}

/// The list of one board file for the option `rounds`.
fn file(head: &str, rows: &[&str]) -> String {
    let text = format!("name = \"mine\"\n{head}\nmap = \"\"\"\n{}\n\"\"\"\n", rows.join("\n"));
    serde_json::json!([{"file": "mine.toml", "text": text}]).to_string()
}

/// The first row of owners and the contested squares of each piece.
fn met(size: u8) -> (String, [Squares; 4]) {
    let mut board = empty(size, 1, Adjacency::None, "");
    let effects = board.play(&turn("R U", "L D"), DEFAULTS);
    let owner =
        |at| state::square_owner(&board, at).map_or('.', |seat| Piece::Circle.letter_in_map(seat));
    (board.render_rows(owner).swap_remove(0), effects.runs.map(|run| run.contested))
}

#[test]
fn v8_and_v9_pieces_that_meet() {
    let (row, contested) = met(7);
    assert_eq!(row, "CCC.GGG");
    assert_eq!((contested[0], contested[2]), (set("3,0"), set("3,0")));
    let (row, contested) = met(8);
    assert_eq!(row, "CCCCGGGG");
    assert_eq!(contested, [Squares::EMPTY; 4]);
}

#[test]
fn v10_and_v11_redirection() {
    use Direction::{Down, Left, Right, Up};
    for size in 5..=15 {
        let board = empty(size, 1, Adjacency::None, "");
        assert_eq!(board.heading(Side::First, Piece::Circle, Up), Some(Right));
        assert_eq!(board.heading(Side::First, Piece::Circle, Left), Some(Down));
        assert_eq!(board.heading(Side::First, Piece::Square, Down), Some(Left));
    }
    let mut board = once("3,2");
    board.pieces = BySide::from_fn(|_| ByPiece { circle: square("3,3"), square: square("3,3") });
    assert_eq!(board.heading(Side::First, Piece::Circle, Up), Some(Left));
    assert_eq!(board.heading(Side::Second, Piece::Circle, Up), Some(Right));
}

#[test]
fn an_opposite_run_over_more_free_squares_is_preferred() {
    let mut board = once("3,1 1,2 5,2");
    board.pieces.first.circle = square("3,2");
    assert_eq!(board.heading(Side::First, Piece::Circle, Direction::Up), Some(Direction::Down));
    board.owned.second = set("3,3 3,4 3,5 3,6");
    assert_eq!(board.heading(Side::First, Piece::Circle, Direction::Up), Some(Direction::Left));
    board.owned.first = set("2,2");
    assert_eq!(board.heading(Side::First, Piece::Circle, Direction::Up), Some(Direction::Right));
}

#[test]
fn captured_squares_that_become_walls_lose_their_owner() {
    let mut board = once("2,0");
    board.owned.first = set("1,3 4,4");
    board.pieces.second.circle = square("1,0");
    let effects = board.play(&turn("R L 1,3", "R U 4,4"), DEFAULTS);
    // Grunkle's circle goes over 1,0 while Charge's, redirected, leaves it downwards.
    assert_eq!(effects.runs[2].redirected(), Some(Direction::Down));
    assert_eq!(effects.runs[2].path().last(), Some(square("1,2")));
    assert!(board.owned.first.contains(square("1,0")));
    assert!(!(board.owned.first | board.owned.second).meets(set("1,3 4,4")));
}

#[test]
fn the_start_and_its_option() {
    let owned = |value| {
        let game = BackToTheWall::start(&rules(&[("start-captured", value)]).expect("rules"));
        game.board.count_owned_squares()
    };
    assert_eq!((owned("true"), owned("false")), (BySide::new(2, 2), BySide::new(0, 0)));
}

/// The round result after one turn on `board`.
fn after_one(
    given: &[(&str, &str)],
    board: Board,
    submissions: (&str, &str),
) -> Option<RoundResult> {
    let mut game = BackToTheWall::from_board(&rules(given).expect("rules"), board);
    game.play_silently(Step::Both(turn(submissions.0, submissions.1)));
    game.finished.first().copied()
}

const AWAY_FROM_ALL: (&str, &str) = ("R L 2,3", "L R 4,3");

#[test]
fn a_majority_is_more_than_half_of_the_squares_without_walls() {
    let mut board = once("");
    let rows: Squares = (0..21).map(|at| Square::new(at % 7, 2 + at / 7)).collect();
    board.owned.first = rows - set("2,3 4,3");
    // Of 47 squares Grunkle has 19 and those it captures: 5 and 3.
    let result = after_one(&[], board, AWAY_FROM_ALL).expect("an end");
    assert_eq!((result.reason.name(), result.result), ("majority", GameResult::Win(Side::First)));
    board.owned.first -= set("0,2 1,2 2,2 3,2 4,2");
    assert_eq!(after_one(&[], board, AWAY_FROM_ALL), None);
}

#[test]
fn separated_pieces_end_a_round() {
    let cross = "4,0 4,1 4,2 4,3 4,4 4,5 4,6 4,7 4,8 0,4 1,4 2,4 3,4 5,4 6,4 7,4 8,4";
    let result = after_one(&[], twice(cross), ("R L 1,1 1,3", "L R 3,1 3,3")).expect("an end");
    assert_eq!(result.reason.name(), "separated");
    // Every corner is already closed, so T1 takes nothing out; all pieces run three squares.
    assert_eq!((result.squares, result.result), (BySide::new(8, 8), GameResult::Win(Side::Second)));
}

/// A ring around the board that is one square wide.
const RING: [&str; 7] =
    ["G.....C", ".#####.", ".#####.", ".#####.", ".#####.", ".#####.", "c.....g"];

#[test]
fn no_walls_left_ends_a_round() {
    // A corridor along three sides: any wall in it parts two corners. Both players' pieces run
    // through it together, so that neither captures anything.
    let mut board = empty(7, 1, Adjacency::None, "");
    let corridor = "0,1 0,2 0,3 0,4 0,5 6,1 6,2 6,3 6,4 6,5 1,0 2,0 3,0 4,0 5,0";
    board.walls = board.ground.area - set("0,0 6,6 6,0 0,6 3,3") - set(corridor);
    board.pieces = BySide::from_fn(|_| ByPiece { circle: square("0,0"), square: square("0,0") });
    let given = [("corner-rule", "all-connected")];
    let result = after_one(&given, board, ("R R 3,3", "R R 3,3")).expect("an end");
    assert_eq!(result.reason.name(), "no-walls-left");
}

#[test]
fn the_turn_limit_and_ties() {
    let result = |tie, dmo| {
        let given = [("max-turns", "1"), ("tie", tie), ("dmo", dmo)];
        after_one(&given, once(""), ("R U 2,3", "L U 4,3")).expect("an end")
    };
    let tied = result("dmo", "charge");
    assert_eq!((tied.reason.name(), tied.result), ("turn-limit", GameResult::Win(Side::Second)));
    assert_eq!(tied.squares.first, tied.squares.second);
    assert_eq!(result("dmo", "grunkle").result, GameResult::Win(Side::First));
    assert_eq!(result("draw", "charge").result, GameResult::Draw);
}

/// Plays turns that keep both players level, and returns the number of rounds.
fn rounds(given: &[(&str, &str)]) -> (usize, Option<GameResult>) {
    let given = [&[("max-turns", "1")], given].concat();
    let mut game = BackToTheWall::start(&rules(&given).expect("rules"));
    while game.turn() == Turn::Both {
        let (first, second) = match game.board.ground.walls_each {
            1 => ("R U 3,2", "L U 3,4"),
            2 => ("R U 1,2 1,4", "L U 7,2 7,4"),
            _ => ("R U 1,2 1,4 1,6", "L U 9,2 9,4 9,6"),
        };
        game.play_silently(Step::Both(turn(first, second)));
    }
    (game.finished.len(), game.outcome.map(|outcome| outcome.result))
}

#[test]
fn the_length_of_a_match() {
    let charge = Some(GameResult::Win(Side::Second));
    assert_eq!(rounds(&[]), (2, charge));
    assert_eq!(rounds(&[("rounds", "play-all")]), (3, charge));
    assert_eq!(rounds(&[("rounds", "once")]), (1, charge));
    assert_eq!(rounds(&[("rounds", "once,once,twice,once")]), (4, charge));
    assert_eq!(rounds(&[("tie", "draw")]), (3, Some(GameResult::Draw)));
}

#[test]
fn every_refusal_cites_its_clause() {
    let mut game =
        BackToTheWall::start(&rules(&[("rounds", "twice"), ("max-turns", "1")]).expect("rules"));
    let refusal = |game: &BackToTheWall, text| {
        game.parse_action(Side::First, text).expect_err("a refusal").to_string()
    };
    for (text, expected) in [
        ("R U", "T10: R U names no squares, expected 2"),
        ("R U 3,5", "T10: R U 3,5 names 1 square, expected 2"),
        ("R U 3,5 4,6 1,1", "T10: R U 3,5 4,6 1,1 names 3 squares, expected 2"),
        ("R U 3,5 9,6", "T10: R U 3,5 9,6 names a square off the board"),
        ("R U 3,5 3,5", "T10: R U 3,5 3,5 names 3,5 twice"),
        ("R U 3,5 2,2", "T10: R U 3,5 2,2 names 2,2, which is a wall"),
        ("R U 3,5 8,0", "T10: R U 3,5 8,0 names 8,0, where a piece stands"),
        (
            "3,5 R U",
            "syntax: expected a direction for the circle, one for the square, then the walls, \
             like `R U 3,5`",
        ),
    ] {
        assert_eq!(refusal(&game, text), expected);
    }
    game.play_silently(Step::Both(turn("R U 1,2 1,4", "L D 7,2 7,4")));
    assert_eq!(refusal(&game, "R U 3,5 4,6"), "T9: R U 3,5 4,6 comes after the end");
}

#[test]
fn the_order_of_wall_squares_does_not_matter() {
    let game = BackToTheWall::start(&rules(&[("rounds", "thrice")]).expect("rules"));
    let read = |text| game.parse_action(Side::Second, text).expect("a submission");
    let canonical = read("L D 10,1 2,2 4,2");
    for text in ["L D 4,2 10,1 2,2", "L D 2,2 4,2 10,1", " L D 4,2 2,2 10,1\n"] {
        assert_eq!(read(text), canonical);
    }
    assert_eq!(canonical.to_string(), "L D 10,1 2,2 4,2");
}

#[test]
fn all_submissions_are_counted_without_listing_them() {
    let count = |rounds| {
        let game = BackToTheWall::start(&rules(&[("rounds", rounds)]).expect("rules"));
        let listed = game.legal_actions(Side::First).len() as u64;
        assert_eq!(game.legal_count(Side::First), listed);
        listed
    };
    assert_eq!([count("once").pow(2), count("twice").pow(2)], [430_336, 1_768_034_304]);
    assert_eq!(count_wall_subsets(3, 5), 0);
}

#[test]
fn random_submissions_are_spread_evenly() {
    let game = BackToTheWall::start(&rules(&[("rounds", "once")]).expect("rules"));
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut seen = std::collections::BTreeMap::new();
    for _ in 0..65_600 {
        let action = game.random_action(Side::First, &mut rng).expect("a submission");
        *seen.entry(action).or_insert(0) += 1;
    }
    assert_eq!(seen.len(), 656);
    assert!(seen.values().all(|count| (50..160).contains(count)));
}

#[test]
fn events_and_state_have_their_keys_in_order() {
    let mut game = BackToTheWall::start(&rules(&[("max-turns", "1")]).expect("rules"));
    let json = |value: &dyn erased::Json| value.json();
    assert_eq!(
        json(&game.state()),
        concat!(
            r#"{"round":1,"board":"once","map":[".......",".......","..#.#..",".......","..#.#..",".......","......."],"#,
            r#""owner":["G.....C",".......",".......",".......",".......",".......","C.....G"],"#,
            r#""pieces":{"grunkle":{"circle":"0,0","square":"6,6"},"charge":{"circle":"6,0","square":"0,6"}},"turn":0,"rounds":[]}"#,
        )
    );
    let mut events = Vec::new();
    game.play_unchecked(Step::Both(turn("R U 3,5", "L D 3,6")), &mut events);
    let told: Vec<_> = events.iter().map(|event| json(event)).collect();
    assert_eq!(
        told,
        [
            r#"{"event":"action","by":"grunkle","action":"R U 3,5"}"#,
            r#"{"event":"action","by":"charge","action":"L D 3,6"}"#,
            r#"{"event":"walls","placed":[],"not_placed":[{"square":"3,5","clauses":["T2"]},{"square":"3,6","clauses":["T2"]}]}"#,
            r#"{"event":"redirected","by":"charge","piece":"square","from":"D","to":"R"}"#,
            r#"{"event":"moved","by":"grunkle","piece":"circle","path":["1,0","2,0","3,0","4,0","5,0","6,0"],"contested":["3,0"]}"#,
            r#"{"event":"moved","by":"grunkle","piece":"square","path":["6,5","6,4","6,3","6,2","6,1","6,0"],"contested":[]}"#,
            r#"{"event":"moved","by":"charge","piece":"circle","path":["5,0","4,0","3,0","2,0","1,0","0,0"],"contested":["3,0"]}"#,
            r#"{"event":"moved","by":"charge","piece":"square","path":["1,6","2,6","3,6","4,6","5,6","6,6"],"contested":[]}"#,
            r#"{"event":"round-end","board":"once","winner":"charge","reason":"turn-limit","squares":{"grunkle":8,"charge":10}}"#,
            r#"{"event":"round-start","board":"twice","map":[".........",".........","..#...#..",".........",".........",".........","..#...#..",".........","........."],"pieces":{"grunkle":{"circle":"0,0","square":"8,8"},"charge":{"circle":"8,0","square":"0,8"}}}"#,
        ]
    );
    let state = json(&game.state());
    assert!(state.starts_with(r#"{"round":2,"board":"twice","#), "{state}");
    assert!(
        state.ends_with(
            r#""turn":0,"rounds":[{"board":"once","winner":"charge","reason":"turn-limit","squares":{"grunkle":8,"charge":10}}]}"#
        ),
        "{state}"
    );
}

/// Serialises any value as JSON.
mod erased {
    pub(super) trait Json {
        fn json(&self) -> String;
    }

    impl<T: serde::Serialize> Json for T {
        fn json(&self) -> String {
            serde_json::to_string(self).expect("plain data")
        }
    }
}

#[test]
fn boards_for_people_show_pieces_owners_and_walls() {
    let mut game = BackToTheWall::start(&rules(&[]).expect("rules"));
    game.play_silently(Step::Both(turn("R U 3,2", "L D 3,4")));
    assert_eq!(
        game.rows(),
        ["Coo.xx2", "......x", "..###.x", "......x", "..###.x", "......x", "ooooooc"]
            .map(|row: &str| row.to_owned())
            .to_vec()
    );
    assert_eq!(
        game.caption(),
        "round 1 on once, 1 of 25 turns; squares: grunkle (x) 8, charge (o) 10; rounds: 0 to 0; \
         6,0: G g"
    );
}

#[test]
fn unplayable_boards_are_refused() {
    let refused = |head, rows: &[&str], given: &[(&str, &str)]| {
        let list = file(head, rows);
        let given = [&[("rounds", list.as_str())], given].concat();
        rules(&given).expect_err("a refusal").to_string()
    };
    let open = "walls = 1\nadjacency = \"none\"";
    let enclosed = ["G#..C", "#....", ".....", ".....", "c...g"];
    assert_eq!(refused(open, &enclosed, &[]), "mine.toml:5: the piece on 0,0 is enclosed");
    let closed = ["G...C", ".....", ".....", "##...", "c.#.g"];
    assert_eq!(refused(open, &closed, &[]), "mine.toml:9: the corner 0,4 is closed off");
    let halves = ["G...C", ".....", "#####", ".....", "c...g"];
    let given = [("corner-rule", "all-connected")];
    assert_eq!(refused(open, &halves, &given), "mine.toml:5: the corner 0,0 is closed off");
    assert!(rules(&[("rounds", file(open, &halves).as_str())]).is_ok());
    let six = "walls = 3\nadjacency = \"none\"";
    assert!(rules(&[("rounds", file(six, &RING).as_str())]).is_ok());
    assert_eq!(
        refused(six, &RING, &given),
        "mine.toml:5: no room for walls: no 6 squares can become walls together"
    );
    let unread = rules(&[("rounds", "mine.toml")]);
    assert_eq!(
        unread.expect_err("a refusal").to_string(),
        "the board file `mine.toml` was not read"
    );
}
