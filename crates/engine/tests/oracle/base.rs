//! I, Zicond and Zimop: computational instructions.

use super::{Operands, sign_extend_word, truncate};

pub(crate) fn compute(mnemonic: &str, o: Operands) -> Option<u64> {
    common(mnemonic, o).or_else(|| if o.xlen == 64 { word(mnemonic, o) } else { None })
}

fn common(mnemonic: &str, o: Operands) -> Option<u64> {
    let Operands { a, b, imm, .. } = o;
    let unsigned_imm = truncate(imm, o.xlen);
    let shamt = imm as u32;
    Some(match mnemonic {
        "lui" => imm,
        "czero.eqz" if b == 0 => 0,
        "czero.nez" if b != 0 => 0,
        "czero.eqz" | "czero.nez" => a,
        "mop.r.<n>" | "mop.rr.<n>" => 0,
        "auipc" => o.pc.wrapping_add(imm),
        "addi" => a.wrapping_add(imm),
        "slti" => (o.signed_a() < imm as i64).into(),
        "sltiu" => (a < unsigned_imm).into(),
        "xori" => a ^ imm,
        "ori" => a | imm,
        "andi" => a & imm,
        "slli" => a << shamt,
        "srli" => a >> shamt,
        "srai" => (o.signed_a() >> shamt) as u64,
        "add" => a.wrapping_add(b),
        "sub" => a.wrapping_sub(b),
        "sll" => a << o.shift(),
        "slt" => (o.signed_a() < o.signed_b()).into(),
        "sltu" => (a < b).into(),
        "xor" => a ^ b,
        "srl" => a >> o.shift(),
        "sra" => (o.signed_a() >> o.shift()) as u64,
        "or" => a | b,
        "and" => a & b,
        _ => return None,
    })
}

fn word(mnemonic: &str, o: Operands) -> Option<u64> {
    let (a, b) = o.words();
    let shamt = o.imm as u32;
    Some(sign_extend_word(match mnemonic {
        "addiw" => a.wrapping_add(o.imm as u32),
        "slliw" => a << shamt,
        "srliw" => a >> shamt,
        "sraiw" => ((a as i32) >> shamt) as u32,
        "addw" => a.wrapping_add(b),
        "subw" => a.wrapping_sub(b),
        "sllw" => a << (b & 31),
        "srlw" => a >> (b & 31),
        "sraw" => ((a as i32) >> (b & 31)) as u32,
        _ => return None,
    }))
}
