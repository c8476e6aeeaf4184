//! Processes that share pages against a model in which they have the same cell.

use std::cell::Cell;
use std::collections::BTreeMap;

use hart::fault::Access;
use proptest::prelude::*;

use crate::errno::Errno;
use crate::space::*;

const FIRST: u64 = LOWEST / PAGE;
const WINDOW: u64 = 12;
const MOST_PROCESSES: usize = 5;

#[derive(Clone, Debug)]
enum Operation {
    Map(u64, u64, bool),
    Unmap(u64, u64),
    Protect(u64, u64, bool),
    Discard(u64),
    Write(u64, u8),
    Fork,
    Switch(usize),
    End,
}

/// A process: what each page holds, and whether it may be accessed.
#[derive(Clone, Default)]
struct Model {
    pages: BTreeMap<u64, (Rc<Cell<u8>>, bool, bool)>,
}

impl Model {
    fn fork(&self) -> Self {
        let copy = |(cell, shared, open): &(Rc<Cell<u8>>, bool, bool)| {
            let own = if *shared { Rc::clone(cell) } else { Rc::new(Cell::new(cell.get())) };
            (own, *shared, *open)
        };
        Self { pages: self.pages.iter().map(|(&page, held)| (page, copy(held))).collect() }
    }
}

struct Process {
    space: AddressSpace,
    pages: Pages,
    model: Model,
}

impl Process {
    /// What it has is what the model says.
    fn check(&self) -> Result<(), TestCaseError> {
        for page in FIRST..FIRST + WINDOW {
            let seen = self.pages.read::<1>(page * PAGE + 7, Access::Load).ok().map(|[byte]| byte);
            let held = self.model.pages.get(&page).filter(|(_, _, open)| *open);
            prop_assert_eq!(seen, held.map(|(cell, ..)| cell.get()), "page {}", page);
        }
        let shared = self.model.pages.values().filter(|(_, shared, _)| *shared).count() as u64;
        prop_assert_eq!(self.space.shared_bytes(), shared * PAGE);
        Ok(())
    }
}

/// What happens before another process runs.
fn publish(processes: &mut [Process], current: usize) {
    let (before, rest) = processes.split_at_mut(current);
    let (running, after) = rest.split_first_mut().expect("the current one");
    let others = before.iter_mut().chain(after);
    let mut others: Vec<_> = others.map(|other| (&other.space, &mut other.pages)).collect();
    running.space.publish(&mut running.pages, &mut others);
}

fn apply(processes: &mut Vec<Process>, current: &mut usize, operation: &Operation) {
    let open = Rights::READ | Rights::WRITE;
    if matches!(operation, Operation::Map(..) | Operation::Unmap(..)) {
        publish(processes, *current);
    }
    let Process { space, pages, model } = &mut processes[*current];
    let bytes = |count: u64| count * PAGE;
    match *operation {
        Operation::Map(page, count, shared) => {
            space.map_at(pages, page * PAGE, bytes(count), open).expect("room");
            if shared {
                space.share(page * PAGE, bytes(count)).expect("areas");
            }
            model.pages.extend((page..page + count).map(|page| (page, (Rc::default(), shared, true))));
        }
        Operation::Unmap(page, count) => {
            space.unmap(pages, page * PAGE, bytes(count)).expect("areas");
            model.pages.retain(|other, _| !(page..page + count).contains(other));
        }
        Operation::Protect(page, count, opens) => {
            let rights = if opens { open } else { Rights::NONE };
            let done = space.protect(pages, page * PAGE, bytes(count), rights).is_ok();
            let all = (page..page + count).all(|page| model.pages.contains_key(&page));
            assert_eq!(done, all);
            if all {
                model.pages.range_mut(page..page + count).for_each(|(_, (_, _, may))| *may = opens);
            }
        }
        Operation::Discard(page) => {
            if space.discard(pages, page * PAGE, PAGE).is_ok()
                && let Some((cell, false, _)) = model.pages.get(&page)
            {
                cell.set(0);
            }
        }
        Operation::Write(page, byte) => {
            if pages.write(page * PAGE + 7, [byte]).is_ok() {
                model.pages[&page].0.set(byte);
            }
        }
        Operation::Fork => {
            if processes.len() < MOST_PROCESSES {
                publish(processes, *current);
                let parent = &processes[*current];
                let (space, pages) = parent.space.copy(&parent.pages).expect("memory");
                let model = parent.model.fork();
                processes.push(Process { space, pages, model });
            }
        }
        Operation::Switch(to) => {
            publish(processes, *current);
            *current = to % processes.len();
        }
        Operation::End => {
            if processes.len() > 1 {
                publish(processes, *current);
                processes.remove(*current);
                *current = 0;
            }
        }
    }
}

fn operation() -> impl Strategy<Value = Operation> {
    let page = FIRST..FIRST + WINDOW - 2;
    prop_oneof![
        2 => (page.clone(), 1..4u64, prop::bool::weighted(0.8)).prop_map(|(page, count, shared)| Operation::Map(page, count, shared)),
        1 => (page.clone(), 1..3u64).prop_map(|(page, count)| Operation::Unmap(page, count)),
        2 => (page.clone(), 1..3u64, any::<bool>()).prop_map(|(page, count, opens)| Operation::Protect(page, count, opens)),
        1 => page.clone().prop_map(Operation::Discard),
        8 => (page, any::<u8>()).prop_map(|(page, byte)| Operation::Write(page, byte)),
        2 => Just(Operation::Fork),
        6 => any::<usize>().prop_map(Operation::Switch),
        1 => Just(Operation::End),
    ]
}

proptest! {
    #[test]
    fn what_one_writes_the_others_read(operations in prop::collection::vec(operation(), 1..80)) {
        let budget = Rc::new(Budget::new(1 << 30));
        let (space, pages) = (AddressSpace::new(Xlen::Rv32, &budget), Pages::new(SIZE_32).expect("address space"));
        let mut processes = vec![Process { space, pages, model: Model::default() }];
        let mut current = 0;
        for operation in &operations {
            apply(&mut processes, &mut current, operation);
            processes[current].check()?;
        }
    }
}

#[test]
fn what_is_shared_does_not_grow() {
    let budget = Rc::new(Budget::new(1 << 30));
    let mut space = AddressSpace::new(Xlen::Rv32, &budget);
    let mut pages = Pages::new(SIZE_32).expect("address space");
    let place = LOWEST;
    space.map_at(&mut pages, place, 2 * PAGE, Rights::READ).expect("room");
    space.share(place, 2 * PAGE).expect("areas");
    assert_eq!(space.remap(&mut pages, place, 2 * PAGE, 3 * PAGE, true), Err(Errno::ENOMEM));
    assert_eq!(space.remap(&mut pages, place, 2 * PAGE, PAGE, true), Ok(place));
    assert_eq!(space.shared_bytes(), PAGE);
}
