//! Loads and stores: in place if they are of registers side by side in memory, of a length that is known and not too
//! great, or by calls.

use cranelift_codegen::ir::{AbiParam, InstBuilder, MemFlagsData, Signature, types};
use engine::uop::Uop;
use hart::fault::Access;
use hart::vector::compiled::Transfer;
use isa::operands::{File, Site};

use super::cache::COLUMN;
use crate::builder::{Builder, Place, own};
use crate::{frame, shape};

/// Most bytes.
const MOST: u64 = 512;

impl Builder<'_, '_> {
    /// Compiles a unit-stride or whole-register access, if it is one that is done here. It leaves to the
    /// interpreter if it may fault or be an event.
    pub(super) fn transfer(&mut self, site: Site<'_>, place: Place) -> bool {
        let Some(vtype) = self.vector.vtype else { return false };
        let Some(transfer) = self.region.vector.transfer(&site, vtype, self.vector.vl) else { return false };
        let Some(base) = site.reads(File::X).flatten().next() else { return false };
        let Transfer { bytes, tail_end, register, stores } = transfer;
        let is_whole = bytes > 0 && bytes.is_multiple_of(COLUMN as u64) && bytes >= tail_end as u64;
        if !is_whole || bytes > MOST {
            return false;
        }
        self.expect(Some(vtype), place);
        let base = self.get(base);
        let access = if stores { Access::Store } else { Access::Load };
        let host = self.check_range(base, 0, bytes, access, place);
        let address = self.ins.ins().iadd(self.bytes, host.offset);
        let guest = MemFlagsData::new().with_notrap();
        for column in (0..bytes as usize).step_by(COLUMN) {
            if stores {
                let value = self.column(register + column, types::I8X16);
                self.ins.ins().store(guest, value, address, column as i32);
            } else {
                let value = self.ins.ins().load(types::I8X16, guest, address, column as i32);
                self.set_column(register + column, value);
            }
        }
        self.settle_columns();
        true
    }

    /// Compiles a call of an access that is known to be legal.
    pub(super) fn access(&mut self, uop: Uop, place: Place) -> bool {
        let (Some(vtype), site) = (self.vector.vtype, shape::site(self.region, uop)) else { return false };
        let Some((entry, registers)) = self.region.vector.entry(&site, vtype) else { return false };
        self.expect(Some(vtype), place);
        self.call_body(uop, place, |builder| {
            let mut signature = Signature::new(builder.host_convention);
            signature.params = [types::I64, types::I64, types::I32, types::I64].map(AbiParam::new).to_vec();
            signature.returns = vec![AbiParam::new(types::I64)];
            let signature = builder.ins.import_signature(signature);
            let hart = builder.hart();
            let memory = builder.ins.ins().load(types::I64, own(), builder.frame, frame::MEMORY);
            let word = builder.ins.ins().iconst(types::I32, i64::from(site.word));
            let (registers, callee) = (builder.constant(registers), builder.constant(entry as usize as u64));
            let call = builder.ins.ins().call_indirect(signature, callee, &[hart, memory, word, registers]);
            builder.ins.inst_results(call)[0]
        });
        true
    }
}
