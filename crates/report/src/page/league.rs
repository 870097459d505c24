//! The pages of a league for its authors and its organiser. They have forms, so their style and their
//! script are files of their own: nothing in the page itself may run.

use maud::{DOCTYPE, Markup, html};

use super::template::STYLE;
use super::{name, or_dash, scrolling};
use crate::numbers::elo;
use crate::{Row, Standings};
use referee_protocol::escape;
use referee_record::model::entry::LeavingReason;
use referee_record::wording::counted;

/// The script of the pages.
pub const SCRIPT: &str = include_str!("league.js");
/// What their style adds to that of the report.
const MORE_STYLE: &str = include_str!("league.css");

/// The style of the pages.
pub fn style() -> String {
    [STYLE, MORE_STYLE].concat()
}

/// What an author sees.
#[derive(Debug)]
pub struct AuthorPage<'a> {
    /// The name of the league.
    pub league: &'a str,
    /// The author.
    pub author: &'a str,
    /// What shows that a form comes from this page.
    pub token: &'a str,
    /// What the organiser tells everyone; empty if nothing.
    pub message: &'a str,
    /// The state of the league and of the author, a sentence each.
    pub notices: &'a [&'a str],
    /// The bounds on what can be handed in; `None` if nothing can.
    pub bounds: Option<&'a str>,
    /// What was handed in last: the name and the size of each file or folder.
    pub handed_in: &'a [String],
    /// What became of it.
    pub report: &'a str,
    /// The versions, the newest first.
    pub versions: &'a [AuthorVersion<'a>],
    /// The ranking that they are in.
    pub standings: &'a Standings,
}

/// A version of an author's player.
#[derive(Debug)]
pub struct AuthorVersion<'a> {
    /// Its number.
    pub number: u32,
    /// What others call it.
    pub shown: &'a str,
    /// When it entered, for people.
    pub entered: String,
    /// Why it plays no more, if it does not.
    pub left: Option<LeavingReason>,
}

impl AuthorPage<'_> {
    /// The page as HTML.
    pub fn html(&self) -> String {
        let body = html! {
            @if !self.message.is_empty() { p.notice { (shown(self.message)) } }
            @for notice in self.notices { p.warning { (notice) } }
            section {
                h2 { "Hand in" }
                @if let Some(bounds) = self.bounds {
                    form method="post" action="/author/hand-in" enctype="multipart/form-data" {
                        (hidden(self.token))
                        label for="files" { "An archive, a file, or several files of your player" }
                        input #files type="file" name="files" multiple required;
                        button { "Hand in" }
                    }
                    p.hint { (bounds) }
                }
                @if !self.handed_in.is_empty() {
                    p { "Handed in last: " (shown(&self.handed_in.join(", "))) "." }
                }
            }
            section aria-labelledby="report-heading" {
                h2 #report-heading { "Report" }
                pre #report aria-live="polite" {
                    @if self.report.is_empty() { "Nothing was checked yet." } @else { (self.report) }
                }
                p #news hidden { a href="/author" { "See what has changed" } }
                noscript { p.hint { "Reload the page to see how it goes on." } }
            }
            section { h2 { "Your versions" } (self.version_table()) }
        };
        framed(
            self.league,
            &format!("{} – {}", self.author, self.league),
            &html! {
                "You are " strong { (name(self.author)) } "." (leave(self.token))
            },
            &body,
        )
    }

    fn version_table(&self) -> Markup {
        if self.versions.is_empty() {
            return html! { p { "None has entered yet." } };
        }
        let table = html! { table {
            thead { tr {
                th { "Version" } th { "Shown as" } th { "Entered" } th { "State" } th.n { "Place" }
                th.n { "Elo" } th.n { "Games" } th.n { "W" } th.n { "D" } th.n { "L" }
                th.n { "Faults" } th { "Packet" }
            } }
            tbody { @for version in self.versions { (self.version(version)) } }
        } };
        html! {
            (scrolling("Your versions", &table))
            p.hint {
                "A packet has all games of a version, its faults and the lines before the first one. "
                "Opponents have pseudonyms in it."
            }
        }
    }

    fn version(&self, version: &AuthorVersion<'_>) -> Markup {
        let row = self.standings.rows.iter().find(|row| row.player == version.shown);
        let place = row.and_then(|row| self.standings.shared_rank(row).ok());
        let rating = row.and_then(Row::shown_rating);
        let count = |of: fn(&Row) -> u32| or_dash(row.map(of));
        let packet = format!("/author/versions/{}", version.number);
        html! { tr {
            th scope="row" { (version.number) } td { (name(version.shown)) } td { (version.entered) }
            td { (state(version.left)) } td.n { (or_dash(place.map(|rank| rank.place))) }
            td.n {
                @if let Some(rating) = rating { (elo(rating.value)) " ±" (elo(rating.margin())) }
                @else { "–" }
            }
            td.n { (count(|row| row.outcomes.games())) } td.n { (count(|row| row.outcomes.wins)) }
            td.n { (count(|row| row.outcomes.draws)) } td.n { (count(|row| row.outcomes.losses)) }
            td.n { (count(Row::fault_total)) }
            td {
                a href={ (packet) "/" } { "games and faults" } ", "
                a href={ (packet) "/packet.zip" } download { "download" }
            }
        } }
    }
}

