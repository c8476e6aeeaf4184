//! Effects of an instruction with a native body (`behavior: extern`): from the names of its fields, from its
//! assembly format, and from the attributes of its description, which state all that these do not show.
//!
//! Registers are the fields `rd`, `rs1`, `rs2`, `rs3` (of which file, and whether two hold the operand, the assembly
//! format says) and `vd`, `vs1`,
//! `vs2`, `vs3`; the destination is written, the others are read. `vm`, `rm` and `nf` mean what they mean in F
//! and V. Attributes:
//!
//! - `class_NAME`: the class; the instruction's own before its section's;
//! - `reads_x`, `writes_x`: numbers of integer registers that are no operand;
//! - `reads_csr`, `writes_csr`, `accrues_csr`: numbers of CSRs;
//! - `load`, `store`: an access, of this many bits an element, without a number of SEW; with `unit_stride`,
//!   `fault_only_first`, `strided`, `indexed`, `indexed_ordered`, `whole_register` or `mask`, if not of one place;
//! - `mask_v0`: v0 is read as a mask whatever the word;
//! - `vd_read`: the destination is a source too;
//! - of `vd`, `vs1`, `vs2`, `vs3`: `_double`, `_half`, `_quarter`, `_eighth` times SEW wide, `_eew=BITS`,
//!   `_mask`, `_scalar` (one element or element group), `_registers=N` whole ones;
//! - `trap`, `trap_return`: where execution goes on.

use coredsl::ir::{AsmPiece, Expr, FieldId, Instruction};
use ethnum::U256;

use super::class::Class;
use super::effects::{
    Access, AccessKind, Condition, Control, Csr, Eew, Effects, File, Group, Index, Register, Shape, mentions,
};

/// `frm`.
const FRM: u16 = 0x002;
/// In `rm`: the rounding mode of `frm`.
const DYNAMIC: u64 = 7;
/// Attributes of CoreDSL itself that a native body may bear.
const OF_THE_LANGUAGE: &[&str] = &["no_cont"];

const SHAPES: &[(&str, Shape)] = &[
    ("unit_stride", Shape::UnitStride),
    ("fault_only_first", Shape::FaultOnlyFirst),
    ("strided", Shape::Strided),
    ("indexed", Shape::Indexed),
    ("indexed_ordered", Shape::IndexedOrdered),
    ("whole_register", Shape::WholeRegister),
    ("mask", Shape::Mask),
];

const FACTORS: &[(&str, i8)] = &[("double", 1), ("half", -1), ("quarter", -2), ("eighth", -3)];

/// Effects of a native body, or what its description lacks.
pub fn effects(instruction: &Instruction, class: Option<Class>) -> Result<Effects, String> {
    let stated = Stated { instruction };
    stated.refuse_unknown()?;
    let class = class.ok_or("nothing states its class: write, for instance, `[[class_alu]]`")?;
    let memory = stated.memory()?;
    let (reads, writes) = stated.registers(&memory)?;
    let csr = |number, when| Csr { index: Index::Fixed(number), bits: u64::MAX, when };
    let csrs = |name| stated.numbers(name).map(|number| csr(number, Vec::new()));
    let mut csr_reads: Vec<Csr> = csrs("reads_csr").collect();
    if let Some(rm) = stated.field("rm") {
        csr_reads.push(csr(FRM, vec![Condition::is(instruction, rm, DYNAMIC)]));
    }
    let control = match (stated.has("trap"), stated.has("trap_return")) {
        (true, _) => Control::Trap,
        (_, true) => Control::Return,
        _ => Control::Next,
    };
    Ok(Effects {
        class,
        reads,
        writes,
        csr_reads,
        csr_writes: csrs("writes_csr").collect(),
        csr_accrues: csrs("accrues_csr").collect(),
        memory,
        reserves: false,
        control,
        raises: control == Control::Trap,
    })
}

struct Stated<'a> {
    instruction: &'a Instruction,
}

