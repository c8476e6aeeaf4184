//! The address space against a model that keeps every page by itself.

use std::collections::BTreeMap;

use hart::fault::Access;
use proptest::prelude::*;

use super::*;

/// Pages that may be charged.
const LIMIT: u64 = 40;
const FIRST: u64 = LOWEST / PAGE;
/// Pages that the operations choose among, and around which the heap begins.
const WINDOW: u64 = 48;
const HEAP: u64 = FIRST + 20;

#[derive(Clone, Copy, PartialEq, Debug)]
struct Page {
    rights: Rights,
    charged: bool,
    content: u8,
}

struct Model {
    pages: BTreeMap<u64, Page>,
    heap_end: u64,
}

#[derive(Clone, Debug)]
enum Operation {
    MapAt(u64, u64, Rights),
    MapAnywhere(u64, u64, Rights),
    Unmap(u64, u64),
    Protect(u64, u64, Rights),
    Discard(u64, u64),
    Break(u64),
    Remap(u64, u64, u64, bool),
    Write(u64, u8),
}

impl Model {
    fn charged(&self) -> u64 {
        self.pages.values().filter(|page| page.charged).count() as u64
    }

    fn affords(&self, range: Range<u64>, rights: Rights) -> bool {
        let freed = self.pages.range(range.clone()).filter(|(_, page)| page.charged).count() as u64;
        let wanted = if rights == Rights::NONE { 0 } else { range.end - range.start };
        self.charged() - freed + wanted <= LIMIT
    }

    fn map(&mut self, range: Range<u64>, rights: Rights) {
        let charged = rights != Rights::NONE;
        self.pages.extend(range.map(|page| (page, Page { rights, charged, content: 0 })));
    }

    fn unmap(&mut self, range: Range<u64>) {
        self.pages.retain(|page, _| !range.contains(page));
    }

    fn is_free(&self, range: Range<u64>) -> bool {
        self.pages.range(range).next().is_none()
    }

    fn is_mapped(&self, range: Range<u64>) -> bool {
        range.into_iter().all(|page| self.pages.contains_key(&page))
    }

    /// The highest free place of `count` pages below the stack's room.
    fn highest(&self, count: u64) -> u64 {
        let mut top = (SIZE_32 - gaps::STACK_GAP) / PAGE;
        for &page in self.pages.keys().rev() {
            if page + 1 + count <= top {
                break;
            }
            top = page;
        }
        top - count
    }

    fn move_break(&mut self, wanted: u64) {
        let (old, new) = (self.heap_end.div_ceil(PAGE), wanted.div_ceil(PAGE));
        if wanted < HEAP * PAGE {
            return;
        }
        let rights = Rights::READ | Rights::WRITE;
        if new > old && !(self.is_free(old..new) && self.affords(old..new, rights)) {
            return;
        }
        if new > old {
            self.map(old..new, rights);
        }
        self.unmap(new..old);
        self.heap_end = wanted;
    }
}

fn rights() -> impl Strategy<Value = Rights> {
    let choices = [Rights::NONE, Rights::READ, Rights::READ | Rights::WRITE, Rights::READ | Rights::EXECUTE];
    prop::sample::select(choices.to_vec())
}

fn operation() -> impl Strategy<Value = Operation> {
    let page = FIRST - 1..FIRST + WINDOW;
    let count = 0..12u64;
    prop_oneof![
        (page.clone(), count.clone(), rights())
            .prop_map(|(page, count, rights)| Operation::MapAt(page, count, rights)),
        (page.clone(), count.clone(), rights())
            .prop_map(|(page, count, rights)| Operation::MapAnywhere(page, count, rights)),
        (page.clone(), count.clone()).prop_map(|(page, count)| Operation::Unmap(page, count)),
        (page.clone(), count.clone(), rights())
            .prop_map(|(page, count, rights)| Operation::Protect(page, count, rights)),
        (page.clone(), count.clone()).prop_map(|(page, count)| Operation::Discard(page, count)),
        ((HEAP - 1) * PAGE..(HEAP + 12) * PAGE).prop_map(Operation::Break),
        (page.clone(), count.clone(), count, any::<bool>())
            .prop_map(|(page, old, new, may_move)| Operation::Remap(page, old, new, may_move)),
        (page, 1..=255u8).prop_map(|(page, byte)| Operation::Write(page, byte)),
    ]
}

