//! Traces in the format of Spike's commit log (`--log-commits`), so that the two can be compared line
//! by line.

use std::fmt::Write as _;
use std::io::{self, Write};

use hart::csr;
use hart::observer::{Observer, Retired};
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
}

impl<W: Write> Observer for CommitLog<W> {
    const TRACE: bool = true;
    const HISTOGRAM: bool = true;

    fn retired(&mut self, instruction: &Retired<'_>) {
        if self.failure.is_some() {
            return;
        }
        self.line.clear();
        let _ = write!(self.line, "core   0: {} ", instruction.privilege as u8);
        self.register(instruction.pc.0);
        let digits = if isa::is_wide(instruction.word) { 8 } else { 4 };
        let _ = write!(self.line, " (0x{:0digits$x})", instruction.word);
        for &(register, value) in instruction.registers {
            let _ = write!(self.line, " x{register:<2} ");
            self.register(value);
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
    }
}
