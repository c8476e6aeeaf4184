//! The code of a loop whose values are computed in pairs.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, Type, Value, types};
use cranelift_frontend::Variable;
use engine::uop::{Binary, Operand, Pure, SLOTS, Uop};

use super::Loop;
use super::graph::{Made, Node};
use super::pairs::{Shape, operand_of};
use crate::builder::Builder;
use crate::vector::flags;

/// Slots for operands of what is computed by itself: the last three, which instructions do not come to.
const OPERANDS: [u16; 3] = [SLOTS as u16 - 3, SLOTS as u16 - 2, SLOTS as u16 - 1];
/// Bytes of a lane.
const LANE: u8 = 8;
/// The low word of a lane.
const LOW: u64 = u32::MAX as u64;
/// True if low words are had by blending with zeros: rotations keep busy those of the host's ports that shift, and an AND
/// may be given one of them.
const BLENDS: bool = cfg!(target_arch = "x86_64");

/// A trip under construction.
struct Trip<'l> {
    of: &'l Loop,
    alone: Vec<Option<Value>>,
    together: HashMap<[Node; 2], Value>,
    /// The same of which only the low words count.
    words: HashMap<[Node; 2], Value>,
    /// What takes the upper halves of lanes away: zeros to blend with, or a mask.
    upper: Value,
}

impl Builder<'_, '_> {
    /// Compiles a loop from where its first trip is paid for and counted.
    pub fn loop_of_pairs(&mut self, index: usize, of: &Loop) {
        let member = &self.region.members[index];
        let length = member.block.decoded.len() as u64;
        let (trip, left) = (self.ins.create_block(), self.ins.create_block());
        self.ins.append_block_param(left, types::I8);
        let pairs = &of.pairs.pairs;
        let starts: Vec<([Node; 2], Variable)> = pairs
            .iter()
            .filter(|pair| matches!(of.graph.made[pair[0]], Made::Start(_)))
            .map(|&pair| (pair, self.ins.declare_var(types::I64X2)))
            .collect();
        for &(pair, variable) in &starts {
            let lanes = pair.map(|node| self.started(of, node));
            let value = self.join_lanes(lanes);
            self.ins.def_var(variable, value);
        }
        let alone = vec![None; of.graph.made.len()];
        // Where all trips find them, which compute none of them anew.
        let upper = self.upper();
        let mut state = Trip { of, alone, together: HashMap::new(), words: HashMap::new(), upper };
        for lanes in of.pairs.constants(&of.graph) {
            self.pair(&mut state, lanes);
        }
        let budget = self.ins.use_var(self.budget);
        self.may_spend(index, budget);
        self.ins.ins().jump(trip, &[]);

        self.ins.switch_to_block(trip);
        for &(pair, variable) in &starts {
            let value = self.ins.use_var(variable);
            state.together.insert(pair, value);
        }
        self.values(&mut state);
        let ends = starts.iter().map(|&(pair, _)| self.pair(&mut state, pair.map(|node| of.graph.end(node))));
        let ends: Vec<Value> = ends.collect();
        let (comparison, a, b) = of.graph.compared;
        let (a, b) = (self.alone(&mut state, a), self.alone(&mut state, b));
        let carried: Vec<(u16, Value)> =
            of.carried().map(|(slot, node)| (slot, self.alone(&mut state, node))).collect();
        for (&(_, variable), end) in starts.iter().zip(ends) {
            self.ins.def_var(variable, end);
        }
        for (slot, value) in carried {
            self.set(slot, value);
        }
        // Cranelift puts what follows if a condition fails next to it: the next trip.
        let ends = self.compare_not(comparison, a, b);
        let [no, yes] = [0, 1].map(|bit| self.ins.ins().iconst(types::I8, bit));
        let again = self.ins.create_block();
        let no = [BlockArg::Value(no)];
        self.ins.ins().brif(ends, left, &no, again, &[]);
        self.ins.seal_block(again);
        self.ins.switch_to_block(again);
        let budget = self.ins.use_var(self.budget);
        let length = self.constant(length);
        let short = self.ins.ins().icmp(IntCC::SignedLessThan, budget, length);
        let pays = self.ins.create_block();
        self.ins.ins().brif(short, left, &[BlockArg::Value(yes)], pays, &[]);
        self.ins.seal_block(pays);
        self.ins.switch_to_block(pays);
        let budget = self.ins.ins().isub(budget, length);
        self.ins.def_var(self.budget, budget);
        if self.region.timed {
            self.begin_record(index);
        }
        self.ins.ins().jump(trip, &[]);
        self.ins.seal_block(trip);

        self.ins.seal_block(left);
        self.ins.switch_to_block(left);
        self.count_paid(index, 0);
        for &(slot, node) in &of.graph.ends {
            if of.carried().all(|(carried, _)| carried != slot) {
                let value = self.alone(&mut state, node);
                self.set(slot, value);
            }
        }
        let stays = self.ins.block_params(left)[0];
        let out = self.ins.create_block();
        self.ins.ins().brif(stays, self.blocks[index], &[], out, &[]);
        self.ins.seal_block(out);
        self.ins.switch_to_block(out);
        self.go(of.elsewhere);
    }

