//! What this machine can enforce, tried out mechanism by mechanism.

use serde::Serialize;

use super::{Lack, Level, Mechanism, Policy, Wish};

/// What became of trying one level or mechanism.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The level or the mechanism.
    pub name: &'static str,
    /// What it is for.
    pub purpose: &'static str,
    /// It was put in force, and did what it is for.
    pub holds: bool,
    /// Why it does not hold.
    pub why: Option<String>,
    /// What to do about that.
    pub advice: Option<&'static str>,
}

/// Tries every level and every mechanism.
pub fn probe() -> Vec<Finding> {
    let levels = Level::ALL.into_iter().map(|level| {
        let tried = tried(Policy::at_best(level, &Wish::default()).map(|best| best.map(drop)));
        finding(level.name(), level_purpose(level), tried, level_advice(level))
    });
    let mechanisms = Mechanism::ALL
        .into_iter()
        .map(|one| finding(one.name(), purpose(one), attempt(one), advice(one)));
    levels.chain(mechanisms).collect()
}

fn tried(trial: Result<Result<(), String>, Lack>) -> Result<(), String> {
    trial.unwrap_or_else(|lack| Err(lack.to_string()))
}

fn finding(
    name: &'static str,
    purpose: &'static str,
    tried: Result<(), String>,
    advice: &'static str,
) -> Finding {
    let why = tried.err();
    Finding { name, purpose, holds: why.is_none(), advice: why.is_some().then_some(advice), why }
}

/// The weakest policy with this mechanism in force.
#[cfg(target_os = "linux")]
fn alone(one: Mechanism) -> Policy {
    let level = match one {
        Mechanism::Subreaper => Level::Off,
        Mechanism::Namespaces => Level::Strict,
        _ => Level::Basic,
    };
    // Whose mounts they are depends on whether the player is a user of its own.
    let needed = |other| other == one || one == Mechanism::Mounts && other == Mechanism::User;
    let without = Mechanism::ALL.into_iter().filter(|&other| !needed(other)).collect();
    Policy::at(level, &Wish { without, limits: super::trial::PROBED, ..Wish::default() })
}

#[cfg(target_os = "linux")]
fn attempt(one: Mechanism) -> Result<(), String> {
    use super::{cgroup, held};
    let policy = alone(one);
    if !policy.in_force().contains(&one) {
        let reason = policy.reason(one).unwrap_or(match one {
            Mechanism::User => "the referee is not root, and players run as its own user",
            _ => "it cannot be had alone",
        });
        return Err(reason.to_owned());
    }
    if cgroup::GIVEN.contains(&one) {
        held::try_group(&policy, one)
    } else {
        tried(policy.try_out())
    }
}

#[cfg(not(target_os = "linux"))]
fn attempt(_: Mechanism) -> Result<(), String> {
    Err("players are contained on Linux alone".to_owned())
}

fn level_purpose(level: Level) -> &'static str {
    match level {
        Level::Off => "players are killed to the last process",
        Level::Basic => "no foreign files, no network, no other processes",
        Level::Strict => "a system of its own for each player",
    }
}

fn level_advice(level: Level) -> &'static str {
    match level {
        Level::Off => "report this; nothing can be played",
        Level::Basic => "see the rows below; a kernel from 5.13 on with Landlock has all of it",
        Level::Strict => "see the row `namespaces` below",
    }
}

fn purpose(one: Mechanism) -> &'static str {
    match one {
        Mechanism::Subreaper => "no process outlives its game",
        Mechanism::Rlimits => "open files, file size, core dumps",
        Mechanism::Landlock => "files, signals, TCP",
        Mechanism::Seccomp => "system calls",
        Mechanism::User => "a user of the player's own",
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
            "use a kernel from 5.13 on, with `landlock` in the boot parameter `lsm=`"
        }
        Mechanism::Seccomp => {
            "use a kernel with CONFIG_SECCOMP_FILTER; in a container allow seccomp"
        }
        Mechanism::User => "nothing is needed: `strict` has a user namespace instead",
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
