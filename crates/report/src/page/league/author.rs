//! The page of an author: handing in, what became of it, the versions, their games and ratings.

use maud::{Markup, PreEscaped, html};

use super::super::{name, or_dash, percent};
use super::challenges::ChallengeSection;
use super::{framed, hidden, leave, shown};
use crate::charts::{AxisScale, IntervalRow, interval_chart};
use crate::numbers::{elo, two_digits};
use crate::{Row, Standings, verdict};
use referee_ratings::{Estimate, Outcomes};
use referee_record::model::entry::LeavingReason;
use referee_record::model::fault::FaultCode;
use referee_record::wording::counted;

/// About the margin of a rating in Elo with which a league is content.
const SETTLED: f64 = 50.0;

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

/// A version of an author's player.
#[derive(Debug)]
pub struct AuthorVersion<'a> {
    /// The number of the version.
    pub number: u32,
    /// What others call it.
    pub shown: &'a str,
    /// When it entered, for people.
    pub entered: String,
    /// Why it stopped playing, if it did.
    pub left: Option<LeavingReason>,
    /// Whether its files are still kept.
    pub is_kept: bool,
}

/// A version beside the one before it.
#[derive(Debug)]
pub struct VersionStep {
    /// The number of the version.
    pub version: u32,
    /// The number of the one before.
    pub before: u32,
    /// How much stronger the later one is, in Elo, if that is known.
    pub gain: Option<Estimate>,
    /// How they did against opponents that both have met.
    pub opponents: Vec<OpponentStep>,
}

/// The scores of two versions against the same opponents.
#[derive(Debug)]
pub struct OpponentStep {
    /// What the opponents are called.
    pub name: String,
    /// The scores of the version before.
    pub before: Outcomes,
    /// The scores of the later one.
    pub after: Outcomes,
}

/// A rating at some time.
#[derive(Debug)]
pub struct DatedRating {
    /// When, for people.
    pub when: String,
    /// The number of the version.
    pub version: u32,
    /// The rating.
    pub rating: Estimate,
}

/// A game of an author's player.
#[derive(Debug)]
pub struct ListedGame {
    /// When it began, for people; empty where that must not be known.
    pub when: String,
    /// The game's id on the page of the league.
    pub id: String,
    /// The number of the version that played.
    pub version: u32,
    /// The seat that it had.
    pub seat: String,
    /// What the opponent is called.
    pub opponent: String,
    /// The result, from the author's side.
    pub result: GameResult,
    /// How it ended.
    pub reason: String,
    /// The number of plies.
    pub plies: u32,
    /// Where it turned, if it was lost and that is known.
    pub turned: Option<TurnedAt>,
}

/// Where a game turned.
#[derive(Debug)]
pub struct TurnedAt {
    /// The number of the ply.
    pub ply: u32,
    /// What would have been better, for people.
    pub better: String,
}

/// The result of a game from one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameResult {
    /// It was won.
    Won,
    /// It was drawn.
    Drawn,
    /// It was lost.
    Lost,
}

/// Which games are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameFilter {
    /// All.
    All,
    /// The lost games.
    Lost,
}

/// The scores of all versions against an opponent.
#[derive(Debug)]
pub struct OpponentScore {
    /// What the opponent is called.
    pub name: String,
    /// The scores, from the author's side.
    pub outcomes: Outcomes,
}

