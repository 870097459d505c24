//! `new tournament`: creates the configuration for a folder of players, or for chess engines.

mod engines;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::mem;
use std::path::{Path, PathBuf};

use clap::Args;

use self::engines::write_engines_tournament;
use super::{Failure, Printer, Status};
use crate::commands::game_args::{GameArgument, absolute_game_folder, game_argument_parser};
use crate::commands::parallel_builds::{BuildSandbox, build_in_parallel};
use referee_entrants::build::BuiltFolder;
use referee_entrants::build_plan::BuildPlan;
use referee_entrants::build_rules::BuildRules;
use referee_entrants::start_command::StartCommand;
use referee_entrants::submissions::{
    ImportError, ImportedSubmissions, NoPlayer, Submission, detect_built_player, format_some_names,
    import_submissions,
};
use referee_protocol::escape::escape_line;
use referee_record::model::containment::ContainmentRequest;
use referee_record::model::stage::{Stage, meetings_of_class};
use referee_record::model::tournament::DEFAULT_RESULTS;
use referee_record::shell::quote_for_shell;
use referee_record::wording::pluralize;

/// The maximum number of alternatives written for one player.
const MOST_CHOICES: usize = 8;
/// The largest class in which everyone meets everyone unless the author says otherwise.
const SMALL_CLASS: usize = 40;
/// The number of opponents in a larger class.
const SOME_OPPONENTS: usize = 10;
/// The note about classes from 2018.
const PRESET: &str = "\
# Classes from 2018 (`bridge:comp30024`; see `referee help classes`) had a minute of CPU time per game and 100 MiB of
# memory. To use these limits, uncomment this and remove `move`.
# preset = \"comp30024-2018\"
";

/// The table that lets commands build submissions.
const BUILD: &str = "
# Submissions that are source code are built; `referee help configuration` has the commands and limits.
[build]
";

/// Further parts of a configuration, to uncomment.
fn commented_config_parts(taken: &[Submission]) -> String {
    let count = taken.len();
    let (top, half) = (count.div_ceil(10), count.div_ceil(2));
    format!(
        "
# An anchor keeps its rating, so the ratings from several terms can be compared.
# [[players]]
# name = \"house-greedy\"
# bot = \"greedy\"
# rating = 1500

# Marks by rank, and by the share of points against a player (`referee help report`). `against` needs a
# format in which everyone meets that player: a gauntlet, or a round-robin without `opponents` or
# `meetings`.
# [grades]
# ranks = [
#     {{ rank = {top}, marks = 10 }},
#     {{ rank = {half}, marks = 8 }},
#     {{ rank = {count}, marks = 5 }},
# ]
# against = [{{ player = \"house-greedy\", score = 0.5, marks = 2 }}]
# failed = 0
"
    )
}

/// Arguments of `new tournament`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee new tournament players
  referee new tournament export --into autumn-cup --game backdraughts
  referee new tournament export --build
  referee new tournament --engines stockfish ./my-engine

Exit codes: 0 every submission is a player, 1 some are not (the file has the reasons and the
choices), 2 invalid command line, 3 something could not be read or written.")]
pub(crate) struct TournamentArgs {
    /// The folder of players or submissions
    #[arg(required_unless_present = "engines")]
    pub(crate) dir: Option<PathBuf>,
    /// Chess engines that speak UCI, in place of a folder: each a program, or a program with its
    /// arguments in quotes
    #[arg(long, num_args = 1.., value_name = "ENGINE", conflicts_with_all = ["dir", "game"])]
    pub(crate) engines: Vec<String>,
    /// Where to write tournament.toml
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub(crate) into: PathBuf,
    /// Build submissions that are source code, in the sandbox, and let `run` build them too
    #[arg(long, conflicts_with = "engines")]
    pub(crate) build: bool,
    /// The game
    #[arg(long, value_parser = game_argument_parser(), default_value = "watch-your-back")]
    pub(crate) game: GameArgument,
}

