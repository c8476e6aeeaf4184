//! Signals: what is pending, what a process does about it, and the frame a handler runs in.

use hart::{Exception, Memory};
use isa::Xlen;

use crate::errno::Errno;
use crate::guest::Guest;

/// A signal's number, 1 to 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signal(pub u8);

macro_rules! signals {
    ($($name:ident $number:literal)*) => {
        impl Signal {
            $(#[allow(missing_docs, reason = "the signals' own names")] pub const $name: Self = Self($number);)*

            /// Its name, if it has one.
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }
    };
}

signals! {
    SIGHUP 1 SIGINT 2 SIGQUIT 3 SIGILL 4 SIGTRAP 5 SIGABRT 6 SIGBUS 7 SIGFPE 8 SIGKILL 9 SIGUSR1 10 SIGSEGV 11
    SIGUSR2 12 SIGPIPE 13 SIGALRM 14 SIGTERM 15 SIGSTKFLT 16 SIGCHLD 17 SIGCONT 18 SIGSTOP 19 SIGTSTP 20
    SIGTTIN 21 SIGTTOU 22 SIGURG 23 SIGXCPU 24 SIGXFSZ 25 SIGVTALRM 26 SIGPROF 27 SIGWINCH 28 SIGIO 29
    SIGPWR 30 SIGSYS 31
}

impl Signal {
    /// A signal by number.
    ///
    /// # Errors
    /// `EINVAL` if there is none.
    pub fn new(number: u64) -> Result<Self, Errno> {
        match u8::try_from(number) {
            Ok(number @ 1..=64) => Ok(Self(number)),
            _ => Err(Errno::EINVAL),
        }
    }

    /// What a process is sent for an exception, and its `si_code` (Linux, `arch/riscv/kernel/traps.c`).
    pub const fn of(exception: Exception) -> (Self, i32) {
        match exception.cause {
            Exception::ILLEGAL => (Self::SIGILL, 1),
            Exception::BREAKPOINT => (Self::SIGTRAP, 1),
            Exception::FETCH_MISALIGNED | Exception::LOAD_MISALIGNED | Exception::STORE_MISALIGNED => {
                (Self::SIGBUS, 1)
            }
            _ => (Self::SIGSEGV, 1),
        }
    }

    /// Its bit in a mask.
    pub const fn bit(self) -> u64 {
        1 << (self.0 - 1)
    }

    /// True if a process that does nothing about it goes on.
    pub const fn is_ignored_by_default(self) -> bool {
        matches!(self, Self::SIGCHLD | Self::SIGCONT | Self::SIGURG | Self::SIGWINCH)
    }
}

/// Signals that cannot be blocked or caught.
pub const UNBLOCKABLE: u64 = Signal::SIGKILL.bit() | Signal::SIGSTOP.bit();

/// A signal sent, with what `siginfo_t` says of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sent {
    /// Which.
    pub signal: Signal,
    /// `si_code`.
    pub code: i32,
    /// `si_addr` of a fault; `si_pid` of one sent by a thread, or of a child that has ended.
    pub value: u64,
    /// `si_status` of such a child.
    pub status: u32,
}

impl Sent {
    /// Bytes of [`Sent::information`].
    pub const INFORMATION_BYTES: usize = 128;

    /// `siginfo_t` (`asm-generic/siginfo.h`). The user who sent it is the only one there is.
    pub fn information(&self, xlen: Xlen) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::INFORMATION_BYTES);
        for word in [u32::from(self.signal.0), 0, self.code as u32] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        if xlen == Xlen::Rv64 {
            bytes.extend_from_slice(&[0; 4]);
        }
        push_word(&mut bytes, self.value, xlen);
        if self.signal == Signal::SIGCHLD {
            // After the number of the process and of its user.
            bytes.resize(if xlen == Xlen::Rv64 { 24 } else { 20 }, 0);
            bytes.extend_from_slice(&self.status.to_le_bytes());
        }
        bytes.resize(Self::INFORMATION_BYTES, 0);
        bytes
    }
}

/// `si_code` of signals that threads send.
pub const SI_USER: i32 = 0;
/// Of `tgkill`.
pub const SI_TKILL: i32 = -6;
/// Of timers and other sources in the kernel.
pub const SI_KERNEL: i32 = 0x80;

