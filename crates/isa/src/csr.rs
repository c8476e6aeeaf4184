//! Numbers and names of the standard control and status registers, whether a hart has them or not (RISC-V Privileged
//! ISA, chapter "Control and Status Registers"; Debug Specification; Advanced Interrupt Architecture).

use std::borrow::Cow;

macro_rules! registers {
    ($($constant:ident $name:literal $number:literal;)*) => {
        /// Numbers of the registers that are not one of a sequence.
        pub mod number {
            #![allow(missing_docs, reason = "the registers' own names")]
            $(pub const $constant: u16 = $number;)*
        }

        /// The name of a register that is not one of a sequence.
        pub const fn single(number: u16) -> Option<&'static str> {
            match number {
                $($number => Some($name),)*
                _ => None,
            }
        }
    };
}

registers! {
    FFLAGS "fflags" 0x001;
    FRM "frm" 0x002;
    FCSR "fcsr" 0x003;
    VSTART "vstart" 0x008;
    VXSAT "vxsat" 0x009;
    VXRM "vxrm" 0x00a;
    VCSR "vcsr" 0x00f;
    SSP "ssp" 0x011;
    SEED "seed" 0x015;
    JVT "jvt" 0x017;
    CYCLE "cycle" 0xc00;
    TIME "time" 0xc01;
    INSTRET "instret" 0xc02;
    VL "vl" 0xc20;
    VTYPE "vtype" 0xc21;
    VLENB "vlenb" 0xc22;
    CYCLEH "cycleh" 0xc80;
    TIMEH "timeh" 0xc81;
    INSTRETH "instreth" 0xc82;

    SSTATUS "sstatus" 0x100;
    SIE "sie" 0x104;
    STVEC "stvec" 0x105;
    SCOUNTEREN "scounteren" 0x106;
    SENVCFG "senvcfg" 0x10a;
    SIEH "sieh" 0x114;
    SCOUNTINHIBIT "scountinhibit" 0x120;
    SSCRATCH "sscratch" 0x140;
    SEPC "sepc" 0x141;
    SCAUSE "scause" 0x142;
    STVAL "stval" 0x143;
    SIP "sip" 0x144;
    STIMECMP "stimecmp" 0x14d;
    SCTRCTL "sctrctl" 0x14e;
    SCTRSTATUS "sctrstatus" 0x14f;
    SISELECT "siselect" 0x150;
    SIREG "sireg" 0x151;
    SIREG2 "sireg2" 0x152;
    SIREG3 "sireg3" 0x153;
    SIPH "siph" 0x154;
    SIREG4 "sireg4" 0x155;
    SIREG5 "sireg5" 0x156;
    SIREG6 "sireg6" 0x157;
    STOPEI "stopei" 0x15c;
    STIMECMPH "stimecmph" 0x15d;
    SCTRDEPTH "sctrdepth" 0x15f;
    SATP "satp" 0x180;
    SRMCFG "srmcfg" 0x181;
    SCONTEXT "scontext" 0x5a8;
    SCOUNTOVF "scountovf" 0xda0;
    STOPI "stopi" 0xdb0;

    VSSTATUS "vsstatus" 0x200;
    VSIE "vsie" 0x204;
    VSTVEC "vstvec" 0x205;
    VSIEH "vsieh" 0x214;
    VSSCRATCH "vsscratch" 0x240;
    VSEPC "vsepc" 0x241;
    VSCAUSE "vscause" 0x242;
    VSTVAL "vstval" 0x243;
    VSIP "vsip" 0x244;
    VSTIMECMP "vstimecmp" 0x24d;
    VSCTRCTL "vsctrctl" 0x24e;
    VSISELECT "vsiselect" 0x250;
    VSIREG "vsireg" 0x251;
    VSIREG2 "vsireg2" 0x252;
    VSIREG3 "vsireg3" 0x253;
    VSIPH "vsiph" 0x254;
    VSIREG4 "vsireg4" 0x255;
    VSIREG5 "vsireg5" 0x256;
    VSIREG6 "vsireg6" 0x257;
    VSTOPEI "vstopei" 0x25c;
    VSTIMECMPH "vstimecmph" 0x25d;
    VSATP "vsatp" 0x280;
    HSTATUS "hstatus" 0x600;
    HEDELEG "hedeleg" 0x602;
    HIDELEG "hideleg" 0x603;
    HIE "hie" 0x604;
    HTIMEDELTA "htimedelta" 0x605;
    HCOUNTEREN "hcounteren" 0x606;
    HGEIE "hgeie" 0x607;
    HVIEN "hvien" 0x608;
    HVICTL "hvictl" 0x609;
    HENVCFG "henvcfg" 0x60a;
    HEDELEGH "hedelegh" 0x612;
    HIDELEGH "hidelegh" 0x613;
    HTIMEDELTAH "htimedeltah" 0x615;
    HVIENH "hvienh" 0x618;
    HENVCFGH "henvcfgh" 0x61a;
    HTVAL "htval" 0x643;
    HIP "hip" 0x644;
    HVIP "hvip" 0x645;
    HVIPRIO1 "hviprio1" 0x646;
    HVIPRIO2 "hviprio2" 0x647;
    HTINST "htinst" 0x64a;
    HVIPH "hviph" 0x655;
    HVIPRIO1H "hviprio1h" 0x656;
    HVIPRIO2H "hviprio2h" 0x657;
    HGATP "hgatp" 0x680;
    HCONTEXT "hcontext" 0x6a8;
    HGEIP "hgeip" 0xe12;
    VSTOPI "vstopi" 0xeb0;

    MSTATUS "mstatus" 0x300;
    MISA "misa" 0x301;
    MEDELEG "medeleg" 0x302;
    MIDELEG "mideleg" 0x303;
    MIE "mie" 0x304;
    MTVEC "mtvec" 0x305;
    MCOUNTEREN "mcounteren" 0x306;
    MVIEN "mvien" 0x308;
    MVIP "mvip" 0x309;
    MENVCFG "menvcfg" 0x30a;
    MSTATUSH "mstatush" 0x310;
    MEDELEGH "medelegh" 0x312;
    MIDELEGH "midelegh" 0x313;
    MIEH "mieh" 0x314;
    MVIENH "mvienh" 0x318;
    MVIPH "mviph" 0x319;
    MENVCFGH "menvcfgh" 0x31a;
    MCOUNTINHIBIT "mcountinhibit" 0x320;
    MCYCLECFG "mcyclecfg" 0x321;
    MINSTRETCFG "minstretcfg" 0x322;
    MSCRATCH "mscratch" 0x340;
    MEPC "mepc" 0x341;
    MCAUSE "mcause" 0x342;
    MTVAL "mtval" 0x343;
    MIP "mip" 0x344;
    MTINST "mtinst" 0x34a;
    MTVAL2 "mtval2" 0x34b;
    MCTRCTL "mctrctl" 0x34e;
    MISELECT "miselect" 0x350;
    MIREG "mireg" 0x351;
    MIREG2 "mireg2" 0x352;
    MIREG3 "mireg3" 0x353;
    MIPH "miph" 0x354;
    MIREG4 "mireg4" 0x355;
    MIREG5 "mireg5" 0x356;
    MIREG6 "mireg6" 0x357;
    MTOPEI "mtopei" 0x35c;
    MCYCLECFGH "mcyclecfgh" 0x721;
    MINSTRETCFGH "minstretcfgh" 0x722;
    MNSCRATCH "mnscratch" 0x740;
    MNEPC "mnepc" 0x741;
    MNCAUSE "mncause" 0x742;
    MNSTATUS "mnstatus" 0x744;
    MSECCFG "mseccfg" 0x747;
    MSECCFGH "mseccfgh" 0x757;
    MCYCLE "mcycle" 0xb00;
    MINSTRET "minstret" 0xb02;
    MCYCLEH "mcycleh" 0xb80;
    MINSTRETH "minstreth" 0xb82;
    MVENDORID "mvendorid" 0xf11;
    MARCHID "marchid" 0xf12;
    MIMPID "mimpid" 0xf13;
    MHARTID "mhartid" 0xf14;
    MCONFIGPTR "mconfigptr" 0xf15;
    MTOPI "mtopi" 0xfb0;

    TSELECT "tselect" 0x7a0;
    TDATA1 "tdata1" 0x7a1;
    TDATA2 "tdata2" 0x7a2;
    TDATA3 "tdata3" 0x7a3;
    TINFO "tinfo" 0x7a4;
    TCONTROL "tcontrol" 0x7a5;
    MCONTEXT "mcontext" 0x7a8;
    MSCONTEXT "mscontext" 0x7aa;
    DCSR "dcsr" 0x7b0;
    DPC "dpc" 0x7b1;
    DSCRATCH0 "dscratch0" 0x7b2;
    DSCRATCH1 "dscratch1" 0x7b3;
}

