//! Effects as text, for tables.

use coredsl::ir::{FieldId, Instruction, Module};

use super::effects::{Access, AccessKind, Condition, Csr, Eew, Effects, File, Group, Index, Register, Shape};

/// What an instruction reads and writes, as a table shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Described {
    /// Name of its class.
    pub class: &'static str,
    /// Registers, CSRs and memory it reads.
    pub reads: Vec<String>,
    /// Registers, CSRs and memory it writes.
    pub writes: Vec<String>,
}

impl Effects {
    /// The effects as text: registers `X[rs1]`, groups `V[vs2] of 2*SEW`, CSRs `CSR[0x001]`, `CSR[csr]` or, of one field, `CSR[0x300][14:13]`,
    /// memory `memory, 4 bytes`, of several accesses alike `memory, up to 13 times 4 bytes`. `mask` and `if` tell what not every word or element has.
    pub fn described(&self, module: &Module, instruction: &Instruction) -> Described {
        let text = Text { module, instruction };
        let memory = |kinds: &[AccessKind]| {
            let mut alike: Vec<(&Access, usize, bool)> = Vec::new();
            for access in self.memory.iter().filter(|access| kinds.contains(&access.kind)) {
                let same = |(one, ..): &&mut (&Access, usize, bool)| {
                    (one.width, one.shape) == (access.width, access.shape)
                };
                match alike.iter_mut().find(same) {
                    Some((_, times, always)) => {
                        (*times, *always) = (*times + 1, *always && access.when.is_empty())
                    }
                    None => alike.push((access, 1, access.when.is_empty())),
                }
            }
            let text = |(access, times, always): (&Access, usize, bool)| {
                let times = match (times, always) {
                    (1, _) => String::new(),
                    (_, true) => format!("{times} times "),
                    (_, false) => format!("up to {times} times "),
                };
                format!("memory, {times}{}{}", bytes(access.width), shape(access.shape))
            };
            alike.into_iter().map(text).collect::<Vec<_>>()
        };
        let registers = |list: &[Register]| list.iter().map(|one| text.register(one)).collect::<Vec<_>>();
        let csrs = |list: &[Csr]| list.iter().map(|one| text.csr(one)).collect::<Vec<_>>();
        let mut reads = registers(&self.reads);
        reads.extend(csrs(&self.csr_reads));
        reads.extend(memory(&[AccessKind::Load, AccessKind::Fetch]));
        let mut writes = registers(&self.writes);
        writes.extend(csrs(&self.csr_writes));
        writes.extend(csrs(&self.csr_accrues));
        writes.extend(memory(&[AccessKind::Store]));
        Described { class: self.class.name(), reads, writes }
    }
}

struct Text<'a> {
    module: &'a Module,
    instruction: &'a Instruction,
}

impl Text<'_> {
    fn field(&self, field: FieldId) -> &str {
        self.instruction.encoding.fields.get(field.index()).map_or("?", |field| &field.name)
    }

    fn index(&self, index: &Index) -> String {
        match index {
            Index::Fixed(number) => number.to_string(),
            Index::Field { field, plus: 0 } => self.field(*field).to_owned(),
            Index::Field { field, plus } => format!("{plus}+{}", self.field(*field)),
            Index::Computed(_) => "computed from fields".to_owned(),
            Index::Any => "any".to_owned(),
        }
    }

    fn register(&self, register: &Register) -> String {
        let file = match register.file {
            File::X => "X",
            File::F => "F",
            File::V => "V",
            File::Own(reg) => self.module.registers.get(reg.index()).map_or("?", |own| &own.name),
        };
        let group = match register.group {
            Group::Single => String::new(),
            Group::Mask => " as mask".to_owned(),
            Group::Scalar(eew) => format!(", one element of {}", width(eew)),
            Group::Elements(eew) => format!(" of {}", width(eew)),
            Group::Segments(eew, nf) => format!(" of {}, {}+1 groups", width(eew), self.field(nf)),
            Group::Whole(count) => format!(", {count} whole"),
        };
        format!("{file}[{}]{group}{}", self.index(&register.index), condition(&register.when))
    }

    fn csr(&self, csr: &Csr) -> String {
        let number = match &csr.index {
            Index::Fixed(number) => format!("CSR[{number:#05x}]"),
            index => format!("CSR[{}]", self.index(index)),
        };
        let bits = match csr.bits {
            u64::MAX => String::new(),
            bits => format!("[{}:{}]", bits.ilog2(), bits.trailing_zeros()),
        };
        format!("{number}{bits}{}", condition(&csr.when))
    }
}

const fn condition(when: &[Condition]) -> &'static str {
    if when.is_empty() { "" } else { " (fields decide)" }
}

fn width(eew: Eew) -> String {
    match eew {
        Eew::Bits(bits) => format!("{bits} bits"),
        Eew::Sew(0) => "SEW".to_owned(),
        Eew::Sew(power) if power > 0 => format!("{}*SEW", 1 << power),
        Eew::Sew(power) => format!("SEW/{}", 1 << -power),
    }
}

fn bytes(width: Eew) -> String {
    match width {
        Eew::Bits(8) => "1 byte".to_owned(),
        Eew::Bits(bits) => format!("{} bytes", bits / 8),
        Eew::Sew(_) => "SEW".to_owned(),
    }
}

const fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::Scalar => "",
        Shape::UnitStride => ", unit-stride",
        Shape::FaultOnlyFirst => ", unit-stride, fault-only-first",
        Shape::Strided => ", strided",
        Shape::Indexed => ", indexed",
        Shape::IndexedOrdered => ", indexed in order",
        Shape::WholeRegister => ", whole registers",
        Shape::Mask => ", mask",
    }
}
