//! Expressions as text. Every one is unsigned and as wide as its type, whatever stands around it: where SystemVerilog
//! would extend or take a sign by context, a cast says so.

use std::collections::HashMap;

use coredsl::fold;
use coredsl::ir::{BinaryOp, Expr, FieldId, FuncId, Kind, Module, TableId, Ty, UnaryOp};
use ethnum::U256;

use crate::straight::stripped;
use crate::used::Atom;

/// What things are called.
pub(crate) struct Scope<'a> {
    pub module: &'a Module,
    /// By signal.
    pub signals: Vec<String>,
    pub fields: HashMap<FieldId, String>,
    pub functions: &'a HashMap<FuncId, String>,
    pub tables: &'a HashMap<TableId, String>,
}

/// Text, and whether it stands as an operand without parentheses.
struct Text {
    text: String,
    is_primary: bool,
}

fn primary(text: String) -> Text {
    Text { text, is_primary: true }
}

fn compound(text: String) -> Text {
    Text { text, is_primary: false }
}

/// The width of a table's index: enough for every element.
pub(crate) fn index_width(elements: usize) -> u16 {
    (usize::BITS - elements.saturating_sub(1).leading_zeros()).max(1) as u16
}

/// A number with its width.
pub(crate) fn number(bits: U256, width: u16) -> String {
    if bits <= 64 { format!("{width}'d{bits}") } else { format!("{width}'h{bits:x}") }
}

/// `[31:0] `, nothing for one bit.
pub(crate) fn range(width: u16) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}

