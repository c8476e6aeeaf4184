//! Both tiers on the same vector programs, hot in loops: registers, memory, CSRs, faults and counts are equal.

#[path = "../../../engine/tests/guest/mod.rs"]
mod guest;
#[path = "../numbers/mod.rs"]
mod numbers;
#[path = "../../../engine/tests/tier/interpreter.rs"]
mod tier;

mod active;
mod arithmetic;
mod bits;
mod bodies;
mod columns;
mod comparisons;
mod conversions;
mod doubles;
mod doublewords;
mod element_faults;
mod fields_at_indices;
mod fixed;
mod float_loops;
mod float_states;
mod float_widths;
mod floats;
mod folds;
mod gathers;
mod half_blocks;
mod half_numbers;
mod halves;
mod ieee;
mod ieee_double;
mod index_masks;
mod indexed;
mod lengths;
mod looped;
mod loops;
mod many_fields;
mod masking;
mod mixtures;
mod model;
mod parted;
mod parts;
mod random;
mod roundings;
mod rounds;
mod scalars;
mod scattered;
mod segment_faults;
mod segments;
mod stride_faults;
mod under_masks;
mod unit;
mod unusual;
mod wide;
mod widths;

use engine::{Blind, Limits, Machine, Program, Stop};
use hart::csr::Clock;
use hart::pages::{Pages, Rights};
use hart::{Address, AgnosticFill, Htif, Memory};
use isa::Vlen;
use jit::Jit;

use crate::guest::{BASE, DATA, SIZE, Screen};

/// Where the trap handler is.
const HANDLER: u64 = BASE + 0x1800;
/// Eight bytes in the data that are an event to write.
const TOHOST: u64 = DATA + 0x1000;

/// What two machines have in common.
pub struct Setup<'p> {
    /// The instructions there are.
    pub program: &'p Program,
    /// Bits of a vector register.
    pub vlen: u32,
    /// What becomes of agnostic elements.
    pub fill: AgnosticFill,
    /// From [`BASE`] on.
    pub words: Vec<u32>,
    /// From [`HANDLER`] on; without one, a trap ends the run.
    pub handler: Vec<u32>,
    /// The integer registers.
    pub x: Vec<u64>,
    /// The floating-point registers, from f0 on.
    pub floats: Vec<u64>,
    /// What the vector registers hold, one after the other; a pattern if it is empty.
    pub lanes: Vec<u8>,
    /// Whether memory is a process's, which may access all of it.
    pub paged: bool,
    /// Bytes of memory.
    pub size: usize,
}

impl<'p> Setup<'p> {
    /// Of this code, with registers of 128 bits and nothing else given.
    pub fn new(program: &'p Program, words: Vec<u32>) -> Self {
        Self {
            program,
            vlen: 128,
            fill: AgnosticFill::Undisturbed,
            words,
            handler: Vec::new(),
            x: Vec::new(),
            floats: Vec::new(),
            lanes: Vec::new(),
            paged: false,
            size: SIZE,
        }
    }