fn apply(space: &mut AddressSpace, pages: &mut Pages, model: &mut Model, operation: &Operation) {
    match *operation {
        Operation::MapAt(page, count, rights) => {
            let done = space.map_at(pages, page * PAGE, count * PAGE, rights);
            let range = page..page + count;
            let fits = count > 0 && page >= FIRST && model.affords(range.clone(), rights);
            assert_eq!(done.is_ok(), fits);
            if fits {
                model.map(range, rights);
            }
        }
        Operation::MapAnywhere(page, count, rights) => {
            let done = space.map_anywhere(pages, page * PAGE + 1, count * PAGE, rights);
            // Charges nothing that is there: the place is free.
            let fits = count > 0 && model.affords(0..0, rights) && {
                rights == Rights::NONE || model.charged() + count <= LIMIT
            };
            assert_eq!(done.is_ok(), fits);
            if let Ok(address) = done {
                let start = address / PAGE;
                assert!(address.is_multiple_of(PAGE) && model.is_free(start..start + count));
                if page >= FIRST && model.is_free(page..page + count) {
                    assert_eq!(start, page, "a hint that is free is taken");
                } else {
                    assert_eq!(start, model.highest(count));
                }
                model.map(start..start + count, rights);
            }
        }
        Operation::Unmap(page, count) => {
            assert_eq!(space.unmap(pages, page * PAGE, count * PAGE).is_ok(), count > 0);
            model.unmap(page..page + count);
        }
        Operation::Protect(page, count, rights) => {
            let done = space.protect(pages, page * PAGE, count * PAGE, rights);
            let range = page..page + count;
            let fits = model.is_mapped(range.clone()) && model.affords(range.clone(), rights);
            assert_eq!(done.is_ok(), fits || count == 0);
            if fits {
                for (_, page) in model.pages.range_mut(range) {
                    (page.rights, page.charged) = (rights, page.charged || rights != Rights::NONE);
                }
            }
        }
        Operation::Discard(page, count) => {
            let mapped = model.is_mapped(page..page + count);
            assert_eq!(space.discard(pages, page * PAGE, count * PAGE).is_ok(), mapped);
            if mapped {
                model.pages.range_mut(page..page + count).for_each(|(_, page)| page.content = 0);
            }
        }
        Operation::Break(wanted) => {
            model.move_break(wanted);
            assert_eq!(space.set_break(pages, wanted), model.heap_end);
        }
        Operation::Remap(page, old, new, may_move) => {
            let done = space.remap(pages, page * PAGE, old * PAGE, new * PAGE, may_move);
            remap(model, page, old, new, may_move, done);
        }
        Operation::Write(page, byte) => {
            if let Some(target) = pages.slice_mut(page * PAGE + 7, 1) {
                target[0] = byte;
                model.pages.get_mut(&page).expect("a page that may be written").content = byte;
            }
        }
    }
}

fn remap(model: &mut Model, page: u64, old: u64, new: u64, may_move: bool, done: Result<u64, Errno>) {
    let range = page..page + old;
    let like = |other: &Page, first: &Page| (other.rights, other.charged) == (first.rights, first.charged);
    let first = model.pages.get(&page).copied();
    let one = first.filter(|first| {
        model.is_mapped(range.clone()) && model.pages.range(range.clone()).all(|(_, page)| like(page, first))
    });
    let Some(first) = one.filter(|_| old > 0 && new > 0) else {
        assert!(done.is_err());
        return;
    };
    if new <= old {
        assert_eq!(done, Ok(page * PAGE));
        model.unmap(page + new..page + old);
        return;
    }
    let grown = page + old..page + new;
    if model.is_free(grown.clone()) {
        let fits = model.affords(grown.clone(), first.rights);
        assert_eq!(done, if fits { Ok(page * PAGE) } else { Err(Errno::ENOMEM) });
        if fits {
            model.map(grown, first.rights);
        }
        return;
    }
    let growth = if first.charged { new - old } else { 0 };
    let fits = may_move && model.charged() + growth <= LIMIT;
    assert_eq!(done.is_ok(), fits);
    if let Ok(address) = done {
        let start = address / PAGE;
        let moved: Vec<Page> = range.filter_map(|page| model.pages.remove(&page)).collect();
        assert!(model.is_free(start..start + new));
        for offset in 0..new {
            let content = moved.get(offset as usize).map_or(0, |page| page.content);
            model.pages.insert(start + offset, Page { content, ..first });
        }
    }
}

