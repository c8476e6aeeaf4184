//! Loads and stores of registers side by side in memory, of a length that is known and not too great.

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};
use hart::fault::Access;
use hart::vector::compiled::Transfer;
use isa::operands::{File, Site};

use super::cache::COLUMN;
use crate::builder::{Builder, Place};

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
        true
    }
}
