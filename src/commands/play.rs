//! `play`: plays one game in the terminal, or in a browser.

mod browser;
mod display;
mod game_ending;
mod saved_game;
mod screen;
mod terminal;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use tokio::sync::Notify;

use self::browser::BrowserPage;
use self::display::{GameDisplay, TerminalDisplay};
use self::game_ending::{GameEnding, seat_that_gave_up};
use self::saved_game::{SavedGame, saved_game_header, unique_saved_names};
use self::screen::Screen;
use self::terminal::terminal_interface;
use super::find_game::FoundGame;
use super::runtime::{
    bind_runtime_to_cores, new_runtime, run_until_interrupted, watch_interruption,
};
use super::settings::{GameSettingsArgs, GivenSettings, Settings};
use super::{Failure, Status};
use crate::printer::Printer;
use referee_config::PlayerArgument;
use referee_games::{AnyGame, AnyPosition, BySeat, Event, SEATS, Seat, SeatSet, Text, TextStep};
use referee_match::player::user_interface::UserInterface;
use referee_match::player::{Human, Player, PlayerLaunch, PlayerSandbox, PlayerStatistics};
use referee_match::referee::{self, GameReport, GameSetup};
use referee_match::replay::replay_steps_to;
use referee_record::model::clock::TimeControl;
use referee_record::model::fixture::Fixture;
use referee_record::model::game_rules::GameRules;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::record::{FaultPolicy, GameRecord, RESIGNATION};
use referee_record::model::short_clock::ShortClock;
use referee_record::seeds::{SeededLuck, TournamentSecret, derive_game_id};
use referee_record::shell::quote_for_shell;
use referee_tournament::run::game_record::{GameRecordBuilder, VoidAttempts};

/// Arguments of `play`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee play human bot:greedy
  referee play bot:search \"python3 players/greedy.py\"
  referee play human bot:search --option max-moves=200
  referee play bot:search bot:greedy --game back-to-the-wall --board mine.toml
  referee play human bot:search --from 3f9a1c07be52-1 --ply 42
  referee play human bot:greedy --browser            play in a browser
  referee play bot:search bot:greedy --delay 1s      watch it, one second per ply
  referee play mine bot:greedy --save games          keep the game, for `referee replay`

If a person plays, there is no time limit. Type `help` during the game for a list of commands: show
legal actions, give a hint, take back an action, and more.

Exit codes: 0 the game was played, 1 a program forfeited, 2 invalid command line, 130
interrupted.")]
pub(crate) struct PlayArgs {
    /// The players, in order of the seats
    #[arg(value_name = "PLAYER", required = true)]
    pub(crate) players: Vec<String>,
    /// The game and its terms
    #[command(flatten)]
    pub(crate) settings: GameSettingsArgs,
    /// Seed for all random numbers (default: a fresh one)
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Wait this long after each ply (for example 500ms, 2s). Two programs on a terminal play on one
    /// board, 150ms per ply by default; `0s` prints each board below the last, without a wait
    #[arg(long, value_name = "SPAN")]
    pub(crate) delay: Option<humantime::Duration>,
    /// Play on a page in a browser, instead of typing. Anyone who can reach the address can play
    /// [default address: any free port on this machine]
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, require_equals = true,
        default_missing_value = "127.0.0.1:0", conflicts_with = "delay")]
    pub(crate) browser: Option<SocketAddr>,
    /// Keep the game as a log in this new folder
    #[arg(long, value_name = "DIR")]
    pub(crate) save: Option<PathBuf>,
    /// Remove the time limit
    #[arg(long)]
    pub(crate) no_clock: bool,
    /// Start from a recorded game, under its rules: its id, a prefix of it, or a log with one game.
    /// If its rules program has moved, pass its game file with --game
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["options", "boards"])]
    pub(crate) from: Option<String>,
    /// The results folder of that game (default: from tournament.toml, otherwise the newest
    /// folder under results/)
    #[arg(long, value_name = "DIR", requires = "from")]
    pub(crate) results: Option<PathBuf>,
    /// Number of plies to take from the recorded game (default: all, up to a fault)
    #[arg(long, value_name = "N", requires = "from")]
    pub(crate) ply: Option<u32>,
}

