//! What is remembered of a process's rights: ranges that were granted, and when they are to be forgotten.

use hart::fault::Access;
use hart::pages::{PAGE, Pages, Rights};
use proptest::prelude::*;
use proptest::sample::select;

const COUNT: u64 = 24;

fn rights() -> impl Strategy<Value = Rights> {
    let (none, read, write) = (Rights::NONE, Rights::READ, Rights::WRITE);
    select(vec![none, read, write, read | write, read | Rights::EXECUTE])
}

/// Rights of all pages, a few runs of them.
fn filled(runs: &[(u64, u64, Rights)]) -> Pages {
    let mut pages = Pages::new(COUNT * PAGE).expect("address space");
    for &(first, count, rights) in runs {
        pages.set_rights(first * PAGE..(first + count).min(COUNT) * PAGE, rights);
    }
    pages
}

proptest! {
    #[test]
    fn what_is_granted_is_permitted_and_no_wider_range_is(
        runs in proptest::collection::vec((0..COUNT, 1..8u64, rights()), 0..12),
        address in prop_oneof![0..(COUNT + 1) * PAGE, any::<u64>()],
        size in 1..5000usize,
        access in select(vec![Access::Load, Access::Store, Access::Fetch]),
    ) {
        let pages = filled(&runs);
        let is_permitted = |page: u64| pages.permits(page * PAGE, 1, access);
        let Some(range) = pages.granted(address, size, access) else {
            prop_assert!(!pages.permits(address, size, access));
            return Ok(());
        };
        prop_assert!(range.start <= address && address + size as u64 <= range.end);
        let (first, end) = (range.start / PAGE, range.end / PAGE);
        prop_assert_eq!((first * PAGE, end * PAGE), (range.start, range.end));
        prop_assert!((first..end).all(is_permitted));
        prop_assert!(first == 0 || !is_permitted(first - 1));
        prop_assert!(end == COUNT || !is_permitted(end));
    }

    /// Rights that are added leave what was granted as it is: no need to forget it, as whenever a heap grows.
    #[test]
    fn a_generation_ends_when_a_right_is_taken_away(
        runs in proptest::collection::vec((0..COUNT, 1..8u64, rights()), 1..12),
        change in (0..COUNT, 1..8u64, rights()),
    ) {
        let mut pages = filled(&runs);
        let all = |pages: &Pages| -> Vec<bool> {
            let granted = |page: u64| [Access::Load, Access::Store, Access::Fetch].map(|access| pages.permits(page * PAGE, 1, access));
            (0..COUNT).flat_map(granted).collect()
        };
        let (before, generation) = (all(&pages), pages.generation());
        let (first, count, rights) = change;
        pages.set_rights(first * PAGE..(first + count).min(COUNT) * PAGE, rights);
        let lost = before.iter().zip(all(&pages)).any(|(&before, after)| before && !after);
        prop_assert_eq!(pages.generation() != generation, lost);
    }
}

#[test]
fn no_two_address_spaces_share_a_generation() {
    let (a, b) = (filled(&[]), filled(&[]));
    assert_ne!(a.generation(), b.generation());
}
