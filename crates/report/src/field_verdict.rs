//! The verdict of `compare --against`, as text and as JSON.

use serde_json::{Value, json};

use super::match_verdict::{
    VerdictPlayer, describe_accepted_verdict, describe_rejected_verdict, describe_verdict_estimate,
    describe_verdict_faults, format_verdict_margin, match_stop_name,
};
use super::number_format::format_percent;
use referee_protocol::escape::escape_line;
use referee_ratings::{
    BettingState, FieldMatch, FieldSize, MatchEnd, OpponentScore, Points, Rival, SprtVerdict,
};
use referee_record::wording::{deal_noun, pluralize};

const MODEL: &str = "betting on the difference of shares";

/// With more opponents than this, the text does not list them.
const MOST_LISTED: usize = 12;

const BOTH: [Rival; 2] = [Rival::New, Rival::Old];

/// The verdict on the new and the old player, whose games against `opponents` are in `results`, as a
/// JSON document. Differences are from the side of the new player. With more than two seats, each of
/// `opponents` is a group of them.
pub fn field_verdict_json(
    played: &FieldMatch,
    players: [VerdictPlayer<'_>; 2],
    opponents: &[String],
    results: &str,
) -> Value {
    let state = played.state();
    let BettingState { better, not_better, needed, verdict } = state.test;
    let ((elo0, elo1), (alpha, beta)) = (played.hypotheses(), played.errors());
    let against = opponents.iter().zip(played.tables()).map(|(name, score)| {
        let scores = BOTH.map(|rival| score.points(rival));
        json!({ "name": name, "pairs": score.deals, "scores": scores })
    });
    let scores = BOTH.map(|rival| played.score(rival));
    json!({
        "verdict": verdict,
        "stop": match_stop_name(state.stop),
        "players": players.map(|player| player.name),
        "against": against.collect::<Vec<_>>(),
        "test": {
            "model": MODEL,
            "unit": "logistic Elo",
            "elo0": elo0,
            "elo1": elo1,
            "alpha": alpha,
            "beta": beta,
        },
        "evidence": {
            "better": better,
            "not_better": not_better,
            "needed": { "better": needed.0, "not_better": needed.1 },
        },
        "elo": played.estimate(),
        "superiority": played.los(),
        "pairs": played.deals(),
        "rounds": state.rounds,
        "copies": state.copies,
        "faults": state.forfeits,
        "faults_by_player": players.map(|player| player.faults),
        "scores": scores,
        "results": results,
    })
}

/// The state of the test and the current estimate, for a line of 80 columns under the progress.
pub fn field_verdict_headline(played: &FieldMatch) -> String {
    let BettingState { better, not_better, needed, .. } = played.state().test;
    let [new, old] = BOTH.map(|rival| format_field_verdict_share(played, rival));
    format!(
        "better {better:.2} of {:.2}, not better {not_better:.2} of {:.2}, {}, {new} to {old}",
        needed.0,
        needed.1,
        format_verdict_margin((played.deals() > 0).then(|| played.estimate()), "Elo")
    )
}

/// The verdict as text, without a trailing newline.
pub fn describe_field_verdict(
    played: &FieldMatch,
    players: [VerdictPlayer<'_>; 2],
    opponents: &[String],
) -> String {
    let [new, old] = players.map(|player| escape_line(player.name));
    let (state, (elo0, elo1)) = (played.state(), played.hypotheses());
    let (pairs, field) = (played.deals(), played.field());
    let mut lines = vec![
        format!("{}.", describe_field_answer(played, [&new, &old])),
        format!(
            "Of {} points each in {}, {new} scored {} and {old} {}; {} {}.",
            played.points() * pairs,
            pluralize(pairs, deal_noun(field.seats)),
            played.score(Rival::New),
            played.score(Rival::Old),
            pluralize(state.rounds, "round"),
            describe_field_opponents(played),
        ),
        describe_verdict_estimate((pairs > 0).then(|| (played.estimate(), played.los()))),
        format!(
            "Test: {MODEL}; logistic Elo {elo0} against {elo1}, α {}, β {}.",
            played.errors().0,
            played.errors().1
        ),
        describe_field_evidence(&state.test),
    ];
    lines.extend(describe_field_tables(played, [&new, &old], opponents));
    if state.copies > 0 {
        let copied = if field.seats == 2 { "pairs" } else { "deals" };
        lines.push(format!("Duplicate {copied}: {}.", state.copies));
    }
    lines.extend(describe_verdict_faults(state.forfeits, &players));
    lines.join("\n")
}

/// Whom both play in a round.
pub fn describe_field_opponents(played: &FieldMatch) -> String {
    let FieldSize { tables, seats } = played.field();
    if played.is_duel() {
        format!("at a table with {}", pluralize(seats - 2, "other"))
    } else if seats == 2 {
        format!("against {}", pluralize(tables, "opponent"))
    } else {
        format!("at {} with {} opponents each", pluralize(tables, "table"), seats - 1)
    }
}

fn describe_field_answer(played: &FieldMatch, [new, old]: [&str; 2]) -> String {
    let (low, high) = played.hypotheses();
    let field = match played.field() {
        _ if played.is_duel() => "at this table",
        FieldSize { tables: 1, seats: 2 } => "against this opponent",
        _ => "against these opponents",
    };
    match (played.verdict(), played.state().stop) {
        (SprtVerdict::Better, _) => {
            format!("{} {field}", describe_accepted_verdict((low, high), new, old))
        }
        (SprtVerdict::NotBetter, _) => {
            format!("{} {field}", describe_rejected_verdict((low, high), new, old))
        }
        (SprtVerdict::Undecided, Some(MatchEnd::Copies)) => {
            "Undecided: new games only repeat old ones, so more would not help".to_owned()
        }
        (SprtVerdict::Undecided, Some(_)) => format!(
            "Undecided: the test between {low} and {high} Elo has not finished after the maximum \
             number of {}s; --max-pairs allows more",
            deal_noun(played.field().seats)
        ),
        (SprtVerdict::Undecided, None) => "Not decided yet".to_owned(),
    }
}

fn describe_field_evidence(test: &BettingState) -> String {
    let BettingState { better, not_better, needed, .. } = test;
    format!(
        "Evidence for \"better\": {better:.2} (needs {:.2}); for \"not better\": {not_better:.2} \
         (needs {:.2}).",
        needed.0, needed.1
    )
}

/// The shares of the points at each table, if these are few.
fn describe_field_tables(
    played: &FieldMatch,
    [new, old]: [&str; 2],
    opponents: &[String],
) -> Option<String> {
    let of = |(name, score): (&String, &OpponentScore)| {
        let [new, old] =
            BOTH.map(|rival| format_field_share(score.points(rival), score.deals, played.points()));
        format!("{} {new} {old}", escape_line(name))
    };
    let each: Vec<String> = opponents.iter().zip(played.tables()).map(of).collect();
    let is_shown = played.deals() > 0 && opponents.len() <= MOST_LISTED && !played.is_duel();
    let at = if played.field().seats == 2 { "against each" } else { "at each table" };
    is_shown.then(|| format!("Points for {new} and {old} {at}: {}.", each.join(", ")))
}

fn format_field_verdict_share(played: &FieldMatch, rival: Rival) -> String {
    format_field_share(played.score(rival), played.deals(), played.points())
}

/// Points as a share of those in this many deals, each of which has `most` of them.
pub(super) fn format_field_share(points: Points, deals: u32, most: u32) -> String {
    format_percent(points.value(), f64::from(most) * f64::from(deals))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use referee_ratings::FieldGame;
    use referee_record::model::fault::FaultCode;
    use referee_tournament::analysis::named_results::FaultCounts;

    use super::*;

    const NO_FAULTS: &FaultCounts = &FaultCounts::new();
    const PLAYERS: [VerdictPlayer<'static>; 2] = [
        VerdictPlayer { name: "new", faults: NO_FAULTS },
        VerdictPlayer { name: "old\u{1b}", faults: NO_FAULTS },
    ];

    fn opponents() -> Vec<String> {
        ["ant", "bee"].map(str::to_owned).to_vec()
    }

    /// A match against two opponents, of deals with these half points.
    fn played(most_rounds: u32, deals: &[[[u32; 2]; 2]]) -> FieldMatch {
        let test =
            FieldMatch::new((0.0, 20.0), (0.05, 0.05), FieldSize::with_two_seats(2), most_rounds);
        let mut played = test.expect("a test");
        for (deal, halves) in (1..).zip(deals) {
            for (rival, halves) in BOTH.into_iter().zip(halves) {
                for (seat, &halves) in halves.iter().enumerate() {
                    let fingerprint = NonZeroU64::new(u64::from(deal));
                    let forfeited = halves == 0;
                    played.add(FieldGame { deal, rival, seat, halves, forfeited, fingerprint });
                }
            }
        }
        played
    }

    fn answer(played: &FieldMatch) -> String {
        describe_field_verdict(played, PLAYERS, &opponents())
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    }

    #[test]
    fn the_answer_comes_first() {
        let (won, lost) = ([[2, 2], [0, 2]], [[0, 2], [2, 2]]);
        assert_eq!(
            answer(&played(500, &[won; 400])),
            r"new is better than old\u{1b} against these opponents."
        );
        assert_eq!(
            answer(&played(500, &[lost; 400])),
            r"new is not 20 Elo better than old\u{1b} against these opponents."
        );
        assert_eq!(
            answer(&played(1, &[won, lost])),
            "Undecided: the test between 0 and 20 Elo has not finished after the maximum number of \
             pairs; --max-pairs allows more."
        );
        assert_eq!(answer(&played(9, &[won, lost])), "Not decided yet.");
    }

    #[test]
    fn the_text_says_how_each_did() {
        let faults = FaultCounts::from([(FaultCode::Crash, 2)]);
        let [new, old] = PLAYERS;
        let played = played(9, &[[[2, 1], [0, 2]], [[1, 1], [0, 0]]]);
        let text = describe_field_verdict(
            &played,
            [new, VerdictPlayer { faults: &faults, ..old }],
            &opponents(),
        );
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[1],
            r"Of 4 points each in 2 pairs, new scored 2.5 and old\u{1b} 1; 1 round against 2 opponents."
        );
        assert!(lines[4].starts_with("Evidence for \"better\": 0."), "{text}");
        assert_eq!(
            lines[5],
            r"Points for new and old\u{1b} against each: ant 75.0% 50.0%, bee 50.0% 0.0%."
        );
        assert_eq!(lines[6], r"Games that ended in a fault: 3 (old\u{1b}: 2 crash).");
    }

    #[test]
    fn the_json_output_has_the_same_content() {
        let played = played(1, &[[[2, 1], [0, 2]], [[1, 1], [0, 0]]]);
        let json = field_verdict_json(&played, PLAYERS, &opponents(), "results/x");
        assert_eq!((&json["verdict"], &json["stop"]), (&"undecided".into(), &"max-pairs".into()));
        assert_eq!(json["scores"], json!([2.5, 1]));
        assert_eq!(json["against"][1], json!({"name": "bee", "pairs": 1, "scores": [1, 0]}));
        assert_eq!((&json["pairs"], &json["rounds"]), (&2.into(), &1.into()));
        assert_eq!((&json["test"]["elo1"], &json["results"]), (&20.0.into(), &"results/x".into()));
        assert!(json["elo"]["low"].as_f64() < json["elo"]["high"].as_f64());
    }

    #[test]
    fn the_headline_fits_into_a_terminal_of_80_columns() {
        let deals = [[[2, 1], [0, 2]], [[0, 1], [2, 0]], [[2, 2], [0, 0]], [[2, 0], [2, 1]]];
        for count in [0, 4, 400, 2000] {
            let line = field_verdict_headline(&played(2000, &deals.repeat(count / 4)));
            assert!(line.chars().count() <= 80, "{line}");
            assert_eq!(line.contains("no estimate yet"), count == 0, "{line}");
        }
    }
}
