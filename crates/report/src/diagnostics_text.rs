//! The diagnostics shown under the ranking on a terminal.

use std::fmt::Display;

use super::number_format::{
    format_large_number, format_margin, format_mean_nanoseconds, format_nanoseconds,
    format_whole_number,
};
use super::text_columns::{Align, Keep, TextColumn, TextColumnCell, lay_out_columns};
use crate::colour::{Colour, ColouredText};
use crate::standings::SeatStandings;
use referee_protocol::escape::escape_line;
use referee_record::wording::join_with_and;
use referee_tournament::analysis::diagnostics::clock_use::ClockUse;
use referee_tournament::analysis::diagnostics::copies::describe_copies;
use referee_tournament::analysis::diagnostics::look_alikes::LookAlikes;
use referee_tournament::analysis::diagnostics::search_use::SearchUse;
use referee_tournament::analysis::diagnostics::warning_counts::WarningCount;
use referee_tournament::analysis::diagnostics::{Diagnostics, EndingCount};

/// The diagnostics as text and tables, without a trailing newline, under standings with these
/// `seats`.
pub fn render_diagnostics(
    found: &Diagnostics,
    seats: Option<&SeatStandings>,
    width: usize,
    colour: Colour,
) -> ColouredText {
    // If there are more than two, the notes of the standings say this of each.
    let mut lines = if seats.is_none() { describe_pair_diagnostics(found) } else { Vec::new() };
    let mut part = |columns: Vec<TextColumn>| {
        if !lines.is_empty() {
            lines.push(ColouredText::default());
        }
        lines.extend(lay_out_columns(&columns, width, colour));
    };
    if !found.endings.is_empty() {
        part(ending_diagnostics_columns(&found.endings));
    }
    if !found.clocks.is_empty() {
        part(clock_diagnostics_columns(&found.clocks));
    }
    if !found.searches.is_empty() {
        part(search_diagnostics_columns(&found.searches));
    }
    if !found.warnings.is_empty() {
        part(warning_diagnostics_columns(&found.warnings));
    }
    if !lines.is_empty() {
        lines.push(ColouredText::default());
    }
    lines.extend(describe_diagnostics_oddities(found).into_iter().map(ColouredText::from));
    ColouredText::join(lines, "\n")
}

/// What is worth knowing about the seats and the pairs of games of two.
fn describe_pair_diagnostics(found: &Diagnostics) -> Vec<ColouredText> {
    let first_seat = format!(
        "First seat: {} {} Elo; same advantage for all players: p = {:.3}.",
        format_whole_number(found.first_advantage.value),
        format_margin(found.first_advantage.margin()),
        found.seat_effects_p
    );
    let draws = format!(
        "Draws: {:.1}% of the games, {:.1}% among equals. Correlation within pairs: {:+.2}.",
        100.0 * found.draw_share,
        100.0 * found.draw_rate,
        found.pair_correlation + 0.0
    );
    vec![first_seat.into(), draws.into()]
}

fn ending_diagnostics_columns(endings: &[EndingCount]) -> Vec<TextColumn> {
    let total: u32 = endings.iter().map(|ending| ending.games).sum();
    let share = |ending: &EndingCount| 100.0 * f64::from(ending.games) / f64::from(total.max(1));
    let reason = |ending: &EndingCount| {
        let reason = escape_line(&ending.reason);
        if ending.fault { TextColumnCell::bad(reason) } else { TextColumnCell::plain(reason) }
    };
    vec![
        TextColumn {
            heading: "decided by".to_owned(),
            keep: Keep::Always,
            align: Align::Left,
            cells: endings.iter().map(reason).collect(),
        },
        diagnostics_number_column("games", endings, Keep::Always, |ending| ending.games),
        diagnostics_number_column("%", endings, Keep::Always, |ending| {
            format!("{:.1}", share(ending))
        }),
    ]
}

fn clock_diagnostics_columns(clocks: &[ClockUse]) -> Vec<TextColumn> {
    vec![
        diagnostics_name_column("time per move", clocks, |clock| clock.player.clone()),
        diagnostics_number_column("moves", clocks, Keep::Rank(0), |clock| clock.turns),
        diagnostics_number_column("median", clocks, Keep::Always, |clock| {
            format_nanoseconds(clock.median_ns)
        }),
        diagnostics_number_column("95%", clocks, Keep::Always, |clock| {
            format_nanoseconds(clock.p95_ns)
        }),
        diagnostics_number_column("longest", clocks, Keep::Always, |clock| {
            format_nanoseconds(clock.max_ns)
        }),
    ]
}