impl Stated<'_> {
    fn values(&self, name: &str) -> impl Iterator<Item = &[U256]> {
        let attributes = self.instruction.attributes.iter();
        attributes.filter(move |(known, _)| known == name).map(|(_, values)| values.as_slice())
    }

    fn has(&self, name: &str) -> bool {
        self.values(name).next().is_some()
    }

    fn numbers(&self, name: &str) -> impl Iterator<Item = u16> {
        self.values(name).flatten().map(|number| number.as_u16())
    }

    fn field(&self, name: &str) -> Option<FieldId> {
        let index = self.instruction.encoding.fields.iter().position(|field| field.name == name)?;
        Some(FieldId(index as u32))
    }

    fn refuse_unknown(&self) -> Result<(), String> {
        const PLAIN: &[&str] = &[
            "reads_x",
            "writes_x",
            "reads_csr",
            "writes_csr",
            "accrues_csr",
            "load",
            "store",
            "mask_v0",
            "trap",
            "trap_return",
        ];
        let is_known = |name: &str| {
            let of_field = name.split_once('_').is_some_and(|(field, suffix)| {
                let is_vector = ["vd", "vs1", "vs2", "vs3"].contains(&field) && self.field(field).is_some();
                let is_suffix = FACTORS.iter().any(|(factor, _)| *factor == suffix)
                    || ["eew", "mask", "scalar", "registers"].contains(&suffix)
                    || name == "vd_read";
                is_vector && is_suffix
            });
            of_field
                || name.starts_with("class_")
                || PLAIN.contains(&name)
                || OF_THE_LANGUAGE.contains(&name)
                || SHAPES.iter().any(|(shape, _)| *shape == name)
        };
        match self.instruction.attributes.iter().find(|(name, _)| !is_known(name)) {
            Some((name, _)) => Err(format!("the attribute `{name}` states nothing of a native body")),
            None => Ok(()),
        }
    }

    fn memory(&self) -> Result<Vec<Access>, String> {
        let mut shapes = SHAPES.iter().filter(|(name, _)| self.has(name)).map(|(_, shape)| *shape);
        let shape = shapes.next().unwrap_or(Shape::Scalar);
        let mut found = Vec::new();
        for (name, kind) in [("load", AccessKind::Load), ("store", AccessKind::Store)] {
            for values in self.values(name) {
                let width = values.first().map_or(Eew::Sew(0), |bits| Eew::Bits(bits.as_u16()));
                found.push(Access { kind, width, shape, when: Vec::new() });
            }
        }
        if shapes.next().is_some() || (found.is_empty() && shape != Shape::Scalar) {
            return Err("one shape belongs to a `load` or `store`".to_owned());
        }
        Ok(found)
    }

    /// Registers read and written.
    fn registers(&self, memory: &[Access]) -> Result<(Vec<Register>, Vec<Register>), String> {
        let mut reads = Vec::new();
        let mut writes = Vec::new();
        for (number, field) in self.instruction.encoding.fields.iter().enumerate() {
            let id = FieldId(number as u32);
            let name = field.name.as_str();
            match name {
                "rd" | "rs1" | "rs2" | "rs3" => {
                    let Some((file, index, is_pair)) = self.written_as(id)? else { continue };
                    let list = if name == "rd" { &mut writes } else { &mut reads };
                    // Of x0, the second register is none ("Zdinx" Extension, "Processing of Wider Values").
                    let second = is_pair.then(|| {
                        let not_zero = Condition { holds: false, ..Condition::is(self.instruction, id, 0) };
                        let index = Index::Field { field: id, plus: 1 };
                        Register { file, index, group: Group::Single, when: vec![not_zero] }
                    });
                    list.push(Register { file, index, group: Group::Single, when: Vec::new() });
                    list.extend(second);
                }
                "vd" | "vs1" | "vs2" | "vs3" => {
                    let index = Index::Field { field: id, plus: 0 };
                    let group = self.group(name, memory);
                    let register = Register { file: File::V, index, group, when: Vec::new() };
                    if name != "vd" || self.has("vd_read") {
                        reads.push(register.clone());
                    }
                    if name == "vd" {
                        writes.push(register);
                    }
                }
                "vm" => reads.push(v0(vec![Condition::is(self.instruction, id, 0)])),
                "rm" | "nf" => {}
                _ if self.mentions(id) => {}
                _ => {
                    return Err(format!("its field `{name}` is neither a register nor part of its assembly"));
                }
            }
        }
        if self.has("mask_v0") {
            reads.push(v0(Vec::new()));
        }
        let x = |number| Register {
            file: File::X,
            index: Index::Fixed(number),
            group: Group::Single,
            when: Vec::new(),
        };
        reads.extend(self.numbers("reads_x").map(x));
        writes.extend(self.numbers("writes_x").map(x));
        Ok((reads, writes))
    }

    /// How the assembly format writes a field: as which register, and whether that is the first of a pair; or (`None`)
    /// as a number.
    fn written_as(&self, field: FieldId) -> Result<Option<(File, Index, bool)>, String> {
        let names = |expr: &Expr| mentions(expr, field);
        for piece in &self.instruction.assembly {
            match piece {
                AsmPiece::IntRegister(expr) if names(expr) => {
                    return Ok(Some((File::X, Index::of(expr), false)));
                }
                AsmPiece::RegisterPair(expr) if names(expr) => {
                    return Ok(Some((File::X, Index::of(expr), true)));
                }
                AsmPiece::FloatRegister(expr) if names(expr) => {
                    return Ok(Some((File::F, Index::of(expr), false)));
                }
                AsmPiece::Number { value, .. } | AsmPiece::Csr(value) if names(value) => return Ok(None),
                _ => {}
            }
        }
        let name = &self.instruction.encoding.fields[field.index()].name;
        Err(format!("its assembly does not say of which file `{name}` is"))
    }

    fn mentions(&self, field: FieldId) -> bool {
        self.instruction.assembly.iter().any(|piece| match piece {
            AsmPiece::Number { value, .. } | AsmPiece::Csr(value) | AsmPiece::VectorType(value) => {
                mentions(value, field)
            }
            _ => false,
        })
    }

    fn group(&self, name: &str, memory: &[Access]) -> Group {
        let stated = |suffix: &str| self.values(&format!("{name}_{suffix}")).next();
        let bits = |values: &[U256]| values.first().map(|bits| bits.as_u16());
        // The data of an access are as wide as that.
        let data = memory.first().filter(|_| matches!(name, "vd" | "vs3")).map(|access| access.width);
        let factor =
            FACTORS.iter().find(|(suffix, _)| stated(suffix).is_some()).map(|(_, power)| Eew::Sew(*power));
        let eew = stated("eew").and_then(bits).map(Eew::Bits).or(factor).or(data).unwrap_or(Eew::Sew(0));
        if let Some(count) = stated("registers").and_then(bits) {
            return Group::Whole(count as u8);
        }
        match (stated("mask").is_some(), stated("scalar").is_some(), self.field("nf")) {
            (true, ..) => Group::Mask,
            (_, true, _) => Group::Scalar(eew),
            (_, _, Some(nf)) if data.is_some() => Group::Segments(eew, nf),
            _ => Group::Elements(eew),
        }
    }
}

fn v0(when: Vec<Condition>) -> Register {
    Register { file: File::V, index: Index::Fixed(0), group: Group::Mask, when }
}
