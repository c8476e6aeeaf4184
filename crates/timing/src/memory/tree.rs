//! A memory system: what an access takes on its way down and back.
//!
//! Times and rules of caches and crossbars are those of gem5's classic memory system (mem/xbar.cc, mem/coherent_xbar.cc,
//! mem/cache/base.cc of v24.0). A request reaches what is below a crossbar at once and brings along what the crossbar
//! takes, which a cache or controller adds to its own.

use super::at_rest::AtRest;
use super::dram::{Dram, Tick};
use super::lines::{Line, Lines, Touch};
use super::msi::Msi;
use super::period::Period;

/// What is accessed, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A core wants data or instructions.
    Load,
    /// A core writes bytes.
    Store,
    /// The cache above wants a line.
    Fill,
    /// A line leaves the cache above, and was written.
    WriteBack,
}

impl Kind {
    /// True if bytes are written.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Store | Self::WriteBack)
    }
}

/// An access to bytes that do not cross a line.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub kind: Kind,
    /// Physical.
    pub address: u64,
    pub bytes: u64,
}

/// What an access got.
#[derive(Clone, Copy, Debug)]
pub struct Response {
    /// When it is over.
    pub at: Tick,
    /// The line was written in the cache that gave it, and is no longer so there.
    pub written: bool,
}

/// A cache.
#[derive(Clone, Debug)]
pub struct Cache {
    pub lines: Lines,
    /// Cycles to find a line, to get at its data, and to take what comes from below.
    pub tag: u64,
    pub data: u64,
    pub response: u64,
    pub counts: CacheCounts,
}

/// What a cache saw, by gem5's names.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct CacheCounts {
    /// `overallHits` and `overallMisses`.
    pub hits: u64,
    pub misses: u64,
    /// `writebacks`: lines that left it and were written.
    pub write_backs: u64,
}

/// A crossbar.
#[derive(Clone, Debug)]
pub struct Crossbar {
    /// On the way down: to decide and to forward; on the way back.
    pub request: Tick,
    pub response: Tick,
    pub response_cycles: u64,
    /// Of a packet without data.
    pub header: Tick,
    /// Of the bytes of a cycle, which are a power of two: the exponent.
    pub width: u32,
    /// Until when the way down is taken.
    pub busy_until: Tick,
}

/// A part without its connections.
#[derive(Clone, Debug)]
pub enum Part {
    Cache(Cache),
    Crossbar(Crossbar),
    Dram(Box<Dram>),
    /// Caches of all harts, with their directory.
    Msi(Box<Msi>),
    /// Memory that answers after the same time always.
    Flat(Tick),
}

/// A part, and which is below it.
#[derive(Clone, Debug)]
pub struct Node {
    pub name: String,
    pub part: Part,
    pub below: usize,
}

/// Parts that are connected.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(super) nodes: Vec<Node>,
    /// Of a cycle.
    pub(super) period: Period,
    /// By part.
    pub(super) at_rest: Vec<Option<AtRest>>,
    /// Harts' own caches of data, which see what the others do.
    pub(super) peers: Vec<usize>,
}

impl Tree {
    /// Every `below` is the place of a node further down, except for a memory's.
    pub fn new(nodes: Vec<Node>, period: Tick) -> Self {
        let mut tree = Self { nodes, period: Period::new(period), at_rest: Vec::new(), peers: Vec::new() };
        tree.at_rest = (0..tree.nodes.len()).map(|part| tree.find_at_rest(part)).collect();
        tree
    }

    /// Its parts.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The cycle at which an access is over that a core begins at one.
    #[inline]
    pub fn access(&mut self, part: usize, hart: usize, cycle: u64, request: Request) -> u64 {
        match &mut self.nodes[part].part {
            Part::Msi(msi) => {
                if msi.hits(hart, request) {
                    cycle + msi.hit()
                } else {
                    self.coherent_miss(part, hart, cycle, request)
                }
            }
            Part::Cache(_) if !self.peers.is_empty() => {
                self.snoop(part, cycle, request).unwrap_or_else(|| self.cached(part, cycle, request))
            }
            Part::Cache(_) => self.cached(part, cycle, request),
            Part::Crossbar(_) => {
                let done = self.access_at_rest(part, cycle, request);
                done.unwrap_or_else(|| self.passed(part, cycle, request))
            }
            Part::Dram(_) | Part::Flat(_) => self.passed(part, cycle, request),
        }
    }

