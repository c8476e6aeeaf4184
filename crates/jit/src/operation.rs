//! Host functions that compiled code calls: operations without an instruction of the host's, and units.

use hart::uop::{Op, fold_binary, fold_unary};

use crate::frame::Frame;

macro_rules! operations {
    (binary { $($binary:ident $immediate:ident)* } unary { $($unary:ident)* }) => {
        /// Address of the function of a binary operation, `fn(u64, u64) -> u64`.
        pub fn binary(op: Op) -> Option<usize> {
            match op {
                $(Op::$binary | Op::$immediate => {
                    extern "C" fn value(a: u64, b: u64) -> u64 {
                        fold_binary(Op::$binary, a, b).unwrap_or(0)
                    }
                    Some(value as extern "C" fn(u64, u64) -> u64 as usize)
                })*
                _ => None,
            }
        }

        /// Address of the function of a unary operation, `fn(u64) -> u64`.
        pub fn unary(op: Op) -> Option<usize> {
            match op {
                $(Op::$unary => {
                    extern "C" fn value(a: u64) -> u64 {
                        fold_unary(Op::$unary, a).unwrap_or(0)
                    }
                    Some(value as extern "C" fn(u64) -> u64 as usize)
                })*
                _ => None,
            }
        }
    };
}

operations! {
    binary {
        Clmul ClmulI
        ClmulH64 ClmulH64I
        ClmulR64 ClmulR64I
        ClmulH32 ClmulH32I
        ClmulR32 ClmulR32I
        Xperm8 Xperm8I
        Xperm4 Xperm4I
        Aes64Es Aes64EsI
        Aes64Esm Aes64EsmI
        Aes64Ds Aes64DsI
        Aes64Dsm Aes64DsmI
        Aes64Ks1 Aes64Ks1I
        Aes32Esi Aes32EsiI
        Aes32Esmi Aes32EsmiI
        Aes32Dsi Aes32DsiI
        Aes32Dsmi Aes32DsmiI
    }
    unary { Zip32 Unzip32 Aes64Im }
}

/// The instruction is done.
pub const DONE: u64 = 0;
/// It is done and has written `tohost`.
pub const TOHOST: u64 = 1;
/// It traps.
pub const TRAPPED: u64 = 2;

/// Executes an instruction of a unit.
pub extern "C" fn unit(frame: *mut Frame, instruction: u32, word: u32) -> u64 {
    // SAFETY: compiled code passes the frame it was entered with, whose hart nobody else uses meanwhile and
    // whose program outlives it.
    #[allow(unsafe_code, reason = "called from compiled code")]
    let (hart, program) = unsafe { (&mut *(*frame).hart, &*(*frame).program) };
    match program.unit(instruction as u16)(hart, word) {
        Ok(()) if hart.memory.tohost_touched() => TOHOST,
        Ok(()) => DONE,
        Err(_) => TRAPPED,
    }
}
