//! Answers to `game`: accepted and refused descriptions.

use serde_json::{Value, json};

use super::*;

/// A valid description, with an option of each type.
fn nim() -> Value {
    json!({
        "protocol": 1, "name": "nim", "title": "Nim", "version": "3", "seats": ["first", "second"],
        "options": [
            {"name": "heap", "type": "integer", "min": 1, "max": 99, "default": 21, "text": "Size."},
            {"name": "misere", "type": "boolean", "default": false, "text": "Ends.", "clause": "N2"},
            {"name": "take", "type": "choice", "values": {"few": "Up to 3.", "any": "All."},
             "default": "few", "text": "How many."},
            {"name": "opens", "type": "choice", "values": ["low", "high"], "text": "Who begins."},
            {"name": "deck", "type": "list", "words": ["all"], "items": ["ace", "king"],
             "files": "lists of cards", "default": "ace,king", "text": "The cards."}
        ],
        "clauses": [
            {"id": "N1", "title": "Move", "text": "Take some."},
            {"id": "N2", "title": "End", "text": "The last one loses."}
        ]
    })
}

fn described(answer: Value) -> Result<GameDescription, Violation> {
    GameDescription::new(serde_json::from_value(answer).expect("the form of an answer"))
}

/// The error of the description with another value at a JSON pointer.
fn refused(pointer: &str, value: Value) -> Violation {
    let mut answer = nim();
    *answer.pointer_mut(pointer).expect("a field") = value;
    described(answer).expect_err("refused")
}

#[test]
fn descriptions_of_games_are_read() {
    let game = described(nim()).expect("a description");
    assert_eq!((game.name.as_str(), game.title.as_str(), game.hidden), ("nim", "Nim", false));
    assert_eq!(game.seats, BySeat::from(["first".into(), "second".into()]));
    let clauses: Vec<_> = game.clauses.iter().map(|it| (&*it.id, &*it.title, &*it.text)).collect();
    assert_eq!(clauses, [("N1", "Move", "Take some."), ("N2", "End", "The last one loses.")]);
    let names: Vec<_> = game.options.iter().map(|option| &*option.name).collect();
    assert_eq!(names, ["heap", "misere", "take", "opens", "deck"], "in their order");
    assert_eq!(game.options[1].clause.as_deref(), Some("N2"));
    assert_eq!((&*game.options[0].help, &game.options[0].clause), ("Size.", &None));
}

#[test]
fn options_have_their_defaults_types_and_values() {
    let game = described(nim()).expect("a description");
    let resolve = |given: &[(&str, &str)]| Options::resolve(&game.options, given.iter().copied());
    let json = |options: Options| serde_json::to_value(options).expect("plain data");
    let defaults = json(resolve(&[]).expect("the defaults"));
    assert_eq!(
        defaults,
        json!({"heap": 21, "misere": false, "take": "few", "deck": "ace,king"}),
        "an option without a default has no value unless one is given"
    );
    let given = [("opens", "low"), ("misere", "true"), ("heap", "99"), ("deck", "all")];
    let given = json(resolve(&given).expect("values that fit"));
    assert_eq!((&given["opens"], &given["misere"]), (&json!("low"), &json!(true)));
    assert_eq!((&given["heap"], &given["deck"]), (&json!(99), &json!("all")));
    for (name, value) in
        [("heap", "0"), ("heap", "100"), ("heap", "x"), ("misere", "maybe"), ("take", "most")]
    {
        assert!(resolve(&[(name, value)]).is_err(), "{name} = {value}");
    }
}

#[test]
fn words_have_meanings_only_if_the_program_gives_them() {
    let game = described(nim()).expect("a description");
    let words = |at: usize| match &game.options[at].kind {
        OptionKind::Choice { values } => {
            values.0.iter().map(|(word, meaning)| format!("{word}={meaning}")).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(words(2), ["few=Up to 3.", "any=All."]);
    assert_eq!(words(3), ["low=", "high="]);
}

#[test]
fn names_are_kebab_case() {
    let named = |name: String| {
        let mut answer = nim();
        answer["name"] = name.into();
        described(answer).map(drop)
    };
    for name in ["a", "connect-four", "2048", &"x".repeat(64)] {
        assert_eq!(named(name.to_owned()), Ok(()), "{name}");
    }
    for name in ["", "Nim", "-nim", "nim-", "ni m", "nım", "../nim", &"x".repeat(65)] {
        assert_eq!(named(name.to_owned()), Err(Violation::Name(name.to_owned())));
    }
}

#[test]
fn seats_are_two_different_names() {
    for seats in [json!(["one", "one"]), json!(["one", "draw"]), json!(["draw", "two"])] {
        assert_eq!(refused("/seats", seats), Violation::SeatNames);
    }
    let odd = refused("/seats", json!(["one", "Two"]));
    assert_eq!(odd, Violation::Name("Two".to_owned()));
}

#[test]
fn violations_of_the_contract_are_named() {
    let twice = |name: &str| Violation::ListedTwice(name.to_owned());
    let default = |name: &str| Violation::Default(name.to_owned());
    let cases = [
        ("/protocol", json!(2), Violation::Version(2)),
        ("/options/1/name", json!("heap"), twice("heap")),
        ("/clauses/1/id", json!("N1"), twice("N1")),
        ("/options/0/name", json!("He ap"), Violation::Name("He ap".to_owned())),
        ("/options/0/default", json!(0), default("heap")),
        ("/options/0/default", json!("many"), default("heap")),
        ("/options/1/default", json!("perhaps"), default("misere")),
        ("/options/2/default", json!("most"), default("take")),
    ];
    for (pointer, value, violation) in cases {
        assert_eq!(refused(pointer, value), violation, "{pointer}");
    }
}

#[test]
fn a_default_may_be_written_as_text() {
    let mut answer = nim();
    answer["options"][0]["default"] = json!("21");
    answer["options"][1]["default"] = json!("false");
    let game = described(answer).expect("a description");
    let options = Options::resolve(&game.options, []).expect("the defaults");
    assert_eq!(serde_json::to_value(options).expect("plain data")["heap"], 21);
}
