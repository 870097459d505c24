//! What holds for all players of one run, decided once and before the first game.

use std::path::PathBuf;

use super::{Lack, Level, Limits, Mechanism};
use crate::error::Failure;
use crate::model::record::Containment;

/// What a run asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wish {
    /// The level; the strongest that works where none is given.
    pub level: Option<Level>,
    /// What must be in force, or nothing is played.
    pub require: Vec<Requirement>,
    /// How much a player may use.
    pub limits: Limits,
    /// What is left out, by a test.
    pub without: Vec<Mechanism>,
    /// What no player may see although it lies in its folder; real paths.
    pub hidden: Vec<PathBuf>,
}

/// Something that must be in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// This level or a stronger one.
    Level(Level),
    /// This mechanism.
    Mechanism(Mechanism),
}

impl Requirement {
    /// The requirement called `name`.
    pub fn named(name: &str) -> Option<Self> {
        let level = Level::ALL.into_iter().find(|level| level.name() == name);
        let mechanism = Mechanism::ALL.into_iter().find(|mechanism| mechanism.name() == name);
        level.map(Self::Level).or(mechanism.map(Self::Mechanism))
    }

    /// What there is to require.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let levels = [Level::Basic, Level::Strict].map(Level::name);
        levels.into_iter().chain(Mechanism::ALL.map(Mechanism::name))
    }
}

/// What holds for all players of one run.
#[derive(Debug)]
pub struct Policy {
    pub(super) level: Level,
    pub(super) limits: Limits,
    #[cfg(target_os = "linux")]
    pub(super) without: Vec<Mechanism>,
    #[cfg(target_os = "linux")]
    pub(super) hidden: Vec<PathBuf>,
    missing: Vec<(String, String)>,
    #[cfg(target_os = "linux")]
    pub(super) places: super::cgroup::Places,
    #[cfg(target_os = "linux")]
    pub(super) users: Option<super::users::Users>,
}

impl Policy {
    /// Nothing is contained: players may do what the referee may, and are killed in the end.
    pub fn off() -> Self {
        Self::at(Level::Off, &Wish::default())
    }

    /// Finds out what works here and puts together what `wish` asks for; an error says what is
    /// missing.
    pub fn settle(wish: &Wish) -> Result<Self, Failure> {
        let mut weaker = Vec::new();
        let asked =
            wish.level.map_or(vec![Level::Strict, Level::Basic, Level::Off], |one| vec![one]);
        let mut settled = None;
        for level in asked {
            match Self::at_best(level, wish)? {
                Ok(policy) => {
                    settled = Some(policy);
                    break;
                }
                Err(reason) if wish.level.is_some() => {
                    return Err(Failure::system(format!(
                        "players cannot be contained at the level `{level}` here: {reason}; \
                         `referee probe` says what to do about it, a weaker level may do"
                    )));
                }
                Err(reason) => weaker.push((level.name().to_owned(), reason)),
            }
        }
        let mut policy = settled.ok_or_else(|| {
            let reason = weaker.pop().map(|(_, reason)| reason).unwrap_or_default();
            Failure::system(format!("no player can be started here: {reason}"))
        })?;
        let in_force = policy.in_force();
        policy.missing.retain(|(missing, _)| !in_force.iter().any(|one| one.name() == missing));
        policy.missing.splice(0..0, weaker);
        #[cfg(target_os = "linux")]
        if policy.level > Level::Off {
            // No other process of this user may look into the referee. Nothing fails without it.
            let _ = nix::sys::prctl::set_dumpable(false);
        }
        policy.check(&wish.require)?;
        Ok(policy)
    }

    /// This level, if it works here. At `basic` that is with mounts of its own or without them:
    /// what they do is done by looking then, or not at all.
    pub(super) fn at_best(level: Level, wish: &Wish) -> Result<Result<Self, String>, Lack> {
        let best = Self::at(level, wish);
        let Err(reason) = best.try_out()? else { return Ok(Ok(best)) };
        if level != Level::Basic || wish.without.contains(&Mechanism::Mounts) {
            return Ok(Err(reason));
        }
        let without = wish.without.iter().copied().chain([Mechanism::Mounts]).collect();
        let mut plain = Self::at(level, &Wish { without, ..wish.clone() });
        if let Err(reason) = plain.try_out()? {
            return Ok(Err(reason));
        }
        plain.missing.push((Mechanism::Mounts.name().to_owned(), reason));
        Ok(Ok(plain))
    }

