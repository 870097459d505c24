use super::*;
use crate::linear::{Layout, SeatEffect};

/// Eight players in a ring, each of which met its neighbours.
fn ring() -> (usize, Vec<PairPredictor>) {
    let layout = Layout::new(&[None; 8], SeatEffect::Common);
    let pairs = (0..8).map(|player| layout.pair(player, (player + 1) % 8)).collect();
    (layout.len(), pairs)
}

fn local() -> Local {
    [[0.5, 0.1, 0.05], [0.1, 0.4, 0.02], [0.05, 0.02, 0.3]]
}

/// The same matrix of the ring, dense and sparse.
fn both() -> [Matrix; 2] {
    let (size, pairs) = ring();
    let sparse = Pattern::Sparse(Pattern::sparse(size, pairs.iter().copied()));
    [Pattern::Full, sparse].map(|pattern| {
        let terms = pairs.iter().map(|&pair| (pair, local()));
        Matrix::sum(&pattern, &vec![1.0; size], [8, 9], terms)
    })
}

#[test]
fn both_kinds_have_the_same_cells() {
    let [dense, sparse] = both();
    let (size, _) = ring();
    for row in 0..size {
        for column in 0..size {
            let (one, other) = (dense.at(row, column), sparse.at(row, column));
            assert!((one - other).abs() < 1e-6, "{row}, {column}: {one} {other}");
        }
    }
    let again = sparse.into_dense();
    assert!((again.at(9, 0) - dense.at(0, 9)).abs() < 1e-6);
}

#[test]
fn both_kinds_solve_the_same_system() {
    let (size, _) = ring();
    let right: Vec<f64> =
        (0..size).map(|row| f64::from(u8::try_from(row).expect("small"))).collect();
    let [one, other] = both().map(|matrix| matrix.system(1e-9).solve(&right));
    for (one, other) in one.iter().zip(&other) {
        assert!((one - other).abs() < 1e-3, "{one} {other}");
    }
}

#[test]
fn both_kinds_have_the_same_inverse_where_the_pattern_goes() {
    let (size, _) = ring();
    let [dense, sparse] = both().map(|matrix| matrix.system(1e-9).inverse());
    for row in 0..size {
        let (one, other) = (dense.at(row, row), sparse.at(row, row));
        assert!((one - other).abs() < 0.1 * one, "{row}: {one} {other}");
    }
    assert_eq!(sparse.at(0, 4).to_bits(), 0.0_f64.to_bits(), "they never met");
}

#[test]
fn a_small_field_is_dense_and_a_large_one_with_few_games_is_sparse() {
    let (size, pairs) = ring();
    assert!(matches!(Pattern::of(size, pairs.iter().copied()), Pattern::Full));
    let layout = Layout::new(&vec![None; SMALL + 1], SeatEffect::Common);
    let few: Vec<_> = (0..SMALL).map(|player| layout.pair(player, player + 1)).collect();
    assert!(matches!(Pattern::of(layout.len(), few.into_iter()), Pattern::Sparse(_)));
}
