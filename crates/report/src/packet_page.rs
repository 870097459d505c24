//! The page of a single player: its own games and faults, and nothing about anyone else's.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::charts::{ChartLine, render_line_chart};
use super::number_format::{format_elo, format_nanoseconds, format_percent};
use super::page::page_template::{PageKind, PageSection, PageTemplate, escape_template_json};
use super::page::{render_fault_case, render_page_figure, render_scrolling_table};
use super::replay_renderer::ReplayRenderer;
use super::unranked::describe_unranked;
use super::{Standings, StandingsRow};
use referee_games::Seat;
use referee_match::replay::frames::describe_game_end;
use referee_protocol::escape::escape_line;
use referee_protocol::path_shortener::shorten_paths;
use referee_ratings::{Outcomes, Rank};
use referee_record::model::plies::Plies;
use referee_record::model::record::{GameRecord, Header};
use referee_record::shell::quote_for_shell;
use referee_record::wording::pluralize;
use referee_tournament::analysis::fault_cases::FaultCase;
use referee_tournament::analysis::named_results::NamedResults;

/// Everything about one player.
#[derive(Debug)]
pub struct PacketPage {
    /// The player's number in the results under pseudonyms.
    pub(crate) number: usize,
    /// The name.
    pub name: String,
    pub(crate) pseudonym: String,
    /// How its marks came about, as a sentence, if it has marks.
    pub marks: Option<String>,
    /// Its games as it may see them: id, ending and number of plies.
    games: Vec<(String, String, u32)>,
    /// Its faults, in the order of its games here.
    pub faults: Vec<FaultCase>,
    /// The number of its games that ended in a fault by the opponent.
    pub(crate) spared: usize,
    /// The transcript lines between referee and player before the first of these faults.
    pub exchange: Vec<String>,
    /// Replay frames to embed, as JSON.
    pub replays: Vec<String>,
    /// Statistics by turn number: how often the player was asked for its n-th move, and the total
    /// and the longest time, in nanoseconds.
    turns: Vec<(u64, u64, u64)>,
}

impl PacketPage {
    /// An empty packet.
    pub fn new(number: usize, name: String, pseudonym: String) -> Self {
        Self {
            number,
            name,
            pseudonym,
            marks: None,
            games: Vec::new(),
            faults: Vec::new(),
            spared: 0,
            exchange: Vec::new(),
            replays: Vec::new(),
            turns: Vec::new(),
        }
    }

    /// Adds a game of the player that does not count: it is only listed.
    pub(crate) fn add_uncounted(&mut self, seen: &GameRecord) {
        self.list_game(seen, "; it does not count, because one of the players was out");
    }

    /// Lists a game, with a remark on its ending.
    fn list_game(&mut self, seen: &GameRecord, remark: &str) {
        let end = describe_game_end(seen);
        self.games.push((seen.id.clone(), end + remark, seen.plies));
    }

    /// Adds a game of the player at `seat`, as that player may see it.
    pub fn add_game(&mut self, seen: &GameRecord, seat: Seat) {
        self.list_game(seen, "");
        if let Some(fault) = seen.fault_of(seat) {
            self.faults.push(FaultCase::new(seen, seat, fault));
        } else if seen.fault.is_some() {
            self.spared += 1;
        }
        let used = &seen.clock.used_ns[seat];
        if self.turns.len() < used.len() {
            self.turns.resize(used.len(), (0, 0, 0));
        }
        for (turn, &ns) in self.turns.iter_mut().zip(used) {
            *turn = (turn.0 + 1, turn.1.saturating_add(ns), turn.2.max(ns));
        }
    }

