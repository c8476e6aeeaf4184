//! Execution of one instruction by the plain evaluator: what lowering leaves to it.
use coredsl::eval::{self, Outcome};
use coredsl::ir::{RegId, SpaceId};
use ethnum::U256;
use hart::Hart;
use hart::fault::{Access, Exception};
use hart::memory::{Address, WriteEvent};
use hart::port::Port;

use crate::decoded::Decoded;
use crate::lower::NativeSpace;
use crate::program::Program;

/// Executes the instruction; returns the next address.
///
/// # Errors
/// The exception it raises.
pub fn execute(
    program: &Program,
    hart: &mut Hart,
    port: Port<'_>,
    decoded: &Decoded,
) -> Result<u64, Exception> {
    let instruction = program.instructions().get(decoded.id);
    let mut state = State { program, hart, port, exception: None };
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

/// A hart and memory as the evaluator sees them.
struct State<'a> {
    program: &'a Program,
    hart: &'a mut Hart,
    port: Port<'a>,
    exception: Option<Exception>,
}

impl State<'_> {
    fn refuse(&mut self, exception: Exception, space: SpaceId, address: u64) -> eval::Fault {
        self.exception = Some(exception);
        eval::Fault::Access { space, address }
    }

    fn bytes(
        &mut self,
        access: Access,
        space: SpaceId,
        address: u64,
        elements: u32,
    ) -> Result<U256, eval::Fault> {
        let mask = self.program.isa().xlen().mask();
        (0..elements).rev().try_fold(U256::ZERO, |value, offset| {
            let at = Address(address.wrapping_add(offset.into()) & mask);
            match self.port.memory.read::<1>(at, access) {
                Ok([byte]) => Ok(value << 8 | U256::from(byte)),
                Err(_) => Err(self.refuse(self.access(access, address), space, address)),
            }
        })
    }

    fn access(&self, access: Access, address: u64) -> Exception {
        hart::fault::MemoryFault { access, address: Address(address) }.into()
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
        match self.program.roles().space(space) {
            NativeSpace::Code => self.bytes(Access::Fetch, space, address, elements),
            NativeSpace::Memory => {
                self.port.note(address, elements as usize, None);
                self.bytes(Access::Load, space, address, elements)
            }
            NativeSpace::Csr => {
                let value = self.hart.read_csr(address, self.hart.clock(0));
                value.map(U256::from).map_err(|_| eval::Fault::Access { space, address })
            }
            NativeSpace::Reservation => Ok(U256::from(self.port.memory.take_reservation(Address(address)))),
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
                let at = |offset: u32| Address(address.wrapping_add(offset.into()) & mask);
                if (0..elements).any(|offset| self.port.memory.read::<1>(at(offset), Access::Store).is_err())
                {
                    return Err(self.refuse(self.access(Access::Store, address), space, address));
                }
                for start in (0..elements).step_by(8) {
                    let (size, stored) = ((elements - start).min(8), (value >> (8 * start)).as_u64());
                    self.port.note(at(start).0, size as usize, Some(stored));
                }
                for offset in 0..elements {
                    let byte = (value >> (8 * offset)).as_u8();
                    // The machine looks at `tohost` when the block ends.
                    if let Err(WriteEvent::Fault(fault)) = self.port.memory.write(at(offset), [byte]) {
                        return Err(self.refuse(fault.into(), space, address));
                    }
                }
                Ok(())
            }
            NativeSpace::Csr => {
                let written = self.hart.write_csr(address, value.as_u64(), self.hart.clock(0));
                let held = self.hart.held_csr(address, value.as_u64(), self.hart.clock(0).next());
                if let Some(effects) = &mut self.port.effects {
                    effects.csr = Some((address as u16, held));
                }
                written.map_err(|_| eval::Fault::Access { space, address })
            }
            NativeSpace::Reservation => {
                self.port.memory.reserve(Address(address), value.as_u64());
                Ok(())
            }
            NativeSpace::Fence => Ok(()),
            NativeSpace::Code | NativeSpace::Unknown => Err(eval::Fault::Access { space, address }),
        }
    }
}
