//! Which values of a trip are computed together.

use std::collections::HashSet;

use engine::uop::{Binary, Pure};

use super::graph::{Graph, Made, Node};

/// How many values after another one are looked at for its partner, and how many of these are tried.
const AHEAD: usize = 96;
const TRIED: usize = 8;
/// Fewest pairs that are worth a loop of their own.
const LEAST: usize = 16;

/// What two values have in common that are computed together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// An operation on both operands, lane by lane.
    Plain(Binary),
    /// The same on words, whose upper halves become zero.
    Words(Binary),
    /// A shift or rotation by as much.
    Shift(Binary, u32),
    /// The same of words.
    ShiftWords(Binary, u32),
    /// The extension of a word's sign.
    Extends,
    /// The same bytes.
    Bytes([u8; 8]),
}

impl Shape {
    /// Of a value that can be one of two.
    pub fn of(graph: &Graph, node: Node) -> Option<Self> {
        let (uop, op, [_, b, _]) = match graph.made[node] {
            Made::Bytes(_, bytes) => return Some(Self::Bytes(bytes)),
            Made::By(uop, op, operands) => (uop, op, operands),
            Made::Start(_) | Made::Constant(_) => return None,
        };
        let amount = match graph.made[b] {
            Made::Constant(bits) => u32::try_from(bits).ok(),
            _ => None,
        };
        Some(match (op, amount) {
            (Pure::Binary { op, .. }, amount) => match (op, amount) {
                (Binary::Add64 | Binary::Sub64 | Binary::And | Binary::Or | Binary::Xor, _) => {
                    Self::Plain(op)
                }
                (Binary::Add32 | Binary::Sub32, _) => Self::Words(op),
                (Binary::Shl64 | Binary::Shr, Some(bits @ 0..64)) => Self::Shift(op, bits),
                (Binary::Shl32 | Binary::Sar32 | Binary::Rol32 | Binary::Ror32, Some(bits @ 0..32)) => {
                    Self::ShiftWords(op, bits)
                }
                _ => return None,
            },
            (Pure::Sext, _) if uop.aux == 32 && uop.imm == u64::MAX => Self::Extends,
            _ => return None,
        })
    }

    /// How many operands have lanes.
    pub const fn operands(self) -> usize {
        match self {
            Self::Plain(_) | Self::Words(_) => 2,
            Self::Shift(..) | Self::ShiftWords(..) | Self::Extends | Self::Bytes(_) => 1,
        }
    }

    const fn commutes(self) -> bool {
        match self {
            Self::Plain(op) | Self::Words(op) => !matches!(op, Binary::Sub64 | Binary::Sub32),
            Self::Shift(..) | Self::ShiftWords(..) | Self::Extends | Self::Bytes(_) => false,
        }
    }

    /// About how many operations the host needs for two of them.
    const fn cost(self) -> usize {
        match self {
            Self::Plain(_) | Self::Shift(..) | Self::Bytes(_) => 1,
            Self::Words(_) | Self::Extends => 2,
            Self::ShiftWords(Binary::Rol32 | Binary::Ror32, bits) if bits % 8 != 0 => 3,
            Self::ShiftWords(..) => 1,
        }
    }
}

/// The pairs.
#[derive(Default)]
pub struct Pairs {
    pub pairs: Vec<[Node; 2]>,
    /// Of each value: its pair and lane.
    pub of: Vec<Option<(usize, usize)>>,
}

impl Pairs {
    /// Pairs values that are live. Operands of sums and the like may be exchanged for it.
    pub fn of(graph: &mut Graph) -> Self {
        let mut pairs = Self { pairs: Vec::new(), of: vec![None; graph.made.len()] };
        for first in 0..graph.made.len() {
            let Some(shape) = pairs.shape(graph, first) else { continue };
            let ahead = first + 1..graph.made.len().min(first + AHEAD);
            let mut others: Vec<(usize, bool, Node)> = ahead
                .filter(|&other| pairs.shape(graph, other) == Some(shape))
                .map(|other| {
                    let [as_is, exchanged] =
                        [false, true].map(|exchange| pairs.fit(graph, shape, first, other, exchange));
                    let better = shape.commutes() && exchanged > as_is;
                    (if better { exchanged } else { as_is }, better, other)
                })
                .filter(|&(fit, _, _)| fit > 0)
                .collect();
            others.sort_by_key(|&(fit, _, other)| (usize::MAX - fit, other));
            let apart = |&&(_, _, other): &&(usize, bool, Node)| {
                !pairs.depends(graph, other, first) && !pairs.depends(graph, first, other)
            };
            let Some(&(_, exchange, other)) = others.iter().take(TRIED).find(apart) else { continue };
            if exchange && let Made::By(_, _, operands) = &mut graph.made[other] {
                operands.swap(0, 1);
            }
            pairs.add([first, other]);
            for operand in 0..shape.operands() {
                let lanes = [first, other].map(|node| operand_of(graph, node, operand));
                if pairs.can_begin(graph, lanes) {
                    pairs.add(lanes);
                }
            }
        }
        pairs
    }

