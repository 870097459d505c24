//! The place of a player among the opponents of `compare --against`, as text and as JSON.

use serde_json::{Value, json};

use super::field_verdict::format_field_share;
use super::match_verdict::{
    VerdictPlayer, describe_verdict_faults, format_verdict_interval, format_verdict_margin,
    match_stop_name,
};
use referee_protocol::escape::escape_line;
use referee_ratings::{Estimate, FieldSize, MatchEnd, OpponentScore, PlaceMatch, Rival};
use referee_record::wording::pluralize;

/// The place of the player, whose games against `opponents` are in `results`, as a JSON document.
pub fn place_verdict_json(
    played: &PlaceMatch,
    who: VerdictPlayer<'_>,
    opponents: &[String],
    results: &str,
) -> Value {
    let state = played.state();
    let against = opponents.iter().zip(played.opponents()).map(|(name, score)| {
        json!({ "name": name, "pairs": score.deals, "score": score.points(Rival::New) })
    });
    let place = played.place().map(
        |rank| json!({ "value": rank.place, "low": rank.interval.low, "high": rank.interval.high }),
    );
    json!({
        "stop": match_stop_name(state.stop),
        "player": who.name,
        "place": place,
        "of": opponents.len() + 1,
        "elo": state.elo,
        "within": played.within(),
        "against": against.collect::<Vec<_>>(),
        "pairs": played.pairs(),
        "rounds": state.rounds,
        "copies": state.copies,
        "faults": state.forfeits,
        "faults_of_player": who.faults,
        "score": played.score(),
        "results": results,
    })
}

/// The estimate, after at least one round.
fn place_verdict_elo(played: &PlaceMatch) -> Option<Estimate> {
    let state = played.state();
    (state.rounds > 0).then_some(state.elo)
}

fn place_field_size(played: &PlaceMatch) -> FieldSize {
    FieldSize::with_two_seats(played.opponents().len())
}

/// The current estimate, for a line of 80 columns under the progress.
pub fn place_verdict_headline(played: &PlaceMatch) -> String {
    let points =
        format_field_share(played.score(), played.pairs(), place_field_size(played).points());
    let wanted = place_verdict_elo(played)
        .map_or_else(String::new, |_| format!(" of ±{:.0}", played.within()));
    format!("{}{wanted}, {points}", format_verdict_margin(place_verdict_elo(played), "Elo"))
}

/// The place as text, without a trailing newline.
pub fn describe_place_verdict(
    played: &PlaceMatch,
    who: VerdictPlayer<'_>,
    opponents: &[String],
) -> String {
    let (state, name) = (played.state(), escape_line(who.name));
    let players = opponents.len() + 1;
    let mut lines = Vec::new();
    lines.extend(played.place().map(|rank| {
        let place = format!("{name} is ranked {} of {players}", rank.place);
        if rank.interval.low == rank.interval.high {
            format!("{place}.")
        } else {
            format!("{place} (95%: {}).", rank.interval)
        }
    }));
    let elo = match place_verdict_elo(played) {
        Some(elo) => format!(
            "Estimate: {} at 95%, relative to these opponents",
            format_verdict_interval(elo, "Elo")
        ),
        None => "No estimate yet".to_owned(),
    };
    lines.push(match state.stop {
        Some(MatchEnd::Length) => format!(
            "{elo}: still wider than ±{} Elo after the maximum number of pairs; --max-pairs allows more.",
            played.within()
        ),
        Some(MatchEnd::Copies) => {
            format!("{elo}: new games only repeat old ones, so more would not help.")
        }
        _ => format!("{elo}."),
    });
    lines.push(format!(
        "{name} scored {} of {} points; {} against {}.",
        played.score(),
        2 * played.pairs(),
        pluralize(state.rounds as usize, "round"),
        pluralize(opponents.len(), "opponent"),
    ));
    let of = |(name, score): (&String, &OpponentScore)| {
        let points = format_field_share(
            score.points(Rival::New),
            score.deals,
            place_field_size(played).points(),
        );
        format!("{} {points}", escape_line(name))
    };
    let each: Vec<String> = opponents.iter().zip(played.opponents()).map(of).collect();
    lines.push(format!("Points against each: {}.", each.join(", ")));
    if state.copies > 0 {
        lines.push(format!("Duplicate pairs: {}.", state.copies));
    }
    lines.extend(describe_verdict_faults(state.forfeits, &[who]));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use referee_ratings::FieldGame;
    use referee_tournament::analysis::named_results::FaultCounts;

    use super::*;

    fn played(rounds: u32) -> PlaceMatch {
        let mut played = PlaceMatch::new(60.0, 2, 40).expect("few players");
        for deal in 1..=2 * rounds {
            for seat in [0, 1] {
                let halves = if deal % 3 == 0 { 0 } else { 1 + deal % 2 };
                played.add(FieldGame { deal, seat, halves, ..FieldGame::default() });
            }
        }
        played
    }

    #[test]
    fn text_and_json_say_the_same() {
        let faults = FaultCounts::new();
        let who = VerdictPlayer { name: "new\u{1b}", faults: &faults };
        let opponents = ["ant", "bee"].map(str::to_owned);
        let played = played(40);
        let text = describe_place_verdict(&played, who, &opponents);
        let json = place_verdict_json(&played, who, &opponents, "results/x");
        assert!(text.starts_with(r"new\u{1b} is ranked 2 of 3."), "{text}");
        assert_eq!((&json["place"]["value"], &json["of"]), (&2.into(), &3.into()));
        assert_eq!((&json["stop"], &json["within"]), (&"decided".into(), &60.0.into()));
        let points = format!("scored {} of ", played.score());
        assert!(text.contains(&points) && text.contains("Points against each: ant "), "{text}");
        assert!(
            place_verdict_headline(&played).contains(" of ±60, "),
            "{}",
            place_verdict_headline(&played)
        );
        let nothing = self::played(0);
        assert_eq!(place_verdict_headline(&nothing), "no estimate yet, –");
        let none = PlaceMatch::new(60.0, 2, 9).expect("few players");
        assert_eq!(super::place_verdict_json(&none, who, &opponents, "")["place"], Value::Null);
    }
}
