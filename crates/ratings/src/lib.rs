#![doc = include_str!("../README.md")]

mod anchors;
mod covariance;
mod error;
mod estimate;
mod fit;
mod fitted_model;
mod intervals;
mod learning;
mod matrices;
mod parameters;
mod player_groups;
mod ranking;
mod rating_model;
mod residuals;
mod results;
mod score_fit;
mod scored_games;
mod seat_effects;
mod sequential;
mod significance;
mod spsa;

pub use anchors::{Contradiction, contradiction};
pub use error::RatingError;
pub use estimate::{Estimate, FixedRating, MOST_PLAYERS};
pub use fit::{Fit, fit};
pub use intervals::{RankInterval, Separation};
pub use ranking::{Rank, Ranking, Unranked};
pub use residuals::{Cycle, Unexplained, cycles, unexplained};
pub use results::deals::{Compared, DealTable, Seating};
pub use results::game_outcome::{GameOutcome, Outcomes};
pub use results::pairs::{Pentanomial, Side};
pub use results::points::Points;
pub use results::seated_games::{SeatedEnding, SeatedGame};
pub use results::{Completion, PlayedGame, Results};
pub use score_fit::ScoreFit;
pub use scored_games::{ScoreMeans, ScoredEnding, ScoredGame, ScoredGames};
pub use seat_effects::{SeatEffects, SeatRatings, seat_effects};
pub use sequential::betting::{BettingState, BettingTest};
pub use sequential::field_match::{FieldMatch, FieldState, OpponentScore};
pub use sequential::field_rounds::{FieldGame, FieldSize, Rival};
pub use sequential::place_match::{PlaceMatch, PlaceState};
pub use sequential::sprt::{
    Sprt, SprtError, SprtState, SprtVerdict, Unit, match_elo, normalized_elo,
};
pub use sequential::sprt_match::{MatchEnd, MatchGame, SprtMatch};
pub use significance::{holm, two_sided};
pub use spsa::{Probe, SpsaParameter, SpsaSchedule};
