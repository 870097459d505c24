//! `report`: the page about a tournament, written beside its tables.

pub(super) mod beside;
pub(super) mod called;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::results::{Seen, Tables, find};
use super::{Failure, Status};
use crate::analysis::results::Faulted;
use crate::config;
use crate::log::write_whole;
use crate::model::grades::Grades;
use crate::model::record::{GameRecord, Header};
use crate::printer::Printer;
use crate::report::film::Film;
use crate::report::grades;
use crate::report::page::shell::Kind;
use crate::report::page::{Material, page};
use crate::report::survey::Survey;
use crate::tournament::audit::options_of;
use beside::Beside;
use referee_games::Game;
use referee_games::with_game;

/// The page's file.
pub const PAGE: &str = "report.html";
/// The folder of the page under pseudonyms.
const PUBLIC: &str = "public";
/// The page brings films of so many bytes along at most.
const FILM_BYTES: usize = 4 << 20;

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee report                        the newest tournament under results/
  referee report results/autumn-cup
  referee report --grades tournament.toml
  referee report --pseudonyms           a report without names, in the folder public")]
pub struct ReportArgs {
    /// The results folder (default: the newest under results/)
    pub dir: Option<PathBuf>,
    /// Also write grades.csv, using [grades] in this configuration
    #[arg(long, value_name = "CONFIG")]
    pub grades: Option<PathBuf>,
    /// Write a report with the pseudonyms of `referee packets` into the folder `public`
    #[arg(long, conflicts_with = "grades")]
    pub pseudonyms: bool,
}

/// Writes the page and says where it is.
pub fn run(args: &ReportArgs, printer: Printer) -> Result<Status, Failure> {
    let dir = find(args.dir.as_deref())?;
    if args.pseudonyms {
        let public = dir.join(PUBLIC);
        let (tables, _) = Tables::under_pseudonyms(&dir)?;
        tables.warn(printer);
        write_into(&public, &dir, &tables, None)?;
        return printer.line(&public.join(PAGE).display().to_string()).map(|()| Status::Done);
    }
    let tables = Tables::read(&dir, Faulted::Count)?;
    tables.warn(printer);
    if let Some(config) = &args.grades {
        let grades = config::load(config, printer.colour_err)?
            .grades
            .ok_or_else(|| Failure::input(format!("{} has no table [grades]", config.display())))?;
        write_grades(&dir, &grades, &tables)?;
    }
    write(&dir, &tables, None)?;
    printer.line(&dir.join(PAGE).display().to_string()).map(|()| Status::Done)
}

/// Writes the page about the tournament in `dir`, of which `tables` are the tables and `config` is
/// the configuration, where that is known.
pub(super) fn write(dir: &Path, tables: &Tables, config: Option<&Path>) -> Result<(), Failure> {
    write_into(dir, dir, tables, config)
}

/// Writes the page into the folder `out`.
fn write_into(
    out: &Path,
    dir: &Path,
    tables: &Tables,
    config: Option<&Path>,
) -> Result<(), Failure> {
    let mut beside = Beside::new(out)?;
    let called = called::options(dir, config);
    let html = render(dir, tables, (Kind::File, &called), Some(&mut beside))?;
    beside.finish()?;
    let path = out.join(PAGE);
    write_whole(&path, |out| out.write_all(html.as_bytes())).map_err(|error| failed(&path, &error))
}

/// Writes `grades.csv`.
pub(super) fn write_grades(dir: &Path, grades: &Grades, tables: &Tables) -> Result<(), Failure> {
    let path = dir.join("grades.csv");
    grades::grades(grades, &tables.standings, &tables.results)
        .and_then(|table| write_whole(&path, |out| out.write_all(&table)))
        .map_err(|error| failed(&path, &error))
}

pub(super) fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::system(format!("cannot write {}: {error}", path.display()))
}

/// The page as HTML, of a kind and with the options of its commands. All games go to `beside`, if it
/// is given.
pub(super) fn render(
    dir: &Path,
    tables: &Tables,
    (kind, called): (Kind, &str),
    beside: Option<&mut Beside>,
) -> Result<String, Failure> {
    let survey = survey(dir, tables)?;
    let films = films(dir, tables, &survey, beside)?;
    let found = tables.diagnostics(dir)?;
    let out = tables.out_lines(dir)?;
    Ok(page(&Material {
        header: &tables.header,
        standings: &tables.standings,
        results: &tables.results,
        survey: &survey,
        found: &found,
        films: &films,
        out: &out,
        // A command would name a player.
        called: tables.published.is_none().then_some(called),
        kind,
    }))
}

/// Looks at every game that counts.
fn survey(dir: &Path, tables: &Tables) -> Result<Survey, Failure> {
    let Tables { header, results, standings, .. } = tables;
    let games = results.counts.total().games() as usize;
    let mut survey = Survey::new(header, results, standings, games);
    let rating = |error| Failure::input(format!("the ratings cannot be computed: {error}"));
    tables.counted(dir, |game| survey.add(game.record).map_err(rating))?;
    survey.course.finish().map_err(rating)?;
    Ok(survey)
}

/// The films that the page brings along, as JSON; all games go to `beside`, if it is given.
fn films(
    dir: &Path,
    tables: &Tables,
    survey: &Survey,
    mut beside: Option<&mut Beside>,
) -> Result<Vec<String>, Failure> {
    let studio = Studio::new(&tables.header)?;
    let (mut films, mut bytes) = (Vec::new(), 0);
    tables.games(dir, |Seen { record, check, .. }| {
        let mut made = None;
        if let Some(beside) = beside.as_deref_mut() {
            beside.list(&tables.results, record)?;
            if !beside.has(record, check) {
                let film = studio.film(record)?;
                beside.add(record, check, &film)?;
                made = Some(film);
            }
        }
        if survey.chosen.has(&record.id) && bytes < FILM_BYTES {
            let film = made.map_or_else(|| studio.film(record), Ok)?;
            bytes += film.len();
            films.push(film);
        }
        Ok(())
    })?;
    Ok(films)
}

/// Makes films of games as JSON.
pub(super) struct Studio(Box<dyn Fn(&GameRecord) -> Film>);

impl Studio {
    /// For games of the log with this header.
    pub(super) fn new(header: &Header) -> Result<Self, Failure> {
        let (kind, options) = options_of(header)
            .map_err(|message| Failure::input(format!("the header cannot be used: {message}")))?;
        let control = header.clock;
        with_game!(kind, G => {
            let rules = Arc::new(G::rules(&options).map_err(Failure::input)?);
            Ok(Self(Box::new(move |record| Film::of::<G>(&rules, &control, record))))
        })
    }

    /// The film of a game.
    pub(super) fn film(&self, record: &GameRecord) -> Result<String, Failure> {
        serde_json::to_string(&self.0(record)).map_err(|error| Failure::system(error.to_string()))
    }
}
