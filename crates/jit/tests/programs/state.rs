//! All of a hart that its program could see, and its memory.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use engine::Machine;
use hart::Address;
use hart::csr::{self, Privilege, number};
use hart::float::FloatUnit;

use crate::guest::{BASE, SIZE};

/// Every CSR that has a name, but for the one that is another at each read.
static KNOWN: LazyLock<Vec<u16>> =
    LazyLock::new(|| (0..0x1000).filter(|&csr| csr::name(csr).is_some() && csr != number::SEED).collect());

/// State at a pause.
#[derive(PartialEq, Eq)]
pub struct State {
    pc: u64,
    retired: u64,
    x: [u64; 32],
    float: FloatUnit,
    vectors: Vec<u8>,
    privilege: Privilege,
    csrs: Vec<(u16, Option<u64>)>,
    memory: Vec<u8>,
    histogram: Vec<u64>,
    profile: BTreeMap<u64, u64>,
}

impl State {
    /// The state of a machine.
    pub fn of(machine: &mut Machine<'_>) -> Self {
        let (histogram, profile) = (machine.histogram(), machine.profile());
        let hart = &mut machine.hart;
        let (privilege, retired, clock) = (hart.csrs.privilege, hart.retired(), hart.clock(0));
        hart.csrs.privilege = Privilege::Machine;
        let csrs = KNOWN.iter().map(|&csr| (csr, hart.read_csr(csr.into(), clock).ok())).collect();
        hart.csrs.privilege = privilege;
        let registers = if hart.vector.vlenb() == 0 { 0 } else { 32 };
        Self {
            pc: hart.pc().0,
            retired,
            x: std::array::from_fn(|register| hart.x(register as u16)),
            float: hart.float.clone(),
            vectors: (0..registers).flat_map(|register| hart.vector.register(register).to_vec()).collect(),
            privilege,
            csrs,
            memory: machine.memory.slice(Address(BASE), SIZE).expect("all of it").to_vec(),
            histogram,
            profile,
        }
    }

    /// What differs first from the state that it should be.
    pub fn difference(&self, expected: &Self) -> Option<String> {
        if self == expected {
            return None;
        }
        let (pc, retired) = (self.pc, self.retired);
        if (pc, retired) != (expected.pc, expected.retired) {
            let (pc_then, then) = (expected.pc, expected.retired);
            return Some(format!("pc {pc:#x} after {retired}, not {pc_then:#x} after {then}"));
        }
        if let Some(register) = (0..32).find(|&register| self.x[register] != expected.x[register]) {
            let (is, should) = (self.x[register], expected.x[register]);
            return Some(format!("x{register} is {is:#x}, not {should:#x}, at {pc:#x} after {retired}"));
        }
        if let Some((is, should)) = self.csrs.iter().zip(&expected.csrs).find(|(is, should)| is != should) {
            return Some(format!("CSR {:#x} is {:x?}, not {:x?}", is.0, is.1, should.1));
        }
        let byte = self.memory.iter().zip(&expected.memory).position(|(is, should)| is != should);
        let parts = [
            ("floating-point registers", self.float == expected.float),
            ("vector registers", self.vectors == expected.vectors),
            ("mode", self.privilege == expected.privilege),
            ("histogram", self.histogram == expected.histogram),
            ("profile", self.profile == expected.profile),
        ];
        let unequal: Vec<&str> = parts.iter().filter(|(_, equal)| !equal).map(|(name, _)| *name).collect();
        Some(format!("unequal after {retired}: {unequal:?}, memory from {byte:x?}"))
    }
}
