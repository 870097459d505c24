//! The frame of every page: head, navigation, style, script and replay viewer.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The style of all pages.
pub(super) const STYLE: &str = include_str!("style.css");
/// The scripts, each after those that it uses when it is loaded.
const SCRIPTS: [&str; 8] = [
    include_str!("board.js"),
    include_str!("pack.js"),
    include_str!("viewer.js"),
    include_str!("share.js"),
    include_str!("player.js"),
    include_str!("projector.js"),
    include_str!("live.js"),
    include_str!("page.js"),
];

/// The replay viewer, hidden until a game is opened.
const VIEWER: &str = include_str!("viewer.html");

/// The way in which a page is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    /// A file on disk.
    File,
    /// Served while a tournament runs; it updates itself.
    Live,
}

/// A section of a page.
#[derive(Debug)]
pub(crate) struct PageSection<'a> {
    /// Its id, by which links find it.
    id: &'a str,
    /// Its heading.
    heading: &'a str,
    /// What is in it, in a few words, if it opens on demand.
    pub(crate) folded: Option<String>,
    /// Its content.
    content: Markup,
}

impl<'a> PageSection<'a> {
    /// A section that is always open.
    pub(crate) fn open(id: &'a str, heading: &'a str, content: Markup) -> Self {
        Self { id, heading, folded: None, content }
    }

    /// A section that opens on demand. `teaser` says in a few words what is in it.
    pub(crate) fn folded((id, heading): (&'a str, &'a str), teaser: &str, content: Markup) -> Self {
        Self { id, heading, folded: Some(teaser.to_owned()), content }
    }

    fn html(&self) -> Markup {
        html! {
            section #(self.id) {
                @if let Some(teaser) = &self.folded {
                    details.folded {
                        summary { h2 { (self.heading) } " " span.teaser { (teaser) } }
                        (self.content)
                    }
                } @else {
                    h2 { (self.heading) } (self.content)
                }
            }
        }
    }
}

/// A part of a page that can change while a tournament runs.
#[derive(Debug)]
pub struct PagePart {
    /// The id of its element.
    pub id: String,
    /// The element as HTML, or, if it holds data, its text.
    pub text: String,
}

/// A page without its content.
#[derive(Debug)]
pub(crate) struct PageTemplate<'a> {
    /// The page heading, as safe HTML text.
    pub(crate) title: &'a str,
    /// What a link to the page says in a chat.
    pub(crate) description: &'a str,
    /// The summary below the heading.
    pub summary: Markup,
    /// The sections, in order.
    pub(crate) sections: &'a [PageSection<'a>],
    /// The data for the scripts, as JSON; see [`escape_template_json`].
    pub(crate) data: &'a str,
    /// Replay frames of games, as a JSON list; see [`escape_template_json`].
    pub(crate) replays: &'a str,
    /// A value that players cannot guess. Only scripts that carry its hash may run.
    pub(crate) key: &'a str,
    /// The way in which the page is published.
    pub kind: PageKind,
    /// The address of the visitor's own page, if people have one.
    pub(crate) own_page: Option<&'a str>,
}

impl PageTemplate<'_> {
    /// The page as HTML.
    pub(crate) fn html(&self) -> String {
        let nonce = template_nonce(self.key);
        let live = self.kind == PageKind::Live;
        let page = html! {
            (DOCTYPE)
            html lang="en" data-live[live] {
                head {
                    (render_template_metadata(&nonce))
                    title { (self.title) }
                    meta property="og:type" content="website";
                    meta property="og:title" content=(self.title);
                    meta property="og:description" content=(self.description);
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header {
                        h1 { (self.title) }
                        (self.summary_part())
                    }
                    (self.nav())
                    main {
                        section #player hidden aria-labelledby="player-name" {}
                        section #projector hidden aria-label="Projector view" {}
                        @if live { (page_template_in_play()) }
                        @for section in self.sections { (section.html()) }
                    }
                    (PreEscaped(VIEWER))
                    script type="application/json" id="data" { (PreEscaped(self.data)) }
                    script type="application/json" id="replays" { (PreEscaped(self.replays)) }
                    script nonce=(nonce) { @for script in SCRIPTS { (PreEscaped(script)) } }
                }
            }
        };
        page.into_string()
    }

    fn summary_part(&self) -> Markup {
        html! { div #summary { (self.summary) } }
    }

    /// The parts that can change while a tournament runs: each an element with its id, or the text
    /// of one with data.
    pub(crate) fn parts(&self) -> Vec<PagePart> {
        let part = |id: &str, text: String| PagePart { id: id.to_owned(), text };
        let sections = self.sections.iter();
        let sections = sections.map(|section| part(section.id, section.html().into_string()));
        let first = [
            part("data", self.data.to_owned()),
            part("replays", self.replays.to_owned()),
            part("summary", self.summary_part().into_string()),
        ];
        first.into_iter().chain(sections).collect()
    }

    fn nav(&self) -> Markup {
        html! {
            nav aria-label="Sections" {
                @for section in self.sections {
                    a href={ "#" (section.id) } { (section.heading) } " "
                }
                @if self.kind == PageKind::Live { a href="#projector" { "Projector" } " " }
                @if let Some(own) = self.own_page { (render_template_own_link(own)) }
            }
        }
    }
}

/// The link to the visitor's own page, which ends the navigation.
fn render_template_own_link(own: &str) -> Markup {
    html! { a href=(own) { "Your page" } }
}

/// A page without such a link, with one: a page that is also a file to download must not have it there.
pub fn add_template_own_link(page: &str, own: &str) -> String {
    // Text of others is escaped, so the first end of a navigation is the page's own.
    page.replacen("</nav>", &format!("{}</nav>", render_template_own_link(own).into_string()), 1)
}

/// The boards of the games in play. The section is hidden while nobody plays.
fn page_template_in_play() -> Markup {
    html! {
        section #in-play hidden { h2 { "In play" } div #boards {} }
    }
}

/// The nonce of a page: only scripts with it may run.
pub(super) fn template_nonce(key: &str) -> String {
    let nonce = blake3::derive_key("referee 2026 page nonce", key.as_bytes());
    blake3::Hash::from_bytes(nonce).to_hex()[..32].to_owned()
}

/// What the heads of all pages have in common. Only scripts with the nonce may run.
pub(super) fn render_template_metadata(nonce: &str) -> Markup {
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
         script-src 'nonce-{nonce}' 'self' file:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'"
    );
    html! {
        meta charset="utf-8";
        meta http-equiv="Content-Security-Policy" content=(policy);
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        meta name="generator" content=(concat!("referee ", env!("CARGO_PKG_VERSION")));
        link rel="icon" href="data:,";
    }
}

/// Makes JSON safe inside a `script` element: nothing in it ends the element or opens another.
pub(crate) fn escape_template_json(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_is_added_is_where_the_page_has_it() {
        let page = |own_page| {
            let sections = [PageSection::open("games", "</nav>", html! { "</nav>" })];
            let page = PageTemplate {
                title: "</nav>",
                description: "</nav>",
                summary: html! { p { "</nav>" } },
                sections: &sections,
                data: "{}",
                replays: "[]",
                key: "one",
                kind: PageKind::File,
                own_page,
            };
            page.html()
        };
        assert_eq!(add_template_own_link(&page(None), "/author"), page(Some("/author")));
    }
}