    fn check(&self, require: &[Requirement]) -> Result<(), Failure> {
        let in_force = self.in_force();
        for requirement in require {
            let (name, holds) = match requirement {
                Requirement::Level(level) => (level.name(), self.level >= *level),
                Requirement::Mechanism(one) => {
                    // A box has mounts of its own, too.
                    let boxed =
                        *one == Mechanism::Mounts && in_force.contains(&Mechanism::Namespaces);
                    (one.name(), boxed || in_force.contains(one))
                }
            };
            if !holds {
                let known = self.missing.iter().find(|(missing, _)| missing == name);
                let reason = known.map_or_else(
                    || format!("the level `{}` does without it", self.level),
                    |(_, reason)| reason.clone(),
                );
                return Err(Failure::system(format!(
                    "the configuration requires `{name}`, which is not in force: {reason}; \
                     nothing was played. `referee probe` says what to do about it"
                )));
            }
        }
        Ok(())
    }

    /// Why something is not in force, where that is known.
    #[cfg(target_os = "linux")]
    pub(super) fn reason(&self, one: Mechanism) -> Option<&str> {
        let known = self.missing.iter().find(|(missing, _)| missing == one.name());
        known.map(|(_, reason)| reason.as_str())
    }

    /// The level in force.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Players are contained at all.
    pub(crate) fn contains(&self) -> bool {
        self.level > Level::Off
    }

    /// Players have memory that their processes share by names, as in `/dev/shm`.
    pub(crate) fn has_shared_memory(&self) -> bool {
        let mounted = [Mechanism::Mounts, Mechanism::Namespaces];
        !self.contains() || self.in_force().iter().any(|one| mounted.contains(one))
    }

    /// How much a player may use.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What the header of the results says.
    pub fn record(&self) -> Containment {
        Containment { level: self.level, in_force: self.in_force(), limits: self.limits }
    }

    /// One line for people: what is in force, and what is not.
    pub fn in_words(&self) -> String {
        let names = self.in_force().into_iter().map(Mechanism::name).collect::<Vec<_>>();
        let text = format!("containment: {} ({})", self.level, names.join(", "));
        let missing: Vec<&str> = self.missing.iter().map(|(missing, _)| missing.as_str()).collect();
        match missing[..] {
            [] => text,
            _ => format!("{text}; not in force: {}; see `referee probe`", missing.join(", ")),
        }
    }
}

#[cfg(target_os = "linux")]
mod platform {
    use super::super::cgroup::Places;
    use super::super::held;
    use super::super::users::Users;
    use super::{Lack, Level, Mechanism, Policy, Wish};

    impl Policy {
        pub(in crate::containment) fn at(level: Level, wish: &Wish) -> Self {
            let places = match level {
                Level::Off => Places::default(),
                _ => Places::find(&wish.without),
            };
            let users = (level > Level::Off && !wish.without.contains(&Mechanism::User))
                .then(Users::of_this_process)
                .flatten();
            let missing = places
                .reasons
                .iter()
                .map(|(one, reason)| (one.name().to_owned(), reason.clone()))
                .collect();
            Self {
                level,
                limits: wish.limits,
                without: wish.without.clone(),
                hidden: wish.hidden.clone(),
                missing,
                places,
                users,
            }
        }

        /// Starts a player that does nothing, and says what keeps it from its box. What the
        /// referee lacks says nothing about the box.
        pub(in crate::containment) fn try_out(&self) -> Result<Result<(), String>, Lack> {
            held::try_out(self)
        }

        fn has_mounts_alone(&self) -> bool {
            match self.level {
                Level::Off => false,
                Level::Basic => !self.without.contains(&Mechanism::Mounts),
                Level::Strict => {
                    self.without.contains(&Mechanism::Namespaces)
                        && !self.without.contains(&Mechanism::Mounts)
                }
            }
        }

        /// What contains a player now.
        pub fn in_force(&self) -> Vec<Mechanism> {
            let of_level = Mechanism::ALL.into_iter().filter(|one| match one {
                Mechanism::Subreaper => true,
                Mechanism::Rlimits | Mechanism::Landlock | Mechanism::Seccomp => {
                    self.level > Level::Off
                }
                Mechanism::User => self.users.is_some(),
                Mechanism::Namespaces => self.level == Level::Strict,
                Mechanism::Mounts => self.has_mounts_alone(),
                // A user or a user namespace of its own counts processes too.
                Mechanism::Processes => {
                    self.users.is_some() || self.level == Level::Strict || self.has_mounts_alone()
                }
                _ => false,
            });
            let mut all: Vec<Mechanism> = of_level.chain(self.places.gives()).collect();
            all.retain(|one| !self.without.contains(one));
            all.sort_unstable();
            all.dedup();
            all
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use super::{Lack, Level, Mechanism, Policy, Wish};

    impl Policy {
        pub(in crate::containment) fn at(level: Level, wish: &Wish) -> Self {
            Self { level, limits: wish.limits, missing: Vec::new() }
        }

        pub(in crate::containment) fn try_out(&self) -> Result<Result<(), String>, Lack> {
            Ok(match self.level {
                Level::Off => Ok(()),
                _ => Err("players are contained on Linux alone".to_owned()),
            })
        }

        /// What contains a player now.
        pub fn in_force(&self) -> Vec<Mechanism> {
            Vec::new()
        }
    }
}
