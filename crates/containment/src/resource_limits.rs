//! Limits on the resources of a process.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One KiB, in bytes.
pub const KIB: u64 = 1024;
/// One MiB, in bytes.
pub const MIB: u64 = 1024 * KIB;

/// Limits on the resources of a process and its descendants. The level and the machine determine
/// which of them are enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Memory of all processes together, in bytes; at least 16 MiB.
    pub memory: u64,
    /// Processes and threads at once; at least 4.
    pub processes: u64,
    /// Open files per process; at least 32.
    pub open_files: u64,
    /// Size of one file in bytes; at least 4 KiB.
    pub file_size: u64,
    /// Size of the scratch folder in bytes; at least 64 KiB.
    pub scratch: u64,
    /// Files and folders in the scratch folder; at least 100.
    #[serde(default = "usual_files", skip_serializing_if = "is_usual_files")]
    pub files: u64,
}

/// The files and folders that a scratch folder may hold unless the caller says otherwise.
const USUAL_FILES: u64 = 10_000;

fn usual_files() -> u64 {
    USUAL_FILES
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "`serde` passes a reference")]
fn is_usual_files(files: &u64) -> bool {
    *files == USUAL_FILES
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 1024 * MIB,
            processes: 64,
            open_files: 256,
            file_size: 64 * MIB,
            scratch: 256 * MIB,
            files: USUAL_FILES,
        }
    }
}

/// A limit that a process exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overrun {
    /// One of its processes was killed because memory ran out.
    Memory {
        /// The highest memory use of all processes together, in bytes.
        peak: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A process or thread was refused.
    Processes {
        /// The maximum number of processes and threads.
        limit: u64,
    },
    /// The scratch folder was full.
    Scratch {
        /// The size of its content, in bytes.
        used: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The scratch folder reached its limit of files and folders.
    Files {
        /// The maximum number of files and folders.
        limit: u64,
    },
    /// It was ended because it wrote a file longer than allowed.
    FileSize {
        /// The limit in bytes.
        limit: u64,
    },
}

impl fmt::Display for Overrun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Memory { peak, limit } => {
                write!(f, "used {} of {}", format_bytes(peak), format_bytes(limit))
            }
            Self::Processes { limit } => write!(f, "more than {limit} processes and threads"),
            Self::Scratch { used, limit } => {
                write!(f, "used {} of {} of scratch space", format_bytes(used), format_bytes(limit))
            }
            Self::Files { limit } => write!(f, "{limit} files in its scratch folder"),
            Self::FileSize { limit } => write!(f, "a file larger than {}", format_bytes(limit)),
        }
    }
}

/// A number of bytes for people: in whole MiB or KiB if it is a multiple, otherwise rounded.
pub fn format_bytes(count: u64) -> String {
    let (unit, name) = match count {
        0..KIB => return format!("{count} bytes"),
        KIB..MIB => (KIB, "KiB"),
        _ => (MIB, "MiB"),
    };
    let tenths = (count * 10 + unit / 2) / unit;
    match tenths % 10 {
        0 => format!("{} {name}", tenths / 10),
        tenth => format!("{}.{tenth} {name}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_bytes_are_short() {
        let said = [0, 1023, 1024, 1536, MIB, 104 * MIB + 52_429, 4096 * MIB].map(format_bytes);
        let expected =
            ["0 bytes", "1023 bytes", "1 KiB", "1.5 KiB", "1 MiB", "104.1 MiB", "4096 MiB"];
        assert_eq!(said, expected);
    }

    #[test]
    fn an_overrun_says_how_much_of_what() {
        let said = [
            Overrun::Memory { peak: 65 * MIB, limit: 64 * MIB },
            Overrun::Processes { limit: 64 },
            Overrun::Scratch { used: 1536, limit: KIB },
            Overrun::Files { limit: 10_000 },
            Overrun::FileSize { limit: 64 * MIB },
        ]
        .map(|overrun| overrun.to_string());
        assert_eq!(
            said,
            [
                "used 65 MiB of 64 MiB",
                "more than 64 processes and threads",
                "used 1.5 KiB of 1 KiB of scratch space",
                "10000 files in its scratch folder",
                "a file larger than 64 MiB",
            ]
        );
    }
}