/// Plays the game.
pub(crate) fn run(args: &PlayArgs, printer: Printer) -> Result<Status, Failure> {
    if !SEATS.contains(&args.players.len()) {
        return Err(Failure::input("a game has 2 to 16 seats: pass a player for each".to_owned()));
    }
    let Some(opened) = args.settings.open(&args.players, printer)? else {
        return Ok(Status::Interrupted);
    };
    let settings = match args.from {
        Some(_) => opened.resolve_for_record(printer)?,
        None => opened.resolve(GivenSettings::default(), printer)?,
    };
    let words = args.players.iter().map(|word| settings.player(word));
    let words = words.collect::<Result<BySeat<PlayerArgument>, _>>()?;
    let mut control = settings.base.clock;
    let has_human = words.iter().any(|(_, word)| *word == PlayerArgument::Human);
    if words.iter().all(|(_, word)| *word == PlayerArgument::Human) {
        // Two people at one keyboard answer one after the other.
        control.ponder = false;
    }
    let mut tc = words.as_ref().map(|word| match word {
        PlayerArgument::Program(spec) => spec.tc,
        PlayerArgument::Human => None,
    });
    if args.no_clock || has_human {
        (control.budget, control.per_move) = (None, None);
        tc = BySeat::default_for(words.len());
    }
    let containment = sandbox_for_play(&settings, &words)?;
    let (rules, opening) = match &args.from {
        Some(word) => load_game_to_play_on(args, word, printer)?,
        None => (settings.rules(printer)?, Vec::new()),
    };
    check_play_seats(&rules, &words)?;
    let saved = args.save.as_deref().map(SavedGame::create).transpose()?;
    let terms = PlaySettings { rules, control, tc, containment, seed: args.seed };
    let mut display = open_play_display(args, &terms.rules.seats(), &words, printer)?;
    if let (true, GameDisplay::Terminal(_)) = (has_human, &display) {
        printer.note(&describe_play_seats(&terms.rules, &words));
    }
    let Some((game, attempts)) = play_with_undo(&terms, opening, &words, &mut display, printer)?
    else {
        return Ok(Status::Interrupted);
    };
    let status = conclude_play(&game.report, &terms.rules.seats(), &words, &display, printer)?;
    if let Some(saved) = saved {
        let names = unique_saved_names(&words);
        let header = saved_game_header(&settings, &terms, (&words, &names))?;
        let game = GameRecordBuilder { names, ..game };
        let id =
            saved.write_log(&header, record_of_play(game, seats_of_people(&words), attempts))?;
        let dir = args.save.as_deref().unwrap_or(Path::new("."));
        let dir = quote_for_shell(&dir.to_string_lossy());
        printer.command("kept", &format!("referee replay {id} --results {dir}"));
    }
    if let GameDisplay::Browser(page) = &display {
        printer.note("The game is over. Close the page, or press Ctrl-C.");
        // Either way, the game was played.
        run_until_interrupted(async {
            page.closed().await;
            Ok(())
        })?;
    }
    Ok(status)
}

/// The rules of a recorded game, and what was played of it.
fn load_game_to_play_on(
    args: &PlayArgs,
    word: &str,
    printer: Printer,
) -> Result<(GameRules, Vec<TextStep>), Failure> {
    let FoundGame { header, record, dir } =
        FoundGame::find(word, args.results.as_deref(), printer)?;
    let rules =
        args.settings.recorded_rules(&header, &dir, printer)?.with_own_options(&record.options)?;
    let ply = args.ply.unwrap_or(record.plies);
    let opening = replay_steps_to(&rules.start, &record, ply)
        .map_err(|why| Failure::input(format!("--ply {ply}: {why}")))?;
    Ok((rules, opening))
}

/// There must be a player for every seat.
fn check_play_seats(rules: &GameRules, words: &BySeat<PlayerArgument>) -> Result<(), Failure> {
    let seats = rules.seats();
    if seats.len() == words.len() {
        return Ok(());
    }
    Err(Failure::input(format!(
        "{} has {} seats ({}), but there are {} players: pass one for each seat",
        rules.game.name(),
        seats.len(),
        seats.values().join(", "),
        words.len()
    )))
}

/// Where the game is shown. Prints the address of the page, if it is one.
fn open_play_display(
    args: &PlayArgs,
    seats: &BySeat<Text>,
    words: &BySeat<PlayerArgument>,
    printer: Printer,
) -> Result<GameDisplay, Failure> {
    let has_human = words.iter().any(|(_, word)| *word == PlayerArgument::Human);
    let Some(address) = args.browser else {
        let delay = args.delay.map(Into::into);
        let board = TerminalDisplay::new(Screen::new(printer, delay, has_human));
        return Ok(GameDisplay::Terminal(board));
    };
    if !has_human {
        let instead = "pass `human` as a player, or watch two programs without --browser";
        return Err(Failure::input(format!("--browser needs a human player; {instead}")));
    }
    let names = words.as_ref().map(|word| word.name().to_owned());
    let (page, url) = BrowserPage::open(address, &names, seats)?;
    printer.line(&url)?;
    Ok(GameDisplay::Browser(page))
}

