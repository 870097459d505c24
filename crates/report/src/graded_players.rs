//! `grades.csv`: marks, computed as the configuration says, with what explains them.

use std::io;

use super::csv_cells::{finish_csv_cells, format_text_cell};
use super::number_format::format_percent;
use super::standings::shared_standings_rank;
use super::standings_notes::list_note_items;
use super::unranked::describe_unranked;
use super::{Standings, StandingsRow};
use referee_protocol::escape::escape_line;
use referee_ratings::{Outcomes, Rank, RankInterval, Unranked};
use referee_record::model::grades::{Grades, RankBy, RankMark, ScoreMark};
use referee_record::model::player_spec::Out;
use referee_tournament::analysis::TournamentEvaluation;
use referee_tournament::analysis::named_results::NamedResults;

/// The headings before and after those for scores.
const FIRST_HEADINGS: [&str; 7] =
    ["player", "marks", "rank", "rank_low", "rank_high", "band", "rank_marks"];
const LAST_HEADINGS: [&str; 2] = ["games", "reason"];

/// The marks of the players of a tournament.
#[derive(Debug)]
pub struct GradedPlayers<'a> {
    grades: &'a Grades,
    /// The players that get marks, in ranking order.
    players: Vec<GradedPlayer<'a>>,
}

impl<'a> GradedPlayers<'a> {
    /// Gives the marks. The standings are those of the evaluation.
    pub fn new(
        grades: &'a Grades,
        standings: &'a Standings,
        evaluation: &TournamentEvaluation,
    ) -> Self {
        let results = &evaluation.results;
        let is_graded = |name: &String| !grades.exempt.contains(name);
        let among_graded = grades
            .graded_only
            .then(|| evaluation.ranking.ranks_among(|player| is_graded(&results.names()[player])));
        let rank =
            |row: &StandingsRow| among_graded.as_ref().map_or(row.rank, |ranks| ranks[row.number]);
        let counts = |row: &&StandingsRow| among_graded.is_none() || is_graded(&row.player);
        let player = |row: &'a StandingsRow| {
            let shared = shared_standings_rank(row, standings.rows.iter().filter(counts), rank);
            GradedPlayer::new(grades, row, shared, results)
        };
        let rows = standings.rows.iter().filter(|row| is_graded(&row.player));
        Self { grades, players: rows.map(player).collect() }
    }

    /// The table: one row per graded player in ranking order, with the marks and what they follow
    /// from, and then one row for each person without a player.
    ///
    /// # Errors
    ///
    /// When the table cannot be written, which does not happen in memory.
    pub fn to_csv(&self) -> io::Result<Vec<u8>> {
        let mut table = csv::Writer::from_writer(Vec::new());
        let against = &self.grades.against;
        let shares = first_graded_scores(against).map(|at| format!("share_{}", against[at].player));
        let marks = against.iter().map(|line| format!("against_{}", line.player));
        let first = FIRST_HEADINGS.map(str::to_owned).into_iter();
        table.write_record(
            first.chain(shares).chain(marks).chain(LAST_HEADINGS.map(str::to_owned)),
        )?;
        for player in &self.players {
            table.write_record(player.cells(self.grades))?;
        }
        for (name, reason) in &self.grades.absent {
            table.write_record(self.absent_row(name, reason))?;
        }
        finish_csv_cells(table)
    }

    /// The row of a person without a player.
    fn absent_row(&self, name: &str, reason: &str) -> Vec<String> {
        let (marks, against) = (self.grades.failed.to_string(), &self.grades.against);
        let mut cells = vec![format_text_cell(name).into_owned(), marks.clone()];
        cells.extend([const { String::new() }; 4]);
        cells.push(marks);
        cells.extend(first_graded_scores(against).map(|_| String::new()));
        cells.extend(against.iter().map(|_| "0".to_owned()));
        cells.extend(["0".to_owned(), format_text_cell(reason).into_owned()]);
        cells
    }

    /// What to know before these marks are given to anyone: who counts as failed without a fault,
    /// and which bands separate no players.
    pub fn notes(&self) -> Vec<String> {
        let spared = self.players.iter().filter(|player| player.is_spared);
        let spared: Vec<String> = spared.map(|player| escape_line(&player.row.player)).collect();
        let spared = (!spared.is_empty()).then(|| {
            format!("Marked as failed, because every game {SPARED}: {}.", list_note_items(&spared))
        });
        let ranked = self.players.iter().filter(|player| player.rank.is_ok() && !player.fails());
        let reached: Vec<Option<RankMark>> = ranked.map(|player| player.band).collect();
        spared.into_iter().chain(describe_useless_grade_bands(self.grades, &reached)).collect()
    }

    /// How the marks of `player` came about, as a sentence to its authors. `shown` is the name by
    /// which they know an opponent. `None` for a player without marks.
    pub fn describe_marks(&self, player: &str, shown: impl Fn(&str) -> String) -> Option<String> {
        if let Some(reason) = self.grades.absent.get(player) {
            return Some(format_marks_sentence(self.grades.failed, &escape_line(reason)));
        }
        let found = self.players.iter().find(|graded| graded.row.player == player)?;
        let reason = || found.reason(self.grades, &shown);
        let Some(sum) = found.sum() else {
            return Some(format!("Your marks have not been decided yet: {}.", reason()));
        };
        if found.fails() {
            return Some(format_marks_sentence(sum, &reason()));
        }
        let for_rank = found.rank.ok().filter(|_| !self.grades.ranks.is_empty()).map(|rank| {
            let band = found.band.map_or("outside every band".to_owned(), |band| {
                format!("in the band up to rank {}", band.rank)
            });
            let marks = format_grade_cell(found.for_rank);
            format!("{marks} for {} (95% interval {}), {band}", reason(), rank.interval)
        });
        let for_scores = found.for_scores.iter().map(|score| score.describe(&shown));
        let parts: Vec<String> = for_rank.into_iter().chain(for_scores).collect();
        Some(format_marks_sentence(sum, &parts.join("; ")))
    }
}

