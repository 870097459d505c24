//! The verdict of `compare`, as text and as JSON.

use serde_json::{Value, json};

use super::number_format::{format_margin, format_whole_number};
use referee_protocol::escape::escape_line;
use referee_ratings::{
    Estimate, MatchEnd, Pentanomial, SprtMatch, SprtState, SprtVerdict, match_elo, normalized_elo,
};
use referee_tournament::analysis::named_results::FaultCounts;

/// A player of a match.
#[derive(Debug, Clone, Copy)]
pub struct VerdictPlayer<'a> {
    /// The name.
    pub name: &'a str,
    /// The faults.
    pub faults: &'a FaultCounts,
}

impl VerdictPlayer<'_> {
    /// Its faults in words, such as `new: 6 crash, 1 timeout`; `None` without any.
    fn describe_faults(&self) -> Option<String> {
        let each = self.faults.iter().map(|(code, count)| format!("{count} {code}"));
        let all: Vec<String> = each.collect();
        (!all.is_empty()).then(|| format!("{}: {}", escape_line(self.name), all.join(", ")))
    }
}

/// The verdict on these players, whose games are in `results`, as a JSON document. Everything but
/// the names and faults is from the side of the first player.
pub fn match_verdict_json(
    played: &SprtMatch,
    players: [VerdictPlayer<'_>; 2],
    results: &str,
) -> Value {
    let (state, test) = (played.state(), played.test());
    let SprtState { llr, lower, upper, verdict } = state.sprt;
    let ((elo0, elo1), (alpha, beta)) = (test.hypotheses(), test.errors());
    json!({
        "verdict": verdict,
        "stop": match_stop_name(state.stop),
        "players": players.map(|player| player.name),
        "test": {
            "model": MODEL,
            "unit": test.unit().name(),
            "elo0": elo0,
            "elo1": elo1,
            "alpha": alpha,
            "beta": beta,
        },
        "llr": llr,
        "lower": lower,
        "upper": upper,
        "elo": test.estimate(&state.pairs),
        "superiority": test.los(&state.pairs),
        "pairs": state.counted_pairs(),
        "copies": state.copies,
        "double_faults": state.double_forfeits,
        "faults": state.forfeits,
        "faults_by_player": players.map(|player| player.faults),
        "score": state.score(),
        "pentanomial": state.pairs,
        "normalized_elo": normalized_elo(&state.pairs),
        "draws": state.draws,
        "results": results,
    })
}

/// Why a match ended, for JSON; null if it was interrupted.
pub(super) fn match_stop_name(stop: Option<MatchEnd>) -> Option<&'static str> {
    stop.map(|stop| match stop {
        MatchEnd::Decided => "decided",
        MatchEnd::Length => "max-pairs",
        MatchEnd::Copies => "copies",
        MatchEnd::DoubleForfeits => "double-faults",
    })
}

const MODEL: &str = "GSPRT on pairs, pentanomial";

/// The columns of the narrowest usual terminal.
const COLUMNS: usize = 80;

/// The state of the test and the current estimate, for a line of 80 columns under the progress.
pub fn match_verdict_headline(played: &SprtMatch) -> String {
    let state = played.state();
    let elo = (state.counted_pairs() > 0).then(|| played.test().estimate(&state.pairs));
    format!("LLR {:.2}, {}", state.sprt.llr, format_verdict_so_far(elo, &state.pairs, state.draws))
}

/// The same for a match without a test, from the side of the player called `first`; `None` as long
/// as it shows no difference between pairs.
pub fn untested_verdict_headline(first: &str, pairs: &Pentanomial, draws: u32) -> Option<String> {
    let so_far = format_verdict_so_far(Some(match_elo(pairs)?), pairs, draws);
    let mut name = escape_line(first);
    let room = COLUMNS.saturating_sub(so_far.chars().count() + 1);
    if name.chars().count() > room {
        name = name.chars().take(room.saturating_sub(1)).chain(['…']).collect();
    }
    Some(format!("{name} {so_far}"))
}

