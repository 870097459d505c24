//! `probe`: tests what this machine can enforce.

use clap::Args;
use serde::Serialize;

use super::{Failure, OutputFormat, Status};
use crate::printer::Printer;
use nix::unistd::geteuid;
use referee_sandbox::{
    Capability, Level, Mechanism, Requirement, ScopeError, Unavailable, capabilities,
};

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
    fn from_capability(capability: &Capability, asker: ProbeAsker) -> Self {
        let why = capability.result.as_ref().err();
        Self {
            name: capability.what.name(),
            purpose: probe_purpose(capability.what),
            holds: why.is_none(),
            why: why.map(ToString::to_string),
            advice: why.map(|why| probe_advice(capability.what, why, asker)),
        }
    }
}

/// Who asks, since each can do something else about what is missing.
#[derive(Debug, Clone, Copy)]
enum ProbeAsker {
    Root,
    User,
}

impl ProbeAsker {
    fn of_this_process() -> Self {
        if geteuid().is_root() { Self::Root } else { Self::User }
    }
}

pub(crate) fn run(args: &ProbeArgs, printer: Printer) -> Result<Status, Failure> {
    let asker = ProbeAsker::of_this_process();
    let findings: Vec<ProbeResult> = capabilities()
        .iter()
        .map(|capability| ProbeResult::from_capability(capability, asker))
        .collect();
    match args.format {
        OutputFormat::Json => printer.json(&findings)?,
        OutputFormat::Text => {
            for finding in &findings {
                printer.line(&describe_probe_result(finding))?;
            }
        }
    }
    let all = findings.iter().all(|finding| finding.holds);
    Ok(if all { Status::Done } else { Status::Found })
}

fn describe_probe_result(finding: &ProbeResult) -> String {
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

/// What a level or mechanism is for.
fn probe_purpose(what: Requirement) -> &'static str {
    match what {
        Requirement::Level(Level::Off) => "all player processes are killed",
        Requirement::Level(Level::Basic) => "no outside files, no network, no other processes",
        Requirement::Level(Level::Strict) => "an isolated system for each player",
        Requirement::Mechanism(mechanism) => match mechanism {
            Mechanism::Subreaper => "no process outlives its game",
            Mechanism::Rlimits => "open files, file size, core dumps",
            Mechanism::Landlock => "files, signals, TCP",
            Mechanism::Seccomp => "system calls",
            Mechanism::User => "a separate user for each player",
            Mechanism::Mounts => "size of the scratch folder, /dev/shm, hidden files",
            Mechanism::Namespaces => "files, processes, network, IPC",
            Mechanism::Memory => "memory of all processes together",
            Mechanism::Processes => "total number of processes and threads",
            Mechanism::Cpu => "CPU time that cannot be hidden",
            Mechanism::Freeze => "all processes stopped at once",
            Mechanism::Kill => "all processes killed at once",
        },
    }
}

/// What `asker` can do if a level or mechanism does not work.
fn probe_advice(what: Requirement, why: &Unavailable, asker: ProbeAsker) -> &'static str {
    match what {
        Requirement::Level(Level::Off) => "report this; nothing can be played",
        Requirement::Level(Level::Basic) => {
            "see the rows below; Linux 5.13 or later with Landlock has all of it"
        }
        Requirement::Level(Level::Strict) => "see the `namespaces` row below",
        Requirement::Mechanism(mechanism) => match mechanism {
            Mechanism::Subreaper | Mechanism::Rlimits => "report this",
            Mechanism::Landlock => {
                "use Linux 5.13 or later, with `landlock` in the boot parameter `lsm=`"
            }
            Mechanism::Seccomp => {
                "use a kernel with CONFIG_SECCOMP_FILTER; in a container allow seccomp"
            }
            Mechanism::User => "not needed: `strict` has a user namespace instead",
            Mechanism::Mounts | Mechanism::Namespaces => {
                "as root, run `sysctl user.max_user_namespaces=10000`; on Ubuntu 23.10 or later, add \
                 an AppArmor profile with `userns`; in a container, use `--security-opt \
                 seccomp=unconfined` and `--security-opt systempaths=unconfined`"
            }
            Mechanism::Memory
            | Mechanism::Processes
            | Mechanism::Cpu
            | Mechanism::Freeze
            | Mechanism::Kill => probe_advice_on_cgroups(why, asker),
        },
    }
}

fn probe_advice_on_cgroups(why: &Unavailable, asker: ProbeAsker) -> &'static str {
    match (why, asker) {
        (Unavailable::Scope(ScopeError::NoUserManager { .. }), _) => {
            "log in as this user instead of using `su`; for services and cron, as root, `loginctl \
             enable-linger USER`"
        }
        (Unavailable::Scope(ScopeError::Refused(_)), _) => {
            "fix the problem that systemd reports; `journalctl -b` shows more"
        }
        (Unavailable::NotPassedOn { file: "cgroup.kill", .. }, _) => "use Linux 5.14 or later",
        (Unavailable::NotPassedOn { .. }, ProbeAsker::User) => {
            "as root, `systemctl edit user@.service` with `[Service]` and `Delegate=cpu memory \
             pids`; then log in again"
        }
        (_, ProbeAsker::User) => {
            "use a machine with systemd and control groups v2, or have root `chown` a group to you \
             and start the referee in it"
        }
        (_, ProbeAsker::Root) => "in a container, `--privileged`",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_fits_who_asks() {
        let pids = Requirement::Mechanism(Mechanism::Processes);
        let missing = Unavailable::NotPassedOn { dir: "/sys/fs/cgroup/x".into(), file: "pids.max" };
        assert!(
            probe_advice(pids, &missing, ProbeAsker::User).contains("systemctl edit user@.service")
        );
        for why in [missing, Unavailable::NoController] {
            assert!(
                !probe_advice(pids, &why, ProbeAsker::Root).contains("root"),
                "it is root already"
            );
        }
        let no_manager = Unavailable::Scope(ScopeError::NoUserManager { user: 1000 });
        assert!(
            probe_advice(pids, &no_manager, ProbeAsker::User).contains("loginctl enable-linger")
        );
    }

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
            describe_probe_result(&finding),
            format!(
                "landlock     does not hold  files\n{indent}why: not there\n{indent}do: get it"
            )
        );
    }
}