/// Signals not yet delivered; a signal that is already pending is not queued again.
#[derive(Clone, Default, Debug)]
pub struct Pending(Vec<Sent>);

impl Pending {
    /// None.
    pub const EMPTY: Self = Self(Vec::new());

    /// Adds one.
    pub fn send(&mut self, sent: Sent) {
        if !self.0.iter().any(|other| other.signal == sent.signal) {
            self.0.push(sent);
        }
    }

    /// Takes the lowest-numbered one that is not blocked.
    pub fn take(&mut self, blocked: u64) -> Option<Sent> {
        let candidates = self.0.iter().enumerate().filter(|(_, sent)| sent.signal.bit() & blocked == 0);
        let (index, _) = candidates.min_by_key(|(_, sent)| sent.signal.0)?;
        Some(self.0.remove(index))
    }

    /// All, as a mask.
    pub fn mask(&self) -> u64 {
        self.0.iter().fold(0, |mask, sent| mask | sent.signal.bit())
    }
}

/// What to do about a signal (`struct sigaction`).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Action {
    /// Handler's address, [`Action::DEFAULT`] or [`Action::IGNORE`].
    pub handler: u64,
    /// `SA_` flags.
    pub flags: u64,
    /// Blocked while the handler runs.
    pub mask: u64,
}

impl Action {
    /// `SIG_DFL`.
    pub const DEFAULT: u64 = 0;
    /// `SIG_IGN`.
    pub const IGNORE: u64 = 1;
    /// `SA_ONSTACK`.
    pub const ON_STACK: u64 = 0x0800_0000;
    /// `SA_RESTART`.
    pub const RESTART: u64 = 0x1000_0000;
    /// `SA_NODEFER`.
    pub const NO_DEFER: u64 = 0x4000_0000;
    /// `SA_NOCLDWAIT`.
    pub const NO_CHILD_WAIT: u64 = 2;
    /// `SA_RESETHAND`.
    pub const RESET: u64 = 0x8000_0000;

    /// Reads one from guest memory.
    ///
    /// # Errors
    /// `EFAULT`.
    pub fn read(memory: &Memory, address: u64, xlen: Xlen) -> Result<Self, Errno> {
        let mut words = Words { memory, at: address, xlen };
        Ok(Self { handler: words.next()?, flags: words.next()?, mask: words.next_u64()? })
    }

    /// Writes it to guest memory.
    ///
    /// # Errors
    /// `EFAULT`.
    pub fn write(&self, memory: &mut Memory, address: u64, xlen: Xlen) -> Result<(), Errno> {
        let mut bytes = Vec::new();
        push_word(&mut bytes, self.handler, xlen);
        push_word(&mut bytes, self.flags, xlen);
        bytes.extend_from_slice(&self.mask.to_le_bytes());
        memory.put(address, &bytes)
    }
}

/// Reads consecutive words of the guest's size.
pub struct Words<'m> {
    /// Guest memory.
    pub memory: &'m Memory,
    /// Address of the next word.
    pub at: u64,
    /// Word size.
    pub xlen: Xlen,
}

impl Words<'_> {
    /// The next word.
    ///
    /// # Errors
    /// `EFAULT`.
    pub fn next(&mut self) -> Result<u64, Errno> {
        let word = match self.xlen {
            Xlen::Rv32 => self.memory.get_u32(self.at)?.into(),
            Xlen::Rv64 => self.memory.get_u64(self.at)?,
        };
        self.at = self.at.wrapping_add(u64::from(self.xlen.bits() / 8));
        Ok(word)
    }

    /// The next 64 bits, whatever the word size.
    ///
    /// # Errors
    /// `EFAULT`.
    pub fn next_u64(&mut self) -> Result<u64, Errno> {
        let word = self.memory.get_u64(self.at)?;
        self.at = self.at.wrapping_add(8);
        Ok(word)
    }
}

/// Appends a word of the guest's size.
pub fn push_word(bytes: &mut Vec<u8>, value: u64, xlen: Xlen) {
    bytes.extend_from_slice(&value.to_le_bytes()[..usize::from(xlen.bits() / 8)]);
}
