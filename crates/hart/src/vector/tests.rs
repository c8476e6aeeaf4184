//! Rules of operations against the descriptions, and where the registers are.

use isa::operands::{File, Group, Index, Register};
use isa::{Instructions, Isa, Vlen, Xlen};

use super::VectorUnit;

/// Bodies have their operands as constants; the descriptions are what says which they are.
#[test]
fn rules_name_the_operands_that_descriptions_state() {
    let all = Instructions::all(Xlen::Rv64).expect("the built-in descriptions are sound");
    let mut compared = 0;
    for (instruction, effects) in all.module().instructions.iter().zip(all.operands().iter()) {
        let (name, fields) = (&instruction.name, &instruction.encoding.fields);
        let Some(rules) = super::operation(name, effects).and_then(|operation| operation.rules) else {
            continue;
        };
        let group = |list: &[Register], wanted: &str| -> Option<Group> {
            let is_wanted = |index: &Index| matches!(index, Index::Field { field, .. } if fields[field.index()].name == wanted);
            let found = list.iter().find(|register| register.file == File::V && is_wanted(&register.index));
            found.map(|register| register.group)
        };
        assert_eq!(rules.vd, group(&effects.writes, "vd"), "vd of {name}");
        assert_eq!(rules.vs2, group(&effects.reads, "vs2"), "vs2 of {name}");
        if let Some(vs1) = group(&effects.reads, "vs1") {
            assert_eq!(rules.vs1, Some(vs1), "vs1 of {name}");
        }
        compared += 1;
    }
    assert!(compared > 250, "{compared}");
}

/// At other addresses, compiled code loses up to a third of its speed.
#[test]
fn registers_begin_where_a_line_of_the_cache_does() {
    let isa = Isa::parse("rv64gcv", &[]).expect("it is one");
    let mut unit = VectorUnit::new(&isa);
    for vlen in [128, 256, 65_536] {
        unit.set_vlen(Vlen::new(vlen).expect("a power of two"));
        // Between them are others of any length.
        let mut copies: Vec<_> = (1..40).map(|bytes| (vec![0_u8; bytes], unit.clone())).collect();
        assert!(copies.iter_mut().all(|(_, unit)| unit.registers_mut().addr().is_multiple_of(64)), "{vlen}");
    }
}
