//! Decoding of instruction words.

use coredsl::ir::{Instruction, Module};

/// Position of an instruction in its [`Module`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct InstructionId(pub u16);

impl InstructionId {
    /// Position in the module's list.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Finds the instruction that a word encodes. Where encodings nest, the more specific one wins.
#[derive(Debug)]
pub struct Decoder {
    /// 32-bit instructions by their low seven bits, most specific first.
    wide: Vec<Vec<Pattern>>,
    /// 16-bit instructions by bits 15:13 and 1:0.
    compressed: Vec<Vec<Pattern>>,
}

#[derive(Clone, Copy, Debug)]
struct Pattern {
    mask: u32,
    value: u32,
    id: InstructionId,
}

const fn compressed_bucket(word: u32) -> usize {
    ((word >> 11) & 0x1c | word & 3) as usize
}

/// True if the low bits say that the instruction has 32 bits rather than 16.
pub const fn is_wide(word: u32) -> bool {
    word & 3 == 3
}

impl Decoder {
    /// A decoder for every instruction of the module.
    pub fn new(module: &Module) -> Self {
        let mut decoder = Self { wide: vec![Vec::new(); 128], compressed: vec![Vec::new(); 32] };
        for (index, instruction) in module.instructions.iter().enumerate() {
            decoder.insert(InstructionId(index as u16), instruction);
        }
        for bucket in decoder.wide.iter_mut().chain(&mut decoder.compressed) {
            // Among equals the later declaration wins.
            bucket.sort_by_key(|pattern| {
                (std::cmp::Reverse(pattern.mask.count_ones()), std::cmp::Reverse(pattern.id))
            });
        }
        decoder
    }

    fn insert(&mut self, id: InstructionId, instruction: &Instruction) {
        let encoding = &instruction.encoding;
        let pattern = Pattern { mask: encoding.mask, value: encoding.value, id };
        let (buckets, key_mask, expand): (_, u32, fn(usize) -> u32) = if encoding.length == 32 {
            (&mut self.wide, 0x7f, |bucket| bucket as u32)
        } else {
            (&mut self.compressed, 0xe003, |bucket| {
                let bucket = bucket as u32;
                (bucket & 0x1c) << 11 | bucket & 3
            })
        };
        for (index, bucket) in buckets.iter_mut().enumerate() {
            let fixed = pattern.mask & key_mask;
            if expand(index) & fixed == pattern.value & fixed {
                bucket.push(pattern);
            }
        }
    }

    /// The instruction encoded by `word`; the upper half of a compressed one is ignored.
    pub fn decode(&self, word: u32) -> Option<InstructionId> {
        let (bucket, word) = if is_wide(word) {
            (&self.wide[(word & 0x7f) as usize], word)
        } else {
            let word = word & 0xffff;
            (&self.compressed[compressed_bucket(word)], word)
        };
        bucket.iter().find(|pattern| word & pattern.mask == pattern.value).map(|pattern| pattern.id)
    }
}
