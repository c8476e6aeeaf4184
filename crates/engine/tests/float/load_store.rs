//! Loads and stores: bits, addresses, faults, and the compressed forms.

use engine::{Machine, Program, Stop};
use hart::csr::Clock;
use hart::{Address, Htif};
use proptest::prelude::*;

use crate::guest::{BASE, Code, DATA, SIZE, fault, run};
use crate::{narrow, wide};

fn on(mut machine: Machine<'_>) -> Machine<'_> {
    machine.hart.write_csr(0x300, 1 << 13, Clock::default()).expect("a writable register");
    machine
}

fn memory(machine: &Machine<'_>, address: u64) -> u64 {
    let bytes = machine.memory.slice(Address(address), 8).expect("memory");
    u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}

const BITS: u64 = 0x0123_4567_89ab_cdef;

#[test]
fn bits_go_out_and_come_back_boxed() {
    for program in [narrow(), wide()] {
        for (store, load, size) in [("FSH", "FLH", 2), ("FSW", "FLW", 4), ("FSD", "FLD", 8)] {
            // Misaligned too.
            for offset in [-16i64, -3, 0, 1] {
                let mut machine = on(Code::new(program)
                    .op(store, &[("rs2", 1), ("rs1", 5), ("imm", offset)])
                    .op(load, &[("rd", 2), ("rs1", 5), ("imm", offset)])
                    .machine());
                machine.hart.float.set_raw(1, BITS);
                machine.hart.set_x(5, DATA);
                assert_eq!(run(&mut machine, 2), Stop::InstructionLimit);
                let mask = u64::MAX >> (64 - 8 * size);
                assert_eq!(memory(&machine, DATA.wrapping_add_signed(offset)), BITS & mask);
                assert_eq!(machine.hart.float.raw(2), BITS | !mask);
            }
        }
    }
}

#[test]
fn faults_tell_the_address_and_change_nothing() {
    for program in [narrow(), wide()] {
        for (name, field, cause) in [("FLD", "rd", 5), ("FLW", "rd", 5), ("FSD", "rs2", 7), ("FSW", "rs2", 7)]
        {
            // The last byte is outside.
            let size = if name.ends_with('D') { 8 } else { 4 };
            let address = BASE + SIZE as u64 - size + 1;
            let code = Code::new(program).op(name, &[(field, 1), ("rs1", 5), ("imm", -8)]);
            let mut machine = on(code.machine());
            machine.hart.float.set_raw(1, BITS);
            machine.hart.set_x(5, address + 8);
            assert_eq!(fault(run(&mut machine, 1)), Some((cause, address)), "{name} on {}", program.isa());
            assert_eq!(machine.hart.float.raw(1), BITS);
            assert_eq!(memory(&machine, BASE + SIZE as u64 - 8), 0);
        }
    }
}

#[test]
fn an_address_wraps_at_the_register_width() {
    let mut machine = on(Code::new(narrow()).op("FLW", &[("rd", 1), ("rs1", 5), ("imm", 8)]).machine());
    machine.hart.set_x(5, 0xffff_fffc);
    assert_eq!(fault(run(&mut machine, 1)), Some((5, 4)));
}

#[test]
fn a_store_to_tohost_is_heard() {
    for program in [narrow(), wide()] {
        let htif = Htif::new(Some(Address(DATA)), None);
        let code = Code::new(program).op("FSD", &[("rs2", 1), ("rs1", 5), ("imm", 0)]).nops(4);
        let mut machine = on(code.machine_with(htif));
        machine.hart.float.set_raw(1, 7 << 1 | 1);
        machine.hart.set_x(5, DATA);
        assert_eq!(run(&mut machine, 100), Stop::Exit(7));
        assert_eq!(machine.hart.retired(), 1);
    }
}

/// A compressed form with its full one: names, field of the data register, offset scale, by stack pointer.
const FORMS: [(&str, &str, &str, i64, bool); 8] = [
    ("C__FLW", "FLW", "rd", 4, false),
    ("C__FSW", "FSW", "rs2", 4, false),
    ("C__FLD", "FLD", "rd", 8, false),
    ("C__FSD", "FSD", "rs2", 8, false),
    ("C__FLWSP", "FLW", "rd", 4, true),
    ("C__FSWSP", "FSW", "rs2", 4, true),
    ("C__FLDSP", "FLD", "rd", 8, true),
    ("C__FSDSP", "FSD", "rs2", 8, true),
];

#[test]
fn a_compressed_form_traps_with_its_own_word() {
    let code = Code::new(wide()).op("C__FLD", &[("rd", 1), ("rs1", 0), ("uimm", 8)]);
    let mut machine = code.machine();
    let word = machine.memory.slice(Address(BASE), 2).expect("code").to_vec();
    let word = u16::from_le_bytes([word[0], word[1]]).into();
    assert_eq!(fault(run(&mut machine, 1)), Some((2, word)), "the unit is off");
}

/// All registers and the memory that an offset can reach, after one instruction.
fn effects(program: &Program, name: &str, fields: &[(&str, i64)]) -> (Vec<u64>, Vec<u64>) {
    let mut machine = on(Code::new(program).op(name, fields).machine());
    for register in 0..32 {
        machine.hart.float.set_raw(register, BITS.rotate_left(register));
    }
    for base in [2, 8, 9, 10, 11, 12, 13, 14, 15] {
        machine.hart.set_x(base, DATA + 64 * u64::from(base));
    }
    let target = machine.memory.slice_mut(Address(DATA), 0x1000).expect("memory");
    target.iter_mut().enumerate().for_each(|(index, byte)| *byte = (index * 7 % 251) as u8);
    assert_eq!(run(&mut machine, 1), Stop::InstructionLimit);
    let registers = (0..32).map(|register| machine.hart.float.raw(register)).collect();
    (registers, (0..0x200).map(|word| memory(&machine, DATA + 8 * word)).collect())
}

proptest! {
    #[test]
    fn compressed_forms_do_what_the_full_ones_do(
        form in 0..FORMS.len(), data in 0..32i64, base in 0..8i64, offset in 0..64i64, rv64 in any::<bool>(),
    ) {
        let (compressed, full, field, scale, by_stack) = FORMS[form];
        prop_assume!(!rv64 || scale == 8);
        let program = if rv64 { wide() } else { narrow() };
        let offset = if by_stack { offset * scale } else { offset % 32 * scale };
        let (short, long) = if by_stack {
            (vec![(field, data), ("uimm", offset)], vec![(field, data), ("rs1", 2), ("imm", offset)])
        } else {
            let data = data % 8;
            (
                vec![(field, data), ("rs1", base), ("uimm", offset)],
                vec![(field, 8 + data), ("rs1", 8 + base), ("imm", offset)],
            )
        };
        prop_assert_eq!(effects(program, compressed, &short), effects(program, full, &long));
    }
}
