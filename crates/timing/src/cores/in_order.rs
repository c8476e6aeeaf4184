//! An in-order core that its machine's file describes in full. It issues one instruction per cycle, in order, once the
//! registers it names are ready; results are ready after a latency; cache misses stall.
//!
//! It models no existing RTL, only a core with these latencies, this predictor and these caches.

mod op;

use isa::operands::Class;

use crate::condition::Condition;
use crate::core::{Cause, Core, Event, Outcome, Spent, USUAL};
use crate::instruction::{Flow, Instruction};
use crate::machine::{Machine, MachineError};
use crate::memory::Seen;
use crate::memory::below::Below;
use crate::memory::lines::{Line, Lines, Replacement, Touch};
use crate::parts::simple_branch::{Direction, Predictor};
use op::{Transfer, Work};

pub use op::Op;

/// Bytes of a line, and bytes per cycle of memory once it responds.
const LINE: u64 = 64;
const BUS: u64 = 8;
/// Cycles of a line on the bus.
const BEATS: u16 = (LINE / BUS) as u16;
/// The most bytes and ways of a cache.
const MOST_BYTES: u64 = 1 << 26;
const MOST_WAYS: u64 = 64;
/// The most cycles of any latency in a machine's file.
const MOST_CYCLES: u64 = 1000;
/// The most entries of a predictor.
const MOST_ENTRIES: u64 = 1 << 16;

/// The parameters of a machine.
pub const PARAMETERS: &[&str] = &[
    "load",
    "multiply",
    "divide",
    "cryptography",
    "custom",
    "shift_bits",
    "system",
    "taken",
    "mispredicted",
    "predictor",
    "predictor_entries",
    "return_stack",
    "instruction_cache",
    "instruction_ways",
    "data_cache",
    "data_ways",
];

/// The core as it is described.
pub struct InOrder {
    latencies: Latencies,
    /// Bits that a serial shifter shifts in a cycle; 0: all at once, whatever the amount.
    shift_bits: u8,
    taken: u16,
    mispredicted: u16,
    below: Below,
    /// Cycles to wait for memory without a cache.
    memory: u16,
    instructions: Option<Lines>,
    data: Option<Lines>,
    predictor: Predictor,
}

/// Cycles from an instruction to the next that can use its result.
struct Latencies {
    load: u16,
    multiply: u16,
    divide: u16,
    cryptography: u16,
    custom: u16,
    system: u16,
}

/// The pipeline, relative to the next cycle in which an instruction can be issued.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// Cycles until a register's result can be used, and what that waits for.
    waits: [(u16, u8); 32],
    /// Cycles until the divider is free.
    divider: u16,
}

const FETCH_MISS: Outcome = 1;
const DATA_MISS: Outcome = 2;
const DIRTY: Outcome = 4;
const TAKEN: Outcome = 8;
const MISPREDICTED: Outcome = 16;
/// Above the others: the further cycles of a shift.
const SHIFTING: u32 = 8;

