//! The shadow of a hart and its memory, and what is found as it changes.

use std::collections::BTreeMap;

use engine::Program;
use engine::uop::SLOTS;
use hart::Hart;
use isa::Xlen;
use isa::operands::{Class, Effects, File};
use rustc_hash::FxHashMap;

use crate::finding::{Finding, Kind};
use crate::memory::Memory;
use crate::trail::{Origin, Trail, Trails};
use crate::vector::{Pending, Registers, Rule};

/// What is asked of a check.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bytes of a line: of addresses, only the bits above those within one count. 1 for all bits.
    pub line: u64,
    /// Classes of instructions whose time depends on their operands.
    pub variable: Vec<Class>,
    /// Mnemonics of instructions of which no list says that it does not.
    pub unlisted: Vec<String>,
    /// Arguments that a system call of this number takes.
    pub arguments: fn(u64) -> usize,
}

/// Where within a block the shadow is: at one instruction.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cursor {
    /// Its address, and its number in the block.
    pub pc: u64,
    pub index: usize,
    /// Its micro-operations.
    pub begin: usize,
    pub end: usize,
    /// Which of them execute depends on a secret, so that all they write does.
    pub forced: Option<Trail>,
}

/// Secret bits, and how they came there.
#[derive(Clone, Copy, Default)]
pub(crate) struct Secret {
    pub bits: u64,
    pub trail: Trail,
}

impl Secret {
    /// Of two that meet, all bits, and the trail of the first that has any.
    pub fn or(self, other: Self) -> Self {
        Self { bits: self.bits | other.bits, trail: if self.bits != 0 { self.trail } else { other.trail } }
    }

    /// All bits, if any is.
    pub const fn as_a_whole(self) -> Self {
        Self { bits: if self.bits == 0 { 0 } else { u64::MAX }, trail: self.trail }
    }
}

/// The shadow of a thread's registers while it does not run, or is interrupted.
pub(crate) struct Parked {
    slots: Box<[u64; SLOTS]>,
    slot_trails: Box<[Trail; SLOTS]>,
    floats: [Secret; 32],
    vectors: Registers,
    csrs: FxHashMap<u16, Secret>,
    own: FxHashMap<(File, Option<u16>), Trail>,
}

/// The shadow.
pub struct Shadow {
    pub(crate) slots: Box<[u64; SLOTS]>,
    pub(crate) slot_trails: Box<[Trail; SLOTS]>,
    pub(crate) floats: [Secret; 32],
    pub(crate) vectors: Registers,
    pub(crate) csrs: FxHashMap<u16, Secret>,
    /// Registers of descriptions' own; those of which only execution decides which, under `None`.
    pub(crate) own: FxHashMap<(File, Option<u16>), Trail>,
    pub(crate) memory: Memory,
    pub(crate) trails: Trails,
    /// Of a vector instruction that has not retired yet.
    pub(crate) pending: Pending,
    pub(crate) cursor: Cursor,
    pub(crate) rules: Vec<Rule>,
    /// What it is for an operand of an instruction to be secret, by instruction.
    pub(crate) judged: Vec<Option<Kind>>,
    pub(crate) line: u64,
    pub(crate) arguments: fn(u64) -> usize,
    pub(crate) xlen: Xlen,
    findings: BTreeMap<(u64, Kind), Finding>,
    /// Whether what is found now counts, and during which call.
    pub(crate) records: bool,
    pub(crate) call: Option<usize>,
}

impl Shadow {
    /// A shadow without a secret, of a program on a hart.
    pub fn new(program: &Program, hart: &Hart, options: &Options) -> Self {
        let instructions = &program.module().instructions;
        let judge = |(instruction, effects): (&coredsl::ir::Instruction, &Effects)| {
            if options.variable.contains(&effects.class) {
                Some(Kind::Latency)
            } else {
                options.unlisted.contains(&instruction.mnemonic).then_some(Kind::Unlisted)
            }
        };
        let operands = program.instructions().operands().iter();
        Self {
            slots: Box::new([0; SLOTS]),
            slot_trails: Box::new([Trail::default(); SLOTS]),
            floats: [Secret::default(); 32],
            vectors: Registers::new(hart.vector.vlenb()),
            csrs: FxHashMap::default(),
            own: FxHashMap::default(),
            memory: Memory::default(),
            trails: Trails::default(),
            pending: Pending::default(),
            cursor: Cursor::default(),
            rules: instructions.iter().map(|instruction| Rule::of(&instruction.name)).collect(),
            judged: instructions.iter().zip(operands).map(judge).collect(),
            line: options.line.max(1),
            arguments: options.arguments,
            xlen: program.isa().xlen(),
            findings: BTreeMap::new(),
            records: false,
            call: None,
        }
    }

