//! A player of a tournament as a worker sees it: its name, and how to create a fresh instance.

use std::fmt;
use std::sync::Arc;

use referee_games::AnyGame;
use referee_match::player::{Launch, Player, Sandbox};
use referee_record::fingerprint::Fingerprint;
use referee_record::model::player::PlayerSpec;
use referee_record::model::tc::ShortClock;

/// The maximum length of a file name in messages, in bytes.
const SHOWN: usize = 200;

/// A player of a tournament.
pub struct Entrant {
    /// Its name.
    pub name: String,
    /// Whether each game is played by a process of its own.
    pub(crate) restart: bool,
    /// Its own clock, instead of that of the tournament.
    pub(crate) tc: Option<ShortClock>,
    /// Creates a fresh instance.
    fingerprint: Fingerprint,
    fresh: Box<dyn Fn() -> Player + Send + Sync>,
}

impl Entrant {
    /// The program that `spec` describes, for this game, contained by `sandbox`.
    pub fn of(spec: &PlayerSpec, game: &dyn AnyGame, sandbox: &Arc<Sandbox>) -> Self {
        let (launch, sandbox) = (Launch::of(spec, game), Arc::clone(sandbox));
        let fresh = move || Player::process(launch.clone(), Arc::clone(&sandbox));
        Self {
            tc: spec.tc,
            fingerprint: spec.fingerprint.clone(),
            ..Self::new(&spec.name, spec.restart, fresh)
        }
    }

    /// A player of which `fresh` creates a new instance for each use.
    pub(crate) fn new(
        name: &str,
        restart: bool,
        fresh: impl Fn() -> Player + Send + Sync + 'static,
    ) -> Self {
        let (name, fingerprint) = (name.to_owned(), Fingerprint::default());
        Self { name, restart, tc: None, fingerprint, fresh: Box::new(fresh) }
    }

    /// The escaped name of a file that changed after it was read, if there is one. Then it is
    /// uncertain which program plays.
    pub(super) fn changed_file(&self) -> Option<String> {
        let file = self.fingerprint.touched()?.display().to_string();
        Some(referee_protocol::escape::bytes(file.as_bytes(), SHOWN))
    }

    /// A fresh instance, not started yet.
    pub(crate) fn fresh(&self) -> Player {
        (self.fresh)()
    }
}

impl fmt::Debug for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entrant").field("name", &self.name).finish_non_exhaustive()
    }
}