fn search_diagnostics_columns(searches: &[SearchUse]) -> Vec<TextColumn> {
    let mean = |heading, value: fn(&SearchUse) -> Option<f64>, show: fn(f64) -> String| {
        diagnostics_number_column(heading, searches, Keep::Always, |search| {
            value(search).map(show).unwrap_or_default()
        })
    };
    vec![
        diagnostics_name_column("means per move", searches, |search| search.player.clone()),
        diagnostics_number_column("moves", searches, Keep::Rank(0), |search| search.moves),
        mean("depth", |search| search.depth, |depth| format!("{depth:.1}")),
        mean("nodes", |search| search.nodes, format_large_number),
        mean("nodes/s", |search| search.nps, format_large_number),
        mean("time", |search| search.time_ns, format_mean_nanoseconds),
        mean("latency", |search| search.latency_ns, format_mean_nanoseconds),
    ]
}

fn warning_diagnostics_columns(warnings: &[WarningCount]) -> Vec<TextColumn> {
    vec![
        diagnostics_name_column("warnings", warnings, |count| {
            format!("{} {}", count.player, count.warning)
        }),
        diagnostics_number_column("games", warnings, Keep::Always, |count| count.games),
        diagnostics_number_column("first", warnings, Keep::Always, |count| {
            escape_line(&count.first)
        }),
    ]
}

/// A column of names, which are cut if the table is too wide.
fn diagnostics_name_column<T>(
    heading: &str,
    rows: &[T],
    name: impl Fn(&T) -> String,
) -> TextColumn {
    let shown = diagnostics_number_column(heading, rows, Keep::Cut, |row| escape_line(&name(row)));
    TextColumn { align: Align::Left, ..shown }
}

/// A column of numbers.
fn diagnostics_number_column<T, D: Display>(
    heading: &str,
    rows: &[T],
    keep: Keep,
    cell: impl Fn(&T) -> D,
) -> TextColumn {
    let cells = rows.iter().map(|row| TextColumnCell::plain(cell(row))).collect();
    TextColumn { heading: heading.to_owned(), keep, align: Align::Right, cells }
}

/// The notable findings, or a line that says that there are none.
fn describe_diagnostics_oddities(found: &Diagnostics) -> Vec<String> {
    let name = |text: &str| escape_line(text);
    let unexplained = found.unexplained.iter().map(|odd| {
        format!(
            "The ratings do not explain the results of {} (p = {:.2e}): {:+.1} standard errors \
             against {}, {:+.1} against {}.",
            name(&odd.player),
            odd.p_value,
            odd.best_deviation,
            name(&odd.best_against),
            odd.worst_deviation,
            name(&odd.worst_against)
        )
    });
    let cycles = found.cycles.iter().map(|cycle| {
        let [one, two, three] = cycle.players.each_ref().map(|player| name(player));
        format!("{one} beats {two}, {two} beats {three}, {three} beats {one}.")
    });
    let lines: Vec<String> = describe_diagnosed_look_alikes(found)
        .into_iter()
        .chain(unexplained)
        .chain(cycles)
        .collect();
    if lines.is_empty() {
        return vec![
            "Nothing unusual: the ratings explain the results, no three players beat each other \
             in a cycle, and no two play alike."
                .to_owned(),
        ];
    }
    lines
}

/// A line for each cluster of players that are the same or decide alike, and one for those that
/// play the first legal action. What an earlier line explains has none.
pub(super) fn describe_diagnosed_look_alikes(found: &Diagnostics) -> Vec<String> {
    let copies = found.copies.iter().map(|names| describe_copies(names));
    let trivial: Vec<&str> = found.first_legal.iter().map(|first| &*first.player).collect();
    let shares = found.first_legal.iter().map(|first| first.share);
    let first_legal = shares.min_by(f64::total_cmp).map(|least| {
        let each = if trivial.len() == 1 { "plays" } else { "each play" };
        let of_positions = found.first_legal.iter().map(|first| first.positions).min();
        let positions = of_positions.unwrap_or_default();
        format!(
            "{} {each} the first legal action, in at least {:.0}% of at least {positions} \
             positions with a choice.",
            join_with_and(&trivial),
            (100.0 * least).floor(),
        )
    });
    let is_explained = |players: &[String]| {
        let are_in = |names: &[String]| players.iter().all(|player| names.contains(player));
        found.copies.iter().any(|names| are_in(names))
            || players.iter().all(|player| trivial.contains(&&**player))
    };
    let alike = found.look_alikes.iter().filter(|alike| !is_explained(&alike.players));
    copies.chain(first_legal).chain(alike.map(describe_look_alike_cluster)).collect()
}

