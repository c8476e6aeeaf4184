//! What an instruction reads, writes and does, as data.

use coredsl::ir::{AsmPiece, BinaryOp, Expr, FieldId, Instruction, Kind, Module, RegId, Ty};

use super::class::Class;

/// Effects of one instruction, whatever its operand fields hold. They say what *may* happen: a register
/// named twice, x0, or a condition on the fields is settled by [`Site`] for one word.
///
/// Not listed is what every instruction has: the PC, and exceptions of accesses and of reserved encodings.
#[derive(Clone, PartialEq, Debug)]
pub struct Effects {
    /// The unit of a core it is for.
    pub class: Class,
    /// Registers whose values the result depends on.
    pub reads: Vec<Register>,
    /// Registers it may change. Part of a vector register, or all of it, may keep its value: elements that
    /// are masked off, past `vl` or before `vstart`. That does not make it one of `reads`.
    pub writes: Vec<Register>,
    /// CSRs whose values the result depends on.
    pub csr_reads: Vec<Csr>,
    /// CSRs it may change.
    pub csr_writes: Vec<Csr>,
    /// CSRs in which it may set bits, and never clears one: `fflags`, `vxsat`.
    pub csr_accrues: Vec<Csr>,
    /// Accesses to memory.
    pub memory: Vec<Access>,
    /// It makes or uses a reservation.
    pub reserves: bool,
    /// Where execution goes on.
    pub control: Control,
    /// Its behaviour names an exception, beside those of its accesses.
    pub raises: bool,
}

/// Register files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum File {
    /// Integer registers.
    X,
    /// Floating-point registers.
    F,
    /// Vector registers.
    V,
    /// A file or register of a description's own.
    Own(RegId),
}

/// A register, or a group of vector registers, that an instruction names.
#[derive(Clone, PartialEq, Debug)]
pub struct Register {
    /// Its file.
    pub file: File,
    /// Which one; of a group, the first.
    pub index: Index,
    /// How many of them.
    pub group: Group,
    /// It is so only if all of these hold.
    pub when: Vec<Condition>,
}

/// Which register, or which CSR.
#[derive(Clone, PartialEq, Debug)]
pub enum Index {
    /// This one.
    Fixed(u16),
    /// The field's value and this many more.
    Field {
        /// The field.
        field: FieldId,
        /// Added to it: 8 in most compressed forms.
        plus: u16,
    },
    /// What an expression over the fields gives.
    Computed(Expr),
    /// Any: data or a loop decide.
    Any,
}

impl Index {
    /// True if it depends on the field.
    pub fn names(&self, field: FieldId) -> bool {
        match self {
            Self::Field { field: named, .. } => *named == field,
            Self::Computed(expr) => mentions(expr, field),
            Self::Fixed(_) | Self::Any => false,
        }
    }
}

/// True if an expression depends on the field.
pub(super) fn mentions(expr: &Expr, field: FieldId) -> bool {
    expr.any(&|expr| matches!(expr.kind, Kind::Field(found) if found == field))
}

/// A condition on the operand fields.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    /// An expression over the fields, of one bit.
    pub expr: Expr,
    /// The value it must have.
    pub holds: bool,
}

impl Condition {
    /// The condition that a field has a value.
    pub(super) fn is(instruction: &Instruction, field: FieldId, value: u64) -> Self {
        let width = instruction.encoding.fields.get(field.index()).map_or(1, |field| field.width);
        let operand = |kind| Box::new(Expr { ty: Ty::unsigned(width), kind });
        let (field, value) = (operand(Kind::Field(field)), operand(Kind::Const(value.into())));
        Self { expr: Expr { ty: Ty::BOOL, kind: Kind::Binary(BinaryOp::Eq, field, value) }, holds: true }
    }
}

