//! A description held against the built-in one: instructions with one encoding must do the same to
//! random operands. Both run in the plain evaluator.

use std::collections::{BTreeMap, HashMap};

use crate::{Builtin, Instructions, InstructionsError, Xlen};
use coredsl::eval::{self, Outcome};
use coredsl::ir::{Behavior, Instruction, Module, RegId, SpaceId};
use coredsl::{BUILT_IN, FileSources, Program};
use ethnum::U256;

/// An instruction that does something else than the built-in one of its encoding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Register width.
    pub xlen: Xlen,
    /// Name in the description.
    pub name: String,
    /// How many of the trials differed.
    pub differing: u32,
    /// Number of trials.
    pub trials: u32,
    /// The first that did: the word with its operands, and both outcomes.
    pub example: String,
}

/// The outcome of a comparison.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comparison {
    /// Instructions that were compared.
    pub compared: Vec<(Xlen, String)>,
    /// Instructions without a built-in counterpart.
    pub alone: Vec<(Xlen, String)>,
    /// What differed.
    pub differences: Vec<Difference>,
}

/// Compares every instruction that the description at `path` declares itself, for both widths.
///
/// # Errors
/// Faults of the description.
pub fn compare(path: &str, trials: u32, seed: u64) -> Result<Comparison, InstructionsError> {
    // Nothing built in is loaded beside it: a description may declare sets of the same names.
    let program = Program::load(path, &FileSources::new(Builtin))?;
    let sets: Vec<&str> = program
        .sets()
        .filter(|set| set.file == path && !set.file.starts_with(BUILT_IN))
        .map(|set| set.name)
        .collect();
    let mut comparison = Comparison::default();
    for xlen in [Xlen::Rv32, Xlen::Rv64] {
        let theirs = coredsl::elaborate(&program, &sets, xlen.bits())?;
        // Whether a target of two bytes' alignment is misaligned is a parameter, not a difference.
        let strict = theirs.constants.iter().any(|(name, value)| name == "INSTR_ALIGNMENT" && *value == 4);
        let without_c;
        let ours = if strict {
            without_c = Instructions::all_but_compressed(xlen)?;
            &without_c
        } else {
            let Some(all) = Instructions::all(xlen) else { continue };
            all
        };
        for instruction in theirs.instructions.iter().filter(|instruction| sets.contains(&&*instruction.set))
        {
            one(&mut comparison, xlen, &theirs, instruction, ours, trials, &mut Random(seed | 1));
        }
    }
    Ok(comparison)
}

fn one(
    comparison: &mut Comparison,
    xlen: Xlen,
    theirs: &Module,
    instruction: &Instruction,
    ours: &Instructions,
    trials: u32,
    random: &mut Random,
) {
    let (mut compared, mut differing, mut example) = (0, 0, None);
    for _ in 0..trials {
        let length = u32::from(instruction.encoding.length);
        let free = !instruction.encoding.mask & (u32::MAX >> (32 - length));
        let word = instruction.encoding.value | random.next() as u32 & free;
        let Some(id) = ours.decode(word) else { continue };
        let own = ours.get(id);
        if own.encoding.length != instruction.encoding.length || matches!(own.behavior, Behavior::Extern) {
            continue;
        }
        compared += 1;
        let before = State::random(xlen, random);
        let expected = before.clone().run(ours.module(), own, word);
        let found = before.clone().run(theirs, instruction, word);
        if expected != found {
            differing += 1;
            example.get_or_insert_with(|| {
                let text = ours.disassemble(word, State::PC).unwrap_or_default();
                format!("{word:#x} ({text}) {before}: built-in {expected}, described {found}")
            });
        }
    }
    let name = instruction.name.clone();
    if compared == 0 {
        comparison.alone.push((xlen, name));
    } else {
        comparison.compared.push((xlen, name.clone()));
        if let Some(example) = example {
            comparison.differences.push(Difference { xlen, name, differing, trials: compared, example });
        }
    }
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// An operand: often a corner.
    fn operand(&mut self) -> u64 {
        match self.next() % 8 {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << (self.next() % 64),
            3 => self.next() % 64,
            4 => i64::MIN as u64 >> 32 | i64::MIN as u64,
            _ => self.next(),
        }
    }
}

/// A hart's registers, with memory and CSRs that hold something everywhere.
#[derive(Clone, PartialEq, Eq)]
struct State {
    xlen: Xlen,
    x: [u64; 32],
    memory: BTreeMap<u64, u8>,
    csrs: BTreeMap<u64, u64>,
}

