//! A trial as text.

use super::{GameSample, GameTrial, HiddenChecks, PortraitQuantiles, PortraitShare};
use referee_protocol::escape::escape_line;
use referee_record::wording::pluralize;

/// The lines of the report.
pub fn format_trial(trial: &GameTrial) -> Vec<String> {
    let games = pluralize(trial.games, "random game");
    let mut lines = vec![
        format!("{} ({}), {games}, seed {}", trial.title, trial.game, trial.seed),
        String::new(),
    ];
    lines.extend(format_trial_findings(trial));
    lines.extend(describe_untested_in_trial(trial));
    lines.extend(describe_uncompared_in_trial(trial).map(str::to_owned));
    lines.extend(describe_winner_only_trial(trial).map(str::to_owned));
    if let Some(portrait) = &trial.portrait {
        lines.push(String::new());
        for sample in std::iter::once(&portrait.random).chain(&portrait.search) {
            lines.extend(format_trial_sample(trial, sample));
        }
        if let Some(branching) = &portrait.branching {
            lines.push(format!("legal actions: {}", format_trial_quantiles(branching)));
        }
    }
    lines.iter().map(|line| escape_line(line)).collect()
}

fn format_trial_findings(trial: &GameTrial) -> Vec<String> {
    if trial.findings.is_empty() {
        return vec!["nothing found".to_owned()];
    }
    let mut lines = Vec::new();
    for (number, finding) in (1..).zip(&trial.findings) {
        let mut problem = finding.problem.lines();
        lines.push(format!("{number}. {}", problem.next().unwrap_or_default()));
        lines.push(format!("   {}", format_trial_steps(&finding.steps)));
        lines.extend(problem.map(|line| format!("   {}", line.trim())));
    }
    lines
}

/// Says which options had their defaults only, if any.
fn describe_untested_in_trial(trial: &GameTrial) -> Option<String> {
    let names = trial.defaults.join(", ");
    (!names.is_empty()).then(|| {
        format!(
            "options: only the defaults were tested ({names}); --option NAME=VALUE tests others"
        )
    })
}

/// Says which check of hidden information had nothing to compare, if any.
fn describe_uncompared_in_trial(trial: &GameTrial) -> Option<&'static str> {
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
fn describe_winner_only_trial(trial: &GameTrial) -> Option<&'static str> {
    let is_so = trial.portrait.as_ref()?.random.winner_only;
    is_so.then_some(
        "places: the games only say who won, and leave all others level; end them with everyone's \
         places or scores, or declare `\"ranking\":\"winner\"`: otherwise ratings treat the others \
         as equals",
    )
}

/// The steps that show a mistake.
fn format_trial_steps(steps: &[String]) -> String {
    match steps {
        [] => "at the start".to_owned(),
        [step] => format!("after one step: {step}"),
        steps => format!("after {} steps: {}", steps.len(), steps.join(", ")),
    }
}

fn format_trial_sample(trial: &GameTrial, sample: &GameSample) -> Vec<String> {
    let reasons: Vec<_> =
        sample.reasons.iter().map(|(reason, games)| format!("{reason} {games}")).collect();
    vec![
        format!("{} games between {} players", sample.games, sample.players),
        format!("  points for {}: {}", trial.seats[0], format_trial_share(&sample.first_seat)),
        format!("  decisive: {}", format_trial_share(&sample.decisive)),
        format!("  plies: {}", format_trial_quantiles(&sample.plies)),
        format!("  reasons: {}", reasons.join(", ")),
    ]
}

/// A share in percent, with its interval.
fn format_trial_share(share: &PortraitShare) -> String {
    let PortraitShare { share, low, high, .. } = share;
    format!(
        "{} (95%: {} to {})",
        format_trial_percent(*share),
        format_trial_percent(*low),
        format_trial_percent(*high)
    )
}

fn format_trial_percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

/// Quantiles as text.
fn format_trial_quantiles(quantiles: &PortraitQuantiles) -> String {
    let PortraitQuantiles { least, lower, median, upper, most, mean } = quantiles;
    format!("{least} to {most}, half of them {lower} to {upper}, median {median}, mean {mean:.1}")
}

#[cfg(test)]
mod tests;
