//! The trials of games of `games/`, and positions that say what the rules of Battlesnake and Chexers
//! decide.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::Arena;

const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games");
const BRIDGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/comp30024/agent.py");

/// The position after a step from this state, as the rules program `games/NAME/NAME.py` says.
fn after(name: &str, state: &Value, step: &Value) -> Value {
    let mut program = Command::new("python3")
        .arg(format!("{name}.py"))
        .current_dir(format!("{GAMES}/{name}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python 3 starts");
    let request = json!({"type": "play", "id": 1, "options": {}, "state": state, "step": step});
    let mut stdin = program.stdin.take().expect("stdin");
    writeln!(stdin, "{request}").expect("the program reads");
    drop(stdin);
    let output = program.wait_with_output().expect("it ends");
    serde_json::from_slice(&output.stdout).expect("an answer")
}

/// Finds nothing wrong with a game, and plays it between players that choose at random.
fn passes_its_trial(name: &str, seats: usize) {
    let arena = Arena::new();
    let game = format!("{GAMES}/{name}/game.toml");
    let trial = arena.run(&["test-game", &game, "--games", "2", "--search-games", "0"]);
    assert_eq!(trial.code, 0, "{trial:?}");
    assert!(trial.out.contains("\nnothing found\n"), "{}", trial.out);
    let play = ["play", "--game", &game, "--seed", "7", "--delay", "0s"];
    let bots = std::iter::repeat_n("bot:random", seats);
    let played = arena.run(&play.into_iter().chain(bots).collect::<Vec<_>>());
    assert_eq!(played.code, 0, "{played:?}");
    let ends = |end: &str| {
        end.starts_with("1 ") || end.starts_with("all level") || end.ends_with(": passes")
    };
    assert!(played.out.lines().last().is_some_and(ends), "{}", played.out);
}

#[test]
fn battlesnake_passes_its_trial() {
    passes_its_trial("battlesnake", 4);
}

#[test]
fn chexers_passes_its_trial() {
    passes_its_trial("chexers", 3);
}

#[test]
fn go_passes_its_trial() {
    passes_its_trial("go", 2);
}

/// A bot that takes the first action, and writes a message after it.
const BOT: &str = "while True:
    lines = [input()]
    while not lines[-1].isdigit():
        lines.append(input())
    actions = [input() for _ in range(int(lines[-1]))]
    print(actions[0], *lines, flush=True)
";

/// The adapter and its host of bots play with a referee that speaks as one of the SDK does.
#[test]
fn a_referee_of_codingame_is_asked_over_its_pipe() {
    let arena = Arena::new();
    for file in ["codingame.py", "bot.py", "rules_program.py"] {
        let text = fs::read_to_string(format!("{GAMES}/codingame/{file}")).expect("a file");
        arena.write(file, &text);
    }
    arena.write("its_referee.py", include_str!("../rules/codingame_referee.py"));
    arena.write("its_bot.py", BOT);
    let config = r#"
        name = "cup"
        seed = 7
        pairs = 4
        game = { command = ["python3", "codingame.py", "sticks", "python3", "its_referee.py"] }
        [[players]]
        name = "bot"
        command = ["python3", "bot.py", "python3", "its_bot.py"]
        [[players]]
        name = "random"
        bot = "random"
    "#;
    arena.write("tournament.toml", config);
    let run = arena.run(&["run", "--quiet"]);
    assert!(run.code == 0 && run.out.contains("\n8 of 8 games played.\n"), "{run:?}");
    assert!(!run.out.contains("crash"), "{run:?}");
    let verified = arena.run(&["verify"]);
    assert!(verified.out.ends_with(": no problems\n"), "{verified:?}");
}

/// A class of 2019 that moves a piece to and fro.
const SHUTTLE: &str = "class Player:
    def __init__(self, colour):
        hexes = {'red': ((-3, 0), (-2, 0)), 'green': ((0, -3), (0, -2)), 'blue': ((3, 0), (2, 0))}
        self.colour, self.hexes = colour, hexes[colour]

    def action(self):
        return 'MOVE', self.hexes

    def update(self, colour, action):
        if colour == self.colour:
            assert action == ('MOVE', self.hexes)
            self.hexes = self.hexes[::-1]
";

#[test]
fn a_class_of_comp30024_plays_the_game_of_its_year() {
    let arena = Arena::new();
    arena.write("shuttle.py", SHUTTLE);
    let player = |name: &str| {
        format!(
            "[[players]]\nname = \"{name}\"\ncommand = [\"python3\", \"{BRIDGE}\", \"shuttle\"]\n"
        )
    };
    let players: String = ["ann", "bob", "cyd"].map(player).concat();
    let game = format!("{GAMES}/chexers/game.toml");
    arena.write("tournament.toml", &format!("name = \"cup\"\ngame = \"{game}\"\n{players}"));
    let run = arena.run(&["run", "--quiet"]);
    assert!(run.code == 0 && run.out.contains("\n3 of 3 games played.\n"), "{run:?}");
    let games = arena.read("games.csv");
    assert_eq!(games.matches(",repetition,").count(), 9, "a row for each seat of a game: {games}");
}

#[test]
fn a_class_with_another_interface_is_told_what_was_expected() {
    let arena = Arena::new();
    arena.write("shuttle.py", SHUTTLE);
    let mut bridge = Command::new("python3")
        .args([BRIDGE, "shuttle"])
        .current_dir(arena.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("Python 3 starts");
    let init = json!({"type": "init", "id": 0, "game": "cachex", "options": {"size": 5},
        "you": "red", "clock": {}, "seed": 7});
    writeln!(bridge.stdin.take().expect("stdin"), "{init}").expect("the bridge reads");
    let output = bridge.wait_with_output().expect("it ends");
    let said = "expected a class `Player(colour, size)` with `action()` and `turn(colour, action)`, \
        as in 2022, in `shuttle`; found `__init__(self, colour)`: too many positional arguments\n";
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(1), said));
}

