//! The policy for sandboxed processes.

#[cfg(target_os = "linux")]
use std::path::PathBuf;

#[cfg(target_os = "linux")]
use crate::containment_request::Network;
use crate::containment_request::Request;
use crate::error::Unavailable;
use crate::level::{Level, Mechanism, Requirement};
use crate::resource_limits::Limits;

/// The policy for processes: the level, the mechanisms in force, and the limits.
/// [`resolve`](crate::resolve) makes one.
///
/// It owns the control groups that contain the groups of its processes, and a process that starts
/// their supervisors. Dropping it removes both.
#[derive(Debug)]
pub struct Policy {
    pub(crate) level: Level,
    pub(crate) limits: Limits,
    #[cfg(target_os = "linux")]
    pub(crate) without: Vec<Mechanism>,
    #[cfg(target_os = "linux")]
    pub(crate) hidden: Vec<PathBuf>,
    #[cfg(target_os = "linux")]
    pub(crate) network: Network,
    pub(crate) missing: Vec<NotInForce>,
    #[cfg(target_os = "linux")]
    pub(crate) cgroups: crate::cgroup::ParentCgroups,
    #[cfg(target_os = "linux")]
    pub(crate) users: Option<crate::sandbox_users::SandboxUsers>,
    #[cfg(target_os = "linux")]
    pub(crate) launcher: crate::launcher::SupervisorLauncher,
}

/// A level or mechanism that is not in force, and why.
#[derive(Debug)]
pub struct NotInForce {
    /// The level or mechanism.
    pub what: Requirement,
    pub(crate) why: Unavailable,
}

impl Policy {
    /// The policy without containment: a process may do anything that the caller may. It and its
    /// descendants are still killed at the end.
    pub fn off() -> Self {
        Self::at_untested_level(Level::Off, &Request::default())
    }

    /// The level in force.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Whether the level contains processes at all.
    pub fn contains_processes(&self) -> bool {
        self.level > Level::Off
    }

    /// The levels and mechanisms that were tried but are not in force.
    pub fn missing(&self) -> &[NotInForce] {
        &self.missing
    }

    /// Whether processes can share memory by name, as in `/dev/shm`.
    pub fn has_shared_memory(&self) -> bool {
        let mounted = [Mechanism::Mounts, Mechanism::Namespaces];
        !self.contains_processes()
            || self.mechanisms_in_force().iter().any(|one| mounted.contains(one))
    }

    /// Whether processes are other users that reach their files by the paths of this machine, so that
    /// every folder above must let all users pass.
    pub fn needs_passage(&self) -> bool {
        self.mechanisms_in_force().contains(&Mechanism::User) && !self.has_shared_memory()
    }

    /// Whether the requirement is in force.
    pub(crate) fn meets(&self, requirement: Requirement) -> bool {
        let in_force = self.mechanisms_in_force();
        match requirement {
            Requirement::Level(level) => self.level >= level,
            // Namespaces include mounts.
            Requirement::Mechanism(Mechanism::Mounts)
                if in_force.contains(&Mechanism::Namespaces) =>
            {
                true
            }
            Requirement::Mechanism(one) => in_force.contains(&one),
        }
    }

    /// Removes and returns the reason why `what` is missing, if it is known.
    pub(crate) fn take_reason(&mut self, what: Requirement) -> Option<Unavailable> {
        let at = self.missing.iter().position(|missing| missing.what == what)?;
        Some(self.missing.swap_remove(at).why)
    }
}

#[cfg(target_os = "linux")]
mod platform {
    use nix::unistd::geteuid;

    use super::{NotInForce, Policy};
    use crate::cgroup::{GIVEN, ParentCgroups};
    use crate::containment_request::{Network, Request};
    use crate::error::Unavailable;
    use crate::launcher::SupervisorLauncher;
    use crate::level::Requirement;
    use crate::level::{Level, Mechanism};
    use crate::paths::real_path;
    use crate::sandbox_users::SandboxUsers;
    use crate::systemd;

