//! Instructions that are executed as a whole: by a native body, or by the plain evaluator.

use engine::Program;
use engine::decoded::Decoded;
use engine::follow::Step;
use engine::native::Native;
use engine::uop::{FIRST_TEMP, Op};
use hart::effects::Effects;
use isa::operands::{Control, File};

use crate::finding::Kind;
use crate::shadow::{Cursor, Secret, Shadow};
use crate::trail::Trail;

/// First of the registers that system calls take their arguments in, and the one with their number.
const ARGUMENTS: u16 = 10;
const NUMBER: u16 = 17;

impl Shadow {
    /// The last instruction of a block is executed as a whole: by its native body now; or by the evaluator, which
    /// tells of it afterwards.
    pub(crate) fn delegate(&mut self, step: &Step<'_>) {
        if step.op().op != Op::Native {
            return;
        }
        let native = step.program.native(step.decoded().id);
        let register = |this: &Self, number: u16| this.slot(number);
        match native {
            Some(Native::Call) => {
                let number = register(self, NUMBER);
                let taken = (self.arguments)(step.slot(NUMBER)).min(6) as u16;
                let arguments = (0..taken).map(|argument| register(self, ARGUMENTS + argument));
                let found = arguments.fold(number, Secret::or);
                if found.bits != 0 {
                    self.find(Kind::SystemCall, found.trail);
                }
                // What it returns is the environment's.
                self.write_x(ARGUMENTS, Secret::default());
            }
            Some(Native::Sum) => {
                let sum = (ARGUMENTS..16).map(|number| register(self, number));
                let sum = sum.fold(Secret::default(), Secret::or);
                let bits = if sum.bits == 0 { 0 } else { u64::MAX };
                self.write_x(ARGUMENTS, Secret { bits, ..sum });
            }
            Some(Native::Time) => self.write_x(ARGUMENTS, Secret::default()),
            Some(Native::Return | Native::Nothing | Native::Mark(_) | Native::Exit(_)) | None => {}
        }
    }

    /// Of an instruction of which only operands and effects are known: if anything it reads is secret, all it writes is.
    pub(crate) fn as_a_whole(&mut self, program: &Program, decoded: &Decoded, log: &Effects) {
        let site = program.site(decoded.id, decoded.word);
        self.cursor = Cursor { pc: decoded.pc, ..Cursor::default() };
        let mut read = Secret::default();
        for register in &site.effects.reads {
            if !site.holds(&register.when) {
                continue;
            }
            let index = site.index(&register.index);
            read = read.or(match (register.file, index) {
                (File::X, Some(number)) => self.slot(number),
                (File::X, None) => (1..FIRST_TEMP).fold(read, |all, number| all.or(self.slot(number))),
                (file, index) => {
                    let one = self.own.get(&(file, index)).or_else(|| self.own.get(&(file, None)));
                    // Which one is not known: any.
                    let any = || self.own.iter().find(|((held, _), _)| *held == file).map(|(_, trail)| trail);
                    let trail = if index.is_some() { one } else { any() };
                    trail.map_or_else(Secret::default, |&trail| Secret { bits: u64::MAX, trail })
                }
            });
        }
        for csr in &site.effects.csr_reads {
            let held = site.index(&csr.index).map(|number| self.csr(number));
            read = read.or(held.unwrap_or_default());
        }
        let addresses = read;
        for access in log.accesses.iter().filter(|access| access.stored.is_none()) {
            let mask = self.xlen.mask();
            for byte in 0..u64::from(access.size) {
                let (bits, trail) = self.memory.byte(access.address.0.wrapping_add(byte) & mask);
                read = read.or(Secret { bits: bits.into(), trail });
            }
        }
        if addresses.bits != 0 {
            for access in &log.accesses {
                let is_load = access.stored.is_none();
                self.find(if is_load { Kind::LoadAddress } else { Kind::StoreAddress }, addresses.trail);
            }
            let control = site.effects.control;
            if matches!(control, Control::Branch { .. }) {
                self.find(Kind::Branch, addresses.trail);
            } else if matches!(control, Control::Jump { indirect: true, .. }) {
                self.find(Kind::Jump, addresses.trail);
            }
        }
        let is_secret = read.bits != 0;
        let trail = if is_secret { self.moved(read.trail) } else { Trail::default() };
        let bits = if is_secret { u64::MAX } else { 0 };
        for access in log.accesses.iter().filter(|access| access.stored.is_some()) {
            self.memory.store(access.address.0, access.size.into(), bits, trail);
        }
        for register in site.effects.writes.iter().filter(|register| site.holds(&register.when)) {
            match (register.file, site.index(&register.index)) {
                (File::X, Some(number)) => self.write_x(number, Secret { bits, trail }),
                (File::X, None) if is_secret => {
                    (1..FIRST_TEMP).for_each(|number| self.write_x(number, Secret { bits, trail }));
                }
                (File::X, None) => {}
                (file, index) if is_secret => _ = self.own.insert((file, index), trail),
                (file, index) => _ = self.own.remove(&(file, index)).filter(|_| index.is_some()),
            }
        }
        for csr in &site.effects.csr_writes {
            if let Some(number) = site.index(&csr.index) {
                self.set_csr(number, Secret { bits, trail });
            }
        }
    }
}
