//! The rules of chess, clause by clause, and the counts of known positions.

use super::*;
use crate::{AnyPosition, Drawing, DrawnRow, GameKind, Places, Position, Seat, Step, perft};

fn options(given: &[(&str, &str)]) -> Options {
    Options::resolve(&Chess::sheet().options, given.iter().copied()).expect("values that fit")
}

fn start(given: &[(&str, &str)]) -> Position {
    GameKind::Chess.game().start(&options(given)).expect("a position")
}

fn at(fen: &str) -> Position {
    start(&[("fen", fen)])
}

/// The position after these moves, in any notation.
fn after(mut position: Position, moves: &str) -> Position {
    for text in moves.split_whitespace() {
        position.play_silently(Step::Move(text)).expect(text);
    }
    position
}

fn ending(position: &dyn AnyPosition) -> Option<(Places, String)> {
    position.turn().outcome().map(|over| (over.places, over.reason.to_string()))
}

fn is_drawn(position: &dyn AnyPosition, reason: &str) -> bool {
    ending(position) == Some((Places::level(2), reason.to_owned()))
}

fn mover(position: &dyn AnyPosition) -> Seat {
    position.turn().asked().iter().next().expect("a mover")
}

fn refused(position: &dyn AnyPosition, text: &str) -> String {
    position.judge(mover(position), text).expect_err(text).to_string()
}

/// Positions 1 to 6 of the Chess Programming Wiki, with counts by depth.
const KNOWN: [(&str, &[u64]); 6] = [
    ("startpos", &[20, 400, 8_902, 197_281, 4_865_609]),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        &[48, 2_039, 97_862, 4_085_603],
    ),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2_812, 43_238, 674_624]),
    (
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        &[6, 264, 9_467, 422_333, 15_833_292],
    ),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1_486, 62_379, 2_103_487]),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        &[46, 2_079, 89_890, 3_894_594],
    ),
];

/// Chess960 positions, with counts by depth.
const KNOWN_960: [(&str, &[u64]); 2] = [
    (
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        &[21, 528, 12_189, 326_672],
    ),
    ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", &[21, 807, 18_002, 667_366]),
];

fn counts_are_right(depths: std::ops::Range<usize>) {
    let all = KNOWN.map(|known| (known, "false")).into_iter();
    // On all cores.
    std::thread::scope(|scope| {
        for ((fen, counts), chess960) in all.chain(KNOWN_960.map(|known| (known, "true"))) {
            let depths = depths.clone();
            scope.spawn(move || {
                let position = start(&[("fen", fen), ("chess960", chess960)]);
                let known = (1..).zip(counts.iter()).skip(depths.start).take(depths.len());
                for (depth, count) in known {
                    assert_eq!(perft(&*position, depth), Ok(*count), "{fen} {depth}");
                }
            });
        }
    });
}

#[test]
fn positions_are_counted_as_everyone_counts_them() {
    counts_are_right(0..3);
}

#[test]
#[ignore = "slow: counts millions of positions"]
fn positions_are_counted_as_everyone_counts_them_in_depth() {
    counts_are_right(3..5);
}