    /// Renders the page.
    pub fn render(&self, header: &Header, standings: &Standings, results: &NamedResults) -> String {
        let row = standings.rows.iter().find(|row| row.number == self.number);
        let games = row.map_or(0, |row| row.games as usize);
        let sections = [
            PageSection::open(
                "results",
                "Results",
                html! {
                    @if let Some(marks) = &self.marks { p { (marks) } }
                    @if let Some(row) = row { (render_packet_scores(row, standings, results)) }
                },
            ),
            PageSection::open("faults", "Faults", self.render_faults(header.program.is_some())),
            PageSection::open("clock", "Clock", self.render_clock()),
            PageSection::open("games", "Games", render_packet_games(&self.games)),
        ];
        let lead = html! {
            " · " (pluralize(games, "game")) " · opponents have pseudonyms; yours is "
            strong { (self.pseudonym) }
        };
        render_packet_page_frame(header, &self.name, &lead, &sections, &self.replays)
    }

    /// The faults. If the rules `are_a_program`, commands need it too.
    fn render_faults(&self, are_a_program: bool) -> Markup {
        let Some((first, others)) = self.faults.split_first() else {
            return html! { p {
                "You committed no faults."
                @if self.spared > 0 {
                    " " (pluralize(self.spared, "game")) " ended in a fault by the opponent."
                }
            } };
        };
        html! {
            (render_fault_case(first, None))
            @let game = if are_a_program { " --game game.toml" } else { "" };
            @let called = format!("--seat {} --results .{game}", quote_for_shell(&first.seat));
            @let again = FaultCase { player: "PLAYER".to_owned(), ..first.clone() };
            p {
                @if are_a_program { "Copy the game's `game.toml` into this packet's folder. " }
                "To ask your player again, run this in this packet's folder:"
            }
            pre.command { code { (again.command(&called)) } }
            @if !self.exchange.is_empty() {
                details { summary { "The last lines before it" }
                    pre { @for line in &self.exchange { (escape_line(line)) "\n" } } }
            }
            @if !others.is_empty() {
                details { summary { (pluralize(others.len(), "more fault")) }
                    @for case in others { (render_fault_case(case, None)) } }
            }
        }
    }

    fn render_clock(&self) -> Markup {
        if self.turns.len() < 2 {
            return html! { p { "There were too few turns to show." } };
        }
        #[expect(clippy::cast_precision_loss, reason = "drawn to a pixel")]
        let line = |label: &str, ns: fn(&(u64, u64, u64)) -> u64| ChartLine {
            label: label.to_owned(),
            points: (1..)
                .zip(&self.turns)
                .map(|(n, turn)| (f64::from(n), ns(turn) as f64 / 1e3))
                .collect(),
        };
        let drawn = [line("longest", |turn| turn.2), line("mean", |turn| turn.1 / turn.0.max(1))];
        let chart =
            render_line_chart(&drawn, "your turn number", "Time used by turn, in microseconds");
        let table = html! {
            table {
                thead { tr { th.n { "Turn" } th.n { "Games" } th.n { "Mean" } th.n { "Longest" } } }
                tbody { @for (n, (games, sum, most)) in (1..).zip(&self.turns) { tr {
                    td.n { (n) } td.n { (games) } td.n { (format_nanoseconds(sum / games.max(&1))) }
                    td.n { (format_nanoseconds(*most)) }
                } } }
            }
        };
        render_page_figure(&chart, "Microseconds by turn: mean and longest over all games.", &table)
    }
}

/// Links to games: the id, the ending and the number of plies of each.
fn render_packet_games(games: &[(String, String, u32)]) -> Markup {
    html! {
        p { "Select a game to step through it." }
        (render_scrolling_table("Games", &html! { table { tbody { @for (id, end, plies) in games { tr {
            td { a href={ "#game=" (id) "&ply=0" } { (id) } }
            td { (end) } td.n { (Plies(*plies)) }
        } } } } }))
    }
}

/// The page for someone without a player, to whom `sentence` says why.
pub(crate) fn render_packet_page_without_player(
    header: &Header,
    name: &str,
    sentence: &str,
) -> String {
    let result = html! { p { (escape_line(sentence)) } };
    render_packet_page_frame(
        header,
        name,
        &html! {},
        &[PageSection::open("results", "Results", result)],
        &[],
    )
}

