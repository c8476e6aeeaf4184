//! What a block's end asks for: exits, traps, writes to the host, instructions executed as a whole.

use hart::fault::{Access, Exception, Fault};
use hart::host::Host;
use hart::htif::HtifEvent;
use hart::memory::Address;
use hart::port::Port;
use hart::system::System;

use super::{Machine, Stop};
use crate::block::{self, Block, FLUSHING_EXIT};
use crate::evaluate;
use crate::exec::{self, BlockExit};
use crate::native::Native;
use crate::observer::Observer;

impl Machine<'_> {
    /// Brings program counter and count up to date after a block, and does what its end asks for.
    pub(super) fn settle<O: Observer, const RV32: bool>(
        &mut self,
        exit: BlockExit,
        block: &Block,
        observer: &mut O,
        host: &mut dyn Host,
    ) -> Option<Stop> {
        let length = block.decoded.len();
        match exit {
            BlockExit::Exit { pc, link } => {
                self.system.hart.pc = pc;
                self.system.hart.retired += length as u64;
                if link == FLUSHING_EXIT {
                    self.note::<O>();
                    self.tell(observer);
                    self.flush_code();
                }
                self.trace(block, observer)
            }
            BlockExit::Jump { pc } => {
                self.system.hart.pc = pc;
                self.system.hart.retired += length as u64;
                self.trace(block, observer)
            }
            BlockExit::Raised { uop, exception } => {
                let index = block.instruction_of(uop);
                self.system.hart.retired += index as u64;
                self.raise(block.decoded[index].pc, exception)
            }
            BlockExit::Host { uop } => {
                if let Some(stop) = self.serve_host(host) {
                    let index = block.instruction_of(uop);
                    self.system.hart.retired += index as u64 + 1;
                    self.system.hart.pc = block.decoded[index].pc.wrapping_add(block.decoded[index].length());
                    let _ = self.trace(block, observer);
                    return Some(stop);
                }
                let effects = (O::TRACE || O::TIMED).then_some(&mut self.effects);
                let (system, follower) = (&mut self.system, observer.follower());
                let exit = exec::execute::<RV32>(system, effects, self.program, block, uop + 1, follower);
                self.settle::<O, RV32>(exit, block, observer, host)
            }
            BlockExit::Native => {
                let last = block.decoded[length - 1];
                self.system.hart.retired += length as u64 - 1;
                let native = self.program.native(last.id);
                let illegal = || Err(Exception::illegal(last.word));
                let hart = &mut self.system.hart;
                match native.map_or_else(illegal, |native| native.execute(hart, &last)) {
                    Ok(pc) => {
                        self.system.hart.pc = pc & self.program.isa().xlen().mask();
                        self.system.hart.retired += 1;
                        if let Some(Native::Mark(marker)) = native {
                            // What the block has noted before belongs to its record, which is told now.
                            self.note::<O>();
                            self.tell(observer);
                            observer.marked(marker, last.id, &self.system, &self.cache);
                        }
                        let observed = self.trace(block, observer);
                        let status = native.and_then(|native| native.exit_status(&self.system.hart));
                        status.map(Stop::Exit).or(observed)
                    }
                    Err(exception) => self.raise(last.pc, exception),
                }
            }
            BlockExit::Evaluate => {
                let last = block.decoded[length - 1];
                self.system.hart.retired += length as u64 - 1;
                let System { hart, memory } = &mut self.system;
                if O::FOLLOWED && !O::TRACE {
                    self.effects.accesses.clear();
                }
                let logged = O::TRACE || O::TIMED || O::FOLLOWED;
                let port = Port { memory, effects: logged.then_some(&mut self.effects) };
                match evaluate::execute(self.program, hart, port, &last) {
                    Ok(pc) => {
                        if let Some(follower) = observer.follower() {
                            follower.evaluated(self.program, &last, &self.effects);
                        }
                        self.system.hart.pc = pc;
                        self.system.hart.retired += 1;
                        let observed = self.trace(block, observer);
                        let stop =
                            if self.system.memory.host_touched() { self.serve_host(host) } else { None };
                        stop.or(observed)
                    }
                    Err(exception) => self.raise(last.pc, exception),
                }
            }
        }
    }

    /// Does what a write to `tohost` or the mailbox asks for.
    fn serve_host(&mut self, host: &mut dyn Host) -> Option<Stop> {
        match self.htif.written(&mut self.system.memory) {
            HtifEvent::Exit(status) => return Some(Stop::Exit(status)),
            HtifEvent::Console(bytes) => {
                self.system.hart.host_requests += 1;
                host.console(&bytes);
            }
            HtifEvent::None => {}
        }
        None
    }

    /// True for an `ebreak` within the sequence that makes it a call ("RISC-V Semihosting", section "RISC-V Semihosting
    /// Calls"), unless this is a process.
    fn is_semihosting(&self, pc: u64) -> bool {
        const SEQUENCE: [u32; 3] = [0x01f0_1013, 0x0010_0073, 0x4070_5013];
        let memory = &self.system.memory;
        let is_word = |(offset, word): (u64, u32)| {
            let address = Address(pc.wrapping_sub(4).wrapping_add(offset));
            memory.read(address, Access::Fetch).is_ok_and(|bytes| u32::from_le_bytes(bytes) == word)
        };
        !memory.is_paged() && [0, 4, 8].into_iter().zip(SEQUENCE).all(is_word)
    }

    /// Vectors to the guest's handler, or stops with a fault if it has none.
    #[cold]
    pub(super) fn raise(&mut self, pc: u64, exception: Exception) -> Option<Stop> {
        let rule = self.system.hart.broken_rule.take();
        // A handler whose first instruction traps would never get anywhere.
        let hopeless = self.trapped == Some((pc, self.system.hart.retired));
        let word = match exception.cause {
            Exception::ILLEGAL => Some(exception.value as u32),
            _ => block::fetch(self.program, &self.system.memory, pc).ok().map(|(word, _)| word),
        };
        let fault = Fault { pc: Address(pc), word, exception, rule };
        if exception.cause == Exception::BREAKPOINT && self.is_semihosting(pc) {
            self.system.hart.pc = pc;
            return Some(Stop::Semihosting(fault));
        }
        if !hopeless && let Some(handler) = self.system.hart.csrs.trap(pc, exception.cause, exception.value) {
            self.traps.note(fault);
            self.trapped = Some((handler, self.system.hart.retired));
            self.system.hart.pc = handler;
            return None;
        }
        self.system.hart.pc = pc;
        Some(Stop::Fault(fault))
    }
}
