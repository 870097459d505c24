use super::*;
use referee_record::model::stage::Format;

/// A configuration of three players with these lines before them.
fn text(lines: &str) -> String {
    format!("{HEAD}{lines}\n{PLAYERS}[[players]]\nname = \"c\"\nbot = \"random\"\n")
}

fn stages(lines: &str) -> Vec<Stage> {
    Folder::new().check(&text(lines)).expect("a tournament").stages
}

/// The message for these lines, which names all of `parts`.
fn refused(lines: &str, parts: &[&str]) {
    let message = message(&text(lines));
    for part in parts {
        assert!(message.contains(part), "{part} is not in:\n{message}");
    }
}

#[test]
fn each_format_has_its_keys() {
    let one = |format, pairs| [Stage { format, pairs, players: None }];
    assert_eq!(stages("pairs = 2"), one(Format::RoundRobin, 2));
    assert_eq!(stages("format = \"swiss\"\nrounds = 2"), one(Format::Swiss { rounds: 2 }, 1));
    assert_eq!(stages("format = \"knockout\""), one(Format::Knockout { tie_breaks: 3 }, 1));
    let tie_breaks = "format = \"knockout\"\ntie-breaks = 0\npairs = 4";
    assert_eq!(stages(tie_breaks), one(Format::Knockout { tie_breaks: 0 }, 4));
    let gauntlet = Format::Gauntlet { anchors: vec!["b".to_owned()], same_luck: false };
    assert_eq!(stages("format = \"gauntlet\"\nanchors = [\"b\"]"), one(gauntlet, 1));
    let ladder = Format::Ladder { games: 40, margin: Some(9) };
    assert_eq!(stages("format = \"ladder\"\ngames = 40\nmargin = 9"), one(ladder, 1));
}

#[test]
fn stages_follow_each_other_with_fewer_and_fewer_players() {
    let tables = "\
[[stages]]
format = \"check\"
[[stages]]
format = \"swiss\"
rounds = 2
[[stages]]
players = 2
pairs = 5
";
    let [check, swiss, last] = &stages(tables)[..] else { panic!("three stages") };
    assert_eq!((&check.format, &swiss.format), (&Format::Check, &Format::Swiss { rounds: 2 }));
    assert_eq!((last.players, last.pairs, &last.format), (Some(2), 5, &Format::RoundRobin));
}

#[test]
fn only_games_with_final_scores_rank_players_by_them() {
    refused("rank = \"scores\"", &["built-in games have no final scores", "remove `rank`"]);
    refused("rank = \"points\"", &["`rank`", "`scores`"]);
}

#[test]
fn a_key_that_a_format_needs_is_named() {
    refused("format = \"swiss\"", &["`rounds`", "rounds = 7"]);
    refused("format = \"ladder\"", &["`games`", "games = 2000"]);
    refused("format = \"gauntlet\"", &["`anchors`", "anchors = [\"house\"]"]);
}

#[test]
fn a_tournament_has_a_bounded_number_of_games() {
    let player = |number| format!("[[players]]\nname = \"p{number}\"\nbot = \"random\"\n");
    let others: String = (0..200).map(player).collect();
    let message = message(&format!("{HEAD}pairs = 100000\n{PLAYERS}{others}"));
    starts(&message, "this tournament would have 4060200000 games\n --> cup.toml:3:9\n");
}

#[test]
fn a_ladder_has_at_least_one_meeting() {
    let parts = ["a ladder of 10 games has no meeting of 10 pairs", "raise `games` to 20 or more"];
    refused("format = \"ladder\"\ngames = 10\npairs = 10", &parts);
}

#[test]
fn a_key_of_another_format_is_refused() {
    for (key, of) in [
        ("rounds = 2", "swiss"),
        ("tie-breaks = 1", "knockout"),
        ("games = 9", "ladder"),
        ("margin = 9", "ladder"),
        ("anchors = [\"a\"]", "gauntlet"),
    ] {
        let name = key.split(' ').next().expect("a key");
        refused(key, &[&format!("`{name}`"), "round-robin", &format!("format = \"{of}\"")]);
    }
    refused("format = \"cup\"\nrounds = 2", &["`cup`", "`swiss`"]);
    refused("format = \"league\"\nrounds = 2", &["`rounds`", "in a league"]);
}

#[test]
fn numbers_and_names_that_do_not_fit_are_refused() {
    refused("format = \"swiss\"\nrounds = 3", &["3 rounds", "at most 2"]);
    refused("format = \"ladder\"\ngames = 1", &["`games`", "from 2 to"]);
    refused("pairs = 0", &["`pairs`", "from 1 to"]);
    let gauntlet = |anchors: &str| format!("format = \"gauntlet\"\nanchors = {anchors}");
    refused(&gauntlet("[\"house\"]"), &["`house`"]);
    refused(&gauntlet("[\"a\", \"a\"]"), &["`a`", "twice"]);
    refused(&gauntlet("[]"), &["a gauntlet needs"]);
    refused(&gauntlet("[\"a\", \"b\", \"c\"]"), &["a gauntlet needs"]);
    refused("[[stages]]\nplayers = 1", &["`players`", "from 2 to"]);
}

#[test]
fn a_check_comes_first_and_not_alone() {
    let first = "a check must be the first";
    refused("format = \"check\"", &[first]);
    refused("[[stages]]\nformat = \"check\"", &[first]);
    refused("[[stages]]\n[[stages]]\nformat = \"check\"", &[first]);
    refused("[[stages]]\nformat = \"check\"\nplayers = 2\n[[stages]]", &[first]);
}

#[test]
fn keys_of_a_stage_are_refused_above_the_stages() {
    refused("pairs = 3\n[[stages]]", &["`pairs`", "`[[stages]]`"]);
    refused("stages = 3", &["`stages`", "`[[stages]]`"]);
    refused("stages = [3]", &["`stages`", "`[[stages]]`"]);
}
