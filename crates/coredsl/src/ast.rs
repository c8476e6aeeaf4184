//! The syntax tree, with spans on everything that a diagnostic may point at.

use ethnum::U256;

use crate::ir::Ty;
use crate::source::Span;

/// A name and its place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Ident {
    pub name: String,
    pub span: Span,
}

/// A file: imports and sets.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct File {
    pub imports: Vec<Import>,
    pub sets: Vec<Set>,
}

/// `import "name";`
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Import {
    pub name: String,
    pub span: Span,
}

/// `InstructionSet` or `Core`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Set {
    pub name: Ident,
    pub is_core: bool,
    /// `extends`, `combines` or `provides`.
    pub bases: Vec<Ident>,
    pub state: Vec<StateItem>,
    pub functions: Vec<Function>,
    pub instructions: Vec<Instruction>,
}

/// An item of `architectural_state`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum StateItem {
    Declaration(Declaration),
    /// An override such as `INSTR_ALIGNMENT = 2;`.
    Assignment(Expr),
    /// `struct`, `union` or `enum`: read over, refused where used.
    UserType(Ident),
}

/// `extern`, `register`, `const` and the like in front of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Storage {
    pub is_extern: bool,
    pub is_register: bool,
    pub is_const: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Declaration {
    pub storage: Storage,
    pub ty: TypeSpec,
    pub declarators: Vec<Declarator>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Declarator {
    pub is_alias: bool,
    pub name: Ident,
    pub dimensions: Vec<Expr>,
    pub attributes: Vec<Attribute>,
    pub init: Option<Initializer>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Initializer {
    Expr(Expr),
    List(Vec<Initializer>, Span),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Attribute {
    pub name: Ident,
    pub parameters: Vec<Expr>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TypeSpec {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum TypeKind {
    Int {
        signed: bool,
        width: Width,
    },
    Bool,
    Void,
    Auto,
    /// `struct`, `union` or `enum`.
    User,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Width {
    Fixed(u16),
    Expr(Box<Expr>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Function {
    pub is_extern: bool,
    pub result: TypeSpec,
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    pub body: Option<Vec<Stmt>>,
    /// The closing brace.
    pub end: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Parameter {
    pub ty: TypeSpec,
    pub name: Option<Ident>,
    pub is_array: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Instruction {
    pub name: Ident,
    pub attributes: Vec<Attribute>,
    pub encoding: Vec<EncodingPart>,
    pub encoding_span: Span,
    pub assembly: Assembly,
    pub behavior: Behavior,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum EncodingPart {
    Literal { value: U256, width: u16, span: Span },
    Field { name: Ident, high: U256, low: U256, span: Span },
}

/// Both strings without their quotes; spans are those of the text inside.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Assembly {
    pub mnemonic: Option<Ident>,
    pub format: Option<Ident>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Behavior {
    Stmt(Stmt),
    Extern,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum StmtKind {
    Empty,
    Block(Vec<Stmt>),
    Expr(Expr),
    Declaration(Declaration),
    If { cond: Expr, then: Box<Stmt>, els: Option<Box<Stmt>> },
    Switch { value: Expr, sections: Vec<Section> },
    While { cond: Expr, body: Box<Stmt> },
    DoWhile { body: Box<Stmt>, cond: Expr },
    For { init: Option<Box<Stmt>>, cond: Option<Expr>, step: Vec<Expr>, body: Box<Stmt> },
    Continue,
    Break,
    Return(Option<Expr>),
}

/// `case label:` or, without a label, `default:`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Section {
    pub label: Option<Expr>,
    pub body: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// Levels of the tree from here down.
    pub height: u16,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum ExprKind {
    Int(U256, Ty),
    Str,
    Name(String),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Concat(Vec<Expr>),
    Cast(Cast, Box<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Range(Box<Expr>, Box<Expr>, Box<Expr>),
    Member,
    Call(Ident, Vec<Expr>),
    /// `sizeof` and `bitsizeof`.
    SizeOf {
        bits: bool,
        argument: Box<SizeOf>,
    },
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `++` or `--`, before or after.
    Step(BinaryOp, Box<Expr>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum SizeOf {
    Type(TypeSpec),
    Expr(Expr),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Cast {
    Type(TypeSpec),
    /// `(signed)x` or `(unsigned)x`: the width stays.
    Signedness {
        signed: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnaryOp {
    Plus,
    Minus,
    BitNot,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    LogicAnd,
    LogicOr,
}
