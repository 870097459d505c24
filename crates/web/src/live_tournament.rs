//! The page of a tournament, as it is now: computed when somebody looks, once for all who look.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use serde::Serialize;
use tokio::sync::{Notify, Semaphore, watch};
use tokio::time::{sleep, sleep_until};

use crate::WebError;
use crate::background_work::in_background;
use crate::compression::CompressedText;
use crate::connections::max_connections;
use crate::shared_copy::{Freshness, SharedCopy};
use crate::visitors::AUTHOR;
use referee_record::log::random_access::RandomAccessLog;
use referee_record::log::{GameLineNames, LOG, LogScan, ScannedLine};
use referee_record::model::game_rules::GameRules;
use referee_record::model::player_spec::Out;
use referee_record::model::record::{Header, HeaderPlayer};
use referee_report::ReportError;
use referee_report::game_files::{
    INDEX_END, begin_game_index, game_file_script, index_game_line, index_game_record,
};
use referee_report::page::PlayedGame;
use referee_report::page::page_template::PagePart;
use referee_report::page_builder::{self, PageMemory, build_live_page};
use referee_report::replay_renderer::{ReplayRenderer, TurningPoints};
use referee_report::tournament_tables::TournamentTables;
use referee_tournament::analysis::logged_game::PassError;
use referee_tournament::analysis::named_results::Faulted;
use referee_tournament::analysis::published_games::PublishedGames;
use referee_tournament::analysis::rating_history::RatingPoint;
use referee_tournament::analysis::sealed_games::SealedGames;
use referee_tournament::folder::live_workers_file::WORKERS;
use referee_tournament::folder::{FolderError, LIVE_SOCKET, read_folder_header, read_folder_log};

/// The shortest time between two pages for those who follow them.
const PAUSE: Duration = Duration::from_secs(1);
/// The most answers with the same parts of a page that are kept.
const MOST_ANSWERS: usize = 16;
/// The maximum number of games looked up at once.
const AT_WORK: usize = 4;

/// What the page calls the players.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// By their names.
    Names,
    /// By pseudonyms: it shows only what may be published.
    Pseudonyms,
}

/// The latest page.
pub(crate) struct LivePage {
    pub(crate) html: CompressedText,
    /// The parts that can change.
    parts: Vec<LivePart>,
    /// Answers with the parts that visitors lack, by which of them they have, one bit each.
    answers: tokio::sync::Mutex<HashMap<u64, Arc<CompressedText>>>,
    /// What it shows.
    pub(crate) tables: TournamentTables,
    /// The games that count, in order.
    pub(crate) games: Vec<PlayedGame>,
    /// The ratings over time.
    pub(crate) history: Vec<RatingPoint>,
    /// Whether it is a league in which no game would be worth playing.
    pub(crate) is_idle: bool,
    /// The players by their names, which it shows only if it names players.
    pub(crate) entrants: Vec<HeaderPlayer>,
    /// Why some of them are out, by their names; they may have left since.
    pub(crate) outs: HashMap<String, Out>,
}

/// A part of the page that can change: the id of its element, a hash of its text, and the text.
#[derive(Clone, Serialize)]
struct LivePart(String, String, String);

impl LivePage {
    /// The parts of the page that a visitor lacks who has those with these hashes, as JSON. Those who
    /// have the same share the answer.
    pub(crate) async fn missing_parts(
        &self,
        have: &HashSet<&str>,
    ) -> Result<Arc<CompressedText>, WebError> {
        let (mut key, mut missing) = (0, Vec::new());
        for (bit, part) in self.parts.iter().enumerate() {
            if have.contains(part.1.as_str()) {
                key |= 1_u64 << (bit % 64);
            } else {
                missing.push(part.clone());
            }
        }
        let mut answers = self.answers.lock().await;
        if let Some(answer) = answers.get(&key) {
            return Ok(Arc::clone(answer));
        }
        let made = in_background(move || {
            Ok(CompressedText::new("application/json", serde_json::to_string(&missing)?))
        });
        let answer = Arc::new(made.await?);
        if answers.len() < MOST_ANSWERS {
            answers.insert(key, Arc::clone(&answer));
        }
        Ok(answer)
    }
}

/// The state of the server.
pub struct LiveTournament {
    pub(crate) dir: PathBuf,
    /// The rules of its games when the server began.
    rules: GameRules,
    pub(crate) naming: Naming,
    /// The options shown in the commands of the page.
    called: String,
    /// The address of the visitor's own page, if people have one.
    own_page: Option<&'static str>,
    /// The number of changes of the log so far.
    pub(crate) changed: watch::Receiver<u64>,
    /// Changes when a run begins or ends.
    pub(crate) runs: watch::Receiver<u64>,
    /// The latest page.
    pub(crate) pages: Arc<SharedCopy<LivePage>>,
    /// What the next page need not find again.
    memory: Mutex<PageMemory>,
    /// Somebody follows the page from now on.
    pub(crate) followed: Arc<Notify>,
    /// The games in play, if a visitor looks at them.
    pub(crate) in_play: Arc<Mutex<Option<watch::Sender<String>>>>,
    /// Limits how many games are looked up at once.
    pub(crate) at_work: Arc<Semaphore>,
    /// Limits how many visitors wait for events, so that others can still connect.
    pub(crate) followers: Arc<Semaphore>,
    /// They count the changes as long as they live.
    _watchers: [RecommendedWatcher; 2],
}