    /// What is needed of a trip, in about the order in which the host can compute it: chains of operations side by side,
    /// where the program may have one after another. What registers hold when it begins is read first, before they are
    /// set.
    fn values(&mut self, trip: &mut Trip<'_>) {
        let graph = &trip.of.graph;
        let depths = trip.of.pairs.depths(graph);
        let mut nodes: Vec<Node> = (0..graph.made.len()).filter(|&node| graph.live[node]).collect();
        nodes.sort_by_key(|&node| depths[node]);
        for node in nodes {
            match (trip.of.pairs.of[node], graph.made[node]) {
                (_, Made::Constant(_)) => {}
                (Some((pair, _)), _) => {
                    let pair = trip.of.pairs.pairs[pair];
                    if pair.iter().max() == Some(&node) {
                        self.pair(trip, pair);
                    }
                }
                (None, _) => {
                    self.alone(trip, node);
                }
            }
        }
    }

    fn started(&mut self, of: &Loop, node: Node) -> Value {
        match of.graph.made[node] {
            Made::Start(register) => self.get(register),
            _ => self.constant(0),
        }
    }

    /// A value by itself.
    fn alone(&mut self, trip: &mut Trip<'_>, node: Node) -> Value {
        if let Some(value) = trip.alone[node] {
            return value;
        }
        let value = match (trip.of.pairs.of[node], trip.of.graph.made[node]) {
            (Some((pair, lane)), _) => {
                let lanes = self.pair(trip, trip.of.pairs.pairs[pair]);
                self.ins.ins().extractlane(lanes, lane as u8)
            }
            (None, Made::Start(_)) => self.started(trip.of, node),
            (None, Made::Constant(number)) => self.constant(number),
            (None, Made::Bytes(of, bytes)) => {
                let of = self.alone(trip, of);
                let lanes = self.ins.ins().scalar_to_vector(types::I64X2, of);
                let lanes = self.bytes_of(lanes, bytes);
                self.ins.ins().extractlane(lanes, 0)
            }
            (None, Made::By(uop, op, operands)) => self.compute_alone(trip, uop, op, operands),
        };
        trip.alone[node] = Some(value);
        value
    }

    fn compute_alone(&mut self, trip: &mut Trip<'_>, uop: Uop, op: Pure, operands: [Node; 3]) -> Value {
        let place = |operand: Operand| match operand {
            Operand::A => 0,
            Operand::B => 1,
            Operand::Imm => 2,
        };
        // All of them first: each may need others that are computed so.
        let values: Vec<(Operand, Value)> = uop
            .op
            .reads()
            .iter()
            .map(|&operand| (operand, self.alone(trip, operands[place(operand)])))
            .collect();
        let mut uop = uop;
        for (operand, value) in values {
            let slot = OPERANDS[place(operand)];
            self.set(slot, value);
            self.largest[usize::from(slot)] = u64::MAX;
            match operand {
                Operand::A => uop.a = slot,
                Operand::B => uop.b = slot,
                Operand::Imm => uop.imm = slot.into(),
            }
        }
        self.compute(uop, op, true).0
    }