impl InOrder {
    /// Reads a machine's file.
    ///
    /// # Errors
    /// A parameter is wrong.
    pub fn new(machine: &Machine) -> Result<Self, MachineError> {
        machine.has_only(PARAMETERS)?;
        let cycles =
            |name| machine.number(name, 1..=MOST_CYCLES, "from 1 to 1000 cycles").map(|it| it as u16);
        let lost = |name| machine.number(name, 0..=MOST_CYCLES, "from 0 to 1000 cycles").map(|it| it as u16);
        let entries = |name| machine.number(name, 0..=MOST_ENTRIES, "from 0 to 65536").map(|it| it as usize);
        let direction = match machine.name("predictor")? {
            "none" => Direction::Never,
            "backward" => Direction::Backward,
            "two-bit" => Direction::TwoBit,
            _ => return Err(MachineError::Parameter("predictor", "none, backward or two-bit")),
        };
        let counters = entries("predictor_entries")?;
        if direction == Direction::TwoBit && !counters.is_power_of_two() {
            return Err(MachineError::Parameter(
                "predictor_entries",
                "a power of two for a two-bit predictor",
            ));
        }
        let latency = u64::from(machine.memory_latency);
        let (instructions, data) = (
            cache(machine, "instruction_cache", "instruction_ways")?,
            cache(machine, "data_cache", "data_ways")?,
        );
        if machine.memory.is_some() && (instructions.is_none() || data.is_none()) {
            return Err(MachineError::Memory("parts", "the core must have both its caches".to_owned()));
        }
        Ok(Self {
            latencies: Latencies {
                load: cycles("load")?,
                multiply: cycles("multiply")?,
                divide: cycles("divide")?,
                cryptography: cycles("cryptography")?,
                custom: cycles("custom")?,
                system: cycles("system")?,
            },
            shift_bits: machine.number_or(
                "shift_bits",
                0..=64,
                "bits per cycle, at most 64; 0: any number",
                0,
            )? as u8,
            taken: lost("taken")?,
            mispredicted: lost("mispredicted")?,
            below: Below::new(machine, LINE)?,
            memory: (latency - 1) as u16,
            instructions,
            data,
            predictor: Predictor::new(direction, counters, entries("return_stack")?),
        })
    }

    /// Classes whose time depends on their operands.
    pub fn by_operands(&self) -> &'static [Class] {
        if self.shift_bits == 0 { &[] } else { &[Class::Shift] }
    }

    /// Further cycles of a shift.
    const fn shifting(&self, amount: u64) -> u16 {
        amount.div_ceil(self.shift_bits as u64) as u16
    }

    fn work(&self, instruction: &Instruction) -> Work {
        let Latencies { load, multiply, divide, cryptography, custom, system } = self.latencies;
        match instruction.class {
            _ if instruction.loads > 0 && instruction.stores > 0 => Work::Both(load),
            _ if instruction.loads > 0 => Work::Load(load),
            _ if instruction.stores > 0 => Work::Store,
            Class::Shift if self.shift_bits > 0 => {
                Work::Shift(instruction.shift.map(|amount| self.shifting(amount.into())))
            }
            Class::Mul => Work::Compute(multiply, Cause::Multiply),
            Class::Div => Work::Divide(divide),
            Class::Aes | Class::Sha | Class::Sm => Work::Compute(cryptography, Cause::Unit),
            Class::Custom => Work::Compute(custom, Cause::Coprocessor),
            Class::Fence if instruction.mnemonic == "fence.i" => Work::Flush(system - 1),
            Class::Csr | Class::Fence | Class::System => Work::Alone(system - 1),
            _ => Work::Compute(1, Cause::Operand),
        }
    }

    fn access(&mut self, event: &Event<'_>, stores: bool) -> Outcome {
        let (Some(&address), Some(data)) = (event.words.first(), &mut self.data) else { return USUAL };
        match data.touch(address, stores) {
            Touch::Hit => USUAL,
            Touch::Miss(Some(Line { written: true, number })) => {
                self.below.misses(address, Some(data.address(number)));
                DATA_MISS | DIRTY
            }
            Touch::Miss(_) => {
                self.below.misses(address, None);
                DATA_MISS
            }
        }
    }
}

fn cache(machine: &Machine, bytes: &'static str, ways: &'static str) -> Result<Option<Lines>, MachineError> {
    let size = machine.number(bytes, 0..=MOST_BYTES, "0, or bytes of a cache, at most 64 MiB")?;
    let ways = machine.number(ways, 1..=MOST_WAYS, "from 1 to 64")?;
    if size == 0 {
        return Ok(None);
    }
    let sets = size / (LINE * ways);
    if sets * LINE * ways != size || !sets.is_power_of_two() {
        return Err(MachineError::Parameter(bytes, "64 bytes × ways × a power of two"));
    }
    Ok(Some(Lines::new(sets as usize, ways as usize, LINE, Replacement::Lru)))
}

