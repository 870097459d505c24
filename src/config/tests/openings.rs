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
    assert_eq!(openings, Some(Openings::Random { plies: 8 }));
    let text = "# two openings\n3,3; 3,4   # the middle\n\n  2,2;5,5 ;4,2\r\n";
    fs::write(folder.path("openings.txt"), text).expect("a file");
    let openings = with("file = \"openings.txt\"").expect("a tournament").openings;
    let lists = [["3,3", "3,4"].as_slice(), &["2,2", "5,5", "4,2"]];
    let lists =
        lists.map(|list| ListedOpening::Actions(list.iter().map(ToString::to_string).collect()));
    assert_eq!(openings, Some(Openings::Listed(lists.to_vec())));
}

#[test]
fn openings_of_a_file_are_played() {
    assert_eq!(
        about_openings("", "3,3; 3,4\n3,3; 0,0; 1,1 # a corner\n3;3\n"),
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
    starts(&message, "unexpected value of `file`\n --> cup.toml:4:8\n");
    assert!(message.contains("3 more openings of this file are refused"), "{message}");
    assert_eq!(message.matches("invalid opening").count(), 8);
    assert_eq!(
        about_openings("", "# nothing\n"),
        "\
unexpected value of `file`
 --> cup.toml:4:8
  |
4 | file = \"openings.txt\"
  |        ^^^^^^^^^^^^^^ this file contains no openings"
    );
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
`[openings]` says neither `plies` nor `file`
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
  = help: remove one of the two; only a `.pgn` file can have `plies`"
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
    starts(&about("[openings]\nfile = \"none.txt\""), "unexpected value of `file`");
    starts(&about("[openings]\nplies = \"8\""), "unexpected value of `plies`");
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
a player behind this bridge cannot begin after an opening
  --> cup.toml:13:23
   |
 3 | [openings]
   | ---------- openings are requested here
...
13 | command = [\"python3\", \"bridge:comp30024\", \"agent.py\"]
   |                       ^^^^^^^^^^^^^^^^^^
   |
   = help: the bridge cannot tell a player its own first actions: remove `[openings]`, or this player"
    );
}

/// The openings of chess from a book with this name and text, or the message.
fn book(name: &str, lines: &str, text: &str) -> Result<Openings, String> {
    let folder = Folder::new();
    fs::write(folder.path(name), text).expect("a file");
    let head = "name = \"cup\"\ngame = \"chess\"\n[openings]\n";
    let checked = folder.check(&format!("{head}file = \"{name}\"\n{lines}\n{PLAYERS}"));
    checked.map(|cup| cup.openings.expect("a book")).map_err(|failure| failure.to_string())
}

/// The texts of the openings of a book.
fn texts(openings: Result<Openings, String>) -> Vec<String> {
    let Ok(Openings::Listed(list)) = openings else { panic!("{openings:?}") };
    list.iter().map(|opening| opening.texts().join(" ")).collect()
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
    let epd = (1..7).map(|file| format!("4k3/8/8/8/8/8/{file}P{}/4K3 w - -\n", 7 - file));
    let epd: String = epd.collect();
    let in_order = texts(book("b.epd", "", &epd));
    assert_eq!(in_order[0], "fen=4k3/8/8/8/8/8/1P6/4K3 w - -");
    let mut mixed = texts(book("b.epd", "order = \"random\"", &epd));
    assert_ne!(mixed, in_order);
    mixed.sort_unstable();
    assert_eq!(mixed, in_order);
}

#[test]
fn a_bad_line_of_a_book_is_shown() {
    assert_eq!(
        book("b.pgn", "", &PGN.replace("Ke7", "Ke6")).expect_err("refused"),
        "\
invalid opening
 --> b.pgn:8:7
  |
8 | 1. e4 Ke6 1/2-1/2
  |       ^^^ C1: Ke6 is not possible: no king of this side can go there"
    );
    let message =
        book("b.epd", "", "4k3/8/8/8/8/8/4P3/4K3 w - -\n8/8 w - -\n").expect_err("refused");
    starts(&message, "invalid opening\n --> b.epd:2:1\n");
    assert!(message.contains("it has 8 rows with `/` between them, not 2"), "{message}");
    let refused = |lines: &str| book("b.pgn", lines, PGN).expect_err("refused");
    assert!(refused("order = \"any\"").contains("expected `sequential` or `random`"));
    assert!(refused("start = 0").contains("`start` is out of range"));
    let message = about("[openings]\nplies = 2\nstart = 3");
    starts(&message, "only a `file` has an order and a start\n --> cup.toml:5:9\n");
}