/// Registers that one operand takes up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// One register.
    Single,
    /// One vector register that holds a mask: a bit for each element.
    Mask,
    /// The first element, or element group, of one vector register.
    Scalar(Eew),
    /// `vl` elements: EMUL = LMUL·EEW/SEW registers, at least one.
    Elements(Eew),
    /// Segments: as many groups of [`Group::Elements`], one after the other, as the field says, plus one.
    Segments(Eew, FieldId),
    /// This many whole vector registers.
    Whole(u8),
}

/// Effective element width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Eew {
    /// SEW times two to this power.
    Sew(i8),
    /// This many bits, whatever SEW is.
    Bits(u16),
}

/// A control and status register that an instruction names.
#[derive(Clone, PartialEq, Debug)]
pub struct Csr {
    /// Its number.
    pub index: Index,
    /// Which of its bits.
    pub bits: u64,
    /// It is so only if all of these hold.
    pub when: Vec<Condition>,
}

/// An access to memory. An instruction that makes several has one of these for each; that of a loop stands for all of
/// its iterations.
#[derive(Clone, PartialEq, Debug)]
pub struct Access {
    /// Load or store.
    pub kind: AccessKind,
    /// Width of each element.
    pub width: Eew,
    /// Where its elements are.
    pub shape: Shape,
    /// It is made only if all of these hold.
    pub when: Vec<Condition>,
}

/// Direction of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    /// From memory.
    Load,
    /// To memory.
    Store,
    /// From memory as instructions are fetched, which is no load.
    Fetch,
}

/// Which places an access goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One.
    Scalar,
    /// `vl` elements or segments, one after the other.
    UnitStride,
    /// The same; only the first may fault, others shorten `vl`.
    FaultOnlyFirst,
    /// `vl` elements or segments, a register's value apart.
    Strided,
    /// `vl` elements or segments at the offsets a vector register holds, in any order.
    Indexed,
    /// The same in order.
    IndexedOrdered,
    /// As many bytes as the registers have.
    WholeRegister,
    /// `vl` bits, in bytes.
    Mask,
}

/// What accesses an instruction makes, in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryKind {
    /// None.
    None,
    /// It loads.
    Load,
    /// It stores.
    Store,
    /// It does both, or minds a reservation.
    Atomic,
}

/// Where execution goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// At the next instruction.
    Next,
    /// There or elsewhere.
    Branch {
        /// The target depends on more than fields and the PC.
        indirect: bool,
    },
    /// Elsewhere.
    Jump {
        /// The target depends on more than fields and the PC.
        indirect: bool,
        /// A register receives an address near this one: a call, if it is one that calls use.
        link: bool,
    },
    /// In a trap handler, or in the environment.
    Trap,
    /// Where a trap came from.
    Return,
    /// At the next instruction, after what came before is ordered.
    Fence,
}

impl Effects {
    /// True if it reads or writes registers of the file.
    pub fn touches(&self, file: File) -> bool {
        self.reads.iter().chain(&self.writes).any(|register| register.file == file)
    }

    /// True if it touches nothing but integer registers.
    pub fn is_pure(&self) -> bool {
        let csrs = [&self.csr_reads, &self.csr_writes, &self.csr_accrues];
        let is_integer = |register: &Register| register.file == File::X;
        self.memory.is_empty()
            && csrs.iter().all(|list| list.is_empty())
            && !self.reserves
            && self.control != Control::Fence
            && self.reads.iter().chain(&self.writes).all(is_integer)
    }

    /// True if it may write the CSR of that number.
    pub fn writes_csr(&self, number: u16) -> bool {
        self.csr_writes.iter().any(|csr| csr.index == Index::Fixed(number))
    }

    /// True if it may read the CSR of that number.
    pub fn reads_csr(&self, number: u16) -> bool {
        self.csr_reads.iter().any(|csr| csr.index == Index::Fixed(number))
    }

