//! Where the games turned that authors lost, as a built-in player sees it: found out in the
//! background, once for each game.

use std::collections::{HashMap, HashSet, VecDeque};
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use super::entrance::Entrance;
use crate::WebError;
use crate::background_work::in_background;
use crate::live_tournament::{LivePage, latest_live_page};
use crate::shared_copy::Freshness;
use referee_games::Seat;
use referee_match::replay::turning_points::TurningPoint;
use referee_record::model::record::{GameRecord, Header};
use referee_report::page::PlayedGame;
use referee_report::page::league_pages::TurnedAt;

/// How many positions the built-in player looks at per action.
const NODES: u64 = 1000;
/// The most lost games of a page that are looked at.
const MOST_LOST: usize = 10;
/// The most games that are remembered.
const MOST_KNOWN: usize = 4096;

/// Where lost games turned, as far as that is known.
pub(super) struct TurnedGames {
    known: Mutex<KnownTurnedGames>,
    /// One author after the other, so that games in play keep their cores.
    looking: Semaphore,
}

/// The turning points of games by their fingerprints: ids change with pseudonyms.
#[derive(Default)]
struct KnownTurnedGames {
    points: HashMap<NonZeroU64, Vec<TurningPoint>>,
    /// In the order in which they came.
    order: VecDeque<NonZeroU64>,
}

impl KnownTurnedGames {
    /// Adds a game, in place of the one that has been known for longest if there are too many.
    fn add(&mut self, game: NonZeroU64, points: Vec<TurningPoint>) {
        if self.points.insert(game, points).is_none() {
            self.order.push_back(game);
        }
        if self.order.len() > MOST_KNOWN
            && let Some(oldest) = self.order.pop_front()
        {
            self.points.remove(&oldest);
        }
    }
}

impl Default for TurnedGames {
    fn default() -> Self {
        Self { known: Mutex::default(), looking: Semaphore::new(1) }
    }
}

impl TurnedGames {
    /// The ply of a game that cost `seat` most; `None` without one, or while it is not known.
    pub(super) fn find_worst_turn(&self, game: &PlayedGame, seat: Seat) -> Option<TurnedAt> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let own = known.points.get(&game.fingerprint?)?.iter().filter(|point| point.seat == seat);
        let loss = |point: &TurningPoint| point.instead - point.value;
        let worst = own.max_by(|one, other| loss(one).total_cmp(&loss(other)))?;
        Some(TurnedAt { ply: worst.ply, better: worst.to_string() })
    }

    fn knows(&self, game: NonZeroU64) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.points.contains_key(&game)
    }

    fn add(&self, game: NonZeroU64, points: Vec<TurningPoint>) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).add(game, points);
    }
}

/// Begins to look at those of an author's `lost` games that are not known yet. Returns whether there
/// are some.
pub(super) fn begin_turned_games_search(
    entrance: &Arc<Entrance>,
    author: &str,
    live: &LivePage,
    lost: &[&PlayedGame],
) -> bool {
    if !can_value_turned_games(&live.tables.analysis.header) {
        return false;
    }
    let shown = lost.iter().take(MOST_LOST).filter_map(|game| game.fingerprint);
    let unknown: HashSet<NonZeroU64> = shown.filter(|&game| !entrance.turned.knows(game)).collect();
    if unknown.is_empty() {
        return false;
    }
    // Whoever reloads the page waits for what has begun.
    if let Ok(permit) = Arc::clone(&entrance.author_bounds(author).looking).try_acquire_owned() {
        let entrance = Arc::clone(entrance);
        tokio::spawn(async move {
            let _held_until_it_ends = permit;
            if let Err(failure) = search_turned_games(&entrance, unknown).await {
                tracing::error!("cannot look at lost games: {failure}");
            }
        });
    }
    true
}

/// Whether the built-in player can value these games, and soon: a program may take long to answer.
fn can_value_turned_games(header: &Header) -> bool {
    header.program.is_none() && header.seats.len() == 2
}

/// Looks at these games when those of other authors are done.
async fn search_turned_games(
    entrance: &Arc<Entrance>,
    mut unknown: HashSet<NonZeroU64>,
) -> Result<(), WebError> {
    let _one = entrance.turned.looking.acquire().await?;
    // The page that was shown may be old by now, and large.
    let live = latest_live_page(&entrance.live, Freshness::Recent).await?;
    let rules = Arc::new(entrance.live.game_rules(&live.tables.analysis.header)?);
    let wanted = unknown.clone();
    for (game, record) in in_background(move || read_turned_records(&live, &wanted)).await? {
        let rules = Arc::clone(&rules);
        // A game that cannot be replayed has none: its replay says why.
        let look = move || Ok(TurningPoint::find_all(&rules, &record, NODES).unwrap_or_default());
        entrance.turned.add(game, in_background(look).await?);
        unknown.remove(&game);
    }
    // What is not shown any more is not looked for again.
    for game in unknown {
        entrance.turned.add(game, Vec::new());
    }
    Ok(())
}

/// The records of these games.
fn read_turned_records(
    live: &LivePage,
    wanted: &HashSet<NonZeroU64>,
) -> Result<Vec<(NonZeroU64, Arc<GameRecord>)>, WebError> {
    let mut found = Vec::new();
    live.tables.analysis.each_game(|game| -> Result<(), WebError> {
        let fingerprint = game.summary.fingerprint.filter(|print| wanted.contains(print));
        let shown = fingerprint.filter(|_| !game.is_sealed);
        found.extend(shown.map(|print| (print, Arc::clone(&game.record))));
        Ok(())
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_that_was_known_for_longest_is_forgotten() {
        let mut known = KnownTurnedGames::default();
        let game = |number: usize| NonZeroU64::new(number as u64).expect("from 1");
        for number in 1..=MOST_KNOWN + 1 {
            known.add(game(number), Vec::new());
            known.add(game(number), Vec::new());
        }
        assert_eq!((known.points.len(), known.order.len()), (MOST_KNOWN, MOST_KNOWN));
        assert!(!known.points.contains_key(&game(1)));
        assert!(known.points.contains_key(&game(MOST_KNOWN + 1)));
    }
}