/// Names the marks and their reason to the authors.
fn format_marks_sentence(sum: f64, why: &str) -> String {
    format!("You get {}: {why}.", format_marks(sum))
}

/// `1 mark`, `2 marks`, ….
#[expect(clippy::float_cmp, reason = "exactly one is singular")]
fn format_marks(sum: f64) -> String {
    format!("{sum} {}", if sum == 1.0 { "mark" } else { "marks" })
}

/// How a game of a player that is spared ended, after `every game`.
const SPARED: &str = "ended in a fault by the opponent";

/// Advice on bands before the first game: which of them are not expected to tell players
/// apart. `is_reached` gets the first rank and the line of each.
pub fn describe_unreached_grade_bands(
    grades: &Grades,
    is_reached: impl Fn(u32, RankMark) -> bool,
) -> Vec<String> {
    let unreached = grades.bands().filter(|&(first, line)| !is_reached(first, line));
    unreached
        .map(|(first, line)| {
            format!("no one is expected in the band {}", describe_grade_band(first, line))
        })
        .collect()
}

/// The bands that separate no players, if players `reached` these.
fn describe_useless_grade_bands(grades: &Grades, reached: &[Option<RankMark>]) -> Vec<String> {
    let is_in = |line: &RankMark| reached.iter().flatten().any(|other| other.rank == line.rank);
    let empty = || grades.bands().filter(|(_, line)| !is_in(line));
    match reached {
        [] | [_] => Vec::new(),
        _ if grades.ranks.is_empty() => Vec::new(),
        [first, others @ ..] if others.iter().all(|other| other == first) => {
            let shared = grades.bands().find(|(_, line)| Some(*line) == *first);
            let place = shared.map_or("outside every band".to_owned(), |(first, line)| {
                format!("in the band {}", describe_grade_band(first, line))
            });
            vec![format!(
                "All {} ranked players fall {place}, so rank does not affect their marks.",
                reached.len()
            )]
        }
        _ => empty()
            .map(|(first, line)| {
                format!("No one is in the band {}.", describe_grade_band(first, line))
            })
            .collect(),
    }
}

