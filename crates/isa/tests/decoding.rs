//! Decoding: each word is the most specific instruction that matches it, and nothing else.

use coredsl::ir::Instruction;
use isa::{Instructions, Isa, Xlen, is_wide};

const WIDTHS: [Xlen; 2] = [Xlen::Rv32, Xlen::Rv64];

fn all(xlen: Xlen) -> &'static Instructions {
    Instructions::all(xlen).expect("the built-in descriptions are sound")
}

/// A fixed sequence of words (Marsaglia's xorshift).
fn words() -> impl Iterator<Item = u32> {
    let mut state = 0x9e37_79b9u32;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    })
}

fn matches(instruction: &Instruction, word: u32) -> bool {
    let encoding = &instruction.encoding;
    let length = if is_wide(word) { 32 } else { 16 };
    encoding.length == length && word & encoding.mask == encoding.value
}

/// The decoder's answer is right by the definition of an encoding.
fn check(instructions: &Instructions, word: u32) {
    let all = &instructions.module().instructions;
    let candidates = || all.iter().filter(|instruction| matches(instruction, word));
    let context = || candidates().map(|instruction| instruction.name.as_str()).collect::<Vec<_>>();
    match instructions.decode(word) {
        None => assert_eq!(candidates().count(), 0, "{word:#010x} could be {:?}", context()),
        Some(id) => {
            let found = instructions.get(id);
            assert!(matches(found, word), "{word:#010x} is not {}", found.name);
            let fixed = found.encoding.mask;
            for other in candidates().filter(|other| other.name != found.name) {
                let is_more_specific = other.encoding.mask & fixed == fixed && other.encoding.mask != fixed;
                assert!(!is_more_specific, "{word:#010x}: {} rather than {}", other.name, found.name);
            }
        }
    }
}

#[test]
fn every_compressed_word() {
    for xlen in WIDTHS {
        for word in (0..=0xffff).filter(|word| !is_wide(*word)) {
            check(all(xlen), word);
            let upper = word | 0xdead_0000;
            assert_eq!(all(xlen).decode(word), all(xlen).decode(upper), "the upper half does not matter");
        }
    }
}

#[test]
fn random_words_and_neighbours_of_every_encoding() {
    for xlen in WIDTHS {
        let mut words = words();
        for word in words.by_ref().take(3000) {
            check(all(xlen), word | 3);
        }
        for instruction in &all(xlen).module().instructions {
            for random in words.by_ref().take(8) {
                check(all(xlen), instruction.encoding.value | random & !instruction.encoding.mask);
            }
            for bit in 0..u32::from(instruction.encoding.length) {
                check(all(xlen), instruction.encoding.value ^ 1 << bit);
            }
        }
    }
}

#[test]
fn fields_come_back_from_the_words_they_were_put_into() {
    for xlen in WIDTHS {
        let mut words = words();
        for instruction in &all(xlen).module().instructions {
            for _ in 0..16 {
                let fields = &instruction.encoding.fields;
                let random: Vec<u64> = fields.iter().map(|_| words.next().unwrap_or(0).into()).collect();
                let word =
                    fields.iter().zip(&random).fold(instruction.encoding.value, |word, (field, value)| {
                        assert_eq!(word & field.insert(u64::MAX), 0, "{} shares bits", field.name);
                        word | field.insert(*value)
                    });
                for (field, value) in fields.iter().zip(&random) {
                    let carried = field
                        .parts
                        .iter()
                        .fold(0u64, |mask, part| mask | ((1 << part.len) - 1) << part.field_lsb);
                    assert_eq!(
                        field.extract(word),
                        value & carried,
                        "{} of {}",
                        field.name,
                        instruction.name
                    );
                }
                let found = all(xlen).decode(word).map(|id| all(xlen).get(id));
                let found = found.unwrap_or_else(|| panic!("{} is not decoded", instruction.name));
                let mask = instruction.encoding.mask;
                assert!(
                    found.name == instruction.name || found.encoding.mask & mask == mask,
                    "{} is taken for {}",
                    instruction.name,
                    found.name
                );
            }
        }
    }
}

#[test]
fn fixed_bits_and_fields_fill_the_word() {
    for xlen in WIDTHS {
        for instruction in &all(xlen).module().instructions {
            let encoding = &instruction.encoding;
            let fields = encoding.fields.iter().fold(0, |bits, field| bits | field.insert(u64::MAX));
            let word = if encoding.length == 32 { u32::MAX } else { 0xffff };
            assert_eq!(encoding.mask | fields, word, "{}", instruction.name);
            assert_eq!(
                (encoding.mask & fields, encoding.value & !encoding.mask),
                (0, 0),
                "{}",
                instruction.name
            );
            assert_eq!(is_wide(encoding.value), encoding.length == 32, "{}", instruction.name);
        }
    }
}

#[test]
fn only_the_named_extensions_are_decoded() {
    let descriptions = isa::Descriptions::read(&[]).expect("sound");
    let add = 0x00c5_8533;
    let (mul, rol, fence_i) = (0x02c5_8533, 0x60c5_9533, 0x0000_100f);
    for (text, known, unknown) in [
        ("rv32i", &[add][..], &[mul, rol, fence_i][..]),
        ("rv32i_zmmul", &[add, mul], &[rol]),
        ("rv32i_zbkb", &[add, rol], &[mul]),
        ("rv32i_zifencei", &[add, fence_i], &[mul, rol]),
    ] {
        let instructions = Instructions::new(text, &descriptions).expect("known");
        assert!(known.iter().all(|word| instructions.decode(*word).is_some()), "{text}");
        assert!(unknown.iter().all(|word| instructions.decode(*word).is_none()), "{text}");
        assert_eq!(instructions.alignment(), 4);
    }
    assert_eq!(Instructions::new("rv64ic", &descriptions).expect("known").alignment(), 2);
}

#[test]
fn the_extension_that_would_provide_a_word() {
    let provided = |word| {
        let isa = Isa::parse("rv32i", &[]).expect("an ISA");
        isa::providers(&isa, word, 0)
    };
    let (names, text) = provided(0x60c5_9533).expect("rol");
    assert_eq!(text, "rol a0, a1, a2");
    // Shortest first; those that only imply them are not named.
    assert_eq!(names, ["zbb", "zbkb"]);
    assert_eq!(provided(0x02c5_8533).expect("mul").0, ["m", "zmmul"]);
    assert_eq!(provided(0xffff_ffff), None);
    // vsetvli, vfadd.vv
    assert_eq!(provided(0x0d05_7557).expect("vsetvli").0, ["v", "zve32x"]);
    assert_eq!(provided(0x0200_1057).expect("vfadd").0, ["v", "zve32f"]);
    for (word, name) in [
        // flq
        (0x0005_4507, Some(("q", "Q"))),
        (0x13, None),
    ] {
        assert_eq!(isa::unbuilt_extension(word), name, "{word:#x}");
    }
}
