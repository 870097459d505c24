//! Games of chess in PGN, and the positions in which they end in EPD.

use std::time::{Duration, UNIX_EPOCH};

use referee_games::{AnyGame, AnyPosition, Event, GameKind, Seat, Step, Turn};
use referee_match::replay::{Replay, ReplayError};
use referee_protocol::SearchReport;
use referee_record::model::adjudication::{describe_adjudication_reason, is_adjudication_reason};
use referee_record::model::clock::TimeControl;
use referee_record::model::fault::{DRAWN_ON_TIME, FaultCode};
use referee_record::model::game_rules::GameRules;
use referee_record::model::record::{GameRecord, Header};
use referee_record::model::short_clock::with_own_short_clock;
use serde::Deserialize;

use crate::wrap::wrap;

/// The greatest width of a line of moves, as the standard says.
const WIDTH: usize = 80;
/// The last second of the year 9999, after which dates have no such form.
const LAST_SECOND: u64 = 253_402_300_799;
/// The usual start position.
const USUAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The reason why a game cannot be written in PGN.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PgnError {
    /// It is not a game of built-in chess.
    #[error("only built-in chess games can be written in PGN")]
    NotChess,
    /// The record cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

/// The part of the state that says where a game began.
#[derive(Deserialize)]
struct StateStart {
    start: String,
}

/// Whether games of this kind can be written in PGN.
pub fn can_write_pgn(game: &dyn AnyGame) -> bool {
    game.name() == GameKind::Chess.name() && game.program().is_none()
}

/// Which comments moves get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PgnComments {
    /// The score in pawns, the depth and the time used.
    Scores,
    /// The same with the main line that the player reported.
    MainLines,
}

/// A game of chess in PGN, with an empty line at its end. Moves of the opening have the comment
/// `book`, others the player's score in pawns, its depth, and the time used: `+0.34/12 0.53s`, and on
/// request the main line in UCI: `pv="e2e4 e7e5"`.
///
/// # Errors
/// It is another game, or its record cannot be replayed.
pub fn pgn(
    rules: &GameRules,
    header: &Header,
    record: &GameRecord,
    comments: PgnComments,
) -> Result<String, PgnError> {
    if !can_write_pgn(&*rules.game) {
        return Err(PgnError::NotChess);
    }
    let rules = rules.with_own_options(&record.options).map_err(ReplayError::from)?;
    let StateStart { start } =
        serde_json::from_str(rules.start.state().get()).map_err(|_| PgnError::NotChess)?;
    let chess960 = rules.options.to_json().get("chess960") == Some(&true.into());
    let result = pgn_result(record);
    let tags = pgn_tags(header, record, (&start, chess960), result).into_iter().map(format_pgn_tag);
    let moves =
        format_pgn_moves(&mut Replay::new(&rules.start, record)?, record, &start, comments)?;
    let end = format!("{{{}}} {result}", comment_text(&describe_pgn_ending(record)));
    let moves = wrap(&[moves, vec![end]].concat().join(" "), WIDTH);
    let lines: Vec<&str> = moves.lines().map(str::trim_start).collect();
    Ok(format!("{}\n{}\n\n", tags.collect::<String>(), lines.join("\n")))
}

fn format_pgn_tag((name, value): (&str, String)) -> String {
    let value = pgn_single_line(&value).replace('\\', "\\\\").replace('"', "\\\"");
    format!("[{name} \"{value}\"]\n")
}

/// Text of a stranger's log in one line: a line of its own would begin another tag or game.
pub(crate) fn pgn_single_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// Text for a comment, which ends at the first `}`.
fn comment_text(text: &str) -> String {
    pgn_single_line(text).replace('{', "(").replace('}', ")")
}

/// Why the game ended. A fault comes with its diagnosis, which names the rejected move.
pub(crate) fn describe_pgn_ending(record: &GameRecord) -> String {
    let faults = record.players.seats().filter_map(|seat| {
        let fault = record.fault_of(seat)?;
        Some(format!("{}: {}", record.players.names[seat], fault.message))
    });
    let words = [describe_adjudication_reason(&record.reason).to_owned()].into_iter().chain(faults);
    words.collect::<Vec<_>>().join("; ")
}

