//! `report`: writes the HTML page about a tournament, beside its tables.

pub(super) mod command_options;
pub(super) mod game_files;
pub(super) mod packets;
mod up_to_date;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use super::recorded_rules::RecordedRulesArgs;
use super::results_folder::{ResultsFolderArgs, Tables};
use super::turning_args::{TurningArgs, TurningPoints};
use super::{Failure, Status};
use crate::printer::Printer;
use game_files::{GameDecisions, GameFiles};
use referee_config::Configuration;
use referee_match::replay::frames::ReplayFrames;
use referee_record::log::write_whole;
use referee_record::model::clock::TimeControl;
use referee_record::model::grades::Grades;
use referee_record::model::record::GameRecord;
use referee_record::model::rules::GameRules;
use referee_record::parallel;
use referee_record::{bounded, disk};
use referee_report::page::template::PageKind;
use referee_report::page::{Page, PageData, SHOWN_GAMES, page};
use referee_report::replay_pack::ReplayPack;
use referee_report::tables::{ABSENT, GRADES_RULES, GRADES_TABLE, PACKETS, PAGE, PUBLIC};
use referee_report::taken_out::taken_out;
use referee_tournament::analysis::diagnostics::Diagnoser;
use referee_tournament::analysis::diagnostics::decisions::add_decisions;
use referee_tournament::analysis::failed_checks::FailedChecks;
use referee_tournament::analysis::log_summary::LogSummary;
use referee_tournament::analysis::logged_game::LoggedGame;
use referee_tournament::analysis::results::Faulted;
use referee_tournament::folder::workers::LiveWorkers;
pub(super) use up_to_date::{follows_the_log, is_up_to_date};

/// How many scripts with games are made at once.
const AT_ONCE: usize = 8;
/// The most bytes of embedded replays on the page.
const REPLAY_BYTES: usize = 4 << 20;

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee report                        the tournament of tournament.toml
  referee report results/autumn-cup
  referee report --grades tournament.toml
  referee report --pseudonyms           a report without names, in the folder public
  referee report --packets              a folder for the authors of each player, in packets
  referee report --packets=for-students --grades tournament.toml
  referee report --packets --with bot:search-1000   and say where each game turned")]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) folder: ResultsFolderArgs,
    /// Also write grades.csv, using [grades] in this configuration; with --packets, write each
    /// player's marks into its packet instead
    #[arg(long, value_name = "CONFIG")]
    pub(crate) grades: Option<PathBuf>,
    /// Write a report with the pseudonyms of the packets into the folder `public`
    #[arg(long, conflicts_with = "grades")]
    pub(crate) pseudonyms: bool,
    /// Write one folder per player, for its authors, into `packets` beside the log or into DIR,
    /// which must not exist
    #[arg(
        long,
        value_name = "DIR",
        num_args = 0..=1,
        require_equals = true,
        conflicts_with = "pseudonyms"
    )]
    #[expect(clippy::option_option, reason = "may be given without a folder")]
    pub(crate) packets: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub(crate) turning: TurningArgs,
    #[command(flatten)]
    pub(crate) rules: RecordedRulesArgs,
}

/// Writes the page and prints its path.
pub(crate) fn run(args: &ReportArgs, printer: Printer) -> Result<Status, Failure> {
    let dir = args.folder.find(printer)?;
    let grades = args.grades.as_deref().map(|config| read_grades(config, printer)).transpose()?;
    if let Some(out) = &args.packets {
        let out = out.clone().unwrap_or_else(|| dir.join(PACKETS));
        return packets::write_packets(&dir, &out, grades.as_ref(), args, printer);
    }
    let turned = |tables: &Tables, rules: &GameRules| {
        let count = tables.analysis.state.played();
        args.turning.all((count, printer), rules, |each| tables.analysis.each_game(each))
    };
    if args.pseudonyms {
        let public = dir.join(PUBLIC);
        let tables = Tables::under_pseudonyms(&dir)?;
        let rules = args.rules.open(&tables.analysis.header, &dir, printer)?;
        tables.warn(printer);
        disk::make_own_folder(&public).map_err(|error| failed(&public, &error))?;
        let turned = turned(&tables, &rules)?;
        write_into(&public, &tables, None, (rules, turned))?;
        return printer.path(&public.join(PAGE)).map(|()| Status::Done);
    }
    let tables = Tables::read(&dir, Faulted::Count)?;
    let rules = args.rules.open(&tables.analysis.header, &dir, printer)?;
    tables.warn(printer);
    if tables.analysis.header.is_hidden() {
        disk::keep_private();
    }
    if let Some(grades) = &grades {
        write_grades(grades, &tables, printer)?;
    }
    let turned = turned(&tables, &rules)?;
    write_into(&dir, &tables, None, (rules, turned))?;
    printer.path(&dir.join(PAGE)).map(|()| Status::Done)
}

