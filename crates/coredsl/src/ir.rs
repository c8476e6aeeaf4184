//! The semantic IR: what an instruction does, as typed expressions over fixed-width bit vectors and
//! explicit effects. Decoder, interpreter, compiler, taint analysis and RTL all start from here.
//!
//! Invariants the front end guarantees, so that every consumer may rely on them:
//!
//! - Every expression has a width of 1 to [`MAX_WIDTH`] bits. The operands of `Add`, `Sub`, `Mul`,
//!   `Div`, `Rem`, `And`, `Or`, `Xor` have exactly the type of the result, those of a comparison one
//!   common type: the front end inserts [`Kind::Resize`]. Signedness therefore matters only in
//!   `Resize` (of its operand), `Div`, `Rem`, `Shr` and comparisons (of their left operand).
//! - Arithmetic wraps at the result's width (CoreDSL's own widening makes that unobservable).
//! - `Div`/`Rem` truncate toward zero; by zero they give all ones and the dividend, as RISC-V does.
//! - A shift by at least the width gives 0 (or copies of the sign for an arithmetic right shift);
//!   the amount is unsigned, or non-negative.
//! - Conditions are `unsigned<1>`.
//! - Statements are sequential as in C. Towards the machine a behaviour's effects commit together at
//!   its end; `Raise` and a memory fault discard them all. At most one store executes per instruction,
//!   and no `MEM` read follows it.
//! - Loops have a trip count bounded by a constant; functions are pure and do not recurse.

mod assembly;
mod encoding;
pub mod visit;

use ethnum::U256;

use crate::source::Span;

pub use assembly::AsmPiece;
pub use encoding::{Encoding, Field, FieldPart};

/// Widest value the IR can express, in bits: the product of two 128-bit values.
pub const MAX_WIDTH: u16 = 256;

/// A fixed-width integer type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ty {
    /// Width in bits, 1 to [`MAX_WIDTH`].
    pub width: u16,
    /// Two's complement if true.
    pub signed: bool,
}

impl Ty {
    /// `unsigned<width>`.
    pub const fn unsigned(width: u16) -> Self {
        Self { width, signed: false }
    }

    /// `signed<width>`.
    pub const fn signed(width: u16) -> Self {
        Self { width, signed: true }
    }

    /// The type of conditions, CoreDSL's `bool`.
    pub const BOOL: Self = Self::unsigned(1);
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            /// Position in the table it indexes.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(/// Index into [`Module::functions`].
    FuncId);
id!(/// Index into [`Module::tables`].
    TableId);
id!(/// Index into [`Module::registers`].
    RegId);
id!(/// Index into [`Module::spaces`].
    SpaceId);
id!(/// Index into [`Encoding::fields`].
    FieldId);
id!(/// Index into [`Body::locals`].
    LocalId);

/// Everything a set of instruction sets means for one XLEN and one assignment of parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct Module {
    /// Register width in bits, 32 or 64.
    pub xlen: u16,
    /// Instructions in order of declaration, those of a base set before those of its extensions;
    /// instructions whose `enable` is false are absent.
    pub instructions: Vec<Instruction>,
    /// Pure functions.
    pub functions: Vec<Function>,
    /// Constant tables, such as an S-box.
    pub tables: Vec<Table>,
    /// Register files and single registers (`X`, `PC`).
    pub registers: Vec<Register>,
    /// Address spaces (`MEM`, `CSR`, `RES`, `FENCE`).
    pub spaces: Vec<Space>,
    /// Elaborated value of every integer parameter and scalar constant, by name.
    pub constants: Vec<(String, U256)>,
}

/// A register file, or a single register if `count` is 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Register {
    /// Name in the description, for instance `X`.
    pub name: String,
    /// Type of one element.
    pub ty: Ty,
    /// Number of elements.
    pub count: u32,
    /// True if declared `[[is_pc]]`.
    pub is_pc: bool,
    /// True if declared `[[is_main_reg]]`; element 0 reads as zero and discards writes.
    pub is_main: bool,
}

/// An address space with native semantics outside the IR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Space {
    /// Name in the description.
    pub name: String,
    /// Type of one element (`unsigned<8>` for `MEM`).
    pub element: Ty,
    /// True if declared `[[is_main_mem]]`.
    pub is_main_mem: bool,
}

/// A constant table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// Name in the description.
    pub name: String,
    /// Type of one element.
    pub element: Ty,
    /// Elements; an index past the end reads 0.
    pub values: Vec<U256>,
}

/// A pure function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Name in the description.
    pub name: String,
    /// Number of parameters; they are the first locals of the body.
    pub parameters: u32,
    /// Type of the value every path returns.
    pub result: Ty,
    /// Statements; only `Assign`, `If`, `Loop`, `Break`, `Continue`, `Return`.
    pub body: Body,
}

