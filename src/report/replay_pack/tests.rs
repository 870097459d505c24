use std::io::Read;

use flate2::read::DeflateDecoder;
use proptest::prelude::*;

use super::*;

/// Reads a column as the viewer does.
fn numbers(bytes: &[u8]) -> Vec<u64> {
    let (mut found, mut number, mut shift) = (Vec::new(), 0_u64, 0);
    for byte in bytes {
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            found.push(number);
            (number, shift) = (0, 0);
        }
    }
    found
}

fn signed(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// The head of a pack, and its columns.
fn unpacked(pack: ReplayPack) -> (Value, Vec<Vec<u64>>) {
    let packed = STANDARD.decode(pack.finish().expect("memory")).expect("base64");
    let mut bytes = Vec::new();
    DeflateDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("deflated");
    let (length, rest) = bytes.split_first_chunk::<4>().expect("a length");
    let (head, mut columns) = rest.split_at(u32::from_le_bytes(*length) as usize);
    let head: Value = serde_json::from_slice(head).expect("JSON");
    let lengths = head["columns"].as_array().expect("a list").clone();
    let columns = lengths.iter().map(|length| {
        let length = usize::try_from(length.as_u64().expect("a length")).expect("short");
        let (column, rest) = columns.split_at(length);
        columns = rest;
        numbers(column)
    });
    let columns = columns.collect();
    (head, columns)
}

fn split(text: &str) -> SplitText {
    let mut split = SplitText::default();
    split.split("before 7", 8, 64);
    split.split(text, 8, 64);
    split
}

fn frame(ply: u32, told: &str) -> Frame {
    Frame { ply, told: told.to_owned(), ..Frame::default() }
}

fn game(frames: Vec<Frame>) -> ReplayFrames {
    ReplayFrames {
        id: "1-1".to_owned(),
        pair: (3, 1),
        players: ["ant", "bee"].map(str::to_owned),
        seats: ["white".into(), "black".into()],
        end: "draw: done".to_owned(),
        frames,
    }
}

#[test]
fn paths_are_in_a_column_of_their_own() {
    let mut pack = ReplayPack::default();
    let paths = vec![(1, vec![3, 4]), (0, vec![200])];
    pack.add(&game(vec![frame(0, ""), Frame { paths, ..frame(1, "both move") }]));
    let (_, columns) = unpacked(pack);
    assert_eq!(columns[Of::Path as usize], [0, 2, 5, 3, 4, 2, 200]);
}

proptest! {
    #[test]
    fn any_number_is_read_again(given: Vec<u64>, more: Vec<i64>) {
        let (mut plain, mut with_sign) = (PackColumn::default(), PackColumn::default());
        for &number in &given {
            plain.push(number);
        }
        for &number in &more {
            with_sign.push_signed(number);
        }
        prop_assert_eq!(numbers(&plain.0), given);
        let found: Vec<i64> = numbers(&with_sign.0).into_iter().map(signed).collect();
        prop_assert_eq!(found, more);
    }

    #[test]
    fn a_text_is_its_template_with_its_numbers(text in "[a-z0-9 ,;>é-]{0,24}") {
        let SplitText { template, values } = split(&text);
        let mut values = values.into_iter();
        let whole: String = template
            .chars()
            .map(|character| match character {
                NUMBER | SQUARE => match values.next().expect("a value") {
                    TextValue::Number(number) => number.to_string(),
                    TextValue::Square(at) => format!("{},{}", at % 8, at / 8),
                },
                other => other.to_string(),
            })
            .collect();
        prop_assert_eq!(whole, text);
        prop_assert_eq!(values.next(), None);
    }
}

#[test]
fn small_numbers_take_a_byte() {
    let bytes = |number: i64| {
        let mut column = PackColumn::default();
        column.push_signed(number);
        column.0.len()
    };
    assert_eq!([0, -64, 63, 64, -65, i64::MIN].map(bytes), [1, 1, 1, 2, 2, 10]);
}

#[test]
fn numbers_that_would_be_written_otherwise_stay_in_the_template() {
    let split = |text: &str| {
        let SplitText { template, values } = split(text);
        let numbers: Vec<i64> = values.into_iter().map(TextValue::number).collect();
        (template.replace(NUMBER, "#").replace(SQUARE, "@"), numbers)
    };
    assert_eq!(split("white 3 14"), ("white # #".to_owned(), vec![3, 14]));
    assert_eq!(split("007 and 0"), ("007 and #".to_owned(), vec![0]));
    assert_eq!(split("1234567890"), ("1234567890".to_owned(), vec![]));
    assert_eq!(split("123456789"), ("#".to_owned(), vec![123_456_789]));
    assert_eq!(split("white 0,0>2,1"), ("white @>@".to_owned(), vec![0, 10]));
    assert_eq!(
        split("7,7 8,1 1,8 1,02 x,1,2,"),
        ("@ #,# #,# #,02 x,@,".to_owned(), vec![63, 8, 1, 1, 8, 1, 17])
    );
}

#[test]
fn moves_that_follow_from_their_text_take_no_space() {
    let board = vec![vec!["w".to_owned(), ".".to_owned(), "b".to_owned()]];
    let start = Frame { board: Some(board), ..frame(0, "") };
    let set = |squares: &[(usize, &str)]| {
        squares.iter().map(|&(at, content)| (at, content.to_owned())).collect()
    };
    let moved = Frame {
        set: set(&[(0, "."), (1, "w"), (2, ".")]),
        named: vec![0, 1],
        ..frame(1, "white 0,0>1,0; captured 2,0")
    };
    let odd = Frame { set: set(&[(2, "k")]), ..frame(2, "black waits") };
    let mut pack = ReplayPack::default();
    pack.add(&game(vec![start, moved, odd]));
    let (head, columns) = unpacked(pack);
    assert_eq!(
        head["games"],
        json!([["1-1", 3, 1, ["ant", "bee"], ["white", "black"], "draw: done", 3]])
    );
    assert_eq!(head["boards"], json!([[["w", ".", "b"]]]));
    let plies: Vec<i64> = columns[Of::Ply as usize].iter().copied().map(signed).collect();
    assert_eq!(plies, [0, 1, 1], "as differences");
    let k = head["contents"].as_array().and_then(|all| all.iter().position(|it| it == "k"));
    let k = k.expect("a content") as u64;
    let squares = &columns[Of::Square as usize];
    assert_eq!(squares[..], [1, 0, 0, 0, 1, 2, k], "a board, no surprise, one surprise");
    assert_eq!(columns[Of::Named as usize], [0, 0, 0], "the squares in the text");
}

#[test]
fn times_are_differences_from_what_should_be_left() {
    let first = Frame { clock: vec![(0, 1.25, Some(10.0))], ..frame(1, "") };
    let second = Frame { clock: vec![(0, 2.0, Some(8.0)), (1, 0.01, None)], ..frame(2, "") };
    let mut pack = ReplayPack::default();
    pack.add(&game(vec![first, second]));
    let (_, columns) = unpacked(pack);
    let clock = &columns[Of::Clock as usize];
    assert_eq!(clock.len(), 10);
    assert_eq!((clock[0], clock[1], signed(clock[2])), (1, 2, 125));
    assert_eq!(signed(clock[3]), 1125, "the first time left is not expected");
    assert_eq!((clock[4], clock[5], signed(clock[6]), signed(clock[7])), (2, 2, 200, 0));
    assert_eq!((clock[8], signed(clock[9])), (1, 1), "the other seat, without a budget");
}

#[test]
fn faults_and_remarks_are_kept_apart() {
    let said = vec![(0, Some("well".to_owned()), Some(0.5))];
    let frames =
        vec![frame(0, ""), Frame { said, ..frame(1, "") }, Frame { bad: true, ..frame(1, "") }];
    let mut pack = ReplayPack::default();
    pack.add(&game(vec![frame(0, "")]));
    pack.add(&game(frames));
    let (head, _) = unpacked(pack);
    let rare = head["rare"].as_array().expect("a list");
    assert_eq!(rare.len(), 2, "only what few frames have");
    let remark = json!([[0, "well", 0.5]]);
    assert_eq!(
        [&rare[0][0], &rare[0][1], &rare[0][2], &rare[0][3]],
        [&json!(1), &json!(1), &json!(0), &remark]
    );
    assert_eq!([&rare[1][0], &rare[1][1], &rare[1][2]], [&json!(1), &json!(2), &json!(1)]);
}
