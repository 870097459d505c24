//! The cross table, sorted by rating and coloured as a heat map. The script fills it when it is
//! opened: with many players it is by far the largest part of the page.

use maud::{Markup, html};

use super::PageData;

/// Tables with more players start as an overview without numbers.
const NUMBERS: usize = 40;

pub(super) fn render_cross_table(material: &PageData<'_>) -> Markup {
    let large = material.standings.rows.len() > NUMBERS;
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
        noscript { p { "This table needs JavaScript; crosstable.csv beside this page has it too." } }
        div.scroll tabindex="0" role="region" aria-label="Cross table" {
            table #heat .heat .large[large] .overview[large] {}
        }
    }
}
