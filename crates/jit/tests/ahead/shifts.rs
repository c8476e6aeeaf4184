//! Shifts left and further right, of what is known to be a word or not: what they give, what it is then taken for, and what
//! stands between them.

use hart::{Address, Memory};

use crate::guest::program;
use crate::layouts::Layout;
use crate::{access, begin, immediate, pair, words};

const LAYOUT: Layout = Layout::Flat { base: 0x8000_0000, size: 0x4000, tohost: None, other: None };
/// Where results go; each shift has five.
const RESULTS: u64 = 0x8000_2000;
const EACH: i64 = 5;
/// Where what is shifted is.
const SOURCE: u64 = 0x8000_3ff0;
const VALUES: [u64; 14] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff_8000_0000,
    u64::MAX,
    1 << 63,
    0x0123_4567_89ab_cdef,
    0xfedc_ba98_7654_3210,
];

/// What the instruction that makes the value makes of a doubleword in memory.
fn made(name: &str, value: u64) -> u64 {
    match name {
        "LBU" => value & 0xff,
        "LB" => value as i8 as u64,
        "LH" => value as i16 as u64,
        "LHU" => value & 0xffff,
        "LW" => value as i32 as u64,
        "LWU" => value & 0xffff_ffff,
        _ => value,
    }
}

#[test]
fn shifts_up_and_further_down() {
    let program = program("rv64i_zicsr");
    let shift = |name, rd: i64, rs1: i64, by: i64| (name, vec![("rd", rd), ("rs1", rs1), ("shamt", by)]);
    for (name, up) in ["LD", "LBU", "LB", "LH", "LHU", "LW", "LWU"]
        .into_iter()
        .flat_map(|name| [32, 48, 56, 31, 33, 40, 57].map(|up| (name, up)))
    {
        let downs: Vec<i64> = [0, up - 1].into_iter().chain(up..64).collect();
        for right in ["SRLI", "SRAI"] {
            let one = |(index, &down): (usize, &i64)| {
                let to = 8 * EACH * (index as i64 % 12);
                let next = if index % 12 == 11 { 8 * EACH * 12 } else { 0 };
                [
                    access(name, 10, 6, 0),
                    shift("SLLI", 11, 10, up),
                    shift(right, 12, 11, down),
                    // As a word of either kind.
                    immediate("ADDIW", 13, 12, 0),
                    shift("SLLI", 14, 12, 32),
                    shift("SRLI", 14, 14, 32),
                    access("SD", 12, 5, to),
                    access("SD", 11, 5, to + 8),
                    access("SD", 13, 5, to + 16),
                    access("SD", 14, 5, to + 24),
                    // What is between is overwritten.
                    shift("SLLI", 10, 10, up),
                    shift(right, 10, 10, down),
                    access("SD", 10, 5, to + 32),
                    immediate("ADDI", 5, 5, next),
                ]
            };
            let all = downs.iter().enumerate().flat_map(one).chain([("JAL", vec![("imm", 0)])]);
            let code = words(&program, all);
            let mut pair = pair(&program, LAYOUT, &code, 0);
            for value in VALUES {
                let put = |memory: &mut Memory| {
                    let source = memory.slice_mut(Address(SOURCE), 8).expect("room");
                    source.copy_from_slice(&value.to_le_bytes());
                };
                pair.each(|machine| put(&mut machine.memory));
                begin(&mut pair, &program, LAYOUT, [(5, RESULTS), (6, SOURCE)]);
                let context = || format!("{value:#x}: {name}, SLLI {up}, {right}");
                pair.run(code.len() as u64 + 1, context);
                let x = made(name, value) << up;
                for (index, &down) in downs.iter().enumerate() {
                    let shifted = if right == "SRAI" { (x as i64 >> down) as u64 } else { x >> down };
                    let words = [shifted as i32 as u64, shifted & 0xffff_ffff];
                    let expected = [shifted, x, words[0], words[1], shifted];
                    let at = RESULTS + 8 * EACH as u64 * index as u64;
                    for machine in [&pair.interpreted, &pair.compiled] {
                        let bytes = machine.memory.slice(Address(at), 8 * EACH as usize).expect("it");
                        let got: Vec<u64> = bytes
                            .chunks_exact(8)
                            .map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight")))
                            .collect();
                        assert_eq!(got, expected, "{} {down}", context());
                    }
                }
            }
        }
    }
}