    /// A machine at its start, with the vector unit on.
    pub fn machine(&self) -> Machine<'p> {
        let mut memory = self.memory();
        for (start, words) in [(BASE, &self.words), (HANDLER, &self.handler)] {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            memory.slice_mut(Address(start), bytes.len()).expect("the code fits").copy_from_slice(&bytes);
        }
        let data = memory.slice_mut(Address(DATA), 0x1000).expect("the data fits");
        for (index, byte) in data.iter_mut().enumerate() {
            *byte = (index * 37 + index / 7) as u8;
        }
        // A process has none.
        let tohost = (!self.paged).then_some(Address(TOHOST));
        tohost.into_iter().for_each(|tohost| memory.set_tohost(tohost));
        let mut machine = Machine::new(self.program, memory, Address(BASE), Htif::new(tohost, None));
        machine.hart.vector.set_vlen(Vlen::new(self.vlen).expect("a vector length"));
        machine.hart.vector.set_fill(self.fill);
        for register in 0..32 {
            for (index, byte) in machine.hart.vector.register_mut(register).iter_mut().enumerate() {
                *byte = (register * 91 + index * 29 + index / 5) as u8;
            }
        }
        let vlenb = self.vlen as usize / 8;
        for (register, lanes) in self.lanes.chunks_exact(vlenb).take(32).enumerate() {
            machine.hart.vector.register_mut(register).copy_from_slice(lanes);
        }
        for (register, &bits) in self.floats.iter().enumerate() {
            machine.hart.float.set_raw(register as u32, bits);
        }
        machine.hart.write_csr(0x300, 0x3e00, Clock::default()).expect("a writable register");
        if !self.handler.is_empty() {
            machine.hart.csrs.mtvec = Some(HANDLER);
        }
        for (register, value) in self.x.iter().enumerate() {
            machine.hart.set_x(register as u16, value & self.program.isa().xlen().mask());
        }
        machine
    }

    fn memory(&self) -> Memory {
        if !self.paged {
            return Memory::new(Address(BASE), self.size).expect("a small memory");
        }
        let range = BASE..BASE + self.size as u64;
        let mut pages = Pages::new(range.end).expect("address space");
        pages.set_rights(range, Rights::READ | Rights::WRITE | Rights::EXECUTE);
        Memory::paged(pages).expect("no host memory is needed")
    }

    /// Compares the tiers wherever a run is paused, `steps` instructions apart.
    pub fn assert_equal_tiers(&self, steps: u64, pauses: u64, threshold: u32) {
        let (mut interpreted, mut compiled) = (self.machine(), self.machine());
        compiled.set_compiler(Box::new(rounds::Strict(Jit::new().after(threshold))));
        for pause in 1..=pauses {
            let limits = Limits { instructions: Some(steps * pause) };
            let expected = interpreted.run(limits, &mut Blind, &mut Screen::default());
            let stop = compiled.run(limits, &mut Blind, &mut Screen::default());
            assert_eq!(stop, expected, "after {} instructions of {}", steps * pause, self.listing());
            self.assert_same_state(&mut interpreted, &mut compiled);
            if stop != Stop::InstructionLimit {
                break;
            }
        }
    }

    fn listing(&self) -> String {
        let name = |word: &u32| {
            let mut all = self.program.module().instructions.iter();
            let found =
                all.find(|instruction| word & instruction.encoding.mask == instruction.encoding.value);
            let fields = [7, 15, 20, 25].map(|low| word >> low & 31);
            format!("\n{word:08x} {} {fields:?}", found.map_or("?", |instruction| &instruction.name))
        };
        self.words.iter().map(name).collect()
    }

    fn assert_same_state(&self, interpreted: &mut Machine<'_>, compiled: &mut Machine<'_>) {
        let (a, b) = (&mut interpreted.hart, &mut compiled.hart);
        assert_eq!((a.pc(), a.retired()), (b.pc(), b.retired()));
        for register in 0..32 {
            assert_eq!(a.x(register), b.x(register), "x{register} at {:#x} {}", a.pc().0, self.listing());
        }
        for register in 0..32 {
            let (a, b) = (a.vector.register(register), b.vector.register(register));
            assert!(a == b, "v{register}: {a:x?} and {b:x?} {}", self.listing());
        }
        for csr in [0x300, 0x003, 0x008, 0x009, 0x00a, 0xc20, 0xc21, 0x341, 0x342, 0x343] {
            let (a, b) = (a.read_csr(csr, Clock::default()).ok(), b.read_csr(csr, Clock::default()).ok());
            assert_eq!(a, b, "CSR {csr:#x} {}", self.listing());
        }
        let bytes = |machine: &Machine<'_>| machine.memory.slice(Address(BASE), SIZE).map(<[u8]>::to_vec);
        assert!(bytes(interpreted) == bytes(compiled), "memory differs {}", self.listing());
    }
}
