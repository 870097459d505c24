//! Games of Go in SGF.

use std::fmt::Write;

use referee_games::Seat;
use referee_record::model::player_spec::EngineProtocol;
use referee_record::model::record::{GameRecord, Header, RESIGNATION};
use serde_json::Value;

use crate::pgn::{describe_pgn_ending, format_pgn_date, pgn_single_line};

/// The letters of columns, as Go programs name them.
const COLUMNS: &str = "ABCDEFGHJKLMNOPQRST";

/// The reason why a game cannot be written in SGF.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SgfError {
    /// It is not a game of Go with a size.
    #[error("only Go games with the option `size` can be written as SGF")]
    NotGo,
    /// An action is not a move of Go.
    #[error("`{}` is not a point on a board of size {size}", pgn_single_line(.action))]
    NotAPoint {
        /// The action.
        action: String,
        /// The size of the board.
        size: usize,
    },
}

/// A game of Go in SGF, as a line of its own.
///
/// # Errors
/// It is another game, or one of its actions is not a point or `pass`.
pub fn sgf(header: &Header, record: &GameRecord) -> Result<String, SgfError> {
    let option = |name: &str| record.options.get(name).or_else(|| header.options.get(name));
    let size = option("size").and_then(Value::as_u64).and_then(|size| usize::try_from(size).ok());
    let size = size.filter(|size| (1..=COLUMNS.len()).contains(size)).ok_or(SgfError::NotGo)?;
    if header.game != EngineProtocol::Gtp.game() {
        return Err(SgfError::NotGo);
    }
    let began = if record.clock.began == 0 { header.created } else { record.clock.began };
    let mut properties = vec![
        ("FF", "4".to_owned()),
        ("GM", "1".to_owned()),
        ("CA", "UTF-8".to_owned()),
        ("AP", "referee".to_owned()),
        ("SZ", size.to_string()),
        ("RU", "Chinese".to_owned()),
        ("EV", header.tournament.clone()),
        ("RO", format!("{}.{}", record.pair, record.game)),
        ("DT", format_pgn_date(began).replace('.', "-")),
        ("PB", record.players[Seat::FIRST].clone()),
        ("PW", record.players[Seat::SECOND].clone()),
        ("RE", sgf_result(record)),
        ("GC", describe_pgn_ending(record)),
    ];
    if let Some(komi) = option("komi") {
        properties.push(("KM", komi.as_str().map_or_else(|| komi.to_string(), str::to_owned)));
    }
    if let (Some(budget), true) = (header.clock.budget, record.clock.tc.is_none()) {
        properties.push(("TM", budget.as_secs_f64().to_string()));
    }
    let mut text = String::from("(;");
    for (name, value) in properties {
        let value = pgn_single_line(&value).replace('\\', "\\\\").replace(']', "\\]");
        let _ = write!(text, "{name}[{value}]");
    }
    let colours = ["B", "W"].iter().cycle();
    for (action, colour) in record.opening.iter().chain(&record.actions).zip(colours) {
        let point = format_sgf_point(action, size);
        let point = point.ok_or_else(|| SgfError::NotAPoint { action: action.clone(), size })?;
        let _ = write!(text, ";{colour}[{point}]");
    }
    Ok(text + ")")
}

/// An action in the coordinates of SGF, from the top left; a pass is empty.
fn format_sgf_point(action: &str, size: usize) -> Option<String> {
    if action == "pass" {
        return Some(String::new());
    }
    let letter = action.chars().next()?;
    let column = COLUMNS[..size].find(letter)?;
    let row: usize =
        action.strip_prefix(letter)?.parse().ok().filter(|row| (1..=size).contains(row))?;
    let letter = |at: usize| u8::try_from(at).ok().map(|at| char::from(b'a' + at));
    Some([letter(column)?, letter(size - row)?].iter().collect())
}

/// Who won, and by what: `B+3.5`, `W+R`, `B+T`, `W+F`, `0`, or `Void` if both players failed.
fn sgf_result(record: &GameRecord) -> String {
    let [black, white] = [Seat::FIRST, Seat::SECOND].map(|seat| record.score(seat));
    let winner = match black.total_cmp(&white) {
        std::cmp::Ordering::Greater => "B+",
        std::cmp::Ordering::Less => "W+",
        std::cmp::Ordering::Equal if black > 0.0 => return "0".to_owned(),
        std::cmp::Ordering::Equal => return "Void".to_owned(),
    };
    let fault = record.players.seats().find_map(|seat| record.fault_of(seat));
    let scores =
        record.final_scores.as_ref().map(|scores| scores.values.clone().map(|it| it.as_f64()));
    let how = match (fault, scores) {
        (Some(fault), _) if fault.code.is_late() => "T".to_owned(),
        (Some(_), _) => "F".to_owned(),
        (None, _) if record.reason == RESIGNATION => "R".to_owned(),
        (None, Some(scores)) => match [scores[Seat::FIRST], scores[Seat::SECOND]] {
            [Some(black), Some(white)] => (black - white).abs().to_string(),
            _ => String::new(),
        },
        (None, None) => String::new(),
    };
    format!("{winner}{how}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::SeatMap;
    use referee_record::model::fault::{Fault, FaultCode};
    use referee_record::model::record::examples::{game, header};
    use serde_json::json;

    fn go() -> Header {
        let mut header = header(&["ant", "b]ee"]);
        header.game = "go".to_owned();
        header.options = serde_json::from_value(json!({"size": 9, "komi": "6.5"})).expect("a map");
        header
    }

    fn record(actions: &[&str]) -> GameRecord {
        let mut record = game("ant", "b]ee", "black");
        record.opening = vec!["A1".to_owned()];
        record.actions = actions.iter().map(ToString::to_string).collect();
        record.reason = "passes".to_owned();
        record
    }

    #[test]
    fn a_game_has_its_names_result_and_moves() {
        let mut record = record(&["J9", "D4", "pass", "pass"]);
        let numbers = [40, 41].map(serde_json::Number::from);
        let names = record.scores.names.clone();
        record.final_scores = Some(SeatMap { names, values: numbers.into() });
        let text = sgf(&go(), &record).expect("a game");
        for part in ["(;FF[4]GM[1]", "SZ[9]", "PB[ant]PW[b\\]ee]RE[W+1]GC[passes]KM[6.5]"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(text.ends_with(";B[ai];W[ia];B[df];W[];B[])"), "{text}");
    }

    #[test]
    fn results_are_written_as_go_programs_do() {
        let mut record = record(&[]);
        record.reason = RESIGNATION.to_owned();
        assert_eq!(sgf_result(&record), "W+R");
        for (code, expected) in [(FaultCode::Timeout, "W+T"), (FaultCode::Illegal, "W+F")] {
            let seat = record.players.names[Seat::FIRST].to_string();
            record.fault = Some([(seat, Fault::new(code, "x"))].into());
            assert_eq!(sgf_result(&record), expected);
        }
    }

    #[test]
    fn other_games_and_moves_are_refused() {
        for wrong in ["I3", "A10", "D", "\u{e9}4", "e2e4", ""] {
            let error = sgf(&go(), &record(&[wrong])).expect_err(wrong);
            assert!(error.to_string().contains("is not a point on a board of size 9"), "{error}");
        }
        assert_eq!(sgf(&header(&["ant", "bee"]), &record(&[])), Err(SgfError::NotGo));
    }
}