    /// [`Lines::changes`] of a cache whose lines only its own hart asks for.
    #[inline]
    pub fn changes(&self, part: usize) -> Option<u64> {
        match &self.nodes[part].part {
            Part::Cache(cache) if self.peers.is_empty() => Some(cache.lines.changes()),
            _ => None,
        }
    }

    /// An access, if it is to the line of its set in such a cache that was used last.
    #[inline]
    pub fn touch_last(&mut self, part: usize, request: Request) -> bool {
        match &mut self.nodes[part].part {
            Part::Cache(cache) if self.peers.is_empty() => {
                cache.lines.touch_last(request.address, request.kind.writes())
            }
            _ => false,
        }
    }

    /// [`super::lines::Lines::used_last`] of a cache.
    #[inline]
    pub fn used_last(&self, part: usize, address: u64) -> Option<(usize, bool)> {
        match &self.nodes[part].part {
            Part::Cache(cache) => cache.lines.used_last(address),
            _ => None,
        }
    }

    #[inline]
    fn cached(&mut self, part: usize, cycle: u64, request: Request) -> u64 {
        let Part::Cache(cache) = &mut self.nodes[part].part else { return cycle };
        match cache.touch(request) {
            Touch::Hit => cycle + cache.latency(request.kind),
            Touch::Miss(victim) => self.missed(part, cycle, request, victim),
        }
    }

    #[inline(never)]
    fn missed(&mut self, part: usize, cycle: u64, request: Request, victim: Option<Line>) -> u64 {
        let response = self.miss(part, cycle * self.period.ps(), 0, request, victim);
        self.period.cycles(response.at)
    }

    #[inline(never)]
    fn passed(&mut self, part: usize, cycle: u64, request: Request) -> u64 {
        let response = self.pass(part, cycle * self.period.ps(), 0, request);
        self.period.cycles(response.at)
    }

    #[inline(never)]
    fn coherent_miss(&mut self, part: usize, hart: usize, cycle: u64, request: Request) -> u64 {
        let (below, period) = (self.nodes[part].below, self.period.ps());
        // What is below is another part of this tree.
        let mut taken = std::mem::replace(&mut self.nodes[part].part, Part::Flat(0));
        let done = match &mut taken {
            Part::Msi(msi) => {
                let memory = |at, line| self.pass(below, at, 0, line).at;
                msi.miss(hart, cycle, period, request, memory)
            }
            _ => cycle,
        };
        self.nodes[part].part = taken;
        done
    }

    /// The first cycle in which a part takes another request that comes at this one.
    pub fn free_at(&self, part: usize, cycle: u64) -> u64 {
        match &self.nodes[part].part {
            Part::Crossbar(crossbar) => cycle.max(self.period.cycles(crossbar.busy_until)),
            _ => cycle,
        }
    }

    /// An access comes to a part, with what it brings along.
    pub(super) fn pass(&mut self, part: usize, at: Tick, delay: Tick, request: Request) -> Response {
        let period = self.period;
        let Node { part: kind, below, .. } = &mut self.nodes[part];
        let below = *below;
        match kind {
            // Nothing is above them but harts.
            Part::Msi(_) => Response { at, written: false },
            Part::Flat(latency) => Response { at: at + delay + *latency, written: false },
            Part::Dram(dram) => {
                let done = if request.kind.writes() {
                    dram.write(at, request.address, request.bytes)
                } else {
                    dram.read(at, request.address, request.bytes)
                };
                Response { at: done + delay, written: false }
            }
            Part::Crossbar(crossbar) => {
                let begin = period.edge(at.max(crossbar.busy_until));
                let writes = request.kind.writes();
                let payload = if writes { crossbar.beats(request.bytes) * period.ps() } else { 0 };
                crossbar.busy_until = begin + crossbar.header + payload;
                let (down, back) = (crossbar.request, crossbar.response);
                // A cache takes a line in while it arrives; a controller waits for all of it.
                let last = if self.is_memory(below) { payload } else { 0 };
                let response = self.pass(below, begin, delay + down + last, request);
                Response { at: period.edge(response.at) + back, ..response }
            }
            Part::Cache(cache) => {
                let edge = period.edge(at);
                match cache.touch(request) {
                    Touch::Hit => {
                        let latency = cache.latency(request.kind) * period.ps();
                        let written = request.kind == Kind::Fill && cache.lines.take_written(request.address);
                        Response { at: edge + period.edge(delay) + latency, written }
                    }
                    Touch::Miss(victim) => self.miss(part, edge, delay, request, victim),
                }
            }
        }
    }

