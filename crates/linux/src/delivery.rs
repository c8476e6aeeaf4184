//! Sending signals, running their handlers, and returning from them (Linux, `arch/riscv/kernel/signal.c`,
//! whose frame this one has).

use engine::observer::Moved;
use hart::{Hart, Memory, System};
use isa::Xlen;

use crate::errno::Errno;
use crate::guest::Guest;
use crate::options::Ending;
use crate::process::Process;
use crate::signal::{Action, Sent, Signal, UNBLOCKABLE, Words, push_word};
use crate::thread::{State, Wait};
use crate::units;

const INFO_BYTES: usize = Sent::INFORMATION_BYTES;
/// Signal mask with what is reserved after it.
const MASK_BYTES: usize = 128;
/// Below a handler's frame that is not the first on an alternate stack: nothing, RISC-V has no red zone.
const ALIGNMENT: u64 = 16;

/// Offsets within the frame.
struct Layout {
    mask: usize,
    registers: usize,
    units: usize,
}

const fn layout(xlen: Xlen) -> Layout {
    // ucontext: flags, link, stack (base, flags, size), mask, registers aligned to 16 bytes.
    let word = xlen.bits() as usize / 8;
    let mask = INFO_BYTES + 2 * word + 3 * word;
    let registers = (mask + MASK_BYTES).next_multiple_of(16);
    Layout { mask, registers, units: registers + 32 * word }
}

/// Most bytes of a handler's frame (`AT_MINSIGSTKSZ`).
pub const fn most_frame_bytes(xlen: Xlen, vlenb: usize) -> u64 {
    (layout(xlen).units + units::most(xlen, vlenb)) as u64 + ALIGNMENT
}

impl Process {
    /// Sends a signal to the first thread that takes it; if none does now, to the first that will.
    pub(crate) fn send_to_process(&mut self, sent: Sent) {
        let index = self.threads.iter().position(|thread| thread.accepts(sent.signal));
        match index {
            Some(index) => self.send_to_thread(index, sent),
            None => self.pending.send(sent),
        }
    }

    /// Sends a signal to a thread.
    pub(crate) fn send_to_thread(&mut self, index: usize, sent: Sent) {
        let ignored = self.is_ignored(sent.signal);
        let thread = &mut self.threads[index];
        let blocked = thread.blocked & sent.signal.bit() != 0;
        if ignored && !blocked {
            return;
        }
        let accepts = thread.accepts(sent.signal);
        thread.pending.send(sent);
        if let State::Waiting { wait, .. } = thread.state()
            && accepts
        {
            // One that it waits for and blocks is no interruption.
            thread.interrupted = (!blocked).then_some(wait);
            self.threads.set_state(index, State::Runnable);
        }
    }

    pub(crate) fn is_ignored(&self, signal: Signal) -> bool {
        match self.action(signal).handler {
            Action::IGNORE => true,
            Action::DEFAULT => signal.is_ignored_by_default(),
            _ => false,
        }
    }

    pub(crate) fn action(&self, signal: Signal) -> Action {
        self.actions[usize::from(signal.0) - 1]
    }

    /// Takes what is pending for the running thread and not in `blocked`.
    pub(crate) fn take_pending(&mut self, blocked: u64) -> Option<Sent> {
        self.thread().pending.take(blocked).or_else(|| self.pending.take(blocked))
    }

    /// Delivers what is pending for the running thread; false if that ended the process.
    pub(crate) fn deliver(&mut self, system: &mut System) -> bool {
        while let Some(sent) = {
            let blocked = self.thread().blocked & !UNBLOCKABLE;
            self.take_pending(blocked)
        } {
            let action = self.action(sent.signal);
            if let Some(wait) = self.thread().interrupted.take() {
                self.interrupt(&mut system.hart, wait, action);
            }
            if self.is_ignored(sent.signal) {
                continue;
            }
            if action.handler == Action::DEFAULT || sent.signal == Signal::SIGKILL {
                self.ended = Some(Ending::Killed(sent.signal));
                return false;
            }
            if self.enter_handler(system, sent, action).is_err() {
                // No stack to run the handler on, as the kernel has it.
                self.ended = Some(Ending::Killed(Signal::SIGSEGV));
                return false;
            }
        }
        // A mask for the time of a system call is over with it, whether a handler ran or not.
        if let Some(mask) = self.thread().saved_mask.take() {
            self.thread().blocked = mask;
        }
        true
    }

