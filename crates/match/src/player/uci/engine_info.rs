//! The `info` lines of an engine.

use referee_protocol::SearchReport;

/// The most moves of the main line to keep.
const MOST_MOVES: usize = 10;

/// What an `info` line says about the best move.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct EngineInfo {
    /// The score, depth, nodes and time.
    pub(super) report: SearchReport,
    /// The main line, with blanks between its moves, or an empty text.
    pub(super) main_line: String,
}

impl EngineInfo {
    /// Reads a line; `None` if it has no exact score of the best move.
    pub(super) fn read(line: &str) -> Option<Self> {
        let (line, main_line) = line.split_once(" pv ").unwrap_or((line, ""));
        let mut words = line.split_whitespace().peekable();
        if words.next() != Some("info") {
            return None;
        }
        let mut info = Self { main_line: main_line.trim().to_owned(), ..Self::default() };
        while let Some(word) = words.next() {
            match word {
                "depth" => info.report.depth = words.next()?.parse().ok(),
                "nodes" => info.report.nodes = words.next()?.parse().ok(),
                "time" => info.report.time_ms = words.next()?.parse().ok(),
                "score" => {
                    let unit = words.next()?;
                    let value = words.next()?;
                    match unit {
                        "cp" => info.report.score = parse_info_centipawns(value),
                        "mate" => info.report.mate = value.parse().ok(),
                        _ => return None,
                    }
                }
                // Not the best move, or a score that the search did not settle on.
                "multipv" if words.peek() != Some(&"1") => return None,
                "lowerbound" | "upperbound" | "string" => return None,
                _ => {}
            }
        }
        (info.report.score.is_some() || info.report.mate.is_some()).then_some(info)
    }

    /// The beginning of the main line, if there is one.
    pub(super) fn note(&self) -> Option<String> {
        let moves: Vec<&str> = self.main_line.split_whitespace().take(MOST_MOVES).collect();
        (!moves.is_empty()).then(|| moves.join(" "))
    }
}

/// A score, which some engines write with a fraction.
fn parse_info_centipawns(text: &str) -> Option<i32> {
    text.parse().ok().or_else(|| {
        let score: f64 = text.parse().ok()?;
        #[expect(clippy::cast_possible_truncation, reason = "far below the largest number")]
        (score.abs() < 1e9).then(|| score.round() as i32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_of_the_best_move_is_read() {
        let info = EngineInfo::read(
            "info depth 12 seldepth 15 multipv 1 score cp -31 nodes 4567 nps 9 time 3 pv e2e4 e7e5",
        );
        let report = SearchReport {
            score: Some(-31),
            mate: None,
            depth: Some(12),
            nodes: Some(4567),
            time_ms: Some(3),
        };
        assert_eq!(info, Some(EngineInfo { report, main_line: "e2e4 e7e5".to_owned() }));
        let long = EngineInfo::read(&format!("info score cp 1 pv{}", " e2e4".repeat(12)));
        assert_eq!(long.and_then(|info| info.note()), Some(["e2e4"; 10].join(" ")));
        let mate = EngineInfo::read("info score mate -3").expect("a score");
        assert_eq!((mate.report.mate, mate.note()), (Some(-3), None));
        let score = |text| EngineInfo::read(&format!("info score cp {text}"))?.report.score;
        assert_eq!(["12.5", "-0.4", "7"].map(score), [Some(13), Some(0), Some(7)]);
        assert_eq!(["inf", "NaN", "1e40"].map(score), [None; 3]);
    }

    #[test]
    fn lines_without_an_exact_score_are_passed_over() {
        for line in [
            "",
            "info",
            "info depth 3",
            "info score",
            "info score cp",
            "info score cp many",
            "info depth 3 score cp 5 lowerbound",
            "info depth 3 multipv 2 score cp 5",
            "info string score cp 5",
            "bestmove e2e4",
        ] {
            assert_eq!(EngineInfo::read(line), None, "{line}");
        }
    }
}
