//! The ranking on a terminal: an aligned table and a few notes under it.

use unicode_width::UnicodeWidthStr;

use super::number_format::format_whole_number;
use super::standings_columns::{people_standings_columns, rating_margin_column};
use super::standings_notes::render_standings_notes;
use super::text_columns::{Align, Keep, TextColumn, TextColumnCell, lay_out_columns};
use super::{Standings, StandingsRow};
use crate::colour::{Colour, ColouredText};
use referee_protocol::escape::escape_line;

/// The ranking as text, in lines of at most `width` columns if possible, without a trailing
/// newline. It shows all players; names are escaped.
pub fn render_terminal_ranking(
    standings: &Standings,
    width: usize,
    colour: Colour,
) -> ColouredText {
    let mut lines = lay_out_columns(&people_standings_columns(standings), width, colour);
    lines.push(ColouredText::default());
    lines.push(render_standings_notes(standings, width).into());
    ColouredText::join(lines, "\n")
}

/// The ratings after each tournament, one row per player in the order of the last ranking: a table
/// in lines of at most `width` columns if possible. Without room for all, it leaves out the first
/// tournaments.
pub fn render_terminal_ranking_history(
    steps: &[(&str, Standings)],
    width: usize,
    colour: Colour,
) -> ColouredText {
    let Some((_, last)) = steps.last() else { return ColouredText::default() };
    let name = |row: &StandingsRow| TextColumnCell::plain(escape_line(&row.player));
    let players = TextColumn {
        heading: "player".to_owned(),
        keep: Keep::Cut,
        align: Align::Left,
        cells: last.rows.iter().map(name).collect(),
    };
    let ratings = steps.iter().map(|(name, step)| terminal_ratings_column(name, step, &last.rows));
    let mut columns: Vec<TextColumn> = std::iter::once(players).chain(ratings).collect();
    for (rank, column) in (0..u8::MAX).zip(&mut columns[1..steps.len()]) {
        column.keep = Keep::Rank(rank);
    }
    let title = ColouredText::plain("Ratings after each tournament:");
    let table = lay_out_columns(&columns, width, colour);
    ColouredText::join(std::iter::once(title).chain(table), "\n")
}

