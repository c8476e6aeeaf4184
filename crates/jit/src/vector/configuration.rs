//! `vsetvli` and `vsetivli`.

use cranelift_codegen::ir::{InstBuilder, types};
use hart::vector::Vtype;
use hart::vector::compiled::offset;
use isa::operands::{File, Site};

use super::expectation;
use crate::builder::Known;
use crate::builder::{Builder, Place, own};

impl Builder<'_, '_> {
    /// Compiles an instruction that sets `vtype` and `vl`; false if it has to be the unit's.
    pub(super) fn configure(&mut self, site: Site<'_>, place: Place) -> bool {
        let before = self.vector.vtype;
        let vtype = expectation::set_by(self.region, site);
        let rd = site.writes(File::X).flatten().next().unwrap_or(0);
        let rs1 = site.reads(File::X).flatten().next().unwrap_or(0);
        let immediate = site.named("uimm");
        let keeps = immediate.is_none() && rd == 0 && rs1 == 0;
        let vlmax = |vtype: Vtype| self.region.vector.vlmax(vtype.sew, vtype.lmul) as u64;
        let same = |vtype: Vtype| before.filter(|&before| vlmax(before) == vlmax(vtype));
        let longest = vtype.map_or(0, vlmax);
        let kept = vtype.and_then(same);
        let Some(vtype) = vtype.filter(|_| !keeps || kept.is_some()) else {
            (self.vector.vtype, self.vector.is_certain, self.vector.vl) = (vtype, false, None);
            return false;
        };
        self.expect(kept.filter(|_| keeps), place);
        let hart = self.hart();
        if !keeps {
            let vl = match (immediate, rs1) {
                (Some(wanted), _) => self.constant(wanted.min(longest)),
                (None, 0) => self.constant(longest),
                _ => {
                    let wanted = self.get(rs1);
                    match self.known[wanted] {
                        Known::Constant(wanted) => self.constant(wanted.min(longest)),
                        _ => {
                            let longest = self.constant(longest);
                            self.ins.ins().umin(wanted, longest)
                        }
                    }
                }
            };
            self.vector.vl = match self.known[vl] {
                Known::Constant(vl) => Some(vl),
                _ => None,
            };
            self.ins.ins().store(own(), vl, hart, offset::VL as i32);
            self.set(rd, vl);
        }
        let packed = self.ins.ins().iconst(types::I32, i64::from(vtype.packed()));
        self.ins.ins().store(own(), packed, hart, offset::VTYPE as i32);
        let legal = self.ins.ins().iconst(types::I8, 0);
        self.ins.ins().store(own(), legal, hart, offset::VILL as i32);
        let zero = self.constant(0);
        self.ins.ins().store(own(), zero, hart, offset::VSTART as i32);
        (self.vector.vtype, self.vector.is_certain) = (Some(vtype), true);
        true
    }
}