/// Writes the tables and the page of a tournament into its folder. `config` is the configuration, and
/// `rules` are those of the games. Returns one line per player that is out.
pub(super) fn write_all(
    tables: &Tables,
    config: &Path,
    rules: GameRules,
) -> Result<Vec<String>, Failure> {
    tables.write()?;
    write_into(tables.analysis.dir(), tables, Some(config), (rules, TurningPoints::new()))
}

/// One line per player that is out, of a tournament whose page is written already.
pub(super) fn lines_about_out(tables: &Tables) -> Result<Vec<String>, Failure> {
    let analysis = &tables.analysis;
    let mut failed_checks = FailedChecks::default();
    if analysis.state.taken_out().next().is_some() {
        analysis.each_game(|game| {
            if !game.is_sealed {
                failed_checks.add(game);
            }
            Ok::<(), Failure>(())
        })?;
    }
    Ok(taken_out(analysis, &failed_checks))
}

/// Writes the page of a tournament into the folder `out`. Returns one line per player that is out.
fn write_into(
    out: &Path,
    tables: &Tables,
    config: Option<&Path>,
    (rules, turned): (GameRules, TurningPoints),
) -> Result<Vec<String>, Failure> {
    let files = GameFiles::new(out)?;
    let renderer = ReplayRenderer { rules, control: tables.analysis.header.clock, turned };
    let mut page = PageBuilder::new(tables, Some(files), renderer);
    tables.analysis.each_game(|game| page.add(game))?;
    page.write(out, &command_options::options(tables.analysis.dir(), config))
}

/// The page of a running tournament. `called` are the options shown in its commands.
pub(super) fn live_page(tables: &Tables, called: &str, rules: GameRules) -> Result<Page, Failure> {
    let (control, turned) = (tables.analysis.header.clock, TurningPoints::new());
    let mut page = PageBuilder::new(tables, None, ReplayRenderer { rules, control, turned });
    tables.analysis.each_game(|game| page.add(game))?;
    page.render(PageKind::Live, called).map(|(page, _)| page)
}

/// Reads `[grades]` in a configuration.
pub(super) fn read_grades(config: &Path, printer: Printer) -> Result<Grades, Failure> {
    let configuration = Configuration::read(config, printer.colour_err)?;
    configuration
        .grades()?
        .ok_or_else(|| Failure::input(format!("{} has no table [grades]", config.display())))
}

/// Writes the marks if all games are played. Otherwise removes old ones, and says when they are
/// written.
pub(super) fn write_final_grades(
    grades: &Grades,
    tables: &Tables,
    printer: Printer,
) -> Result<(), Failure> {
    if tables.analysis.state.due() == 0 {
        return write_grades(grades, tables, printer);
    }
    for file in [GRADES_TABLE, GRADES_RULES] {
        let path = tables.analysis.dir().join(file);
        disk::remove_if_there(&path).map_err(|error| {
            Failure::system(format!("cannot remove {}: {error}", path.display()))
        })?;
    }
    printer.note(&format!("{GRADES_TABLE} is written when all games are played"));
    Ok(())
}

/// Writes down who has no player and why, for the packets.
pub(super) fn write_absent(absent: &BTreeMap<String, String>, dir: &Path) -> Result<(), Failure> {
    let path = dir.join(ABSENT);
    let written = if absent.is_empty() {
        disk::remove_if_there(&path)
    } else {
        let text = serde_json::to_vec_pretty(absent).map_err(io::Error::from);
        text.and_then(|text| write_if_new(&path, &text))
    };
    written.map_err(|error| failed(&path, &error))
}

/// Writes `grades.csv`, and the rules by which it was made. Says what to know about the marks.
fn write_grades(grades: &Grades, tables: &Tables, printer: Printer) -> Result<(), Failure> {
    let players = tables.graded(grades);
    let table = players.table();
    let rules = serde_json::to_vec_pretty(grades).map_err(io::Error::from);
    for (file, content) in [(GRADES_TABLE, table), (GRADES_RULES, rules)] {
        let path = tables.analysis.dir().join(file);
        content
            .and_then(|content| write_if_new(&path, &content))
            .map_err(|error| failed(&path, &error))?;
    }
    players.notes().iter().for_each(|note| printer.note(note));
    Ok(())
}

/// Writes a file unless it has this content already.
fn write_if_new(path: &Path, content: &[u8]) -> io::Result<()> {
    match bounded::holds(path, content) {
        Ok(true) => Ok(()),
        _ => write_whole(path, |out| out.write_all(content)),
    }
}

pub(super) fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::cannot_write(path, error)
}

/// Collects everything on the page that needs a pass over the log.
struct PageBuilder<'a> {
    tables: &'a Tables,
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
}