/// Writes the configuration.
pub(super) fn run(args: &TournamentArgs, printer: Printer) -> Result<Status, Failure> {
    let file = args.into.join("tournament.toml");
    // A link to nothing exists, too: it could lead anywhere.
    if file.symlink_metadata().is_ok() {
        return Err(Failure::input(format!(
            "{} already exists; use another folder with --into",
            file.display()
        )));
    }
    let Some(dir) = &args.dir else {
        return write_engines_tournament(&args.engines, &file, printer);
    };
    let seats = args.game.open(&ContainmentRequest::default(), printer)?.seats().len();
    let players = new_players_folder(dir, &args.into);
    let mut intake = import_submissions(dir, &players)
        .map_err(|error| new_tournament_failure(&error, dir, &players))?;
    leave_out_game_folder(dir, &args.game, &mut intake);
    if args.build && !build_new_tournament_players(&mut intake.taken, &args.into, printer)? {
        return Ok(Status::Interrupted);
    }
    let taken = &intake.taken;
    if taken.is_empty() {
        return Err(Failure::input(format!("{} contains no players", dir.display())));
    }
    super::write_new_file(&file, &new_tournament_config(dir, args, seats, &intake)?)?;
    let good = taken.iter().filter(|submission| submission.player.is_ok()).count();
    for line in taken.iter().flat_map(new_tournament_notes).chain(list_left_out_entries(&intake)) {
        printer.note(&line);
    }
    printer.note(&format!("{}: {good} of {} are players", file.display(), taken.len()));
    if taken.len() < seats {
        printer.note(&format!(
            "the game has {seats} seats: add at least {} to the file, for example built-in ones \
             with `bot = \"random\"`",
            pluralize(seats - taken.len(), "player")
        ));
    }
    let file = quote_for_shell(&file.to_string_lossy());
    let check = format!("referee check --all --config {file}");
    printer.command("next", &format!("{check}; referee run --plan {file}"));
    Ok(if good == taken.len() { Status::Done } else { Status::Found })
}

/// The folder of the game is no submission, even if it lies among them.
fn leave_out_game_folder(dir: &Path, game: &GameArgument, intake: &mut ImportedSubmissions) {
    let GameArgument::File(file) = game else { return };
    let Some(folder) = file.canonicalize().ok().and_then(|it| Some(it.parent()?.to_owned())) else {
        return;
    };
    let is_game = |one: &Submission| {
        dir.join(&one.entry).canonicalize().is_ok_and(|submitted| submitted == folder)
    };
    let (games, taken) = mem::take(&mut intake.taken).into_iter().partition(is_game);
    intake.taken = taken;
    intake.sheets.extend(games.into_iter().map(|game: Submission| game.entry));
}

/// Builds the submissions that need it, and looks for their players in the results. Returns whether
/// it was not interrupted.
fn build_new_tournament_players(
    taken: &mut [Submission],
    into: &Path,
    printer: Printer,
) -> Result<bool, Failure> {
    let rules = BuildRules::usual(&absolute_game_folder(into)?.join(DEFAULT_RESULTS));
    let plan = |one: &Submission| Some((one.name.clone(), rules.plan(one.top.as_deref()?)?));
    let plans: BTreeMap<String, BuildPlan> = taken.iter().filter_map(plan).collect();
    let due = plans.clone().into_iter().collect();
    let builds = build_in_parallel(rules, due, BuildSandbox::default(), printer)?;
    let Some(builds) = builds else { return Ok(false) };
    for submission in taken {
        let name = &submission.name;
        let (Some(built), Some(plan)) = (builds.get(name), plans.get(name)) else { continue };
        match built {
            Ok(built) => {
                let found = detect_built_player(plan, &built.dir);
                submission.player = found.map_err(|why| no_player_in_source(why, built, plan));
                submission.built = Some(plan.source.clone());
            }
            Err(why) => match &submission.player {
                Ok(_) => {
                    submission.remarks.push(format!("{why}; it plays as it was submitted"));
                }
                Err(_) => submission.player = Err(NoPlayer::NotBuilt(why.to_string())),
            },
        }
    }
    Ok(true)
}

