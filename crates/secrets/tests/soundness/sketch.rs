//! Random programs, and what becomes of them with one secret or another.

use coredsl::ir::Instruction;
use engine::{Limits, Machine, Observer, Program};
use hart::{Address, Host, Htif, Memory};
use isa::Descriptions;
use secrets::{Check, Options, Shadow};

pub const BASE: u64 = 0x8000_0000;
/// Where programs load and store.
pub const DATA: u64 = BASE + 0x2000;
pub const DATA_BYTES: usize = 256;

/// A xorshift generator.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        (self.bits() >> 16) % bound
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// A number as programs have them: random, small, or of few bits.
    pub fn number(&mut self) -> u64 {
        match self.below(4) {
            0 => self.bits(),
            1 => self.below(70),
            2 => self.bits() & self.bits() & self.bits(),
            _ => self.bits() | self.bits() | self.bits(),
        }
    }
}

pub fn program(isa: &str) -> Program {
    let descriptions = Descriptions::read(&[]).expect("the built-in descriptions are sound");
    Program::new(isa, &descriptions).expect("a known ISA string")
}

/// A word of an instruction with fields as `choose` gives them.
pub fn word(instruction: &Instruction, mut choose: impl FnMut(&str) -> u64) -> u32 {
    let fields = &instruction.encoding.fields;
    fields.iter().fold(instruction.encoding.value, |word, field| word | field.insert(choose(&field.name)))
}

struct Quiet;

impl Host for Quiet {
    fn console(&mut self, _: &[u8]) {}
}

/// A machine with these words at its beginning, integer registers, and data.
pub fn machine<'p>(program: &'p Program, words: &[u32], registers: &[u64; 32], data: &[u8]) -> Machine<'p> {
    let mut memory = Memory::new(Address(BASE), 0x4000).expect("a small memory");
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.slice_mut(Address(BASE), code.len()).expect("the code fits").copy_from_slice(&code);
    memory.slice_mut(Address(DATA), data.len()).expect("the data fits").copy_from_slice(data);
    let mut machine = Machine::new(program, memory, Address(BASE), Htif::default());
    for (number, &value) in (0..).zip(registers) {
        machine.hart.set_x(number, value & program.isa().xlen().mask());
    }
    machine
}

/// Executes some instructions.
pub fn run<O: Observer>(machine: &mut Machine<'_>, instructions: usize, observer: &mut O) {
    machine.run(Limits { instructions: Some(instructions as u64) }, observer, &mut Quiet);
}

/// A check of a machine that is about to run.
pub fn check(machine: &Machine<'_>, program: &Program) -> Check {
    let options = Options { line: 1, variable: Vec::new(), unlisted: Vec::new(), arguments: |_| 0 };
    Check::new(Shadow::new(program, &machine.hart, &options), None, Vec::new())
}