impl<'a> PageBuilder<'a> {
    /// A new page. With `files`, it also writes the games there.
    fn new(tables: &'a Tables, files: Option<GameFiles>, renderer: ReplayRenderer) -> Self {
        let analysis = &tables.analysis;
        Self {
            tables,
            summary: LogSummary::new(&analysis.header, &analysis.evaluation),
            diagnoser: Diagnoser::new(analysis, renderer.rules.clone()),
            failed_checks: FailedChecks::default(),
            files,
            waiting: Vec::new(),
            renderer,
            games: 0,
        }
    }

    /// Adds the next game of the log. Only the list of games has games that are sealed.
    fn add(&mut self, game: &LoggedGame) -> Result<(), Failure> {
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
    fn add_waiting(&mut self) -> Result<(), Failure> {
        let Some(files) = &mut self.files else { return Ok(()) };
        let results = &self.tables.analysis.evaluation.results;
        let waiting = std::mem::take(&mut self.waiting);
        let renderer = &self.renderer;
        let scripts = parallel::map(waiting.chunks(game_files::SIZE).collect(), |games| {
            (games, renderer.pack(games))
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

    /// The page, and one line per player that is out.
    fn render(mut self, kind: PageKind, called: &str) -> Result<(Page, Vec<String>), Failure> {
        let Tables { analysis, standings } = self.tables;
        self.add_waiting()?;
        self.summary.finish()?;
        if let Some(files) = self.files {
            files.finish()?;
        }
        // A served page loads each game when it is opened.
        let replays = match kind {
            PageKind::File => replays(&self.renderer, &self.summary)?,
            PageKind::Live => Vec::new(),
        };
        let found = self.diagnoser.finish(analysis);
        let out = taken_out(analysis, &self.failed_checks);
        let workers = match kind {
            PageKind::File => None,
            PageKind::Live => LiveWorkers::read(analysis.dir()),
        };
        let page = page(&PageData {
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
            workers: workers.as_ref(),
        });
        Ok((page, out))
    }

    /// Writes the page into the folder `out`. Returns one line per player that is out.
    fn write(self, out: &Path, called: &str) -> Result<Vec<String>, Failure> {
        let (page, lines) = self.render(PageKind::File, called)?;
        let path = out.join(PAGE);
        write_whole(&path, |out| out.write_all(page.html.as_bytes()))
            .map_err(|error| failed(&path, &error))?;
        Ok(lines)
    }
}

/// The replays embedded in the page, as JSON.
fn replays(renderer: &ReplayRenderer, summary: &LogSummary) -> Result<Vec<String>, Failure> {
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

/// Makes replays of games, as JSON.
pub(super) struct ReplayRenderer {
    pub(super) rules: GameRules,
    pub(super) control: TimeControl,
    /// The plies to mark, by game.
    pub(super) turned: TurningPoints,
}

impl ReplayRenderer {
    /// Marks where the game with this id turned.
    fn mark(&self, frames: &mut ReplayFrames, id: &str) {
        frames.mark(self.turned.get(id).map_or(&[], Vec::as_slice));
    }

    /// The games as a pack, and the decisions in each; a sealed game shows none.
    fn pack(&self, games: &[LoggedGame]) -> io::Result<(String, Vec<GameDecisions>)> {
        let Self { rules, control, .. } = self;
        let mut pack = ReplayPack::default();
        let mut all = Vec::new();
        for game in games {
            if game.is_sealed {
                pack.add(&ReplayFrames::sealed(rules, &game.record))?;
                all.push(Ok(Vec::new()));
                continue;
            }
            let mut decisions = Vec::new();
            let (mut frames, replayed) =
                ReplayFrames::watched(rules, control, &game.record, |replay| {
                    add_decisions(replay, &mut decisions);
                });
            self.mark(&mut frames, &game.record.id);
            pack.add(&frames)?;
            all.push(replayed.map(|()| decisions));
        }
        Ok((pack.finish()?, all))
    }

    /// The replay of a game, as JSON, marked where the game with this id turned: its own, unless
    /// the record hides names.
    pub(super) fn json(&self, record: &GameRecord, id: &str) -> Result<String, Failure> {
        let mut frames = ReplayFrames::of(&self.rules, &self.control, record);
        self.mark(&mut frames, id);
        json(&frames)
    }

    /// The replay of a game of which nothing may be shown yet, as JSON.
    pub(super) fn sealed_json(&self, record: &GameRecord) -> Result<String, Failure> {
        json(&ReplayFrames::sealed(&self.rules, record))
    }
}

fn json(frames: &ReplayFrames) -> Result<String, Failure> {
    serde_json::to_string(frames).map_err(|error| Failure::system(error.to_string()))
}
