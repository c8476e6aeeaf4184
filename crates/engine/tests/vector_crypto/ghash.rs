//! GHASH: test case 2 of the GCM specification (McGrew, Viega).

use crate::guest::program;
use crate::unit::{Op, Registers, Setting, execute};

const SUBKEY: [u8; 16] = 0x66e94bd4ef8a2c3b884cfa59ca342b2e_u128.to_be_bytes();
const CIPHERTEXT: [u8; 16] = 0x0388dace60b6a392f328c2b971b2fe78_u128.to_be_bytes();
const AFTER_CIPHERTEXT: [u8; 16] = 0x5e2ec746917062882c85b0685353deb7_u128.to_be_bytes();
const LENGTHS: [u8; 16] = 0x80_u128.to_be_bytes();
const HASH: [u8; 16] = 0xf38cbb1ad69223dcc3457ae5b6b0f885_u128.to_be_bytes();

#[test]
fn both_instructions_hash_the_example() {
    let program = program("rv64gcv_zvkg");
    for vlen in [128, 256, 4096] {
        let setting = Setting::new(vlen, 32);
        let mut registers = Registers::zero(vlen);
        for (register, block) in [(2, SUBKEY), (3, CIPHERTEXT), (4, LENGTHS), (6, CIPHERTEXT)] {
            registers.repeat(register, &block, setting.vlenb());
        }
        let ops: [Op<'_>; 3] = [
            ("VGHSH__VV", &[("vd", 1), ("vs2", 2), ("vs1", 3)]),
            ("VGHSH__VV", &[("vd", 1), ("vs2", 2), ("vs1", 4)]),
            ("VGMUL__VV", &[("vd", 6), ("vs2", 2)]),
        ];
        let after = execute(&program, setting, &registers, &ops).expect("legal instructions");
        assert_eq!(&after.at(1)[..setting.vlenb()], HASH.repeat(setting.vlenb() / 16));
        assert_eq!(&after.at(6)[..setting.vlenb()], AFTER_CIPHERTEXT.repeat(setting.vlenb() / 16));
    }
}
