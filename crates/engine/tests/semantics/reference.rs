//! The reference: one hart stepped by the plain evaluator, which every faster engine must equal.

use std::collections::HashMap;

use coredsl::eval::{self, Fault, Outcome};
use coredsl::ir::{Behavior, Module, RegId, SpaceId};
use engine::{Machine, Program};
use ethnum::U256;
use hart::csr::{Clock, Csrs};
use hart::{Address, Exception, Memory};

use crate::guest::BASE;
use crate::tier;

/// Bytes of memory, from [`BASE`].
pub const MEMORY: usize = 0x2000;

/// State of a hart and of its memory.
pub struct Reference<'p> {
    program: &'p Program,
    pub pc: u64,
    pub x: [u64; 32],
    pub bytes: Vec<u8>,
    pub retired: u64,
    csrs: Csrs,
    reservation: Option<(u64, u64)>,
    custom: HashMap<(RegId, u32), U256>,
    refused: Option<Exception>,
}

impl Clone for Reference<'_> {
    fn clone(&self) -> Self {
        // The CSRs start again: whoever clones has executed nothing that writes them.
        Self {
            csrs: Csrs::new(self.program.isa(), 0),
            bytes: self.bytes.clone(),
            custom: self.custom.clone(),
            ..*self
        }
    }
}

impl<'p> Reference<'p> {
    /// A hart at reset with these registers and memory; x0 is made zero.
    pub fn new(program: &'p Program, mut x: [u64; 32], bytes: Vec<u8>) -> Self {
        assert_eq!(bytes.len(), MEMORY);
        x[0] = 0;
        let mask = program.isa().xlen().mask();
        Self {
            program,
            pc: BASE,
            x: x.map(|value| value & mask),
            bytes,
            retired: 0,
            csrs: Csrs::new(program.isa(), 0),
            reservation: None,
            custom: HashMap::new(),
            refused: None,
        }
    }

    /// A machine in the same state.
    pub fn machine(&self) -> Machine<'p> {
        let mut memory = Memory::new(Address(BASE), MEMORY).expect("a small memory");
        memory.slice_mut(Address(BASE), MEMORY).expect("all of it").copy_from_slice(&self.bytes);
        let mut machine =
            tier::prepare(Machine::new(self.program, memory, Address(self.pc), hart::Htif::default()));
        for (register, value) in self.x.iter().enumerate() {
            machine.hart.set_x(register as u16, *value);
        }
        machine
    }

    /// What differs between this state and the machine's, if anything.
    pub fn difference(&self, machine: &Machine<'_>) -> Option<String> {
        let hart = &machine.hart;
        if (hart.pc().0, hart.retired()) != (self.pc, self.retired) {
            let (pc, retired) = (hart.pc().0, hart.retired());
            return Some(format!("pc {pc:#x} after {retired}, not {:#x} after {}", self.pc, self.retired));
        }
        if let Some(register) = (0..32).find(|&register| hart.x(register) != self.x[usize::from(register)]) {
            let (is, should) = (hart.x(register), self.x[usize::from(register)]);
            return Some(format!("x{register} is {is:#x}, not {should:#x}"));
        }
        let bytes = machine.memory.slice(Address(BASE), MEMORY).expect("all of it");
        let at = bytes.iter().zip(&self.bytes).position(|(is, should)| is != should)?;
        Some(format!("byte {:#x} is {:#x}, not {:#x}", BASE + at as u64, bytes[at], self.bytes[at]))
    }

    /// Writes an instruction word.
    pub fn place(&mut self, pc: u64, word: u32) {
        let at = (pc - BASE) as usize;
        let length = if isa::is_wide(word) { 4 } else { 2 };
        self.bytes[at..at + length].copy_from_slice(&word.to_le_bytes()[..length]);
    }

    /// The word at the program counter, the upper half of a compressed one zero.
    pub fn word(&self) -> Option<u32> {
        let half = |pc: u64| {
            let at = usize::try_from(pc.checked_sub(BASE)?).ok()?;
            Some(u32::from(u16::from_le_bytes(self.bytes.get(at..at + 2)?.try_into().ok()?)))
        };
        let low = half(self.pc)?;
        if isa::is_wide(low) { Some(half(self.pc + 2)? << 16 | low) } else { Some(low) }
    }

    /// True if the next instruction has a native body, which is not modelled here.
    pub fn is_native(&self) -> bool {
        let id = self.word().and_then(|word| self.program.decode(word));
        id.is_some_and(|id| self.program.instructions().get(id).behavior == Behavior::Extern)
    }

    /// Executes one instruction that has no native body.
    pub fn step(&mut self) -> Result<(), Exception> {
        let word = self.word().ok_or(Exception { cause: Exception::FETCH_ACCESS, value: self.pc })?;
        let program = self.program;
        let instruction = program.instructions().get(program.decode(word).ok_or(Exception::illegal(word))?);
        self.refused = None;
        match eval::execute(program.module(), instruction, word, self.pc, self) {
            Ok(Outcome::Done { next_pc, calls }) => {
                assert!(calls.is_empty(), "{} calls {calls:?}", instruction.name);
                self.pc = next_pc;
                self.retired += 1;
                Ok(())
            }
            Ok(Outcome::Raised { cause, .. }) if cause == U256::from(Exception::ILLEGAL) => {
                Err(Exception::illegal(word))
            }
            Ok(Outcome::Raised { cause, tval }) => {
                Err(Exception { cause: cause.as_u64(), value: tval.as_u64() })
            }
            Err(_) => {
                let mut exception = self.refused.take().unwrap_or(Exception::illegal(word));
                // An AMO's load counts as a store (Privileged ISA, "Machine Cause Register").
                if instruction.mnemonic.starts_with("amo") && exception.cause == Exception::LOAD_ACCESS {
                    exception.cause = Exception::STORE_ACCESS;
                }
                Err(exception)
            }
        }
    }

    fn module(&self) -> &Module {
        self.program.module()
    }

    fn offsets(&self, address: u64, count: u32) -> Option<Vec<usize>> {
        let mask = self.program.isa().xlen().mask();
        let offset = |index: u32| {
            let at = (address.wrapping_add(index.into()) & mask).checked_sub(BASE)?;
            (at < MEMORY as u64).then_some(at as usize)
        };
        (0..count).map(offset).collect()
    }

    fn refuse(&mut self, cause: u64, space: SpaceId, address: u64) -> Fault {
        self.refused = Some(Exception { cause, value: address });
        Fault::Access { space, address }
    }
}

