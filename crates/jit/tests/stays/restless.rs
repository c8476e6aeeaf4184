//! Accesses of one site to more areas of a process than it remembers: its region is compiled again, and what the
//! pages do not grant is still refused, at the same place.

use std::ops::Range;

use engine::{Machine, Program, Stop};
use hart::csr::{Clock, number};
use hart::pages::{PAGE, Pages, Rights};
use hart::{Address, Htif, Memory};
use isa::Vlen;

use crate::guest::{encode, program};
use crate::pair::Pair;

/// Where the code is, the first of those that have the first place among the computed jumps but for zero.
const CODE: u64 = 0x1_0000;
/// Areas; nothing is between them.
pub const AREAS: u64 = 5;
/// From one area to the next.
const STRIDE: u64 = 8 * PAGE;
/// Pages of an area, the last one of which ends with the address space.
const PAGES: u64 = 7;
/// Misses that make a region be compiled again.
pub const MANY: u64 = 1 << 15;

/// What an area's page grants.
pub fn rights(page: u64) -> Rights {
    match page {
        2 => Rights::READ,
        3 => Rights::NONE,
        5 => Rights::WRITE,
        _ => Rights::READ | Rights::WRITE,
    }
}

/// A loop of accesses through x5, which goes from area to area.
pub struct Walk<'p> {
    program: &'p Program,
    /// End of the address space.
    size: u64,
    /// The accesses.
    body: Vec<u32>,
    /// Where in its area the first of them is.
    at: u64,
    /// Bits of a vector register.
    vlen: u32,
}

impl<'p> Walk<'p> {
    pub fn new(program: &'p Program, body: Vec<u32>, at: u64) -> Self {
        let size = 0x2_0000 + (AREAS - 1) * STRIDE + PAGES * PAGE;
        Self { program, size, body, at, vlen: 0 }
    }

    /// First byte of an area.
    pub fn area(&self, number: u64) -> u64 {
        self.size - PAGES * PAGE - (AREAS - 1 - number) * STRIDE
    }

    fn mask(&self) -> u64 {
        self.program.isa().xlen().mask()
    }

    /// Instructions of the blocks of accesses of a round through all areas.
    pub fn round(&self) -> u64 {
        AREAS * self.block()
    }

    /// Instructions of the block of accesses.
    fn block(&self) -> u64 {
        self.body.len() as u64 + 2
    }

    fn words(&self) -> Vec<u32> {
        let op = |name: &str, fields: &[(&str, i64)]| encode(self.program.module(), name, fields);
        let mut words = self.body.clone();
        words.push(op("ADD", &[("rd", 5), ("rs1", 5), ("rs2", 6)]));
        words.push(op("BNE", &[("rs1", 5), ("rs2", 7), ("imm", -4 * words.len() as i64)]));
        words.push(op("ADD", &[("rd", 5), ("rs1", 18), ("rs2", 0)]));
        words.push(op("ADDI", &[("rd", 9), ("rs1", 9), ("imm", 1)]));
        words.push(op("JAL", &[("rd", 0), ("imm", -4 * words.len() as i64)]));
        words
    }

