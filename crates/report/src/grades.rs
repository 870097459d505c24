//! `grades.csv`: marks, computed as the configuration says.

use std::io;

use super::csv_cells::{finish, text};
use super::unranked::describe;
use super::{Row, Standings};
use referee_ratings::Rank;
use referee_record::model::grades::{Grades, ScoreMark};
use referee_tournament::analysis::results::NamedResults;

/// The headings before and after the marks for scores.
const FIRST_HEADINGS: [&str; 6] =
    ["player", "marks", "rank", "rank_low", "rank_high", "rank_marks"];
const LAST_HEADINGS: [&str; 2] = ["games", "reason"];
/// What comes before the player's name in the heading of marks for a score.
const AGAINST: &str = "against_";
/// The reason of a person without a player.
const NO_PLAYER: &str = "handed in no player";

/// The table: one row per graded player in ranking order, with the marks and the rank and scores
/// behind them, and then one row for each person without a player.
pub fn grades(
    grades: &Grades,
    standings: &Standings,
    results: &NamedResults,
) -> io::Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let against = grades.against.iter().map(|line| format!("{AGAINST}{}", line.player));
    let heading = FIRST_HEADINGS.map(str::to_owned).into_iter().chain(against);
    table.write_record(heading.chain(LAST_HEADINGS.map(str::to_owned)))?;
    for row in standings.rows.iter().filter(|row| !grades.exempt.contains(&row.player)) {
        table.write_record(cells(grades, row, results))?;
    }
    for name in &grades.absent {
        table.write_record(absent(grades, name))?;
    }
    finish(table)
}

fn cells(grades: &Grades, row: &Row, results: &NamedResults) -> Vec<String> {
    let marks = Marks::new(grades, row, results);
    let mut cells = vec![text(&row.player).into_owned(), marks.sum()];
    cells.extend(rank_cells(row));
    cells.push(cell(marks.for_rank));
    cells.extend(marks.for_scores.iter().copied().map(cell));
    let names = grades.against.iter().map(|line| line.player.as_str());
    let unmet = unmet(names.zip(marks.for_scores.iter().map(Option::is_none)));
    cells.extend([row.outcomes.games().to_string(), reason(row, &unmet)]);
    cells
}

/// Marks as text; empty if they are not known.
fn cell(marks: Option<f64>) -> String {
    marks.map_or(String::new(), |marks| marks.to_string())
}

