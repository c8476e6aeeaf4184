//! Single loops at the ends of what is granted, between more ranges than are remembered, and with a user's own instructions.

use engine::{Program, Stop};
use hart::pages::{PAGE, Rights};

use super::{
    CODE, COUNTER, DATA, DRIFT, End, Loop, MOVING, Plus, QUIET, ROUNDS, STARTS, Step, TRIPS, begin, pair,
    passed_fault, set_rights,
};
use crate::guest::{encode, program, program_of_ones_own};
use crate::pair::Pair;

/// Pages that ranges of loads or stores begin or end with.
const ENDS: [u64; 9] = [0, 2, 3, 4, 6, 8, 9, 12, 16];

fn access(name: &'static str, data: i64, offset: i64) -> Step {
    let (base, plus) = (MOVING[0], Plus::Nothing);
    Step::Access { name, base, round: 0, rounds_first: true, plus, exchanged: false, data, offset }
}

/// The last access within a range ends exactly with it, or is one byte away from that; so do pauses.
#[test]
fn arrays_that_end_with_a_range() {
    let program = program("rv64i_zicsr");
    let strides = [1, 2, 3, 4, 8, 12, 16, 24, 4096].into_iter().flat_map(|stride| [stride, -stride]);
    for (index, stride) in strides.chain([0]).enumerate() {
        for (name, size) in [("LBU", 1), ("LH", 2), ("SW", 4), ("LD", 8), ("SB", 1)] {
            // Other neighbours of the access for every other stride.
            let others = [vec![], vec![access(name, DATA + 1, 16), access(name, DATA + 2, -24)]];
            let (low, high) = if index % 2 == 0 { (0, size) } else { (-24, 16 + size) };
            let mut steps = others[index % 2].clone();
            steps.extend([access(name, DATA, 0), Step::Move(0, stride)]);
            let words = Loop { steps, end: End::Down, twice: false }.words(&program);
            let mut pair = pair(&program, &words.all, 1);
            for (page, trips, near) in ENDS.into_iter().flat_map(|page| {
                [0, 1, 2, 5].into_iter().flat_map(move |trips| (-1..=1).map(move |near| (page, trips, near)))
            }) {
                let context = || format!("{name}, {stride}, {trips} trips to page {page} {near:+}");
                let last = (page * PAGE) as i64 - if stride < 0 { low } else { high } + near;
                let start = (last - trips * stride) as u64;
                let first = words.trip * trips as u64;
                for parts in [&[60][..], &[first.max(1), 1, words.trip - 1, 1, words.trip, 60]] {
                    begin(&mut pair, CODE + 4 * words.before, &[(MOVING[0], start), (COUNTER, 9)]);
                    for &part in parts {
                        let stop = pair.run(part, context);
                        if passed_fault(&mut pair, stop) {
                            break;
                        }
                    }
                }
            }
            pair.assert_same_memory(|| format!("{name}, {stride}"));
        }
    }
}

/// Loops that stay where they may are entered as seldom as those without accesses: long ones, which are compiled alone,
/// and short ones, which are compiled with what is around them.
#[test]
fn loops_within_a_range_stay_in_compiled_code() {
    let program = program("rv64i_zicsr");
    for trips in [200, 5] {
        for (stride, start) in [(8, 4 * PAGE), (-8, 6 * PAGE - 8), (3, QUIET), (0, QUIET)] {
            let steps = vec![access("LD", DATA, 0), access("SD", DATA, 0), Step::Move(0, stride)];
            let words = Loop { steps, end: End::Down, twice: true }.words(&program);
            let mut pair = pair(&program, &words.all, 10);
            begin(&mut pair, CODE, &[(STARTS, start), (DRIFT, 0), (TRIPS, trips), (ROUNDS, 10_000)]);
            let context = || format!("{trips} trips by {stride} from {start:#x}");
            pair.run(40_000, context);
            let before = pair.seen.entered.get();
            assert_eq!(pair.run(40_000, context), Stop::InstructionLimit);
            let entered = pair.seen.entered.get() - before;
            assert!((1..10).contains(&entered), "entered {entered} times: {}", context());
            assert_eq!(pair.seen.refused.get(), 0, "{}", context());
        }
    }
}

/// First bytes of ranges that grant both.
const RANGES: [u64; 4] = [0, 4 * PAGE, 9 * PAGE, 14 * PAGE];
/// Rounds that make a loop be compiled again.
const MANY: u64 = 36_000;
const LENGTH: u64 = 6;

