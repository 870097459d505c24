//! `compare`: tests whether one player is better than another, in as few games as possible.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use tokio::sync::watch;

use super::report::command_options;
use super::results_folder::COMPARISON;
use super::run::remote_args::RemoteArgs;
use super::run::{PlannedRun, RunLimits, games_at_once, refuse_changed};
use super::runtime::interrupted;
use super::settings::{GameSettingsArgs, GivenSettings, Settings};
use super::{Failure, OutputFormat, Status};
use crate::printer::Printer;
use crate::progress::Progress;
use crate::signals::true_after;
use referee_games::Seat;
use referee_protocol::escape;
use referee_ratings::{Sprt, SprtMatch, SprtVerdict, Unit};
use referee_record::log::LOG;
use referee_record::log::WriteError;
use referee_record::model::fault::FaultCode;
use referee_record::model::game_summary::GameSummary;
use referee_record::model::openings::{OpeningSource, Openings};
use referee_record::model::player::{PlayerSpec, name_of};
use referee_record::model::record::GameRecord;
use referee_record::model::rules::refuse_more_seats;
use referee_record::model::stage::Format::RoundRobin;
use referee_record::model::stage::MOST_PAIRS;
use referee_record::model::stage::Stage;
use referee_record::model::tournament::Tournament;
use referee_report::verdict::{self, MatchPlayer};
use referee_tournament::analysis::diagnostics::copies;
use referee_tournament::analysis::results::FaultCounts;
use referee_tournament::analysis::sprt::match_game;
use referee_tournament::folder::{self, LockedFolder};
use referee_tournament::run::RunEnd;
use referee_tournament::run::event::{Listener, RunEvent};
use referee_tournament::run::resume::{self, Prepared, ReplaceRequest};
use referee_tournament::schedule::state::TournamentState;

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee compare new old                        two players of tournament.toml
  referee compare \"python3 agent.py\" bot:greedy --max-pairs 200
  referee compare new old --elo1 20 --format json && git commit -am 'stronger'

Exit codes: 0 A is better; 10 it is not; 11 undecided; 2 invalid command line; 3 cannot run or
write; 4 in use by another run; 130 interrupted, run again to continue.")]
pub(crate) struct CompareArgs {
    /// The player that may be better: a name from the configuration, `bot:NAME`, a file, a folder
    /// or a command
    pub(crate) a: String,
    /// The player to compare it with
    pub(crate) b: String,
    /// Null hypothesis: A is stronger by this many Elo
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    pub(crate) elo0: f64,
    /// Alternative hypothesis: A is stronger by this many Elo
    #[arg(long, default_value_t = 50.0, allow_negative_numbers = true)]
    pub(crate) elo1: f64,
    /// Probability of calling A better when it is stronger by only --elo0
    #[arg(long, default_value_t = 0.05)]
    pub(crate) alpha: f64,
    /// Probability of calling A not better when it is stronger by --elo1
    #[arg(long, default_value_t = 0.05)]
    pub(crate) beta: f64,
    /// The unit of --elo0 and --elo1
    #[arg(long, value_enum, default_value_t)]
    pub(crate) unit: EloUnit,
    /// Maximum number of pairs of games
    #[arg(long, value_name = "N", default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_PAIRS)))]
    pub(crate) max_pairs: u32,
    /// The game and its terms
    #[command(flatten)]
    pub(crate) settings: GameSettingsArgs,
    /// Seed of all random numbers (default: that of the configuration, or a fresh one)
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Number of games played at the same time (default: as configured, or one per core)
    #[arg(long, value_name = "N", value_parser = games_at_once)]
    pub(crate) jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,
    /// The folder to put the results folder into
    #[arg(long, value_name = "DIR")]
    pub(crate) results: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: OutputFormat,
}

/// The unit of a difference in strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum EloUnit {
    /// Elo by the expected score, `1/(1+10^(−d/400))`.
    #[default]
    Logistic,
    /// The mean score minus ½ in standard deviations of a game, times 800/ln 10. It determines how
    /// many games a test needs, whatever the draw rate and the luck that pairs share.
    Normalized,
}

impl From<EloUnit> for Unit {
    fn from(unit: EloUnit) -> Self {
        match unit {
            EloUnit::Logistic => Self::Logistic,
            EloUnit::Normalized => Self::Normalized,
        }
    }
}

