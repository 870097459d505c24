//! How soon and how well a league knows its players, when new versions come all the time
//! (`cargo test -p referee-tournament --test simulations -- --ignored --nocapture league`).

use std::num::NonZeroU64;

use rand::{Rng as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee_games::BySeat;
use referee_record::model::entry::{Entry, Leaving, LeavingReason};
use referee_record::model::game_summary::GameSummary;
use referee_record::model::record::{Anchor, Header, PlayerInfo, examples};
use referee_record::model::roster::RosterChange;
use referee_record::model::stage::{Format, Stage};
use referee_tournament::analysis::Evaluation;
use referee_tournament::analysis::results::Faulted;
use referee_tournament::forecast::outcome;
use referee_tournament::schedule::state::TournamentState;

const AUTHORS: usize = 60;
const VERSIONS: u32 = 4;
/// The games of each version on average.
const GAMES_EACH: usize = 100;
/// The games after which a new version's rating is looked at.
const EARLY: usize = 30;
/// The number of the versions that are looked at then.
const LOOKED_AT: u32 = 3;

/// A league whose players have known strengths.
struct TrueLeague {
    state: TournamentState,
    random: ChaCha8Rng,
    /// By player number, in Elo.
    strengths: Vec<f64>,
    games: Vec<usize>,
}

impl TrueLeague {
    fn new(seed: u64) -> Self {
        let stages = vec![Stage { format: Format::League, pairs: 1, players: None }];
        let strengths = vec![0.0, 300.0];
        let anchor = |(player, rating): (&str, f64)| Anchor { player: player.to_owned(), rating };
        let anchors = vec![anchor(("house 0", strengths[0])), anchor(("house 1", strengths[1]))];
        let header = Header { stages, anchors, ..examples::header(&["house 0", "house 1"]) };
        let state = TournamentState::new(&header);
        Self { state, random: ChaCha8Rng::seed_from_u64(seed), strengths, games: vec![0; 2] }
    }

    /// A number around 0 with this deviation, nearly normal.
    fn around(&mut self, deviation: f64) -> f64 {
        let sum: f64 = (0..12).map(|_| self.random.random::<f64>()).sum();
        deviation * (sum - 6.0)
    }

    /// An author's next version comes in place of the one before.
    fn enter(&mut self, author: usize, version: u32) {
        let name = format!("author {author}");
        let before = self.state.number(&Entry::name(&name, version - 1));
        let strength = match before {
            Some(before) => self.strengths[before] + 40.0 + self.around(60.0),
            None => 150.0 + self.around(250.0),
        };
        if before.is_some() {
            let leaving = Leaving { at: 0, why: LeavingReason::Replaced };
            let player = Entry::name(&name, version - 1);
            self.state.change(&RosterChange::Left { player, leaving }).expect("it is there");
        }
        let entry = Entry {
            author: name.clone(),
            version,
            at: 0,
            source: String::new(),
            kept: String::new(),
        };
        let player = PlayerInfo {
            name: Entry::name(&name, version),
            entry: Some(entry),
            ..self.state.header().players[0].clone()
        };
        let change = RosterChange::Entered { player: Box::new(player), files: [].into() };
        self.state.change(&change).expect("it comes");
        self.strengths.push(strength);
        self.games.push(0);
    }

    /// Plays the next pair of games. Returns who played.
    fn play(&mut self) -> BySeat<usize> {
        self.state.choose();
        let mut players = BySeat::new(0, 0);
        while let Some(index) = self.state.next_due(0) {
            let fixture = self.state.fixture(index);
            players = fixture.players;
            let lead = self.strengths[players.first] - self.strengths[players.second];
            let outcome = outcome(lead, &mut self.random);
            let summary = GameSummary {
                outcome: Some(outcome),
                faults: BySeat::new(None, None),
                fingerprint: NonZeroU64::new(index as u64 + 1),
            };
            self.state.add_fixture(fixture, summary).expect("it was chosen");
            self.games[players.first] += 1;
            self.games[players.second] += 1;
        }
        players
    }

    /// The published ratings with their intervals.
    fn ratings(&self) -> Vec<referee_ratings::Estimate> {
        let evaluation = Evaluation::of(&self.state, Faulted::Count).expect("two anchors");
        evaluation.ranking.fit.ratings
    }
}

#[test]
#[ignore = "slow: a term of simulated games"]
fn ratings_of_a_league_are_right_within_their_intervals() {
    let mut league = TrueLeague::new(29);
    let mut coming: Vec<(usize, u32)> = (1..=VERSIONS)
        .flat_map(|version| (0..AUTHORS).map(move |author| (author, version)))
        .collect();
    coming.reverse();
    let all = coming.len();
    let (mut early, mut looked_at) = (Vec::new(), vec![true; 2]);
    for pair in 0..all * GAMES_EACH / 4 + 10 * EARLY {
        if pair % (GAMES_EACH / 4) == 0
            && let Some((author, version)) = coming.pop()
        {
            league.enter(author, version);
            // Each fit takes a while.
            looked_at.push(version != LOOKED_AT);
        }
        let BySeat { first, second } = league.play();
        for player in [first, second] {
            if league.games[player] >= EARLY && !std::mem::replace(&mut looked_at[player], true) {
                let rating = league.ratings()[player];
                early.push((rating.value - league.strengths[player]).abs());
            }
        }
    }
    let ratings = league.ratings();
    let within = |player: &usize| {
        let (rating, truth) = (ratings[*player], league.strengths[*player]);
        (rating.low..=rating.high).contains(&truth)
    };
    let right = (2..ratings.len()).filter(within).count();
    early.sort_by(f64::total_cmp);
    let median = early[early.len() / 2];
    let near = early.iter().filter(|&&error| error <= 60.0).count();
    let fewest = league.games[2..].iter().min().expect("players");
    println!(
        "{} versions, {} games: {right} of {} ratings within their intervals; after {EARLY} games, \
         {near} of {} were within 60 Elo, half of them within {median:.0}; the fewest games of a \
         version: {fewest}",
        all,
        league.state.played(),
        ratings.len() - 2,
        early.len(),
    );
    assert!(20 * right >= 18 * (ratings.len() - 2), "intervals of 95% hold");
    assert!(median <= 60.0, "{median}");
    assert!(*fewest >= EARLY / 2, "everyone has a share");
}
