//! A user's own descriptions beside the built-in ones: their extensions, and encodings that collide.

use coredsl::{FileSources, Found, MemorySources, Sources};
use isa::{Builtin, Descriptions, Instructions, InstructionsError};

/// Files by name, then the built-in descriptions.
struct Files(MemorySources);

impl Sources for Files {
    fn find(&self, name: &str, importer: Option<&str>) -> Found {
        match self.0.find(name, importer)? {
            Some(found) => Ok(Some(found)),
            None => FileSources::new(Builtin).find(name, importer),
        }
    }
}

/// Descriptions of one instruction set of these instructions: name and fixed upper and lower bits.
fn described(sets: &[(&str, &[(&str, &str)])]) -> Descriptions {
    let mut files = MemorySources::new();
    let mut names = Vec::new();
    for (set, instructions) in sets {
        let bodies: String = instructions
            .iter()
            .map(|(name, encoding)| {
                format!("{name} {{ encoding: {encoding}; assembly: \"\"; behavior: {{}} }}\n")
            })
            .collect();
        let file = format!("{}.core_desc", set.to_lowercase());
        let text = format!(
            "import \"RISCVBase.core_desc\"\nInstructionSet {set} extends RISCVBase {{ instructions {{ {bodies} }} }}"
        );
        files = files.with(file.clone(), text);
        names.push(file);
    }
    Descriptions::from_sources(&names, &Files(files)).unwrap_or_else(|errors| panic!("{errors}"))
}

const CUSTOM: &str = "7'd1 :: rs2[4:0] :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b0001011";

#[test]
fn a_user_s_instruction_is_decoded_and_named() {
    let descriptions = described(&[("XOne", &[("SPIN", CUSTOM)])]);
    assert_eq!(descriptions.extensions(), ["XOne"]);
    for isa in ["rv32i_xone", "rv64imac_xone", "rv64imac"] {
        let instructions = Instructions::new(isa, &descriptions).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(instructions.disassemble(0x02c5_850b, 0).as_deref(), Some("spin"), "{isa}");
        assert!(instructions.disassemble(0x00c5_8533, 0).is_some());
    }
    assert!(Instructions::new("rv32i_xtwo", &descriptions).is_err());
}

/// `m5.reset_stats`
const RESET_STATS: u32 = 0x8000_007b;

#[test]
fn markers_are_there_unless_a_description_claims_their_encodings() {
    let nobody = Descriptions::read(&[]).unwrap_or_else(|errors| panic!("{errors}"));
    let instructions = Instructions::new("rv32i", &nobody).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(instructions.disassemble(RESET_STATS, 0).as_deref(), Some("m5.reset_stats"));
    let claims = "7'h40 :: rs2[4:0] :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b1111011";
    let descriptions = described(&[("XMine", &[("MINE", claims)])]);
    let instructions = Instructions::new("rv32i", &descriptions).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(instructions.disassemble(RESET_STATS, 0).as_deref(), Some("mine"));
    assert_eq!(instructions.disassemble(0x4200_007b, 0), None, "none of them is left");
}

fn overlap(descriptions: &Descriptions) -> String {
    match Instructions::new("rv32i", descriptions) {
        Err(error @ InstructionsError::Overlap(_)) => error.to_string(),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("accepted"),
    }
}

#[test]
fn overlapping_encodings_are_refused_with_both_names() {
    let halves = [
        ("LEFT", "7'd1 :: rs2[4:0] :: rs1[4:0] :: funct[2:0] :: rd[4:0] :: 7'b0001011"),
        ("RIGHT", "imm[11:0] :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b0001011"),
    ];
    let message = overlap(&described(&[("XOne", &halves)]));
    for name in ["LEFT", "RIGHT", "XOne", "help"] {
        assert!(message.contains(name), "{message}");
    }
    let message = overlap(&described(&[("XOne", &halves[..1]), ("XTwo", &halves[1..])]));
    for name in ["LEFT", "RIGHT", "XOne", "XTwo"] {
        assert!(message.contains(name), "{message}");
    }
}

#[test]
fn equal_encodings_of_two_extensions_are_refused() {
    let message = overlap(&described(&[("XOne", &[("SPIN", CUSTOM)]), ("XTwo", &[("TURN", CUSTOM)])]));
    assert!(message.contains("SPIN") && message.contains("TURN"), "{message}");
}

#[test]
fn a_standard_instruction_s_bits_are_taken() {
    let add = "7'd0 :: rs2[4:0] :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b0110011";
    let message = overlap(&described(&[("XOne", &[("SUM", add)])]));
    assert!(message.contains("`ADD`") && message.contains("`SUM`"), "{message}");
}

#[test]
fn the_more_specific_encoding_wins() {
    let nested = [
        ("ANY", CUSTOM),
        ("TEN", "7'd1 :: rs2[4:0] :: rs1[4:0] :: 3'd0 :: 5'd10 :: 7'b0001011"),
        // `addi x0, x0, imm` is a hint; a user may give it a name.
        ("MARK", "imm[11:0] :: 5'd0 :: 3'd0 :: 5'd0 :: 7'b0010011"),
    ];
    let descriptions = described(&[("XOne", &nested)]);
    let instructions = Instructions::new("rv32i", &descriptions).unwrap_or_else(|error| panic!("{error}"));
    let name = |word| instructions.disassemble(word, 0).expect("an instruction");
    assert_eq!((name(0x02c5_850b).as_str(), name(0x02c5_848b).as_str()), ("ten", "any"));
    assert_eq!((name(0x0050_0013).as_str(), name(0x0050_0093).as_str()), ("mark", "addi ra, zero, 5"));
}
