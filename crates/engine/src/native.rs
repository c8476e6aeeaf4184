//! Bodies of instructions that the semantic IR cannot express (`behavior: extern`) and that end a block.
use hart::Hart;
use hart::csr::Privilege;
use hart::fault::Exception;

use crate::decoded::Decoded;

/// A native instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Native {
    /// `ecall`.
    Call,
    /// `mret`.
    Return,
    /// Nothing. No interrupt ever arrives; waiting for one may end at once (Privileged ISA, "WFI").
    Nothing,
    /// The sum of the argument registers (extension Xm5ops, as all that follow).
    Sum,
    /// The simulated time.
    Time,
    /// A word to whoever watches.
    Mark(Marker),
    /// The program's end, with this status or with that of a1.
    Exit(Option<u64>),
}

/// What a program tells whoever watches it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Marker {
    /// A region begins.
    Begin,
    /// It ends.
    End,
    /// It ends, and another begins.
    Next,
}

impl Native {
    /// The instruction of that name in its description.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "ECALL" => Self::Call,
            "MRET" => Self::Return,
            "WFI" | "M5_CHECKPOINT" | "M5_SWITCH_CPU" => Self::Nothing,
            "M5_SUM" => Self::Sum,
            "M5_RPNS" => Self::Time,
            "M5_RESET_STATS" | "M5_WORK_BEGIN" => Self::Mark(Marker::Begin),
            "M5_DUMP_STATS" | "M5_WORK_END" => Self::Mark(Marker::End),
            "M5_DUMP_RESET_STATS" => Self::Mark(Marker::Next),
            "M5_EXIT" => Self::Exit(Some(0)),
            "M5_FAIL" => Self::Exit(None),
            _ => return None,
        })
    }

    /// Executes it; returns the next address.
    ///
    /// # Errors
    /// The exception it raises.
    pub fn execute(self, hart: &mut Hart, decoded: &Decoded) -> Result<u64, Exception> {
        match self {
            Self::Call => {
                let cause = match hart.csrs.privilege {
                    Privilege::User => Exception::ECALL_U,
                    Privilege::Machine => Exception::ECALL_M,
                };
                return Err(Exception { cause, value: 0 });
            }
            Self::Return => return hart.csrs.machine_return().map_err(|_| Exception::illegal(decoded.word)),
            Self::Sum => {
                hart.write_x(10, (10..16).fold(0u64, |sum, register| sum.wrapping_add(hart.x(register))))
            }
            Self::Time => hart.write_x(10, hart.retired()),
            Self::Nothing | Self::Mark(_) | Self::Exit(_) => {}
        }
        Ok(decoded.pc.wrapping_add(decoded.length()))
    }

    /// The status with which it ends the program, if it does.
    pub fn exit_status(self, hart: &Hart) -> Option<u64> {
        match self {
            Self::Exit(status) => Some(status.unwrap_or_else(|| hart.x(11))),
            _ => None,
        }
    }
}
