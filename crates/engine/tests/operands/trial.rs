//! One instruction: trials of what its entry in the table says.

use coredsl::ir::{Behavior, Instruction};
use engine::Program;
use isa::operands::{
    Access, AccessKind, Control, Csr, Eew, Effects, File, Group, MemoryKind, Register, Shape, Site,
};
use isa::{InstructionId, Xlen};

use crate::TRIALS;
use crate::guest::BASE;
use crate::needed::Item;
use crate::outcome::Outcome;
use crate::random::{self, Random};
use crate::state::{self, CODE, CSRS, MEMORY, MSTATUS, State, VL, VTYPE};

/// Where the instruction stands.
const PC: u64 = BASE + 8;

/// What may be read, or written.
pub struct Set {
    pub x: [bool; 32],
    pub f: [bool; 32],
    pub v: [bool; 32],
    /// Vector registers that hold masks.
    pub masks: [bool; 32],
    pub memory: bool,
}

impl Set {
    pub fn of(registers: &[Register], site: &Site<'_>, state: &State) -> Self {
        let mut set =
            Self { x: [false; 32], f: [false; 32], v: [false; 32], masks: [false; 32], memory: false };
        for register in registers.iter().filter(|register| site.holds(&register.when)) {
            let count = site.count(register.group, state.sew, state.lmul);
            let range = match site.index(&register.index) {
                Some(first) => first..(first + count).min(32),
                None => 0..32,
            };
            for number in range.map(usize::from) {
                match register.file {
                    File::X => set.x[number] = number > 0,
                    File::F => set.f[number] = true,
                    File::V => set.v[number] = true,
                    File::Own(_) => {}
                }
                set.masks[number] |= register.file == File::V && register.group == Group::Mask;
            }
        }
        set
    }
}

/// Bits of a CSR that a list has in one word, of one that is a view of others too.
pub fn bits(list: &[Csr], site: &Site<'_>, number: u16) -> u64 {
    let names = |csr: &&Csr| match site.index(&csr.index).expect("a field names it") {
        0x003 => [0x001, 0x002].contains(&number),
        0x00f => [0x009, 0x00a].contains(&number),
        named => named == number,
    };
    let named = list.iter().filter(|csr| site.holds(&csr.when)).filter(names);
    named.fold(0, |bits, csr| bits | csr.bits)
}

/// One instruction's entry, and what of it has been seen.
pub struct Checked<'p> {
    pub program: &'p Program,
    id: InstructionId,
    pub effects: &'p Effects,
    instruction: &'p Instruction,
    /// Trials in which it retired, or trapped if that is all it does.
    pub executed: u32,
    pub faults: Vec<String>,
    /// What it lists that no trial has shown to be needed.
    pub unseen: Vec<Item>,
}

impl<'p> Checked<'p> {
    pub fn new(program: &'p Program, id: InstructionId, effects: &'p Effects) -> Self {
        Self {
            program,
            id,
            effects,
            instruction: program.instructions().get(id),
            executed: 0,
            faults: Vec::new(),
            unseen: Item::all(effects),
        }
    }

    /// True if no word of it is legal: indices that are wider than an address ("Vector Indexed Instructions").
    pub fn is_always_reserved(&self) -> bool {
        let is_indexed = |access: &Access| matches!(access.shape, Shape::Indexed | Shape::IndexedOrdered);
        let is_wide = |register: &Register| register.group == Group::Elements(Eew::Bits(64));
        self.program.isa().xlen() == Xlen::Rv32
            && self.effects.memory.iter().any(is_indexed)
            && self.effects.reads.iter().any(is_wide)
    }

    pub fn attempt(&mut self, number: u32) {
        let mut random = Random::new(u64::from(number) << 20 | u64::from(self.id.0) << 4 | 7);
        let word = random::word(&mut random, self.instruction);
        if self.program.decode(word) != Some(self.id) {
            return;
        }
        let site = self.program.site(self.id, word);
        let mut state = State::new(&mut random, self.program);
        if self.effects.reserves
            && let Some(register) = self.effects.reads.first().and_then(|first| site.index(&first.index))
        {
            let register = usize::from(register);
            let address = state.x[register] & !7;
            state.set_x(register, address);
            let is_inside = (BASE..BASE + MEMORY as u64 - 8).contains(&state.x[register]);
            state.reservation = is_inside.then_some(state.x[register]).filter(|_| random.one_in(2));
        }
        if self.compares() && random.one_in(2) {
            self.expect_memory(&mut state, site);
        }
        // A vtype that is supported, of the same ratio or not.
        if let Some(register) = site.named("rs2").filter(|_| self.effects.writes_csr(VTYPE)) {
            let other = random.bits() & 0xdf;
            state.set_x(register as usize, random.pick(&[state.vtype(), other]));
        }
        let base = state.run(self.program, word, true);
        let mut writes = Set::of(&self.effects.writes, &site, &state);
        writes.memory = self.effects.memory.iter().any(|access| access.kind == AccessKind::Store);
        let trial = Trial { site, state, base, writes };
        if self.executed < TRIALS
            && let Err(fault) = self.check(&trial, &mut random)
        {
            let text = self.program.instructions().disassemble(word, PC).unwrap_or_default();
            self.faults.push(format!("{} ({word:#x}, {text}): {fault}", self.instruction.name));
        }
        let mut unseen = std::mem::take(&mut self.unseen);
        unseen.retain(|&item| !self.is_needed(item, &trial, &mut random));
        self.unseen = unseen;
        self.executed += u32::from(trial.base.retired != (self.effects.control == Control::Trap));
    }

