//! From a program's bytes to a block.

use hart::fault::{Access, Exception};
use hart::memory::{Address, Memory};
use isa::operands::{AccessKind, Class};
use isa::{InstructionId, Xlen};

use super::{Block, Cut, FLUSHING_EXIT};
use crate::decoded::Decoded;
use crate::lower::{self, Flow};
use crate::program::Program;
use crate::uop::{Op, Uop};
use crate::{target, timed};

/// Most instructions in a block, unless it is known to be a loop ([`crate::loops`]).
pub const MOST_INSTRUCTIONS: usize = 256;

/// Translates the instructions from `pc` on, up to where `cut` says at the latest.
///
/// # Errors
/// The exception that fetching or decoding the first instruction raises.
pub fn translate(program: &Program, memory: &Memory, pc: u64, cut: Cut<'_>) -> Result<Block, Exception> {
    let mut uops = Vec::new();
    let mut decoded = Vec::new();
    let mut next = pc;
    let mut before = 0;
    let mut flow = Flow::Continues;
    let mut is_alone = false;
    let context = program.context();
    let rv32 = program.isa().xlen() == Xlen::Rv32;
    while flow == Flow::Continues && decoded.len() < cut.longest {
        if !decoded.is_empty() && cut.boundaries.contains(&next) {
            break;
        }
        let (word, id) = match fetch(program, memory, next) {
            Ok(found) => found,
            Err(exception) if decoded.is_empty() => return Err(exception),
            Err(_) => break,
        };
        let site = program.site(id, word);
        let meets = cut.turns && meets_others(program, id, site.effects.class);
        if !decoded.is_empty() && (meets || cut.timed && site.effects.class == Class::Csr) {
            break;
        }
        let instruction = &program.module().instructions[id.index()];
        let start = uops.len();
        flow = if program.has_unit(id) {
            uops.push(program.of_unit(id, word));
            Flow::Continues
        } else {
            lower::lower(&context, instruction, word, next, &mut uops)
        };
        target::settle(&mut uops, before, start);
        before = start;
        let is_store = |access: &isa::operands::Access| access.kind == AccessKind::Store;
        let stores = site.effects.memory.iter().any(is_store);
        let fall_through =
            next.wrapping_add(u64::from(instruction.encoding.length / 8)) & program.isa().xlen().mask();
        let noted = if cut.timed { timed::note(site, fall_through, &mut uops, start, rv32) } else { 0 };
        decoded.push(Decoded { pc: next, word, id, end: uops.len() as u32, stores, noted });
        next = fall_through;
        if meets {
            is_alone = true;
            break;
        }
    }
    if flow != Flow::Leaves {
        let flushes = uops.iter().any(|uop| uop.op == Op::FenceI);
        let aux = if flushes { FLUSHING_EXIT } else { 1 };
        uops.push(Uop { imm: next, aux, ..Uop::new(Op::Exit) });
        if let Some(last) = decoded.last_mut() {
            last.end = uops.len() as u32;
        }
    }
    Ok(Block { meets: is_alone, ..Block::new(uops, decoded) })
}

/// True if what an instruction does may depend on what another hart has done, and must be seen by it in time.
fn meets_others(program: &Program, id: InstructionId, class: Class) -> bool {
    matches!(class, Class::Atomic | Class::Fence | Class::Csr) || program.native(id).is_some()
}

/// Fetches and decodes the instruction at `pc`.
///
/// # Errors
/// An access fault, a misaligned address, or an illegal instruction.
pub fn fetch(program: &Program, memory: &Memory, pc: u64) -> Result<(u32, InstructionId), Exception> {
    if !pc.is_multiple_of(program.instruction_alignment()) {
        return Err(Exception { cause: Exception::FETCH_MISALIGNED, value: pc });
    }
    let word = word(memory, pc)?;
    program.decode(word).map(|id| (word, id)).ok_or(Exception::illegal(word))
}

/// The word of the instruction at `pc`; the upper half of a compressed one is zero.
///
/// # Errors
/// An access fault.
pub fn word(memory: &Memory, pc: u64) -> Result<u32, Exception> {
    let low = u16::from_le_bytes(memory.read(Address(pc), Access::Fetch)?);
    Ok(if isa::is_wide(low.into()) {
        let high = u16::from_le_bytes(memory.read(Address(pc.wrapping_add(2)), Access::Fetch)?);
        u32::from(low) | u32::from(high) << 16
    } else {
        low.into()
    })
}
