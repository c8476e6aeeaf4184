//! Calls of kernels.

use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Value, types};
use engine::uop::{Op, Uop};
use hart::vector::compiled::{
    Checked, Compiled, DirectCall, Kernel, Lane, Operation, Resolved, Round, masked, offset, rounds,
};
use hart::vector::{VectorUnit, Vtype};

use crate::builder::{Builder, Place};
use crate::shape;

const MASKED: unsafe extern "C" fn(&mut VectorUnit, usize, usize, u64, usize, usize, Kernel, u64) = masked;
const ROUNDS: unsafe extern "C" fn(&mut VectorUnit, u64, u64, usize, usize, usize) = rounds;

impl Builder<'_, '_> {
    /// Compiles an instruction that has a kernel, or that is done on lanes.
    pub(super) fn kernel(
        &mut self,
        operation: &Operation,
        lane: Option<Lane>,
        uop: Uop,
        place: Place,
    ) -> bool {
        let (unit, expected) = (self.region.vector, self.vector.vtype);
        let Some(vtype) = expected else { return false };
        let Some(resolved) = operation.kernel(unit, uop.word(), vtype) else { return false };
        if !self.may_be_multiple(operation.elements()) {
            return false;
        }
        self.expect(Some(vtype), place);
        self.expect_multiple(operation.elements(), place);
        if lane.is_some() && self.wide(vtype, place) {
            return true;
        }
        if lane.is_some_and(|lane| self.lanes(lane, &resolved, vtype)) {
            return true;
        }
        if matches!(operation.compiled, Compiled::Counts(_)) && self.counted(&resolved, vtype) {
            return true;
        }
        if resolved.masked_off.is_none() {
            self.unmasked(operation, &resolved, vtype);
            return true;
        }
        if self.masked(operation, &resolved, vtype) {
            return true;
        }
        // Kernels that fill tails themselves know nothing of what is masked off.
        let is_whole = !matches!(
            operation.compiled,
            Compiled::Compared(..) | Compiled::Fixed(..) | Compiled::Doubled(..)
        );
        if is_whole {
            self.call_resolved(&resolved, vtype);
        }
        is_whole
    }

    /// Compiles an instruction that computes all of its elements, in place or as a call of its kernel.
    pub(super) fn unmasked(&mut self, operation: &Operation, resolved: &Resolved, vtype: Vtype) {
        let is_done = match operation.compiled {
            Compiled::Carried(carry, ..) => self.carried(carry, resolved, vtype),
            Compiled::Compared(compared, _) => self.compared(compared, resolved, vtype),
            Compiled::Fixed(fixed, ..) => {
                self.fixed(fixed, resolved, vtype, |builder| builder.call_resolved(resolved, vtype))
            }
            Compiled::Doubled(doubled, _) => self.doubled(doubled, resolved, vtype),
            Compiled::Numbers(_) => self.numbered(resolved, vtype),
            Compiled::Slid(slide, _) => self.slid(slide, resolved, vtype),
            Compiled::Gather(_) => self.gather(resolved, vtype.sew, vtype),
            Compiled::GatherBy16Bits(_) => self.gather(resolved, 1, vtype),
            _ => false,
        };
        if !is_done {
            self.call_resolved(resolved, vtype);
        }
    }

    /// Calls the kernel of an instruction.
    pub(super) fn call_resolved(&mut self, resolved: &Resolved, vtype: Vtype) {
        let second = self.second(resolved.b);
        let (d, a) = (self.constant(resolved.d as u64), self.constant(resolved.a as u64));
        let body = self.body_bytes(vtype.sew);
        let tail_end = self.constant(resolved.tail_end as u64);
        let arguments = [d, a, second, body, tail_end];
        match resolved.masked_off {
            Some(masked_off) => {
                let kernel = self.constant(resolved.kernel as usize as u64);
                let masked_off = self.constant(masked_off);
                let [d, a, second, body, tail_end] = arguments;
                self.call_kernel(MASKED as usize, &[d, a, second, body, tail_end, kernel, masked_off]);
            }
            None => self.call_kernel(resolved.kernel as usize, &arguments),
        }
    }

    /// Compiles a call of a body whose instruction is known to be legal.
    pub(super) fn checked(&mut self, operation: &Operation, body: Checked, uop: Uop, place: Place) -> bool {
        let Some(vtype) = self.vector.vtype else { return false };
        let Some(agnostic) = operation.checked(self.region.vector, uop.word(), vtype) else { return false };
        if !self.may_be_multiple(operation.elements()) {
            return false;
        }
        self.expect(Some(vtype), place);
        self.expect_multiple(operation.elements(), place);
        self.call_checked(body, agnostic, uop, place);
        true
    }