/// The names whose marks are unknown, each once.
fn unmet<'a>(lines: impl Iterator<Item = (&'a str, bool)>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for (name, is_unknown) in lines {
        if is_unknown && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The rank of a player and its interval; empty for one without a rank.
fn rank_cells(row: &Row) -> [String; 3] {
    let low = row.rank_interval().map(|interval| interval.low);
    let high = row.rank_interval().map(|interval| interval.high);
    [row.place(), low, high].map(|rank| rank.map_or(String::new(), |rank| rank.to_string()))
}

/// The reason for a player's marks: its rank, or why it has none. For one that did not meet these
/// players, that it did not.
fn reason(row: &Row, unmet: &[&str]) -> String {
    match row.rank {
        _ if !unmet.is_empty() => format!("did not meet {}", unmet.join(", ")),
        Ok(Rank { interval, .. }) => format!("rank {} at best", interval.low),
        Err(why) => describe(why).to_owned(),
    }
}

/// The row of a person without a player.
fn absent(grades: &Grades, name: &str) -> Vec<String> {
    let marks = grades.failed.to_string();
    let rank = [const { String::new() }; 3];
    let mut cells = vec![text(name).into_owned(), marks.clone()];
    cells.extend(rank);
    cells.push(marks);
    cells.extend(grades.against.iter().map(|_| "0".to_owned()));
    cells.extend(["0".to_owned(), NO_PLAYER.to_owned()]);
    cells
}

/// The marks of a player.
struct Marks {
    /// `None` if its rank is not known.
    for_rank: Option<f64>,
    /// `None` for a score against a player that it did not meet.
    for_scores: Vec<Option<f64>>,
}

impl Marks {
    fn new(grades: &Grades, row: &Row, results: &NamedResults) -> Self {
        let for_scores = grades.against.iter().map(|line| marks_of_score(line, row, results));
        let for_rank = match row.rank {
            // The player gets the benefit of the doubt: the best rank in its interval counts.
            Ok(Rank { interval, .. }) => Some(marks_of_rank(grades, interval.low)),
            Err(why) if why.is_failure() => {
                let none = vec![Some(0.0); grades.against.len()];
                return Self { for_rank: Some(grades.failed), for_scores: none };
            }
            Err(_) => grades.ranks.is_empty().then_some(0.0),
        };
        Self { for_rank, for_scores: for_scores.collect() }
    }

    /// The sum of all marks; empty if any of them is not known.
    fn sum(&self) -> String {
        let scores: Option<f64> = self.for_scores.iter().copied().sum();
        cell(self.for_rank.zip(scores).map(|(rank, scores)| rank + scores))
    }
}

fn marks_of_rank(grades: &Grades, rank: usize) -> f64 {
    let rank = u32::try_from(rank).unwrap_or(u32::MAX);
    grades.ranks.iter().find(|line| rank <= line.rank).map_or(0.0, |line| line.marks)
}

/// The marks for the score against one opponent: `None` if no game between the two counts, and all
/// of them for the opponent itself.
fn marks_of_score(line: &ScoreMark, row: &Row, results: &NamedResults) -> Option<f64> {
    if line.player == row.player {
        return Some(line.marks);
    }
    let opponent = results.number(&line.player).ok()?;
    let games = results.counts.between(row.number, opponent);
    let share = games.score().value() / f64::from(games.games().max(1));
    (games.games() > 0).then_some(if share >= line.score { line.marks } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::super::standings::tests::{evaluation, standings};
    use super::*;
    use referee_ratings::RankInterval;
    use referee_record::model::fault::FaultCode;
    use referee_record::model::grades::RankMark;
    use referee_record::model::player::Out;
    use referee_record::model::record::examples::{faulty, game};
    use referee_tournament::analysis::Evaluation;
    use referee_tournament::analysis::results::examples::results;

    fn table(grades: &Grades, standings: &Standings, results: &NamedResults) -> String {
        let bytes = super::grades(grades, standings, results).expect("memory");
        String::from_utf8(bytes).expect("UTF-8")
    }

    #[test]
    fn marks_follow_the_best_rank_and_every_score() {
        let results = results(&["ant", "=bee", "house"], &[(0, 2, "white"), (2, 1, "white")]);
        let line = |score, marks| ScoreMark { player: "house".into(), score, marks };
        let grades = Grades {
            ranks: vec![RankMark { rank: 1, marks: 4.0 }, RankMark { rank: 3, marks: 2.5 }],
            against: vec![line(0.0, 1.0), line(0.5, 3.0)],
            failed: 0.0,
            absent: vec!["zoe".into()],
            exempt: vec!["house".into()],
        };
        let mut standings = standings(&results);
        for (row, place) in standings.rows.iter_mut().zip(1..) {
            row.rank = Ok(Rank { place, interval: RankInterval { low: place, high: place } });
        }
        assert_eq!(
            table(&grades, &standings, &results),
            "player,marks,rank,rank_low,rank_high,rank_marks,against_house,against_house,games,reason\n\
             ant,8,1,1,1,4,1,3,1,rank 1 at best\n\
             '=bee,3.5,3,3,3,2.5,1,0,1,rank 3 at best\n\
             zoe,0,,,,0,0,0,0,handed in no player\n"
        );
    }

    #[test]
    fn marks_against_a_player_that_was_not_met_are_left_to_the_organiser() {
        let games = [(0, 1, "white"), (1, 2, "white"), (2, 0, "white"), (1, 3, "white")];
        let results = results(&["ant", "bee", "cat", "house"], &games);
        let line = |score| ScoreMark { player: "house".into(), score, marks: 2.0 };
        let grades = Grades {
            against: vec![line(0.0), line(0.5)],
            exempt: vec!["house".into()],
            ..Grades::default()
        };
        let standings = standings(&results);
        let table = table(&grades, &standings, &results);
        let row = |start: &str| table.lines().find(|line| line.starts_with(start)).expect("a row");
        assert!(row("ant,,").ends_with(",0,,,2,did not meet house"), "{table}");
        assert!(row("bee,4,").ends_with(",0,2,2,3,rank 1 at best"), "{table}");
    }

    #[test]
    fn failed_players_get_the_configured_marks() {
        let names = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu"];
        let games = [(0, 1, "white"), (1, 2, "white"), (5, 6, "white"), (3, 0, "white")];
        let mut results = results(&names, &games);
        let crash = [("white", FaultCode::Crash)];
        results.add(&faulty(game("eel", "ant", "black"), &crash)).expect("known players");
        let mut out = vec![None; names.len()];
        out[3] = Some(Out::Quarantined);
        let evaluated = Evaluation::new(results.clone(), &[], &out, evaluation(&results).summary);
        let standings = Standings::new(&evaluated.expect("no anchor"));
        let lines = vec![RankMark { rank: 1, marks: 10.0 }, RankMark { rank: 9, marks: 5.0 }];
        let grades = Grades { ranks: lines, failed: -1.0, ..Grades::default() };
        let table = table(&grades, &standings, &results);
        let row = |name: &str| {
            let start = format!("{name},");
            table.lines().find(|line| line.starts_with(&start)).expect("a row").to_owned()
        };
        assert!(row("ant").starts_with("ant,10,1,1,3,10,3,"), "{table}");
        assert_eq!(row("dog"), "dog,-1,,,,-1,1,quarantined for faults");
        assert_eq!(row("eel"), "eel,-1,,,,-1,1,made faults and finished no game");
        assert_eq!(row("fox"), "fox,,,,,,1,not connected with most others by games");
    }
}
