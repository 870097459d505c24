//! The pages of a league for its authors and its organiser. They have forms, so their style and their
//! script are files of their own: nothing in the page itself may run.

use std::io;

use maud::{DOCTYPE, Markup, html};

use super::page_template::STYLE;
use super::{page_player_name, page_text_or_dash};
use crate::csv_cells::{finish_csv_cells, format_text_cell};
use referee_protocol::escape::{escape_line, escape_lines};
use referee_record::model::league_settings::LeagueGameBounds;
use referee_record::model::player_spec::Out;
use referee_record::wording::pluralize;

mod author_page;
mod challenge_section;

pub use author_page::{
    AuthorPage, AuthorVersion, DatedRating, GameFilter, GameResult, ListedGame, ListedHandIn,
    OpponentScore, OpponentStep, TurnedAt, VersionStep,
};
pub use challenge_section::{ChallengeSection, ListedChallenge};

/// The script of the pages.
pub const SCRIPT: &str = include_str!("league.js");
/// What their style adds to that of the report.
const MORE_STYLE: &str = include_str!("league.css");

/// The style of the pages.
pub fn league_pages_style() -> String {
    [STYLE, MORE_STYLE].concat()
}

/// What a visitor is told while no game would be worth playing.
pub const IDLE: &str = "No games are being played, because they would hardly change the ratings. \
                        Play resumes when another version enters.";

/// What the organiser sees.
#[derive(Debug)]
pub struct LeagueOrganiserPage<'a> {
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
    pub bounds: LeagueGameBounds,
    /// Why no games are being played although the league is open; empty if nothing holds them up.
    pub held_up: &'a str,
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
    /// Whether a link was made.
    pub is_invited: bool,
    /// How many versions have entered.
    pub versions: usize,
    /// The version in the league now; `None` if the author has none.
    pub current: Option<CurrentVersion>,
    /// The last submission: when that was decided, and the version that entered or the reason.
    pub last: Option<(String, Result<u32, String>)>,
    /// Whether the author was removed.
    pub is_removed: bool,
}

/// The version of an author that is in the league now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurrentVersion {
    /// Its number.
    pub number: u32,
    /// Why it does not play, if it is out.
    pub out: Option<Out>,
    /// Its games that count.
    pub games: u32,
    /// Its faults.
    pub faults: u32,
}

impl ListedAuthor {
    /// What became of the last submission, in words; empty if there was none.
    fn last_outcome(&self) -> String {
        match &self.last {
            None => String::new(),
            Some((_, Ok(version))) => format!("entered as v{version}"),
            Some((_, Err(why))) => format!("refused: {}", why.lines().next().unwrap_or_default()),
        }
    }

    /// The number of the version that plays; `None` if none does.
    fn active_version(&self) -> Option<u32> {
        let current = self.current.filter(|version| version.out.is_none());
        current.map(|version| version.number)
    }

    fn state(&self) -> &'static str {
        match self.current.and_then(|version| version.out) {
            _ if self.is_removed => "removed",
            None => "takes part",
            Some(Out::Quarantined) => "quarantined",
            Some(Out::Unchecked) => "failed the check",
            Some(Out::Disqualified) => "disqualified",
        }
    }
}

/// The same list as CSV.
///
/// # Errors
/// It cannot be written.
pub fn league_authors_csv(authors: &[ListedAuthor]) -> io::Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record([
        "author",
        "state",
        "link",
        "versions",
        "plays",
        "games",
        "faults",
        "last_hand_in",
        "outcome",
    ])?;
    for author in authors {
        let number = |of: Option<u32>| of.map_or_else(String::new, |number| number.to_string());
        table.write_record([
            &*format_text_cell(&author.name),
            author.state(),
            if author.is_invited { "yes" } else { "no" },
            &author.versions.to_string(),
            &number(author.active_version()),
            &number(author.current.map(|version| version.games)),
            &number(author.current.map(|version| version.faults)),
            author.last.as_ref().map_or("", |(when, _)| when),
            &format_text_cell(&author.last_outcome()),
        ])?;
    }
    finish_csv_cells(table)
}

