//! What the arguments of system calls mean.

use syscalls::riscv64::Sysno;

use super::flags::{self, Names};

/// What an argument is, and so how it is shown.
#[derive(Clone, Copy)]
pub enum Kind {
    /// A C `int`, file descriptors among them.
    Int,
    /// A number of bytes or of anything else.
    Size,
    /// Bits without names.
    Hex,
    /// A pointer to what is not shown.
    Address,
    /// File permissions.
    Octal,
    /// A descriptor of a directory, or the working directory.
    Directory,
    /// A path.
    Path,
    /// Bytes, as many as the next argument says.
    Sent,
    /// Bytes, as many as the call returns.
    Received,
    /// A signal's number.
    Signal,
    /// Flags.
    Flags(Names),
    /// One of several.
    Choice(Names),
}

/// A system call's arguments and result.
pub struct Signature {
    /// Its arguments.
    pub arguments: &'static [Kind],
    /// True if the result is an address.
    pub returns_address: bool,
}

/// Of a call that is not known here: all that it may have been given.
const UNKNOWN: Signature = Signature { arguments: &[Kind::Hex; 6], returns_address: false };

macro_rules! signatures {
    ($($($name:ident)|+ ($($kind:expr),*) $(-> $address:ident)?;)*) => {
        /// The signature of a call by its number.
        pub fn of(number: u64) -> &'static Signature {
            use Kind::*;
            let Some(call) = usize::try_from(number).ok().and_then(Sysno::new) else { return &UNKNOWN };
            match call {
                $($(Sysno::$name)|+ => {
                    const { &Signature { arguments: &[$($kind),*], returns_address: false $(|| $address)? } }
                })*
                _ => &UNKNOWN,
            }
        }
    };
}

const ADDRESS: bool = true;
const OPEN: Kind = Kind::Flags(flags::OPEN);
const PATH_FLAGS: Kind = Kind::Flags(flags::PATH);
const PROTECTION: Kind = Kind::Flags(flags::PROTECTION);

signatures! {
    read(Int, Received, Size);
    write(Int, Sent, Size);
    readv | writev(Int, Address, Int);
    pread64(Int, Received, Size, Size);
    pwrite64(Int, Sent, Size, Size);
    lseek(Int, Size, Choice(flags::WHENCE));
    ftruncate(Int, Size);
    getdents64(Int, Address, Size);
    fsync | fdatasync | close | dup | fchdir(Int);
    sync | getpid | gettid | getppid | getuid | geteuid | getgid | getegid | sched_yield | rt_sigreturn();
    close_range(Int, Int, Hex);
    dup3(Int, Int, OPEN);
    fcntl(Int, Choice(flags::DESCRIPTOR), Hex);
    ioctl(Int, Hex, Hex);
    pipe2(Address, OPEN);
    eventfd2(Size, Hex);
    epoll_create1(Hex);
    epoll_ctl(Int, Choice(flags::EPOLL), Int, Address);
    epoll_pwait(Int, Address, Int, Int, Address, Size);
    ppoll | ppoll_time64(Address, Size, Address, Address, Size);
    pselect6 | pselect6_time64(Int, Address, Address, Address, Address, Address);
    openat(Directory, Path, OPEN, Octal);
    fstat(Int, Address);
    fstatat(Directory, Path, Address, PATH_FLAGS);
    statx(Directory, Path, PATH_FLAGS, Hex, Address);
    faccessat(Directory, Path, Flags(flags::ACCESS));
    faccessat2(Directory, Path, Flags(flags::ACCESS), PATH_FLAGS);
    readlinkat(Directory, Path, Received, Size);
    getcwd(Address, Size);
    chdir(Path);
    mkdirat(Directory, Path, Octal);
    unlinkat(Directory, Path, PATH_FLAGS);
    renameat2(Directory, Path, Directory, Path, Hex);
    linkat(Directory, Path, Directory, Path, PATH_FLAGS);
    symlinkat(Path, Directory, Path);
    truncate(Path, Size);
    fchmod(Int, Octal);
    fchmodat(Directory, Path, Octal);
    utimensat | utimensat_time64(Directory, Path, Address, PATH_FLAGS);
    brk(Address) -> ADDRESS;
    mmap(Address, Size, PROTECTION, Flags(flags::MAPPING), Int, Hex) -> ADDRESS;
    munmap(Address, Size);
    mprotect(Address, Size, PROTECTION);
    mremap(Address, Size, Size, Flags(flags::REMAPPING)) -> ADDRESS;
    madvise(Address, Size, Choice(flags::ADVICE));
    clone(Flags(flags::CLONE), Address, Address, Address, Address);
    clone3(Address, Size);
    execve(Path, Address, Address);
    execveat(Directory, Path, Address, Address, PATH_FLAGS);
    wait4(Int, Address, Hex, Address);
    waitid(Int, Int, Address, Hex, Address);
    setpgid(Int, Int);
    getpgid | getsid(Int);
    setsid();
    exit | exit_group(Int);
    futex | futex_time64(Address, Choice(flags::FUTEX), Size, Address, Address, Hex);
    set_tid_address(Address);
    set_robust_list(Address, Size);
    rseq(Address, Size, Hex, Hex);
    rt_sigaction(Signal, Address, Address, Size);
    rt_sigprocmask(Choice(flags::MASK), Address, Address, Size);
    rt_sigpending | rt_sigsuspend(Address, Size);
    rt_sigtimedwait | rt_sigtimedwait_time64(Address, Address, Address, Size);
    sigaltstack(Address, Address);
    kill | tkill(Int, Signal);
    tgkill(Int, Int, Signal);
    clock_gettime | clock_gettime64 | clock_getres | clock_getres_time64(Choice(flags::CLOCK), Address);
    clock_nanosleep | clock_nanosleep_time64(Choice(flags::CLOCK), Hex, Address, Address);
    nanosleep | gettimeofday(Address, Address);
    setitimer(Choice(flags::TIMER), Address, Address);
    getitimer(Choice(flags::TIMER), Address);
    getrusage(Int, Address);
    times | uname | sysinfo(Address);
    getrandom(Received, Size, Hex);
    prlimit64(Int, Int, Address, Address);
    prctl(Int, Hex, Hex, Hex, Hex);
    sched_getaffinity(Int, Size, Address);
}
