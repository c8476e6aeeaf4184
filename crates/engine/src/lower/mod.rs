//! Semantic IR of one decoded instruction → micro-operations.
//!
//! Operand fields and the address are constants here, so that most of an instruction folds away.
//! Demanded bits narrow the rest: every node is computed only in the low bits its consumer uses, which
//! undoes CoreDSL's widening (`+` grows a bit, `*` doubles) and leaves nothing wider than 64 bits. What
//! does not fit after all is left to the plain evaluator, one instruction at a time ([`Op::Evaluate`]):
//! slower, never wrong.

mod checkpoint;
mod control;
mod emit;
mod expr;
mod idiom;
mod stmt;
mod wide;

use std::collections::BTreeMap;

use coredsl::ir::{Behavior, Expr, Instruction, LocalId, Module, RegId, SpaceId};

pub use self::idiom::Idioms;
use crate::uop::{FIRST_TEMP, Op, Uop};

/// Which register files and address spaces of a module play which role.
#[derive(Clone, Copy, Debug)]
pub struct Roles {
    x: Option<RegId>,
    pc: Option<RegId>,
    mem: Option<SpaceId>,
    code: Option<SpaceId>,
    csr: Option<SpaceId>,
    reservation: Option<SpaceId>,
    fence: Option<SpaceId>,
}

impl Roles {
    /// Finds them by attribute (`is_main_reg`, `is_pc`, `is_main_mem`) and by name (`CODE`, `CSR`, `RES`,
    /// `FENCE`).
    pub fn of(module: &Module) -> Self {
        let register = |test: fn(&coredsl::ir::Register) -> bool| {
            module.registers.iter().position(test).map(|index| RegId(index as u32))
        };
        let space = |name: &str| {
            module.spaces.iter().position(|space| space.name == name).map(|index| SpaceId(index as u32))
        };
        Self {
            x: register(|register| register.is_main),
            pc: register(|register| register.is_pc),
            mem: module.spaces.iter().position(|space| space.is_main_mem).map(|index| SpaceId(index as u32)),
            code: space("CODE"),
            csr: space("CSR"),
            reservation: space("RES"),
            fence: space("FENCE"),
        }
    }

    /// The role of a register file.
    pub fn is_x(&self, reg: RegId) -> bool {
        self.x == Some(reg)
    }

    /// True for the program counter.
    pub fn is_pc(&self, reg: RegId) -> bool {
        self.pc == Some(reg)
    }

    /// The native address space behind an identifier.
    pub fn space(&self, space: SpaceId) -> NativeSpace {
        let space = Some(space);
        if space == self.mem {
            NativeSpace::Memory
        } else if space == self.code {
            NativeSpace::Code
        } else if space == self.csr {
            NativeSpace::Csr
        } else if space == self.reservation {
            NativeSpace::Reservation
        } else if space == self.fence {
            NativeSpace::Fence
        } else {
            NativeSpace::Unknown
        }
    }
}

/// Address spaces with native handlers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the roles' own names")]
pub enum NativeSpace {
    Memory,
    Code,
    Csr,
    Reservation,
    Fence,
    Unknown,
}

/// Why an instruction is left to the evaluator.
#[derive(Debug)]
struct Unsupported;

type Lower<T> = Result<T, Unsupported>;

/// A value: known, or in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Val {
    Const(u64),
    Slot(u16),
}

/// A value of which the demanded low bits are right and bits from `bits` up are zero.
#[derive(Clone, Copy, Debug)]
struct Value {
    val: Val,
    bits: u16,
}

/// What a local variable or a register written by this instruction stands for.
#[derive(Clone, Debug)]
enum Binding<'a> {
    /// Its value; assignment replaces the binding.
    Value(Val),
    /// A slot of its own, because control flow that depends on data assigns it.
    Fixed(u16),
    /// Wider than a slot: the expression, to be lowered where some of its bits are demanded, with
    /// the locals it saw.
    Deferred(&'a Expr, Vec<Binding<'a>>),
}

/// How an instruction ended up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// The next instruction may follow in the same block.
    Continues,
    /// A micro-operation already leaves the block, on every path.
    Leaves,
    /// The block must end after this instruction.
    EndsBlock,
}

/// What every instruction of a program is lowered with.
pub struct Context<'a> {
    /// The instruction's module.
    pub module: &'a Module,
    /// Its registers and spaces.
    pub roles: Roles,
    /// Functions with a host implementation.
    pub idioms: &'a Idioms,
}

struct Lowering<'a, 'u> {
    context: &'a Context<'a>,
    instruction: &'a Instruction,
    word: u32,
    pc: u64,
    uops: &'u mut Vec<Uop>,
    state: State<'a>,
}

/// What changes as statements are lowered, besides the micro-operations.
#[derive(Clone)]
struct State<'a> {
    next_temp: u16,
    /// Temporaries below this one may be bound to a local, so that no other slot may take their place.
    sealed: u16,
    /// Where a jump landed last. The micro-operation before it is not on every path, so that it may not be rewritten.
    landed: usize,
    locals: Vec<Binding<'a>>,
    registers: BTreeMap<u16, Binding<'a>>,
    next_pc: Option<Binding<'a>>,
    loops: Vec<LoopLabels>,
    returns: Option<ReturnLabels>,
    call_depth: u32,
    ends_block: bool,
}

/// Micro-operations to patch with a loop's exits.
#[derive(Clone, Default)]
struct LoopLabels {
    breaks: Vec<usize>,
    continues: Vec<usize>,
}

/// Where a function's `return` puts its value.
#[derive(Clone)]
struct ReturnLabels {
    result: Option<u16>,
    jumps: Vec<usize>,
}

/// Appends the micro-operations of one instruction at `pc`. `word` has its upper half zero if the
/// instruction is compressed.
pub fn lower(
    context: &Context<'_>,
    instruction: &Instruction,
    word: u32,
    pc: u64,
    uops: &mut Vec<Uop>,
) -> Flow {
    let start = uops.len();
    let Behavior::Body(body) = &instruction.behavior else {
        uops.push(Uop { imm: u64::from(word), ..Uop::new(Op::Native) });
        return Flow::EndsBlock;
    };
    let mut lowering = Lowering {
        context,
        instruction,
        word,
        pc,
        uops,
        state: State {
            next_temp: FIRST_TEMP,
            sealed: FIRST_TEMP,
            landed: usize::MAX,
            locals: vec![Binding::Value(Val::Const(0)); body.locals.len()],
            registers: BTreeMap::new(),
            next_pc: None,
            loops: Vec::new(),
            returns: None,
            call_depth: 0,
            ends_block: false,
        },
    };
    match lowering.behavior(body) {
        Ok(flow) => flow,
        Err(Unsupported) => {
            uops.truncate(start);
            uops.push(Uop { imm: u64::from(word), ..Uop::new(Op::Evaluate) });
            Flow::EndsBlock
        }
    }
}

/// Ones in the low `bits` bits.
const fn mask(bits: u16) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

impl<'a> Lowering<'a, '_> {
    fn length(&self) -> u64 {
        u64::from(self.instruction.encoding.length / 8)
    }

    fn xlen(&self) -> u16 {
        self.context.module.xlen
    }

    fn local(&self, local: LocalId) -> Lower<&Binding<'a>> {
        self.state.locals.get(local.index()).ok_or(Unsupported)
    }
}
