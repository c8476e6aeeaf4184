//! The interpreter: executes one block's micro-operations.
use hart::Hart;
use hart::csr::Clock;
use hart::effects::Effects;
use hart::fault::{Access, Exception};
use hart::idioms;
use hart::memory::{Address, WriteEvent};
use hart::port::Port;
use hart::system::System;
use hart::unit::Trap;

use crate::block::Block;
use crate::follow::{Follower, Step};
use crate::program::Program;
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
    /// Micro-operation `uop` wrote `tohost`; execution may resume after it.
    Host {
        /// Micro-operation.
        uop: usize,
    },
    /// The block's last instruction has a native body.
    Native,
    /// The block's last instruction is left to the plain evaluator.
    Evaluate,
}

/// What gives a word as often as not, which an [`Op::Sext`] then extends.
const WORDS: [Op; 14] = [
    Op::Add32,
    Op::Add32I,
    Op::Sub32,
    Op::Mul32,
    Op::Shl32,
    Op::Shl32I,
    Op::Shr,
    Op::ShrI,
    Op::Sar32,
    Op::Sar32I,
    Op::Rol32,
    Op::Rol32I,
    Op::Ror32,
    Op::Ror32I,
];

const fn gives_word(op: Op) -> bool {
    let mut index = 0;
    while index < WORDS.len() && WORDS[index] as u8 != op as u8 {
        index += 1;
    }
    index < WORDS.len()
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
        fn run<const TRACE: bool, const RV32: bool, const FOLLOWED: bool>(
            system: &mut System,
            mut effects: Option<&mut Effects>,
            program: &Program,
            block: &Block,
            start: usize,
            mut follower: Option<&mut dyn Follower>,
        ) -> BlockExit {
            let System { hart, memory } = system;
            let uops: &[Uop] = &block.uops;
            let mut next = start;
            loop {
                let uop = &uops[next];
                macro_rules! a { () => { hart.slots[index(uop.a)] }; }
                macro_rules! b { () => { hart.slots[index(uop.b)] }; }
                macro_rules! dst { ($v:expr) => {{ let v = $v; hart.slots[index(uop.dst)] = v; }}; }
                macro_rules! follow { () => {
                    if FOLLOWED && let Some(follower) = &mut follower {
                        follower.step(&Step { hart, memory, program, block, uop: next });
                    }
                }; }
                macro_rules! address { () => {{
                    let sum = a!().wrapping_add(uop.imm);
                    if RV32 { sum & 0xffff_ffff } else { sum }
                }}; }
                macro_rules! note { ($log:ident => $note:expr) => {
                    if TRACE && let Some($log) = &mut effects {
                        $note;
                    }
                }; }
                macro_rules! load { ($int:ty, $to:ty) => {{
                    let address = address!();
                    match memory.read(Address(address), Access::Load) {
                        Ok(bytes) => {
                            follow!();
                            dst!(<$int>::from_le_bytes(bytes) as $to as u64);
                            note!(effects => effects.access(address, size_of::<$int>(), None));
                        }
                        Err(fault) => return raised(block, next, fault.into()),
                    }
                }}; }
                macro_rules! store { ($int:ty) => {{
                    let address = address!();
                    let value = b!();
                    note!(effects => {
                        effects.access(address, size_of::<$int>(), Some(value as $int as u64));
                    });
                    match memory.write(Address(address), (value as $int).to_le_bytes()) {
                        Ok(()) => follow!(),
                        Err(WriteEvent::Fault(fault)) => return raised(block, next, fault.into()),
                        Err(WriteEvent::Host) => {
                            follow!();
                            return BlockExit::Host { uop: next };
                        }
                    }
                }}; }
                macro_rules! sext { ($uop:expr) => {{
                    let Uop { a, dst, aux, imm, .. } = *$uop;
                    let value = hart.slots[index(a)];
                    hart.slots[index(dst)] = ((value << aux) as i64 >> aux) as u64 & imm;
                }}; }
                // At once: most of the time goes into finding out what comes next.
                macro_rules! extend { ($op:ident) => {
                    if !FOLLOWED && const { gives_word(Op::$op) } && uops[next + 1].op == Op::Sext {
                        next += 1;
                        sext!(&uops[next]);
                    }
                }; }
                // An access that faults does nothing, so that those are followed once they are known not to.
                if FOLLOWED && uop.op.access().is_none() {
                    follow!();
                }
                match uop.op {
                    $(
                        Op::$slots => { let ($a, $b) = (a!(), b!()); dst!($value); extend!($slots); }
                        Op::$immediate => { let ($a, $b) = (a!(), uop.imm); dst!($value); extend!($immediate); }
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
                    Op::Sext => sext!(uop),
                    Op::Select => {
                        dst!(if a!() != 0 { b!() } else { hart.slots[index(uop.imm as u16)] });
                    }
                    Op::Table => dst!(looked_up(program, uop.imm, a!())),
                    Op::Fetch32 => match memory.read(Address(a!()), Access::Fetch) {
                        Ok(bytes) => dst!(u32::from_le_bytes(bytes).into()),
                        Err(fault) => return raised(block, next, fault.into()),
                    },
                    Op::Fetch64 => match memory.read(Address(a!()), Access::Fetch) {
                        Ok(bytes) => dst!(u64::from_le_bytes(bytes)),
                        Err(fault) => return raised(block, next, fault.into()),
                    },
                    Op::CsrRead => {
                        let csr = a!();
                        match hart.read_csr(csr, clock(hart, block)) {
                            Ok(value) => hart.slots[index(uop.dst)] = value,
                            Err(_) => return illegal(block, next),
                        }
                    }
                    Op::CsrWrite => {
                        let (csr, value) = (a!(), b!());
                        if hart.write_csr(csr, value, clock(hart, block)).is_err() {
                            return illegal(block, next);
                        }
                        note!(effects => {
                            effects.csr = Some((csr as u16, hart.held_csr(csr, value, clock(hart, block).next())));
                        });
                    }
                    Op::ReservationTake => {
                        dst!(u64::from(memory.take_reservation(Address(a!()))));
                    }
                    Op::ReservationSet => memory.reserve(Address(a!()), b!()),
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
                    Op::NoteAddress => {
                        let address = address!();
                        note!(effects => effects.noted.push(address));
                    }
                    Op::NoteOperands => {
                        let operands = [a!(), b!()];
                        note!(effects => effects.noted.extend(operands));
                    }
                    Op::Raise => {
                        let (cause, value) = (a!(), b!());
                        let exception = Exception { cause, value };
                        return BlockExit::Raised { uop: next, exception: with_word(block, next, exception) };
                    }
                    Op::Unit => {
                        let word = uop.word();
                        let effects = if TRACE { effects.as_deref_mut() } else { None };
                        let port = &mut Port { memory, effects };
                        let done = program.unit(uop.instruction()).execute(hart, port, word);
                        if FOLLOWED && let Some(follower) = &mut follower {
                            follower.settled(done.is_ok());
                        }
                        match done {
                            Ok(()) if memory.host_touched() => return BlockExit::Host { uop: next },
                            Ok(()) => {}
                            Err(trap) => return refused(hart, block, next, trap),
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

/// Executes a block from micro-operation `start`, logs its effects if there is a log, and has it followed if somebody
/// does.
#[inline(always)]
pub fn execute<const RV32: bool>(
    system: &mut System,
    effects: Option<&mut Effects>,
    program: &Program,
    block: &Block,
    start: usize,
    follower: Option<&mut dyn Follower>,
) -> BlockExit {
    if follower.is_some() {
        run::<true, RV32, true>(system, effects, program, block, start, follower)
    } else if effects.is_some() {
        run::<true, RV32, false>(system, effects, program, block, start, None)
    } else {
        run::<false, RV32, false>(system, None, program, block, start, None)
    }
}

/// A value of a description's table; apart, so that blocks without one do not prepare for it.
#[inline(never)]
fn looked_up(program: &Program, table: u64, index: u64) -> u64 {
    let values = &program.module().tables[table as usize].values;
    let value = usize::try_from(index).ok().and_then(|index| values.get(index));
    value.map_or(0, |value| value.as_u64())
}

/// The clock as the last instruction of a block finds it, which any is that reads or writes CSRs; apart likewise.
#[inline(never)]
const fn clock(hart: &Hart, block: &Block) -> Clock {
    hart.clock(block.decoded.len() as u64 - 1)
}

#[cold]
fn raised(block: &Block, uop: usize, mut exception: Exception) -> BlockExit {
    if exception.cause == Exception::LOAD_ACCESS && block.decoded[block.instruction_of(uop)].stores {
        exception.cause = Exception::STORE_ACCESS;
    }
    BlockExit::Raised { uop, exception }
}

#[cold]
fn refused(hart: &mut Hart, block: &Block, uop: usize, trap: Trap) -> BlockExit {
    match trap {
        Trap::Illegal(rule) => {
            hart.broken_rule = Some(rule);
            illegal(block, uop)
        }
        Trap::Raised(exception) => BlockExit::Raised { uop, exception },
    }
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