/// A loop through an array in each of four ranges in turn, and instructions of its rounds.
fn in_turn<'p>(program: &'p Program, steps: &[Step]) -> (Pair<'p>, u64) {
    let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
    let copy = |rd: i64, rs1: i64| op("ADDI", &[("rd", rd), ("rs1", rs1)]);
    let mut words = vec![copy(31, STARTS)];
    words.extend((STARTS..STARTS + 3).map(|start| copy(start, start + 1)));
    words.extend([copy(STARTS + 3, 31), copy(MOVING[0], STARTS), copy(COUNTER, TRIPS)]);
    let before = words.len();
    steps.iter().for_each(|step| words.extend(step.words(&op)));
    words.push(op("ADDI", &[("rd", COUNTER), ("rs1", COUNTER), ("imm", -1)]));
    let back = 4 * (before as i64 - words.len() as i64);
    words.push(op("BNE", &[("rs1", COUNTER), ("rs2", 0), ("imm", back)]));
    let trip = (words.len() - before) as u64;
    words.push(op("JAL", &[("imm", -4 * words.len() as i64)]));
    (pair(program, &words, 10), before as u64 + LENGTH * trip + 1)
}

fn begin_in_turn(pair: &mut Pair<'_>, aims: [u64; 4]) {
    let starts: Vec<(i64, u64)> = (STARTS..).zip(aims).chain([(TRIPS, LENGTH)]).collect();
    begin(pair, CODE, &starts);
}

/// Loops whose arrays are in more ranges than are remembered are compiled again, and refuse the same as before; rights
/// that they lose hold at once.
#[test]
fn arrays_in_many_ranges() {
    let program = program("rv64i_zicsr");
    let bodies = [
        vec![access("LD", DATA, 0), Step::Move(0, 8)],
        vec![access("LW", DATA, 0), access("SW", DATA, 4), Step::Move(0, -3)],
        (0..6).map(|offset| access("LBU", DATA, offset)).chain([Step::Move(0, 2)]).collect(),
    ];
    for steps in &bodies {
        let stores = steps.iter().any(|step| matches!(step, Step::Access { name: "SW", .. }));
        let (mut pair, round) = in_turn(&program, steps);
        let context = || format!("{steps:?}");
        let middle = RANGES.map(|start| start + PAGE);
        begin_in_turn(&mut pair, middle);
        for accesses in 1.. {
            pair.run(MANY * round, context);
            let before = pair.seen.entered.get();
            pair.run(100 * round, context);
            if pair.seen.entered.get() - before < 20 {
                break;
            }
            assert!(accesses <= 3, "it leaves compiled code all the time: {}", context());
        }
        assert!(pair.seen.outdated.get() > 0, "{}", context());
        let mut faults = 0;
        for (edge, near) in [0, 2, 6, 8, 11, 16]
            .into_iter()
            .flat_map(|page| [-48, -12, -9, -8, -1, 0, 1, 8, 16].map(|near| (page * PAGE, near)))
        {
            begin_in_turn(&mut pair, [middle[0], edge.wrapping_add_signed(near), middle[2], middle[1]]);
            for part in [round, 1, round / 2, 3 * round] {
                let stop = pair.run(part, context);
                faults += usize::from(passed_fault(&mut pair, stop));
            }
        }
        assert!(faults > 20, "{faults} faults: {}", context());
        for page in [1, 5, 10, 15] {
            for now in [Rights::NONE, Rights::READ, Rights::WRITE] {
                begin_in_turn(&mut pair, middle);
                assert_eq!(pair.run(7 * round + page, context), Stop::InstructionLimit);
                set_rights(&mut pair, page, now);
                let stop = pair.run(5 * round, context);
                assert!(passed_fault(&mut pair, stop) || now == Rights::READ && !stores, "{}", context());
                set_rights(&mut pair, page, super::rights()[page as usize]);
            }
        }
        pair.assert_same_memory(context);
    }
}