    /// True if it compares its destination with memory (Zacas).
    fn compares(&self) -> bool {
        let is_destination =
            |read: &Register| self.effects.writes.iter().any(|write| write.index == read.index);
        self.effects.memory_kind() == MemoryKind::Atomic && self.effects.reads.iter().any(is_destination)
    }

    /// Puts into its destination what is in memory, as random values hardly ever are.
    fn expect_memory(&self, state: &mut State, site: Site<'_>) {
        let (Some(address), Some(rd)) = (site.named("rs1"), site.named("rd")) else { return };
        let at = state.x[address as usize].wrapping_sub(BASE) as usize;
        let Some(bytes) = state.memory.get(at..at.wrapping_add(16)) else { return };
        let value = u128::from_le_bytes(bytes.try_into().unwrap_or_default());
        let bits = self.program.isa().xlen().bits();
        // An odd register is no pair: it is reserved.
        let registers: Vec<u16> = site.writes(File::X).flatten().filter(|&register| register < 32).collect();
        for register in registers {
            let half = value >> (u64::from(register).wrapping_sub(rd) * u64::from(bits));
            state.set_x(register.into(), half as u64 & self.program.isa().xlen().mask());
        }
    }

    fn check(&self, trial: &Trial<'_>, random: &mut Random) -> Result<(), String> {
        self.unlisted_stays(trial)?;
        self.accesses_agree(trial)?;
        self.control_agrees(trial)?;
        self.unread_does_not_matter(trial, random)
    }

    /// Whatever is not listed as written is as before.
    fn unlisted_stays(&self, trial: &Trial<'_>) -> Result<(), String> {
        let (state, base) = (&trial.state, &trial.base);
        if let Some(difference) = base.difference(state, base, state, &trial.writes) {
            return Err(format!("changes what is not listed: {difference}"));
        }
        for (number, before) in &base.before {
            let after = base.csr(*number);
            let [written, accrued] = [&self.effects.csr_writes, &self.effects.csr_accrues]
                .map(|list| bits(list, &trial.site, *number));
            let is_listed = before.zip(after).is_some_and(|(before, after)| {
                (before ^ after) & !(written | accrued) == 0 && before & !after & !written == 0
            });
            // A trap inside a vector access says where: vstart, which is listed then.
            if *before != after && !is_listed {
                return Err(format!("changes CSR {number:#x} from {before:x?} to {after:x?}"));
            }
        }
        let body_cannot_fail = matches!(self.instruction.behavior, Behavior::Body(_))
            && !self.effects.raises
            && self.effects.memory.is_empty()
            && self.effects.csr_reads.is_empty()
            && self.effects.csr_writes.is_empty();
        if body_cannot_fail && !base.retired {
            return Err(format!("nothing raises, yet {}", base.stop));
        }
        Ok(())
    }

    fn accesses_agree(&self, trial: &Trial<'_>) -> Result<(), String> {
        let bits = |access: &hart::memory::MemoryAccess| u16::from(access.size) * 8;
        for access in &trial.base.accesses {
            let kind = if access.stored.is_some() { AccessKind::Store } else { AccessKind::Load };
            let same_kind =
                trial.base.accesses.iter().filter(|other| other.stored.is_some() == access.stored.is_some());
            // What is wider than a doubleword is stored in parts.
            let (part, whole) = (bits(access), same_kind.map(bits).sum::<u16>());
            let is_same = |listed: &Access| {
                let width = listed.width.bits(trial.state.sew);
                listed.kind == kind && (width == part || width > 64 && width == whole)
            };
            if !self.effects.memory.iter().any(is_same) {
                return Err(format!("{kind:?} of {} bytes is not listed", access.size));
            }
        }
        if !trial.base.retired {
            return Ok(());
        }
        // Of pushes and pops, as many as the word says.
        let made = trial.base.accesses.len();
        let listed = trial.site.accesses().filter(|access| access.kind != AccessKind::Fetch).count();
        if self.instruction.set == "Zcmp" && made != listed {
            return Err(format!("{made} accesses, and {listed} are listed"));
        }
        // What a store changed lies where its accesses went.
        let changed = (CODE..MEMORY).filter(|&at| trial.base.memory[at] != trial.state.memory[at]);
        for at in changed.map(|at| BASE + at as u64) {
            let covers = |access: &hart::memory::MemoryAccess| {
                access.stored.is_some()
                    && (access.address.0..access.address.0 + u64::from(access.size)).contains(&at)
            };
            if !trial.base.accesses.iter().any(covers) {
                return Err(format!("changes {at:#x} without a store there"));
            }
        }
        Ok(())
    }

