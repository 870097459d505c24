//! The page of an author: handing in, what became of it, the versions, their games and ratings.

mod author_games;
mod author_versions;

use maud::{Markup, html};

use super::super::page_player_name;
use super::challenge_section::ChallengeSection;
use super::{
    escape_league_page_text, render_league_page_frame, render_league_page_token, render_leave_form,
};
use crate::Standings;

pub use author_games::{GameFilter, GameResult, ListedGame, OpponentScore, TurnedAt};
pub use author_versions::{AuthorVersion, DatedRating, OpponentStep, VersionStep};

/// What an author sees.
#[derive(Debug)]
pub struct AuthorPage<'a> {
    /// The name of the league.
    pub league: &'a str,
    /// The author.
    pub author: &'a str,
    /// What shows that a form comes from this page.
    pub token: &'a str,
    /// The organiser's message to everyone, or an empty text.
    pub message: &'a str,
    /// The state of the league and of the author, a sentence each.
    pub notices: &'a [&'a str],
    /// The bounds on what can be handed in; `None` if nothing can.
    pub bounds: Option<&'a str>,
    /// The latest submission: the name and the size of each file or folder.
    pub handed_in: &'a [String],
    /// Its outcome.
    pub report: &'a str,
    /// All submissions so far, the newest first.
    pub history: &'a [ListedHandIn],
    /// The versions, the newest first.
    pub versions: &'a [AuthorVersion<'a>],
    /// The newest version beside the one before; `None` if there is only one.
    pub step: Option<VersionStep>,
    /// The ratings over time, the first one first.
    pub ratings: &'a [DatedRating],
    /// The games, the newest first.
    pub games: &'a [ListedGame],
    /// Which games these are.
    pub filter: GameFilter,
    /// Whether it is still being found out where some of them turned.
    pub is_looking: bool,
    /// Games that do not count; `None` if this game cannot have them.
    pub challenges: Option<ChallengeSection>,
    /// The scores against each opponent.
    pub opponents: &'a [OpponentScore],
    /// The ranking that the versions are in.
    pub standings: &'a Standings,
}

/// A submission in the past.
#[derive(Debug)]
pub struct ListedHandIn {
    /// When it entered or was refused, for people.
    pub when: String,
    /// The files.
    pub files: String,
    /// What its author said of it.
    pub comment: String,
    /// The number of the version that entered, or why it was refused.
    pub outcome: Result<u32, String>,
}

impl AuthorPage<'_> {
    /// The page as HTML.
    pub fn html(&self) -> String {
        let body = html! {
            @if !self.message.is_empty() { p.notice { (escape_league_page_text(self.message)) } }
            @for notice in self.notices { p.warning { (notice) } }
            (self.render_upload_form())
            section aria-labelledby="report-heading" {
                h2 #report-heading { "Report" }
                pre #report aria-live="polite" {
                    @if self.report.is_empty() { "Nothing has been checked yet." }
                    @else { (self.report) }
                }
                p #news hidden { a href="/author" { "See what has changed" } }
                noscript { p.hint { "Reload the page to see the progress." } }
            }
            section #versions { h2 { "Your versions" } (self.version_table()) }
            @if let Some(step) = &self.step {
                section { h2 { "Did version " (step.version) " help?" } (Self::version_step_table(step)) }
            }
            section { h2 { "Your rating" } (self.version_rating_chart()) }
            section #games { h2 { "Your games" } (self.game_table()) }
            @if let Some(challenges) = &self.challenges { (challenges.html(self.token)) }
            section { h2 { "Your opponents" } (self.opponent_games_table()) }
            section { h2 { "Your hand-ins" } (self.history_table()) }
        };
        render_league_page_frame(
            self.league,
            &format!("{} – {}", self.author, self.league),
            &html! {
                "You are " strong { (page_player_name(self.author)) } "." (render_leave_form(self.token))
            },
            &body,
        )
    }

    fn render_upload_form(&self) -> Markup {
        html! {
            section {
                h2 { "Hand in" }
                @if let Some(bounds) = self.bounds {
                    form method="post" action="/author/hand-in" enctype="multipart/form-data" {
                        (render_league_page_token(self.token))
                        label for="files" { "Your player: an archive, a file, or several files" }
                        input #files type="file" name="files" multiple required;
                        label for="comment" { "A note to yourself (optional)" }
                        input #comment type="text" name="comment" maxlength="500";
                        button { "Hand in" }
                    }
                    p.hint { (bounds) }
                }
                @if !self.handed_in.is_empty() {
                    p { "Last hand-in: " (escape_league_page_text(&self.handed_in.join(", "))) "." }
                }
            }
        }
    }

    fn history_table(&self) -> Markup {
        if self.history.is_empty() {
            return html! { p { "Nothing has been checked yet." } };
        }
        render_stacking_table(
            "Your hand-ins",
            &html! {
                thead { tr { th { "Checked" } th { "Files" } th { "Comment" } th { "Outcome" } } }
                tbody { @for one in self.history { tr {
                    th scope="row" { (one.when) }
                    td data-label="Files" { (escape_league_page_text(&one.files)) }
                    td data-label="Comment" { (escape_league_page_text(&one.comment)) }
                    td data-label="Outcome" {
                        @match &one.outcome {
                            Ok(version) => { "entered as version " (version) }
                            Err(why) => { "refused: " (escape_league_page_text(why)) }
                        }
                    }
                } } }
            },
        )
    }
}

