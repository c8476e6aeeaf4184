//! Which members computed jumps are followed to.

use super::Returns;
use crate::homes::tests::{End, Sketch, with_region};

/// Of blocks that end so.
fn returns(ends: &[End]) -> Vec<Vec<usize>> {
    let sketches: Vec<Sketch> = ends.iter().map(|&end| (vec![], end, 1)).collect();
    with_region(&sketches, |region| {
        let returns = Returns::of(region);
        (0..ends.len()).map(|member| returns.from(member).to_vec()).collect()
    })
}

#[test]
fn a_function_returns_to_what_follows_its_calls() {
    // Two functions (4, 5), of which the second is called twice.
    let ends = [End::Call(4), End::Call(5), End::Call(5), End::To(0), End::Computed, End::Computed];
    assert_eq!(returns(&ends), [vec![], vec![], vec![], vec![], vec![1], vec![2, 3]]);
}

#[test]
fn a_function_that_calls_another_one_returns_from_where_it_ends() {
    // One (2 to 4) that calls another (5), and has a branch on its way.
    let ends = [End::Call(2), End::To(0), End::Either(4, 3), End::Call(5), End::Computed, End::Computed];
    assert_eq!(returns(&ends), [vec![], vec![], vec![], vec![], vec![1], vec![4]]);
}

#[test]
fn a_jump_to_another_function_returns_for_it() {
    // Block 2 is called, and goes on as block 3, which is called as well.
    let ends = [End::Call(2), End::Call(3), End::To(3), End::Computed];
    assert_eq!(returns(&ends), [vec![], vec![], vec![], vec![1, 2]]);
}

#[test]
fn a_jump_of_no_known_function_may_follow_any_call() {
    let ends = [End::Call(3), End::Call(3), End::Computed, End::Computed, End::Computed];
    // Block 2 follows the last call and is in no function that is called; nothing leads to block 4.
    assert_eq!(returns(&ends), [vec![], vec![], vec![1, 2], vec![1, 2], vec![1, 2]]);
    assert_eq!(returns(&[End::Computed, End::To(0)]), [vec![], vec![]]);
}
