//! Matrix games: one simultaneous turn, solved by mixed strategies.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use referee_games::two_player::BySide;

/// Rounds of regret matching.
const ROUNDS: usize = 120;
/// Choices less likely than this are never played.
const UNLIKELY: f64 = 0.05;

/// The value of each pair of choices to the row player.
#[derive(Debug, Default)]
pub(super) struct PayoffMatrix {
    rows: Vec<Vec<f64>>,
}

/// A mixed strategy: the probability of each choice.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MixedStrategy(Vec<f64>);

impl MixedStrategy {
    /// The expected value, given the value of each choice.
    pub(super) fn expected_value(&self, worth: &[f64]) -> f64 {
        self.0.iter().zip(worth).map(|(share, worth)| share * worth).sum()
    }

    /// Draws the index of a choice, ignoring unlikely ones; 0 if none is likely enough.
    pub(super) fn draw_choice(&self, rng: &mut ChaCha8Rng) -> usize {
        let most = self.0.iter().copied().fold(0.0, f64::max);
        let likely = |share: f64| if share < UNLIKELY.min(most) { 0.0 } else { share };
        let total: f64 = self.0.iter().copied().map(likely).sum();
        let mut left = rng.random::<f64>() * total;
        let reaches = |(_, share): &(usize, f64)| {
            left -= share;
            left < 0.0
        };
        let shares = self.0.iter().copied().map(likely).enumerate();
        shares.clone().find(reaches).map_or(0, |(index, _)| index)
    }
}

impl PayoffMatrix {
    /// Returns whether the game has no choices yet.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a choice of the row player.
    pub(super) fn add_row(&mut self, row: Vec<f64>) {
        self.rows.push(row);
    }

    /// Adds a choice of the column player.
    pub(super) fn add_column(&mut self, column: &[f64]) {
        for (row, worth) in self.rows.iter_mut().zip(column) {
            row.push(*worth);
        }
    }

    /// Approximates the optimal mixed strategies, the row player's first, and their value to the
    /// row player. The method is regret matching that resets negative regrets to zero and gives
    /// later rounds more weight (as in CFR+).
    pub(super) fn solve(&self) -> (BySide<MixedStrategy>, f64) {
        let width = self.rows.first().map_or(0, Vec::len);
        let mut rows = RegretMatcher::new(self.rows.len());
        let mut columns = RegretMatcher::new(width);
        for round in 1..=ROUNDS {
            let (row_mix, column_mix) = (rows.current_strategy(), columns.current_strategy());
            let by_row: Vec<_> =
                self.rows.iter().map(|row| column_mix.expected_value(row)).collect();
            rows.learn(&row_mix, &by_row, round);
            let mut by_column = vec![0.0; width];
            for (row, share) in self.rows.iter().zip(&row_mix.0) {
                for (sum, worth) in by_column.iter_mut().zip(row) {
                    *sum -= share * worth;
                }
            }
            columns.learn(&column_mix, &by_column, round);
        }
        let mix = BySide::new(rows.average_strategy(), columns.average_strategy());
        let by_row: Vec<_> = self.rows.iter().map(|row| mix.second.expected_value(row)).collect();
        let value = mix.first.expected_value(&by_row);
        (mix, value)
    }
}

/// The regrets of one seat while the game is being solved.
struct RegretMatcher {
    regrets: Vec<f64>,
    sum: Vec<f64>,
}

impl RegretMatcher {
    fn new(choices: usize) -> Self {
        Self { regrets: vec![0.0; choices], sum: vec![0.0; choices] }
    }

    fn current_strategy(&self) -> MixedStrategy {
        normalize_strategy(&self.regrets)
    }

    fn average_strategy(&self) -> MixedStrategy {
        normalize_strategy(&self.sum)
    }

    /// Updates the regrets with the value that each choice would have had in a round in which `mix`
    /// was played.
    fn learn(&mut self, mix: &MixedStrategy, worth: &[f64], round: usize) {
        let mean = mix.expected_value(worth);
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let weight = round as f64;
        for (regret, worth) in self.regrets.iter_mut().zip(worth) {
            *regret = (*regret + worth - mean).max(0.0);
        }
        for (sum, share) in self.sum.iter_mut().zip(&mix.0) {
            *sum += weight * share;
        }
    }
}

/// Scales the weights to a sum of 1; equal shares if all are zero.
fn normalize_strategy(weights: &[f64]) -> MixedStrategy {
    let total: f64 = weights.iter().sum();
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let even = 1.0 / weights.len() as f64;
    let share = |weight: &f64| if total > 0.0 { weight / total } else { even };
    MixedStrategy(weights.iter().map(share).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rock_paper_scissors_is_mixed_evenly() {
        let mut matrix = PayoffMatrix::default();
        for row in [[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]] {
            matrix.add_row(row.to_vec());
        }
        let (mix, value) = matrix.solve();
        assert!(value.abs() < 0.02, "{value}");
        assert!(mix.first.0.iter().all(|share| (share - 1.0 / 3.0).abs() < 0.05), "{mix:?}");
    }

    #[test]
    fn dominated_choices_are_not_played() {
        let mut matrix = PayoffMatrix::default();
        matrix.add_row(vec![1.0, 2.0]);
        matrix.add_row(vec![0.0, 1.0]);
        matrix.add_column(&[3.0, 3.0]);
        let (mix, value) = matrix.solve();
        assert!((value - 1.0).abs() < 0.05, "{value}");
        assert!(mix.first.0[0] > 0.95 && mix.second.0[0] > 0.95, "{mix:?}");
    }
}
