//! Ratings over time.

use maud::{Markup, html};

use super::{PageData, format_elo, page_player_name, render_page_figure};
use crate::StandingsRow;
use crate::charts::{ChartLine, SERIES, render_line_chart};
use referee_protocol::escape::escape_line;

pub(super) fn render_ratings_over_time(material: &PageData<'_>) -> Markup {
    let points = &material.summary.history.points;
    if points.len() < 2 {
        return html! { p { "Nothing to show until a few games have been played." } };
    }
    let rows = material.standings.rows.iter();
    let rows: Vec<&StandingsRow> = rows.filter(|row| row.shown_rating().is_some()).collect();
    #[expect(clippy::cast_precision_loss, reason = "games are counted, not measured")]
    let line = |number: usize, player: &str| ChartLine {
        label: escape_line(player),
        points: points
            .iter()
            .filter_map(|point| Some((point.games as f64, point.ratings[number]?.value)))
            .collect(),
    };
    let all = rows.iter().map(|row| line(row.number, &row.player));
    let drawn: Vec<ChartLine> = all.filter(|line| line.points.len() > 1).collect();
    let chart =
        render_line_chart(&drawn, "games, in the order in which they ended", "Ratings over time");
    let rest = drawn.len().saturating_sub(SERIES);
    let caption = if rest == 0 {
        "Elo, each point fitted to the games so far.".to_owned()
    } else {
        format!(
            "Elo, each point fitted to the games so far. The first {SERIES} players are labelled; \
                 grey lines show the other {rest}."
        )
    };
    let table = html! {
        table {
            thead { tr {
                th scope="col" { "Player" }
                @for point in points { th.n scope="col" { (point.games) } }
            } }
            tbody { @for row in &rows { tr {
                th scope="row" { (page_player_name(&row.player)) }
                @for point in points { td.n { (point.ratings[row.number].map_or("–".into(), |it| format_elo(it.value))) } }
            } } }
        }
    };
    render_page_figure(&chart, &caption, &table)
}
