//! Execution of one instruction by the plain evaluator: what lowering leaves to it.

use coredsl::eval::{self, Outcome};
use coredsl::ir::{RegId, SpaceId};
use ethnum::U256;

use crate::decoded::Decoded;
use crate::fault::{Access, Exception};
use crate::hart::{Hart, Reservation};
use crate::lower::NativeSpace;
use crate::memory::{Address, MemoryAccess, WriteEvent};
use crate::program::Program;

/// Executes the instruction; returns the next address.
///
/// # Errors
/// The exception it raises.
pub fn execute(program: &Program, hart: &mut Hart, decoded: &Decoded) -> Result<u64, Exception> {
    let instruction = program.instructions().get(decoded.id);
    hart.accesses.clear();
    let mut state = State { program, hart, exception: None };
    let outcome = eval::execute(program.module(), instruction, decoded.word, decoded.pc, &mut state);
    let exception = state.exception;
    match outcome {
        Ok(Outcome::Done { next_pc, calls }) if calls.is_empty() => Ok(next_pc),
        Ok(Outcome::Raised { cause, .. }) if cause == U256::from(Exception::ILLEGAL) => {
            Err(Exception::illegal(decoded.word))
        }
        Ok(Outcome::Raised { cause, tval }) => Err(Exception { cause: cause.as_u64(), value: tval.as_u64() }),
        // An extern function without a native body, or an element that a register file lacks.
        Ok(Outcome::Done { .. }) | Err(_) => Err(exception.unwrap_or(Exception::illegal(decoded.word))),
    }
}

/// A hart as the evaluator sees it.
struct State<'a> {
    program: &'a Program,
    hart: &'a mut Hart,
    exception: Option<Exception>,
}

impl State<'_> {
    fn refuse(&mut self, exception: Exception, space: SpaceId, address: u64) -> eval::Fault {
        self.exception = Some(exception);
        eval::Fault::Access { space, address }
    }

    fn note(&mut self, address: u64, elements: u32, stored: Option<u64>) {
        let size = elements as u8;
        self.hart.accesses.push(MemoryAccess { address: Address(address), size, stored });
    }

    fn access(&self, access: Access, address: u64) -> Exception {
        crate::fault::MemoryFault { access, address: Address(address) }.into()
    }
}

impl eval::Machine for State<'_> {
    fn read_reg(&mut self, reg: RegId, index: u32) -> U256 {
        if self.program.roles().is_x(reg) {
            U256::from(self.hart.x(index as u16))
        } else {
            self.hart.custom.get(&(reg, index)).copied().unwrap_or_default()
        }
    }

    fn write_reg(&mut self, reg: RegId, index: u32, value: U256) {
        if self.program.roles().is_x(reg) {
            self.hart.set_x(index as u16, value.as_u64());
        } else {
            self.hart.custom.insert((reg, index), value);
        }
    }

    fn read_space(&mut self, space: SpaceId, address: u64, elements: u32) -> Result<U256, eval::Fault> {
        let mask = self.program.isa().xlen().mask();
        match self.program.roles().space(space) {
            NativeSpace::Memory => {
                self.note(address, elements, None);
                (0..elements).rev().try_fold(U256::ZERO, |value, offset| {
                    let at = address.wrapping_add(offset.into()) & mask;
                    match self.hart.memory.read::<1>(at, Access::Load) {
                        Ok([byte]) => Ok(value << 8 | U256::from(byte)),
                        Err(_) => Err(self.refuse(self.access(Access::Load, address), space, address)),
                    }
                })
            }
            NativeSpace::Csr => {
                let value = self.hart.read_csr(address, self.hart.retired);
                value.map(U256::from).map_err(|_| eval::Fault::Access { space, address })
            }
            NativeSpace::Reservation => {
                let held = self.hart.reservation.take().is_some_and(|held| held.covers(address));
                Ok(U256::from(held))
            }
            NativeSpace::Fence => Ok(U256::ZERO),
            NativeSpace::Unknown => Err(eval::Fault::Access { space, address }),
        }
    }

    fn write_space(
        &mut self,
        space: SpaceId,
        address: u64,
        elements: u32,
        value: U256,
    ) -> Result<(), eval::Fault> {
        let mask = self.program.isa().xlen().mask();
        match self.program.roles().space(space) {
            NativeSpace::Memory => {
                let at = |offset: u32| address.wrapping_add(offset.into()) & mask;
                if (0..elements).any(|offset| self.hart.memory.read::<1>(at(offset), Access::Store).is_err())
                {
                    return Err(self.refuse(self.access(Access::Store, address), space, address));
                }
                self.note(address, elements, Some(value.as_u64()));
                for offset in 0..elements {
                    let byte = (value >> (8 * offset)).as_u8();
                    // The machine looks at `tohost` when the block ends.
                    if let Err(WriteEvent::Fault(fault)) = self.hart.memory.write(at(offset), [byte]) {
                        return Err(self.refuse(fault.into(), space, address));
                    }
                }
                Ok(())
            }
            NativeSpace::Csr => {
                let written = self.hart.write_csr(address, value.as_u64(), self.hart.retired);
                let held = self.hart.held_csr(address, value.as_u64(), self.hart.retired + 1);
                self.hart.written_csr = Some((address as u16, held));
                written.map_err(|_| eval::Fault::Access { space, address })
            }
            NativeSpace::Reservation => {
                self.hart.reservation = Some(Reservation { address, bytes: value.as_u64() });
                Ok(())
            }
            NativeSpace::Fence => Ok(()),
            NativeSpace::Unknown => Err(eval::Fault::Access { space, address }),
        }
    }
}
