//! The versions of an author: a table, the step between the last two, and the rating over time.

use maud::{Markup, PreEscaped, html};

use super::super::super::{format_percent, page_player_name, page_text_or_dash};
use super::{AuthorPage, render_stacking_table};
use crate::StandingsRow;
use crate::charts::{IntervalRow, IntervalScale, interval_chart};
use crate::match_verdict::format_verdict_interval;
use crate::number_format::{format_elo, round_to_two_digits};
use referee_ratings::{Estimate, Outcomes};
use referee_record::model::league_entry::LeavingReason;
use referee_record::model::player_spec::Out;
use referee_record::wording::pluralize;

/// About the margin of a rating in Elo with which a league is content.
const SETTLED: f64 = 50.0;

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
    /// Why it is out, if it is: then it does not play, even if it has not left.
    pub out: Option<Out>,
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

impl AuthorPage<'_> {
    pub(super) fn version_table(&self) -> Markup {
        if self.versions.is_empty() {
            return html! { p { "No version has entered yet." } };
        }
        html! {
            (render_stacking_table("Your versions", &html! {
                thead { tr {
                    th { "Version" } th { "Shown as" } th { "Entered" } th { "State" }
                    th.n { "Place" } th.n { "Elo" } th.n { "Gain" } th.n { "Games" } th.n { "W" }
                    th.n { "D" } th.n { "L" } th.n { "Faults" } th { "Files" }
                } }
                tbody { @for version in self.versions { (self.render_version_row(version)) } }
            }))
            @if let Some(outlook) = self.version_rating_outlook() { p { (outlook) } }
            p.hint {
                "A packet has a version's games, its faults and the messages before the first \
                 fault. "
                "Opponents have pseudonyms in it."
            }
        }
    }

    /// How well the rating of the version that plays is known.
    fn version_rating_outlook(&self) -> Option<String> {
        let version = self.versions.iter().find(|version| version.left.is_none())?;
        let row = self.standings.rows.iter().find(|row| row.player == version.shown)?;
        describe_version_outlook(version.number, row.games, row.shown_rating()?.margin())
    }

    fn render_version_row(&self, version: &AuthorVersion<'_>) -> Markup {
        let row = self.standings.rows.iter().find(|row| row.player == version.shown);
        let place = row.and_then(|row| self.standings.shared_rank(row).ok());
        let count = |of: fn(&StandingsRow) -> u32| page_text_or_dash(row.map(of));
        let folder = format!("/author/versions/{}", version.number);
        html! { tr {
            th scope="row" { (version.number) }
            td data-label="Shown as" { (page_player_name(version.shown)) }
            td data-label="Entered" { (version.entered) }
            td data-label="State" { (describe_version_state(version.left, version.out)) }
            td.n data-label="Place" { (page_text_or_dash(place.map(|rank| rank.place))) }
            td.n data-label="Elo" { (format_version_rating(row.and_then(StandingsRow::shown_rating))) }
            td.n data-label="Gain" { (format_version_rating(row.and_then(StandingsRow::gain))) }
            td.n data-label="Games" { (count(|row| row.outcomes.games())) }
            td.n data-label="Won" { (count(|row| row.outcomes.wins)) }
            td.n data-label="Drawn" { (count(|row| row.outcomes.draws)) }
            td.n data-label="Lost" { (count(|row| row.outcomes.losses)) }
            td.n data-label="Faults" { (count(StandingsRow::fault_total)) }
            td data-label="Files" { span {
                a href={ (folder) "/" } { "games and faults" } ", "
                a href={ (folder) "/packet.zip" } download { "packet" }
                @if version.is_kept { ", " a href={ (folder) "/player.zip" } download { "player" } }
            } }
        } }
    }

    pub(super) fn version_step_table(step: &VersionStep) -> Markup {
        let [before, after] = [step.before, step.version].map(|number| format!("Version {number}"));
        let score = |of: Outcomes| format_percent(of.score().value(), f64::from(of.games()));
        let games = |of: Outcomes| pluralize(of.games(), "game");
        html! {
            p { (describe_version_step(step)) }
            @if !step.opponents.is_empty() {
                p.hint { "Scores against opponents that both have met, biggest changes first." }
                (render_stacking_table("The last two versions", &html! {
                    thead { tr { th { "Opponent" } th.n { (before) } th.n { (after) } } }
                    tbody { @for one in &step.opponents { tr {
                        th scope="row" { (page_player_name(&one.name)) }
                        td.n data-label=(before) { (score(one.before)) " of " (games(one.before)) }
                        td.n data-label=(after) { (score(one.after)) " of " (games(one.after)) }
                    } } }
                }))
            }
        }
    }

    pub(super) fn version_rating_chart(&self) -> Markup {
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
                (PreEscaped(interval_chart(&rows, IntervalScale::Elo, "Your rating over time")))
                figcaption { (caption) }
                details.table { summary { "Show as table" }
                (render_stacking_table("Your rating over time", &html! {
                    thead { tr { th { "Time" } th.n { "Version" } th.n { "Elo" } } }
                    tbody { @for one in self.ratings { tr {
                        th scope="row" { (one.when) }
                        td.n data-label="Version" { (one.version) }
                        td.n data-label="Elo" { (format_version_rating(Some(one.rating))) }
                    } } }
                })) }
            }
        }
    }
}