/// The same reason with paths that hold in the configuration, which builds the sources itself.
fn no_player_in_source(why: NoPlayer, built: &BuiltFolder, plan: &BuildPlan) -> NoPlayer {
    let NoPlayer::Several(choices) = why else { return why };
    // A command of the configuration is preceded by a build only in the folder itself.
    let is_top = |start: &StartCommand| start.dir == built.dir && plan.below == Path::new("");
    let choices = choices.into_iter().filter(is_top);
    NoPlayer::Several(choices.map(|start| start.moved(&built.dir, &plan.source)).collect())
}

/// The folder for unpacked archives and copied files. Never the folder of submissions itself.
fn new_players_folder(dir: &Path, into: &Path) -> PathBuf {
    let players = into.join("players");
    let whole = |path: &Path| std::fs::canonicalize(path).ok();
    let is_source = whole(&players).is_some_and(|players| Some(players) == whole(dir));
    if is_source { into.join("unpacked") } else { players }
}

fn new_tournament_failure(error: &ImportError, dir: &Path, players: &Path) -> Failure {
    let players = players.display();
    match error {
        ImportError::Source(error) => {
            Failure::input(format!("{} cannot be read: {error}", dir.display()))
        }
        ImportError::Export(..) => Failure::input(error.to_string()),
        ImportError::Players(error) if error.kind() == ErrorKind::AlreadyExists => Failure::input(
            format!("{players} already exists; remove it, or use another folder with --into"),
        ),
        ImportError::Players(error) => Failure::system(format!("cannot create {players}: {error}")),
    }
}

/// Notes about a submission, one per line.
fn new_tournament_notes(submission: &Submission) -> Vec<String> {
    let why = submission.player.as_ref().err().map(|why| format!("{}: {why}", submission.entry));
    new_tournament_remarks(submission).chain(why.map(|line| escape_line(&line))).collect()
}

/// Remarks on a submission, one per line.
fn new_tournament_remarks(submission: &Submission) -> impl Iterator<Item = String> {
    submission.remarks.iter().map(|it| escape_line(&format!("{}: {it}", submission.name)))
}

/// The lines that name ignored entries: the folders and archives around the submissions, and files
/// beside those.
fn list_left_out_entries(intake: &ImportedSubmissions) -> impl Iterator<Item = String> {
    let line = |what: &str, names: &[String]| {
        let names = format_some_names(names.iter().map(String::as_str));
        (!names.is_empty()).then(|| escape_line(&format!("{what}: {names}")))
    };
    let opened = line("opened, because it is an export", &intake.opened);
    opened.into_iter().chain(line("ignored, not part of any submission", &intake.sheets))
}

/// The name of a tournament in this folder: that of the folder.
fn new_tournament_title(folder: &Path) -> String {
    let title = folder.file_name().map_or("cup".into(), |name| name.to_string_lossy());
    quote_config_string(title.trim_start_matches('.'))
}

fn new_tournament_config(
    dir: &Path,
    args: &TournamentArgs,
    seats: usize,
    intake: &ImportedSubmissions,
) -> Result<String, Failure> {
    let taken = &intake.taken;
    let good = taken.iter().filter(|submission| submission.player.is_ok()).count();
    let folder = absolute_game_folder(&args.into)?;
    let mut text = format!(
        "# A round-robin of everyone in `{}`. `referee run` plays it;\n\
         # `referee run --plan` shows how many games that is.\n\
         name = {}\n\
         game = {}\n\
         {}\
         # Without a seed, all random numbers are fresh and unpredictable.\n\
         # seed = 7\n\
         {}\
         {}\
         \n[clock]\n\
         # Time for one turn; `budget = \"60s\"` would be the time for a whole game.\n\
         move = \"5s\"\n",
        dir.display().to_string().replace(char::is_control, " "),
        new_tournament_title(&folder),
        quote_config_string(&args.game.word_in(&args.into)?),
        if seats == 2 { config_pair_lines(good) } else { config_deal_lines(good, seats) },
        if taken.iter().any(may_be_2018_class) { PRESET } else { "" },
        if args.build { BUILD } else { "" },
    );
    for submission in taken {
        text.push('\n');
        text.extend(new_tournament_remarks(submission).map(|line| format!("# {line}\n")));
        text.push_str(&config_player_table(submission, &folder)?);
    }
    text.extend(list_left_out_entries(intake).map(|line| format!("\n# {line}\n")));
    Ok(text + &commented_config_parts(taken))
}