/// One instruction.
#[derive(Clone, PartialEq, Debug)]
pub struct Instruction {
    /// Name in the description, for instance `SH1ADD__UW`.
    pub name: String,
    /// Assembler mnemonic: the one given, else the name in lower case, `__` read as a dot. Where operands are
    /// part of it, their fields' names stand for them: `vlseg<nf>e8.v`.
    pub mnemonic: String,
    /// How a mnemonic that operands are part of is written, `vlseg{nf+1}e8.v`; else empty.
    pub mnemonic_pieces: Vec<AsmPiece>,
    /// The instruction set that declares it, for instance `Zba`.
    pub set: String,
    /// Bits and fields.
    pub encoding: Encoding,
    /// How operands are written.
    pub assembly: Vec<AsmPiece>,
    /// Attributes without the evaluated `enable`, in order: name and evaluated parameters.
    pub attributes: Vec<(String, Vec<U256>)>,
    /// What it does.
    pub behavior: Behavior,
    /// The behaviour as its author wrote it, for documentation.
    pub source: String,
    /// Its name in the text.
    pub place: Span,
}

/// What an instruction does.
#[derive(Clone, PartialEq, Debug)]
pub enum Behavior {
    /// In the IR.
    Body(Body),
    /// `behavior: extern;`: a native body, found by the instruction's name.
    Extern,
}

/// Statements with their local variables.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Body {
    /// Types of the locals; a local not yet assigned reads 0.
    pub locals: Vec<Ty>,
    /// What the description calls each local; empty for those that the front end made.
    pub names: Vec<String>,
    /// Statements in order.
    pub stmts: Vec<Stmt>,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// `local = value`, of the local's type.
    Assign {
        /// Target.
        local: LocalId,
        /// Value.
        value: Expr,
    },
    /// `file[index] = value`, of the file's element type. A single register has index 0.
    WriteReg {
        /// Register file.
        reg: RegId,
        /// Element.
        index: Expr,
        /// Value.
        value: Expr,
    },
    /// `space[address] = value`; the value covers `value.width / element.width` elements, the lowest
    /// first.
    WriteSpace {
        /// Address space.
        space: SpaceId,
        /// First element.
        address: Expr,
        /// Value.
        value: Expr,
    },
    /// `if (cond) … else …`.
    If {
        /// Condition.
        cond: Expr,
        /// Statements if it is 1.
        then: Vec<Stmt>,
        /// Statements if it is 0.
        els: Vec<Stmt>,
    },
    /// `while (cond) { body; step }`: `Continue` goes to `step`, `Break` past the loop.
    Loop {
        /// Tested before each iteration.
        cond: Expr,
        /// Iteration.
        body: Vec<Stmt>,
        /// Executed after each iteration, also after `Continue`.
        step: Vec<Stmt>,
        /// Upper bound of the number of iterations.
        trips: u32,
    },
    /// Leaves the innermost loop.
    Break,
    /// Goes to the innermost loop's `step`.
    Continue,
    /// Ends a function (with a value) or a behaviour (without).
    Return(Option<Expr>),
    /// Ends the behaviour with an exception; its effects are discarded.
    Raise {
        /// `mcause`.
        cause: Expr,
        /// `mtval`: what the last `set_tval` gave.
        tval: Option<Expr>,
    },
    /// A call to another extern function (`leave`, `wait`).
    Extern {
        /// Name.
        name: String,
        /// Arguments.
        args: Vec<Expr>,
    },
}

/// A typed expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// Its type.
    pub ty: Ty,
    /// Its form.
    pub kind: Kind,
}

/// Forms of expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// A constant, its bits above the width zero (also for negative values).
    Const(U256),
    /// An operand field, zero-extended; the type is unsigned.
    Field(FieldId),
    /// A local variable.
    Local(LocalId),
    /// `file[index]`; a single register has index 0. The PC reads as this instruction's address.
    ReadReg(RegId, Box<Expr>),
    /// `space[address]`, `ty.width / element.width` elements, the lowest first.
    ReadSpace(SpaceId, Box<Expr>),
    /// `table[index]`.
    Table(TableId, Box<Expr>),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// To the node's type: extended by the operand's signedness, or truncated.
    Resize(Box<Expr>),
    /// `width` bits of `value` from bit `lsb` (unsigned expression); bits past the top read 0.
    Slice {
        /// Source.
        value: Box<Expr>,
        /// Lowest bit.
        lsb: Box<Expr>,
    },
    /// `base` with `value.width` bits from bit `lsb` replaced; bits past the top are dropped.
    Insert {
        /// Source; the node has its type.
        base: Box<Expr>,
        /// Lowest bit replaced.
        lsb: Box<Expr>,
        /// New bits.
        value: Box<Expr>,
    },
    /// `high :: low`, unsigned.
    Concat(Box<Expr>, Box<Expr>),
    /// `cond ? a : b`; both of the node's type.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A pure function; arguments have the parameters' types.
    Call(FuncId, Vec<Expr>),
}

/// Operators with one operand, of the node's type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// Two's complement.
    Neg,
    /// Bitwise complement.
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the operators' own names")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    /// The left operand has the node's type, the right one any.
    Shl,
    /// Arithmetic if the node's type is signed.
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}
