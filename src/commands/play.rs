//! `play`: plays one game in the terminal.

mod saved;
mod screen;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use tokio::sync::Notify;

use self::saved::SavedGame;
use self::screen::Screen;
use super::recorded::FoundGame;
use super::runtime::{interrupted, new_runtime};
use super::settings::{GameSettingsArgs, Settings};
use super::{Failure, Status};
use crate::config::PlayerArgument;
use crate::model::clock::TimeControl;
use crate::model::player::PlayerSpec;
use crate::model::record::{FaultPolicy, GameRecord, Header, PlayerInfo};
use crate::model::rules::GameRules;
use crate::model::stage::Stage;
use crate::model::tournament::Tournament;
use crate::player::{Human, Launch, Player, PlayerStatistics, Sandbox, Wire};
use crate::printer::Printer;
use crate::referee::{self, Ending, GameReport, GameSetup};
use crate::replay::steps_to;
use crate::report::board::picture;
use crate::report::story::{describe_step, is_ply};
use crate::run::record::RecordBuilder;
use crate::run::resume::{fresh_identity, header};
use crate::schedule::Fixture;
use crate::seeds::{Luck, Secret, game_id};
use referee_games::{AnyGame, AnyPosition, BySeat, Event, GameResult, Seat, Text, TextStep};

/// Arguments of `play`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee play human bot:greedy
  referee play bot:search \"python3 players/greedy.py\"
  referee play human bot:search --option max-moves=200
  referee play bot:search bot:greedy --game back-to-the-wall --board mine.toml
  referee play human bot:search --from 3f9a1c07be52-1 --ply 42
  referee play bot:search bot:greedy --delay 1s      watch it, one board in one place
  referee play mine bot:greedy --save games          keep the game, for `referee replay`

If a person plays, there is no time limit. Type `help` during the game for a list of commands: show
legal actions, give a hint, take back an action, and more.

Exit codes: 0 the game was played, 1 a program lost by a fault, 2 invalid command line, 130
interrupted.")]
pub struct PlayArgs {
    /// The player in the first seat
    pub first: String,
    /// The player in the second seat
    pub second: String,
    /// The game and its terms
    #[command(flatten)]
    pub settings: GameSettingsArgs,
    /// Seed of all random numbers (default: a fresh one)
    #[arg(long)]
    pub seed: Option<u64>,
    /// Wait this long after each ply (for example 500ms, 2s). On a terminal, the board then stays
    /// in one place
    #[arg(long, value_name = "SPAN")]
    pub delay: Option<humantime::Duration>,
    /// Keep the game as a log in this new folder
    #[arg(long, value_name = "DIR")]
    pub save: Option<PathBuf>,
    /// Remove the time limit
    #[arg(long)]
    pub no_clock: bool,
    /// Start from a recorded game, under its rules: its id, a prefix of it, or a log with one game.
    /// If its rules program has moved, --game names the game file
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["options", "boards"])]
    pub from: Option<String>,
    /// The results folder of that game (default: the newest under results/)
    #[arg(long, value_name = "DIR", requires = "from")]
    pub results: Option<PathBuf>,
    /// Number of plies to take from the recorded game (default: all, up to a fault)
    #[arg(long, value_name = "N", requires = "from")]
    pub ply: Option<u32>,
}

/// Plays the game.
pub fn run(args: &PlayArgs, printer: Printer) -> Result<Status, Failure> {
    let settings = args.settings.resolve(printer)?;
    let words = BySeat::new(settings.player(&args.first)?, settings.player(&args.second)?);
    let mut control = settings.clock.value;
    let has_human = words.iter().any(|(_, word)| *word == PlayerArgument::Human);
    if words.iter().all(|(_, word)| *word == PlayerArgument::Human) {
        // Two people at one keyboard answer one after the other.
        control.ponder = false;
    }
    if args.no_clock || has_human {
        (control.budget, control.per_move) = (None, None);
    }
    let containment = contained(&settings, &words)?;
    let (rules, opening) = match &args.from {
        Some(word) => {
            let FoundGame { header, record, dir } = FoundGame::find(word, args.results.as_deref())?;
            let rules = args.settings.recorded_rules(header, &dir, printer)?;
            let ply = args.ply.unwrap_or(record.plies);
            let opening = steps_to(&rules.start, &record, ply)
                .map_err(|why| Failure::input(format!("--ply {ply}: {why}")))?;
            (rules, opening)
        }
        None => (settings.rules(printer)?, Vec::new()),
    };
    let saved = args.save.as_deref().map(SavedGame::create).transpose()?;
    let terms = PlaySettings { rules, control, containment, seed: args.seed };
    let screen = Screen::new(printer, args.delay.map(Into::into), has_human);
    let Some(game) = play(&terms, opening, &words, screen)? else {
        return Ok(Status::Interrupted);
    };
    let names = words.as_ref().map(name);
    let people = words.as_ref().map(|word| *word == PlayerArgument::Human);
    let status = conclude(&game.report, &terms.rules.seats(), &names, people, printer)?;
    if let Some(saved) = saved {
        let header = header_of(&settings, &terms, &words)?;
        let id = saved.keep(&header, game.record(&terms.rules, names))?;
        let dir = args.save.as_deref().unwrap_or(Path::new(".")).display().to_string();
        let dir = shlex::try_quote(&dir).map_or(dir.clone(), Into::into);
        printer.note(&format!("kept: referee replay {id} --results {dir}"));
    }
    Ok(status)
}