impl Core for InOrder {
    type State = State;
    type Op = Op;

    /// All scalar integer instructions, cryptography included.
    fn has(&self, class: Class) -> bool {
        !["fp-", "vector-"].iter().any(|unit| class.name().starts_with(unit))
    }

    /// Pushes and pops too, one access in a cycle.
    fn executes(&self, instruction: &Instruction) -> bool {
        self.has(instruction.class)
    }

    fn prepare(&self, instruction: &Instruction, leads: bool) -> Op {
        let mut registers = [0; 4];
        let named = instruction.reads.iter().chain(&instruction.writes);
        registers.iter_mut().zip(named).for_each(|(slot, &register)| *slot = register);
        let last = instruction.fall_through().wrapping_sub(1);
        let is_first = leads || last / LINE != instruction.pc.wrapping_sub(1) / LINE;
        Op {
            registers,
            writes: instruction.writes.unwrap_or(0),
            work: self.work(instruction),
            further: if instruction.is_one_access() { 0 } else { u16::from(instruction.accesses) - 1 },
            most_shift: if instruction.rv32 || instruction.mnemonic.ends_with('w') { 31 } else { 63 },
            fetch: (is_first || self.instructions.is_none()).then_some(last),
            transfer: (!matches!(instruction.flow, Flow::Next | Flow::Trap)).then(|| Transfer {
                pc: instruction.pc,
                fall_through: instruction.fall_through(),
                flow: instruction.flow,
                condition: Condition::of(instruction),
                is_return: instruction.is_return(),
                calls: instruction.link.is_some_and(|link| matches!(link, 1 | 5)),
            }),
        }
    }

    fn watches(&self, op: &Op) -> bool {
        let accesses = matches!(op.work, Work::Load(_) | Work::Store | Work::Both(_)) && self.data.is_some();
        let flushes = matches!(op.work, Work::Flush(_) | Work::Shift(None));
        op.transfer.is_some() || accesses || flushes || (op.fetch.is_some() && self.instructions.is_some())
    }

    fn look(&mut self, op: &Op, event: &Event<'_>) -> Outcome {
        let mut outcome = USUAL;
        if let (Some(address), Some(cache)) = (op.fetch, &mut self.instructions)
            && cache.touch(address, false) != Touch::Hit
        {
            self.below.misses_fetch(address);
            outcome |= FETCH_MISS;
        }
        if matches!(op.work, Work::Load(_) | Work::Store | Work::Both(_)) {
            outcome |= self.access(event, !matches!(op.work, Work::Load(_)));
        }
        if let (Work::Shift(None), [_, amount]) = (op.work, event.words) {
            outcome |= u32::from(self.shifting(amount & op.most_shift)) << SHIFTING;
        }
        if let (Work::Flush(_), Some(cache)) = (op.work, &mut self.instructions) {
            cache.empty();
        }
        let Some(transfer) = &op.transfer else { return outcome };
        let taken = !matches!(transfer.flow, Flow::Branch(_)) || transfer.condition.holds(event);
        let foreseen = match transfer.flow {
            Flow::Branch(target) => self.predictor.branch(transfer.pc, target < transfer.pc, taken),
            Flow::Indirect => transfer.is_return && self.predictor.returns_to(event.next),
            Flow::Jump(_) | Flow::Next | Flow::Trap => true,
        };
        if transfer.calls {
            self.predictor.call(transfer.fall_through);
        }
        outcome
            | if !foreseen {
                MISPREDICTED
            } else if taken {
                TAKEN
            } else {
                USUAL
            }
    }

    fn awaits(&self) -> bool {
        self.below.is_awaited()
    }

