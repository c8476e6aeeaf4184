//! Effects of an instruction whose behaviour is in the IR, from that alone.

use coredsl::ir::{Body, Expr, Kind, LocalId, Module, RegId, SpaceId, Stmt};
use ethnum::U256;

use super::class::Class;
use super::effects::{
    Access, AccessKind, Condition, Control, Csr, Eew, Effects, File, Group, Index, MemoryKind, Register,
    Shape,
};

/// Largest expression over fields that is kept, in nodes: a description can double one at each statement.
const MOST_NODES: usize = 256;

/// Effects of a behaviour. A class that neither `stated` nor the effects tell is [`Class::Custom`].
pub fn effects(module: &Module, body: &Body, stated: Option<Class>) -> Effects {
    let zero = |ty: &_| Some(Expr { ty: *ty, kind: Kind::Const(U256::ZERO) });
    let mut walk = Walk {
        module,
        locals: body.locals.iter().map(zero).collect(),
        when: Vec::new(),
        on_data: 0,
        completes: false,
        target: None,
        links: false,
        fences: false,
        found: Effects {
            class: Class::Custom,
            reads: Vec::new(),
            writes: Vec::new(),
            csr_reads: Vec::new(),
            csr_writes: Vec::new(),
            csr_accrues: Vec::new(),
            memory: Vec::new(),
            reserves: false,
            control: Control::Next,
            raises: false,
        },
    };
    let falls = walk.block(&body.stmts);
    walk.completes |= falls;
    let control = walk.control(&body.stmts);
    let mut found = walk.found;
    found.control = control;
    found.class = stated.unwrap_or_else(|| derived(&found));
    found
}

fn derived(effects: &Effects) -> Class {
    match (effects.control, effects.memory_kind()) {
        (Control::Branch { .. }, _) => Class::Branch,
        (Control::Jump { .. }, _) => Class::Jump,
        (Control::Trap | Control::Return, _) => Class::System,
        (Control::Fence, _) => Class::Fence,
        _ if !effects.csr_reads.is_empty() || !effects.csr_writes.is_empty() => Class::Csr,
        (_, MemoryKind::Atomic) => Class::Atomic,
        (_, MemoryKind::Load) => Class::Load,
        (_, MemoryKind::Store) => Class::Store,
        _ => Class::Custom,
    }
}

struct Walk<'m> {
    module: &'m Module,
    /// What each local is, over fields and the PC; `None` if data or a loop decide.
    locals: Vec<Option<Expr>>,
    /// Conditions on fields around the statement.
    when: Vec<Condition>,
    /// Conditions on data around the statement.
    on_data: u32,
    /// Some path ends without an exception.
    completes: bool,
    /// Of assignments to the PC: whether one depends on data, and whether one stands under data.
    target: Option<(bool, bool)>,
    links: bool,
    fences: bool,
    found: Effects,
}

