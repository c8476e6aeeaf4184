//! Element-wise instructions that follow each other, on registers of thirty-two bytes, which Cranelift does not have: a
//! function of our own that the region calls. A call is worth it from so many instructions on.

mod assembler;
mod clips;
mod doublewords;
mod operations;
mod registers;
mod rows;
mod segments;

use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Value, types};
use cranelift_codegen::isa::CallConv;
use engine::uop::{Op, Uop};
use hart::vector::Vtype;
use hart::vector::compiled::{Compiled, Lane, Resolved, Source};

use self::operations::{Columns, Operations, Scalar};
pub use self::operations::{SCALAR, SCALARS};
pub use self::rows::Spots;
use crate::builder::{Builder, Place, own};
use crate::frame;

/// Bytes of a column.
const COLUMN: usize = 32;
/// Least instructions.
const LEAST: usize = 8;
/// Operations that a function has at most, and a few.
const MOST: usize = 512;
/// Longest body of an instruction, in bytes.
const LONGEST: u64 = 256;

/// True if the host has the instructions of AVX-512 on registers of thirty-two bytes.
fn has_rare() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = std::arch::is_x86_feature_detected!("avx512vl")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512dq");
    #[cfg(not(target_arch = "x86_64"))]
    let has = false;
    has
}

impl Builder<'_, '_> {
    /// Compiles an instruction and those after it, if they are unmasked and legal, their bodies whole columns, and there
    /// are enough of them; false if it does not.
    pub(super) fn wide(&mut self, vtype: Vtype, place: Place) -> bool {
        let Some(vl) = self.vector.vl else { return false };
        let body = vl << vtype.sew;
        if body == 0 || body > LONGEST || !body.is_multiple_of(COLUMN as u64) || !self.has_registers() {
            return false;
        }
        let mut operations = Operations::new(self.wide.rare && has_rare());
        let uops = &self.region.members[place.member].block.uops[place.uop..];
        let mut count = 0;
        for &uop in uops.iter().take_while(|uop| uop.op == Op::Unit) {
            let before = (operations.all.len(), operations.scalars.len());
            let Some((lane, resolved)) = self.of_lanes(uop, vtype) else { break };
            if self.operations(&mut operations, lane, resolved, vtype, body).is_none() || before.0 > MOST {
                operations.all.truncate(before.0);
                operations.scalars.truncate(before.1);
                break;
            }
            count += 1;
        }
        if count < LEAST {
            return false;
        }
        let Ok(code) = registers::assemble(&operations, vtype.sew) else { return false };
        let Some(address) = self.wide.define(&code.bytes) else { return false };
        self.clear_columns();
        for (index, &scalar) in operations.scalars.iter().enumerate() {
            self.put_scalar(index, scalar, vtype.sew);
        }
        let file = self.file_of_call();
        let distance = self.constant(frame::SCALARS as u64);
        let scalars = self.ins.ins().iadd(self.frame, distance);
        self.call_wide(address + code.entry as u64, &[file, scalars]);
        self.vector.next = place.uop + count;
        true
    }

    /// True if the host has such registers, and its functions their parameters where [`registers`] takes them from.
    fn has_registers(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let has = std::arch::is_x86_feature_detected!("avx2");
        #[cfg(not(target_arch = "x86_64"))]
        let has = false;
        has && self.host_convention == CallConv::SystemV
    }

    /// True if functions may use what few hosts have, and this one has it: AVX-512 on registers of any length.
    fn has_rare_functions(&self) -> bool {
        self.wide.rare && has_rare() && self.has_registers()
    }

    /// Host address of the register file, which nothing after a call takes from here.
    fn file_of_call(&mut self) -> Value {
        self.ins.ins().load(types::I64, own().with_readonly(), self.frame, frame::VECTORS)
    }

    /// Calls a function with such arguments; what it returns, if it does.
    fn call_wide(&mut self, callee: u64, arguments: &[Value]) -> Value {
        let mut signature = Signature::new(self.host_convention);
        signature.params = vec![AbiParam::new(types::I64); arguments.len()];
        signature.returns.push(AbiParam::new(types::I64));
        let signature = self.ins.import_signature(signature);
        let callee = self.constant(callee);
        let call = self.ins.ins().call_indirect(signature, callee, arguments);
        self.ins.inst_results(call)[0]
    }

    /// An element-wise instruction, if it is one that is legal and unmasked.
    fn of_lanes(&self, uop: Uop, vtype: Vtype) -> Option<(Lane, Resolved)> {
        let operation = self.region.program.vector(uop.instruction())?;
        let Compiled::Lane(lane) = operation.compiled else { return None };
        let resolved = operation.kernel(self.region.vector, uop.word(), vtype)?;
        resolved.masked_off.is_none().then_some((lane, resolved))
    }

    /// Adds an instruction; `None` if it is not one for this.
    fn operations(
        &self,
        operations: &mut Operations,
        lane: Lane,
        resolved: Resolved,
        vtype: Vtype,
        body: u64,
    ) -> Option<()> {
        let Resolved { d, a, b, tail_end, .. } = resolved;
        let group =
            if let Source::Group(register) = b { register as usize * self.region.vector.vlenb() } else { d };
        let is_aligned = [d, a, group].iter().all(|offset| offset.is_multiple_of(COLUMN));
        if body < tail_end as u64 || !is_aligned {
            return None;
        }
        for column in (0..body as usize).step_by(COLUMN) {
            let [d, a, b] = [d, a, group].map(|offset| operations::Place::Column(offset + column));
            operations.add(lane, vtype.sew, resolved.b, Columns { d, a, b })?;
        }
        Some(())
    }

    /// Leaves a scalar where the function finds it.
    fn put_scalar(&mut self, index: usize, scalar: Scalar, sew: u8) {
        let value = match scalar {
            Scalar::Operand(source) => self.second(source),
            Scalar::Count(source) => {
                let (value, most) = (self.second(source), self.constant((8 << sew) - 1));
                self.ins.ins().band(value, most)
            }
        };
        debug_assert!(index < SCALARS, "what is not a scalar's would be overwritten");
        let place = frame::SCALARS + (index * SCALAR) as i32;
        self.ins.ins().store(own(), value, self.frame, place);
    }
}
