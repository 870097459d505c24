//! `play`: one game on the terminal.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::board::picture;
use super::game_args::OptionArgs;
use super::run::interrupted;
use super::{Failure, Status};
use crate::clock::TimeControl;
use crate::config::{self, PlayerWord};
use crate::containment::{Level, Policy, Wish};
use crate::player::{Human, Launch, Player, Wire};
use crate::printer::Printer;
use crate::record::FaultPolicy;
use crate::referee::{self, Ending, Report, Setup};
use crate::report::story::{is_ply, told};
use crate::rules::{BySeat, Game, GameKind, GameResult, Seat};
use crate::seeds::{Luck, Secret};
use crate::with_game;

/// Play one game on the terminal
///
/// A player is `human`, a house player (`bot:random`, `bot:greedy`, `bot:search`), a name from
/// the configuration, or a command. The first named takes the first seat.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee play human bot:greedy
  referee play bot:search \"python3 players/greedy.py\"
  referee play human bot:search --option max-moves=200
  referee play bot:search bot:greedy --game back-to-the-wall --board mine.toml

With a person at the board there is no limit of time. Type `?` for the legal actions, `resign` to
give up. Exit codes: 0 the game was played, 1 a program lost it by a fault, 2 bad command line,
130 interrupted.")]
pub struct PlayArgs {
    /// The player of the first seat
    pub first: String,
    /// The player of the second seat
    pub second: String,
    /// The game (default: the configuration's, else watch-your-back)
    #[arg(long, value_enum)]
    pub game: Option<GameKind>,
    #[expect(missing_docs, reason = "see OptionArgs")]
    #[command(flatten)]
    pub options: OptionArgs,
    /// The configuration that names players and limits, where there is one
    #[arg(long, default_value = "tournament.toml")]
    pub config: PathBuf,
    /// Where all randomness comes from (default: fresh)
    #[arg(long)]
    pub seed: Option<u64>,
    /// How far players are contained (default: as configured, or the strongest that works)
    #[arg(long, value_name = "LEVEL")]
    pub containment: Option<Level>,
    /// No limit of time
    #[arg(long)]
    pub no_clock: bool,
}

/// Plays the game.
pub fn run(args: &PlayArgs, printer: Printer) -> Result<Status, Failure> {
    let configured = args
        .config
        .exists()
        .then(|| config::load(&args.config, printer.error_colour()))
        .transpose()?;
    let known = configured.as_ref().map_or(&[][..], |tournament| &tournament.players);
    let words = BySeat::new(
        PlayerWord::parse(&args.first, known)?,
        PlayerWord::parse(&args.second, known)?,
    );
    let game = args
        .game
        .or(configured.as_ref().map(|tournament| tournament.game))
        .unwrap_or(GameKind::WatchYourBack);
    let mut control = configured.as_ref().map_or(default_control(), |tournament| tournament.clock);
    let has_human = words.iter().any(|(_, word)| *word == PlayerWord::Human);
    if words.iter().all(|(_, word)| *word == PlayerWord::Human) {
        // Two people at one keyboard answer one after the other.
        control.ponder = false;
    }
    if args.no_clock || has_human {
        (control.budget, control.per_move) = (None, None);
    }
    let wish = configured.as_ref().map(|known| known.containment.clone()).unwrap_or_default();
    let wish = Wish { level: args.containment.or(wish.level), ..wish };
    let configured = configured.filter(|tournament| tournament.game == game);
    with_game!(game, G => play::<G>(args, configured.as_ref(), words, &control, &wish, printer))
}

/// The limits where no configuration has any.
pub(super) fn default_control() -> TimeControl {
    TimeControl {
        startup: config::DEFAULT_STARTUP,
        budget: None,
        increment: Duration::ZERO,
        per_move: Some(config::DEFAULT_MOVE),
        measure: crate::clock::Measure::Wall,
        count_startup: false,
        ponder: false,
    }
}

