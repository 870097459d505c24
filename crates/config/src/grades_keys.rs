//! `[grades]`: converts ranks and scores to marks.

use std::collections::BTreeMap;

use toml::Spanned;

use super::clock_limits::check_whole_number;
use super::player_keys::{PlayerKeys, RunMethod};
use super::problem::{ByteSpan, Problem, Problems, suggest_similar_word};
use super::toml_keys::{Field, FromTable, Given, TomlTableReader, table_keys};
use referee_record::model::grades::{Grades, RankBy, RankMark, ScoreMark};
use referee_record::model::stage::{Format, Stage};

table_keys! {
    /// The keys under `[grades]`.
    GradesKeys[at], "`[grades]`":
    "by" => by: Field<String>,
    "count-built-in" => count_built_in: Field<bool>,
    "ranks" => ranks: Vec<RankKeys>,
    "against" => against: Vec<ScoreKeys>,
    "failed" => failed: Field<f64>,
}

table_keys! {
    /// The marks for a rank.
    RankKeys, "this line of `[grades]`":
    "rank" like "3" => rank: Field<i128>,
    "marks" like "10" => marks: Field<f64>,
}

table_keys! {
    /// The marks for a score against a player.
    ScoreKeys, "this line of `[grades]`":
    "player" like "\"house\"" => player: Field<String>,
    "score" like "0.5" => score: Field<f64>,
    "marks" like "2" => marks: Field<f64>,
}

/// Checks the grades that `keys` ask for, for these players and those `absent`.
pub(super) fn check_grades_keys(
    keys: Option<&GradesKeys>,
    (players, absent): (Option<&[PlayerKeys]>, &BTreeMap<String, String>),
    stages: &[Stage],
    problems: &mut Problems,
) -> Option<Grades> {
    let keys = keys?;
    if keys.ranks.is_empty() && keys.against.is_empty() {
        let problem = Problem::new(keys.at.clone(), "`[grades]` gives no marks");
        problems.add(problem.help("add `ranks = [{ rank = 3, marks = 10 }]`, or `against`"));
    }
    let numbers = keys.ranks.iter().filter_map(|keys| keys.rank.as_ref());
    let numbers: Vec<&Spanned<i128>> = numbers.collect();
    for (at, rank) in numbers.iter().enumerate() {
        if let Some(first) = numbers[..at].iter().find(|first| first.get_ref() == rank.get_ref()) {
            let title = format!("there are two lines for rank {}", rank.get_ref());
            let problem = Problem::new(rank.span(), title);
            problems.add(problem.earlier(first.span(), "the first one is here"));
        }
    }
    let mut ranks: Vec<RankMark> =
        keys.ranks.iter().filter_map(|keys| check_rank_mark(keys, problems)).collect();
    ranks.sort_by_key(|line| line.rank);
    let against = keys.against.iter();
    let against = against.filter_map(|keys| check_score_mark(keys, players, problems)).collect();
    // A rank beyond the last line gives 0 marks, so no player that plays may get less than the
    // lowest of these.
    let lowest = ranks.iter().map(|line| line.marks).fold(0.0, f64::min);
    let failed = match keys.failed.as_ref() {
        None => lowest,
        given => check_finite_marks("failed", given, problems)?,
    };
    Some(Grades {
        by: check_grades_by(keys.by.as_ref(), problems),
        graded_only: keys.count_built_in.as_ref().is_some_and(|counts| !counts.get_ref()),
        ranks,
        against,
        failed,
        absent: absent.clone(),
        exempt: list_ungraded_players(players, stages),
    })
}

fn check_grades_by(given: Given<'_, String>, problems: &mut Problems) -> RankBy {
    let Some(given) = given else { return RankBy::default() };
    match given.get_ref().as_str() {
        "low" => RankBy::Low,
        "rank" => RankBy::Rank,
        "high" => RankBy::High,
        other => {
            let problem = Problem::new(given.span(), "invalid value for `by`");
            problems.add(problem.label(suggest_similar_word(other, ["low", "rank", "high"])));
            RankBy::default()
        }
    }
}

/// The names of the players that others are measured against, which are not graded themselves.
fn list_ungraded_players(players: Option<&[PlayerKeys]>, stages: &[Stage]) -> Vec<String> {
    let is_exempt =
        |keys: &&PlayerKeys| matches!(keys.run, RunMethod::Bot(_)) || keys.rating.is_some();
    let players = players.unwrap_or_default().iter().filter(is_exempt);
    let named = players.filter_map(|keys| Some(keys.name.as_ref()?.get_ref().clone()));
    let anchors = stages.iter().flat_map(|stage| match &stage.format {
        Format::Gauntlet { anchors, .. } => anchors.clone(),
        _ => Vec::new(),
    });
    named.chain(anchors).collect()
}

fn check_rank_mark(keys: &RankKeys, problems: &mut Problems) -> Option<RankMark> {
    let rank = check_whole_number("rank", keys.rank.as_ref(), &(1..=u32::MAX), problems)?;
    Some(RankMark { rank, marks: check_finite_marks("marks", keys.marks.as_ref(), problems)? })
}

fn check_score_mark(
    keys: &ScoreKeys,
    players: Option<&[PlayerKeys]>,
    problems: &mut Problems,
) -> Option<ScoreMark> {
    let (player, score) = (keys.player.as_ref()?, keys.score.as_ref()?);
    if !(0.0..=1.0).contains(score.get_ref()) {
        let problem = Problem::new(score.span(), "`score` is out of range");
        problems.add(problem.label("expected a share of the points from 0 to 1"));
    }
    let mut names = players?.iter().filter_map(|player| Some(player.name.as_ref()?.get_ref()));
    if !names.clone().any(|name| name == player.get_ref()) {
        let title = format!("unknown player `{}`", player.get_ref().escape_debug());
        let label = suggest_similar_word(player.get_ref(), names.by_ref().map(String::as_str));
        problems.add(Problem::new(player.span(), title).label(label));
    }
    let marks = check_finite_marks("marks", keys.marks.as_ref(), problems)?;
    Some(ScoreMark { player: player.get_ref().clone(), score: *score.get_ref(), marks })
}

fn check_finite_marks(key: &str, marks: Given<'_, f64>, problems: &mut Problems) -> Option<f64> {
    let marks = marks?;
    if !marks.get_ref().is_finite() {
        let problem = Problem::new(marks.span(), format!("invalid value for `{key}`"));
        problems.add(problem.label("expected a finite number"));
    }
    Some(*marks.get_ref())
}
