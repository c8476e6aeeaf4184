//! The plain evaluator: what an instruction does to a [`Machine`], straight from the IR's definition.
//!
//! It is slow and meant to be obviously right: every faster engine is tested against it.

use ethnum::U256;

use crate::ir::{
    Behavior, BinaryOp, Body, Expr, FuncId, Instruction, Kind, Module, RegId, SpaceId, Stmt, Ty,
};
use crate::value;

/// The state that instructions read and write. Values have the bits above their width zero.
pub trait Machine {
    /// Element `index` of a register file other than the PC; never element 0 of the main one.
    fn read_reg(&mut self, reg: RegId, index: u32) -> U256;

    /// Sets that element.
    fn write_reg(&mut self, reg: RegId, index: u32, value: U256);

    /// `elements` elements of a space from `address`, the lowest in the low bits; addresses wrap at XLEN.
    ///
    /// # Errors
    /// A fault, which ends the instruction without effect.
    fn read_space(&mut self, space: SpaceId, address: u64, elements: u32) -> Result<U256, Fault>;

    /// Sets these elements.
    ///
    /// # Errors
    /// A fault, which ends the instruction; main memory is written before anything else.
    fn write_space(&mut self, space: SpaceId, address: u64, elements: u32, value: U256) -> Result<(), Fault>;
}

/// Why an instruction had no effect, apart from an exception it raised itself.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// An address space refused the access.
    #[error("access to space {} at {address:#x} refused", .space.0)]
    Access {
        /// The space.
        space: SpaceId,
        /// First element.
        address: u64,
    },
    /// A register file has no such element.
    #[error("register file {} has no element {index}", .reg.0)]
    Index {
        /// The register file.
        reg: RegId,
        /// The element asked for.
        index: U256,
    },
    /// The instruction is `behavior: extern;`.
    #[error("the instruction has a native behavior")]
    Native,
}

/// How an instruction ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Its effects are committed.
    Done {
        /// Address of the next instruction.
        next_pc: u64,
        /// Calls of extern functions, in order: name and arguments.
        calls: Vec<(String, Vec<U256>)>,
    },
    /// It raised an exception and had no effect.
    Raised {
        /// `mcause`.
        cause: U256,
        /// `mtval`, 0 if the behaviour gave none.
        tval: U256,
    },
}

/// Executes the instruction in `word` at address `pc`.
///
/// # Errors
/// A [`Fault`]; nothing has been written then.
pub fn execute(
    module: &Module,
    instruction: &Instruction,
    word: u32,
    pc: u64,
    machine: &mut dyn Machine,
) -> Result<Outcome, Fault> {
    let Behavior::Body(body) = &instruction.behavior else { return Err(Fault::Native) };
    let mut evaluator = Evaluator::new(module, Some(instruction), word, pc, machine);
    let mut locals = vec![U256::ZERO; body.locals.len()];
    if let Flow::Raise { cause, tval } = evaluator.block(&body.stmts, &mut locals)? {
        return Ok(Outcome::Raised { cause, tval });
    }
    evaluator.commit(u64::from(instruction.encoding.length / 8))
}

/// The value of a pure function for arguments of its parameters' types.
pub fn function(module: &Module, id: FuncId, arguments: &[U256]) -> U256 {
    let mut evaluator_machine = Stateless;
    let mut evaluator = Evaluator::new(module, None, 0, 0, &mut evaluator_machine);
    // A function reads no state, so that nothing in it can fault.
    evaluator.call(&module.functions[id.index()].body, arguments).unwrap_or_default()
}

/// The value of an operand of an assembly format, which depends on the word and the address only.
pub fn operand(module: &Module, instruction: &Instruction, operand: &Expr, word: u32, pc: u64) -> U256 {
    let mut evaluator_machine = Stateless;
    let mut evaluator = Evaluator::new(module, Some(instruction), word, pc, &mut evaluator_machine);
    evaluator.expr(operand, &[]).unwrap_or_default()
}

/// Where there is no state.
struct Stateless;

impl Machine for Stateless {
    fn read_reg(&mut self, _: RegId, _: u32) -> U256 {
        U256::ZERO
    }

    fn write_reg(&mut self, _: RegId, _: u32, _: U256) {}

    fn read_space(&mut self, space: SpaceId, address: u64, _: u32) -> Result<U256, Fault> {
        Err(Fault::Access { space, address })
    }

    fn write_space(&mut self, space: SpaceId, address: u64, _: u32, _: U256) -> Result<(), Fault> {
        Err(Fault::Access { space, address })
    }
}

enum Flow {
    Next,
    Break,
    Continue,
    Return(U256),
    Raise { cause: U256, tval: U256 },
}

/// A write to a space that waits for the end of the behaviour.
struct Store {
    space: SpaceId,
    address: u64,
    elements: u32,
    value: U256,
}

