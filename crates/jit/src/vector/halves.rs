//! Instructions on numbers of binary16, as calls of functions that do eight or sixteen of them at a time.

use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, types};
use engine::uop::Uop;
use hart::vector::compiled::{Checked, HalvesCall, Operation};

use crate::builder::{Builder, Place};

impl Builder<'_, '_> {
    /// Compiles a legal instruction that has such a function; false if it has none. Where the unit does not round to the
    /// nearest, it is the body that is called.
    pub(super) fn half_floats(
        &mut self,
        operation: &Operation,
        body: Checked,
        uop: Uop,
        place: Place,
    ) -> bool {
        let (unit, Some(vtype)) = (self.region.vector, self.vector.vtype) else { return false };
        let Some(call) = operation.halves(unit, uop.word(), vtype) else { return false };
        let Some(agnostic) = operation.checked(unit, uop.word(), vtype) else { return false };
        self.expect(Some(vtype), place);
        self.expect_floats(place);
        let mode = self.mode();
        self.inline_unless(
            Some(mode),
            |builder, _| builder.call_halves(&call),
            |builder| builder.call_checked(body, agnostic, uop, place),
        );
        true
    }

    /// Calls such a function.
    fn call_halves(&mut self, call: &HalvesCall) {
        self.clear_columns();
        let mut signature = Signature::new(self.host_convention);
        signature.params = vec![AbiParam::new(types::I64); call.arguments.len() + 1];
        let signature = self.ins.import_signature(signature);
        let mut arguments = vec![self.hart()];
        arguments.extend(call.arguments.map(|argument| self.constant(argument)));
        let callee = self.constant(call.function as usize as u64);
        self.ins.ins().call_indirect(signature, callee, &arguments);
    }
}
