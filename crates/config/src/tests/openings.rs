//! Openings.

use super::*;

/// The message for an openings file with this text, and `lines` in the head.
fn about_openings(lines: &str, text: &str) -> String {
    let folder = Folder::new();
    fs::write(folder.path("openings.txt"), text).expect("a file");
    let config = format!("{HEAD}{lines}[openings]\nfile = \"openings.txt\"\n{PLAYERS}");
    folder.check(&config).expect_err("refused").to_string()
}

#[test]
fn openings_are_taken() {
    let folder = Folder::new();
    let with = |lines: &str| folder.check(&format!("{HEAD}[openings]\n{lines}\n{PLAYERS}"));
    let openings = with("plies = 8").expect("a tournament").openings;
    assert!(matches!(openings, Some(OpeningSource::Random { plies: 8 })));
    let text = "# two openings\n3,3; 3,4   # the middle\n\n  2,2;5,5 ;4,2\r\n";
    fs::write(folder.path("openings.txt"), text).expect("a file");
    let openings = with("file = \"openings.txt\"").expect("a tournament").openings;
    let lists = [["3,3", "3,4"].as_slice(), &["2,2", "5,5", "4,2"]];
    let lists =
        lists.map(|list| ListedOpening::Actions(list.iter().map(ToString::to_string).collect()));
    let Some(OpeningSource::Book(book)) = openings else { panic!("{openings:?}") };
    assert_eq!(
        book.draw(0, 9).expect("openings"),
        DrawnOpenings { list: lists.to_vec(), read: 2, left_out: None }
    );
}

#[test]
fn later_pairs_go_on_in_the_order_of_the_file() {
    let folder = Folder::new();
    fs::write(folder.path("openings.txt"), "3,3\n3,4\n4,3\n").expect("a file");
    let first_after = |order: &str, pairs| {
        let lines = format!("[openings]\nfile = \"openings.txt\"\norder = \"{order}\"\n");
        let tournament = folder.check(&format!("{HEAD}{lines}{PLAYERS}")).expect("a tournament");
        let source = tournament.openings.expect("openings").after_pairs(pairs);
        let OpeningSource::Book(book) = source else { panic!("{source:?}") };
        book.draw(7, 1).expect("openings").list[0].actions()[0].clone()
    };
    assert_eq!(
        [0, 1, 2, 3, 7].map(|pairs| first_after("sequential", pairs)),
        ["3,3", "3,4", "4,3", "3,3", "3,4"]
    );
    assert_eq!(first_after("random", 1), first_after("random", 0), "the seed decides");
}

#[test]
fn openings_of_a_file_are_played() {
    assert_eq!(
        about_openings("", "3,3; 3,4\n3,3; 0,0; 1,1 # a corner\n3;3\n3,3\n3,4\n4,3\n"),
        "\
invalid opening
 --> openings.txt:2:6
  |
2 | 3,3; 0,0; 1,1 # a corner
  |      ^^^ W1: 0,0 is a corner

error: invalid opening
 --> openings.txt:3:1
  |
3 | 3;3
  | ^ syntax: expected a placement like `3,4`, a move like `3,4>3,5`, or `pass`"
    );
    let many = "0,0\n".repeat(11);
    let message = about_openings("", &many);
    starts(&message, "invalid value for `file`\n --> cup.toml:4:8\n");
    assert!(message.contains("3 more openings in this file cannot be played"), "{message}");
    assert_eq!(message.matches("invalid opening").count(), 8);
    assert_eq!(
        about_openings("", "# nothing\n"),
        "\
invalid value for `file`
 --> cup.toml:4:8
  |
4 | file = \"openings.txt\"
  |        ^^^^^^^^^^^^^^ this file contains no openings"
    );
}

#[test]
fn the_file_of_openings_is_named() {
    for name in ["", ".", ".."] {
        let message = about(&format!("[openings]\nfile = \"{name}\"\norder = \"random\""));
        starts(&message, "invalid value for `file`\n --> cup.toml:4:8\n");
    }
}

#[test]
fn openings_leave_something_to_play() {
    let message = about_openings("[adjudication]\nlength = 2\n", "3,3; 3,4\n4,3\n");
    assert_eq!(
        message,
        "\
`length` ends games in their opening
 --> cup.toml:4:10
  |
4 | length = 2
  |          ^ expected more than 2
5 | [openings]
6 | file = \"openings.txt\"
  |        -------------- the plies of these openings count too"
    );
}

#[test]
fn the_first_opening_is_one_of_the_file() {
    let folder = Folder::new();
    fs::write(folder.path("openings.txt"), "3,3; 3,4\n").expect("a file");
    let lines = "[openings]\nfile = \"openings.txt\"\nstart = 2\n";
    let message = folder.check(&format!("{HEAD}{lines}{PLAYERS}")).expect_err("refused");
    let message = message.to_string();
    starts(&message, "invalid value for `start`\n --> cup.toml:5:9\n");
    assert!(message.contains("expected at most 1, the openings in the file"), "{message}");
}