/// The terms of the game.
struct PlaySettings {
    rules: GameRules,
    control: TimeControl,
    containment: Arc<Sandbox>,
    seed: Option<u64>,
}

/// A game that was played to its end.
struct EndedGame {
    report: GameReport,
    seeds: BySeat<u64>,
    wall: Duration,
    statistics: BySeat<PlayerStatistics>,
}

impl EndedGame {
    /// Its record, under these names of the players.
    fn record(self, rules: &GameRules, names: BySeat<String>) -> GameRecord {
        let Self { report, seeds, wall, statistics } = self;
        let id = game_id(&names.first, &names.second, 1, 1);
        let builder =
            RecordBuilder { names, seats: rules.seats(), seeds, report, statistics, wall };
        builder.build(id, Fixture { players: BySeat::new(0, 1), pair: 1, game: 1 }, Vec::new())
    }
}

/// The header for the log of the game. A person has no program, and so no hash.
fn header_of(
    settings: &Settings,
    terms: &PlaySettings,
    words: &BySeat<PlayerArgument>,
) -> Result<Header, Failure> {
    let stages = vec![Stage::round_robin(1)];
    let options = terms.rules.options.clone();
    let tournament = Tournament {
        game: terms.rules.game.clone(),
        seed: terms.seed,
        clock: terms.control,
        openings: None,
        ..settings.tournament("play".to_owned(), options, stages, Vec::new())
    };
    let info = |word: &PlayerArgument| match word {
        PlayerArgument::Program(spec) => PlayerInfo {
            name: spec.name.clone(),
            command: spec.command.clone(),
            hash: spec.hash.clone(),
            takes_openings: spec.takes_openings(),
        },
        PlayerArgument::Human => PlayerInfo {
            name: name(word),
            command: name(word),
            hash: "0".repeat(16),
            takes_openings: true,
        },
    };
    let header = header(&tournament, terms.containment.record(), fresh_identity()?);
    Ok(Header { players: words.iter().map(|(_, word)| info(word)).collect(), ..header })
}

fn play(
    terms: &PlaySettings,
    mut opening: Vec<TextStep>,
    words: &BySeat<PlayerArgument>,
    mut screen: Screen,
) -> Result<Option<EndedGame>, Failure> {
    terms.rules.refuse_bots(words.iter().filter_map(|(_, word)| match word {
        PlayerArgument::Program(spec) => Some(&**spec),
        PlayerArgument::Human => None,
    }))?;
    let secret = match terms.seed {
        Some(seed) => Secret::from_seed(seed),
        None => Secret::fresh().map_err(|error| Failure::system(error.to_string()))?,
    };
    let seeds = BySeat::new(
        secret.player_seed("first", "second", 1),
        secret.player_seed("second", "first", 1),
    );
    let mut luck = secret.luck("first", "second", 1);
    let printer = screen.printer;
    let mut players =
        words.as_ref().map(|word| seated(word, &*terms.rules.game, &terms.containment, printer));
    let people = words.as_ref().map(|word| *word == PlayerArgument::Human);
    loop {
        let setup = GameSetup {
            rules: &terms.rules,
            control: &terms.control,
            policy: FaultPolicy::Lose,
            opening: &opening,
            seeds,
        };
        // A person sees a game with hidden information only from its own seat.
        let is_shown = !terms.rules.game.is_hidden() || !(people.first || people.second);
        if is_shown {
            screen.show(&first_picture(terms, &opening, printer)?)?;
        }
        let began = Instant::now();
        let Some((report, statistics)) =
            block_on(&setup, &mut luck, &mut players, is_shown, &mut screen)?
        else {
            if people.first || people.second {
                // The cursor is still behind the question.
                printer.prompt("\n");
            }
            return Ok(None);
        };
        let game = EndedGame { report, seeds, wall: began.elapsed(), statistics };
        let Some(ply) = take_undo(&mut players) else { return Ok(Some(game)) };
        let record = game.record(&terms.rules, terms.rules.seats().map(Text::into_owned));
        opening = steps_to(&terms.rules.start, &record, ply)
            .map_err(|why| Failure::input(why.to_string()))?;
        for seat in Seat::BOTH {
            if let PlayerArgument::Program(spec) = &words[seat] {
                players[seat] = program(spec, &*terms.rules.game, &terms.containment);
            }
        }
    }
}

