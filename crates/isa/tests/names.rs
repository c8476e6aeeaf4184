//! Profiles, versions, names without effect or refused, and what ELF files record.

use std::fs;
use std::path::Path;

use isa::{Isa, IsaError};

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
fn what_is_refused_is_refused_by_name_with_its_reason() {
    for (text, reason) in [
        ("rv64i_zilsd", "its instructions are not built"),
        ("rv64ih", "there is no mode but machine and user mode"),
        ("rv32e", "name i"),
        ("rv64iq", "its instructions are not built"),
    ] {
        let said = refusal(text);
        assert!(said.contains(reason) && said.ends_with("leave it out"), "{said}");
    }
}

#[test]
fn what_excludes_each_other_is_not_in_one_string() {
    for (text, said) in [
        ("rv32imf_zfinx", "zfinx and f exclude each other: f has registers of its own"),
        ("rv64gc_zhinxmin", "zfinx and f exclude each other"),
        ("rv32imafdc_zcmp", "zcmp and zcd exclude each other: zcd, which c implies together with d"),
        ("rv64gc_zcmt", "zcmt and zcd exclude each other"),
        ("rv64gc_zce", "zcmp and zcd exclude each other"),
        ("rv64i_zdinx_zve32f", "zfinx and f exclude each other"),
    ] {
        let refused = refusal(text);
        assert!(refused.contains(said), "{refused}");
    }
    for text in ["rv32ima_zfinx", "rv64imac_zdinx_zhinx", "rv32i_zhinxmin_zve32x"] {
        assert!(parse(text).has("zfinx") && !parse(text).has("f"), "{text}");
    }
    for text in
        ["rv32imac_zcmp", "rv32ima_zca_zcb_zcmp_zcmt", "rv32imfc_zcmp", "rv64imafd_zca_zce", "rv32imafd_zce"]
    {
        assert!(parse(text).has("zcmp") && !parse(text).has("zcd"), "{text}");
    }
    for (text, has) in [("rv32if_zce", true), ("rv64if_zce", false), ("rv32i_zce", false)] {
        assert_eq!(parse(text).has("zcf"), has, "{text}");
    }
}

#[test]
fn profiles_stand_for_their_mandatory_extensions() {
    for (profile, spelt) in [
        ("rvi20u32", "rv32i"),
        ("rvi20u64", "rv64i"),
        ("rva20u64", "rv64imadc_zicntr_zicclsm"),
        ("rva20s64", "rv64imadc_zicntr_zicclsm_zifencei"),
        ("RVA22U64", "rv64imadcb_zicntr_zihpm_zicclsm_zihintpause_zicbom_zicbop_zicboz_zfhmin_zkt"),
        (
            "rva23u64",
            "rv64imadcbv_zicntr_zihpm_zicclsm_zihintpause_zihintntl_zicond_zicbom_zicbop_zicboz_zimop_zawrs_zcb_zcmop_\
             zfa_zfhmin_zkt_zvbb_zvfhmin_zvkt",
        ),
        (
            "rvb23u64",
            "rv64imadcb_zicntr_zihpm_zicclsm_zihintpause_zihintntl_zicond_zicbom_zicbop_zicboz_zimop_zawrs_zcb_zcmop_\
             zfa_zkt",
        ),
        ("rva22u64_v_zvkned", "rva22u64_zvkned_v"),
    ] {
        assert_eq!(parse(profile), parse(spelt), "{profile}");
    }
    for (text, shown) in [
        ("rva23u64", "rva23u64"),
        ("RVA22U64_Zvkned_V", "rva22u64_v_zvkned"),
        ("rva22u64_zba", "rva22u64"),
        ("rvi20u32_m", "rvi20u32_m"),
    ] {
        let isa = parse(text);
        assert_eq!((isa.to_string(), parse(&isa.to_string())), (shown.to_owned(), isa.clone()));
        assert_eq!(parse(&isa.canonical()), isa, "{}", isa.canonical());
    }
    for text in ["rva24u64", "rvm23u32", "rva22", "rva23u32", "rva22u64zba"] {
        let said = refusal(text);
        assert!(said.contains("unknown profile") && said.contains("rva22u64, "), "{said}");
    }
}

