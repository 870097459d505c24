//! Games whose rules are a thread of the tests that follows a script.

mod failures;
mod positions;

use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fmt, thread};

use referee_games::{AnyGame, GameError, Options, PlacesTell, Position, RulesProgram};
use serde_json::{Value, json};

use crate::{ProgramEnd, ProgramGame, ProgramLauncher, ProgramPipes, RulesProcess};

/// A time limit that every script keeps.
const PATIENT: Duration = Duration::from_secs(60);

/// The reaction of a script to a request.
enum Says {
    /// It answers with these fields and the id of the request.
    Fields(Value),
    /// It writes these bytes.
    Bytes(Vec<u8>),
    /// It waits for the next request.
    Nothing,
    Ends,
}

type Script = dyn Fn(&Value) -> Says + Send + Sync;

/// A rules program that follows a script.
#[derive(Clone)]
struct ScriptedProgram {
    script: Arc<Script>,
    /// The requests that it received.
    heard: Arc<Mutex<Vec<Value>>>,
    /// The number of times it was started.
    starts: Arc<Mutex<usize>>,
}

impl fmt::Debug for ScriptedProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScriptedProgram")
    }
}

impl ScriptedProgram {
    fn new(script: impl Fn(&Value) -> Says + Send + Sync + 'static) -> Self {
        Self { script: Arc::new(script), heard: Arc::default(), starts: Arc::default() }
    }

    /// A program that plays [`nim`], but answers requests of one type in its own way.
    fn nim_but(kind: &'static str, other: impl Fn(&Value) -> Says + Send + Sync + 'static) -> Self {
        Self::new(
            move |request| if request["type"] == kind { other(request) } else { nim(request) },
        )
    }

    fn open(&self, limit: Duration) -> Result<ProgramGame, GameError> {
        ProgramGame::open(Arc::new(self.clone()), limit, |answer| RulesProgram {
            command: vec![answer.to_owned()],
            program: String::new(),
            dir: String::new(),
            configured: String::new(),
            files: Vec::new(),
            reply_ms: 0,
            hash: String::new(),
            code: String::new(),
            hidden: false,
            ranking: PlacesTell::Places,
        })
    }

    fn game(&self) -> ProgramGame {
        self.open(PATIENT).expect("a game")
    }

    /// The first position under the default options.
    fn start(&self) -> Result<Position, GameError> {
        let game = self.game();
        game.start(&Options::resolve(game.options(), []).expect("the defaults"))
    }

    fn position(&self) -> Position {
        self.start().expect("a position")
    }

    fn starts(&self) -> usize {
        *self.starts.lock().expect("no panic")
    }

    /// The types of the requests so far.
    fn asked(&self) -> Vec<String> {
        let heard = self.heard.lock().expect("no panic");
        heard.iter().filter_map(|request| Some(request["type"].as_str()?.to_owned())).collect()
    }

    /// The last request.
    fn last(&self) -> Value {
        self.heard.lock().expect("no panic").last().cloned().expect("a request")
    }

    fn run(&self, input: PipeReader, mut output: PipeWriter) -> io::Result<()> {
        for line in BufReader::new(input).lines() {
            let request: Value = serde_json::from_str(&line?)?;
            let says = (self.script)(&request);
            let id = request["id"].clone();
            self.heard.lock().expect("no panic").push(request);
            match says {
                Says::Fields(mut fields) => {
                    fields["id"] = id;
                    writeln!(output, "{fields}")?;
                }
                Says::Bytes(bytes) => output.write_all(&bytes)?,
                Says::Nothing => {}
                Says::Ends => break,
            }
        }
        Ok(())
    }
}

#[derive(Debug)]
struct ScriptThread;

impl RulesProcess for ScriptThread {
    fn end(&mut self) -> ProgramEnd {
        let stderr = ["first line", "last line"].map(str::to_owned).to_vec();
        ProgramEnd { how: "exit status 3".to_owned(), stderr }
    }
}

impl ProgramLauncher for ScriptedProgram {
    fn start(&self) -> Result<(Box<dyn RulesProcess>, ProgramPipes), Box<dyn std::error::Error>> {
        let (input, to) = io::pipe()?;
        let (from, output) = io::pipe()?;
        *self.starts.lock().expect("no panic") += 1;
        let program = self.clone();
        // Writing fails once the other end is closed.
        thread::spawn(move || program.run(input, output));
        Ok((Box::new(ScriptThread), ProgramPipes::new(to.into(), from.into())?))
    }

    fn start_limit(&self) -> Duration {
        Duration::ZERO
    }
}

/// The game in which seats take 1 or 2 of a heap in turn, and the last one wins.
fn nim(request: &Value) -> Says {
    let state = &request["state"];
    let heap = state["heap"].as_u64().unwrap_or_default();
    let seats = ["first", "second"];
    Says::Fields(match request["type"].as_str() {
        Some("game") => json!({
            "protocol": 1, "name": "nim", "title": "Nim", "seats": seats,
            "options": [
                {"name": "heap", "type": "integer", "min": 1, "max": 9, "default": 3, "text": "Size."}
            ],
            "clauses": [{"id": "N1", "title": "Move", "text": "Take 1 or 2."}]
        }),
        Some("start") => {
            let heap = request["options"]["heap"].as_u64().expect("a default");
            let mut answer = shown(heap, "first", "second");
            answer["max_plies"] = json!(9);
            answer
        }
        Some("play") => {
            let taken = request["step"]["move"].as_str().and_then(|text| text.parse::<u64>().ok());
            let taken = taken.expect("a legal action");
            let at = usize::from(state["mover"] == "first");
            let mut answer = shown(heap - taken, seats[at], seats[1 - at]);
            answer["events"] = json!([{"event": "taken", "count": taken}]);
            answer
        }
        Some("judge") => match request["text"].as_str() {
            Some("two") => json!({"action": "2"}),
            Some("9") => json!({"refused": "9 is too many", "clause": "N1"}),
            _ => json!({"refused": "expected `1` or `2`", "malformed": true}),
        },
        _ => return Says::Ends,
    })
}

/// A position of nim.
fn shown(heap: u64, mover: &str, other: &str) -> Value {
    let turn = match heap {
        0 => json!({"over": other, "reason": "taken"}),
        _ => json!({"move": mover}),
    };
    let legal = if heap > 1 { json!(["2", "1"]) } else { json!(["1"]) };
    json!({"state": {"heap": heap, "mover": mover}, "turn": turn, "legal": legal})
}
