//! One guest in both tiers.

use engine::{Blind, Limits, Machine, Observer, Program, Stop};
use hart::csr::{Clock, Csrs, number};
use hart::float::FloatUnit;
use hart::vector::VectorUnit;
use hart::{Address, Htif, Memory, System};
use jit::Jit;

use crate::guest::{BASE, SIZE, Screen};
use crate::state::State;
use crate::watching::{Counting, Stopping, Timing, Tracing};

/// FS and VS of `mstatus`.
const UNITS: u64 = 3 << 13 | 3 << 9;

/// A guest before its first instruction.
#[derive(Clone)]
pub struct Image {
    /// All of memory.
    pub memory: Vec<u8>,
    /// Integer registers.
    pub x: [u64; 32],
    /// Where a trap leads to, if it does not end the run.
    pub handler: Option<u64>,
    /// Of the host-target interface's word.
    pub tohost: Option<u64>,
}

/// What watches a part of a run.
#[derive(Clone, Debug)]
pub enum Watch {
    Nothing,
    Counts,
    /// Visits of these addresses; every so many of them end the part.
    Probes(Vec<u64>, usize),
    Trace,
    /// What time may depend on.
    Time,
}

/// The two machines.
pub struct Pair<'p> {
    interpreted: Machine<'p>,
    compiled: Machine<'p>,
    fresh: (Csrs, FloatUnit, VectorUnit),
    image: Image,
}

impl<'p> Pair<'p> {
    /// Two machines with a guest; the compiler of one is as given.
    pub fn new(program: &'p Program, image: Image, jit: Jit) -> Self {
        Self::with(program, image, Box::new(jit))
    }

    /// The same with any compiler.
    pub fn with(program: &'p Program, image: Image, compiler: Box<dyn engine::tier::Compiler>) -> Self {
        let machine = || {
            let mut memory = Memory::new(Address(BASE), SIZE).expect("a small memory");
            let tohost = image.tohost.map(Address);
            if let Some(tohost) = tohost {
                memory.set_tohost(tohost);
            }
            Machine::new(program, memory, Address(BASE), Htif::new(tohost, None))
        };
        let (mut interpreted, mut compiled) = (machine(), machine());
        compiled.set_compiler(compiler);
        let hart = &mut interpreted.hart;
        // The units are off at reset.
        let status = hart.csrs.read(number::MSTATUS.into(), Clock::default()).expect("it may be read");
        hart.csrs.write(number::MSTATUS.into(), status | UNITS, Clock::default()).expect("it may be written");
        let fresh = (hart.csrs.clone(), hart.float.clone(), hart.vector.clone());
        let mut pair = Self { interpreted, compiled, fresh, image };
        pair.rewind();
        pair
    }

    /// Back to the beginning, but for the count of instructions and for what is translated.
    pub fn rewind(&mut self) {
        for machine in [&mut self.interpreted, &mut self.compiled] {
            let System { hart, memory } = &mut machine.system;
            let bytes = memory.slice_mut(Address(BASE), SIZE).expect("all of it");
            bytes.copy_from_slice(&self.image.memory);
            for (register, value) in (0..).zip(self.image.x) {
                hart.set_x(register, value & self.fresh.0.xlen().mask());
            }
            (hart.csrs, hart.float, hart.vector) = self.fresh.clone();
            hart.csrs.mtvec = self.image.handler;
            memory.drop_reservation();
            hart.set_pc(BASE);
        }
    }

    /// Instructions retired so far, rewound ones included.
    pub fn retired(&self) -> u64 {
        self.interpreted.hart.retired()
    }

    /// An integer register.
    pub fn x(&self, register: u16) -> u64 {
        self.compiled.hart.x(register)
    }

    /// Runs both for at most so many instructions more; says what differs then, else why they stopped.
    pub fn run(&mut self, instructions: u64, watch: &Watch) -> Result<Stop, String> {
        match watch {
            Watch::Nothing => self.watched(instructions, || Blind, |_| ()),
            Watch::Counts => self.watched(instructions, || Counting, |_| ()),
            Watch::Probes(probes, every) => {
                self.watched(instructions, || Stopping::new(probes, *every), |seen| seen.visits)
            }
            Watch::Trace => self.watched(instructions, Tracing::default, |seen| seen.lines),
            Watch::Time => self.watched(instructions, Timing::default, |seen| seen.executed),
        }
    }

    fn watched<O: Observer, T: PartialEq>(
        &mut self,
        instructions: u64,
        observer: impl Fn() -> O,
        seen: impl Fn(O) -> T,
    ) -> Result<Stop, String> {
        let limits = Limits { instructions: Some(self.interpreted.hart.retired() + instructions) };
        let run = |machine: &mut Machine<'_>| {
            let (mut observer, mut screen) = (observer(), Screen::default());
            let stop = machine.run(limits, &mut observer, &mut screen);
            (stop, seen(observer), screen.bytes)
        };
        let (expected, got) = (run(&mut self.interpreted), run(&mut self.compiled));
        if got.0 != expected.0 {
            return Err(format!("{:x?}, not {:x?}", got.0, expected.0));
        }
        if got.1 != expected.1 || got.2 != expected.2 {
            return Err(format!("something else was seen up to {:?}", got.0));
        }
        let (is, should) = (State::of(&mut self.compiled), State::of(&mut self.interpreted));
        is.difference(&should).map_or(Ok(got.0), Err)
    }
}