/// One of two loops in turn, which are compiled together: what one keeps for later is not the other's.
#[test]
fn either_of_two_loops() {
    let program = program("rv64i_zicsr");
    let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
    let add = |rd: i64, rs1: i64, imm: i64| op("ADDI", &[("rd", rd), ("rs1", rs1), ("imm", imm)]);
    let branch = |rs1: i64, imm: i64| op("BNE", &[("rs1", rs1), ("rs2", 0), ("imm", imm)]);
    let words = [
        op("ANDI", &[("rd", DATA + 1), ("rs1", ROUNDS), ("imm", 1)]),
        add(ROUNDS, ROUNDS, -1),
        add(COUNTER, TRIPS, 0),
        add(MOVING[0], STARTS, 0),
        branch(DATA + 1, 24),
        op("LD", &[("rd", DATA), ("rs1", MOVING[0]), ("imm", 0)]),
        add(MOVING[0], MOVING[0], 8),
        add(COUNTER, COUNTER, -1),
        branch(COUNTER, -12),
        op("JAL", &[("imm", -36)]),
        op("SD", &[("rs2", DATA), ("rs1", MOVING[0]), ("imm", 8)]),
        add(MOVING[0], MOVING[0], -8),
        add(COUNTER, COUNTER, -1),
        branch(COUNTER, -12),
        op("JAL", &[("imm", -56)]),
    ];
    let mut pair = pair(&program, &words, 8);
    // With one trip at first, what leads to both is hot before they are.
    let aims = [PAGE, 9 * PAGE + 8, 6 * PAGE - 24, 14 * PAGE + 16, QUIET].map(|start| (start, 5));
    for (start, trips) in [(QUIET, 1)].into_iter().chain(aims) {
        begin(&mut pair, CODE, &[(STARTS, start), (TRIPS, trips), (ROUNDS, 100)]);
        for part in [400, 1, 7, 90, 26, 25, 2000] {
            let stop = pair.run(part, || format!("from {start:#x}"));
            passed_fault(&mut pair, stop);
        }
    }
    let both = [CODE, CODE + 40, CODE + 20];
    assert!(pair.seen.regions.borrow().iter().any(|region| region.starts_with(&both)));
    assert_eq!(pair.seen.refused.get(), 0);
    pair.assert_same_memory(String::new);
}

/// A user's own instructions: an address that moves up or down as data tell, and a load beside its register.
#[test]
fn own_instructions() {
    let text = "import \"RISCVBase.core_desc\"
        InstructionSet XOwn extends RISCVBase {
            instructions {
                MOVE {
                    encoding: 7'd0 :: rs2[4:0] :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b0001011;
                    assembly: \"{name(rd)}, {name(rs1)}, {name(rs2)}\";
                    behavior: {
                        if (X[rs2][1:0] == 1) {
                            X[rd] = (unsigned<XLEN>)(X[rs1] + 64'd18446744073709551528);
                        } else {
                            X[rd] = (unsigned<XLEN>)(X[rs1] + 96);
                        }
                    }
                }
                BESIDE {
                    encoding: 12'd0 :: rs1[4:0] :: 3'd1 :: rd[4:0] :: 7'b0001011;
                    assembly: \"{name(rd)}, {name(rs1)}\";
                    behavior: X[rd] = MEM[(unsigned<XLEN>)(X[rs1] + 40)];
                }
            }
        }";
    let program = program_of_ones_own("rv64i_zicsr_xown", text);
    let op = |name: &str, fields: &[(&str, i64)]| encode(program.module(), name, fields);
    let add = |rd: i64, imm: i64| op("ADDI", &[("rd", rd), ("rs1", rd), ("imm", imm)]);
    let words = [
        op("LD", &[("rd", DATA), ("rs1", MOVING[0]), ("imm", 0)]),
        op("MOVE", &[("rd", MOVING[0]), ("rs1", MOVING[0]), ("rs2", COUNTER)]),
        op("BESIDE", &[("rd", DATA), ("rs1", MOVING[1])]),
        add(MOVING[1], 8),
        add(COUNTER, -1),
        op("BNE", &[("rs1", COUNTER), ("rs2", 0), ("imm", -20)]),
        op("JAL", &[("imm", 0)]),
    ];
    let mut pair = pair(&program, &words, 1);
    for before in 0..40 {
        for end in [2, 6, 8, 12] {
            for moving in [0, 1] {
                let near = end * PAGE - [24, 4][moving] * before;
                let starts = if moving == 0 { [near, QUIET] } else { [QUIET, near] };
                let registers = [(MOVING[0], starts[0]), (MOVING[1], starts[1]), (COUNTER, 40 + before % 4)];
                begin(&mut pair, CODE, &registers);
                for part in [90, 1, 7, 200] {
                    let stop = pair.run(part, || format!("{before} before page {end}, register {moving}"));
                    passed_fault(&mut pair, stop);
                }
            }
        }
    }
    assert!(pair.seen.compiled.get() > 0 && pair.seen.refused.get() == 0);
    pair.assert_same_memory(String::new);
}
