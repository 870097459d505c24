//! `compare`: tests whether one player is better than another, in as few games as possible.

mod contest;
mod match_run;
mod opponent_pool;
mod reused_games;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;

use self::contest::{Contest, DirectContest, FieldContest, PlacementContest};
use self::match_run::{MatchRunGames, play_match};
use self::opponent_pool::OpponentPool;
use self::reused_games::reuse_recorded_games;
use super::report::command_options;
use super::results_folder::COMPARISON;
use super::run::remote_args::RemoteArgs;
use super::run::{HookSender, PlannedRun, RunLimits, parse_run_jobs};
use super::settings::{GameSettingsArgs, GivenSettings, Settings};
use super::{Failure, OutputFormat, Status};
use crate::printer::Printer;
use referee_games::AnyGame;
use referee_ratings::{FieldMatch, FieldSize, PlaceMatch, Sprt, SprtError, SprtMatch, Unit};
use referee_record::log::LOG;
use referee_record::model::game_rules::refuse_more_seats;
use referee_record::model::opening_source::{OpeningSource, Openings};
use referee_record::model::player_spec::{PlayerSpec, to_player_name};
use referee_record::model::stage::{Format, MOST_PAIRS, Stage, count_anchor_groups};
use referee_record::model::tournament::Tournament;
use referee_record::shell::quote_for_shell;
use referee_record::wording::{deal_noun, pluralize};
use referee_tournament::analysis::diagnostics::copies::describe_copies;
use referee_tournament::folder::{LockedFolder, read_folder_header};
use referee_tournament::run::resume::{ReplaceRequest, prepare_resume};

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee compare new old                        two players in tournament.toml
  referee compare \"python3 agent.py\" bot:greedy --max-pairs 200
  referee compare new old --elo1 20 --format json && git commit -am 'stronger'
  referee compare new old --against cup.toml     which does better against the players in cup.toml
  referee compare new old --others third         both at one table, in a game for three
  referee compare new --against cup.toml         where new stands among the players in cup.toml

Exit codes: 0 A is better, or its place is known; 10 it is not better; 11 undecided; 2 invalid
command line; 3 cannot run or write; 4 in use by another run; 130 interrupted, run again to
continue.")]
pub(crate) struct CompareArgs {
    /// The player that may be better: a name from the configuration, `bot:NAME`, a file, a folder
    /// or a command
    pub(crate) a: String,
    /// The player to compare it with; without it, --against finds A's place in the pool
    #[arg(required_unless_present = "against")]
    pub(crate) b: Option<String>,
    /// Compare how A and B do against these opponents, not against each other: a player, a folder
    /// of players, or a configuration such as tournament.toml for its players, or league.toml for
    /// those currently in the league (repeatable)
    #[arg(long, value_name = "POOL")]
    pub(crate) against: Vec<String>,
    /// In a game with more than two seats, compare A and B at one table with these players, one for
    /// each other seat; named as for --against
    #[arg(long, value_name = "PLAYER", requires = "b", conflicts_with = "against")]
    pub(crate) others: Vec<String>,
    /// Null hypothesis: A is stronger by this many Elo
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true, requires = "b")]
    pub(crate) elo0: f64,
    /// Alternative hypothesis: A is stronger by this many Elo
    #[arg(long, default_value_t = 50.0, allow_negative_numbers = true, requires = "b")]
    pub(crate) elo1: f64,
    /// Probability of calling A better when it is stronger by only --elo0
    #[arg(long, default_value_t = 0.05, requires = "b")]
    pub(crate) alpha: f64,
    /// Probability of calling A not better when it is stronger by --elo1
    #[arg(long, default_value_t = 0.05, requires = "b")]
    pub(crate) beta: f64,
    /// The unit of --elo0 and --elo1
    #[arg(long, value_enum, default_value_t, requires = "b")]
    pub(crate) unit: EloUnit,
    /// Without B: play until A's strength is known to within this many Elo at 95%
    #[arg(long, value_name = "ELO", default_value_t = 40.0, conflicts_with = "b",
        value_parser = parse_compare_width)]
    pub(crate) within: f64,
    /// Maximum number of pairs of games (with --against, for A and B each), or with more than two
    /// seats, of deals (a game at each seat)
    #[arg(long, value_name = "N", default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_PAIRS)))]
    pub(crate) max_pairs: u32,
    /// Seed for all random numbers (default: the one in the configuration, or a fresh one)
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) games: CompareGamesArgs,
}

