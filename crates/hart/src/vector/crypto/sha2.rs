//! Zvknha and Zvknhb: SHA-256 (SEW = 32) and SHA-512 (SEW = 64), FIPS 180-4 §4.1 and §6.

use std::marker::PhantomData;
use std::ops::{BitAnd, BitXor, Not};

use super::super::element::Element;
use super::super::group::Overlap;
use super::super::operation::{Groups, operations};
use super::super::rules::{Needs, Rules};
use super::element_group::ternary;
use super::group_kernel::{self, Step};
use super::sha256;

const HASHING: Rules = Rules {
    overlap: Overlap::Apart("the destination register group must not overlap that of vs1 or vs2"),
    needs: Needs::Sha2,
    ..Rules::SIGNED
};

/// Rows `NAME Step function, kernel`: of SHA-256 or SHA-512, as SEW has it; the kernel is the host's for the former.
macro_rules! hashes {
    ($($name:ident $step:ident $function:ident, $kernel:path;)*) => {
        $(
            struct $step<W>(PhantomData<W>);

            impl<W: Word> Step for $step<W> {
                type Group = [W; 4];
                const HAS_VS1: bool = true;

                #[inline(always)]
                fn step(vd: [W; 4], vs2: [W; 4], vs1: [W; 4], _: u32) -> [W; 4] {
                    $function(vd, vs2, vs1)
                }
            }
        )*

        operations! {
            $($name [VV] HASHING => |hart, fields, _| match hart.vector.vtype.sew {
                2 => ternary(hart, fields, $function::<u32>),
                _ => ternary(hart, fields, $function::<u64>),
            } => Groups { kernel: |sew| Some(match sew {
                2 => $kernel(sew).unwrap_or(group_kernel::of::<$step<u32>>()),
                _ => group_kernel::of::<$step<u64>>(),
            }) };)*
        }
    };
}

hashes! {
    VSHA2MS Schedule schedule, sha256::schedule;
    VSHA2CH CompressHigh compress_high, sha256::high;
    VSHA2CL CompressLow compress_low, sha256::low;
}

/// A word of one of the two hashes.
trait Word: Element + 'static + BitAnd<Output = Self> + BitXor<Output = Self> + Not<Output = Self> {
    fn plus(self, other: Self) -> Self;
    fn upper_sigma_0(self) -> Self;
    fn upper_sigma_1(self) -> Self;
    fn lower_sigma_0(self) -> Self;
    fn lower_sigma_1(self) -> Self;
}

macro_rules! words {
    ($($word:ident: [$a:literal $b:literal $c:literal] [$d:literal $e:literal $f:literal]
        [$g:literal $h:literal >> $i:literal] [$j:literal $k:literal >> $l:literal];)*) => {
        $(
            impl Word for $word {
                #[inline(always)]
                fn plus(self, other: Self) -> Self {
                    self.wrapping_add(other)
                }

                #[inline(always)]
                fn upper_sigma_0(self) -> Self {
                    self.rotate_right($a) ^ self.rotate_right($b) ^ self.rotate_right($c)
                }

                #[inline(always)]
                fn upper_sigma_1(self) -> Self {
                    self.rotate_right($d) ^ self.rotate_right($e) ^ self.rotate_right($f)
                }

                #[inline(always)]
                fn lower_sigma_0(self) -> Self {
                    self.rotate_right($g) ^ self.rotate_right($h) ^ self >> $i
                }

                #[inline(always)]
                fn lower_sigma_1(self) -> Self {
                    self.rotate_right($j) ^ self.rotate_right($k) ^ self >> $l
                }
            }
        )*
    };
}

words! {
    u32: [2 13 22] [6 11 25] [7 18 >> 3] [17 19 >> 10];
    u64: [28 34 39] [14 18 41] [1 8 >> 7] [19 61 >> 6];
}

/// Words 16 to 19 of the message schedule from words 0 to 3, from 4, 9, 10, 11, and from 12 to 15.
#[inline(always)]
fn schedule<W: Word>([w0, w1, w2, w3]: [W; 4], [w4, w9, w10, w11]: [W; 4], latest: [W; 4]) -> [W; 4] {
    let [w12, _, w14, w15] = latest;
    let next = |two_ago: W, seven_ago: W, fifteen_ago: W, sixteen_ago: W| {
        two_ago.lower_sigma_1().plus(seven_ago).plus(fifteen_ago.lower_sigma_0()).plus(sixteen_ago)
    };
    let w16 = next(w14, w9, w1, w0);
    let w17 = next(w15, w10, w2, w1);
    let w18 = next(w16, w11, w3, w2);
    let w19 = next(w17, w12, w4, w3);
    [w16, w17, w18, w19]
}

#[inline(always)]
fn compress_low<W: Word>(hgdc: [W; 4], feba: [W; 4], [w0, w1, _, _]: [W; 4]) -> [W; 4] {
    compress(hgdc, feba, [w0, w1])
}

#[inline(always)]
fn compress_high<W: Word>(hgdc: [W; 4], feba: [W; 4], [_, _, w0, w1]: [W; 4]) -> [W; 4] {
    compress(hgdc, feba, [w0, w1])
}

/// Two rounds; `words` are of the schedule, with the round's constants added. Returns the new f, e, b, a.
#[inline(always)]
fn compress<W: Word>(hgdc: [W; 4], feba: [W; 4], words: [W; 2]) -> [W; 4] {
    let ([mut h, mut g, mut d, mut c], [mut f, mut e, mut b, mut a]) = (hgdc, feba);
    for word in words {
        let choice = e & f ^ !e & g;
        let majority = a & b ^ a & c ^ b & c;
        let t1 = h.plus(e.upper_sigma_1()).plus(choice).plus(word);
        let t2 = a.upper_sigma_0().plus(majority);
        (h, g, f, e) = (g, f, e, d.plus(t1));
        (d, c, b, a) = (c, b, a, t1.plus(t2));
    }
    [f, e, b, a]
}

#[cfg(test)]
mod tests {
    use super::super::group_kernel::tests::agree;
    use super::{CompressHigh, CompressLow, Schedule, sha256};

    #[test]
    fn the_hosts_kernels_are_the_plain_steps() {
        agree::<Schedule<u32>>(sha256::schedule(2).into_iter());
        agree::<CompressHigh<u32>>(sha256::high(2).into_iter());
        agree::<CompressLow<u32>>(sha256::low(2).into_iter());
        agree::<Schedule<u64>>(std::iter::empty());
        agree::<CompressHigh<u64>>(std::iter::empty());
        agree::<CompressLow<u64>>(std::iter::empty());
    }
}
