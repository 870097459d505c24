//! Checks what people see of a position: plain text, or a board.

use referee_games::{BoardLook, BySeat, DrawnBoard, Labels, Text, is_unsafe_to_show};

use crate::contract::{
    LONGEST_LABEL, LONGEST_ROW, LONGEST_TEXT, MOST_ON_SQUARE, MOST_ROWS, MOST_SYMBOLS,
};
use crate::error::Violation;

/// Checks plain text and the caption.
pub(crate) fn check_board_text(rows: &[String], caption: &str) -> Result<(), Violation> {
    let fits = |text: &str| is_short_board_text(text, LONGEST_ROW);
    if rows.len() <= MOST_ROWS && fits(caption) && rows.iter().all(|row| fits(row)) {
        Ok(())
    } else {
        Err(Violation::Rows)
    }
}

/// Checks the look of a game's boards.
pub(crate) fn check_board_look(look: &BoardLook, seats: &BySeat<Text>) -> Result<(), Violation> {
    let wrong = |what: String| Err(Violation::Board(what));
    if look.legend.len() > MOST_SYMBOLS {
        return wrong(format!("its legend has more than {MOST_SYMBOLS} characters"));
    }
    for (symbol, meaning) in &look.legend {
        if matches!(symbol, '.' | ' ') || is_unsafe_to_show(*symbol) {
            return wrong(format!("{symbol:?} cannot be in a legend"));
        }
        let is_seat = |name: &Text| seats.seat(name).is_some();
        if let Some(name) = meaning.seat.as_ref().filter(|name| !is_seat(name)) {
            return wrong(format!(
                "`{symbol}` belongs to `{}`, which is not a seat",
                name.escape_debug()
            ));
        }
        if !is_short_board_text(&meaning.name, LONGEST_TEXT)
            || !is_short_board_text(&meaning.glyph, LONGEST_LABEL)
        {
            return wrong(format!("the name or glyph of `{symbol}` is too long"));
        }
    }
    check_board_labels(&look.columns)?;
    check_board_labels(&look.rows)?;
    if is_short_board_text(&look.separator, LONGEST_LABEL) {
        Ok(())
    } else {
        wrong("its separator is too long".to_owned())
    }
}

/// The board with the game's labels, once it is checked.
pub(crate) fn check_drawn_board(
    mut board: DrawnBoard,
    look: Option<&BoardLook>,
    seats: &BySeat<Text>,
) -> Result<DrawnBoard, Violation> {
    let wrong = |what: String| Err(Violation::Board(what));
    let Some(look) = look else {
        return wrong("the description of the game has no `board` with a `legend`".to_owned());
    };
    let (width, height) = (board.width(), board.cells.len());
    if !(1..=MOST_ROWS).contains(&width) || height > MOST_ROWS {
        return wrong(format!(
            "it has {width} columns and {height} rows; each can be 1 to {MOST_ROWS}"
        ));
    }
    if let Some(row) = board.cells.iter().find(|row| row.0.len() != width) {
        return wrong(format!("its rows differ in length: {width} and {} squares", row.0.len()));
    }
    for square in board.squares() {
        if square.0.len() > MOST_ON_SQUARE {
            return wrong(format!("a square has more than {MOST_ON_SQUARE} characters"));
        }
        if let Some(symbol) = square.0.iter().find(|symbol| !look.legend.contains_key(symbol)) {
            return wrong(format!("{symbol:?} is not in the legend"));
        }
    }
    for die in &board.dice {
        seats.seat(&die.seat).ok_or_else(|| Violation::Seat(die.seat.to_string()))?;
        if !(1..=6).contains(&die.value) {
            return wrong(format!("a die shows {}, expected 1 to 6", die.value));
        }
    }
    board.add_missing_labels(look);
    for (labels, count, what) in [(&board.columns, width, "column"), (&board.rows, height, "row")] {
        check_board_labels(labels)?;
        if !labels.is_empty() && labels.0.len() < count {
            return wrong(format!(
                "it has {count} {what}s, but {} labels for them",
                labels.0.len()
            ));
        }
    }
    Ok(board)
}

fn check_board_labels(labels: &Labels) -> Result<(), Violation> {
    let fits = |label: &String| !label.is_empty() && is_short_board_text(label, LONGEST_LABEL);
    match labels.0.iter().find(|label| !fits(label)) {
        None => Ok(()),
        Some(label) => Err(Violation::Board(format!(
            "the label {label:?} is empty, longer than {LONGEST_LABEL} characters, or not visible"
        ))),
    }
}

/// Whether a text has at most this many characters, all safe to show.
fn is_short_board_text(text: &str, most: usize) -> bool {
    text.chars().count() <= most && !text.chars().any(is_unsafe_to_show)
}
