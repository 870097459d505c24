//! On a fair map the two players play the same game.

use super::*;

/// The image of `direction` under `motion`.
fn turned(motion: MapSymmetry, direction: Direction) -> Direction {
    use Direction::{Down, Left, Right, Up};
    match (motion, direction) {
        (MapSymmetry::LeftRight, Left) | (MapSymmetry::QuarterTurn, Up) => Right,
        (MapSymmetry::LeftRight, Right) | (MapSymmetry::QuarterTurn, Down) => Left,
        (MapSymmetry::TopBottom, Up) | (MapSymmetry::QuarterTurn, Right) => Down,
        (MapSymmetry::TopBottom, Down) | (MapSymmetry::QuarterTurn, Left) => Up,
        (MapSymmetry::LeftRight | MapSymmetry::TopBottom, same) => same,
    }
}

/// The piece whose corner is the image of this piece's corner under `motion`.
fn partner(motion: MapSymmetry, ground: &MapGround, seat: Side, piece: Piece) -> (Side, Piece) {
    let home = motion.map_square(ground.home(seat, piece), ground);
    let is_there = |(seat, piece): &(Side, Piece)| ground.home(*seat, *piece) == home;
    PIECES.into_iter().find(is_there).expect("a corner")
}

fn image(motion: MapSymmetry, ground: &MapGround, squares: Squares) -> Squares {
    squares.iter().map(|at| motion.map_square(at, ground)).collect()
}

/// The corresponding submissions on the image of the board.
fn image_of_turn(motion: MapSymmetry, ground: &MapGround, turn: &BySide<Action>) -> BySide<Action> {
    let mut other = BySide::new(turn.second, turn.first);
    for (seat, piece) in PIECES {
        let (to, its) = partner(motion, ground, seat, piece);
        assert_eq!(to, !seat);
        other[to].directions[its] = turned(motion, turn[seat].directions[piece]);
        other[to].walls = image(motion, ground, turn[seat].walls);
    }
    other
}

#[test]
fn fair_maps_are_symmetric_for_both_players() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let rules = rules(&[("tie", "draw"), ("rounds", "play-all")]).expect("rules");
    for round in 0..60 {
        let motion = MapSymmetry::ALL[round % 3];
        let (mut game, mut other) = (BackToTheWall::start(&rules), BackToTheWall::start(&rules));
        while game.turn() == Turn::Both {
            let action = |seat| game.random_action(seat, &mut rng).expect("a submission");
            let turn = BySide::from_fn(action);
            let ground = game.board.ground;
            other.play_silently(Step::Both(image_of_turn(motion, &ground, &turn)));
            game.play_silently(Step::Both(turn));
            let ground = game.board.ground;
            assert_eq!(image(motion, &ground, game.board.walls), other.board.walls);
            for (seat, piece) in PIECES {
                let owned = image(motion, &ground, game.board.owned[seat]);
                assert_eq!(owned, other.board.owned[!seat]);
                let (to, its) = partner(motion, &ground, seat, piece);
                let there = motion.map_square(game.board.pieces[seat][piece], &ground);
                assert_eq!(there, other.board.pieces[to][its]);
            }
        }
        assert_eq!(game.rounds_won(Side::First), other.rounds_won(Side::Second));
        assert_eq!(game.finished.len(), other.finished.len());
    }
}
