//! Tests of the placement of walls, and of the room for more.

use super::*;

/// Asserts which of the named squares are placed.
#[track_caller]
fn places(board: &Board, readings: Readings, named: &str, placed: &str) {
    assert_eq!(board.site(readings).place_all(set(named)).placed, set(placed), "{named}");
}

#[test]
fn v1_to_v6_walls() {
    places(&once(""), DEFAULTS, "3,3 4,4", "");
    places(&twice(""), DEFAULTS, "3,3 4,4 6,6 6,7", "3,3 4,4");
    places(&twice(""), DEFAULTS, "1,0 0,1 5,5 7,3", "5,5 7,3");
    places(&away(once("1,0")), DEFAULTS, "0,1 5,5", "5,5");
    let board = away(thrice(""));
    places(&board, DEFAULTS, "1,0 0,1 8,8 8,9 2,2 3,7", "8,8 8,9 2,2 3,7");
    places(&board, DEFAULTS, "1,0 2,0 0,1 8,8 8,9 3,7", "2,0 8,8 8,9 3,7");
    places(&board, DEFAULTS, "0,1 1,1 2,1 2,0 8,9 3,7", "2,1 8,9 3,7");
    places(&away(once("")), DEFAULTS, "0,0 5,5", "5,5");
}

#[test]
fn v7_the_readings_of_a_closed_corner() {
    let board = empty(7, 1, Adjacency::None, "0,3 1,3 2,3 3,3 4,3 5,3");
    places(&board, DEFAULTS, "6,3 1,1", "6,3 1,1");
    let all_connected = Readings { corner_rule: CornerRule::AllConnected, ..DEFAULTS };
    places(&board, all_connected, "6,3 1,1", "1,1");
}

#[test]
fn adjacency_scope_option() {
    let all = Readings { adjacency_scope: AdjacencyScope::All, ..DEFAULTS };
    places(&once("2,2"), DEFAULTS, "3,3 5,1", "3,3 5,1");
    places(&once("2,2"), all, "3,3 5,1", "5,1");
    places(&twice("2,2"), all, "3,3 2,1", "3,3");
    places(&thrice("2,2"), all, "2,3 3,3", "2,3 3,3");
}

#[test]
fn rule_1_input_option() {
    let survivors = Readings { rule_1_input: Rule1Input::Survivors, ..DEFAULTS };
    let board = away(twice("1,0"));
    // 0,1 closes the corner, but adjacency takes it out before.
    let named = "0,1 0,2 5,5 7,3";
    let placement = board.site(DEFAULTS).place_all(set(named));
    assert_eq!((placement.closing, placement.adjacent), (set("0,1"), set("0,1 0,2")));
    let placement = board.site(survivors).place_all(set(named));
    assert_eq!((placement.closing, placement.placed), (Squares::EMPTY, set("5,5 7,3")));
    // Without 2,1 and 2,2 the other two do not close it.
    let board = away(twice("0,3 1,3"));
    let named = "2,1 2,2 2,0 5,5";
    assert_eq!(board.site(DEFAULTS).place_all(set(named)).closing, set("2,0 2,1 2,2"));
    assert_eq!(board.site(survivors).place_all(set(named)).closing, Squares::EMPTY);
}

#[test]
fn the_same_square() {
    let cancel = Readings { same_square: SameSquare::Cancel, ..DEFAULTS };
    let place = |readings| twice("").site(readings).place(set("3,3 5,5"), set("3,3 3,4"));
    assert_eq!(place(DEFAULTS).placed, set("5,5"));
    assert_eq!(place(cancel).placed, set("3,4 5,5"));
    let not_placed: Vec<_> = place(cancel).not_placed().collect();
    assert_eq!(not_placed, [(square("3,3"), vec!["T5"])]);
}

/// Returns whether some set of `many` squares would be placed in full, by trying all of them.
fn some_set(site: &WallSite<'_>, many: u8) -> bool {
    wall_subsets(site.free(), many).into_iter().any(|set| site.place_all(set).placed == set)
}

/// A random board without closed corners or enclosed pieces.
fn random_board(rng: &mut ChaCha8Rng, walls_each: u8, readings: Readings, density: f64) -> Board {
    let adjacency = [Adjacency::King, Adjacency::Rook, Adjacency::None][rng.random_range(0..3)];
    loop {
        let mut board = empty(5, walls_each, adjacency, "");
        board.walls = board.ground.area.iter().filter(|_| rng.random_bool(density)).collect();
        let open: Vec<_> = board.squares_without_wall().iter().collect();
        for (seat, piece) in PIECES {
            board.pieces[seat][piece] = open[rng.random_range(0..open.len())];
        }
        let site = board.site(readings);
        if site.closed_now().next().is_none() && site.enclosed_now().next().is_none() {
            return board;
        }
    }
}

#[test]
fn the_search_for_wall_room_is_exact() {
    agrees_about_room(11, 60);
}

#[test]
#[ignore = "slow: 1,800 boards"]
fn the_search_for_wall_room_is_exact_on_many_boards() {
    std::thread::scope(|scope| {
        for seed in 12..16 {
            scope.spawn(move || agrees_about_room(seed, 450));
        }
    });
}

fn agrees_about_room(seed: u64, boards: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut found = [0, 0];
    for round in 0..boards {
        let readings = Readings {
            corner_rule: [CornerRule::Isolated, CornerRule::AllConnected][round % 2],
            adjacency_scope: [AdjacencyScope::Submitted, AdjacencyScope::All][round / 2 % 2],
            rule_1_input: [Rule1Input::Submissions, Rule1Input::Survivors][round / 4 % 2],
            ..DEFAULTS
        };
        let (walls_each, density) = [(1, 0.5), (2, 0.3), (3, 0.35)][round % 3];
        let board = random_board(&mut rng, walls_each, readings, density);
        let site = board.site(readings);
        let room = site.has_room();
        assert_eq!(room, some_set(&site, 2 * walls_each), "{board:?} {readings:?}");
        found[usize::from(room)] += 1;
    }
    assert!(found.iter().all(|count| *count > boards / 6), "{found:?}");
}
