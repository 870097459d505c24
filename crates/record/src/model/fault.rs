//! Faults: the ways in which a player can fail, other than losing on the board.

use std::fmt;

use referee_containment::Overrun;
use serde::{Deserialize, Serialize};

/// The code of a fault. The list is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultCode {
    /// It could not be run, or its greeting is missing, late or invalid.
    NoStart,
    /// It was killed by a signal or exited with a non-zero code.
    Crash,
    /// It exited with code 0 during the game.
    Exit,
    /// It closed its stdout but kept running.
    ClosedOutput,
    /// It exceeded its allowance of wall time.
    Timeout,
    /// It exceeded its allowance of CPU time.
    Cpu,
    /// Its reply was not an action, not valid JSON or UTF-8, had a wrong `id`, or no newline.
    Malformed,
    /// The rules forbid its action in this position.
    Illegal,
    /// It wrote when it owed no reply.
    UnexpectedOutput,
    /// It exceeded the limit of a line or of the game's output.
    Oversize,
    /// It exceeded the memory limit.
    Memory,
    /// It exceeded the limit of processes.
    Processes,
    /// It exceeded the limit of disk space.
    Disk,
    /// The sandbox failed.
    Containment,
    /// It could not reach its service, more often in one game than the organiser allows.
    Outage,
}

/// The reason of a game in which a player ran out of time when its opponent could no longer win.
pub const DRAWN_ON_TIME: &str = "timeout-drawn";

impl FaultCode {
    /// Every code, in the order of the documentation.
    pub const ALL: [Self; 15] = [
        Self::NoStart,
        Self::Crash,
        Self::Exit,
        Self::ClosedOutput,
        Self::Timeout,
        Self::Cpu,
        Self::Malformed,
        Self::Illegal,
        Self::UnexpectedOutput,
        Self::Oversize,
        Self::Memory,
        Self::Processes,
        Self::Disk,
        Self::Containment,
        Self::Outage,
    ];

    /// The code as it appears in the protocol and in tables, for example `closed-output`.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoStart => "no-start",
            Self::Crash => "crash",
            Self::Exit => "exit",
            Self::ClosedOutput => "closed-output",
            Self::Timeout => "timeout",
            Self::Cpu => "cpu",
            Self::Malformed => "malformed",
            Self::Illegal => "illegal",
            Self::UnexpectedOutput => "unexpected-output",
            Self::Oversize => "oversize",
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::Disk => "disk",
            Self::Containment => "containment",
            Self::Outage => "outage",
        }
    }
}

impl FaultCode {
    /// The code with this name, which is also the reason of a game that ended by it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.name() == name)
    }

    /// Whether the player ran out of time on a turn.
    pub fn is_late(self) -> bool {
        matches!(self, Self::Timeout | Self::Cpu)
    }

    /// The expected behaviour, as text for the player's author.
    pub fn expected(self) -> &'static str {
        match self {
            Self::NoStart => {
                "a program that runs and, within the start-up limit, answers `init` with the line \
                 `ok` or `{\"id\":0}`"
            }
            Self::Crash | Self::Exit => "a process that plays until it receives `quit`",
            Self::ClosedOutput => "a stdout that stays open until `quit`",
            Self::Timeout => {
                "one line with an action, ended by a newline and flushed, within the time allowed"
            }
            Self::Cpu => "an action within the CPU time allowed",
            Self::Malformed => {
                "one line: the text of an action, or `{\"id\":N,\"action\":\"…\"}` with the id of the \
                 turn"
            }
            Self::Illegal => "one of the legal actions, which every turn lists",
            Self::UnexpectedOutput => {
                "one line on stdout for each request and nothing else; debug output belongs on stderr"
            }
            Self::Oversize => "lines of at most 64 KiB, and at most 16 MiB in a game",
            Self::Memory => "memory use within the limit",
            Self::Processes => "fewer processes than the limit",
            Self::Disk => "disk use within the limit",
            Self::Containment => "a sandbox that stays intact",
            Self::Outage => "a service that can be reached",
        }
    }
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A fault and its diagnosis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The kind of failure.
    pub code: FaultCode,
    /// The diagnosis in one sentence. It is safe to print: text from the player is escaped.
    pub message: String,
    /// The clause that forbids the action, for [`FaultCode::Illegal`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
    /// The rejected reply, escaped and shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// The last lines of the player's stderr, escaped, if they may explain the fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
}

