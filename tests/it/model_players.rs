//! `players/chat_model.py`, which asks a language model, against a local server that answers,
//! stalls, lies and fails.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::support::{Arena, Run, wait_until};

const RULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/goofspiel/goofspiel.py");
const PLAYER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/players/chat_model.py");

/// What the service does with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    /// Names the first legal action.
    Answer,
    /// The same, after many words.
    Ramble,
    /// Names an action that is not legal.
    Illegal,
    /// Sends something else than JSON.
    Garbage,
    /// Says that it is not available.
    Fail,
    /// Closes the connection.
    Close,
    /// Sends nothing until the other side gives up.
    Stall,
}

/// The tokens of each answer.
const TOKENS: u64 = 100;

/// A service that does these things, one for each request, and then answers.
#[derive(Debug, Clone)]
struct Service {
    acts: Arc<Mutex<VecDeque<Act>>>,
    /// How many answers cost something.
    answers: Arc<AtomicU64>,
    port: u16,
}

impl Service {
    fn start(acts: &[Act]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let acts = Arc::new(Mutex::new(acts.iter().copied().collect()));
        let service = Self { acts, answers: Arc::default(), port };
        let shared = service.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let next = shared.acts.lock().expect("no panic").pop_front();
                let act = next.unwrap_or(Act::Answer);
                if matches!(act, Act::Answer | Act::Ramble | Act::Illegal) {
                    shared.answers.fetch_add(1, Ordering::SeqCst);
                }
                // A player that gives up, or is killed, closes its end.
                thread::spawn(move || drop(serve(stream, act)));
            }
        });
        service
    }

    /// How many acts are left.
    fn left(&self) -> usize {
        self.acts.lock().expect("no panic").len()
    }

    /// The tokens of all answers.
    fn tokens(&self) -> u64 {
        TOKENS * self.answers.load(Ordering::SeqCst)
    }
}

fn serve(stream: TcpStream, act: Act) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line)? > 2 {
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let asked: Value = serde_json::from_slice(&body)?;
    let position = asked["messages"][1]["content"].as_str().expect("a text");
    let position: Value = serde_json::from_str(position)?;
    let action = position["legal"][0].as_str().expect("an action");
    let said = |text: String| {
        let choices = json!([{"message": {"content": text}}]);
        json!({"choices": choices, "usage": {"total_tokens": TOKENS}}).to_string()
    };
    let (status, text) = match act {
        Act::Answer => ("200 OK", said(format!("I think.\nAction: `{action}`."))),
        Act::Ramble => ("200 OK", said(format!("{}\n{action}", "x".repeat(2000)))),
        Act::Illegal => ("200 OK", said("I resign".to_owned())),
        Act::Garbage => ("200 OK", "<html>".to_owned()),
        Act::Fail => ("500 Internal Server Error", String::new()),
        Act::Close => return Ok(()),
        Act::Stall => return reader.read_to_end(&mut body).map(drop),
    };
    let mut stream = stream;
    let length = text.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
    )
}

/// A tournament of two pairs between a player that asks `service`, and a built-in one.
fn cup(service: &Service, outages: u8, limit: &str) -> Arena {
    let arena = Arena::new();
    configure(&arena, service, limit, &format!("outages = {outages}"));
    arena
}

/// Configures such a tournament with these lines in the table of the player.
fn configure(arena: &Arena, service: &Service, limit: &str, lines: &str) {
    let text = format!(
        "name = \"cup\"\ngame = {{ command = [\"python3\", {RULES:?}, \"2\"] }}\nseed = 5\npairs = 2\n\
         jobs = 1\n[options]\ncards = 2\n[clock]\nmove = {limit:?}\n[containment]\nlevel = \"off\"\n\
         [[players]]\nname = \"model\"\ncommand = [\"python3\", {PLAYER:?}]\n{lines}\n\
         env = {{ CHAT_URL = \"http://127.0.0.1:{}/v1\", CHAT_PRICE = \"30\", CHAT_NOTE = \"1\" }}\n\
         [[players]]\nname = \"bot\"\nbot = \"random\"\n",
        service.port
    );
    arena.write("tournament.toml", &text);
}

/// The seat of the model.
fn seat_of_model(game: &Value) -> &str {
    let mut seats = game["players"].as_object().expect("players").iter();
    seats.find(|(_, name)| *name == "model").expect("a seat").0
}

/// The tokens that the model used in a game.
fn tokens(game: &Value) -> u64 {
    game["usage"][seat_of_model(game)]["tokens"].as_u64().expect("tokens")
}