/// The lines about the numbers of pairs and of opponents, which matters in a large class.
fn config_pair_lines(players: usize) -> String {
    let begin = if players > SMALL_CLASS { "" } else { "# " };
    format!(
        "# Pairs of games between any two players; the seats are swapped within a pair.\n\
         pairs = 1\n\
         # How many others each player meets, regardless of results. Without it, everyone meets \
         everyone\n\
         # ({} games for {players} players and 1 pair).\n\
         {begin}opponents = {SOME_OPPONENTS}\n",
        Stage::round_robin(1).games(players, 2)
    )
}

/// The same for games of more than two seats.
fn config_deal_lines(players: usize, seats: usize) -> String {
    let meetings = meetings_of_class(seats);
    let games = seats * meetings;
    let all = Stage::round_robin(1);
    let all = match all.suits(seats, players) {
        Ok(()) => format!("all groups of {seats} meet ({} games)", all.games(players, seats)),
        Err(_) => format!("all groups of {seats} would have to meet"),
    };
    format!(
        "# A deal is {seats} games, in which every player takes every seat once.\n\
         deals = 1\n\
         # How often each player meets others, regardless of results: everyone plays {games} \
         games,\n\
         # and some play one more deal. Without it, {all}.\n\
         meetings = {meetings}\n"
    )
}

/// The table of a submission's player; without one, the reason, and all alternatives as comments.
fn config_player_table(submission: &Submission, folder: &Path) -> Result<String, Failure> {
    let head = format!("[[players]]\nname = {}\n", quote_config_string(&submission.name));
    let why = match (&submission.player, &submission.built) {
        (Ok(player), Some(source)) => {
            let shown = player.words.join(" ").replace(char::is_control, " ");
            let dir = quote_config_string(&path_in_tournament_config(source, folder)?);
            return Ok(format!("{head}dir = {dir}\n# Once built: {shown}\n"));
        }
        (Ok(player), None) => return Ok(head + &config_command_lines(player, folder)?),
        (Err(why), _) => why,
    };
    let mut text = format!("{head}absent = {}\n", quote_config_string(&why.to_string()));
    let NoPlayer::Several(choices) = why else { return Ok(text) };
    for choice in choices.iter().take(MOST_CHOICES) {
        text.push_str("# Or, in place of `absent`:\n");
        let keys = config_command_lines(choice, folder)?;
        text.extend(keys.lines().map(|line| format!("# {line}\n")));
    }
    Ok(text)
}

/// Whether it is a class from 2018, or may be one.
fn may_be_2018_class(submission: &Submission) -> bool {
    match &submission.player {
        Ok(player) => player.is_class(),
        Err(NoPlayer::Several(players)) => players.iter().any(StartCommand::is_class),
        Err(_) => false,
    }
}

/// The lines that say how to run a player.
fn config_command_lines(player: &StartCommand, folder: &Path) -> Result<String, Failure> {
    let words: Vec<String> = player.words.iter().map(|word| quote_config_string(word)).collect();
    let words = words.join(", ");
    let dir = quote_config_string(&path_in_tournament_config(&player.dir, folder)?);
    // Any of its files may be part of the program.
    Ok(format!("command = [{words}]\nfiles = [\".\"]\ndir = {dir}\n"))
}

/// `dir` as the configuration in `folder` names it: relative if it lies inside.
fn path_in_tournament_config(dir: &Path, folder: &Path) -> Result<String, Failure> {
    let whole = std::fs::canonicalize(dir)
        .map_err(|error| Failure::system(format!("{}: {error}", dir.display())))?;
    let short = whole.strip_prefix(folder).unwrap_or(&whole);
    let text = short.to_str().ok_or_else(|| {
        Failure::input(format!("{} is not valid UTF-8; rename it", short.display()))
    })?;
    Ok(if text.is_empty() { ".".to_owned() } else { text.to_owned() })
}

/// The text as a TOML string, which a JSON string always is.
fn quote_config_string(text: &str) -> String {
    serde_json::Value::from(text.replace('\u{7f}', " ")).to_string()
}
