//! `players/chat_model.py`, which asks a language model, against a local server that answers,
//! stalls, lies and fails.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use crate::support::{Arena, Run, wait_until};

const RULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/goofspiel/goofspiel.py");
const PLAYER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/players/chat_model.py");

/// What the service does with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    /// Names the first legal action.
    Answer,
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

/// A service that does these things, one for each request, and then answers.
#[derive(Debug, Clone)]
struct Service {
    acts: Arc<Mutex<VecDeque<Act>>>,
    port: u16,
}

impl Service {
    fn start(acts: &[Act]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let service = Self { acts: Arc::new(Mutex::new(acts.iter().copied().collect())), port };
        let shared = Arc::clone(&service.acts);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let act = shared.lock().expect("no panic").pop_front().unwrap_or(Act::Answer);
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
    let said = |text: String| json!({"choices": [{"message": {"content": text}}]}).to_string();
    let (status, text) = match act {
        Act::Answer => ("200 OK", said(format!("I think.\nAction: `{action}`."))),
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
    let text = format!(
        "name = \"cup\"\ngame = {{ command = [\"python3\", {RULES:?}, \"2\"] }}\nseed = 5\npairs = 2\n\
         jobs = 1\n[options]\ncards = 2\n[clock]\nmove = {limit:?}\n[containment]\nlevel = \"off\"\n\
         [[players]]\nname = \"model\"\ncommand = [\"python3\", {PLAYER:?}]\noutages = {outages}\n\
         env = {{ CHAT_URL = \"http://127.0.0.1:{}/v1\" }}\n\
         [[players]]\nname = \"bot\"\nbot = \"random\"\n",
        service.port
    );
    arena.write("tournament.toml", &text);
    arena
}

/// The games of the log, in none of which a player failed.
fn games(arena: &Arena) -> Vec<Value> {
    let log = arena.log();
    let games: Vec<Value> =
        log.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect();
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
    let seat = game["players"].as_object().expect("players").iter().find(|(_, it)| *it == "model");
    assert_eq!(game["outages"], json!({ seat.expect("a seat").0.as_str(): 1 }));
    let told = "Void because a service could not be reached, and played again: model 1.";
    assert!(run.out.contains(told), "{}", run.out);
    let standings = arena.read("standings.csv");
    let heading = standings.lines().next().expect("a heading");
    assert!(heading.ends_with(",void,fault_outage"), "{standings}");
    let row = standings.lines().find(|line| line.contains(",model,")).expect("a row");
    assert!(row.ends_with(",1,0"), "{standings}");
}