    /// Two values in a register.
    fn pair(&mut self, trip: &mut Trip<'_>, nodes: [Node; 2]) -> Value {
        if let Some(&value) = trip.together.get(&nodes) {
            return value;
        }
        let (graph, pairs) = (&trip.of.graph, &trip.of.pairs);
        let value = match nodes.map(|node| (pairs.of[node], graph.made[node])) {
            [(Some((pair, 0)), _), (Some((same, 1)), _)] if pair == same => self.compute_pair(trip, nodes),
            [(Some((first, a)), _), (Some((second, b)), _)] => {
                let (first, second) = (pairs.pairs[first], pairs.pairs[second]);
                let (first, second) = (self.pair(trip, first), self.pair(trip, second));
                let lane =
                    |lane: usize, other: u8| (0..LANE).map(move |byte| LANE * lane as u8 + other + byte);
                self.shuffle(first, second, lane(a, 0).chain(lane(b, 2 * LANE)))
            }
            [(None, Made::Constant(a)), (None, Made::Constant(b))] => {
                let bytes = [a, b].map(u64::to_le_bytes).concat();
                let constant = self.ins.func.dfg.constants.insert(bytes.into());
                self.ins.ins().vconst(types::I64X2, constant)
            }
            _ => {
                let values = nodes.map(|node| self.alone(trip, node));
                self.join_lanes(values)
            }
        };
        trip.together.insert(nodes, value);
        value
    }

    fn join_lanes(&mut self, [first, other]: [Value; 2]) -> Value {
        if first == other {
            return self.ins.ins().splat(types::I64X2, first);
        }
        let lanes = self.ins.ins().scalar_to_vector(types::I64X2, first);
        self.ins.ins().insertlane(lanes, other, 1)
    }

    fn compute_pair(&mut self, trip: &mut Trip<'_>, nodes: [Node; 2]) -> Value {
        let graph = &trip.of.graph;
        let Some(shape) = Shape::of(graph, nodes[0]) else { return self.constant(0) };
        let operands: Vec<[Node; 2]> =
            (0..shape.operands()).map(|operand| nodes.map(|node| operand_of(graph, node, operand))).collect();
        match shape {
            Shape::Plain(Binary::And)
                if operands[1].map(|node| graph.made[node]) == [Made::Constant(LOW); 2] =>
            {
                let a = self.pair(trip, operands[0]);
                self.low_words(trip, a)
            }
            Shape::Plain(op) => {
                let (a, b) = (self.pair(trip, operands[0]), self.pair(trip, operands[1]));
                match op {
                    Binary::Sub64 => self.ins.ins().isub(a, b),
                    Binary::And => self.ins.ins().band(a, b),
                    Binary::Or => self.ins.ins().bor(a, b),
                    Binary::Xor => self.ins.ins().bxor(a, b),
                    _ => self.ins.ins().iadd(a, b),
                }
            }
            Shape::Shift(op, bits) => {
                let (a, bits) = (self.pair(trip, operands[0]), self.constant(bits.into()));
                if op == Binary::Shr { self.ins.ins().ushr(a, bits) } else { self.ins.ins().ishl(a, bits) }
            }
            Shape::Bytes(bytes) => {
                let of = self.pair(trip, operands[0]);
                self.bytes_of(of, bytes)
            }
            Shape::Words(_) | Shape::ShiftWords(..) => {
                let words = self.words(trip, nodes);
                self.low_words(trip, words)
            }
            Shape::Extends => {
                let words = self.words(trip, operands[0]);
                let low = [0, 1, 2, 3, 8, 9, 10, 11].into_iter().cycle().take(16);
                let words = self.shuffle(words, words, low);
                let words = self.cast(words, types::I32X4);
                self.ins.ins().swiden_low(words)
            }
        }
    }

    /// Two values of which only the low words count.
    fn words(&mut self, trip: &mut Trip<'_>, nodes: [Node; 2]) -> Value {
        if let Some(&words) = trip.words.get(&nodes) {
            return words;
        }
        let words = self.compute_words(trip, nodes);
        trip.words.insert(nodes, words);
        words
    }