/// What a person has to know before the game: the seat, if it is only one, and how to type.
fn describe_play_seats(rules: &GameRules, words: &BySeat<PlayerArgument>) -> String {
    let people = words.iter().filter(|(_, word)| **word == PlayerArgument::Human);
    let seats: Vec<Text> = people.map(|(seat, _)| rules.seats()[seat].clone()).collect();
    let mut sentences = Vec::new();
    if let [seat] = &seats[..] {
        sentences.push(format!("You are {seat}."));
    }
    let is_built_in = rules.game.program().is_none();
    // The squares of a rules program may have other names.
    if is_built_in {
        sentences.push("Squares are typed as column,row: 3,4 is column 3, row 4.".to_owned());
    }
    sentences.push("`help` lists what you can type.".to_owned());
    if is_built_in {
        sentences.push(format!("`referee rules {}` shows the rules.", rules.game.name()));
    }
    sentences.join(" ")
}

/// Says how the game ended.
fn conclude_play(
    report: &GameReport,
    seats: &BySeat<Text>,
    words: &BySeat<PlayerArgument>,
    display: &GameDisplay,
    printer: Printer,
) -> Result<Status, Failure> {
    let names = &words.as_ref().map(|word| word.name().to_owned());
    let conclusion = GameEnding { report, seats, names, people: seats_of_people(words) };
    if let GameDisplay::Browser(page) = display {
        page.end(&conclusion.sentence());
    }
    conclusion.print(printer)
}

fn seats_of_people(words: &BySeat<PlayerArgument>) -> SeatSet {
    let people = words.iter().filter(|(_, word)| **word == PlayerArgument::Human);
    people.map(|(seat, _)| seat).collect()
}

/// The terms of the game.
struct PlaySettings {
    rules: GameRules,
    control: TimeControl,
    /// The clocks of players that have their own.
    tc: BySeat<Option<ShortClock>>,
    containment: Arc<PlayerSandbox>,
    seed: Option<u64>,
}

impl PlaySettings {
    /// The seeds of the seats, and the luck of the game. They do not depend on the players' names.
    fn chances(&self, seats: &BySeat<Text>) -> Result<(BySeat<u64>, SeededLuck), Failure> {
        let secret = match self.seed {
            Some(seed) => TournamentSecret::from_seed(seed),
            None => TournamentSecret::fresh()?,
        };
        let seeds = seats.map_seats(|seat| {
            let others: Vec<&str> = seats.others(seat).map(Seat::ordinal).collect();
            secret.player_seed(seat.ordinal(), &others, 1, 1)
        });
        let luck = secret.game_luck(&seats.seats().map(Seat::ordinal).collect::<Vec<_>>(), 1);
        Ok((seeds, luck))
    }
}

/// The record of a game that was played to its end after these `attempts`. `people` says which
/// seats people had.
fn record_of_play(game: GameRecordBuilder, people: SeatSet, attempts: VoidAttempts) -> GameRecord {
    let is_given_up = seat_that_gave_up(&game.report.ending, people).is_some();
    let names: Vec<&str> = game.names.values().iter().map(String::as_str).collect();
    // In the first game of a pair, the first name in the alphabet has the first seat.
    let number = if names.len() > 2 || names.is_sorted() { 1 } else { 2 };
    let id = derive_game_id(&names, 1, number);
    let fixture = Fixture { players: (0..names.len()).collect(), pair: 1, game: number };
    let record = game.build(id, fixture, attempts);
    if is_given_up {
        return GameRecord { reason: RESIGNATION.to_owned(), fault: None, ..record };
    }
    record
}

