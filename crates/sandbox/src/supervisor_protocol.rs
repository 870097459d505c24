//! The supervisor protocol: JSON lines between caller and supervisor over a socket.
//!
//! The caller sends one [`SupervisorSetup`] together with the process's ends of the pipes. The supervisor
//! sends [`SupervisorMessage`]s. One byte from the caller, or the end of the socket, tells the
//! supervisor to kill everything.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use nix::sys::wait::WaitStatus;
use serde::{Deserialize, Serialize};

use crate::command::THIS_PROGRAM;
use crate::containment_request::Network;
use crate::error::{Resource, Shortage, find_os_error};
use crate::leftovers::Leftovers;
use crate::level::{Level, Mechanism};
use crate::pinned_path::PinnedFolderId;
use crate::resource_limits::{Limits, Overrun};
use crate::visible_paths::VisiblePaths;

/// The first argument that starts the calling program as the launcher of supervisors.
pub(crate) const SUPERVISOR: &str = "__supervisor";

/// The second argument that makes it a process which only tests its sandbox.
pub(crate) const SELF_TEST: &str = "self-test";

/// The maximum length of a setup, in bytes.
pub(crate) const LONGEST: usize = 16 * 1024 * 1024;

/// Everything that a supervisor needs to start its process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SupervisorSetup {
    /// The program, as an absolute path.
    pub(crate) program: PathBuf,
    /// Arguments.
    pub(crate) args: Vec<String>,
    /// Working folder.
    pub(crate) dir: PathBuf,
    /// Its whole environment if it is contained; otherwise additions to the supervisor's.
    pub(crate) env: BTreeMap<String, String>,
    /// How strongly it is contained.
    pub(crate) level: Level,
    /// Mechanisms that are left out.
    pub(crate) without: Vec<Mechanism>,
    /// The user and group that it becomes, if the caller is root.
    pub(crate) user: Option<u32>,
    /// The limits on its resources.
    pub(crate) limits: Limits,
    /// The files of the machine that it may see.
    pub(crate) visible: VisiblePaths,
    /// Which folders lay at these real paths when they were found.
    pub(crate) places: Vec<(PathBuf, PinnedFolderId)>,
    /// Whether it may use the network.
    pub(crate) network: Network,
    /// The helper program, if it is mounted at its own place; a real path.
    pub(crate) helper: Option<PathBuf>,
    /// The folder with the system that it sees, if not that of the machine; a real path.
    pub(crate) root: Option<PathBuf>,
    /// Devices that it may use.
    pub(crate) devices: Vec<PathBuf>,
    /// The scratch folder to create and remove, if it has no file system of its own.
    pub(crate) scratch: Option<PathBuf>,
    /// The control groups to create and remove.
    pub(crate) groups: Vec<SetupCgroup>,
    /// Whether one of the groups can freeze its processes.
    pub(crate) freezer: bool,
    /// Its limit on open files if it is not contained, and if that limit is lower than the
    /// supervisor's.
    pub(crate) open_files: Option<u64>,
}

impl SupervisorSetup {
    /// Whether it runs its caller's own program.
    pub(crate) fn is_this_program(&self) -> bool {
        self.program == std::path::Path::new(THIS_PROGRAM)
    }

    /// Whether `mechanism` is part of the level and not left out.
    pub(crate) fn has(&self, mechanism: Mechanism) -> bool {
        self.level.has(mechanism, &self.without)
    }

    /// Fails if `opened` at this real path is not what lay there when it was found.
    pub(crate) fn check_place(
        &self,
        path: &Path,
        opened: impl AsFd,
    ) -> Result<(), SupervisorSetupError> {
        let Some((_, expected)) = self.places.iter().find(|(place, _)| place == path) else {
            return Ok(());
        };
        let found = PinnedFolderId::from_open(opened).map_err(|error| {
            SupervisorSetupError::setting_up(&path.display().to_string(), &error)
        })?;
        if found == Some(*expected) {
            Ok(())
        } else {
            Err(SupervisorSetupError::folder_replaced(path))
        }
    }

    /// Whether it has its own mounts but no other namespaces.
    pub(crate) fn has_mounts_alone(&self) -> bool {
        self.has(Mechanism::Mounts) && !self.has(Mechanism::Namespaces)
    }

    /// Whether it has its own user namespace, as without root. Root gives it a user instead.
    pub(crate) fn has_user_namespace(&self) -> bool {
        self.user.is_none() && (self.has(Mechanism::Namespaces) || self.has(Mechanism::Mounts))
    }
}

/// A control group to create.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SetupCgroup {
    /// The folder.
    pub(crate) dir: PathBuf,
    /// The names of its files, and the text to write to each.
    pub(crate) set: Vec<(String, String)>,
}

