//! Quotients and remainders against plain integers: all pairs of bytes, and of wider elements the pairs whose quotients lie
//! next to an integer.

use crate::guest;
use crate::model::{self, Case, Registers, signed};
use crate::random::registers;
use crate::rules::case;
use crate::run;

const NAMES: [&str; 4] = ["VDIVU", "VDIV", "VREMU", "VREM"];
/// Of the longest registers.
const VLENB: usize = 8192;

/// What an instruction makes of two elements ("M" Extension, "Division Operations").
fn expected(name: &str, a: u64, b: u64, sew: u32) -> u64 {
    let extended = |value: u64| if name.ends_with('U') { value.into() } else { signed(value.into(), sew) };
    let (a, b) = (extended(a), extended(b));
    let value = match (name.starts_with("VDIV"), b) {
        (true, 0) => -1,
        (false, 0) => a,
        (true, _) => a / b,
        (false, _) => a % b,
    };
    value as u64 & (u64::MAX >> (64 - sew))
}

/// All instructions on these pairs, which fill groups of eight registers.
fn agree(sew: u32, vlenb: usize, pair: impl Fn(usize) -> [u64; 2], scalar: Option<u64>) {
    let program = guest::program("rv64gcv");
    let mut before = Registers { bytes: vec![0xa5; 32 * vlenb], vlenb };
    let count = 64 * vlenb / sew as usize;
    for index in 0..count {
        let [a, b] = pair(index);
        before.set(16, sew, index, a.into());
        before.set(24, sew, index, b.into());
    }
    for name in NAMES {
        let form = if scalar.is_some() { "VX" } else { "VV" };
        let case = Case {
            sew,
            vl: count,
            x: scalar.unwrap_or(0),
            registers: before.clone(),
            ..case(&format!("{name}__{form}"), 3, (8, 16, 24), false)
        };
        let got = run::run(&program, &case).expect("legal").registers;
        let mut wanted = before.clone();
        for index in 0..count {
            let [a, b] = pair(index);
            let b = scalar.map_or(b, |x| x & (u64::MAX >> (64 - sew)));
            let value = expected(name, a, b, sew);
            let found = got.get(8, sew, index);
            assert_eq!(found, u128::from(value), "{name} of {a:#x} and {b:#x}, SEW {sew}, {form}");
            wanted.set(8, sew, index, value.into());
        }
        assert!(got == wanted, "{name} changes other registers");
    }
}

#[test]
fn all_pairs_of_bytes_are_divided() {
    agree(8, VLENB, |index| [index as u64 >> 8 & 0xff, index as u64 & 0xff], None);
    for scalar in [0, 1, 2, 3, 7, 0x7f, 0x80, 0x81, 0xfe, 0xff, 0x1200, u64::MAX] {
        agree(8, 32, |index| [index as u64, 0], Some(scalar));
    }
}

/// What a generator of random numbers makes of a number.
fn mixed(state: usize) -> u64 {
    let z = (state as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ z >> 27
}

/// Numbers at the ends of ranges, next to powers of two, and primes.
fn edges(sew: u32) -> Vec<u64> {
    let mask = u64::MAX >> (64 - sew);
    let powers = (0..sew).flat_map(|power| [(1 << power) - 1, 1 << power, (1 << power) + 1]);
    let primes = [3, 7, 10, 251, 257, 32_749, 65_521, 16_777_213, 16_777_259, 2_147_483_629, 4_294_967_291];
    let positive: Vec<u64> = powers.chain(primes).chain([mask]).map(|number: u64| number & mask).collect();
    positive.iter().flat_map(|&number| [number, number.wrapping_neg() & mask]).collect()
}

/// Pairs of edges; then dividends next to multiples, random numbers and such as are nearly equal.
fn pair(edges: &[u64], sew: u32, index: usize) -> [u64; 2] {
    let mask = u64::MAX >> (64 - sew);
    if index < edges.len() * edges.len() {
        return [edges[index / edges.len()], edges[index % edges.len()]];
    }
    let (first, second) = (mixed(2 * index), mixed(2 * index + 1));
    let b = (first & mask) >> ((first >> 40) % u64::from(sew));
    let multiple = b * ((second & mask) % (mask / b.max(1)).max(1));
    let of_sign = |number: u64| if second >> 61 & 1 == 0 { number } else { number.wrapping_neg() } & mask;
    match index % 5 {
        0 => [of_sign(multiple.wrapping_sub(1)), b],
        1 => [of_sign(multiple), b],
        2 => [multiple.wrapping_add(1) & mask, of_sign(b)],
        3 => [first & mask, first.wrapping_add(second >> 62) & mask],
        _ => [first >> 7 & mask, second & mask],
    }
}

fn wide_pairs_are_divided(sew: u32) {
    let edges = edges(sew);
    agree(sew, VLENB, |index| pair(&edges, sew, index), None);
    for &scalar in edges.iter().step_by(9) {
        agree(sew, 64, |index| pair(&edges, sew, 7 * index), Some(scalar | 0xabcd << 48));
    }
}

#[test]
fn halfwords_are_divided() {
    wide_pairs_are_divided(16);
}

#[test]
fn words_are_divided() {
    wide_pairs_are_divided(32);
}

#[test]
fn doublewords_are_divided() {
    wide_pairs_are_divided(64);
}

#[test]
fn every_length_leaves_the_tail_and_the_neighbours() {
    let program = guest::program("rv64gcv");
    for (number, name) in NAMES.iter().flat_map(|name| [(0, name), (1, name)]) {
        for (sew, lmul) in [(8, -1), (8, 0), (8, 1), (16, 0), (16, 1), (32, -1), (32, 0), (32, 1)] {
            let longest = case("VDIV__VV", lmul, (0, 0, 0), false);
            let longest = Case { sew, registers: registers(16, sew, 5), ..longest }.vlmax();
            for vl in 0..=longest {
                // Groups at the end of the file, alone or the same as an operand's.
                let operands = [(30, 28, 26), (28, 28, 30), (26, 30, 26), (28, 30, 30)][vl % 4];
                let masked = vl % 5 == 4;
                let case = Case {
                    sew,
                    vl,
                    x: 0x100 | (vl as u64 & 3),
                    tail_agnostic: vl & 1 == 0,
                    mask_agnostic: vl & 2 == 0,
                    ones: vl % 3 != 0,
                    registers: registers(16, sew, mixed(vl)),
                    ..case(&format!("{name}__{}", ["VV", "VX"][number]), lmul, operands, masked)
                };
                let wanted = model::execute(&case).expect("legal").registers;
                assert_eq!(run::run(&program, &case).expect("legal").registers, wanted, "{case:?}");
            }
        }
    }
}
