//! The values of a trip, and what they are computed from.

use std::collections::HashMap;

use engine::uop::{Binary, Comparison, FIRST_TEMP, Kind, Operand, Pure, Unary, Uop};

/// Most values of a trip.
const MOST: usize = 1 << 10;
/// In place of a byte's number: zero.
const ZERO: u8 = 0xff;
const AS_IS: [u8; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// A value, by its number. Those it is computed from have smaller ones.
pub type Node = usize;

/// How a value comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Made {
    /// It is in a register when the trip begins.
    Start(u16),
    /// It is a number.
    Constant(u64),
    /// It is computed from the operands that the operation has.
    By(Uop, Pure, [Node; 3]),
    /// It has these bytes of another one.
    Bytes(Node, [u8; 8]),
}

/// The values of a trip.
pub struct Graph {
    pub made: Vec<Made>,
    /// Of registers that the trip writes, the last value.
    pub ends: Vec<(u16, Node)>,
    /// What tells whether there is another trip.
    pub compared: (Comparison, Node, Node),
    /// Values that are needed for these.
    pub live: Vec<bool>,
    /// Bytes of which value a value has.
    bytes: Vec<(Node, [u8; 8])>,
    /// The most that a value can be.
    most: Vec<u64>,
}

impl Graph {
    /// Of a trip that computes, and nothing else.
    pub fn of(body: &[Uop], (comparison, a, b): (Comparison, u16, u16)) -> Option<Self> {
        let compared = (comparison, 0, 0);
        let (made, ends, live) = (Vec::new(), Vec::new(), Vec::new());
        let mut graph = Self { made, ends, compared, live, bytes: Vec::new(), most: Vec::new() };
        let mut slots = HashMap::new();
        for &uop in body {
            let Kind::Pure(op) = uop.op.kind() else { return None };
            let mut operands = [0; 3];
            for operand in uop.op.reads() {
                let (place, slot) = match operand {
                    Operand::A => (0, uop.a),
                    Operand::B => (1, uop.b),
                    Operand::Imm => (2, uop.imm as u16),
                };
                operands[place] = graph.read(&mut slots, slot)?;
            }
            if matches!(op, Pure::Binary { immediate: true, .. } | Pure::Compare { immediate: true, .. }) {
                operands[1] = graph.add(Made::Constant(uop.imm));
            }
            let node = match op {
                Pure::Const => graph.add(Made::Constant(uop.imm)),
                Pure::Unary(Unary::Mov) => operands[0],
                // As the sign of what `srliw` gives.
                Pure::Sext if graph.most[operands[0]] <= uop.imm & i64::MAX as u64 >> uop.aux.min(63) => {
                    operands[0]
                }
                _ => graph.add(Made::By(uop, op, operands)),
            };
            slots.insert(uop.dst, node);
            if graph.made.len() > MOST {
                return None;
            }
        }
        graph.compared = (comparison, graph.read(&mut slots, a)?, graph.read(&mut slots, b)?);
        let mut ends: Vec<(u16, Node)> = slots
            .into_iter()
            .filter(|&(slot, node)| (1..FIRST_TEMP).contains(&slot) && graph.made[node] != Made::Start(slot))
            .collect();
        ends.sort_unstable();
        graph.ends = ends;
        graph.find_live();
        Some(graph)
    }

    fn read(&mut self, slots: &mut HashMap<u16, Node>, slot: u16) -> Option<Node> {
        if slot == 0 {
            return Some(self.add(Made::Constant(0)));
        }
        if let Some(&node) = slots.get(&slot) {
            return Some(node);
        }
        let node = (slot < FIRST_TEMP).then(|| self.add(Made::Start(slot)))?;
        slots.insert(slot, node);
        Some(node)
    }

    fn add(&mut self, made: Made) -> Node {
        let same = |&(_, other): &(Node, &Made)| matches!(made, Made::Constant(_)) && *other == made;
        if let Some((node, _)) = self.made.iter().enumerate().find(same) {
            return node;
        }
        let node = self.made.len();
        let (made, bytes) = self.as_bytes(made).unwrap_or((made, (node, AS_IS)));
        self.most.push(self.most(made));
        self.made.push(made);
        self.bytes.push(bytes);
        node
    }

