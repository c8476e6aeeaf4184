//! Which `vtype` each block of a region will most likely begin with.

use engine::block::Block;
use engine::tier::Region;
use engine::uop::Op;
use hart::csr::number;
use hart::vector::Vtype;
use isa::operands::Site;

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

/// `vtype` and `vl` of now, if that is the longest and no instruction of the region sets them: it is a loop after
/// such an instruction, then.
pub fn steady(region: &Region<'_>) -> Option<(Vtype, u64)> {
    let unit = region.vector;
    let (vtype, vl) = (unit.vtype(), unit.vl());
    let mut units =
        region.members.iter().flat_map(|member| &member.block.uops).filter(|uop| uop.op == Op::Unit);
    let is_set = units.any(|&uop| sets_type(shape::site(region, uop)));
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
    let setting = units.map(|&uop| shape::site(region, uop)).find(|&site| sets_type(site))?;
    Some(set_by(region, setting).map_or(Found::Unclear, Found::One))
}

/// True for a `vset` instruction.
pub fn sets_type(site: Site<'_>) -> bool {
    site.effects.writes_csr(number::VTYPE)
}

/// What such an instruction asks for, if that is in its word and supported.
pub fn set_by(region: &Region<'_>, site: Site<'_>) -> Option<Vtype> {
    let vtype = region.vector.supported(site.named("zimm")?);
    (!vtype.illegal).then_some(vtype)
}