    /// Operands that are two numbers.
    pub fn constants(&self, graph: &Graph) -> Vec<[Node; 2]> {
        let operands = |&[first, other]: &[Node; 2]| {
            let operands = Shape::of(graph, first).map_or(0, Shape::operands);
            (0..operands).map(move |operand| [first, other].map(|node| operand_of(graph, node, operand)))
        };
        let is_constant = |&node: &Node| matches!(graph.made[node], Made::Constant(_));
        self.pairs.iter().flat_map(operands).filter(|lanes| lanes.iter().all(is_constant)).collect()
    }

    /// Of each value, how many operations one after another it takes.
    pub fn depths(&self, graph: &Graph) -> Vec<usize> {
        let mut depths = vec![None; graph.made.len()];
        (0..graph.made.len()).map(|node| self.depth(graph, node, &mut depths)).collect()
    }

    fn depth(&self, graph: &Graph, node: Node, known: &mut [Option<usize>]) -> usize {
        if let Some(depth) = known[node] {
            return depth;
        }
        let both = self.of[node].map_or([node; 2], |(pair, _)| self.pairs[pair]);
        let operands: Vec<Node> = both.iter().flat_map(|&node| graph.operands(node)).collect();
        let deepest = operands.into_iter().map(|operand| self.depth(graph, operand, known) + 1).max();
        let depth = deepest.unwrap_or(0);
        both.iter().for_each(|&node| known[node] = Some(depth));
        depth
    }

    /// The shape of a value that is free.
    fn shape(&self, graph: &Graph, node: Node) -> Option<Shape> {
        if !graph.live[node] || self.of[node].is_some() { None } else { Shape::of(graph, node) }
    }

    fn add(&mut self, [first, other]: [Node; 2]) {
        self.of[first] = Some((self.pairs.len(), 0));
        self.of[other] = Some((self.pairs.len(), 1));
        self.pairs.push([first, other]);
    }

    /// True if two values are in registers when the trip begins, and could be in one.
    fn can_begin(&self, graph: &Graph, [a, b]: [Node; 2]) -> bool {
        let is_free = |node: Node| matches!(graph.made[node], Made::Start(_)) && self.of[node].is_none();
        a != b && is_free(a) && is_free(b)
    }

    /// How well the operands of two values go together.
    fn fit(&self, graph: &Graph, shape: Shape, first: Node, other: Node, exchange: bool) -> usize {
        let fit = |operand: usize| {
            let other_operand = if exchange { 1 - operand } else { operand };
            let lanes = [operand_of(graph, first, operand), operand_of(graph, other, other_operand)];
            let constants = lanes.iter().all(|&node| matches!(graph.made[node], Made::Constant(_)));
            match lanes.map(|node| self.of[node]) {
                [Some((pair, 0)), Some((same, 1))] if pair == same => 3,
                _ if constants || self.can_begin(graph, lanes) => 2,
                [Some(_), Some(_)] => 1,
                _ => 0,
            }
        };
        (0..shape.operands()).map(fit).sum()
    }

    /// True if a value cannot be computed before another one, which may be because of their partners.
    fn depends(&self, graph: &Graph, node: Node, on: Node) -> bool {
        let mut seen = vec![false; graph.made.len()];
        let mut waiting: Vec<Node> = graph.operands(node).collect();
        while let Some(node) = waiting.pop() {
            if node == on {
                return true;
            }
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            waiting.extend(graph.operands(node));
            if let Some((pair, lane)) = self.of[node] {
                waiting.push(self.pairs[pair][1 - lane]);
            }
        }
        false
    }

    /// True if the trip is computed by clearly fewer operations than its `uops`.
    pub fn gain(&self, graph: &Graph, uops: usize) -> bool {
        let mut cost = 0;
        let (mut moved, mut apart) = (HashSet::new(), HashSet::new());
        let mut lanes = |lanes: [Node; 2]| match lanes.map(|node| (self.of[node], graph.made[node])) {
            [(Some((pair, 0)), _), (Some((same, 1)), _)] if pair == same => 0,
            [(None, Made::Constant(_)), (None, Made::Constant(_))] => 0,
            _ if !moved.insert(lanes) => 0,
            [(Some(_), _), (Some(_), _)] => 1,
            _ => 3,
        };
        let mut computed = 0;
        for &[first, other] in &self.pairs {
            let Some(shape) = Shape::of(graph, first) else { continue };
            computed += 1;
            cost += shape.cost();
            for operand in 0..shape.operands() {
                cost += lanes([first, other].map(|node| operand_of(graph, node, operand)));
            }
        }
        for &pair in &self.pairs {
            let ends = pair.map(|node| graph.end(node));
            if ends != pair {
                cost += lanes(ends);
            }
        }
        for node in (0..graph.made.len()).filter(|&node| graph.live[node] && self.of[node].is_none()) {
            if let Made::By(..) = graph.made[node] {
                cost += 1;
                apart.extend(graph.operands(node).filter(|&operand| self.of[operand].is_some()));
            }
        }
        cost += 2 * apart.len();
        computed >= LEAST && 4 * cost <= 3 * uops
    }
}

/// An operand with lanes.
pub fn operand_of(graph: &Graph, node: Node, operand: usize) -> Node {
    match graph.made[node] {
        Made::By(_, _, operands) => operands[operand],
        Made::Bytes(of, _) => of,
        Made::Start(_) | Made::Constant(_) => node,
    }
}
