//! Registers that hold something else by the time of a later access: what was accessed before says nothing of it.

use engine::Program;

use crate::assembler::assemble;
use crate::guest::{program, program_of_ones_own};
use crate::space::BOTH;
use crate::{AFTER, Guest, chain};

/// The bytes at x5 are accessed, it is changed, and what it holds then is accessed in the next block.
fn check(program: &Program, change: &str, new: impl Fn(u64, u64) -> u64) {
    for (access, then) in [("ld x8, 0(x5)", "ld x10, 0(x5)"), ("sd x9, 0(x5)", "sd x9, 0(x5)")] {
        for has_branch in [false, true] {
            let branch = if has_branch { "bne x20, x0, pass" } else { "jal x0, pass" };
            let text = format!(
                "
                begin:
                    {access}
                    {change}
                    {branch}
                    addi x12, x12, 1
                pass:
                    addi x13, x13, 1
                    {then}
                    {}
                    jal x0, stop
                stop:
                    jal x0, stop",
                chain("x5", "a")
            );
            for space in BOTH {
                // Blocks of units are compiled earlier than others, alone if these are cold.
                let after = if change.contains("fmv") { 10 * AFTER } else { AFTER };
                let name = format!("{space:?} {change}");
                let mut guest = Guest::new(program, space, &assemble(program, &text), after, name);
                let quiet = space.quiet();
                // Where the new value is loaded from, and the value.
                let place = quiet + 0x80;
                let set = |x5, x6, x20| [(5, x5), (6, x6), (7, place), (20, x20), (24, x20 ^ 1)];
                guest.poke(place, new(quiet, quiet));
                guest.poke(place + 8, quiet + 8);
                guest.warm(&[set(quiet, new(quiet, quiet), 0), set(quiet, new(quiet, quiet), 1)], 40);
                let mut fails = [0, 0];
                for edge in space.edges() {
                    for (near, x20) in (-12..=8).flat_map(|near| [0, 1].map(|x20| (near, x20))) {
                        let aim = edge.wrapping_add_signed(near);
                        guest.poke(place, new(quiet, aim));
                        for x6 in [new(quiet, aim), new(quiet, quiet)] {
                            fails[usize::from(guest.fails(&set(quiet, x6, x20), 30))] += 1;
                        }
                        guest.poke(place, new(aim, quiet));
                        guest.fails(&set(aim, new(aim, quiet), x20), 30);
                    }
                }
                assert!(fails[0] > 20 && fails[1] > 20, "{space:?} {change}: {fails:?}");
            }
        }
    }
}

#[test]
fn by_loads_and_copies() {
    let program = program("rv64ifd_zicsr");
    check(&program, "ld x5, 0(x7)", |_, aim| aim);
    check(&program, "ld x10, 8(x7); ld x11, 0(x10); sd x9, 0(x10); ld x5, 0(x7)", |_, aim| aim);
    check(&program, "ld x5, 8(x7); ld x11, 0(x5); sd x9, 0(x5); ld x5, 0(x7)", |_, aim| aim);
    check(&program, "addi x5, x6, 0", |_, aim| aim);
    check(&program, "addi x11, x5, 0; addi x5, x6, 0; addi x6, x11, 0", |_, aim| aim);
}

#[test]
fn by_sums() {
    let program = program("rv64i_zicsr");
    check(&program, "add x5, x5, x6", |from, aim| aim.wrapping_sub(from));
    check(&program, "xor x5, x5, x6", |from, aim| aim ^ from);
    check(&program, "andi x6, x6, 0; ld x6, 0(x7); add x5, x6, x5", |from, aim| aim.wrapping_sub(from));
}

/// An instruction of a unit may write any register that it names.
#[test]
fn by_units() {
    let program = program("rv64ifd_zicsr");
    check(&program, "fmv.d.x x1, x6; fmv.x.d x5, x1", |_, aim| aim);
    check(&program, "fld x1, 0(x7); fmv.x.d x5, x1", |_, aim| aim);
}

/// A user's own instructions: a sum, a choice between two values, and an exchange.
#[test]
fn by_custom_instructions() {
    let text = "import \"RISCVBase.core_desc\"
        InstructionSet XOwn extends RISCVBase {
            instructions {
                MIX {
                    encoding: 7'd0 :: rs2[4:0] :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b0001011;
                    assembly: \"{name(rd)}, {name(rs1)}, {name(rs2)}\";
                    behavior: X[rd] = X[rs1] ^ X[rs2];
                }
                PICK {
                    encoding: 7'd1 :: rs2[4:0] :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b0001011;
                    assembly: \"{name(rd)}, {name(rs1)}, {name(rs2)}\";
                    behavior: { if (X[rs1] != 0) { X[rd] = X[rs2]; } }
                }
            }
        }";
    let program = program_of_ones_own("rv64i_zicsr_xown", text);
    check(&program, "mix x5, x5, x6", |from, aim| from ^ aim);
    check(&program, "pick x5, x7, x6", |_, aim| aim);
}

/// A register that moves down, is used, and moves back, by as much or not. The later blocks are compiled before, with the
/// others, or both.
#[test]
fn moved_and_back() {
    let program = program("rv64i_zicsr");
    for (down, up) in [(-64, 64), (-64, 48), (-16, 32), (-2047, 2047), (24, -24), (24, 8)] {
        let tail = chain("x5", "a");
        // As far in one direction as accesses after the move are in the other.
        let (store, load) = (-down, (8 - down).min(2047));
        let text = format!(
            "
            begin:
                ld x5, 0(x15)
                jal x0, go
            go:
                sd x9, {store}(x5)
                ld x8, {load}(x5)
                addi x5, x5, {down}
                beq x20, x0, pass
                sd x9, 0(x5)
                ld x8, 8(x5)
            pass:
                ld x10, 0(x5)
                addi x5, x5, {up}
                beq x21, x0, end
                sd x9, 8(x5)
                ld x8, 0(x5)
            end:
                {tail}
                jal x0, stop
            stop:
                jal x0, stop"
        );
        // Instructions before the block after the first branch.
        let before = [0, 6];
        for (space, before) in BOTH.into_iter().flat_map(|space| before.map(|before| (space, before))) {
            let mut guest = Guest::of(&program, space, &text);
            let (quiet, place) = (space.quiet(), space.quiet() + 0xa00);
            let set = |ways: u64| [(15, place), (20, ways & 1), (21, ways >> 1 & 1), (24, ways >> 2)];
            guest.poke(place, quiet);
            if before > 0 {
                guest.warm_at(before, &[&set(0)[..], &[(5, quiet)]].concat(), 40);
            }
            guest.warm(&[0, 1, 2, 3, 4, 5, 6, 7].map(set), 60);
            for edge in space.edges() {
                for (offset, near) in [0, store, down, down + up]
                    .into_iter()
                    .flat_map(|offset| (-20..=9).map(move |near| (offset, near)))
                {
                    for ways in 0..8 {
                        guest.poke(place, edge.wrapping_add_signed(near - offset));
                        guest.fails(&set(ways), 60);
                    }
                }
            }
        }
    }
}