    pub fn machine(&self) -> Machine<'p> {
        let mut pages = Pages::new(self.size).expect("address space");
        let code: Vec<u8> = self.words().into_iter().flat_map(u32::to_le_bytes).collect();
        pages.raw_mut(CODE, code.len()).expect("room").copy_from_slice(&code);
        pages.set_rights(CODE..CODE + PAGE, Rights::READ | Rights::EXECUTE);
        // Where nothing is granted, for whoever takes it for rights.
        pages.raw_mut(0, PAGE as usize).expect("room").fill(0xff);
        for area in (0..AREAS).map(|number| self.area(number)) {
            let bytes = pages.raw_mut(area, (PAGES * PAGE) as usize).expect("room");
            for (index, byte) in bytes.iter_mut().enumerate() {
                *byte = (index * 37 + index / 256 + 11) as u8;
            }
            for page in 0..PAGES {
                let start = area + page * PAGE;
                pages.set_rights(start..start + PAGE, rights(page));
            }
        }
        let memory = Memory::paged(pages).expect("no host memory is needed");
        let mut machine = Machine::new(self.program, memory, Address(CODE), Htif::default());
        if self.vlen > 0 {
            machine.hart.vector.set_vlen(Vlen::new(self.vlen).expect("a vector length"));
        }
        machine
            .hart
            .write_csr(number::MSTATUS.into(), 3 << 13 | 3 << 9, Clock::default())
            .expect("a register");
        let start = self.area(0) + self.at;
        for (register, value) in [(6, STRIDE), (7, start + AREAS * STRIDE), (18, start), (11, 0x123)] {
            machine.hart.set_x(register, value & self.mask());
        }
        machine.hart.set_x(5, start);
        machine
    }

    /// Where accesses may be.
    pub fn memory(&self) -> Range<u64> {
        self.area(0)..self.size
    }

    /// Both tiers, warmed up until compiled code is restless.
    pub fn warm(&self, context: &impl Fn() -> String) -> Pair<'p> {
        let mut pair = Pair::new(|| self.machine(), self.memory(), 20);
        // A site that comes after one that misses shows its own misses only after that has been compiled again.
        for _ in 0..=self.body.len() {
            pair.run((MANY + 1000) * (self.block() + 1), context);
            let before = pair.seen.entered.get();
            pair.run(2000 * self.block(), context);
            if pair.seen.entered.get() - before < 100 {
                let heads = pair.seen.regions.borrow().iter().filter(|region| region[0] == CODE).count();
                assert!(pair.seen.outdated.get() > 0 && heads > 1, "compiled {heads} times: {}", context());
                return pair;
            }
        }
        panic!("it leaves compiled code all the time: {}", context());
    }

    /// From the first area again.
    pub fn restart(&self, pair: &mut Pair<'p>) {
        let start = self.area(0) + self.at;
        pair.each(|machine| {
            machine.hart.set_pc(CODE);
            machine.hart.set_x(5, start & self.mask());
        });
    }

    /// Some rounds from the beginning, so that sites are as after the warming.
    pub fn rounds(&self, pair: &mut Pair<'p>, context: &impl Fn() -> String) {
        self.restart(pair);
        assert_eq!(pair.run(2 * self.round(), context), Stop::InstructionLimit, "{}", context());
    }

    /// One execution of the accesses, with x5 as given; true if they fault.
    pub fn once(&self, pair: &mut Pair<'p>, address: u64, context: &impl Fn() -> String) -> bool {
        pair.each(|machine| {
            machine.hart.set_pc(CODE);
            machine.hart.set_x(5, address & self.mask());
        });
        let context = || format!("{} at {address:#x}", context());
        matches!(pair.run(self.block(), context), Stop::Fault(_))
    }

    /// Compares the accesses around every edge there is, `step` times a few bytes away from it.
    fn around_edges(&self, context: impl Fn() -> String, step: i64) {
        let mut pair = self.warm(&context);
        let pages = |area: u64| (0..=PAGES).map(move |page| area + page * PAGE);
        let mut edges: Vec<u64> =
            [0, 2, AREAS - 1].map(|area| self.area(area)).into_iter().flat_map(pages).collect();
        edges.extend([0, CODE, CODE + PAGE, 1 << 31, 1 << 32, 1 << 47, 1 << 63, self.size << 12]);
        let (mut faults, mut runs) = (0, 0);
        for edge in edges {
            self.rounds(&mut pair, &context);
            for near in -17..=9 {
                let aim = edge.wrapping_add_signed(near * step);
                faults += u32::from(self.once(&mut pair, aim, &context));
                runs += 1;
                if near % 4 == 0 {
                    self.rounds(&mut pair, &context);
                }
            }
        }
        assert!(faults * 5 > runs && faults * 20 < runs * 19, "{faults} of {runs} fault: {}", context());
        pair.assert_same_memory(context);
    }
}

const LOADS: [&str; 7] = ["LB", "LBU", "LH", "LHU", "LW", "LWU", "LD"];
const STORES: [&str; 4] = ["SB", "SH", "SW", "SD"];
const ATOMICS: [&str; 3] = ["LR__W", "AMOADD__W", "AMOSWAP__D"];

/// The word of an access through x5.
pub fn access(program: &Program, name: &str, data: i64, offset: i64) -> u32 {
    let moved = if STORES.contains(&name) { "rs2" } else { "rd" };
    match name {
        _ if name.starts_with("LR") => encode(program.module(), name, &[("rd", data), ("rs1", 5)]),
        _ if name.starts_with("AMO") || name.starts_with("SC") => {
            encode(program.module(), name, &[("rd", data), ("rs2", 11), ("rs1", 5)])
        }
        _ => encode(program.module(), name, &[(moved, data), ("rs1", 5), ("imm", offset)]),
    }
}

fn single(isa: &str, size: Option<u64>) {
    let program = program(isa);
    for name in LOADS.iter().chain(&STORES).chain(&ATOMICS) {
        if program.module().instructions.iter().all(|instruction| instruction.name != *name) {
            continue;
        }
        // Across two pages wherever the access may be misaligned.
        let at = if ATOMICS.contains(name) { PAGE - 8 } else { PAGE - 1 };
        let mut walk = Walk::new(&program, vec![access(&program, name, 10, 0)], at);
        walk.size = size.unwrap_or(walk.size);
        walk.around_edges(|| format!("{isa} {name}"), if ATOMICS.contains(name) { 4 } else { 1 });
    }
}

#[test]
fn rv32_single_accesses() {
    single("rv32ima_zicsr", None);
}

#[test]
fn rv64_single_accesses() {
    single("rv64ima_zicsr", None);
}

/// The last area ends where 32 bits do.
#[test]
fn accesses_up_to_the_end_of_32_bits() {
    single("rv32ia_zicsr", Some(1 << 32));
    single("rv64ia_zicsr", Some(1 << 32));
}