impl SetupCgroup {
    /// Whether it limits the number of processes.
    pub(crate) fn bounds_processes(&self) -> bool {
        self.set.iter().any(|(name, _)| name == "pids.max")
    }

    /// Whether it limits memory.
    pub(crate) fn bounds_memory(&self) -> bool {
        self.set.iter().any(|(name, _)| name == "memory.max" || name == "memory.limit_in_bytes")
    }
}

/// A message from the supervisor to the caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SupervisorMessage {
    /// The command runs.
    Started {
        /// The process that runs it, by its number in the caller's PID namespace.
        leader: i32,
        /// The first process of its PID namespace, if it has one.
        init: Option<i32>,
    },
    /// The command could not be started.
    Failed(SupervisorSetupError),
    /// A limit was exceeded. Sent before the end of the command.
    Exceeded(Overrun),
    /// The command ended; its descendants may live on.
    Exited {
        /// The wait status.
        status: i32,
    },
    /// Everything is killed.
    Gone(Leftovers),
}

/// Why a command could not be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SupervisorSetupError {
    /// The stage that failed.
    pub(crate) stage: StartStage,
    /// The failed step, and the reason.
    pub(crate) message: String,
    /// The number of the system error, if it was one.
    pub(crate) error: Option<i32>,
}

/// The stage at which a start failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StartStage {
    /// The sandbox could not be set up.
    Sandbox,
    /// A folder is not the one that was found before.
    Folder,
    /// The program could not be run in it.
    Program,
}

