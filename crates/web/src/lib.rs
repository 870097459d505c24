//! Pages for browsers: the page of a tournament as it is now, and the pages of a league behind links.
//!
//! [`WebServer`] bounds connections and decides who may ask; everything that is served goes through
//! it. [`served`] makes the page of a tournament. [`league`] lets authors hand in and the organiser
//! decide, by the files that [`referee_league`] describes: the server and the run are two
//! processes, and know of each other only through the results folder.
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

mod background;
mod compression;
mod connections;
mod error;
mod in_play;
pub mod league;
mod routes;
pub mod served;
mod server;
mod shared_copy;
mod visitors;

pub use connections::EVENTS;
pub use error::WebError;
pub use routes::routes;
pub use server::WebServer;