impl Scope<'_> {
    /// An expression that stands alone.
    pub fn text(&self, expr: &Expr) -> String {
        self.print(expr).text
    }

    /// An expression of which only the bits count: assigned, or put between others.
    pub fn bits(&self, expr: &Expr) -> String {
        match &stripped(expr).kind {
            Kind::Resize(inner) if inner.ty.signed && inner.ty.width < expr.ty.width => {
                format!("{}'({})", expr.ty.width, self.signed(inner))
            }
            _ => self.text(expr),
        }
    }

    /// How far to shift.
    fn amount(&self, expr: &Expr) -> String {
        match fold::as_const(expr) {
            Some(bits) if bits <= U256::from(i32::MAX as u32) => bits.to_string(),
            _ => self.operand(expr),
        }
    }

    fn operand(&self, expr: &Expr) -> String {
        let Text { text, is_primary } = self.print(expr);
        if is_primary { text } else { format!("({text})") }
    }

    fn signed(&self, expr: &Expr) -> String {
        format!("$signed({})", self.text(expr))
    }

    fn name(&self, expr: &Expr) -> Option<&str> {
        match Atom::of(expr)? {
            Atom::Signal(id) => self.signals.get(id.index()).map(String::as_str),
            Atom::Field(id) => self.fields.get(&id).map(String::as_str),
        }
    }

    fn print(&self, expr: &Expr) -> Text {
        let width = expr.ty.width;
        match &expr.kind {
            Kind::Const(bits) => primary(number(*bits, width)),
            Kind::Local(_) | Kind::Field(_) => primary(self.name(expr).unwrap_or_default().to_owned()),
            Kind::Resize(inner) => self.resized(inner, width),
            Kind::Slice { value, lsb } => self.slice(value, lsb, width),
            Kind::Unary(op, a) => match op {
                UnaryOp::Not => primary(format!("~{}", self.operand(a))),
                UnaryOp::Neg => compound(format!("-{}", self.operand(a))),
            },
            Kind::Binary(op, a, b) => self.binary(*op, expr.ty, a, b),
            Kind::Select(..) => compound(self.alternatives(expr).join(" ")),
            Kind::Concat(..) => {
                let mut parts = Vec::new();
                self.parts(expr, &mut parts);
                primary(format!("{{{}}}", parts.join(", ")))
            }
            Kind::Insert { base, lsb, value } => {
                let ones = fold::constant(U256::MAX, Ty::unsigned(value.ty.width));
                let mask = self.print(&fold::resize(ones, Ty::unsigned(width))).text;
                let (base, lsb) = (self.operand(base), self.operand(lsb));
                let value = self.cast(value, width).text;
                compound(format!("({base} & ~({mask} << {lsb})) | ({value} << {lsb})"))
            }
            Kind::Table(table, index) => self.element(*table, index, width),
            Kind::Call(id, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.bits(argument)).collect();
                primary(format!("{}({})", self.functions[id], arguments.join(", ")))
            }
            Kind::ReadReg(..) | Kind::ReadSpace(..) => primary(String::new()),
        }
    }

    fn parts(&self, expr: &Expr, found: &mut Vec<String>) {
        match &stripped(expr).kind {
            Kind::Concat(high, low) => {
                self.parts(high, found);
                self.parts(low, found);
            }
            _ => found.push(self.bits(expr)),
        }
    }

    /// The low or extended bits of `inner`, by its own signedness.
    fn resized(&self, inner: &Expr, width: u16) -> Text {
        if inner.ty.width == width {
            return self.print(inner);
        }
        if width < inner.ty.width {
            return match self.name(inner) {
                Some(name) => primary(bits(name, inner.ty.width, 0, width)),
                None => primary(format!("{width}'({})", self.text(inner))),
            };
        }
        if inner.ty.signed {
            return primary(format!("$unsigned({width}'({}))", self.signed(inner)));
        }
        self.cast(inner, width)
    }

    /// Zero-extended.
    fn cast(&self, inner: &Expr, width: u16) -> Text {
        if inner.ty.width == width {
            self.print(inner)
        } else {
            primary(format!("{width}'({})", self.text(inner)))
        }
    }

    fn slice(&self, value: &Expr, lsb: &Expr, width: u16) -> Text {
        let all = value.ty.width;
        let at = fold::as_const(lsb).and_then(|at| u16::try_from(at).ok());
        if let (Some(name), Some(at)) = (self.name(value), at) {
            return if at >= all {
                primary(number(U256::ZERO, width))
            } else if at + width <= all {
                primary(bits(name, all, at, width))
            } else {
                primary(format!("{width}'({})", bits(name, all, at, all - at)))
            };
        }
        if let Some(name) = self.name(value)
            && width == 1
            && all > 1
            && lsb.ty.width < 16
            && 1 << lsb.ty.width <= u32::from(all)
        {
            return primary(format!("{name}[{}]", self.text(lsb)));
        }
        let shifted = format!("{} >> {}", self.operand(value), self.amount(lsb));
        if width == all { compound(shifted) } else { primary(format!("{width}'({shifted})")) }
    }

    fn binary(&self, op: BinaryOp, ty: Ty, a: &Expr, b: &Expr) -> Text {
        use BinaryOp::{Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Rem, Shl, Shr, Sub, Xor};
        let symbol = match op {
            Add => "+",
            Sub => "-",
            Mul => "*",
            Div => "/",
            Rem => "%",
            And => "&",
            Or => "|",
            Xor => "^",
            Shl => "<<",
            Shr if ty.signed => ">>>",
            Shr => ">>",
            Eq => "==",
            Ne => "!=",
            Lt => "<",
            Le => "<=",
            Gt => ">",
            Ge => ">=",
        };
        match op {
            Div | Rem => {
                // By zero, as RISC-V has it.
                let by_zero = if op == Div { number(ones(ty.width), ty.width) } else { self.operand(a) };
                let (zero, divisor) = (number(U256::ZERO, ty.width), self.operand(b));
                let result = if ty.signed {
                    format!("$unsigned({} {symbol} {})", self.signed(a), self.signed(b))
                } else {
                    format!("{} {symbol} {divisor}", self.operand(a))
                };
                compound(format!("({divisor} == {zero}) ? {by_zero} : {result}"))
            }
            Shr if ty.signed => primary(format!("$unsigned({} >>> {})", self.signed(a), self.amount(b))),
            Shl | Shr => compound(format!("{} {symbol} {}", self.operand(a), self.amount(b))),
            Lt | Le | Gt | Ge if a.ty.signed => {
                compound(format!("{} {symbol} {}", self.signed(a), self.signed(b)))
            }
            Add | And | Or | Xor => compound(format!("{} {symbol} {}", self.chained(op, a), self.operand(b))),
            _ => compound(format!("{} {symbol} {}", self.operand(a), self.operand(b))),
        }
    }

    /// The left operand: without parentheses if it is of the same operator.
    fn chained(&self, op: BinaryOp, expr: &Expr) -> String {
        match &stripped(expr).kind {
            Kind::Binary(inner, ..) if *inner == op => self.text(expr),
            _ => self.operand(expr),
        }
    }

    /// `a ? x`, `: b ? y`, `: z`: what is selected from, in order of precedence.
    pub fn alternatives(&self, expr: &Expr) -> Vec<String> {
        let mut lines = Vec::new();
        let mut rest = stripped(expr);
        while let Kind::Select(cond, then, els) = &rest.kind {
            let colon = if lines.is_empty() { "" } else { ": " };
            lines.push(format!("{colon}{} ? {}", self.operand(cond), self.operand(then)));
            rest = stripped(els);
        }
        if !lines.is_empty() {
            lines.push(format!(": {}", self.operand(rest)));
        }
        lines
    }

    fn element(&self, table: TableId, index: &Expr, width: u16) -> Text {
        let elements = self.module.tables[table.index()].values.len();
        let wanted = index_width(elements);
        let found = |index: String| format!("{}({index})", self.tables[&table]);
        if index.ty.width <= wanted {
            return primary(found(self.cast(index, wanted).text));
        }
        let inside =
            format!("{} < {}", self.operand(index), number(U256::from(elements as u64), index.ty.width));
        let (low, zero) = (self.resized(index, wanted).text, number(U256::ZERO, width));
        compound(format!("({inside}) ? {} : {zero}", found(low)))
    }
}

fn ones(width: u16) -> U256 {
    fold::as_const(&fold::constant(U256::MAX, Ty::unsigned(width))).unwrap_or_default()
}

fn bits(name: &str, all: u16, lsb: u16, width: u16) -> String {
    match width {
        _ if width == all => name.to_owned(),
        1 => format!("{name}[{lsb}]"),
        _ => format!("{name}[{}:{lsb}]", lsb + width - 1),
    }
}
