//! Instructions of the vector unit, in random settings.

use coredsl::ir::Instruction;
use engine::{Blind, Machine, Program};
use hart::Address;
use isa::Vlen;
use isa::operands::{Class, File};
use secrets::Kind;

use crate::sketch::{DATA, DATA_BYTES, Random, check, machine, program, run, word};

const POINTER: u64 = 8;
const LENGTH: usize = 5;
const ISA: &str = "rv64imv_zvbb_zvbc_zvkg_zvkned_zvknhb_zvksed_zvksh";

fn usable(program: &Program) -> Vec<&Instruction> {
    let all = program.module().instructions.iter().zip(program.instructions().operands().iter());
    all.filter(|(_, effects)| {
        effects.touches(File::V) && effects.class != Class::VectorConfig && !effects.touches(File::F)
    })
    .map(|(instruction, _)| instruction)
    .collect()
}

fn sketch(random: &mut Random, program: &Program, usable: &[&Instruction]) -> Vec<u32> {
    let settings = program.module().instructions.iter().find(|each| each.name == "VSETVLI");
    // SEW of any width, LMUL of a half to 2.
    let (sew, lmul) = (random.below(4), random.pick(&[0, 0, 0, 1, 7]));
    let first = word(settings.expect("the vector unit"), |field| match field {
        "zimm" => sew << 3 | lmul,
        "rs1" => 7,
        _ => 0,
    });
    let mut words = vec![first];
    while words.len() < LENGTH {
        let instruction = random.pick(usable);
        let few = random.below(2) == 0;
        let found = word(instruction, |field| match field {
            "vd" | "vs1" | "vs2" | "vs3" if few => random.pick(&[2, 4, 8]),
            "vd" | "vs1" | "vs2" | "vs3" => random.below(16) * 2,
            "rd" => random.pick(&[1, 2, 3]),
            "rs1" if instruction.encoding.value & 0x7f != 0x57 => POINTER,
            "rs1" | "rs2" => random.below(7),
            "nf" => random.pick(&[0, 0, 1, 3]),
            _ => random.bits() >> 8,
        });
        if program
            .decode(found)
            .is_some_and(|id| program.module().instructions[id.index()].name == instruction.name)
        {
            words.push(found);
        }
    }
    words
}

fn fill(machine: &mut Machine<'_>, bytes: &[u8]) {
    machine.hart.vector.set_vlen(Vlen::new(128).expect("a length"));
    // `mstatus.VS`.
    let clock = machine.hart.clock(0);
    machine.hart.write_csr(0x300, 3 << 9, clock).expect("mstatus can be written");
    for (register, bytes) in bytes.chunks(16).enumerate() {
        machine.hart.vector.register_mut(register).copy_from_slice(bytes);
    }
}

fn registers(machine: &Machine<'_>) -> Vec<u8> {
    (0..32).flat_map(|register| machine.hart.vector.register(register).to_vec()).collect()
}

