//! A memory system that is built: its parts, which are wired rightly, and where harts are connected to them.

use super::description::{Keys, MOST_HARTS, fail};
use super::lines::Lines;
use super::seen;
use super::tree::{Node, Part, Request, Tree};
use super::{Rest, Seen};
use crate::machine::{Machine, MachineError};

const MOST_PARTS: usize = 64;
const UNCACHED_LINE: u64 = 64;
/// Picoseconds of the longest cycle.
const LEAST_PERIOD: u64 = 10;
const MOST_PERIOD: u64 = 1_000_000_000;

/// A hart's own caches.
pub struct Own<'a> {
    pub fetches: &'a mut Lines,
    /// None if that has data, too.
    pub accesses: Option<&'a mut Lines>,
}

/// A memory system, and where a core is connected to it.
#[derive(Clone)]
pub struct Memory {
    tree: Tree,
    /// The part that each hart fetches from, and the one its accesses to data go to.
    fetches: Vec<usize>,
    accesses: Vec<usize>,
    is_unified: bool,
}

impl Memory {
    /// That of a machine.
    ///
    /// # Errors
    /// [`MachineError::Memory`], which names the part, the key and the rule.
    pub fn new(machine: &Machine) -> Result<Self, MachineError> {
        let Some(described) = &machine.memory else {
            return Err(MachineError::Memory("parts", "there are none".to_owned()));
        };
        if !(LEAST_PERIOD..=MOST_PERIOD).contains(&described.period) {
            return fail("clock", format!("a cycle must take {LEAST_PERIOD} to {MOST_PERIOD} ps"));
        }
        if !(1..=MOST_HARTS).contains(&described.harts) {
            return fail("harts", format!("must be a number from 1 to {MOST_HARTS}"));
        }
        if described.parts.len() > MOST_PARTS {
            return fail("parts", format!("there must be {MOST_PARTS} at most"));
        }
        let names: Vec<&str> = described.parts.iter().map(|part| part.name.as_str()).collect();
        for (number, name) in names.iter().enumerate() {
            if names[..number].contains(name) {
                return fail("parts", format!("two are named '{name}'"));
            }
        }
        let place = |key: &str, wanted: &str| {
            names.iter().position(|name| *name == wanted).ok_or_else(|| {
                MachineError::Memory(
                    "parts",
                    format!("{key}: there is no part '{wanted}'; parts are {}", names.join(", ")),
                )
            })
        };
        let mut nodes = Vec::new();
        for part in &described.parts {
            let keys = Keys::of(part);
            let (kind, below) = keys.part(described.period, described.harts)?;
            let below = below.map(|wanted| place(&format!("{}.below", part.name), &wanted)).transpose()?;
            keys.none_is_left()?;
            nodes.push(Node { name: part.name.clone(), part: kind, below: below.unwrap_or(usize::MAX) });
        }
        let (fetches, accesses) = (place("fetch", &described.fetch)?, place("data", &described.data)?);
        check_wiring(&nodes, &[fetches, accesses])?;
        let mut own = |part: usize| own_copies(&mut nodes, part, described.harts);
        let is_unified = fetches == accesses;
        let fetches = own(fetches);
        let accesses = if is_unified { fetches.clone() } else { own(accesses) };
        let mut tree = Tree::new(nodes, described.period);
        tree.keep_coherent(&accesses);
        Ok(Self { tree, fetches, accesses, is_unified })
    }

    /// That of a machine whose core has caches of its own, with lines of so many bytes.
    ///
    /// # Errors
    /// [`MachineError::Memory`], which names the part, the key and the rule.
    pub fn below(machine: &Machine, line: u64) -> Result<Self, MachineError> {
        let memory = Self::new(machine)?;
        if memory.harts() != 1 {
            return fail("harts", format!("the core '{}' has one hart", machine.core));
        }
        let nodes = memory.tree.nodes();
        let takes = |&entry: &usize| takes_lines(nodes, entry, line);
        match [memory.fetches[0], memory.accesses[0]].iter().find(|entry| !takes(entry)) {
            Some(&entry) => fail(
                "parts",
                format!(
                    "'{}' must take lines of {line} bytes, those of the core '{}'",
                    nodes[entry].name, machine.core
                ),
            ),
            None => Ok(memory),
        }
    }