impl Fault {
    /// A fault with a diagnosis and nothing else.
    pub fn new(code: FaultCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), clause: None, raw: None, stderr: Vec::new() }
    }

    /// The diagnosis in one line: the message, and what the program said on its stderr when it
    /// ended.
    pub fn reason(&self) -> String {
        let ended = matches!(self.code, FaultCode::NoStart | FaultCode::Crash | FaultCode::Exit);
        let said = self.last_stderr_line().filter(|said| ended && !self.message.contains(said));
        said.map_or_else(|| self.message.clone(), |said| format!("{}: {said}", self.message))
    }

    /// The line of its stderr that says most: the last one that names an error, or else the last
    /// one that is not blank.
    fn last_stderr_line(&self) -> Option<&str> {
        let lines = || self.stderr.iter().rev().map(|line| line.trim());
        lines()
            .find(|line| is_fault_error_line(line))
            .or_else(|| lines().find(|line| !line.is_empty()))
    }
}

/// Whether a line of a program's stderr seems to name an error.
pub fn is_fault_error_line(line: &str) -> bool {
    let line = line.to_lowercase();
    ["error", "exception", "panicked"].iter().any(|word| line.contains(word))
}

/// The fault of a player that fails because it reached this limit.
impl From<Overrun> for FaultCode {
    fn from(overrun: Overrun) -> Self {
        match overrun {
            Overrun::Memory { .. } => Self::Memory,
            Overrun::Processes { .. } => Self::Processes,
            Overrun::Scratch { .. } | Overrun::Files { .. } | Overrun::FileSize { .. } => {
                Self::Disk
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(code: FaultCode, stderr: &[&str]) -> String {
        let stderr = stderr.iter().map(|&line| line.to_owned()).collect();
        Fault { stderr, ..Fault::new(code, "it exited with code 1") }.reason()
    }

    #[test]
    fn the_reason_names_the_error_of_a_program_that_ended() {
        let crashed = |stderr: &[&str]| ended(FaultCode::Crash, stderr);
        assert_eq!(crashed(&[]), "it exited with code 1");
        let python = ["Traceback (most recent call last):", "    ~~~^^^", "KeyError: 'x'"];
        assert_eq!(crashed(&python), "it exited with code 1: KeyError: 'x'");
        let node = ["TypeError: x is not a function", "    at main (a.js:1:1)", "", "Node.js v20"];
        assert_eq!(crashed(&node), "it exited with code 1: TypeError: x is not a function");
        assert_eq!(crashed(&["no engine", " "]), "it exited with code 1: no engine");
        assert_eq!(ended(FaultCode::Illegal, &["an error"]), "it exited with code 1");
    }

    #[test]
    fn the_protocol_says_what_each_code_means() {
        let protocol = include_str!("../../../../docs/protocol.md");
        let row = |code: &FaultCode| {
            let row = protocol.lines().find(|line| line.starts_with(&format!("| `{code}` |")));
            row.unwrap_or_else(|| panic!("{code} is not in the table")).to_owned()
        };
        let rows: Vec<String> = FaultCode::ALL.iter().map(row).collect();
        assert!(rows.iter().all(|row| !row.contains("reserved")), "{rows:?}");
    }

    #[test]
    fn fault_codes_round_trip_as_their_names() {
        for code in FaultCode::ALL {
            let text = serde_json::to_string(&code).expect("a plain enum");
            assert_eq!(text, format!("\"{}\"", code.name()));
        }
    }
}
