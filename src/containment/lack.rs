//! What the machine does not give the referee: no player's fault.

use std::error::Error;
use std::fmt;
use std::io;

use nix::errno::Errno;

use crate::model::fault::Fault;

/// Something that the referee needs to start a player, and that the machine has no more of for it:
/// descriptors, processes or memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// What could not be done.
    what: String,
    errno: Errno,
}

/// Why a player was not started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotStarted {
    /// By its own fault.
    Fault(Fault),
    /// The referee could not start it: nobody's fault.
    Lack(Lack),
}

impl fmt::Display for NotStarted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => f.write_str(&fault.message),
            Self::Lack(lack) => lack.fmt(f),
        }
    }
}

impl Error for NotStarted {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Fault(_) => None,
            Self::Lack(lack) => Some(lack),
        }
    }
}

impl From<Fault> for NotStarted {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Lack> for NotStarted {
    fn from(lack: Lack) -> Self {
        Self::Lack(lack)
    }
}

impl Lack {
    /// The lack that made `what` fail with this error of the system, if it was one.
    pub(crate) fn new(what: &str, error: Option<i32>) -> Option<Self> {
        let errno = Errno::from_raw(error?);
        let is_lack =
            matches!(errno, Errno::EAGAIN | Errno::EMFILE | Errno::ENFILE | Errno::ENOMEM);
        is_lack.then(|| Self { what: what.to_owned(), errno })
    }

    /// The lack that made `what` fail with this error, if it was one.
    pub(crate) fn of(what: &str, error: &(dyn Error + 'static)) -> Option<Self> {
        Self::new(what, number_of(error))
    }

    /// What can be done about it.
    fn advice(&self) -> &'static str {
        match self.errno {
            Errno::EMFILE => "play fewer games at once (--jobs), or raise `ulimit -n`",
            Errno::EAGAIN => {
                "play fewer games at once (--jobs), end other programs, or raise `ulimit -u`"
            }
            _ => "play fewer games at once (--jobs), or end other programs",
        }
    }
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = io::Error::from(self.errno);
        write!(f, "the referee cannot {}: {error}; {}", self.what, self.advice())
    }
}

impl Error for Lack {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.errno)
    }
}

/// The number of the system's error at the bottom of `error`.
pub(super) fn number_of(error: &(dyn Error + 'static)) -> Option<i32> {
    if let Some(errno) = error.downcast_ref::<Errno>() {
        return Some(*errno as i32);
    }
    match error.downcast_ref::<io::Error>() {
        Some(error) => error.raw_os_error().or_else(|| number_of(error.get_ref()?)),
        None => number_of(error.source()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lack_is_told_from_other_errors() {
        let start = |errno: Errno| Lack::of("start a guard", &io::Error::from(errno));
        assert_eq!(
            start(Errno::EMFILE).expect("a lack").to_string(),
            "the referee cannot start a guard: Too many open files (os error 24); play fewer games \
             at once (--jobs), or raise `ulimit -n`"
        );
        for errno in [Errno::EAGAIN, Errno::ENFILE, Errno::ENOMEM] {
            assert!(start(errno).is_some(), "{errno}");
            assert_eq!(Lack::of("start a guard", &errno), start(errno));
            let within = io::Error::other(errno);
            assert_eq!(Lack::of("start a guard", &within), start(errno), "at the bottom");
        }
        for errno in [Errno::ENOENT, Errno::EACCES, Errno::EPERM] {
            assert_eq!(start(errno), None);
        }
        assert_eq!(Lack::of("start a guard", &io::Error::other("no number")), None);
    }
}
