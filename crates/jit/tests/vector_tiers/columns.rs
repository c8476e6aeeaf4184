//! Ways out of the middle of a block and calls within it, while vector registers hold results that are not in the register
//! file yet: wherever one looks, all that was computed is there.

use engine::Program;
use hart::AgnosticFill;

use crate::guest::{BASE, DATA, SIZE, encode, program_of_own};
use crate::{Setup, TOHOST};

/// An instruction by its name and fields.
type Op<'a> = (&'a str, &'a [(&'a str, i64)]);

/// Address that moves past the end of memory, by sixteen bytes a round.
const EDGE: i64 = 11;
/// Address of data.
const QUIET: i64 = 12;
/// One that some rounds get near to `tohost` with.
const NEAR: i64 = 13;
/// Where the handler puts what it sees.
const SEEN: i64 = 28;
/// Address of the first instruction.
const START: i64 = 21;
/// Rounds that are left.
const ROUNDS: i64 = 31;

/// Instructions whose ways part: `NAME rd, rs1, rs2`.
const OWN: [(&str, &str); 4] = [
    ("TAKES", "if (X[rs1][0] == 1) X[rd] = MEM[X[rs2]];"),
    ("GIVES", "if (X[rs1][0] == 1) { MEM[X[rs2]] = X[rd][7:0]; X[rd] = 7; }"),
    ("RAISES", "if (X[rs1][1:0] == 2) raise(0, 24); X[rd] = X[rs2];"),
    ("JUMPS", "if (X[rs1][0] == 1) PC = (unsigned<XLEN>)(PC + 8); X[rd] = X[rs2];"),
];

/// A program with vectors and these.
pub fn own(isa: &str) -> Program {
    program_of_own(isa, &OWN)
}

/// What becomes of the registers after the way out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Later {
    /// Read.
    Read,
    /// Overwritten without being read.
    Overwritten,
    /// By turns.
    Both,
    /// Nothing at all.
    Left,
}

/// A loop that computes so many registers, comes to the instructions in the middle and goes on.
struct Middle<'p> {
    program: &'p Program,
    registers: i64,
    later: Later,
    middle: Vec<u32>,
    /// Whether a handler goes on after faults, or they end the run.
    handles: bool,
    /// Whether each round sets `vl`, or only what precedes the loop: compiled code knows it either way.
    sets_each_round: bool,
}

impl Middle<'_> {
    fn code(&self) -> Vec<u32> {
        let module = self.program.module();
        let op = |name: &str, fields: &[(&str, i64)]| encode(module, name, fields);
        let vector = |name: &str, vd: i64, vs2: i64, vs1: i64| {
            op(name, &[("vd", vd), ("vs2", vs2 & 31), ("vs1", vs1 & 31), ("vm", 1)])
        };
        let sets = op("VSETVLI", &[("rd", 5), ("rs1", 0), ("zimm", 0xd0)]);
        let mut code = vec![sets];
        // Its own rounding mode in each round, of which some are none.
        code.push(op("ANDI", &[("rd", 17), ("rs1", ROUNDS), ("imm", 7)]));
        code.push(op("CSRRW", &[("rd", 0), ("csr", 2), ("rs1", 17)]));
        if self.sets_each_round {
            code.push(sets);
        }
        for register in 1..=self.registers {
            code.push(vector(
                ["VADD__VV", "VXOR__VV"][register as usize % 2],
                register,
                register,
                register + 1,
            ));
        }
        code.extend(&self.middle);
        for register in 1..=self.registers {
            match self.later {
                Later::Left => {}
                Later::Both if register % 2 == 0 => {}
                Later::Overwritten => code.push(op("VMV__V__X", &[("vd", register), ("rs1", ROUNDS)])),
                _ => code.push(vector("VSUB__VV", register, register, register + 2)),
            }
        }
        if self.later == Later::Both {
            let even = (2..=self.registers).step_by(2);
            code.extend(even.map(|register| op("VMV__V__X", &[("vd", register), ("rs1", ROUNDS)])));
        }
        for (register, by) in [(EDGE, 16), (NEAR, 4), (ROUNDS, -1)] {
            code.push(op("ADDI", &[("rd", register), ("rs1", register), ("imm", by)]));
        }
        let back = -4 * (code.len() as i64 - 1);
        code.push(op("BNE", &[("rs1", ROUNDS), ("rs2", 0), ("imm", back)]));
        code.push(op("JAL", &[]));
        code
    }

    /// Its handler stores the first registers, and goes on after the instruction.
    fn handler(&self) -> Vec<u32> {
        let module = self.program.module();
        let op = |name: &str, fields: &[(&str, i64)]| encode(module, name, fields);
        let mut handler = Vec::new();
        for register in 1..=self.registers.min(4) {
            handler.push(op("VS1R__V", &[("vs3", register), ("rs1", SEEN)]));
            handler.push(op("ADDI", &[("rd", SEEN), ("rs1", SEEN), ("imm", 16)]));
        }
        handler.extend([
            op("CSRRS", &[("rd", 30), ("csr", 0x341)]),
            op("ADDI", &[("rd", 30), ("rs1", 30), ("imm", 4)]),
            op("CSRRW", &[("csr", 0x341), ("rs1", 30)]),
            op("MRET", &[]),
        ]);
        handler
    }

    fn setup(&self) -> Setup<'_> {
        let mut x = vec![0; 32];
        let end = BASE + SIZE as u64;
        for (register, value) in [
            (5, 0),
            (EDGE, end - 16 * 5),
            (QUIET, DATA + 64),
            (NEAR, TOHOST - 16),
            (14, end - 16),
            (20, 3),
            (START, BASE),
            (SEEN, DATA + 0x400),
            (ROUNDS, 12),
        ] {
            x[register as usize] = value;
        }
        Setup {
            x,
            handler: if self.handles { self.handler() } else { Vec::new() },
            floats: (0..32).map(|register| 0xffff_ffff_3f80_0000 + 0x1_0001 * register).collect(),
            fill: AgnosticFill::Ones,
            ..Setup::new(self.program, self.code())
        }
    }
}

