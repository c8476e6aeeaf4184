//! Control and status registers of the minimal M/U machine (Privileged ISA, chapter "Machine-Level
//! ISA"): enough for trap handlers, counters and `riscv-tests`' `-p` environment.

mod access;
mod clock;

pub use clock::Clock;

use isa::Xlen;

pub use isa::csr::number;

/// Privilege mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Default)]
pub enum Privilege {
    /// User.
    User = 0,
    /// Machine, the mode at reset.
    #[default]
    Machine = 3,
}

macro_rules! registers {
    ($($constant:ident)*) => {
        /// The name of a register that the machine has.
        pub const fn name(number: u16) -> Option<&'static str> {
            match number {
                $(number::$constant)|* => isa::csr::single(number),
                _ => None,
            }
        }
    };
}

registers! {
    FFLAGS FRM FCSR VSTART VXSAT VXRM VCSR SEED JVT MSTATUS MISA MIE MTVEC MCOUNTEREN MENVCFG MSTATUSH
    MCOUNTINHIBIT MSCRATCH MEPC MCAUSE MTVAL MIP MCYCLE MINSTRET CYCLE TIME INSTRET VL VTYPE VLENB
    MVENDORID MARCHID MIMPID MHARTID MCONFIGPTR
}

/// `mstatus` fields.
const MIE: u64 = 1 << 3;
const MPIE: u64 = 1 << 7;
const MPP: u64 = 3 << 11;
const FS: u64 = 3 << 13;
const VS: u64 = 3 << 9;
const MPRV: u64 = 1 << 17;
const UXL: u64 = 3 << 32;

/// A CSR access the machine refuses: an illegal instruction.
#[derive(Debug)]
pub struct Refused;

/// The register file.
#[derive(Clone)]
pub struct Csrs {
    xlen: Xlen,
    misa: u64,
    /// Current mode.
    pub privilege: Privilege,
    mstatus: u64,
    /// Trap vector; `None` until the guest has written it.
    pub mtvec: Option<u64>,
    mscratch: u64,
    mepc: u64,
    /// Bits of `mepc` that an instruction address can have.
    mepc_mask: u64,
    mcause: u64,
    mtval: u64,
    mie: u64,
    mcounteren: u64,
    /// What the guest added to the counters by writing them.
    instret_offset: u64,
    cycle_offset: u64,
    /// `mhartid`.
    hart_id: u64,
    /// State of the deterministic entropy source that `seed` reads.
    seed: u64,
    has_seed: bool,
    /// `jvt`, if there is one ("Zcmt" Extension).
    jump_table: Option<u64>,
    /// Fields of `mstatus` for the units there are, FS and VS.
    units: u64,
    /// Floating-point operands are in integer registers: `fcsr` is there without FS ("Zfinx" Extension).
    float_in_x: bool,
}

impl Csrs {
    /// Registers of the hart of this number at reset, in machine mode.
    pub fn new(isa: &isa::Isa, hart_id: u64) -> Self {
        let letters = isa
            .extensions()
            .filter(|name| name.len() == 1)
            .filter_map(|name| name.bytes().next())
            .fold(0, |bits, letter| bits | 1 << (letter - b'a'));
        let letters =
            if ["zba", "zbb", "zbs"].iter().all(|part| isa.has(part)) { letters | 1 << 1 } else { letters };
        // Machine and user mode have one width: misa.MXL, and mstatus.UXL on RV64.
        let (mxl, uxl) = match isa.xlen() {
            Xlen::Rv32 => (1 << 30, 0),
            Xlen::Rv64 => (2 << 62, 2 << 32),
        };
        Self {
            xlen: isa.xlen(),
            misa: mxl | letters | 1 << (b'u' - b'a'),
            privilege: Privilege::Machine,
            mstatus: MPP | uxl,
            mtvec: None,
            mscratch: 0,
            mepc: 0,
            mepc_mask: if isa.has("zca") { !1 } else { !3 },
            mcause: 0,
            mtval: 0,
            mie: 0,
            mcounteren: 0,
            instret_offset: 0,
            cycle_offset: 0,
            hart_id,
            seed: 0x9e37_79b9_7f4a_7c15,
            has_seed: isa.has("zkr"),
            jump_table: isa.has("zcmt").then_some(0),
            units: if isa.has("f") { FS } else { 0 } | if isa.has("zve32x") { VS } else { 0 },
            float_in_x: isa.has("zfinx"),
        }
    }

    /// Register width.
    pub const fn xlen(&self) -> Xlen {
        self.xlen
    }