/// Plays until the result is clear, and prints it.
pub(crate) fn run(args: &CompareArgs, printer: Printer) -> Result<Status, Failure> {
    if let Some(refusal) = args.remote.refusal() {
        return Err(refusal);
    }
    let nothing = SprtMatch::new(sprt(args)?, args.max_pairs);
    let given = GivenSettings {
        seed: args.seed,
        jobs: args.jobs,
        results: args.results.clone(),
        ..GivenSettings::default()
    };
    let Some(opened) = args.settings.open(&[args.a.clone(), args.b.clone()], printer)? else {
        return Ok(Status::Interrupted);
    };
    let settings = opened.resolve(given, printer)?;
    let mut tournament = tournament(args, &settings, printer)?;
    let dir = tournament.results.join(&tournament.name);
    keep_planned_pairs(&mut tournament, &dir)?;
    let folder = LockedFolder::open(&dir)?;
    let containment = settings.sandbox(Some(folder.dir()))?;
    printer.note(&containment.summary());
    // Another program has another folder, so that none is replaced.
    let request = ReplaceRequest { players: &[], command: "referee compare" };
    let record = containment.record();
    let prepared =
        resume::prepare(&folder, &tournament, &record, request, &|text| printer.note(text))?;
    if let [one, other] = &tournament.players[..]
        && one.hash == other.hash
    {
        printer.note(&copies::describe(&[one.name.clone(), other.name.clone()]));
    }
    let workers = args.remote.workers(&settings);
    let limits = RunLimits { jobs: settings.jobs(), deadline: None, workers };
    let planned = PlannedRun {
        tournament: &tournament,
        limits: &limits,
        folder: &folder,
        containment: &containment,
    };
    let played = play_match(&planned, prepared, nothing, printer)?;
    conclude(args, &tournament, &played, printer)?;
    let played = played.sprt.state();
    if played.stop.is_none() {
        printer.note("stopped; run the same command again to continue");
        return Ok(Status::Interrupted);
    }
    Ok(match played.verdict() {
        SprtVerdict::Better => Status::Done,
        SprtVerdict::NotBetter => Status::NotBetter,
        SprtVerdict::Undecided => Status::Undecided,
    })
}

/// The test that the arguments ask for.
fn sprt(args: &CompareArgs) -> Result<Sprt, Failure> {
    let hypotheses = (args.elo0, args.elo1);
    Sprt::new(args.unit.into(), hypotheses, (args.alpha, args.beta)).map_err(|problem| {
        Failure::input(format!("this cannot be tested: {problem}; see `referee compare --help`"))
    })
}

/// Keeps what an earlier run in the folder `dir` planned; the match does not take more than its
/// maximum.
fn keep_planned_pairs(tournament: &mut Tournament, dir: &Path) -> Result<(), Failure> {
    if dir.join(LOG).exists() {
        let header = folder::header(dir)?;
        for (stage, planned) in tournament.stages.iter_mut().zip(&header.stages) {
            stage.pairs = stage.pairs.max(planned.pairs);
        }
    }
    Ok(())
}

/// The games of a match so far.
struct PlayedMatch {
    sprt: SprtMatch,
    /// The faults of the first player and of the other.
    faults: [FaultCounts; 2],
    /// A game worth a look: one that the first player lost, or else the first one.
    to_watch: Option<String>,
}

impl PlayedMatch {
    /// Adds the games in `state` to a match with `nothing` in it, from the side of the player called
    /// `first`.
    fn of(first: &str, state: &TournamentState, nothing: SprtMatch) -> Self {
        let (mut sprt, mut lost, mut any) = (nothing, None, None);
        let mut faults = [FaultCounts::new(), FaultCounts::new()];
        for (fixture, summary) in state.counted() {
            let is_first = state.name(fixture.players.at(Seat::FIRST)) == first;
            let (seat, other) =
                if is_first { (Seat::FIRST, Seat::SECOND) } else { (Seat::SECOND, Seat::FIRST) };
            sprt.add(match_game(fixture.pair, seat, summary));
            for (of_player, at) in faults.iter_mut().zip([seat, other]) {
                if let Some(code) = summary.faults.of(at) {
                    *of_player.entry(code).or_default() += 1;
                }
            }
            any = any.or(Some(fixture));
            if summary.halves()[seat] == 0 {
                lost = lost.or(Some(fixture));
            }
        }
        let to_watch = lost.or(any).and_then(|fixture| state.index(fixture));
        Self { sprt, faults, to_watch: to_watch.map(|index| state.id(index)) }
    }
}

