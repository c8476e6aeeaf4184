//! The table of operands and effects: every instruction has an entry, and the entries say what the
//! specification says. That the hart does the same is tested where the hart is.

use isa::operands::{Class, Control, MemoryKind, Operands};
use isa::{InstructionId, Instructions, Xlen};

fn all(xlen: Xlen) -> &'static Instructions {
    Instructions::all(xlen).expect("the built-in descriptions are sound")
}

#[test]
fn every_built_in_instruction_has_a_class_of_its_own_kind() {
    for all in [Xlen::Rv32, Xlen::Rv64].into_iter().flat_map(Instructions::everything) {
        let operands = all.operands();
        for (instruction, effects) in all.module().instructions.iter().zip(operands.iter()) {
            assert_ne!(effects.class, Class::Custom, "{} states no class", instruction.name);
            let of_class = match effects.class {
                Class::Load | Class::FpLoad | Class::VectorLoad => MemoryKind::Load,
                Class::Store | Class::FpStore | Class::VectorStore => MemoryKind::Store,
                Class::Atomic => MemoryKind::Atomic,
                // Returns that restore registers from the stack.
                Class::Jump if instruction.name.starts_with("CM__POPRET") => MemoryKind::Load,
                _ => MemoryKind::None,
            };
            assert_eq!(effects.memory_kind(), of_class, "{}", instruction.name);
            let transfers = matches!(effects.control, Control::Branch { .. } | Control::Jump { .. });
            assert_eq!(
                transfers,
                matches!(effects.class, Class::Branch | Class::Jump),
                "{}",
                instruction.name
            );
        }
    }
}

/// Class, reads and writes of a built-in instruction for RV64, as a table shows them.
fn described(name: &str) -> (&'static str, String, String) {
    let all = all(Xlen::Rv64);
    let position = all.module().instructions.iter().position(|instruction| instruction.name == name);
    let id = InstructionId(position.unwrap_or_else(|| panic!("no {name}")) as u16);
    let text = all.operands().get(id).described(all.module(), all.get(id));
    (text.class, text.reads.join("; "), text.writes.join("; "))
}

#[test]
fn entries_say_what_the_specification_says() {
    let is = |name, class, reads: &str, writes: &str| {
        assert_eq!(described(name), (class, reads.to_owned(), writes.to_owned()), "{name}");
    };
    let vector = "CSR[0xc20]; CSR[0xc21]; CSR[0x008]; CSR[0x300][10:9]";
    let float = "CSR[0x300][14:13]";
    let units = "CSR[0x300][14:13] (fields decide); CSR[0x300][10:9] (fields decide)";
    is("C__SDSP", "store", "X[2]; X[rs2]", "memory, 8 bytes");
    is(
        "CSRRS",
        "csr",
        &format!("X[rs1] (fields decide); CSR[csr]; {units}"),
        &format!("X[rd]; CSR[csr] (fields decide); {units}"),
    );
    is("C__JALR", "jump", "X[rs1]", "X[1]");
    is(
        "FADD__D",
        "fp-add",
        &format!("F[rs2]; F[rs1]; CSR[0x002] (fields decide); {float}"),
        &format!("F[rd]; CSR[0x001]; {float}"),
    );
    is("C__FLDSP", "fp-load", &format!("X[2]; {float}; memory, 8 bytes"), &format!("F[rd]; {float}"));
    is("FSD", "fp-store", &format!("F[rs2]; X[rs1]; {float}"), "memory, 8 bytes");
    is(
        "VWMACC__VX",
        "vector-mul",
        &format!("V[0] as mask (fields decide); V[vs2] of SEW; X[rs1]; V[vd] of 2*SEW; {vector}"),
        "V[vd] of 2*SEW; CSR[0x008]; CSR[0x300][10:9]",
    );
    is(
        "VL4RE16__V",
        "vector-load",
        "X[rs1]; CSR[0x008]; CSR[0x300][10:9]; memory, 2 bytes, whole registers",
        "V[vd], 4 whole; CSR[0x008]; CSR[0x300][10:9]",
    );
}

#[test]
fn a_description_that_does_not_say_enough_is_refused() {
    let lacks = |attributes: &str, format: &str| {
        let text = format!(
            "import \"RISCVBase.core_desc\"
             InstructionSet XNative extends RISCVBase {{ instructions {{ NATIVE {attributes} {{
                 encoding: 7'd0 :: rs2[4:0] :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b0001011;
                 assembly: \"{format}\"; behavior: extern;
             }} }} }}"
        );
        let sources = coredsl::MemorySources::new().with("native.core_desc", &text).with(
            "RISCVBase.core_desc",
            isa::DESCRIPTIONS.iter().find(|(name, _)| *name == "RISCVBase.core_desc").expect("it").1,
        );
        let program = coredsl::Program::load("native.core_desc", &sources).expect("a description");
        let module = coredsl::elaborate(&program, &["XNative"], 64).expect("a module");
        Operands::of(&module).err().map(|error| error.lacks)
    };
    let format = "{name(rd)}, {fname(rs1)}, {rs2}";
    let says = |attributes, format, wanted: &str| {
        let lacks = lacks(attributes, format).unwrap_or_else(|| panic!("{attributes} is accepted"));
        assert!(lacks.contains(wanted), "{lacks}");
    };
    assert_eq!(lacks("[[class_alu]]", format), None);
    says("", format, "nothing states its class");
    says("[[class_magic]]", format, "there is no class `magic`");
    says("[[class_alu]] [[reads_scr=1]]", format, "`reads_scr` states nothing");
    says("[[class_alu]] [[vd_double]]", format, "`vd_double` states nothing");
    says("[[class_load]] [[load=8]] [[strided]] [[indexed]]", format, "one shape");
    says("[[class_load]] [[strided]]", format, "one shape");
    says("[[class_alu]]", "{name(rd)}, {fname(rs1)}", "of which file `rs2` is");
}
