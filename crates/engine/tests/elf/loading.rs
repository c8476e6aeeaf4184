//! What a well-formed file becomes, and which ones are refused, by name.

use hart::Address;
use hart::elf::{ElfError, Executable};
use isa::Xlen;

use crate::file::File;

#[test]
fn an_executable_is_read_in_both_classes() {
    for (wide, xlen) in [(false, Xlen::Rv32), (true, Xlen::Rv64)] {
        let bytes = File::new(wide).bytes();
        let executable = Executable::parse(&bytes).expect("a well-formed file");
        assert_eq!((executable.xlen, executable.entry), (xlen, 0x8000_0000));
        assert_eq!(executable.symbol("_start"), Some(0x8000_0000));
        assert_eq!(executable.symbol("_end"), None);
        assert!(executable.symbols.iter().any(|symbol| symbol.is_function && symbol.size == 4));
        assert_eq!(executable.arch.as_deref(), Some("rv64i2p1"));
        let [segment] = executable.segments.as_slice() else { panic!("one segment") };
        assert_eq!((segment.address, segment.size, segment.executable), (0x8000_0000, 64, true));
        assert_eq!(segment.bytes, [0x73, 0, 0, 0]);
    }
}

#[test]
fn the_isa_is_the_attribute_s_with_c_where_only_the_header_knows() {
    let isa = |file: File| Executable::parse(&file.bytes()).expect("a well-formed file").isa();
    assert_eq!(isa(File::new(true)), "rv64i2p1");
    assert_eq!(isa(File { flags: 1, ..File::new(true) }), "rv64i2p1_c");
    assert_eq!(isa(File { attributes: None, ..File::new(false) }), "rv32gc");
}

#[test]
fn memory_holds_the_program_and_zeros() {
    for wide in [false, true] {
        let file = File { address: 0x8000_0040, ..File::new(wide) };
        let bytes = file.bytes();
        let memory = Executable::parse(&bytes).and_then(|file| file.load(0x2000)).expect("it fits");
        assert_eq!(memory.slice(Address(0x8000_0000), 0x40), Some(&[0; 0x40][..]), "from the page's start");
        assert_eq!(memory.slice(Address(0x8000_0040), 6), Some(&[0x73, 0, 0, 0, 0, 0][..]));
        assert!(memory.contains(Address(0x8000_1fff), 1) && !memory.contains(Address(0x8000_2000), 1));
    }
}

#[test]
fn too_little_memory_is_refused_with_the_flag_that_mends_it() {
    for (size, fits) in [(0x103f, false), (0x1040, true)] {
        let file = File { memory: 0x1040, ..File::new(true) };
        let bytes = file.bytes();
        let loaded = Executable::parse(&bytes).expect("a well-formed file").load(size);
        match loaded {
            Ok(_) => assert!(fits),
            Err(ElfError::TooLarge { address, size, memory }) => {
                assert!(!fits);
                assert_eq!((address, size, memory), (0x8000_0000, 0x1040, 0x103f));
            }
            Err(error) => panic!("{error}"),
        }
    }
    let file = File { memory: u64::MAX, ..File::new(true) };
    let error = Executable::parse(&file.bytes()).expect("well-formed").load(u64::MAX / 2).err();
    assert!(error.expect("refused").to_string().contains("--memory"));
}

#[test]
fn memory_the_host_cannot_give_is_an_error() {
    let bytes = File::new(true).bytes();
    let loaded = Executable::parse(&bytes).expect("a well-formed file").load(u64::MAX / 2);
    assert!(matches!(loaded.err(), Some(ElfError::HostMemory { .. })));
}

#[test]
fn a_position_independent_program_has_no_place_on_a_bare_machine() {
    let bytes = File { kind: 3, ..File::new(true) }.bytes();
    let executable = Executable::parse(&bytes).expect("a well-formed file");
    assert!(executable.position_independent);
    let error = executable.load(1 << 20).err().expect("refused").to_string();
    assert!(error.contains("-no-pie"), "{error}");
}

#[test]
fn files_for_others_are_refused_by_name() {
    for wide in [false, true] {
        let tiny = || File::new(wide);
        for (file, expected) in [
            (File { machine: 62, ..tiny() }, "machine 62, not RISC-V"),
            (File { kind: 1, ..tiny() }, "type 1, not an executable"),
            (File { interpreter: Some("/lib/ld-musl-riscv64.so.1"), ..tiny() }, "/lib/ld-musl-riscv64.so.1"),
        ] {
            let error = Executable::parse(&file.bytes()).expect_err("not for this machine").to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}

#[test]
fn a_big_endian_file_is_refused_as_such() {
    // The header's own fields in the other order; nothing after it is read before that is noticed.
    let mut bytes = File::new(true).bytes();
    bytes[5] = 2;
    let fields = [(16, 2), (18, 2), (20, 4), (24, 8), (32, 8), (48, 4), (52, 2), (54, 2), (58, 2)];
    for (at, size) in fields {
        bytes[at..at + size].reverse();
    }
    // No segments and sections: their headers are still in the little-endian order.
    for (at, size) in [(40, 8), (56, 2), (60, 2), (62, 2)] {
        bytes[at..at + size].fill(0);
    }
    let error = Executable::parse(&bytes).expect_err("big-endian");
    assert!(matches!(error, ElfError::BigEndian), "{error}");
}

#[test]
fn what_is_no_elf_file_is_malformed() {
    for bytes in [&b""[..], b"\x7fELF", b"#!/bin/sh\n", b"MZ\x90\0", b"!<arch>\n", &[0; 4096]] {
        assert!(matches!(Executable::parse(bytes), Err(ElfError::Malformed(_))));
    }
}
