//! Instructions carried out by a unit of their own, vector or floating-point: what the semantic IR
//! cannot express, behind one narrow call. Unlike other natives (`ecall`) they fall through to
//! the next instruction, so that they stand in the middle of a block.

use crate::csr::number;
use crate::fault::Exception;
use crate::hart::Hart;
use crate::port::Port;

/// Operand fields of a 32-bit instruction, at the places that all formats share.
#[derive(Clone, Copy, Debug)]
pub struct Fields(pub u32);

impl Fields {
    /// Destination register.
    pub const fn rd(self) -> u32 {
        self.0 >> 7 & 31
    }

    /// Rounding mode.
    pub const fn rm(self) -> u32 {
        self.0 >> 12 & 7
    }

    /// First source register, or a 5-bit immediate.
    pub const fn rs1(self) -> u32 {
        self.0 >> 15 & 31
    }

    /// Second source register.
    pub const fn rs2(self) -> u32 {
        self.0 >> 20 & 31
    }

    /// Third source register.
    pub const fn rs3(self) -> u32 {
        self.0 >> 27
    }
}

/// Executes the instruction with this word.
///
/// # Errors
/// What keeps it from retiring. Guest state is then as the specification has it at the trap.
pub type Body = fn(&mut Hart, u32) -> Result<(), Trap>;

/// The same, of an instruction that loads or stores.
pub type MemoryBody = fn(&mut Hart, &mut Port<'_>, u32) -> Result<(), Trap>;

/// The body of an instruction, by what it reaches.
#[derive(Clone, Copy, Debug)]
pub enum AnyBody {
    /// The hart's state alone.
    State(Body),
    /// Memory, too.
    Memory(MemoryBody),
}

impl AnyBody {
    /// Executes the instruction with this word.
    ///
    /// # Errors
    /// As [`Body`].
    #[inline(always)]
    pub fn execute(self, hart: &mut Hart, port: &mut Port<'_>, word: u32) -> Result<(), Trap> {
        match self {
            Self::State(body) => match &mut port.effects {
                None => body(hart, word),
                Some(effects) => {
                    let (done, flags) = hart.watching_flags(|hart| body(hart, word));
                    effects.csr = flags.map(|flags| (number::FFLAGS, flags));
                    done
                }
            },
            Self::Memory(body) => body(hart, port, word),
        }
    }
}

/// Why an instruction of a unit does not retire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trap {
    /// A reserved encoding or a state it may not execute in: an illegal instruction, by this rule of
    /// the specification.
    Illegal(&'static str),
    /// Another exception.
    Raised(Exception),
}

impl From<&'static str> for Trap {
    fn from(rule: &'static str) -> Self {
        Self::Illegal(rule)
    }
}

impl From<Exception> for Trap {
    fn from(exception: Exception) -> Self {
        Self::Raised(exception)
    }
}

#[cfg(test)]
mod tests {
    use coredsl::ir::Behavior;
    use isa::operands::{Eew, Group, Shape};
    use isa::{Instructions, Xlen};

    use super::Fields;

    /// Bodies take fields from fixed places; the descriptions are what says where they are.
    #[test]
    fn fields_are_where_the_descriptions_have_them() {
        let mut compared = 0;
        for all in [Xlen::Rv32, Xlen::Rv64].into_iter().flat_map(Instructions::everything) {
            let instructions = all.module().instructions.iter().zip(all.operands().iter());
            let native = instructions.filter(|(instruction, _)| {
                instruction.behavior == Behavior::Extern && instruction.encoding.length == 32
            });
            for (instruction, effects) in native {
                let (name, encoding) = (&instruction.name, &instruction.encoding);
                for (field, value) in encoding.fields.iter().flat_map(|field| [(field, !0), (field, 0b10101)])
                {
                    let word = encoding.value | field.insert(value);
                    let fields = Fields(word);
                    let found = match field.name.as_str() {
                        "rd" => fields.rd(),
                        "rs1" | "vs1" => fields.rs1(),
                        "rs2" => fields.rs2(),
                        "rs3" => fields.rs3(),
                        "vd" | "vs3" => fields.vd(),
                        "vs2" => fields.vs2(),
                        "rm" => fields.rm(),
                        "nf" => fields.fields() - 1,
                        "vm" => u32::from(!fields.masked()),
                        _ => continue,
                    };
                    assert_eq!(u64::from(found), field.extract(word), "{} of {name}", field.name);
                    compared += 1;
                }
                let fields = Fields(encoding.value);
                if let [access] = &effects.memory[..]
                    && !matches!(access.shape, Shape::Scalar | Shape::Indexed | Shape::IndexedOrdered)
                {
                    assert_eq!(access.width, Eew::Bits(8 << fields.width()), "{name}");
                    let data = effects.reads.iter().chain(&effects.writes);
                    let mut whole = data.filter_map(|register| match register.group {
                        Group::Whole(count) => Some(count.into()),
                        _ => None,
                    });
                    assert!(whole.all(|count: u32| count == fields.fields()), "{name}");
                }
            }
        }
        assert!(compared > 1000, "{compared}");
    }
}
