//! Openings.

use super::*;

/// The message for an openings file with this text, and `lines` in the head.
fn about_openings(lines: &str, text: &str) -> String {
    let folder = Folder::new();
    fs::write(folder.path("openings.txt"), text).expect("a file");
    let config = format!("{HEAD}{lines}[openings]\nfile = \"openings.txt\"\n{PLAYERS}");
    folder.check(&config).expect_err("refused").message
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
    let lists = lists.map(|list| list.iter().map(ToString::to_string).collect());
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
        folder.check(&format!("{head}{PLAYERS}")).expect_err("refused").message,
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
  = help: remove one of the two"
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
        folder.check(&text).expect_err("refused").message,
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
