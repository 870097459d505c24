//! The pages of a league for its authors and its organiser. They have forms, so their style and their
//! script are files of their own: nothing in the page itself may run.

use maud::{DOCTYPE, Markup, html};

use super::template::STYLE;
use super::{name, scrolling};
use referee_protocol::escape;
use referee_record::model::league::GameBounds;
use referee_record::wording::counted;

mod author;
mod challenges;

pub use author::{
    AuthorPage, AuthorVersion, DatedRating, GameFilter, GameResult, ListedGame, ListedHandIn,
    OpponentScore, OpponentStep, TurnedAt, VersionStep,
};
pub use challenges::{ChallengeSection, ListedChallenge};

/// The script of the pages.
pub const SCRIPT: &str = include_str!("league.js");
/// What their style adds to that of the report.
const MORE_STYLE: &str = include_str!("league.css");

/// The style of the pages.
pub fn style() -> String {
    [STYLE, MORE_STYLE].concat()
}

/// What the organiser sees.
#[derive(Debug)]
pub struct OrganiserPage<'a> {
    /// The name of the league.
    pub league: &'a str,
    /// What shows that a form comes from this page.
    pub token: &'a str,
    /// What all authors are told.
    pub message: &'a str,
    /// Whether games are to be played.
    pub state: LeagueStatus,
    /// Whether a run plays them now.
    pub is_running: bool,
    /// When games may begin.
    pub bounds: GameBounds,
    /// Whose hand-ins are being checked, and who waits, the next one first.
    pub queue: (&'a [&'a str], &'a [String]),
    /// The authors.
    pub authors: &'a [ListedAuthor],
}

/// Whether a league plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeagueStatus {
    /// It plays.
    Playing,
    /// It plays no games for now.
    Paused,
    /// It is over.
    Closed,
}

/// An author in the organiser's list.
#[derive(Debug)]
pub struct ListedAuthor {
    /// The name.
    pub name: String,
    /// How many versions have entered.
    pub versions: usize,
    /// Whether the author was removed.
    pub is_removed: bool,
}

impl OrganiserPage<'_> {
    /// The page as HTML.
    pub fn html(&self) -> String {
        let body = html! {
            section {
                h2 { "State" }
                @if !self.is_running && self.state != LeagueStatus::Closed {
                    p.warning { "The league is not running: start `referee run`." }
                }
                @if !self.bounds.are_none() { p { "Bounds: " (self.bounds) "." } }
                @match self.state {
                    LeagueStatus::Playing => {
                        p { "The league is open." } (self.button("pause", "Pause all games"))
                    }
                    LeagueStatus::Paused => {
                        p { "All games are paused. Authors can still hand in." }
                        (self.button("resume", "Go on"))
                    }
                    LeagueStatus::Closed => {
                        p { "The league is closed: no hand-ins, no games." }
                        (self.button("resume", "Open it again"))
                    }
                }
            }
            section { h2 { "Checks" } (self.checks()) }
            section {
                h2 { "Message" }
                form method="post" action="/organiser/message" enctype="multipart/form-data" {
                    (hidden(self.token))
                    label for="message" { "Message on every author's page (leave empty for none)" }
                    textarea #message name="message" { (self.message) }
                    button { "Tell everyone" }
                }
            }
            section { h2 { "Authors" } (self.author_table()) }
            @if self.state != LeagueStatus::Closed {
                section {
                    h2 { "Close" }
                    form method="post" action="/organiser/close" enctype="multipart/form-data" {
                        (hidden(self.token))
                        label {
                            input type="checkbox" name="sure" value="yes" required;
                            " End the league: no more hand-ins or games"
                        }
                        button { "Close the league" }
                    }
                }
            }
        };
        framed(
            self.league,
            &format!("Organiser – {}", self.league),
            &html! {
                "You are the organiser." (leave(self.token))
            },
            &body,
        )
    }

    fn checks(&self) -> Markup {
        let (checking, waiting) = self.queue;
        html! {
            @if checking.is_empty() || !self.is_running {
                p { "No hand-in is being checked." }
            } @else {
                @for author in checking {
                    p { "The hand-in of " strong { (name(author)) } " is being checked." }
                }
            }
            @if !waiting.is_empty() {
                p { (counted(waiting.len(), "author")) " waiting, the next one first: "
                    (shown(&waiting.join(", "))) "." }
            }
        }
    }

    fn author_table(&self) -> Markup {
        if self.authors.is_empty() {
            return html! { p { "No invitations and no hand-ins yet." } };
        }
        let table = html! { table {
            thead { tr { th { "Author" } th.n { "Versions" } th { "State" } th { "Change" } } }
            tbody { @for author in self.authors { tr {
                th scope="row" { (name(&author.name)) } td.n { (author.versions) }
                td { @if author.is_removed { "removed" } @else { "takes part" } }
                td {
                    @let (wish, label) = if author.is_removed { ("readmit", "Readmit") } else { ("remove", "Remove") };
                    form method="post" action={ "/organiser/" (wish) } enctype="multipart/form-data" {
                        (hidden(self.token))
                        input type="hidden" name="author" value=(author.name);
                        button aria-label={ (label) " " (escape::terminal(&author.name)) } { (label) }
                    }
                }
            } } }
        } };
        html! { p { (counted(self.authors.len(), "author")) "." } (scrolling("Authors", &table)) }
    }

    fn button(&self, wish: &str, label: &str) -> Markup {
        html! {
            form method="post" action={ "/organiser/" (wish) } enctype="multipart/form-data" {
                (hidden(self.token)) button { (label) }
            }
        }
    }
}

