//! Compressed instructions: every 16-bit word is what the oracle's 32-bit expansion is.

use coredsl::ir::Behavior;
use engine::Program;
use isa::Xlen;

use crate::guest::BASE;
use crate::operands::memory;
use crate::oracle::expand_compressed;
use crate::reference::Reference;
use crate::{WIDTHS, everything};

const PC: u64 = BASE + 0x1000;

/// A hart about to execute what is at [`PC`]. Half of its registers lead into memory, so that loads,
/// stores and jumps find something.
fn hart(program: &Program) -> Reference<'_> {
    let x = std::array::from_fn(|register| match register as u64 {
        even if even % 2 == 0 => BASE + 0x800 + 24 * even,
        odd => 0x9abc_def0_8765_4321u64.rotate_left(odd as u32),
    });
    let mut hart = Reference::new(program, x, memory(7));
    hart.pc = PC;
    hart
}

/// The state after the word at [`PC`], and the exception if there was one; the word itself is taken out.
fn after<'p>(start: &Reference<'p>, word: u32) -> (Result<(), (u64, u64)>, Reference<'p>) {
    let mut hart = start.clone();
    hart.place(PC, word);
    let outcome = hart.step().map_err(|exception| {
        let value = if exception.cause == hart::Exception::ILLEGAL { 0 } else { exception.value };
        (exception.cause, value)
    });
    hart.bytes[(PC - BASE) as usize..][..4].fill(0);
    (outcome, hart)
}

fn check(xlen: Xlen) {
    let program = everything(xlen);
    let start = hart(&program);
    for half in (0..=u16::MAX).filter(|half| half & 3 != 3) {
        let name = |word| program.decode(word).map(|id| &program.instructions().get(id).name);
        let illegal = (hart::Exception::ILLEGAL, 0);
        let (outcome, compressed) = match program.decode(half.into()) {
            // Floating-point loads and stores are their unit's, which the plain evaluator does not have.
            Some(id) if program.instructions().get(id).behavior == Behavior::Extern => continue,
            Some(_) => after(&start, half.into()),
            None => {
                assert_eq!(expand_compressed(xlen.bits(), half), None, "{xlen:?} {half:#06x}");
                continue;
            }
        };
        let Some(word) = expand_compressed(xlen.bits(), half) else {
            assert_eq!(outcome, Err(illegal), "{xlen:?} {half:#06x} {:?} is reserved", name(half.into()));
            continue;
        };
        let (expected, mut expanded) = after(&start, word);
        let context =
            format!("{xlen:?} {half:#06x} {:?} for {word:#010x} {:?}", name(half.into()), name(word));
        assert_eq!(outcome, expected, "{context}");
        // Lengths show in the address that follows and in the link.
        if expanded.pc == PC + 4 && compressed.pc == PC + 2 {
            expanded.pc = PC + 2;
        }
        if expanded.x[1] == PC + 4 {
            expanded.x[1] = PC + 2;
        }
        assert_eq!(compressed.pc, expanded.pc, "{context}");
        assert_eq!(compressed.x, expanded.x, "{context}");
        assert!(compressed.bytes == expanded.bytes, "{context}: memory differs");
    }
}

#[test]
fn rv32_compressed_instructions_are_their_expansions() {
    check(WIDTHS[0]);
}

#[test]
fn rv64_compressed_instructions_are_their_expansions() {
    check(WIDTHS[1]);
}
