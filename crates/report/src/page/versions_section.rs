//! The versions of each author's player in a league: did the last one help? Under pseudonyms there is
//! nothing to show, because which versions are of one author is a secret.

use std::collections::HashMap;

use maud::{Markup, html};

use super::{PageData, format_elo, page_place, page_player_name, render_scrolling_table};
use crate::StandingsRow;
use crate::charts::{IntervalRow, IntervalScale, interval_chart};
use crate::match_verdict::{format_likelihood, format_signed_elo};
use crate::standings::VersionBefore;
use referee_protocol::escape::escape_line;
use referee_ratings::Estimate;
use referee_record::wording::pluralize;

/// The most versions in the chart. The table has all.
const CHARTED: usize = 60;

/// The teaser and the content, if it is a league in which somebody has come.
pub(super) fn render_versions_section(material: &PageData<'_>) -> Option<(String, Markup)> {
    let lines = group_player_versions(&material.standings.rows);
    let improved = lines.iter().filter(|line| line.len() > 1).count();
    if improved == 0 {
        return None;
    }
    let teaser = format!("{}, {improved} with more than one", pluralize(lines.len(), "player"));
    let several = lines.iter().filter(|line| line.len() > 1).flatten();
    let charted: Vec<IntervalRow> = several.filter_map(|row| version_interval_row(row)).collect();
    let chart = (!charted.is_empty()).then(|| {
        let shown = &charted[..charted.len().min(CHARTED)];
        interval_chart(shown, IntervalScale::Elo, "Ratings of versions with their 95% intervals")
    });
    let content = html! {
        @if let Some(chart) = chart {
            figure {
                (maud::PreEscaped(chart))
                figcaption {
                    "Elo, with 95% intervals: the versions of each player, the first one on top."
                    @if charted.len() > CHARTED { " The table has them all." }
                }
            }
        }
        (render_scrolling_table("Versions", &render_versions_table(&lines)))
        p {
            "Gain: Elo over the version before. Better: how likely it is to be better than "
            "that one, once both have at least 20 games."
        }
    };
    Some((teaser, content))
}

fn render_versions_table(lines: &[Vec<&StandingsRow>]) -> Markup {
    let shown = |value: Option<f64>| value.map_or("–".into(), format_elo);
    html! {
        table {
            thead { tr {
                th scope="col" { "Version" } th.n scope="col" { "#" }
                th.n scope="col" { "Rating" } th.n scope="col" { "±95%" }
                th.n scope="col" { "Games" }
                th.n scope="col" { "Gain" } th.n scope="col" { "Better" }
            } }
            @for line in lines { tbody { @for row in line { tr {
                th scope="row" { (page_player_name(&row.player)) }
                td.n { (page_place(row)) }
                td.n { (shown(row.shown_rating().map(|rating| rating.value))) }
                td.n { (shown(row.shown_rating().map(Estimate::margin))) }
                td.n { (row.outcomes.games()) }
                @let (gain, better) = format_version_gain(row);
                td.n { (gain) } td.n { (better) }
            } } } }
        }
    }
}

/// The versions of each player, the first one first; the player with the best last version first.
fn group_player_versions(rows: &[StandingsRow]) -> Vec<Vec<&StandingsRow>> {
    let by_number: HashMap<usize, &StandingsRow> =
        rows.iter().map(|row| (row.number, row)).collect();
    let replaced: Vec<usize> =
        rows.iter().filter_map(|row| row.before.map(|before| before.number)).collect();
    let last = rows.iter().filter(|row| row.is_version && !replaced.contains(&row.number));
    last.map(|row| {
        let before = |row: &&StandingsRow| by_number.get(&row.before?.number).copied();
        let mut line: Vec<&StandingsRow> = std::iter::successors(Some(row), before).collect();
        line.reverse();
        line
    })
    .collect()
}

fn version_interval_row(row: &StandingsRow) -> Option<IntervalRow> {
    let rating = row.shown_rating()?;
    let label = escape_line(&row.player);
    let (low, middle, high) = (rating.low, rating.value, rating.high);
    Some(IntervalRow { rank: row.place(), label, low, middle, high, most: None })
}

/// How much better a version is than the one before, and how likely it is better.
fn format_version_gain(row: &StandingsRow) -> (String, String) {
    let Some(VersionBefore { gain, has_few_games, .. }) = row.before else {
        return Default::default();
    };
    let Some((gain, los)) = gain else { return ("–".to_owned(), "–".to_owned()) };
    let better = if has_few_games { "few games".to_owned() } else { format_likelihood(los) };
    (format!("{} ±{}", format_signed_elo(gain.value), format_elo(gain.margin())), better)
}
