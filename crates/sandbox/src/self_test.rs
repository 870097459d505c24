//! Tests a policy with a process that tests its own sandbox.

#[cfg(target_os = "linux")]
pub(crate) mod self_test_child;

#[cfg(target_os = "linux")]
pub(crate) use linux::{run_self_test, run_self_test_alone};

/// The most files and folders in the scratch folder of that process.
pub(crate) const TESTED_FILES: u64 = 100;

#[cfg(target_os = "linux")]
mod linux {
    use std::time::Duration;

    use tokio::io::AsyncReadExt;
    use tokio::runtime::{Builder, Runtime};
    use tokio::time::timeout;

    use super::self_test_child::{BURNED, LIMITS, TESTED};
    use crate::cgroup;
    use crate::command::{Command, THIS_PROGRAM};
    use crate::containment_request::Request;
    use crate::error::{Shortage, SpawnError, SupervisorGone, Unavailable};
    use crate::level::Requirement;
    use crate::level::{Level, Mechanism};
    use crate::policy::Policy;
    use crate::process_pipes::Pipes;
    use crate::sandboxed_process::SandboxedProcess;
    use crate::supervisor_protocol::{SELF_TEST, SUPERVISOR};

    /// The time that the process gets to start, and to end. Only a process that hangs needs it: on
    /// a busy machine an honest one may take many seconds.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// Starts a process that only tests its sandbox. Fails if it cannot be started or if a
    /// mechanism does not work.
    pub(crate) fn run_self_test(policy: &Policy) -> Result<(), Unavailable> {
        self_test_runtime()?.block_on(async {
            let (mut process, mut pipes) = start_self_test(policy, None).await?;
            let mut report = String::new();
            let read = async {
                let _ = pipes.stdout.read_to_string(&mut report).await;
                process.wait().await
            };
            let status = timeout(PATIENCE, read).await;
            process.kill().await;
            match status {
                Ok(Ok(status)) if status.success() => judge_self_test(policy, &report),
                Ok(Ok(status)) => Err(Unavailable::Untested(format!("ended with {status}"))),
                Ok(Err(SupervisorGone)) => Err(self_test_failed("lost its supervisor")),
                Err(_) => Err(self_test_failed("did not end in time")),
            }
        })
    }

    /// Puts `mechanism` in force with as few others as possible, and tests it.
    pub(crate) fn run_self_test_alone(mechanism: Mechanism) -> Result<(), Unavailable> {
        let mut policy = policy_for_self_test(mechanism);
        if !policy.mechanisms_in_force().contains(&mechanism) {
            let known = policy.take_reason(Requirement::Mechanism(mechanism));
            return Err(known.unwrap_or(match mechanism {
                Mechanism::User => Unavailable::NotRoot,
                _ => Unavailable::NotAlone,
            }));
        }
        if cgroup::GIVEN.contains(&mechanism) {
            run_self_test_into_limit(&policy, mechanism)
        } else {
            run_self_test(&policy)
        }
    }

    /// The weakest policy with this mechanism in force.
    fn policy_for_self_test(mechanism: Mechanism) -> Policy {
        let level = match mechanism {
            Mechanism::Subreaper => Level::Off,
            Mechanism::Namespaces => Level::Strict,
            _ => Level::Basic,
        };
        // The mounts belong to a different user if the process has a user of its own.
        let needed = |other| {
            other == mechanism || mechanism == Mechanism::Mounts && other == Mechanism::User
        };
        let without = Mechanism::ALL.into_iter().filter(|&other| !needed(other)).collect();
        Policy::at_untested_level(level, &Request { without, limits: LIMITS, ..Request::default() })
    }

    /// Starts a process that exceeds a control group's limit. Fails if the group does not react.
    fn run_self_test_into_limit(policy: &Policy, mechanism: Mechanism) -> Result<(), Unavailable> {
        self_test_runtime()?.block_on(async {
            let (mut process, mut pipes) = start_self_test(policy, Some(mechanism)).await?;
            let seen =
                timeout(PATIENCE, self_test_shows(&mut process, &mut pipes, mechanism)).await;
            drop(pipes);
            process.kill().await;
            if seen == Ok(true) { Ok(()) } else { Err(Unavailable::Ineffective(mechanism)) }
        })
    }

    fn self_test_runtime() -> Result<Runtime, Unavailable> {
        Builder::new_current_thread().enable_all().build().map_err(|error| {
            match Shortage::from_error("start a process", &error) {
                Some(shortage) => SpawnError::from(shortage).into(),
                None => Unavailable::Untested(format!("cannot be started: {error}")),
            }
        })
    }

    async fn start_self_test(
        policy: &Policy,
        limit: Option<Mechanism>,
    ) -> Result<(SandboxedProcess, Pipes), Unavailable> {
        let words = [SUPERVISOR, SELF_TEST].into_iter().chain(limit.map(Mechanism::name));
        let args = words.map(str::to_owned).collect();
        let command = Command { args, ..Command::new(THIS_PROGRAM) };
        let started = timeout(PATIENCE, SandboxedProcess::spawn(&command, policy)).await;
        Ok(started.map_err(|_| self_test_failed("did not start in time"))??)
    }

    fn self_test_failed(why: &str) -> Unavailable {
        Unavailable::Untested(why.to_owned())
    }

    /// Fails with the first mechanism in force that the process did not report as working.
    fn judge_self_test(policy: &Policy, report: &str) -> Result<(), Unavailable> {
        let holding: Vec<Mechanism> = serde_json::from_str(report)
            .map_err(|error| Unavailable::Untested(format!("gave no report: {error}")))?;
        let mut in_force = policy.mechanisms_in_force().into_iter();
        let broken = in_force.find(|one| TESTED.contains(one) && !holding.contains(one));
        broken.map_or(Ok(()), |one| Err(Unavailable::Ineffective(one)))
    }

    /// Whether the effect of `mechanism` on the process shows.
    async fn self_test_shows(
        process: &mut SandboxedProcess,
        pipes: &mut Pipes,
        mechanism: Mechanism,
    ) -> bool {
        match mechanism {
            Mechanism::Memory => process.wait().await.is_ok() && process.was_killed_for_memory(),
            Mechanism::Processes => {
                process.wait().await.is_ok_and(|status| status.code() == Some(1))
            }
            Mechanism::Cpu => {
                let burned = pipes.stdout.read_u8().await.is_ok();
                // The time of what is running now is counted at the next tick.
                let shown =
                    process.cpu_clock().exact_cpu_time().is_some_and(|used| used >= BURNED / 2);
                burned && shown
            }
            Mechanism::Freeze => process.can_freeze().await,
            // For the others, the process is killed, and the caller sees that.
            _ => true,
        }
    }
}

/// Fails: nothing is contained on this system.
#[cfg(not(target_os = "linux"))]
pub(crate) fn run_self_test(
    policy: &crate::policy::Policy,
) -> Result<(), crate::error::Unavailable> {
    if policy.contains_processes() { Err(crate::error::Unavailable::NotLinux) } else { Ok(()) }
}

/// Fails: nothing is contained on this system.
#[cfg(not(target_os = "linux"))]
pub(crate) fn run_self_test_alone(
    _: crate::level::Mechanism,
) -> Result<(), crate::error::Unavailable> {
    Err(crate::error::Unavailable::NotLinux)
}
