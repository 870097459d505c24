//! The notes under the ranking, which explain what its numbers do not show.

use super::number_format::{
    format_margin, format_points, format_whole_number, round_to_two_digits,
};
use super::standings::{PointStandings, SeatStandings};
use super::unranked::describe_unranked;
use super::{Standings, StandingsRemedy, StandingsRow};
use crate::wrap::wrap_paragraph;
use referee_protocol::escape::escape_line;
use referee_ratings::{Estimate, Outcomes, Unranked};
use referee_record::wording::pluralize;

/// The maximum number of players, or pairs of them, in a note.
const LISTED: usize = 8;

/// Values of seats are taken as different below this p-value.
const SEATS_DIFFER: f64 = 0.05;
/// They are taken as different between players below this one.
const OWN_SEATS: f64 = 0.01;

/// The notes in lines of at most `width` columns, unless a single word is longer.
pub(super) fn render_standings_notes(standings: &Standings, width: usize) -> String {
    if standings.games == 0 {
        return "No games yet.".to_owned();
    }
    let notes = [
        Some(format!("{}.", standings.summary)),
        standings.seats.as_ref().map_or_else(
            || Some(first_seat_standings_note(standings)),
            |seats| Some(several_seats_standings_note(standings, seats)),
        ),
        standings.points.as_ref().map(seat_points_standings_note),
        missing_scores_standings_note(standings),
        winners_only_standings_note(standings),
        own_seats_standings_note(standings),
        faults_standings_note(standings),
        outages_standings_note(standings),
        unranked_standings_note(standings),
        spared_standings_note(standings),
        groups_standings_note(standings),
        matched_opponents_standings_note(standings),
        contradiction_standings_note(standings),
        copies_standings_note(standings),
        neighbours_standings_note(standings),
    ];
    let notes = notes.into_iter().flatten();
    notes.map(|note| wrap_paragraph(&note, 0, width)).collect::<Vec<_>>().join("\n")
}

/// The first seat's advantage and the draws.
fn first_seat_standings_note(standings: &Standings) -> String {
    let (games, draws) = (standings.total.games(), standings.total.draws);
    let advantage = standings.first_advantage;
    let rate = 100.0 * f64::from(draws) / f64::from(games);
    format!(
        "First seat: {} {} Elo. Draws: {draws} of {} ({rate:.1}%).",
        format_whole_number(advantage.value),
        format_margin(advantage.margin()),
        pluralize(games, "game"),
    )
}

/// The values of the seats, the ties, and whether the games of a deal agree.
pub(crate) fn several_seats_standings_note(standings: &Standings, seats: &SeatStandings) -> String {
    let Outcomes { draws, .. } = standings.total;
    let compared = standings.total.games();
    let rate = 100.0 * f64::from(draws) / f64::from(compared.max(1));
    let ties = format!("Ties: {draws} of {} ({rate:.1}%).", pluralize(compared, "comparison"));
    let value = |(name, value): &(String, Estimate)| {
        let (elo, margin) = (format_whole_number(value.value), format_margin(value.margin()));
        format!("{} {elo} {margin}", escape_line(name))
    };
    let values: Vec<String> = seats.values.iter().map(value).collect();
    let differ = match seats.values_p {
        _ if values.is_empty() => return format!("The seats are not known. {ties}"),
        None => "Seats".to_owned(),
        Some(p) if p < SEATS_DIFFER => format!("Seats differ (p = {:.1}%)", 100.0 * p),
        Some(p) => format!("Seats may be worth the same (p = {:.0}%)", 100.0 * p),
    };
    let agree = standings.pair_correlation;
    let agree = if agree == 0.0 {
        String::new()
    } else {
        format!(" Correlation within deals: {agree:.2}.")
    };
    format!("{differ}: {} Elo. {ties}{agree}", list_note_items(&values))
}

