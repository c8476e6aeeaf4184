//! Bodies of instructions that the semantic IR cannot express (`behavior: extern`).

use crate::block::Placed;
use crate::core::Core;
use crate::csr::Privilege;
use crate::fault::Exception;

/// Executes the native instruction called `name`; returns the next address.
///
/// # Errors
/// The exception it raises; one without a body here is illegal.
pub fn execute(core: &mut Core, name: &str, placed: &Placed) -> Result<u64, Exception> {
    let next = placed.pc.wrapping_add(placed.length());
    match name {
        "ECALL" => {
            let cause = match core.csrs.privilege {
                Privilege::User => Exception::ECALL_U,
                Privilege::Machine => Exception::ECALL_M,
            };
            Err(Exception { cause, value: 0 })
        }
        "MRET" => core.csrs.machine_return().map_err(|_| Exception::illegal(placed.word)),
        // No interrupt ever arrives; waiting for one may end at once (Privileged ISA, "WFI").
        "WFI" => Ok(next),
        _ => Err(Exception::illegal(placed.word)),
    }
}