    /// A cache lacks a line; it has taken the place of another one.
    #[inline(never)]
    fn miss(
        &mut self,
        part: usize,
        at: Tick,
        delay: Tick,
        request: Request,
        victim: Option<Line>,
    ) -> Response {
        let period = self.period;
        let Node { part: kind, below, .. } = &mut self.nodes[part];
        let below = *below;
        let Part::Cache(cache) = kind else { return Response { at, written: false } };
        let (tag, back) = (cache.tag * period.ps(), cache.response * period.ps());
        if request.kind == Kind::WriteBack {
            // All of the line is there already.
            self.write_back(part, victim, at + tag + delay);
            return Response { at: at + tag + delay, written: false };
        }
        let (address, bytes) = cache.line_of(request.address);
        // Who shares a line is not given it as one that was written.
        let kind = if self.is_elsewhere(part, address) { Kind::Load } else { Kind::Fill };
        let response = self.pass(below, at + tag + delay, 0, Request { kind, address, bytes });
        let filled = period.edge(response.at);
        if response.written
            && let Part::Cache(cache) = &mut self.nodes[part].part
        {
            cache.lines.set_written(address);
        }
        self.write_back(part, victim, filled + tag);
        Response { at: filled + back, written: false }
    }

    /// A line has left a cache: what was written goes down.
    pub(super) fn write_back(&mut self, part: usize, victim: Option<Line>, at: Tick) {
        let Node { part: kind, below, .. } = &mut self.nodes[part];
        let (below, Part::Cache(cache)) = (*below, kind) else { return };
        let Some(victim) = victim.filter(|victim| victim.written) else { return };
        cache.counts.write_backs += 1;
        let (address, bytes) = (cache.lines.address(victim.number), cache.lines.line_bytes());
        self.pass(below, at, 0, Request { kind: Kind::WriteBack, address, bytes });
    }

    fn is_memory(&self, part: usize) -> bool {
        matches!(self.nodes[part].part, Part::Dram(_) | Part::Flat(_))
    }
}

impl CacheCounts {
    /// With those of another one.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            hits: self.hits + other.hits,
            misses: self.misses + other.misses,
            write_backs: self.write_backs + other.write_backs,
        }
    }
}

impl Crossbar {
    /// Cycles of so many bytes.
    pub(super) const fn beats(&self, bytes: u64) -> u64 {
        bytes.wrapping_add((1 << self.width) - 1) >> self.width
    }
}

impl Cache {
    #[inline]
    pub(super) fn touch(&mut self, request: Request) -> Touch {
        let touch = self.lines.touch(request.address, request.kind.writes());
        if request.kind != Kind::WriteBack {
            *(if touch == Touch::Hit { &mut self.counts.hits } else { &mut self.counts.misses }) += 1;
        }
        touch
    }

    /// Cycles of a hit. Only what is read waits for data.
    #[inline]
    fn latency(&self, kind: Kind) -> u64 {
        if kind.writes() { self.tag } else { self.tag.max(self.data) }
    }

    /// Address and size of a line.
    pub(super) const fn line_of(&self, address: u64) -> (u64, u64) {
        (self.lines.address(self.lines.number(address)), self.lines.line_bytes())
    }
}
