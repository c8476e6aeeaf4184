//! Fields of `mstatus` that switch a unit off and note that its state has changed: FS and VS (Privileged ISA,
//! "Extension Context Status in `mstatus` Register").

use coredsl::ir::{BinaryOp, Expr, Instruction, Kind, Module, Ty};

use super::body::add;
use super::effects::{Condition, Csr, Effects, File, Index, Register};

const MSTATUS: u16 = 0x300;

/// Registers, field of `mstatus`, and CSRs of each unit.
const UNITS: [(File, u64, &[u16]); 2] = [
    (File::F, 3 << 13, &[0x001, 0x002, 0x003]),
    (File::V, 3 << 9, &[0x008, 0x009, 0x00a, 0x00f, 0xc20, 0xc21, 0xc22]),
];

/// Adds that a unit's registers and CSRs are there only while it is on, and that a change of them is noted.
pub fn add_status(effects: &mut Effects, module: &Module, instruction: &Instruction) {
    // "Zfinx" Extension: FS is zero then, and says nothing of instructions and of `fcsr`.
    let in_x = module.constants.iter().any(|(name, value)| name == "FLOAT_IN_X" && *value != 0);
    for (file, bits, csrs) in UNITS.into_iter().filter(|(file, ..)| !in_x || *file != File::F) {
        let uses = |registers: &[&[Register]], lists: &[&[Csr]]| {
            let mut found = Vec::new();
            let mut status = |when| add(&mut found, Csr { index: Index::Fixed(MSTATUS), bits, when });
            let named = registers.iter().copied().flatten().filter(|register| register.file == file);
            // Without a condition first: with it, no other is needed.
            match named.clone().find(|register| register.when.is_empty()) {
                Some(_) => status(Vec::new()),
                None => {
                    named.for_each(|register| status(register.when.clone()));
                    let listed = lists.iter().copied().flatten();
                    listed.filter_map(|csr| when_among(csr, csrs, instruction)).for_each(status);
                }
            }
            found
        };
        let Effects { reads, writes, csr_reads, csr_writes, csr_accrues, .. } = &*effects;
        // Every vector instruction resets vstart, which counts as a change also where it was 0.
        let changing: &[&[Register]] = if file == File::V { &[writes, reads] } else { &[writes] };
        let changed = uses(changing, &[csr_writes, csr_accrues]);
        for status in uses(&[reads], &[csr_reads]).into_iter().chain(changed.iter().cloned()) {
            add(&mut effects.csr_reads, status);
        }
        changed.into_iter().for_each(|status| add(&mut effects.csr_accrues, status));
    }
}

/// When a CSR is one of `numbers`; `None` if never.
fn when_among(csr: &Csr, numbers: &[u16], instruction: &Instruction) -> Option<Vec<Condition>> {
    let mut when = csr.when.clone();
    match csr.index {
        Index::Fixed(number) if !numbers.contains(&number) => return None,
        Index::Field { field, plus } => {
            let is = |number: &u16| Condition::is(instruction, field, (number - plus).into()).expr;
            let either =
                |a, b| Expr { ty: Ty::BOOL, kind: Kind::Binary(BinaryOp::Or, Box::new(a), Box::new(b)) };
            let expr = numbers.iter().filter(|&&number| number >= plus).map(is).reduce(either)?;
            when.push(Condition { expr, holds: true });
        }
        _ => {}
    }
    Some(when)
}