impl LeagueOrganiserPage<'_> {
    /// The page as HTML.
    pub fn html(&self) -> String {
        let body = html! {
            section { h2 { "State" } (self.render_status()) }
            section { h2 { "Checks" } (self.render_checks()) }
            section {
                h2 { "Message" }
                form method="post" action="/organiser/message" enctype="multipart/form-data" {
                    (render_league_page_token(self.token))
                    label for="message" { "Message on every author's page (leave empty for none)" }
                    textarea #message name="message" { (self.message) }
                    button { "Tell everyone" }
                }
            }
            section #authors { h2 { "Authors" } (self.author_table()) }
            @if self.state != LeagueStatus::Closed {
                section {
                    h2 { "Close" }
                    form method="post" action="/organiser/close" enctype="multipart/form-data" {
                        (render_league_page_token(self.token))
                        label {
                            input type="checkbox" name="sure" value="yes" required;
                            " End the league: no more hand-ins or games"
                        }
                        button { "Close the league" }
                    }
                }
            }
        };
        render_league_page_frame(
            self.league,
            &format!("Organiser – {}", self.league),
            &html! {
                "You are the organiser." (render_leave_form(self.token))
            },
            &body,
        )
    }

    /// Whether it runs and plays, and the buttons that change that.
    fn render_status(&self) -> Markup {
        html! {
            @if !self.is_running && self.state != LeagueStatus::Closed {
                p.warning {
                    "The league is not running: start " code { "referee run" }
                    " with its configuration."
                }
            }
            @if !self.bounds.are_none() { p { "Bounds: " (self.bounds) "." } }
            @match self.state {
                LeagueStatus::Playing => {
                    p { "The league is open. " (self.held_up) }
                    (self.render_button("pause", "Pause all games"))
                }
                LeagueStatus::Paused => {
                    p { "All games are paused. Hand-ins are still checked." }
                    (self.render_button("resume", "Resume"))
                }
                LeagueStatus::Closed => {
                    p {
                        "The league is closed: no hand-ins, no games. "
                        code { "referee league close" } " writes the configuration for the final."
                    }
                    (self.render_button("resume", "Open it again"))
                }
            }
        }
    }

    fn render_checks(&self) -> Markup {
        let (checking, waiting) = self.queue;
        html! {
            @if checking.is_empty() || !self.is_running {
                p { "No hand-in is being checked." }
            } @else {
                @for author in checking {
                    p { "Checking the hand-in by " strong { (page_player_name(author)) } "." }
                }
            }
            @if !waiting.is_empty() {
                p { (pluralize(waiting.len(), "author")) " waiting, the next one first: "
                    (escape_league_page_text(&waiting.join(", "))) "." }
            }
        }
    }

    fn author_table(&self) -> Markup {
        if self.authors.is_empty() {
            return html! { p { "No invitations and no hand-ins yet." } };
        }
        let table = html! {
            thead { tr {
                th { "Author" } th { "Link" } th.n { "Versions" } th.n { "Active" } th.n { "Games" }
                th.n { "Faults" } th { "Last hand-in" } th { "Outcome" } th { "State" } th { "Change" }
            } }
            tbody { @for author in self.authors { tr {
                th scope="row" { (page_player_name(&author.name)) }
                td data-label="Link" { @if author.is_invited { "yes" } @else { "none" } }
                td.n data-label="Versions" { (author.versions) }
                td.n data-label="Active" { (page_text_or_dash(author.active_version().map(|number| format!("v{number}")))) }
                td.n data-label="Games" { (page_text_or_dash(author.current.map(|version| version.games))) }
                td.n data-label="Faults" { (page_text_or_dash(author.current.map(|version| version.faults))) }
                td data-label="Last hand-in" { (page_text_or_dash(author.last.as_ref().map(|(when, _)| when))) }
                td data-label="Outcome" { (escape_league_page_text(&author.last_outcome())) }
                td data-label="State" { (author.state()) }
                td {
                    @let (wish, label) = if author.is_removed { ("readmit", "Readmit") } else { ("remove", "Remove") };
                    form method="post" action={ "/organiser/" (wish) } enctype="multipart/form-data" {
                        (render_league_page_token(self.token))
                        input type="hidden" name="author" value=(author.name);
                        button aria-label={ (label) " " (escape_line(&author.name)) } { (label) }
                    }
                }
            } } }
        };
        html! {
            p {
                (pluralize(self.authors.len(), "author")) ", "
                (self.authors.iter().filter(|author| author.active_version().is_none()).count())
                " without an active version. "
                a href="/organiser/authors.csv" download { "As CSV" }
            }
            (author_page::render_stacking_table("Authors", &table))
        }
    }

    fn render_button(&self, wish: &str, label: &str) -> Markup {
        html! {
            form method="post" action={ "/organiser/" (wish) } enctype="multipart/form-data" {
                (render_league_page_token(self.token)) button { (label) }
            }
        }
    }
}

/// A page that only tells something, with a way on.
pub fn render_league_page_notice(
    league: &str,
    heading: &str,
    text: &str,
    (on, label): (&str, &str),
) -> String {
    let body = html! {
        section { h2 { (heading) } p { (escape_league_page_text(text)) } p { a href=(on) { (label) } } }
    };
    render_league_page_frame(league, &format!("{heading} – {league}"), &html! {}, &body)
}