/// All of memory, flat or a process's; with a handler or without; compiled at once or later; looked at seldom or often.
fn check(program: &Program, middle: &[Op<'_>]) {
    let module = program.module();
    let words: Vec<u32> = middle.iter().map(|(name, fields)| encode(module, name, fields)).collect();
    let shapes =
        [(Later::Read, 3), (Later::Read, 16), (Later::Overwritten, 3), (Later::Both, 16), (Later::Left, 3)];
    for (index, (later, registers)) in shapes.into_iter().enumerate() {
        for (handles, sets_each_round, paged) in [
            (false, false, false),
            (true, false, false),
            (false, true, false),
            (true, true, false),
            (true, false, true),
            (false, true, true),
        ] {
            let middle = words.clone();
            let middle = Middle { program, registers, later, middle, handles, sets_each_round };
            let setup = Setup { paged, ..middle.setup() };
            match (index + usize::from(paged)) % 2 {
                0 => setup.assert_equal_tiers(1000, 1, 1),
                _ => setup.assert_equal_tiers(61 + index as u64, 10, 0),
            }
        }
    }
}

/// Checks each of several middles by itself.
fn check_each(isa: &str, all: &[&[Op<'_>]]) {
    let program = own(isa);
    all.iter().for_each(|middle| check(&program, middle));
}

/// Scalar loads and stores that fail in some rounds, alone and after others that do not.
#[test]
fn scalar_accesses_fail() {
    check_each(
        "rv64gcv",
        &[
            &[("LW", &[("rd", 6), ("rs1", EDGE), ("imm", 4)])],
            &[("SD", &[("rs2", 20), ("rs1", EDGE), ("imm", 0)])],
            &[
                ("LD", &[("rd", 6), ("rs1", QUIET), ("imm", 0)]),
                ("ADD", &[("rd", 7), ("rs1", 6), ("rs2", 7)]),
                ("SW", &[("rs2", 7), ("rs1", EDGE), ("imm", 8)]),
                ("VADD__VX", &[("vd", 1), ("vs2", 2), ("rs1", 7), ("vm", 1)]),
                ("LBU", &[("rd", 6), ("rs1", EDGE), ("imm", 32)]),
            ],
            &[("FLW", &[("rd", 6), ("rs1", EDGE), ("imm", 4)])],
            &[("AMOADD__W", &[("rd", 6), ("rs1", EDGE), ("rs2", 20)])],
        ],
    );
    check_each("rv32gcv", &[&[("LW", &[("rd", 6), ("rs1", EDGE), ("imm", 4)])]]);
}

/// Vector loads and stores that fail in some rounds: in place, and by calls.
#[test]
fn vector_accesses_fail() {
    check_each(
        "rv64gcv",
        &[
            &[("VLE32__V", &[("vd", 2), ("rs1", EDGE), ("vm", 1)])],
            &[("VSE32__V", &[("vs3", 2), ("rs1", EDGE), ("vm", 1)])],
            &[
                ("VLE32__V", &[("vd", 2), ("rs1", QUIET), ("vm", 1)]),
                ("VADD__VV", &[("vd", 1), ("vs2", 1), ("vs1", 2), ("vm", 1)]),
                ("VSE32__V", &[("vs3", 1), ("rs1", EDGE), ("vm", 1)]),
                ("VSE32__V", &[("vs3", 1), ("rs1", QUIET), ("vm", 1)]),
            ],
            &[("VLSE32__V", &[("vd", 2), ("rs1", EDGE), ("rs2", 20), ("vm", 1)])],
            &[("VLE32__V", &[("vd", 2), ("rs1", EDGE), ("vm", 0)])],
            &[("VL1RE8__V", &[("vd", 2), ("rs1", EDGE)])],
        ],
    );
}

/// Branches that are taken in one round or in all but one, and jumps, to what reads the registers and what does not.
#[test]
fn branches_and_jumps() {
    let stores: Op<'_> = ("VS1R__V", &[("vs3", 2), ("rs1", QUIET)]);
    check_each(
        "rv64gcv",
        &[
            &[("BEQ", &[("rs1", ROUNDS), ("rs2", 20), ("imm", 12)]), stores, stores],
            &[("BNE", &[("rs1", ROUNDS), ("rs2", 20), ("imm", 8)]), stores],
            &[("BEQ", &[("rs1", ROUNDS), ("rs2", 0), ("imm", 8)]), stores],
            &[
                ("BLT", &[("rs1", ROUNDS), ("rs2", 20), ("imm", 8)]),
                ("JAL", &[("rd", 6), ("imm", 8)]),
                stores,
            ],
            &[
                ("AUIPC", &[("rd", 6), ("imm", 0)]),
                ("ANDI", &[("rd", 7), ("rs1", ROUNDS), ("imm", 4)]),
                ("ADD", &[("rd", 6), ("rs1", 6), ("rs2", 7)]),
                ("JALR", &[("rd", 0), ("rs1", 6), ("imm", 16)]),
                stores,
                stores,
            ],
        ],
    );
}

/// Scalar and vector floating-point instructions that the host does, does not, and that are none in some rounds.
#[test]
fn floating_point_arithmetic() {
    check_each(
        "rv64gcv",
        &[
            &[("FADD__S", &[("rd", 6), ("rs1", 7), ("rs2", 8), ("rm", 7)])],
            &[
                ("FMUL__S", &[("rd", 6), ("rs1", 6), ("rs2", 8), ("rm", 0)]),
                ("VADD__VV", &[("vd", 3), ("vs2", 1), ("vs1", 2), ("vm", 1)]),
                ("FSQRT__S", &[("rd", 6), ("rs1", 6), ("rm", 7)]),
            ],
            &[("VFADD__VV", &[("vd", 2), ("vs2", 1), ("vs1", 2), ("vm", 1)])],
            &[
                ("VFMUL__VV", &[("vd", 4), ("vs2", 5), ("vs1", 6), ("vm", 1)]),
                ("VXOR__VV", &[("vd", 1), ("vs2", 1), ("vs1", 4), ("vm", 1)]),
                ("VFADD__VF", &[("vd", 1), ("vs2", 1), ("rs1", 6), ("vm", 1)]),
            ],
        ],
    );
}

/// Fixed-point instructions that the host does in some rounds, and kernels in others.
#[test]
fn fixed_point_arithmetic() {
    let mode: Op<'_> = ("CSRRW", &[("rd", 0), ("csr", 10), ("rs1", ROUNDS)]);
    check_each(
        "rv64gcv",
        &[
            &[mode, ("VAADD__VV", &[("vd", 3), ("vs2", 1), ("vs1", 2), ("vm", 1)])],
            &[
                mode,
                ("VSSRA__VI", &[("vd", 2), ("vs2", 1), ("uimm5", 3), ("vm", 1)]),
                ("VADD__VV", &[("vd", 1), ("vs2", 1), ("vs1", 2), ("vm", 1)]),
                ("LW", &[("rd", 6), ("rs1", EDGE), ("imm", 0)]),
                ("VSMUL__VX", &[("vd", 4), ("vs2", 2), ("rs1", 7), ("vm", 1)]),
            ],
            &[
                ("VSADDU__VV", &[("vd", 1), ("vs2", 1), ("vs1", 2), ("vm", 1)]),
                ("CSRRW", &[("rd", 6), ("csr", 9), ("rs1", 0)]),
                ("VSADD__VV", &[("vd", 3), ("vs2", 3), ("vs1", 4), ("vm", 1)]),
            ],
        ],
    );
}

/// Instructions with ways of their own within: a load, a store, an exception, a jump on some.
#[test]
fn instructions_whose_ways_part() {
    for isa in ["rv64gcv", "rv32gcv"] {
        check_each(
            isa,
            &[
                &[("TAKES", &[("rd", 6), ("rs1", ROUNDS), ("rs2", EDGE)])],
                &[
                    ("TAKES", &[("rd", 6), ("rs1", ROUNDS), ("rs2", QUIET)]),
                    ("VADD__VX", &[("vd", 2), ("vs2", 2), ("rs1", 6), ("vm", 1)]),
                    ("GIVES", &[("rd", 6), ("rs1", ROUNDS), ("rs2", EDGE)]),
                ],
                // Where the first one does not load, too.
                &[
                    ("TAKES", &[("rd", 6), ("rs1", ROUNDS), ("rs2", QUIET)]),
                    ("LW", &[("rd", 6), ("rs1", EDGE), ("imm", 0)]),
                ],
                &[("RAISES", &[("rd", 6), ("rs1", ROUNDS), ("rs2", 20)])],
                &[
                    ("JUMPS", &[("rd", 6), ("rs1", ROUNDS), ("rs2", 20)]),
                    ("VADD__VX", &[("vd", 2), ("vs2", 2), ("rs1", 6), ("vm", 1)]),
                ],
            ],
        );
    }
}

/// Stores that are events, instructions that are the interpreter's, and those that trap.
#[test]
fn events_and_traps() {
    check_each(
        "rv64gcv",
        &[
            &[("SW", &[("rs2", 0), ("rs1", NEAR), ("imm", 0)])],
            &[("SB", &[("rs2", 20), ("rs1", NEAR), ("imm", 0)])],
            &[("VSE32__V", &[("vs3", 2), ("rs1", NEAR), ("vm", 1)])],
            &[("ECALL", &[])],
            &[("EBREAK", &[])],
            &[("FENCE", &[])],
            &[("CSRRS", &[("rd", 6), ("csr", 0xc22)])],
            // Masked by the register that it writes; and no such group.
            &[("VADD__VV", &[("vd", 0), ("vs2", 1), ("vs1", 2), ("vm", 0)])],
            &[("VL2RE32__V", &[("vd", 3), ("rs1", QUIET)])],
            &[("VSETVLI", &[("rd", 5), ("rs1", ROUNDS), ("zimm", 0xd0)])],
            &[
                ("VSETVLI", &[("rd", 5), ("rs1", 20), ("zimm", 0xd0)]),
                ("VADD__VV", &[("vd", 2), ("vs2", 1), ("vs1", 2), ("vm", 1)]),
                ("VSETVLI", &[("rd", 5), ("rs1", 0), ("zimm", 0xd0)]),
            ],
        ],
    );
}

/// Kernels and units that read and write registers in the register file.
#[test]
fn calls_see_and_change_registers() {
    check_each(
        "rv64gcv",
        &[
            &[("VSLIDEUP__VI", &[("vd", 2), ("vs2", 1), ("uimm5", 1), ("vm", 1)])],
            &[("VREDSUM__VS", &[("vd", 3), ("vs2", 1), ("vs1", 2), ("vm", 1)])],
            &[("VADD__VV", &[("vd", 3), ("vs2", 1), ("vs1", 2), ("vm", 0)])],
            &[
                ("VMSLTU__VV", &[("vd", 0), ("vs2", 1), ("vs1", 2), ("vm", 1)]),
                ("VMERGE__VVM", &[("vd", 1), ("vs2", 1), ("vs1", 2)]),
            ],
            &[("VRGATHER__VV", &[("vd", 4), ("vs2", 1), ("vs1", 2), ("vm", 1)])],
            &[("VMV__X__S", &[("rd", 6), ("vs2", 1)]), ("VMV__S__X", &[("vd", 2), ("rs1", 20)])],
            &[("VDIVU__VV", &[("vd", 3), ("vs2", 1), ("vs1", 2), ("vm", 1)])],
            &[("VMV2R__V", &[("vd", 4), ("vs2", 2)])],
        ],
    );
}