fn describe_look_alike_cluster(cluster: &LookAlikes) -> String {
    let LookAlikes { players, positions, share, share_with_others } = cluster;
    let least = if players.len() == 2 { "" } else { "at least " };
    let others = share_with_others
        .map_or(String::new(), |share| format!(" ({:.0}% with others)", 100.0 * share));
    format!(
        "{} made the same choice in {least}{:.0}% of {least}{positions} common positions{others}: \
         worth a look, but not proof.",
        join_with_and(players),
        (100.0 * share).floor(),
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use referee_ratings::Estimate;
    use referee_tournament::analysis::diagnostics::PlayerCycle;
    use referee_tournament::analysis::diagnostics::look_alikes::FirstLegal;

    fn found() -> Diagnostics {
        let names = ["ant", "bee", "cat"].map(str::to_owned);
        Diagnostics {
            first_advantage: Estimate { value: 12.0, low: 2.0, high: 22.0 },
            seat_effects_p: 0.4,
            draw_share: 0.25,
            draw_rate: 0.2,
            pair_correlation: -0.1,
            endings: vec![
                EndingCount { reason: "elimination".into(), fault: false, games: 3 },
                EndingCount { reason: "crash".into(), fault: true, games: 1 },
            ],
            faults: BTreeMap::new(),
            clocks: vec![ClockUse {
                player: "ant".into(),
                turns: 7,
                median_ns: 1_250_000,
                p95_ns: 33_000_000,
                max_ns: 1_500_000_000,
            }],
            searches: vec![SearchUse {
                player: "ant".into(),
                moves: 6,
                depth: Some(12.34),
                nodes: Some(45_678.0),
                nps: Some(1_234_567.0),
                time_ns: Some(37e6),
                latency_ns: Some(-1.5e5),
            }],
            warnings: vec![WarningCount {
                player: "ant".into(),
                warning: "reported a wrong main line at ply 4: its move 1, `e2e5`, is not legal"
                    .into(),
                first: "526a-1".into(),
                games: 12,
            }],
            pairs: 2,
            unexplained: Vec::new(),
            cycles: vec![PlayerCycle { players: names, p_value: 0.01 }],
            copies: vec![vec!["ant".into(), "bee".into()]],
            look_alikes: Vec::new(),
            first_legal: Vec::new(),
            workers: None,
        }
    }

    #[test]
    fn all_findings_are_shown() {
        let expected = "\
First seat: 12 ±10 Elo; same advantage for all players: p = 0.400.
Draws: 25.0% of the games, 20.0% among equals. Correlation within pairs: -0.10.

decided by   games     %
elimination      3  75.0
crash            1  25.0

time per move  moves  median    95%  longest
ant                7  1.2 ms  33 ms    1.5 s

means per move  moves  depth  nodes  nodes/s   time  latency
ant                 6   12.3   46 k    1.2 M  37 ms  -150 µs

warnings                                                                   games   first
ant reported a wrong main line at ply 4: its move 1, `e2e5`, is not legal     12  526a-1

ant and bee are the same player: the same command with the same files.
ant beats bee, bee beats cat, cat beats ant.";
        assert_eq!(render_diagnostics(&found(), None, 100, Colour::Plain), expected);
    }

    #[test]
    fn the_absence_of_findings_is_shown() {
        let found = Diagnostics { cycles: Vec::new(), copies: Vec::new(), ..found() };
        let text = render_diagnostics(&found, None, 100, Colour::Plain);
        assert!(text.contains("Nothing unusual"), "{text}");
    }

    #[test]
    fn a_cluster_is_one_line_and_an_explained_one_none() {
        let cluster = |players: &[&str], share_with_others| LookAlikes {
            players: players.iter().map(|&player| player.to_owned()).collect(),
            positions: 31,
            share: 0.876,
            share_with_others,
        };
        let first = |player: &str, positions, share| FirstLegal {
            player: player.to_owned(),
            positions,
            share,
        };
        let found = Diagnostics {
            look_alikes: vec![
                cluster(&["ant", "bee"], None),
                cluster(&["dog", "elk", "fox"], Some(0.3)),
                cluster(&["bee", "cat"], None),
                cluster(&["gnu", "hen"], None),
            ],
            first_legal: vec![first("gnu", 40, 1.0), first("hen", 25, 0.999)],
            ..found()
        };
        let expected = [
            "ant and bee are the same player: the same command with the same files.",
            "gnu and hen each play the first legal action, in at least 99% of at least 25 \
             positions with a choice.",
            "dog, elk and fox made the same choice in at least 87% of at least 31 common \
             positions (30% with others): worth a look, but not proof.",
            "bee and cat made the same choice in 87% of 31 common positions: worth a look, but not \
             proof.",
        ];
        assert_eq!(describe_diagnosed_look_alikes(&found), expected);
        assert!(found.are_alike("fox", "dog") && found.are_alike("ant", "bee"));
        assert!(!found.are_alike("ant", "cat") && !found.are_alike("ant", "unknown"));
    }
}