/// The estimates, the pairs by score, and the draws.
fn format_verdict_so_far(elo: Option<Estimate>, pairs: &Pentanomial, draws: u32) -> String {
    let mut parts = vec![format_verdict_margin(elo, "Elo")];
    parts.extend(normalized_elo(pairs).map(|elo| format_verdict_margin(Some(elo), "nElo")));
    parts.push(format!("pairs {}", pairs.map(|count| count.to_string()).join(" ")));
    parts.push(format!("draws {draws}"));
    parts.join(", ")
}

/// An estimate with half the width of its interval, in words.
pub(super) fn format_verdict_margin(estimate: Option<Estimate>, unit: &str) -> String {
    match estimate {
        Some(Estimate { value, low, high }) => {
            format!("{} {} {unit}", format_signed_elo(value), format_margin((high - low) / 2.0))
        }
        None => "no estimate yet".to_owned(),
    }
}

/// The line of an estimate and the likelihood that the first player is better.
pub(super) fn describe_verdict_estimate(known: Option<(Estimate, f64)>) -> String {
    match known {
        Some((elo, los)) => {
            format!(
                "Estimate: {} at 95%; {} likely to be better.",
                format_verdict_interval(elo, "Elo"),
                format_likelihood(los)
            )
        }
        None => "No estimate yet.".to_owned(),
    }
}

/// The width of the bar under the verdict.
const BAR: usize = 41;

/// The log-likelihood ratio as a mark on a bar between its bounds, such as
/// `LLR 1.02: -2.94 [····|·●··] 2.94`, but wider. At the left end the first player is not better, at
/// the right end it is.
fn render_verdict_bar(sprt: SprtState) -> String {
    let SprtState { llr, lower, upper, .. } = sprt;
    let place = |value: f64| {
        let share = ((value - lower) / (upper - lower)).clamp(0.0, 1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a share of a bar of a few columns"
        )]
        let column = (share * (BAR - 1) as f64).round() as usize;
        column
    };
    let (zero, now) = (place(0.0), place(llr));
    let column = |at: usize| match at {
        at if at == now => '●',
        at if at == zero => '|',
        _ => '·',
    };
    let bar: String = (0..BAR).map(column).collect();
    format!("LLR {llr:.2}: {lower:.2} [{bar}] {upper:.2}")
}

pub(super) fn format_verdict_interval(
    Estimate { value, low, high }: Estimate,
    unit: &str,
) -> String {
    format!(
        "{} {unit} ({} … {})",
        format_signed_elo(value),
        format_whole_number(low),
        format_whole_number(high)
    )
}

/// A whole number with its sign.
pub(crate) fn format_signed_elo(value: f64) -> String {
    let sign = if value.round() > 0.0 { "+" } else { "" };
    format!("{sign}{}", format_whole_number(value))
}

/// A likelihood in percent, which is never certain.
pub(crate) fn format_likelihood(likelihood: f64) -> String {
    match 100.0 * likelihood {
        ..0.1 => "under 0.1%".to_owned(),
        99.9.. => "over 99.9%".to_owned(),
        percent => format!("{percent:.1}%"),
    }
}

/// What a test between two leads of `a` says, in Elo, if it accepts the higher one. One that only asks
/// whether `a` is worse does not show that it is better.
pub(crate) fn describe_accepted_verdict((low, high): (f64, f64), a: &str, b: &str) -> String {
    if high > 0.0 {
        format!("{a} is better than {b}")
    } else {
        format!("{a} is not {} Elo worse than {b}", -low)
    }
}

/// What it says if it accepts the lower one.
pub(crate) fn describe_rejected_verdict((low, high): (f64, f64), a: &str, b: &str) -> String {
    if high > 0.0 {
        format!("{a} is not {high} Elo better than {b}")
    } else {
        format!("{a} may be {} Elo worse than {b}", -low)
    }
}