fn describe_grade_band(first: u32, line: RankMark) -> String {
    let range = RankInterval { low: first as usize, high: line.rank as usize };
    format!("rank {range} ({})", format_marks(line.marks))
}

/// The first line of each opponent in `against`.
fn first_graded_scores(against: &[ScoreMark]) -> impl Iterator<Item = usize> {
    let is_first =
        |at: &usize| against[..*at].iter().all(|line| line.player != against[*at].player);
    (0..against.len()).filter(is_first)
}

/// A number as text; empty if it is not known.
fn format_grade_cell<T: ToString>(number: Option<T>) -> String {
    number.map_or(String::new(), |number| number.to_string())
}

/// The marks of a player, and what they follow from.
#[derive(Debug)]
struct GradedPlayer<'a> {
    row: &'a StandingsRow,
    /// The rank for marks.
    rank: Result<Rank, Unranked<Out>>,
    /// Whether it made no fault, but never finished a game, so it showed no strength of its own.
    is_spared: bool,
    /// The line of `ranks` that it reaches.
    band: Option<RankMark>,
    /// `None` if its rank is not known.
    for_rank: Option<f64>,
    /// By line of `against`.
    for_scores: Vec<GradedScore<'a>>,
}

impl<'a> GradedPlayer<'a> {
    fn new(
        grades: &'a Grades,
        row: &'a StandingsRow,
        rank: Result<Rank, Unranked<Out>>,
        results: &NamedResults,
    ) -> Self {
        let completion = results.counts.completion(row.number);
        let is_spared = completion.spared > 0
            && completion.spared == completion.games()
            && !rank.is_err_and(|why| why.is_failure());
        let mut player =
            Self { row, rank, is_spared, band: None, for_rank: None, for_scores: Vec::new() };
        let fails = player.fails();
        let score = |line| GradedScore::new(line, row, results, fails);
        player.for_scores = grades.against.iter().map(score).collect();
        player.for_rank = match rank {
            _ if fails => Some(grades.failed),
            Ok(rank) => {
                player.band = grades.band(rank);
                Some(player.band.map_or(0.0, |band| band.marks))
            }
            Err(_) => grades.ranks.is_empty().then_some(0.0),
        };
        player
    }

    /// Whether it gets only the marks of a player that failed.
    fn fails(&self) -> bool {
        self.is_spared || self.rank.is_err_and(|why| why.is_failure())
    }

    /// The sum of all marks; `None` if any of them is not known.
    fn sum(&self) -> Option<f64> {
        let scores: Option<f64> = self.for_scores.iter().map(|score| score.marks).sum();
        // Marks are written in decimals: 0.1 + 0.2 must be 0.3.
        Some(((self.for_rank? + scores?) * 1e9).round() / 1e9)
    }

    fn cells(&self, grades: &Grades) -> Vec<String> {
        let mut cells =
            vec![format_text_cell(&self.row.player).into_owned(), format_grade_cell(self.sum())];
        let rank = self.rank.ok();
        let interval = rank.map(|rank| rank.interval);
        cells.extend(
            [rank.map(|it| it.place), interval.map(|it| it.low), interval.map(|it| it.high)]
                .map(format_grade_cell),
        );
        cells.extend([
            format_grade_cell(self.band.map(|band| band.rank)),
            format_grade_cell(self.for_rank),
        ]);
        cells.extend(
            first_graded_scores(&grades.against)
                .map(|at| format_grade_cell(self.for_scores[at].share)),
        );
        cells.extend(self.for_scores.iter().map(|score| format_grade_cell(score.marks)));
        cells.push(self.row.games.to_string());
        cells.push(self.reason(grades, &str::to_owned));
        cells
    }