/// Registers of consecutive numbers and numbered names.
struct Sequence {
    first: u16,
    count: u16,
    /// Before the number.
    stem: &'static str,
    /// The number in the first one's name.
    from: u16,
    /// After the number.
    suffix: &'static str,
}

const fn sequence(first: u16, count: u16, stem: &'static str, from: u16, suffix: &'static str) -> Sequence {
    Sequence { first, count, stem, from, suffix }
}

const SEQUENCES: &[Sequence] = &[
    sequence(0x10c, 4, "sstateen", 0, ""),
    sequence(0x30c, 4, "mstateen", 0, ""),
    sequence(0x31c, 4, "mstateen", 0, "h"),
    sequence(0x323, 29, "mhpmevent", 3, ""),
    sequence(0x3a0, 16, "pmpcfg", 0, ""),
    sequence(0x3b0, 64, "pmpaddr", 0, ""),
    sequence(0x60c, 4, "hstateen", 0, ""),
    sequence(0x61c, 4, "hstateen", 0, "h"),
    sequence(0x723, 29, "mhpmevent", 3, "h"),
    sequence(0xb03, 29, "mhpmcounter", 3, ""),
    sequence(0xb83, 29, "mhpmcounter", 3, "h"),
    sequence(0xc03, 29, "hpmcounter", 3, ""),
    sequence(0xc83, 29, "hpmcounter", 3, "h"),
];

/// The name that an assembler takes for a register; none for a number that the specifications give to no register.
pub fn name(number: u16) -> Option<Cow<'static, str>> {
    let numbered = |Sequence { first, count, stem, from, suffix }: &Sequence| {
        let index = number.checked_sub(*first).filter(|index| index < count)?;
        Some(Cow::Owned(format!("{stem}{}{suffix}", from + index)))
    };
    single(number).map(Cow::Borrowed).or_else(|| SEQUENCES.iter().find_map(numbered))
}