    fn most(&self, made: Made) -> u64 {
        match made {
            Made::Constant(number) => number,
            Made::By(_, Pure::Binary { op: Binary::And, .. }, [a, b, _]) => self.most[a].min(self.most[b]),
            Made::By(_, Pure::Binary { op: Binary::Shr, .. }, [a, b, _]) => match self.made[b] {
                Made::Constant(bits) => {
                    u32::try_from(bits).ok().and_then(|bits| self.most[a].checked_shr(bits)).unwrap_or(0)
                }
                _ => self.most[a],
            },
            _ => u64::MAX,
        }
    }

    /// What is known of a value's bytes; if they are all those of another one, as in a rotation by whole bytes of two
    /// shifts and an or, that is how it is made.
    fn as_bytes(&self, made: Made) -> Option<(Made, (Node, [u8; 8]))> {
        let Made::By(_, Pure::Binary { op, .. }, [a, b, _]) = made else { return None };
        let (of, bytes) = self.bytes[a];
        let moved = |distance: i64| {
            let from = |to: i64| usize::try_from(to + distance).ok().and_then(|from| bytes.get(from));
            std::array::from_fn(|to| *from(to as i64).unwrap_or(&ZERO))
        };
        let bytes = match (op, self.made[b]) {
            (Binary::Shl64, Made::Constant(bits @ 0..64)) if bits % 8 == 0 => moved(-(bits as i64) / 8),
            (Binary::Shr, Made::Constant(bits @ 0..64)) if bits % 8 == 0 => moved(bits as i64 / 8),
            (Binary::And, Made::Constant(mask)) => {
                let mask = mask.to_le_bytes();
                if mask.iter().any(|&byte| byte != 0 && byte != 0xff) {
                    return None;
                }
                std::array::from_fn(|to| if mask[to] == 0 { ZERO } else { bytes[to] })
            }
            (Binary::Or | Binary::Xor | Binary::Add64, _) => {
                let (of_b, bytes_of_b) = self.bytes[b];
                let both = bytes.iter().zip(&bytes_of_b);
                if of_b != of || both.clone().any(|(&byte, &other)| byte != ZERO && other != ZERO) {
                    return None;
                }
                let joined: [u8; 8] = std::array::from_fn(|to| bytes[to].min(bytes_of_b[to]));
                let made = if joined.contains(&ZERO) { made } else { Made::Bytes(of, joined) };
                return Some((made, (of, joined)));
            }
            _ => return None,
        };
        Some((made, (of, bytes)))
    }

    /// What a value is computed from.
    pub fn operands(&self, node: Node) -> impl Iterator<Item = Node> {
        let (operands, reads, constant) = match self.made[node] {
            Made::Start(_) | Made::Constant(_) => ([0; 3], &[][..], false),
            Made::Bytes(of, _) => ([of, 0, 0], &[Operand::A][..], false),
            Made::By(uop, op, operands) => {
                let constant = matches!(
                    op,
                    Pure::Binary { immediate: true, .. } | Pure::Compare { immediate: true, .. }
                );
                (operands, uop.op.reads(), constant)
            }
        };
        let read = reads.iter().map(move |operand| match operand {
            Operand::A => operands[0],
            Operand::B => operands[1],
            Operand::Imm => operands[2],
        });
        read.chain(constant.then_some(operands[1]))
    }

    /// What is in a register at the trip's end that has this value at its beginning; any other value itself.
    pub fn end(&self, node: Node) -> Node {
        let Made::Start(register) = self.made[node] else { return node };
        self.ends.iter().find(|&&(written, _)| written == register).map_or(node, |&(_, end)| end)
    }

    fn find_live(&mut self) {
        self.live = vec![false; self.made.len()];
        let mut waiting: Vec<Node> = self.ends.iter().map(|&(_, node)| node).collect();
        waiting.extend([self.compared.1, self.compared.2]);
        while let Some(node) = waiting.pop() {
            if !std::mem::replace(&mut self.live[node], true) {
                waiting.extend(self.operands(node));
            }
        }
    }
}
