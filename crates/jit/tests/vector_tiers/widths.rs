//! A small model of instructions whose operands differ in width, apart from both tiers: which are legal, and what one lane
//! becomes.

use engine::Program;

use crate::guest::encode;

/// One instruction of a run: `name d, a, b`, where the last is a register of some kind, or an immediate.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub name: &'static str,
    pub d: u32,
    pub a: u32,
    pub b: u32,
}

impl Step {
    /// The field of the second operand, or nothing.
    pub fn second(&self) -> &'static str {
        match self.name.rsplit("__").next() {
            Some("VV" | "WV") => "vs1",
            Some("VX" | "WX" | "F" | "VFM") => "rs1",
            Some("VI" | "WI") => {
                if self.name == "VWSLL__VI" {
                    "uimm"
                } else {
                    "uimm5"
                }
            }
            _ => "",
        }
    }

    /// True if that is a floating-point register.
    pub fn is_float(&self) -> bool {
        self.name.starts_with("VF")
    }

    /// Its word, unmasked.
    pub fn word(&self, program: &Program) -> u32 {
        let mut fields = vec![("vd", i64::from(self.d))];
        if self.name != "VFMV__V__F" {
            fields.push(("vs2", self.a.into()));
        }
        if !self.is_float() && self.name != "VMV8R__V" {
            fields.push(("vm", 1));
        }
        if !self.second().is_empty() {
            fields.push((self.second(), self.b.into()));
        }
        encode(program.module(), self.name, &fields)
    }
}

/// log2 of the bytes of an element, and of LMUL.
#[derive(Clone, Copy, Debug)]
pub struct Widths {
    pub sew: u32,
    pub lmul: i32,
}

impl Widths {
    /// Elements of a group.
    pub const fn vlmax(self, vlenb: usize) -> usize {
        (if self.lmul < 0 { vlenb >> -self.lmul } else { vlenb << self.lmul }) >> self.sew
    }

    /// log2 of the bytes of elements of `vd`, `vs2` and `vs1`; large if there are none so narrow.
    pub fn of(self, name: &str) -> [u32; 3] {
        let sew = self.sew;
        match name.split_once("__") {
            Some((_, "VF2")) => [sew, sew.wrapping_sub(1), sew],
            Some((_, "VF4")) => [sew, sew.wrapping_sub(2), sew],
            Some((_, "VF8")) => [sew, sew.wrapping_sub(3), sew],
            Some((op, _)) if op.starts_with("VN") => [sew, sew + 1, sew],
            Some((op, form)) if op.starts_with("VW") => {
                [sew + 1, sew + u32::from(form.starts_with('W')), sew]
            }
            _ => [sew; 3],
        }
    }

    /// Registers of a group with elements so wide, and whether it begins in a place for it; none if there is no such group.
    fn group(self, first: u32, width: u32) -> Option<std::ops::Range<u32>> {
        if width > 3 {
            return None;
        }
        let lmul = self.lmul + width as i32 - self.sew as i32;
        let count = 1_u32 << lmul.clamp(0, 4);
        (lmul <= 3 && first.is_multiple_of(count) && first + count <= 32).then_some(first..first + count)
    }

    /// The first register of the last part of the group of `vd`, with elements as wide as those of `vs2`.
    pub fn last_of(self, name: &str, d: u32) -> u32 {
        let [wide, narrow, _] = self.of(name);
        match (self.group(d, wide), self.group(0, narrow)) {
            (Some(wide), Some(narrow)) if narrow.end <= wide.end => wide.end - narrow.end,
            _ => d,
        }
    }

    /// True if `vd` shares a register with a source of another width.
    pub fn shares(self, step: &Step) -> bool {
        let [wd, wa, wb] = self.of(step.name);
        let shares = |register, width| match (self.group(step.d, wd), self.group(register, width)) {
            (Some(d), Some(source)) => width != wd && d.start < source.end && source.start < d.end,
            _ => false,
        };
        shares(step.a, wa) || step.second() == "vs1" && shares(step.b, wb)
    }

    /// True if an instruction is legal, where registers are long enough for such groups.
    pub fn allow(self, step: &Step, vlen: u32) -> bool {
        let [wd, wa, wb] = self.of(step.name);
        let [d, a, b] =
            [(step.d, wd), (step.a, wa), (step.b, wb)].map(|(first, width)| self.group(first, width));
        let (Some(d), Some(a)) = (d, a) else { return false };
        let fits = self.sew as i32 - self.lmul <= 3 && self.vlmax(vlen as usize / 8) > 0;
        let is_legal = |source: &std::ops::Range<u32>, width: u32| {
            let overlaps = d.start < source.end && source.start < d.end;
            let emul = self.lmul + width as i32 - self.sew as i32;
            let is_part = if wd < width { d.start == source.start } else { emul >= 0 && d.end == source.end };
            !overlaps || wd == width || is_part && !step.name.starts_with("VWMACC")
        };
        let (op, _) = step.name.split_once("__").unwrap_or_default();
        let takes_v0 = op == "VFMERGE" && (d.start == 0 || a.start == 0);
        let second = match (step.second(), b) {
            ("vs1", Some(b)) => {
                let is_read_alike = wa == wb || b.end <= a.start || a.end <= b.start;
                is_read_alike && is_legal(&b, wb)
            }
            ("vs1", None) => false,
            _ => true,
        };
        fits && !takes_v0 && is_legal(&a, wa) && second && !(step.is_float() && self.sew == 0)
    }
}

/// What a lane becomes, in its lowest bits, of as many bits of `d`, `a` and `b`, and of one of v0.
pub fn lane(name: &str, [bits_d, bits_a, bits_b]: [u32; 3], [d, a, b]: [u64; 3], bit: bool) -> u64 {
    let mask = |bits: u32| u64::MAX >> (64 - bits);
    let signed = |lane: u64, bits: u32| (lane << (64 - bits)) as i64 >> (64 - bits);
    let (sa, sb) = (signed(a, bits_a) as u64, signed(b, bits_b) as u64);
    let number = match bits_d {
        16 if b >> 16 != mask(48) => 0x7e00,
        32 if b >> 32 != mask(32) => 0x7fc0_0000,
        _ => b,
    };
    let (whole, b) = (b, b & mask(bits_b));
    match name.split("__").next().unwrap_or_default() {
        "VADD" => a.wrapping_add(b),
        "VXOR" => a ^ b,
        "VWADDU" => a.wrapping_add(b),
        "VWADD" => sa.wrapping_add(sb),
        "VWSUBU" => a.wrapping_sub(b),
        "VWSUB" => sa.wrapping_sub(sb),
        "VWMULU" => a.wrapping_mul(b),
        "VWMUL" => sa.wrapping_mul(sb),
        "VWMULSU" => sa.wrapping_mul(b),
        "VWMACCU" => d.wrapping_add(a.wrapping_mul(b)),
        "VWMACC" => d.wrapping_add(sa.wrapping_mul(sb)),
        "VWMACCSU" => d.wrapping_add(a.wrapping_mul(sb)),
        "VWMACCUS" => d.wrapping_add(sa.wrapping_mul(b)),
        "VWSLL" => a << (whole & u64::from(bits_d - 1)),
        "VNSRL" => a >> (whole & u64::from(bits_a - 1)),
        "VNSRA" => (sa as i64 >> (whole & u64::from(bits_a - 1))) as u64,
        "VZEXT" => a,
        "VSEXT" => sa,
        "VFMV" => number,
        "VFMERGE" if bit => number,
        "VFMERGE" => a,
        other => panic!("no model of {other}"),
    }
}
