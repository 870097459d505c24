//! `ask`: asks a player again for one decision of a recorded game.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{fs, slice};

use clap::Args;
use serde_json::{Value, json};

use super::find_game::FoundGame;
use super::runtime::{bind_runtime_to_cores, run_until_interrupted};
use super::settings::{GameSettingsArgs, GivenSettings, Settings};
use super::{Failure, OutputFormat, Status};
use crate::printer::Printer;
use referee_check::fault_transcript::transcript_before_fault;
use referee_check::{Beginning, CheckFinding, FaultTranscriptLine};
use referee_games::Seat;
use referee_match::player::{Player, PlayerLaunch};
use referee_match::reask::{
    self, Asked, DecisionPoint, Divergence, RecordedGame, first_decision_to_reask, reask_lines,
    seat_to_reask,
};
use referee_record::model::clock::{format_clock_seconds, whole_millis};
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::plies::Plies;
use referee_record::model::short_clock::with_own_short_clock;
use referee_record::seeds::TournamentSecret;
use referee_report::board_picture::render_board_picture;

/// Arguments of `ask`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee ask \"python3 player.py\"                            the first turn of a game
  referee ask mine --record 3f9a1c07be52-1 --ply 42          a turn of a recorded game
  referee ask mine --record 3f9a --ply 42 --emit lines.txt   the same, keeping the lines sent
  python3 -m pdb player.py < lines.txt                       feed them to a debugger

Exit codes: 0 the reply is a legal action, 1 it is not, 2 invalid command line.")]
pub(crate) struct AskArgs {
    /// The player: a name from the configuration, `bot:NAME`, a file, a folder or a command
    pub(crate) player: String,
    /// The recorded game: its id or a prefix of it (`3f9a-2` is the pair's second game), or a log
    /// with one game. If its rules program has moved, pass its game file with --game
    #[arg(long, value_name = "FILE-or-GAME-ID")]
    pub(crate) record: Option<String>,
    /// The results folder of that game (default: from tournament.toml, otherwise the newest
    /// folder under results/)
    #[arg(long, value_name = "DIR", requires = "record")]
    pub(crate) results: Option<PathBuf>,
    /// Number of plies before the decision (default: the first decision of the seat)
    #[arg(long, value_name = "N", requires = "record")]
    pub(crate) ply: Option<u32>,
    /// The seat (default: that of the player of the same name, otherwise the seat to move)
    #[arg(long)]
    pub(crate) seat: Option<String>,
    /// Write the messages sent to the player to a file
    #[arg(long, value_name = "FILE")]
    pub(crate) emit: Option<PathBuf>,
    /// Remove the time limit
    #[arg(long)]
    pub(crate) no_clock: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: OutputFormat,
    /// The game and its terms, for a position without a record
    #[command(flatten)]
    pub(crate) settings: GameSettingsArgs,
}

/// Asks the player for the decision.
pub(crate) fn run(args: &AskArgs, printer: Printer) -> Result<Status, Failure> {
    let Some(opened) = args.settings.open(slice::from_ref(&args.player), printer)? else {
        return Ok(Status::Interrupted);
    };
    let settings = match args.record {
        Some(_) => opened.resolve_for_record(printer)?,
        None => opened.resolve(GivenSettings::default(), printer)?,
    };
    let refusal = "player `human`: only `referee play` can ask a person";
    let spec = settings.program(&args.player, refusal)?;
    let Some(word) = &args.record else {
        return ask_at_game_start(args, &settings, &spec, printer);
    };
    let recorded = FoundGame::find(word, args.results.as_deref(), printer)?;
    let FoundGame { header, record, dir } = recorded;
    let rules =
        args.settings.recorded_rules(&header, &dir, printer)?.with_own_options(&record.options)?;
    let (control, policy) = (&header.clock, header.fault_policy);
    let source = RecordedGame { rules: &rules, control, policy, record: &record };
    ask_recorded_decision(args, &settings, &source, &spec, printer)
}

/// A game at its start, without a record.
fn ask_at_game_start(
    args: &AskArgs,
    settings: &Settings,
    spec: &PlayerSpec,
    printer: Printer,
) -> Result<Status, Failure> {
    let rules = settings.rules(printer)?;
    let secret = TournamentSecret::from_seed(1);
    let seats = rules.seats();
    let names = seats.map_seats(|seat| match seat.index() {
        0 => spec.name.clone(),
        1 => "opponent".to_owned(),
        other => format!("opponent {other}"),
    });
    let name = |seat: Seat| names[seat].as_str();
    let seeds = seats.map_seats(|seat| {
        let others: Vec<&str> = names.others(seat).map(name).collect();
        secret.player_seed(name(seat), &others, 1, 1)
    });
    let luck = secret.game_luck(&names.seats().map(name).collect::<Vec<_>>(), 1);
    let start = Beginning::start(&rules, &mut { luck })?;
    let nothing = (Seat::FIRST, std::time::Duration::ZERO, None);
    let record = start.record(rules.seats(), &names, seeds, 1, nothing);
    let control = &with_own_short_clock(&settings.base.clock, spec.tc);
    let policy = settings.base.fault_policy;
    let source = RecordedGame { rules: &rules, control, policy, record: &record };
    ask_recorded_decision(args, settings, &source, spec, printer)
}