/// The result; `*` if both players failed.
fn pgn_result(record: &GameRecord) -> &'static str {
    let [white, black] = [Seat::FIRST, Seat::SECOND].map(|seat| record.score(seat));
    if white > black {
        "1-0"
    } else if black > white {
        "0-1"
    } else if white > 0.0 {
        "1/2-1/2"
    } else {
        "*"
    }
}

/// The seven tags that every game has, and others.
fn pgn_tags(
    header: &Header,
    record: &GameRecord,
    (start, chess960): (&str, bool),
    result: &str,
) -> Vec<(&'static str, String)> {
    let mut tags = vec![
        ("Event", header.tournament.clone()),
        ("Site", "?".to_owned()),
        (
            "Date",
            format_pgn_date(if record.clock.began == 0 {
                header.created
            } else {
                record.clock.began
            }),
        ),
        ("Round", format!("{}.{}", record.pair, record.game)),
        ("White", record.players[Seat::FIRST].clone()),
        ("Black", record.players[Seat::SECOND].clone()),
        ("Result", result.to_owned()),
    ];
    if chess960 {
        tags.push(("Variant", "Chess960".to_owned()));
    }
    if chess960 || start != USUAL {
        tags.extend([("SetUp", "1".to_owned()), ("FEN", start.to_owned())]);
    }
    tags.push(("PlyCount", record.plies.to_string()));
    let tc = record.own_clocks();
    let [white, black] = [Seat::FIRST, Seat::SECOND]
        .map(|seat| format_pgn_time_control(&with_own_short_clock(&header.clock, tc[seat])));
    if white == black {
        tags.push(("TimeControl", white));
    } else {
        tags.extend([("WhiteTimeControl", white), ("BlackTimeControl", black)]);
    }
    tags.push(("Termination", pgn_termination(record).to_owned()));
    tags
}

/// The day of a time in seconds since 1970, in UTC. A stranger's log may have any number.
pub(crate) fn format_pgn_date(seconds: u64) -> String {
    let last = Duration::from_secs(seconds.min(LAST_SECOND));
    let text = humantime::format_rfc3339(UNIX_EPOCH + last).to_string();
    text.get(..10).unwrap_or("????.??.??").replace('-', ".")
}

/// The time limits: `10+0.1`, `40/60+0.6`, `5/move`, or `-` without any.
fn format_pgn_time_control(control: &TimeControl) -> String {
    let seconds = |time: Duration| time.as_secs_f64().to_string();
    let moves = control.moves.map_or_else(String::new, |moves| format!("{moves}/"));
    match (control.budget, control.per_move) {
        (Some(budget), _) if control.increment.is_zero() => moves + &seconds(budget),
        (Some(budget), _) => format!("{moves}{}+{}", seconds(budget), seconds(control.increment)),
        (None, Some(limit)) => format!("{}/move", seconds(limit)),
        (None, None) => "-".to_owned(),
    }
}

/// Why the game ended, in the words of the standard.
fn pgn_termination(record: &GameRecord) -> &'static str {
    let codes: Vec<FaultCode> =
        record.players.seats().filter_map(|seat| Some(record.fault_of(seat)?.code)).collect();
    match codes[..] {
        _ if record.reason == DRAWN_ON_TIME => "time forfeit",
        [] if is_adjudication_reason(&record.reason) => "adjudication",
        [] => "normal",
        [code] if code.is_late() => "time forfeit",
        [FaultCode::Illegal | FaultCode::Malformed] => "rules infraction",
        _ => "abandoned",
    }
}

