//! `grades.csv`: marks by the table of the configuration.

use std::io;

use super::tables::{finish, text};
use super::{Row, Standings};
use crate::config::{Grades, ScoreMark};
use crate::rating::Tally;

/// The table: a row a player by rank, with the marks and what they are for.
pub fn grades(grades: &Grades, standings: &Standings, tally: &Tally) -> io::Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let against = grades.against.iter().map(|line| format!("against_{}", line.player));
    let heading = ["player", "marks", "rank", "rank_low", "rank_high", "rank_marks"];
    table.write_record(heading.map(str::to_owned).into_iter().chain(against))?;
    for row in &standings.rows {
        let for_rank = marks_of_rank(grades, row);
        let for_scores: Vec<f64> =
            grades.against.iter().map(|line| marks_of_score(line, row, tally)).collect();
        let sum = for_rank + for_scores.iter().sum::<f64>();
        let mut cells = vec![text(&row.player).into_owned(), sum.to_string()];
        cells.extend([row.rank, row.band.low, row.band.high].map(|rank| rank.to_string()));
        cells.push(for_rank.to_string());
        cells.extend(for_scores.iter().map(ToString::to_string));
        table.write_record(cells)?;
    }
    finish(table)
}

/// The doubt is the player's benefit: the best rank of its band counts.
fn marks_of_rank(grades: &Grades, row: &Row) -> f64 {
    let best = u32::try_from(row.band.low).unwrap_or(u32::MAX);
    grades.ranks.iter().find(|line| best <= line.rank).map_or(0.0, |line| line.marks)
}

/// No marks where the two have not met; the player itself has them all.
fn marks_of_score(line: &ScoreMark, row: &Row, tally: &Tally) -> f64 {
    if line.player == row.player {
        return line.marks;
    }
    let Ok(opponent) = tally.number(&line.player) else { return 0.0 };
    let games = tally.between(row.number, opponent);
    let share = games.score().value() / f64::from(games.games().max(1));
    if games.games() > 0 && share >= line.score { line.marks } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::standings::tests::standings;
    use super::*;
    use crate::config::RankMark;
    use crate::rating::tally::tests::tally;

    #[test]
    fn marks_are_for_the_best_rank_and_every_score() {
        let tally = tally(&["ant", "=bee", "house"], &[(0, 2, "white"), (2, 1, "white")]);
        let line = |score, marks| ScoreMark { player: "house".into(), score, marks };
        let grades = Grades {
            ranks: vec![RankMark { rank: 1, marks: 4.0 }, RankMark { rank: 3, marks: 2.5 }],
            against: vec![line(0.0, 1.0), line(0.5, 3.0)],
        };
        let mut standings = standings(&tally);
        for row in &mut standings.rows {
            row.band.low = row.rank;
            row.band.high = row.rank;
        }
        let bytes = super::grades(&grades, &standings, &tally).expect("memory");
        assert_eq!(
            String::from_utf8(bytes).expect("UTF-8"),
            "player,marks,rank,rank_low,rank_high,rank_marks,against_house,against_house\n\
             ant,8,1,1,1,4,1,3\n\
             house,6.5,2,2,2,2.5,1,3\n\
             '=bee,3.5,3,3,3,2.5,1,0\n"
        );
    }
}