    /// What control groups may give, with the launcher that starts processes in them.
    struct Grouped {
        cgroups: ParentCgroups,
        launcher: SupervisorLauncher,
        missing: Vec<(Mechanism, Unavailable)>,
    }

    /// Finds the control groups for processes: in a group from systemd, or else in the caller's.
    fn find_policy_cgroups(without: &[Mechanism]) -> Grouped {
        let wanted = GIVEN.iter().any(|one| !without.contains(one));
        let scope =
            (wanted && systemd::can_make_systemd_scope()).then(SupervisorLauncher::in_new_scope);
        let own = SupervisorLauncher::default();
        let (launcher, (cgroups, missing)) = match scope {
            None => (own, ParentCgroups::create_in_hierarchies(without, None)),
            Some(Ok(launcher)) => {
                let found = ParentCgroups::create_in_hierarchies(without, launcher.pid());
                (launcher, found)
            }
            // Root could use the group of its unit, but systemd would end the unit with a player.
            Some(Err(why)) if geteuid().is_root() => {
                (own, ParentCgroups::all_missing(without, &why))
            }
            Some(Err(why)) => {
                let (cgroups, mut missing) = ParentCgroups::create_in_hierarchies(without, None);
                for (_, reason) in &mut missing {
                    *reason = why.clone().into();
                }
                (own, (cgroups, missing))
            }
        };
        Grouped { cgroups, launcher, missing }
    }

    impl Policy {
        /// The policy at this level, before anybody has tested it here.
        pub(crate) fn at_untested_level(level: Level, request: &Request) -> Self {
            let grouped = match level {
                Level::Off => Grouped {
                    cgroups: ParentCgroups::default(),
                    launcher: SupervisorLauncher::default(),
                    missing: Vec::new(),
                },
                _ => find_policy_cgroups(&request.without),
            };
            let users = (level > Level::Off && !request.without.contains(&Mechanism::User))
                .then(SandboxUsers::of_this_process)
                .flatten();
            let missing = grouped
                .missing
                .into_iter()
                .map(|(one, why)| NotInForce { what: Requirement::Mechanism(one), why });
            Self {
                level,
                limits: request.limits,
                without: request.without.clone(),
                hidden: request.hidden.iter().map(|path| real_path(path)).collect(),
                network: Network::Closed,
                missing: missing.collect(),
                cgroups: grouped.cgroups,
                users,
                launcher: grouped.launcher,
            }
        }

        /// Lets processes use the network, if the caller asks for that.
        pub(crate) fn allow_network(&mut self, network: Network) {
            let has_own = self.has(Mechanism::Namespaces);
            let is_without = network == Network::Loopback && !has_own;
            self.network = if is_without { Network::Closed } else { network };
        }

        /// Whether `mechanism` is part of the level and not left out.
        pub(crate) fn has(&self, mechanism: Mechanism) -> bool {
            self.level.has(mechanism, &self.without)
        }