/// The games of the log.
fn lines(arena: &Arena) -> Vec<Value> {
    let log = arena.log();
    log.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The last cells of a player in the table, which has columns of these names there.
fn last_cells(arena: &Arena, player: &str, columns: &[&str]) -> Vec<String> {
    let standings = arena.read("standings.csv");
    let heading = standings.lines().next().expect("a heading");
    assert!(heading.ends_with(&format!(",{}", columns.join(","))), "{standings}");
    let row = standings.lines().find(|line| line.contains(&format!(",{player},"))).expect("a row");
    let cells: Vec<String> = row.split(',').map(str::to_owned).collect();
    cells[cells.len() - columns.len()..].to_vec()
}

/// The games of the log, in none of which a player failed.
fn games(arena: &Arena) -> Vec<Value> {
    let games = lines(arena);
    assert!(games.iter().all(|game| game["fault"].is_null()), "{games:?}");
    assert_eq!(games.len(), 4);
    let verified = "results/cup: 4 of 4 games played, seeds checked: no problems\n";
    assert_eq!(arena.run(&["verify"]), Run::new(0, verified, ""));
    games
}

#[test]
fn a_model_that_lies_and_a_service_that_fails_now_and_then_cost_no_game() {
    let service = Service::start(&[Act::Illegal, Act::Close, Act::Garbage, Act::Answer, Act::Fail]);
    let arena = cup(&service, 0, "20s");
    let run = arena.run(&["run"]);
    assert_eq!((run.code, service.left()), (0, 0), "{}", run.err);
    let games = games(&arena);
    assert!(games.iter().all(|game| game.get("void").is_none()), "{games:?}");
    assert_eq!(games[0]["notes"][0]["note"], json!("I think.\nAction: `1`."), "{games:?}");
}

#[test]
fn an_outage_makes_a_game_void_even_after_a_kill() {
    let service = Service::start(&[Act::Stall, Act::Stall]);
    let arena = cup(&service, 1, "3s");
    let mut run = arena.start(&["run"]);
    wait_until(|| service.left() == 1);
    run.kill().expect("it runs");
    run.wait().expect("ended");
    let run = arena.run(&["run"]);
    assert_eq!((run.code, service.left()), (0, 0), "{}", run.err);
    let games = games(&arena);
    let void: Vec<&Value> = games.iter().filter(|game| game.get("void").is_some()).collect();
    let why = "after ply 0, model could not reach its service: no answer in time; played again";
    let [game] = void[..] else { panic!("one game: {games:?}") };
    assert_eq!(game["void"], json!([why]));
    assert_eq!(game["outages"], json!({ seat_of_model(game): 1 }));
    let told = "Void and replayed because a service could not be reached: model 1.";
    assert!(run.out.contains(told), "{}", run.out);
    let columns = ["void", "fault_outage", "tokens", "cost"];
    assert_eq!(last_cells(&arena, "model", &columns)[..2], ["1", "0"]);
}

#[test]
fn what_void_attempts_used_is_in_the_sum() {
    let service = Service::start(&[Act::Answer, Act::Stall]);
    let arena = cup(&service, 1, "3s");
    let run = arena.run(&["run"]);
    assert_eq!((run.code, service.left()), (0, 0), "{}", run.err);
    let id = games(&arena)[0]["id"].as_str().expect("an id").to_owned();
    let warning = format!(
        "warning: game {id} is void: model had an outage (no answer in time); it will be replayed \
         in 1 s"
    );
    assert!(run.err.contains(&warning), "{}", run.err);
    let games = games(&arena);
    let total: u64 = games.iter().map(tokens).sum();
    assert_eq!((total, tokens(&games[0])), (service.tokens(), tokens(&games[1]) + TOKENS));
    assert_eq!(games[0]["usage"][seat_of_model(&games[0])]["cost"], json!(0.009));
    let columns = ["void", "fault_outage", "tokens", "cost"];
    let expected = ["1", "0", "900", "0.027"];
    assert_eq!(
        (last_cells(&arena, "model", &columns), total),
        (expected.map(str::to_owned).into(), 900)
    );
    assert_eq!(last_cells(&arena, "bot", &columns), ["0", "0", "0", "0"]);
}

#[test]
fn a_player_that_has_used_up_its_budget_waits_until_it_is_raised() {
    let service = Service::start(&[]);
    let arena = Arena::new();
    configure(&arena, &service, "20s", "tokens = 250\ncost = 1");
    let run = arena.run(&["run"]);
    let used = "model has used up its budget (tokens: 400 of 250)";
    assert!(run.err.contains(&format!("warning: {used}: its games are waiting\n")), "{}", run.err);
    let error = format!(
        "error: 2 games are waiting: {used}. Raise the limit in the configuration and run the same \
         command again to continue"
    );
    assert!(run.code == 3 && run.err.contains(&error), "{} {}", run.code, run.err);
    assert_eq!((lines(&arena).len(), service.tokens()), (2, 400));
    assert_eq!(arena.header()["players"][0]["usage"], json!({"tokens": 250, "cost": 1.0}));
    assert_eq!(last_cells(&arena, "model", &["tokens", "cost"]), ["400", "0.012"]);

    let run = arena.run(&["run"]);
    assert!(run.code == 3 && run.err.contains(&error), "{} {}", run.code, run.err);
    assert_eq!((lines(&arena).len(), service.tokens()), (2, 400), "nothing is asked");

    configure(&arena, &service, "20s", "cost = 1");
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let change = "usage limits of model: tokens 250, cost 1 became cost 1";
    assert!(run.err.contains(change), "{}", run.err);
    assert_eq!(games(&arena).iter().map(tokens).sum::<u64>(), service.tokens());
}

#[test]
fn a_budget_survives_a_kill() {
    let service = Service::start(&[]);
    let arena = Arena::new();
    configure(&arena, &service, "20s", "tokens = 350");
    let mut run = arena.start(&["run"]);
    arena.wait_for_lines(2);
    run.kill().expect("it runs");
    run.wait().expect("ended");
    let run = arena.run(&["run"]);
    let error = "error: 2 games are waiting: model has used up its budget (tokens: 400 of 350). ";
    assert!(run.code == 3 && run.err.contains(error), "{} {}", run.code, run.err);
    assert_eq!(lines(&arena).iter().map(tokens).collect::<Vec<_>>(), [200, 200]);
    assert_eq!(last_cells(&arena, "model", &["tokens", "cost"]), ["400", "0.012"]);
}

#[test]
fn a_run_that_is_stopped_while_all_games_wait_says_so() {
    let service = Service::start(&[]);
    let arena = Arena::new();
    configure(&arena, &service, "20s", "tokens = 150");
    let run = arena.start(&["run"]);
    wait_until(|| service.tokens() > 0);
    kill(Pid::from_raw(run.id().try_into().expect("an id")), Signal::SIGINT).expect("it runs");
    let run = arena.finish(run, "");
    let error = "error: 3 games are waiting: model has used up its budget (tokens: 200 of 150). ";
    assert!(run.code == 3 && run.err.contains(error), "{} {}", run.code, run.err);
}

#[test]
fn a_comparison_ends_when_a_budget_is_used_up() {
    let service = Service::start(&[]);
    let arena = Arena::new();
    configure(&arena, &service, "20s", "tokens = 250");
    let args = ["compare", "model", "bot", "--against", "bot:greedy", "--max-pairs", "50"];
    for _ in ["first", "again"] {
        let run = arena.run(&args);
        let error = "model has used up its budget (tokens: 400 of 250). Raise the limit";
        assert!(run.code == 3 && run.err.contains(error), "{} {}", run.code, run.err);
        let mut dirs = fs::read_dir(arena.path().join("results")).expect("results");
        let dir = dirs.next().expect("a folder").expect("readable").path();
        let log = fs::read_to_string(dir.join("games.jsonl")).expect("a log");
        assert!(log.lines().count() < 10, "{log}");
    }
}

#[test]
fn notes_are_long_only_where_that_is_allowed() {
    for (lines, is_allowed) in [("long-notes = true", true), ("", false)] {
        let service = Service::start(&[Act::Ramble]);
        let arena = Arena::new();
        configure(&arena, &service, "20s", lines);
        let run = arena.run(&["run"]);
        assert_eq!(run.code, 0, "{}", run.err);
        let game = games(&arena).swap_remove(0);
        let note = game["notes"][0]["note"].as_str().expect("a note");
        assert_eq!(note.len() > 2000, is_allowed, "{note}");
        let warnings = game.get("warnings").map_or(String::new(), Value::to_string);
        let dropped = "bytes was dropped; the maximum is 1024";
        assert_eq!(warnings.contains(dropped), !is_allowed, "{warnings}");
        let id = game["id"].as_str().expect("an id");
        let shown = arena.run(&["replay", id]);
        assert!(!shown.out.contains(&"x".repeat(1001)), "{}", shown.out);
        assert_eq!(shown.out.contains("x…\""), is_allowed, "{}", shown.out);
    }
}