impl eval::Machine for Reference<'_> {
    fn read_reg(&mut self, reg: RegId, index: u32) -> U256 {
        if self.module().registers[reg.index()].is_main {
            return self.x[index as usize].into();
        }
        self.custom.get(&(reg, index)).copied().unwrap_or_default()
    }

    fn write_reg(&mut self, reg: RegId, index: u32, value: U256) {
        if self.module().registers[reg.index()].is_main {
            self.x[index as usize] = value.as_u64();
        } else {
            self.custom.insert((reg, index), value);
        }
    }

    fn read_space(&mut self, space: SpaceId, address: u64, elements: u32) -> Result<U256, Fault> {
        match self.module().spaces[space.index()].name.as_str() {
            "MEM" => match self.offsets(address, elements) {
                Some(at) => {
                    Ok(at.iter().rev().fold(U256::ZERO, |value, &at| value << 8 | U256::from(self.bytes[at])))
                }
                None => Err(self.refuse(Exception::LOAD_ACCESS, space, address)),
            },
            "CSR" => {
                let value = self.csrs.read(address, Clock::of_instructions(self.retired));
                value.map(U256::from).map_err(|_| Fault::Access { space, address })
            }
            "RES" => {
                let held = self.reservation.take();
                Ok(U256::from(held.is_some_and(|(from, bytes)| address.wrapping_sub(from) < bytes)))
            }
            other => panic!("a read of {other}"),
        }
    }

    fn write_space(&mut self, space: SpaceId, address: u64, elements: u32, value: U256) -> Result<(), Fault> {
        match self.module().spaces[space.index()].name.as_str() {
            "MEM" => match self.offsets(address, elements) {
                Some(offsets) => {
                    for (index, at) in offsets.into_iter().enumerate() {
                        self.bytes[at] = (value >> (8 * index as u32)).as_u8();
                    }
                    Ok(())
                }
                None => Err(self.refuse(Exception::STORE_ACCESS, space, address)),
            },
            "CSR" => {
                let written = self.csrs.write(address, value.as_u64(), Clock::of_instructions(self.retired));
                written.map_err(|_| Fault::Access { space, address })
            }
            "RES" => {
                self.reservation = Some((address, value.as_u64()));
                Ok(())
            }
            "FENCE" => Ok(()),
            other => panic!("a write to {other}"),
        }
    }
}