fn play<G: Game>(
    args: &PlayArgs,
    configured: Option<&config::Tournament>,
    words: BySeat<PlayerWord>,
    control: &TimeControl,
    wish: &Wish,
    printer: Printer,
) -> Result<Status, Failure> {
    let given = configured.map(|tournament| tournament.options.given()).unwrap_or_default();
    let options = args.options.resolve::<G>(&given, printer)?;
    let rules = Arc::new(G::rules(&options).map_err(Failure::input)?);
    if let Some(why) = G::endless(&rules) {
        return Err(Failure::input(why));
    }
    let secret = match args.seed {
        Some(seed) => Secret::from_seed(seed),
        None => Secret::fresh().map_err(|error| Failure::system(error.to_string()))?,
    };
    let names = words.as_ref().map(name);
    let people = words.as_ref().map(|word| *word == PlayerWord::Human);
    let seeds = BySeat::new(
        secret.player_seed("first", "second", 1),
        secret.player_seed("second", "first", 1),
    );
    let containment = Arc::new(contained(wish, &words)?);
    let mut players = words.map(|word| seated(word, &containment, printer));
    let setup = Setup::<G> {
        rules: &rules,
        options: &options,
        control,
        policy: FaultPolicy::Lose,
        opening: &[],
        seeds,
    };
    let mut luck = secret.luck("first", "second", 1);
    printer.line(&picture(&G::start(&rules), &[], printer.colour))?;
    let report = block_on(&setup, &mut luck, &mut players, printer)?;
    let Some(report) = report else {
        if people.first || people.second {
            // The cursor still stands behind the question.
            printer.prompt("\n");
        }
        return Ok(Status::Interrupted);
    };
    conclude::<G>(&report, &names, people, printer)
}

fn block_on<G: Game>(
    setup: &Setup<'_, G>,
    luck: &mut Luck,
    players: &mut BySeat<Player>,
    printer: Printer,
) -> Result<Option<Report>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::system(error.to_string()))?;
    let report = runtime.block_on(async {
        let mut stop = interrupted()?;
        let mut broken = None;
        let mut observe = |position: &G, events: &[crate::rules::Event]| {
            let mut text = told(events, position.ply());
            if is_ply(events) {
                text = format!("{text}\n{}", picture(position, events, printer.colour));
            }
            if let Err(failure) = printer.line(&text) {
                broken = Some(failure);
            }
        };
        let report = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => None,
            report = referee::play(setup, luck, players, &mut observe) => Some(report),
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
    // A person may still be asked for a line: that thread is not waited for.
    runtime.shutdown_background();
    report
}

fn name(word: &PlayerWord) -> String {
    match word {
        PlayerWord::Human => "human".to_owned(),
        PlayerWord::Program(spec) => spec.name.clone(),
    }
}

/// What contains the programs among the players.
fn contained(wish: &Wish, words: &BySeat<PlayerWord>) -> Result<Policy, Failure> {
    if words.iter().all(|(_, word)| *word == PlayerWord::Human) {
        return Ok(Policy::off());
    }
    Policy::settle(wish)
}

fn seated(word: PlayerWord, containment: &Arc<Policy>, printer: Printer) -> Player {
    match word {
        PlayerWord::Human => Player::Human(Human::new(printer)),
        PlayerWord::Program(spec) => {
            Player::Wire(Box::new(Wire::process(Launch::of(&spec), Arc::clone(containment))))
        }
    }
}

fn conclude<G: Game>(
    report: &Report,
    names: &BySeat<String>,
    people: BySeat<bool>,
    printer: Printer,
) -> Result<Status, Failure> {
    let name = |seat: Seat| crate::escape::terminal(&names[seat]);
    let given_up = |seat: Seat| people[seat] && report.ending.fault(seat).is_some();
    if let Some(seat) = Seat::BOTH.into_iter().find(|&seat| given_up(seat)) {
        let fault = report.ending.fault(seat).map_or("", |fault| &fault.message);
        printer.line(&format!("{fault}: {} ({}) wins", name(!seat), G::SEATS[!seat]))?;
        return Ok(Status::Done);
    }
    for seat in Seat::BOTH {
        if let Some(fault) = report.ending.fault(seat) {
            printer.line(&format!(
                "{} ({}): {}: {}",
                name(seat),
                G::SEATS[seat],
                fault.code,
                fault.message
            ))?;
            for line in &fault.stderr {
                printer.line(&format!("    {line}"))?;
            }
        }
    }
    for warning in &report.kept.warnings {
        printer.line(&format!("warning: {}", crate::escape::terminal(warning)))?;
    }
    let reason = report.ending.reason();
    let end = match report.ending.result() {
        GameResult::Win(seat) => format!("{} ({}) wins: {reason}", name(seat), G::SEATS[seat]),
        GameResult::Draw => format!("draw: {reason}"),
    };
    printer.line(&end)?;
    Ok(match report.ending {
        Ending::Rules(_) => Status::Done,
        Ending::Faults(_) => Status::Found,
    })
}