    /// Its accesses in one word.
    pub fn memory_kind(&self) -> MemoryKind {
        let has = |kind| self.memory.iter().any(|access| access.kind == kind);
        match (has(AccessKind::Load), has(AccessKind::Store)) {
            (true, true) => MemoryKind::Atomic,
            (false, false) => MemoryKind::None,
            _ if self.reserves => MemoryKind::Atomic,
            (true, false) => MemoryKind::Load,
            (false, true) => MemoryKind::Store,
        }
    }
}

impl Eew {
    /// In bits, under a SEW in bits.
    pub const fn bits(self, sew: u16) -> u16 {
        match self {
            Self::Bits(bits) => bits,
            Self::Sew(power) if power >= 0 => sew << power,
            Self::Sew(power) => sew >> -power,
        }
    }
}

/// One word of an instruction: what settles its operands.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The instruction's module.
    pub module: &'a Module,
    /// The instruction.
    pub instruction: &'a Instruction,
    /// Its effects.
    pub effects: &'a Effects,
    /// The word.
    pub word: u32,
}

impl<'a> Site<'a> {
    fn value(&self, expr: &Expr) -> u64 {
        coredsl::eval::operand(self.module, self.instruction, expr, self.word, 0).as_u64()
    }

    fn field(&self, field: FieldId) -> u64 {
        self.instruction.encoding.fields.get(field.index()).map_or(0, |field| field.extract(self.word))
    }

    /// The value of the field of that name, if there is one.
    pub fn named(&self, name: &str) -> Option<u64> {
        let field = self.instruction.encoding.fields.iter().find(|field| field.name == name);
        field.map(|field| field.extract(self.word))
    }

    /// The number among its operands, if it has one: an immediate, or an offset.
    pub fn number(&self) -> Option<u64> {
        self.instruction.assembly.iter().find_map(|piece| match piece {
            AsmPiece::Number { value, .. } => Some(self.value(value)),
            _ => None,
        })
    }

    /// Registers of a file that it reads, of groups the first; `None` is one that only execution decides.
    pub fn reads(self, file: File) -> impl Iterator<Item = Option<u16>> + 'a {
        self.of_file(&self.effects.reads, file)
    }

    /// Registers of a file that it writes, likewise.
    pub fn writes(self, file: File) -> impl Iterator<Item = Option<u16>> + 'a {
        self.of_file(&self.effects.writes, file)
    }

    fn of_file(self, list: &'a [Register], file: File) -> impl Iterator<Item = Option<u16>> + 'a {
        let named = list.iter().filter(move |one| one.file == file && self.holds(&one.when));
        named.map(move |one| self.index(&one.index))
    }

    /// Accesses that it makes.
    pub fn accesses(self) -> impl Iterator<Item = &'a Access> {
        self.effects.memory.iter().filter(move |access| self.holds(&access.when))
    }

    /// True if all conditions hold of the word.
    pub fn holds(&self, when: &[Condition]) -> bool {
        when.iter().all(|condition| (self.value(&condition.expr) & 1 == 1) == condition.holds)
    }

    /// Which register or CSR; `None` if only execution decides.
    pub fn index(&self, index: &Index) -> Option<u16> {
        match index {
            Index::Fixed(number) => Some(*number),
            Index::Field { field, plus } => Some(self.field(*field) as u16 + plus),
            Index::Computed(expr) => Some(self.value(expr) as u16),
            Index::Any => None,
        }
    }

    /// How many registers an operand takes up under a SEW in bits and the log2 of an LMUL.
    pub fn count(&self, group: Group, sew: u16, lmul: i8) -> u16 {
        let elements = |eew: Eew| {
            let power = lmul + eew.bits(sew).max(1).ilog2() as i8 - sew.ilog2() as i8;
            1 << power.max(0)
        };
        match group {
            Group::Single | Group::Mask | Group::Scalar(_) => 1,
            Group::Elements(eew) => elements(eew),
            Group::Segments(eew, field) => (self.field(field) as u16 + 1) * elements(eew),
            Group::Whole(count) => count.into(),
        }
    }
}