/// The page of games that count for nothing, as their author may see them.
///
/// # Errors
/// A game cannot become JSON.
pub fn render_challenge_packet_page(
    header: &Header,
    title: &str,
    games: &[GameRecord],
    renderer: &ReplayRenderer,
) -> serde_json::Result<String> {
    let replays = games.iter().map(|game| renderer.json(game, &game.id));
    let replays = replays.collect::<serde_json::Result<Vec<_>>>()?;
    let listed: Vec<_> =
        games.iter().map(|game| (game.id.clone(), describe_game_end(game), game.plies)).collect();
    let lead = html! { " · these games do not count" };
    let sections = [PageSection::open("games", "Games", render_packet_games(&listed))];
    Ok(render_packet_page_frame(header, title, &lead, &sections, &replays))
}

/// A page for the authors of the player `name`. `lead` ends the line below the heading.
fn render_packet_page_frame(
    header: &Header,
    name: &str,
    lead: &Markup,
    sections: &[PageSection<'_>],
    replays: &[String],
) -> String {
    let played = format!("{} · {}", escape_line(&header.tournament), escape_line(&header.game));
    PageTemplate {
        title: &escape_line(name),
        description: &played,
        summary: html! { p.lead { (played) (lead) } },
        sections,
        data: "{}",
        replays: &escape_template_json(&format!("[{}]", replays.join(",\n"))),
        key: &header.identity,
        kind: PageKind::File,
        own_page: None,
    }
    .html()
}

/// The player's results by seat, and by whether opponents rank above, level or below.
fn render_packet_scores(
    row: &StandingsRow,
    standings: &Standings,
    results: &NamedResults,
) -> Markup {
    let levels = [
        (
            "clearly stronger",
            packet_page_outcomes_against(row, standings, results, RankComparison::Above),
        ),
        (
            "about as strong",
            packet_page_outcomes_against(row, standings, results, RankComparison::Same),
        ),
        (
            "clearly weaker",
            packet_page_outcomes_against(row, standings, results, RankComparison::Below),
        ),
        (
            "players without a rank",
            packet_page_outcomes_against(row, standings, results, RankComparison::Unknown),
        ),
    ];
    let counts = &results.counts;
    let seats: Vec<&str> = match results.seats() {
        [] => vec!["first seat", "second seat"],
        seats => seats.iter().map(String::as_str).collect(),
    };
    let more = seats.len() > 2;
    let headings =
        if more { ["Compared", "Ahead", "Level", "Behind"] } else { ["Games", "W", "D", "L"] };
    html! {
        p {
            @match standings.shared_rank(row) {
                Ok(Rank { place, interval }) => {
                    "Rank " strong { (place) } " of " (standings.count_ranked())
                    ", rank interval " strong { (interval) }
                    " (95%)."
                }
                Err(why) => { "No rank: " (describe_unranked(why)) "." }
            }
            @if let Some(rating) = row.shown_rating() {
                " Rating " strong { (format_elo(rating.value)) } " ±" (format_elo(rating.margin())) " Elo."
            }
        }
        table {
            thead { tr {
                th { "Games" } @for heading in headings { th.n { (heading) } }
                th.n { "Score" } th.n { "%" }
            } }
            tbody {
                (render_packet_score_row("all", row.outcomes))
                @for (at, seat) in seats.into_iter().enumerate() {
                    (render_packet_score_row(&escape_line(seat), counts.outcomes_at_seat(row.number, at)))
                }
                @for (label, outcomes) in levels { (render_packet_score_row(&format!("against {label}"), outcomes)) }
            }
        }
        p.hint { "\"Clearly\" means that the two rank intervals do not overlap." }
    }
}

/// How an opponent's rank interval compares with the player's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RankComparison {
    Above,
    Same,
    Below,
    /// The opponent has no rank.
    Unknown,
}

