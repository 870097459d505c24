//! Programs that fail or break the contract: the error, and a fresh process for the next request.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use referee_games::{GameError, OptionError, Seat, Step, Turn};

use super::*;
use crate::contract::{LONGEST_ANSWER, MOST_PLIES, MOST_UNASKED};

/// The problem that the failure names: its first line, without the common beginning.
fn problem(error: &GameError) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("the rules program failed: ").expect(line).to_owned()
}

fn play(program: &ScriptedProgram, action: &str) -> Result<(), GameError> {
    program.position().play(Step::Move(action), &mut Vec::new())
}

#[test]
fn an_answer_that_is_not_one_is_shown() {
    let cases: [(&[u8], &str); 7] = [
        (b"hello\n", "its answer is not a line of JSON: expected value at line 1"),
        (b"\n", "its answer is not a line of JSON: EOF while parsing"),
        (b"{\"id\":1}\n", "its answer violates the protocol: missing field `protocol`"),
        (b"{\"id\":1,\"x\":\"\xff\"}\n", "its answer violates the protocol: it is not UTF-8"),
        (b"{\"protocol\":1}\n", "its answer has no id (expected 1)"),
        (b"{\"id\":7}\n", "its answer has id 7, but the request had 1"),
        (b"[1]\n", "its answer violates the protocol: "),
    ];
    for (bytes, said) in cases {
        let program = ScriptedProgram::nim_but("game", move |_| Says::Bytes(bytes.to_vec()));
        let error = program.open(PATIENT).expect_err("refused");
        assert!(problem(&error).starts_with(said), "{}", problem(&error));
    }
}

#[test]
fn a_failure_shows_the_request_the_answer_and_the_end_of_stderr() {
    let program = ScriptedProgram::nim_but("play", |_| {
        Says::Fields(json!({"state": 0, "turn": {}, "caption": "x".repeat(2000)}))
    });
    let text = play(&program, "1").expect_err("no turn").to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "the rules program failed: `turn` needs exactly one of `move`, `both`, `pass`, `chance`, \
         `over`"
    );
    assert!(lines[1].starts_with("  request: {\"type\":\"play\",\"id\":3,"), "{text}");
    assert!(lines[2].starts_with("  answer: {\"state\":0,") && lines[2].contains("xx … xx"));
    assert!(lines[2].len() < 700, "a long answer is cut in the middle");
    assert_eq!(lines[3..], ["  stderr: first line", "  stderr: last line"]);
}

#[test]
fn a_failure_comes_with_what_helps_its_author() {
    let advice = |error: &GameError| {
        let text = error.to_string();
        text.lines().nth(1).and_then(|line| line.strip_prefix("  note: ")).map(str::to_owned)
    };
    let printing = ScriptedProgram::new(|_| Says::Bytes(b"heap: 3\n".to_vec()));
    let error = printing.open(PATIENT).expect_err("not JSON");
    let debug = "an answer is one line of JSON on stdout; write debug output to stderr";
    assert_eq!(advice(&error).as_deref(), Some(debug));

    // The key `legal` is misspelt, so the game seems to list no actions.
    let misspelt = ScriptedProgram::new(|request| match request["type"].as_str() {
        Some("start") => {
            let mut answer = shown(3, "first", "second");
            let fields = answer.as_object_mut().expect("an object");
            let legal = fields.remove("legal").expect("a list");
            fields.insert("legl".to_owned(), legal);
            fields.insert("max_plies".to_owned(), json!(9));
            Says::Fields(answer)
        }
        Some("sample") => Says::Fields(json!({"error": "this game does not answer `sample`"})),
        _ => nim(request),
    });
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let error = misspelt.position().sample(Seat::FIRST, &mut rng).expect_err("no action");
    assert_eq!(problem(&error), "it answered with an error: this game does not answer `sample`");
    let sampled = "the position has no `legal`, so its actions are sampled";
    assert_eq!(advice(&error).as_deref(), Some(sampled));
}

#[test]
fn a_program_that_ends_is_started_again_by_the_next_request() {
    let program = ScriptedProgram::nim_but("play", |_| Says::Ends);
    let mut position = program.position();
    let mut play = || position.play(Step::Move("1"), &mut Vec::new());
    assert_eq!(problem(&play().expect_err("it ended")), "it stopped (exit status 3)");
    assert_eq!(program.starts(), 1);
    assert_eq!(problem(&play().expect_err("it ended")), "it stopped (exit status 3)");
    assert_eq!(program.starts(), 2);
    assert_eq!(program.last()["id"], 1, "a fresh process counts from the start");
    assert_eq!(position.ply(), 0, "the position is as it was");
    assert_eq!(position.judge(Seat::FIRST, "two"), Ok("2".to_owned()), "and can still be used");
    assert_eq!(program.starts(), 3);
}

#[test]
fn a_program_that_breaks_the_contract_is_not_used_any_further() {
    let program = ScriptedProgram::nim_but("judge", |_| Says::Fields(json!({"action": " 2"})));
    let position = program.position();
    position.judge(Seat::FIRST, "two").expect_err("not a text");
    assert_eq!(program.starts(), 1);
    position.clone().play(Step::Move("1"), &mut Vec::new()).expect("a fresh process");
    assert_eq!(program.starts(), 2);
}

#[test]
fn a_silent_program_is_not_awaited_for_longer_than_its_time() {
    let limit = Duration::from_millis(10);
    let error = ScriptedProgram::new(|_| Says::Nothing).open(limit).expect_err("no answer");
    assert_eq!(problem(&error), "no answer within 0.01 s");
    let half = ScriptedProgram::new(|_| Says::Bytes(b"{\"id\":1".to_vec()));
    let error = half.open(limit).expect_err("no whole answer");
    assert_eq!(problem(&error), "no answer within 0.01 s");
}