    /// False if the guest has switched the floating-point unit off.
    #[inline(always)]
    pub const fn float_is_on(&self) -> bool {
        self.mstatus & FS != 0
    }

    /// True if the guest can reach `fcsr` now.
    pub const fn has_float_csrs(&self) -> bool {
        self.float_is_on() || self.float_in_x
    }

    /// Marks the floating-point state as changed by a write of `fcsr`; FS stays zero where there is none.
    pub const fn float_csr_changed(&mut self) {
        if !self.float_in_x {
            self.float_changed();
        }
    }

    /// Marks the floating-point state as changed.
    #[inline(always)]
    pub const fn float_changed(&mut self) {
        self.mstatus |= FS;
    }

    /// Where `mstatus` is in this structure, and what of it is set while the vector unit is on and its state
    /// marked as changed.
    pub(crate) const VECTOR_STATUS: (usize, u64) = (std::mem::offset_of!(Self, mstatus), VS);
    /// The same of the floating-point unit.
    pub(crate) const FLOAT_STATUS: (usize, u64) = (std::mem::offset_of!(Self, mstatus), FS);

    /// False if the guest has switched the vector unit off.
    pub const fn vector_is_on(&self) -> bool {
        self.mstatus & VS != 0
    }

    /// Marks the vector state as changed; false if the guest has switched the unit off.
    #[inline(always)]
    pub const fn use_vector(&mut self) -> bool {
        let on = self.mstatus & VS != 0;
        if on {
            self.mstatus |= VS;
        }
        on
    }

    /// Reads a register.
    ///
    /// # Errors
    /// [`Refused`] if it does not exist or the mode may not read it.
    pub fn read(&mut self, csr: u64, clock: Clock) -> Result<u64, Refused> {
        let number = self.permitted(csr)?;
        let value = self.value(number, clock)?;
        Ok(value & self.xlen.mask())
    }

    /// `mstatus.SD`, the highest bit: some unit's state has changed.
    const fn dirty(&self) -> u64 {
        let dirty = self.mstatus & FS == FS || self.mstatus & VS == VS;
        (dirty as u64) << (self.xlen.bits() - 1)
    }

    fn permitted(&self, csr: u64) -> Result<u16, Refused> {
        let number = u16::try_from(csr).map_err(|_| Refused)?;
        let lowest = (number >> 8) & 3;
        if lowest > self.privilege as u16 { Err(Refused) } else { Ok(number) }
    }

    fn value(&mut self, number: u16, clock: Clock) -> Result<u64, Refused> {
        let instret = clock.instret.wrapping_add(self.instret_offset);
        let cycle = clock.cycle.wrapping_add(self.cycle_offset);
        Ok(match number {
            number::SEED if self.has_seed => self.next_seed(),
            number::JVT => self.jump_table.ok_or(Refused)?,
            number::MSTATUS => self.mstatus | self.dirty(),
            number::MISA => self.misa,
            number::MIE => self.mie,
            number::MTVEC => self.mtvec.unwrap_or(0),
            number::MCOUNTEREN => self.mcounteren,
            number::MSCRATCH => self.mscratch,
            number::MEPC => self.mepc,
            number::MCAUSE => self.mcause,
            number::MTVAL => self.mtval,
            number::MIP
            | number::MENVCFG
            | number::MCOUNTINHIBIT
            | number::MVENDORID
            | number::MARCHID
            | number::MIMPID
            | number::MCONFIGPTR => 0,
            number::MHARTID => self.hart_id,
            number::MCYCLE => cycle,
            number::MINSTRET => instret,
            number::CYCLE | number::TIME | number::INSTRET => {
                self.user_counter(number - number::CYCLE)?;
                if number == number::INSTRET { instret } else { cycle }
            }
            // Performance counters exist and count nothing.
            0xb03..=0xb1f | 0x323..=0x33f => 0,
            0xc03..=0xc1f => {
                self.user_counter(number - number::CYCLE)?;
                0
            }
            _ if self.xlen == Xlen::Rv32 => return self.high_half(number, cycle, instret),
            _ => return Err(Refused),
        })
    }

    fn high_half(&self, number: u16, cycle: u64, instret: u64) -> Result<u64, Refused> {
        Ok(match number {
            number::MSTATUSH => 0,
            0xb80 => cycle >> 32,
            0xb82 => instret >> 32,
            0xc80..=0xc82 => {
                self.user_counter(number - 0xc80)?;
                if number == 0xc82 { instret >> 32 } else { cycle >> 32 }
            }
            0xb83..=0xb9f => 0,
            _ => return Err(Refused),
        })
    }

