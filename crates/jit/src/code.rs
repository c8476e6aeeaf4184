//! Machine code: made, kept, entered and freed.

use std::collections::HashMap;
use std::ops::Range;

use cranelift_codegen::ir::{AbiParam, Function, InstBuilder, UserFuncName, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{CodegenError, Context};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError, default_libcall_names};
use engine::program::Program;
use engine::tier::{Entry, Member, Region, Return};
use engine::timed::Records;
use hart::System;

use crate::bounds::AtBlocks;
use crate::frame::{self, Frame, JUMPS, Jump, region_signature};
use crate::functions::{Functions, Known, PAGE};
use crate::granted;
use crate::region::Shared;
use crate::sites::Sites;
use crate::tables::Elements;
use crate::{region, shape};

/// Regions whose blocks each have a way out: what is hot first gains by that, all others would only take longer to compile.
const FIRST: usize = 8;

/// `fn(frame, budget, member, code) -> status`, in the host's calling convention.
type Enter = unsafe extern "C" fn(*mut Frame, i64, u64, u64) -> u64;

/// All compiled code of a machine.
pub struct Code {
    /// `None` only while it is dropped.
    module: Option<JITModule>,
    context: Context,
    builder: FunctionBuilderContext,
    enter: Enter,
    /// Ways into members of regions, and where these are in the guest.
    entries: Vec<(u64, u64)>,
    regions: usize,
    jumps: Box<[Jump; JUMPS]>,
    tables: HashMap<u64, Elements>,
    functions: Known,
    sites: Sites,
    /// Where the first counter of executions is, if one was asked for.
    counters: u64,
    /// Entries of a region that is to be compiled again.
    outdated: Option<Range<u32>>,
    bytes: usize,
}

impl Code {
    /// No code yet; `None` if the host's processor is not known.
    pub fn new() -> Option<Self> {
        let mut flags = settings::builder();
        let verify = if cfg!(debug_assertions) { "true" } else { "false" };
        // The optimiser takes longer than all the rest, and its code is no faster: `known` does what matters.
        for (name, value) in [("opt_level", "none"), ("enable_verifier", verify), ("is_pic", "false")] {
            flags.set(name, value).ok()?;
        }
        // Compiled functions have small frames and never recurse.
        flags.set("enable_probestack", "false").ok()?;
        flags.set("unwind_info", "false").ok()?;
        // Cranelift's tail calls rely on them.
        flags.set("preserve_frame_pointers", "true").ok()?;
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let (mut context, mut builder) = (module.make_context(), FunctionBuilderContext::new());
        let enter = define_enter(&mut module, &mut context, &mut builder)?;
        module.finalize_definitions().ok()?;
        let enter = module.get_finalized_function(enter);
        // SAFETY: the function was just compiled with this signature, in the host's calling convention.
        #[allow(unsafe_code, reason = "makes a function of an address")]
        let enter = unsafe { std::mem::transmute::<*const u8, Enter>(enter) };
        Some(Self {
            module: Some(module),
            context,
            builder,
            enter,
            entries: Vec::new(),
            regions: 0,
            jumps: Jump::none(),
            tables: HashMap::new(),
            functions: Known::new(),
            sites: Sites::default(),
            counters: 0,
            outdated: None,
            bytes: PAGE,
        })
    }

    /// Bytes of host memory in use.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// True if it takes more than so many bytes, or there are no sites left for another region.
    pub const fn is_full(&self, most_bytes: usize) -> bool {
        self.bytes > most_bytes || self.sites.count() + granted::RESERVE > granted::MOST_SITES
    }

    /// Compiles a region, with what few hosts have or not; the ways into its members.
    pub fn add(&mut self, region: &Region<'_>, rare: bool) -> Option<Vec<Option<Entry>>> {
        let first = self.entries.len() as u32;
        let entries = self.compile(region, rare);
        self.sites.end_region(first..self.entries.len() as u32);
        entries
    }

    fn compile(&mut self, region: &Region<'_>, rare: bool) -> Option<Vec<Option<Entry>>> {
        let module = self.module.as_mut()?;
        self.context.func = Function::with_name_signature(UserFuncName::default(), region_signature());
        let bounds = AtBlocks::new(region);
        if self.counters == 0 {
            let first = region.members.iter().find_map(|member| member.executions);
            self.counters = first.map_or(0, |counter| counter.as_ptr() as u64);
        }
        let config = module.isa().frontend_config();
        let shared = Shared {
            tables: &mut self.tables,
            sites: &mut self.sites,
            wide: Functions::new(module, &mut self.bytes, &mut self.functions, rare),
            counters: self.counters,
            separates: self.regions < FIRST,
        };
        region::build(region, &bounds, &mut self.context.func, &mut self.builder, shared, config);
        let name = format!("region{}", self.regions);
        let id = module.declare_function(&name, Linkage::Export, &self.context.func.signature).ok()?;
        let defined = module.define_function(id, &mut self.context);
        let is_sound = !matches!(defined, Err(ModuleError::Compilation(CodegenError::Verifier(_))));
        debug_assert!(is_sound, "{defined:?}\n{}", self.context.func.display());
        let size = self.context.compiled_code().map_or(0, |code| code.code_buffer().len());
        module.clear_context(&mut self.context);
        defined.ok()?;
        module.finalize_definitions().ok()?;
        self.bytes += size.next_multiple_of(PAGE);
        let code = module.get_finalized_function(id) as usize;
        self.regions += 1;
        Some(
            region
                .members
                .iter()
                .enumerate()
                .map(|(index, member)| self.enterable(member, bounds.is_entry(index), code, index))
                .collect(),
        )
    }

