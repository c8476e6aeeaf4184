//! `riscv_hwprobe`: what the hart can do, truthfully (Linux, "RISC-V Hardware Probing Interface").

use isa::Isa;

use super::{Call, Reply};
use crate::errno::Errno;
use crate::guest::Guest;

/// Bytes of a key and its value.
const PAIR: u64 = 16;
const BASE_BEHAVIOR: i64 = 3;
const EXTENSIONS: i64 = 4;
const MISALIGNED: i64 = 5;
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
    ("zfh", 27),
    ("zfhmin", 28),
    ("zfa", 32),
    ("zve32x", 37),
    ("zve64x", 39),
    ("zca", 44),
    ("zcd", 46),
    ("zcf", 47),
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
        _ => None,
    }
}
