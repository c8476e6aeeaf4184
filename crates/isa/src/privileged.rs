//! What belongs to modes and protection that a hart here does not have.

/// An instruction of a privileged architecture beyond machine and user mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Privileged {
    /// Its mnemonic, if no description has it.
    pub text: Option<&'static str>,
    /// Why it is illegal, and what mends that.
    pub reason: &'static str,
}

const SUPERVISOR: &str = "there is machine mode and user mode, no supervisor mode: build the program for machine mode, or for Linux";
const HYPERVISOR: &str =
    "there is machine mode and user mode, no hypervisor: build the program for machine mode";
const PROTECTION: &str =
    "there is no physical memory protection: leave these registers alone where writing one traps";

/// What `word` is, if it is of supervisor or hypervisor mode, or of physical memory protection (Privileged ISA, "CSR
/// Listing", "Supervisor Instructions").
pub const fn privileged(word: u32) -> Option<Privileged> {
    const SYSTEM: u32 = 0x73;
    if word & 0x7f != SYSTEM {
        return None;
    }
    if word >> 12 & 7 != 0 {
        return csr(word >> 20);
    }
    let (text, reason) = match (word, word >> 25) {
        (0x1020_0073, _) => ("sret", SUPERVISOR),
        (_, 0x09) => ("sfence.vma", SUPERVISOR),
        (_, 0x0b) => ("sinval.vma", SUPERVISOR),
        (0x1800_0073, _) => ("sfence.w.inval", SUPERVISOR),
        (0x1810_0073, _) => ("sfence.inval.ir", SUPERVISOR),
        (_, 0x11) => ("hfence.vvma", HYPERVISOR),
        (_, 0x31) => ("hfence.gvma", HYPERVISOR),
        _ => return None,
    };
    Some(Privileged { text: Some(text), reason })
}

const fn csr(number: u32) -> Option<Privileged> {
    const DELEGATION: [u32; 4] = [0x302, 0x303, 0x312, 0x313];
    let reason = match (number, number >> 8 & 3) {
        (0x3a0..=0x3ef, _) => PROTECTION,
        _ if number == DELEGATION[0] || number == DELEGATION[1] => SUPERVISOR,
        _ if number == DELEGATION[2] || number == DELEGATION[3] => SUPERVISOR,
        (_, 1) => SUPERVISOR,
        (_, 2) => HYPERVISOR,
        _ => return None,
    };
    Some(Privileged { text: None, reason })
}
