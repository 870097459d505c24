use std::collections::BTreeMap;

use super::*;
use referee_record::model::grades::{Grades, RankBy, RankMark, ScoreMark};

/// The grades of a tournament in which c is a program and the others are built in.
fn grades(lines: &str) -> Grades {
    let player =
        "[[players]]\nname = \"c\"\ncommand = [\"python3\", \"greedy.py\"]\ndir = \"players\"\n";
    let text = format!("{HEAD}{lines}\n{PLAYERS}{player}");
    Folder::new().check(&text).expect("a tournament").grades.expect("grades")
}

fn refused(lines: &str, parts: &[&str]) {
    let message = about(&format!("[grades]\n{lines}"));
    for part in parts {
        assert!(message.contains(part), "{part} is not in:\n{message}");
    }
}

#[test]
fn marks_are_taken_in_the_order_of_the_ranks() {
    let lines = "[grades]\nranks = [{ rank = 9, marks = 2.5 }, { rank = 1, marks = 10.0 }]\n\
                 against = [{ player = \"a\", score = 0.5, marks = 2.0 }]";
    let grades = grades(lines);
    let ranks = [RankMark { rank: 1, marks: 10.0 }, RankMark { rank: 9, marks: 2.5 }];
    assert_eq!(grades.ranks, ranks);
    assert_eq!(grades.against, [ScoreMark { player: "a".to_owned(), score: 0.5, marks: 2.0 }]);
    assert!(grades.failed.abs() < f64::EPSILON, "who fails gets nothing");
    assert_eq!(grades.exempt, ["a", "b"], "built-in players are not graded");
}

#[test]
fn failed_players_get_no_more_marks_than_others() {
    let negative = grades("[grades]\nranks = [{ rank = 3, marks = -2.0 }]");
    assert!((negative.failed + 2.0).abs() < f64::EPSILON, "{negative:?}");
    let given = grades("[grades]\nfailed = -5.0\nranks = [{ rank = 3, marks = 1.0 }]");
    assert!((given.failed + 5.0).abs() < f64::EPSILON, "{given:?}");
}

#[test]
fn the_rank_that_counts_can_be_chosen() {
    let by_default = grades("[grades]\nranks = [{ rank = 3, marks = 1.0 }]");
    assert_eq!((by_default.by, by_default.graded_only), (RankBy::Low, false));
    let ranks = "ranks = [{ rank = 3, marks = 1.0 }]\ncount-built-in = false";
    let given = grades(&format!("[grades]\nby = \"high\"\n{ranks}"));
    assert_eq!((given.by, given.graded_only), (RankBy::High, true));
    refused(&format!("by = \"best\"\n{ranks}"), &["`by`", "`low`, `rank` or `high`"]);
}

#[test]
fn anchors_are_not_graded() {
    let lines =
        "format = \"gauntlet\"\nanchors = [\"c\"]\n[grades]\nranks = [{ rank = 1, marks = 1.0 }]";
    assert!(grades(lines).exempt.contains(&"c".to_owned()));
}

#[test]
fn grades_that_make_no_sense_are_refused() {
    refused("", &["`[grades]`", "`against`"]);
    let twice = "ranks = [{ rank = 4, marks = 1.0 }, { rank = 4, marks = 9.0 }]";
    refused(twice, &["there are two lines for rank 4", "the first one is here"]);
    refused("ranks = 3", &["`ranks`"]);
    refused("ranks = [3]", &["`ranks`"]);
    refused("ranks = [{ rank = 0, marks = 1.0 }]", &["`rank`", "from 1 to"]);
    refused("ranks = [{ rank = 1 }]", &["`marks`"]);
    refused("ranks = [{ rank = 1, marks = nan }]", &["`marks`", "finite"]);
    refused("ranks = [{ rank = 1, marks = 1.0, x = 1 }]", &["`x`"]);
    let against = |score: &str, player: &str| {
        format!("against = [{{ player = \"{player}\", score = {score}, marks = 1.0 }}]")
    };
    refused(&against("1.5", "a"), &["`score`", "from 0 to 1"]);
    refused(&against("0.5", "house"), &["`house`"]);
}

#[test]
fn those_without_a_player_get_marks_but_do_not_play() {
    let zoe = "[[players]]\nname = \"zoe\"\nabsent = \"it is empty\"\n";
    let marks = format!("[grades]\nranks = [{{ rank = 1, marks = 1.0 }}]\n{zoe}");
    let absent = BTreeMap::from([("zoe".to_owned(), "it is empty".to_owned())]);
    assert_eq!(grades(&marks).absent, absent);
    let tournament = Folder::new().check(&format!("{HEAD}{zoe}{PLAYERS}")).expect("a tournament");
    let names: Vec<&str> = tournament.players.iter().map(|player| &*player.name).collect();
    assert_eq!((names, tournament.absent), (vec!["a", "b"], absent));
    let message = about(&zoe.replace("zoe", "a"));
    assert!(message.contains("two players are called `a`"), "{message}");
    let message = about(&format!("{zoe}bot = \"greedy\""));
    assert!(message.contains("this player has both `bot` and `absent`"), "{message}");
    let message = about(&format!("{zoe}dir = \".\""));
    assert!(message.contains("an `absent` player cannot have `dir`"), "{message}");
    refused(
        &format!("against = [{{ player = \"zoe\", score = 1, marks = 1 }}]\n{zoe}"),
        &["`zoe`"],
    );
}
