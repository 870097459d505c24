//! `[adjudication]`: ends games before their rules do.

use referee_games::{AnyPosition, Turn};
use referee_record::model::adjudication::{
    Adjudication, FEWEST_SCORES, HIGHEST_SCORE, MOST_SCORES, ScoreRule,
};

use super::clock_limits::check_whole_number;
use super::opening_books::OpeningsKeys;
use super::problem::{ByteSpan, Problem, Problems};
use super::toml_keys::{Field, FromTable, TomlTableReader, table_keys};

table_keys! {
    /// The keys under `[adjudication]`.
    AdjudicationKeys[at], "`[adjudication]`":
    "draw" => draw: Option<ScoreRuleKeys>,
    "resign" => resign: Option<ScoreRuleKeys>,
    "length" => length: Field<i128>,
}

table_keys! {
    /// A rule about scores.
    ScoreRuleKeys[at], "this `[adjudication]` rule":
    "after" => after: Field<i128>,
    "plies" like "8" => plies: Field<i128>,
    "score" like "10" => score: Field<i128>,
    "one-sided" => one_sided: Field<bool>,
}

/// Checks the adjudication that `keys` ask for, of games that begin at `start` with these
/// `openings`.
pub(super) fn check_adjudication_keys(
    keys: Option<&AdjudicationKeys>,
    start: Option<&dyn AnyPosition>,
    openings: Option<&OpeningsKeys>,
    problems: &mut Problems,
) -> Option<Adjudication> {
    let keys = keys?;
    if keys.draw.is_none() && keys.resign.is_none() && keys.length.is_none() {
        let problem =
            Problem::new(keys.at.clone(), "`[adjudication]` needs `draw`, `resign` or `length`");
        let help = "add `draw = { after = 80, plies = 8, score = 10 }`, `resign` or `length`";
        problems.add(problem.help(help));
    }
    let is_simultaneous = start.is_some_and(|start| matches!(start.turn(), Turn::Together(_)));
    for (key, rule) in [("draw", &keys.draw), ("resign", &keys.resign)] {
        if let Some(rule) = rule.as_ref().filter(|_| is_simultaneous) {
            let title = format!("`{key}` needs players that move in turn");
            let problem = Problem::new(rule.at.clone(), title);
            problems.add(problem.label("in this game both move at the same time"));
        }
    }
    if let Some(one_sided) = keys.draw.as_ref().and_then(|rule| rule.one_sided.as_ref()) {
        let problem = Problem::new(one_sided.span(), "`draw` needs the scores of both players");
        problems.add(problem.help("remove `one-sided`; only `resign` can have it"));
    }
    let length = check_whole_number("length", keys.length.as_ref(), &(1..=u32::MAX), problems);
    if let (Some(_), Some(length)) = (length, &keys.length)
        // How long those of a file are is known when it is read.
        && let Some(plies) =
            openings.filter(|keys| keys.file.is_none()).and_then(|keys| keys.plies.as_ref())
        && length.get_ref() <= plies.get_ref()
    {
        let problem = Problem::new(length.span(), "`length` ends every game in its opening");
        let problem = problem.earlier(plies.span(), "opening plies count too");
        problems.add(problem.label(format!("expected more than {}", plies.get_ref())));
    }
    // Every player has to report one.
    let fewest = start.map_or(2, |start| start.seats().len());
    let fewest = u32::try_from(fewest).unwrap_or(MOST_SCORES).max(FEWEST_SCORES);
    let mut rule = |keys: &Option<ScoreRuleKeys>, lowest| {
        keys.as_ref().and_then(|keys| check_adjudication_rule(keys, fewest, lowest, problems))
    };
    Some(Adjudication { draw: rule(&keys.draw, 0), resign: rule(&keys.resign, 1), length })
}

/// The rule, which needs at least the `fewest` plies and whose score is at least `lowest`.
fn check_adjudication_rule(
    keys: &ScoreRuleKeys,
    fewest: u32,
    lowest: u32,
    problems: &mut Problems,
) -> Option<ScoreRule> {
    let after = check_whole_number("after", keys.after.as_ref(), &(0..=u32::MAX), problems);
    let plies = check_whole_number("plies", keys.plies.as_ref(), &(fewest..=MOST_SCORES), problems);
    let score =
        check_whole_number("score", keys.score.as_ref(), &(lowest..=HIGHEST_SCORE), problems);
    let one_sided = keys.one_sided.as_ref().is_some_and(|flag| *flag.get_ref());
    Some(ScoreRule { after: after.unwrap_or(0), plies: plies?, score: score?, one_sided })
}