struct Evaluator<'a> {
    module: &'a Module,
    instruction: Option<&'a Instruction>,
    word: u32,
    pc: u64,
    machine: &'a mut dyn Machine,
    registers: Vec<(RegId, u32, U256)>,
    stores: Vec<Store>,
    next_pc: Option<u64>,
    calls: Vec<(String, Vec<U256>)>,
}

impl<'a> Evaluator<'a> {
    fn new(
        module: &'a Module,
        instruction: Option<&'a Instruction>,
        word: u32,
        pc: u64,
        machine: &'a mut dyn Machine,
    ) -> Self {
        let (registers, stores, calls) = (vec![], vec![], vec![]);
        Self { module, instruction, word, pc, machine, registers, stores, next_pc: None, calls }
    }

    fn commit(self, length: u64) -> Result<Outcome, Fault> {
        let is_main = |store: &Store| self.module.spaces[store.space.index()].is_main_mem;
        let (main, other): (Vec<_>, Vec<_>) = self.stores.iter().partition(|store| is_main(store));
        for store in main.into_iter().chain(other) {
            self.machine.write_space(store.space, store.address, store.elements, store.value)?;
        }
        for (reg, index, value) in self.registers {
            self.machine.write_reg(reg, index, value);
        }
        let next_pc = self.next_pc.unwrap_or_else(|| address(self.module, self.pc.wrapping_add(length)));
        Ok(Outcome::Done { next_pc, calls: self.calls })
    }

