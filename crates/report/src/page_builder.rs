//! Builds the page of a tournament, and the scripts with its games, in one pass over the log.

use std::path::Path;

use crate::ReportError;
use crate::csv_tables::PAGE;
use crate::game_files::{self, GameFiles};
use crate::page::page_template::PageKind;
use crate::page::{Page, PageData, PlayedGame, SHOWN_GAMES, render_report_page};
use crate::replay_renderer::{ReplayRenderer, TurningPoints};
use crate::taken_out::taken_out;
use crate::tournament_tables::TournamentTables;
use referee_games::BySeat;
use referee_record::log::write_atomically;
use referee_record::model::game_rules::GameRules;
use referee_record::parallel::map_in_parallel;
use referee_tournament::analysis::diagnostics::Diagnoser;
use referee_tournament::analysis::diagnostics::known_decisions::KnownDecisions;
use referee_tournament::analysis::failed_checks::FailedChecks;
use referee_tournament::analysis::log_summary::LogSummary;
use referee_tournament::analysis::logged_game::LoggedGame;
use referee_tournament::analysis::named_results::NamedResults;
use referee_tournament::analysis::rating_history::RatingPoint;
use referee_tournament::folder::live_workers_file::LiveWorkers;

/// How many scripts with games are made at once.
const AT_ONCE: usize = 8;
/// The most bytes of embedded replays on the page.
const REPLAY_BYTES: usize = 4 << 20;

/// Writes the page of a tournament, whose games have these rules and turned there, into the folder
/// `out`. `called` are the options shown in its commands. Returns one line per player that is out.
///
/// # Errors
/// The log cannot be read, or the page cannot be written.
pub fn write_page(
    out: &Path,
    tables: &TournamentTables,
    called: &str,
    (rules, turned): (GameRules, TurningPoints),
) -> Result<Vec<String>, ReportError> {
    let files = GameFiles::new(out)?;
    let renderer = ReplayRenderer { rules, control: tables.analysis.header.clock, turned };
    let mut page = PageBuilder::new(tables, Some(files), renderer, PageMemory::default());
    tables.analysis.each_game(|game| page.add(game))?;
    page.write(out, called)
}

/// What an earlier page of the same log has found, and the next one need not find again.
#[derive(Debug, Default)]
pub struct PageMemory {
    /// The ratings over time.
    pub history: Vec<RatingPoint>,
    /// The decisions of the players.
    pub decisions: KnownDecisions,
}

/// A live page, with what the pages of authors show of it.
#[derive(Debug)]
pub struct BuiltLivePage {
    /// The page.
    pub page: Page,
    /// The games that count, in order, without those that are sealed.
    pub games: Vec<PlayedGame>,
    /// What the next page need not find again.
    pub memory: PageMemory,
}

/// The page of a running tournament. `called` are the options shown in its commands.
///
/// # Errors
/// The log cannot be read, or the `memory` belongs to other games.
pub fn build_live_page(
    tables: &TournamentTables,
    called: &str,
    own_page: Option<&'static str>,
    rules: GameRules,
    memory: PageMemory,
) -> Result<BuiltLivePage, ReportError> {
    let (control, turned) = (tables.analysis.header.clock, TurningPoints::new());
    let mut page =
        PageBuilder::new(tables, None, ReplayRenderer { rules, control, turned }, memory);
    page.own_page = own_page;
    let (mut games, results) = (Vec::new(), &tables.analysis.evaluation.results);
    tables.analysis.each_game(|game| {
        games.extend(build_page_game(results, game));
        page.add(game)
    })?;
    let RenderedPage { page, memory, .. } = page.render(PageKind::Live, called)?;
    Ok(BuiltLivePage { page, games, memory })
}

/// A game for lists; `None` if it does not count, or is sealed.
fn build_page_game(results: &NamedResults, game: &LoggedGame) -> Option<PlayedGame> {
    let record = game.record.as_ref();
    let numbers = record.players.values.values().iter().map(|name| results.number(name).ok());
    let players = numbers.collect::<Option<BySeat<usize>>>()?;
    let winner = game.summary.places.winner();
    (game.counts && !game.is_sealed).then(|| PlayedGame {
        id: record.id.clone(),
        players,
        winner,
        reason: record.reason.clone(),
        plies: record.plies,
        began: record.clock.began,
        fingerprint: game.summary.fingerprint,
    })
}

/// Collects everything on the page that needs a pass over the log.
struct PageBuilder<'a> {
    tables: &'a TournamentTables,
    summary: LogSummary,
    diagnoser: Diagnoser,
    failed_checks: FailedChecks,
    /// The scripts with all games.
    files: Option<GameFiles>,
    /// The games of the next scripts, which are replayed together.
    waiting: Vec<LoggedGame>,
    renderer: ReplayRenderer,
    /// The number of games so far.
    games: usize,
    /// The address of the visitor's own page, if people have one.
    own_page: Option<&'static str>,
}

