//! Operands with the results that the plain evaluator gives for them: what a datapath is tested with.

use coredsl::eval::{self, Fault, Outcome};
use coredsl::ir::{Instruction, Module, RegId, SpaceId};
use ethnum::U256;

use crate::description::Datapath;
use crate::module::{Direction, Role};
use crate::operand::Register;

/// One set of operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vector {
    /// Values of the input ports that are operands, in their order.
    pub inputs: Vec<u64>,
    /// The destination's value; none if nobody sees it, because it is x0 or the instruction is illegal.
    pub result: Option<u64>,
    /// The instruction raises an exception.
    pub illegal: bool,
}

pub(crate) fn vectors(
    module: &Module,
    instruction: &Instruction,
    datapath: &Datapath,
    count: u32,
    seed: u64,
) -> Vec<Vector> {
    let mut random = Random(seed | 1);
    (0..count).map(|_| vector(module, instruction, datapath, &mut random)).collect()
}

fn vector(module: &Module, instruction: &Instruction, datapath: &Datapath, random: &mut Random) -> Vector {
    let fields = &instruction.encoding.fields;
    let word =
        fields.iter().fold(instruction.encoding.value, |word, field| word | field.insert(random.operand()));
    let mask = u64::MAX >> (64 - module.xlen);
    let pc = random.operand() & mask & !1;
    let mut hart = Hart { module, x: [0; 32] };
    hart.x[1..].fill_with(|| random.operand() & mask);
    let number = |register| match register {
        Register::Fixed(number) => usize::from(number),
        Register::Field { field, plus } => fields[field.index()].extract(word) as usize + usize::from(plus),
    };
    let input = |role| match role {
        Role::Register(register) => Some(hart.x[number(register) & 31]),
        Role::Pc => Some(pc),
        Role::Field(field) => Some(fields[field.index()].extract(word)),
        _ => None,
    };
    let ports = datapath.ports.iter().filter(|port| port.direction == Direction::Input);
    let inputs = ports.filter_map(|port| input(port.role)).collect();
    let done = eval::execute(module, instruction, word, pc, &mut hart);
    let illegal = !matches!(done, Ok(Outcome::Done { .. }));
    let destination = number(datapath.destination);
    let result = (!illegal && destination != 0).then(|| hart.x[destination & 31]);
    Vector { inputs, result, illegal }
}

/// Integer registers and nothing else.
struct Hart<'m> {
    module: &'m Module,
    x: [u64; 32],
}

impl eval::Machine for Hart<'_> {
    fn read_reg(&mut self, reg: RegId, index: u32) -> U256 {
        let is_main = self.module.registers[reg.index()].is_main;
        if is_main { U256::from(self.x[index as usize & 31]) } else { U256::ZERO }
    }

    fn write_reg(&mut self, reg: RegId, index: u32, value: U256) {
        if self.module.registers[reg.index()].is_main {
            self.x[index as usize & 31] = value.as_u64();
        }
    }

    fn read_space(&mut self, space: SpaceId, address: u64, _: u32) -> Result<U256, Fault> {
        Err(Fault::Access { space, address })
    }

    fn write_space(&mut self, space: SpaceId, address: u64, _: u32, _: U256) -> Result<(), Fault> {
        Err(Fault::Access { space, address })
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

    /// Often a corner: nothing, everything, one bit, a small number, the least and the greatest signed one.
    fn operand(&mut self) -> u64 {
        match self.next() % 12 {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << (self.next() % 64),
            3 => self.next() % 64,
            4 => 0x8000_0000_8000_0000,
            5 => 0x7fff_ffff_7fff_ffff,
            6 => 1 << 63,
            7 => u64::MAX >> (self.next() % 64),
            _ => self.next(),
        }
    }
}
