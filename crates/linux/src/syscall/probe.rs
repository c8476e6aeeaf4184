//! `riscv_hwprobe`: what the hart can do, truthfully (Linux, "RISC-V Hardware Probing Interface").

use hart::cache_block::BLOCK;
use isa::Isa;

use super::{Call, Reply};
use crate::errno::Errno;
use crate::guest::Guest;

/// Bytes of a key and its value.
const PAIR: u64 = 16;
const BASE_BEHAVIOR: i64 = 3;
const EXTENSIONS: i64 = 4;
const MISALIGNED: i64 = 5;
const ZERO_BLOCK: i64 = 6;
const MANAGED_BLOCK: i64 = 12;
const PREFETCH_BLOCK: i64 = 15;
const BASE_IMA: u64 = 1;
/// Misaligned scalar accesses take one instruction, like any other.
const FAST: u64 = 3;

/// Bits of `RISCV_HWPROBE_KEY_IMA_EXT_0`.
const BITS: &[(&str, u32)] = &[
    ("c", 1),
    ("v", 2),
    ("zba", 3),
    ("zbb", 4),
    ("zbs", 5),
    ("zicboz", 6),
    ("zbc", 7),
    ("zbkb", 8),
    ("zbkc", 9),
    ("zbkx", 10),
    ("zknd", 11),
    ("zkne", 12),
    ("zknh", 13),
    ("zksed", 14),
    ("zksh", 15),
    ("zkt", 16),
    ("zvbb", 17),
    ("zvbc", 18),
    ("zvkb", 19),
    ("zvkg", 20),
    ("zvkned", 21),
    ("zvknha", 22),
    ("zvknhb", 23),
    ("zvksed", 24),
    ("zvksh", 25),
    ("zvkt", 26),
    ("zvfh", 30),
    ("zvfhmin", 31),
    ("zfh", 27),
    ("zfhmin", 28),
    ("zihintntl", 29),
    ("zfa", 32),
    ("ztso", 33),
    ("zacas", 34),
    ("zicond", 35),
    ("zihintpause", 36),
    ("zve32x", 37),
    ("zve32f", 38),
    ("zve64x", 39),
    ("zve64f", 40),
    ("zve64d", 41),
    ("zimop", 42),
    ("zca", 43),
    ("zcb", 44),
    ("zcd", 45),
    ("zcf", 46),
    ("zcmop", 47),
    ("zawrs", 48),
    ("zicntr", 50),
    ("zihpm", 51),
    ("zfbfmin", 52),
    ("zvfbfmin", 53),
    ("zvfbfwma", 54),
    ("zicbom", 55),
    ("zaamo", 56),
    ("zalrsc", 57),
    ("zabha", 58),
    ("zicbop", 60),
];

/// `riscv_hwprobe`: fills in the values of the keys asked for; of those it does not know, -1.
///
/// # Errors
/// `EFAULT`; `EINVAL` for flags.
pub fn hwprobe(call: &mut Call<'_>) -> Result<Reply, Errno> {
    /// A bound on what one call may ask for, above any number of keys there are.
    const MOST: u64 = 4096;
    let [pairs, count, _, _, flags, _] = call.arguments;
    if flags != 0 || count > MOST {
        return Err(Errno::EINVAL);
    }
    for index in 0..count {
        let address = pairs.wrapping_add(index * PAIR);
        let key = call.memory.get_u64(address)? as i64;
        let (key, value) = value(&call.process.isa, key).map_or((-1, 0), |value| (key, value));
        call.memory.put(address, &[key.to_le_bytes(), value.to_le_bytes()].concat())?;
    }
    Ok(Reply::Return(0))
}

fn value(isa: &Isa, key: i64) -> Option<u64> {
    match key {
        // Vendor, architecture and implementation: not those of any product.
        0..=2 => Some(0),
        BASE_BEHAVIOR => Some(if ["m", "a"].iter().all(|name| isa.has(name)) { BASE_IMA } else { 0 }),
        EXTENSIONS => {
            let float = if isa.has("f") && isa.has("d") { 1 } else { 0 };
            let present = BITS.iter().filter(|(name, _)| isa.has(name));
            Some(present.fold(float, |bits, (_, bit)| bits | 1 << bit))
        }
        MISALIGNED => Some(FAST),
        ZERO_BLOCK => Some(block(isa, "zicboz")),
        MANAGED_BLOCK => Some(block(isa, "zicbom")),
        PREFETCH_BLOCK => Some(block(isa, "zicbop")),
        _ => None,
    }
}

/// Bytes of a cache block, if the extension that acts on them is there.
fn block(isa: &Isa, extension: &str) -> u64 {
    if isa.has(extension) { BLOCK as u64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extensions(isa: &str) -> u64 {
        let isa = Isa::parse(isa, &[]).unwrap_or_else(|error| panic!("{error}"));
        value(&isa, EXTENSIONS).unwrap_or_default()
    }

    /// Numbers from Linux 6.17's `asm/hwprobe.h`.
    #[test]
    fn bits_are_those_of_the_kernel() {
        for (extension, bit) in [
            ("zicboz", 6),
            ("zihintntl", 29),
            ("zicond", 35),
            ("zihintpause", 36),
            ("zimop", 42),
            ("zicntr", 50),
            ("zihpm", 51),
            ("zfbfmin", 52),
            ("zicbom", 55),
            ("zaamo", 56),
            ("zalrsc", 57),
            ("zicbop", 60),
        ] {
            assert_eq!(extensions(&format!("rv64i_{extension}")), 1 << bit, "{extension}");
        }
        // With what they imply: Zalrsc; Zaamo; Zve32x and Zve32f, also Zfbfmin.
        assert_eq!(extensions("rv64i_zawrs"), 1 << 48 | 1 << 57);
        assert_eq!(extensions("rv64i_zabha"), 1 << 58 | 1 << 56);
        assert_eq!(extensions("rv64i_zacas"), 1 << 34 | 1 << 56);
        assert_eq!(extensions("rv64i_zvfbfmin"), 1 << 53 | 3 << 37);
        assert_eq!(extensions("rv64i_zvfbfwma"), 1 << 54 | 1 << 53 | 1 << 52 | 3 << 37);
        // FD, C, Zca and Zcd; without D the last two are Zca and Zcb, and Zca and Zcmop.
        assert_eq!(extensions("rv64gc"), 1 | 1 << 1 | 1 << 43 | 1 << 45 | 3 << 56);
        assert_eq!(extensions("rv64i_zcb"), 1 << 43 | 1 << 44);
        assert_eq!(extensions("rv64i_zcmop"), 1 << 43 | 1 << 47);
        assert_eq!(extensions("rv32i_f_zcf"), 1 << 43 | 1 << 46);
    }

    #[test]
    fn blocks_have_a_size_if_something_acts_on_them() {
        let isa = |text| Isa::parse(text, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(value(&isa("rv64i_zicboz"), ZERO_BLOCK), Some(64));
        assert_eq!(value(&isa("rv64i_zicboz"), MANAGED_BLOCK), Some(0));
        assert_eq!(value(&isa("rva22u64"), PREFETCH_BLOCK), Some(64));
    }
}