#[test]
fn moves_are_understood_in_both_notations() {
    let game = start(&[]);
    for (text, action) in [
        ("e2e4", "e2e4"),
        ("e4", "e2e4"),
        ("e2-e4", "e2e4"),
        ("Nf3", "g1f3"),
        ("Ng1f3!?", "g1f3"),
        ("Ng1-f3", "g1f3"),
    ] {
        assert_eq!(game.judge(Seat::FIRST, text).as_deref(), Ok(action));
    }
    let game = at("r3k2r/P7/8/8/8/8/1p6/R3K2R w KQkq - 0 1");
    let pairs = [("O-O", "e1g1"), ("e1g1", "e1g1"), ("Rxh8+", "h1h8")];
    for (text, action) in pairs {
        assert_eq!(game.judge(Seat::FIRST, text).as_deref(), Ok(action));
    }
    let long = at("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
    assert_eq!(long.judge(Seat::FIRST, "0-0-0+").as_deref(), Ok("e1c1"));
    let game = after(game, "e1e2");
    for (text, action) in
        [("bxa1=N", "b2a1n"), ("b1Q+", "b2b1q"), ("b2b1r", "b2b1r"), ("b2b1R", "b2b1r")]
    {
        assert_eq!(game.judge(Seat::SECOND, text).as_deref(), Ok(action));
    }
    for (action, san) in [("b2a1n", "bxa1=N"), ("e8g8", "O-O")] {
        let mut events = Vec::new();
        game.clone().play(Step::Move(action), &mut events).expect("legal");
        assert_eq!(events[1], Event::Played { san: san.to_owned() });
    }
}

#[test]
fn castling_in_chess960_names_the_rook() {
    let fen = "1r3k1r/8/8/8/8/8/8/1R3K1R w KQkq - 0 1";
    let game = start(&[("fen", fen), ("chess960", "true")]);
    for (text, action) in [("O-O", "f1h1"), ("O-O-O", "f1b1"), ("f1h1", "f1h1"), ("Kg1", "f1g1")] {
        assert_eq!(game.judge(Seat::FIRST, text).as_deref(), Ok(action));
    }
    let game = after(game, "f1b1");
    let Drawing::Board(board, _) = game.draw() else { panic!("a board") };
    assert_eq!(board.cells[7], DrawnRow::from_text("..KR...R"));
    assert!(game.state().get().contains("HBhb - 0 1"), "{}", game.state());
    let usual = start(&[("chess960", "true")]);
    assert_eq!(usual.judge(Seat::FIRST, "e2e4").as_deref(), Ok("e2e4"));
}

#[test]
fn a_refusal_names_its_clause() {
    let game = at("r3k2r/1P6/8/1b6/8/4q3/8/R3K2R w KQkq - 0 1");
    let cases = [
        (
            "e1g1",
            "C1: e1g1 is castling, which is not possible: the king and this rook must not have \
                  moved, the squares between them must be free, and the king must not start in, \
                  pass through or end in check",
        ),
        ("a1a9", "syntax: expected a move like `e2e4`, `e7e8q`, `Nf3`, `exd5` or `O-O`"),
        ("e4e5", "C1: e4e5 starts where no piece stands"),
        ("e8e7", "C1: e8e7 moves an opponent's piece"),
        ("a1b2", "C1: a1b2 is not how a rook moves"),
        ("a1e1", "C1: a1e1 ends on a piece of the same side"),
        ("b7b8", "C2: b7b8 does not name the promotion piece: q, r, b or n"),
        ("a1a2q", "C2: a1a2q promotes a piece that cannot be promoted"),
        ("a1a2", "C3: a1a2 leaves the king in check"),
        ("Ra2", "C3: Ra2 leaves the king in check"),
        ("Qd4", "C1: Qd4 is not possible: no queen of this side can go there"),
        ("e1e2", "C3: e1e2 leaves the king in check"),
    ];
    for (text, expected) in cases {
        assert_eq!(refused(&*game, text), expected);
    }
    let game = at("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
    assert_eq!(refused(&*game, "e1h1"), "C2: e1h1 is castling, which is written `e1g1`");
    let game = at("4k3/8/8/8/8/8/7K/R6R w - - 0 1");
    assert!(refused(&*game, "Rd1").starts_with("C2: Rd1 is ambiguous: "));
    assert!(refused(&*game, "O-O").starts_with("C1: O-O is not possible: "));
    let other = game.judge(Seat::SECOND, "e8e7").expect_err("not yet").to_string();
    assert_eq!(other, "C1: e8e7 comes out of turn");
}

#[test]
fn games_end_by_the_rules() {
    let mated = after(start(&[]), "f3 e5 g4 Qh4#");
    let won = (Places::won_by(Seat::SECOND, 2), "checkmate".to_owned());
    assert_eq!(ending(&*mated), Some(won));
    assert_eq!(refused_after_the_end(&*mated), "C4: a2a3 comes after the end");
    let stuck = after(at("7k/8/5KQ1/8/8/8/8/8 w - - 0 1"), "Qf7");
    assert!(is_drawn(&*stuck, "stalemate"));
    let fifty = "7k/8/8/8/8/8/R7/K7 w - - 99 70";
    assert!(is_drawn(&*after(at(fifty), "Kb1"), "fifty-moves"));
    let mate = "7k/R7/1R6/8/8/8/8/K7 w - - 99 70";
    let won = (Places::won_by(Seat::FIRST, 2), "checkmate".to_owned());
    assert_eq!(ending(&*after(at(mate), "Rb8")), Some(won), "checkmate comes first");
}

fn refused_after_the_end(position: &dyn AnyPosition) -> String {
    position.judge(Seat::FIRST, "a2a3").expect_err("over").to_string()
}

#[test]
fn a_position_recurs_with_the_same_rights() {
    let round = "Nf3 Nf6 Ng1 Ng8 ";
    assert!(is_drawn(&*after(start(&[]), &round.repeat(2)), "repetition"));
    let short = after(start(&[]), &(round.repeat(2)[..round.len() * 2 - 4]));
    assert_eq!(ending(&*short), None);
    // The first position still has the right to castle.
    let kings = at("4k3/p7/8/8/8/8/P7/R3K3 w Q - 0 1");
    let round = "Kd1 Kd8 Ke1 Ke8 ";
    assert_eq!(ending(&*after(kings.clone(), &round.repeat(2))), None);
    assert!(is_drawn(&*after(kings, &(round.repeat(2) + "Kd1")), "repetition"));
    // After the first move, a capture en passant is possible.
    let passed = after(at("4k3/8/8/8/1p6/8/P3P3/4K3 w - - 0 1"), "a4");
    let round = "Kd8 Kd1 Ke8 Ke1 ";
    assert_eq!(ending(&*after(passed, &round.repeat(2))), None);
    // Here it is not, because no pawn stands beside it.
    let alone = after(at("4k3/8/8/8/8/1p6/P3P3/4K3 w - - 0 1"), "e4");
    assert!(is_drawn(&*after(alone, &round.repeat(2)), "repetition"));
}

#[test]
fn a_position_is_dead_when_nobody_can_mate() {
    let draws = |fen: &str| {
        let is_over = GameKind::Chess.game().start(&options(&[("fen", fen)]));
        is_over.is_err_and(|error| error.to_string().contains("(dead-position)"))
    };
    let bare = "8/8/4k3/8/8/3K4/8/8 w - - 0 1";
    let one_colour = "8/8/4k3/2b5/8/3K4/8/2B5 w - - 0 1";
    let two_colours = "8/8/4k3/3b4/8/3K4/8/2B5 w - - 0 1";
    assert!(draws(bare) && draws(one_colour) && !draws(two_colours));
    assert!(draws(&bare.replace("3K4", "3KN3")) && !draws(&bare.replace("3K4", "3KNN2")));
    assert!(!draws(&bare.replace("3K4", "3KP3")));
    let taken = after(at("8/8/8/3k4/4P3/8/3K4/8 b - - 0 1"), "Kxe4");
    assert!(is_drawn(&*taken, "dead-position"));
}

#[test]
fn a_bare_king_cannot_win() {
    let game = at("8/8/4k3/8/8/3KP3/8/8 w - - 0 1");
    assert!(game.can_win(Seat::FIRST) && !game.can_win(Seat::SECOND));
}

#[test]
fn a_wrong_position_is_refused_with_the_reason() {
    let why = |fen: &str, chess960: &str| {
        let given = [("fen", fen), ("chess960", chess960)];
        let error = GameKind::Chess.game().start(&options(&given)).expect_err(fen);
        let text = error.to_string();
        let head =
            format!("invalid value `{fen}` for `fen`; expected `startpos` or a position in FEN: ");
        text.strip_prefix(&head).unwrap_or(&text).to_owned()
    };
    let cases = [
        ("nonsense", "a FEN has 2 to 6 fields, not 1"),
        ("k7/8/8/8/8/8/8/K6R w - - 0 1 bm", "a FEN has 2 to 6 fields, not 7"),
        ("8/8/8/8/8/8/8 w - - 0 1", "a FEN has 8 rows with `/` between them, not 7"),
        ("9/8/8/8/8/8/8/8 w - - 0 1", "`9` in the row `9` is not a piece"),
        ("k7/8/8/8/8/8/8/7 w - - 0 1", "the row `7` has 7 squares, not 8"),
        ("k7/8/8/8/8/8/8/8 w - - 0 1", "white has 0 kings"),
        (
            "k6R/8/8/8/8/8/8/K7 w - - 0 1",
            "no game has these pieces on these squares with this side to move",
        ),
        ("k7/8/8/8/8/8/8/K6R x - - 0 1", "the side to move must be `w` or `b`"),
        (
            "k7/8/8/8/8/8/8/K6R w K - 0 1",
            "king and rooks are not where the castling rights `K` need them (`chess960` is off)",
        ),
        ("k7/8/8/8/8/8/8/K6R w - e6 0 1", "no pawn has just passed the en-passant square"),
        ("k7/8/8/8/8/8/8/K6R w - - 101 1", "the fifth field must be a number up to 100"),
        ("k7/8/8/8/8/8/8/K6R w - - 0 x", "the sixth field must be the move number, from 1"),
        ("8/8/8/8/8/P7/5kK1/8 w - - 0 1", "the kings stand next to each other"),
        ("8/8/8/8/8/P7/5kK1/8 b - - 0 1", "the kings stand next to each other"),
        ("k7/8/8/8/8/8/8/K7 w - - 0 1", "the game is over there (dead-position)"),
    ];
    for (fen, reason) in cases {
        assert_eq!(why(fen, "false"), reason);
    }
    assert_eq!(
        why("k7/8/8/8/8/8/8/K6R w Q - 0 1", "true"),
        "king and rooks are not where the castling rights `Q` need them"
    );
}

#[test]
fn fields_that_programs_leave_out_are_read_as_the_usual_ones() {
    let whole = "k7/8/8/8/8/8/8/K6R b - - 0 1";
    let odd = ["k7/8/8/8/8/8/8/K6R b", "k7/8/8/8/8/8/8/K6R b -", "k7/8/8/8/8/8/8/K6R b - -"];
    for fen in odd.into_iter().chain([
        "k7/8/8/8/8/8/8/K6R b - - 0",
        "k7/8/8/8/8/8/8/K6R b - - - -",
        "k7/8/8/8/8/8/8/K6R b - - 0 0",
    ]) {
        assert_eq!(at(fen).state().get(), at(whole).state().get(), "{fen}");
    }
    assert!(at("k7/8/8/8/8/8/8/K6R b - - 7").caption().contains("; 3 of 50 moves"));
}

#[test]
fn a_pawn_without_its_file_moves_straight() {
    let game = at("4k3/8/8/5p2/4P3/8/8/4K3 b - - 0 1");
    let why = "C1: e4 is not possible: no pawn of this side can go there";
    let refused = |text| game.judge(Seat::SECOND, text).expect_err(text).to_string();
    assert_eq!(refused("e4"), why);
    assert_eq!(refused("xe4"), why.replace("C1: e4", "C1: xe4"));
    assert_eq!(game.judge(Seat::SECOND, "fxe4").as_deref(), Ok("f5e4"));
    assert_eq!(game.judge(Seat::SECOND, "fe4").as_deref(), Ok("f5e4"));
}

#[test]
fn the_state_has_what_an_engine_needs() {
    let game = after(start(&[]), "e4 e5 Ke2");
    let state: serde_json::Value = serde_json::from_str(game.state().get()).expect("JSON");
    assert_eq!(state["start"], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert_eq!(state["fen"], "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 1 2");
    assert_eq!(state["moves"], "e2e4 e7e5 e1e2");
    assert_eq!(state["to_move"], "black");
    assert_eq!(game.caption(), "move 2; black to move; 0 of 50 moves without progress");
}
