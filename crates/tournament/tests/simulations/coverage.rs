//! How often the 95% intervals hold the truth in each format: tournaments between players of known
//! strength, paired and evaluated as `run` does. Prints its figures
//! (`cargo test -p referee-tournament --test simulations -- --ignored --nocapture coverage`).

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee_ratings::GameOutcome;
use referee_record::model::fault::FaultCode;
use referee_record::model::fixture::Lineup;
use referee_record::model::game_summary::GameSummary;
use referee_record::model::record::{Header, examples};
use referee_record::model::stage::{Format, Stage};
use referee_tournament::analysis::TournamentEvaluation;
use referee_tournament::analysis::named_results::Faulted;
use referee_tournament::schedule::tournament_state::TournamentState;

/// Tournaments per scenario.
const TOURNAMENTS: u64 = 200;
/// Games in a row that a player may lose by a fault.
const QUARANTINE: u32 = 3;

/// A tournament, and the players who play it.
struct Scenario {
    name: &'static str,
    stages: Vec<Stage>,
    /// The strengths in Elo.
    truth: Vec<f64>,
    /// Games in all, with `--until`: the stages' games and further ones.
    until: Option<usize>,
    /// The draw parameter: between equals, a draw is that many times as likely as a win of one.
    draws: f64,
    /// The first seat's advantage, in Elo.
    advantage: f64,
    /// The luck in the second game of a pair, given that of the first.
    luck: Luck,
    /// This many of the last players fail in every game.
    failing: usize,
    /// This many of the last players come late.
    late: usize,
}

#[derive(Clone, Copy)]
enum Luck {
    Independent,
    /// Who was lucky in the first game is lucky in the second.
    Same,
    /// The first seat is as lucky in both games.
    Mirrored,
}

/// Players who are `step` Elo apart.
fn even(players: u32, step: f64) -> Vec<f64> {
    let middle = f64::from(players - 1) / 2.0;
    (0..players).map(|at| step * (middle - f64::from(at))).collect()
}

/// Two camps of such players, `apart` Elo from each other.
fn camps(players: u32, step: f64, apart: f64) -> Vec<f64> {
    let camp = even(players / 2, step);
    [0.5, -0.5].iter().flat_map(|side| camp.iter().map(move |it| it + side * apart)).collect()
}

/// Such players, the first of them `above` Elo better.
fn with_star(players: u32, step: f64, above: f64) -> Vec<f64> {
    let mut truth = even(players, step);
    truth[0] += above;
    let mean = truth.iter().sum::<f64>() / f64::from(players);
    truth.iter().map(|it| it - mean).collect()
}

fn scenario(name: &'static str, format: Format, truth: Vec<f64>) -> Scenario {
    staged(name, vec![Stage { format, pairs: 1, players: None }], truth)
}

fn staged(name: &'static str, stages: Vec<Stage>, truth: Vec<f64>) -> Scenario {
    let (draws, advantage, luck) = (0.5, 40.0, Luck::Independent);
    Scenario { name, stages, truth, until: None, draws, advantage, luck, failing: 0, late: 0 }
}

fn opponents(opponents: usize) -> Format {
    Format::PartialRoundRobin { opponents, late: Vec::new(), corrected: Vec::new() }
}

impl Scenario {
    /// The outcome of a game at the quantile `luck` of the first seat, which is ahead by `lead`.
    fn outcome(&self, lead: f64, luck: f64) -> GameOutcome {
        let elo = 400.0 / std::f64::consts::LN_10 * 2.0 / (2.0 + self.draws);
        let half = (lead + self.advantage) / elo / 2.0;
        let [win, draw, loss] = [half.exp(), self.draws, (-half).exp()];
        match luck * (win + draw + loss) {
            drawn if drawn < win => GameOutcome::Win,
            drawn if drawn < win + draw => GameOutcome::Draw,
            _ => GameOutcome::Loss,
        }
    }

