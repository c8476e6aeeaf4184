//! Any such loops, from anywhere, paused anywhere, with rights that change while they are paused.

use engine::timed::Record;
use engine::{Limits, Machine, Observer, Program, Stop};
use hart::pages::{PAGE, Rights};
use proptest::prelude::*;
use proptest::sample::select;

use super::{
    BOUND, CODE, CODE_PAGE, COUNTER, DATA, DISTANCE, DRIFT, End, HALF, Loop, MOVING, PAGES, Plus, QUIET,
    ROUNDS, STARTS, Step, TABLE, TRIPS, Words, begin, pair, passed_fault, set_rights,
};
use crate::effort::{effort, runner};
use crate::guest::{Screen, program};
use crate::pair::Pair;

const LOADS: [&str; 7] = ["LB", "LBU", "LH", "LHU", "LW", "LWU", "LD"];
const STORES: [&str; 4] = ["SB", "SH", "SW", "SD"];
const STRIDES: [i64; 19] = [0, 1, 2, 3, 4, 8, 8, 16, 24, 56, 2047, -1, -2, -3, -4, -8, -8, -16, -24];
/// Faults after which a run is given up.
const FAULTS: usize = 6;

/// Where an address register begins.
#[derive(Clone, Copy, Debug)]
enum Start {
    /// In the middle of what is granted.
    Quiet,
    /// So many trips before the end of a page, and some bytes.
    Near(u64, i64, i64),
}

/// Up to the next pause.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// Instructions of so many trips, and some more.
    trips: u64,
    more: i64,
    /// What a page grants from then on.
    change: Option<(u64, Rights)>,
}

/// A run of the loop.
#[derive(Clone, Debug)]
struct Run {
    starts: [Start; 5],
    distance: i64,
    /// The end of a page, and how far before it the table begins.
    table: (u64, i64),
    trips: u64,
    /// None: from the first trip, without what is around the loop.
    rounds: Option<u64>,
    drift: i64,
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
struct Case {
    of: Loop,
    strides: [i64; 5],
    after: u32,
    runs: Vec<Run>,
}

fn name() -> impl Strategy<Value = &'static str> {
    prop_oneof![3 => select(&LOADS[..]), 2 => select(&STORES[..])]
}

fn step() -> impl Strategy<Value = Step> {
    let data = || DATA..DATA + 4;
    let offset = prop_oneof![
        3 => -16..=16i64,
        2 => Just(0),
        1 => select(&[-2048, -1024, -40, 40, 1000, 2040, 2047][..]),
    ];
    let plus = prop_oneof![
        8 => Just(Plus::Nothing),
        3 => select(vec![Plus::Register(MOVING[DISTANCE]), Plus::Register(DATA + 3), Plus::Register(0)]),
        2 => (0..3usize).prop_map(Plus::Byte),
        3 => (data(), select(&[0, 1, 7, 60, 255, 1020, 1023][..])).prop_map(|(data, mask)| Plus::Masked(data, mask)),
    ];
    let base = prop_oneof![8 => 0..3usize, 1 => Just(HALF), 2 => Just(MOVING.len())];
    let round = prop_oneof![4 => Just(0), 2 => select(&[1, 2, 8, 16, 512, 1024, 12][..])];
    let access = (name(), base, round, any::<(bool, bool)>(), plus, data(), offset).prop_map(
        |(name, base, round, (rounds_first, exchanged), plus, data, offset)| {
            let (base, plus) = match (base, plus) {
                // Twice the half.
                (HALF, _) => (MOVING[HALF], Plus::Register(MOVING[HALF])),
                (5, Plus::Nothing) => (TABLE, Plus::Byte(0)),
                (5, _) => (TABLE, plus),
                (base, _) => (MOVING[base], plus),
            };
            Step::Access { name, base, round, rounds_first, plus, exchanged, data, offset }
        },
    );
    prop_oneof![
        14 => access,
        2 => (0..5usize, select(&[-8, -3, -1, 1, 5, 8, 16][..])).prop_map(|(base, by)| Step::Move(base, by)),
        1 => (0..3usize, 0..9usize).prop_map(|(base, how)| Step::Change(base, how)),
        2 => (data(), data()).prop_map(|(a, b)| Step::Compute(a, b)),
    ]
}