/// What strengths in points are, and what the seats are worth.
pub(crate) fn seat_points_standings_note(standings: &PointStandings) -> String {
    let PointStandings { decimals, seats, deal_dispersion, .. } = standings;
    let value = |(name, value): &(String, Estimate)| {
        let [value, margin] = [value.value, value.margin()].map(|it| format_points(it, *decimals));
        format!("{} {value} ±{margin}", escape_line(name))
    };
    let values: Vec<String> = seats.iter().map(value).collect();
    let worth = match &values[..] {
        [] => String::new(),
        values => format!(" Seats: {} points.", list_note_items(values)),
    };
    format!(
        "Ranked by points, from final scores; the mean is 0.{worth} Dispersion of deals: \
         {deal_dispersion:.2}."
    )
}

/// Says if games have no scores although these put the players in order.
pub(super) fn missing_scores_standings_note(standings: &Standings) -> Option<String> {
    let points = standings.points.as_ref()?;
    let games = points.without_scores;
    let lack = if games == 1 { "has no final scores" } else { "have no final scores" };
    let means = if points.has_scores {
        "they do not count towards points"
    } else {
        "no one has a rank; remove `rank = \"scores\"` from the configuration"
    };
    (games > 0).then(|| format!("Warning: {} {lack}: {means}.", pluralize(games, "game")))
}

/// Says if places look as if they told only who won.
fn winners_only_standings_note(standings: &Standings) -> Option<String> {
    standings.seats.as_ref().is_some_and(|seats| seats.may_be_winners).then(|| {
        "Warning: nearly all games have one player in first place and all others level. If only \
         winners are known, the intervals are far too narrow: add `--ranking winner` to a list of \
         games, and `\"ranking\":\"winner\"` to the description of a game."
            .to_owned()
    })
}

/// The faults by player, the most first.
fn faults_standings_note(standings: &Standings) -> Option<String> {
    let mut rows: Vec<&StandingsRow> =
        standings.rows.iter().filter(|row| row.fault_total() > 0).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.fault_total()));
    let players: Vec<String> = rows.into_iter().map(player_faults_standings_note).collect();
    let total = pluralize(standings.fault_total(), "fault");
    (!players.is_empty()).then(|| format!("{total}: {}.", list_note_items(&players)))
}

/// How often games were void because players could not reach their services.
fn outages_standings_note(standings: &Standings) -> Option<String> {
    let rows = standings.rows.iter().filter_map(|row| Some((row, row.outages?)));
    let rows = rows.filter(|(_, times)| *times > 0);
    let players: Vec<String> =
        rows.map(|(row, times)| format!("{} {times}", escape_line(&row.player))).collect();
    (!players.is_empty()).then(|| {
        format!(
            "Void and replayed because a service could not be reached: {}.",
            list_note_items(&players)
        )
    })
}

/// A player's faults, such as `chatty 2 malformed and 1 crash`.
fn player_faults_standings_note(row: &StandingsRow) -> String {
    let codes: Vec<String> =
        row.faults.iter().map(|(code, count)| format!("{count} {code}")).collect();
    format!("{} {}", escape_line(&row.player), codes.join(" and "))
}

/// Whether the seat is worth more to some players than to others.
fn own_seats_standings_note(standings: &Standings) -> Option<String> {
    if standings.seats.is_some() {
        return (standings.seat_effects_p < OWN_SEATS).then(|| {
            format!(
                "Seat values differ between players (p = {:.1}%).",
                100.0 * standings.seat_effects_p
            )
        });
    }
    standings.rows.iter().any(|row| row.seat_ratings.is_some()).then(|| {
        format!(
            "The first-seat advantage differs between players (p = {:.2}%): standings.csv has \
             ratings by seat.",
            100.0 * standings.seat_effects_p
        )
    })
}

