//! The interpreter: executes one block's micro-operations.

use crate::block::Block;
use crate::fault::{Access, Exception};
use crate::hart::{Hart, Reservation};
use crate::idioms;
use crate::memory::{Address, MemoryAccess, WriteEvent};
use crate::observer::Observer;
use crate::program::Program;
use crate::unit::Trap;
use crate::uop::{Op, SLOTS, Uop, operations};

/// How a block was left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockExit {
    /// All of it retired, through an exit to a known address.
    Exit {
        /// Next instruction.
        pc: u64,
        /// Number of the exit.
        link: u8,
    },
    /// All of it retired, through a computed jump.
    Jump {
        /// Next instruction.
        pc: u64,
    },
    /// The instruction of micro-operation `uop` raised an exception.
    Raised {
        /// Micro-operation.
        uop: usize,
        /// Exception.
        exception: Exception,
    },
    /// Micro-operation `uop` wrote `tohost`; execution may resume behind it.
    Host {
        /// Micro-operation.
        uop: usize,
    },
    /// The block's last instruction has a native body.
    Native,
    /// The block's last instruction is left to the plain evaluator.
    Evaluate,
}

#[inline(always)]
const fn index(slot: u16) -> usize {
    slot as usize & (SLOTS - 1)
}

macro_rules! define_execute {
    (
        binary { $($slots:ident $immediate:ident |$a:ident, $b:ident| $value:expr $(, $law:ident)*;)* }
        compare {
            $($compare:ident $constant:ident $exit:ident |$c:ident, $d:ident| $holds:expr $(, $rule:ident)*;)*
        }
        unary { $($unary:ident |$x:ident| $result:expr;)* }
        load { $($load:ident $loaded:ty as $extended:ty;)* }
        store { $($store:ident $stored:ty;)* }
        other { $($other:tt)* }
    ) => {
        /// Executes a block from micro-operation `start`.
        pub fn execute<O: Observer, const RV32: bool>(
            hart: &mut Hart,
            program: &Program,
            block: &Block,
            start: usize,
        ) -> BlockExit {
            let uops: &[Uop] = &block.uops;
            let module = program.module();
            let mut next = start;
            loop {
                let uop = uops[next];
                let slots = &mut hart.slots;
                macro_rules! a { () => { slots[index(uop.a)] }; }
                macro_rules! b { () => { slots[index(uop.b)] }; }
                macro_rules! dst { ($v:expr) => {{ let v = $v; slots[index(uop.dst)] = v; }}; }
                macro_rules! address { () => {{
                    let sum = a!().wrapping_add(uop.imm);
                    if RV32 { sum & 0xffff_ffff } else { sum }
                }}; }
                macro_rules! load { ($int:ty, $to:ty) => {{
                    let address = address!();
                    match hart.memory.read(address, Access::Load) {
                        Ok(bytes) => {
                            dst!(<$int>::from_le_bytes(bytes) as $to as u64);
                            if O::TRACE {
                                hart.note_access(address, size_of::<$int>(), None);
                            }
                        }
                        Err(fault) => return raised(block, next, fault.into()),
                    }
                }}; }
                macro_rules! store { ($int:ty) => {{
                    let address = address!();
                    let value = b!();
                    if O::TRACE {
                        hart.note_access(address, size_of::<$int>(), Some(value as $int as u64));
                    }
                    match hart.memory.write(address, (value as $int).to_le_bytes()) {
                        Ok(()) => {}
                        Err(WriteEvent::Fault(fault)) => return raised(block, next, fault.into()),
                        Err(WriteEvent::Host) => return BlockExit::Host { uop: next },
                    }
                }}; }
                match uop.op {
                    $(
                        Op::$slots => { let ($a, $b) = (a!(), b!()); dst!($value); }
                        Op::$immediate => { let ($a, $b) = (a!(), uop.imm); dst!($value); }
                    )*
                    $(
                        Op::$compare => { let ($c, $d) = (a!(), b!()); dst!(u64::from($holds)); }
                        Op::$constant => { let ($c, $d) = (a!(), uop.imm); dst!(u64::from($holds)); }
                        Op::$exit => {
                            let ($c, $d) = (a!(), b!());
                            if $holds {
                                return BlockExit::Exit { pc: uop.imm, link: uop.aux };
                            }
                        }
                    )*
                    $(Op::$unary => { let $x = a!(); dst!($result); })*
                    $(Op::$load => load!($loaded, $extended),)*
                    $(Op::$store => store!($stored),)*
                    Op::Const => dst!(uop.imm),
                    Op::Sext => dst!(((a!() << uop.aux) as i64 >> uop.aux) as u64 & uop.imm),
                    Op::Select => {
                        dst!(if a!() != 0 { b!() } else { slots[index(uop.imm as u16)] });
                    }
                    Op::Table => {
                        let table = &module.tables[uop.imm as usize].values;
                        let value = usize::try_from(a!()).ok().and_then(|index| table.get(index));
                        dst!(value.map_or(0, |value| value.as_u64()));
                    }
                    Op::CsrRead => {
                        let csr = a!();
                        match hart.read_csr(csr, hart.retired + block.decoded.len() as u64 - 1) {
                            Ok(value) => hart.slots[index(uop.dst)] = value,
                            Err(_) => return illegal(block, next),
                        }
                    }
                    Op::CsrWrite => {
                        let (csr, value) = (a!(), b!());
                        let before = hart.retired + block.decoded.len() as u64 - 1;
                        if hart.write_csr(csr, value, before).is_err() {
                            return illegal(block, next);
                        }
                        if O::TRACE {
                            hart.written_csr = Some((csr as u16, hart.held_csr(csr, value, before + 1)));
                        }
                    }
                    Op::ReservationTake => {
                        let held = hart.reservation.take().is_some_and(|held| held.covers(a!()));
                        dst!(u64::from(held));
                    }
                    Op::ReservationSet => {
                        hart.reservation = Some(Reservation { address: a!(), bytes: b!() });
                    }
                    // The block's exit is a flushing one.
                    Op::FenceI => {}
                    Op::Goto => {
                        next = uop.imm as usize;
                        continue;
                    }
                    Op::GotoIfZero => {
                        if a!() == 0 {
                            next = uop.imm as usize;
                            continue;
                        }
                    }
                    Op::Raise => {
                        let (cause, value) = (a!(), b!());
                        let exception = Exception { cause, value };
                        return BlockExit::Raised { uop: next, exception: with_word(block, next, exception) };
                    }
                    Op::Unit => {
                        let word = uop.word();
                        match program.unit(uop.instruction())(hart, word) {
                            Ok(()) if hart.memory.tohost_touched() => return BlockExit::Host { uop: next },
                            Ok(()) => {}
                            Err(trap) => return refused(hart, next, word, trap),
                        }
                    }
                    Op::Native => return BlockExit::Native,
                    Op::Evaluate => return BlockExit::Evaluate,
                    Op::Exit => return BlockExit::Exit { pc: uop.imm, link: uop.aux },
                    Op::ExitTo => return BlockExit::Jump { pc: a!() },
                }
                next += 1;
            }
        }
    };
}