/// What an instruction did.
#[derive(PartialEq, Eq)]
enum Effect {
    Done { next_pc: u64, changed: Vec<(u16, u64)>, memory: BTreeMap<u64, u8>, csrs: BTreeMap<u64, u64> },
    Raised(U256),
    Fault,
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let registers: Vec<String> =
            (10..18).map(|index| format!("a{}={:#x}", index - 10, self.x[index])).collect();
        f.write_str(&registers.join(" "))
    }
}

impl std::fmt::Display for Effect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Raised(cause) => write!(f, "raises {cause}"),
            Self::Fault => f.write_str("faults"),
            Self::Done { next_pc, changed, memory, csrs } => {
                write!(f, "goes to {next_pc:#x}")?;
                for (register, value) in changed {
                    write!(f, ", x{register}={value:#x}")?;
                }
                write!(f, ", {} bytes and {} CSRs written", memory.len(), csrs.len())
            }
        }
    }
}

impl State {
    const PC: u64 = 0x8000_1000;

    fn random(xlen: Xlen, random: &mut Random) -> Self {
        let mut x = [0; 32];
        for register in &mut x[1..] {
            *register = random.operand() & xlen.mask();
        }
        Self { xlen, x, memory: BTreeMap::new(), csrs: BTreeMap::new() }
    }

    fn run(self, module: &Module, instruction: &Instruction, word: u32) -> Effect {
        let before = self.x;
        let mut machine = Mock { module, state: self, reserved: HashMap::new() };
        match eval::execute(module, instruction, word, Self::PC, &mut machine) {
            Ok(Outcome::Done { next_pc, .. }) => {
                let state = machine.state;
                let changed = (0..32)
                    .filter(|&index| state.x[usize::from(index)] != before[usize::from(index)])
                    .map(|index| (index, state.x[usize::from(index)]))
                    .collect();
                Effect::Done { next_pc, changed, memory: state.memory, csrs: state.csrs }
            }
            Ok(Outcome::Raised { cause, .. }) => Effect::Raised(cause),
            Err(_) => Effect::Fault,
        }
    }
}

struct Mock<'m> {
    module: &'m Module,
    state: State,
    reserved: HashMap<u64, u64>,
}

/// What a byte or CSR holds before anything is written to it.
const fn initial(address: u64) -> u64 {
    address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7
}

impl Mock<'_> {
    fn space(&self, space: SpaceId) -> &str {
        &self.module.spaces[space.index()].name
    }

    fn is_x(&self, reg: RegId) -> bool {
        self.module.registers[reg.index()].is_main
    }
}

impl eval::Machine for Mock<'_> {
    fn read_reg(&mut self, reg: RegId, index: u32) -> U256 {
        if self.is_x(reg) { U256::from(self.state.x[index as usize & 31]) } else { U256::ZERO }
    }

    fn write_reg(&mut self, reg: RegId, index: u32, value: U256) {
        if self.is_x(reg) && index != 0 {
            self.state.x[index as usize & 31] = value.as_u64();
        }
    }

    fn read_space(&mut self, space: SpaceId, address: u64, elements: u32) -> Result<U256, eval::Fault> {
        let mask = self.state.xlen.mask();
        Ok(match self.space(space) {
            "MEM" => (0..elements).rev().fold(U256::ZERO, |value, offset| {
                let at = address.wrapping_add(offset.into()) & mask;
                value << 8 | U256::from(self.state.memory.get(&at).copied().unwrap_or(initial(at) as u8))
            }),
            "CSR" => U256::from(self.state.csrs.get(&address).copied().unwrap_or(initial(address)) & mask),
            "RES" => U256::from(u64::from(self.reserved.remove(&address).is_some())),
            _ => U256::ZERO,
        })
    }

    fn write_space(
        &mut self,
        space: SpaceId,
        address: u64,
        elements: u32,
        value: U256,
    ) -> Result<(), eval::Fault> {
        let mask = self.state.xlen.mask();
        match self.space(space) {
            "MEM" => {
                for offset in 0..elements {
                    let at = address.wrapping_add(offset.into()) & mask;
                    self.state.memory.insert(at, (value >> (8 * offset)).as_u8());
                }
            }
            "CSR" => {
                self.state.csrs.insert(address, value.as_u64());
            }
            "RES" => {
                self.reserved.insert(address, value.as_u64());
            }
            // A fence's operands order nothing here.
            _ => {}
        }
        Ok(())
    }
}
