//! A file is somebody else's: whatever it holds, reading and loading it ends with a value.

use hart::elf::{ElfError, Executable};
use proptest::prelude::*;

use crate::file::File;

/// Memory granted to the guest.
const MEMORY: u64 = 0x1_0000;

fn config(cases: u32) -> ProptestConfig {
    let rng_seed = proptest::test_runner::RngSeed::Fixed(0x5eed);
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

fn read_and_load(bytes: &[u8]) {
    if let Ok(executable) = Executable::parse(bytes) {
        let _ = executable.load(MEMORY);
        let _ = executable.symbol("_start");
    }
}

#[test]
fn every_truncated_file_is_refused() {
    for wide in [false, true] {
        let bytes = File::new(wide).bytes();
        for length in 0..bytes.len() {
            assert!(Executable::parse(&bytes[..length]).is_err(), "{length} bytes of {}", bytes.len());
        }
    }
}

#[test]
fn a_segment_past_the_file_s_end_is_called_truncated() {
    for wide in [false, true] {
        let file = File::new(wide);
        let mut bytes = file.bytes();
        // p_filesz of the only program header, p_memsz being larger still.
        let at = if wide { 64 + 32 } else { 52 + 16 };
        bytes[at..at + 4].copy_from_slice(&0x10_0000u32.to_le_bytes());
        bytes[at + if wide { 8 } else { 4 }..][..4].copy_from_slice(&0x20_0000u32.to_le_bytes());
        let error = Executable::parse(&bytes).expect_err("it ends before that");
        assert!(matches!(error, ElfError::Truncated { address: 0x8000_0000 }), "{error}");
    }
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn damaged_files_never_panic(
        wide: bool,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let mut bytes = File::new(wide).bytes();
        for (index, value) in changes {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        read_and_load(&bytes);
    }

    #[test]
    fn headers_with_extreme_numbers_never_panic(
        wide: bool,
        changes in prop::collection::vec((0..40usize, prop::sample::select(
            &[0u32, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, 0xffff_ffff][..])), 1..6),
    ) {
        let mut bytes = File::new(wide).bytes();
        for (word, value) in changes {
            let at = 16 + 4 * word;
            if at + 4 <= bytes.len() {
                bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
        }
        read_and_load(&bytes);
    }

    #[test]
    fn random_bytes_never_panic(class in 0..4u8, mut bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        let magic = [0x7f, b'E', b'L', b'F', class, 1, 1];
        for (byte, value) in bytes.iter_mut().zip(magic) {
            *byte = value;
        }
        read_and_load(&bytes);
    }
}
