//! Entries for compiled code against the bodies they stand in for, on accesses of all kinds.

use isa::operands::Site;
use isa::{Instructions, Isa, Vlen, Xlen};
use proptest::prelude::*;
use proptest::sample::select;

use crate::hart::Hart;
use crate::memory::{Address, Memory};
use crate::pages::{PAGE, Pages, Rights};
use crate::port::Port;
use crate::unit::AnyBody;
use crate::vector::fields::Fields;
use crate::vector::operation;

/// Where memory begins, and how much there is.
const BASE: u64 = 3 * PAGE;
const SIZE: u64 = 5 * PAGE;
/// Where the host-target interface's word is.
const TOHOST: u64 = BASE + PAGE + 0x40;

/// A process that may read its second page and not write it, or one region.
fn memory(paged: bool, seed: u64) -> Memory {
    let mut memory = if paged {
        let mut pages = Pages::new(64 * PAGE).expect("address space");
        pages.set_rights(BASE..BASE + SIZE, Rights::READ | Rights::WRITE);
        pages.set_rights(BASE + PAGE..BASE + 2 * PAGE, Rights::READ);
        Memory::paged(pages).expect("address space")
    } else {
        let mut memory = Memory::new(Address(BASE), SIZE as usize).expect("address space");
        memory.set_tohost(Address(TOHOST));
        memory
    };
    let mut state = seed | 1;
    let mut bytes: Vec<u8> = (0..SIZE).map(|_| next(&mut state) as u8).collect();
    contents(&mut memory).swap_with_slice(&mut bytes);
    memory
}

fn contents(memory: &mut Memory) -> &mut [u8] {
    if memory.is_paged() {
        let pages = memory.pages_mut().expect("it is a process's");
        return pages.raw_mut(BASE, SIZE as usize).expect("it is within the address space");
    }
    memory.own_slice_mut(Address(BASE), SIZE as usize).expect("it is all of it")
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
    *state >> 33
}

/// Base addresses: anywhere, and at the ends of memory, of pages, of the address space and of what is an event.
fn bases() -> impl Strategy<Value = u64> {
    let near = select(vec![BASE, BASE + PAGE, TOHOST, BASE + 2 * PAGE, BASE + SIZE, 0, 1 << 32]);
    prop_oneof![BASE..BASE + SIZE, (near, -300..300i64).prop_map(|(near, by)| near.wrapping_add_signed(by))]
}

fn strides() -> impl Strategy<Value = u64> {
    prop_oneof![0..40u64, (-40..200i64).prop_map(|stride| stride as u64), any::<u64>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn entries_do_what_bodies_do(
        (rv32, paged, seed) in (any::<bool>(), any::<bool>(), any::<u64>()),
        // A third of them, because there are few: XEI names no segments.
        only_indexed in select(vec![true, false, false]),
        (vlen, vtype, length) in (select(vec![64u32, 128, 256, 512]), 0..64u64, prop_oneof![0..600u64, Just(600)]),
        (choice, operands) in (any::<u64>(), any::<u32>()),
        (base, stride, index_bits) in (bases(), strides(), select(vec![6u32, 8, 13, 64])),
    ) {
        let (xlen, isa) = if rv32 { (Xlen::Rv32, "rv32gcv") } else { (Xlen::Rv64, "rv64gcv") };
        let all = Instructions::all(xlen).expect("the built-in descriptions are sound");
        let accesses: Vec<_> = all.module().instructions.iter().zip(all.operands().iter())
            .filter_map(|(instruction, effects)| {
                let operation = operation(&instruction.name, effects)?;
                let AnyBody::Memory(body) = operation.body else { return None };
                let is_wanted = !only_indexed || instruction.name.contains("XEI");
                is_wanted.then_some((instruction, effects, body))
            })
            .collect();
        let (instruction, effects, body) = accesses[choice as usize % accesses.len()];
        // Unmasked; registers in steps of two, so that more groups are aligned.
        let encoding = &instruction.encoding;
        let word = encoding.value | operands & !encoding.mask & !0x0010_0080 | 1 << 25;
        let (fields, site) = (Fields(word), Site { module: all.module(), instruction, effects, word });
        let isa = Isa::parse(isa, &[]).expect("it is one");
        let mut hart = Hart::new(&isa, 0, Address(BASE));
        hart.vector.set_vlen(Vlen::new(vlen).expect("a power of two"));
        hart.vector.configure(vtype, length);
        let mut state = seed;
        for byte in hart.vector.registers.iter_mut() {
            *byte = next(&mut state) as u8;
        }
        let width = 8 << fields.width();
        if index_bits < width {
            for index in hart.vector.registers.chunks_exact_mut(width as usize / 8) {
                let mut bytes = [0; 8];
                bytes[..index.len()].copy_from_slice(index);
                let small = u64::from_le_bytes(bytes) % (1 << index_bits);
                index.copy_from_slice(&small.to_le_bytes()[..index.len()]);
            }
        }
        let mask = xlen.mask();
        hart.set_x(fields.vs2() as u16, stride & mask);
        hart.set_x(fields.rs1() as u16, base & mask);
        // On and marked as changed, as compiled code has it.
        hart.csrs.write(0x300, 3 << 9, hart.clock(0)).expect("mstatus is there");
        let Some((entry, registers)) = hart.vector.entry(&site, hart.vector.vtype) else { return Ok(()) };
        let mut plain = (hart.clone(), memory(paged, seed));
        let mut entered = (hart, memory(paged, seed));
        let expected = match body(&mut plain.0, &mut Port { memory: &mut plain.1, effects: None }, word) {
            Err(_) => 1,
            Ok(()) => if plain.1.host_touched() { 2 } else { 0 },
        };
        // SAFETY: there are entries only where they can be executed.
        #[allow(unsafe_code, reason = "entries need instructions that not every host has")]
        let outcome = unsafe { entry(&mut entered.0, &mut entered.1, word, registers) };
        let name = &instruction.name;
        prop_assert_eq!(outcome, expected, "{}", name);
        let state = |hart: &Hart| (hart.vector.vl, hart.vector.vstart, hart.vector.registers.clone());
        prop_assert_eq!(state(&entered.0), state(&plain.0), "{}", name);
        prop_assert!(contents(&mut entered.1) == contents(&mut plain.1), "memory after {}", name);
        prop_assert_eq!(entered.1.take_tohost_bytes(), plain.1.take_tohost_bytes(), "{}", name);
    }
}
