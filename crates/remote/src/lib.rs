//! Plays a tournament on many machines: a coordinator hands out the jobs of its runner over NATS
//! `JetStream`, and workers play them.
//!
//! The coordinator's log stays the truth. A job waits in a queue of the server until a worker has
//! published its result, and the result waits there until the coordinator has written it to the
//! log. So each of the three may be killed and started again at any time. Delivery is at least
//! once; a result counts once, because the identity of a game does.
//!
//! - [`coordinator`] hands out the jobs of a run, [`remote_worker`] plays them.
//! - [`run_streams`] names the queues of a run; [`messages`] and [`run_description`] are what is sent.
//! - [`inspection`] replays every record of a worker before it counts.
//!
//! The outcome of a job travels compressed, and never above the server's limit:
//!
//! ```
//! use referee_remote::delivery::{pack_for_delivery, unpack_delivery};
//! use referee_tournament::run::job::JobOutcome;
//!
//! let packed = pack_for_delivery(JobOutcome::Probed(None), 1_000_000)?;
//! assert!(matches!(unpack_delivery(&packed), Some(JobOutcome::Probed(None))));
//! assert!(unpack_delivery(b"not packed").is_none());
//! # Ok::<(), String>(())
//! ```

mod bundle;
pub mod bundle_folder;
pub mod coordinator;
pub mod delivery;
mod dispatcher;
mod downloads;
pub mod error;
pub mod inspection;
mod known_workers;
pub mod messages;
pub mod nats_server;
mod open_jobs;
mod outage;
mod playing;
pub mod remote_worker;
pub mod run_description;
pub mod run_files;
pub mod run_streams;
mod slot;
mod spot_checks;
pub mod worker_identity;

/// The client library, for programs that talk to the same server.
pub use async_nats;
