//! `vsetvli`, `vsetivli`, `vsetvl` ("Configuration-Setting Instructions") and the vector CSRs.

use super::check;
use super::fields::Fields;
use super::operation::{Compiled, Operation};
use super::state::{VectorUnit, Vtype};
use crate::hart::Hart;
use crate::unit::{AnyBody, Body, Trap};

/// The operation of an instruction of this module.
pub fn operation(name: &str) -> Option<Operation> {
    let body: Body = match name {
        "VSETVLI" => |hart, word| {
            let fields = Fields(word);
            set(hart, fields, Length::of(hart, fields), u64::from(word >> 20 & 0x7ff))
        },
        "VSETIVLI" => |hart, word| {
            let fields = Fields(word);
            set(hart, fields, Length::Wanted(u64::from(fields.rs1())), u64::from(word >> 20 & 0x3ff))
        },
        "VSETVL" => |hart, word| {
            let fields = Fields(word);
            let vtype = hart.x(fields.vs2() as u16);
            set(hart, fields, Length::of(hart, fields), vtype)
        },
        _ => return None,
    };
    Some(Operation::unruled(AnyBody::State(body), Compiled::Body))
}

/// Application vector length asked for.
enum Length {
    Wanted(u64),
    Longest,
    Kept,
}

impl Length {
    fn of(hart: &Hart, fields: Fields) -> Self {
        match (fields.rs1(), fields.vd()) {
            (0, 0) => Self::Kept,
            (0, _) => Self::Longest,
            (rs1, _) => Self::Wanted(hart.x(rs1 as u16)),
        }
    }
}

fn set(hart: &mut Hart, fields: Fields, length: Length, vtype: u64) -> Result<(), Trap> {
    check::enabled(hart)?;
    let unit = &mut hart.vector;
    let before = unit.vtype;
    unit.vtype = unit.supported(vtype);
    let longest = unit.vlmax(unit.vtype.sew, unit.vtype.lmul);
    unit.vl = match length {
        _ if unit.vtype.illegal => 0,
        Length::Longest => longest,
        // Of the lengths that the specification allows, the largest, as other simulators choose.
        Length::Wanted(wanted) => wanted.min(longest as u64) as usize,
        Length::Kept => {
            let same_ratio = !before.illegal && longest == unit.vlmax(before.sew, before.lmul);
            if !same_ratio {
                unit.vtype = Vtype::ILLEGAL;
            }
            if same_ratio { unit.vl } else { 0 }
        }
    };
    unit.vstart = 0;
    let vl = unit.vl as u64;
    hart.write_x(fields.vd() as u16, vl);
    Ok(())
}

impl VectorUnit {
    /// Sets `vtype`, if it is supported, and `vl`, to the longest at most; if not, both are as at reset.
    pub fn configure(&mut self, vtype: u64, vl: u64) {
        self.vtype = self.supported(vtype);
        let longest = if self.vtype.illegal { 0 } else { self.vlmax(self.vtype.sew, self.vtype.lmul) };
        self.vl = (vl as usize).min(longest);
    }

    /// The setting that a value of `vtype` asks for, if supported.
    pub fn supported(&self, bits: u64) -> Vtype {
        let sew = (bits >> 3 & 7) as u8;
        let lmul = ((bits as i8) << 5) >> 5;
        let asked = Vtype {
            sew,
            lmul,
            tail_agnostic: bits >> 6 & 1 == 1,
            mask_agnostic: bits >> 7 & 1 == 1,
            illegal: false,
        };
        // LMUL >= SEW/ELEN keeps an element within the register.
        let fits = lmul != -4 && sew <= self.elen && i16::from(lmul) >= i16::from(sew) - i16::from(self.elen);
        if bits >> 8 == 0 && fits { asked } else { Vtype::ILLEGAL }
    }
}