    fn user_counter(&self, index: u16) -> Result<(), Refused> {
        let enabled = self.privilege == Privilege::Machine || self.mcounteren >> index & 1 == 1;
        if enabled { Ok(()) } else { Err(Refused) }
    }

    /// `seed` returns 16 bits with status ES16 (Scalar Cryptography, "The `seed` CSR"); the bits are a
    /// fixed sequence, so that runs repeat.
    const fn next_seed(&mut self) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        2 << 30 | (self.seed >> 24) & 0xffff
    }

    /// Writes a register.
    ///
    /// # Errors
    /// [`Refused`] if it does not exist, is read-only, or the mode may not write it.
    pub fn write(&mut self, csr: u64, value: u64, clock: Clock) -> Result<(), Refused> {
        let number = self.permitted(csr)?;
        if number >> 10 == 3 {
            return Err(Refused);
        }
        // A counter written by an instruction holds the value for the next one. It is one counter on RV32, too: a write
        // to one half is done instead of the increment of both.
        let after = clock.next();
        let cycle = clock.cycle.wrapping_add(self.cycle_offset);
        let instret = clock.instret.wrapping_add(self.instret_offset);
        match number {
            number::SEED if self.has_seed => {}
            number::JVT => {
                // Mode 0, a jump table, is the only one.
                *self.jump_table.as_mut().ok_or(Refused)? = value & !0x3f;
            }
            number::MSTATUS => {
                let writable = MIE | MPIE | MPP | MPRV | self.units;
                self.mstatus = self.mstatus & UXL | value & writable;
                if !matches!(self.mstatus & MPP, 0 | MPP) {
                    self.mstatus |= MPP;
                }
            }
            // Read-only zero, or nothing to choose.
            number::MISA | number::MIP | number::MENVCFG | number::MSTATUSH | number::MCOUNTINHIBIT => {}
            // Software, timer and external interrupts of machine mode.
            number::MIE => self.mie = value & 0x888,
            number::MTVEC => self.mtvec = Some(value & !3),
            number::MCOUNTEREN => self.mcounteren = value & 0xffff_ffff,
            number::MSCRATCH => self.mscratch = value,
            number::MEPC => self.mepc = value & self.mepc_mask,
            number::MCAUSE => self.mcause = value,
            number::MTVAL => self.mtval = value,
            number::MCYCLE => self.cycle_offset = self.written(value, cycle).wrapping_sub(after.cycle),
            number::MINSTRET => {
                self.instret_offset = self.written(value, instret).wrapping_sub(after.instret)
            }
            0xb80 if self.xlen == Xlen::Rv32 => {
                self.cycle_offset = with_high_half(value, cycle).wrapping_sub(after.cycle);
            }
            0xb82 if self.xlen == Xlen::Rv32 => {
                self.instret_offset = with_high_half(value, instret).wrapping_sub(after.instret);
            }
            0xb03..=0xb1f | 0x323..=0x33f => {}
            0xb83..=0xb9f if self.xlen == Xlen::Rv32 => {}
            _ => return Err(Refused),
        }
        Ok(())
    }

    /// A counter after a write to its only or low half.
    const fn written(&self, value: u64, counter: u64) -> u64 {
        match self.xlen {
            Xlen::Rv64 => value,
            Xlen::Rv32 => counter & !0xffff_ffff | value,
        }
    }

    /// Enters a trap handler; returns its address, or `None` if the guest has set none.
    pub fn trap(&mut self, pc: u64, cause: u64, value: u64) -> Option<u64> {
        let vector = self.mtvec?;
        self.mepc = pc;
        self.mcause = cause;
        self.mtval = value & self.xlen.mask();
        let enabled = self.mstatus & MIE != 0;
        self.mstatus &= !(MIE | MPIE | MPP);
        self.mstatus |= (self.privilege as u64) << 11;
        if enabled {
            self.mstatus |= MPIE;
        }
        self.privilege = Privilege::Machine;
        Some(vector)
    }

    /// `mret`; returns the address to continue at.
    ///
    /// # Errors
    /// [`Refused`] outside machine mode.
    pub fn machine_return(&mut self) -> Result<u64, Refused> {
        if self.privilege != Privilege::Machine {
            return Err(Refused);
        }
        if self.mstatus & MPP == 0 {
            self.privilege = Privilege::User;
            self.mstatus &= !MPRV;
        }
        let enable = self.mstatus & MPIE != 0;
        self.mstatus &= !(MIE | MPP);
        self.mstatus |= MPIE | if enable { MIE } else { 0 };
        Ok(self.mepc)
    }
}

const fn with_high_half(value: u64, counter: u64) -> u64 {
    value << 32 | counter & 0xffff_ffff
}