operations!(define_execute);

#[cold]
fn raised(block: &Block, uop: usize, mut exception: Exception) -> BlockExit {
    if exception.cause == Exception::LOAD_ACCESS && block.decoded[block.instruction_of(uop)].stores {
        exception.cause = Exception::STORE_ACCESS;
    }
    BlockExit::Raised { uop, exception }
}

#[cold]
fn refused(hart: &mut Hart, uop: usize, word: u32, trap: Trap) -> BlockExit {
    let exception = match trap {
        Trap::Illegal(rule) => {
            hart.broken_rule = Some(rule);
            Exception::illegal(word)
        }
        Trap::Raised(exception) => exception,
    };
    BlockExit::Raised { uop, exception }
}

#[cold]
fn illegal(block: &Block, uop: usize) -> BlockExit {
    let word = block.decoded[block.instruction_of(uop)].word;
    BlockExit::Raised { uop, exception: Exception::illegal(word) }
}

/// An illegal instruction's trap value is its word, whatever the description gave.
#[cold]
fn with_word(block: &Block, uop: usize, exception: Exception) -> Exception {
    if exception.cause == Exception::ILLEGAL {
        Exception::illegal(block.decoded[block.instruction_of(uop)].word)
    } else {
        exception
    }
}

impl Hart {
    #[cold]
    fn note_access(&mut self, address: u64, size: usize, stored: Option<u64>) {
        self.accesses.push(MemoryAccess { address: Address(address), size: size as u8, stored });
    }
}
