//! A player of a tournament as a slot sees it: its name, and how a fresh one comes about.

use std::fmt;
use std::sync::Arc;

use crate::fingerprint::Fingerprint;
use crate::model::player::PlayerSpec;
use crate::player::{Launch, Player, Sandbox, Wire};

/// The most bytes of a file's name that are shown.
const SHOWN: usize = 200;

/// A player of a tournament.
pub struct Entrant {
    /// Its name.
    pub name: String,
    /// One process may play several games, one after the other.
    pub reusable: bool,
    /// What makes it.
    fingerprint: Fingerprint,
    fresh: Box<dyn Fn() -> Player + Send + Sync>,
}

impl Entrant {
    /// The program that `spec` describes, contained by `sandbox`.
    pub fn of(spec: &PlayerSpec, sandbox: &Arc<Sandbox>) -> Self {
        let (launch, sandbox) = (Launch::of(spec), Arc::clone(sandbox));
        let fresh = move || Wire::process(launch.clone(), Arc::clone(&sandbox));
        Self {
            fingerprint: spec.fingerprint.clone(),
            ..Self::new(&spec.name, spec.reusable, fresh)
        }
    }

    /// A player that is made anew by `fresh` whenever it is seated.
    pub fn new(
        name: &str,
        reusable: bool,
        fresh: impl Fn() -> Wire + Send + Sync + 'static,
    ) -> Self {
        let fresh = Box::new(move || Player::Wire(Box::new(fresh())));
        Self { name: name.to_owned(), reusable, fingerprint: Fingerprint::default(), fresh }
    }

    /// That one of its files was changed since it was read, so that nobody knows which program
    /// plays.
    pub(super) fn why_doubtful(&self) -> Option<String> {
        let file = self.fingerprint.touched()?.display().to_string();
        let file = crate::escape::bytes(file.as_bytes(), SHOWN);
        Some(format!("`{file}` was changed since the run began: it may be another program"))
    }

    /// A fresh player, not started yet.
    pub fn fresh(&self) -> Player {
        (self.fresh)()
    }
}

impl fmt::Debug for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entrant").field("name", &self.name).finish_non_exhaustive()
    }
}