    fn block(&mut self, stmts: &[Stmt], locals: &mut [U256]) -> Result<Flow, Fault> {
        for stmt in stmts {
            match self.stmt(stmt, locals)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn stmt(&mut self, stmt: &Stmt, locals: &mut [U256]) -> Result<Flow, Fault> {
        match stmt {
            Stmt::Assign { local, value } => locals[local.index()] = self.expr(value, locals)?,
            Stmt::WriteReg { reg, index, value } => {
                let index = self.expr(index, locals)?;
                let value = self.expr(value, locals)?;
                self.write_reg(*reg, index, value)?;
            }
            Stmt::WriteSpace { space, address, value } => {
                let address = self.expr(address, locals)?.as_u64();
                let elements = self.elements(*space, value.ty);
                let value = self.expr(value, locals)?;
                self.stores.push(Store { space: *space, address, elements, value });
            }
            Stmt::If { cond, then, els } => {
                let branch = if self.truth(cond, locals)? { then } else { els };
                return self.block(branch, locals);
            }
            Stmt::Loop { cond, body, step, trips } => return self.iterate(cond, body, step, *trips, locals),
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Return(value) => {
                let value = value.as_ref().map(|value| self.expr(value, locals)).transpose()?;
                return Ok(Flow::Return(value.unwrap_or_default()));
            }
            Stmt::Raise { cause, tval } => {
                let cause = self.expr(cause, locals)?;
                let tval = tval.as_ref().map(|tval| self.expr(tval, locals)).transpose()?;
                return Ok(Flow::Raise { cause, tval: tval.unwrap_or_default() });
            }
            Stmt::Extern { name, args } => {
                let args = args.iter().map(|arg| self.expr(arg, locals)).collect::<Result<_, _>>()?;
                self.calls.push((name.clone(), args));
            }
        }
        Ok(Flow::Next)
    }

    fn iterate(
        &mut self,
        cond: &Expr,
        body: &[Stmt],
        step: &[Stmt],
        trips: u32,
        locals: &mut [U256],
    ) -> Result<Flow, Fault> {
        let mut count = 0;
        while self.truth(cond, locals)? {
            count += 1;
            assert!(count <= trips, "a loop ran more often than its bound of {trips}");
            match self.block(body, locals)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                flow => return Ok(flow),
            }
            match self.block(step, locals)? {
                Flow::Next => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn truth(&mut self, cond: &Expr, locals: &[U256]) -> Result<bool, Fault> {
        Ok(self.expr(cond, locals)? != U256::ZERO)
    }

    fn expr(&mut self, expr: &Expr, locals: &[U256]) -> Result<U256, Fault> {
        Ok(match &expr.kind {
            Kind::Const(bits) => *bits,
            Kind::Field(field) => {
                let instruction =
                    self.instruction.map(|instruction| &instruction.encoding.fields[field.index()]);
                U256::from(instruction.map_or(0, |field| field.extract(self.word)))
            }
            Kind::Local(local) => locals[local.index()],
            Kind::ReadReg(reg, index) => {
                let index = self.expr(index, locals)?;
                self.read_reg(*reg, index)?
            }
            Kind::ReadSpace(space, address) => {
                let address = self.expr(address, locals)?.as_u64();
                self.read_space(*space, address, expr.ty)?
            }
            Kind::Table(table, index) => {
                let values = &self.module.tables[table.index()].values;
                let index = usize::try_from(self.expr(index, locals)?).ok();
                index.and_then(|index| values.get(index)).copied().unwrap_or_default()
            }
            Kind::Unary(op, a) => value::unary(*op, expr.ty, self.expr(a, locals)?),
            Kind::Binary(op, a, b) => {
                let (left, right) = (self.expr(a, locals)?, self.expr(b, locals)?);
                match op {
                    BinaryOp::Shl | BinaryOp::Shr => value::shift(*op, expr.ty, left, right),
                    // The operands' common type: that of the result, except for comparisons.
                    _ => value::arithmetic(*op, a.ty, left, right),
                }
            }
            Kind::Resize(a) => value::resize(self.expr(a, locals)?, a.ty, expr.ty),
            Kind::Slice { value, lsb } => {
                value::slice(self.expr(value, locals)?, self.expr(lsb, locals)?, expr.ty.width)
            }
            Kind::Insert { base, lsb, value } => {
                let (base, lsb) = (self.expr(base, locals)?, self.expr(lsb, locals)?);
                value::insert(base, expr.ty, lsb, self.expr(value, locals)?, value.ty.width)
            }
            Kind::Concat(high, low) => {
                (self.expr(high, locals)? << u32::from(low.ty.width)) | self.expr(low, locals)?
            }
            Kind::Select(cond, a, b) => {
                let chosen = if self.truth(cond, locals)? { a } else { b };
                self.expr(chosen, locals)?
            }
            Kind::Call(id, arguments) => {
                let arguments: Vec<U256> =
                    arguments.iter().map(|argument| self.expr(argument, locals)).collect::<Result<_, _>>()?;
                let module = self.module;
                self.call(&module.functions[id.index()].body, &arguments)?
            }
        })
    }

    fn call(&mut self, body: &Body, arguments: &[U256]) -> Result<U256, Fault> {
        let mut locals = vec![U256::ZERO; body.locals.len()];
        locals[..arguments.len()].copy_from_slice(arguments);
        match self.block(&body.stmts, &mut locals)? {
            Flow::Return(value) => Ok(value),
            _ => Ok(U256::ZERO),
        }
    }

    /// The number of an element that exists.
    fn element(&self, reg: RegId, index: U256) -> Result<u32, Fault> {
        let count = self.module.registers[reg.index()].count;
        match u32::try_from(index) {
            Ok(element) if element < count => Ok(element),
            _ => Err(Fault::Index { reg, index }),
        }
    }

    fn read_reg(&mut self, reg: RegId, index: U256) -> Result<U256, Fault> {
        let index = self.element(reg, index)?;
        let register = &self.module.registers[reg.index()];
        if register.is_pc {
            return Ok(U256::from(self.pc));
        }
        if register.is_main && index == 0 {
            return Ok(U256::ZERO);
        }
        let pending = self.registers.iter().find(|(other, element, _)| (*other, *element) == (reg, index));
        Ok(match pending {
            Some((_, _, value)) => *value,
            None => self.machine.read_reg(reg, index),
        })
    }

    fn write_reg(&mut self, reg: RegId, index: U256, value: U256) -> Result<(), Fault> {
        let index = self.element(reg, index)?;
        let register = &self.module.registers[reg.index()];
        if register.is_pc {
            self.next_pc = Some(value.as_u64());
        } else if !(register.is_main && index == 0) {
            self.registers.retain(|(other, element, _)| (*other, *element) != (reg, index));
            self.registers.push((reg, index, value));
        }
        Ok(())
    }

    fn elements(&self, space: SpaceId, ty: Ty) -> u32 {
        u32::from(ty.width / self.module.spaces[space.index()].element.width)
    }

    /// The machine's elements, with those replaced that this instruction has written.
    fn read_space(&mut self, space: SpaceId, first: u64, ty: Ty) -> Result<U256, Fault> {
        let elements = self.elements(space, ty);
        let width = self.module.spaces[space.index()].element.width;
        let mut whole = self.machine.read_space(space, first, elements)?;
        let at = |start: u64, element: u32| address(self.module, start.wrapping_add(u64::from(element)));
        for store in self.stores.iter().filter(|store| store.space == space) {
            for (read, written) in
                (0..elements).flat_map(|read| (0..store.elements).map(move |written| (read, written)))
            {
                if at(first, read) == at(store.address, written) {
                    let lsb = |element: u32| U256::from(element * u32::from(width));
                    let bits = value::slice(store.value, lsb(written), width);
                    whole = value::insert(whole, ty, lsb(read), bits, width);
                }
            }
        }
        Ok(whole)
    }
}

/// An address cut to XLEN bits.
fn address(module: &Module, address: u64) -> u64 {
    if module.xlen >= 64 { address } else { address & ((1 << module.xlen) - 1) }
}
