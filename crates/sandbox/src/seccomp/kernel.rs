//! What reaches the machine as a whole, or parts of the kernel that ordinary programs do not need.

use nix::libc;

use super::filter::{Built, FilterRules, syscall_arg_has_bits, syscall_arg_value};

const REFUSED: &[libc::c_long] = &[
    // Memory and queues that outlive a process.
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
    // Namespaces and file systems.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_quotactl,
    QUOTACTL_FD,
    // Parts of the kernel that are often attacked.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // The machine as a whole.
    libc::SYS_acct,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_settimeofday,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
];

// Newer calls have the same number everywhere.
const QUOTACTL_FD: libc::c_long = 443;
const OPEN_TREE_ATTR: libc::c_long = 467;

/// More such calls on x86-64.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[libc::c_long] = &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_modify_ldt];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[libc::c_long] = &[];

/// Flags of `clone` that ask for a namespace.
const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Calls for which libraries have others, whose arguments can be filtered, and calls that take what
/// the machine has little of.
const ABSENT: &[libc::c_long] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // The machine has a fixed number of contexts for asynchronous I/O.
    libc::SYS_io_setup,
];

pub(super) fn refuse_kernel_calls(rules: &mut FilterRules) -> Built<()> {
    rules.answer_always(REFUSED);
    rules.answer_always(REFUSED_HERE);
    for flag in NAMESPACES.map(syscall_arg_value) {
        rules.answer_when(libc::SYS_clone, [syscall_arg_has_bits(0, flag, flag)])?;
    }
    Ok(())
}

pub(super) fn leave_out_kernel_calls(rules: &mut FilterRules) {
    rules.answer_always(ABSENT);
}