/// Plays on until the result is clear or somebody interrupts. Returns all games, given a match with
/// `nothing` in it.
fn play_match(
    planned: &PlannedRun<'_>,
    prepared: Prepared,
    nothing: SprtMatch,
    printer: Printer,
) -> Result<PlayedMatch, Failure> {
    let first = &planned.tournament.players[0].name;
    let before = PlayedMatch::of(first, &prepared.contents.state, nothing.clone());
    if before.sprt.state().stop.is_some() {
        return Ok(before);
    }
    let (tell, told) = watch::channel(false);
    let called = command_options::options(planned.folder.dir(), None);
    let progress = Progress::new(printer).tell_faults(called);
    let mut judge = SprtListener {
        played: before.sprt,
        first: first.clone(),
        progress,
        tell,
        before: 0,
        unstarted: Unstarted::default(),
    };
    let stop = async { Ok(either(interrupted()?, told)) };
    let mut outcome = planned.play(prepared, &mut judge, stop)?;
    let tables = outcome.tables(planned.folder.dir())?;
    let played = PlayedMatch::of(first, &tables.analysis.state, nothing);
    tables.write()?;
    if let (RunEnd::Failed(failure), None) = (outcome.end, &played.sprt.state().stop) {
        return Err(failure.into());
    }
    let Unstarted { games, player: name, why } = &judge.unstarted;
    if judge.unstarted.is_hopeless() {
        let (name, why) = (escape::terminal(name), escape::terminal(why));
        return Err(Failure::input(format!(
            "{name} did not start in {games} games in a row, so nothing was compared: {why}"
        )));
    }
    refuse_changed(&planned.tournament.players, |_| {
        "Run the same command again: it starts a new comparison with the changed player".to_owned()
    })?;
    Ok(played)
}

/// Becomes true when one of the two does.
fn either(
    mut one: watch::Receiver<bool>,
    mut other: watch::Receiver<bool>,
) -> watch::Receiver<bool> {
    true_after(async move {
        tokio::select! {
            _ = one.wait_for(|stop| *stop) => {}
            _ = other.wait_for(|stop| *stop) => {}
        }
    })
}

/// Judges games as they finish, and stops the runner at the verdict.
struct SprtListener {
    played: SprtMatch,
    /// The name of the player that the test asks about.
    first: String,
    progress: Progress,
    tell: watch::Sender<bool>,
    /// The number of games in the log before this run.
    before: usize,
    unstarted: Unstarted,
}

/// A comparison with a player that fails to start in this many games in a row says nothing.
const UNSTARTED: u32 = 4;

/// The last games in a row that did not begin because of the same player.
#[derive(Default)]
struct Unstarted {
    games: u32,
    player: String,
    /// The reason in the last of them.
    why: String,
}

impl Unstarted {
    fn is_hopeless(&self) -> bool {
        self.games >= UNSTARTED
    }

    /// Adds a game, which may have begun.
    fn add(&mut self, record: &GameRecord) {
        let failed = record.players.seats().find_map(|seat| {
            let fault = record.fault_of(seat).filter(|fault| fault.code == FaultCode::NoStart)?;
            Some((record.players[seat].clone(), fault.reason()))
        });
        let Some((player, why)) = failed else {
            *self = Self::default();
            return;
        };
        let before = if self.player == player { self.games } else { 0 };
        *self = Self { games: before + 1, player, why };
    }
}

impl Listener for SprtListener {
    fn on(&mut self, event: RunEvent<'_>, state: &TournamentState) -> Result<(), WriteError> {
        match event {
            RunEvent::Begun { .. } => {
                self.progress.headline(verdict::headline(&self.played));
                self.progress.on(event, state)?;
                self.before = state.played();
                self.expect();
            }
            RunEvent::GameFinished { record, .. } => {
                // A record without a result is refused when the tables are made at the end.
                if let Ok(summary) = GameSummary::of(record) {
                    let is_first = record.players[Seat::FIRST] == self.first;
                    let seat = if is_first { Seat::FIRST } else { Seat::SECOND };
                    self.played.add(match_game(record.pair, seat, summary));
                }
                self.progress.headline(verdict::headline(&self.played));
                self.expect();
                self.progress.on(event, state)?;
                self.unstarted.add(record);
                if self.played.state().stop.is_some() || self.unstarted.is_hopeless() {
                    self.tell.send_replace(true);
                }
            }
            RunEvent::Over => {
                if self.played.state().stop.is_some() {
                    self.progress.over();
                }
                self.progress.on(event, state)?;
            }
            event => self.progress.on(event, state)?,
        }
        Ok(())
    }
}

