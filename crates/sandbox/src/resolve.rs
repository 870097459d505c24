//! Resolves a request to a policy that works on this machine.

use crate::containment_request::Request;
use crate::error::{ResolveError, Shortage, SpawnError, Unavailable};
use crate::level::{Level, Mechanism, Requirement};
use crate::policy::{NotInForce, Policy};
use crate::self_test::{TESTED_FILES, run_self_test};

/// Finds out what works on this machine and returns the policy that `request` asks for.
///
/// Each candidate level is tested with a process that tests its own sandbox. If the request names
/// no level, the strongest that works is used, and [`Policy::missing`] says why no stronger one
/// works. At a level above [`Level::Off`], this process also becomes non-dumpable, so that other
/// processes of its user cannot inspect it.
///
/// It blocks for as long as the tests take, at most half a minute per level. Do not call it from an
/// asynchronous task.
pub fn resolve(request: &Request) -> Result<Policy, ResolveError> {
    let mut policy = match request.level {
        Some(level) => {
            resolve_level(level, request)?.map_err(|why| ResolveError::Level { level, why })?
        }
        None => resolve_strongest_level(request)?,
    };
    #[cfg(target_os = "linux")]
    if policy.contains_processes() {
        // Everything also works without it.
        let _ = nix::sys::prctl::set_dumpable(false);
    }
    for &requirement in &request.require {
        if !policy.meets(requirement) {
            let level = policy.level();
            let known = policy.take_reason(requirement);
            let why = known.unwrap_or(Unavailable::NotAtLevel(level));
            return Err(ResolveError::Required { requirement, why });
        }
    }
    Ok(policy)
}

/// The strongest level that works, with the reasons why no stronger one does.
fn resolve_strongest_level(request: &Request) -> Result<Policy, ResolveError> {
    let mut stronger = Vec::new();
    for level in [Level::Strict, Level::Basic] {
        match resolve_level(level, request)? {
            Ok(mut policy) => {
                policy.missing.splice(0..0, stronger);
                return Ok(policy);
            }
            Err(why) => stronger.push(NotInForce { what: Requirement::Level(level), why }),
        }
    }
    let mut policy = resolve_level(Level::Off, request)?.map_err(ResolveError::NoLevel)?;
    policy.missing.splice(0..0, stronger);
    Ok(policy)
}

/// This level, if it works here. `basic` can also work without its own mounts. Polling then
/// replaces some of what they do, and the rest is missing.
pub(crate) fn resolve_level(
    level: Level,
    request: &Request,
) -> Result<Result<Policy, Unavailable>, Shortage> {
    let why = match resolve_exact_level(level, request)? {
        Err(why) if level == Level::Basic && !request.without.contains(&Mechanism::Mounts) => why,
        tried => return Ok(tried),
    };
    let without = request.without.iter().copied().chain([Mechanism::Mounts]).collect();
    let mut tried = resolve_exact_level(level, &Request { without, ..request.clone() })?;
    if let Ok(policy) = &mut tried {
        policy.missing.push(NotInForce { what: Requirement::Mechanism(Mechanism::Mounts), why });
    }
    Ok(tried)
}

/// This level exactly as requested, if it works here.
fn resolve_exact_level(
    level: Level,
    request: &Request,
) -> Result<Result<Policy, Unavailable>, Shortage> {
    let mut policy = Policy::at_untested_level(level, request);
    // By this number, the tested process knows the file system of its scratch folder.
    let files = std::mem::replace(&mut policy.limits.files, TESTED_FILES);
    let tested = run_self_test(&policy);
    policy.limits.files = files;
    match tested {
        Ok(()) => {
            // Only now, because the test is that the network is closed.
            policy.allow_network(request.network);
            let in_force = policy.mechanisms_in_force();
            policy.missing.retain(|missing| match missing.what {
                Requirement::Mechanism(one) => !in_force.contains(&one),
                Requirement::Level(_) => true,
            });
            Ok(Ok(policy))
        }
        Err(Unavailable::Spawn(SpawnError::Shortage(shortage))) => Err(shortage),
        Err(why) => Ok(Err(why)),
    }
}
