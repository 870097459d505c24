//! `play`: plays one game in the terminal.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::sync::Notify;

use super::board::picture;
use super::recorded::FoundGame;
use super::runtime::{interrupted, new_runtime};
use super::settings::{GameSettingsArgs, Settings};
use super::{Failure, Status};
use crate::config::PlayerArgument;
use crate::model::clock::TimeControl;
use crate::model::player::PlayerSpec;
use crate::model::record::{FaultPolicy, GameRecord};
use crate::model::rules::GameRules;
use crate::player::{Human, Launch, Player, Sandbox, Wire};
use crate::printer::Printer;
use crate::referee::{self, Ending, GameReport, GameSetup};
use crate::replay::steps_to;
use crate::report::story::{describe_step, is_ply};
use crate::schedule::Fixture;
use crate::seeds::{Luck, Secret};
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
    /// Remove the time limit
    #[arg(long)]
    pub no_clock: bool,
    /// Start from a recorded game, under its rules: its id, a prefix of it, or a log with one game
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["options", "boards"])]
    pub from: Option<String>,
    /// The results folder of that game (default: the newest under results/)
    #[arg(long, value_name = "DIR", requires = "from")]
    pub results: Option<std::path::PathBuf>,
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
    if let Some(word) = &args.from {
        let recorded = FoundGame::find(word, args.results.as_deref())?;
        let rules = args.settings.recorded_rules(recorded.header, printer)?;
        let ply = args.ply.unwrap_or(recorded.record.plies);
        let opening = steps_to(&rules.start, &recorded.record, ply)
            .map_err(|why| Failure::input(format!("--ply {ply}: {why}")))?;
        let terms = PlaySettings { rules, control, containment, seed: args.seed };
        return play(&terms, opening, &words, printer);
    }
    let terms =
        PlaySettings { rules: settings.rules(printer)?, control, containment, seed: args.seed };
    play(&terms, Vec::new(), &words, printer)
}

/// The terms of the game.
struct PlaySettings {
    rules: GameRules,
    control: TimeControl,
    containment: Arc<Sandbox>,
    seed: Option<u64>,
}

fn play(
    terms: &PlaySettings,
    mut opening: Vec<TextStep>,
    words: &BySeat<PlayerArgument>,
    printer: Printer,
) -> Result<Status, Failure> {
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
            printer.line(&first_picture(terms, &opening, printer)?)?;
        }
        let Some(report) = block_on(&setup, &mut luck, &mut players, is_shown, printer)? else {
            if people.first || people.second {
                // The cursor is still behind the question.
                printer.prompt("\n");
            }
            return Ok(Status::Interrupted);
        };
        let Some(ply) = take_undo(&mut players) else {
            let seats = terms.rules.seats();
            return conclude(&report, &seats, &words.as_ref().map(name), people, printer);
        };
        let record = so_far(terms.rules.seats(), report, seeds);
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

/// The record of the game so far.
fn so_far(seats: BySeat<Text>, report: GameReport, seeds: BySeat<u64>) -> GameRecord {
    let builder = crate::run::record::RecordBuilder {
        names: seats.clone().map(Text::into_owned),
        seats,
        seeds,
        report,
        statistics: BySeat::from_fn(|_| crate::player::PlayerStatistics::default()),
        wall: Duration::ZERO,
    };
    let fixture = Fixture { players: BySeat::new(0, 1), pair: 1, game: 1 };
    builder.build(String::new(), fixture, Vec::new())
}

fn block_on(
    setup: &GameSetup<'_>,
    luck: &mut Luck,
    players: &mut BySeat<Player>,
    is_shown: bool,
    printer: Printer,
) -> Result<Option<GameReport>, Failure> {
    let runtime = new_runtime()?;
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
                text = format!("{text}\n{}", picture(position, events, printer.colour));
            }
            if let Err(failure) = printer.line(&text) {
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
        for player in [&mut players.first, &mut players.second] {
            if report.is_some() {
                player.leave().await;
            } else {
                player.kill().await;
            }
        }
        broken.map_or(Ok(report), Err)
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
