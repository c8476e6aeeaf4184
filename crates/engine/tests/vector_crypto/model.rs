//! What each instruction makes of one element group, from the pseudo-code of the specification over the
//! scalar instructions' oracle.

use crate::oracle::compute;

/// Words of an element group, the lowest first.
pub type Group = Vec<u64>;

fn scalar(xlen: u16, mnemonic: &str, a: u64, b: u64, imm: u64) -> u64 {
    compute(xlen, mnemonic, a, b, imm, 0).unwrap_or_else(|| panic!("no {mnemonic}"))
}

/// The halves of a state as the RV64 instructions hold it.
fn halves(group: &[u64]) -> [u64; 2] {
    [group[0] | group[1] << 32, group[2] | group[3] << 32]
}

fn words(halves: [u64; 2]) -> Group {
    halves.iter().flat_map(|half| [half & 0xffff_ffff, half >> 32]).collect()
}

fn step(mnemonic: &str, [low, high]: [u64; 2]) -> [u64; 2] {
    [scalar(64, mnemonic, low, high, 0), scalar(64, mnemonic, high, low, 0)]
}

fn xor(a: &[u64], b: &[u64]) -> Group {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

/// The value of `vd`'s group after an instruction with elements of `sew` bits.
pub fn result(mnemonic: &str, sew: usize, vd: &[u64], vs2: &[u64], vs1: &[u64], uimm: u64) -> Group {
    let wide = sew == 64;
    match mnemonic {
        "VAESEM" => xor(&words(step("aes64esm", halves(vd))), vs2),
        "VAESEF" => xor(&words(step("aes64es", halves(vd))), vs2),
        "VAESDM" => {
            let before = xor(&words(step("aes64ds", halves(vd))), vs2);
            words(step("aes64im", halves(&before)))
        }
        "VAESDF" => xor(&words(step("aes64ds", halves(vd))), vs2),
        "VAESZ" => xor(vd, vs2),
        "VAESKF1" => {
            let round = match uimm & 15 {
                number @ 1..=10 => number,
                number => number ^ 8,
            };
            key(vs2, vs2[3], round - 1)
        }
        "VAESKF2" => {
            let round = match uimm & 15 {
                number @ 2..=14 => number,
                number => number ^ 8,
            };
            // Round 10 of aes64ks1i substitutes and does nothing else.
            key(vd, vs2[3], if round % 2 == 1 { 10 } else { round / 2 - 1 })
        }
        "VGHSH" => ghash(&xor(vd, vs1), vs2),
        "VGMUL" => ghash(vd, vs2),
        "VSHA2MS" => sha2_schedule(wide, vd, vs2, vs1),
        "VSHA2CL" => sha2_rounds(wide, vd, vs2, [vs1[0], vs1[1]]),
        "VSHA2CH" => sha2_rounds(wide, vd, vs2, [vs1[2], vs1[3]]),
        "VSM3ME" => sm3_expand(vs1, vs2),
        "VSM3C" => sm3_rounds(vd, vs2, uimm),
        "VSM4R" => sm4(vd, vs2, "sm4ed"),
        "VSM4K" => {
            let constants: Group = (16 * (uimm & 7)..16 * (uimm & 7) + 16).map(|n| (n * 7) & 0xff).collect();
            let constants: Group =
                constants.chunks(4).map(|ck| ck.iter().fold(0, |word, byte| word << 8 | byte)).collect();
            sm4(vs2, &constants, "sm4ks")
        }
        _ => panic!("no model of {mnemonic}"),
    }
}

fn key(earlier: &[u64], last: u64, round: u64) -> Group {
    let mut word = scalar(64, "aes64ks1i", last << 32, 0, round) & 0xffff_ffff;
    let mut next = Group::new();
    for key in earlier {
        word ^= key;
        next.push(word);
    }
    next
}

fn polynomial(group: &[u64]) -> u128 {
    let bits = group.iter().rev().fold(0, |value, &word| value << 32 | u128::from(word));
    bits.reverse_bits().swap_bytes()
}

fn ghash(a: &[u64], b: &[u64]) -> Group {
    let (a, mut h, mut z) = (polynomial(a), polynomial(b), 0);
    for bit in 0..128 {
        if a >> bit & 1 == 1 {
            z ^= h;
        }
        h = h << 1 ^ if h >> 127 == 1 { 0x87 } else { 0 };
    }
    let z = z.reverse_bits().swap_bytes();
    (0..4).map(|i| (z >> (32 * i)) as u64 & 0xffff_ffff).collect()
}

fn sha2(wide: bool, function: &str, x: u64) -> u64 {
    let mnemonic = format!("{}{function}", if wide { "sha512" } else { "sha256" });
    let value = scalar(64, &mnemonic, x, 0, 0);
    if wide { value } else { value & 0xffff_ffff }
}

fn sum(wide: bool, terms: &[u64]) -> u64 {
    let sum = terms.iter().fold(0u64, |sum, term| sum.wrapping_add(*term));
    if wide { sum } else { sum & 0xffff_ffff }
}

fn sha2_schedule(wide: bool, vd: &[u64], vs2: &[u64], vs1: &[u64]) -> Group {
    let sig = |function, x| sha2(wide, function, x);
    let w16 = sum(wide, &[sig("sig1", vs1[2]), vs2[1], sig("sig0", vd[1]), vd[0]]);
    let w17 = sum(wide, &[sig("sig1", vs1[3]), vs2[2], sig("sig0", vd[2]), vd[1]]);
    let w18 = sum(wide, &[sig("sig1", w16), vs2[3], sig("sig0", vd[3]), vd[2]]);
    let w19 = sum(wide, &[sig("sig1", w17), vs1[0], sig("sig0", vs2[0]), vd[3]]);
    vec![w16, w17, w18, w19]
}

fn sha2_rounds(wide: bool, cdgh: &[u64], abef: &[u64], words: [u64; 2]) -> Group {
    let [h, g, d, c, f, e, b, a] =
        [0, 1, 2, 3, 4, 5, 6, 7].map(|i| if i < 4 { cdgh[i] } else { abef[i - 4] });
    let mut s = [a, b, c, d, e, f, g, h];
    for word in words {
        let [a, b, c, d, e, f, g, h] = s;
        let t1 = sum(wide, &[h, sha2(wide, "sum1", e), (e & f) ^ (!e & g), word]);
        let t2 = sum(wide, &[sha2(wide, "sum0", a), (a & b) ^ (a & c) ^ (b & c)]);
        s = [sum(wide, &[t1, t2]), a, b, c, sum(wide, &[d, t1]), e, f, g];
    }
    vec![s[5], s[4], s[1], s[0]]
}

fn big_endian(word: u64) -> u32 {
    (word as u32).swap_bytes()
}

fn sm3_permutation(name: &str, x: u32) -> u32 {
    scalar(64, name, x.into(), 0, 0) as u32
}

fn sm3_expand(vs1: &[u64], vs2: &[u64]) -> Group {
    let mut w: Vec<u32> = vs1.iter().chain(vs2).map(|&word| big_endian(word)).collect();
    for j in 16..24 {
        let x = w[j - 16] ^ w[j - 9] ^ w[j - 3].rotate_left(15);
        w.push(sm3_permutation("sm3p1", x) ^ w[j - 13].rotate_left(7) ^ w[j - 6]);
    }
    w[16..].iter().map(|word| word.swap_bytes().into()).collect()
}

fn sm3_rounds(vd: &[u64], vs2: &[u64], group: u64) -> Group {
    let mut s: [u32; 8] = std::array::from_fn(|i| big_endian(vd[i]));
    for round in [0, 1] {
        let j = 2 * group as u32 + round;
        let (w, w4) = (big_endian(vs2[round as usize]), big_endian(vs2[round as usize + 4]));
        let [a, b, c, d, e, f, g, h] = s;
        let t: u32 = if j <= 15 { 0x79cc_4519 } else { 0x7a87_9d8a };
        let ss1 = a.rotate_left(12).wrapping_add(e).wrapping_add(t.rotate_left(j % 32)).rotate_left(7);
        let ff = if j <= 15 { a ^ b ^ c } else { (a & b) | (a & c) | (b & c) };
        let gg = if j <= 15 { e ^ f ^ g } else { (e & f) | (!e & g) };
        let tt1 = ff.wrapping_add(d).wrapping_add(ss1 ^ a.rotate_left(12)).wrapping_add(w ^ w4);
        let tt2 = gg.wrapping_add(h).wrapping_add(ss1).wrapping_add(w);
        s = [tt1, a, b.rotate_left(9), c, sm3_permutation("sm3p0", tt2), e, f.rotate_left(19), g];
    }
    s.iter().map(|word| word.swap_bytes().into()).collect()
}

/// Four rounds by the scalar instructions, whose words are big-endian.
fn sm4(words: &[u64], keys: &[u64], mnemonic: &str) -> Group {
    let mut x = words.to_vec();
    for i in 0..4 {
        let mixed = (x[i + 1] ^ x[i + 2] ^ x[i + 3] ^ keys[i]) as u32;
        let first = u64::from(big_endian(x[i]));
        let next = (0..4).fold(first, |word, bs| scalar(64, mnemonic, word, mixed.swap_bytes().into(), bs));
        x.push(big_endian(next).into());
    }
    x[4..].to_vec()
}
