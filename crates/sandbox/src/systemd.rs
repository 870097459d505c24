//! A delegated control group from systemd.
//!
//! A group of version 2 that has processes cannot pass controllers on, and a group inside an
//! ordinary unit belongs to that unit: systemd takes the kernel's kill of a player in it for a
//! failure of the unit, and ends it. So the players' groups lie in a *scope*, a unit for processes
//! that systemd did not start. The launcher is the only process in it. The caller stays where it
//! is, so its own unit still finds and stops it; when it is gone, the launcher and the supervisors
//! end, and systemd removes the empty scope.
//!
//! `systemd-run` asks for the scope over D-Bus, moves itself there, waits for it, and executes the
//! launcher in its place.

use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::unistd::geteuid;

use crate::command::THIS_PROGRAM;
use crate::error::ScopeError;

/// Exists where systemd is in charge.
const BOOTED: &str = "/run/systemd/system";

/// Whether systemd manages a hierarchy of version 2 in which it can make scopes.
pub(crate) fn can_make_systemd_scope() -> bool {
    Path::new(BOOTED).is_dir() && own_systemd_group().is_some()
}

/// The group of this process in the hierarchy of version 2.
fn own_systemd_group() -> Option<String> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().find_map(|line| line.strip_prefix("0::")).map(str::to_owned)
}

/// A command that executes this program in a new scope. Its standard output is the program, which
/// should close it.
pub(crate) fn systemd_scope_command() -> Result<Command, ScopeError> {
    let mut command = Command::new("systemd-run");
    command.args(["--scope", "--quiet", "--collect", "--no-ask-password"]);
    let user = geteuid();
    if user.is_root() {
        // The limits on the slice of the caller's unit hold for the players as well.
        command.args([
            "--system",
            "--slice",
            systemd_slice_of(&own_systemd_group().unwrap_or_default()),
        ]);
    } else {
        let runtime = PathBuf::from(format!("/run/user/{user}"));
        let bus = runtime.join("bus");
        if !bus.exists() {
            return Err(ScopeError::NoUserManager { user: user.as_raw() });
        }
        // Under `su`, `sudo` and cron, the environment does not name them, or names another user's.
        command
            .arg("--user")
            .env("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={}", bus.display()))
            .env("XDG_RUNTIME_DIR", runtime);
    }
    for property in ["Delegate=yes", "TasksMax=infinity"] {
        command.args(["--property", property]);
    }
    command.args(["--description", "Players run by the referee", "--"]);
    let failed = |error: std::io::Error| ScopeError::Refused(error.to_string());
    // The path of this program may lead to a newer version by now, and `systemd-run` cannot use
    // `/proc/self/exe`. It passes its descriptors on.
    let path_only = nix::fcntl::OFlag::O_PATH.bits();
    let program = File::options().read(true).custom_flags(path_only).open(THIS_PROGRAM);
    command.arg("/proc/self/fd/1").stdout(Stdio::from(program.map_err(failed)?));
    Ok(command)
}

/// The slice of the system manager that the group `own` is in.
fn systemd_slice_of(own: &str) -> &str {
    let is_slice = |part: &&str| part.rsplit_once('.').is_some_and(|(_, kind)| kind == "slice");
    own.split('/').skip(1).take_while(is_slice).last().unwrap_or("system.slice")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scope_lies_in_the_slice_of_its_caller() {
        for (own, slice) in [
            ("/system.slice/league.service", "system.slice"),
            ("/user.slice/user-1000.slice/session-3.scope", "user-1000.slice"),
            ("/user.slice/user-7.slice/user@7.service/app.slice/x.scope", "user-7.slice"),
            ("/init.scope", "system.slice"),
            ("/", "system.slice"),
        ] {
            assert_eq!(systemd_slice_of(own), slice, "{own}");
        }
    }
}
