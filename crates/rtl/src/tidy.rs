//! What nothing uses is left out, and what has no name of its own is written where it is used once.

use std::collections::HashMap;

use coredsl::ir::{Expr, Kind, LocalId};

use crate::straight::Straight;

/// Deepest expression that comes of writing others in place.
const DEEPEST: u32 = 12;

pub(crate) fn tidy(straight: &mut Straight) {
    drop_unused(straight);
    let uses = uses(straight);
    let mut in_place: HashMap<LocalId, (Expr, u32)> = HashMap::new();
    let mut kept = Vec::new();
    for (id, mut value) in std::mem::take(&mut straight.lets) {
        let depth = substitute(&mut value, &in_place);
        let signal = &straight.signals[id.index()];
        let once = uses[id.index()] == 1 && !signal.pinned && signal.name.is_empty();
        if once && depth <= DEEPEST {
            in_place.insert(id, (value, depth));
        } else {
            kept.push((id, value));
        }
    }
    straight.lets = kept;
    for result in &mut straight.results {
        substitute(result, &in_place);
    }
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