fn ask_recorded_decision(
    args: &AskArgs,
    settings: &Settings,
    source: &RecordedGame<'_>,
    spec: &PlayerSpec,
    printer: Printer,
) -> Result<Status, Failure> {
    source.rules.refuse_bots([spec])?;
    source.rules.refuse_engines([spec])?;
    let (mut control, mut record) = (*source.control, source.record.clone());
    if args.no_clock {
        (control.budget, control.per_move) = (None, None);
        record.clock.tc = None;
    }
    let source = RecordedGame { control: &control, record: &record, ..*source };
    let decision = find_asked_decision(args, &source, &spec.name)?;
    let _cores = bind_runtime_to_cores(&control, source.rules.seats().len());
    let mut player = Player::process(
        PlayerLaunch::for_player(spec, &*source.rules.game),
        settings.sandbox(None)?,
    );
    let asked = run_until_interrupted(async {
        let asked = reask::ask_again(&source, decision, &mut player).await;
        player.leave().await;
        let asked = asked?;
        if let Some(file) = &args.emit {
            let greeting = asked.greeted.as_ref().map(|(said, _)| said.clone()).unwrap_or_default();
            let lines = match &player {
                Player::Engine(engine) => engine.commands(),
                _ => reask_lines(&source, decision, &greeting).await?,
            };
            write_asked_lines(file, &lines)?;
        }
        Ok(asked)
    })?;
    let Some(asked) = asked else { return Ok(Status::Interrupted) };
    let exchange = transcript_before_fault(&player);
    let finding = asked.outcome.as_ref().err().map(|fault| {
        let ply = asked.greeted.as_ref().map(|_| asked.position.ply());
        let exchange = exchange.clone();
        let game = &*source.rules.game;
        let mut finding = CheckFinding::new(game, fault, decision.seat, ply, exchange);
        finding.add_advice(spec);
        finding
    });
    match args.format {
        OutputFormat::Json => {
            printer.json(&asked_answer_json(&asked, finding.as_ref(), &exchange))?;
        }
        OutputFormat::Text => {
            if asked.greeted.is_some() {
                printer.styled(&render_board_picture(
                    &*asked.position,
                    &asked.events,
                    printer.colour,
                ))?;
            }
            let seat = &source.rules.seats()[decision.seat];
            printer
                .text(&describe_asked_answer(&asked, seat, finding.as_ref(), &exchange).into())?;
        }
    }
    Ok(if finding.is_none() { Status::Done } else { Status::Found })
}

fn find_asked_decision(
    args: &AskArgs,
    source: &RecordedGame<'_>,
    name: &str,
) -> Result<DecisionPoint, Failure> {
    let seats = source.rules.seats();
    let wanted = args.seat.as_deref().map(|name| {
        seats.seat(name).ok_or_else(|| {
            let game = source.rules.game.name();
            Failure::input(format!("--seat {name}: {game} has {}", seats.in_words()))
        })
    });
    let wanted = wanted.transpose()?;
    let own = source.record.players.values.seat(name);
    let first = first_decision_to_reask(source, wanted.or(own));
    let first = first.map_err(|why| Failure::input(why.to_string()))?;
    let ply = args.ply.unwrap_or(first);
    let seat = seat_to_reask(source, ply, wanted, own)
        .map_err(|why| Failure::input(format!("--ply {ply}: {why}")))?;
    Ok(DecisionPoint { seat, ply })
}

fn write_asked_lines(file: &std::path::Path, lines: &[String]) -> Result<(), Failure> {
    fs::write(file, lines.join("\n") + "\n").map_err(|error| Failure::cannot_write(file, &error))
}

/// The answer of the player in `seat` for people; after a fault, with the lines that led to it.
fn describe_asked_answer(
    asked: &Asked,
    seat: &str,
    finding: Option<&CheckFinding>,
    exchange: &[FaultTranscriptLine],
) -> String {
    let mut text = String::new();
    // The board stands for the turn.
    let shown = |line: &&FaultTranscriptLine| {
        finding.is_some() && !(asked.greeted.is_some() && line.is_turn())
    };
    for line in exchange.iter().filter(shown) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{line}");
    }
    if let Some(Divergence { ply, reply, recorded }) = &asked.divergence {
        let reply = referee_protocol::escape::escape_line(reply);
        let _ = writeln!(
            text,
            "before that, after {}, it replied {reply}; in the record it replied {recorded}",
            Plies(*ply)
        );
    }
    let used = format_clock_seconds(asked.used);
    match (&asked.outcome, finding) {
        (_, Some(finding)) => {
            text.push_str(&finding.describe());
            text.extend(finding.advice.iter().map(|advice| format!("\nadvice: {advice}")));
        }
        (Ok(_), None) if asked.resigned => {
            let _ = write!(text, "{seat} resigns after {used}");
        }
        (Ok(action), None) => {
            let _ = write!(text, "{seat} plays {action} after {used}; it is legal");
        }
        (Err(fault), None) => text.push_str(&fault.message),
    }
    text
}

fn asked_answer_json(
    asked: &Asked,
    finding: Option<&CheckFinding>,
    exchange: &[FaultTranscriptLine],
) -> Value {
    let divergence = asked.divergence.as_ref().map(
        |Divergence { ply, reply, recorded }| json!({ "ply": ply, "said": reply, "recorded": recorded }),
    );
    json!({
        "ply": asked.position.ply(),
        "action": asked.outcome.as_ref().ok().filter(|_| !asked.resigned),
        "resigned": asked.resigned,
        "used_ms": whole_millis(asked.used),
        "strayed": divergence,
        "finding": finding,
        "exchange": exchange,
    })
}
