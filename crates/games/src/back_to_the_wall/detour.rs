//! Tests whether a wall on a square can cut other squares apart, looking only at the eight squares
//! around it.
//!
//! If the open squares beside it are linked by open squares around it, every path over the square
//! has a detour, and the wall cuts nothing apart.

/// Returns whether a wall on a square may cut others apart. `near` are the open squares around it,
/// one bit each, row by row.
pub(super) const fn may_cut(near: u8) -> bool {
    MAY_CUT[near as usize]
}

/// [`may_cut`] for every value.
const MAY_CUT: [bool; 256] = {
    let mut table = [false; 256];
    let mut near = 0;
    while near < 256 {
        table[near] = parts(near) > 1;
        near += 1;
    }
    table
};

/// The bits of the squares around a square, clockwise from the one above. Every second one shares a
/// side with the square.
const RING: [usize; 8] = [1, 2, 4, 7, 6, 5, 3, 0];

/// The number of parts into which the open squares beside a square fall, if only the squares around
/// it link them.
const fn parts(near: usize) -> usize {
    let (mut beside, mut links) = (0, 0);
    let mut at = 0;
    while at < 8 {
        if near >> RING[at] & 1 == 1 {
            beside += 1;
            if near >> RING[at + 1] & 1 == 1 && near >> RING[(at + 2) % 8] & 1 == 1 {
                links += 1;
            }
        }
        at += 2;
    }
    // Four links close the ring.
    if links == 4 { 1 } else { beside - links }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the squares around the middle of three rows: `.` is open.
    fn near(rows: [&str; 3]) -> u8 {
        let squares: Vec<bool> = rows.concat().chars().map(|symbol| symbol == '.').collect();
        let around = squares[..4].iter().chain(&squares[5..]).enumerate();
        around.map(|(bit, open)| u8::from(*open) << bit).sum()
    }

    #[test]
    fn a_wall_with_a_detour_cuts_nothing() {
        for rows in [
            ["...", ". .", "..."],
            ["..#", ". .", "..."],
            ["###", "# #", "#.#"],
            ["###", "# #", "###"],
            ["#..", "# .", "#.."],
            [".#.", ". .", "..."],
        ] {
            assert!(!may_cut(near(rows)), "{rows:?}");
        }
    }

    #[test]
    fn a_wall_without_a_detour_may_cut() {
        for rows in [
            ["###", ". .", "###"],
            ["#.#", "# .", "###"],
            ["..#", ". .", "#.."],
            ["#.#", ". .", "#.#"],
        ] {
            assert!(may_cut(near(rows)), "{rows:?}");
        }
    }
}