/// The players without a rank, with the reasons.
fn unranked_standings_note(standings: &Standings) -> Option<String> {
    let player = |row: &StandingsRow| {
        // Groups that have not met get a note of their own, and earlier versions need none.
        let is_noted = |why: &_| *why != Unranked::Unconnected && !row.has_left;
        let why = row.rank.err().filter(is_noted)?;
        Some(format!("{} ({})", escape_line(&row.player), describe_unranked(why)))
    };
    let players: Vec<String> = standings.rows.iter().filter_map(player).collect();
    (!players.is_empty()).then(|| format!("Without a rank: {}.", list_note_items(&players)))
}

/// The players that are ranked last although they made no fault.
pub(super) fn spared_standings_note(standings: &Standings) -> Option<String> {
    let rows = standings.rows.iter().filter(|row| row.is_spared);
    let players: Vec<String> = rows.map(|row| escape_line(&row.player)).collect();
    let their = if players.len() == 1 { "its" } else { "their" };
    let why = format!(
        "all {their} games ended in faults by opponents, which say nothing about {their} strength."
    );
    (!players.is_empty()).then(|| format!("{}: {why}", list_note_items(&players)))
}

/// Says if not all players can be compared.
pub(super) fn groups_standings_note(standings: &Standings) -> Option<String> {
    (standings.groups > 1).then(|| {
        format!(
            "There are {} groups of players without games between them: ratings can only be \
             compared within a group, and only a group with most of the active players is ranked.",
            standings.groups
        )
    })
}

/// Opponents who were chosen by strength, but not by the results.
pub(super) fn matched_opponents_standings_note(standings: &Standings) -> Option<String> {
    let note = "Opponents seem to have been matched by previously known strength, as in \
                divisions: most are closer in strength than two random players would be. So \
                ratings are shrunk less than usual, and rest on a weak prior.";
    (!standings.is_learned).then(|| note.to_owned())
}

/// Says if given ratings contradict the results.
pub(super) fn contradiction_standings_note(standings: &Standings) -> Option<String> {
    let found = standings.contradiction.as_ref()?;
    let [upper, lower] = [&found.upper, &found.lower].map(|name| escape_line(name));
    Some(format!(
        "Warning: the anchors contradict the results: {upper} is given {} Elo more than {lower}, \
         but the games alone give {} {}. Ratings between and beyond the two are distorted.",
        format_whole_number(found.given),
        format_whole_number(found.found.value),
        format_margin(found.found.margin()),
    ))
}

/// Games that were played more than once.
pub(super) fn copies_standings_note(standings: &Standings) -> Option<String> {
    let mut copies: Vec<_> = standings.copies.iter().collect();
    copies.sort_by_key(|(.., count)| std::cmp::Reverse(*count));
    let total: u32 = copies.iter().map(|(.., count)| count).sum();
    let players: Vec<String> = copies
        .into_iter()
        .map(|(first, second, count)| {
            format!("{}–{} {count}", escape_line(first), escape_line(second))
        })
        .collect();
    let are = if total == 1 { "is a copy of an earlier one" } else { "are copies of earlier ones" };
    let games = pluralize(standings.games, "game");
    let remedy = copies_remedy_standings_note(standings.remedy);
    (total > 0).then(|| {
        format!(
            "Warning: {total} of {games} {are} ({}): copies score points, but count only once in \
             the ratings. {remedy}",
            list_note_items(&players)
        )
    })
}

/// A sentence about what would reduce the number of copies.
fn copies_remedy_standings_note(remedy: StandingsRemedy) -> &'static str {
    match remedy {
        StandingsRemedy::Openings => {
            "Openings would make the games different: see `[openings]` in the configuration \
             documentation."
        }
        StandingsRemedy::MoreOpenings => {
            "More openings would make the games different: more `plies`, or more lines in the file."
        }
        StandingsRemedy::Unknown => {
            "Openings would make the games different; so would players that choose randomly \
             between equally good moves."
        }
        StandingsRemedy::NoOpenings => {
            "Some players cannot start from an opening: play fewer `pairs`, or have the players \
             choose randomly between equally good moves."
        }
    }
}