/// A table whose rows become blocks where the screen is narrow, each cell with its label.
pub(super) fn render_stacking_table(label: &str, content: &Markup) -> Markup {
    html! { table.stacking aria-label=(label) { (content) } }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{HOSTILE, refuse_markup};
    use super::*;
    use crate::standings::tests::standings;
    use referee_ratings::Outcomes;
    use referee_record::model::league_entry::LeavingReason;
    use referee_tournament::analysis::named_results::examples::results;

    #[test]
    fn nothing_that_others_wrote_is_markup() {
        let standings = standings(&results(&["ann v1", "bob v1"], &[(0, 1, "white")]));
        let version = AuthorVersion {
            number: 1,
            shown: "ann v1",
            entered: "today".to_owned(),
            left: Some(LeavingReason::Replaced),
            out: None,
            is_kept: true,
        };
        let hand_in = |outcome| ListedHandIn {
            when: "today".to_owned(),
            files: HOSTILE.to_owned(),
            comment: HOSTILE.to_owned(),
            outcome,
        };
        let game = ListedGame {
            when: String::new(),
            id: "3f9a1c07be52-1".to_owned(),
            version: 1,
            seat: "white".to_owned(),
            opponent: HOSTILE.to_owned(),
            result: GameResult::Lost,
            reason: HOSTILE.to_owned(),
            plies: 7,
            turned: Some(TurnedAt { ply: 5, better: HOSTILE.to_owned() }),
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
            history: &[hand_in(Ok(1)), hand_in(Err(HOSTILE.to_owned()))],
            versions: &[version],
            step: Some(VersionStep {
                version: 2,
                before: 1,
                gain: None,
                opponents: vec![OpponentStep {
                    name: HOSTILE.to_owned(),
                    before: Outcomes::default(),
                    after: Outcomes::default(),
                }],
            }),
            ratings: &[],
            games: &[game],
            filter: GameFilter::Lost,
            is_looking: true,
            challenges: None,
            opponents: &[OpponentScore { name: HOSTILE.to_owned(), outcomes: Outcomes::default() }],
            standings: &standings,
        };
        let html = page.html();
        assert!(
            html.contains("data-label=\"Games\">1</td>") && html.contains("replaced"),
            "{html}"
        );
        assert!(html.contains("href=\"/author/versions/1/player.zip\""), "{html}");
        assert!(html.contains("<a href=\"/#game=3f9a1c07be52-1&amp;ply=4\">ply 5</a>"), "{html}");
        refuse_markup(&html);
    }
}
