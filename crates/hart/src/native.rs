//! Bodies of instructions that the semantic IR cannot express (`behavior: extern`).

use crate::csr::Privilege;
use crate::decoded::Decoded;
use crate::fault::Exception;
use crate::hart::Hart;

/// Executes the native instruction called `name`; returns the next address.
///
/// # Errors
/// The exception it raises; one without a body here is illegal.
pub fn execute(hart: &mut Hart, name: &str, decoded: &Decoded) -> Result<u64, Exception> {
    let next = decoded.pc.wrapping_add(decoded.length());
    match name {
        "ECALL" => {
            let cause = match hart.csrs.privilege {
                Privilege::User => Exception::ECALL_U,
                Privilege::Machine => Exception::ECALL_M,
            };
            Err(Exception { cause, value: 0 })
        }
        "MRET" => hart.csrs.machine_return().map_err(|_| Exception::illegal(decoded.word)),
        // No interrupt ever arrives; waiting for one may end at once (Privileged ISA, "WFI").
        "WFI" => Ok(next),
        "M5_SUM" => {
            let sum = (10..16).fold(0u64, |sum, register| sum.wrapping_add(hart.x(register)));
            hart.write_x(10, sum);
            Ok(next)
        }
        "M5_RPNS" => {
            hart.write_x(10, hart.retired());
            Ok(next)
        }
        _ if name.starts_with("M5_") => Ok(next),
        _ => Err(Exception::illegal(decoded.word)),
    }
}

/// What a program tells whoever watches it (extension Xm5ops).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Marker {
    /// A region begins.
    Begin,
    /// It ends.
    End,
    /// It ends, and another begins.
    Next,
}

/// What a native instruction tells whoever watches.
pub fn marker(name: &str) -> Option<Marker> {
    match name {
        "M5_RESET_STATS" | "M5_WORK_BEGIN" => Some(Marker::Begin),
        "M5_DUMP_STATS" | "M5_WORK_END" => Some(Marker::End),
        "M5_DUMP_RESET_STATS" => Some(Marker::Next),
        _ => None,
    }
}

/// The status with which a native instruction ends the program, if it does.
pub fn exit_status(hart: &Hart, name: &str) -> Option<u64> {
    match name {
        "M5_EXIT" => Some(0),
        "M5_FAIL" => Some(hart.x(11)),
        _ => None,
    }
}
