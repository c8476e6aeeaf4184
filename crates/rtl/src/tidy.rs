//! What nothing uses is left out, and what has no name of its own is written where it is used once.

use std::collections::HashMap;

use coredsl::ir::{Expr, Kind, LocalId};

use crate::straight::Straight;

/// Deepest expression that comes of writing others in place.
const DEEPEST: u32 = 12;

pub(crate) fn tidy(straight: &mut Straight) {
    drop_unused(straight);
    let uses = uses(straight);
    let successors = successors(straight);
    let mut in_place: HashMap<LocalId, (Expr, u32)> = HashMap::new();
    let mut kept = Vec::new();
    for (id, mut value) in straight.lets.clone() {
        let depth = substitute(&mut value, &in_place);
        let signal = &straight.signals[id.index()];
        // A value that its variable loses in the next step needs no name either.
        let unnamed = signal.name.is_empty() || successors[id.index()] == Some(&signal.name);
        if uses[id.index()] == 1 && !signal.pinned && unnamed && depth <= DEEPEST {
            in_place.insert(id, (value, depth));
        } else {
            kept.push((id, value));
        }
    }
    for result in &mut straight.results {
        substitute(result, &in_place);
        if let Kind::Local(id) = result.kind
            && let Some(at) = kept.iter().position(|(known, _)| *known == id)
            && uses[id.index()] == 1
            && straight.signals[id.index()].name.is_empty()
        {
            *result = kept.remove(at).1;
        }
    }
    straight.lets = kept;
}

/// Of each signal the name of one that uses it.
fn successors(straight: &Straight) -> Vec<Option<&String>> {
    let mut found = vec![None; straight.signals.len()];
    for (user, value) in &straight.lets {
        value.visit(&mut |expr| {
            if let Kind::Local(id) = expr.kind {
                found[id.index()] = Some(&straight.signals[user.index()].name);
            }
        });
    }
    found
}

fn uses(straight: &Straight) -> Vec<u32> {
    let mut uses = vec![0; straight.signals.len()];
    for expr in straight.exprs() {
        count(expr, &mut uses);
    }
    uses
}

fn count(expr: &Expr, uses: &mut [u32]) {
    expr.visit(&mut |expr| {
        if let Kind::Local(id) = expr.kind {
            uses[id.index()] += 1;
        }
    });
}

fn drop_unused(straight: &mut Straight) {
    let mut uses = vec![0; straight.signals.len()];
    straight.results.iter().for_each(|expr| count(expr, &mut uses));
    let mut kept = Vec::new();
    for (id, value) in std::mem::take(&mut straight.lets).into_iter().rev() {
        if uses[id.index()] > 0 {
            count(&value, &mut uses);
            kept.push((id, value));
        }
    }
    kept.reverse();
    straight.lets = kept;
}

/// Replaces signals by their expressions; the depth of what comes of it.
fn substitute(expr: &mut Expr, in_place: &HashMap<LocalId, (Expr, u32)>) -> u32 {
    if let Kind::Local(id) = expr.kind {
        return match in_place.get(&id) {
            Some((value, depth)) => {
                *expr = value.clone();
                *depth
            }
            None => 0,
        };
    }
    1 + expr.operands_mut().map(|operand| substitute(operand, in_place)).max().unwrap_or(0)
}
