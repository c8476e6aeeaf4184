//! Rules of operations against the descriptions.

use isa::operands::{File, Group, Index, Register};
use isa::{Instructions, Xlen};

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