#[test]
fn what_is_public_does_not_change_with_secrets_in_vectors() {
    let programs = std::env::var("CIPHERMARK_SECRETS_PROGRAMS").ok().and_then(|text| text.parse().ok());
    let program = program(ISA);
    let usable = usable(&program);
    let (mut compared, mut public) = (0u64, 0u64);
    let mut executed = std::collections::BTreeSet::new();
    for seed in 0..programs.unwrap_or(4_000u64) {
        let mut random = Random::new(seed + 77);
        let words = sketch(&mut random, &program, &usable);
        let mut integers: [u64; 32] =
            std::array::from_fn(|_| random.number() & random.pick(&[7, 0xff, u64::MAX]));
        (integers[0], integers[POINTER as usize]) = (0, DATA);
        integers[7] = random.below(40);
        let secret_integers: [u64; 32] =
            std::array::from_fn(|number| if number < 7 { random.pick(&[0, 0, u64::MAX]) } else { 0 });
        let secret_integers: [u64; 32] =
            std::array::from_fn(|number| if number == 0 { 0 } else { secret_integers[number] });
        let vectors: Vec<u8> = (0..512).map(|_| (random.number() & random.pick(&[3, 0xff])) as u8).collect();
        let mut secret_vectors = vec![0u8; 512];
        for register in 0..32 {
            let chosen = random.below(if register == 0 { 6 } else { 3 });
            for byte in &mut secret_vectors[16 * register..][..16] {
                *byte = match chosen {
                    0 => 0xff,
                    1 => random.pick(&[0, 0, 0, 0xff, 0x10]),
                    _ => 0,
                };
            }
        }
        let data: Vec<u8> = (0..DATA_BYTES).map(|_| random.bits() as u8).collect();
        let secret_data: Vec<u8> = (0..DATA_BYTES).map(|_| random.pick(&[0, 0, 0xff])).collect();

        // What an instruction does that traps is not compared.
        let mut first = machine(&program, &words, &integers, &data);
        fill(&mut first, &vectors);
        run(&mut first, words.len(), &mut Blind);
        let retired = first.hart.retired();

        let mut first = machine(&program, &words, &integers, &data);
        fill(&mut first, &vectors);
        let mut check = check(&first, &program);
        for number in 0..32 {
            if secret_integers[number] != 0 {
                check.shadow.mark_register(number as u16, secret_integers[number], 1);
            }
            check.shadow.mark_vector(number, &secret_vectors[16 * number..][..16], 1);
        }
        for (at, _) in secret_data.iter().enumerate().filter(|&(_, &bits)| bits != 0) {
            check.shadow.mark(DATA + at as u64, 1, 1);
        }
        run(&mut first, retired as usize, &mut check);
        let leaks = |kind| matches!(kind, Kind::LoadAddress | Kind::StoreAddress | Kind::VectorLength);
        if check.shadow.findings().any(|found| leaks(found.kind)) || retired < 2 {
            continue;
        }
        for _ in 0..4 {
            let other = std::array::from_fn(|number| {
                let flipped = random.pick(&[1, 8, u64::MAX]) & random.bits();
                integers[number] ^ flipped & secret_integers[number]
            });
            let mut change = |values: &[u8], secret: &[u8]| -> Vec<u8> {
                let pairs = values.iter().zip(secret);
                pairs.map(|(&byte, &secret)| byte ^ random.bits() as u8 & secret).collect()
            };
            let (bytes, memory) = (change(&vectors, &secret_vectors), change(&data, &secret_data));
            let mut second = machine(&program, &words, &other, &memory);
            fill(&mut second, &bytes);
            run(&mut second, retired as usize, &mut Blind);
            let listing = || {
                let lines = words[..retired as usize].iter();
                let text: Vec<_> =
                    lines.filter_map(|&word| program.instructions().disassemble(word, 0)).collect();
                text.join("\n")
            };
            assert_eq!(second.hart.retired(), retired, "{seed}\n{}", listing());
            for number in 0..32u16 {
                let difference = first.hart.x(number) ^ second.hart.x(number);
                let secret = check.shadow.secret_register(number);
                assert_eq!(difference & !secret, 0, "{seed}: x{number}, {secret:x} secret\n{}", listing());
            }
            for (at, (one, other)) in registers(&first).iter().zip(registers(&second)).enumerate() {
                let secret = check.shadow.secret_vector(at / 16)[at % 16];
                assert_eq!(
                    (one ^ other) & !secret,
                    0,
                    "{seed}: v{} byte {}, {one:x} and {other:x}, {secret:x} secret\n{}",
                    at / 16,
                    at % 16,
                    listing()
                );
                public += u64::from((!secret).count_ones());
            }
            for (at, bytes) in (0..).zip(pairs(&first, &second)) {
                let secret = check.shadow.secret_byte(DATA + at);
                assert_eq!((bytes.0 ^ bytes.1) & !secret, 0, "{seed}: byte {at}\n{}", listing());
            }
            compared += 1;
        }
        executed.extend(words[1..retired as usize].iter().filter_map(|&word| program.decode(word)));
    }
    assert!(compared > 0 && public / compared > 512, "{compared} {public}");
    // Those that need a setting that is rare here, or addresses that are.
    let share = executed.len() * 100 / usable.len();
    assert!(programs.is_some() || share > 70, "{share} % of the instructions were executed");
}

fn pairs<'a>(one: &'a Machine<'_>, other: &'a Machine<'_>) -> impl Iterator<Item = (u8, u8)> + 'a {
    let of = |machine: &'a Machine<'_>| machine.memory.slice(Address(DATA), DATA_BYTES).unwrap_or_default();
    of(one).iter().copied().zip(of(other).iter().copied())
}