/// What ends exactly where its area does, and where all memory does, is granted.
#[test]
fn accesses_at_the_ends_of_areas_stay() {
    for isa in ["rv32ia_zicsr", "rv64ia_zicsr"] {
        let program = program(isa);
        for (name, bytes) in [("LB", 1), ("LHU", 2), ("LW", 4), ("SW", 4), ("SB", 1)] {
            let walk = Walk::new(&program, vec![access(&program, name, 10, 0)], PAGES * PAGE - bytes);
            let mut pair = walk.warm(&|| format!("{isa} {name}"));
            pair.assert_same_memory(|| format!("{isa} {name}"));
        }
    }
}

/// Several accesses through one register, which are checked at once; a pair of `lr` and `sc`.
#[test]
fn accesses_side_by_side() {
    for (isa, groups) in [
        (
            "rv32ima_zicsr",
            &[
                &[("LW", 0), ("LW", 4), ("LB", 11)][..],
                &[("LW", -1024), ("SW", 1000), ("LBU", 900), ("SB", -1000)],
                &[("LR__W", 0), ("SC__W", 0)],
            ][..],
        ),
        (
            "rv64ima_zicsr",
            &[
                &[("LD", 0), ("LD", 8), ("LB", 17)],
                &[("LD", -1024), ("SD", 1000), ("LBU", 900), ("SB", -1000)],
                &[("LR__D", 0), ("SC__D", 0)],
                &[("SD", 2040), ("SD", 0), ("SW", -3), ("SB", 7)],
            ],
        ),
    ] {
        let program = program(isa);
        for group in groups {
            let words = group.iter().enumerate();
            let words = words.map(|(at, &(name, offset))| access(&program, name, 12 + at as i64, offset));
            let walk = Walk::new(&program, words.collect(), PAGE);
            let step = if group[0].0.starts_with("LR") { 8 } else { 1 };
            walk.around_edges(|| format!("{isa} {group:?}"), step);
            let context = || format!("{isa} {group:?}, far off");
            let mut pair = walk.warm(&context);
            for far in -40..40 {
                walk.once(&mut pair, walk.area(1).wrapping_add_signed(far * 128), &context);
                walk.rounds(&mut pair, &context);
            }
            pair.assert_same_memory(context);
        }
    }
}

/// Look-ups in a table at x5 by an index that is known to be small, and by one that may lead over a page.
#[test]
fn tables() {
    let program = program("rv64ima_zicsr");
    let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
    for bits in [7, 9, 13] {
        let body = vec![
            op("SRLI", &[("rd", 12), ("rs1", 11), ("shamt", 64 - bits)]),
            op("ADD", &[("rd", 12), ("rs1", 12), ("rs2", 5)]),
            op("LW", &[("rd", 13), ("rs1", 12), ("imm", 0)]),
            op("ADDI", &[("rd", 11), ("rs1", 11), ("imm", 77)]),
            op("SLLI", &[("rd", 14), ("rs1", 11), ("shamt", 13)]),
            op("XOR", &[("rd", 11), ("rs1", 11), ("rs2", 14)]),
        ];
        let walk = Walk::new(&program, body, 0);
        let context = || format!("{bits} bits");
        let mut pair = Pair::new(|| walk.machine(), walk.memory(), 20);
        pair.run((MANY + 1000) * (walk.block() + 1), context);
        for index in [0, u64::MAX, u64::MAX / 2] {
            for near in -9..9 {
                for page in 0..=PAGES {
                    let address = (walk.area(3) + page * PAGE).wrapping_add_signed(near);
                    walk.rounds(&mut pair, &context);
                    pair.each(|machine| machine.hart.set_x(11, index));
                    walk.once(&mut pair, address, &context);
                    walk.rounds(&mut pair, &context);
                    pair.each(|machine| machine.hart.set_x(11, index));
                    walk.once(&mut pair, address.wrapping_sub(index >> (64 - bits)), &context);
                }
            }
        }
    }
}

/// Registers side by side, of less than a page and of more.
#[test]
fn vectors() {
    for isa in ["rv32imv_zicsr", "rv64imv_zicsr"] {
        let program = program(isa);
        for (vlen, name) in [(512, "VLE8__V"), (512, "VSE8__V"), (1024, "VLE8__V"), (8192, "VLE8__V")] {
            let data = if name.starts_with("VL") { "vd" } else { "vs3" };
            let body = vec![
                // As many bytes as eight registers have.
                encode(program.module(), "VSETVLI", &[("rd", 10), ("rs1", 0), ("zimm", 0xc3)]),
                encode(program.module(), name, &[(data, 8), ("rs1", 5), ("vm", 1)]),
            ];
            let walk = Walk { vlen, ..Walk::new(&program, body, 0) };
            let context = || format!("{isa} {name} {vlen}");
            if vlen == 512 {
                walk.around_edges(context, 64);
            } else {
                let mut pair = Pair::new(|| walk.machine(), walk.memory(), 20);
                pair.run(4000 * walk.block(), context);
                for near in -20..20 {
                    let address = walk.area(2).wrapping_add_signed(near * 512 + near % 2);
                    walk.once(&mut pair, address, &context);
                    walk.rounds(&mut pair, &context);
                }
            }
        }
    }
}