fn play_with_undo(
    terms: &PlaySettings,
    mut opening: Vec<TextStep>,
    words: &BySeat<PlayerArgument>,
    display: &mut GameDisplay,
    printer: Printer,
) -> Result<Option<(GameRecordBuilder, VoidAttempts)>, Failure> {
    let programs = || {
        words.iter().filter_map(|(_, word)| match word {
            PlayerArgument::Program(spec) => Some(&**spec),
            PlayerArgument::Human => None,
        })
    };
    terms.rules.refuse_bots(programs())?;
    terms.rules.refuse_engines(programs())?;
    let seats = terms.rules.seats();
    let (seeds, mut luck) = terms.chances(&seats)?;
    let _cores = bind_runtime_to_cores(&terms.control, seats.len());
    let mut players = words.as_ref().map(|word| create_seat_player(word, terms, display, printer));
    let people = seats_of_people(words);
    let mut attempts = VoidAttempts::default();
    loop {
        let setup = GameSetup {
            rules: &terms.rules,
            control: &terms.control,
            tc: terms.tc.clone(),
            policy: FaultPolicy::Lose,
            adjudication: None,
            opening: &opening,
            seeds: seeds.clone(),
        };
        // A person sees a game with hidden information only from its own seat.
        let is_shown = !terms.rules.game.is_hidden() || people.is_empty();
        if is_shown {
            display.start(&terms.rules.start, &opening)?;
        }
        let began = Instant::now();
        let Some((report, statistics)) =
            play_until_interrupted(&setup, &mut luck, &mut players, is_shown, display)?
        else {
            if !people.is_empty() && matches!(display, GameDisplay::Terminal(_)) {
                // The cursor is still behind the question.
                printer.prompt("\n");
            }
            return Ok(None);
        };
        let wall = began.elapsed();
        attempts.record_usage(&seats, &mut players);
        let (seats, seeds) = (seats.clone(), seeds.clone());
        let names = seats.clone().map(Text::into_owned);
        let game = GameRecordBuilder { seats, names, seeds, report, statistics, wall };
        let Some(ply) = take_undo(&mut players) else {
            return Ok(Some((game, attempts)));
        };
        let record = record_of_play(game, people, VoidAttempts::default());
        opening = replay_steps_to(&terms.rules.start, &record, ply)
            .map_err(|why| Failure::input(why.to_string()))?;
        for (seat, word) in words.iter() {
            if let PlayerArgument::Program(spec) = word {
                players[seat] = create_program_player(spec, &*terms.rules.game, &terms.containment);
            }
        }
    }
}

/// The decision that a person wants to take back.
fn take_undo(players: &mut BySeat<Player>) -> Option<u32> {
    players.values_mut().iter_mut().find_map(|player| match player {
        Player::Human(human) => human.take_undo(),
        Player::Wire(_) | Player::Engine(_) => None,
    })
}

fn play_until_interrupted(
    setup: &GameSetup<'_>,
    luck: &mut SeededLuck,
    players: &mut BySeat<Player>,
    is_shown: bool,
    display: &mut GameDisplay,
) -> Result<Option<(GameReport, BySeat<PlayerStatistics>)>, Failure> {
    let runtime = new_runtime()?;
    let report = runtime.block_on(async {
        let mut stop = watch_interruption()?;
        let mut broken = None;
        let closed = Notify::new();
        let mut observe = |position: &dyn AnyPosition, events: &[Event]| {
            if !is_shown && position.turn().outcome().is_none() {
                return;
            }
            if let Err(failure) = display.step(position, events) {
                broken = Some(failure);
                closed.notify_one();
            }
        };
        let report = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => None,
            () = closed.notified() => None,
            report = referee::play_refereed_game(setup, luck, players, &mut observe) => Some(report?),
        };
        let mut statistics = BySeat::from_fn(players.len(), |_| PlayerStatistics::default());
        for (seat, player) in players.iter_mut() {
            if report.is_some() {
                statistics[seat] = player.leave().await;
            } else {
                player.kill().await;
            }
        }
        broken.map_or(Ok(report.map(|report| (report, statistics))), Err)
    });
    // A person may still be at the prompt; that thread is not joined.
    runtime.shutdown_background();
    report
}

fn create_seat_player(
    word: &PlayerArgument,
    terms: &PlaySettings,
    display: &GameDisplay,
    printer: Printer,
) -> Player {
    match word {
        PlayerArgument::Human => {
            Player::Human(Box::new(Human::new(person_interface(display, printer))))
        }
        PlayerArgument::Program(spec) => {
            create_program_player(spec, &*terms.rules.game, &terms.containment)
        }
    }
}

/// How a person plays: on the page, or at the terminal.
fn person_interface(display: &GameDisplay, printer: Printer) -> Box<dyn UserInterface> {
    match display {
        GameDisplay::Terminal(_) => terminal_interface(printer),
        GameDisplay::Browser(page) => page.user_interface(),
    }
}

fn create_program_player(
    spec: &PlayerSpec,
    game: &dyn AnyGame,
    containment: &Arc<PlayerSandbox>,
) -> Player {
    Player::process(PlayerLaunch::for_player(spec, game), Arc::clone(containment))
}

/// The sandbox for the programs among the players.
fn sandbox_for_play(
    settings: &Settings,
    words: &BySeat<PlayerArgument>,
) -> Result<Arc<PlayerSandbox>, Failure> {
    if words.iter().all(|(_, word)| *word == PlayerArgument::Human) {
        return Ok(Arc::new(PlayerSandbox::off()));
    }
    settings.sandbox(None)
}
