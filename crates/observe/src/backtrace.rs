//! The calls that led to an address, from the unwinding tables that compilers write (DWARF, "Call Frame
//! Information").

use gimli::{
    BaseAddresses, CfaRule, DebugFrame, EhFrame, EndianSlice, LittleEndian, Register, RegisterRule,
    UnwindContext, UnwindSection, UnwindTableRow,
};
use hart::fault::Access;
use hart::{Address, Memory, System};
use isa::Xlen;
use object::{Object, ObjectSection};

use crate::symbols::section;

/// Most calls shown.
const MOST_FRAMES: usize = 64;
const RA: usize = 1;
const SP: usize = 2;

type Bytes<'f> = EndianSlice<'f, LittleEndian>;

/// Program counters of the calls, the innermost first; what a table does not know ends them.
pub fn backtrace(file: &[u8], system: &System, xlen: Xlen, base: u64) -> Vec<Address> {
    let System { hart, memory } = system;
    let mut registers: [u64; 32] = std::array::from_fn(|index| hart.x(index as u16));
    let tables = Tables::new(file);
    let mut pc = hart.pc().0;
    let mut found = vec![Address(pc)];
    while found.len() < MOST_FRAMES {
        // A return address may already belong to what follows the call.
        let inside = if found.len() == 1 { pc } else { pc.wrapping_sub(1) };
        let caller = tables
            .unwind(inside.wrapping_sub(base), &registers, memory, xlen)
            // A function that has not saved its return address, or a jump to nowhere.
            .or_else(|| (found.len() == 1).then(|| (registers[RA], registers)));
        let Some((next, saved)) = caller else { break };
        if next == 0 || next == pc && saved[SP] == registers[SP] {
            break;
        }
        (pc, registers) = (next, saved);
        found.push(Address(pc));
    }
    found
}

struct Tables<'f> {
    eh_frame: EhFrame<Bytes<'f>>,
    debug_frame: DebugFrame<Bytes<'f>>,
    bases: BaseAddresses,
}

impl<'f> Tables<'f> {
    fn new(file: &'f [u8]) -> Self {
        let address = |name: &str| {
            let file = object::File::parse(file).ok()?;
            file.section_by_name(name).map(|section| section.address())
        };
        let mut bases = BaseAddresses::default();
        if let Some(address) = address(".eh_frame") {
            bases = bases.set_eh_frame(address);
        }
        if let Some(address) = address(".text") {
            bases = bases.set_text(address);
        }
        let mut debug_frame = DebugFrame::from(section(file, ".debug_frame"));
        debug_frame.set_address_size(8);
        Self { eh_frame: EhFrame::from(section(file, ".eh_frame")), debug_frame, bases }
    }

    /// Program counter and registers of the caller of the function at `pc`.
    fn unwind(
        &self,
        pc: u64,
        registers: &[u64; 32],
        memory: &Memory,
        xlen: Xlen,
    ) -> Option<(u64, [u64; 32])> {
        let mut context = UnwindContext::new();
        let row = row(&self.eh_frame, &self.bases, &mut context, pc)
            .or_else(|| row(&self.debug_frame, &self.bases, &mut context, pc))?;
        let CfaRule::RegisterAndOffset { register, offset } = row.cfa() else { return None };
        let cfa = registers.get(usize::from(register.0))?.wrapping_add(*offset as u64) & xlen.mask();
        let mut saved = *registers;
        for (index, slot) in saved.iter_mut().enumerate().skip(1) {
            match row.register(Register(index as u16)) {
                RegisterRule::Offset(offset) => *slot = word(memory, cfa.wrapping_add(offset as u64), xlen)?,
                RegisterRule::ValOffset(offset) => *slot = cfa.wrapping_add(offset as u64),
                RegisterRule::Register(other) => *slot = *registers.get(usize::from(other.0))?,
                _ => {}
            }
        }
        saved[SP] = cfa;
        Some((saved[RA], saved))
    }
}

fn row<'f, S: UnwindSection<Bytes<'f>>>(
    section: &S,
    bases: &BaseAddresses,
    context: &mut UnwindContext<usize>,
    pc: u64,
) -> Option<UnwindTableRow<usize>>
where
    S::Offset: gimli::UnwindOffset<usize>,
{
    let row = section.unwind_info_for_address(bases, context, pc, S::cie_from_offset);
    row.ok().cloned()
}

fn word(memory: &Memory, address: u64, xlen: Xlen) -> Option<u64> {
    match xlen {
        Xlen::Rv32 => {
            memory.read(Address(address), Access::Load).ok().map(|bytes| u32::from_le_bytes(bytes).into())
        }
        Xlen::Rv64 => memory.read(Address(address), Access::Load).ok().map(u64::from_le_bytes),
    }
}