    /// Why it gets these marks, or none yet. `shown` is the name of an opponent.
    fn reason(&self, grades: &Grades, shown: &dyn Fn(&str) -> String) -> String {
        let opponents = first_graded_scores(&grades.against).map(|at| &self.for_scores[at]);
        let unmet = opponents.filter(|score| score.marks.is_none());
        let unmet: Vec<String> = unmet.map(|score| shown(&score.line.player)).collect();
        match self.rank {
            _ if self.is_spared => format!("every game {SPARED}"),
            _ if !unmet.is_empty() => format!("did not meet {}", unmet.join(", ")),
            Ok(rank) => {
                let which = match grades.by {
                    RankBy::Low => " at best",
                    RankBy::Rank => "",
                    RankBy::High => " at worst",
                };
                format!("rank {}{which}", grades.by.counted(rank))
            }
            Err(why) => describe_unranked(why).to_owned(),
        }
    }
}

/// The marks of a player for its score against one opponent.
#[derive(Debug)]
struct GradedScore<'a> {
    line: &'a ScoreMark,
    /// The games against the opponent, from the side of the player.
    games: Outcomes,
    /// Its share of the points, 0 to 1; `None` if no game between the two counts.
    share: Option<f64>,
    /// `None` if they are not known, and all of them for the opponent itself.
    marks: Option<f64>,
}

impl<'a> GradedScore<'a> {
    /// The marks of the player in `row`, which `fails` or not.
    fn new(line: &'a ScoreMark, row: &StandingsRow, results: &NamedResults, fails: bool) -> Self {
        let opponent = results.number(&line.player).ok();
        let games = opponent.map(|opponent| results.counts.outcomes_between(row.number, opponent));
        let games = games.unwrap_or_default();
        let share = games.score().value() / f64::from(games.games().max(1));
        let share = (games.games() > 0).then_some(share);
        let marks = match share {
            _ if fails => Some(0.0),
            _ if line.player == row.player => Some(line.marks),
            share => share.map(|share| if share >= line.score { line.marks } else { 0.0 }),
        };
        Self { line, games, share, marks }
    }

    /// What gave the marks. `shown` is the name of the opponent.
    fn describe(&self, shown: &dyn Fn(&str) -> String) -> String {
        let (marks, games) = (format_grade_cell(self.marks), self.games);
        let (needed, opponent) = (format_percent(self.line.score, 1.0), shown(&self.line.player));
        if games.games() == 0 {
            return format!("{marks} for being {opponent}");
        }
        let (score, games) = (games.score(), games.games());
        format!("{marks} for {score} of {games} points against {opponent} ({needed} needed)")
    }
}

#[cfg(test)]
mod tests {
    use super::super::standings::tests::{evaluation, standings};
    use super::*;
    use referee_record::model::fault::FaultCode;
    use referee_record::model::record::examples::{faulty, game};
    use referee_tournament::analysis::named_results::examples::results;

    fn table(grades: &Grades, standings: &Standings, results: &NamedResults) -> String {
        let evaluation = evaluation(results);
        let table = GradedPlayers::new(grades, standings, &evaluation).to_csv().expect("memory");
        String::from_utf8(table).expect("UTF-8")
    }

    #[test]
    fn marks_follow_the_best_rank_and_every_score() {
        let results = results(&["ant", "=bee", "house"], &[(0, 2, "white"), (2, 1, "white")]);
        let line = |score, marks| ScoreMark { player: "house".into(), score, marks };
        let grades = Grades {
            ranks: vec![RankMark { rank: 1, marks: 4.0 }, RankMark { rank: 3, marks: 2.5 }],
            against: vec![line(0.0, 1.0), line(0.5, 3.0)],
            failed: 0.0,
            absent: [("zoe".into(), "=no player".into())].into(),
            exempt: vec!["house".into()],
            ..Grades::default()
        };
        let mut standings = standings(&results);
        for (row, place) in standings.rows.iter_mut().zip(1..) {
            row.rank = Ok(Rank { place, interval: RankInterval { low: place, high: place } });
        }
        assert_eq!(
            table(&grades, &standings, &results),
            "player,marks,rank,rank_low,rank_high,band,rank_marks,share_house,against_house,\
             against_house,games,reason\n\
             ant,8,1,1,1,1,4,1,1,3,1,rank 1 at best\n\
             '=bee,3.5,3,3,3,3,2.5,0,1,0,1,rank 3 at best\n\
             zoe,0,,,,,0,,0,0,0,'=no player\n"
        );
    }

