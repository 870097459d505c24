//! A player of a tournament as a worker sees it: its name, and how to create a fresh instance.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use referee_games::AnyGame;
use referee_match::player::{Player, PlayerLaunch, PlayerSandbox};
use referee_record::fingerprint::Fingerprint;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::short_clock::ShortClock;

/// The maximum length of a file name in messages, in bytes.
const SHOWN: usize = 200;

/// A player of a tournament.
pub struct Entrant {
    /// The name.
    pub name: String,
    /// Whether each game is played by a process of its own.
    pub(crate) restart: bool,
    /// How often a game may be void because it cannot reach its service.
    pub(crate) outages: u8,
    /// Its own clock, instead of that of the tournament.
    pub(crate) tc: Option<ShortClock>,
    fingerprint: Fingerprint,
    /// Whether no process of it is kept any more.
    is_dismissed: AtomicBool,
    /// Creates a fresh instance.
    fresh: Box<dyn Fn() -> Player + Send + Sync>,
}

impl Entrant {
    /// The program that `spec` describes, for this game, contained by `sandbox`.
    pub fn from_spec(spec: &PlayerSpec, game: &dyn AnyGame, sandbox: &Arc<PlayerSandbox>) -> Self {
        let (launch, sandbox) = (PlayerLaunch::for_player(spec, game), Arc::clone(sandbox));
        let fresh = move || Player::process(launch.clone(), Arc::clone(&sandbox));
        Self {
            tc: spec.tc,
            outages: spec.outages,
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
        Self {
            name: name.to_owned(),
            restart,
            outages: 0,
            tc: None,
            fingerprint: Fingerprint::default(),
            is_dismissed: AtomicBool::new(false),
            fresh: Box::new(fresh),
        }
    }

    /// From now on, no process of it waits for another game.
    pub(crate) fn dismiss(&self) {
        self.is_dismissed.store(true, Ordering::Relaxed);
    }

    /// Whether a process of it may wait for another game.
    pub(super) fn is_kept(&self) -> bool {
        !self.restart && !self.is_dismissed.load(Ordering::Relaxed)
    }

    /// The escaped name of a file that changed after it was read, if there is one. Then it is
    /// uncertain which program plays.
    pub(super) fn changed_file(&self) -> Option<String> {
        let file = self.fingerprint.touched_file()?.display().to_string();
        Some(referee_protocol::escape::escape_bytes(file.as_bytes(), SHOWN))
    }

    /// A fresh instance, not started yet.
    pub(crate) fn new_player(&self) -> Player {
        (self.fresh)()
    }
}

/// The programs of the players, by number. Some come while others play; none is forgotten, because
/// a game of it may be in play.
#[derive(Debug, Default)]
pub struct Entrants(RwLock<HashMap<usize, Arc<Entrant>>>);

impl Entrants {
    /// Makes the program of player `number` known.
    pub fn admit(&self, number: usize, entrant: Entrant) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(number, Arc::new(entrant));
    }

    /// The program of player `number`, if it is known.
    pub fn get(&self, number: usize) -> Option<Arc<Entrant>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&number).cloned()
    }
}

impl FromIterator<(usize, Entrant)> for Entrants {
    fn from_iter<I: IntoIterator<Item = (usize, Entrant)>>(entrants: I) -> Self {
        let all = entrants.into_iter().map(|(number, entrant)| (number, Arc::new(entrant)));
        Self(RwLock::new(all.collect()))
    }
}

impl fmt::Debug for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entrant").field("name", &self.name).finish_non_exhaustive()
    }
}
