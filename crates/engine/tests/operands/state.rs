//! State of a hart before a trial, and what of it may be changed.

use engine::observer::{Flow, Retired};
use engine::{Blind, Limits, Machine, Observer, Program, Stop};
use hart::csr::Clock;
use hart::memory::MemoryAccess;
use hart::{Address, AgnosticFill, Htif, Memory};
use isa::{Vlen, Xlen};

use crate::guest::{self, BASE, Screen};
use crate::outcome::{self, Outcome};
use crate::random::{self, Random};

/// Bytes of memory.
pub const MEMORY: usize = 0x2000;
/// Bytes at its beginning that hold code.
pub const CODE: usize = 16;
/// Where pointers lead.
const DATA: u64 = BASE + 0x1000;

/// CSRs that are set before a trial and looked at after it.
pub const CSRS: [u16; 10] = [0x001, 0x002, 0x008, 0x009, 0x00a, 0x017, 0x340, 0x341, 0x342, 0x343];
pub const VL: u16 = 0xc20;
pub const VTYPE: u16 = 0xc21;
pub const MSTATUS: u16 = 0x300;
/// FS and VS initial, and the previous mode machine mode.
pub const UNITS_ON: u64 = 0x3a00;
/// What `mret` makes of `mstatus.MIE`.
const MPIE: u64 = 0x80;

#[derive(Clone)]
pub struct State {
    pub x: [u64; 32],
    pub f: [u64; 32],
    pub v: Vec<u8>,
    pub vlenb: usize,
    /// Element width in bits and log2 of LMUL, and the policies' bits.
    pub sew: u16,
    pub lmul: i8,
    pub policies: u64,
    /// The setting is one that is not supported; `vl` is 0 then.
    pub illegal: bool,
    pub vl: u64,
    pub csrs: [u64; CSRS.len()],
    /// `mstatus`: units and MPIE.
    pub status: u64,
    pub memory: Vec<u8>,
    pub fill: AgnosticFill,
    /// Address of a reservation.
    pub reservation: Option<u64>,
}

/// Keeps the accesses of the instruction that retires.
#[derive(Default)]
struct Accesses(Vec<MemoryAccess>);

impl Observer for Accesses {
    const TRACE: bool = true;

    fn retired(&mut self, instruction: &Retired<'_>) -> Flow {
        self.0 = instruction.accesses.to_vec();
        Flow::Continue
    }
}

impl State {
    pub fn new(random: &mut Random, program: &Program) -> Self {
        let mask = program.isa().xlen().mask();
        let vlenb = if program.isa().has("zve32x") { random.pick(&[16, 16, 32]) } else { 0 };
        let mut state = Self {
            x: [0; 32],
            f: [0; 32],
            v: vec![0; 32 * vlenb],
            vlenb,
            sew: 8,
            lmul: 0,
            policies: random.pick(&[0, 0x40, 0x80, 0xc0]),
            illegal: false,
            vl: 0,
            csrs: [0; CSRS.len()],
            status: if random.one_in(8) { status(random) } else { UNITS_ON | random.pick(&[0, MPIE]) },
            memory: vec![0; MEMORY],
            fill: if random.one_in(2) { AgnosticFill::Ones } else { AgnosticFill::Undisturbed },
            reservation: None,
        };
        state.set_memory(random);
        let pointers = !random.one_in(3);
        // The least of each width is what saturates.
        let least = random.one_in(8).then(|| 1 << random.pick(&[7, 15, 31, 63]));
        for register in 1..32 {
            let value = x(random, pointers);
            state.set_x(register, least.unwrap_or(value) & mask);
        }
        if program.isa().has("zfinx") && random.one_in(2) {
            state.set_floats_in_x(random, program.isa().xlen());
        }
        if program.isa().has("f") {
            state.f.fill_with(|| random::float(random));
        }
        let kind = if least.is_some() { 3 } else { random.below(6) };
        for at in 0..state.v.len() {
            state.v[at] = match kind {
                0..=2 if at % 8 > 0 => 0,
                3 => random.pick(&[0, 0x80, 0x7f, 0xff]),
                _ => random.bits() as u8,
            };
        }
        // Vectors of floating-point numbers, often special.
        if random.one_in(3) {
            for bytes in state.v.as_chunks_mut().0 {
                *bytes = random::float(random).to_le_bytes();
            }
        }
        state.set_type(random);
        for (value, &number) in state.csrs.iter_mut().zip(&CSRS) {
            *value = csr(random, number, mask);
        }
        // Most vector instructions begin at element 0.
        if !random.one_in(4) {
            state.csrs[2] = 0;
        }
        state
    }

    pub fn set_x(&mut self, register: usize, value: u64) {
        if register > 0 {
            self.x[register] = value;
        }
    }

    /// Floating-point numbers in integer registers, of 64 bits in two of RV32's.
    fn set_floats_in_x(&mut self, random: &mut Random, xlen: Xlen) {
        let wide = random.one_in(2);
        for register in 0..32 {
            let value = random::float(random);
            match xlen {
                Xlen::Rv64 => self.set_x(register, value),
                Xlen::Rv32 if !wide => self.set_x(register, value & xlen.mask()),
                Xlen::Rv32 if register % 2 == 0 => {
                    self.set_x(register, value & xlen.mask());
                    self.set_x(register + 1, value >> 32);
                }
                Xlen::Rv32 => {}
            }
        }
    }

    /// Other data in memory.
    pub fn set_memory(&mut self, random: &mut Random) {
        for bytes in self.memory[CODE..].as_chunks_mut().0 {
            *bytes = random.bits().to_le_bytes();
        }
    }

