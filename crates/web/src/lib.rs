//! Pages for browsers: the page of a tournament as it is now, and the pages of a league behind links.
//!
//! [`WebServer`] bounds connections and decides who may ask; everything that is served goes through
//! it. [`live_tournament`] makes the page of a tournament. [`league_routes`] lets authors hand in
//! and the organiser decide, by the files that [`referee_league`] describes: the server and the run
//! are two processes, and know of each other only through the results folder.
//!
//! The one odd thing: a connection answers one request. So a visitor who opens many and stays silent
//! can be shut out without harm to others, and no limit has to be kept for what a connection did
//! before.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), referee_web::WebError> {
//! use referee_web::WebServer;
//!
//! let server = WebServer::listen(([127, 0, 0, 1], 0).into()).await?;
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! # Ok(())
//! # }
//! ```

mod background_work;
mod compression;
mod connections;
mod error;
mod in_play;
pub mod league_routes;
pub mod live_tournament;
mod shared_copy;
mod tournament_routes;
mod visitors;
mod web_server;

pub use connections::EVENTS;
pub use error::WebError;
pub use tournament_routes::tournament_routes;
pub use web_server::WebServer;