impl Walk<'_> {
    /// False if no path leads past the last statement.
    fn block(&mut self, stmts: &[Stmt]) -> bool {
        stmts.iter().all(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> bool {
        stmt.exprs().for_each(|expr| self.reads(expr));
        match stmt {
            Stmt::Assign { local, value } => {
                let known = self.known(value);
                self.locals[local.index()] = known;
            }
            Stmt::WriteReg { reg, index, value } => self.write(*reg, index, value),
            Stmt::WriteSpace { space, address, value } => self.write_space(*space, address, value),
            Stmt::If { cond, then, els } => return self.branch(cond, then, els),
            Stmt::Loop { cond, body, step, .. } => self.repeat(cond, [body, step]),
            Stmt::Return(_) => self.completes = true,
            Stmt::Raise { .. } => self.found.raises = true,
            Stmt::Break | Stmt::Continue | Stmt::Extern { .. } => {}
        }
        !matches!(stmt, Stmt::Return(_) | Stmt::Raise { .. } | Stmt::Break | Stmt::Continue)
    }

    fn branch(&mut self, cond: &Expr, then: &[Stmt], els: &[Stmt]) -> bool {
        let known = self.known(cond);
        let before = self.locals.clone();
        let mut after: Option<Vec<Option<Expr>>> = None;
        let mut made = Vec::new();
        for (block, holds) in [(then, true), (els, false)] {
            self.locals.clone_from(&before);
            let first = self.found.memory.len();
            let depth = self.when.len();
            match &known {
                Some(expr) => self.when.push(Condition { expr: expr.clone(), holds }),
                None => self.on_data += 1,
            }
            let falls = self.block(block);
            self.when.truncate(depth);
            self.on_data -= u32::from(known.is_none());
            // Where data decide which of two accesses of one kind is made, they are one here.
            if known.is_none() && holds {
                made = self.found.memory[first..].to_vec();
            } else if known.is_none() {
                let mut others = self.found.memory.split_off(first);
                others.retain(|access| match made.iter().position(|one| one == access) {
                    Some(same) => {
                        made.swap_remove(same);
                        false
                    }
                    None => true,
                });
                self.found.memory.append(&mut others);
            }
            if falls {
                let here = std::mem::take(&mut self.locals);
                after = Some(match after {
                    None => here,
                    Some(other) => {
                        other.into_iter().zip(here).map(|(a, b)| if a == b { a } else { None }).collect()
                    }
                });
            }
        }
        let falls = after.is_some();
        self.locals = after.unwrap_or(before);
        falls
    }

    fn repeat(&mut self, cond: &Expr, blocks: [&[Stmt]; 2]) {
        let forget = |walk: &mut Self| {
            for block in blocks {
                coredsl::ir::visit::statements(block, &mut |stmt| {
                    if let Stmt::Assign { local: LocalId(local), .. } = stmt {
                        walk.locals[*local as usize] = None;
                    }
                });
            }
        };
        forget(self);
        let on_data = u32::from(self.known(cond).is_none());
        self.on_data += on_data;
        for block in blocks {
            self.block(block);
        }
        self.on_data -= on_data;
        forget(self);
    }

    /// The expression over fields and the PC that this one is, if it is one.
    fn known(&self, expr: &Expr) -> Option<Expr> {
        // Most are decided by data: told before anything is copied.
        if expr.any(&|node| self.is_data(node)) {
            return None;
        }
        let mut known = expr.clone();
        self.replace_locals(&mut known)?;
        let mut nodes = 0;
        known.visit(&mut |_| nodes += 1);
        (nodes <= MOST_NODES).then_some(known)
    }

    /// True if the node itself reads what is not of the instruction's word or place.
    fn is_data(&self, node: &Expr) -> bool {
        match &node.kind {
            Kind::Local(local) => self.locals[local.index()].is_none(),
            Kind::ReadReg(reg, _) => !self.is_pc(*reg),
            Kind::ReadSpace(..) => true,
            _ => false,
        }
    }

    fn replace_locals(&self, expr: &mut Expr) -> Option<()> {
        match &expr.kind {
            Kind::Local(local) => {
                let ty = expr.ty;
                *expr = self.locals[local.index()].clone()?;
                // A local's readers see its own type.
                return (expr.ty == ty).then_some(());
            }
            _ if self.is_data(expr) => return None,
            _ => {}
        }
        expr.operands_mut().try_for_each(|operand| self.replace_locals(operand))
    }

    fn is_pc(&self, reg: RegId) -> bool {
        self.module.registers.get(reg.index()).is_some_and(|register| register.is_pc)
    }

    fn file(&self, reg: RegId) -> File {
        match self.module.registers.get(reg.index()) {
            Some(register) if register.is_main => File::X,
            _ => File::Own(reg),
        }
    }

    fn index(&self, index: &Expr) -> Index {
        self.known(index).map_or(Index::Any, |known| Index::of(&known))
    }

    fn reads(&mut self, expr: &Expr) {
        let mut nodes = Vec::new();
        expr.visit(&mut |node| nodes.push(node));
        for node in nodes {
            match &node.kind {
                Kind::ReadReg(reg, index) if !self.is_pc(*reg) => {
                    let index = self.index(index);
                    let read = Register {
                        file: self.file(*reg),
                        index,
                        group: Group::Single,
                        when: self.when.clone(),
                    };
                    add(&mut self.found.reads, read);
                }
                Kind::ReadSpace(space, address) => match self.space(*space) {
                    Space::Memory => self.access(AccessKind::Load, node.ty.width),
                    Space::Code => self.access(AccessKind::Fetch, node.ty.width),
                    Space::Csr => {
                        let read =
                            Csr { index: self.index(address), bits: u64::MAX, when: self.when.clone() };
                        add(&mut self.found.csr_reads, read);
                    }
                    Space::Reservation => self.found.reserves = true,
                    Space::Other => {}
                },
                _ => {}
            }
        }
    }

    fn write(&mut self, reg: RegId, index: &Expr, value: &Expr) {
        if self.is_pc(reg) {
            let (indirect, on_data) = self.target.unwrap_or_default();
            self.target = Some((indirect | self.known(value).is_none(), on_data | (self.on_data > 0)));
            return;
        }
        let reads_pc = |expr: &Expr| matches!(expr.kind, Kind::ReadReg(reg, _) if self.is_pc(reg));
        self.links |= self.known(value).is_some_and(|known| known.any(&reads_pc));
        let write = Register {
            file: self.file(reg),
            index: self.index(index),
            group: Group::Single,
            when: self.when.clone(),
        };
        add(&mut self.found.writes, write);
    }

    fn write_space(&mut self, space: SpaceId, address: &Expr, value: &Expr) {
        match self.space(space) {
            Space::Memory => self.access(AccessKind::Store, value.ty.width),
            Space::Csr => {
                let write = Csr { index: self.index(address), bits: u64::MAX, when: self.when.clone() };
                add(&mut self.found.csr_writes, write);
            }
            Space::Reservation => self.found.reserves = true,
            Space::Code | Space::Other => self.fences = true,
        }
    }

    fn access(&mut self, kind: AccessKind, bits: u16) {
        let when = self.when.clone();
        self.found.memory.push(Access { kind, width: Eew::Bits(bits), shape: Shape::Scalar, when });
    }

    fn control(&self, stmts: &[Stmt]) -> Control {
        match self.target {
            Some((indirect, on_data)) => {
                let unwritten = self.without_target(stmts);
                if on_data || unwritten.0 || unwritten.1 {
                    Control::Branch { indirect }
                } else {
                    Control::Jump { indirect, link: self.links }
                }
            }
            None if !self.completes => Control::Trap,
            None if self.fences => Control::Fence,
            None => Control::Next,
        }
    }

    /// Whether a path that does not assign the PC leads past these statements, and whether one ends in them.
    fn without_target(&self, stmts: &[Stmt]) -> (bool, bool) {
        let mut ends = false;
        for stmt in stmts {
            match stmt {
                Stmt::WriteReg { reg, .. } if self.is_pc(*reg) => return (false, ends),
                Stmt::Return(_) => return (false, true),
                Stmt::Raise { .. } => return (false, ends),
                Stmt::If { then, els, .. } => {
                    let (then, els) = (self.without_target(then), self.without_target(els));
                    ends |= then.1 | els.1;
                    if !then.0 && !els.0 {
                        return (false, ends);
                    }
                }
                Stmt::Loop { body, .. } => ends |= self.without_target(body).1,
                _ => {}
            }
        }
        (true, ends)
    }

    fn space(&self, space: SpaceId) -> Space {
        match self.module.spaces.get(space.index()) {
            Some(space) if space.is_main_mem => Space::Memory,
            Some(space) if space.name == "CODE" => Space::Code,
            Some(space) if space.name == "CSR" => Space::Csr,
            Some(space) if space.name == "RES" => Space::Reservation,
            _ => Space::Other,
        }
    }
}

enum Space {
    Memory,
    Code,
    Csr,
    Reservation,
    Other,
}

impl Index {
    /// The simplest form of an expression over the fields.
    pub(super) fn of(expr: &Expr) -> Self {
        use coredsl::ir::BinaryOp::Add;
        match &expr.kind {
            Kind::Const(number) => Self::Fixed(number.as_u16()),
            Kind::Field(field) => Self::Field { field: *field, plus: 0 },
            Kind::Resize(inner) if inner.ty.width <= expr.ty.width && !inner.ty.signed => Self::of(inner),
            Kind::Binary(Add, a, b) => match (Self::of(a), Self::of(b)) {
                (Self::Fixed(number), Self::Field { field, plus })
                | (Self::Field { field, plus }, Self::Fixed(number)) => {
                    Self::Field { field, plus: plus + number }
                }
                _ => Self::Computed(expr.clone()),
            },
            _ => Self::Computed(expr.clone()),
        }
    }
}

/// Adds what is not there yet under some of the same conditions, and drops what is there under more.
pub(super) fn add<T: Conditional>(list: &mut Vec<T>, new: T) {
    let covers = |one: &T, other: &T| {
        one.is_same(other) && one.when().iter().all(|condition| other.when().contains(condition))
    };
    if !list.iter().any(|old| covers(old, &new)) {
        list.retain(|old| !covers(&new, old));
        list.push(new);
    }
}

pub(super) trait Conditional {
    fn when(&self) -> &[Condition];

    /// True if they differ in their conditions at most.
    fn is_same(&self, other: &Self) -> bool;
}

impl Conditional for Register {
    fn when(&self) -> &[Condition] {
        &self.when
    }

    fn is_same(&self, other: &Self) -> bool {
        (self.file, &self.index, self.group) == (other.file, &other.index, other.group)
    }
}

impl Conditional for Csr {
    fn when(&self) -> &[Condition] {
        &self.when
    }

    fn is_same(&self, other: &Self) -> bool {
        (&self.index, self.bits) == (&other.index, other.bits)
    }
}
