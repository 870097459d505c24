//! `standings.csv` and `crosstable.csv` as bytes.

use std::borrow::Cow;
use std::io;

use super::csv_cells::{finish_csv_cells, format_text_cell};
use super::standings_columns::{standings_column_cells, standings_column_headings};
use super::{Standings, StandingsRow};
use referee_tournament::analysis::named_results::NamedResults;
use referee_tournament::analysis::pseudonyms::Pseudonyms;

/// The file names of the tables that are written as a whole.
pub const TABLES: [&str; 2] = ["standings.csv", "crosstable.csv"];
/// The file name of the table of games.
pub const GAMES_TABLE: &str = "games.csv";
/// The file name of the table of marks.
pub const GRADES_TABLE: &str = "grades.csv";
/// The file name of the rules by which that table was made, as JSON.
pub const GRADES_RULES: &str = "grades.json";
/// The file name of the people without a player and the reasons, as JSON.
pub const ABSENT: &str = "absent.json";
/// An empty file that marks the tables of a run that has not ended: they may be older than the log.
pub const UNFINISHED: &str = "tables.unfinished";
/// The file name of the report.
pub const PAGE: &str = "report.html";
/// The folder of the report under pseudonyms.
pub const PUBLIC: &str = "public";
/// The folder of the packets.
pub const PACKETS: &str = "packets";
/// The file in that folder with the players' pseudonyms.
pub const KEY: &str = "key.csv";

/// The tables of these standings as files: name and content. `games.csv` is written game by game.
pub fn csv_table_files(
    ranked: &Standings,
    results: &NamedResults,
) -> io::Result<[(&'static str, Vec<u8>); 2]> {
    let [ranking, pairings] = TABLES;
    Ok([(ranking, standings_csv(ranked)?), (pairings, crosstable_csv(ranked, results)?)])
}

/// `standings.csv`: one row per player by rank, with ratings in Elo, one column per fault code, and
/// the certainty of the rank.
pub fn standings_csv(standings: &Standings) -> io::Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(standings_column_headings(standings))?;
    for row in &standings.rows {
        table.write_record(standings_column_cells(row))?;
    }
    finish_csv_cells(table)
}

/// `crosstable.csv`: one row and one column per player by rank. A cell is the score of the row's
/// player against the column's, 0 if they have not met.
pub(crate) fn crosstable_csv(standings: &Standings, results: &NamedResults) -> io::Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let names = standings.rows.iter().map(|row| format_text_cell(&row.player));
    table.write_record(std::iter::once("player".into()).chain(names).map(Cow::into_owned))?;
    for row in &standings.rows {
        let cells = standings.rows.iter().map(|column| crosstable_csv_cell(results, row, column));
        table.write_record(
            std::iter::once(format_text_cell(&row.player).into_owned()).chain(cells),
        )?;
    }
    finish_csv_cells(table)
}

fn crosstable_csv_cell(
    results: &NamedResults,
    row: &StandingsRow,
    column: &StandingsRow,
) -> String {
    if row.number == column.number {
        return String::new();
    }
    results.counts.outcomes_between(row.number, column.number).score().to_string()
}

/// The key to the pseudonyms: `pseudonym,player`.
pub fn pseudonym_key_csv(pseudonyms: &Pseudonyms) -> io::Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["pseudonym", "player"])?;
    for name in pseudonyms.names() {
        table.write_record([pseudonyms.shown_name(name), &format_text_cell(name)])?;
    }
    finish_csv_cells(table)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::standings::tests::standings as ranked;
    use super::*;
    use referee_record::model::fault::FaultCode;
    use referee_record::model::record::examples::{faulty, game};
    use referee_tournament::analysis::named_results::examples::{any_results, results};

    fn lines(bytes: Vec<u8>) -> Vec<String> {
        String::from_utf8(bytes).expect("UTF-8").lines().map(ToOwned::to_owned).collect()
    }

    #[test]
    fn the_standings_have_one_column_per_fault_code() {
        let mut results = results(&["=cmd", "bee"], &[(0, 1, "draw")]);
        let crash = [("white", FaultCode::Crash)];
        results.add(&faulty(game("=cmd", "bee", "black"), &crash)).expect("known players");
        let lines = lines(standings_csv(&ranked(&results)).expect("memory"));
        assert_eq!(
            lines[0],
            "rank,player,rating,rating_low,rating_high,games,score,wins,draws,losses,\
             first_score,second_score,faults,fault_no_start,fault_crash,fault_exit,\
             fault_closed_output,fault_timeout,fault_cpu,fault_malformed,fault_illegal,\
             fault_unexpected_output,fault_oversize,fault_memory,fault_processes,fault_disk,\
             fault_containment,rank_low,rank_high,superiority,games_to_separate,group,\
             first_rating,second_rating,unranked"
        );
        assert!(lines[1].starts_with("1,bee,"));
        assert!(lines[2].starts_with("2,'=cmd,-"));
        assert!(lines[2].contains(",2,0.5,0,1,1,0.5,0,1,0,1,0,0,0,0,0,0,0,0,0,0,0,0,"));
        // Without a next player, and with seats of the same value.
        assert!(lines[2].ends_with(",1,2,,,1,,,"), "{}", lines[2]);
    }

    #[test]
    fn the_crosstable_is_ordered_by_rank() {
        let games = [(0, 1, "black"), (1, 0, "white"), (1, 0, "draw"), (2, 0, "black")];
        let results = results(&["ant", "bee", "@cat"], &games);
        let lines = lines(crosstable_csv(&ranked(&results), &results).expect("memory"));
        assert_eq!(lines, ["player,bee,ant,'@cat", "bee,,2.5,0", "ant,0.5,,1", "'@cat,0,0,"]);
    }

    proptest! {
        #[test]
        fn a_row_of_the_crosstable_sums_to_the_score(results in any_results()) {
            let ranked = ranked(&results);
            let bytes = crosstable_csv(&ranked, &results).expect("memory");
            let mut table = csv::Reader::from_reader(bytes.as_slice());
            for (record, row) in table.records().zip(&ranked.rows) {
                let record = record.expect("valid CSV");
                let cells = record.iter().skip(1).filter(|cell| !cell.is_empty());
                let sum: f64 = cells.map(|cell| cell.parse::<f64>().expect("a score")).sum();
                prop_assert!((sum - row.score().value()).abs() < 1e-9);
            }
        }
    }
}
