//! Blocks of vector instructions that do not know `vl`. They are compiled twice from the first such instruction on: for the
//! longest `vl`, which loops over arrays have in all rounds but the last, and for any other.

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use engine::uop::Op;
use hart::csr::number;
use hart::vector::Vtype;

use super::expectation;
use super::state::State;
use crate::builder::{Builder, Checked, FloatStatus, Known};
use crate::shape::{self, Registers};

/// Fewer such instructions in the rest of a block are not worth another copy.
const FEWEST: usize = 2;

/// What is known at a point of a block.
pub struct Point {
    /// Of values from before it, too: what is known of them may name what is computed on one of the ways.
    known: SecondaryMap<Value, Known>,
    sums: SecondaryMap<Value, Option<(Value, i64)>>,
    indexed: SecondaryMap<Value, Option<(Value, u64)>>,
    checked: Vec<Checked>,
    largest: Vec<u64>,
    loaded: Registers,
    float_status: FloatStatus,
    vector: State,
}

impl Builder<'_, '_> {
    /// Compiles these instructions of a block in this order.
    pub fn instructions(&mut self, member: usize, order: &[usize]) {
        self.part(member, order, true);
    }

    /// The same of the rest of a block, which `parts` if it has to.
    fn part(&mut self, member: usize, order: &[usize], parts: bool) {
        for (position, &instruction) in order.iter().enumerate() {
            if parts && let Some(vtype) = self.wants_length(member, &order[position..]) {
                self.both_lengths(member, &order[position..], vtype);
                return;
            }
            self.vector.go_on();
            self.instruction(member, instruction);
        }
        let block = self.region.members[member].block;
        let compiled = shape::compiled(block);
        if compiled < block.decoded.len() {
            self.resume(member, shape::uops_of(block, compiled).start, false);
        }
    }

    /// `vtype`, if it is known here and `vl` is not, and the first of these instructions and others depend on `vl`.
    fn wants_length(&self, member: usize, order: &[usize]) -> Option<Vtype> {
        let vtype = self.vector.vtype.filter(|_| self.vector.vl.is_none())?;
        let depends = |&&instruction: &&usize| self.depends_on_length(member, instruction);
        let first = order.first().filter(depends)?;
        debug_assert!(self.vector.next <= shape::uops_of(self.region.members[member].block, *first).start);
        (order.iter().filter(depends).take(FEWEST).count() == FEWEST).then_some(vtype)
    }

    fn depends_on_length(&self, member: usize, instruction: usize) -> bool {
        let block = self.region.members[member].block;
        block.uops[shape::uops_of(block, instruction)].iter().any(|&uop| {
            let is_vector = uop.op == Op::Unit && self.region.program.vector(uop.instruction()).is_some();
            is_vector && {
                let site = shape::site(self.region, uop);
                site.effects.reads_csr(number::VL) && !expectation::sets_type(site)
            }
        })
    }

    /// Compiles the rest of a block for the longest `vl` and for any other.
    fn both_lengths(&mut self, member: usize, order: &[usize], vtype: Vtype) {
        let longest = self.region.vector.vlmax(vtype.sew, vtype.lmul) as u64;
        let (vl, expected) = (self.vl(), self.constant(longest));
        let is_longest = self.ins.ins().icmp(IntCC::Equal, vl, expected);
        let (whole, other) = self.fork(is_longest);
        let point = self.point();
        self.ins.switch_to_block(whole);
        self.vector.vl = Some(longest);
        self.part(member, order, false);
        self.ins.set_cold_block(other);
        self.ins.switch_to_block(other);
        self.go_back_to(point);
        self.part(member, order, false);
    }

    /// What is known here.
    pub fn point(&self) -> Point {
        Point {
            known: self.known.clone(),
            sums: self.sums.clone(),
            indexed: self.indexed.clone(),
            checked: self.checked.clone(),
            largest: self.largest.clone(),
            loaded: self.loaded,
            float_status: self.float_status,
            vector: self.vector.clone(),
        }
    }

    /// Forgets what was found since.
    pub fn go_back_to(&mut self, point: Point) {
        (self.known, self.sums, self.indexed) = (point.known, point.sums, point.indexed);
        (self.checked, self.largest) = (point.checked, point.largest);
        (self.loaded, self.float_status) = (point.loaded, point.float_status);
        self.vector = point.vector;
    }
}