impl AuthorPage<'_> {
    /// The page as HTML.
    pub fn html(&self) -> String {
        let body = html! {
            @if !self.message.is_empty() { p.notice { (shown(self.message)) } }
            @for notice in self.notices { p.warning { (notice) } }
            (self.upload())
            section aria-labelledby="report-heading" {
                h2 #report-heading { "Report" }
                pre #report aria-live="polite" {
                    @if self.report.is_empty() { "Nothing has been checked yet." }
                    @else { (self.report) }
                }
                p #news hidden { a href="/author" { "See what has changed" } }
                noscript { p.hint { "Reload the page to see the progress." } }
            }
            section { h2 { "Your versions" } (self.version_table()) }
            @if let Some(step) = &self.step {
                section { h2 { "Did version " (step.version) " help?" } (Self::step_table(step)) }
            }
            section { h2 { "Your rating" } (self.rating_chart()) }
            section #games { h2 { "Your games" } (self.game_table()) }
            @if let Some(challenges) = &self.challenges { (challenges.html(self.token)) }
            section { h2 { "Your opponents" } (self.opponent_table()) }
            section { h2 { "Your hand-ins" } (self.history_table()) }
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

    fn upload(&self) -> Markup {
        html! {
            section {
                h2 { "Hand in" }
                @if let Some(bounds) = self.bounds {
                    form method="post" action="/author/hand-in" enctype="multipart/form-data" {
                        (hidden(self.token))
                        label for="files" { "Your player: an archive, a file, or several files" }
                        input #files type="file" name="files" multiple required;
                        label for="comment" { "A note to yourself (optional)" }
                        input #comment type="text" name="comment" maxlength="500";
                        button { "Hand in" }
                    }
                    p.hint { (bounds) }
                }
                @if !self.handed_in.is_empty() {
                    p { "Last hand-in: " (shown(&self.handed_in.join(", "))) "." }
                }
            }
        }
    }

    fn version_table(&self) -> Markup {
        if self.versions.is_empty() {
            return html! { p { "No version has entered yet." } };
        }
        html! {
            (stacking("Your versions", &html! {
                thead { tr {
                    th { "Version" } th { "Shown as" } th { "Entered" } th { "State" }
                    th.n { "Place" } th.n { "Elo" } th.n { "Gain" } th.n { "Games" } th.n { "W" }
                    th.n { "D" } th.n { "L" } th.n { "Faults" } th { "Files" }
                } }
                tbody { @for version in self.versions { (self.version(version)) } }
            }))
            @if let Some(outlook) = self.outlook() { p { (outlook) } }
            p.hint {
                "A packet has a version's games, its faults and the messages before the first \
                 fault. "
                "Opponents have pseudonyms in it."
            }
        }
    }

    /// How well the rating of the version that plays is known.
    fn outlook(&self) -> Option<String> {
        let version = self.versions.iter().find(|version| version.left.is_none())?;
        let row = self.standings.rows.iter().find(|row| row.player == version.shown)?;
        outlook(version.number, row.games, row.shown_rating()?.margin())
    }

    fn version(&self, version: &AuthorVersion<'_>) -> Markup {
        let row = self.standings.rows.iter().find(|row| row.player == version.shown);
        let place = row.and_then(|row| self.standings.shared_rank(row).ok());
        let count = |of: fn(&Row) -> u32| or_dash(row.map(of));
        let folder = format!("/author/versions/{}", version.number);
        html! { tr {
            th scope="row" { (version.number) }
            td data-label="Shown as" { (name(version.shown)) }
            td data-label="Entered" { (version.entered) }
            td data-label="State" { (state(version.left)) }
            td.n data-label="Place" { (or_dash(place.map(|rank| rank.place))) }
            td.n data-label="Elo" { (with_margin(row.and_then(Row::shown_rating))) }
            td.n data-label="Gain" { (with_margin(row.and_then(|row| Some(row.before?.gain?.0)))) }
            td.n data-label="Games" { (count(|row| row.outcomes.games())) }
            td.n data-label="Won" { (count(|row| row.outcomes.wins)) }
            td.n data-label="Drawn" { (count(|row| row.outcomes.draws)) }
            td.n data-label="Lost" { (count(|row| row.outcomes.losses)) }
            td.n data-label="Faults" { (count(Row::fault_total)) }
            td data-label="Files" { span {
                a href={ (folder) "/" } { "games and faults" } ", "
                a href={ (folder) "/packet.zip" } download { "packet" }
                @if version.is_kept { ", " a href={ (folder) "/player.zip" } download { "player" } }
            } }
        } }
    }

    fn step_table(step: &VersionStep) -> Markup {
        let [before, after] = [step.before, step.version].map(|number| format!("Version {number}"));
        let score = |of: Outcomes| percent(of.score().value(), f64::from(of.games()));
        let games = |of: Outcomes| counted(of.games(), "game");
        html! {
            p { (answer(step)) }
            @if !step.opponents.is_empty() {
                p.hint { "Scores against opponents that both have met, biggest changes first." }
                (stacking("The last two versions", &html! {
                    thead { tr { th { "Opponent" } th.n { (before) } th.n { (after) } } }
                    tbody { @for one in &step.opponents { tr {
                        th scope="row" { (name(&one.name)) }
                        td.n data-label=(before) { (score(one.before)) " of " (games(one.before)) }
                        td.n data-label=(after) { (score(one.after)) " of " (games(one.after)) }
                    } } }
                }))
            }
        }
    }

    fn rating_chart(&self) -> Markup {
        if self.ratings.is_empty() {
            return html! { p { "Nothing to show until a few games have been played." } };
        }
        let row = |one: &DatedRating| IntervalRow {
            rank: usize::try_from(one.version).ok(),
            // Without the year: on a telephone, there is little room.
            label: one.when.get(5..16).unwrap_or(&one.when).to_owned(),
            low: one.rating.low,
            middle: one.rating.value,
            high: one.rating.high,
            most: None,
        };
        let rows: Vec<IntervalRow> = self.ratings.iter().map(row).collect();
        let caption = "Elo of the version that played then, with 95% intervals. Version numbers \
                       follow the times.";
        html! {
            figure {
                (PreEscaped(interval_chart(&rows, AxisScale::Elo, "Your rating over time")))
                figcaption { (caption) }
                details.table { summary { "Show as table" }
                (stacking("Your rating over time", &html! {
                    thead { tr { th { "Time" } th.n { "Version" } th.n { "Elo" } } }
                    tbody { @for one in self.ratings { tr {
                        th scope="row" { (one.when) }
                        td.n data-label="Version" { (one.version) }
                        td.n data-label="Elo" { (with_margin(Some(one.rating))) }
                    } } }
                })) }
            }
        }
    }

    fn game_table(&self) -> Markup {
        let link = |filter, address: &str, label: &str| {
            html! {
                @if self.filter == filter { strong { (label) } } @else { a href=(address) { (label) } }
            }
        };
        let has_times = self.games.iter().any(|game| !game.when.is_empty());
        let has_turned = self.games.iter().any(|game| game.turned.is_some());
        let none = match self.filter {
            GameFilter::All => "No games yet.",
            GameFilter::Lost => "No lost games.",
        };
        html! {
            p {
                (link(GameFilter::All, "/author#games", "Latest games")) " · "
                (link(GameFilter::Lost, "/author?games=lost#games", "Latest lost games"))
            }
            @if self.games.is_empty() { p { (none) } } @else {
                (stacking("Your games", &html! {
                    thead { tr {
                        @if has_times { th { "Began" } } th { "Result" } th { "Opponent" } th.n { "Version" }
                        th { "Seat" } th { "Ended by" } th.n { "Plies" } th { "Game" }
                        @if has_turned { th { "Turned at" } }
                    } }
                    tbody { @for game in self.games { tr {
                        @if has_times { td data-label="Began" { (game.when) } }
                        th scope="row" { (result(game.result)) }
                        td data-label="Opponent" { (name(&game.opponent)) }
                        td.n data-label="Version" { (game.version) }
                        td data-label="Seat" { (shown(&game.seat)) }
                        td data-label="Ended by" { (shown(&game.reason)) }
                        td.n data-label="Plies" { (game.plies) }
                        td data-label="Game" { (watch(game)) }
                        @if has_turned { (turned(game)) }
                    } } }
                }))
            }
            @if self.is_looking {
                p.hint {
                    "The newest lost games are still being searched for the ply at which they \
                     turned: reload the page in a moment."
                }
            }
        }
    }

    fn opponent_table(&self) -> Markup {
        if self.opponents.is_empty() {
            return html! { p { "No opponents yet." } };
        }
        html! {
            p { "All your versions against all of theirs." }
            (stacking("Your opponents", &html! {
                thead { tr {
                    th { "Opponent" } th.n { "Games" } th.n { "W" } th.n { "D" } th.n { "L" }
                    th.n { "Score" }
                } }
                tbody { @for one in self.opponents { tr {
                    th scope="row" { (name(&one.name)) }
                    td.n data-label="Games" { (one.outcomes.games()) }
                    td.n data-label="Won" { (one.outcomes.wins) }
                    td.n data-label="Drawn" { (one.outcomes.draws) }
                    td.n data-label="Lost" { (one.outcomes.losses) }
                    td.n data-label="Score" {
                        (percent(one.outcomes.score().value(), f64::from(one.outcomes.games())))
                    }
                } } }
            }))
        }
    }

    fn history_table(&self) -> Markup {
        if self.history.is_empty() {
            return html! { p { "Nothing has been checked yet." } };
        }
        stacking(
            "Your hand-ins",
            &html! {
                thead { tr { th { "Checked" } th { "Files" } th { "Comment" } th { "Outcome" } } }
                tbody { @for one in self.history { tr {
                    th scope="row" { (one.when) }
                    td data-label="Files" { (shown(&one.files)) }
                    td data-label="Comment" { (shown(&one.comment)) }
                    td data-label="Outcome" {
                        @match &one.outcome {
                            Ok(version) => { "entered as version " (version) }
                            Err(why) => { "refused: " (shown(why)) }
                        }
                    }
                } } }
            },
        )
    }
}