#[test]
fn the_games_have_the_kit_as_it_is() {
    let kit = include_str!("../../templates/game/python/rules_program.py");
    for name in
        ["battlesnake", "chexers", "codingame", "comp30024", "go", "hungry-geese", "pettingzoo"]
    {
        let copy = fs::read_to_string(format!("{GAMES}/{name}/rules_program.py"));
        assert_eq!(copy.expect("a copy"), kit, "{name}: copy the kit's file");
    }
}

/// Squares as `[column, row]` from 0, from a text such as `a1 a2`.
fn squares(text: &str) -> Value {
    let column = |square: &str| square.bytes().next().map(|letter| letter - b'a');
    let row = |square: &str| square[1..].parse::<u8>().map(|row| row - 1).ok();
    text.split_whitespace().map(|square| json!([column(square), row(square)])).collect()
}

/// A snake: its seat, its health, its squares and its move.
type Snake<'a> = (&'a str, u32, &'a str, &'a str);

/// Moves snakes; all others went out before. Returns the snakes that are left, with their health and
/// length, and those that go out, with the cause.
fn moved(snakes: &[Snake<'_>], food: &str) -> (Vec<String>, Vec<String>) {
    let listed: Value = snakes
        .iter()
        .map(|(seat, health, body, _)| json!({"seat": seat, "health": health, "body": squares(body)}))
        .collect();
    let absent = ["red", "blue", "green", "yellow"]
        .into_iter()
        .filter(|seat| snakes.iter().all(|it| it.0 != *seat));
    let out: Value = absent.map(|seat| json!({"seat": seat, "turn": 1})).collect();
    let state = json!({"turn": 5, "spawns": false, "food": squares(food), "snakes": listed,
        "eliminated": out});
    let moves = snakes.iter().map(|(seat, .., way)| ((*seat).to_owned(), json!(way)));
    let moves = Value::Object(moves.collect());
    let position = after("battlesnake", &state, &json!({"together": moves}));
    let list = |values: &Value, line: fn(&Value) -> String| {
        values.as_array().expect("a list").iter().map(line).collect()
    };
    let left = list(&position["state"]["snakes"], |snake| {
        let length = snake["body"].as_array().map_or(0, Vec::len);
        format!("{} {} {length}", snake["seat"].as_str().expect("a seat"), snake["health"])
    });
    let out = list(&position["events"], |event| {
        let text = |key: &str| event[key].as_str().expect("a text").to_owned();
        format!("{} {}", text("seat"), text("cause"))
    });
    (left, out)
}

#[test]
fn the_shorter_snake_loses_head_to_head() {
    let long = ("red", 50, "c3 b3 a3 a2", "right");
    let (left, out) = moved(&[long, ("blue", 50, "e3 f3 g3", "left")], "");
    assert_eq!((left, out), (vec!["red 49 4".to_owned()], vec!["blue head-collision".to_owned()]));
    // Food makes it as long before heads are compared.
    let (left, out) = moved(&[long, ("blue", 50, "e3 f3 g3 h3", "left")], "");
    assert!(left.is_empty());
    assert_eq!(out, ["red head-collision", "blue head-collision"]);
    let fed = ("blue", 50, "d4 e4 f4 g4 h4", "down");
    let (left, out) =
        moved(&[long, ("blue", 50, "d4 e4 f4", "down"), ("green", 9, "a9 a8 a7", "up")], "d3");
    assert_eq!(left, ["red 100 5", "green 8 3"], "both eat, and the longer one is left");
    assert_eq!(out, ["blue head-collision"]);
    assert_eq!(moved(&[long, fed], "").0, ["blue 49 5"]);
}

#[test]
fn a_tail_leaves_its_square_unless_the_snake_has_just_eaten() {
    let follows = ("blue", 50, "c5 b5 a5", "right");
    let (left, out) = moved(&[("red", 50, "d7 d6 d5", "up"), follows], "");
    assert_eq!((left.len(), out.len()), (2, 0));
    let (left, out) = moved(&[("red", 100, "d7 d6 d5 d5", "up"), follows], "");
    assert_eq!((left, out), (vec!["red 99 4".to_owned()], vec!["blue snake-collision".to_owned()]));
    let (_, out) = moved(&[("red", 50, "d7 d6 d5", "down"), follows], "");
    assert_eq!(out, ["red snake-self-collision"], "it turns back into its neck");
}

#[test]
fn snakes_eat_before_they_starve_and_the_fallen_are_no_obstacle() {
    let other = ("blue", 50, "h8 h7 h6", "up");
    let hungry = ("red", 1, "c3 b3 a3", "right");
    assert_eq!(moved(&[hungry, other], "d3").0, ["red 100 4", "blue 49 3"]);
    let (left, out) = moved(&[hungry, other], "d4");
    assert_eq!((left, out), (vec!["blue 49 3".to_owned()], vec!["red out-of-health".to_owned()]));
    let leaves = ("red", 50, "a5 b5 c5 d5", "left");
    let (left, out) = moved(&[leaves, ("green", 50, "b4 b3 b2", "up"), other], "");
    assert_eq!(left, ["green 49 3", "blue 49 3"], "green is where the body of red was");
    assert_eq!(out, ["red wall-collision"]);
}

#[test]
fn food_appears_away_from_heads() {
    let snakes = json!([{"seat": "red", "health": 9, "body": squares("c5 b5 a5")},
        {"seat": "blue", "health": 9, "body": squares("h8 h7 h6")}]);
    let spawning = |food: &str| {
        let state = json!({"turn": 5, "spawns": false, "food": squares(food), "snakes": snakes,
            "eliminated": []});
        let step = json!({"together": {"red": "up", "blue": "up"}});
        let position = after("battlesnake", &state, &step);
        let outcomes = position["turn"]["chance"].as_array().expect("outcomes").clone();
        let weight = |name: &str| {
            outcomes.iter().find(|outcome| outcome[0] == name).map(|outcome| outcome[1].clone())
        };
        (weight("none"), weight("c7"), weight("c6"), weight("a1"), outcomes.len())
    };
    // 121 squares without one of food, two snakes of three, and the three next to each head that
    // are not of its body.
    let free = 121 - 1 - 2 * (3 + 3);
    let with_food = (Some(json!(86 * free)), None, None, Some(json!(14)), free + 1);
    assert_eq!(spawning("k1"), with_food);
    let without = (Some(json!(0)), None, None, Some(json!(14)), free + 2);
    assert_eq!(spawning(""), without);
}

/// The position after a step in Chexers, from a board given by its pieces.
fn chexers(pieces: &[(&str, &[(i32, i32)])], turn: u32, step: &Value) -> Value {
    let hexes = (-3..=3_i32).flat_map(|r| (-3..=3_i32).map(move |q| (q, r)));
    let letter = |hex: (i32, i32)| {
        let piece = pieces.iter().find(|(_, hexes)| hexes.contains(&hex));
        piece.map_or(".", |(letter, _)| letter)
    };
    let board: String = hexes.filter(|(q, r)| (q + r).abs() <= 3).map(letter).collect();
    let state = json!({"board": board, "exits": [3, 1, 0], "turn": turn, "seen": {}});
    after("chexers", &state, step)
}

#[test]
fn a_jump_takes_the_piece_and_an_exit_wins() {
    let pieces: [(&str, &[(i32, i32)]); 3] =
        [("r", &[(-3, 0), (3, -1)]), ("g", &[(-2, 0), (0, 3)]), ("b", &[(2, 1)])];
    let jumped = chexers(&pieces, 0, &json!({"move": "jump -3,0>-1,0"}));
    let board = jumped["state"]["board"].as_str().expect("a board");
    assert_eq!((board.matches('r').count(), board.matches('g').count()), (3, 1));
    assert_eq!(jumped["turn"], json!({"move": "green"}));
    let legal = jumped["legal"].as_array().expect("a list");
    assert!(
        legal.contains(&json!("exit 0,3")) && legal.contains(&json!("move 0,3>1,2")),
        "{legal:?}"
    );
    let won = chexers(&pieces, 0, &json!({"move": "exit 3,-1"}));
    assert_eq!(won["turn"], json!({"over": {"scores": [4, 1, 0]}, "reason": "exits"}));
    // The course's referee tests draws first.
    let last = chexers(&pieces, 765, &json!({"move": "move -3,0>-3,1"}));
    assert_eq!(last["turn"], json!({"move": "green"}));
    let late = chexers(&pieces, 767, &json!({"move": "move 2,1>1,1"}));
    assert_eq!(late["turn"], json!({"over": "draw", "reason": "turn-limit"}));
}

#[test]
fn a_seat_without_pieces_passes_and_is_out() {
    let pieces: [(&str, &[(i32, i32)]); 2] = [("r", &[(0, 0)]), ("b", &[(2, 1)])];
    let passing = chexers(&pieces, 0, &json!({"move": "move 0,0>1,0"}));
    assert_eq!(
        (&passing["turn"], &passing["eliminated"]),
        (&json!({"pass": "green"}), &json!(["green"]))
    );
    let passed = chexers(&pieces, 1, &json!({"pass": true}));
    assert_eq!(passed["turn"], json!({"move": "blue"}));
}
