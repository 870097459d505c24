//! The part of an author's page with games that count for nothing: whom to challenge, and what became
//! of it.

use maud::{Markup, html};

use super::super::page_player_name;
use super::author_page::render_stacking_table;
use super::{escape_league_page_text, render_league_page_token};
use referee_protocol::escape::escape_line;

/// Whom an author can challenge, and what became of it.
#[derive(Debug)]
pub struct ChallengeSection {
    /// Whom the author can challenge now; empty if nobody.
    pub opponents: Vec<String>,
    /// Of how many players these are pseudonyms, if they are.
    pub among: Option<usize>,
    /// The bounds, a sentence.
    pub bounds: String,
    /// Whom the author meets now or soon.
    pub waiting: Option<String>,
    /// Why the last challenge was refused, if it was: when, the opponent and the reason.
    pub refused: Option<[String; 3]>,
    /// Those that were played, the newest first.
    pub played: Vec<ListedChallenge>,
}

/// A challenge that was played.
#[derive(Debug)]
pub struct ListedChallenge {
    /// Its number.
    pub number: u32,
    /// When it began, for people.
    pub when: String,
    /// The number of the version that played.
    pub version: u32,
    /// What the opponent is called.
    pub opponent: String,
    /// The result of each game, such as `won as white`.
    pub results: Vec<String>,
    /// Why there are not two games.
    pub problem: Option<String>,
}

impl ChallengeSection {
    /// The section as HTML. `token` shows that the form comes from this page.
    pub(super) fn html(&self, token: &str) -> Markup {
        html! {
            section #challenges {
                h2 { "Challenge" }
                @if let Some(opponent) = &self.waiting {
                    p.notice {
                        "Your challenge to " (page_player_name(opponent)) " is queued or in progress. "
                        "Reload the page to see the result."
                    }
                } @else if !self.opponents.is_empty() { (self.form(token)) }
                @if let Some([when, opponent, why]) = &self.refused {
                    p.warning {
                        (when) ": your challenge to " (page_player_name(opponent)) " was not played: "
                        (escape_league_page_text(why)) "."
                    }
                }
                @if !self.played.is_empty() { (self.table()) }
            }
        }
    }

    fn form(&self, token: &str) -> Markup {
        html! {
            form method="post" action="/author/challenge" enctype="multipart/form-data" {
                (render_league_page_token(token))
                @if let Some(among) = self.among {
                    input type="hidden" name="among" value=(among);
                }
                label for="opponent" { "Play two games, which do not count, against" }
                select #opponent name="opponent" {
                    @for opponent in &self.opponents {
                        option value=(opponent) { (escape_line(opponent)) }
                    }
                }
                button { "Play" }
            }
            p.hint { (self.bounds) }
        }
    }

    fn table(&self) -> Markup {
        render_stacking_table(
            "Your challenges",
            &html! {
                thead { tr {
                    th { "Began" } th { "Opponent" } th.n { "Version" } th { "Results" } th { "Games" }
                } }
                tbody { @for one in &self.played { tr {
                    th scope="row" { (one.when) }
                    td data-label="Opponent" { (page_player_name(&one.opponent)) }
                    td.n data-label="Version" { (one.version) }
                    td data-label="Results" { (escape_league_page_text(&format_challenge_outcome(one))) }
                    td data-label="Games" {
                        @if !one.results.is_empty() {
                            a href={ "/author/challenges/" (one.number) "/" } { "watch" }
                        }
                    }
                } } }
            },
        )
    }
}

/// The results of a challenge, and what is missing.
fn format_challenge_outcome(one: &ListedChallenge) -> String {
    let all = one.results.iter().chain(&one.problem).map(String::as_str);
    all.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::HOSTILE;
    use super::*;

    #[test]
    fn a_challenge_that_waits_hides_the_form_and_nothing_is_markup() {
        let hostile = || HOSTILE.to_owned();
        let one = ListedChallenge {
            number: 3,
            when: "today".to_owned(),
            version: 2,
            opponent: hostile(),
            results: vec!["won as white".to_owned()],
            problem: Some(hostile()),
        };
        let section = |waiting| ChallengeSection {
            opponents: vec![hostile()],
            among: Some(7),
            bounds: "Five per hour.".to_owned(),
            waiting,
            refused: Some([(); 3].map(|()| hostile())),
            played: Vec::new(),
        };
        let free = ChallengeSection { played: vec![one], ..section(None) }.html("t").into_string();
        let busy = section(Some(hostile())).html("t").into_string();
        assert!(free.contains("name=\"among\" value=\"7\"") && free.contains("<select"), "{free}");
        assert!(
            free.contains("href=\"/author/challenges/3/\"") && !free.contains("queued"),
            "{free}"
        );
        assert!(busy.contains("is queued or in progress") && !busy.contains("<form"), "{busy}");
        for html in [free, busy] {
            assert!(!html.contains("<script>") && !html.contains("alert(1)<"), "{html}");
        }
    }
}
