//! The entry point: parse, start logging, turn a result into a documented exit code.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fs::File;
use std::process::ExitCode;
use std::sync::Mutex;
use std::{io, panic};

use crate::cli::{Cli, CliCommand};
use crate::command_failure::{Failure, FailureKind};
use crate::commands::completions_and_man::run_completions_command;
use crate::commands::{
    Status, ask, bot, check, compare, completions_and_man, export, help, league, new, play, probe,
    rank, replay, report, rules, run, serve, test_game, trace, tune, verify, worker,
};
use crate::printer::{ColouredText, Escaping, Printer};
use crate::stop_signals;
use clap::CommandFactory;
use referee_entrants::build::{NOT_DONE, serve_sandboxed_build};
use referee_sandbox::{raise_descriptor_limit, serve_as_supervisor};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Runs the program: parses the command line, does what it says, and returns a documented exit code.
pub fn main() -> ExitCode {
    if let Some(code) = serve_as_supervisor() {
        return code;
    }
    let printer = Printer::new(false);
    if let Some(result) = serve_sandboxed_build(printer.bytes()) {
        return result.unwrap_or_else(|error| {
            printer.error(&error.to_string().into());
            ExitCode::from(NOT_DONE)
        });
    }
    panic::set_hook(Box::new(move |panicked| show_panic(panicked, printer)));
    let cli = Cli::read(printer);
    let printer = Printer { quiet: cli.quiet, ..printer };
    let result = raise_descriptor_limit()
        .map_err(Failure::from)
        .and_then(|()| start_logging(&cli))
        .and_then(|()| dispatch_command(&cli.command, printer));
    match result {
        Ok(Status::Done) => ExitCode::SUCCESS,
        Ok(Status::Found) => ExitCode::from(1),
        Ok(Status::NotBetter) => ExitCode::from(10),
        Ok(Status::Undecided) => ExitCode::from(11),
        Ok(Status::Interrupted) => ExitCode::from(stop_signals::INTERRUPTED),
        Err(failure) => report_failure(&failure, printer),
    }
}

fn dispatch_command(command: &CliCommand, printer: Printer) -> Result<Status, Failure> {
    match command {
        CliCommand::Run(args) => run::run(args, printer),
        CliCommand::Play(args) => play::run(args, printer),
        CliCommand::Compare(args) => compare::run(args, printer),
        CliCommand::Tune(args) => tune::run(args, printer),
        CliCommand::Check(args) => check::run(args, printer),
        CliCommand::Export(args) => export::run(args, printer),
        CliCommand::Ask(args) => ask::run(args, printer),
        CliCommand::New(args) => new::run(args, printer),
        CliCommand::Rank(args) => rank::run(args, printer),
        CliCommand::Report(args) => report::run(args, printer),
        CliCommand::Serve(args) => serve::run(args, printer),
        CliCommand::League(args) => league::run(args, printer),
        CliCommand::Verify(args) => verify::run(args, printer),
        CliCommand::Worker(args) => worker::run(args, printer),
        CliCommand::Replay(args) => replay::run(args, printer),
        CliCommand::Rules(args) => rules::run(args, printer),
        CliCommand::Trace(args) => trace::run(args, printer),
        CliCommand::TestGame(args) => test_game::run(args, printer),
        CliCommand::Probe(args) => probe::run(args, printer),
        CliCommand::Bot(args) => bot::run(args, printer),
        CliCommand::Help(args) => help::run(args, Cli::grouped(), printer),
        CliCommand::Completions(args) => run_completions_command(args, Cli::command(), printer),
        CliCommand::Man(args) => {
            completions_and_man::run_man_command(args, Cli::command(), printer)
        }
    }
}

fn report_failure(failure: &Failure, printer: Printer) -> ExitCode {
    match failure.kind {
        FailureKind::BadLine => printer.bare_error(&failure.message),
        FailureKind::Closed => {}
        _ => printer.error(&failure.message),
    }
    ExitCode::from(match failure.kind {
        FailureKind::Input | FailureKind::BadLine => 2,
        FailureKind::System => 3,
        FailureKind::Conflict => 4,
        FailureKind::Closed => 141,
    })
}

/// Shows a panic, whose message may hold text of others.
fn show_panic(panicked: &panic::PanicHookInfo<'_>, printer: Printer) {
    let trace = Backtrace::capture();
    let mut text = ColouredText::plain(&panicked.to_string());
    if trace.status() == BacktraceStatus::Captured {
        text.push(&format!("\n{trace}"));
    }
    printer.bare_error(&text);
}

/// Logging goes to stderr with `-v`, or to a file, without colours: its lines are escaped when they
/// are whole.
fn start_logging(cli: &Cli) -> Result<(), Failure> {
    let level = match (cli.verbose, &cli.log_file) {
        (0, None) => LevelFilter::WARN,
        (0 | 1, _) => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    // These libraries report problems twice: here, and to us, who say them in a sentence. An author
    // who makes many folders could fill a disk with what the watcher of files says of each.
    let library = if cli.verbose == 0 && cli.log_file.is_none() { LevelFilter::OFF } else { level };
    let shown = Targets::new()
        .with_default(level)
        .with_targets([("async_nats", library), ("notify", library)]);
    let lines = tracing_subscriber::fmt::layer().with_ansi(false);
    if let Some(path) = &cli.log_file {
        let file = File::create(path).map_err(|error| {
            Failure::system(format!("cannot write the log file {}: {error}", path.display()))
        })?;
        let lines = lines.with_writer(Mutex::new(Escaping::text(file)));
        tracing_subscriber::registry().with(lines.with_filter(shown)).init();
    } else {
        let lines = lines.with_writer(|| Escaping::text(io::stderr()));
        tracing_subscriber::registry().with(lines.with_filter(shown)).init();
    }
    Ok(())
}