fn check(space: &AddressSpace, pages: &mut Pages, model: &Model) {
    assert_eq!(space.charged, model.charged() * PAGE);
    let elsewhere = (FIRST - 1..FIRST + WINDOW + 12).filter(|page| !model.pages.contains_key(page));
    for page in elsewhere {
        assert!(space.is_free(&(page * PAGE..page * PAGE + PAGE)));
        assert!(!pages.permits(page * PAGE, 1, Access::Load));
    }
    for (&page, expected) in &model.pages {
        let address = page * PAGE;
        let permits = |access| pages.permits(address, PAGE as usize, access);
        assert_eq!(permits(Access::Load), expected.rights.include(Rights::READ));
        assert_eq!(permits(Access::Store), expected.rights.include(Rights::WRITE));
        assert_eq!(permits(Access::Fetch), expected.rights.include(Rights::EXECUTE));
        assert_eq!(space.is_executable(address, PAGE), expected.rights.include(Rights::EXECUTE));
        let content = pages.raw_mut(address + 7, 1).map(|bytes| bytes[0]);
        assert_eq!(content, Some(expected.content), "content of page {page:#x}");
    }
    let areas: Vec<_> = space.areas.iter().collect();
    for pair in areas.windows(2) {
        let ((_, left), (&start, right)) = (pair[0], pair[1]);
        assert!(left.end <= start);
        assert!(
            left.end < start || (left.rights, left.charged) != (right.rights, right.charged),
            "not joined"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn does_what_a_page_by_page_model_does(operations in prop::collection::vec(operation(), 1..60)) {
        let mut space = AddressSpace::new(Xlen::Rv32, &Rc::new(Budget::new(LIMIT * PAGE)));
        let mut pages = Pages::new(space.size()).expect("address space");
        space.start_heap(HEAP * PAGE);
        let mut model = Model { pages: BTreeMap::new(), heap_end: HEAP * PAGE };
        for operation in &operations {
            apply(&mut space, &mut pages, &mut model, operation);
            check(&space, &mut pages, &model);
        }
    }
}

proptest! {
    #[test]
    fn upward_each_lies_above_those_before(
        asked in prop::collection::vec((1..9_u64, prop::option::of(0..40_u64)), 1..30),
    ) {
        let mut space = AddressSpace::new(Xlen::Rv64, &Rc::new(Budget::new(1 << 30)));
        let mut pages = Pages::new(space.size()).expect("address space");
        space.map_upward();
        let base = space.map_anywhere(&mut pages, 0, PAGE, Rights::READ).expect("room");
        prop_assert_eq!(base, 32 << 30);
        let (mut end, mut fixed) = (base + PAGE, Vec::new());
        for (count, at) in asked {
            let bytes = count * PAGE;
            if let Some(page) = at {
                let range = end + page * PAGE..end + page * PAGE + bytes;
                space.map_at(&mut pages, range.start, bytes, Rights::READ).expect("room");
                fixed.push(range);
                continue;
            }
            // What was there before is not taken again, though it is free.
            let start = space.map_anywhere(&mut pages, 0, bytes, Rights::READ).expect("room");
            let free = |start: &u64| fixed.iter().all(|range| range.end <= *start || range.start >= start + bytes);
            let first = (0..).map(|page| end + page * PAGE).find(free);
            prop_assert_eq!(Some(start), first);
            space.unmap(&mut pages, start, bytes).expect("mapped");
            end = start + bytes;
        }
    }
}

#[test]
fn upward_ends_below_the_stack() {
    for xlen in [Xlen::Rv32, Xlen::Rv64] {
        let mut space = AddressSpace::new(xlen, &Rc::new(Budget::new(u64::MAX)));
        let mut pages = Pages::new(space.size()).expect("address space");
        space.map_upward();
        let half = space.size() / 4;
        let first = space.map_anywhere(&mut pages, 0, half, Rights::NONE).expect("room");
        let second = space.map_anywhere(&mut pages, 0, half, Rights::NONE).expect("room");
        assert!(second == first + half || second < first, "{first:x} {second:x}");
        assert!(second.max(first) + half <= space.size() - gaps::STACK_GAP);
    }
}

#[test]
fn refuses_ranges_that_end_nowhere() {
    let mut space = AddressSpace::new(Xlen::Rv64, &Rc::new(Budget::new(1 << 30)));
    let mut pages = Pages::new(space.size()).expect("address space");
    for bytes in [1 << 63, u64::MAX, u64::MAX - PAGE, space.size()] {
        for rights in [Rights::NONE, Rights::READ] {
            assert_eq!(space.map_anywhere(&mut pages, 0, bytes, rights), Err(Errno::ENOMEM));
            assert_eq!(space.map_anywhere(&mut pages, u64::MAX, bytes, rights), Err(Errno::ENOMEM));
            assert_eq!(space.map_at(&mut pages, 1 << 63, bytes, rights), Err(Errno::ENOMEM));
        }
        assert_eq!(space.unmap(&mut pages, PAGE, bytes), Err(Errno::ENOMEM));
    }
    assert_eq!(space.map_at(&mut pages, LOWEST + 1, PAGE, Rights::READ), Err(Errno::EINVAL));
    assert_eq!(space.map_at(&mut pages, 0, PAGE, Rights::READ), Err(Errno::EPERM));
}

#[test]
fn has_no_more_areas_than_linux_allows() {
    let mut space = AddressSpace::new(Xlen::Rv64, &Rc::new(Budget::new(1 << 30)));
    let mut pages = Pages::new(space.size()).expect("address space");
    let size = 2 * MOST_AREAS as u64 * PAGE;
    space.map_at(&mut pages, LOWEST, size, Rights::NONE).expect("nothing is charged");
    let holes = (0..MOST_AREAS as u64).map(|index| LOWEST + (2 * index + 1) * PAGE);
    let refused = holes.map(|hole| space.unmap(&mut pages, hole, PAGE)).find(Result::is_err);
    assert_eq!(refused, Some(Err(Errno::ENOMEM)));
    assert!((MOST_AREAS - 1..=MOST_AREAS).contains(&space.areas.len()));
}