fn run() -> impl Strategy<Value = Run> {
    let start = || {
        prop_oneof![
            4 => Just(Start::Quiet),
            3 => (0..=PAGES as u64, 0..30i64, -12..=12i64).prop_map(|(page, trips, near)| Start::Near(page, trips, near)),
        ]
    };
    let (none, read, write) = (Rights::NONE, Rights::READ, Rights::WRITE);
    let granted = select(vec![none, read, write, read | write, read | write, read | write]);
    let change = (0..PAGES as u64, granted).prop_filter("code", |&(page, _)| page != CODE_PAGE);
    let change = proptest::option::weighted(0.15, change);
    let part = (prop_oneof![4 => 0..4u64, 1 => 0..40u64], -2..=2i64, change)
        .prop_map(|(trips, more, change)| Part { trips, more, change });
    (
        [start(), start(), start(), start(), start()],
        -32..=32i64,
        (0..=PAGES as u64, select(&[2048, 1036, 1024, 600, 264, 256, 255, 200, 64, 0, -8][..])),
        1..50u64,
        proptest::option::weighted(0.6, 1..6u64),
        prop_oneof![2 => Just(0), 1 => select(&[-512, -64, -8, 1, 8, 24, 400, PAGE as i64, -(PAGE as i64)][..])],
        proptest::collection::vec(part, 3..12),
    )
        .prop_map(|(starts, distance, table, trips, rounds, drift, parts)| {
            Run { starts, distance, table, trips, rounds, drift, parts }
        })
}

fn case() -> impl Strategy<Value = Case> {
    let strides = [
        select(&STRIDES[..]),
        select(&STRIDES[..]),
        select(&STRIDES[..]),
        select(&STRIDES[..]),
        select(&STRIDES[..]),
    ];
    let end = select(vec![End::Down, End::DownAtLeast, End::Up, End::Up, End::At, End::Past, End::Never]);
    (
        proptest::collection::vec(step(), 1..7),
        strides,
        proptest::collection::vec(0..8usize, MOVING.len()),
        (end, proptest::bool::weighted(0.3), 0..4u32),
        proptest::collection::vec(run(), 4..9),
    )
        .prop_map(|(mut steps, strides, places, (end, twice, after), runs)| {
            for (base, (&by, place)) in
                strides.iter().zip(places).enumerate().filter(|(_, (by, _))| **by != 0)
            {
                steps.insert(place.min(steps.len()), Step::Move(base, by));
            }
            Case { of: Loop { steps, end, twice }, strides, after, runs }
        })
}

impl Run {
    /// Where it begins, and with which registers.
    fn begin(&self, case: &Case, words: &Words) -> (u64, Vec<(i64, u64)>) {
        let start = |register: usize| {
            let address = match self.starts[register] {
                Start::Quiet => QUIET as i64 + 0x80 * register as i64,
                Start::Near(page, trips, near) => {
                    let stride = case.strides[register] * if register == HALF { 2 } else { 1 };
                    (page * PAGE) as i64 - trips * stride + near
                }
            };
            match register {
                DISTANCE => self.distance,
                HALF => address >> 1,
                _ => address,
            }
        };
        let mut registers: Vec<(i64, u64)> = Vec::new();
        for (index, (moving, saved)) in MOVING.into_iter().zip(STARTS..).enumerate() {
            registers.extend([(moving, start(index) as u64), (saved, start(index) as u64)]);
        }
        let last = start(0).wrapping_add(case.strides[0].wrapping_mul(self.trips as i64));
        let table = (self.table.0 * PAGE).wrapping_add_signed(-self.table.1);
        registers.extend([
            (COUNTER, if matches!(case.of.end, End::Up) { 0 } else { self.trips }),
            (TRIPS, self.trips),
        ]);
        registers.extend([(BOUND, last as u64), (TABLE, table), (ROUNDS, self.rounds.unwrap_or(1))]);
        registers.extend([(DRIFT, self.drift as u64), (DATA + 3, (self.distance & 15) as u64)]);
        (CODE + if self.rounds.is_some() { 0 } else { 4 * words.before }, registers)
    }
}