    /// Another vtype, and a vl under it.
    pub fn set_type(&mut self, random: &mut Random) {
        self.sew = random.pick(&[8, 16, 32, 64]);
        let least = self.sew.ilog2() as i8 - 6;
        self.lmul = random.pick(&[-3, -2, -1, 0, 0, 1, 2, 3]).max(least);
        self.set_length(random);
    }

    /// Another `mstatus`, which differs in these bits at most.
    pub fn change_status(&mut self, random: &mut Random, bits: u64) {
        self.status = self.status & !bits | status(random) & bits;
    }

    pub fn longest(&self) -> u64 {
        let bytes = if self.lmul >= 0 { self.vlenb << self.lmul } else { self.vlenb >> -self.lmul };
        (bytes * 8) as u64 / u64::from(self.sew)
    }

    /// Another vl under the same vtype.
    pub fn set_length(&mut self, random: &mut Random) {
        let longest = self.longest();
        self.vl = if random.one_in(2) { longest } else { random.below(longest + 1) };
    }

    /// Carries the instruction out.
    pub fn run(&self, program: &Program, word: u32, traced: bool) -> Outcome {
        let mut memory = Memory::new(Address(BASE), MEMORY).expect("a small memory");
        let bytes = memory.slice_mut(Address(BASE), MEMORY).expect("all of it");
        bytes.copy_from_slice(&self.memory);
        let set =
            |bytes: &mut [u8], at: usize, word: u32| bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        let module = program.module();
        set(bytes, 8, word);
        if self.vlenb > 0 {
            set(bytes, 0, guest::encode(module, "VSETVL", &[("rs1", 1), ("rs2", 2)]));
        }
        if self.reservation.is_some() {
            set(bytes, 4, guest::encode(module, "LR__W", &[("rs1", 1)]));
        }
        let mut machine = crate::tier::prepare(Machine::new(program, memory, Address(BASE), Htif::default()));
        if self.vlenb > 0 {
            machine.hart.vector.set_vlen(Vlen::new(8 * self.vlenb as u32).expect("a vector length"));
            machine.hart.vector.set_fill(self.fill);
        }
        set_status(&mut machine, UNITS_ON);
        if self.vlenb > 0 {
            machine.hart.set_x(1, self.vl);
            machine.hart.set_x(2, self.vtype());
            step(&mut machine, BASE, &mut Blind);
            let vl = if self.illegal { 0 } else { self.vl };
            assert_eq!(machine.hart.vector.vl() as u64, vl, "the setting is as wanted");
        }
        if let Some(address) = self.reservation {
            machine.hart.set_x(1, address);
            step(&mut machine, BASE + 4, &mut Blind);
        }
        for register in 0..32 {
            machine.hart.set_x(register as u16, self.x[register]);
            {
                machine.hart.float.set_raw(register as u32, self.f[register]);
            }
            if self.vlenb > 0 {
                let bytes = &self.v[register * self.vlenb..][..self.vlenb];
                machine.hart.vector.register_mut(register).copy_from_slice(bytes);
            }
        }
        for (csr, value) in CSRS.iter().zip(self.csrs) {
            // What the ISA lacks is not there.
            let _ = machine.hart.write_csr((*csr).into(), value, Clock::default());
        }
        set_status(&mut machine, self.status);
        let before = outcome::csrs(&mut machine);
        let mut accesses = Accesses::default();
        let stop = if traced {
            step(&mut machine, BASE + 8, &mut accesses)
        } else {
            step(&mut machine, BASE + 8, &mut Blind)
        };
        Outcome::of(&mut machine, before, &stop, accesses.0)
    }

    pub fn vtype(&self) -> u64 {
        // LMUL = 1/16 is reserved.
        let lmul = if self.illegal { 4 } else { (self.lmul & 7) as u64 };
        lmul | u64::from(self.sew.ilog2() - 3) << 3 | self.policies
    }
}

fn step<O: Observer>(machine: &mut Machine<'_>, pc: u64, observer: &mut O) -> Stop {
    machine.hart.set_pc(pc);
    let limit = machine.hart.retired() + 1;
    machine.run(Limits { instructions: Some(limit) }, observer, &mut Screen::default())
}

pub fn set_status(machine: &mut Machine<'_>, status: u64) {
    machine.hart.write_csr(MSTATUS.into(), status, Clock::default()).expect("a register");
}

/// A value of `mstatus`: each unit off, initial, clean or dirty.
pub fn status(random: &mut Random) -> u64 {
    UNITS_ON & !0x2200 | random.below(4) << 13 | random.below(4) << 9 | random.pick(&[0, MPIE])
}

/// An integer: a pointer to data, a small number, or anything.
pub fn x(random: &mut Random, pointers: bool) -> u64 {
    match random.below(if pointers { 6 } else { 12 }) {
        0..=2 => DATA + 8 * random.below(64),
        3 if random.one_in(4) => BASE + MEMORY as u64 - random.below(64),
        3 => DATA + random.below(512),
        4 if random.one_in(2) => random.pick(&[0, 1, 7]),
        4 => random.below(64),
        5 => random.below(64).wrapping_neg(),
        6 => random.pick(&[0, 1, 0x7fff_ffff, 0x8000_0000, 1 << 63, u64::MAX, u64::MAX >> 1]),
        _ => random.bits(),
    }
}

/// A value that a CSR of [`CSRS`] can hold.
pub fn csr(random: &mut Random, number: u16, mask: u64) -> u64 {
    match number {
        0x001 => random.below(32),
        0x002 => random.pick(&[0, 1, 2, 3, 4, 4, 0, 7]),
        0x008 => random.pick(&[0, 1, 2, 3, 4, 8]),
        0x009 => random.below(2),
        0x00a => random.below(4),
        0x017 => DATA + 64 * random.below(8),
        0x341 => DATA + 4 * random.below(64),
        _ => random.bits() & mask,
    }
}