fn packet_page_outcomes_against(
    row: &StandingsRow,
    standings: &Standings,
    results: &NamedResults,
    level: RankComparison,
) -> Outcomes {
    let of = |other: &&StandingsRow| {
        let found = match (row.rank, other.rank) {
            _ if row.has_left || other.has_left => compare_packet_page_ratings(row, other),
            (Ok(own), Ok(other)) if other.interval.high < own.interval.low => RankComparison::Above,
            (Ok(own), Ok(other)) if other.interval.low > own.interval.high => RankComparison::Below,
            (_, Err(_)) => RankComparison::Unknown,
            // A player that only fails is below every player with a rank.
            (Err(why), Ok(_)) if why.is_failure() => RankComparison::Above,
            _ => RankComparison::Same,
        };
        other.number != row.number && found == level
    };
    standings
        .rows
        .iter()
        .filter(of)
        .map(|other| results.counts.outcomes_between(row.number, other.number))
        .sum()
}

/// The same by rating intervals: a version that no longer plays has no rank.
fn compare_packet_page_ratings(row: &StandingsRow, other: &StandingsRow) -> RankComparison {
    match (row.shown_rating(), other.shown_rating()) {
        (Some(own), Some(other)) if other.low > own.high => RankComparison::Above,
        (Some(own), Some(other)) if other.high < own.low => RankComparison::Below,
        (Some(_), Some(_)) => RankComparison::Same,
        _ => RankComparison::Unknown,
    }
}

fn render_packet_score_row(label: &str, outcomes: Outcomes) -> Markup {
    html! {
        tr {
            th scope="row" { (label) } td.n { (outcomes.games()) } td.n { (outcomes.wins) }
            td.n { (outcomes.draws) } td.n { (outcomes.losses) } td.n { (outcomes.score()) }
            td.n { (format_percent(outcomes.score().value(), f64::from(outcomes.games()))) }
        }
    }
}

/// Removes the seed from a line sent to a player: the opponent could be found from it by guessing.
fn hide_packet_page_seed(line: &str) -> String {
    match serde_json::from_str::<Value>(line) {
        Ok(mut message) if message.get("seed").is_some() => {
            message["seed"] = json!(0);
            message.to_string()
        }
        _ => line.to_owned(),
    }
}

/// The lines of a transcript that the player itself saw in its faulty game, without its seed.
pub(crate) fn packet_page_transcript(exchanges: &str, player: &str) -> (Vec<String>, String) {
    let (mut lines, mut stderr) = (Vec::new(), String::new());
    for line in exchanges.lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        if value["player"] != json!(player) {
            continue;
        }
        lines.extend(value["to"].as_str().map(|text| format!("> {}", hide_packet_page_seed(text))));
        lines.extend(value["from"].as_str().map(|text| format!("< {text}")));
        if let Some(text) = value["stderr"].as_str() {
            stderr.push_str(&shorten_paths(text));
        }
    }
    (lines, stderr)
}

#[cfg(test)]
mod tests {
    use super::super::standings::tests::standings;
    use super::*;
    use referee_record::model::fault::FaultCode;
    use referee_record::model::record::examples::{faulty, game};
    use referee_tournament::analysis::named_results::examples::results;

    #[test]
    fn faults_of_opponents_are_told_apart_from_own_ones() {
        let mut packet = PacketPage::new(0, "ant".into(), "P01".into());
        packet.add_game(&game("ant", "bee", "white"), Seat::FIRST);
        assert_eq!(packet.render_faults(false).into_string(), "<p>You committed no faults.</p>");
        let spared = faulty(game("ant", "bee", "white"), &[("black", FaultCode::Crash)]);
        packet.add_game(&spared, Seat::FIRST);
        let told = "<p>You committed no faults. 1 game ended in a fault by the opponent.</p>";
        assert_eq!(packet.render_faults(false).into_string(), told);
        packet.add_game(&spared, Seat::SECOND);
        assert_eq!((packet.faults.len(), packet.spared), (1, 1));
    }

