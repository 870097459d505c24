//! The frame of every page: head, navigation, style, script and replay viewer.

use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");
const VIEWER: &str = include_str!("viewer.js");
const PACK: &str = include_str!("pack.js");

/// The name of the page's stamp among its metadata.
const STAMP: &str = "made-from";

/// Whether a page with this beginning has this stamp.
pub fn is_stamped(beginning: &str, stamp: &str) -> bool {
    beginning.contains(&format!("<meta name=\"{STAMP}\" content=\"{stamp}\">"))
}

/// The way in which a page is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    /// A file on disk.
    File,
    /// Served while a tournament runs; it updates itself.
    Live,
}

/// A page without its content.
#[derive(Debug)]
pub struct PageTemplate<'a> {
    /// The page heading, as safe HTML text.
    pub title: &'a str,
    /// The summary below the heading.
    pub summary: Markup,
    /// The sections: id, heading and content.
    pub sections: &'a [(&'a str, &'a str, Markup)],
    /// The data for the script, as JSON; see [`json_in_html`].
    pub data: &'a str,
    /// A value that players cannot guess. Only scripts that carry its hash may run.
    pub key: &'a str,
    /// Identifies everything that the page was made from; see [`is_stamped`].
    pub stamp: Option<&'a str>,
    /// The way in which the page is published.
    pub kind: PageKind,
}

impl PageTemplate<'_> {
    /// The page as HTML.
    pub fn html(&self) -> String {
        let nonce = blake3::derive_key("referee 2026 page nonce", self.key.as_bytes());
        let nonce = blake3::Hash::from_bytes(nonce).to_hex()[..32].to_owned();
        let policy = format!(
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
             script-src 'nonce-{nonce}' 'self' file:; connect-src 'self'; base-uri 'none'; \
             form-action 'none'"
        );
        let live = self.kind == PageKind::Live;
        let page = html! {
            (DOCTYPE)
            html lang="en" data-live[live] {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="generator" content=(concat!("referee ", env!("CARGO_PKG_VERSION")));
                    @if let Some(stamp) = self.stamp { meta name=(STAMP) content=(stamp); }
                    title { (self.title) }
                    link rel="icon" href="data:,";
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header {
                        h1 { (self.title) }
                        div #summary { (self.summary) }
                    }
                    (self.nav())
                    main {
                        (viewer())
                        @for (id, heading, content) in self.sections {
                            section #(id) { h2 { (heading) } (content) }
                        }
                    }
                    script type="application/json" id="data" { (PreEscaped(self.data)) }
                    script nonce=(nonce) { (PreEscaped(VIEWER)) (PreEscaped(PACK)) (PreEscaped(SCRIPT)) }
                }
            }
        };
        page.into_string()
    }

    fn nav(&self) -> Markup {
        html! {
            nav aria-label="Sections" {
                @for (id, heading, _) in self.sections { a href={ "#" (id) } { (heading) } " " }
            }
        }
    }
}

/// The replay viewer, hidden until a game is opened.
fn viewer() -> Markup {
    html! {
        section #viewer tabindex="0" hidden aria-label="Replay" {
            button #close type="button" title="Close (Esc)" { "Close" }
            h2 #vs {}
            p #end {}
            div.stage {
                div.side {
                    div #board {}
                    div.controls role="group" aria-label="Steps" {
                        button type="button" data-step="first" title="Start (Home)" { "«" }
                        button type="button" data-step="back" title="Back (←)" { "‹" }
                        output #at {}
                        button type="button" data-step="on" title="On (→)" { "›" }
                        button type="button" data-step="last" title="End (End)" { "»" }
                    }
                    input #slider type="range" min="0" value="0" aria-label="Ply";
                }
                div.side {
                    div #clocks {}
                    p #told aria-live="polite" {}
                    p #caption {}
                    div #said {}
                    div #views {}
                    ol #moves aria-label="Moves" {}
                }
            }
            figure #strip {}
            p.hint {
                "← → one ply, Page Up and Page Down ten, Home and End, Esc closes. "
                "The address of this page leads to the ply that is shown."
            }
        }
    }
}

/// Makes JSON safe inside a `script` element: nothing in it ends the element or opens another.
pub fn json_in_html(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