#[test]
fn an_answer_without_an_end_is_not_read_for_ever() {
    let program = ScriptedProgram::new(|_| Says::Bytes(vec![b'x'; LONGEST_ANSWER + 1]));
    let error = program.open(PATIENT).expect_err("too long");
    assert_eq!(problem(&error), "its answer is longer than 1048576 bytes");
}

#[test]
fn an_answer_in_pieces_is_put_together_and_what_follows_is_kept() {
    let program = ScriptedProgram::new(|request| {
        let Says::Fields(mut fields) = nim(request) else { return Says::Ends };
        fields["id"] = request["id"].clone();
        if request["type"] == "game" {
            // The answer to the next request is written early.
            let mut next = shown(1, "first", "second");
            (next["id"], next["max_plies"]) = (json!(2), json!(9));
            return Says::Bytes(format!("{fields}\n{next}\n").into_bytes());
        }
        Says::Nothing
    });
    assert_eq!(program.position().state().get(), r#"{"heap":1,"mover":"first"}"#);
}

#[derive(Debug)]
struct NoProgram;

impl ProgramLauncher for NoProgram {
    fn start(&self) -> Result<(Box<dyn RulesProcess>, ProgramPipes), Box<dyn std::error::Error>> {
        Err("the program was not found".into())
    }
}

#[test]
fn a_program_that_cannot_be_started_says_why() {
    let identify = |_: &str| unreachable!("it is not started");
    let error =
        ProgramGame::open(Arc::new(NoProgram), PATIENT, identify).expect_err("it is not there");
    assert_eq!(problem(&error), "it could not be started: the program was not found");
    assert_eq!(error.to_string().lines().count(), 1, "nothing was asked");
}

#[test]
fn an_invalid_judgement_is_a_failure_of_the_program() {
    let cases = [
        (json!({}), "expected `action` or `refused`"),
        (json!({"action": "3"}), "`3` is not among the legal actions"),
        (json!({"refused": "no", "clause": "N9"}), "unknown clause `N9`"),
    ];
    for (answer, said) in cases {
        let program = ScriptedProgram::nim_but("judge", move |_| Says::Fields(answer.clone()));
        let error = program.position().judge(Seat::FIRST, "three").expect_err("a failure");
        assert_eq!(problem(&error), said);
    }
}

#[test]
fn a_start_says_after_how_many_plies_the_game_is_over() {
    for (plies, said) in [
        (Value::Null, "`max_plies` is missing".to_owned()),
        (json!(0), format!("`max_plies` is 0; it must be from 1 to {MOST_PLIES}")),
        (json!(100_001), format!("`max_plies` is 100001; it must be from 1 to {MOST_PLIES}")),
    ] {
        let program = ScriptedProgram::nim_but("start", move |_| {
            let mut answer = shown(3, "first", "second");
            answer["max_plies"] = plies.clone();
            Says::Fields(answer)
        });
        assert_eq!(problem(&program.start().expect_err("refused")), said);
    }
}

#[test]
fn games_that_exceed_their_plies_are_stopped() {
    let program = ScriptedProgram::nim_but("start", |_| {
        let mut answer = shown(9, "first", "second");
        answer["max_plies"] = json!(2);
        Says::Fields(answer)
    });
    let mut position = program.position();
    position.play(Step::Move("1"), &mut Vec::new()).expect("the first ply");
    let error = position.play(Step::Move("1"), &mut Vec::new()).expect_err("it goes on");
    assert_eq!(problem(&error), "the game is not over after 2 plies, its own `max_plies`");
    assert_eq!(position.ply(), 1);
}

#[test]
fn chance_may_decide_a_game_after_its_last_ply() {
    let program = ScriptedProgram::new(|request| match (&request["type"], &request["step"]) {
        (Value::String(kind), _) if kind == "start" => {
            let mut answer = shown(9, "first", "second");
            answer["max_plies"] = json!(1);
            Says::Fields(answer)
        }
        (_, step) if step["move"].is_string() => {
            Says::Fields(json!({"state": 0, "turn": {"chance": [["6", 1]]}}))
        }
        (_, step) if step["chance"].is_string() => {
            Says::Fields(json!({"state": 0, "turn": {"over": "draw", "reason": "drawn"}}))
        }
        _ => nim(request),
    });
    let mut position = program.position();
    position.play(Step::Move("1"), &mut Vec::new()).expect("the last ply");
    position.play(Step::Chance("6"), &mut Vec::new()).expect("chance adds no ply");
    assert!(matches!(position.turn(), Turn::Over(_)));
}

#[test]
fn games_that_ask_no_seat_for_too_long_are_stopped() {
    let program = ScriptedProgram::new(|request| match request["type"].as_str() {
        Some("start" | "play") => Says::Fields(json!({
            "state": 0, "turn": {"chance": [["6", 1]]}, "max_plies": 1
        })),
        _ => nim(request),
    });
    let mut position = program.position();
    let mut steps = 0;
    let error = loop {
        match position.play(Step::Chance("6"), &mut Vec::new()) {
            Ok(()) => steps += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(steps, MOST_UNASKED);
    assert_eq!(problem(&error), "no seat was asked for an action in more than 1000 steps");
}

#[test]
fn options_refused_by_the_program_are_not_its_failure() {
    let program =
        ScriptedProgram::nim_but("start", |_| Says::Fields(json!({"error": "too\u{7} small"})));
    let error = program.start().expect_err("refused");
    assert_eq!(error, GameError::Options(OptionError::Rules(r"too\u{7} small".into())));
    assert_eq!(program.starts(), 1);
}
