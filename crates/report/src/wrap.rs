//! Breaks lines between words, so that a terminal does not break them within.

use console::measure_text_width;

/// The text with its long lines broken at blanks, so that none is wider than `columns` unless one
/// of its words is. What follows a break is indented like its line, and by two more columns.
pub fn wrap(text: &str, columns: usize) -> String {
    text.split('\n').map(|line| wrap_line(line, columns, 2)).collect::<Vec<_>>().join("\n")
}

/// A paragraph of running text, whose lines all have this indent. Blanks and line breaks within it
/// do not matter.
pub fn wrap_paragraph(text: &str, indent: usize, columns: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    wrap_line(&format!("{:indent$}{}", "", words.join(" ")), columns, 0)
}

/// The line broken into lines; all but the first are indented by `more` columns more than it.
fn wrap_line(line: &str, columns: usize, more: usize) -> String {
    if measure_text_width(line) <= columns {
        return line.to_owned();
    }
    let begin = line.len() - line.trim_start_matches(' ').len();
    let indent = " ".repeat(begin + more);
    let (mut wrapped, mut width) = (" ".repeat(begin), begin);
    let mut is_first = true;
    for word in line[begin..].split(' ') {
        let room = measure_text_width(word);
        if !is_first && width + 1 + room > columns {
            wrapped.truncate(wrapped.trim_end_matches(' ').len());
            wrapped.push('\n');
            wrapped.push_str(&indent);
            width = indent.len();
        } else if !is_first {
            wrapped.push(' ');
            width += 1;
        }
        wrapped.push_str(word);
        width += room;
        is_first = false;
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_paragraph_have_one_indent() {
        assert_eq!(wrap_paragraph("one two\nthree", 2, 9), "  one two\n  three");
        assert_eq!(wrap_paragraph("one", 4, 3), "    one");
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrap("one two three", 20), "one two three");
        assert_eq!(wrap("one two three\n\nfour", 8), "one two\n  three\n\nfour");
        assert_eq!(wrap("one two\n", 5), "one\n  two\n", "the last line keeps its end");
        assert_eq!(wrap("  ok  start  greets", 12), "  ok  start\n    greets");
        assert_eq!(wrap("one extraordinary two", 9), "one\n  extraordinary\n  two");
        assert_eq!(wrap("\x1b[32mok\x1b[0m and so on", 9), "\x1b[32mok\x1b[0m and so\n  on");
    }
}