    #[test]
    fn marks_against_a_player_that_was_not_met_are_left_to_the_organiser() {
        let games = [(0, 1, "white"), (1, 2, "white"), (2, 0, "white"), (1, 3, "white")];
        let results = results(&["ant", "bee", "cat", "house"], &games);
        let line = |score| ScoreMark { player: "house".into(), score, marks: 2.0 };
        let grades = Grades {
            against: vec![line(0.0), line(0.5)],
            exempt: vec!["house".into()],
            ..Grades::default()
        };
        let standings = standings(&results);
        let table = table(&grades, &standings, &results);
        let row = |start: &str| table.lines().find(|line| line.starts_with(start)).expect("a row");
        assert!(row("ant,,").ends_with(",,0,,,,2,did not meet house"), "{table}");
        assert!(row("bee,4,").ends_with(",,0,1,2,2,3,rank 1 at best"), "{table}");
    }

    #[test]
    fn failed_players_get_the_configured_marks() {
        let names = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu"];
        let games = [(0, 1, "white"), (1, 2, "white"), (5, 6, "white"), (3, 0, "white")];
        let mut results = results(&names, &games);
        let crash = [("white", FaultCode::Crash)];
        results.add(&faulty(game("eel", "ant", "black"), &crash)).expect("known players");
        let mut out = vec![None; names.len()];
        out[3] = Some(Out::Quarantined);
        let evaluated =
            TournamentEvaluation::new(results.clone(), &[], &out, evaluation(&results).summary);
        let standings = Standings::new(&evaluated.expect("no anchor"));
        let lines = vec![RankMark { rank: 1, marks: 10.0 }, RankMark { rank: 9, marks: 5.0 }];
        let grades = Grades { ranks: lines, failed: -1.0, ..Grades::default() };
        let table = table(&grades, &standings, &results);
        let row = |name: &str| {
            let start = format!("{name},");
            table.lines().find(|line| line.starts_with(&start)).expect("a row").to_owned()
        };
        assert!(row("ant").starts_with("ant,10,1,1,3,1,10,3,"), "{table}");
        assert_eq!(row("dog"), "dog,-1,,,,,-1,1,quarantined for faults");
        assert_eq!(row("eel"), "eel,-1,,,,,-1,1,committed faults and finished no games");
        assert_eq!(row("fox"), "fox,,,,,,,1,not connected to most others by games");
    }

    #[test]
    fn marks_follow_the_end_of_the_interval_that_the_rules_name() {
        let games = [(0, 1, "white"), (1, 2, "white"), (2, 3, "white"), (0, 3, "white")];
        let results = results(&["ant", "bee", "house", "cat"], &games);
        let standings = standings(&results);
        let row = |by, graded_only| {
            let ranks = vec![RankMark { rank: 2, marks: 10.0 }, RankMark { rank: 4, marks: 5.0 }];
            let exempt = vec!["house".into()];
            let grades = Grades { ranks, by, graded_only, exempt, ..Grades::default() };
            let table = table(&grades, &standings, &results);
            let row = table.lines().find(|line| line.starts_with("cat,")).expect("a row");
            row.to_owned()
        };
        assert_eq!(row(RankBy::Low, false), "cat,10,4,1,4,2,10,2,rank 1 at best");
        assert_eq!(row(RankBy::Rank, false), "cat,5,4,1,4,4,5,2,rank 4");
        assert_eq!(row(RankBy::High, false), "cat,5,4,1,4,4,5,2,rank 4 at worst");
        // Nobody gets marks for standing above the house player, or loses any for standing below.
        assert_eq!(row(RankBy::High, true), "cat,5,3,1,3,4,5,2,rank 3 at worst");
    }

