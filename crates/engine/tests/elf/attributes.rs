//! `.riscv.attributes`: the ISA string a toolchain recorded (RISC-V ELF psABI, "Attributes").

use hart::elf::Executable;
use proptest::prelude::*;

use crate::file::{File, attributes, vendor};

fn arch(section: Vec<u8>) -> Option<String> {
    let bytes = File { attributes: Some(section), ..File::new(true) }.bytes();
    Executable::parse(&bytes).expect("the section is nobody's ground to refuse a file").arch
}

#[test]
fn the_architecture_is_found_among_other_tags() {
    assert_eq!(arch(attributes(b"rv32i2p1_m2p0\0")).as_deref(), Some("rv32i2p1_m2p0"));
    // Tag 4, a number of two bytes; tag 7, a string; tag 6, a number; then the architecture.
    let tags = [&[4, 0x80, 1][..], b"\x07text\0", &[6, 1], b"\x05rv64gc\0"].concat();
    assert_eq!(arch(vendor(b"riscv\0", &tags)).as_deref(), Some("rv64gc"));
}

#[test]
fn other_vendors_come_first_or_alone() {
    let other = vendor(b"acme\0", b"\x05rv128x\0");
    assert_eq!(arch(other.clone()), None);
    let both = [other, attributes(b"rv32i\0")[1..].to_vec()].concat();
    assert_eq!(arch(both).as_deref(), Some("rv32i"));
}

#[test]
fn a_section_without_the_tag_or_cut_short_gives_nothing() {
    assert_eq!(arch(Vec::new()), None);
    assert_eq!(arch(b"A".to_vec()), None);
    assert_eq!(arch(b"B\x10\0\0\0riscv\0".to_vec()), None);
    assert_eq!(arch(vendor(b"riscv\0", &[4, 16])), None);
    assert_eq!(arch(attributes(b"rv32i")), None, "no terminator");
    assert_eq!(arch(attributes(b"rv\xff32i\0")), None, "no text");
    let whole = attributes(b"rv64imac\0");
    for length in 0..whole.len() {
        assert_eq!(arch(whole[..length].to_vec()), None, "{length} bytes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1500,
        rng_seed: proptest::test_runner::RngSeed::Fixed(0x5eed),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_are_read_without_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        if let Some(first) = bytes.first_mut() {
            *first = b'A';
        }
        arch(bytes);
    }

    #[test]
    fn damaged_sections_are_read_without_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5)
    ) {
        let mut bytes = attributes(b"rv64i2p1_m2p0_a2p1_zicsr2p0\0");
        for (index, value) in changes {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        arch(bytes);
    }
}