/// Counts the changes of some files in `dir` until the returned watcher is dropped.
pub(crate) fn watch_files(
    dir: &Path,
    names: &'static [&'static str],
    changed: watch::Sender<u64>,
) -> Result<RecommendedWatcher, WebError> {
    let failure = |source| WebError::Unwatchable { dir: dir.to_owned(), source };
    let is_one =
        |path: &PathBuf| names.iter().any(|&name| path.file_name().is_some_and(|it| it == name));
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| !event.kind.is_access() && event.paths.iter().any(is_one)) {
            changed.send_modify(|count| *count += 1);
        }
    })
    .map_err(failure)?;
    watcher.watch(dir, RecursiveMode::NonRecursive).map_err(failure)?;
    Ok(watcher)
}

/// The latest page, as new as is needed.
pub(crate) async fn latest_live_page(
    served: &Arc<LiveTournament>,
    need: Freshness,
) -> Result<Arc<LivePage>, WebError> {
    let make = || {
        let source = Arc::clone(served);
        in_background(move || source.make_live_page())
    };
    served.pages.get(need, make).await
}

/// Makes pages as long as a visitor follows them: one after each change, but not too often.
pub(crate) async fn keep_live_page_current(served: Weak<LiveTournament>) {
    let Some((mut changed, followed)) =
        served.upgrade().map(|it| (it.changed.clone(), Arc::clone(&it.followed)))
    else {
        return;
    };
    loop {
        tokio::select! {
            changed = changed.changed() => if changed.is_err() { return },
            () = followed.notified() => {}
        }
        loop {
            let Some(served) = served.upgrade() else { return };
            let Some(at) = served.pages.is_missed() else { break };
            sleep_until(at).await;
            // Whoever loads the page sees why there is none.
            if latest_live_page(&served, Freshness::Current).await.is_err() {
                break;
            }
            sleep(PAUSE).await;
        }
    }
}

impl LiveTournament {
    /// Watches the results in `dir`, whose games have these rules. `called` are the options shown in
    /// the commands of the page.
    ///
    /// # Errors
    /// The folder cannot be watched.
    pub fn new(
        dir: PathBuf,
        rules: GameRules,
        naming: Naming,
        called: String,
    ) -> Result<Self, WebError> {
        let (counted, changed) = watch::channel(0_u64);
        let (begun, runs) = watch::channel(0_u64);
        let pages = Arc::new(SharedCopy::new(changed.clone()));
        let watchers = [
            watch_files(&dir, &[LOG, WORKERS], counted)?,
            watch_files(&dir, &[LIVE_SOCKET], begun)?,
        ];
        Ok(Self {
            dir,
            rules,
            naming,
            called,
            own_page: None,
            changed,
            runs,
            pages,
            memory: Mutex::default(),
            followed: Arc::default(),
            in_play: Arc::default(),
            at_work: Arc::new(Semaphore::new(AT_WORK)),
            followers: Arc::new(Semaphore::new(max_connections() / 2)),
            _watchers: watchers,
        })
    }

    /// The same, with a link to the page of each author.
    #[must_use]
    pub fn with_own_pages(self) -> Self {
        Self { own_page: Some(AUTHOR), ..self }
    }

    /// The number of changes of the log so far.
    pub(crate) fn count_changes(&self) -> u64 {
        *self.changed.borrow()
    }

    fn make_live_page(&self) -> Result<LivePage, WebError> {
        let tables = match self.naming {
            Naming::Names => TournamentTables::read(&self.dir, Faulted::Count)?,
            Naming::Pseudonyms => TournamentTables::read_under_pseudonyms(&self.dir)?,
        };
        let rules = self.game_rules(&tables.analysis.header)?;
        let memory = || self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let make =
            |memory| build_live_page(&tables, &self.called, self.own_page, rules.clone(), memory);
        let earlier = std::mem::take(&mut *memory());
        // Each point of it knows its games.
        let history = earlier.history.clone();
        let page = match make(earlier) {
            Err(ReportError::Pass(PassError::OtherGames)) => {
                make(PageMemory { history, ..PageMemory::default() })
            }
            page => page,
        };
        let page_builder::BuiltLivePage { page, games, memory: found } = page?;
        let history = found.history.clone();
        *memory() = found;
        let part = |part: PagePart| {
            let hash = blake3::hash(part.text.as_bytes()).to_hex()[..16].to_owned();
            LivePart(part.id, hash, part.text)
        };
        let parts = page.parts.into_iter().map(part).collect();
        let entrants = match self.naming {
            Naming::Names => tables.analysis.header.players.clone(),
            Naming::Pseudonyms => read_folder_header(&self.dir)?.players,
        };
        // Its names are never pseudonyms.
        let state = &tables.analysis.state;
        let outs = state.names().iter().zip(state.outs());
        let outs = outs.filter_map(|(name, out)| Some((name.clone(), out?))).collect();
        let html = CompressedText::new("text/html; charset=utf-8", page.html);
        Ok(LivePage {
            html,
            parts,
            answers: tokio::sync::Mutex::default(),
            is_idle: state.is_league_idle(),
            tables,
            games,
            history,
            entrants,
            outs,
        })
    }