struct RenderedPage {
    page: Page,
    /// One line per player that is out.
    out: Vec<String>,
    memory: PageMemory,
}

impl<'a> PageBuilder<'a> {
    /// A new page. With `files`, it also writes the games there.
    fn new(
        tables: &'a TournamentTables,
        files: Option<GameFiles>,
        renderer: ReplayRenderer,
        memory: PageMemory,
    ) -> Self {
        let analysis = &tables.analysis;
        Self {
            tables,
            summary: LogSummary::new(&analysis.header, &analysis.evaluation, memory.history),
            diagnoser: Diagnoser::new(analysis, renderer.rules.clone(), memory.decisions),
            failed_checks: FailedChecks::default(),
            files,
            waiting: Vec::new(),
            renderer,
            games: 0,
            own_page: None,
        }
    }

    /// Adds the next game of the log. Only the list of games has games that are sealed.
    fn add(&mut self, game: &LoggedGame) -> Result<(), ReportError> {
        if !game.is_sealed {
            self.summary.add(game)?;
            self.failed_checks.add(game);
        }
        self.games += 1;
        if self.games > SHOWN_GAMES {
            self.add_waiting()?;
            // Not replayed: its decisions are not compared.
            if !game.is_sealed {
                self.diagnoser.add(game, Ok(Vec::new()))?;
            }
        } else if self.files.is_some() {
            self.waiting.push(game.clone());
            if self.waiting.len() == AT_ONCE * game_files::SIZE {
                self.add_waiting()?;
            }
        } else if !game.is_sealed {
            self.diagnoser.visit(game)?;
        }
        Ok(())
    }

    /// Adds the games that wait to the scripts, and diagnoses them. Each is replayed once for both:
    /// that takes most of the time.
    fn add_waiting(&mut self) -> Result<(), ReportError> {
        let Some(files) = &mut self.files else { return Ok(()) };
        let results = &self.tables.analysis.evaluation.results;
        let waiting = std::mem::take(&mut self.waiting);
        let renderer = &self.renderer;
        let scripts = map_in_parallel(waiting.chunks(game_files::SIZE).collect(), |games| {
            (games, renderer.render_pack(games))
        });
        for (games, packed) in scripts {
            let decisions = files.add(results, games, packed)?;
            for (game, decisions) in games.iter().zip(decisions).filter(|(game, _)| !game.is_sealed)
            {
                self.diagnoser.add(game, decisions)?;
            }
        }
        Ok(())
    }

    fn render(mut self, kind: PageKind, called: &str) -> Result<RenderedPage, ReportError> {
        let TournamentTables { analysis, standings } = self.tables;
        self.add_waiting()?;
        self.summary.finish()?;
        if let Some(files) = self.files {
            files.finish()?;
        }
        // A served page loads each game when it is opened.
        let replays = match kind {
            PageKind::File => render_page_replays(&self.renderer, &self.summary)?,
            PageKind::Live => Vec::new(),
        };
        let (found, decisions) = self.diagnoser.finish(analysis)?;
        let out = taken_out(analysis, &self.failed_checks);
        let workers = match kind {
            PageKind::File => None,
            PageKind::Live => LiveWorkers::read(analysis.dir()),
        };
        let page = render_report_page(&PageData {
            header: &analysis.header,
            standings,
            results: &analysis.evaluation.results,
            summary: &self.summary,
            found: &found,
            replays: &replays,
            out: &out,
            // A command would reveal a player's name.
            called: analysis.published.is_none().then_some(called),
            kind,
            own_page: self.own_page,
            workers: workers.as_ref(),
        });
        let memory = PageMemory { history: self.summary.history.points, decisions };
        Ok(RenderedPage { page, out, memory })
    }

    /// Writes the page into the folder `out`. Returns one line per player that is out.
    fn write(self, out: &Path, called: &str) -> Result<Vec<String>, ReportError> {
        let RenderedPage { page, out: lines, .. } = self.render(PageKind::File, called)?;
        let path = out.join(PAGE);
        write_atomically(&path, |out| out.write_all(page.html.as_bytes()))
            .map_err(ReportError::unwritable(&path))?;
        Ok(lines)
    }
}

/// The replays embedded in the page, as JSON.
fn render_page_replays(
    renderer: &ReplayRenderer,
    summary: &LogSummary,
) -> Result<Vec<String>, ReportError> {
    let (mut replays, mut bytes) = (Vec::new(), 0);
    for record in summary.highlights.records() {
        if bytes >= REPLAY_BYTES {
            break;
        }
        let replay = renderer.json(record, &record.id)?;
        bytes += replay.len();
        replays.push(replay);
    }
    Ok(replays)
}
