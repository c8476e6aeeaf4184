//! ISA strings: what they mean, how they are written canonically, and which are refused, with what words.

use isa::extension::{EXTENSIONS, Support};
use isa::{Isa, IsaError, Vlen, Xlen};

fn parse(text: &str) -> Isa {
    Isa::parse(text, &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(text: &str) -> String {
    match Isa::parse(text, &[]) {
        Ok(isa) => panic!("{text} is taken for {isa}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_canonical_string_has_the_manual_s_order() {
    for (text, canonical) in [
        ("rv32i", "rv32i"),
        ("rv64imac_zknh_zbb_zicsr_zba", "rv64imac_zicsr_zba_zbb_zknh"),
        ("rv32i_zksh_zbkx_zifencei_zmmul", "rv32i_zifencei_zmmul_zbkx_zksh"),
        ("RV64IMAC_Zba", "rv64imac_zba"),
        ("rv64izba_zbb", "rv64i_zba_zbb"),
        ("rv32im_zicsr_zifencei_c", "rv32imc_zicsr_zifencei"),
    ] {
        assert_eq!(parse(text).canonical(), canonical);
    }
}

#[test]
fn what_is_implied_is_there_and_not_spelt_out() {
    for (text, implied, canonical) in [
        ("rv32im", &["zmmul"][..], "rv32im"),
        ("rv32ia_zaamo_zalrsc", &["zaamo", "zalrsc"], "rv32ia"),
        ("rv64ic", &["zca"], "rv64ic"),
        ("rv64ib_zba_zbb_zbs", &["zba", "zbb", "zbs"], "rv64ib"),
        ("rv64i_zkn", &["zbkb", "zbkc", "zbkx", "zkne", "zknd", "zknh"], "rv64i_zkn"),
        ("rv64i_zks", &["zbkb", "zbkc", "zbkx", "zksed", "zksh"], "rv64i_zks"),
        ("rv64i_zk", &["zkn", "zkr", "zkt", "zbkb", "zknh", "zicsr"], "rv64i_zk"),
        ("rv32i_zicntr", &["zicsr"], "rv32i_zicntr"),
        ("rv64id", &["f", "zicsr"], "rv64id"),
        ("rv64if_zfh", &["zfhmin", "f"], "rv64i_zfh"),
        ("rv64iv", &["d", "zve64d", "zve64f", "zve64x", "zve32f", "zve32x"], "rv64iv"),
        ("rv64i_zvknhb", &["zvknha", "zve64x"], "rv64i_zvknhb"),
        ("rv64iv_zvkng", &["zvkn", "zvkg", "zvkned", "zvknhb", "zvknha", "zvkb", "zvkt"], "rv64iv_zvkng"),
        ("rv64iv_zvksc", &["zvks", "zvbc", "zvksed", "zvksh", "zvkb"], "rv64iv_zvksc"),
        ("rv64iv_zvbb", &["zvkb"], "rv64iv_zvbb"),
    ] {
        let isa = parse(text);
        for name in implied {
            assert!(isa.has(name), "{text} implies {name}");
        }
        assert_eq!(isa.canonical(), canonical);
        assert!(isa.extensions().all(|name| isa.has(name)));
    }
    assert!(!parse("rv32i_zmmul").has("m") && !parse("rv32i_zca").has("c"), "nothing is implied backwards");
}

#[test]
fn compressed_and_floating_point_imply_what_they_have_together() {
    for (text, zcf, zcd) in [
        ("rv32ic", false, false),
        ("rv32id", false, false),
        ("rv32ifc", true, false),
        ("rv32idc", true, true),
        ("rv32gc", true, true),
        ("rv64ifc", false, false),
        ("rv64idc", false, true),
        ("rv64gcv", false, true),
        ("rv32i_zca_f", false, false),
    ] {
        let isa = parse(text);
        assert_eq!((isa.has("zcf"), isa.has("zcd")), (zcf, zcd), "{text}");
    }
    assert_eq!(parse("rv32imafdc_zcf_zcd"), parse("rv32imafdc"));
}

#[test]
fn sha_2_on_vectors_has_a_subset() {
    assert!(parse("rv64i_zvknhb").has("zvknha"));
    assert!(!parse("rv64i_zve64x_zvknha").has("zvknhb"), "nothing is implied backwards");
    assert!(!parse("rv64i_zvknha").has("zve64x") && parse("rv64i_zvknha").has("zve32x"));
}

#[test]
fn g_is_its_parts() {
    let isa = parse("rv64gc");
    for name in ["i", "m", "a", "f", "d", "c", "zicsr", "zifencei"] {
        assert!(isa.has(name), "{name}");
    }
    assert_eq!(isa, parse("rv64imafdc_zicsr_zifencei"));
}

#[test]
fn widths_are_told_apart() {
    assert_eq!((parse("rv32i").xlen(), parse("rv64i").xlen()), (Xlen::Rv32, Xlen::Rv64));
    assert_eq!((Xlen::Rv32.bits(), Xlen::Rv64.bits()), (32, 64));
    assert_eq!((Xlen::Rv32.mask(), Xlen::Rv64.mask()), (0xffff_ffff, u64::MAX));
}

#[test]
fn the_versions_compilers_write_are_read_over() {
    for (text, canonical) in [
        ("rv32i2p1_m2p0_zmmul1p0_zba1p0", "rv32im_zba"),
        (
            "rv64i2p1_m2p0_a2p1_c2p0_zicsr2p0_zifencei2p0_zmmul1p0_zaamo1p0_zalrsc1p0_zca1p0",
            "rv64imac_zicsr_zifencei",
        ),
        ("rv64i2p1m2p0a2p1", "rv64ima"),
        ("rv64i2_m2", "rv64im_zicsr_zifencei"),
        (
            "rv64i2p1_f2p2_d2p2_v1p0_zve32f1p0_zve32x1p0_zve64d1p0_zve64f1p0_zve64x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0",
            "rv64iv",
        ),
        ("rv32i_zbb1p0_zvl256b1p0_zve32x1p0", "rv32i_zbb_zve32x_zvl256b"),
    ] {
        assert_eq!(parse(text).canonical(), canonical, "{text}");
    }
}

#[test]
fn the_largest_vector_length_counts() {
    for (text, bits) in [
        ("rv64i", None),
        ("rv64iv", Some(128)),
        ("rv64iv_zvl512b", Some(512)),
        ("rv64iv_zvl512b_zvl1024b_zvl256b", Some(1024)),
        ("rv64iv_zvl64b", Some(128)),
        ("rv32i_zve32x", Some(32)),
        ("rv64i_zve64d", Some(64)),
        ("rv64iv_zvl65536b", Some(65_536)),
    ] {
        assert_eq!(parse(text).vlen(), bits.and_then(Vlen::new), "{text}");
    }
}

#[test]
fn the_vector_length_of_a_hart() {
    for (text, asked, length) in [
        ("rv64gc", None, Ok(None)),
        ("rv64gcv", None, Ok(Some(128))),
        ("rv64gcv_zvl1024b", None, Ok(Some(1024))),
        ("rv64gcv_zvl1024b", Some(65_536), Ok(Some(65_536))),
        ("rv64gcv", Some(128), Ok(Some(128))),
        ("rv32i_zve32x", None, Ok(Some(128))),
        ("rv32i_zve32x", Some(32), Ok(Some(32))),
        ("rv64i_zve64x", Some(64), Ok(Some(64))),
        ("rv64gcv", Some(0), Err("VLEN 0 is not a power of two from 32 to 65536")),
        ("rv64gcv", Some(384), Err("VLEN 384 is not a power of two from 32 to 65536")),
        ("rv64gcv", Some(131_072), Err("VLEN 131072 is not a power of two from 32 to 65536")),
        (
            "rv64gc",
            Some(256),
            Err("VLEN 256 was given, but rv64gc has no vector extension; add v or zve32x with --isa"),
        ),
        ("rv64i_zve64x", Some(32), Err("ELEN above VLEN: zve64x has elements of 64 bits, VLEN is 32")),
        ("rv64gcv", Some(32), Err("ELEN above VLEN: v has elements of 64 bits, VLEN is 32")),
        (
            "rv64gcv",
            Some(64),
            Err("VLEN 64 is below 128, the least that extension v allows; for less use zve32x or zve64x"),
        ),
        ("rv32i_zve32x_zvl256b", Some(128), Err("VLEN 128 is below zvl256b of rv32i_zve32x_zvl256b")),
    ] {
        let found = parse(text).vlen_of_hart(asked);
        let found = found.map(|vlen| vlen.map(Vlen::bits)).map_err(|error| error.to_string());
        assert_eq!(found, length.map_err(str::to_owned), "{text} {asked:?}");
    }
}

#[test]
fn contradictions_are_named() {
    for (text, word) in [
        ("rv64i_zvl128b", "vector"),
        ("rv64iv_zvl100b", "100"),
        ("rv64iv_zvl16b", "16"),
        ("rv64iv_zvl131072b", "131072"),
        ("rv64iv_zvl0b", "0"),
        ("rv64if_zcf", "zcf"),
    ] {
        let error = refusal(text);
        assert!(error.starts_with("contradictory") && error.contains(word), "{error}");
    }
}

#[test]
fn a_vector_length_is_plain_digits() {
    for text in
        ["rv64iv_zvl+128b", "rv64iv_zvlb", "rv64iv_zvl128", "rv64iv_zvl 128b", "rv64iv_zvl99999999999b"]
    {
        refusal(text);
    }
}

#[test]
fn unknown_extensions_are_refused_with_the_nearest_name() {
    for (text, unknown, suggestion) in [
        ("rv32i_zbx", "zbx", Some("did you mean 'zb")),
        ("rv32i_zknee", "zknee", Some("did you mean 'zkne'?")),
        ("rv32i_zifence", "zifence", Some("did you mean 'zifencei'?")),
        ("rv64i_qqqqqq", "q", None),
        ("rv64i_xmine", "xmine", None),
        ("rv64im_y", "y", None),
    ] {
        let error = refusal(text);
        assert!(error.contains(&format!("'{unknown}'")) && error.contains(text), "{error}");
        assert_eq!(suggestion.is_some(), error.contains("did you mean"), "{error}");
        assert!(error.contains(suggestion.unwrap_or("")), "{error}");
    }
}

#[test]
fn a_string_begins_with_a_width_and_a_base() {
    for text in [
        "", "rv", "rv32", "rv64", "rv128i", "x86_64", "armv8", "rv32m", "rv64zba", "rv64cami", "rv32 i",
        "32i",
    ] {
        assert!(matches!(Isa::parse(text, &[]), Err(IsaError::Prefix { .. })), "{text}");
    }
}

#[test]
fn a_user_s_extension_is_known_by_its_name() {
    let custom = ["XChaChaV1".to_owned()];
    let isa = Isa::parse("rv32im_xchachav1", &custom).expect("declared");
    assert!(isa.has("xchachav1"));
    assert_eq!(isa.to_string(), "rv32im_xchachav1");
    assert_eq!(Isa::parse("rv32imxchachav1", &custom), Ok(isa));
}

/// Strings of every known extension, every pair of them, and with versions.
fn every_string() -> Vec<String> {
    let has_instructions =
        |extension: &&isa::extension::Extension| matches!(extension.support, Support::Built(_));
    let names: Vec<&str> =
        EXTENSIONS.iter().filter(has_instructions).map(|extension| extension.name).collect();
    let mut strings = Vec::new();
    for (index, first) in names.iter().enumerate() {
        for base in ["rv32i", "rv64i", "rv64g"] {
            strings.push(format!("{base}_{first}"));
            strings.push(format!("{base}2p1_{first}1p0"));
        }
        for second in &names[index + 1..] {
            strings.push(format!("rv64i_{first}_{second}"));
            strings.push(format!("rv32i_{second}_{first}"));
        }
    }
    strings.extend((5..=16).map(|log| format!("rv64i_zve32x_zvl{}b", 1u32 << log)));
    strings
}

#[test]
fn the_canonical_string_means_the_same() {
    for text in every_string() {
        let Ok(isa) = Isa::parse(&text, &[]) else { continue };
        let canonical = isa.canonical();
        let again = parse(&canonical);
        assert_eq!(again.canonical(), canonical, "{text}");
        assert_eq!(parse(&isa.to_string()), isa, "{text} and {isa}");
        assert!(again.extensions().eq(isa.extensions()), "{text} and {canonical}");
        assert_eq!((again.xlen(), again.vlen()), (isa.xlen(), isa.vlen()), "{text} and {canonical}");
    }
}

#[test]
fn strings_that_mean_the_same_are_equal() {
    for (one, other) in [("rv32im", "rv32im_zmmul"), ("rv64ib", "rv64ib_zba"), ("rv64iv", "rv64iv_zvl128b")] {
        assert_eq!(parse(one), parse(other), "{one} and {other}");
    }
}

#[test]
fn any_text_is_answered_without_panic() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as usize
    };
    let alphabet: Vec<char> = "rv3264imafdcbgvzxsp0123_ bkné\u{0}€Z".chars().collect();
    for text in every_string() {
        let mut letters: Vec<char> = text.chars().collect();
        for _ in 0..1 + next() % 3 {
            let at = next() % letters.len();
            match next() % 3 {
                0 => letters[at] = alphabet[next() % alphabet.len()],
                1 => letters.insert(at, alphabet[next() % alphabet.len()]),
                _ => letters.truncate(at.max(1)),
            }
        }
        let text: String = letters.into_iter().collect();
        match Isa::parse(&text, &[]) {
            Ok(isa) => assert_eq!(parse(&isa.to_string()).to_string(), isa.to_string(), "{text:?}"),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn every_implication_is_known_or_a_vector_length() {
    for extension in EXTENSIONS {
        for implied in extension.implies {
            let known = EXTENSIONS.iter().any(|other| other.name == *implied);
            assert!(known || implied.starts_with("zvl"), "{} implies {implied}", extension.name);
        }
        assert!(!extension.summary.is_empty());
        let spelt = format!("rv64i_{}", extension.name);
        match extension.support {
            Support::Refused(_) => drop(refusal(&spelt)),
            Support::WithoutEffect => assert_eq!(parse(&spelt), parse("rv64i")),
            Support::Built(_) => {}
        }
    }
}
