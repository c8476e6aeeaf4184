//! Traces in the format of Spike's commit log (`--log-commits`), so that the two can be compared line
//! by line.

use std::fmt::Write as _;
use std::io::{self, Write};

use engine::observer::{Flow, Observer, Retired};
use hart::csr;
use hart::vector::VectorEffects;
use isa::Xlen;

/// Writes one line per retired instruction.
pub struct CommitLog<W: Write> {
    writer: W,
    xlen: Xlen,
    line: String,
    failure: Option<io::Error>,
}

impl<W: Write> CommitLog<W> {
    /// A log of a hart of this width.
    pub const fn new(writer: W, xlen: Xlen) -> Self {
        Self { writer, xlen, line: String::new(), failure: None }
    }

    /// Flushes the log.
    ///
    /// # Errors
    /// The first error any write met.
    pub fn finish(mut self) -> io::Result<()> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => self.writer.flush(),
        }
    }

    fn register(&mut self, value: u64) {
        let digits = usize::from(self.xlen.bits() / 4);
        // Writing to a string cannot fail.
        let _ = write!(self.line, "0x{value:0digits$x}");
    }

    /// Spike shows registers that are written with the values they had, too; a value that changes nothing is
    /// not shown here.
    fn vector(&mut self, effects: &VectorEffects) {
        let group = if effects.lmul < 0 { "mf" } else { "m" };
        let size = 1 << effects.lmul.unsigned_abs();
        let _ = write!(self.line, " e{} {group}{size} l{}", effects.sew, effects.vl);
        for (register, bytes) in &effects.changed {
            let _ = write!(self.line, " v{register:<2} 0x");
            for byte in bytes.iter().rev() {
                let _ = write!(self.line, "{byte:02x}");
            }
        }
    }
}

impl<W: Write> Observer for CommitLog<W> {
    const TRACE: bool = true;
    const HISTOGRAM: bool = true;

    fn retired(&mut self, instruction: &Retired<'_>) -> Flow {
        if self.failure.is_some() {
            return Flow::Continue;
        }
        self.line.clear();
        let _ = write!(self.line, "core   0: {} ", instruction.privilege as u8);
        self.register(instruction.pc.0);
        let digits = if isa::is_wide(instruction.word) { 8 } else { 4 };
        let _ = write!(self.line, " (0x{:0digits$x})", instruction.word);
        if let Some(vector) = &instruction.vector {
            self.vector(vector);
        }
        for &(register, value) in instruction.registers {
            let _ = write!(self.line, " x{register:<2} ");
            self.register(value);
        }
        if let Some(float) = instruction.float {
            let digits = float.width as usize / 4;
            let _ = write!(self.line, " f{:<2} 0x{:0digits$x}", float.register, float.bits);
        }
        if let Some((number, value)) = instruction.csr {
            match csr::name(number) {
                Some(name) => _ = write!(self.line, " c{number}_{name} "),
                None => _ = write!(self.line, " c{number} "),
            }
            self.register(value);
        }
        for access in instruction.accesses {
            self.line.push_str(" mem ");
            self.register(access.address.0);
            if let Some(stored) = access.stored {
                let digits = usize::from(access.size) * 2;
                let _ = write!(self.line, " 0x{stored:0digits$x}");
            }
        }
        self.line.push('\n');
        if let Err(failure) = self.writer.write_all(self.line.as_bytes()) {
            self.failure = Some(failure);
        }
        Flow::Continue
    }
}
