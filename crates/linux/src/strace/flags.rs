//! Names of flags and choices, as the headers of Linux have them.

use std::fmt::Write;

/// Values and their names.
pub type Names = &'static [(u64, &'static str)];

/// Appends the names of the flags that are set; what has none in hexadecimal. The name of 0 stands for none
/// of the others.
pub fn push(line: &mut String, value: u64, names: Names) {
    let mut rest = value;
    let mut separator = "";
    for &(bits, name) in names {
        if bits != 0 && rest & bits == bits {
            rest &= !bits;
            line.push_str(separator);
            line.push_str(name);
            separator = "|";
        }
    }
    if rest != 0 {
        // Writing to a string cannot fail.
        let _ = write!(line, "{separator}{rest:#x}");
    } else if separator.is_empty() {
        let zero = names.iter().find(|(bits, _)| *bits == 0);
        line.push_str(zero.map_or("0", |(_, name)| name));
    }
}

/// Of `openat` and `pipe2`; combinations before their parts.
pub const OPEN: Names = &[
    (0, "O_RDONLY"),
    (0o2, "O_RDWR"),
    (0o1, "O_WRONLY"),
    (0o100, "O_CREAT"),
    (0o200, "O_EXCL"),
    (0o400, "O_NOCTTY"),
    (0o1000, "O_TRUNC"),
    (0o2000, "O_APPEND"),
    (0o4000, "O_NONBLOCK"),
    (0o2020_0000, "O_TMPFILE"),
    (0o4_010_000, "O_SYNC"),
    (0o20_0000, "O_DIRECTORY"),
    (0o40_0000, "O_NOFOLLOW"),
    (0o200_0000, "O_CLOEXEC"),
    (0o1000_0000, "O_PATH"),
];

pub const PROTECTION: Names = &[(0, "PROT_NONE"), (1, "PROT_READ"), (2, "PROT_WRITE"), (4, "PROT_EXEC")];

pub const MAPPING: Names = &[
    (3, "MAP_SHARED_VALIDATE"),
    (1, "MAP_SHARED"),
    (2, "MAP_PRIVATE"),
    (0x10, "MAP_FIXED"),
    (0x20, "MAP_ANONYMOUS"),
    (0x4000, "MAP_NORESERVE"),
    (0x2_0000, "MAP_STACK"),
    (0x10_0000, "MAP_FIXED_NOREPLACE"),
];

pub const REMAPPING: Names = &[(1, "MREMAP_MAYMOVE"), (2, "MREMAP_FIXED")];

pub const CLONE: Names = &[
    (0x100, "CLONE_VM"),
    (0x200, "CLONE_FS"),
    (0x400, "CLONE_FILES"),
    (0x800, "CLONE_SIGHAND"),
    (0x1_0000, "CLONE_THREAD"),
    (0x4_0000, "CLONE_SYSVSEM"),
    (0x8_0000, "CLONE_SETTLS"),
    (0x10_0000, "CLONE_PARENT_SETTID"),
    (0x20_0000, "CLONE_CHILD_CLEARTID"),
    (0x40_0000, "CLONE_DETACHED"),
    (0x100_0000, "CLONE_CHILD_SETTID"),
];

pub const PATH: Names = &[
    (0x100, "AT_SYMLINK_NOFOLLOW"),
    (0x200, "AT_REMOVEDIR"),
    (0x400, "AT_SYMLINK_FOLLOW"),
    (0x1000, "AT_EMPTY_PATH"),
];

pub const ACCESS: Names = &[(0, "F_OK"), (4, "R_OK"), (2, "W_OK"), (1, "X_OK")];

pub const WHENCE: Names = &[(0, "SEEK_SET"), (1, "SEEK_CUR"), (2, "SEEK_END")];

pub const ADVICE: Names = &[
    (3, "MADV_WILLNEED"),
    (4, "MADV_DONTNEED"),
    (8, "MADV_FREE"),
    (14, "MADV_HUGEPAGE"),
    (15, "MADV_NOHUGEPAGE"),
];

pub const MASK: Names = &[(0, "SIG_BLOCK"), (1, "SIG_UNBLOCK"), (2, "SIG_SETMASK")];

pub const CLOCK: Names = &[
    (0, "CLOCK_REALTIME"),
    (1, "CLOCK_MONOTONIC"),
    (2, "CLOCK_PROCESS_CPUTIME_ID"),
    (3, "CLOCK_THREAD_CPUTIME_ID"),
    (4, "CLOCK_MONOTONIC_RAW"),
    (5, "CLOCK_REALTIME_COARSE"),
    (6, "CLOCK_MONOTONIC_COARSE"),
    (7, "CLOCK_BOOTTIME"),
];

pub const TIMER: Names = &[(0, "ITIMER_REAL"), (1, "ITIMER_VIRTUAL"), (2, "ITIMER_PROF")];

pub const DESCRIPTOR: Names = &[
    (0, "F_DUPFD"),
    (1, "F_GETFD"),
    (2, "F_SETFD"),
    (3, "F_GETFL"),
    (4, "F_SETFL"),
    (1030, "F_DUPFD_CLOEXEC"),
];

pub const EPOLL: Names = &[(1, "EPOLL_CTL_ADD"), (2, "EPOLL_CTL_DEL"), (3, "EPOLL_CTL_MOD")];

/// Of `futex`, private or not.
pub const FUTEX: Names = &[
    (0x00, "FUTEX_WAIT"),
    (0x01, "FUTEX_WAKE"),
    (0x03, "FUTEX_REQUEUE"),
    (0x04, "FUTEX_CMP_REQUEUE"),
    (0x05, "FUTEX_WAKE_OP"),
    (0x09, "FUTEX_WAIT_BITSET"),
    (0x0a, "FUTEX_WAKE_BITSET"),
    (0x80, "FUTEX_WAIT_PRIVATE"),
    (0x81, "FUTEX_WAKE_PRIVATE"),
    (0x83, "FUTEX_REQUEUE_PRIVATE"),
    (0x84, "FUTEX_CMP_REQUEUE_PRIVATE"),
    (0x85, "FUTEX_WAKE_OP_PRIVATE"),
    (0x89, "FUTEX_WAIT_BITSET_PRIVATE"),
    (0x8a, "FUTEX_WAKE_BITSET_PRIVATE"),
    (0x189, "FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME"),
];