    /// The cycle at which a fetch is over that begins at one.
    #[inline]
    pub fn fetch(&mut self, hart: usize, cycle: u64, request: Request) -> u64 {
        self.tree.access(self.fetches[hart], hart, cycle, request)
    }

    /// The cycle at which an access is over that begins at one.
    #[inline]
    pub fn access(&mut self, hart: usize, cycle: u64, request: Request) -> u64 {
        self.tree.access(self.accesses[hart], hart, cycle, request)
    }

    /// As long as this is the same, what was fetched while it was may be fetched again, which hits and changes nothing;
    /// `None` if that cannot be told.
    #[inline]
    pub fn fetch_changes(&self, hart: usize) -> Option<u64> {
        if self.is_unified { None } else { self.tree.changes(self.fetches[hart]) }
    }

    /// True if an access hits in the hart's own cache in such a way that nobody can notice, and then it is done.
    #[inline]
    pub fn touch_last(&mut self, hart: usize, request: Request) -> bool {
        self.tree.touch_last(self.accesses[hart], request)
    }

    /// True if [`Memory::used_last`] tells all that decides about accesses: one hart's own cache has its data.
    pub fn keeps_recent(&self) -> bool {
        !self.is_unified && self.harts() == 1 && self.tree.changes(self.accesses[0]).is_some()
    }

    /// True if harts' own caches have all that they fetch and access, and [`Memory::fetch_changes`] tells nothing of that.
    pub fn keeps_ways(&mut self) -> bool {
        self.fetch_changes(0).is_none() && self.own(0).is_some()
    }

    /// The set of a line that a hart's own cache holds, and whether it is written, if it was used last there, which is
    /// what decides that it goes last.
    #[inline]
    pub fn used_last(&self, hart: usize, address: u64) -> Option<(usize, bool)> {
        self.tree.used_last(self.accesses[hart], address)
    }

    /// The hart's own caches, if they have what it fetches and accesses.
    #[inline]
    pub fn own(&mut self, hart: usize) -> Option<Own<'_>> {
        let [fetches, accesses] = [self.fetches[hart], self.accesses[hart]];
        if self.is_unified {
            return Some(Own { fetches: self.tree.lines(fetches, hart)?, accesses: None });
        }
        let [fetches, accesses] = self.tree.lines_of_both([fetches, accesses], hart)?;
        Some(Own { fetches, accesses: Some(accesses) })
    }

    /// True if a fetch hits in the hart's own cache, and then it is done.
    #[inline]
    pub fn fetch_hits(&mut self, hart: usize, request: Request) -> bool {
        self.tree.hits(self.fetches[hart], hart, request)
    }

    /// True if an access hits in the hart's own cache, and then it is done.
    #[inline]
    pub fn access_hits(&mut self, hart: usize, request: Request) -> bool {
        self.tree.hits(self.accesses[hart], hart, request)
    }

    /// When another access may follow one that begins at a cycle, before that is over.
    pub fn free_at(&self, hart: usize, cycle: u64) -> u64 {
        self.tree.free_at(self.accesses[hart], cycle)
    }

    /// Harts.
    pub const fn harts(&self) -> usize {
        self.fetches.len()
    }

    /// Accesses of a hart one after the other from a cycle on, be they fetches or, if these go to the same part, to data,
    /// as long as nothing else happens in the memory.
    #[inline]
    pub fn rest(&mut self, hart: usize, cycle: u64) -> Option<Rest<'_>> {
        self.tree.rest(self.fetches[hart], cycle)
    }

    /// Cycles of a fetch, a load and a store that hit: in a cache, or if there is none, in an open row, or where another
    /// write waits.
    pub fn hits(&self) -> (u64, u64, u64) {
        let of = |part: usize| match &self.tree.nodes()[part].part {
            Part::Cache(cache) => (cache.tag.max(cache.data), cache.tag),
            Part::Msi(msi) => (msi.hit(), msi.hit()),
            _ => self.tree.at_rest(part).unwrap_or_default(),
        };
        let (load, store) = of(self.accesses[0]);
        (of(self.fetches[0]).0, load, store)
    }

    /// Bytes of a line of what fetches and accesses go to; without a cache, gem5's (`System.cache_line_size`).
    pub fn lines(&self) -> (u64, u64) {
        let of = |part: usize| match &self.tree.nodes()[part].part {
            Part::Cache(cache) => cache.lines.line_bytes(),
            Part::Msi(msi) => msi.caches[0].line_bytes(),
            _ => UNCACHED_LINE,
        };
        (of(self.fetches[0]), of(self.accesses[0]))
    }

    /// True if instructions have a cache.
    pub fn caches_instructions(&self) -> bool {
        matches!(self.tree.nodes()[self.fetches[0]].part, Part::Cache(_) | Part::Msi(_))
    }

    /// True if that holds data, too.
    pub const fn is_unified(&self) -> bool {
        self.is_unified
    }

    /// What each part saw. Of caches next to a core, which are not asked about every hit, all accesses are given:
    /// fetches, and those to data.
    pub fn seen(&self, [fetches, accesses]: [u64; 2]) -> Vec<Seen> {
        let of_harts = |part: usize| {
            let of = |entry: usize, count: u64| if entry == part { count } else { 0 };
            of(self.fetches[0], fetches) + of(self.accesses[0], accesses)
        };
        seen::of_nodes(self.tree.nodes(), of_harts)
    }
}