/// The moves in algebraic notation, with their numbers and comments.
fn format_pgn_moves(
    replay: &mut Replay<'_>,
    record: &GameRecord,
    start: &str,
    comments: PgnComments,
) -> Result<Vec<String>, ReplayError> {
    let fields: Vec<&str> = start.split(' ').collect();
    let is_black = fields.get(1) == Some(&"b");
    let first = fields.get(5).and_then(|number| number.parse::<usize>().ok()).unwrap_or(1);
    let (mut words, mut is_numbered) = (Vec::new(), true);
    for at in 0.. {
        let line = match comments {
            PgnComments::Scores => None,
            PgnComments::MainLines => pgn_main_line(replay.current_position(), record, at),
        };
        let Some(played) = replay.next().transpose()? else { break };
        let half = at + usize::from(is_black);
        let is_white = half.is_multiple_of(2);
        let seat = if is_white { Seat::FIRST } else { Seat::SECOND };
        let number = first + half / 2;
        if is_white {
            words.push(format!("{number}."));
        } else if is_numbered {
            // The number is repeated behind a comment.
            words.push(format!("{number}..."));
        }
        words.extend(played.events.into_iter().filter_map(|event| match event {
            Event::Played { san } => Some(san),
            _ => None,
        }));
        let comment = if played.is_opening {
            "book".to_owned()
        } else {
            format_pgn_comment(pgn_search_report(record, seat, at), played.used[seat], line)
        };
        is_numbered = !comment.is_empty();
        words.extend(is_numbered.then(|| format!("{{{comment}}}")));
    }
    Ok(words)
}

/// The moves at the beginning of the note on the decision after this many plies that can be played
/// here; `None` if the note has no main line.
fn pgn_main_line(position: &dyn AnyPosition, record: &GameRecord, plies: usize) -> Option<String> {
    let note = record.notes.iter().find(|it| it.ply as usize == plies)?;
    let mut position = position.boxed();
    let mut moves = Vec::new();
    for text in note.note.as_ref()?.split_whitespace() {
        let Turn::Move(seat) = position.turn() else { break };
        let Ok(action) = position.judge(seat, text) else { break };
        if position.play_silently(Step::Move(&action)).is_err() {
            break;
        }
        moves.push(action);
    }
    (!moves.is_empty()).then(|| format!("pv=\"{}\"", moves.join(" ")))
}

/// The search report of the player at `seat` after this many plies.
fn pgn_search_report(record: &GameRecord, seat: Seat, plies: usize) -> SearchReport {
    let name = &record.players.names[seat];
    let note = record.notes.iter().find(|it| it.ply as usize == plies && it.by == **name);
    note.map(|note| note.search).unwrap_or_default()
}

/// A mate in this many moves of the mover, or of its opponent if negative. UCI counts moves; PGN
/// counts plies.
fn mate_in_plies(moves: i32) -> String {
    let plies = 2 * i64::from(moves).abs();
    if moves > 0 { format!("+M{}", plies - 1) } else { format!("-M{plies}") }
}

/// The comment on a move, as other programs write it: `+0.34/12 0.53s`.
fn format_pgn_comment(
    search: SearchReport,
    used: Option<Duration>,
    line: Option<String>,
) -> String {
    let score = match (search.mate, search.score) {
        (Some(mate), _) => Some(mate_in_plies(mate)),
        (None, score) => score.map(|it| format!("{:+.2}", f64::from(it) / 100.0)),
    };
    let depth = search.depth.map(|depth| format!("/{depth}")).filter(|_| score.is_some());
    let score = score.map(|score| score + &depth.unwrap_or_default());
    let used = used.map(|used| format!("{:.3}s", used.as_secs_f64()));
    let parts: Vec<String> = score.into_iter().chain(used).collect();
    let parts = [parts.join(" ")].into_iter().filter(|part| !part.is_empty()).chain(line);
    parts.collect::<Vec<_>>().join(", ")
}

/// The parts of the state that say where a game ended.
#[derive(Deserialize)]
struct StateEnd {
    fen: String,
}