impl SprtListener {
    /// Tells the progress display how many games to expect in this run.
    fn expect(&mut self) {
        let games = 2 * self.played.expected_pairs() as usize;
        self.progress.expect(games.saturating_sub(self.before) as u64);
    }
}

/// The comparison as a tournament of two players, in its own folder. Nobody is quarantined: a
/// player that always fails loses, and the test soon shows that, unless it does not even start.
fn tournament(
    args: &CompareArgs,
    settings: &Settings,
    printer: Printer,
) -> Result<Tournament, Failure> {
    let players = players(args, settings)?;
    let rules = settings.rules(printer)?;
    rules.refuse_bots(&players)?;
    rules.refuse_engines(&players)?;
    refuse_more_seats(&*rules.game)?;
    let options = rules.options;
    if settings.base.openings.is_some() {
        refuse_openings(&players)?;
    }
    let stage = Stage { format: RoundRobin, pairs: args.max_pairs, players: None };
    let mut tournament = settings.tournament(String::new(), options, vec![stage], players);
    tournament.pgn.clone_from(&settings.base.pgn);
    tournament.name = folder_name(&tournament);
    Ok(tournament)
}

/// The two players, under different names.
fn players(args: &CompareArgs, settings: &Settings) -> Result<Vec<PlayerSpec>, Failure> {
    let refusal = "a person cannot be compared; name two programs";
    let [mut a, mut b] = [settings.program(&args.a, refusal)?, settings.program(&args.b, refusal)?];
    if a.name == b.name {
        if a.hash == b.hash {
            let name = a.name;
            return Err(Failure::input(format!(
                "{name} cannot be compared with itself; name another player"
            )));
        }
        [a.name, b.name] = [&args.a, &args.b].map(|word| name_of(word));
    }
    Ok(vec![a, b])
}

/// Refuses players that cannot start after the configured openings.
fn refuse_openings(players: &[PlayerSpec]) -> Result<(), Failure> {
    let Some(player) = players.iter().find(|player| !player.takes_openings()) else {
        return Ok(());
    };
    Err(Failure::input(format!(
        "{} cannot begin after an opening, which the configuration asks for; remove `[openings]` \
         there",
        player.name
    )))
}

/// A name made of the two players' names and a hash of everything that affects the games.
fn folder_name(tournament: &Tournament) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("referee 2026 comparison");
    let mut put = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    let mut conditions = serde_json::json!({
        "game": tournament.game.name(), "options": tournament.options, "seed": tournament.seed,
        "clock": tournament.clock, "fault-policy": tournament.fault_policy,
    });
    if let Some(adjudication) = &tournament.adjudication {
        conditions["adjudication"] = serde_json::json!(adjudication);
    }
    match &tournament.openings {
        Some(OpeningSource::Random { plies }) => {
            conditions["openings"] = serde_json::json!(Openings::Random { plies: *plies });
        }
        Some(OpeningSource::Book(book)) => conditions["book"] = serde_json::json!(book.selection()),
        None => {}
    }
    put(&conditions.to_string());
    for player in &tournament.players {
        put(&player.name);
        put(&player.hash);
        player.tc.iter().for_each(|tc| put(&tc.to_string()));
    }
    let plain = |name: &str| {
        let keep = |c: char| if c.is_alphanumeric() || "-_".contains(c) { c } else { '-' };
        name.chars().map(keep).take(24).collect::<String>()
    };
    let [a, b] = [0, 1].map(|at: usize| plain(&tournament.players[at].name));
    format!("{COMPARISON}{a}-{b}-{}", &hasher.finalize().to_hex()[..8])
}

fn conclude(
    args: &CompareArgs,
    tournament: &Tournament,
    played: &PlayedMatch,
    printer: Printer,
) -> Result<(), Failure> {
    let dir = tournament.results.join(&tournament.name).display().to_string();
    let players = [0, 1].map(|at: usize| MatchPlayer {
        name: tournament.players[at].name.as_str(),
        faults: &played.faults[at],
    });
    match args.format {
        OutputFormat::Text => {
            printer.text(&verdict::text(&played.sprt, players).into())?;
            printer.note(&format!("Results: {dir}"));
            if let Some(id) = &played.to_watch {
                let called = command_options::options(Path::new(&dir), None);
                printer.command("next", &format!("referee replay {id} {called}"));
            }
        }
        OutputFormat::Json => {
            printer.json(&verdict::json(&played.sprt, players, &dir))?;
        }
    }
    Ok(())
}
