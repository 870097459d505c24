//! All faults, each with its diagnosis and the command that reproduces it.

use std::borrow::Cow;
use std::collections::HashMap;

use maud::{Markup, html};

use super::{PageData, page_player_name};
use referee_protocol::escape::escape_line;
use referee_protocol::path_shortener::shorten_paths;
use referee_record::model::fault::Fault;
use referee_record::wording::pluralize;
use referee_tournament::analysis::fault_cases::FaultCase;

/// What the section has, in a few words.
pub(super) fn faults_teaser(material: &PageData<'_>) -> String {
    let players = material.standings.rows.iter().filter(|row| row.fault_total() > 0).count();
    match material.summary.faults.total {
        0 => "none".to_owned(),
        total => format!("{} by {}", pluralize(total, "fault"), pluralize(players, "player")),
    }
}

pub(super) fn render_faults_section(material: &PageData<'_>) -> Markup {
    let faults = &material.summary.faults;
    if faults.total == 0 {
        return html! { p { "No faults." } };
    }
    let shown = faults.cases.len();
    html! {
        @if shown < faults.total {
            p {
                "The first " (shown) " of " (pluralize(faults.total, "fault"))
                "; games.csv has them all."
            }
        }
        @for alike in group_fault_cases(&visible_fault_cases(material)) { (render_fault_group(&alike, material.organiser_calls())) }
    }
}

/// The faults as visitors see them: only the organiser sees what players wrote to stderr.
fn visible_fault_cases<'a>(material: &PageData<'a>) -> Cow<'a, [FaultCase]> {
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
fn group_fault_cases(cases: &[FaultCase]) -> Vec<Vec<&FaultCase>> {
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

fn render_fault_group(alike: &[&FaultCase], called: Option<&str>) -> Markup {
    let Some((first, others)) = alike.split_first() else { return Markup::default() };
    html! {
        (render_fault_case(first, called))
        @if !others.is_empty() {
            details.fault.more data-player=(escape_line(&first.player)) {
                summary { "The same again: " (pluralize(others.len(), "more fault")) }
                ol { @for case in others { li {
                    "as " (escape_line(&case.seat)) " against " (page_player_name(&case.opponent)) ", "
                    (link_fault_ply(case)) @if let Some(called) = called { (render_fault_command(case, called)) }
                } } }
            }
        }
    }
}

fn link_fault_ply(case: &FaultCase) -> Markup {
    html! { a href={ "#game=" (case.id) "&ply=" (case.ply) } { "after ply " (case.ply) } }
}

fn render_fault_command(case: &FaultCase, called: &str) -> Markup {
    html! { pre.command { code { (case.command(called)) } } }
}

/// One fault. It includes the command that reproduces it if commands can find the tournament;
/// otherwise its stderr, which is all that its author has, is open.
pub(crate) fn render_fault_case(case: &FaultCase, called: Option<&str>) -> Markup {
    let FaultCase { player, opponent, seat, fault, .. } = case;
    html! {
        article.fault data-player=(escape_line(player)) {
            h3 {
                code.bad { (fault.code) } " " (page_player_name(player)) small {
                    " as " (escape_line(seat)) " against " (page_player_name(opponent)) ", "
                    (link_fault_ply(case))
                }
            }
            p { (escape_line(&shorten_paths(&fault.reason())))
                @if let Some(clause) = &fault.clause { " (clause " (escape_line(clause)) ")" } }
            @if let Some(raw) = &fault.raw { p { "Its reply: " code { (escape_line(raw)) } } }
            @if !fault.stderr.is_empty() {
                details open[called.is_none()] { summary { "The end of its stderr" }
                    pre { @for line in &fault.stderr {
                        (escape_line(&shorten_paths(line))) "\n" } } }
            }
            @if let Some(called) = called { (render_fault_command(case, called)) }
        }
    }
}