fn state(left: Option<LeavingReason>) -> &'static str {
    match left {
        None => "plays",
        Some(LeavingReason::Replaced) => "replaced",
        Some(LeavingReason::Removed) => "removed by the organiser",
        Some(LeavingReason::Lost) => "its files were lost",
    }
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
                @match self.state {
                    LeagueStatus::Playing => {
                        p { "The league is open." } (self.button("pause", "Pause all games"))
                    }
                    LeagueStatus::Paused => {
                        p { "All games are paused. Authors can still hand in." }
                        (self.button("resume", "Go on"))
                    }
                    LeagueStatus::Closed => {
                        p { "The league is closed: nothing is taken in or played." }
                        (self.button("resume", "Open it again"))
                    }
                }
            }
            section {
                h2 { "Message" }
                form method="post" action="/organiser/message" enctype="multipart/form-data" {
                    (hidden(self.token))
                    label for="message" { "What all authors see on their pages; empty for nothing" }
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
                            " End the league: nothing more is taken in or played"
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
mod tests {
    use super::super::super::standings::tests::standings;
    use super::*;
    use referee_tournament::analysis::results::examples::results;

    const HOSTILE: &str = "</pre><script>alert(1)</script>\u{202e}";

    #[test]
    fn nothing_that_others_wrote_is_markup() {
        let standings = standings(&results(&["ann v1", "bob v1"], &[(0, 1, "white")]));
        let version = AuthorVersion {
            number: 1,
            shown: "ann v1",
            entered: "today".to_owned(),
            left: Some(LeavingReason::Replaced),
        };
        let page = AuthorPage {
            league: HOSTILE,
            author: HOSTILE,
            token: "t",
            message: HOSTILE,
            notices: &[],
            bounds: Some("bounds"),
            handed_in: &[HOSTILE.to_owned()],
            report: HOSTILE,
            versions: &[version],
            standings: &standings,
        };
        let author = page.html();
        assert!(
            author.contains("<td class=\"n\">1</td>") && author.contains("replaced"),
            "{author}"
        );
        let listed = ListedAuthor { name: HOSTILE.to_owned(), versions: 1, is_removed: false };
        let organiser = OrganiserPage {
            league: HOSTILE,
            token: "t",
            message: HOSTILE,
            state: LeagueStatus::Playing,
            authors: &[listed],
        };
        for html in [author, organiser.html(), notice(HOSTILE, HOSTILE, HOSTILE, ("/", "on"))] {
            assert!(!html.contains("<script>") && !html.contains("alert(1)<"), "{html}");
            assert_eq!(html.matches("<script").count(), 1, "the script file only: {html}");
        }
    }
}