/// Whether a version is stronger than the one before, and by how much.
fn answer(step: &VersionStep) -> String {
    let VersionStep { version, before, .. } = step;
    let Some(gain) = step.gain else {
        return format!(
            "Not known yet: versions {before} and {version} need 20 games each, against opponents \
             who have met each other."
        );
    };
    let interval = verdict::shown(gain, "Elo");
    if gain.low > 0.0 {
        format!("Yes, it is stronger than version {before}: {interval}.")
    } else if gain.high < 0.0 {
        format!("No, it is weaker than version {before}: {interval}.")
    } else {
        format!("Not certain: compared with version {before}, {interval}.")
    }
}

/// How many more games make the rating of a version as certain as ratings of a league become; `None`
/// if it is.
fn outlook(version: u32, games: u32, margin: f64) -> Option<String> {
    let more = f64::from(games) * ((margin / SETTLED).powi(2) - 1.0);
    (more >= 1.0).then(|| {
        format!(
            "The rating of version {version} is known to within ±{} Elo; about {} more games would \
             narrow that to ±{}.",
            elo(margin),
            two_digits(more),
            elo(SETTLED)
        )
    })
}

/// A table whose rows become blocks where the screen is narrow, each cell with its label.
pub(super) fn stacking(label: &str, content: &Markup) -> Markup {
    html! { table.stacking aria-label=(label) { (content) } }
}

