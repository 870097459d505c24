//! The cross table, sorted by rating and coloured as a heat map.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};

use super::{PageData, name, place};
use crate::escape;

/// Tables with more players start as an overview without numbers.
const NUMBERS: usize = 40;

pub(super) fn section(material: &PageData<'_>) -> Markup {
    let rows = &material.standings.rows;
    let large = rows.len() > NUMBERS;
    html! {
        p {
            "Score of the row's player against the column's player. "
            span.key { i.h0 {} "nothing" } " " span.key { i.h5 {} "half" } " "
            span.key { i.h10 {} "everything" } ". "
            @if large {
                label { input #numbers type="checkbox"; " with names and numbers" }
            }
        }
        p #pairing .hint aria-live="polite" {
            "Point at a cell to see the pairing, select it to see its games."
        }
        div.scroll {
            table #heat .heat .large[large] .overview[large] {
                thead { tr {
                    th {} th {}
                    @for row in rows { th scope="col" title=(escape::terminal(&row.player)) { (place(row)) } }
                } }
                tbody { @for row in 0..rows.len() { (line(material, row)) } }
            }
        }
    }
}

fn line(material: &PageData<'_>, at: usize) -> Markup {
    let rows = &material.standings.rows;
    let row = &rows[at];
    let mut cells = String::with_capacity(rows.len() * 20);
    for column in rows {
        cells.push_str(&cell(material, row.number, column.number));
    }
    html! {
        tr data-n=(row.number) {
            th.n { (place(row)) } th.who scope="row" { (name(&row.player)) }
            (PreEscaped(cells))
        }
    }
}

/// A table cell. It holds only numbers, so it needs no escaping; HTML lets us omit its end tag.
fn cell(material: &PageData<'_>, row: usize, column: usize) -> String {
    if row == column {
        return "<td class=self>".to_owned();
    }
    let outcomes = material.results.counts.between(row, column);
    if outcomes.games() == 0 {
        return "<td>".to_owned();
    }
    let share = outcomes.score().value() / f64::from(outcomes.games());
    let mut text = String::new();
    // Writing into a string does not fail.
    let _ = write!(
        text,
        "<td class=h{:.0} data-g={}>{}",
        share * 10.0,
        outcomes.games(),
        outcomes.score()
    );
    text
}
