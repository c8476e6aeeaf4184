//! What the parts of a memory saw.

use super::tree::{CacheCounts, Node, Part};

/// What a part saw: by name, counts by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// The part's; of harts' own caches, all of them.
    pub part: String,
    /// Its kind: `cache`, `msi` or `dram`.
    pub kind: &'static str,
    /// In gem5's words: `overallMisses`, `readReqs`.
    pub counts: Vec<(&'static str, u64)>,
}

/// What each saw that counts; `of_harts` tells what harts themselves asked a part for.
pub fn of_nodes(nodes: &[Node], of_harts: impl Fn(usize) -> u64) -> Vec<Seen> {
    let mut seen: Vec<Seen> = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        let copies = || nodes.iter().filter(|other| other.name == node.name);
        if nodes[..number].iter().any(|before| before.name == node.name) {
            continue;
        }
        let cached = |of: &dyn Fn(&Part) -> Option<CacheCounts>| {
            let all =
                copies().filter_map(|copy| of(&copy.part)).fold(CacheCounts::default(), CacheCounts::and);
            let hits = of_harts(number).checked_sub(all.misses).filter(|_| of_harts(number) != 0);
            let hits = hits.unwrap_or(all.hits);
            vec![("overallHits", hits), ("overallMisses", all.misses), ("writebacks", all.write_backs)]
        };
        let (kind, counts) = match &node.part {
            Part::Cache(_) => (
                "cache",
                cached(&|part| if let Part::Cache(cache) = part { Some(cache.counts) } else { None }),
            ),
            Part::Msi(_) => {
                ("msi", cached(&|part| if let Part::Msi(msi) = part { Some(msi.counts) } else { None }))
            }
            Part::Dram(dram) => ("dram", dram.counts().named()),
            Part::Crossbar(_) | Part::Flat(_) => continue,
        };
        seen.push(Seen { part: node.name.clone(), kind, counts });
    }
    seen
}
