//! `probe`: tests what this machine can enforce.

use clap::Args;
use serde::Serialize;

use super::{Failure, OutputFormat, Status};
use crate::printer::Printer;
use referee_match::player::sandbox::unavailable_text;
use referee_sandbox::{Capability, Level, Mechanism, Requirement, capabilities};

/// Arguments of `probe`.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 everything works; 1 something does not.")]
pub struct ProbeArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
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
        let (purpose, advice) = match capability.what {
            Requirement::Level(level) => (level_purpose(level), level_advice(level)),
            Requirement::Mechanism(one) => (purpose(one), advice(one)),
        };
        let why = capability.result.as_ref().err().map(unavailable_text);
        let holds = why.is_none();
        let advice = why.as_ref().map(|_| advice);
        Self { name: capability.what.name(), purpose, holds, why, advice }
    }
}

/// Prints the results.
pub fn run(args: &ProbeArgs, printer: Printer) -> Result<Status, Failure> {
    let findings: Vec<ProbeResult> = capabilities().iter().map(ProbeResult::of).collect();
    match args.format {
        OutputFormat::Json => {
            let text = serde_json::to_string(&findings)
                .map_err(|error| Failure::system(error.to_string()))?;
            printer.line(&text)?;
        }
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

fn level_purpose(level: Level) -> &'static str {
    match level {
        Level::Off => "all processes of players are killed",
        Level::Basic => "no foreign files, no network, no other processes",
        Level::Strict => "an isolated system for each player",
    }
}

fn level_advice(level: Level) -> &'static str {
    match level {
        Level::Off => "report this; nothing can be played",
        Level::Basic => "see the rows below; Linux 5.13 or later with Landlock has all of it",
        Level::Strict => "see the row `namespaces` below",
    }
}

fn purpose(one: Mechanism) -> &'static str {
    match one {
        Mechanism::Subreaper => "no process outlives its game",
        Mechanism::Rlimits => "open files, file size, core dumps",
        Mechanism::Landlock => "files, signals, TCP",
        Mechanism::Seccomp => "system calls",
        Mechanism::User => "a separate user for each player",
        Mechanism::Mounts => "size of the scratch folder, /dev/shm, hidden files",
        Mechanism::Namespaces => "files, processes, network, IPC",
        Mechanism::Memory => "memory of all processes together",
        Mechanism::Processes => "number of all processes and threads",
        Mechanism::Cpu => "CPU time that cannot be hidden",
        Mechanism::Freeze => "all processes stopped at once",
        Mechanism::Kill => "all processes killed at once",
    }
}

fn advice(one: Mechanism) -> &'static str {
    match one {
        Mechanism::Subreaper | Mechanism::Rlimits => "report this",
        Mechanism::Landlock => {
            "use Linux 5.13 or later, with `landlock` in the boot parameter `lsm=`"
        }
        Mechanism::Seccomp => {
            "use a kernel with CONFIG_SECCOMP_FILTER; in a container allow seccomp"
        }
        Mechanism::User => "not needed: `strict` has a user namespace instead",
        Mechanism::Mounts | Mechanism::Namespaces => {
            "as root, `sysctl user.max_user_namespaces=10000`; on Ubuntu from 23.10 an AppArmor \
             profile with `userns`; in a container `--security-opt seccomp=unconfined` and \
             `--security-opt systempaths=unconfined`"
        }
        Mechanism::Memory
        | Mechanism::Processes
        | Mechanism::Cpu
        | Mechanism::Freeze
        | Mechanism::Kill => {
            "start it with `systemd-run --user --scope -p Delegate=yes referee …`, or as root"
        }
    }
}

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