    /// A line is asked for when it is waited for; one that must be written back is sent before.
    fn ask(&mut self, state: &State, op: &Op, outcome: Outcome, cycle: u64) {
        if outcome & FETCH_MISS != 0 {
            self.below.ask_fetch(cycle);
        }
        if outcome & DATA_MISS == 0 {
            return;
        }
        let mut spent = Spent::default();
        let hits = outcome & !(DATA_MISS | DIRTY | MISPREDICTED | TAKEN);
        self.issue(&mut state.clone(), op, hits, &mut spent);
        let at = cycle + spent.cycles();
        if outcome & DIRTY != 0 {
            self.below.write_back(at);
        }
        self.below.ask(if outcome & DIRTY != 0 { at + u64::from(BEATS) } else { at });
    }

    fn seen(&self) -> Vec<Seen> {
        self.below.seen()
    }

    fn trap(&self, state: &mut State, _: Option<&Op>, _: Outcome, spent: &mut Spent) {
        spent.spend(Cause::System, self.mispredicted.into());
        state.pass(self.mispredicted);
    }

    fn issue(&self, state: &mut State, op: &Op, outcome: Outcome, spent: &mut Spent) {
        let mut wait = |state: &mut State, cycles: u16, cause: Cause| {
            spent.spend(cause, cycles.into());
            state.pass(cycles);
        };
        // Its bytes.
        if outcome & FETCH_MISS != 0 {
            wait(state, self.below.answers().instructions as u16 + BEATS, Cause::Fetch);
        } else if self.instructions.is_none() {
            wait(state, self.memory, Cause::Fetch);
        }
        // Its operands, and the register it writes.
        for register in op.registers.into_iter().filter(|&register| register != 0) {
            let (cycles, cause) = state.waits[usize::from(register)];
            wait(state, cycles, Cause::ALL[usize::from(cause)]);
        }
        if matches!(op.work, Work::Divide(_)) {
            wait(state, state.divider, Cause::Divide);
        }
        wait(state, 1, Cause::Issue);
        if matches!(op.work, Work::Load(_) | Work::Store | Work::Both(_)) {
            let cycles = match outcome & (DATA_MISS | DIRTY) {
                _ if self.data.is_none() => self.memory,
                0 => 0,
                DATA_MISS => self.below.answers().data as u16 + BEATS,
                _ => self.below.answers().data as u16 + 2 * BEATS,
            };
            wait(state, cycles, Cause::Data);
            let each = if self.data.is_none() { 1 + self.memory } else { 1 };
            wait(state, op.further * each, Cause::Structural);
        }
        match op.work {
            Work::Compute(latency, cause) => state.ready(op.writes, latency - 1, cause),
            Work::Divide(latency) => {
                state.ready(op.writes, latency - 1, Cause::Divide);
                state.divider = latency - 1;
            }
            Work::Load(latency) | Work::Both(latency) => state.ready(op.writes, latency - 1, Cause::LoadUse),
            Work::Shift(further) => {
                let further = further.unwrap_or((outcome >> SHIFTING) as u16);
                wait(state, further, Cause::Unit);
                state.ready(op.writes, 0, Cause::Unit);
            }
            Work::Store => {}
            Work::Alone(cycles) | Work::Flush(cycles) => wait(state, cycles, Cause::System),
        }
        if outcome & MISPREDICTED != 0 {
            wait(state, self.mispredicted, Cause::Branch);
        } else if outcome & TAKEN != 0 {
            wait(state, self.taken, Cause::Branch);
        }
    }
}

impl State {
    fn pass(&mut self, cycles: u16) {
        if cycles == 0 {
            return;
        }
        for (wait, cause) in &mut self.waits {
            *wait = wait.saturating_sub(cycles);
            // Two moments that go on alike are equal.
            *cause = if *wait == 0 { 0 } else { *cause };
        }
        self.divider = self.divider.saturating_sub(cycles);
    }

    fn ready(&mut self, register: u8, cycles: u16, cause: Cause) {
        if register != 0 {
            self.waits[usize::from(register)] = (cycles, if cycles == 0 { 0 } else { cause as u8 });
        }
    }
}

#[cfg(test)]
mod tests;
