//! One instruction on the engine, in the setting of a [`Case`].

use engine::{Program, Stop};
use hart::{AgnosticFill, Exception};
use isa::Vlen;

use crate::guest::{self, Code};
use crate::model::{Case, Outcome, Registers};

const VSTART: u16 = 0x008;
const VXSAT: u16 = 0x009;
const VXRM: u16 = 0x00a;
const MSTATUS: u16 = 0x300;

/// The word of the case's instruction.
pub fn word(program: &Program, case: &Case) -> u32 {
    let instruction = program.module().instructions.iter().find(|found| found.name == case.name);
    let instruction = instruction.unwrap_or_else(|| panic!("no instruction {}", case.name));
    let has = |name: &str| instruction.encoding.fields.iter().any(|field| field.name == name);
    let fields = [
        ("vd", case.vd),
        ("rd", case.vd),
        ("vs2", case.vs2),
        ("vs1", case.rs1),
        ("rs1", case.rs1),
        ("simm5", case.rs1),
        ("uimm5", case.rs1),
        ("vm", u32::from(!case.masked)),
    ];
    let fields: Vec<(&str, i64)> =
        fields.iter().filter(|(name, _)| has(name)).map(|&(name, value)| (name, value.into())).collect();
    guest::with_fields(instruction, &fields)
}

/// What the engine makes of it; if it is an illegal instruction, the rule it breaks.
///
/// # Panics
/// If anything else happens.
pub fn run(program: &Program, case: &Case) -> Result<Outcome, String> {
    run_from(program, case, false)
}

/// The same, with `vxsat` set or clear before.
///
/// # Panics
/// If anything else happens.
pub fn run_from(program: &Program, case: &Case, saturated: bool) -> Result<Outcome, String> {
    let mut machine = Code::new(program)
        .op("CSRRS", &[("rd", 0), ("csr", MSTATUS.into()), ("rs1", 5)])
        .op("VSETVL", &[("rd", 0), ("rs1", 10), ("rs2", 11)])
        .csrrw(0, VXRM, 12)
        .csrrw(0, VXSAT, 14)
        .csrrw(0, VSTART, 13)
        // A block of its own, which may be compiled as a whole.
        .op("JAL", &[("imm", 4)])
        .word(word(program, case))
        .op("JAL", &[("imm", 4)])
        .csrr(20, VSTART)
        .csrr(21, VXSAT)
        .machine();
    machine.hart.vector.set_vlen(Vlen::new(8 * case.registers.vlenb as u32).expect("a power of two"));
    machine.hart.vector.set_fill(if case.ones { AgnosticFill::Ones } else { AgnosticFill::Undisturbed });
    let vtype = (case.lmul & 7) as u64
        | u64::from(case.sew.ilog2() - 3) << 3
        | u64::from(case.tail_agnostic) << 6
        | u64::from(case.mask_agnostic) << 7;
    let setting = [
        (14, saturated.into()),
        (5, 0x600),
        (10, case.vl as u64),
        (11, vtype),
        (12, case.vxrm.into()),
        (13, case.vstart as u64),
    ];
    for (register, value) in setting {
        machine.hart.set_x(register, value);
    }
    assert!(matches!(guest::run(&mut machine, 6), Stop::InstructionLimit), "the setting is legal");
    assert_eq!(machine.hart.vector.vl(), case.vl);
    let vlenb = case.registers.vlenb;
    for (register, bytes) in case.registers.bytes.chunks_exact(vlenb).enumerate() {
        machine.hart.vector.register_mut(register).copy_from_slice(bytes);
    }
    if case.name.ends_with('X') || case.name.ends_with("XM") {
        machine.hart.set_x(case.rs1 as u16, case.x);
    }
    match guest::run(&mut machine, 8) {
        Stop::InstructionLimit => {}
        Stop::Fault(fault) if fault.exception.cause == Exception::ILLEGAL => {
            let registers = (0..32).flat_map(|register| machine.hart.vector.register(register).to_vec());
            assert!(registers.eq(case.registers.bytes.iter().copied()), "{case:?} changes before its trap");
            return Err(fault.rule.expect("a rule").to_owned());
        }
        stop => panic!("{case:?}: {stop:?}"),
    }
    let x = has_scalar_result(case).then(|| machine.hart.x(case.vd as u16));
    assert!(matches!(guest::run(&mut machine, 10), Stop::InstructionLimit));
    assert_eq!(machine.hart.x(20), 0, "{case:?} leaves vstart");
    let bytes = (0..32).flat_map(|register| machine.hart.vector.register(register).to_vec()).collect();
    Ok(Outcome { registers: Registers { bytes, vlenb }, x, saturated: machine.hart.x(21) == 1 })
}

/// True if the instruction writes an integer register.
pub fn has_scalar_result(case: &Case) -> bool {
    ["VCPOP__M", "VFIRST__M", "VMV__X__S"].contains(&case.name.as_str())
}