/// A page that asks a visitor known as `now` whether to become another guest.
pub fn render_guest_change(
    league: &str,
    [now, then]: [&str; 2],
    address: &str,
    token: &str,
) -> String {
    let body = html! {
        section {
            h2 { "Change who you are?" }
            p {
                "On this device you are " strong { (page_player_name(now)) } ". This link is for "
                strong { (page_player_name(then)) } ". Continue only if the organiser gave it to you."
            }
            form method="post" action=(address) enctype="multipart/form-data" {
                (render_league_page_token(token)) button { "Become " (escape_line(then)) }
            }
            p { a href="/author" { "Stay " (escape_line(now)) } }
        }
    };
    render_league_page_frame(league, &format!("Change who you are – {league}"), &html! {}, &body)
}

fn render_league_page_token(token: &str) -> Markup {
    html! { input type="hidden" name="token" value=(token); }
}

/// The form that ends the visit on this device.
fn render_leave_form(token: &str) -> Markup {
    html! {
        form method="post" action="/leave" enctype="multipart/form-data" {
            (render_league_page_token(token)) button { "Leave" }
        }
    }
}

/// Text of others, several lines of it.
fn escape_league_page_text(text: &str) -> String {
    escape_lines(text)
}

fn render_league_page_frame(league: &str, title: &str, who: &Markup, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (escape_line(title)) }
                link rel="icon" href="data:,";
                link rel="stylesheet" href="/league.css";
                script src="/league.js" defer {}
            }
            body {
                header { h1 { (page_player_name(league)) } div.lead { (who) } }
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
        let listed = ListedAuthor {
            name: HOSTILE.to_owned(),
            is_invited: true,
            versions: 1,
            current: Some(CurrentVersion { number: 1, out: None, games: 7, faults: 2 }),
            last: Some(("today".to_owned(), Err(format!("{HOSTILE}\nmore")))),
            is_removed: false,
        };
        let table = league_authors_csv(std::slice::from_ref(&listed)).expect("a table");
        let table = String::from_utf8(table).expect("text");
        assert!(table.starts_with("author,state,link,versions,plays,games,faults,last_hand_in,"));
        assert!(table.contains(",takes part,yes,1,1,7,2,today,refused: "), "{table}");
        let organiser = LeagueOrganiserPage {
            league: HOSTILE,
            token: "t",
            message: HOSTILE,
            state: LeagueStatus::Playing,
            is_running: true,
            bounds: LeagueGameBounds { per_day: Some(9), quiet: None },
            held_up: IDLE,
            queue: (&[HOSTILE], &[HOSTILE.to_owned()]),
            authors: &[listed],
        };
        let page = organiser.html();
        assert!(page.contains("<p>Bounds: at most 9 games a day.</p>"), "{page}");
        assert!(page.contains(IDLE), "{page}");
        refuse_markup(&page);
        refuse_markup(&render_guest_change(HOSTILE, [HOSTILE; 2], "/enter/x", "t"));
        refuse_markup(&render_league_page_notice(HOSTILE, HOSTILE, HOSTILE, ("/", "on")));
    }

    #[test]
    fn a_quarantined_version_is_not_active() {
        let authors = [("ann", Some(Out::Quarantined)), ("bob", None)].map(|(name, out)| {
            let current = CurrentVersion { number: 3, out, games: 7, faults: 5 };
            ListedAuthor {
                name: name.to_owned(),
                is_invited: true,
                versions: 3,
                current: Some(current),
                last: None,
                is_removed: false,
            }
        });
        let table = league_authors_csv(&authors).expect("a table");
        let table = String::from_utf8(table).expect("text");
        assert!(table.contains("\nann,quarantined,yes,3,,7,5,"), "{table}");
        assert!(table.contains("\nbob,takes part,yes,3,3,7,5,"), "{table}");
        let page = LeagueOrganiserPage {
            league: "cup",
            token: "t",
            message: "",
            state: LeagueStatus::Playing,
            is_running: true,
            bounds: LeagueGameBounds { per_day: None, quiet: None },
            held_up: "",
            queue: (&[], &[]),
            authors: &authors,
        };
        let page = page.html();
        assert!(page.contains("2 authors, 1 without an active version."), "{page}");
        assert!(page.contains("data-label=\"State\">quarantined</td>"), "{page}");
    }

    /// Fails if anything hostile is markup.
    pub(super) fn refuse_markup(html: &str) {
        assert!(!html.contains("<script>") && !html.contains("alert(1)<"), "{html}");
        assert_eq!(html.matches("<script").count(), 1, "the script file only: {html}");
    }
}
