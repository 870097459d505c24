//! Numbers of plies as text.

use std::fmt;

/// A number of plies, shown with its noun: `1 ply`, `2 plies`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plies(pub u32);

impl fmt::Display for Plies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 ply"),
            many => write!(f, "{many} plies"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_ply_is_singular() {
        assert_eq!(
            [0, 1, 2].map(|number| Plies(number).to_string()),
            ["0 plies", "1 ply", "2 plies"]
        );
    }
}
