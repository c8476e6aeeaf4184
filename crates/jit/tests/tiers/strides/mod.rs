//! Loops of one block in a process whose addresses move by the same distance from trip to trip, and loops that are almost
//! such: what compiled code need not check is refused at the same place, as rights and neighbours of arrays are.

mod edges;
mod random;
mod words;

use engine::{Machine, Program, Stop};
use hart::csr::{Clock, number};
use hart::pages::{PAGE, Pages, Rights};
use hart::{Address, Htif, Memory};

use crate::guest::encode;
use crate::pair::Pair;

/// What pages grant. Ranges of loads and of stores begin and end in different places; the first page and the last one are
/// granted, so that the address space ends with arrays, too.
fn rights() -> [Rights; PAGES] {
    let (none, read, write) = (Rights::NONE, Rights::READ, Rights::WRITE);
    let (both, code) = (read | write, read | Rights::EXECUTE);
    [both, both, none, read, both, both, write, read, none, both, both, code, none, read, both, both]
}
const PAGES: usize = 16;
/// The page of the code.
const CODE_PAGE: u64 = 11;
pub const CODE: u64 = CODE_PAGE * PAGE;
const SIZE: u64 = PAGES as u64 * PAGE;
/// Where nothing ends for as long as loops last.
const QUIET: u64 = 4 * PAGE + 0x900;

/// Registers that move: three addresses, a distance, and half of an address.
const MOVING: [i64; 5] = [5, 6, 7, 8, 9];
const DISTANCE: usize = 3;
const HALF: usize = 4;
/// Registers of data; the loop's counter and bound; a table; scratch registers.
const DATA: i64 = 10;
const COUNTER: i64 = 20;
const BOUND: i64 = 21;
const TABLE: i64 = 22;
const SUM: i64 = 15;
const INDEX: i64 = 16;
/// Rounds of the loop around, what moving registers begin a round with, and what the first of these is changed by.
const ROUNDS: i64 = 23;
const STARTS: i64 = 24;
const DRIFT: i64 = 29;
const TRIPS: i64 = 30;

/// What an address is the sum of, besides a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plus {
    Nothing,
    Register(i64),
    /// A byte loaded through a moving register.
    Byte(usize),
    /// What a register of data holds of a mask.
    Masked(i64, i64),
}

/// A part of a trip.
#[derive(Clone, Copy, Debug)]
enum Step {
    Access {
        name: &'static str,
        base: i64,
        /// Rounded down to a multiple of this, if to any; before or after something is added.
        round: i64,
        rounds_first: bool,
        plus: Plus,
        exchanged: bool,
        data: i64,
        offset: i64,
    },
    /// A moving register moves.
    Move(usize, i64),
    /// It changes in a way that is no constant distance, or is not seen to be one.
    Change(usize, usize),
    Compute(i64, i64),
}

/// How a loop ends, if it does.
#[derive(Clone, Copy, Debug)]
enum End {
    Down,
    DownAtLeast,
    Up,
    /// When the first moving register comes to a bound, or passes it.
    At,
    Past,
    Never,
}

#[derive(Clone, Debug)]
struct Loop {
    steps: Vec<Step>,
    end: End,
    /// The same again in another loop.
    twice: bool,
}

/// Where the words of a loop begin.
struct Words {
    all: Vec<u32>,
    /// Instructions before the first trip, and of a trip.
    before: u64,
    trip: u64,
}

