//! What an instruction left behind, and how two outcomes compare.

use engine::{Machine, Stop};
use hart::Address;
use hart::csr::Clock;
use hart::memory::MemoryAccess;

use crate::guest::BASE;
use crate::state::{CODE, CSRS, MEMORY, MSTATUS, State, UNITS_ON, VL, VTYPE, set_status};
use crate::trial::Set;

/// `mstatus.SD`, which sums up FS and VS.
const SD: u64 = 1 << 31 | 1 << 63;
/// CSRs that are compared.
const COMPARED: usize = CSRS.len() + 3;

pub struct Outcome {
    pub retired: bool,
    /// How the run ended.
    pub stop: String,
    pub pc: u64,
    pub x: Vec<u64>,
    pub f: Vec<u64>,
    pub v: Vec<u8>,
    /// Numbers and values before.
    pub before: Vec<(u16, Option<u64>)>,
    /// The same after.
    pub csrs: Vec<(u16, Option<u64>)>,
    pub memory: Vec<u8>,
    pub accesses: Vec<MemoryAccess>,
}

/// The CSRs that are compared, those of units that are off too; `None` of what the ISA lacks.
pub fn csrs(machine: &mut Machine<'_>) -> Vec<(u16, Option<u64>)> {
    let numbers: Vec<u16> = CSRS.into_iter().chain([VL, VTYPE, MSTATUS]).collect();
    assert_eq!(numbers.len(), COMPARED);
    let mut read = |number: u16| machine.hart.read_csr(number.into(), Clock::default()).ok();
    let status = read(MSTATUS).expect("a register") & !SD;
    set_status(machine, status | UNITS_ON);
    let mut read = |number: u16| machine.hart.read_csr(number.into(), Clock::default()).ok();
    let mut value = |number: u16| if number == MSTATUS { Some(status) } else { read(number) };
    let values = numbers.into_iter().map(|number| (number, value(number))).collect();
    set_status(machine, status);
    values
}

impl Outcome {
    pub fn of(
        machine: &mut Machine<'_>,
        before: Vec<(u16, Option<u64>)>,
        stop: &Stop,
        accesses: Vec<MemoryAccess>,
    ) -> Self {
        let hart = &machine.hart;
        let x = (0..32).map(|register| hart.x(register)).collect();
        let f = (0..32).map(|register| hart.float.raw(register)).collect();
        let v = if hart.vector.vlenb() == 0 {
            Vec::new()
        } else {
            (0..32).flat_map(|register| hart.vector.register(register).to_vec()).collect()
        };
        let memory = machine.memory.slice(Address(BASE), MEMORY).expect("all of it").to_vec();
        Self {
            retired: matches!(stop, Stop::InstructionLimit),
            stop: format!("{stop:?}"),
            pc: hart.pc().0,
            x,
            f,
            v,
            before,
            csrs: csrs(machine),
            memory,
            accesses,
        }
    }

    pub fn csr(&self, number: u16) -> Option<u64> {
        self.csrs.iter().find(|(known, _)| *known == number).and_then(|(_, value)| *value)
    }

    /// How this outcome from `from` differs from `other` from `start`, except in that what is not determined was kept.
    /// `written` may change; the CSRs are those before each.
    pub fn difference(&self, from: &State, other: &Self, start: &State, written: &Set) -> Option<String> {
        if (&self.stop, self.pc) != (&other.stop, other.pc) {
            return Some(format!("{} at {:#x}, and {} at {:#x}", other.stop, other.pc, self.stop, self.pc));
        }
        for register in 0..32 {
            let x = [self.x[register], from.x[register], other.x[register], start.x[register]];
            if is_different(x, written.x[register]) {
                return Some(format!("x{register}: {x:x?}"));
            }
            let f = [self.f[register], from.f[register], other.f[register], start.f[register]];
            if is_different(f, written.f[register]) {
                return Some(format!("f{register}: {f:x?}"));
            }
        }
        let is_kept = self.v == from.v && other.v == start.v;
        for at in (0..self.v.len()).filter(|_| !is_kept) {
            let v = [self.v[at], from.v[at], other.v[at], start.v[at]];
            let register = at / from.vlenb;
            // Of masks, each bit for itself.
            let bits = |value: u8| (0..8).map(move |bit| value >> bit & 1);
            let differs = if written.masks[register] {
                bits(v[0])
                    .zip(bits(v[1]))
                    .zip(bits(v[2]).zip(bits(v[3])))
                    .any(|((a, b), (c, d))| is_different([a, b, c, d], true))
            } else {
                is_different(v, written.v[register])
            };
            if differs {
                return Some(format!("byte {} of v{register}: {v:x?}", at % from.vlenb));
            }
        }
        let is_kept = self.memory == from.memory && other.memory == start.memory;
        let is_same = written.memory && self.memory == other.memory;
        for at in (CODE..MEMORY).filter(|_| !is_kept && !is_same) {
            let bytes = [self.memory[at], from.memory[at], other.memory[at], start.memory[at]];
            if is_different(bytes, written.memory) {
                return Some(format!("byte {at:#x} of memory: {bytes:x?}"));
            }
        }
        None
    }
}

/// True unless both of `[value, before, other value, before that]` are equal, or both as before; of what is not
/// written, unless both are as before.
fn is_different<T: PartialEq + Copy>([is, was, other, before]: [T; 4], written: bool) -> bool {
    !((is == was && other == before) || (written && is == other))
}
