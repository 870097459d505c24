//! Ends games before their rules do, from the scores that players report: pure arithmetic, the
//! same for a game in progress and for a record.

use referee_games::{AnyPosition, BySeat, Outcome, Places, Seat, SeatSet, Text, Turn};
use referee_protocol::SearchReport;
use referee_record::model::adjudication::{ADJUDICATED, Adjudication, ScoreRule};
use referee_record::model::record::RecordedNote;

/// The ending by `rules` in this position, although the game itself is not over, if there is one.
/// `notes` has what the players reported, in the order of the game; later plies do not count.
pub fn adjudicate_position(
    rules: &Adjudication,
    position: &dyn AnyPosition,
    notes: &[RecordedNote],
) -> Option<Outcome> {
    match position.turn() {
        Turn::Over(_) | Turn::Chance(_) => None,
        _ => adjudicate_after_ply(rules, position.ply(), notes, &position.seats()),
    }
}

/// How a game ends after `ply` plies, if it does.
fn adjudicate_after_ply(
    rules: &Adjudication,
    ply: u32,
    notes: &[RecordedNote],
    seats: &BySeat<Text>,
) -> Option<Outcome> {
    let notes = &notes[..notes.partition_point(|note| note.ply < ply)];
    let is_behind = |loser: &Seat| {
        rules.resign.is_some_and(|rule| {
            let bound = i64::from(rule.score);
            if rule.one_sided {
                return one_sided_resign_holds(rule, ply, notes, seats, *loser);
            }
            score_rule_holds(rule, ply, notes, seats, |seat, score| {
                if seat == *loser { score <= -bound } else { score >= bound }
            })
        })
    };
    let is_level = |rule: ScoreRule| {
        let bound = i64::from(rule.score);
        score_rule_holds(rule, ply, notes, seats, |_, score| (-bound..=bound).contains(&score))
    };
    let count = seats.len();
    let (places, key) = if let Some(loser) = seats.seats().find(is_behind) {
        (Places::lost_by(loser.into(), count), "resign")
    } else if rules.draw.is_some_and(is_level) {
        (Places::level(count), "draw")
    } else if rules.length.is_some_and(|length| ply >= length) {
        (Places::level(count), "length")
    } else {
        return None;
    };
    Some(Outcome { places, reason: format!("{ADJUDICATED}{key}").into() })
}

/// Whether each of the last plies has exactly one score, which `fits`, and every player reported
/// some of them.
fn score_rule_holds(
    rule: ScoreRule,
    ply: u32,
    notes: &[RecordedNote],
    seats: &BySeat<Text>,
    fits: impl Fn(Seat, i64) -> bool,
) -> bool {
    let first = ply.checked_sub(rule.plies).filter(|_| ply >= rule.after);
    let Some((first, start)) = first.zip(notes.len().checked_sub(rule.plies as usize)) else {
        return false;
    };
    let mut reported = SeatSet::EMPTY;
    let is_fit = |(note, ply): (&RecordedNote, u32)| {
        let Some((seat, score)) = seats.seat(&note.by).zip(score_for_adjudication(note.search))
        else {
            return false;
        };
        reported.insert(seat);
        note.ply == ply && fits(seat, score)
    };
    notes[start..].iter().zip(first..).all(is_fit) && reported.len() == seats.len()
}

/// Whether the player at `loser` reported that it is far behind in each of its turns among the last
/// plies, and has its share of them.
fn one_sided_resign_holds(
    rule: ScoreRule,
    ply: u32,
    notes: &[RecordedNote],
    seats: &BySeat<Text>,
    loser: Seat,
) -> bool {
    let Some(first) = ply.checked_sub(rule.plies).filter(|_| ply >= rule.after) else {
        return false;
    };
    let last = &notes[notes.partition_point(|note| note.ply < first)..];
    let own = last.iter().filter(|note| seats.seat(&note.by) == Some(loser));
    let is_lost = |note: &RecordedNote| {
        score_for_adjudication(note.search).is_some_and(|score| score <= -i64::from(rule.score))
    };
    own.clone().count() >= (rule.plies as usize).div_ceil(seats.len())
        && own.into_iter().all(is_lost)
}

