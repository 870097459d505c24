//! The results for continuous integration: a `JUnit` file, and a summary in Markdown.

use std::fmt::Write as _;

use super::number_format::{format_margin, format_whole_number};
use super::{Standings, StandingsRow};
use referee_protocol::escape::escape_line;

/// A test suite with one test per player, which fails if the player made a fault.
pub fn junit(tournament: &str, standings: &Standings) -> String {
    let failed = standings.rows.iter().filter(|row| row.fault_total() > 0).count();
    let suite = escape_junit_xml(tournament);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{suite}\" tests=\"{}\" \
         failures=\"{failed}\">\n",
        standings.rows.len()
    );
    for row in &standings.rows {
        let (name, games) = (escape_junit_xml(&row.player), row.games);
        // Writing to a string does not fail.
        let _ = write!(text, "  <testcase classname=\"{suite}\" name=\"{name}\"");
        if row.fault_total() == 0 {
            text.push_str("/>\n");
            continue;
        }
        let faults = escape_junit_xml(&format_ci_faults(row));
        let _ = write!(
            text,
            ">\n    <failure message=\"{faults} in {games} games\"/>\n  </testcase>\n"
        );
    }
    text + "</testsuite>\n"
}

/// The ranking as a table, with the progress above it.
pub fn render_ci_summary(tournament: &str, standings: &Standings) -> String {
    let mut text = format!(
        "## {}\n\n{}.\n\n| # | player | rating | ±95% | games | score | faults |\n\
         |--:|:--|--:|--:|--:|--:|:--|\n",
        escape_ci_markdown(tournament),
        standings.summary
    );
    for row in &standings.rows {
        let place = row.place().map_or("–".to_owned(), |place| place.to_string());
        let rating = row.shown_rating();
        let number = rating.map_or("–".to_owned(), |it| format_whole_number(it.value));
        let interval = rating.map_or("–".to_owned(), |it| format_margin(it.margin()));
        let _ = writeln!(
            text,
            "| {place} | {} | {number} | {interval} | {} | {} | {} |",
            escape_ci_markdown(&row.player),
            row.games,
            row.score(),
            escape_ci_markdown(&format_ci_faults(row))
        );
    }
    text
}

/// A player's faults, such as `2 timeout, 1 crash`; empty if there are none.
fn format_ci_faults(row: &StandingsRow) -> String {
    let codes: Vec<String> =
        row.faults.iter().map(|(code, count)| format!("{count} {code}")).collect();
    codes.join(", ")
}

/// Text inside an XML attribute.
fn escape_junit_xml(text: &str) -> String {
    let text = escape_line(text).replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// Text escaped for Markdown.
fn escape_ci_markdown(text: &str) -> String {
    let mut shown = String::new();
    for character in escape_line(text).chars() {
        match character {
            '<' => shown.push_str("&lt;"),
            '&' => shown.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '#' | '~' | '!' => {
                shown.extend(['\\', character]);
            }
            other => shown.push(other),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::super::standings::tests::standings;
    use super::*;
    use referee_record::model::fault::FaultCode;
    use referee_record::model::record::examples::{faulty, game};
    use referee_tournament::analysis::named_results::examples::results;

    fn example() -> Standings {
        let mut results = results(&["ant", "a|<b>\""], &[(0, 1, "white")]);
        let late = [("black", FaultCode::Timeout)];
        results.add(&faulty(game("ant", "a|<b>\"", "white"), &late)).expect("known players");
        standings(&results)
    }

    #[test]
    fn a_player_with_a_fault_is_a_failed_test() {
        let text = junit("cup & more", &example());
        let suite = "<testsuite name=\"cup &amp; more\" tests=\"2\" failures=\"1\">";
        assert!(text.contains(suite), "{text}");
        assert!(text.contains("<testcase classname=\"cup &amp; more\" name=\"ant\"/>\n"), "{text}");
        let failure =
            "name=\"a|&lt;b&gt;&quot;\">\n    <failure message=\"1 timeout in 2 games\"/>";
        assert!(text.contains(failure), "{text}");
    }

    #[test]
    fn names_do_not_break_the_table() {
        let text = render_ci_summary("cup", &example());
        assert!(text.starts_with("## cup\n\n2 of 2 games played.\n\n| # | player |"), "{text}");
        let row = text.lines().last().expect("a row");
        assert!(row.contains("| a\\|&lt;b>\" |") && row.ends_with("| 1 timeout |"), "{row}");
    }
}
