//! Instruction words: fixed bits and operand fields.

/// Bits of an instruction word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Encoding {
    /// Length in bits: 16 or 32.
    pub length: u8,
    /// Ones where a bit is fixed.
    pub mask: u32,
    /// The fixed bits.
    pub value: u32,
    /// Operand fields.
    pub fields: Vec<Field>,
}

/// An operand field, gathered from one or more runs of bits; bits never given read 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Name, for instance `imm`.
    pub name: String,
    /// Width of the value: its highest bit named in the encoding, plus one.
    pub width: u16,
    /// Runs of bits.
    pub parts: Vec<FieldPart>,
}

/// `len` bits of the word from `word_lsb` are the field's bits from `field_lsb`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FieldPart {
    /// Lowest bit in the instruction word.
    pub word_lsb: u8,
    /// Lowest bit in the field's value.
    pub field_lsb: u8,
    /// Number of bits.
    pub len: u8,
}

impl Field {
    /// The field's value in an instruction word, zero-extended.
    pub fn extract(&self, word: u32) -> u64 {
        self.parts.iter().fold(0, |value, part| {
            let bits = u64::from(word >> part.word_lsb) & ((1 << part.len) - 1);
            value | bits << part.field_lsb
        })
    }

    /// The word's bits that carry `value`.
    pub fn insert(&self, value: u64) -> u32 {
        self.parts.iter().fold(0, |word, part| {
            let bits = (value >> part.field_lsb) & ((1 << part.len) - 1);
            word | (bits as u32) << part.word_lsb
        })
    }
}
