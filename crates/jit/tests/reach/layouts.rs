//! Where guest memory may lie.

use hart::pages::{PAGE, Pages, Rights};
use hart::{Address, Memory};

/// A guest's memory: where, how much, and whether it is a process's.
#[derive(Clone, Copy, Debug)]
pub enum Layout {
    Flat { base: u64, size: u64, tohost: Option<u64>, other: Option<(u64, u64)> },
    Pages { size: u64, readable: (u64, u64), writable: (u64, u64) },
}

impl Layout {
    /// Layouts at the corners of the address space of a width.
    pub fn all(rv32: bool) -> Vec<Self> {
        let flat = |base, size| Self::Flat { base, size, tohost: None, other: None };
        let mut layouts = vec![
            flat(0x8000_0000, 0x4000),
            // From the beginning, and up to the end of 32 bits.
            flat(0, 0x3000),
            flat(0xffff_e000, 0x2000),
            flat(0x7fff_f000, 0x2000),
            // Less than one check may cover.
            flat(0x1_0000, 0x400),
            Self::Flat {
                base: 0x8000_0000,
                size: 0x3000,
                tohost: Some(0x8000_1ff8),
                other: Some((0x8000_3000, 0x1000)),
            },
            Self::Flat { base: 0x1_0000, size: 0x2000, tohost: Some(0x1_0ffc), other: Some((0x100, 0x100)) },
            Self::Pages { size: 8 * PAGE, readable: (PAGE, 4 * PAGE), writable: (3 * PAGE, 6 * PAGE) },
            // A code page, then nothing, then the last page there is.
            Self::Pages { size: 8 * PAGE, readable: (PAGE, 2 * PAGE), writable: (7 * PAGE, 8 * PAGE) },
        ];
        if rv32 {
            let size = 1 << 32;
            layouts.push(Self::Pages { size, readable: (PAGE, 2 * PAGE), writable: (size - PAGE, size) });
            // Half of it where no address leads.
            layouts.push(flat(0xffff_e000, 0x4000));
        } else {
            layouts.extend([
                flat(0xffff_ffff_ffff_c000, 0x4000),
                flat(0x7fff_ffff_ffff_f000, 0x2000),
                flat(0xffff_f000, 0x2000),
            ]);
        }
        layouts
    }

    /// Address of the first instruction.
    pub const fn code(self) -> u64 {
        match self {
            Self::Flat { base, .. } => base,
            Self::Pages { readable, .. } => readable.0,
        }
    }

    /// Address of the host-target interface's word.
    pub fn tohost(self) -> Option<Address> {
        match self {
            Self::Flat { tohost, .. } => tohost.map(Address),
            Self::Pages { .. } => None,
        }
    }

    /// Addresses around which something ends or begins.
    pub fn edges(self) -> Vec<u64> {
        let mut edges = match self {
            Self::Flat { base, size, tohost, other } => {
                let mut edges = vec![base, base.wrapping_add(size), base.wrapping_add(size / 2)];
                edges.extend(tohost);
                edges.extend(other.into_iter().flat_map(|(base, size)| [base, base + size]));
                edges
            }
            Self::Pages { size, readable, writable } => {
                vec![0, size, readable.0, readable.1, writable.0, writable.1]
            }
        };
        edges.extend([0, 1 << 31, 1 << 32, 1 << 63, 1 << 47]);
        edges
    }

    /// The memory, every byte different from its neighbours, with code in it.
    pub fn memory(self, code: &[u8]) -> Memory {
        match self {
            Self::Flat { base, size, tohost, other } => {
                let mut memory = Memory::new(Address(base), size as usize).expect("a small memory");
                if let Some((base, size)) = other {
                    memory.add_region(Address(base), size as usize).expect("another");
                }
                if let Some(tohost) = tohost {
                    memory.set_tohost(Address(tohost));
                }
                fill(memory.slice_mut(Address(base), size as usize).expect("all of it"));
                memory.slice_mut(Address(base), code.len()).expect("room").copy_from_slice(code);
                memory
            }
            Self::Pages { size, readable, writable } => {
                let mut pages = Pages::new(size).expect("address space");
                for (from, to) in [readable, writable] {
                    fill(pages.raw_mut(from, (to - from) as usize).expect("room"));
                }
                pages.raw_mut(readable.0, code.len()).expect("room").copy_from_slice(code);
                let both = readable.1.min(writable.1);
                pages.set_rights(readable.0..readable.1, Rights::READ);
                pages.set_rights(writable.0..writable.1, Rights::WRITE);
                if writable.0 < both {
                    pages.set_rights(writable.0..both, Rights::READ | Rights::WRITE);
                }
                pages.set_rights(readable.0..readable.0 + PAGE, Rights::READ | Rights::EXECUTE);
                Memory::paged(pages).expect("no host memory is needed")
            }
        }
    }

    /// All that a guest could have written.
    pub fn contents(self, memory: &mut Memory) -> Vec<Vec<u8>> {
        match self {
            Self::Flat { base, size, other, .. } => {
                let mut ranges = vec![(base, size)];
                ranges.extend(other);
                ranges
                    .iter()
                    .map(|&(base, size)| memory.slice(Address(base), size as usize).expect("it").to_vec())
                    .collect()
            }
            Self::Pages { readable, writable, .. } => {
                let pages = memory.pages_mut().expect("a process's");
                [readable, writable]
                    .map(|(from, to)| pages.raw_mut(from, (to - from) as usize).expect("it").to_vec())
                    .to_vec()
            }
        }
    }
}

fn fill(bytes: &mut [u8]) {
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = (index * 37 + index / 256 + 11) as u8;
    }
}