fn with_margin(rating: Option<Estimate>) -> String {
    or_dash(rating.map(|rating| format!("{} ±{}", elo(rating.value), elo(rating.margin()))))
}

/// The link to a game. One that ended in a fault opens there.
fn watch(game: &ListedGame) -> Markup {
    let fault = FaultCode::named(&game.reason);
    html! {
        a href={ "/#game=" (game.id) @if fault.is_some() { "&ply=" (game.plies) } } { "watch" }
    }
}

/// Where a game turned, with a link to the position in which the player decided. An empty cell has no
/// label where rows are blocks.
fn turned(game: &ListedGame) -> Markup {
    let Some(at) = &game.turned else { return html! { td {} } };
    html! { td data-label="Turned at" {
        span {
            a href={ "/#game=" (game.id) "&ply=" (at.ply.saturating_sub(1)) } { "ply " (at.ply) }
            ": " (shown(&at.better))
        }
    } }
}

fn result(result: GameResult) -> &'static str {
    match result {
        GameResult::Won => "won",
        GameResult::Drawn => "drawn",
        GameResult::Lost => "lost",
    }
}

fn state(left: Option<LeavingReason>) -> &'static str {
    match left {
        None => "playing",
        Some(LeavingReason::Replaced) => "replaced",
        Some(LeavingReason::Removed) => "removed by the organiser",
        Some(LeavingReason::Lost) => "its files were lost",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{HOSTILE, refuse_markup};
    use super::*;
    use crate::standings::tests::standings;
    use referee_tournament::analysis::results::examples::results;

    #[test]
    fn a_version_helped_if_its_gain_is_certain() {
        let said = |gain: Option<[f64; 3]>| {
            let gain = gain.map(|[low, value, high]| Estimate { value, low, high });
            answer(&VersionStep { version: 2, before: 1, gain, opponents: Vec::new() })
        };
        for (gain, sentence) in [
            (Some([5.0, 40.0, 75.0]), "Yes, it is stronger than version 1: +40 Elo (5 … 75)."),
            (Some([-75.0, -40.0, -5.0]), "No, it is weaker than version 1: -40 Elo (-75 … -5)."),
            (Some([-5.0, 10.0, 25.0]), "Not certain: compared with version 1, +10 Elo (-5 … 25)."),
        ] {
            assert_eq!(said(gain), sentence);
        }
        assert!(said(None).starts_with("Not known yet: versions 1 and 2 need 20 games each"));
    }

    #[test]
    fn four_times_as_many_games_halve_the_margin() {
        let told = "The rating of version 3 is known to within ±100 Elo; about 120 more games \
                    would narrow that to ±50.";
        assert_eq!(outlook(3, 40, 100.0).as_deref(), Some(told));
        assert_eq!(outlook(3, 200, 49.0), None);
        assert_eq!(outlook(3, 0, 400.0), None);
    }

    #[test]
    fn nothing_that_others_wrote_is_markup() {
        let standings = standings(&results(&["ann v1", "bob v1"], &[(0, 1, "white")]));
        let version = AuthorVersion {
            number: 1,
            shown: "ann v1",
            entered: "today".to_owned(),
            left: Some(LeavingReason::Replaced),
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