/// A page that only tells something, with a way on.
pub fn notice(league: &str, heading: &str, text: &str, (on, label): (&str, &str)) -> String {
    let body = html! {
        section { h2 { (heading) } p { (shown(text)) } p { a href=(on) { (label) } } }
    };
    framed(league, &format!("{heading} – {league}"), &html! {}, &body)
}

/// A page that asks a visitor known as `now` whether to become another guest.
pub fn change_of_guest(league: &str, [now, then]: [&str; 2], address: &str, token: &str) -> String {
    let body = html! {
        section {
            h2 { "Change who you are?" }
            p {
                "On this device you are " strong { (name(now)) } ". This link is for "
                strong { (name(then)) } ". Continue only if the organiser gave it to you."
            }
            form method="post" action=(address) enctype="multipart/form-data" {
                (hidden(token)) button { "Become " (escape::terminal(then)) }
            }
            p { a href="/author" { "Stay " (escape::terminal(now)) } }
        }
    };
    framed(league, &format!("Change who you are – {league}"), &html! {}, &body)
}

fn hidden(token: &str) -> Markup {
    html! { input type="hidden" name="token" value=(token); }
}

/// The form that ends the visit on this device.
fn leave(token: &str) -> Markup {
    html! {
        form method="post" action="/leave" enctype="multipart/form-data" {
            (hidden(token)) button { "Leave" }
        }
    }
}

/// Text of others, several lines of it.
fn shown(text: &str) -> String {
    escape::lines(text)
}

fn framed(league: &str, title: &str, who: &Markup, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (escape::terminal(title)) }
                link rel="icon" href="data:,";
                link rel="stylesheet" href="/league.css";
                script src="/league.js" defer {}
            }
            body {
                header { h1 { (name(league)) } div.lead { (who) } }
                nav aria-label="Pages" { a href="/" { "Ranking and games" } }
                main { (body) }
            }
        }
    };
    page.into_string()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(super) const HOSTILE: &str = "</pre><script>alert(1)</script>\u{202e}";

    #[test]
    fn nothing_that_others_wrote_is_markup() {
        let listed = ListedAuthor { name: HOSTILE.to_owned(), versions: 1, is_removed: false };
        let organiser = OrganiserPage {
            league: HOSTILE,
            token: "t",
            message: HOSTILE,
            state: LeagueStatus::Playing,
            is_running: true,
            bounds: GameBounds { per_day: Some(9), quiet: None },
            queue: (&[HOSTILE], &[HOSTILE.to_owned()]),
            authors: &[listed],
        };
        let page = organiser.html();
        assert!(page.contains("<p>Bounds: at most 9 games a day.</p>"), "{page}");
        refuse_markup(&page);
        refuse_markup(&change_of_guest(HOSTILE, [HOSTILE; 2], "/enter/x", "t"));
        refuse_markup(&notice(HOSTILE, HOSTILE, HOSTILE, ("/", "on")));
    }

    /// Fails if anything hostile is markup.
    pub(super) fn refuse_markup(html: &str) {
        assert!(!html.contains("<script>") && !html.contains("alert(1)<"), "{html}");
        assert_eq!(html.matches("<script").count(), 1, "the script file only: {html}");
    }
}