    #[test]
    fn the_traceback_is_open_and_the_protocol_folded() {
        let mut packet = PacketPage::new(0, "ant".into(), "P01".into());
        let mut crashed = faulty(game("ant", "bee", "black"), &[("white", FaultCode::Crash)]);
        for fault in crashed.fault.iter_mut().flat_map(|faults| faults.values_mut()) {
            fault.stderr = vec!["IndexError".to_owned()];
        }
        packet.add_game(&crashed, Seat::FIRST);
        packet.exchange = vec!["> turn".to_owned()];
        let shown = packet.render_faults(false).into_string();
        let traceback = "<details open><summary>The end of its stderr</summary><pre>IndexError";
        assert!(shown.contains(traceback), "{shown}");
        let protocol = "<details><summary>The last lines before it</summary><pre>&gt; turn";
        assert!(shown.contains(protocol), "{shown}");
    }

    /// Their pseudonyms come in another order than their names, by which the marks are given.
    #[test]
    fn level_players_share_a_rank_as_in_the_table_of_marks() {
        let draws = [(0, 1, "draw"), (1, 0, "draw"), (0, 2, "white"), (1, 2, "white")];
        let results = results(&["P01", "P02", "P03"], &draws);
        let standings = standings(&results);
        let ranks = standings.rows.iter().map(|row| {
            let shown = render_packet_scores(row, &standings, &results).into_string();
            shown.split_once(" (95%)").expect("a rank").0.to_owned()
        });
        let rank = |place, interval| {
            format!(
                "<p>Rank <strong>{place}</strong> of 3, rank interval <strong>{interval}</strong>"
            )
        };
        assert_eq!(ranks.collect::<Vec<_>>(), [rank(1, "1–3"), rank(1, "1–3"), rank(3, "1–3")]);
    }

    #[test]
    fn opponents_without_a_rank_are_not_called_weaker() {
        let mut results = results(&["ant", "bee", "eel"], &[(0, 1, "white")]);
        let crash = [("black", FaultCode::Crash)];
        results.add(&faulty(game("ant", "eel", "white"), &crash)).expect("known players");
        let standings = standings(&results);
        let row = standings.rows.iter().find(|row| row.player == "ant").expect("a row");
        let games = |level| packet_page_outcomes_against(row, &standings, &results, level).games();
        assert_eq!(games(RankComparison::Same), 1);
        assert_eq!(games(RankComparison::Below), 0);
        assert_eq!(games(RankComparison::Unknown), 1);
    }

    #[test]
    fn lines_in_packets_omit_only_the_seed() {
        let line = r#"{"type":"init","id":0,"you":"white","seed":2477104006096711,"opening":[]}"#;
        assert_eq!(hide_packet_page_seed(line), line.replace("2477104006096711", "0"));
        for line in [r#"{"type":"turn","id":1}"#, "seed", ""] {
            assert_eq!(hide_packet_page_seed(line), line);
        }
    }

    #[test]
    fn packets_only_contain_the_players_own_lines() {
        let exchanges = "{\"player\":\"ant\",\"to\":\"turn\"}\n{\"player\":\"bee\",\"from\":\"x\"}\n\
                         {\"player\":\"ant\",\"from\":\"oops\"}\nbroken\n\
                         {\"player\":\"bee\",\"stderr\":\"bees\"}\n{\"player\":\"ant\",\"stderr\":\"trace\\n\"}\n";
        let (lines, stderr) = packet_page_transcript(exchanges, "ant");
        assert_eq!((lines, stderr.as_str()), (vec!["> turn".into(), "< oops".into()], "trace\n"));
    }
}