#[test]
fn openings_from_a_file_are_refused_in_games_with_dice() {
    let folder = Folder::new();
    fs::write(folder.path("openings.txt"), "1,3>4,3").expect("a file");
    let head = "name = \"cup\"\ngame = \"backdraughts\"\n[openings]\nfile = \"openings.txt\"\n";
    assert_eq!(
        folder.check(&format!("{head}{PLAYERS}")).expect_err("refused").to_string(),
        "\
a game with dice cannot take openings from a file
 --> cup.toml:4:8
  |
4 | file = \"openings.txt\"
  |        ^^^^^^^^^^^^^^
  |
  = help: what is legal depends on the dice: write `plies = 8`, for random legal play"
    );
}

#[test]
fn unfit_openings() {
    assert_eq!(
        about("[openings]"),
        "\
`[openings]` has neither `plies` nor `file`
 --> cup.toml:3:1
  |
3 | [openings]
  | ^^^^^^^^^^
  |
  = help: add a line such as `plies = 8`, for random legal play, or `file = \"openings.txt\"`"
    );
    assert_eq!(
        about("[openings]\nplies = 8\nfile = \"a\""),
        "\
`[openings]` has both `plies` and `file`
 --> cup.toml:5:8
  |
4 | plies = 8
  |         - `plies` is here
5 | file = \"a\"
  |        ^^^
  |
  = help: remove one of the two; `plies` only works with a `.pgn` file"
    );
    assert_eq!(
        about("[openings]\nplies = 101"),
        "\
`plies` is out of range
 --> cup.toml:4:9
  |
4 | plies = 101
  |         ^^^ expected a whole number from 1 to 100"
    );
    starts(&about("[openings]\nfile = \"none.txt\""), "invalid value for `file`");
    starts(&about("[openings]\nplies = \"8\""), "invalid value for `plies`");
}