    fn compute_words(&mut self, trip: &mut Trip<'_>, nodes: [Node; 2]) -> Value {
        let graph = &trip.of.graph;
        let paired =
            matches!(nodes.map(|node| trip.of.pairs.of[node]), [Some((a, 0)), Some((b, 1))] if a == b);
        let shape = Shape::of(graph, nodes[0]).filter(|_| paired);
        let operands = |operand| nodes.map(|node| operand_of(graph, node, operand));
        match shape {
            Some(Shape::Words(op)) => {
                let (a, b) = (self.words(trip, operands(0)), self.words(trip, operands(1)));
                let (a, b) = (self.cast(a, types::I32X4), self.cast(b, types::I32X4));
                let words =
                    if op == Binary::Sub32 { self.ins.ins().isub(a, b) } else { self.ins.ins().iadd(a, b) };
                self.cast(words, types::I64X2)
            }
            Some(Shape::ShiftWords(op, bits)) => {
                let a = self.words(trip, operands(0));
                let left = if op == Binary::Ror32 { (32 - bits) % 32 } else { bits };
                let rotates = matches!(op, Binary::Rol32 | Binary::Ror32);
                if rotates && left % 8 == 0 {
                    let bytes = |byte: u32| if byte < 4 { (byte + 4 - left / 8) % 4 } else { byte };
                    return self.bytes_of(a, std::array::from_fn(|byte| bytes(byte as u32) as u8));
                }
                let a = self.cast(a, types::I32X4);
                let amount = |bits: u32| u64::from(bits);
                let (bits, left, right) = (
                    self.constant(amount(bits)),
                    self.constant(amount(left)),
                    self.constant(amount(32 - left)),
                );
                let words = match op {
                    Binary::Shl32 => self.ins.ins().ishl(a, bits),
                    Binary::Sar32 => self.ins.ins().sshr(a, bits),
                    _ => {
                        let (up, down) = (self.ins.ins().ishl(a, left), self.ins.ins().ushr(a, right));
                        self.ins.ins().bor(up, down)
                    }
                };
                self.cast(words, types::I64X2)
            }
            _ => self.pair(trip, nodes),
        }
    }

    fn upper(&mut self) -> Value {
        let lanes = if BLENDS { [0; 2] } else { [LOW; 2] };
        let bytes = lanes.map(u64::to_le_bytes).concat();
        let constant = self.ins.func.dfg.constants.insert(bytes.into());
        self.ins.ins().vconst(types::I64X2, constant)
    }

    /// Of each lane the low word.
    fn low_words(&mut self, trip: &Trip<'_>, lanes: Value) -> Value {
        if !BLENDS {
            return self.ins.ins().band(lanes, trip.upper);
        }
        let low = |byte: u8| byte % LANE < LANE / 2;
        self.shuffle(lanes, trip.upper, (0..2 * LANE).map(|byte| byte + if low(byte) { 0 } else { 2 * LANE }))
    }

    /// Of each lane, these bytes.
    fn bytes_of(&mut self, lanes: Value, bytes: [u8; 8]) -> Value {
        let both = bytes.into_iter().chain(bytes.map(|byte| byte + LANE));
        self.shuffle(lanes, lanes, both)
    }

    fn shuffle(&mut self, a: Value, b: Value, bytes: impl Iterator<Item = u8>) -> Value {
        let bytes = self.ins.func.dfg.immediates.push(bytes.collect::<Vec<u8>>().into());
        let first = self.cast(a, types::I8X16);
        let second = if b == a { first } else { self.cast(b, types::I8X16) };
        let shuffled = self.ins.ins().shuffle(first, second, bytes);
        self.cast(shuffled, types::I64X2)
    }

    fn cast(&mut self, value: Value, ty: Type) -> Value {
        if self.ins.func.dfg.value_type(value) == ty {
            return value;
        }
        self.ins.ins().bitcast(ty, flags(), value)
    }
}

impl Loop {
    /// Registers that a trip passes to the next by themselves, and what is in them at its end.
    fn carried(&self) -> impl Iterator<Item = (u16, Node)> {
        let graph = &self.graph;
        graph.ends.iter().copied().filter(|&(register, _)| {
            let is_start = |&(node, made): &(Node, &Made)| *made == Made::Start(register) && graph.live[node];
            let start = graph.made.iter().enumerate().find(is_start);
            start.is_some_and(|(node, _)| self.pairs.of[node].is_none())
        })
    }
}
