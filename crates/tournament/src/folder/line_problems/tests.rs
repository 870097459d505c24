use super::*;

fn problem(line: usize, kind: LineProblemKind) -> LineProblem {
    LineProblem { line, id: Some(format!("{line}-1")), kind }
}

fn problems(kinds: impl IntoIterator<Item = LineProblemKind>) -> LineProblems {
    let mut problems = LineProblems::default();
    for (line, kind) in (2..).zip(kinds) {
        problems.add(problem(line, kind));
    }
    problems
}

#[test]
fn a_clean_log_has_no_warnings() {
    assert_eq!(LineProblems::default().describe(), [""; 0]);
}

#[test]
fn problems_name_their_line_and_game() {
    let unreadable = LineProblemKind::Unreadable(InvalidLine::TooLong);
    let mut found = problems([LineProblemKind::Double, LineProblemKind::Foreign]);
    found.add(LineProblem { line: 9, id: None, kind: unreadable });
    assert_eq!(
        found.describe(),
        [
            "warning: games.jsonl, line 2, game 2-1: the game is already in the log",
            "warning: games.jsonl, line 3, game 3-1: it is not from this tournament",
            "warning: games.jsonl, line 9: the line is longer than 67108864 bytes",
            "3 lines are ignored, so their games count as not played; `referee verify --repair` \
             moves such lines out of the log",
        ]
    );
    assert_eq!(found.foreign().map(|problem| problem.line), Some(3));
}

#[test]
fn an_edited_line_still_counts() {
    let lines = problems([LineProblemKind::Edited]).describe();
    assert_eq!(
        lines,
        [
            "warning: games.jsonl, line 2, game 2-1: the record was edited after it was written",
            "edited lines still count; `referee verify` checks everything",
        ]
    );
}

#[test]
fn many_problems_are_counted_and_the_first_are_named() {
    let kinds = [LineProblemKind::Edited, LineProblemKind::Double];
    let lines = problems(kinds.into_iter().cycle().take(12)).describe();
    assert_eq!(lines.len(), NAMED + 3);
    assert_eq!(lines[NAMED], "warning: and 7 more lines");
    assert!(lines[NAMED + 1].starts_with("6 lines are ignored"));
    let far =
        problems([vec![LineProblemKind::Edited; 20], vec![LineProblemKind::Foreign]].concat());
    assert_eq!(far.foreign().map(|problem| problem.line), Some(22), "even if it is not named");
}

#[test]
fn lines_of_the_log_are_escaped() {
    let id = Some("\u{1b}[2J".to_owned());
    let text = LineProblem { line: 2, id, kind: LineProblemKind::Double }.to_string();
    assert!(text.starts_with(r"games.jsonl, line 2, game \u{1b}[2J: "), "{text}");
}
