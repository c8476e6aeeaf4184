//! Fields of `mstatus` that switch a unit off and note that its state has changed: FS and VS (Privileged ISA,
//! "Extension Context Status in `mstatus` Register").

use coredsl::ir::{BinaryOp, Expr, Instruction, Kind, Ty};

use super::body::add;
use super::effects::{Condition, Csr, Effects, File, Index, Register};

const MSTATUS: u16 = 0x300;

/// Registers, field of `mstatus`, and CSRs of each unit.
const UNITS: [(File, u64, &[u16]); 2] = [
    (File::F, 3 << 13, &[0x001, 0x002, 0x003]),
    (File::V, 3 << 9, &[0x008, 0x009, 0x00a, 0x00f, 0xc20, 0xc21, 0xc22]),
];

/// Adds that a unit's registers and CSRs are there only while it is on, and that a change of them is noted.
pub fn add_status(effects: &mut Effects, instruction: &Instruction) {
    for (file, bits, csrs) in UNITS {
        let uses = |registers: &[Register], lists: &[&[Csr]]| {
            let of_registers = registers.iter().filter(|register| register.file == file);
            let of_csrs = lists.iter().copied().flatten();
            let status = |when| Csr { index: Index::Fixed(MSTATUS), bits, when };
            of_registers
                .map(|register| register.when.clone())
                .chain(of_csrs.filter_map(|csr| when_among(csr, csrs, instruction)))
                .map(status)
                .collect::<Vec<_>>()
        };
        let Effects { reads, writes, csr_reads, csr_writes, csr_accrues, .. } = &*effects;
        // Every vector instruction resets vstart, which counts as a change also where it was 0.
        let changing = if file == File::V { [&writes[..], reads].concat() } else { writes.clone() };
        let changed = uses(&changing, &[csr_writes, csr_accrues]);
        let needed = uses(reads, &[csr_reads]);
        for status in needed.into_iter().chain(changed.iter().cloned()) {
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
