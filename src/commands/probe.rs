//! `probe`: tests what this machine can enforce.

use clap::Args;
use serde::Serialize;

use super::{Failure, OutputFormat, Status};
use crate::printer::Printer;
use referee_sandbox::{Capability, Level, Mechanism, Requirement, capabilities};

/// Arguments of `probe`.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 everything works; 1 something does not.")]
pub(crate) struct ProbeArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: OutputFormat,
}

/// The result of testing one level or mechanism.
#[derive(Debug, Serialize)]
struct ProbeResult {
    name: &'static str,
    purpose: &'static str,
    /// Whether it was put in force and passed its test.
    holds: bool,
    why: Option<String>,
    advice: Option<&'static str>,
}

impl ProbeResult {
    fn of(capability: &Capability) -> Self {
        let (purpose, advice) = explanation(capability.what);
        let why = capability.result.as_ref().err().map(ToString::to_string);
        let holds = why.is_none();
        let advice = why.as_ref().map(|_| advice);
        Self { name: capability.what.name(), purpose, holds, why, advice }
    }
}

/// Prints the results.
pub(crate) fn run(args: &ProbeArgs, printer: Printer) -> Result<Status, Failure> {
    let findings: Vec<ProbeResult> = capabilities().iter().map(ProbeResult::of).collect();
    match args.format {
        OutputFormat::Json => printer.json(&findings)?,
        OutputFormat::Text => {
            for finding in &findings {
                printer.line(&describe(finding))?;
            }
        }
    }
    let all = findings.iter().all(|finding| finding.holds);
    Ok(if all { Status::Done } else { Status::Found })
}

fn describe(finding: &ProbeResult) -> String {
    let ProbeResult { name, purpose, .. } = finding;
    let verdict = if finding.holds { "holds" } else { "does not hold" };
    let mut text = format!("{name:<12} {verdict:<14} {purpose}");
    for (label, more) in [("why", finding.why.as_deref()), ("do", finding.advice)] {
        if let Some(more) = more {
            text = format!("{text}\n{:13}{label}: {more}", "");
        }
    }
    text
}

/// What a level or mechanism is for, and what to do if it does not work.
fn explanation(what: Requirement) -> (&'static str, &'static str) {
    match what {
        Requirement::Level(level) => of_level(level),
        Requirement::Mechanism(mechanism) => of_mechanism(mechanism),
    }
}

fn of_level(level: Level) -> (&'static str, &'static str) {
    match level {
        Level::Off => ("all processes of players are killed", "report this; nothing can be played"),
        Level::Basic => (
            "no foreign files, no network, no other processes",
            "see the rows below; Linux 5.13 or later with Landlock has all of it",
        ),
        Level::Strict => ("an isolated system for each player", "see the row `namespaces` below"),
    }
}

fn of_mechanism(mechanism: Mechanism) -> (&'static str, &'static str) {
    match mechanism {
        Mechanism::Subreaper => ("no process outlives its game", REPORT),
        Mechanism::Rlimits => ("open files, file size, core dumps", REPORT),
        Mechanism::Landlock => (
            "files, signals, TCP",
            "use Linux 5.13 or later, with `landlock` in the boot parameter `lsm=`",
        ),
        Mechanism::Seccomp => (
            "system calls",
            "use a kernel with CONFIG_SECCOMP_FILTER; in a container allow seccomp",
        ),
        Mechanism::User => {
            ("a separate user for each player", "not needed: `strict` has a user namespace instead")
        }
        Mechanism::Mounts => {
            ("size of the scratch folder, /dev/shm, hidden files", ALLOW_NAMESPACES)
        }
        Mechanism::Namespaces => ("files, processes, network, IPC", ALLOW_NAMESPACES),
        Mechanism::Memory => ("memory of all processes together", DELEGATE),
        Mechanism::Processes => ("number of all processes and threads", DELEGATE),
        Mechanism::Cpu => ("CPU time that cannot be hidden", DELEGATE),
        Mechanism::Freeze => ("all processes stopped at once", DELEGATE),
        Mechanism::Kill => ("all processes killed at once", DELEGATE),
    }
}

const REPORT: &str = "report this";
const ALLOW_NAMESPACES: &str = "as root, `sysctl user.max_user_namespaces=10000`; on Ubuntu from 23.10 an AppArmor profile \
     with `userns`; in a container `--security-opt seccomp=unconfined` and `--security-opt \
     systempaths=unconfined`";
const DELEGATE: &str =
    "start it with `systemd-run --user --scope -p Delegate=yes referee …`, or as root";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_mechanisms_are_explained() {
        let finding = ProbeResult {
            name: "landlock",
            purpose: "files",
            holds: false,
            why: Some("not there".to_owned()),
            advice: Some("get it"),
        };
        let indent = " ".repeat(13);
        assert_eq!(
            describe(&finding),
            format!(
                "landlock     does not hold  files\n{indent}why: not there\n{indent}do: get it"
            )
        );
    }
}
