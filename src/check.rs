//! What `referee check` finds out about a player: it is started, put before every kind of turn of
//! a game, played against itself and the players of the house, and what it does is reported.

mod beginning;
mod drills;
mod examiner;
pub mod exchange;
mod finding;
mod load;
mod records;
mod report;

pub use beginning::Beginning;
pub use drills::{Drill, drills};
pub use examiner::{Candidate, Exam, examine};
pub use exchange::Line;
pub use finding::Finding;
pub use report::{Figures, Outcome, Report, Standing, Step, Verdict};
