//! The IR as text, for people and for tests: close to CoreDSL, every conversion spelt out.

use std::fmt::{self, Write as _};

use crate::ir::{
    AsmPiece, Behavior, BinaryOp, Body, Expr, Function, Instruction, Kind, Module, Stmt, Ty, UnaryOp,
};
use crate::value;

/// `u32` or `s32`.
fn short(ty: Ty) -> String {
    format!("{}{}", if ty.signed { 's' } else { 'u' }, ty.width)
}

/// An instruction of a module as text.
pub fn instruction(module: &Module, instruction: &Instruction) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = Printer { module, instruction: Some(instruction), text: &mut text }.instruction(instruction);
    text
}

/// A function of a module as text.
pub fn function(module: &Module, function: &Function) -> String {
    let mut text = String::new();
    let _ = Printer { module, instruction: None, text: &mut text }.function(function);
    text
}

struct Printer<'a> {
    module: &'a Module,
    instruction: Option<&'a Instruction>,
    text: &'a mut String,
}

impl Printer<'_> {
    fn instruction(&mut self, instruction: &Instruction) -> fmt::Result {
        let encoding = &instruction.encoding;
        let digits = usize::from(encoding.length / 4) + 2;
        write!(
            self.text,
            "{} ({}) {:#0digits$x}/{:#0digits$x}",
            instruction.name, instruction.set, encoding.value, encoding.mask
        )?;
        for field in &encoding.fields {
            write!(self.text, " {}:{}", field.name, field.width)?;
            for part in &field.parts {
                let high = part.field_lsb + part.len - 1;
                write!(self.text, "[{high}:{}@{}]", part.field_lsb, part.word_lsb)?;
            }
        }
        for (name, values) in &instruction.attributes {
            write!(self.text, " [[{name}")?;
            values.iter().try_for_each(|value| write!(self.text, " {value}"))?;
            write!(self.text, "]]")?;
        }
        write!(self.text, "\n  {} ", instruction.mnemonic)?;
        for piece in &instruction.assembly {
            let (function, expr) = match piece {
                AsmPiece::Text(text) => {
                    self.text.push_str(text);
                    continue;
                }
                AsmPiece::IntRegister(expr) => ("x", expr),
                AsmPiece::FloatRegister(expr) => ("f", expr),
                AsmPiece::RegisterList(expr) => ("rlist", expr),
                AsmPiece::RegisterPair(expr) => ("pair", expr),
                AsmPiece::Number { value, hex: true } => ("hex", value),
                AsmPiece::Number { value, hex: false } => ("dec", value),
                AsmPiece::Csr(expr) => ("csr", expr),
                AsmPiece::Ordering(expr) => ("aqrl", expr),
                AsmPiece::RoundingMode(expr) => ("rm", expr),
                AsmPiece::VectorMask(expr) => ("vm", expr),
                AsmPiece::VectorType(expr) => ("vtype", expr),
            };
            let expr = self.expr(expr);
            write!(self.text, "{{{function} {expr}}}")?;
        }
        self.text.push('\n');
        match &instruction.behavior {
            Behavior::Extern => writeln!(self.text, "  extern"),
            Behavior::Body(body) => self.body(body),
        }
    }

    fn function(&mut self, function: &Function) -> fmt::Result {
        writeln!(self.text, "{}({}) -> {}", function.name, function.parameters, short(function.result))?;
        self.body(&function.body)
    }

    fn body(&mut self, body: &Body) -> fmt::Result {
        for (index, ty) in body.locals.iter().enumerate() {
            writeln!(self.text, "  %{index}: {}", short(*ty))?;
        }
        self.block(&body.stmts, 1)
    }

    fn block(&mut self, stmts: &[Stmt], depth: usize) -> fmt::Result {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt, depth))
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) -> fmt::Result {
        let indent = "  ".repeat(depth);
        let line = match stmt {
            Stmt::Assign { local, value } => format!("%{} = {}", local.0, self.expr(value)),
            Stmt::WriteReg { reg, index, value } => {
                let name = &self.module.registers[reg.index()].name;
                format!("{name}[{}] = {}", self.expr(index), self.expr(value))
            }
            Stmt::WriteSpace { space, address, value } => {
                let name = &self.module.spaces[space.index()].name;
                format!("{name}[{}] = {}", self.expr(address), self.expr(value))
            }
            Stmt::If { cond, then, els } => {
                let cond = self.expr(cond);
                writeln!(self.text, "{indent}if {cond} {{")?;
                self.block(then, depth + 1)?;
                if !els.is_empty() {
                    writeln!(self.text, "{indent}}} else {{")?;
                    self.block(els, depth + 1)?;
                }
                "}".to_owned()
            }
            Stmt::Loop { cond, body, step, trips } => {
                let cond = self.expr(cond);
                writeln!(self.text, "{indent}loop {trips} while {cond} {{")?;
                self.block(body, depth + 1)?;
                if !step.is_empty() {
                    writeln!(self.text, "{indent}}} step {{")?;
                    self.block(step, depth + 1)?;
                }
                "}".to_owned()
            }
            Stmt::Break => "break".to_owned(),
            Stmt::Continue => "continue".to_owned(),
            Stmt::Return(None) => "return".to_owned(),
            Stmt::Return(Some(value)) => format!("return {}", self.expr(value)),
            Stmt::Raise { cause, tval: None } => format!("raise {}", self.expr(cause)),
            Stmt::Raise { cause, tval: Some(tval) } => {
                format!("raise {}, {}", self.expr(cause), self.expr(tval))
            }
            Stmt::Extern { name, args } => format!("{name}({})", self.list(args)),
        };
        writeln!(self.text, "{indent}{line}")
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, expr: &Expr) -> String {
        let ty = short(expr.ty);
        match &expr.kind {
            Kind::Const(bits) if value::is_negative(*bits, expr.ty) => {
                format!("-{}:{ty}", value::extend(*bits, expr.ty).wrapping_neg())
            }
            Kind::Const(bits) => format!("{bits}:{ty}"),
            Kind::Field(field) => match self.instruction {
                Some(instruction) => instruction.encoding.fields[field.index()].name.clone(),
                None => format!("field{}", field.0),
            },
            Kind::Local(local) => format!("%{}", local.0),
            Kind::ReadReg(reg, index) => {
                format!("{}[{}]", self.module.registers[reg.index()].name, self.expr(index))
            }
            Kind::ReadSpace(space, address) => {
                format!("{}[{}]:{ty}", self.module.spaces[space.index()].name, self.expr(address))
            }
            Kind::Table(table, index) => {
                format!("{}[{}]", self.module.tables[table.index()].name, self.expr(index))
            }
            Kind::Unary(UnaryOp::Neg, a) => format!("(-{})", self.expr(a)),
            Kind::Unary(UnaryOp::Not, a) => format!("(~{})", self.expr(a)),
            Kind::Binary(op, a, b) => format!("({} {} {})", self.expr(a), symbol(*op, expr.ty), self.expr(b)),
            Kind::Resize(a) => format!("{ty}({})", self.expr(a)),
            Kind::Slice { value, lsb } => {
                format!("{}[{} +: {}]", self.expr(value), self.expr(lsb), expr.ty.width)
            }
            Kind::Insert { base, lsb, value } => {
                format!("insert({}, {}, {})", self.expr(base), self.expr(lsb), self.expr(value))
            }
            Kind::Concat(a, b) => format!("({} :: {})", self.expr(a), self.expr(b)),
            Kind::Select(cond, a, b) => {
                format!("({} ? {} : {})", self.expr(cond), self.expr(a), self.expr(b))
            }
            Kind::Call(id, arguments) => {
                format!("{}({})", self.module.functions[id.index()].name, self.list(arguments))
            }
        }
    }
}

fn symbol(op: BinaryOp, ty: Ty) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr if ty.signed => ">>>",
        BinaryOp::Shr => ">>",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
    }
}