/// Who won, in a line, as [`winner_standings_note`] says it at length.
pub(super) fn short_winner_note(
    standings: &Standings,
    may_compare: impl Fn(&str, &str) -> bool,
) -> Option<Headline<'_>> {
    let mut ranked = standings.rows.iter().filter(|row| row.rank.is_ok()).peekable();
    let first = ranked.next()?;
    ranked.peek()?;
    if first.rank_interval()?.high == 1 {
        return Some(Headline::Best(&first.player));
    }
    let rival = ranked.find(|row| may_compare(&first.player, &row.player));
    let is_open = |los: f64| (0.05..0.95).contains(&los);
    let close = rival.filter(|row| row.below_first.is_some_and(|it| is_open(it.los)));
    Some(match close {
        Some(rival) => Headline::Close(&first.player, &rival.player),
        None => Headline::First(&first.player),
    })
}

/// Who won, in a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Headline<'a> {
    /// This player is the best with 95% confidence.
    Best(&'a str),
    /// This player is first.
    First(&'a str),
    /// The first of these is before the other, but less likely than 95% better.
    Close(&'a str, &'a str),
}

/// Who is first, and how sure that is: compared with the next player that `may_compare` accepts.
/// `None` while fewer than two players have a rank.
pub(super) fn winner_standings_note(
    standings: &Standings,
    may_compare: impl Fn(&str, &str) -> bool,
) -> Option<String> {
    let mut ranked = standings.rows.iter().filter(|row| row.rank.is_ok()).peekable();
    let first = ranked.next()?;
    ranked.peek()?;
    let name = escape_line(&first.player);
    let worst = first.rank_interval()?.high;
    if worst == 1 {
        return Some(format!("{name} is first, and the best with 95% confidence."));
    }
    let place = format!(
        "{name} is first, but that is not certain: with 95% confidence its place is between 1 and \
         {worst} of {}.",
        standings.count_ranked()
    );
    let Some(rival) = ranked.find(|row| may_compare(&first.player, &row.player)) else {
        return Some(place);
    };
    let other = escape_line(&rival.player);
    let Some(next) = rival.below_first.filter(|it| it.games != Some(0)) else { return Some(place) };
    let percent = format_whole_number(100.0 * next.los);
    if percent == "50" {
        return Some(format!("{place} It and {other} are level: the games favour neither."));
    }
    let better = format!("It is {percent}% likely to be better than {other}");
    Some(match next.games {
        Some(games) => {
            let games = round_to_two_digits(f64::from(games));
            format!("{place} {better}; about {games} more games would settle that.")
        }
        None => format!("{place} {better}."),
    })
}

/// About how many more games would separate two players.
pub(crate) fn note_games_to_separate(games: Option<u32>) -> String {
    games.map_or_else(|| "over a million".to_owned(), |games| round_to_two_digits(f64::from(games)))
}

/// Neighbours that are not separated at 95%.
fn neighbours_standings_note(standings: &Standings) -> Option<String> {
    let close: Vec<String> = standings
        .rows
        .windows(2)
        .filter_map(|rows| {
            let next = rows[0].next.filter(|next| next.games != Some(0))?;
            let [above, below] = [0, 1].map(|at: usize| escape_line(&rows[at].player));
            let percent = format_whole_number(100.0 * next.los);
            let games = note_games_to_separate(next.games);
            Some(match percent.as_str() {
                "50" => format!("{above} and {below} (level)"),
                percent => format!("{above} and {below} ({percent}%, {games})"),
            })
        })
        .collect();
    (!close.is_empty()).then(|| {
        format!(
            "Too close to call (likelihood that the first is better, and about how many more games \
             would tell): {}.",
            list_note_items(&close)
        )
    })
}

/// Lists the first few items, with commas.
pub(super) fn list_note_items(items: &[String]) -> String {
    let shown = &items[..items.len().min(LISTED)];
    match items.len() - shown.len() {
        0 => shown.join(", "),
        rest => format!("{} and {rest} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::standings::tests::standings;
    use super::*;
    use referee_record::model::fault::FaultCode;
    use referee_record::model::record::Anchor;
    use referee_record::model::record::examples::{faulty, game};
    use referee_tournament::analysis::named_results::examples::results;
    use referee_tournament::analysis::{NamedResults, TournamentEvaluation};
    use referee_tournament::schedule::progress_summary::ProgressSummary;

    #[test]
    fn faults_are_listed_by_player_most_first() {
        let mut results = results(&["slow", "chatty"], &[]);
        let codes = [FaultCode::Malformed, FaultCode::Malformed, FaultCode::Crash];
        for code in codes {
            let game = faulty(game("chatty", "slow", "black"), &[("white", code)]);
            results.add(&game).expect("known players");
        }
        let late = faulty(game("chatty", "slow", "white"), &[("black", FaultCode::Timeout)]);
        results.add(&late).expect("known players");
        assert_eq!(
            faults_standings_note(&standings(&results)).as_deref(),
            Some("4 faults: chatty 1 crash and 2 malformed, slow 1 timeout.")
        );
    }

    #[test]
    fn anchors_that_contradict_the_results_are_reported() {
        let anchor = |player: &str, rating| Anchor { player: player.to_owned(), rating };
        let all = [(0, 1, "white"), (0, 1, "black"), (1, 0, "white"), (1, 0, "black")];
        let results = results(&["ant", "bee"], &all.map(|game| vec![game; 100]).concat());
        let anchors = [anchor("ant", 1000.0), anchor("bee", 1300.0)];
        let evaluation =
            TournamentEvaluation::new(results, &anchors, &[None; 2], ProgressSummary::default());
        let standings = Standings::new(&evaluation.expect("known anchors"));
        let told =
            super::contradiction_standings_note(&standings).expect("equals are not 300 Elo apart");
        let start = "Warning: the anchors contradict the results: bee is given 300 Elo more than \
                     ant, but the games alone give 0 ±";
        assert!(told.starts_with(start), "{told}");
    }

    #[test]
    fn separated_neighbours_are_not_listed() {
        let clear = [vec![(0, 1, "white"); 90], vec![(1, 0, "black"); 90]].concat();
        let standings = standings(&results(&["ant", "bee"], &clear));
        assert_eq!(faults_standings_note(&standings), None);
        assert_eq!(neighbours_standings_note(&standings), None);
        assert_eq!(copies_standings_note(&standings), None);
        assert_eq!(render_standings_notes(&standings, 80).lines().count(), 2);
    }

    #[test]
    fn a_winner_is_named_with_its_certainty() {
        let clear = [vec![(0, 1, "white"); 90], vec![(1, 0, "black"); 90]].concat();
        let told =
            winner_standings_note(&standings(&results(&["ant", "bee"], &clear)), |_, _| true);
        assert_eq!(told.as_deref(), Some("ant is first, and the best with 95% confidence."));
        let told =
            winner_standings_note(&standings(&two_players()), |_, _| true).expect("two players");
        let start = "ant is first, but that is not certain: with 95% confidence its place is \
                     between 1 and 2 of 2. It is ";
        assert!(told.starts_with(start) && told.ends_with(" would settle that."), "{told}");
        let level = [(0, 1, "white"), (1, 0, "white")];
        let level = standings(&results(&["ant", "bee"], &level));
        let told = winner_standings_note(&level, |_, _| true).expect("two players");
        assert!(told.ends_with("It and bee are level: the games favour neither."), "{told}");
        let told = neighbours_standings_note(&level).expect("not told apart");
        assert!(told.ends_with(": ant and bee (level)."), "{told}");
        assert_eq!(
            winner_standings_note(&standings(&results(&["ant", "bee"], &[])), |_, _| true),
            None
        );
    }

    #[test]
    fn the_winner_is_not_compared_with_its_copy() {
        let games = [(0, 1, "white"), (1, 0, "white"), (0, 2, "white"), (1, 2, "white")];
        let near = standings(&results(&["ant", "bee", "cat"], &games));
        let told = |may_compare: fn(&str, &str) -> bool| {
            winner_standings_note(&near, may_compare).expect("three")
        };
        assert!(told(|_, _| true).contains("It and bee are level"));
        let next = told(|_, other| other != "bee");
        assert!(next.contains("likely to be better than cat;"), "{next}");
        assert!(told(|_, _| false).ends_with("between 1 and 3 of 3."));
    }

    #[test]
    fn copies_and_groups_are_reported() {
        let mut results = results(&["ant", "bee", "cat", "dog"], &[]);
        for _ in 0..3 {
            results.add(&game("ant", "bee", "white")).expect("known players");
        }
        results.add(&game("cat", "dog", "white")).expect("known players");
        let standings = standings(&results);
        assert_eq!(
            copies_standings_note(&standings).as_deref(),
            Some(
                "Warning: 2 of 4 games are copies of earlier ones (ant–bee 2): copies score \
                 points, but count only once in the ratings. Openings would make the games \
                 different: see `[openings]` in the configuration documentation."
            )
        );
        let advice = |remedy| {
            let standings = Standings { remedy, ..standings.clone() };
            copies_standings_note(&standings).expect("there are copies")
        };
        let none = advice(StandingsRemedy::NoOpenings);
        assert!(none.contains("fewer `pairs`") && !none.contains("[openings]"), "{none}");
        let unknown = advice(StandingsRemedy::Unknown);
        assert!(unknown.contains("Openings"), "{unknown}");
        assert!(groups_standings_note(&standings).is_some_and(|note| note.contains("2 groups")));
        let near = super::super::standings::tests::standings(&two_players());
        assert!(
            neighbours_standings_note(&near).is_some_and(|note| note.contains("ant and bee ("))
        );
    }

    fn two_players() -> NamedResults {
        results(&["ant", "bee"], &[(0, 1, "white")])
    }

    #[test]
    fn unranked_players_are_listed_with_reasons() {
        let mut results = results(&["ant", "bee", "eel", "fox"], &[(0, 1, "white")]);
        let crash = [("white", FaultCode::Crash)];
        results.add(&faulty(game("eel", "ant", "black"), &crash)).expect("known players");
        assert_eq!(
            unranked_standings_note(&standings(&results)).as_deref(),
            Some(
                "Without a rank: fox (no game that counts), eel (committed faults and finished no \
                 games)."
            )
        );
    }

    #[test]
    fn players_without_a_game_that_says_something_are_named() {
        let mut results = results(&["ant", "bee", "liam", "zoe"], &[(0, 1, "white")]);
        let crash = [("black", FaultCode::Crash)];
        results.add(&faulty(game("ant", "zoe", "white"), &crash)).expect("known players");
        assert_eq!(spared_standings_note(&standings(&results)), None);
        results.add(&faulty(game("liam", "zoe", "white"), &crash)).expect("known players");
        let told = "liam: all its games ended in faults by opponents, which say nothing about its \
                    strength.";
        assert_eq!(spared_standings_note(&standings(&results)).as_deref(), Some(told));
    }

    #[test]
    fn so_many_games_are_told_roughly() {
        let told = [Some(12_345), None].map(note_games_to_separate);
        assert_eq!(told, ["12000", "over a million"]);
    }

    #[test]
    fn long_lists_are_cut() {
        let items: Vec<String> = (1..=9).map(|n| format!("item{n}")).collect();
        assert_eq!(list_note_items(&items[..2]), "item1, item2");
        assert!(list_note_items(&items).ends_with(", item8 and 1 more"));
    }
}