/// Runs a case, paused where it says; faults, and runs.
fn play(program: &Program, case: &Case, mut go: impl FnMut(&mut Pair<'_>, u64) -> Stop) -> (usize, usize) {
    let words = case.of.words(program);
    let mut pair = pair(program, &words.all, case.after);
    let context = || format!("{case:x?}");
    let mut all = 0;
    for run in &case.runs {
        let (pc, registers) = run.begin(case, &words);
        begin(&mut pair, pc, &registers);
        let mut faults = 0;
        let rest = Part { trips: 3 * (run.trips + 2), more: 0, change: None };
        for part in run.parts.iter().chain([&rest]) {
            let instructions = (part.trips * words.trip).saturating_add_signed(part.more).max(1);
            let stop = go(&mut pair, instructions);
            faults += usize::from(passed_fault(&mut pair, stop));
            if let Some((page, rights)) = part.change {
                set_rights(&mut pair, page, rights);
            }
            if faults == FAULTS {
                break;
            }
        }
        all += usize::from(faults > 0);
        if run.parts.iter().any(|part| part.change.is_some()) {
            for (page, granted) in (0..).zip(super::rights()) {
                set_rights(&mut pair, page, granted);
            }
        }
    }
    assert_eq!(pair.seen.refused.get(), 0, "{}", context());
    pair.assert_same_memory(context);
    (all, case.runs.len())
}

fn check(cases: u32, salt: u64, go: impl Fn(&mut Pair<'_>, u64) -> Stop) {
    let program = program("rv64ifd_zicsr");
    let counted = std::cell::Cell::new((0, 0));
    let outcome = runner(cases * effort(), salt).run(&case(), |case| {
        let (faults, runs) = play(&program, &case, &go);
        counted.set((counted.get().0 + faults, counted.get().1 + runs));
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    let (faults, runs) = counted.get();
    assert!(faults * 5 > runs && faults * 5 < runs * 4, "{faults} of {runs} runs fault");
}

#[test]
fn loops_through_arrays() {
    check(240, 0x57, |pair, part| pair.run(part, String::new));
}

/// Counts by kind and by address.
struct Counting;

impl Observer for Counting {
    const HISTOGRAM: bool = true;
    const PROFILE: bool = true;
}

#[test]
fn trips_through_arrays_are_counted() {
    check(70, 0x58, |pair, part| {
        let stop = pair.observed(part, || Counting, String::new);
        assert_eq!(pair.compiled.histogram(), pair.interpreted.histogram());
        assert_eq!(pair.compiled.profile(), pair.interpreted.profile());
        stop
    });
}

/// What a timed run is told, and the addresses that were noted.
#[derive(Default)]
struct Told(Vec<(u64, usize, u64, Vec<u64>)>);

impl Observer for Told {
    const TIMED: bool = true;

    fn executed(&mut self, record: &Record<'_>) {
        self.0.push((record.block.pc, record.retired, record.next, record.words.to_vec()));
    }

    fn cycles(&self) -> u64 {
        self.0.len() as u64
    }
}

#[test]
fn a_timed_run_is_told_of_every_trip_through_arrays() {
    check(70, 0x59, |pair, part| {
        let run = |machine: &mut Machine<'_>| {
            let mut told = Told::default();
            let limits = Limits { instructions: Some(machine.hart.retired() + part) };
            (machine.run(limits, &mut told, &mut Screen::default()), told.0)
        };
        let (expected, got) = (run(&mut pair.interpreted), run(&mut pair.compiled));
        assert!(got == expected, "{got:x?}\nexpected {expected:x?}");
        pair.assert_same_harts(String::new);
        got.0
    });
}