/// How games outside a tournament are played, and what is printed of them.
#[derive(Debug, Clone, Args)]
pub(crate) struct CompareGamesArgs {
    /// The game and its terms
    #[command(flatten)]
    pub(crate) settings: GameSettingsArgs,
    /// Number of games played at the same time (default: as configured, or one per core)
    #[arg(long, value_name = "N", value_parser = parse_run_jobs)]
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

impl CompareGamesArgs {
    /// The settings that they give, with this seed.
    pub(super) fn given(&self, seed: Option<u64>) -> GivenSettings {
        GivenSettings {
            seed,
            jobs: self.jobs,
            results: self.results.clone(),
            ..GivenSettings::default()
        }
    }
}

/// The unit of a difference in strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum EloUnit {
    /// Elo based on the expected score, `1/(1+10^(−d/400))`.
    #[default]
    Logistic,
    /// The mean score minus ½ in standard deviations of a game, times 800/ln 10. It determines how
    /// many games a test needs, regardless of the draw rate and the luck that pairs share.
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

impl CompareArgs {
    /// Whom A and B play against, or sit with.
    fn pool(&self) -> Result<OpponentPool, Failure> {
        if self.others.is_empty() {
            OpponentPool::read("--against", &self.against)
        } else {
            OpponentPool::read("--others", &self.others)
        }
    }