/// A cache that a core is connected to is its own: other harts have one, too. Their places.
fn own_copies(nodes: &mut Vec<Node>, part: usize, harts: usize) -> Vec<usize> {
    if !matches!(nodes[part].part, Part::Cache(_)) {
        return vec![part; harts];
    }
    let copy = |hart: usize| {
        if hart == 0 {
            return part;
        }
        nodes.push(nodes[part].clone());
        nodes.len() - 1
    };
    (0..harts).map(copy).collect()
}

/// Every way down ends at a memory, and every part is on one.
fn check_wiring(nodes: &[Node], entries: &[usize]) -> Result<(), MachineError> {
    let mut reached = vec![false; nodes.len()];
    for &entry in entries {
        let mut at = entry;
        for _ in 0..=nodes.len() {
            reached[at] = true;
            at = nodes[at].below;
            if at == usize::MAX {
                break;
            }
        }
        if at != usize::MAX {
            return fail("parts", format!("what is below '{}' leads back to itself", nodes[at].name));
        }
    }
    match nodes.iter().zip(&reached).find(|(_, reached)| !**reached) {
        Some((node, _)) => fail("parts", format!("nothing is above '{}'", node.name)),
        None => check_lines(nodes),
    }
}

/// Lines that leave a cache fit into a line, or a burst, of what is below it.
fn check_lines(nodes: &[Node]) -> Result<(), MachineError> {
    for node in nodes {
        let line = match &node.part {
            Part::Cache(cache) => cache.lines.line_bytes(),
            Part::Msi(msi) => msi.caches[0].line_bytes(),
            _ => continue,
        };
        let at = past_crossbars(nodes, node.below);
        if let Part::Msi(_) = nodes[at].part {
            return fail("parts", format!("nothing but a core can be above '{}'", nodes[at].name));
        }
        let fits = takes_lines(nodes, at, line);
        if !fits {
            let below = &nodes[at].name;
            return fail("parts", format!("the line of '{}' must be that of '{below}', below it", node.name));
        }
    }
    Ok(())
}

/// The first part on the way down that is not a crossbar.
fn past_crossbars(nodes: &[Node], mut at: usize) -> usize {
    while let Part::Crossbar(_) = nodes[at].part {
        at = nodes[at].below;
    }
    at
}

/// True if lines of so many bytes can be read from and written to a part.
fn takes_lines(nodes: &[Node], entry: usize, line: u64) -> bool {
    match &nodes[past_crossbars(nodes, entry)].part {
        Part::Cache(cache) => cache.lines.line_bytes() == line,
        Part::Dram(dram) => dram.burst_bytes().is_multiple_of(line),
        Part::Msi(_) => false,
        Part::Flat(_) | Part::Crossbar(_) => true,
    }
}