/// The reported score. A mate is beyond every bound.
fn score_for_adjudication(search: SearchReport) -> Option<i64> {
    match (search.mate, search.score) {
        (Some(mate), _) => Some(if mate > 0 { i64::MAX } else { i64::MIN }),
        (None, score) => score.map(i64::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEATS: [Text; 2] = [Text::Borrowed("white"), Text::Borrowed("black")];

    fn rules() -> Adjudication {
        Adjudication {
            draw: Some(ScoreRule { after: 6, plies: 4, score: 10, one_sided: false }),
            resign: Some(ScoreRule { after: 0, plies: 3, score: 600, one_sided: false }),
            length: Some(20),
        }
    }

    fn centipawns(score: i32) -> SearchReport {
        SearchReport { score: Some(score), ..SearchReport::default() }
    }

    fn mate(mate: i32) -> SearchReport {
        SearchReport { mate: Some(mate), ..SearchReport::default() }
    }

    /// The reports of alternating players from ply `first` on.
    fn reports(first: u32, searches: &[SearchReport]) -> Vec<RecordedNote> {
        let note = |(ply, search): (u32, &SearchReport)| {
            let by = if ply % 2 == 0 { "white" } else { "black" };
            RecordedNote { ply, by: by.to_owned(), note: None, eval: None, search: *search }
        };
        (first..).zip(searches).map(note).collect()
    }

    /// The end after the last of these reports.
    fn ended(first: u32, searches: &[SearchReport]) -> Option<(Places, String)> {
        let notes = reports(first, searches);
        let ply = notes.last().map_or(first, |note| note.ply + 1);
        let outcome = adjudicate_after_ply(&rules(), ply, &notes, &SEATS.into())?;
        Some((outcome.places, outcome.reason.into_owned()))
    }

    fn draw(key: &str) -> (Places, String) {
        (Places::level(2), format!("adjudicated-{key}"))
    }

    #[test]
    fn scores_about_zero_are_a_draw_late_enough() {
        let level = [10, -10, 0, 3].map(centipawns);
        assert_eq!(ended(2, &level), Some(draw("draw")));
        assert_eq!(ended(1, &level), None, "too early");
        assert_eq!(ended(2, &level[1..]), None, "too few");
        assert_eq!(ended(2, &[11, 0, 0, 0].map(centipawns)), None);
        assert_eq!(ended(4, &[mate(5), mate(5), mate(5), mate(5)]), None);
        let silent = [centipawns(0), SearchReport::default(), centipawns(0), centipawns(0)];
        assert_eq!(ended(4, &silent), None, "a ply without a score");
    }

    #[test]
    fn one_side_loses_if_both_say_so() {
        let lost = |winner| Some((Places::won_by(winner, 2), "adjudicated-resign".to_owned()));
        assert_eq!(ended(0, &[-600, 600, -900].map(centipawns)), lost(Seat::SECOND));
        assert_eq!(ended(0, &[mate(3), centipawns(-700), mate(2)]), lost(Seat::FIRST));
        assert_eq!(ended(0, &[mate(0), mate(1), mate(-1)]), lost(Seat::SECOND));
        assert_eq!(ended(0, &[-600, 599, -900].map(centipawns)), None, "its opponent is not sure");
        assert_eq!(ended(0, &[600, 600, 900].map(centipawns)), None, "both hope to win");
    }

    #[test]
    fn one_side_loses_alone_if_the_rule_says_so() {
        let rule = ScoreRule { after: 0, plies: 6, score: 600, one_sided: true };
        let alone = Adjudication { resign: Some(rule), ..Adjudication::default() };
        let ended = |ply, notes: &[RecordedNote]| {
            adjudicate_after_ply(&alone, ply, notes, &SEATS.into()).map(|outcome| outcome.places)
        };
        // Black reports three times that it is lost, white nothing of the kind.
        let scores = [0, -600, 5, -700, 3, -900].map(centipawns);
        assert_eq!(ended(6, &reports(0, &scores)), Some(Places::won_by(Seat::FIRST, 2)));
        assert_eq!(ended(5, &reports(0, &scores[..5])), None, "too few plies");
        let silent: Vec<RecordedNote> =
            reports(0, &scores).into_iter().filter(|note| note.by == "black").collect();
        assert_eq!(ended(6, &silent), Some(Places::won_by(Seat::FIRST, 2)));
        assert_eq!(ended(7, &silent), Some(Places::won_by(Seat::FIRST, 2)));
        assert_eq!(ended(6, &silent[..2]), None, "a turn without a report");
        let hopeful = [0, -600, 5, -599, 3, -900].map(centipawns);
        assert_eq!(ended(6, &reports(0, &hopeful)), None);
        // Of an odd number of plies, it needs the larger half.
        let rule = ScoreRule { plies: 3, ..rule };
        let alone = Adjudication { resign: Some(rule), ..Adjudication::default() };
        let ended = |ply, notes: &[RecordedNote]| {
            adjudicate_after_ply(&alone, ply, notes, &SEATS.into()).is_some()
        };
        assert!(!ended(3, &reports(0, &scores[..3])) && ended(4, &reports(0, &scores[..4])));
    }

    #[test]
    fn one_of_three_loses_alone_as_one_of_two_does() {
        let rule = ScoreRule { after: 0, plies: 6, score: 600, one_sided: true };
        let alone = Adjudication { resign: Some(rule), ..Adjudication::default() };
        let seats: [Text; 3] = ["red", "green", "blue"].map(Text::Borrowed);
        let note = |ply: u32| RecordedNote {
            ply,
            by: seats[ply as usize % 3].to_string(),
            note: None,
            eval: None,
            search: centipawns(if ply.is_multiple_of(3) { -900 } else { 0 }),
        };
        let notes: Vec<RecordedNote> = (0..6).map(note).collect();
        let ended = |ply, notes: &[RecordedNote]| {
            adjudicate_after_ply(&alone, ply, notes, &seats.clone().into())
        };
        let places = ended(6, &notes).expect("red is lost").places;
        assert_eq!(places, Places::lost_by(Seat::FIRST.into(), 3));
        assert_eq!(ended(5, &notes[..5]), None, "too few plies");
    }

    #[test]
    fn only_an_unbroken_row_of_both_players_counts() {
        let mut gap = reports(0, &[-600, 600, -600, 600].map(centipawns));
        gap.remove(2);
        assert_eq!(adjudicate_after_ply(&rules(), 4, &gap, &SEATS.into()), None);
        assert_eq!(
            adjudicate_after_ply(&rules(), 5, &gap, &SEATS.into()),
            None,
            "the last ply has no report"
        );
        let mut alone = reports(0, &[-600, -600, -600].map(centipawns));
        for note in &mut alone {
            note.by = "white".to_owned();
        }
        assert_eq!(adjudicate_after_ply(&rules(), 3, &alone, &SEATS.into()), None);
        let later = reports(0, &[-600, 600, -600, 0].map(centipawns));
        assert!(
            adjudicate_after_ply(&rules(), 3, &later, &SEATS.into()).is_some(),
            "later reports do not count"
        );
        assert_eq!(adjudicate_after_ply(&rules(), 4, &later, &SEATS.into()), None);
    }

    #[test]
    fn a_long_game_is_a_draw() {
        assert_eq!(ended(19, &[]), None);
        assert_eq!(ended(20, &[]), Some(draw("length")));
        assert_eq!(
            adjudicate_after_ply(&Adjudication::default(), u32::MAX, &[], &SEATS.into()),
            None
        );
    }
}