/// What the match says about its players, which have these names, without a full stop.
fn describe_match_answer(played: &SprtMatch, [a, b]: [&str; 2]) -> String {
    let (state, test) = (played.state(), played.test());
    match (state.verdict(), state.stop) {
        (SprtVerdict::Better, _) => describe_accepted_verdict(test.hypotheses(), a, b),
        (SprtVerdict::NotBetter, _) => describe_rejected_verdict(test.hypotheses(), a, b),
        (SprtVerdict::Undecided, Some(MatchEnd::Copies)) => {
            format!("Undecided: {a} and {b} repeat the same games, so more games would not help")
        }
        (SprtVerdict::Undecided, Some(MatchEnd::DoubleForfeits)) => {
            format!("Undecided: both {a} and {b} fail in pair after pair")
        }
        (SprtVerdict::Undecided, Some(_)) => {
            let (low, high) = test.hypotheses();
            format!(
                "Undecided: the test between {low} and {high} Elo has not finished after the \
                 maximum number of pairs; --max-pairs allows more"
            )
        }
        (SprtVerdict::Undecided, None) => "Not decided yet".to_owned(),
    }
}

/// The verdict as text, without a trailing newline.
pub fn describe_match_verdict(played: &SprtMatch, players: [VerdictPlayer<'_>; 2]) -> String {
    let (state, test) = (played.state(), played.test());
    let [a, b] = players.map(|player| escape_line(player.name));
    let answer = describe_match_answer(played, [&a, &b]);
    let (hypotheses, errors) = (test.hypotheses(), test.errors());
    let mut lines = vec![
        format!("{answer}."),
        format!(
            "{a} scored {} of {} in {} pairs; pairs by score (0 ½ 1 1½ 2): {}; draws: {}.",
            state.score(),
            2 * state.counted_pairs(),
            state.counted_pairs(),
            state.pairs.map(|count| count.to_string()).join(" "),
            state.draws
        ),
        describe_verdict_estimate(
            (state.counted_pairs() > 0)
                .then(|| (test.estimate(&state.pairs), test.los(&state.pairs))),
        ),
        format!(
            "Test: {MODEL}; {} {} against {}, α {}, β {}.",
            test.unit().name(),
            hypotheses.0,
            hypotheses.1,
            errors.0,
            errors.1
        ),
        render_verdict_bar(state.sprt),
    ];
    if let Some(normalized) = normalized_elo(&state.pairs) {
        let normalized = format_verdict_interval(normalized, "nElo");
        lines.insert(3, format!("Normalized, ignoring the test: {normalized} at 95%."));
    }
    if state.copies > 0 {
        lines.push(format!("Duplicate pairs (not counted): {}.", state.copies));
    }
    if state.double_forfeits > 0 {
        lines.push(format!(
            "Pairs with a game in which both failed (not counted): {}.",
            state.double_forfeits
        ));
    }
    lines.extend(describe_verdict_faults(state.forfeits, &players));
    lines.join("\n")
}

/// How many games ended in a fault, and in which; none if no game did.
pub(super) fn describe_verdict_faults(
    forfeits: u32,
    players: &[VerdictPlayer<'_>],
) -> Option<String> {
    let whose: Vec<String> = players.iter().filter_map(VerdictPlayer::describe_faults).collect();
    let whose = if whose.is_empty() { String::new() } else { format!(" ({})", whose.join("; ")) };
    (forfeits > 0).then(|| format!("Games that ended in a fault: {forfeits}{whose}."))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use referee_ratings::{MatchGame, Sprt, Unit};
    use referee_record::model::fault::FaultCode;

    use super::*;

    const NO_FAULTS: &FaultCounts = &FaultCounts::new();
    const PLAYERS: [VerdictPlayer<'static>; 2] = [
        VerdictPlayer { name: "new", faults: NO_FAULTS },
        VerdictPlayer { name: "old\u{1b}", faults: NO_FAULTS },
    ];

    /// A match of these pairs, each by the half points of the first player in its two games; none
    /// for a game in which both failed.
    fn played(most: u32, pairs: &[[Option<usize>; 2]]) -> SprtMatch {
        let test = Sprt::new(Unit::Logistic, (0.0, 20.0), (0.05, 0.05)).expect("a test");
        let mut played = SprtMatch::new(test, most);
        for (pair, games) in (1..).zip(pairs) {
            for (at_first_seat, &halves) in [true, false].into_iter().zip(games) {
                let fingerprint = NonZeroU64::new(u64::from(2 * pair) + u64::from(at_first_seat));
                let forfeited = halves.is_none();
                played.add(MatchGame { pair, at_first_seat, halves, forfeited, fingerprint });
            }
        }
        played
    }

    fn answer(played: &SprtMatch) -> String {
        describe_match_verdict(played, PLAYERS).lines().next().unwrap_or_default().to_owned()
    }

    #[test]
    fn a_test_that_asks_who_is_worse_shows_nobody_to_be_better() {
        let said = |test| {
            (
                describe_accepted_verdict(test, "new", "old"),
                describe_rejected_verdict(test, "new", "old"),
            )
        };
        let [not_worse, worse] =
            ["new is not 30 Elo worse than old", "new may be 30 Elo worse than old"];
        assert_eq!(said((-30.0, 0.0)), (not_worse.to_owned(), worse.to_owned()));
        let [better, not_better] = ["new is better than old", "new is not 5 Elo better than old"];
        assert_eq!(said((-5.0, 5.0)), (better.to_owned(), not_better.to_owned()));
    }

    #[test]
    fn the_answer_comes_first() {
        let won = played(500, &[[Some(2), Some(2)]; 400]);
        assert_eq!(answer(&won), r"new is better than old\u{1b}.");
        assert!(
            describe_match_verdict(&won, PLAYERS).contains("; over 99.9% likely to be better.\n")
        );
        let lost = played(500, &[[Some(0), Some(0)]; 400]);
        assert_eq!(answer(&lost), r"new is not 20 Elo better than old\u{1b}.");
        let even = [[Some(2), Some(1)], [Some(1), Some(0)]];
        assert_eq!(
            answer(&played(2, &even)),
            "Undecided: the test between 0 and 20 Elo has not finished after the maximum number of \
             pairs; --max-pairs allows more."
        );
        assert_eq!(answer(&played(9, &even)), "Not decided yet.");
        let failing = played(100, &[[None, None]; 30]);
        assert_eq!(answer(&failing), r"Undecided: both new and old\u{1b} fail in pair after pair.");
    }

    #[test]
    fn the_progress_of_a_comparison_counts_pairs() {
        let pairs = [[Some(2), Some(1)], [Some(1), Some(1)], [None, Some(0)]];
        let faults = FaultCounts::from([(FaultCode::Timeout, 1), (FaultCode::Crash, 6)]);
        let [new, old] = PLAYERS;
        let text = describe_match_verdict(
            &played(9, &pairs),
            [new, VerdictPlayer { faults: &faults, ..old }],
        );
        let second = text.lines().nth(1).expect("a line");
        assert_eq!(
            second,
            "new scored 2.5 of 4 in 2 pairs; pairs by score (0 ½ 1 1½ 2): 0 0 1 1 0; draws: 3."
        );
        assert!(text.contains("Pairs with a game in which both failed (not counted): 1."));
        let faults = r"Games that ended in a fault: 1 (old\u{1b}: 6 crash, 1 timeout).";
        assert!(text.contains(faults), "{text}");
        assert!(!text.contains("copies"), "{text}");
    }

    #[test]
    fn the_json_output_has_the_same_content() {
        let pairs = [[Some(2), Some(1)], [Some(1), Some(1)]];
        let played = played(2, &pairs);
        let faults = FaultCounts::from([(FaultCode::Crash, 2)]);
        let players = ["new", "old"].map(|name| VerdictPlayer { name, faults: NO_FAULTS });
        let json = match_verdict_json(
            &played,
            [players[0], VerdictPlayer { faults: &faults, ..players[1] }],
            "results/x",
        );
        assert_eq!(json["players"], serde_json::json!(["new", "old"]));
        assert_eq!(json["faults_by_player"], serde_json::json!([{}, {"crash": 2}]));
        assert_eq!((&json["verdict"], &json["stop"]), (&"undecided".into(), &"max-pairs".into()));
        assert_eq!((&json["pairs"], &json["score"]), (&2.into(), &2.5.into()));
        assert_eq!(json["pentanomial"], serde_json::json!([0, 0, 1, 1, 0]));
        assert_eq!((&json["test"]["elo1"], &json["results"]), (&20.0.into(), &"results/x".into()));
        let [llr, lower, upper] =
            ["llr", "lower", "upper"].map(|key| json[key].as_f64().expect(key));
        assert!(lower < llr && llr < upper);
        let superiority = json["superiority"].as_f64().expect("a number");
        assert!(superiority > 0.5 && superiority < 1.0);
    }

    #[test]
    fn the_headline_counts_the_pairs() {
        let line = match_verdict_headline(&played(9, &[[Some(2), Some(1)]]));
        let pairs = " Elo, pairs 0 0 0 1 0, draws 1";
        assert!(line.ends_with(pairs), "{line}");
        assert!(!line.contains("nElo"), "one pair shows no variance: {line}");
    }

    #[test]
    fn a_headline_has_what_testers_of_engines_expect() {
        let pairs =
            [[Some(2), Some(1)], [Some(1), Some(1)], [Some(0), Some(2)], [Some(2), Some(2)]];
        let line = match_verdict_headline(&played(9, &pairs));
        assert_eq!(line, "LLR 0.16, +108 ±244 Elo, +222 ±241 nElo, pairs 0 0 2 1 1, draws 3");
        let line = untested_verdict_headline("a\u{1b}", &[11, 123, 345, 234, 22], 417)
            .expect("pairs differ");
        assert_eq!(line, "a\\u{1b} +32 ±10 Elo, +56 ±18 nElo, pairs 11 123 345 234 22, draws 417");
        assert_eq!(untested_verdict_headline("a", &[0, 0, 5, 0, 0], 10), None);
    }

    #[test]
    fn the_headline_of_a_long_match_fits_into_a_terminal_of_80_columns() {
        // Between the hypotheses, so that the test continues.
        let few = [[Some(0), Some(0)], [Some(1), Some(0)], [Some(2), Some(1)], [Some(2), Some(1)]];
        let often = [[Some(2), Some(0)], [Some(1), Some(1)]].repeat(8);
        let pairs = [few.to_vec(), vec![[Some(2), Some(2)]], often].concat().repeat(100);
        let (lost, even) = (vec![[Some(0), Some(0)]; 2000], &pairs[..2000]);
        for pairs in [&lost[..], even] {
            let line = match_verdict_headline(&played(2000, pairs));
            assert!(line.chars().count() <= 80 && line.contains(", draws "), "{line}");
        }
        // A name of ten characters has the room of the LLR.
        for pairs in [[400, 1000, 200, 200, 200], [1000, 400, 200, 200, 200], [1, 0, 0, 0, 1999]] {
            let line = untested_verdict_headline(&"a-long-name".repeat(5), &pairs, 1600)
                .expect("they differ");
            assert!(line.starts_with("a-long-nam"), "{line}");
            assert!(line.ends_with(", draws 1600") && line.chars().count() <= 80, "{line}");
        }
        let line = untested_verdict_headline("short-name", &[400, 1000, 200, 200, 200], 1600);
        assert!(line.is_some_and(|line| line.starts_with("short-name -")));
    }

    #[test]
    fn the_likelihood_ratio_is_a_mark_between_its_bounds() {
        let bar = |llr| {
            let verdict = SprtVerdict::Undecided;
            render_verdict_bar(SprtState { llr, lower: -2.0, upper: 2.0, verdict })
        };
        let dots = |count| "·".repeat(count);
        let (half, nine) = (dots(20), dots(9));
        assert_eq!(bar(0.0), format!("LLR 0.00: -2.00 [{half}●{half}] 2.00"));
        assert_eq!(bar(1.0), format!("LLR 1.00: -2.00 [{half}|{nine}●{}] 2.00", dots(10)));
        assert_eq!(bar(-5.0), format!("LLR -5.00: -2.00 [●{}|{half}] 2.00", dots(19)));
    }
}
