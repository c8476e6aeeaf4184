//! Calls and tail calls of two instructions, `auipc` and `jalr`: where they lead is known once both are translated.

use crate::uop::{FIRST_TEMP, Kind, Op, Pure, Unary, Uop, fold_binary};

/// Makes a jump to a computed address, whose micro-operations are those from `start` on, one to a known address, if it
/// is computed from what the instruction before it, whose micro-operations begin at `before`, put into a register.
pub fn settle(uops: &mut Vec<Uop>, before: usize, start: usize) {
    let (Some([Uop { op: Op::Const, dst: base, imm, .. }]), Some(Uop { op: Op::ExitTo, .. })) =
        (uops.get(before..start), uops[start..].last())
    else {
        return;
    };
    let mut known = vec![(*base, *imm)];
    for uop in &uops[start..] {
        let of = |slot: u16| known.iter().rev().find(|&&(other, _)| other == slot).map(|&(_, value)| value);
        let value = match uop.op.kind() {
            Kind::Pure(Pure::Const) => Some(uop.imm),
            Kind::Pure(Pure::Unary(Unary::Mov)) => of(uop.a),
            Kind::Pure(Pure::Binary { immediate: true, .. }) => {
                of(uop.a).and_then(|a| fold_binary(uop.op, a, uop.imm))
            }
            Kind::ExitTo => of(uop.a),
            _ => None,
        };
        let Some(value) = value else { return };
        known.push((uop.dst, value));
    }
    let Some((_, target)) = known.pop() else { return };
    uops.truncate(start);
    let registers = known.into_iter().skip(1).filter(|&(slot, _)| slot < FIRST_TEMP);
    uops.extend(registers.map(|(dst, imm)| Uop { dst, imm, ..Uop::new(Op::Const) }));
    uops.push(Uop { imm: target, aux: 1, ..Uop::new(Op::Exit) });
}
