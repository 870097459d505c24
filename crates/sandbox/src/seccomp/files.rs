//! What changes files, or leaves a mark in them, without opening them for writing. Neither Landlock
//! nor permissions know most of it, so it would reach every file that the process's user owns; and a
//! mark that stays, a later game can read.

use nix::libc;
use seccompiler::SeccompCmpOp;

use super::filter::{
    Built, FilterRules, compare_syscall_arg, syscall_arg_differs, syscall_arg_equals,
    syscall_arg_has_bits, syscall_arg_value,
};
use super::{Devices, Files, SeccompSurroundings};

/// Calls that change a file's mode, owner, times or attributes. Those with a descriptor are among
/// them: one for reading is enough.
const METADATA: &[libc::c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
    FILE_SETATTR,
];

// Newer calls have the same number everywhere.
const FCHMODAT2: libc::c_long = 452;
const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;
const FILE_SETATTR: libc::c_long = 469;

/// More such calls on x86-64.
#[cfg(target_arch = "x86_64")]
const METADATA_HERE: &[libc::c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const METADATA_HERE: &[libc::c_long] = &[];

/// Commands of `fcntl` that others notice: notices about a folder, leases, which make others wait,
/// and how long the content is expected to live, which a file remembers.
const FILE_COMMANDS: [libc::c_int; 5] =
    [libc::F_NOTIFY, libc::F_SETLEASE, F_SETDELEG, F_SET_RW_HINT, F_SET_FILE_RW_HINT];

// The crate `libc` does not name these.
const F_SET_RW_HINT: libc::c_int = 1036;
const F_SET_FILE_RW_HINT: libc::c_int = 1038;
const F_SETDELEG: libc::c_int = 1040;

/// Requests of `ioctl` to terminals, and those that every descriptor has, such as whether it blocks.
/// Two of them type into the terminal.
const OF_TERMINALS: [u64; 2] = [0x5400, 0x54ff];
const TYPES: [u64; 2] = [libc::TIOCSTI, libc::TIOCLINUX];
/// Requests to sockets.
const OF_SOCKETS: [u64; 2] = [0x8900, 0x89ff];
/// Requests to files that change only what is open for writing: FICLONE and FICLONERANGE, with which
/// programs copy files.
const COPIES: [u64; 2] = [0x4004_9409, 0x4020_940d];

pub(super) fn refuse_file_calls(
    rules: &mut FilterRules,
    surroundings: SeccompSurroundings,
) -> Built<()> {
    if surroundings.files == Files::Writable {
        rules.answer_always(METADATA);
        rules.answer_always(METADATA_HERE);
        // Before its third version (Linux 6.2), Landlock lets every process empty every file; with the
        // other modes, it asks whether the file may be written to.
        rules.answer_always(&[libc::SYS_truncate]);
        let (mask, empties) =
            (syscall_arg_value(libc::O_ACCMODE | libc::O_TRUNC), syscall_arg_value(libc::O_TRUNC));
        for mode in [syscall_arg_value(libc::O_RDONLY), syscall_arg_value(libc::O_ACCMODE)] {
            rules.answer_when(libc::SYS_openat, [syscall_arg_has_bits(2, mask, empties | mode)])?;
            #[cfg(target_arch = "x86_64")]
            rules.answer_when(libc::SYS_open, [syscall_arg_has_bits(1, mask, empties | mode)])?;
        }
    }
    for command in FILE_COMMANDS {
        rules.answer_when(libc::SYS_fcntl, [syscall_arg_equals(1, syscall_arg_value(command))])?;
    }
    for request in TYPES {
        rules.answer_when(libc::SYS_ioctl, [syscall_arg_equals(1, request)])?;
    }
    Ok(())
}

/// One shows who reads which of the shared files, and the flags of another lie where no filter sees
/// them.
pub(super) fn leave_out_file_calls(rules: &mut FilterRules, surroundings: SeccompSurroundings) {
    if surroundings.files == Files::Writable {
        rules.answer_always(&[libc::SYS_openat2]);
    }
    rules.answer_always(&[libc::SYS_inotify_init1]);
    #[cfg(target_arch = "x86_64")]
    rules.answer_always(&[libc::SYS_inotify_init]);
}

/// Requests of `ioctl` that a file answers as if it did not know them. Every file system has its own
/// that change a file, or what it remembers of one, by a descriptor for reading, so only those that
/// programs need are known. A device that the organiser gave has its own, too.
pub(super) fn restrict_file_ioctls(rules: &mut FilterRules, devices: Devices) -> Built<()> {
    if devices == Devices::Given {
        return Ok(());
    }
    let [terminals, end_of_terminals] = OF_TERMINALS;
    let [sockets, end_of_sockets] = OF_SOCKETS;
    let [clone, clone_range] = COPIES;
    let below = |value| compare_syscall_arg(1, SeccompCmpOp::Lt, value);
    let above = |value| compare_syscall_arg(1, SeccompCmpOp::Gt, value);
    rules.answer_when(libc::SYS_ioctl, [below(terminals)])?;
    rules.answer_when(libc::SYS_ioctl, [above(end_of_terminals), below(sockets)])?;
    rules.answer_when(
        libc::SYS_ioctl,
        [above(end_of_sockets), syscall_arg_differs(1, clone), syscall_arg_differs(1, clone_range)],
    )
}
