//! Records of a timed run: each block stores its header as it begins, and what its instructions note at known places
//! after that.

use cranelift_codegen::ir::{InstBuilder, Value};
use engine::timed::{self, header};
use engine::uop::{Op, Uop};

use crate::builder::{Builder, Extension, Place, own};

impl Builder<'_, '_> {
    /// Begins the record of a member.
    pub fn begin_record(&mut self, index: usize) {
        let member = &self.region.members[index];
        let (length, words) = (member.block.decoded.len(), member.block.words);
        self.record = self.ins.use_var(self.records);
        let header = self.constant(header(member.id, length));
        self.ins.ins().store(own(), header, self.record, 0);
        let size = self.constant(8 * (1 + words as u64));
        let end = self.ins.ins().iadd(self.record, size);
        self.ins.def_var(self.records, end);
    }

    /// Notes what the time of an instruction depends on.
    pub fn note(&mut self, uop: Uop, place: Place) {
        let block = self.region.members[place.member].block;
        let before = timed::words(block, block.instruction_of(place.uop));
        let first = self.get(uop.a);
        if uop.op == Op::NoteAddress {
            let address = self.sum(first, uop.imm);
            return self.store_word(before, address);
        }
        let second = self.get(uop.b);
        self.store_word(before, first);
        self.store_word(before + 1, second);
    }

    fn store_word(&mut self, before: usize, word: Value) {
        self.ins.ins().store(own(), word, self.record, 8 * (1 + before as i32));
    }

    fn sum(&mut self, base: Value, offset: u64) -> Value {
        if offset == 0 {
            return base;
        }
        let offset = self.constant(offset);
        let sum = self.ins.ins().iadd(base, offset);
        if self.rv32 { self.extend_low(sum, Extension::Zero) } else { sum }
    }
}
