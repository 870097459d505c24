use referee_games::Seat;
use serde_json::json;

use super::*;
use crate::model::record::examples;

fn header(game: &str, options: &serde_json::Value) -> Header {
    let options = options.as_object().expect("an object").clone();
    Header { game: game.to_owned(), options, ..examples::header(&["ant", "bee"]) }
}

#[test]
fn the_rules_of_a_log_are_those_of_its_header() {
    let rules = GameRules::from_header(&header("watch-your-back", &json!({"max-moves": 7})))
        .expect("rules");
    assert_eq!(
        (rules.game.name(), &rules.options.to_json()["max-moves"]),
        ("watch-your-back", &7.into())
    );
    assert_eq!((rules.start.ply(), &*rules.seats()[Seat::SECOND]), (0, "black"));
    let again = GameRules::from_header(&header("watch-your-back", &json!(rules.options.to_json())));
    assert_eq!(again.expect("rules").options.texts(), rules.options.texts(), "it reads the same");
}

#[test]
fn a_header_that_makes_no_sense_says_why() {
    let refused = |game: &str, options| {
        let error = GameRules::from_header(&header(game, &options)).expect_err("refused");
        error.to_string()
    };
    assert_eq!(refused("draughts", json!({})), "no game `draughts`");
    let text = refused("watch-your-back", json!({"max-moves": "many"}));
    assert!(text.starts_with("option max-moves: "), "{text}");
    let text = refused("watch-your-back", json!({"max-mows": 1}));
    assert!(text.starts_with("option max-mows: "), "{text}");
    let text = refused("backdraughts", json!({"move": "dice", "repetition": 3}));
    assert!(text.contains("no effect with dice"), "{text}");
}

#[test]
fn every_built_in_player_suits_a_game_that_hides_nothing() {
    let rules = GameRules::from_header(&header("watch-your-back", &json!({}))).expect("rules");
    for bot in ["random", "greedy", "steady", "search-100"] {
        assert_eq!(rules.suits(bot), Ok(true));
    }
    assert_eq!(rules.refuse_bots([]), Ok(()));
    let message = UnsuitedBot("greedy".to_owned(), "coin".to_owned()).to_string();
    assert!(
        message.contains("`greedy`") && message.contains("coin") && message.contains("`random`")
    );
}