/// Whether a version is stronger than the one before, and by how much.
fn describe_version_step(step: &VersionStep) -> String {
    let VersionStep { version, before, .. } = step;
    let Some(gain) = step.gain else {
        return format!(
            "Not known yet: versions {before} and {version} need 20 games each, against opponents \
             who have met each other."
        );
    };
    let interval = format_verdict_interval(gain, "Elo");
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
fn describe_version_outlook(version: u32, games: u32, margin: f64) -> Option<String> {
    let more = f64::from(games) * ((margin / SETTLED).powi(2) - 1.0);
    (more >= 1.0).then(|| {
        format!(
            "The rating of version {version} is known to within ±{} Elo; about {} more games would \
             narrow that to ±{}.",
            format_elo(margin),
            round_to_two_digits(more),
            format_elo(SETTLED)
        )
    })
}

fn format_version_rating(rating: Option<Estimate>) -> String {
    page_text_or_dash(
        rating
            .map(|rating| format!("{} ±{}", format_elo(rating.value), format_elo(rating.margin()))),
    )
}

fn describe_version_state(left: Option<LeavingReason>, out: Option<Out>) -> &'static str {
    match (left, out) {
        (Some(LeavingReason::Replaced), _) => "replaced",
        (Some(LeavingReason::Removed), _) => "removed by the organiser",
        (Some(LeavingReason::Lost), _) => "its files were lost",
        (None, None) => "playing",
        (None, Some(Out::Quarantined)) => "quarantined for faults: hand in a new version",
        (None, Some(Out::Unchecked)) => "failed the check: hand in a new version",
        (None, Some(Out::Disqualified)) => "disqualified",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_helped_if_its_gain_is_certain() {
        let said = |gain: Option<[f64; 3]>| {
            let gain = gain.map(|[low, value, high]| Estimate { value, low, high });
            describe_version_step(&VersionStep {
                version: 2,
                before: 1,
                gain,
                opponents: Vec::new(),
            })
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
    fn a_version_that_is_out_does_not_play() {
        assert_eq!(describe_version_state(None, None), "playing");
        let told = "quarantined for faults: hand in a new version";
        assert_eq!(describe_version_state(None, Some(Out::Quarantined)), told);
        // Its author has done that.
        assert_eq!(
            describe_version_state(Some(LeavingReason::Replaced), Some(Out::Quarantined)),
            "replaced"
        );
    }

    #[test]
    fn four_times_as_many_games_halve_the_margin() {
        let told = "The rating of version 3 is known to within ±100 Elo; about 120 more games \
                    would narrow that to ±50.";
        assert_eq!(describe_version_outlook(3, 40, 100.0).as_deref(), Some(told));
        assert_eq!(describe_version_outlook(3, 200, 49.0), None);
        assert_eq!(describe_version_outlook(3, 0, 400.0), None);
    }
}
