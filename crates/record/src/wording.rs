//! Small pieces of sentences.

use std::fmt::Display;

/// A number and its noun, with an `s` unless the number is 1.
pub fn pluralize<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let ending = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// What the games are called in which everyone sits once in every seat, with the same luck.
pub fn deal_noun(seats: usize) -> &'static str {
    if seats == 2 { "pair" } else { "deal" }
}

/// Lists names in a sentence, safe to show: `ant, bee and cat`.
pub fn join_with_and(names: &[impl AsRef<str>]) -> String {
    let names: Vec<String> =
        names.iter().map(|name| referee_protocol::escape::escape_line(name.as_ref())).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!(
            [0, 1, 2].map(|number| pluralize(number, "game")),
            ["0 games", "1 game", "2 games"]
        );
    }
}
