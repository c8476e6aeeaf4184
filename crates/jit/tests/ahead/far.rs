//! Offsets so large that what is added to a register before wraps around.

use engine::Stop;
use hart::pages::PAGE;

use crate::guest::program_of_own;
use crate::layouts::Layout;
use crate::{access, assert_same_memory, begin, immediate, pair, words};

/// A user's own load, at the largest offset there is from a register that has moved: compiled code checks it where the block
/// begins, and nowhere else.
#[test]
fn the_largest_offset() {
    let far = ("FAR", "X[rd] = MEM[(unsigned<XLEN>)(X[rs1] + 64'd9223372036854775807)];");
    let program = program_of_own("rv64i_zicsr", &[far]);
    for moved in [-16, 16] {
        let mut all = vec![immediate("ADDI", 5, 5, moved), immediate("ADDI", 10, 10, 1)];
        all.push(("FAR", vec![("rd", 11), ("rs1", 5)]));
        all.extend((0..16).map(|index| immediate("ADDI", 10 + index % 2 * 2, 10, index)));
        all.extend([access("SD", 11, 6, 0), access("SD", 10, 6, 8), ("JAL", vec![("imm", 0)])]);
        let code = words(&program, all);
        for layout in [Layout::all(false)[0], Layout::all(false)[7]] {
            let mut pair = pair(&program, layout, &code, 0);
            let quiet = if matches!(layout, Layout::Flat { .. }) { 0x8000_2000 } else { 3 * PAGE };
            let mut faults = 0;
            for address in [0, 1, PAGE - 1, PAGE, 2 * PAGE, 3 * PAGE].map(|near| quiet + near) {
                let context = || format!("{address:#x}, {moved}, {layout:x?}");
                let x5 = address.wrapping_sub(i64::MAX as u64).wrapping_sub(moved as u64);
                begin(&mut pair, &program, layout, [(5, x5), (6, quiet + 0x100), (10, 0), (11, 0)]);
                for _ in 0..2 {
                    if pair.run(code.len() as u64 + 3, context) != Stop::InstructionLimit {
                        faults += 1;
                        pair.skip();
                    }
                }
                assert_same_memory(&mut pair, layout, context);
            }
            assert!((1..6).contains(&faults), "{faults} faults, {layout:x?}");
        }
    }
}
