//! A trial as a page with charts.

use maud::{Markup, PreEscaped, html};

use super::text::{numbers, share, uncompared, untested, way};
use super::{GameFinding, GamePortrait, GameSample, GameTrial};
use crate::escape;
use crate::report::charts::{ChartLine, bins, histogram, lines};
use crate::report::page::scrolling;
use crate::report::page::template::{PageKind, PageSection, PageTemplate};

/// The page as HTML.
pub fn page(trial: &GameTrial) -> String {
    let title = escape::terminal(&trial.title);
    let mut sections = vec![PageSection::open("findings", "Findings", findings(trial))];
    if let Some(portrait) = &trial.portrait {
        sections.push(PageSection::open("portrait", "Portrait", table(trial, portrait)));
        sections.push(PageSection::open("length", "Length of games", lengths(portrait)));
        sections.push(PageSection::open("leaders", "Leaders", leaders(portrait)));
    }
    let summary = html! {
        p.lead { (trial.game) " · " (trial.games) " random games · seed " (trial.seed) }
    };
    PageTemplate {
        title: &title,
        summary,
        sections: &sections,
        data: "{}",
        replays: "[]",
        key: &trial.game,
        kind: PageKind::File,
    }
    .html()
}

fn findings(trial: &GameTrial) -> Markup {
    html! {
        @if trial.findings.is_empty() { p { "Nothing was found." } }
        @if let Some(options) = untested(trial) { p { (escape::terminal(&options)) } }
        @if let Some(hidden) = uncompared(trial) { p { (hidden) } }
        @for finding in &trial.findings {
            p { b { (escape::terminal(finding.problem.lines().next().unwrap_or_default())) } }
            p { (escape::terminal(&way(&finding.steps))) ", seen " (finding.count) " times" }
            pre { (details(finding)) }
        }
    }
}

/// The lines below the first one: the request and the answer.
fn details(finding: &GameFinding) -> String {
    let lines: Vec<_> = finding.problem.lines().skip(1).map(escape::terminal).collect();
    lines.join("\n")
}

fn table(trial: &GameTrial, portrait: &GamePortrait) -> Markup {
    let samples: Vec<&GameSample> =
        std::iter::once(&portrait.random).chain(&portrait.search).collect();
    html! {
        (scrolling("Portrait", &html! { table {
            thead { tr {
                th { "players" } th { "games" } th { "points of " (trial.seats[0]) }
                th { "decisive" } th { "plies" }
            } }
            tbody { @for sample in samples { tr {
                td { (sample.players) } td { (sample.games) } td { (share(&sample.first_seat)) }
                td { (share(&sample.decisive)) } td { (numbers(&sample.plies)) }
            } } }
        } }))
        @if let Some(branching) = &portrait.branching {
            p { "Legal actions at a decision: " (numbers(branching)) "." }
        }
        p { "A ply of a random game takes " (format!("{:.0}", portrait.ply_us)) " µs." }
    }
}

fn lengths(portrait: &GamePortrait) -> Markup {
    let samples = std::iter::once(&portrait.random).chain(&portrait.search);
    html! {
        @for sample in samples {
            figure {
                (PreEscaped(histogram(&bins(&sample.lengths), "plies", "Lengths of games")))
                figcaption { "Games between " (sample.players) " players" }
            }
        }
    }
}

fn leaders(portrait: &GamePortrait) -> Markup {
    let points: Vec<_> =
        portrait.leaders.iter().map(|point| (point.at * 100.0, point.wins.share * 100.0)).collect();
    let label = "leader wins".to_owned();
    html! {
        @if points.len() > 1 {
            figure {
                (PreEscaped(lines(
                    &[ChartLine { label, points }],
                    "% of the game",
                    "Wins of the leader",
                )))
                figcaption {
                    "Percentage of decisive random games that the seat in the lead went on to win"
                }
            }
        } @else {
            p { "No game had a leader." }
        }
    }
}