    /// Calls a body whose instruction was found to be legal.
    pub(super) fn call_checked(&mut self, body: Checked, agnostic: u64, uop: Uop, place: Place) {
        let word = uop.word();
        self.call_body(uop, place, |builder| {
            let mut signature = Signature::new(builder.host_convention);
            signature.params = [types::I64, types::I32, types::I64].map(AbiParam::new).to_vec();
            signature.returns = vec![AbiParam::new(types::I64)];
            let signature = builder.ins.import_signature(signature);
            let hart = builder.hart();
            let word = builder.ins.ins().iconst(types::I32, i64::from(word));
            let (agnostic, callee) = (builder.constant(agnostic), builder.constant(body as usize as u64));
            let call = builder.ins.ins().call_indirect(signature, callee, &[hart, word, agnostic]);
            builder.ins.inst_results(call)[0]
        });
    }

    /// Compiles a call of an entry that does an instruction at once unless something special is among its numbers.
    pub(super) fn direct(&mut self, operation: &Operation, uop: Uop, place: Place) -> bool {
        let Some(vtype) = self.vector.vtype else { return false };
        let Some(direct) = operation.direct(self.region.vector, uop.word(), vtype) else { return false };
        self.expect(Some(vtype), place);
        self.call_direct(direct, uop, place);
        true
    }

    /// Calls such an entry.
    pub(super) fn call_direct(&mut self, direct: DirectCall, uop: Uop, place: Place) {
        self.call_body(uop, place, |builder| {
            let mut signature = Signature::new(builder.host_convention);
            signature.params = vec![AbiParam::new(types::I64); 5];
            signature.params.push(AbiParam::new(types::I32));
            signature.returns = vec![AbiParam::new(types::I64)];
            let signature = builder.ins.import_signature(signature);
            let DirectCall { entry, d, a, second, tail_end } = direct;
            let mut arguments = vec![builder.hart()];
            arguments
                .extend([d as u64, a as u64, second, tail_end as u64].map(|number| builder.constant(number)));
            arguments.push(builder.ins.ins().iconst(types::I32, i64::from(uop.word())));
            let callee = builder.constant(entry as usize as u64);
            let call = builder.ins.ins().call_indirect(signature, callee, &arguments);
            builder.ins.inst_results(call)[0]
        });
    }

    /// Compiles rounds of AES on one state, as many as there are one after the other.
    pub(super) fn rounds(&mut self, place: Place) -> bool {
        let Some(vtype) = self.vector.vtype else { return false };
        let (unit, block) = (self.region.vector, self.region.members[place.member].block);
        let Some(first) = shape::site(self.region, block.uops[place.uop]).named("vd") else { return false };
        let steps: Vec<(Round, u64)> = block.uops[place.uop..]
            .iter()
            .take_while(|uop| uop.op == Op::Unit)
            .map(|&uop| (uop, shape::site(self.region, uop)))
            .take_while(|(_, site)| site.named("vd") == Some(first))
            .map_while(|(uop, site)| {
                let round = self.region.program.vector(uop.instruction())?.round(unit, site.word, vtype)?;
                Some((round, site.named("vs2")?))
            })
            .take(Round::MOST)
            .collect();
        if steps.is_empty() || !self.may_be_multiple(4) {
            return false;
        }
        self.expect(Some(vtype), place);
        self.expect_multiple(4, place);
        let d = self.constant(first * unit.vlenb() as u64);
        let body = self.body_bytes(vtype.sew);
        let tail_end = self.constant(unit.tail_end(vtype) as u64);
        if let [(round, key)] = *steps {
            let (key, none) = (self.constant(key * unit.vlenb() as u64), self.constant(0));
            self.call_kernel(round.alone() as usize, &[d, key, none, body, tail_end]);
        } else {
            let packed = |steps: &[(Round, u64)]| {
                let bytes = steps.iter().rev().map(|(round, key)| round.with_key(*key as u32));
                bytes.fold(0, |word, byte| word << 8 | u64::from(byte))
            };
            let (low, high) = steps.split_at(steps.len().min(8));
            let (low, high) = (self.constant(packed(low)), self.constant(packed(high)));
            self.call_kernel(ROUNDS as usize, &[low, high, d, body, tail_end]);
        }
        self.vector.next = place.uop + steps.len();
        true
    }

    /// False if `vl` is known and no multiple of a number.
    fn may_be_multiple(&self, elements: u64) -> bool {
        self.vector.vl.is_none_or(|vl| vl.is_multiple_of(elements))
    }

    /// Bytes of a body of elements of a width (log2 of bytes).
    fn body_bytes(&mut self, sew: u8) -> Value {
        if let Some(vl) = self.vector.vl {
            return self.constant(vl << sew);
        }
        let (vl, sew) = (self.vl(), self.constant(sew.into()));
        self.ins.ins().ishl(vl, sew)
    }

    /// Calls a kernel, or something like it.
    fn call_kernel(&mut self, kernel: usize, arguments: &[Value]) {
        self.clear_columns();
        let mut signature = Signature::new(self.host_convention);
        signature.params = vec![AbiParam::new(types::I64); arguments.len() + 1];
        let signature = self.ins.import_signature(signature);
        let (hart, distance) = (self.hart(), self.constant(offset::UNIT as u64));
        let mut all = vec![self.ins.ins().iadd(hart, distance)];
        all.extend_from_slice(arguments);
        let callee = self.constant(kernel as u64);
        self.ins.ins().call_indirect(signature, callee, &all);
    }
}
