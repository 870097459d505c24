//! Tuning parameters by playing: simultaneous perturbation stochastic approximation (SPSA), with the
//! schedule that testers of chess engines use.
//!
//! In step k of N, every parameter is moved by its own distance `c_k` up or down at random, and the two
//! players of the two directions play each other. All parameters then go a little towards the winner
//! (Spall, *Multivariate stochastic approximation using a simultaneous perturbation gradient
//! approximation*, 1992):
//!
//! ```text
//! c_k = c_N (N/k)^γ       a_k = r c_N² ((A+N)/(A+k))^α       θ += (a_k/c_k) (wins − losses) · ±1
//! ```
//!
//! So each parameter is set by `c_N`, the distance in the last step, and r is one number for all: the
//! share of this distance by which a game more won moves a parameter in the end.

/// A parameter to tune.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpsaParameter {
    /// The value at the start.
    pub start: f64,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// How far the two players of the last step are from the middle between them.
    pub step: f64,
    /// Whether players only take whole numbers.
    pub whole: bool,
}

impl SpsaParameter {
    /// The value that a player gets.
    pub fn value_to_play(&self, value: f64) -> f64 {
        let value = value.clamp(self.min, self.max);
        // No player is told `-0`.
        (if self.whole { value.round() } else { value }) + 0.0
    }
}

/// How fast parameters move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpsaSchedule {
    /// The number of steps, N.
    pub steps: u32,
    /// The rate in the last step, r.
    pub rate: f64,
    /// The steps that the start is slowed down by, A.
    pub stability: f64,
    /// How fast moves become smaller, α.
    pub alpha: f64,
    /// How fast distances become smaller, γ.
    pub gamma: f64,
}

/// The two players of a step, by the values of their parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Those moved in the drawn directions.
    pub plus: Vec<f64>,
    /// Those moved in the opposite ones.
    pub minus: Vec<f64>,
}

impl SpsaSchedule {
    /// The distances of a step, from 1, as multiples of those of the last one.
    fn relative_distance(&self, step: u32) -> f64 {
        (f64::from(self.steps) / f64::from(step)).powf(self.gamma)
    }

    /// The players of a step around `values`, given for each parameter whether it goes up.
    pub fn probe(
        &self,
        step: u32,
        tunables: &[SpsaParameter],
        values: &[f64],
        up: &[bool],
    ) -> Probe {
        let spread = self.relative_distance(step);
        let moved = |sign: f64| {
            let each = tunables.iter().zip(values).zip(up);
            each.map(|((it, value), &up)| {
                it.value_to_play(value + sign * spsa_sign(up) * it.step * spread)
            })
            .collect()
        };
        Probe { plus: moved(1.0), minus: moved(-1.0) }
    }

    /// The values after a step in which the player of the drawn directions won `lead` games more than
    /// it lost.
    pub fn values_after_step(
        &self,
        step: u32,
        tunables: &[SpsaParameter],
        values: &[f64],
        up: &[bool],
        lead: f64,
    ) -> Vec<f64> {
        let slow = |step: u32| self.stability + f64::from(step);
        let gain = self.rate * (slow(self.steps) / slow(step)).powf(self.alpha);
        let each = tunables.iter().zip(values).zip(up);
        each.map(|((it, value), &up)| {
            let change = gain * it.step / self.relative_distance(step) * lead * spsa_sign(up);
            (value + change).clamp(it.min, it.max)
        })
        .collect()
    }
}

