//! A vector unit under test: settings, registers, and programs of a few instructions between them.

use engine::{Program, Stop};
use hart::AgnosticFill;
use isa::Vlen;

use crate::guest::{Code, run};

const VSTART: u16 = 0x008;
const MSTATUS: u16 = 0x300;
/// `mstatus.VS`: initial.
const VS: u64 = 1 << 9;

/// What `vtype`, `vl`, `vstart` and the machine are when the instructions begin.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub vlen: u32,
    /// Bits.
    pub sew: usize,
    /// log2 of LMUL.
    pub lmul: i8,
    pub vl: usize,
    pub vstart: usize,
    pub agnostic: bool,
    pub fill: AgnosticFill,
}

impl Setting {
    /// LMUL = 1, as many elements as there are, undisturbed.
    pub fn new(vlen: u32, sew: usize) -> Self {
        let vl = vlen as usize / sew;
        Self { vlen, sew, lmul: 0, vl, vstart: 0, agnostic: false, fill: AgnosticFill::Undisturbed }
    }

    pub fn with_lmul(self, lmul: i8) -> Self {
        let bits = if lmul < 0 { self.vlen >> -lmul } else { self.vlen << lmul };
        Self { lmul, vl: bits as usize / self.sew, ..self }
    }

    /// Bytes of a register.
    pub fn vlenb(self) -> usize {
        self.vlen as usize / 8
    }

    /// Bytes of a register group, a whole register at least.
    pub fn group_bytes(self) -> usize {
        self.vlenb() << self.lmul.max(0)
    }

    /// Operand of `vsetvli`.
    fn vtype(self) -> i64 {
        let policies = if self.agnostic { 0xc0 } else { 0 };
        i64::from(self.lmul & 7) | i64::from(self.sew.ilog2() - 3) << 3 | policies
    }
}

/// v0 to v31.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registers {
    pub bytes: Vec<u8>,
    vlenb: usize,
}

impl Registers {
    pub fn zero(vlen: u32) -> Self {
        let vlenb = vlen as usize / 8;
        Self { bytes: vec![0; 32 * vlenb], vlenb }
    }

    /// Filled with what a small generator gives, the same for the same seed.
    pub fn random(vlen: u32, seed: u64) -> Self {
        let mut registers = Self::zero(vlen);
        let mut state = seed;
        for bytes in registers.bytes.chunks_mut(8) {
            bytes.copy_from_slice(&split_mix(&mut state).to_le_bytes()[..bytes.len()]);
        }
        registers
    }

    /// The bytes from the beginning of a register.
    pub fn at(&self, register: usize) -> &[u8] {
        &self.bytes[register * self.vlenb..]
    }

    /// Puts bytes at the beginning of a register group.
    pub fn put(&mut self, register: usize, bytes: &[u8]) {
        self.bytes[register * self.vlenb..][..bytes.len()].copy_from_slice(bytes);
    }

    /// Repeats bytes through a register group of that many bytes.
    pub fn repeat(&mut self, register: usize, bytes: &[u8], length: usize) {
        self.put(register, &bytes.repeat(length / bytes.len()));
    }
}

/// The generator of Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators".
pub fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// An instruction: its name and operand fields.
pub type Op<'a> = (&'a str, &'a [(&'a str, i64)]);

/// Executes instructions, `vstart` holding for the first, and gives back the registers. Integer register
/// x5 holds `x5`.
///
/// # Errors
/// The rule that an instruction breaks; registers must be as before.
pub fn execute_with(
    program: &Program,
    setting: Setting,
    registers: &Registers,
    x5: u64,
    ops: &[Op<'_>],
) -> Result<Registers, &'static str> {
    let code = Code::new(program)
        .csrrw(0, MSTATUS, 14)
        .op("VSETVLI", &[("rd", 12), ("rs1", 10), ("zimm", setting.vtype())])
        .csrrw(0, VSTART, 11)
        // The instructions are a block of their own, which may be compiled as a whole.
        .op("JAL", &[("imm", 4)]);
    let code = ops.iter().fold(code, |code, (name, fields)| code.op(name, fields));
    let code = code.op("JAL", &[("imm", 4)]).csrr(13, VSTART);
    let mut machine = code.machine();
    machine.hart.vector.set_vlen(Vlen::new(setting.vlen).expect("a vector length"));
    machine.hart.vector.set_fill(setting.fill);
    machine.hart.set_x(5, x5);
    machine.hart.set_x(10, setting.vl as u64);
    machine.hart.set_x(14, VS);
    machine.hart.set_x(11, setting.vstart as u64);
    for register in 0..32 {
        let bytes = &registers.at(register)[..registers.vlenb];
        machine.hart.vector.register_mut(register).copy_from_slice(bytes);
    }
    let stop = run(&mut machine, ops.len() as u64 + 6);
    let bytes = (0..32).flat_map(|register| machine.hart.vector.register(register).to_vec()).collect();
    let after = Registers { bytes, vlenb: registers.vlenb };
    match stop {
        Stop::Fault(fault) => {
            assert_eq!(&after, registers, "a trap leaves registers alone");
            assert_eq!(fault.exception.cause, 2);
            Err(fault.rule.unwrap_or("no such instruction"))
        }
        stop => {
            assert_eq!(stop, Stop::InstructionLimit);
            assert_eq!(machine.hart.x(12), setting.vl as u64, "the length asked for");
            assert_eq!(machine.hart.x(13), 0, "vstart after the instruction");
            Ok(after)
        }
    }
}

/// [`execute_with`] without integer operand.
///
/// # Errors
/// The rule that an instruction breaks.
pub fn execute(
    program: &Program,
    setting: Setting,
    registers: &Registers,
    ops: &[Op<'_>],
) -> Result<Registers, &'static str> {
    execute_with(program, setting, registers, 0, ops)
}
