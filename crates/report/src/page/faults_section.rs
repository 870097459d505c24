//! All faults, each with its diagnosis and the command that reproduces it.

use std::borrow::Cow;
use std::collections::HashMap;

use maud::{Markup, html};

use super::{PageData, name};
use referee_protocol::{escape, path_shortener};
use referee_record::model::fault::Fault;
use referee_record::wording::counted;
use referee_tournament::analysis::fault_cases::FaultCase;

/// What the section has, in a few words.
pub(super) fn teaser(material: &PageData<'_>) -> String {
    let players = material.standings.rows.iter().filter(|row| row.fault_total() > 0).count();
    match material.summary.faults.total {
        0 => "none".to_owned(),
        total => format!("{} by {}", counted(total, "fault"), counted(players, "player")),
    }
}

pub(super) fn section(material: &PageData<'_>) -> Markup {
    let faults = &material.summary.faults;
    if faults.total == 0 {
        return html! { p { "No faults." } };
    }
    let shown = faults.cases.len();
    html! {
        @if shown < faults.total {
            p {
                "The first " (shown) " of " (counted(faults.total, "fault"))
                "; games.csv has them all."
            }
        }
        @for alike in groups(&seen(material)) { (group(&alike, material.organiser_calls())) }
    }
}

/// The faults as visitors see them: only the organiser sees what players wrote to stderr.
fn seen<'a>(material: &PageData<'a>) -> Cow<'a, [FaultCase]> {
    let cases = &material.summary.faults.cases;
    if material.organiser_calls().is_some() {
        return Cow::Borrowed(cases);
    }
    let without_stderr = |case: &FaultCase| {
        let fault = Fault { stderr: Vec::new(), ..case.fault.clone() };
        FaultCase { fault, ..case.clone() }
    };
    cases.iter().map(without_stderr).collect()
}

/// Groups the faults of a player that have the same reason, in the order of each group's first fault.
fn groups(cases: &[FaultCase]) -> Vec<Vec<&FaultCase>> {
    let mut places = HashMap::new();
    let mut groups: Vec<Vec<&FaultCase>> = Vec::new();
    for case in cases {
        let key = (&case.player, case.fault.code, case.fault.reason());
        let place = *places.entry(key).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(case);
    }
    groups
}

fn group(alike: &[&FaultCase], called: Option<&str>) -> Markup {
    let Some((first, others)) = alike.split_first() else { return Markup::default() };
    html! {
        (one(first, called))
        @if !others.is_empty() {
            details.fault.more data-player=(escape::terminal(&first.player)) {
                summary { "The same again: " (counted(others.len(), "more fault")) }
                ol { @for case in others { li {
                    "as " (escape::terminal(&case.seat)) " against " (name(&case.opponent)) ", "
                    (link(case)) @if let Some(called) = called { (command(case, called)) }
                } } }
            }
        }
    }
}

fn link(case: &FaultCase) -> Markup {
    html! { a href={ "#game=" (case.id) "&ply=" (case.ply) } { "after ply " (case.ply) } }
}

fn command(case: &FaultCase, called: &str) -> Markup {
    html! { pre.command { code { (case.command(called)) } } }
}

/// One fault. It includes the command that reproduces it if commands can find the tournament;
/// otherwise its stderr, which is all that its author has, is open.
pub(crate) fn one(case: &FaultCase, called: Option<&str>) -> Markup {
    let FaultCase { player, opponent, seat, fault, .. } = case;
    html! {
        article.fault data-player=(escape::terminal(player)) {
            h3 {
                code.bad { (fault.code) } " " (name(player)) small {
                    " as " (escape::terminal(seat)) " against " (name(opponent)) ", "
                    (link(case))
                }
            }
            p { (escape::terminal(&path_shortener::shorten(&fault.reason())))
                @if let Some(clause) = &fault.clause { " (clause " (escape::terminal(clause)) ")" } }
            @if let Some(raw) = &fault.raw { p { "Its reply: " code { (escape::terminal(raw)) } } }
            @if !fault.stderr.is_empty() {
                details open[called.is_none()] { summary { "The end of its stderr" }
                    pre { @for line in &fault.stderr {
                        (escape::terminal(&path_shortener::shorten(line))) "\n" } } }
            }
            @if let Some(called) = called { (command(case, called)) }
        }
    }
}
