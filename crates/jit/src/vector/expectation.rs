//! Which `vtype` each block of a region will most likely begin with.

use hart::block::Block;
use hart::tier::Region;
use hart::uop::{Op, Uop};
use hart::vector::Vtype;

use crate::shape;

/// What is known of a block's beginning.
#[derive(Clone, Copy, PartialEq)]
enum Found {
    /// No way there has been seen.
    Nothing,
    /// All ways there agree.
    One(Vtype),
    /// They do not, or one says nothing.
    Unclear,
}

/// Name of the instruction of a unit.
pub fn name<'a>(region: &Region<'a>, uop: Uop) -> &'a str {
    let instruction = region.program.module().instructions.get(usize::from(uop.instruction()));
    instruction.map_or("", |instruction| instruction.name.as_str())
}

/// `vtype` at the beginning of each block of a region: of the first what it is now, of others what the blocks
/// leave that lead to them.
pub fn at_blocks(region: &Region<'_>) -> Vec<Option<Vtype>> {
    let mut found = vec![Found::Nothing; region.members.len()];
    let now = region.vector.vtype();
    if let Some(first) = found.first_mut() {
        *first = if now.illegal { Found::Unclear } else { Found::One(now) };
    }
    let mut waiting: Vec<usize> = (0..found.len().min(1)).collect();
    while let Some(member) = waiting.pop() {
        let block = region.members[member].block;
        let left = left_by(region, block).unwrap_or(found[member]);
        for target in exits(block) {
            let Some(next) = region.members.iter().position(|member| member.pc == target) else { continue };
            let both = match found[next] {
                Found::Nothing => left,
                before if before == left => before,
                _ => Found::Unclear,
            };
            if both != found[next] {
                found[next] = both;
                waiting.push(next);
            }
        }
    }
    found
        .into_iter()
        .map(|found| match found {
            Found::One(vtype) => Some(vtype),
            Found::Nothing | Found::Unclear => None,
        })
        .collect()
}

/// `vtype` and `vl` of now, if that is the longest and no instruction of the region sets them: it is a loop behind
/// such an instruction, then.
pub fn steady(region: &Region<'_>) -> Option<(Vtype, u64)> {
    let unit = region.vector;
    let (vtype, vl) = (unit.vtype(), unit.vl());
    let mut units =
        region.members.iter().flat_map(|member| &member.block.uops).filter(|uop| uop.op == Op::Unit);
    let is_set = units.any(|&uop| name(region, uop).starts_with("VSET"));
    let is_longest = !vtype.illegal && vl == unit.vlmax(vtype.sew, vtype.lmul);
    (is_longest && !is_set).then_some((vtype, vl as u64))
}

fn exits(block: &Block) -> impl Iterator<Item = u64> {
    block.uops.iter().filter(|uop| uop.op.is_exit()).map(|uop| uop.imm)
}

/// What a block's last `vset` instruction sets, if it has one.
fn left_by(region: &Region<'_>, block: &Block) -> Option<Found> {
    let end = shape::compiled(block).checked_sub(1).map_or(0, |last| shape::uops_of(block, last).end);
    let units = block.uops[..end].iter().rev().filter(|uop| uop.op == Op::Unit);
    let mut settings = units.filter(|&&uop| name(region, uop).starts_with("VSET"));
    settings.next().map(|&uop| match set_by(region, name(region, uop), uop.imm as u32) {
        Some(vtype) => Found::One(vtype),
        None => Found::Unclear,
    })
}

/// What an instruction asks for, if that is in its word and supported.
pub fn set_by(region: &Region<'_>, name: &str, word: u32) -> Option<Vtype> {
    let bits = match name {
        "VSETVLI" => word >> 20 & 0x7ff,
        "VSETIVLI" => word >> 20 & 0x3ff,
        _ => return None,
    };
    let vtype = region.vector.supported(bits.into());
    (!vtype.illegal).then_some(vtype)
}