/// The last position of a game of chess in EPD, as a line without its newline: with the counters,
/// the game's id and its result.
///
/// # Errors
/// It is another game, or its record cannot be replayed.
pub fn format_end_epd(rules: &GameRules, record: &GameRecord) -> Result<String, PgnError> {
    if !can_write_pgn(&*rules.game) {
        return Err(PgnError::NotChess);
    }
    let mut replay = Replay::with_rules(rules, record)?;
    while replay.skip_step()?.is_some() {}
    let StateEnd { fen } = serde_json::from_str(replay.current_position().state().get())
        .map_err(|_| PgnError::NotChess)?;
    let fields: Vec<&str> = fen.split(' ').collect();
    let [board, mover, rights, passed, still, number] = fields[..] else {
        return Err(PgnError::NotChess);
    };
    let id = pgn_single_line(&record.id).replace('"', "'");
    let result = pgn_result(record);
    Ok(format!(
        "{board} {mover} {rights} {passed} hmvc {still}; fmvn {number}; id \"{id}\"; c9 \"{result}\";"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::{BySeat, Options, SeatMap};
    use referee_record::model::fault::Fault;
    use referee_record::model::record::RecordedNote;
    use referee_record::model::record::examples::{game, header};
    use serde_json::json;
    use std::collections::BTreeMap;

    fn written(change: impl FnOnce(&mut GameRecord)) -> String {
        let mut record = game("ant", "b\"ee", "white");
        let texts = |list: &[&str]| list.iter().map(ToString::to_string).collect();
        record.opening = texts(&["e2e4", "e7e5"]);
        record.actions = texts(&["d1h5", "b8c6", "f1c4", "g8f6", "h5f7"]);
        (record.plies, record.reason) = (7, "checkmate".to_owned());
        record.clock.used_ns.values[Seat::FIRST] = vec![530_000_000, 20_000_000, 0];
        record.clock.used_ns.values[Seat::SECOND] = Vec::new();
        change(&mut record);
        let header = header(&["ant", "b\"ee"]);
        let scores = pgn(&rules(), &header, &record, PgnComments::Scores).expect("legal");
        let lines = pgn(&rules(), &header, &record, PgnComments::MainLines).expect("legal");
        if record.notes.iter().all(|note| note.note.is_none()) {
            assert_eq!(scores, lines);
        }
        lines
    }

    fn rules() -> GameRules {
        let options = Options::resolve(GameKind::Chess.game().options(), []).expect("defaults");
        GameRules::new(GameKind::Chess.shared(), options).expect("defaults")
    }

    #[test]
    fn main_lines_are_written_on_request() {
        let text = written(|record| {
            let notes = [(2, "d1h5 g8f6 h5f7 a1a8"), (3, "hello} [Event \"x\"]"), (4, "f1c4")];
            for (ply, note) in notes {
                let (by, note) = (["white", "black"][ply % 2].to_owned(), Some(note.to_owned()));
                let search = SearchReport { score: Some(34), ..Default::default() };
                let ply = u32::try_from(ply).expect("small");
                record.notes.push(RecordedNote { ply, by, note, eval: None, search });
            }
        });
        let text = text.replace('\n', " ");
        assert!(
            text.contains("2. Qh5 {+0.34 0.530s, pv=\"d1h5 g8f6 h5f7\"} 2... Nc6 {+0.34}"),
            "{text}"
        );
        assert!(text.contains("3. Bc4 {+0.34 0.020s, pv=\"f1c4\"} 3... Nf6 4."), "{text}");
    }

    #[test]
    fn a_game_ends_in_a_position() {
        let mut record = game("ant", "bee", "white");
        record.actions =
            ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"].map(str::to_owned).to_vec();
        record.id = "x\"\n-1".to_owned();
        let end = format_end_epd(&rules(), &record).expect("legal");
        assert_eq!(
            end,
            "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - hmvc 0; fmvn 4; \
             id \"x' -1\"; c9 \"1-0\";"
        );
        record.actions.push("a1a8".to_owned());
        assert!(format_end_epd(&rules(), &record).is_err());
    }

    #[test]
    fn a_game_has_the_seven_tags_and_comments() {
        let text = written(|record| {
            let search = SearchReport { score: Some(34), depth: Some(12), ..Default::default() };
            let mate = SearchReport { mate: Some(1), ..Default::default() };
            for (ply, search) in [(2, search), (6, mate)] {
                let by = "white".to_owned();
                record.notes.push(RecordedNote { ply, by, note: None, eval: None, search });
            }
        });
        let names: Vec<&str> = text.lines().take(7).filter_map(|it| it.split(' ').next()).collect();
        assert_eq!(names, ["[Event", "[Site", "[Date", "[Round", "[White", "[Black", "[Result"]);
        assert!(
            text.contains("[Black \"b\\\"ee\"]\n[Result \"1-0\"]\n[PlyCount \"7\"]\n"),
            "{text}"
        );
        assert!(
            text.contains("[Termination \"normal\"]\n\n1. e4 {book} 1... e5 {book} "),
            "{text}"
        );
        let end = "2. Qh5 {+0.34/12 0.530s} 2... Nc6 3. Bc4 {0.020s} 3... Nf6 4. Qxf7# {+M1 0.000s} \
                   {checkmate} 1-0";
        assert!(text.replace('\n', " ").contains(end), "{text}");
        assert!(
            text.lines().all(|line| line.len() <= WIDTH) && text.ends_with("1-0\n\n"),
            "{text}"
        );
    }

    #[test]
    fn a_game_has_its_own_date() {
        let at = |began| written(|record| record.clock.began = began);
        assert!(at(1_700_000_000).contains("\n[Date \"2023.11.14\"]\n"));
        assert!(at(u64::MAX).contains("\n[Date \"9999.12.31\"]\n"));
        let created = format_pgn_date(header(&["ant"]).created);
        assert!(at(0).contains(&format!("\n[Date \"{created}\"]\n")), "a log under pseudonyms");
    }

    #[test]
    fn mates_are_counted_in_plies() {
        assert_eq!([3, 1, -3, 0].map(mate_in_plies), ["+M5", "+M1", "-M6", "-M0"]);
    }

    #[test]
    fn no_text_of_a_log_adds_a_tag_or_a_game() {
        let forged = "x} 0-1\n\n[Event \"y\"]\n\n1. f4 {";
        let text = written(|record| record.reason = forged.to_owned());
        assert_eq!(text.matches("\n[Event").count(), 0, "{text}");
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.join(" ").ends_with("{x) 0-1 [Event \"y\"] 1. f4 (} 1-0"), "{text}");
        let tagged = format_pgn_tag(("Event", "cup\"]\r\n[Result \"0-1".to_owned()));
        assert_eq!(tagged, "[Event \"cup\\\"]  [Result \\\"0-1\"]\n");
    }

    #[test]
    fn a_rejected_move_is_named() {
        let text = written(|record| {
            let fault = Fault::new(FaultCode::Illegal, "C1: a1a8 is not legal");
            record.fault = Some(BTreeMap::from([("white".into(), fault)]));
            record.reason = "illegal".to_owned();
        });
        let end = "{illegal; white: C1: a1a8 is not legal}";
        assert!(text.replace('\n', " ").contains(end), "{text}");
    }

    #[test]
    fn an_adjudicated_game_says_so() {
        let text = written(|record| record.reason = "adjudicated-draw".to_owned());
        assert!(text.contains("[Termination \"adjudication\"]"), "{text}");
        assert!(text.replace('\n', " ").contains("{adjudicated by scores}"), "{text}");
    }

    #[test]
    fn players_with_their_own_clocks_have_a_tag_each() {
        let text = written(|record| {
            let tc = BySeat::from([Some("40/60+0.6".parse().expect("a clock")), None]);
            record.clock.tc = Some(SeatMap::new(record.players.names.clone(), tc));
        });
        let tags = "[WhiteTimeControl \"40/60+0.6\"]\n[BlackTimeControl \"-\"]\n[Termination";
        assert!(text.contains(tags), "{text}");
    }

    #[test]
    fn another_start_is_set_up() {
        let text = written(|record| {
            let fen = json!("4k3/8/8/8/8/8/4P3/4K3 b - - 0 7");
            record.options = [("fen".to_owned(), fen)].into_iter().collect();
            record.opening.clear();
            record.actions = vec!["e8e7".to_owned(), "e2e4".to_owned()];
        });
        let setup = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\"]\n";
        assert!(text.contains(setup) && text.contains("\n\n7... Ke7 8. e4 {"), "{text}");
    }
}
