//! What goes wrong in a guest, as values.

use crate::memory::Address;

/// Kind of memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the kinds' own names")]
pub enum Access {
    Fetch,
    Load,
    Store,
}

/// An access to memory that does not exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryFault {
    /// Kind.
    pub access: Access,
    /// Address of the access.
    pub address: Address,
}

/// A synchronous exception (Privileged ISA, "Machine Cause Register").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exception {
    /// `mcause`.
    pub cause: u64,
    /// `mtval`.
    pub value: u64,
}

impl Exception {
    /// Instruction address misaligned.
    pub const FETCH_MISALIGNED: u64 = 0;
    /// Instruction access fault.
    pub const FETCH_ACCESS: u64 = 1;
    /// Illegal instruction.
    pub const ILLEGAL: u64 = 2;
    /// Breakpoint.
    pub const BREAKPOINT: u64 = 3;
    /// Load address misaligned.
    pub const LOAD_MISALIGNED: u64 = 4;
    /// Load access fault.
    pub const LOAD_ACCESS: u64 = 5;
    /// Store/AMO address misaligned.
    pub const STORE_MISALIGNED: u64 = 6;
    /// Store/AMO access fault.
    pub const STORE_ACCESS: u64 = 7;
    /// Environment call from U-mode.
    pub const ECALL_U: u64 = 8;
    /// Environment call from M-mode.
    pub const ECALL_M: u64 = 11;

    /// Illegal instruction, with its word as trap value.
    pub const fn illegal(word: u32) -> Self {
        Self { cause: Self::ILLEGAL, value: word as u64 }
    }

    /// What the cause is called.
    pub const fn name(self) -> &'static str {
        match self.cause {
            Self::FETCH_MISALIGNED => "instruction address misaligned",
            Self::FETCH_ACCESS => "instruction access fault",
            Self::ILLEGAL => "illegal instruction",
            Self::BREAKPOINT => "breakpoint",
            Self::LOAD_MISALIGNED => "load address misaligned",
            Self::LOAD_ACCESS => "load access fault",
            Self::STORE_MISALIGNED => "store/AMO address misaligned",
            Self::STORE_ACCESS => "store/AMO access fault",
            Self::ECALL_U => "environment call from U-mode",
            Self::ECALL_M => "environment call from M-mode",
            _ => "exception",
        }
    }

    /// True if the trap value is an address.
    pub const fn has_address(self) -> bool {
        matches!(
            self.cause,
            Self::FETCH_MISALIGNED | Self::FETCH_ACCESS | Self::LOAD_MISALIGNED..=Self::STORE_ACCESS
        )
    }
}

impl From<MemoryFault> for Exception {
    fn from(fault: MemoryFault) -> Self {
        let cause = match fault.access {
            Access::Fetch => Self::FETCH_ACCESS,
            Access::Load => Self::LOAD_ACCESS,
            Access::Store => Self::STORE_ACCESS,
        };
        Self { cause, value: fault.address.0 }
    }
}

/// A fault no guest handler took: where and what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Address of the instruction.
    pub pc: Address,
    /// Its word, if it could be fetched.
    pub word: Option<u32>,
    /// The exception.
    pub exception: Exception,
    /// The rule of the specification that the instruction breaks, where one is known.
    pub rule: Option<&'static str>,
}