    /// The rules of the games of the log, whose header has changed if a run has begun since.
    pub(crate) fn game_rules(&self, header: &Header) -> Result<GameRules, WebError> {
        let now = header.program.as_ref().map(|program| &program.hash);
        if self.rules.game.program().map(|program| &program.hash) != now {
            return Err(WebError::RulesChanged);
        }
        Ok(GameRules::from_header_with_game(self.rules.game.clone(), header)?)
    }

    /// The game `id` as a script, if there is such a game.
    pub(crate) fn replay_script(&self, id: &str) -> Result<Option<String>, WebError> {
        if self.naming == Naming::Pseudonyms {
            return self.published_script(id);
        }
        let failure = FolderError::of_log(&self.dir);
        let mut log = LogScan::open(&self.dir).map_err(failure)?;
        let header = log.header().clone();
        let renderer = self.replay_renderer(&header)?;
        let sealed = sealed_game_ids(&self.dir, &header)?;
        while let Some(line) = log.next_line().map_err(failure)? {
            if let ScannedLine::Game(game) = line
                && game.id() == id
            {
                let mut places = RandomAccessLog::open(&self.dir).map_err(failure)?;
                let mut record = places.record(game.place.at).map_err(failure)?;
                if self.own_page.is_some() {
                    // The page of a league is its authors': see `PageData`.
                    let faults = record.fault.iter_mut().flat_map(|faults| faults.values_mut());
                    faults.for_each(|fault| fault.stderr.clear());
                }
                let replay = if sealed.contains(id) {
                    renderer.sealed_json(&record)
                } else {
                    renderer.json(&record, id)
                };
                return Ok(Some(game_file_script(&replay?)));
            }
        }
        Ok(None)
    }

    /// The same under pseudonyms.
    fn published_script(&self, id: &str) -> Result<Option<String>, WebError> {
        let Some(game) = PublishedGames::open(&self.dir)?.game(&self.dir, id)? else {
            return Ok(None);
        };
        let renderer = self.replay_renderer(&read_folder_header(&self.dir)?)?;
        let replay = if game.is_sealed {
            renderer.sealed_json(&game.record)
        } else {
            renderer.json(&game.record, id)
        };
        Ok(Some(game_file_script(&replay?)))
    }

    /// What makes replays of the games of the log with this header.
    pub(crate) fn replay_renderer(&self, header: &Header) -> Result<ReplayRenderer, WebError> {
        let (rules, turned) = (self.game_rules(header)?, TurningPoints::new());
        Ok(ReplayRenderer { rules, control: header.clock, turned })
    }

    /// The list of all games as a script.
    pub(crate) fn game_index_script(&self) -> Result<String, WebError> {
        let mut list = begin_game_index();
        if self.naming == Naming::Pseudonyms {
            let published = PublishedGames::open(&self.dir)?;
            let names = published.names.names().into_iter();
            let shown: HashMap<&str, usize> =
                names.map(|name| published.names.shown_name(name)).zip(0..).collect();
            published.for_each_public_game(&self.dir, |game| -> Result<(), WebError> {
                let number = |name: &str| shown.get(name).copied();
                list.extend(index_game_record(number, &game.record, game.is_sealed));
                Ok(())
            })?;
            return Ok(list + INDEX_END);
        }
        let header = read_folder_header(&self.dir)?;
        let (names, sealed) = (GameLineNames::of(&header), sealed_game_ids(&self.dir, &header)?);
        read_folder_log(&self.dir, |_, game| {
            list.push_str(&index_game_line(&names, game, sealed.contains(&game.id())));
        })?;
        Ok(list + INDEX_END)
    }
}

/// The ids of the games that are not shown yet.
fn sealed_game_ids(dir: &Path, header: &Header) -> Result<HashSet<String>, WebError> {
    if !header.is_hidden() {
        return Ok(HashSet::new());
    }
    let state = read_folder_log(dir, |_, _| {})?.state;
    let sealed = SealedGames::from_state(header, &state);
    Ok((0..state.len()).filter(|&at| sealed.contains(at)).map(|at| state.id(at)).collect())
}