        /// The mechanisms in force, in the order of [`Mechanism::ALL`].
        pub fn mechanisms_in_force(&self) -> Vec<Mechanism> {
            let has_mounts = self.has(Mechanism::Mounts) || self.has(Mechanism::Namespaces);
            let of_level = Mechanism::ALL.into_iter().filter(|&one| match one {
                Mechanism::Subreaper
                | Mechanism::Rlimits
                | Mechanism::Landlock
                | Mechanism::Seccomp
                | Mechanism::Namespaces => self.has(one),
                Mechanism::User => self.users.is_some(),
                Mechanism::Mounts => self.has(one) && !self.has(Mechanism::Namespaces),
                // With its own user or user namespace, the kernel also limits a process's
                // descendants.
                Mechanism::Processes => self.users.is_some() || has_mounts,
                _ => false,
            });
            let mut all: Vec<Mechanism> = of_level.chain(self.cgroups.provides()).collect();
            all.retain(|one| !self.without.contains(one));
            all.sort_unstable();
            all.dedup();
            all
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use super::Policy;
    use crate::containment_request::{Network, Request};
    use crate::level::{Level, Mechanism};

    impl Policy {
        /// The policy at this level. Only [`Level::Off`] works here.
        pub(crate) fn at_untested_level(level: Level, request: &Request) -> Self {
            Self { level, limits: request.limits, missing: Vec::new() }
        }

        /// Does nothing: processes may use the network here.
        pub(crate) fn allow_network(&mut self, _: Network) {}

        /// The mechanisms in force: none here.
        pub fn mechanisms_in_force(&self) -> Vec<Mechanism> {
            Vec::new()
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::cgroup::ParentCgroups;
    use crate::launcher::SupervisorLauncher;

    /// A policy as another machine might give it, without control groups and not as root.
    fn policy(level: Level, without: &[Mechanism]) -> Policy {
        Policy {
            level,
            limits: Limits::default(),
            without: without.to_vec(),
            hidden: Vec::new(),
            network: Network::Closed,
            missing: Vec::new(),
            cgroups: ParentCgroups::default(),
            users: None,
            launcher: SupervisorLauncher::default(),
        }
    }

    fn names(policy: &Policy) -> Vec<&'static str> {
        policy.mechanisms_in_force().into_iter().map(Mechanism::name).collect()
    }

    #[test]
    fn without_containment_only_descendants_are_found() {
        let off = Policy::off();
        assert_eq!(
            (off.level(), off.contains_processes(), names(&off)),
            (Level::Off, false, vec!["subreaper"])
        );
        assert!(off.missing().is_empty() && off.has_shared_memory());
    }

    #[test]
    fn a_level_puts_its_mechanisms_in_force() {
        let common = ["subreaper", "rlimits", "landlock", "seccomp"];
        let basic = [&common[..], &["mounts", "processes"]].concat();
        assert_eq!(names(&policy(Level::Basic, &[])), basic);
        let strict = [&common[..], &["namespaces", "processes"]].concat();
        assert_eq!(names(&policy(Level::Strict, &[])), strict);
    }

    #[test]
    fn mechanisms_that_need_a_left_out_one_are_not_in_force() {
        let basic = policy(Level::Basic, &[Mechanism::Mounts, Mechanism::Seccomp]);
        assert_eq!(names(&basic), ["subreaper", "rlimits", "landlock"]);
        assert!(!basic.has_shared_memory(), "nothing is mounted");
        let strict = policy(Level::Strict, &[Mechanism::Namespaces]);
        assert!(names(&strict).contains(&"mounts"), "its mounts stay: {:?}", names(&strict));
    }

    #[test]
    fn a_requirement_is_met_by_what_is_at_least_as_strong() {
        let meets = |level, requirement| policy(level, &[]).meets(requirement);
        let level = Requirement::Level;
        assert!(meets(Level::Strict, level(Level::Basic)));
        assert!(meets(Level::Basic, level(Level::Basic)));
        assert!(!meets(Level::Basic, level(Level::Strict)));
        let mounts = Requirement::Mechanism(Mechanism::Mounts);
        assert!(meets(Level::Strict, mounts), "namespaces include them");
        assert!(meets(Level::Basic, mounts) && !meets(Level::Off, mounts));
        assert!(!meets(Level::Strict, Requirement::Mechanism(Mechanism::Memory)));
    }

    #[test]
    fn the_reason_for_what_is_missing_is_given_once() {
        let mut policy = policy(Level::Basic, &[]);
        let what = Requirement::Mechanism(Mechanism::Memory);
        policy.missing.push(NotInForce { what, why: Unavailable::NoController });
        assert!(policy.take_reason(Requirement::Level(Level::Strict)).is_none());
        assert!(matches!(policy.take_reason(what), Some(Unavailable::NoController)));
        assert!(policy.take_reason(what).is_none() && policy.missing().is_empty());
    }
}
