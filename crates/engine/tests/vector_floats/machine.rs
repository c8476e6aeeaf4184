//! One instruction with everything that its effect depends on.

use engine::{Machine, Program, Stop};
use hart::csr::Clock;
use hart::{Address, AgnosticFill, Exception, Htif, Memory};
use isa::Vlen;

use crate::guest::{self, BASE, SIZE, encode};

const FFLAGS: u64 = 0x001;
const FRM: u64 = 0x002;
const VSTART: u64 = 0x008;
const MSTATUS: u64 = 0x300;

/// How `vl` is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// By the value of a register.
    Register,
    /// By an immediate.
    Immediate,
    /// The longest there is.
    Longest,
    /// By an instruction before the block, after which `vstart` becomes what is given.
    Before(u64),
}

/// What is the same for an instruction and for the one it is compared with.
#[derive(Clone, Debug)]
pub struct Setting {
    pub vlen: u32,
    pub fill: AgnosticFill,
    /// As in `vtype`.
    pub zimm: i64,
    pub length: Length,
    pub vl: u64,
    pub frm: u64,
    pub status: u64,
    /// f1.
    pub scalar: u64,
    /// v0 to v31.
    pub registers: Vec<u8>,
}

/// What an instruction leaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Left {
    pub registers: Vec<u8>,
    pub fflags: u64,
    pub status: u64,
    pub vl: u64,
}

/// A machine that is about to set `vl` and to execute an instruction.
pub fn machine<'p>(
    program: &'p Program,
    setting: &Setting,
    word: u32,
    prepare: fn(Machine<'p>) -> Machine<'p>,
) -> Machine<'p> {
    let module = program.module();
    let zimm = ("zimm", setting.zimm);
    let configure = match setting.length {
        Length::Register | Length::Before(_) => encode(module, "VSETVLI", &[("rd", 5), ("rs1", 10), zimm]),
        Length::Immediate => encode(module, "VSETIVLI", &[("rd", 5), ("uimm", setting.vl as i64 & 31), zimm]),
        Length::Longest => encode(module, "VSETVLI", &[("rd", 5), ("rs1", 0), zimm]),
    };
    let jump = |imm: i64| encode(module, "JAL", &[("imm", imm)]);
    let words = match setting.length {
        Length::Before(_) => vec![configure, jump(4), word, jump(0)],
        _ => vec![configure, word, jump(0)],
    };
    let mut memory = Memory::new(Address(BASE), SIZE).expect("a small memory");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.slice_mut(Address(BASE), bytes.len()).expect("the code fits").copy_from_slice(&bytes);
    let mut machine = prepare(Machine::new(program, memory, Address(BASE), Htif::default()));
    let hart = &mut machine.hart;
    hart.vector.set_vlen(Vlen::new(setting.vlen).expect("a vector length"));
    hart.vector.set_fill(setting.fill);
    let vlenb = setting.vlen as usize / 8;
    for (register, bytes) in setting.registers.chunks_exact(vlenb).enumerate() {
        hart.vector.register_mut(register).copy_from_slice(bytes);
    }
    hart.float.set_raw(1, setting.scalar);
    hart.set_x(10, setting.vl);
    machine
}

/// Has such a machine do that once more, with v0 to v31, f1, `fflags` and `frm` as given. Returns registers and flags.
///
/// # Panics
/// If the instruction is illegal.
pub fn again(
    machine: &mut Machine<'_>,
    registers: &[u8],
    scalar: u64,
    fflags: u64,
    frm: u64,
) -> (Vec<u8>, u64) {
    let hart = &mut machine.hart;
    for (register, bytes) in registers.chunks_exact(registers.len() / 32).enumerate() {
        hart.vector.register_mut(register).copy_from_slice(bytes);
    }
    hart.set_pc(BASE);
    hart.float.set_raw(1, scalar);
    for (csr, value) in [(MSTATUS, 0x7e00), (FFLAGS, fflags), (FRM, frm)] {
        hart.write_csr(csr, value, Clock::default()).expect("a writable register");
    }
    let limit = hart.retired() + 9;
    assert!(matches!(guest::run(machine, limit), Stop::InstructionLimit), "a legal instruction");
    let fflags = machine.hart.read_csr(FFLAGS, Clock::default()).expect("a readable register");
    let registers = (0..32).flat_map(|register| machine.hart.vector.register(register).to_vec());
    (registers.collect(), fflags)
}

/// Executes an instruction, with these flags raised before; the broken rule if it is illegal.
pub fn execute<'p>(
    program: &'p Program,
    setting: &Setting,
    word: u32,
    fflags: u64,
    prepare: fn(Machine<'p>) -> Machine<'p>,
) -> Result<Left, String> {
    let mut machine = machine(program, setting, word, prepare);
    let hart = &mut machine.hart;
    for (csr, value) in [(MSTATUS, 0x7e00), (FFLAGS, fflags), (FRM, setting.frm), (MSTATUS, setting.status)] {
        hart.write_csr(csr, value, Clock::default()).expect("a writable register");
    }
    if let Length::Before(vstart) = setting.length {
        guest::run(&mut machine, 2);
        machine.hart.write_csr(VSTART, vstart, Clock::default()).expect("a writable register");
    }
    let stop = guest::run(&mut machine, 9);
    let hart = &mut machine.hart;
    let vstart = hart.read_csr(VSTART, Clock::default()).ok();
    let status = hart.read_csr(MSTATUS, Clock::default()).expect("a readable register");
    let vl = hart.vector.vl() as u64;
    let registers = (0..32).flat_map(|register| hart.vector.register(register).to_vec()).collect();
    // The unit on, to be read.
    hart.write_csr(MSTATUS, 0x6000, Clock::default()).expect("a writable register");
    let fflags = hart.read_csr(FFLAGS, Clock::default()).expect("a readable register");
    match stop {
        Stop::InstructionLimit => {
            assert!(vstart.is_none_or(|vstart| vstart == 0), "vstart stays");
            Ok(Left { registers, fflags, status, vl })
        }
        Stop::Fault(fault) if fault.exception.cause == Exception::ILLEGAL => {
            assert_eq!(registers, setting.registers, "changed before the trap");
            Err(fault.rule.expect("a rule").to_owned())
        }
        stop => panic!("{stop:?}"),
    }
}
