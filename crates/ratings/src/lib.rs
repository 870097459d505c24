//! Turns results of games into ratings: one joint fit of all strengths, with intervals, rank
//! intervals and residuals. It also has sequential tests of one player against another. The crate
//! is pure arithmetic: no files, no clocks, no names. Players are numbers, from 0.
//!
//! The model is Bradley–Terry with draws (Davidson) and a first-seat advantage (Davidson and
//! Beaver). How far the strengths are apart is learned from the results, and weak priors give every
//! player a finite rating. Intervals allow for dependence between the two games of a pair.
//!
//! Games of three to sixteen seats end with a place for each. Every two players of such a game are
//! one comparison of the same model, with a weight that makes a game tell as much as it seems to, so
//! a difference of ratings means the same for any number of seats. Their games come in deals instead
//! of pairs. See [`SeatedGame`].
//!
//! # Rating three players
//!
//! ```
//! use referee_ratings::{GameOutcome, PlayedGame, Ranking, Results};
//! use GameOutcome::{Draw, Loss, Win};
//!
//! let names = ["ant", "bee", "cat"];
//! let mut results = Results::new(names.len());
//! // (first seat, second seat, number of the pair of games, the outcome for the first seat)
//! for (first, second, pair, outcome) in [
//!     (0, 1, 1, Win),
//!     (1, 0, 1, Draw),
//!     (1, 2, 1, Win),
//!     (2, 1, 1, Loss),
//!     (0, 2, 1, Win),
//!     (2, 0, 1, Draw),
//! ] {
//!     results.add(PlayedGame::by_rules(first, second, pair, outcome));
//! }
//!
//! // No rating is fixed, and nobody is excluded.
//! let ranking = Ranking::<()>::new(&results, &[], &[None; 3], &names)?;
//! for &player in &ranking.order {
//!     let rating = ranking.fit.ratings[player];
//!     println!("{} {:.0} ± {:.0}", names[player], rating.value, rating.margin());
//! }
//! assert_eq!(ranking.order, [0, 1, 2]);
//!
//! // How likely ant is better than bee, and which ranks it may have.
//! let separation = ranking.fit.separation(0, 1).expect("a chain of games connects them");
//! assert!(separation.los > 0.5);
//! assert_eq!(ranking.ranks()[0].map(|rank| rank.interval.to_string()), Ok("1–3".to_owned()));
//! # Ok::<(), referee_ratings::RatingError>(())
//! ```
//!
//! # Deciding a match
//!
//! ```
//! use referee_ratings::{Sprt, Unit, SprtVerdict};
//!
//! // Is the new version 10 Elo better than the old one, or not better at all? Each answer may be
//! // wrong in 5% of all cases.
//! let sprt = Sprt::new(Unit::Logistic, (0.0, 10.0), (0.05, 0.05))?;
//! // Pairs of games by the new version's score: 0, ½, 1, 1½ and 2 points.
//! let state = sprt.judge(&[10, 100, 200, 600, 300]);
//! println!("LLR {:.2} in {:.2} … {:.2}: {:?}", state.llr, state.lower, state.upper, state.verdict);
//! assert_eq!(state.verdict, SprtVerdict::Better);
//! assert!(sprt.los(&[10, 100, 200, 600, 300]) > 0.99);
//! # Ok::<(), referee_ratings::SprtError>(())
//! ```

mod anchors;
mod betting;
mod covariance;
mod deal_spread;
mod deals;
mod dense;
mod dispersion;
mod error;
mod field;
mod fit;
mod fitted_model;
mod groups;
mod intervals;
mod learning;
mod linear;
mod model;
mod outcome;
mod pair_spread;
mod pairs;
mod points;
mod prior;
mod ranking;
mod rated_games;
mod rating;
mod residuals;
mod results;
mod seat_luck;
mod seated;
mod seats;
mod significance;
mod sprt;
mod sprt_match;
mod stagewise;

pub use anchors::{Contradiction, contradiction};
pub use betting::{BettingState, BettingTest};
pub use deals::{Compared, Seating, Table};
pub use error::RatingError;
pub use field::{FieldGame, FieldMatch, FieldState, OpponentScore, Rival};
pub use fit::{Fit, fit};
pub use intervals::{RankInterval, Separation};
pub use outcome::{GameOutcome, Outcomes};
pub use pairs::{Pentanomial, Side};
pub use points::Points;
pub use ranking::{Rank, Ranking, Unranked};
pub use rating::{Estimate, FixedRating, MOST_PLAYERS};
pub use residuals::{Cycle, Unexplained, cycles, unexplained};
pub use results::{Completion, PlayedGame, Results};
pub use seated::{SeatedEnding, SeatedGame};
pub use seats::{SeatEffects, SeatRatings, seat_effects};
pub use significance::{holm, two_sided};
pub use sprt::{Sprt, SprtError, SprtState, SprtVerdict, Unit, match_elo, normalized_elo};
pub use sprt_match::{MatchEnd, MatchGame, SprtMatch};