fn first_picture(
    terms: &PlaySettings,
    opening: &[TextStep],
    printer: Printer,
) -> Result<String, Failure> {
    let (mut position, mut events) = (terms.rules.start.clone(), Vec::new());
    for step in opening {
        events.clear();
        position.play(step.as_text(), &mut events)?;
    }
    Ok(picture(&*position, &events, printer.colour))
}

/// The decision that a person wants to take back.
fn take_undo(players: &mut BySeat<Player>) -> Option<u32> {
    [&mut players.first, &mut players.second].into_iter().find_map(|player| match player {
        Player::Human(human) => human.take_undo(),
        Player::Wire(_) => None,
    })
}

fn block_on(
    setup: &GameSetup<'_>,
    luck: &mut Luck,
    players: &mut BySeat<Player>,
    is_shown: bool,
    screen: &mut Screen,
) -> Result<Option<(GameReport, BySeat<PlayerStatistics>)>, Failure> {
    let runtime = new_runtime()?;
    let colour = screen.printer.colour;
    let report = runtime.block_on(async {
        let mut stop = interrupted()?;
        let mut broken = None;
        let closed = Notify::new();
        let mut observe = |position: &dyn AnyPosition, events: &[Event]| {
            if !is_shown && position.turn().outcome().is_none() {
                return;
            }
            let mut text = describe_step(events, position.ply());
            if is_ply(events) {
                text = format!("{text}\n{}", picture(position, events, colour));
            }
            if let Err(failure) = screen.show(&text) {
                broken = Some(failure);
                closed.notify_one();
            }
        };
        let report = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => None,
            () = closed.notified() => None,
            report = referee::play(setup, luck, players, &mut observe) => Some(report?),
        };
        let mut statistics = BySeat::from_fn(|_| PlayerStatistics::default());
        for seat in Seat::BOTH {
            if report.is_some() {
                statistics[seat] = players[seat].leave().await;
            } else {
                players[seat].kill().await;
            }
        }
        broken.map_or(Ok(report.map(|report| (report, statistics))), Err)
    });
    // A person may still be at the prompt; nobody waits for that thread.
    runtime.shutdown_background();
    report
}

fn name(word: &PlayerArgument) -> String {
    match word {
        PlayerArgument::Human => "human".to_owned(),
        PlayerArgument::Program(spec) => spec.name.clone(),
    }
}

fn seated(
    word: &PlayerArgument,
    game: &dyn AnyGame,
    containment: &Arc<Sandbox>,
    printer: Printer,
) -> Player {
    match word {
        PlayerArgument::Human => Player::Human(Box::new(Human::new(printer))),
        PlayerArgument::Program(spec) => program(spec, game, containment),
    }
}

fn program(spec: &PlayerSpec, game: &dyn AnyGame, containment: &Arc<Sandbox>) -> Player {
    Player::Wire(Box::new(Wire::process(Launch::of(spec, game), Arc::clone(containment))))
}

/// The sandbox for the programs among the players.
fn contained(settings: &Settings, words: &BySeat<PlayerArgument>) -> Result<Arc<Sandbox>, Failure> {
    if words.iter().all(|(_, word)| *word == PlayerArgument::Human) {
        return Ok(Arc::new(Sandbox::off()));
    }
    settings.sandbox()
}

fn conclude(
    report: &GameReport,
    seats: &BySeat<Text>,
    names: &BySeat<String>,
    people: BySeat<bool>,
    printer: Printer,
) -> Result<Status, Failure> {
    let name = |seat: Seat| crate::escape::terminal(&names[seat]);
    let given_up = |seat: Seat| people[seat] && report.ending.fault(seat).is_some();
    if let Some(seat) = Seat::BOTH.into_iter().find(|&seat| given_up(seat)) {
        let fault = report.ending.fault(seat).map_or("", |fault| &fault.message);
        printer.line(&format!("{fault}: {} ({}) wins", name(!seat), seats[!seat]))?;
        return Ok(Status::Done);
    }
    for seat in Seat::BOTH {
        if let Some(fault) = report.ending.fault(seat) {
            printer.line(&format!(
                "{} ({}): {}: {}",
                name(seat),
                seats[seat],
                fault.code,
                fault.message
            ))?;
            for line in &fault.stderr {
                printer.line(&format!("    {line}"))?;
            }
        }
    }
    for warning in &report.trace.warnings {
        let warning = crate::escape::terminal(&warning.text(seats));
        printer.line(&format!("warning: {warning}"))?;
    }
    let reason = report.ending.reason();
    let end = match report.ending.result() {
        GameResult::Win(seat) => format!("{} ({}) wins: {reason}", name(seat), seats[seat]),
        GameResult::Draw => format!("draw: {reason}"),
    };
    printer.line(&end)?;
    Ok(match report.ending {
        Ending::Rules(_) => Status::Done,
        Ending::Faults(_) => Status::Found,
    })
}
