//! A memory system as a machine's file describes it, and what can be wrong with it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::dram::{Dram, Parameters, Tick};
use super::lines::{Lines, Replacement};
use super::msi::Msi;
use super::tree::{Cache, CacheCounts, Crossbar, Part};
use crate::machine::{MachineError, Parameter};

const MOST_BYTES: u64 = 1 << 30;
const MOST_WAYS: u64 = 64;
/// In all copies of a cache.
const MOST_LINES: u64 = 1 << 22;
const MOST_LINE: u64 = 1 << 12;
const MOST_CYCLES: u64 = 1 << 16;
const MOST_WIDTH: u64 = 1 << 12;
pub const MOST_HARTS: usize = 64;
/// Picoseconds of the longest time of a DRAM.
const MOST_TIME: u64 = 1_000_000_000;

/// A memory system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Described {
    /// Picoseconds of a cycle.
    pub period: Tick,
    /// Cores, each with caches of its own.
    pub harts: usize,
    /// The part that fetches go to.
    pub fetch: String,
    /// The part that data accesses go to.
    pub data: String,
    /// Its parts, in the file's order.
    pub parts: Vec<DescribedPart>,
}

/// A part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DescribedPart {
    /// What others call it.
    pub name: String,
    /// `kind`, and those of its kind.
    pub keys: BTreeMap<String, Parameter>,
}

/// The keys of a part, as they are read.
pub struct Keys<'a> {
    of: &'a DescribedPart,
    used: RefCell<Vec<&'static str>>,
}

/// A key whose value breaks a rule.
pub fn fail<T>(key: &'static str, rule: String) -> Result<T, MachineError> {
    Err(MachineError::Memory(key, rule))
}

impl<'a> Keys<'a> {
    /// None of which was read yet.
    pub fn of(part: &'a DescribedPart) -> Self {
        Self { of: part, used: RefCell::default() }
    }
}