#[test]
fn error_texts_show_strings_as_users_write_them() {
    for (text, shown) in [
        ("rv64gc", "rv64gc"),
        ("rv64imafdc_zicsr_zifencei", "rv64gc"),
        ("rv32g_zbb", "rv32g_zbb"),
        ("rv64gcv_zvkned", "rv64gcv_zvkned"),
        ("rv64imac", "rv64imac"),
        ("rv64imafd_zicsr", "rv64imad"),
        ("rv64gc_zba_zbb_zbs", "rv64gc_zba_zbb_zbs"),
    ] {
        assert_eq!(parse(text).to_string(), shown);
    }
}

#[test]
fn names_without_effect_are_taken_and_told() {
    let isa = parse("rv64gc_ziccif_za64rs_sv39_svinval_zama16b_sstc");
    assert_eq!(isa, parse("rv64gc"));
    assert_eq!(
        isa.without_effect().collect::<Vec<_>>(),
        ["ziccif", "za64rs", "zama16b", "sstc", "sv39", "svinval"]
    );
    assert!(!isa.canonical().contains("sv39"));
    assert_eq!(parse("rva23u64").without_effect().count(), 0, "only what is spelt out");
}

#[test]
fn base_instructions_before_version_2_1_contain_csrs_and_the_fetch_fence() {
    for (text, contained) in [
        ("rv64i2p0", true),
        ("rv64i2", true),
        ("rv32i1p9_m2p0", true),
        ("rv64i2p1", false),
        ("rv64i", false),
        ("rv64i3p0", false),
    ] {
        let isa = parse(text);
        assert_eq!((isa.has("zicsr"), isa.has("zifencei")), (contained, contained), "{text}");
    }
}

#[test]
fn a_file_is_not_refused_for_what_its_attributes_name() {
    for (text, usable, missing) in [
        ("rv64i2p1_xtheadba1p0_zba1p0", "rv64i_zba", &["xtheadba"][..]),
        ("rv64i2p1_m2p0_zilsd1p0_zclsd1p0", "rv64im", &["zilsd", "zclsd"]),
        ("rv64i2p1_m2p0_zfinx1p0_zdinx1p0", "rv64im_zdinx", &[]),
        // What excludes F is dropped.
        ("rv64i2p1_f2p2_zfinx1p0_zdinx1p0", "rv64if", &[]),
        ("rv32e2p0_c2p0", "rv32ic", &["e"]),
        ("rv64gcq", "rv64gc", &["q"]),
        ("rv64if2p2_zcf1p0", "rv64if_zca", &[]),
        ("rv64i_zvl128b", "rv64i", &[]),
        ("rv64i_zvl100b", "rv64i", &[]),
    ] {
        let isa = Isa::recorded(text, &[]).unwrap_or_else(|error| panic!("{error}"));
        let found: Vec<_> = isa.missing().iter().filter_map(IsaError::extension).collect();
        assert_eq!(found, missing, "{text}");
        assert_eq!(
            isa.extensions().collect::<Vec<_>>(),
            parse(usable).extensions().collect::<Vec<_>>(),
            "{text}"
        );
    }
    for text in ["", "rv128i", "rv64zba", "x86_64"] {
        assert!(Isa::recorded(text, &[]).is_err(), "{text}");
    }
}

/// What gcc and clang put into `Tag_RISCV_arch`, for every extension and profile that they know.
#[test]
fn every_string_that_compilers_record_is_understood() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded.txt");
    let strings = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut counted = 0;
    for text in strings.lines().filter(|line| !line.starts_with('#')) {
        let isa = Isa::recorded(text, &[]).unwrap_or_else(|error| panic!("{error}"));
        for missing in isa.missing() {
            // Nothing ratified is unknown: only vendors' own, and what clang calls experimental.
            if let IsaError::Unknown { name, .. } = missing {
                assert!(name.starts_with('x'), "{name} of {text}");
            }
        }
        assert_eq!(parse(&isa.to_string()), isa, "{text}");
        counted += 1;
    }
    assert!(counted >= 300, "{counted}");
}
