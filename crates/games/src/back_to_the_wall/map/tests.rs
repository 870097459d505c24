use super::*;

const GOOD: &str = "\
name = \"mine\"
walls = 1
adjacency = \"king\"
map = \"\"\"
G....C
......
..##..
......
c....g
\"\"\"
";

/// Returns the error for a valid file in which `old` is replaced by `new`.
fn refused(old: &str, new: &str) -> String {
    assert!(GOOD.contains(old), "{old}");
    Map::read("mine.toml", &GOOD.replace(old, new)).expect_err("a refusal").to_string()
}

#[test]
fn a_file_is_read() {
    let map = Map::read("mine.toml", GOOD).expect("a board");
    assert_eq!((map.name.as_str(), map.ground.width, map.ground.height), ("mine", 6, 5));
    assert_eq!(map.walls, [Square::new(2, 2), Square::new(3, 2)].into_iter().collect());
    assert_eq!((map.ground.walls_each, map.ground.adjacency), (1, Adjacency::King));
    assert_eq!(
        Map::read("mine.toml", &GOOD.replace('\n', "\r\n")).expect("a board").walls,
        map.walls
    );
}

#[test]
fn the_shipped_boards_are_labelled_and_fair() {
    let sizes = [("once", 7, 1), ("twice", 9, 2), ("thrice", 11, 3)];
    for (name, size, walls_each) in sizes {
        let map = Map::load_shipped(name).expect("it is there").expect("it is good");
        assert_eq!(map.name, name);
        assert_eq!((map.ground.width, map.ground.height), (size, size));
        assert_eq!((map.ground.walls_each, map.walls.len()), (walls_each, 4));
        assert_eq!(map.note.as_deref(), Some("reconstructed"));
        assert_eq!(map.find_fair_symmetry(), Some(MapSymmetry::LeftRight));
    }
    assert_eq!(Map::load_shipped("never"), None);
}

#[test]
fn wrong_maps_are_refused_with_file_line_and_reason() {
    for (old, new, expected) in [
        ("..##..", "..##.", "7: the row has 5 squares, the first row has 6"),
        ("..##..", "..##...", "7: the row has 7 squares, the first row has 6"),
        ("..##..\n......\n", "", "5: the map has 3 rows; a board has 5 to 15"),
        ("G....C", "G..C", "5: the map has 4 columns; a board has 5 to 15"),
        ("G....C", "G..............C", "5: the map has 16 columns; a board has 5 to 15"),
        ("G....C", ".....C", "5: `G` is missing from its corner 0,0"),
        ("c....g", "c.....", "9: `g` is missing from its corner 5,4"),
        ("..##..", "..#G..", "7: a second `G` stands on 3,2"),
        ("G....C", "C....G", "5: `C` stands on 0,0, but its corner is 5,0"),
        ("..##..", ".g##..", "7: `g` stands on 1,2, but its corner is 5,4"),
        ("..##..", "..#X..", "7: `X` on 3,2; expected `.`, `#`, `G`, `g`, `C` or `c`"),
        ("..##..", "..# ..", "7: ` ` on 3,2; expected `.`, `#`, `G`, `g`, `C` or `c`"),
    ] {
        assert_eq!(refused(old, new), format!("mine.toml:{expected}"));
    }
    let rows = "......\n".repeat(11);
    let expected = "mine.toml:5: the map has 16 rows; a board has 5 to 15";
    assert_eq!(refused("..##..\n", &format!("..##..\n{rows}")), expected);
}

#[test]
fn wrong_keys_are_refused_with_file_line_and_reason() {
    for (old, new, expected) in [
        ("walls = 1", "walls = 4", "2: expected 1, 2 or 3 walls per player"),
        ("walls = 1", "walls = 0", "2: expected 1, 2 or 3 walls per player"),
        ("\"king\"", "\"queen\"", "3: expected the adjacency `king`, `rook` or `none`"),
        ("\"mine\"", "\"\"", "1: expected a name of 1 to 64 characters and no control characters"),
    ] {
        assert_eq!(refused(old, new), format!("mine.toml:{expected}"));
    }
    assert!(refused("walls", "wall").starts_with("mine.toml:2: unknown field `wall`"));
    assert!(refused("walls = 1", "walls = \"1\"").starts_with("mine.toml:2: invalid type"));
    assert!(refused("walls = 1\n", "").starts_with("mine.toml:1: missing field `walls`"));
    assert!(refused("walls = 1", "walls =").starts_with("mine.toml:2: "));
}

#[test]
fn errors_in_one_line_maps_point_at_the_line() {
    let text = "name = \"a\"\nwalls = 1\nadjacency = \"none\"\nmap = \"G....\\n.....\"\n";
    let expected = "mine.toml:4: the map has 2 rows; a board has 5 to 15";
    assert_eq!(Map::read("mine.toml", text).expect_err("refused").to_string(), expected);
}

#[test]
fn fairness_is_a_mirror_image_or_a_quarter_turn() {
    let fairness = |rows: [&str; 5]| {
        let text = GOOD.split("G....C").next().expect("a head");
        let text = format!("{text}{}\n\"\"\"\n", rows.join("\n"));
        Map::read("mine.toml", &text).expect("a board").find_fair_symmetry()
    };
    let columns = ["G...C", ".#.#.", ".....", ".....", "c...g"];
    assert_eq!(fairness(columns), Some(MapSymmetry::LeftRight));
    let rows = ["G...C", ".#...", ".....", ".#...", "c...g"];
    assert_eq!(fairness(rows), Some(MapSymmetry::TopBottom));
    let quarter = ["G.#.C", ".....", "#...#", ".....", "c.#.g"];
    assert!(fairness(quarter).is_some());
    let pinwheel = ["G#..C", "....#", ".....", "#....", "c..#g"];
    assert_eq!(fairness(pinwheel), Some(MapSymmetry::QuarterTurn));
    let half = ["G...C", ".#...", ".....", "...#.", "c...g"];
    assert_eq!(fairness(half), None);
}

#[test]
fn a_remark_says_what_was_read() {
    assert_eq!(
        Map::check_board_file("mine.toml", GOOD).expect("a board"),
        "mine.toml: board `mine`, 6×5; the map is fair: its mirror image from left to right maps \
         one side's pieces onto the other's"
    );
    let unfair = GOOD.replace("..##..\n......", "..#...\n.#....") + "note = \"a sketch\"\n";
    assert_eq!(
        Map::check_board_file("mine.toml", &unfair).expect("a board"),
        "mine.toml: board `mine` (a sketch), 6×5; the map is not fair: no mirror image or quarter \
         turn maps one side's pieces onto the other's"
    );
}
