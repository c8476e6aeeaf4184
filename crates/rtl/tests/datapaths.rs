//! Emitted modules as they are read, and what is refused. That they compute the right thing is tested from Python, in
//! Verilator.

use std::path::{Path, PathBuf};

use rtl::Description;

fn description(file: &str, xlen: u16, stages: u32) -> Description {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    Description::read(&root.to_string_lossy(), xlen, stages).unwrap_or_else(|faults| panic!("{faults}"))
}

fn text(file: &str, xlen: u16, stages: u32, module: &str) -> String {
    let description = description(file, xlen, stages);
    let found = description.datapaths.into_iter().find(|one| one.module == module);
    found.unwrap_or_else(|| panic!("{module} of {file}")).text
}

macro_rules! golden {
    ($($test:ident: $file:literal $xlen:literal $stages:literal $module:literal;)*) => {
        $(#[test]
        fn $test() {
            insta::assert_snapshot!(text($file, $xlen, $stages, $module));
        })*
    };
}

golden! {
    functions_called_often_are_kept_and_variables_are_signals: "extensions/chacha-v1.core_desc" 64 0 "chacha_ad_v1";
    registers_stand_behind_the_logic: "extensions/chacha-v4.core_desc" 64 2 "chacha_add_v4";
    returns_in_a_loop_are_alternatives: "isa/Zbb.core_desc" 32 0 "clz";
    bits_set_one_by_one_are_one_concatenation: "isa/Zbkb.core_desc" 32 0 "zip";
    immediates_have_their_width_and_sign: "isa/RVI.core_desc" 64 0 "addiw";
    the_old_destination_is_an_input: "isa/RVC.core_desc" 64 0 "c_addiw";
    fixed_registers_and_the_pc_are_inputs: "crates/rtl/tests/control.core_desc" 32 0 "here";
    tables_are_functions: "crates/rtl/tests/control.core_desc" 32 0 "step";
    control_within_loops: "crates/rtl/tests/control.core_desc" 32 0 "collatz";
    an_illegal_outcome_is_an_output: "crates/rtl/tests/control.core_desc" 32 0 "twice";
    a_divisor_may_be_zero: "crates/rtl/tests/control.core_desc" 64 0 "ratio";
}

#[test]
fn the_unit_decodes_and_selects() {
    insta::assert_snapshot!(description("extensions/chacha-pack.core_desc", 64, 1).unit(|_| true));
}

#[test]
fn a_unit_may_have_some_of_the_datapaths() {
    let text = description("extensions/chacha-v1.core_desc", 64, 0).unit(|one| one.name.ends_with("V1"));
    assert!(text.contains("chacha_ad_v1 the_chacha_ad_v1") && !text.contains("chacha_pack"), "{text}");
}

#[test]
fn an_encoding_nested_in_another_is_not_the_outer_one_s() {
    let text = description("isa/RVC.core_desc", 32, 0).unit(|_| true);
    let line = text.lines().find(|line| line.starts_with("  wire is_c_mv ")).unwrap_or_default();
    // C.JR.
    assert!(line.contains("& ~((word[15:0] & 16'hf07f) == 16'h8002)"), "{line}");
}

#[test]
fn reasons_for_refusals() {
    let refused = description("crates/rtl/tests/refused.core_desc", 32, 0).refused;
    let reasons: Vec<String> = refused.iter().map(|one| format!("{}: {}\n", one.name, one.reason)).collect();
    insta::assert_snapshot!(reasons.concat());
}

#[test]
fn a_refusal_points_at_the_instruction() {
    let refused = description("crates/rtl/tests/refused.core_desc", 32, 0).refused;
    let stores = refused.iter().find(|one| one.name == "STORES").expect("a refusal");
    let diagnostic = stores.diagnostics.iter().next().expect("a diagnostic");
    assert_eq!(diagnostic.position(), Some((16, 9)));
    assert_eq!(diagnostic.message(), "`STORES` has no datapath: it writes MEM");
}

#[test]
fn a_file_with_mistakes_is_refused_as_a_whole() {
    assert!(Description::read("crates/rtl/tests/no_such_file.core_desc", 32, 0).is_err());
}