/// The ratings and their margins after the tournament called `name`, for the players of these rows.
fn terminal_ratings_column(name: &str, step: &Standings, rows: &[StandingsRow]) -> TextColumn {
    let rating = |row: &StandingsRow| {
        let found = step.rows.iter().find(|other| other.player == row.player)?;
        found
            .shown_rating()
            .map(|rating| (format_whole_number(rating.value), rating_margin_column(rating)))
    };
    let ratings: Vec<Option<(String, String)>> = rows.iter().map(rating).collect();
    let margins = ratings.iter().flatten().map(|(_, margin)| margin.width());
    let widest = margins.max().unwrap_or(0);
    let cell = |rating: Option<(String, String)>| {
        TextColumnCell::or_dash(rating.map(|(value, margin)| format!("{value} {margin:>widest$}")))
    };
    TextColumn {
        heading: escape_line(name),
        keep: Keep::Always,
        align: Align::Right,
        cells: ratings.into_iter().map(cell).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::standings::tests::{evaluation, standings};
    use super::*;
    use referee_record::model::fault::FaultCode;
    use referee_record::model::record::Anchor;
    use referee_record::model::record::examples::{distinct, faulty, game};
    use referee_tournament::analysis::TournamentEvaluation;
    use referee_tournament::analysis::named_results::NamedResults;
    use referee_tournament::analysis::named_results::examples::results;

    fn example() -> NamedResults {
        let mut games = vec![(0, 1, "white"); 6];
        games.extend([(1, 0, "black"), (1, 0, "draw"), (2, 1, "draw"), (0, 2, "white")]);
        let mut results = results(&["greedy", "象棋 bot", "chatty"], &games);
        let malformed = [("black", FaultCode::Malformed)];
        for number in 100..102 {
            let game = faulty(game("greedy", "chatty", "white"), &malformed);
            results.add(&distinct(game, number)).expect("known players");
        }
        results
    }

    #[test]
    fn the_table_is_aligned_whatever_the_names_width() {
        let text = render_terminal_ranking(&standings(&example()), 100, Colour::Plain);
        let expected = "\
#  player    rating  ±95%  ranks  games  score     %   W  D  L  faults
1  greedy       341  ±284    1–2     11   10.5  95.5  10  1  0       0
2  象棋 bot    -136  ±202    2–3      9      1  11.1   0  2  7       0
3  chatty      -204  ±289    2–3      4    0.5  12.5   0  1  3       2

12 of 12 games played.
First seat: 88 ±183 Elo. Draws: 2 of 12 games (16.7%).
2 faults: chatty 2 malformed.
Too close to call (likelihood that the first is better, and about how many more games would tell):
象棋 bot and chatty (63%, 56).";
        let widths: Vec<usize> = text.lines().take(4).map(UnicodeWidthStr::width).collect();
        assert_eq!(widths, [widths[0]; 4], "{text}");
        assert_eq!(text, expected);
    }

    #[test]
    fn the_history_is_aligned_and_ends_with_the_last_tournament() {
        let spring = standings(&results(&["greedy", "bee"], &[(0, 1, "white")]));
        let names = ["spring", "an autumn with a long name", "象棋"];
        let steps = names.map(|name| (name, standings(&example())));
        let [.., autumn, winter] = &steps;
        let steps = [(names[0], spring), autumn.clone(), winter.clone()];
        let expected = "\
Ratings after each tournament:
player      spring  an autumn with a long name       象棋
greedy    270 ±532                    341 ±284   341 ±284
象棋 bot         –                   -136 ±202  -136 ±202
chatty           –                   -204 ±289  -204 ±289";
        assert_eq!(render_terminal_ranking_history(&steps, 80, Colour::Plain), expected);
        let narrow = render_terminal_ranking_history(&steps, 50, Colour::Plain);
        let title = "Ratings after each tournament:\nplayer    an autumn";
        assert!(narrow.starts_with(title), "{narrow}");
        let narrowest = render_terminal_ranking_history(&steps, 20, Colour::Plain);
        let title = "Ratings after each tournament:\nplayer         象棋\n";
        assert!(narrowest.starts_with(title), "{narrowest}");
    }

    #[test]
    fn an_anchor_has_a_fixed_rating() {
        let results = example();
        let anchor = Anchor { player: "greedy".to_owned(), rating: 1500.0 };
        let summary = evaluation(&results).summary;
        let evaluated = TournamentEvaluation::new(results, &[anchor], &[None; 3], summary);
        let text = render_terminal_ranking(
            &Standings::new(&evaluated.expect("ratings")),
            100,
            Colour::Plain,
        );
        let row = text.lines().find(|line| line.contains("greedy")).expect("a row");
        let cells: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(cells[1..4], ["greedy", "1500", "fixed"]);
    }

    #[test]
    fn narrow_terminals_keep_the_important_columns() {
        for width in [20, 25, 30, 40, 50, 60] {
            let text = render_terminal_ranking(&standings(&example()), width, Colour::Plain);
            assert!(text.lines().all(|line| line.width() <= width), "{width}:\n{text}");
            assert!(text.contains("rating"));
        }
    }

    #[test]
    fn long_names_are_cut_before_columns_are_dropped() {
        let long = "a".repeat(300);
        let text =
            render_terminal_ranking(&standings(&results(&[&long, "bee"], &[])), 80, Colour::Plain);
        assert!(text.contains("a…") && text.contains("faults") && text.contains("No games yet."));
        assert!(text.lines().all(|line| line.width() <= 80));
    }

    #[test]
    fn names_cannot_command_the_terminal() {
        let standings = standings(&results(&["\x1b[2J\u{202e}", "bee"], &[(0, 1, "draw")]));
        let text = render_terminal_ranking(&standings, 100, Colour::Plain);
        assert!(text.contains(r"\u{1b}[2J\u{202e}"), "{text}");
        assert!(!text.contains('\x1b'));
    }

    #[test]
    fn only_faults_and_the_heading_are_coloured() {
        let standings = standings(&example());
        let text = render_terminal_ranking(&standings, 100, Colour::Ansi);
        assert_eq!(text.matches("\x1b[31m").count(), 1, "{text}");
        let bare = text.replace("\x1b[31m", "").replace("\x1b[1m", "").replace("\x1b[0m", "");
        assert_eq!(bare, *render_terminal_ranking(&standings, 100, Colour::Plain));
    }

    #[test]
    fn all_of_two_hundred_players_are_shown() {
        let names: Vec<String> = (0..200).map(|n| format!("p{n:03}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = render_terminal_ranking(
            &standings(&results(&names, &[(0, 1, "white")])),
            80,
            Colour::Plain,
        );
        assert!(names.iter().all(|name| text.contains(name)));
    }
}