    fn control_agrees(&self, trial: &Trial<'_>) -> Result<(), String> {
        let (base, next) = (&trial.base, PC + u64::from(self.instruction.encoding.length) / 8);
        if !base.retired {
            return Ok(());
        }
        let mepc = base.csr(0x341);
        let agrees = match self.effects.control {
            Control::Next | Control::Fence => base.pc == next,
            Control::Branch { .. } | Control::Jump { .. } => true,
            Control::Trap => false,
            Control::Return => Some(base.pc) == mepc,
        };
        if agrees {
            Ok(())
        } else {
            Err(format!("{:?}, but it goes to {:#x}", self.effects.control, base.pc))
        }
    }

    fn unread_does_not_matter(&self, trial: &Trial<'_>, random: &mut Random) -> Result<(), String> {
        let (program, word) = (self.program, trial.site.word);
        let reads = Set::of(&self.effects.reads, &trial.site, &trial.state);
        let read = |number| bits(&self.effects.csr_reads, &trial.site, number);
        let loads = self.effects.memory.iter().any(|access| access.kind != AccessKind::Store);
        let mut changed = trial.state.clone();
        if read(VL) | read(VTYPE) == 0 {
            changed.set_type(random);
        } else if read(VL) == 0 {
            changed.set_length(random);
        }
        for register in 0..32 {
            change(program, &mut changed, File::X, register, random, !reads.x[register]);
            change(program, &mut changed, File::F, register, random, !reads.f[register]);
            change(program, &mut changed, File::V, register, random, !reads.v[register]);
        }
        for (index, number) in CSRS.iter().enumerate().filter(|(_, number)| read(**number) == 0) {
            changed.csrs[index] = state::csr(random, *number, program.isa().xlen().mask());
        }
        changed.change_status(random, !read(MSTATUS));
        if !loads {
            changed.set_memory(random);
        }
        let outcome = changed.run(program, word, false);
        if let Some(difference) = outcome.difference(&changed, &trial.base, &trial.state, &trial.writes) {
            return Err(format!("what is not listed as read matters: {difference}"));
        }
        self.csrs_agree(trial, &outcome)?;
        // Where a direct transfer leads, no register decides.
        let direct = matches!(
            self.effects.control,
            Control::Branch { indirect: false } | Control::Jump { indirect: false, .. }
        );
        if direct && trial.base.retired {
            (1..32).for_each(|register| change(program, &mut changed, File::X, register, random, true));
            let outcome = changed.run(program, word, false);
            let next = PC + u64::from(self.instruction.encoding.length) / 8;
            let branches = matches!(self.effects.control, Control::Branch { .. });
            let stays = branches && (outcome.pc == next || trial.base.pc == next);
            if outcome.retired && outcome.pc != trial.base.pc && !stays {
                return Err(format!("goes to {:#x} and {:#x}", trial.base.pc, outcome.pc));
            }
        }
        Ok(())
    }

    pub fn csrs_agree(&self, trial: &Trial<'_>, outcome: &Outcome) -> Result<(), String> {
        for ((number, before), (_, start)) in outcome.before.iter().zip(&trial.base.before) {
            let (is, other) = (outcome.csr(*number), trial.base.csr(*number));
            let kept = is == *before && other == *start;
            let [written, accrued] = [&self.effects.csr_writes, &self.effects.csr_accrues]
                .map(|list| bits(list, &trial.site, *number));
            // Accrued bits that were set before are so after, whatever is read.
            let clear = !(accrued & (before.unwrap_or(0) | start.unwrap_or(0)));
            let same = (is.unwrap_or(0) ^ other.unwrap_or(0)) & clear & (written | accrued) == 0;
            if !kept && !same {
                return Err(format!("CSR {number:#x}: {before:x?} to {is:x?}, and {start:x?} to {other:x?}"));
            }
        }
        Ok(())
    }
}

pub struct Trial<'a> {
    pub site: Site<'a>,
    pub state: State,
    pub base: Outcome,
    pub writes: Set,
}

/// Gives a register another value, if it is to have one.
pub fn change(
    program: &Program,
    state: &mut State,
    file: File,
    register: usize,
    random: &mut Random,
    do_it: bool,
) {
    if !do_it {
        return;
    }
    match file {
        File::X => {
            let pointers = random.one_in(2);
            let value = state::x(random, pointers) & program.isa().xlen().mask();
            state.set_x(register, value);
        }
        File::F if program.isa().has("f") => state.f[register] = random::float(random),
        File::V => {
            let vlenb = state.vlenb;
            state.v[register * vlenb..][..vlenb].fill_with(|| random.bits() as u8);
        }
        File::F | File::Own(_) => {}
    }
}
