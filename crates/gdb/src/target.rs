//! The guest as gdb sees it: threads, registers, memory, and where it lies.

use std::convert::Infallible;
use std::num::NonZeroUsize;

use gdbstub::common::Tid;
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::multithread::{MultiThreadBase, MultiThreadResumeOps};
use gdbstub::target::ext::base::single_register_access::{SingleRegisterAccess, SingleRegisterAccessOps};
use gdbstub::target::ext::breakpoints::BreakpointsOps;
use gdbstub::target::ext::monitor_cmd::MonitorCmdOps;
use gdbstub::target::ext::section_offsets::{Offsets, SectionOffsets, SectionOffsetsOps};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::ext::thread_extra_info::{ThreadExtraInfo, ThreadExtraInfoOps};
use gdbstub::target::{TargetError, TargetResult};
use isa::{Isa, Xlen};
use linux::{Ending, ThreadId};
use session::Guest;

use crate::description::target_xml;
use crate::memory;
use crate::orders::Orders;
use crate::points::Points;
use crate::registers::{General, Register, RiscV};

/// What gdb is told of memory that is not there (`EFAULT`).
const BAD_ADDRESS: u8 = 14;

/// A guest under gdb.
pub struct Target<'a, 'p> {
    /// The guest.
    pub guest: &'a mut Guest<'p>,
    /// Most instructions to retire.
    pub limit: Option<u64>,
    /// Where to stop.
    pub points: Points,
    /// How to go on.
    pub orders: Orders,
    /// What ends the run unless gdb lets the guest go on without the signal it was told of.
    pub dying: Option<Ending>,
    /// What has ended it.
    pub ended: Option<Ending>,
    description: String,
}

/// gdb's number of a thread, which is never 0.
fn tid(thread: ThreadId) -> Tid {
    NonZeroUsize::new(thread.0 as usize).unwrap_or(Tid::MIN)
}

/// The thread of gdb's number.
pub fn thread(tid: Tid) -> Option<ThreadId> {
    u32::try_from(tid.get()).ok().map(ThreadId)
}

impl<'a, 'p> Target<'a, 'p> {
    /// A guest about to execute its first instruction.
    pub fn new(guest: &'a mut Guest<'p>, limit: Option<u64>) -> Self {
        let isa = guest.program().isa();
        let description = target_xml(isa, guest.machine.hart.vector.vlenb(), guest.is_process());
        Self {
            guest,
            limit,
            points: Points::default(),
            orders: Orders::default(),
            dying: None,
            ended: None,
            description,
        }
    }

    fn isa(&self) -> &'p Isa {
        self.guest.program().isa()
    }

    /// An address as the hart sees it.
    pub fn address(&self, address: u64) -> u64 {
        match self.isa().xlen() {
            Xlen::Rv32 => address & 0xffff_ffff,
            Xlen::Rv64 => address,
        }
    }

    /// The thread that runs.
    pub fn running(&self) -> Tid {
        tid(self.guest.running())
    }

    fn read(&mut self, tid: Tid, register: Register) -> Option<Vec<u8>> {
        let isa = self.isa();
        self.guest.with_thread(thread(tid)?, |hart| register.read(hart, isa))?
    }

    fn write(&mut self, tid: Tid, register: Register, bytes: &[u8]) -> Option<()> {
        let isa = self.isa();
        self.guest.with_thread(thread(tid)?, |hart| register.write(hart, isa, bytes))?
    }
}

impl gdbstub::target::Target for Target<'_, '_> {
    type Arch = RiscV;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, RiscV, Infallible> {
        BaseOps::MultiThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }

    fn support_section_offsets(&mut self) -> Option<SectionOffsetsOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(
        &mut self,
    ) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }

    fn use_fork_stop_reason(&self) -> bool {
        false
    }

    fn use_vfork_stop_reason(&self) -> bool {
        false
    }

    fn use_vforkdone_stop_reason(&self) -> bool {
        false
    }
}

impl MultiThreadBase for Target<'_, '_> {
    fn read_registers(&mut self, registers: &mut General, tid: Tid) -> TargetResult<(), Self> {
        registers.0 = General::order().filter_map(|register| self.read(tid, register)).flatten().collect();
        Ok(())
    }

    fn write_registers(&mut self, registers: &General, tid: Tid) -> TargetResult<(), Self> {
        let word = self.isa().xlen().bits() as usize / 8;
        for (register, bytes) in General::order().zip(registers.0.chunks_exact(word)) {
            self.write(tid, register, bytes).ok_or(TargetError::NonFatal)?;
        }
        Ok(())
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, Tid, Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, address: u64, data: &mut [u8], _: Tid) -> TargetResult<usize, Self> {
        let address = self.address(address);
        match memory::read(&mut self.guest.machine.memory, address, data) {
            0 if !data.is_empty() => Err(TargetError::Errno(BAD_ADDRESS)),
            count => Ok(count),
        }
    }

    fn write_addrs(&mut self, address: u64, data: &[u8], _: Tid) -> TargetResult<(), Self> {
        let address = self.address(address);
        if !memory::write(&mut self.guest.machine.memory, address, data) {
            return Err(TargetError::Errno(BAD_ADDRESS));
        }
        // It may be code.
        self.guest.machine.flush_code();
        Ok(())
    }

    fn list_active_threads(&mut self, thread_is_active: &mut dyn FnMut(Tid)) -> Result<(), Infallible> {
        // gdb takes the first for the one that stopped when it connects.
        let running = self.running();
        thread_is_active(running);
        let others = self.guest.threads().into_iter().map(tid).filter(|&tid| tid != running);
        others.for_each(thread_is_active);
        Ok(())
    }

    fn support_thread_extra_info(&mut self) -> Option<ThreadExtraInfoOps<'_, Self>> {
        Some(self)
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleRegisterAccess<Tid> for Target<'_, '_> {
    fn read_register(
        &mut self,
        tid: Tid,
        register: Register,
        target: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let bytes = self.read(tid, register).ok_or(TargetError::NonFatal)?;
        let target = target.get_mut(..bytes.len()).ok_or(TargetError::NonFatal)?;
        target.copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn write_register(&mut self, tid: Tid, register: Register, bytes: &[u8]) -> TargetResult<(), Self> {
        self.write(tid, register, bytes).ok_or(TargetError::NonFatal)
    }
}

impl ThreadExtraInfo for Target<'_, '_> {
    fn thread_extra_info(&self, tid: Tid, target: &mut [u8]) -> Result<usize, Infallible> {
        let text = thread(tid).and_then(|thread| self.guest.describe_thread(thread)).unwrap_or_default();
        let size = text.len().min(target.len());
        target[..size].copy_from_slice(&text.as_bytes()[..size]);
        Ok(size)
    }
}

impl SectionOffsets for Target<'_, '_> {
    fn get_section_offsets(&mut self) -> Result<Offsets<u64>, Infallible> {
        let base = self.guest.base();
        Ok(Offsets::Sections { text: base, data: base, bss: None })
    }
}

impl TargetDescriptionXmlOverride for Target<'_, '_> {
    fn target_description_xml(
        &self,
        annex: &[u8],
        offset: u64,
        length: usize,
        target: &mut [u8],
    ) -> TargetResult<usize, Self> {
        if annex != b"target.xml" {
            return Err(TargetError::NonFatal);
        }
        let left = usize::try_from(offset).ok().and_then(|offset| self.description.as_bytes().get(offset..));
        let left = left.unwrap_or_default();
        let size = left.len().min(length).min(target.len());
        target[..size].copy_from_slice(&left[..size]);
        Ok(size)
    }
}