    fn enterable(&mut self, member: &Member<'_>, is_entry: bool, code: usize, index: usize) -> Option<Entry> {
        if !is_entry || shape::compiled(member.block) == 0 {
            return None;
        }
        let way = frame::way(code, index);
        self.jumps[Jump::index(member.pc)] = Jump { pc: member.pc, way };
        self.entries.push((way, member.pc));
        Some(Entry(self.entries.len() as u32 - 1))
    }

    /// Executes a region and those it leads to; the frame says where memory is.
    pub fn enter(
        &mut self,
        frame: &mut Frame,
        entry: Entry,
        system: &mut System,
        program: &Program,
        budget: u64,
        records: &mut Records,
    ) -> Option<Return> {
        let &(way, pc) = self.entries.get(entry.0 as usize)?;
        // Another address may have taken its place among the jumps.
        self.jumps[Jump::index(pc)] = Jump { pc, way };
        let System { hart, memory } = system;
        frame.home = hart.registers_mut();
        if let Some(pages) = memory.pages_mut() {
            frame.forget_outdated(pages, self.sites.count());
            frame.rights = pages.rights();
        }
        frame.jumps = self.jumps.as_ptr();
        frame.counters = self.counters;
        frame.vectors = hart.vector.registers_mut();
        (frame.hart, frame.memory, frame.program) = (&raw mut *hart, &raw mut *memory, &raw const *program);
        frame.records = records.end();
        let (member, code) = (way >> frame::MEMBER, way & ((1 << frame::MEMBER) - 1));
        // SAFETY: `entries` are ways into code of this module, which lives as long as this value. It was compiled for
        // this layout (`Jit::enter` compares them), so that all it can reach is the hart of the frame, its registers
        // and the memory, which this function has to itself.
        #[allow(unsafe_code, reason = "enters compiled code")]
        let status = unsafe { (self.enter)(frame, budget as i64, member, code) };
        let (pc, left) = (frame.pc, frame.budget as u64);
        hart.advance(budget.wrapping_sub(left), pc);
        records.set_end(frame.records);
        Some(frame::returned(status))
    }

    /// Places that access memory of a process.
    pub const fn sites(&self) -> &Sites {
        &self.sites
    }

    /// A site accessed what it does not remember.
    pub fn missed(&mut self, site: usize) {
        let Some(entries) = self.sites.missed(site) else { return };
        self.close(&entries);
        self.outdated = Some(entries);
    }

    /// Jumps do not lead to these entries any more.
    fn close(&mut self, entries: &Range<u32>) {
        for &(_, pc) in &self.entries[entries.start as usize..entries.end as usize] {
            self.jumps[Jump::index(pc)] = Jump::unused(Jump::index(pc));
        }
    }

    /// The entries of a region that is to be compiled again, once.
    pub const fn outdated(&mut self) -> Option<Range<u32>> {
        self.outdated.take()
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: none of it is executing, and no pointer into it outlives this value.
            #[allow(unsafe_code, reason = "frees compiled code")]
            unsafe {
                module.free_memory();
            }
        }
    }
}

fn define_enter(
    module: &mut JITModule,
    context: &mut Context,
    builder: &mut FunctionBuilderContext,
) -> Option<FuncId> {
    let mut signature = module.make_signature();
    signature.params = vec![AbiParam::new(types::I64); 4];
    signature.returns = vec![AbiParam::new(types::I64)];
    context.func = Function::with_name_signature(UserFuncName::default(), signature);
    let mut function = FunctionBuilder::new(&mut context.func, builder);
    let block = function.create_block();
    function.append_block_params_for_function_params(block);
    function.switch_to_block(block);
    let parameters = function.block_params(block).to_vec();
    let region = function.import_signature(region_signature());
    let call = function.ins().call_indirect(region, parameters[3], &parameters[..3]);
    let status = function.inst_results(call)[0];
    function.ins().return_(&[status]);
    function.seal_all_blocks();
    function.finalize(module.isa().frontend_config());
    let id = module.declare_function("enter", Linkage::Export, &context.func.signature).ok()?;
    module.define_function(id, context).ok()?;
    module.clear_context(context);
    Some(id)
}
