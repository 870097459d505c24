//! A trial as text.

use super::{GameSample, GameTrial, HiddenChecks, Quantiles, ShareInterval};
use referee_protocol::escape;
use referee_record::wording::counted;

/// The lines of the report.
pub fn lines(trial: &GameTrial) -> Vec<String> {
    let games = counted(trial.games, "random game");
    let mut lines = vec![
        format!("{} ({}), {games}, seed {}", trial.title, trial.game, trial.seed),
        String::new(),
    ];
    lines.extend(finding_lines(trial));
    lines.extend(untested(trial));
    lines.extend(uncompared(trial).map(str::to_owned));
    lines.extend(winner_only(trial).map(str::to_owned));
    if let Some(portrait) = &trial.portrait {
        lines.push(String::new());
        for sample in std::iter::once(&portrait.random).chain(&portrait.search) {
            lines.extend(sample_lines(trial, sample));
        }
        if let Some(branching) = &portrait.branching {
            lines.push(format!("legal actions: {}", numbers(branching)));
        }
    }
    lines.iter().map(|line| escape::terminal(line)).collect()
}

fn finding_lines(trial: &GameTrial) -> Vec<String> {
    if trial.findings.is_empty() {
        return vec!["nothing found".to_owned()];
    }
    let mut lines = Vec::new();
    for (number, finding) in (1..).zip(&trial.findings) {
        let mut problem = finding.problem.lines();
        lines.push(format!("{number}. {}", problem.next().unwrap_or_default()));
        lines.push(format!("   {}", way(&finding.steps)));
        lines.extend(problem.map(|line| format!("   {}", line.trim())));
    }
    lines
}

/// Says which options had their defaults only, if any.
fn untested(trial: &GameTrial) -> Option<String> {
    let names = trial.defaults.join(", ");
    (!names.is_empty()).then(|| {
        format!(
            "options: only the defaults were tested ({names}); --option NAME=VALUE tests others"
        )
    })
}

/// Says which check of hidden information had nothing to compare, if any.
fn uncompared(trial: &GameTrial) -> Option<&'static str> {
    match trial.hidden? {
        HiddenChecks { guesses: false, .. } => Some(
            "hidden information: cannot check what views and events reveal, because the program \
             does not answer `guess`",
        ),
        HiddenChecks { pairs: 0, .. } => Some(
            "hidden information: nothing was compared, because no seat met two positions that it \
             may not tell apart; do `views` and `guess` hide anything?",
        ),
        HiddenChecks { .. } => None,
    }
}

/// A warning if the places never show more than the winner.
fn winner_only(trial: &GameTrial) -> Option<&'static str> {
    let is_so = trial.portrait.as_ref()?.random.winner_only;
    is_so.then_some(
        "places: the games only say who won, and leave all others level; end them with everyone's \
         places or scores, or declare `\"ranking\":\"winner\"`: otherwise ratings treat the others \
         as equals",
    )
}

/// The steps that show a mistake.
fn way(steps: &[String]) -> String {
    match steps {
        [] => "at the start".to_owned(),
        [step] => format!("after one step: {step}"),
        steps => format!("after {} steps: {}", steps.len(), steps.join(", ")),
    }
}

fn sample_lines(trial: &GameTrial, sample: &GameSample) -> Vec<String> {
    let reasons: Vec<_> =
        sample.reasons.iter().map(|(reason, games)| format!("{reason} {games}")).collect();
    vec![
        format!("{} games between {} players", sample.games, sample.players),
        format!("  points for {}: {}", trial.seats[0], share(&sample.first_seat)),
        format!("  decisive: {}", share(&sample.decisive)),
        format!("  plies: {}", numbers(&sample.plies)),
        format!("  reasons: {}", reasons.join(", ")),
    ]
}

/// A share in percent, with its interval.
fn share(share: &ShareInterval) -> String {
    let ShareInterval { share, low, high, .. } = share;
    format!("{} (95%: {} to {})", percent(*share), percent(*low), percent(*high))
}

fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

/// Quantiles as text.
fn numbers(quantiles: &Quantiles) -> String {
    let Quantiles { least, lower, median, upper, most, mean } = quantiles;
    format!("{least} to {most}, half of them {lower} to {upper}, median {median}, mean {mean:.1}")
}

#[cfg(test)]
mod tests;
