use std::sync::Arc;

use ndarray::{Array2, ArrayView1};
use proptest::prelude::*;

use super::*;
use crate::matrices::parameter_order::ParameterOrder;

/// Four players; the last two have fixed ratings half a unit apart.
fn layout(seats: SeatEffect) -> ParameterLayout {
    ParameterLayout::new(&[None, None, Some((0, 0.0)), Some((0, 0.5))], seats)
}

const SEATS: [SeatEffect; 2] = [SeatEffect::Common, SeatEffect::PerPlayer];

fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..4).flat_map(|upper| (0..4).map(move |lower| (upper, lower))).filter(|(one, two)| one != two)
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

fn times(matrix: &Array2<f64>, vector: &[f64]) -> Vec<f64> {
    matrix.dot(&ArrayView1::from(vector)).to_vec()
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * (1.0 + one.abs() + other.abs())
}

/// The contrast, the common part and the draw parameter of two players at `point`.
fn parts(layout: &ParameterLayout, predictor: &PairPredictor, point: &[f64]) -> [f64; 3] {
    let [upper, lower] = predictor.leads(point);
    let contrast = (upper - lower) / 2.0 - predictor.shift;
    [contrast, f64::midpoint(upper, lower), point[layout.draw_index()]]
}

/// The vector over all parameters of one of the parts.
fn direction(layout: &ParameterLayout, predictor: &PairPredictor, part: usize) -> Vec<f64> {
    let mut unit = [0.0; 3];
    unit[part] = 1.0;
    let mut vector = vec![0.0; layout.len()];
    predictor.add_vector(unit, &mut vector);
    vector
}

fn point() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-3.0..3.0, 10)
}

fn local() -> impl Strategy<Value = Local> {
    prop::array::uniform6(-2.0..2.0)
        .prop_map(|[a, b, c, d, e, f]| [[a, b, c], [b, d, e], [c, e, f]])
}

proptest! {
    #[test]
    fn the_predictor_is_the_sum_of_its_parts(point in point(), given in prop::array::uniform3(-2.0..2.0)) {
        for layout in SEATS.map(layout) {
            let point = &point[..layout.len()];
            for (upper, lower) in pairs() {
                let predictor = layout.pair_predictor(upper, lower);
                let mut vector = vec![0.0; layout.len()];
                predictor.add_vector(given, &mut vector);
                let expected = dot(&given, &parts(&layout, &predictor, point));
                prop_assert!(close(dot(&vector, point), expected));
            }
        }
    }

    #[test]
    fn a_local_matrix_is_spread_over_the_parameters_of_the_pair(point in point(), local in local()) {
        for layout in SEATS.map(layout) {
            let point = &point[..layout.len()];
            for (upper, lower) in pairs() {
                let predictor = layout.pair_predictor(upper, lower);
                let mut matrix = Triangle::zeros(Arc::new(ParameterOrder::dense(layout.len())));
                predictor.add_matrix(&local, &mut matrix);
                let size = (layout.len(), layout.len());
                let matrix = Array2::from_shape_fn(size, |(one, other)| matrix.cell(one, other));
                let value = dot(&times(&matrix, point), point);
                let at = parts(&layout, &predictor, point);
                let rows = local.map(|row| dot(&row, &at));
                prop_assert!(close(value, dot(&rows, &at)), "{} – {}", upper, lower);
            }
        }
    }

    #[test]
    fn a_matrix_is_restricted_to_the_parts_of_the_pair(cells in prop::collection::vec(-2.0..2.0, 100)) {
        for layout in SEATS.map(layout) {
            let matrix = Array2::from_shape_fn((layout.len(), layout.len()), |(row, column)| {
                cells[row.max(column) * 10 + row.min(column)]
            });
            for (upper, lower) in pairs() {
                let predictor = layout.pair_predictor(upper, lower);
                let restricted = predictor.restrict_to_parts(&matrix);
                let directions = [0, 1, 2].map(|part| direction(&layout, &predictor, part));
                for (row, one) in restricted.iter().zip(&directions) {
                    for (&cell, other) in row.iter().zip(&directions) {
                        let expected = dot(one, &times(&matrix, other));
                        prop_assert!(close(cell, expected), "{} – {}", upper, lower);
                    }
                }
            }
        }
    }
}

#[test]
fn players_with_fixed_ratings_share_a_strength() {
    let layout = layout(SeatEffect::Common);
    assert_eq!(layout.slots, [0, 1, 2, 2]);
    assert_eq!((layout.strengths, layout.draw_index(), layout.len()), (3, 4, 5));
    assert_eq!(layout.advantage([0, 1]), [Some((3, 1.0)), None]);
    let fixed = layout.pair_predictor(3, 2);
    let [first, second] = fixed.leads(&[9.0, 9.0, 1.0, 0.25, 0.0]);
    assert!(
        close(first, 0.75) && close(second, -0.25),
        "the difference is known: {first} {second}"
    );
}

#[test]
fn each_player_may_have_a_seat_effect_of_its_own() {
    let layout = layout(SeatEffect::PerPlayer);
    assert_eq!((layout.len(), layout.own_effects()), (9, 5..9));
    let mut point = vec![0.0; 9];
    point[layout.own_effect_index(0)] = 1.0;
    let leads = |upper, lower| layout.pair_predictor(upper, lower).leads(&point);
    assert!(leads(0, 1).iter().all(|&lead| close(lead, 0.5)), "half of it in each of its games");
    assert!(leads(1, 2).iter().all(|&lead| close(lead, 0.0)));
}
