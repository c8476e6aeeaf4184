//! Loops of scalar floating-point instructions: registers, flags, the unit's state and memory are equal.

mod loops;
mod single;

use std::rc::Rc;
use std::sync::LazyLock;

use engine::{Machine, Program, Stop};
use hart::csr::Clock;
use hart::{Address, Htif, Memory};
use jit::Jit;

use crate::assert_equal;
use crate::guest::{BASE, DATA, SIZE, program};
use crate::watched::{Seen, Watched};

/// Where the trap handler is.
const HANDLER: u64 = BASE + 0x1800;
/// Eight bytes in the data that are an event to write.
const TOHOST: u64 = DATA + 0x1800;
/// The register that counts rounds down.
const ROUNDS: i64 = 31;

const FFLAGS: i64 = 1;
const FRM: i64 = 2;
const MSTATUS: i64 = 0x300;
const MEPC: i64 = 0x341;

/// RV64 and RV32.
static PROGRAMS: [LazyLock<Program>; 2] =
    [LazyLock::new(|| program("rv64gc_zfh")), LazyLock::new(|| program("rv32gc_zfh"))];

/// The word of an instruction with those of the given operand fields that it has.
fn op(program: &Program, name: &str, fields: &[(&str, i64)]) -> u32 {
    let mut all = program.module().instructions.iter();
    let instruction = all.find(|instruction| instruction.name == name);
    let encoding = &instruction.unwrap_or_else(|| panic!("no instruction {name}")).encoding;
    encoding.fields.iter().fold(encoding.value, |word, field| {
        let value = fields.iter().find(|(name, _)| *name == field.name).map_or(0, |(_, value)| *value);
        word | field.insert(value as u64)
    })
}

/// Exchanges a CSR and a register.
fn exchange(program: &Program, csr: i64, register: i64) -> u32 {
    op(program, "CSRRW", &[("rd", register), ("csr", csr), ("rs1", register)])
}

/// Sets a CSR to a register.
fn write(program: &Program, csr: i64, register: i64) -> u32 {
    op(program, "CSRRW", &[("csr", csr), ("rs1", register)])
}

/// The bytes of instructions, some of which may be compressed.
fn bytes(words: &[u32]) -> Vec<u8> {
    let of = |word: &u32| word.to_le_bytes()[..if isa::is_wide(*word) { 4 } else { 2 }].to_vec();
    words.iter().flat_map(of).collect()
}

/// The loop of these instructions, after what `before` does once.
fn looped(program: &Program, before: &[u32], again: &[u32]) -> Vec<u32> {
    let back = -4 - bytes(again).len() as i64;
    let end = [
        op(program, "ADDI", &[("rd", ROUNDS), ("rs1", ROUNDS), ("imm", -1)]),
        op(program, "BNE", &[("rs1", ROUNDS), ("imm", back)]),
        op(program, "JAL", &[]),
    ];
    [before, again, &end].concat()
}

/// What two machines have in common.
struct Setup<'p> {
    program: &'p Program,
    /// From [`BASE`] on.
    words: Vec<u32>,
    /// From [`HANDLER`] on; without one, a trap ends the run.
    handler: Vec<u32>,
    x: Vec<u64>,
    floats: Vec<u64>,
    /// From [`DATA`] on.
    data: Vec<u64>,
}

impl<'p> Setup<'p> {
    fn new(program: &'p Program, words: Vec<u32>) -> Self {
        let mut x = vec![0; 32];
        x[ROUNDS as usize] = 20;
        Self { program, words, handler: Vec::new(), x, floats: Vec::new(), data: Vec::new() }
    }

    /// A machine at its start, with the unit on.
    fn machine(&self) -> Machine<'p> {
        let mut memory = Memory::new(Address(BASE), SIZE).expect("a small memory");
        let data = self.data.iter().flat_map(|word| word.to_le_bytes()).collect();
        for (start, bytes) in [(BASE, bytes(&self.words)), (HANDLER, bytes(&self.handler)), (DATA, data)] {
            memory.slice_mut(Address(start), bytes.len()).expect("all fits").copy_from_slice(&bytes);
        }
        memory.set_tohost(Address(TOHOST));
        let htif = Htif::new(Some(Address(TOHOST)), None);
        let mut machine = Machine::new(self.program, memory, Address(BASE), htif);
        for (register, &bits) in self.floats.iter().enumerate() {
            machine.hart.float.set_raw(register as u32, bits);
        }
        machine.hart.write_csr(MSTATUS as u64, 0x7800, Clock::default()).expect("a writable register");
        if !self.handler.is_empty() {
            machine.hart.csrs.mtvec = Some(HANDLER);
        }
        for (register, value) in self.x.iter().enumerate() {
            machine.hart.set_x(register as u16, value & self.program.isa().xlen().mask());
        }
        machine
    }

    /// Compares the tiers wherever a run is paused, `steps` instructions apart. Returns how often
    /// compiled code was entered.
    fn assert_equal_tiers(&self, steps: u64, pauses: u64, threshold: u32) -> usize {
        let (mut interpreted, mut compiled) = (self.machine(), self.machine());
        let seen = Rc::new(Seen::default());
        compiled.set_compiler(Box::new(Watched(Jit::new().after(threshold), Rc::clone(&seen))));
        for pause in 1..=pauses {
            let stop = assert_equal(&mut interpreted, &mut compiled, steps * pause);
            self.assert_same_unit(&mut interpreted, &mut compiled);
            if stop != Stop::InstructionLimit {
                break;
            }
        }
        seen.entered.get()
    }

    fn assert_same_unit(&self, interpreted: &mut Machine<'_>, compiled: &mut Machine<'_>) {
        let (a, b) = (&mut interpreted.hart, &mut compiled.hart);
        for register in 0..32 {
            let (a, b) = (a.float.raw(register), b.float.raw(register));
            assert!(a == b, "f{register}: {b:#x} instead of {a:#x} {}", self.listing());
        }
        for csr in [MSTATUS as u64, 3, 0x341, 0x342, 0x343] {
            let (a, b) = (a.read_csr(csr, Clock::default()).ok(), b.read_csr(csr, Clock::default()).ok());
            assert!(a == b, "CSR {csr:#x}: {b:x?} instead of {a:x?} {}", self.listing());
        }
        // The flags and the rounding mode too, though the unit may be off.
        assert!(a.float == b.float, "{:?} instead of {:?} {}", b.float, a.float, self.listing());
    }

    fn listing(&self) -> String {
        let name = |word: &u32| {
            let mut all = self.program.module().instructions.iter();
            let found =
                all.find(|instruction| word & instruction.encoding.mask == instruction.encoding.value);
            let fields = [7, 15, 20, 27].map(|low| word >> low & 31);
            format!("\n{word:08x} {} {fields:?}", found.map_or("?", |instruction| &instruction.name))
        };
        self.words.iter().map(name).collect()
    }
}
