//! What authors see before their work counts: the check of a player, and the test of a game.
//!
//! A check starts a player, asks it for every kind of turn of a game, plays it against itself and
//! the built-in players, and reports each step with what to do about a fault ([`examine`]). `referee
//! check` shows it to an author, a league requires it. A test of a game visits
//! positions and plays games with its rules program, and lists what an author of a game gets wrong
//! ([`game_trial`]).
//!
//! Both only look and tell. Who is checked, under which limits, and where a report goes is decided
//! by the caller. A check that cannot be done is an [`ExamError`], never a finding: no player is
//! blamed for the machine.
//!
//! The one odd thing: games with a finding are kept as the log of a small tournament, so that the
//! author can replay them and repeat a decision with the commands that work on every log.
//!
//! ```
//! use referee_check::game_trial::{TrialPlan, run_game_trial};
//! use referee_games::{GameKind, Options};
//! use referee_record::model::game_rules::GameRules;
//!
//! let game = GameKind::WatchYourBack.shared();
//! let options = Options::resolve(&game.options(), [])?;
//! let rules = GameRules::new(game, options)?;
//! let plan = TrialPlan { games: 2, seed: 1, search_games: 0, nodes: 0 };
//! let trial = run_game_trial(&rules, &plan, &mut |_| {});
//! assert!(trial.findings.is_empty(), "its rules are sound");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advice;
mod beginning;
mod busy_cores;
mod check_finding;
pub mod check_report;
mod drills;
mod error;
mod examiner;
pub mod fault_transcript;
mod finding_log;
mod friendly;
pub mod game_trial;
mod turn_kinds;

pub use beginning::Beginning;
pub use check_finding::CheckFinding;
pub use check_report::{CheckReport, CheckReportText, CheckStep, Readiness};
pub use drills::drills;
pub use error::ExamError;
pub use examiner::{Candidate, Exam, StepNews, examine};
pub use fault_transcript::FaultTranscriptLine;
pub use friendly::{FriendlyPair, play_friendly};