    /// Everything found so far, by address.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.values()
    }

    /// From now on these bits of an integer register are secret.
    pub fn mark_register(&mut self, register: u16, bits: u64, source: u32) {
        let trail = self.trails.begin(Origin { source, byte: 0 });
        self.write_x(register, Secret { bits, trail });
    }

    /// From now on these bits of a vector register are secret.
    pub fn mark_vector(&mut self, register: usize, bits: &[u8], source: u32) {
        let trail = self.trails.begin(Origin { source, byte: 0 });
        self.vectors.mark(register, bits, trail);
    }

    /// From now on these bytes of memory are secret.
    pub fn mark(&mut self, address: u64, bytes: u64, source: u32) {
        for byte in 0..bytes {
            let trail = self.trails.begin(Origin { source, byte: byte as u32 });
            self.memory.set_byte(address.wrapping_add(byte) & self.xlen.mask(), 0xff, trail);
        }
    }

    /// From now on they are public.
    pub fn clear(&mut self, address: u64, bytes: u64) {
        for byte in 0..bytes {
            self.memory.set_byte(address.wrapping_add(byte) & self.xlen.mask(), 0, Trail::default());
        }
    }

    /// The secret bits of a byte of memory.
    pub fn secret_byte(&mut self, address: u64) -> u8 {
        self.memory.byte(address).0
    }

    /// The secret bits of an integer register.
    pub fn secret_register(&self, register: u16) -> u64 {
        self.slots[usize::from(register & 31)]
    }

    /// The secret bits of a vector register.
    pub fn secret_vector(&self, register: usize) -> &[u8] {
        self.vectors.register(register)
    }

    /// Every register is public from now on: what a caller leaves in them is nothing that a function may use.
    pub fn clear_registers(&mut self) {
        self.slots.fill(0);
        self.floats = [Secret::default(); 32];
        self.vectors.clear();
        self.csrs.clear();
        self.own.clear();
        self.cursor = Cursor::default();
    }

    /// A copy of the registers' shadow.
    pub(crate) fn parked(&self) -> Parked {
        Parked {
            slots: self.slots.clone(),
            slot_trails: self.slot_trails.clone(),
            floats: self.floats,
            vectors: self.vectors.clone(),
            csrs: self.csrs.clone(),
            own: self.own.clone(),
        }
    }

    /// The integer registers are stored to memory, from `x1` on after one word.
    pub(crate) fn save_integers(&mut self, address: u64) {
        let bytes = u64::from(self.xlen.bits()) / 8;
        for register in 1..32_u64 {
            let Secret { bits, trail } = self.slot(register as u16);
            for (byte, secret) in (0..bytes).zip(bits.to_le_bytes()) {
                self.memory.set_byte(
                    address.wrapping_add(register * bytes + byte) & self.xlen.mask(),
                    secret,
                    trail,
                );
            }
        }
    }

    /// The units' state is stored to memory: which bytes a secret is in is not looked at.
    pub(crate) fn save_units(&mut self, address: u64, bytes: u64) {
        let floats = self.floats.iter().copied().fold(self.vectors.all(), Secret::or);
        let secret = if floats.bits == 0 { 0 } else { 0xff };
        for byte in 0..bytes {
            self.memory.set_byte(address.wrapping_add(byte) & self.xlen.mask(), secret, floats.trail);
        }
    }

    /// Takes a shadow of registers in the place of the present one.
    pub(crate) fn resume(&mut self, parked: Parked) {
        let Parked { slots, slot_trails, floats, vectors, csrs, own } = parked;
        (self.slots, self.slot_trails, self.floats) = (slots, slot_trails, floats);
        (self.vectors, self.csrs, self.own) = (vectors, csrs, own);
        self.cursor = Cursor::default();
    }

    /// An instruction was found to do what it should not.
    #[cold]
    pub(crate) fn find(&mut self, kind: Kind, trail: Trail) {
        if !self.records {
            return;
        }
        let (pc, call) = (self.cursor.pc, self.call);
        let trails = &self.trails;
        let found = self.findings.entry((pc, kind)).or_insert_with(|| Finding {
            kind,
            pc,
            times: 0,
            way: trails.way(trail),
            call,
        });
        found.times += 1;
    }

    /// Bits of an address that an attacker sees.
    pub(crate) const fn seen(&self, secret: u64) -> u64 {
        secret & !(self.line - 1) & self.xlen.mask()
    }

    /// A slot, with the trail of its secret bits.
    #[inline]
    pub(crate) fn slot(&self, slot: u16) -> Secret {
        let slot = usize::from(slot) & (SLOTS - 1);
        Secret { bits: self.slots[slot], trail: self.slot_trails[slot] }
    }

    /// Writes an integer register for an instruction of a unit.
    pub(crate) fn write_x(&mut self, register: u16, secret: Secret) {
        let register = usize::from(register & 31);
        if register != 0 {
            self.slots[register] = secret.bits & self.xlen.mask();
            self.slot_trails[register] = secret.trail;
        }
    }

    /// The step that the present instruction makes.
    pub(crate) fn moved(&mut self, before: Trail) -> Trail {
        self.trails.moved(self.cursor.pc, before)
    }
}
