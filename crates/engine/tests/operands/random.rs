//! Random words, values and settings, the same in every run.

use coredsl::ir::Instruction;

/// A xorshift generator.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        (self.bits() >> 16) % bound
    }

    pub fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// CSRs that words name, where a field does.
const NAMED: &[u64] =
    &[0x001, 0x002, 0x003, 0x008, 0x009, 0x00a, 0x00f, 0x300, 0x340, 0x341, 0x342, 0xc20, 0xc21, 0xc22];

/// A word of the instruction, mostly one that is not reserved.
pub fn word(random: &mut Random, instruction: &Instruction) -> u32 {
    let mut word = instruction.encoding.value;
    // Few registers, so that operands coincide now and then.
    let (few, few_mask) = (random.one_in(6), random.below(2));
    for field in &instruction.encoding.fields {
        let mut value = random.bits() >> 8;
        match field.name.as_str() {
            // Mostly one that is supported.
            "zimm" => value &= random.pick(&[0xdf, 0xdf, 0x7ff]),
            "csr" => value = random.pick(NAMED),
            "rm" => value = random.pick(&[0, 1, 2, 3, 4, 7, 7, 7, 7, value & 7]),
            "nf" => value = random.pick(&[0, 1, 2, 3, 7, value]),
            "vd" | "vs1" | "vs2" | "vs3" => {
                value = random.pick(&[8 * value, 8 * value, 8 * value, 2 * value, value])
            }
            name if few && name.starts_with('r') => value &= few_mask,
            _ => {}
        }
        word |= field.insert(value);
    }
    word
}

/// A floating-point register: of each format, often special.
pub fn float(random: &mut Random) -> u64 {
    let format = random.pick(&[(10, 5), (7, 8), (23, 8), (52, 11)]);
    let (fraction, exponent) = format;
    let width = 1 + fraction + exponent;
    let bias = (1_u64 << (exponent - 1)) - 1;
    let top = (1 << exponent) - 1;
    let near = bias.wrapping_add(random.below(40)).wrapping_sub(20) & top;
    let exponent = random.pick(&[0, 1, top, top - 1, bias, near, near, near, random.0 & top]);
    let significand = random.pick(&[0, 1, 1 << (fraction - 1), random.0, random.0.rotate_left(9)]);
    let value = random.below(2) << (width - 1) | exponent << fraction | significand & ((1 << fraction) - 1);
    let boxed = if width == 64 { 0 } else { u64::MAX << width };
    if random.one_in(12) { value } else { value | boxed }
}
