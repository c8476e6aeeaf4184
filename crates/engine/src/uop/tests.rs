//! The table against execution: what is read, what is written, and what else happens.
use hart::Hart;
use hart::csr::number::MSCRATCH;
use hart::effects::Effects as Log;
use hart::fault::Access;
use hart::memory::{Address, Memory, MemoryAccess, Reservation};
use hart::system::System;
use isa::{Descriptions, InstructionId};

use super::{Kind, Law, Op, Operand, SLOTS, Uop, fold_binary};
use crate::block::Block;
use crate::decoded::Decoded;
use crate::exec::{BlockExit, execute};
use crate::program::Program;

const BASE: u64 = 0x8000_0000;
const TRIALS: usize = 300;
/// Slots of a micro-operation under test.
const DST: u16 = 40;
const A: u16 = 41;
const B: u16 = 42;
const C: u16 = 43;
/// Its exit, and those after it.
const TAKEN: u8 = 56;
const AFTER: u8 = 1;
const BEYOND: u8 = 2;

/// Numbers of a multiplicative generator.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        self.0 ^ self.0 >> 33
    }

    /// A value that some operation takes for an address, a CSR, an index, an amount or a number.
    fn value(&mut self) -> u64 {
        let bits = self.bits();
        match bits >> 61 {
            0 => 0,
            1 => bits >> 8 & 63,
            2 => u64::from(MSCRATCH),
            3 => BASE + (bits >> 8 & 31),
            _ => self.bits(),
        }
    }

    fn slots(&mut self) -> [u64; SLOTS] {
        let mut slots = std::array::from_fn(|_| self.value());
        slots[0] = 0;
        slots
    }
}

/// What a micro-operation did but to slots.
#[derive(PartialEq, Debug)]
struct Effects {
    exit: BlockExit,
    accesses: Vec<MemoryAccess>,
    noted: Vec<u64>,
    memory: Vec<u8>,
    csr: Option<(u16, u64)>,
    reservation: Reservation,
}

struct Bench {
    program: Program,
    system: System,
    nop: InstructionId,
}

impl Bench {
    fn new() -> Self {
        let descriptions = Descriptions::read(&[]).expect("the built-in descriptions are sound");
        let program = Program::new("rv64gc_zkn", &descriptions).expect("a known ISA string");
        let memory = Memory::new(Address(BASE), 4096).expect("a page");
        let system = System { hart: Hart::new(program.isa(), 0, Address(BASE)), memory };
        let nop = program.decode(0x13).expect("addi");
        Self { program, system, nop }
    }

    fn run(&mut self, uop: Uop, slots: &[u64; SLOTS]) -> (Effects, [u64; SLOTS]) {
        let Self { program, system, nop } = self;
        let System { hart, memory } = &mut *system;
        hart.slots = *slots;
        memory.reserve(Address(BASE), 8);
        hart.write_csr(MSCRATCH.into(), 7, hart.clock(0)).expect("it is writable");
        assert!(memory.write_slice(Address(BASE), &std::array::from_fn::<u8, 64, _>(|at| 0x5b ^ at as u8)));
        let exit = |aux| Uop { aux, ..Uop::new(Op::Exit) };
        let decoded = Decoded { pc: BASE, word: 0x13, id: *nop, end: 3, stores: false, noted: 0 };
        let uops = [uop, exit(AFTER), exit(BEYOND)];
        let block =
            Block { uops: uops.into(), decoded: [decoded].into(), urgency: 1, words: 0, meets: false, pc: 0 };
        let mut log = Log::default();
        let exit = execute::<false>(system, Some(&mut log), program, &block, 0, None);
        let System { hart, memory } = system;
        let effects = Effects {
            exit,
            accesses: log.accesses,
            noted: log.noted,
            memory: memory.slice(Address(BASE), 128).expect("inside").to_vec(),
            csr: log.csr,
            reservation: memory.reservation,
        };
        (effects, hart.slots)
    }
}

/// A micro-operation of its own slots, and a constant that means something.
fn micro_operation(op: Op, random: &mut Random) -> Uop {
    let imm = match op.kind() {
        _ if op.reads().contains(&Operand::Imm) => C.into(),
        Kind::Goto | Kind::GotoIfZero => 2,
        Kind::Load(_) | Kind::Store(_) => random.bits() >> 58,
        _ if op == Op::Table => 0,
        _ if op == Op::Unit => Uop::unit(u16::MAX, 0).imm,
        _ => random.value(),
    };
    Uop { op, aux: TAKEN, dst: DST, a: A, b: B, imm }
}

#[test]
fn operations_read_write_and_do_what_the_table_says() {
    let (mut bench, mut random) = (Bench::new(), Random(1));
    for &op in Op::ALL {
        let mut matters = vec![false; op.reads().len()];
        let (mut wrote, mut exited) = (false, false);
        for _ in 0..TRIALS {
            let uop = micro_operation(op, &mut random);
            let (def, reads) = (uop.def(), uop.reads().collect::<Vec<u16>>());
            let value = |slots: &[u64; SLOTS]| def.map(|slot| slots[usize::from(slot)]);
            let before = random.slots();
            let (effects, after) = bench.run(uop, &before);
            let raised = matches!(effects.exit, BlockExit::Raised { .. });

            let mut expected = before;
            expected[usize::from(DST)] = value(&after).unwrap_or(before[usize::from(DST)]);
            assert_eq!(after, expected, "{op:?} writes another slot");
            wrote |= value(&after) != value(&before);

            let mut others = random.slots();
            for &slot in &reads {
                others[usize::from(slot)] = before[usize::from(slot)];
            }
            let (same, elsewhere) = bench.run(uop, &others);
            assert_eq!(same, effects, "{op:?} reads another slot");
            assert!(raised || value(&elsewhere) == value(&after), "{op:?} computes with another slot");

            for (operand, &slot) in reads.iter().enumerate() {
                let mut changed = before;
                changed[usize::from(slot)] = random.value();
                let (other, after_change) = bench.run(uop, &changed);
                matters[operand] |= other != effects || value(&after_change) != value(&after);
            }

            let accesses =
                effects.accesses.iter().map(|access| (access.stored.is_some(), access.size.into()));
            let expected = op.access().map(|(kind, bytes)| (kind == Access::Store, bytes));
            assert!(raised || accesses.eq(expected), "{op:?} accesses memory otherwise");
            exited |= matches!(effects.exit, BlockExit::Exit { link: TAKEN, pc } if pc == uop.imm);
            if let Kind::Pure(_) = op.kind() {
                let (nothing, _) = bench.run(Uop::new(Op::FenceI), &before);
                assert_eq!(effects, nothing, "{op:?} does more than it says");
            }
        }
        assert!(matters.iter().all(|&matters| matters), "{op:?} does not read all that it says: {matters:?}");
        assert_eq!(wrote, Uop::new(op).def().is_some(), "{op:?} never writes");
        assert_eq!(exited, op.is_exit(), "{op:?} leaves its block otherwise");
    }
}

#[test]
fn laws_hold() {
    let mut random = Random(2);
    for &op in Op::ALL {
        for &law in op.laws() {
            for _ in 0..TRIALS {
                let (a, b) = (random.bits(), random.value());
                let [left, right] = match law {
                    Law::Commutes => [fold_binary(op, a, b), fold_binary(op, b, a)],
                    Law::ZeroIsNeutral => [fold_binary(op, a, 0), Some(a)],
                };
                assert_eq!(left, right, "{op:?}: {law:?}");
            }
        }
    }
}