type Fields<'a> = &'a [(&'a str, i64)];

impl Step {
    fn words(&self, op: &dyn Fn(&str, Fields<'_>) -> u32) -> Vec<u32> {
        let add = |rd: i64, rs1: i64, rs2: i64| op("ADD", &[("rd", rd), ("rs1", rs1), ("rs2", rs2)]);
        let immediate =
            |name: &str, rd: i64, rs1: i64, imm: i64| op(name, &[("rd", rd), ("rs1", rs1), ("imm", imm)]);
        match *self {
            Self::Access { name, base, round, rounds_first, plus, exchanged, data, offset } => {
                let mut words = Vec::new();
                let mut at = base;
                let round_down = |words: &mut Vec<u32>, at: &mut i64| {
                    if round > 0 {
                        words.push(immediate("ANDI", SUM, *at, -round));
                        *at = SUM;
                    }
                };
                if rounds_first {
                    round_down(&mut words, &mut at);
                }
                let added = match plus {
                    Plus::Nothing => None,
                    Plus::Register(register) => Some(register),
                    Plus::Byte(base) => {
                        words.push(immediate("LBU", INDEX, MOVING[base], 0));
                        Some(INDEX)
                    }
                    Plus::Masked(data, mask) => {
                        words.push(immediate("ANDI", INDEX, data, mask));
                        Some(INDEX)
                    }
                };
                if let Some(added) = added {
                    words.push(if exchanged { add(SUM, added, at) } else { add(SUM, at, added) });
                    at = SUM;
                }
                if !rounds_first {
                    round_down(&mut words, &mut at);
                }
                let moved = if name.starts_with('S') { "rs2" } else { "rd" };
                words.push(op(name, &[(moved, data), ("rs1", at), ("imm", offset)]));
                words
            }
            Self::Move(base, by) => vec![immediate("ADDI", MOVING[base], MOVING[base], by)],
            Self::Change(base, how) => {
                let (base, other) = (MOVING[base], MOVING[(base + 1) % 3]);
                match how {
                    0 => vec![immediate("XORI", base, base, 8)],
                    1 => vec![immediate("ADDIW", base, base, 8)],
                    2 => vec![immediate("ANDI", INDEX, DATA, 24), add(base, base, INDEX)],
                    3 => vec![immediate("ADDI", base, other, -8)],
                    4 => vec![immediate("ANDI", base, base, -8)],
                    5 => vec![add(base, base, MOVING[DISTANCE])],
                    6 => vec![
                        immediate("ANDI", INDEX, DATA + 1, 56),
                        op("SUB", &[("rd", base), ("rs1", base), ("rs2", INDEX)]),
                    ],
                    // By way of a unit.
                    7 => vec![
                        immediate("ADDI", SUM, base, 40),
                        op("FMV__D__X", &[("rd", 1), ("rs1", SUM)]),
                        op("FMV__X__D", &[("rd", base), ("rs1", 1)]),
                    ],
                    _ => vec![add(base, base, DATA + 2)],
                }
            }
            Self::Compute(rd, rs2) => vec![op("XOR", &[("rd", rd), ("rs1", rd), ("rs2", rs2)])],
        }
    }
}

impl Loop {
    /// A loop, once or twice, in a loop that puts its registers back.
    fn words(&self, program: &Program) -> Words {
        let op = |name: &str, fields: Fields<'_>| encode(program.module(), name, fields);
        let add = |rd: i64, rs1: i64, rs2: i64| op("ADD", &[("rd", rd), ("rs1", rs1), ("rs2", rs2)]);
        let mut all = vec![add(STARTS, STARTS, DRIFT)];
        all.extend(MOVING.iter().zip(STARTS..).map(|(&register, start)| add(register, start, 0)));
        let mut begin = Vec::new();
        for _ in 0..=usize::from(self.twice) {
            let counts_up = matches!(self.end, End::Up);
            all.push(if counts_up { add(COUNTER, 0, 0) } else { add(COUNTER, TRIPS, 0) });
            begin.push(all.len());
            self.steps.iter().for_each(|step| all.extend(step.words(&op)));
            let by = if counts_up { 1 } else { -1 };
            all.push(op("ADDI", &[("rd", COUNTER), ("rs1", COUNTER), ("imm", by)]));
            let back = ("imm", 4 * (begin[begin.len() - 1] as i64 - all.len() as i64));
            let branch = |name: &str, rs1: i64, rs2: i64| op(name, &[("rs1", rs1), ("rs2", rs2), back]);
            all.push(match self.end {
                End::Down => branch("BNE", COUNTER, 0),
                End::DownAtLeast => branch("BGE", COUNTER, 0),
                End::Up => branch("BLTU", COUNTER, TRIPS),
                End::At => branch("BNE", MOVING[0], BOUND),
                End::Past => branch("BLTU", MOVING[0], BOUND),
                End::Never => op("JAL", &[back]),
            });
        }
        let trip = (all.len() - begin[begin.len() - 1]) as u64;
        all.push(op("ADDI", &[("rd", ROUNDS), ("rs1", ROUNDS), ("imm", -1)]));
        let back = ("imm", -4 * all.len() as i64);
        all.push(op("BNE", &[("rs1", ROUNDS), ("rs2", 0), back]));
        all.push(op("JAL", &[("imm", 0)]));
        Words { all, before: begin[0] as u64, trip }
    }
}

/// A process with this code, in user mode.
fn machine<'p>(program: &'p Program, words: &[u32]) -> Machine<'p> {
    let mut pages = Pages::new(SIZE).expect("address space");
    for (byte, at) in pages.raw_mut(0, SIZE as usize).expect("all of it").iter_mut().zip(0_u32..) {
        *byte = (at.wrapping_mul(0x9e37_79b1) >> 11) as u8;
    }
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    pages.raw_mut(CODE, code.len()).expect("room").copy_from_slice(&code);
    for (page, granted) in (0..).zip(rights()) {
        pages.set_rights(page * PAGE..(page + 1) * PAGE, granted);
    }
    let memory = Memory::paged(pages).expect("no host memory is needed");
    let mut machine = Machine::new(program, memory, Address(CODE), Htif::default());
    machine.hart.write_csr(number::MSTATUS.into(), 3 << 13, Clock::default()).expect("a register");
    machine
}

/// Both tiers with this code.
pub fn pair<'p>(program: &'p Program, words: &[u32], after: u32) -> Pair<'p> {
    Pair::new(|| machine(program, words), 0..SIZE, after)
}

/// Sets what a page grants.
fn set_rights(pair: &mut Pair<'_>, page: u64, rights: Rights) {
    pair.each(|machine| {
        let pages = machine.memory.pages_mut().expect("a process's");
        pages.set_rights(page * PAGE..(page + 1) * PAGE, rights);
    });
}

/// Begins at `pc` with registers set.
pub fn begin(pair: &mut Pair<'_>, pc: u64, registers: &[(i64, u64)]) {
    pair.each(|machine| {
        machine.hart.set_pc(pc);
        for &(register, value) in registers {
            machine.hart.set_x(register as u16, value);
        }
    });
}

/// True if a run stopped at a fault, which it then is past.
pub fn passed_fault(pair: &mut Pair<'_>, stop: Stop) -> bool {
    let is_fault = matches!(stop, Stop::Fault(_));
    if is_fault {
        pair.skip();
    }
    is_fault
}