    /// The game and its terms; those of the opponents' configuration unless another one is named.
    fn settings(&self, pool: &OpponentPool) -> GameSettingsArgs {
        let settings = &self.games.settings;
        let config = settings.config.clone().or_else(|| pool.configuration().map(Path::to_owned));
        GameSettingsArgs { config, ..settings.clone() }
    }
}

/// Plays until the result is clear, and prints it.
pub(crate) fn run(args: &CompareArgs, printer: Printer) -> Result<Status, Failure> {
    if let Some(refusal) = args.games.remote.refusal() {
        return Err(refusal);
    }
    let sprt = compare_args_sprt(args)?;
    let pool = args.pool()?;
    let terms = args.settings(&pool);
    let mut words: Vec<String> = [&args.a].into_iter().chain(&args.b).cloned().collect();
    words.extend(pool.words(terms.config.as_deref().unwrap_or(Path::new("")), printer)?);
    let Some(opened) = terms.open(&words, printer)? else {
        return Ok(Status::Interrupted);
    };
    let settings = opened.resolve(args.games.given(args.seed), printer)?;
    let rivals = find_compared_players(args, &settings)?;
    let names: Vec<String> = rivals.iter().map(|player| player.name.clone()).collect();
    if args.against.is_empty() && args.others.is_empty() {
        return compare_directly(args, rivals, &settings, printer);
    }
    let found = pool.opponents(&rivals, &settings, printer)?;
    let opponents: Vec<String> = found.iter().map(|player| player.name.clone()).collect();
    let game = &settings.rules(printer)?.game;
    if names.len() == 1 {
        refuse_more_seats(&**game, MORE_SEATS)?;
    }
    let seats = game.seats().len();
    if !args.others.is_empty() {
        return compare_at_one_table(args, &sprt, (rivals, found), &settings, printer);
    }
    let tables = name_opponents_by_table(&opponents, seats);
    if tables.is_empty() {
        return Err(Failure::input(format!(
            "{} has {seats} seats, but --against has {}; pass at least {}",
            game.name(),
            pluralize(opponents.len(), "opponent"),
            seats - 1
        )));
    }
    let field = FieldSize { tables: tables.len(), seats };
    let rounds = max_compare_rounds(args, field)?;
    let format = Format::Gauntlet { anchors: opponents.clone(), same_luck: true };
    let stage = Stage { format, pairs: rounds, players: None };
    let tournament = comparison_tournament(COMPARISON, stage, (rivals, found), &settings, printer)?;
    match <[String; 2]>::try_from(names) {
        Ok(names) => {
            let played = FieldMatch::new(sprt.hypotheses(), sprt.errors(), field, rounds)
                .map_err(invalid_compare_sprt)?;
            play_comparison(
                args,
                &settings,
                tournament,
                FieldContest { names, tables, played },
                printer,
            )
        }
        Err(names) => {
            let played = PlaceMatch::new(args.within, opponents.len(), rounds)
                .map_err(|error| Failure::input(error.to_string()))?;
            let names = [names.concat()];
            play_comparison(
                args,
                &settings,
                tournament,
                PlacementContest { names, opponents, played },
                printer,
            )
        }
    }
}

/// Compares the first two of these players with each other.
pub(super) fn compare_directly(
    args: &CompareArgs,
    rivals: Vec<PlayerSpec>,
    settings: &Settings,
    printer: Printer,
) -> Result<Status, Failure> {
    let names = [0, 1].map(|at: usize| rivals[at].name.clone());
    let played = SprtMatch::new(compare_args_sprt(args)?, args.max_pairs);
    let stage = Stage::round_robin(args.max_pairs);
    let tournament =
        comparison_tournament(COMPARISON, stage, (rivals, Vec::new()), settings, printer)?;
    play_comparison(args, settings, tournament, DirectContest { names, played }, printer)
}

/// Compares the first two of these players at a table with the others.
fn compare_at_one_table(
    args: &CompareArgs,
    sprt: &Sprt,
    (rivals, others): (Vec<PlayerSpec>, Vec<PlayerSpec>),
    settings: &Settings,
    printer: Printer,
) -> Result<Status, Failure> {
    let game = &settings.rules(printer)?.game;
    refuse_wrong_opponent_count(&**game, others.len())?;
    refuse_compare_unit(args, "--others")?;
    let (hypotheses, seats) = (sprt.hypotheses(), game.seats().len());
    let played = FieldMatch::duel(hypotheses, sprt.errors(), seats, args.max_pairs)
        .map_err(invalid_compare_sprt)?;
    let names = [0, 1].map(|at: usize| rivals[at].name.clone());
    let tables = vec![others.iter().map(|it| &*it.name).collect::<Vec<_>>().join(" + ")];
    let stage = Stage::round_robin(args.max_pairs);
    let tournament = comparison_tournament(COMPARISON, stage, (rivals, others), settings, printer)?;
    play_comparison(args, settings, tournament, FieldContest { names, tables, played }, printer)
}

/// Refuses more or fewer than one player for each other seat at the table of two players.
fn refuse_wrong_opponent_count(game: &dyn AnyGame, found: usize) -> Result<(), Failure> {
    let (name, others) = (game.name(), game.seats().len() - 2);
    if others == 0 {
        return Err(Failure::input(format!("{name} has no seat for others; leave out --others")));
    }
    if found != others {
        return Err(Failure::input(format!(
            "{name} has {} seats, so besides A and B --others must list {}, not {found}; \
             `bot:random` and `bot:greedy` play any game",
            others + 2,
            pluralize(others, "player")
        )));
    }
    Ok(())
}

/// The width of an interval at which the search for a place ends.
fn parse_compare_width(text: &str) -> Result<f64, String> {
    let elo: f64 = text.parse().map_err(|_| "expected a number of Elo".to_owned())?;
    if (1.0..=1000.0).contains(&elo) { Ok(elo) } else { Err("expected 1 to 1000 Elo".to_owned()) }
}

/// The names of the opponents at each table, as a gauntlet seats them.
fn name_opponents_by_table(opponents: &[String], seats: usize) -> Vec<String> {
    let group = |from: usize| {
        let names = (from..from + seats - 1).map(|at| &*opponents[at % opponents.len()]);
        names.collect::<Vec<_>>().join(" + ")
    };
    (0..count_anchor_groups(opponents.len(), seats)).map(group).collect()
}

/// Refuses another unit than the one that a share of points has.
fn refuse_compare_unit(args: &CompareArgs, option: &str) -> Result<(), Failure> {
    if args.unit == EloUnit::Logistic {
        return Ok(());
    }
    Err(Failure::input(format!("{option} needs logistic Elo; leave out --unit")))
}

/// The number of rounds of all tables that the maximum number of deals allows.
fn max_compare_rounds(args: &CompareArgs, field: FieldSize) -> Result<u32, Failure> {
    refuse_compare_unit(args, "--against")?;
    let FieldSize { tables, seats } = field;
    let rounds = u32::try_from(tables).map_or(0, |tables| args.max_pairs / tables);
    if rounds == 0 {
        let each = if seats == 2 { "against each of" } else { "at each of" };
        let of = if seats == 2 { "opponents" } else { "tables" };
        return Err(Failure::input(format!(
            "--max-pairs {} is not enough for a {} {each} {tables} {of}",
            args.max_pairs,
            deal_noun(seats)
        )));
    }
    Ok(rounds)
}

/// Plays `tournament` until the contest is over, which has `nothing` in it, and prints the verdict.
fn play_comparison<C: Contest>(
    args: &CompareArgs,
    settings: &Settings,
    mut tournament: Tournament,
    nothing: C,
    printer: Printer,
) -> Result<Status, Failure> {
    let dir = tournament.results.join(&tournament.name);
    keep_planned_comparison(&mut tournament, &dir)?;
    let folder = LockedFolder::open(&dir)?;
    let containment = settings.sandbox(Some(folder.dir()))?;
    printer.note(&containment.summary());
    // Another program has another folder, so that none is replaced.
    let request = ReplaceRequest { players: &[], command: "referee compare" };
    let record = containment.record();
    let mut prepared =
        prepare_resume(&folder, &tournament, &record, request, &|text| printer.note(text))?;
    let played = prepared.contents.state.played();
    if played > 0 {
        let games = pluralize(played, "game");
        printer.note(&format!("continuing after {games}: no relevant file has changed"));
    }
    if let [one, other, ..] = &tournament.players[..]
        && one.hash == other.hash
    {
        printer.note(&describe_copies(&[one.name.clone(), other.name.clone()]));
    }
    if let ([_, old], 0) = (nothing.names(), played)
        && !args.against.is_empty()
    {
        reuse_recorded_games(&folder, &mut prepared, old, printer)?;
    }
    let workers = args.games.remote.workers(settings);
    let limits = RunLimits { jobs: settings.jobs(), deadline: None, workers };
    let planned = PlannedRun {
        tournament: &tournament,
        limits: &limits,
        folder: &folder,
        containment: &containment,
        bell: HookSender::default(),
    };
    let played = play_match(&planned, prepared, nothing, printer)?;
    print_comparison(args, &tournament, &played, printer)?;
    if played.contest.stop().is_none() {
        printer.note("stopped; run the same command again to continue");
        return Ok(Status::Interrupted);
    }
    Ok(played.contest.status())
}

/// The test that the arguments ask for.
pub(super) fn compare_args_sprt(args: &CompareArgs) -> Result<Sprt, Failure> {
    let hypotheses = (args.elo0, args.elo1);
    Sprt::new(args.unit.into(), hypotheses, (args.alpha, args.beta)).map_err(invalid_compare_sprt)
}

fn invalid_compare_sprt(problem: SprtError) -> Failure {
    Failure::input(format!("this test is not possible: {problem}; see `referee compare --help`"))
}

/// Keeps what an earlier run in the folder `dir` planned; the match does not take more than its
/// maximum.
fn keep_planned_comparison(tournament: &mut Tournament, dir: &Path) -> Result<(), Failure> {
    if dir.join(LOG).exists() {
        let header = read_folder_header(dir)?;
        for (stage, planned) in tournament.stages.iter_mut().zip(&header.stages) {
            stage.pairs = stage.pairs.max(planned.pairs);
        }
    }
    Ok(())
}

/// What to do about a game of more seats, if only two players are named.
const MORE_SEATS: &str = "\
    to compare two players at one table, list those at its other seats with `--others`; to see \
    which of two players does better among others, list them with `--against`; to see where one \
    stands, list them in a tournament.toml, let `referee run` play them, and use `referee rank`";

/// Games between players as a tournament of one stage, in its own folder. Nobody is quarantined: a
/// player that always fails loses, and the test soon shows that, unless it does not even start.
pub(super) fn comparison_tournament(
    prefix: &str,
    stage: Stage,
    (rivals, opponents): (Vec<PlayerSpec>, Vec<PlayerSpec>),
    settings: &Settings,
    printer: Printer,
) -> Result<Tournament, Failure> {
    let rules = settings.rules(printer)?;
    let compared = rivals.len();
    if opponents.is_empty() {
        refuse_more_seats(&*rules.game, MORE_SEATS)?;
    }
    let players = [rivals, opponents].concat();
    rules.refuse_bots(&players)?;
    rules.refuse_engines(&players)?;
    let options = rules.options;
    if settings.base.openings.is_some() {
        refuse_compare_openings(&players)?;
    }
    let mut tournament = settings.tournament(String::new(), options, vec![stage], players);
    tournament.pgn.clone_from(&settings.base.pgn);
    tournament.name = comparison_folder_name(prefix, &tournament, compared);
    Ok(tournament)
}

/// The players that are compared, under different names, or the one whose place is asked for.
fn find_compared_players(
    args: &CompareArgs,
    settings: &Settings,
) -> Result<Vec<PlayerSpec>, Failure> {
    let refusal = "a person cannot be compared; pass two programs";
    let mut a = settings.program(&args.a, refusal)?;
    let Some(word) = &args.b else { return Ok(vec![a]) };
    let mut b = settings.program(word, refusal)?;
    if a.name == b.name {
        if a.hash == b.hash {
            return Err(Failure::input(compared_with_itself(&a.name, [&args.a, word])));
        }
        [a.name, b.name] = [&args.a, word].map(|word| to_player_name(word));
    }
    Ok(vec![a, b])
}

/// The message that both words stand for the player with this name.
fn compared_with_itself(name: &str, words: [&str; 2]) -> String {
    let [one, other] = words.map(|word| word.rsplit_once('/').map_or(".", |(folder, _)| folder));
    if one == other || !words.iter().all(|word| Path::new(word).is_file()) {
        return format!("{name} cannot be compared with itself; choose another player");
    }
    // Files that the programs import may differ.
    let [a, b] = words.map(str::escape_debug);
    let [one, other] = [one, other].map(quote_for_shell);
    format!(
        "{a} and {b} are the same; if other files in their folders differ, compare the folders: \
         `referee compare {one} {other}`"
    )
}

/// Refuses players that cannot start after the configured openings.
fn refuse_compare_openings(players: &[PlayerSpec]) -> Result<(), Failure> {
    let Some(player) = players.iter().find(|player| !player.takes_openings()) else {
        return Ok(());
    };
    Err(Failure::input(format!(
        "{} cannot start from an opening, which the configuration asks for; remove `[openings]` \
         there",
        player.name
    )))
}

/// A name made of the names of the players that are compared, the first ones, and a hash of everything
/// that affects the games.
fn comparison_folder_name(prefix: &str, tournament: &Tournament, compared: usize) -> String {
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
        if player.outages > 0 {
            put(&format!("outages {}", player.outages));
        }
    }
    let plain = |name: &str| {
        let keep = |c: char| if c.is_alphanumeric() || "-_".contains(c) { c } else { '-' };
        name.chars().map(keep).take(24).collect::<String>()
    };
    let names: String =
        tournament.players.iter().take(compared).map(|it| plain(&it.name) + "-").collect();
    format!("{prefix}{names}{}", &hasher.finalize().to_hex()[..8])
}

fn print_comparison<C: Contest>(
    args: &CompareArgs,
    tournament: &Tournament,
    played: &MatchRunGames<C>,
    printer: Printer,
) -> Result<(), Failure> {
    let dir = tournament.results.join(&tournament.name).display().to_string();
    match args.games.format {
        OutputFormat::Text => {
            printer.text(&played.contest.text(&played.faults).into())?;
            printer.note(&format!("Results: {dir}"));
            if let Some(id) = &played.to_watch {
                let called = command_options::ask_command_options(Path::new(&dir), None);
                printer.command("next", &format!("referee replay {id} {called}"));
            }
        }
        OutputFormat::Json => {
            printer.json(&played.contest.json(&played.faults, &dir))?;
        }
    }
    Ok(())
}
