//! Plays a tournament on many machines: a coordinator hands out the jobs of its runner over NATS
//! `JetStream`, and workers play them.
//!
//! The coordinator's log stays the truth. A job waits in a queue of the server until a worker has
//! published its result, and the result waits there until the coordinator has written it to the
//! log. So each of the three may be killed and started again at any time. Delivery is at least
//! once; a result counts once, because the identity of a game does.

mod bundle;
pub mod coordinator;
pub mod delivery;
pub mod description;
mod dispatcher;
pub mod error;
pub mod inspection;
mod known_workers;
pub mod messages;
mod open_jobs;
mod outage;
mod pending_acks;
mod playing;
pub mod run_files;
pub mod scratch;
pub mod server;
mod slot;
mod spot_checks;
pub mod streams;
pub mod worker;

/// The client library, for programs that talk to the same server.
pub use async_nats;