    #[test]
    fn level_players_share_a_place() {
        let draws = [(0, 1, "draw"), (1, 0, "draw"), (0, 2, "white"), (1, 2, "white")];
        let results = results(&["bee", "ant", "cat"], &draws);
        let ranks = vec![RankMark { rank: 1, marks: 10.0 }];
        let grades = Grades { ranks, by: RankBy::Rank, ..Grades::default() };
        let table = table(&grades, &standings(&results), &results);
        let marks: Vec<&str> = table.lines().skip(1).map(|line| &line[..9]).collect();
        assert_eq!(marks, ["ant,10,1,", "bee,10,1,", "cat,0,3,1"]);
    }

    #[test]
    fn a_player_whose_games_all_ended_by_faults_gets_no_marks_for_its_rank() {
        let mut results = results(&["ant", "bee", "eel", "liam"], &[(0, 1, "white")]);
        let crash = [("white", FaultCode::Crash)];
        for winner in ["ant", "liam"] {
            results.add(&faulty(game("eel", winner, "black"), &crash)).expect("known players");
        }
        let ranks = vec![RankMark { rank: 3, marks: 10.0 }];
        let grades = Grades { ranks, failed: -1.0, ..Grades::default() };
        let (standings, evaluation) = (standings(&results), evaluation(&results));
        let players = GradedPlayers::new(&grades, &standings, &evaluation);
        let table = players.to_csv().expect("memory");
        let reason = "every game ended in a fault by the opponent";
        let row = format!("liam,-1,3,3,3,,-1,1,{reason}\n");
        assert!(String::from_utf8_lossy(&table).contains(&row), "{table:?}");
        assert_eq!(players.notes()[0], format!("Marked as failed, because {reason}: liam."));
        let sentence = players.describe_marks("liam", str::to_owned);
        assert_eq!(sentence, Some(format!("You get -1 marks: {reason}.")));
    }

    #[test]
    fn bands_that_tell_nobody_apart_are_named() {
        let line = |rank, marks| RankMark { rank, marks };
        let (top, rest) = (line(1, 10.0), line(9, 5.0));
        let grades = Grades { ranks: vec![top, line(3, 8.0), rest], ..Grades::default() };
        let notes = |reached: &[Option<RankMark>]| describe_useless_grade_bands(&grades, reached);
        let same = "so rank does not affect their marks.";
        let all = format!("All 2 ranked players fall in the band rank 1 (10 marks), {same}");
        assert_eq!(notes(&[Some(top); 2]), [all]);
        let none = format!("All 2 ranked players fall outside every band, {same}");
        assert_eq!(notes(&[None; 2]), [none]);
        assert_eq!(notes(&[Some(top), Some(rest)]), ["No one is in the band rank 2–3 (8 marks)."]);
        assert_eq!(notes(&[Some(top)]), [""; 0]);
        let beyond = "no one is expected in the band rank 4–9 (5 marks)";
        assert_eq!(describe_unreached_grade_bands(&grades, |first, _| first <= 3), [beyond]);
    }

    #[test]
    fn a_sentence_names_everything_that_gave_marks() {
        let results = results(&["ant", "bee"], &[(0, 1, "white"), (1, 0, "white")]);
        let ranks = vec![RankMark { rank: 3, marks: 10.0 }];
        let against = vec![ScoreMark { player: "bee".into(), score: 0.25, marks: 2.0 }];
        let grades = Grades { ranks, against, exempt: vec!["bee".into()], ..Grades::default() };
        let (standings, evaluation) = (standings(&results), evaluation(&results));
        let players = GradedPlayers::new(&grades, &standings, &evaluation);
        let sentence = "You get 12 marks: 10 for rank 1 at best (95% interval 1–2), in the band up \
                        to rank 3; 2 for 1 of 2 points against P07 (25.0% needed).";
        assert_eq!(players.describe_marks("ant", |_| "P07".to_owned()).as_deref(), Some(sentence));
        assert_eq!(players.describe_marks("bee", str::to_owned), None, "bee gets no marks");
    }

    #[test]
    fn one_mark_is_singular() {
        let said = [1.0, 0.0, 0.5, 5.0].map(|sum| format_marks_sentence(sum, "rank 3"));
        assert_eq!(said[0], "You get 1 mark: rank 3.");
        assert!(said[1..].iter().all(|said| said.contains(" marks: ")), "{said:?}");
    }
}