    /// Plays a whole tournament.
    fn play(&self, seed: u64) -> TournamentState {
        let players = self.truth.len();
        let names: Vec<String> = (0..players).map(|player| format!("p{player}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut stages = self.stages.clone();
        if let [Stage { format: Format::PartialRoundRobin { late, .. }, .. }] = &mut stages[..] {
            late.extend(names[players - self.late..].iter().map(|&name| name.to_owned()));
        }
        stages.extend(self.until.map(|_| Stage::extra_games()));
        let header = Header {
            stages,
            drawn: true,
            identity: seed.to_string(),
            quarantine: QUARANTINE,
            ..examples::header(&names)
        };
        let (mut state, mut next) = (TournamentState::new(&header), 0);
        if self.until.is_some() {
            state.allow_further();
        }
        let mut luck = ChaCha8Rng::seed_from_u64(seed);
        let mut before = 0.0;
        while let Some(index) = state.next_due(next) {
            if self.until.is_some_and(|games| state.played() >= games) {
                break;
            }
            let fixture = state.fixture(index);
            let fresh: f64 = luck.random();
            let drawn = match self.luck {
                Luck::Same if fixture.game == 2 => 1.0 - before,
                Luck::Mirrored if fixture.game == 2 => before,
                _ => fresh,
            };
            before = drawn;
            let lead = self.truth[fixture.players.two()[0]] - self.truth[fixture.players.two()[1]];
            state.add_fixture(fixture, self.summary(fixture.players, lead, drawn)).expect("due");
            next = index + 1;
        }
        state
    }

    fn summary(&self, players: Lineup, lead: f64, luck: f64) -> GameSummary {
        let fails = |player: usize| player >= self.truth.len() - self.failing;
        let failing = players.seats().filter(|&seat| fails(players.at(seat)));
        let faults = failing.map(|seat| (seat, FaultCode::Crash)).collect();
        let outcome = match players.two().map(fails) {
            [true, true] => GameOutcome::Draw,
            [true, false] => GameOutcome::Loss,
            [false, true] => GameOutcome::Win,
            [false, false] => self.outcome(lead, luck),
        };
        GameSummary { faults, ..GameSummary::from_outcome(outcome) }
    }

    /// Prints what the intervals are worth, and checks that they hold.
    fn check(&self) {
        self.check_within(0.93..=0.97);
    }

    fn check_within(&self, wanted: std::ops::RangeInclusive<f64>) {
        let (mut all, mut in_interval, mut in_ranks, mut squares) = (0.0, 0.0, 0.0, 0.0);
        let ranked = self.truth.len() - self.failing;
        // Ratings count from the mean of those that play.
        let mean = self.truth[..ranked].iter().sum::<f64>()
            / f64::from(u32::try_from(ranked).expect("few"));
        for seed in 0..TOURNAMENTS {
            let state = self.play(seed);
            let evaluation =
                TournamentEvaluation::from_state(&state, Faulted::Count).expect("no anchors");
            let ranks = evaluation.ranking.ranks();
            let ratings = &evaluation.ranking.fit.ratings[..ranked];
            let shown = ratings.iter().map(|it| it.value).sum::<f64>()
                / f64::from(u32::try_from(ranked).expect("few"));
            for (player, rating) in ratings.iter().enumerate() {
                let truth = self.truth[player] - mean + if self.failing > 0 { shown } else { 0.0 };
                let rank = ranks[player].expect("it plays").interval;
                let better = self.truth[..ranked].iter().filter(|&&it| it > self.truth[player]);
                all += 1.0;
                in_interval += f64::from(u8::from((rating.low..=rating.high).contains(&truth)));
                in_ranks +=
                    f64::from(u8::from((rank.low..=rank.high).contains(&(better.count() + 1))));
                squares += (rating.value - truth).powi(2);
            }
        }
        let (in_interval, in_ranks) = (in_interval / all, in_ranks / all);
        println!(
            "| {} | {:.1}% | {:.1}% | {:.0} Elo |",
            self.name,
            100.0 * in_interval,
            100.0 * in_ranks,
            (squares / all).sqrt(),
        );
        assert!(wanted.contains(&in_interval), "{}: {in_interval}", self.name);
        assert!(in_ranks >= 0.93, "{}: {in_ranks}", self.name);
    }
}

fn swiss(rounds: u32) -> Format {
    Format::Swiss { rounds }
}

#[test]
#[ignore = "slow: thousands of simulated tournaments"]
fn intervals_hold_in_a_round_robin() {
    for (name, format, truth) in [
        ("round-robin, 8 players 80 Elo apart", Format::RoundRobin, even(8, 80.0)),
        ("round-robin, 16 players 20 Elo apart", Format::RoundRobin, even(16, 20.0)),
        ("`opponents = 5`, 16 players 40 Elo apart", opponents(5), even(16, 40.0)),
        ("`opponents = 9`, 16 players 20 Elo apart", opponents(9), even(16, 20.0)),
        ("`opponents = 6`, 60 players 15 Elo apart", opponents(6), even(60, 15.0)),
        ("`opponents = 6`, 32 players 60 Elo apart", opponents(6), even(32, 60.0)),
        ("`opponents = 6`, two camps of 10, 800 Elo apart", opponents(6), camps(20, 20.0, 800.0)),
        (
            "`opponents = 6`, 19 players 20 Elo apart, one 800 above",
            opponents(6),
            with_star(20, 20.0, 800.0),
        ),
    ] {
        scenario(name, format, truth).check();
    }
    let some = |name| scenario(name, opponents(7), even(20, 30.0));
    Scenario {
        luck: Luck::Mirrored,
        ..some("`opponents = 7`, 20 players 30 Elo apart, luck mirrored in pairs")
    }
    .check();
    Scenario { late: 3, ..some("`opponents = 7`, 20 players 30 Elo apart, 3 of them late") }
        .check();
    Scenario {
        failing: 4,
        ..some("`opponents = 7`, 16 players 30 Elo apart, 4 more in quarantine")
    }
    .check();
}

#[test]
#[ignore = "slow: thousands of simulated tournaments"]
fn intervals_hold_after_swiss_rounds() {
    for (name, rounds, truth) in [
        ("Swiss, 5 rounds, 16 players 40 Elo apart", 5, even(16, 40.0)),
        ("Swiss, 9 rounds, 16 players 20 Elo apart", 9, even(16, 20.0)),
        ("Swiss, 6 rounds, 32 players 60 Elo apart", 6, even(32, 60.0)),
        ("Swiss, 8 rounds, 60 players 15 Elo apart", 8, even(60, 15.0)),
        ("Swiss, 7 rounds, two camps of 10, 800 Elo apart", 7, camps(20, 20.0, 800.0)),
        ("Swiss, 6 rounds, 19 players 20 Elo apart, one 800 above", 6, with_star(20, 20.0, 800.0)),
    ] {
        scenario(name, swiss(rounds), truth).check();
    }
    // A limit: between two camps, there are too few games to see them.
    scenario("Swiss, 5 rounds, two camps of 15, 800 Elo apart", swiss(5), camps(30, 20.0, 800.0))
        .check_within(0.88..=0.97);
    let some = |name, rounds| scenario(name, swiss(rounds), even(20, 30.0));
    Scenario {
        luck: Luck::Mirrored,
        ..scenario(
            "Swiss, 5 rounds, 16 players 40 Elo apart, luck mirrored in pairs",
            swiss(5),
            even(16, 40.0),
        )
    }
    .check();
    Scenario {
        luck: Luck::Mirrored,
        ..scenario(
            "Swiss, 7 rounds, 20 players 40 Elo apart, luck mirrored in pairs",
            swiss(7),
            even(20, 40.0),
        )
    }
    .check();
    Scenario {
        luck: Luck::Same,
        ..scenario(
            "Swiss, 7 rounds, 20 players 40 Elo apart, the same luck in pairs",
            swiss(7),
            even(20, 40.0),
        )
    }
    .check();
    Scenario { draws: 3.0, ..some("Swiss, 7 rounds, 20 players 30 Elo apart, 60% draws", 7) }
        .check();
    Scenario {
        advantage: 100.0,
        ..some("Swiss, 7 rounds, 20 players 30 Elo apart, first seat 100 Elo ahead", 7)
    }
    .check();
    Scenario {
        failing: 4,
        ..some("Swiss, 7 rounds, 16 players 30 Elo apart, 4 more in quarantine", 7)
    }
    .check();
}

#[test]
#[ignore = "slow: thousands of simulated tournaments"]
fn intervals_hold_after_other_formats() {
    let best = |format, players, pairs| Stage { format, pairs, players: Some(players) };
    let first = |format| Stage { format, pairs: 1, players: None };
    let ladder = |games| Format::Ladder { games, margin: None };
    scenario("ladder, 320 games, 32 players 30 Elo apart", ladder(320), even(32, 30.0)).check();
    scenario(
        "ladder, 400 games, two camps of 10, 600 Elo apart",
        ladder(400),
        camps(20, 20.0, 600.0),
    )
    .check();
    staged(
        "round-robin, then the best 4 in 5 pairs each, 12 players 30 Elo apart",
        vec![first(Format::RoundRobin), best(Format::RoundRobin, 4, 5)],
        even(12, 30.0),
    )
    .check();
    staged(
        "Swiss, 5 rounds, then the best 8 in a round-robin, 24 players 30 Elo apart",
        vec![first(swiss(5)), best(Format::RoundRobin, 8, 1)],
        even(24, 30.0),
    )
    .check();
    staged(
        "`opponents = 5`, then a knockout of the best 8, 24 players 30 Elo apart",
        vec![first(opponents(5)), best(Format::Knockout { tie_breaks: 1 }, 8, 2)],
        even(24, 30.0),
    )
    .check();
    Scenario {
        until: Some(360),
        ..scenario(
            "`opponents = 5` and `--until`, 360 games, 24 players 30 Elo apart",
            opponents(5),
            even(24, 30.0),
        )
    }
    .check();
}