#[test]
fn a_player_behind_the_bridge_cannot_start_from_an_opening() {
    let folder = Folder::new();
    fs::write(folder.path("players/agent.py"), "class Player: pass").expect("a file");
    let class = "[[players]]\nname = \"c\"\ncommand = [\"python3\", \"bridge:comp30024\", \
                 \"agent.py\"]\ndir = \"players\"\n";
    let text = format!("{HEAD}[openings]\nplies = 2\n{PLAYERS}{class}");
    assert_eq!(
        folder.check(&text).expect_err("refused").to_string(),
        "\
a player behind this bridge cannot start from an opening
  --> cup.toml:13:23
   |
 3 | [openings]
   | ---------- openings are requested here
...
13 | command = [\"python3\", \"bridge:comp30024\", \"agent.py\"]
   |                       ^^^^^^^^^^^^^^^^^^
   |
   = help: the bridge cannot tell a player which actions it took: remove `[openings]`, or this player"
    );
}

/// The openings drawn from a book.
#[derive(Debug)]
struct DrawnBook {
    selection: OpeningBookSelection,
    /// With two seeds.
    drawn: [DrawnOpenings; 2],
}

/// A book of chess with this name and text, or the message.
fn book(name: &str, lines: &str, text: impl AsRef<[u8]>) -> Result<DrawnBook, String> {
    let folder = Folder::new();
    fs::write(folder.path(name), text).expect("a file");
    let head = "name = \"cup\"\ngame = \"chess\"\n[openings]\n";
    let checked = folder.check(&format!("{head}file = \"{name}\"\n{lines}\n{PLAYERS}"));
    let openings = checked.map_err(|failure| failure.to_string())?.openings;
    let Some(OpeningSource::Book(book)) = openings else { panic!("{openings:?}") };
    let draw = |seed| book.draw(seed, 1000).expect("openings");
    Ok(DrawnBook { selection: book.selection().clone(), drawn: [draw(0), draw(1)] })
}

/// The openings of a book as texts; all are playable.
fn texts(book: Result<DrawnBook, String>) -> Vec<String> {
    let DrawnBook { drawn: [drawn, _], .. } = book.expect("a book");
    assert_eq!(drawn.left_out, None);
    drawn.list.iter().map(|opening| opening.texts().join(" ")).collect()
}

const PGN: &str = "[Event \"a\"]\n\n1. e4 {best} e5 2. Nf3 *\n\n[Event \"b\"]\n[FEN \
                   \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Ke7 1/2-1/2\n";

#[test]
fn openings_come_from_books_of_chess() {
    let own = "fen=4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let all = ["e2e4 e7e5 g1f3".to_owned(), format!("{own} e2e4 e8e7")];
    assert_eq!(texts(book("b.pgn", "", PGN)), all);
    let short = ["e2e4".to_owned(), format!("{own} e2e4")];
    assert_eq!(texts(book("b.pgn", "plies = 1", PGN)), short);
    assert_eq!(texts(book("b.pgn", "start = 2", PGN)), [&*all[1], &all[0]]);
    let epd = positions();
    let in_order = texts(book("b.epd", "", &epd));
    assert_eq!(in_order[0], "fen=4k3/8/8/8/8/8/1P6/4K3 w - -");
    assert_eq!(texts(book("b.fen", "", &epd)), in_order);
    let mut mixed = texts(book("b.epd", "order = \"random\"", &epd));
    assert_ne!(mixed, in_order);
    mixed.sort_unstable();
    assert_eq!(mixed, in_order);
}

/// Six positions.
fn positions() -> String {
    let lines = (1..7).map(|file| format!("4k3/8/8/8/8/8/{file}P{}/4K3 w - -\n", 7 - file));
    lines.collect::<Vec<_>>().concat()
}

#[test]
fn a_random_order_depends_on_the_seed_and_takes_the_whole_book() {
    let many = positions().repeat(4000);
    let random = book("b.epd", "order = \"random\"", &many).expect("a book");
    assert_eq!(random.selection.size, 24_000);
    assert_ne!(random.drawn[0], random.drawn[1]);
    let in_turn = book("b.epd", "start = 23999", &many).expect("a book");
    assert_eq!(in_turn.drawn[0], in_turn.drawn[1]);
    let first = |book: &DrawnBook| book.drawn[0].list[..3].to_vec();
    assert_eq!(first(&in_turn), first(&book("b.epd", "start = 5", positions()).expect("a book")));
}

#[test]
fn packed_books_are_read() {
    use std::io::Write;
    let text = positions();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(text.as_bytes()).expect("written");
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("positions", zip::write::SimpleFileOptions::default()).expect("begun");
    zip.write_all(text.as_bytes()).expect("written");
    let frame = ruzstd::encoding::compress_to_vec(
        text.as_bytes(),
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    let plain = book("b.epd", "", &text).expect("a book");
    for (name, packed) in [
        ("b.epd.gz", gz.finish().expect("written")),
        ("b.epd.zip", zip.finish().expect("written").into_inner()),
        ("b.epd.zst", [&*frame, &frame].concat()),
    ] {
        let found = book(name, "start = 3\norder = \"random\"", packed.clone()).expect(name);
        if name.ends_with("zst") {
            assert_eq!(found.selection.size, 12, "two frames");
        } else {
            assert_eq!(found.selection.hash, plain.selection.hash);
        }
        let part = &packed[..packed.len() - 3];
        assert!(book(name, "", part).expect_err(name).contains("it cannot be read: "), "{name}");
    }
    let other = book("b.epd.7z", "", "7z").expect_err("refused");
    assert!(other.contains("unpack it first"), "{other}");
}

#[test]
fn openings_that_cannot_be_played_are_left_out_and_counted() {
    let text = format!("{}8/8 w - -\n{}k w\n", positions(), positions());
    let left_out = |lines: &str| book("b.epd", lines, &text).expect("a book").drawn[0].clone();
    let all = left_out("");
    assert_eq!(all.list.len(), 12);
    assert_eq!(
        all.left_out.as_deref().and_then(|it| it.split_once(": ")).map(|it| it.0),
        Some("2 of 14 openings in b.epd cannot be played and were left out, the first on line 7")
    );
    assert_eq!(all.read, 14);
    assert_eq!(left_out("order = \"random\"").left_out, all.left_out);
    let half = format!("{}{}", positions(), "8/8 w - -\n".repeat(6));
    let refused = book("b.epd", "", half).expect_err("refused");
    starts(&refused, "invalid opening\n --> b.epd:7:1\n");
}

#[test]
fn a_bad_line_of_a_book_is_shown() {
    assert_eq!(
        book("b.pgn", "", PGN.replace("e4", "e5")).expect_err("refused"),
        "\
invalid opening
 --> b.pgn:3:4
  |
3 | 1. e5 {best} e5 2. Nf3 *
  |    ^^ C1: e5 is not possible: no pawn of this side can go there

error: invalid opening
 --> b.pgn:8:4
  |
8 | 1. e5 Ke7 1/2-1/2
  |    ^^ C1: e5 is not possible: no pawn of this side can go there"
    );
    let message = book("b.epd", "", "\n8/8 w - -\n").expect_err("refused");
    starts(&message, "invalid opening\n --> b.epd:2:1\n");
    assert!(message.contains("a FEN has 8 rows with `/` between them, not 2"), "{message}");
    let refused = |lines: &str| book("b.pgn", lines, PGN).expect_err("refused");
    assert!(refused("order = \"any\"").contains("expected `sequential` or `random`"));
    assert!(refused("start = 0").contains("`start` is out of range"));
    let message = about("[openings]\nplies = 2\nstart = 3");
    starts(&message, "`order` and `start` need a `file`\n --> cup.toml:5:9\n");
}