    /// Ends the system call that a signal interrupts: with `EINTR`, or to be tried again.
    fn interrupt(&mut self, hart: &mut Hart, wait: Wait, action: Action) {
        let tries_again = wait.tries_again();
        let handled = action.handler > Action::IGNORE;
        if handled && self.thread().written > 0 {
            let written = std::mem::take(&mut self.thread().written);
            hart.set_x(10, written);
            hart.set_pc(hart.pc().0.wrapping_add(4));
            return;
        }
        let restarts = tries_again
            && (!handled || matches!(wait, Wait::File | Wait::Child) && action.flags & Action::RESTART != 0);
        if !restarts {
            let result = Errno::EINTR.as_result();
            hart.set_x(10, result & self.xlen.mask());
            if tries_again {
                hart.set_pc(hart.pc().0.wrapping_add(4));
                self.thread().retry_deadline = None;
            }
        }
    }

    fn enter_handler(&mut self, system: &mut System, sent: Sent, action: Action) -> Result<(), Errno> {
        self.abort_sequence(system);
        let System { hart, memory } = system;
        let xlen = self.xlen;
        let layout = layout(xlen);
        memory.drop_reservation();
        let size = layout.units + units::save(hart, 0).len();
        let sp = hart.x(2);
        let (base, bytes) = self.thread().alternate_stack;
        let on_alternate = sp.wrapping_sub(base) < bytes;
        let uses_alternate = action.flags & Action::ON_STACK != 0 && bytes > 0 && !on_alternate;
        let top = if uses_alternate { base.wrapping_add(bytes) } else { sp };
        let frame = top.wrapping_sub(size as u64) & !(ALIGNMENT - 1);
        if (uses_alternate || on_alternate) && frame.wrapping_sub(base) >= bytes {
            return Err(Errno::EFAULT);
        }
        let mut content = Vec::with_capacity(size);
        content.extend(sent.information(xlen));
        for word in [0, 0, base, u64::from(!uses_alternate && bytes == 0) * 2, bytes] {
            push_word(&mut content, word, xlen);
        }
        let mask = self.thread().saved_mask.take().unwrap_or(self.thread().blocked);
        debug_assert_eq!(content.len(), layout.mask);
        content.extend_from_slice(&mask.to_le_bytes());
        content.resize(layout.registers, 0);
        push_word(&mut content, hart.pc().0, xlen);
        for register in 1..32 {
            push_word(&mut content, hart.x(register), xlen);
        }
        content.extend(units::save(hart, frame.wrapping_add(layout.units as u64)));
        memory.put(frame, &content)?;
        let thread = self.thread();
        thread.blocked |= action.mask & !UNBLOCKABLE;
        if action.flags & Action::NO_DEFER == 0 {
            thread.blocked |= sent.signal.bit();
        }
        if action.flags & Action::RESET != 0 {
            self.actions[usize::from(sent.signal.0) - 1].handler = Action::DEFAULT;
        }
        let of = self.thread().id.0;
        self.moved.push(Moved::Saved {
            of,
            integers: frame.wrapping_add(layout.registers as u64),
            units: frame.wrapping_add(layout.units as u64),
            units_bytes: (size - layout.units) as u64,
        });
        hart.set_x(1, self.signal_return);
        hart.set_x(2, frame);
        hart.set_x(10, sent.signal.0.into());
        hart.set_x(11, frame);
        hart.set_x(12, frame.wrapping_add(INFO_BYTES as u64));
        hart.set_pc(action.handler & self.return_mask());
        Ok(())
    }

    /// Bits of an address that the kernel can return to: `sepc` has no lowest one, and without compressed
    /// instructions not the next either (privileged architecture, section 4.1.7).
    fn return_mask(&self) -> u64 {
        if self.isa.has("zca") { !1 } else { !3 }
    }

    /// Restores what the frame at the stack pointer holds (`rt_sigreturn`).
    ///
    /// # Errors
    /// `EFAULT` if it is not there.
    pub(crate) fn leave_handler(&mut self, hart: &mut Hart, memory: &mut Memory) -> Result<(), Errno> {
        let frame = hart.x(2);
        let layout = layout(self.xlen);
        let at = |offset: usize| frame.wrapping_add(offset as u64);
        let mask = memory.get_u64(at(layout.mask))?;
        let mut registers = [0; 32];
        let mut words = Words { memory, at: at(layout.registers), xlen: self.xlen };
        for register in &mut registers {
            *register = words.next()?;
        }
        // Vector state is there only if there was some; what else follows does no harm.
        let shortest = memory.bytes(at(layout.units), units::LEAST)?;
        let most = units::most(self.xlen, hart.vector.vlenb());
        let state = memory.bytes(at(layout.units), most).unwrap_or(shortest).to_vec();
        let of = self.thread().id.0;
        self.moved.push(Moved::Restored { of });
        memory.drop_reservation();
        units::restore(hart, &state);
        hart.set_pc(registers[0] & self.return_mask());
        for (number, &value) in (0..).zip(&registers).skip(1) {
            hart.set_x(number, value);
        }
        self.thread().blocked = mask & !UNBLOCKABLE;
        Ok(())
    }
}
