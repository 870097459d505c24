//! Connects the sandbox to the referee: turns its limits and errors into faults, records and
//! messages.

use referee_sandbox::{
    Mechanism, Pipes, Policy, Request, ResolveError, Resource, SandboxedProcess, Shortage,
    SpawnError,
};

use super::PlayerLaunch;
use referee_games::GameError;
use referee_protocol::reply_error_excerpt;
use referee_record::model::containment::{Containment, ContainmentRequest, PlayerLimits};
use referee_record::model::fault::{Fault, FaultCode};

/// The containment of all players in a run, decided once before the first game.
#[derive(Debug)]
pub struct PlayerSandbox {
    policy: Policy,
    limits: PlayerLimits,
}

/// The reason why a player was not started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotStarted {
    /// The player is at fault.
    #[error("{}", .0.message)]
    Fault(Fault),
    /// The machine lacks resources. No player is at fault.
    #[error("{}", describe_sandbox_shortage(.0))]
    Shortage(#[from] Shortage),
    /// The rules program of a built-in player failed. No player is at fault.
    #[error(transparent)]
    Game(GameError),
}

impl PlayerSandbox {
    /// No containment: players are only killed at the end.
    pub fn off() -> Self {
        Self { policy: Policy::off(), limits: PlayerLimits::default() }
    }

    /// Detects what works on this machine, and combines it with `request`.
    pub fn resolve(request: &ContainmentRequest) -> Result<Self, ResolveError> {
        let ContainmentRequest { level, require, limits, without, hidden } = request.clone();
        let request = Request {
            level,
            require,
            limits: limits.sandbox,
            without,
            hidden,
            ..Request::default()
        };
        Ok(Self { policy: referee_sandbox::resolve(&request)?, limits })
    }

    /// The resource limits of a player.
    pub(crate) fn limits(&self) -> &PlayerLimits {
        &self.limits
    }

    /// The mechanisms in force.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The containment as recorded in the header of the log.
    pub fn record(&self) -> Containment {
        let (level, in_force) = (self.policy.level(), self.policy.mechanisms_in_force());
        Containment { level, in_force, limits: self.limits }
    }

    /// A description in one line: what is in force, and what is not.
    pub fn summary(&self) -> String {
        let names =
            self.policy.mechanisms_in_force().into_iter().map(Mechanism::name).collect::<Vec<_>>();
        let text = format!("containment: {} ({})", self.policy.level(), names.join(", "));
        let missing: Vec<&str> =
            self.policy.missing().iter().map(|missing| missing.what.name()).collect();
        match missing[..] {
            [] => text,
            _ => format!("{text}; not in force: {}; see `referee probe`", missing.join(", ")),
        }
    }

    /// Starts a player.
    pub(super) async fn spawn(
        &self,
        launch: &PlayerLaunch,
    ) -> Result<(SandboxedProcess, Pipes), NotStarted> {
        SandboxedProcess::spawn(&launch.command, &self.policy).await.map_err(NotStarted::from)
    }
}

impl From<SpawnError> for NotStarted {
    fn from(error: SpawnError) -> Self {
        let message = error.to_string();
        let fault = match error {
            SpawnError::Shortage(shortage) => return Self::Shortage(shortage),
            SpawnError::Program { denied_to: Some(user), .. } => Fault::new(
                FaultCode::NoStart,
                format!(
                    "{message}; the player runs as a separate user ({user}), who must be able to \
                     read it: run `chmod -R go+rX` on its folder, or run the referee as an \
                     ordinary user"
                ),
            ),
            SpawnError::Program { interpreter: Some(named), .. } => Fault::new(
                FaultCode::NoStart,
                format!("{message}; {}", missing_sandbox_interpreter_hint(&named)),
            ),
            SpawnError::Program { .. } | SpawnError::Replaced { .. } => {
                Fault::new(FaultCode::NoStart, message)
            }
            SpawnError::Sandbox { .. }
            | SpawnError::Supervisor(_)
            | SpawnError::SupervisorEnded => Fault::new(FaultCode::Containment, message),
        };
        Self::Fault(fault)
    }
}

impl From<Fault> for NotStarted {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// What to do about the first line of a script that names this missing interpreter.
fn missing_sandbox_interpreter_hint(named: &[u8]) -> String {
    let shown = reply_error_excerpt(named);
    if named.ends_with(b"\r") {
        return format!(
            "its first line names `{shown}` and has a Windows line ending; save the file with \
             Unix line endings"
        );
    }
    format!(
        "its first line names `{shown}`, which is neither in a system folder nor in the `PATH`; \
         write `#!/usr/bin/env NAME`, or start the file with its interpreter, as in `python3 \
         player.py`"
    )
}

/// The resource that the machine lacks, and how to provide it.
pub fn describe_sandbox_shortage(shortage: &Shortage) -> String {
    let advice = match shortage.resource() {
        Resource::OpenFiles => "play fewer games at once (--jobs), or raise `ulimit -n`",
        Resource::Processes => {
            "play fewer games at once (--jobs), close other programs, or raise `ulimit -u`"
        }
        Resource::Disk => "free some disk space, then run the command again",
        Resource::System => "play fewer games at once (--jobs), or close other programs",
    };
    format!("the referee {shortage}; {advice}")
}

/// Why players cannot be contained as requested, and what to do.
pub fn describe_unresolved_sandbox(error: &ResolveError) -> String {
    match error {
        ResolveError::Shortage(shortage) => describe_sandbox_shortage(shortage),
        ResolveError::Level { level, why } => format!(
            "players cannot be contained at the level `{level}` here: {why}; `referee probe` says \
             how to fix it, or use a weaker level"
        ),
        ResolveError::NoLevel(why) => format!("no player can be started here: {why}"),
        ResolveError::Required { requirement, why } => format!(
            "the configuration requires `{requirement}`, which is not in force: {why}; nothing was \
             played. `referee probe` says how to fix it"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_comes_with_advice() {
        let error = nix::errno::Errno::EMFILE;
        let shortage = Shortage::from_error("start a supervisor", &error).expect("a shortage");
        assert_eq!(
            NotStarted::from(shortage).to_string(),
            "the referee cannot start a supervisor: Too many open files (os error 24); play fewer \
             games at once (--jobs), or raise `ulimit -n`"
        );
    }

    #[test]
    fn a_script_without_its_interpreter_is_told_which() {
        let text = |named: &[u8]| {
            let error = SpawnError::Program {
                program: "/home/x/player.py".into(),
                reason: "No such file or directory (os error 2)".to_owned(),
                denied_to: None,
                interpreter: Some(named.to_vec()),
            };
            NotStarted::from(error).to_string()
        };
        let told = text(b"/usr/local/bin/python3");
        assert!(
            told.contains("`/usr/local/bin/python3`, which is neither in a system folder"),
            "{told}"
        );
        let told = text(b"/usr/bin/python3\r");
        assert!(told.contains("`/usr/bin/python3\\r` and has a Windows line"), "{told}");
    }

    #[test]
    fn unreadable_programs_name_the_user() {
        let error = |denied_to| SpawnError::Program {
            program: "/home/x/player".into(),
            reason: "Permission denied (os error 13)".to_owned(),
            denied_to,
            interpreter: None,
        };
        let text = |denied_to| NotStarted::from(error(denied_to)).to_string();
        let without = "/home/x/player cannot be run: Permission denied (os error 13)";
        assert_eq!(text(None), without);
        assert!(
            text(Some(1_900_000_000))
                .starts_with(&format!("{without}; the player runs as a separate user"))
        );
    }
}
