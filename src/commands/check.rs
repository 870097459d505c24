//! `check`: what an author runs before handing in, and a lecturer over a whole folder.

mod table;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use clap::Args;
use tokio::sync::{mpsc, watch};

use super::run::until_interrupted;
use super::setting::{Setting, SettingArgs};
use super::{Failure, Format, Status};
use crate::bots::{LADDER, Playable};
use crate::check::{Candidate, Exam, Report, drills, examine};
use crate::config::{PlayerSpec, Tournament};
use crate::printer::Printer;
use crate::tournament::continuation::{fresh_identity, header};
use crate::tournament::format::Stage;
use crate::tournament::runner::share_cores;
use crate::tournament::slot::settle_on;
use crate::with_game;

/// The most pairs of games against each house player.
const MOST_PAIRS: i64 = 10_000;

/// Check whether a player is fit to play
///
/// It is started, put before every kind of turn of the game, played against itself, in long games,
/// on a busy core, and against players of the house. Every failure comes with what was expected,
/// the lines that led to it, and a command that puts the same decision to the player again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee check player.py
  referee check \"java -cp build Player\" --game backdraughts
  referee check players/* --csv players.csv

Several players are checked at the same time, one a core. Games that show a failure are kept under
the folder `check-results`. Exit codes: 0 every player is ready, 1 one is not, 2 bad command line,
130 interrupted.")]
pub struct CheckArgs {
    /// The players: files, folders, names from the configuration, `bot:NAME`, or commands
    #[arg(required = true, value_name = "PLAYER")]
    pub players: Vec<String>,
    /// The game and its terms
    #[command(flatten)]
    pub setting: SettingArgs,
    /// Pairs of games against each player of the house
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(..=MOST_PAIRS))]
    pub pairs: u32,
    /// Play only these players of the house (repeatable; default: the rungs of the ladder that
    /// take no time)
    #[arg(long = "against", value_name = "BOT")]
    pub against: Vec<String>,
    /// What everything random is drawn from
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Players checked at the same time (default: one a core)
    #[arg(long)]
    pub jobs: Option<NonZeroUsize>,
    /// Where games that show a failure are kept
    #[arg(long, value_name = "DIR", default_value = "check-results")]
    pub records: PathBuf,
    /// Write a table of all players into a file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// How to print; JSON is one object a player and line
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Checks the players.
pub fn run(args: &CheckArgs, printer: Printer) -> Result<Status, Failure> {
    let setting = args.setting.read(printer)?;
    with_game!(setting.game, G => check::<G>(args, &setting, printer))
}

fn check<G: Playable>(
    args: &CheckArgs,
    setting: &Setting,
    printer: Printer,
) -> Result<Status, Failure> {
    let (options, rules) = setting.rules::<G>(printer)?;
    let house = |name: &str| setting.program(&format!("bot:{name}"), "it is no house player");
    let bots = if args.against.is_empty() {
        LADDER.iter().filter(|name| **name != "search").map(|name| house(name)).collect()
    } else {
        args.against.iter().map(|name| house(name)).collect::<Result<Vec<PlayerSpec>, _>>()
    }?;
    let exam = Exam::<G> {
        drills: drills::<G>(&rules),
        rules,
        options,
        control: setting.control,
        containment: setting.contain()?,
        policy: setting.policy,
        partner: house("steady")?,
        bots,
        pairs: args.pairs,
        seed: args.seed,
        records: args.records.clone(),
    };
    let candidates = args
        .players
        .iter()
        .map(|word| candidate(word, args, setting, &exam))
        .collect::<Result<Vec<_>, _>>()?;
    let mut table = args.csv.as_deref().map(table::Table::create).transpose()?;
    let Some(reports) = examine_all(args, &Arc::new(exam), &Arc::new(candidates), printer)? else {
        return Ok(Status::Interrupted);
    };
    for report in &reports {
        match args.format {
            Format::Text => printer.line(&format!("{}\n", report.in_words()))?,
            Format::Json => {
                let json = serde_json::to_string(report)
                    .map_err(|error| Failure::system(error.to_string()))?;
                printer.line(&json)?;
            }
        }
    }
    if let Some(table) = &mut table {
        table.write(&reports)?;
    }
    let ready = reports.iter().filter(|report| report.ready).count();
    if reports.len() > 1 {
        printer.note(&format!("{ready} of {} players are ready", reports.len()));
    }
    Ok(if ready == reports.len() { Status::Done } else { Status::Found })
}

fn candidate<G: Playable>(
    word: &str,
    args: &CheckArgs,
    setting: &Setting,
    exam: &Exam<G>,
) -> Result<Candidate, Failure> {
    let spec = setting.program(word, "only programs are checked")?;
    let mut words = vec![word];
    let config = args.setting.config.to_string_lossy();
    if setting.players.iter().any(|player| player.name == word) {
        words.extend(["--config", &config]);
    }
    if let Some(level) = args.setting.containment {
        words.extend(["--containment", level.name()]);
    }
    let words = shlex::try_join(words)
        .map_err(|_| Failure::input(format!("player `{}`", word.escape_debug())))?;
    let mut players = vec![spec.clone(), exam.partner.clone()];
    players.extend(exam.bots.iter().cloned());
    let tournament = Tournament {
        name: "check".to_owned(),
        game: setting.game,
        options: exam.options.clone(),
        remarks: Vec::new(),
        stages: vec![Stage::round_robin(1)],
        openings: None,
        seed: Some(exam.seed),
        jobs: None,
        clock: exam.control,
        containment: setting.wish.clone(),
        fault_policy: exam.policy,
        quarantine: 0,
        anchors: Vec::new(),
        grades: None,
        players,
        results: exam.records.clone(),
    };
    Ok(Candidate {
        header: header(&tournament, exam.containment.record(), fresh_identity()?),
        spec,
        words,
    })
}

/// Examines all candidates, so many at a time, each on a core; in their order, none when that was
/// interrupted.
fn examine_all<G: Playable>(
    args: &CheckArgs,
    exam: &Arc<Exam<G>>,
    candidates: &Arc<Vec<Candidate>>,
    printer: Printer,
) -> Result<Option<Vec<Report>>, Failure> {
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let jobs = args.jobs.map_or_else(cores, NonZeroUsize::get).min(candidates.len());
    let each = if exam.control.ponder { 2 } else { 1 };
    let shares = share_cores(jobs, each);
    let next = Arc::new(AtomicUsize::new(0));
    let (tell_stop, stop) = watch::channel(false);
    let (done, mut results) = mpsc::unbounded_channel();
    let threads: Vec<_> = shares
        .into_iter()
        .map(|cores| {
            let (exam, candidates) = (Arc::clone(exam), Arc::clone(candidates));
            let (next, stop, done) = (Arc::clone(&next), stop.clone(), done.clone());
            thread::spawn(move || {
                settle_on(&cores);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(candidate) = candidates.get(number) else { return };
                    let report = examine_one(&exam, candidate, &stop);
                    if done.send((number, report)).is_err() {
                        return;
                    }
                }
            })
        })
        .collect();
    drop(done);
    let collected = until_interrupted(async {
        let mut reports: Vec<Option<Report>> = vec![None; candidates.len()];
        while let Some((number, report)) = results.recv().await {
            let Some(report) = report? else { continue };
            if candidates.len() > 1 {
                let name = crate::escape::terminal(&report.player);
                printer.note(&format!("{name}: {}", report.verdict()));
            }
            reports[number] = Some(report);
        }
        Ok(reports)
    });
    tell_stop.send_replace(true);
    for thread in threads {
        // A panic of a thread was printed where it happened; its player has no report.
        let _ = thread.join();
    }
    Ok(collected?.and_then(|reports| reports.into_iter().collect()))
}

fn examine_one<G: Playable>(
    exam: &Exam<G>,
    candidate: &Candidate,
    stop: &watch::Receiver<bool>,
) -> Result<Option<Report>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::system(error.to_string()))?;
    runtime.block_on(examine(exam, candidate, stop.clone()))
}