impl SupervisorSetupError {
    /// A failed setup of the sandbox: `what` failed.
    pub(crate) fn setting_up(what: &str, error: &(dyn Error + 'static)) -> Self {
        let number = find_os_error(error);
        Self { stage: StartStage::Sandbox, message: format!("{what}: {error}"), error: number }
    }

    /// Something else is in the place of this folder.
    pub(crate) fn folder_replaced(folder: &Path) -> Self {
        let message = folder.display().to_string();
        Self { stage: StartStage::Folder, message, error: None }
    }

    /// The shortage that caused it, if it was one that the command did not cause.
    pub(crate) fn shortage(&self) -> Option<Shortage> {
        let ours = match self.stage {
            StartStage::Sandbox => true,
            StartStage::Folder => false,
            // The kernel counts processes at an exec, too. Memory is the program's own business.
            StartStage::Program => self.error == Some(nix::libc::EAGAIN),
        };
        let (what, _) = self.message.split_once(": ").unwrap_or((&self.message, ""));
        let shortage = Shortage::from_raw(&format!("set up {what}"), self.error.filter(|_| ours));
        // The kernel also answers ENOSPC where namespaces are forbidden.
        shortage.filter(|shortage| shortage.resource() != Resource::Disk)
    }
}

/// Writes one message to the caller.
pub(crate) fn send_supervisor_message(
    mut socket: &UnixStream,
    message: &SupervisorMessage,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    socket.write_all(&line)
}

/// The wait status, as the kernel encodes it.
pub(crate) fn encode_wait_status(status: WaitStatus) -> i32 {
    match status {
        WaitStatus::Exited(_, code) => (code & 0xff) << 8,
        WaitStatus::Signaled(_, signal, dumped) => signal as i32 | if dumped { 0x80 } else { 0 },
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use nix::errno::Errno;

    use super::*;

    #[test]
    fn shortages_cannot_be_caused_by_the_command() {
        let failed = |stage, errno: Errno| SupervisorSetupError {
            stage,
            ..SupervisorSetupError::setting_up("its sandbox", &errno)
        };
        for errno in [Errno::EAGAIN, Errno::EMFILE, Errno::ENFILE, Errno::ENOMEM] {
            let shortage =
                failed(StartStage::Sandbox, errno).shortage().expect("a shortage").to_string();
            assert!(shortage.starts_with("cannot set up its sandbox: "), "{shortage}");
            let of_program = failed(StartStage::Program, errno).shortage();
            assert_eq!(of_program.is_some(), errno == Errno::EAGAIN, "{errno}");
        }
        assert_eq!(failed(StartStage::Sandbox, Errno::EACCES).shortage(), None);
    }

    fn setup(level: Level) -> SupervisorSetup {
        SupervisorSetup {
            program: PathBuf::from("/bin/true"),
            args: vec!["a b".to_owned(), "é".to_owned()],
            dir: PathBuf::from("/"),
            env: BTreeMap::from([("HOME".to_owned(), "/tmp".to_owned())]),
            level,
            without: Vec::new(),
            user: None,
            limits: Limits::default(),
            visible: VisiblePaths::default(),
            places: Vec::new(),
            network: Network::Closed,
            root: Some(PathBuf::from("/srv/image")),
            devices: vec![PathBuf::from("/dev/dri/renderD128")],
            helper: None,
            scratch: Some(PathBuf::from("/tmp/scratch")),
            groups: vec![group(&["memory.max", "pids.max"])],
            freezer: true,
            open_files: None,
        }
    }

    fn group(files: &[&str]) -> SetupCgroup {
        let set = files.iter().map(|&name| (name.to_owned(), "1".to_owned())).collect();
        SetupCgroup { dir: PathBuf::from("/sys/fs/cgroup/x"), set }
    }

    #[test]
    fn a_setup_reads_as_it_is_written() {
        let setup = setup(Level::Strict);
        let text = serde_json::to_string(&setup).expect("plain data");
        assert!(!text.contains('\n'), "one line");
        assert_eq!(serde_json::from_str::<SupervisorSetup>(&text).expect("a setup"), setup);
    }

    #[test]
    fn messages_are_lines_that_read_as_they_are_written() {
        let messages = [
            SupervisorMessage::Started { leader: 7, init: None },
            SupervisorMessage::Failed(SupervisorSetupError::setting_up("its pipes", &Errno::EPERM)),
            SupervisorMessage::Exceeded(Overrun::Files { limit: 7 }),
            SupervisorMessage::Exited { status: 9 },
            SupervisorMessage::Gone(Leftovers { processes: 2, scratch: None }),
        ];
        let (ours, theirs) = UnixStream::pair().expect("a pair");
        for message in &messages {
            send_supervisor_message(&ours, message).expect("sent");
        }
        drop(ours);
        let lines = std::io::BufRead::lines(io::BufReader::new(theirs));
        let read: Vec<SupervisorMessage> = lines
            .map(|line| serde_json::from_str(&line.expect("a line")).expect("a message"))
            .collect();
        assert_eq!(read, messages);
    }

    #[test]
    fn each_level_has_the_mechanisms_below_it() {
        let has = |level, mechanism| setup(level).has(mechanism);
        assert!(has(Level::Off, Mechanism::Subreaper), "descendants are killed at any level");
        for mechanism in [Mechanism::Landlock, Mechanism::Seccomp, Mechanism::Rlimits] {
            let levels = Level::ALL.map(|level| has(level, mechanism));
            assert_eq!(levels, [false, true, true], "{mechanism}");
        }
        assert_eq!(Level::ALL.map(|level| has(level, Mechanism::Namespaces)), [false, false, true]);
        let without = vec![Mechanism::Seccomp, Mechanism::Namespaces];
        let setup = SupervisorSetup { without, ..setup(Level::Strict) };
        assert!(!setup.has(Mechanism::Seccomp) && !setup.has(Mechanism::Namespaces));
        assert!(setup.has(Mechanism::Landlock));
    }

    #[test]
    fn only_root_does_without_a_user_namespace() {
        let of = |level, user| SupervisorSetup { user, ..setup(level) };
        assert!(of(Level::Basic, None).has_user_namespace(), "for its mounts");
        assert!(!of(Level::Basic, Some(7)).has_user_namespace());
        assert!(!of(Level::Off, None).has_user_namespace());
        assert!(of(Level::Basic, None).has_mounts_alone());
        assert!(!of(Level::Strict, None).has_mounts_alone(), "they are part of its namespaces");
    }

    #[test]
    fn a_group_says_what_it_bounds() {
        let bounds = |files: &[&str]| {
            let group = group(files);
            (group.bounds_memory(), group.bounds_processes())
        };
        assert_eq!(bounds(&["memory.max"]), (true, false));
        assert_eq!(bounds(&["memory.limit_in_bytes"]), (true, false));
        assert_eq!(bounds(&["pids.max"]), (false, true));
        assert_eq!(bounds(&["?memory.swap.max", "cpu.weight"]), (false, false));
    }

    #[test]
    fn a_wait_status_is_encoded_as_the_kernel_does() {
        use std::os::unix::process::ExitStatusExt;
        let status = |status| std::process::ExitStatus::from_raw(encode_wait_status(status));
        let pid = nix::unistd::Pid::from_raw(1);
        assert_eq!(status(WaitStatus::Exited(pid, 3)).code(), Some(3));
        assert_eq!(status(WaitStatus::Exited(pid, -1)).code(), Some(255));
        let killed = nix::sys::signal::Signal::SIGKILL;
        let ended = status(WaitStatus::Signaled(pid, killed, false));
        assert_eq!((ended.code(), ended.signal()), (None, Some(9)));
        let dumped = status(WaitStatus::Signaled(pid, nix::sys::signal::Signal::SIGSEGV, true));
        assert_eq!((dumped.signal(), dumped.core_dumped()), (Some(11), true));
    }
}