fn spsa_sign(up: bool) -> f64 {
    if up { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    const SCHEDULE: SpsaSchedule =
        SpsaSchedule { steps: 200, rate: 0.05, stability: 20.0, alpha: 0.602, gamma: 0.101 };

    fn tunables() -> [SpsaParameter; 2] {
        [
            SpsaParameter { start: 20.0, min: 0.0, max: 100.0, step: 15.0, whole: true },
            SpsaParameter { start: 0.9, min: 0.0, max: 1.0, step: 0.15, whole: false },
        ]
    }

    /// The strength in Elo, which is best at 70 and 0.3: 100 less at a distance of half the range.
    fn strength(values: &[f64]) -> f64 {
        -100.0 * (((values[0] - 70.0) / 50.0).powi(2) + ((values[1] - 0.3) / 0.5).powi(2))
    }

    /// The values at the end, where a fifth of the games between equals is drawn.
    fn tune(schedule: &SpsaSchedule, pairs: u32, seed: u64) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let tunables = tunables();
        let mut values = tunables.map(|it| it.start).to_vec();
        for step in 1..=schedule.steps {
            let up = [rng.random(), rng.random()];
            let Probe { plus, minus } = schedule.probe(step, &tunables, &values, &up);
            let share = 1.0 / (1.0 + 10_f64.powf((strength(&minus) - strength(&plus)) / 400.0));
            let games = (0..2 * pairs).map(|_| match rng.random::<f64>() {
                u if u < share - 0.1 => 1.0,
                u if u < share + 0.1 => 0.0,
                _ => -1.0,
            });
            let lead = games.sum();
            values = schedule.values_after_step(step, &tunables, &values, &up, lead);
        }
        values
    }

    /// The budget of the literature for a curvature H in Elo, a rate r and distances c is
    /// 3 · 347 / (2 r c² |H|) games (M. Van den Bergh's design of SPSA for fishtest): here, with
    /// c² |H| = 15² · 2 · 100/50² = 18 Elo and r = 0.05, 579 games. Twice 200 pairs are 800.
    #[test]
    fn no_player_is_told_a_negative_zero() {
        let [whole, _] = tunables();
        let played = SpsaParameter { min: -5.0, ..whole }.value_to_play(-0.2);
        assert!(played == 0.0 && played.is_sign_positive());
    }

    #[test]
    #[expect(clippy::print_stdout, reason = "the figures are in the documentation")]
    fn two_parameters_are_found_within_the_budget_of_the_literature() {
        let lost: Vec<f64> = (0..200).map(|seed| -strength(&tune(&SCHEDULE, 2, seed))).collect();
        let start = -strength(&tunables().map(|it| it.start));
        let mean = lost.iter().sum::<f64>() / 200.0;
        let near = lost.iter().filter(|&&lost| lost <= 25.0).count();
        println!(
            "{start:.0} Elo are lost at the start, {mean:.1} at the end; {near} of 200 below 25"
        );
        assert!(start > 200.0 && mean < 15.0 && near >= 180, "{mean} {near}");
    }

    #[test]
    fn distances_and_moves_become_those_of_the_last_step() {
        let tunables = tunables();
        let at = |step| SCHEDULE.probe(step, &tunables, &[50.0, 0.5], &[true, false]);
        let last = at(200);
        assert_eq!((last.plus[0], last.minus[0]), (65.0, 35.0));
        assert!((last.plus[1] - 0.35).abs() < 1e-9 && (last.minus[1] - 0.65).abs() < 1e-9);
        assert!(at(1).plus[0] > 70.0, "wider at first");
        let moved =
            |step| SCHEDULE.values_after_step(step, &tunables, &[50.0, 0.5], &[true, false], 2.0);
        assert!((moved(200)[0] - 51.5).abs() < 1e-9, "r · c · 2 = 1.5");
        assert!(moved(1)[0] > moved(200)[0] && moved(1)[1] < 0.5);
    }

    #[test]
    fn values_stay_within_their_range() {
        let tunables = tunables();
        let probe = SCHEDULE.probe(1, &tunables, &[99.0, 0.01], &[true, false]);
        assert_eq!(probe.plus, [100.0, 0.0]);
        let moved = SCHEDULE.values_after_step(1, &tunables, &[99.0, 0.01], &[true, false], 99.0);
        assert_eq!(moved, [100.0, 0.0]);
    }
}