impl Keys<'_> {
    /// The part, and what is below it; in so many copies if each hart has one.
    pub fn part(&self, period: Tick, harts: usize) -> Result<(Part, Option<String>), MachineError> {
        let below = || self.name("below").map(Some);
        Ok(match self.name("kind")?.as_str() {
            "cache" => (Part::Cache(self.cache()?), below()?),
            "crossbar" => (Part::Crossbar(self.crossbar(period)?), below()?),
            "msi" => (Part::Msi(Box::new(self.msi(harts)?)), below()?),
            "dram" => (Part::Dram(Box::new(Dram::new(self.dram()?))), None),
            "flat" => (Part::Flat(self.cycles("latency")? * period), None),
            _ => return self.fail("kind", "must be cache, msi, crossbar, dram or flat"),
        })
    }

    fn cache(&self) -> Result<Cache, MachineError> {
        let lines = self.lines(1)?;
        let (tag, data, response) = (self.cycles("tag")?, self.cycles("data")?, self.cycles("response")?);
        Ok(Cache { lines, tag, data, response, counts: CacheCounts::default() })
    }

    fn lines(&self, copies: u64) -> Result<Lines, MachineError> {
        let size = self.number("size", 1..=MOST_BYTES)?;
        let ways = self.number("ways", 1..=MOST_WAYS)?;
        let line = self.power("line", MOST_LINE)?;
        let replacement = match self.name("replacement")?.as_str() {
            "lru" => Replacement::Lru,
            "tree-plru" => Replacement::TreePlru,
            "random" => Replacement::Random,
            _ => return self.fail("replacement", "must be lru, tree-plru or random"),
        };
        if replacement == Replacement::TreePlru && !ways.is_power_of_two() {
            return self.fail("ways", "must be a power of two for tree-plru");
        }
        let sets = size / (ways * line);
        if sets * ways * line != size || !sets.is_power_of_two() {
            return self.fail("size", "must be ways × line × a power of two");
        }
        if sets * ways > MOST_LINES / copies {
            return self.fail("size", &format!("must be of at most {} lines", MOST_LINES / copies));
        }
        Ok(Lines::new(sets as usize, ways as usize, line, replacement))
    }

    fn msi(&self, harts: usize) -> Result<Msi, MachineError> {
        let lines = self.lines(harts as u64)?.filled_in_order();
        let latency = |name| self.cycles(name);
        let latencies = [latency("request")?, latency("response")?, latency("message")?, latency("memory")?];
        Ok(Msi::new(vec![lines; harts], latencies))
    }

    fn crossbar(&self, period: Tick) -> Result<Crossbar, MachineError> {
        let request = self.cycles("frontend")? + self.cycles("forward")? + self.cycles("snoop")?;
        Ok(Crossbar {
            request: request * period,
            response: self.cycles("response")? * period,
            response_cycles: self.cycles("response")?,
            header: self.cycles("header")? * period,
            width: self.power("width", MOST_WIDTH)?.trailing_zeros(),
            busy_until: 0,
        })
    }

    fn dram(&self) -> Result<Parameters, MachineError> {
        let count = |name, most| self.number(name, 1..=most);
        let time = |name| self.number(name, 0..=MOST_TIME);
        let write_queue = count("write_queue", 1 << 12)?;
        let share = |name| Ok::<_, MachineError>((write_queue * self.number(name, 0..=100)? / 100) as usize);
        let p = Parameters {
            ranks: self.power("ranks", 8)?,
            banks: self.power("banks", 64)?,
            bank_groups: self.number("bank_groups", 0..=16)?,
            row_bytes: self.power("row_bytes", 1 << 20)?,
            burst_bytes: self.power("burst_bytes", MOST_LINE)?,
            row_accesses: count("row_accesses", 1 << 20)?,
            t_burst: time("t_burst")?,
            t_rcd: time("t_rcd")?,
            t_cl: time("t_cl")?,
            t_cwl: time("t_cwl")?,
            t_rp: time("t_rp")?,
            t_ras: time("t_ras")?,
            t_rrd: time("t_rrd")?,
            t_ccd_l: time("t_ccd_l")?,
            t_rrd_l: time("t_rrd_l")?,
            t_wtr_l: time("t_wtr_l")?,
            t_xaw: time("t_xaw")?,
            activations: self.number("activations", 0..=16)? as usize,
            t_rfc: time("t_rfc")?,
            t_refi: time("t_refi")?,
            t_wr: time("t_wr")?,
            t_wtr: time("t_wtr")?,
            t_rtp: time("t_rtp")?,
            t_rtw: time("t_rtw")?,
            t_cs: time("t_cs")?,
            frontend: time("frontend")?,
            backend: time("backend")?,
            write_queue: write_queue as usize,
            write_low: share("write_low_percent")?,
            write_high: share("write_high_percent")?,
            writes_per_switch: count("writes_per_switch", 1 << 12)? as usize,
            reads_per_switch: count("reads_per_switch", 1 << 12)? as usize,
        };
        if p.t_refi <= p.t_rp + p.t_rfc + p.t_ras {
            return self.fail("t_refi", "must be greater than t_rp, t_rfc and t_ras together");
        }
        if p.bank_groups > p.banks {
            return self.fail("bank_groups", "must be at most banks");
        }
        if p.write_low >= p.write_high || p.write_high >= p.write_queue {
            return self
                .fail("write_low_percent", "must be less than write_high_percent, and that less than 100");
        }
        if p.t_burst == 0 || p.row_bytes < p.burst_bytes {
            return self.fail("t_burst", "must not be 0, and a row must hold a burst");
        }
        Ok(p)
    }

    fn get(&self, name: &'static str) -> Option<&Parameter> {
        self.used.borrow_mut().push(name);
        self.of.keys.get(name)
    }

    fn number(&self, name: &'static str, range: RangeInclusive<u64>) -> Result<u64, MachineError> {
        let found = match self.get(name) {
            Some(Parameter::Number(value)) => {
                u64::try_from(*value).ok().filter(|value| range.contains(value))
            }
            _ => None,
        };
        let must = || format!("must be a number from {} to {}", range.start(), range.end());
        found.map_or_else(|| self.fail(name, &must()), Ok)
    }

    fn cycles(&self, name: &'static str) -> Result<u64, MachineError> {
        self.number(name, 0..=MOST_CYCLES)
    }

    fn power(&self, name: &'static str, most: u64) -> Result<u64, MachineError> {
        let value = self.number(name, 1..=most)?;
        if value.is_power_of_two() { Ok(value) } else { self.fail(name, "must be a power of two") }
    }

    fn name(&self, name: &'static str) -> Result<String, MachineError> {
        match self.get(name) {
            Some(Parameter::Name(value)) => Ok(value.clone()),
            _ => self.fail(name, "must be a name"),
        }
    }

    /// Refuses keys that nobody read.
    pub fn none_is_left(&self) -> Result<(), MachineError> {
        let used = self.used.borrow();
        match self.of.keys.keys().find(|key| !used.contains(&key.as_str())) {
            Some(key) => {
                let rule =
                    format!("{}.{key}: there is no such key; keys are {}", self.of.name, used.join(", "));
                Err(MachineError::Memory("parts", rule))
            }
            None => Ok(()),
        }
    }

    fn fail<T>(&self, key: &str, must: &str) -> Result<T, MachineError> {
        Err(MachineError::Memory("parts", format!("{}.{key} {must}", self.of.name)))
    }
}
