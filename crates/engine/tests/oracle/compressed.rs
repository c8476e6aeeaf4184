//! C, Zcb and Zcmop: the 32-bit instruction that each compressed one abbreviates, from the listings of the manual's
//! chapters. Floating-point loads and stores are not modelled and count as reserved.

/// x0, whose writes are lost.
const ZERO: u32 = 0;
/// The link register, x1.
const RA: u32 = 1;
/// The stack pointer, x2.
const SP: u32 = 2;

const EBREAK: u32 = 0x0010_0073;

/// The equivalent 32-bit instruction of a 16-bit one; `None` if it is reserved, custom or illegal.
/// Hints expand to computational instructions that write x0.
pub fn expand_compressed(xlen: u16, half: u16) -> Option<u32> {
    let c = Half { word: u32::from(half), rv64: xlen == 64 };
    match half & 3 {
        0 => c.quadrant0(),
        1 => c.quadrant1(),
        2 => c.quadrant2(),
        _ => None,
    }
}

struct Half {
    word: u32,
    rv64: bool,
}

impl Half {
    /// `len` bits from `lsb`.
    fn bits(&self, lsb: u32, len: u32) -> u32 {
        self.word >> lsb & ((1 << len) - 1)
    }

    fn funct3(&self) -> u32 {
        self.bits(13, 3)
    }

    /// rd or rs1 in full.
    fn rd(&self) -> u32 {
        self.bits(7, 5)
    }

    /// rs2 in full.
    fn rs2(&self) -> u32 {
        self.bits(2, 5)
    }

    /// rs1′, rd′ of CA and CB.
    fn rs1_popular(&self) -> u32 {
        8 + self.bits(7, 3)
    }

    /// rs2′, rd′ of CIW and CL.
    fn rs2_popular(&self) -> u32 {
        8 + self.bits(2, 3)
    }

    /// The six-bit immediate of CI, sign-extended.
    fn imm6(&self) -> i32 {
        signed(self.shamt(), 6)
    }

    fn shamt(&self) -> u32 {
        self.bits(12, 1) << 5 | self.bits(2, 5)
    }

    /// A shift amount that exists at this XLEN.
    fn valid_shamt(&self) -> Option<i32> {
        let shamt = self.shamt();
        (self.rv64 || shamt < 32).then_some(shamt as i32)
    }

    fn quadrant0(&self) -> Option<u32> {
        let (base, data) = (self.rs1_popular(), self.rs2_popular());
        // offset[5:3] | offset[2|6] for words, offset[7:6] for doublewords
        let word_offset = self.bits(10, 3) << 3 | self.bits(6, 1) << 2 | self.bits(5, 1) << 6;
        let double_offset = self.bits(10, 3) << 3 | self.bits(5, 2) << 6;
        Some(match self.funct3() {
            0b000 => {
                // nzuimm[5:4|9:6|2|3]
                let imm = self.bits(11, 2) << 4
                    | self.bits(7, 4) << 6
                    | self.bits(6, 1) << 2
                    | self.bits(5, 1) << 3;
                if imm == 0 {
                    return None;
                }
                i_type(0x13, 0, data, SP, imm as i32)
            }
            0b100 => return self.small_access(),
            0b010 => i_type(0x03, 2, data, base, word_offset as i32),
            0b011 if self.rv64 => i_type(0x03, 3, data, base, double_offset as i32),
            0b110 => s_type(2, base, data, word_offset),
            0b111 if self.rv64 => s_type(3, base, data, double_offset),
            _ => return None,
        })
    }

    /// Zcb's loads and stores.
    fn small_access(&self) -> Option<u32> {
        let (base, data) = (self.rs1_popular(), self.rs2_popular());
        // uimm[0|1] of bytes, uimm[1] of halfwords
        let byte = self.bits(6, 1) | self.bits(5, 1) << 1;
        let half = self.bits(5, 1) << 1;
        Some(match (self.bits(10, 3), self.bits(6, 1)) {
            (0b000, _) => i_type(0x03, 4, data, base, byte as i32),
            (0b001, 0) => i_type(0x03, 5, data, base, half as i32),
            (0b001, _) => i_type(0x03, 1, data, base, half as i32),
            (0b010, _) => s_type(0, base, data, byte),
            (0b011, 0) => s_type(1, base, data, half),
            _ => return None,
        })
    }

    /// Zcb's operations on one register.
    fn unary(&self) -> Option<u32> {
        let rd = self.rs1_popular();
        Some(match self.bits(2, 3) {
            0b000 => i_type(0x13, 7, rd, rd, 0xff),
            0b001 => i_type(0x13, 1, rd, rd, 0x604),
            0b010 => r_type(if self.rv64 { 0x3b } else { 0x33 }, 4, 4, rd, rd, ZERO),
            0b011 => i_type(0x13, 1, rd, rd, 0x605),
            0b100 if self.rv64 => r_type(0x3b, 4, 0, rd, rd, ZERO),
            0b101 => i_type(0x13, 4, rd, rd, -1),
            _ => return None,
        })
    }

    fn quadrant1(&self) -> Option<u32> {
        let rd = self.rd();
        Some(match self.funct3() {
            0b000 => i_type(0x13, 0, rd, rd, self.imm6()),
            0b001 if !self.rv64 => j_type(RA, self.jump_offset()),
            0b001 if rd == ZERO => return None,
            0b001 => i_type(0x1b, 0, rd, rd, self.imm6()),
            0b010 => i_type(0x13, 0, rd, ZERO, self.imm6()),
            // Zcmop: of odd registers up to x15.
            0b011 if self.shamt() == 0 && rd % 2 == 1 && rd < 16 => i_type(0x13, 0, ZERO, ZERO, 0),
            0b011 if self.shamt() == 0 => return None,
            0b011 if rd == SP => {
                // nzimm[9] | nzimm[4|6|8:7|5]
                let imm = self.bits(12, 1) << 9
                    | self.bits(6, 1) << 4
                    | self.bits(5, 1) << 6
                    | self.bits(3, 2) << 7
                    | self.bits(2, 1) << 5;
                i_type(0x13, 0, SP, SP, signed(imm, 10))
            }
            0b011 => (self.imm6() as u32) << 12 | rd << 7 | 0x37,
            0b100 => return self.arithmetic(),
            0b101 => j_type(ZERO, self.jump_offset()),
            0b110 => b_type(0, self.rs1_popular(), self.branch_offset()),
            _ => b_type(1, self.rs1_popular(), self.branch_offset()),
        })
    }

    fn arithmetic(&self) -> Option<u32> {
        let (rd, rs2) = (self.rs1_popular(), self.rs2_popular());
        Some(match (self.bits(10, 2), self.bits(12, 1), self.bits(5, 2)) {
            (0b00, ..) => i_type(0x13, 5, rd, rd, self.valid_shamt()?),
            (0b01, ..) => i_type(0x13, 5, rd, rd, self.valid_shamt()? | 0x400),
            (0b10, ..) => i_type(0x13, 7, rd, rd, self.imm6()),
            (_, 0, 0b00) => r_type(0x33, 0x20, 0, rd, rd, rs2),
            (_, 0, 0b01) => r_type(0x33, 0, 4, rd, rd, rs2),
            (_, 0, 0b10) => r_type(0x33, 0, 6, rd, rd, rs2),
            (_, 0, _) => r_type(0x33, 0, 7, rd, rd, rs2),
            (_, _, 0b00) if self.rv64 => r_type(0x3b, 0x20, 0, rd, rd, rs2),
            (_, _, 0b01) if self.rv64 => r_type(0x3b, 0, 0, rd, rd, rs2),
            (_, _, 0b10) => r_type(0x33, 1, 0, rd, rd, rs2),
            (_, _, 0b11) => return self.unary(),
            _ => return None,
        })
    }

    fn quadrant2(&self) -> Option<u32> {
        let (rd, rs2) = (self.rd(), self.rs2());
        Some(match self.funct3() {
            0b000 => i_type(0x13, 1, rd, rd, self.valid_shamt()?),
            0b010 if rd != ZERO => {
                // offset[5] | offset[4:2|7:6]
                let offset = self.bits(12, 1) << 5 | self.bits(4, 3) << 2 | self.bits(2, 2) << 6;
                i_type(0x03, 2, rd, SP, offset as i32)
            }
            0b011 if self.rv64 && rd != ZERO => {
                // offset[5] | offset[4:3|8:6]
                let offset = self.bits(12, 1) << 5 | self.bits(5, 2) << 3 | self.bits(2, 3) << 6;
                i_type(0x03, 3, rd, SP, offset as i32)
            }
            0b100 => match (self.bits(12, 1), rd, rs2) {
                (0, ZERO, ZERO) => return None,
                (0, _, ZERO) => i_type(0x67, 0, ZERO, rd, 0),
                (0, ..) => r_type(0x33, 0, 0, rd, ZERO, rs2),
                (_, ZERO, ZERO) => EBREAK,
                (_, _, ZERO) => i_type(0x67, 0, RA, rd, 0),
                _ => r_type(0x33, 0, 0, rd, rd, rs2),
            },
            // offset[5:2|7:6]
            0b110 => s_type(2, SP, rs2, self.bits(9, 4) << 2 | self.bits(7, 2) << 6),
            // offset[5:3|8:6]
            0b111 if self.rv64 => s_type(3, SP, rs2, self.bits(10, 3) << 3 | self.bits(7, 3) << 6),
            _ => return None,
        })
    }

    /// offset[11|4|9:8|10|6|7|3:1|5]
    fn jump_offset(&self) -> i32 {
        signed(
            self.bits(12, 1) << 11
                | self.bits(11, 1) << 4
                | self.bits(9, 2) << 8
                | self.bits(8, 1) << 10
                | self.bits(7, 1) << 6
                | self.bits(6, 1) << 7
                | self.bits(3, 3) << 1
                | self.bits(2, 1) << 5,
            12,
        )
    }

    /// offset[8|4:3] | offset[7:6|2:1|5]
    fn branch_offset(&self) -> i32 {
        signed(
            self.bits(12, 1) << 8
                | self.bits(10, 2) << 3
                | self.bits(5, 2) << 6
                | self.bits(3, 2) << 1
                | self.bits(2, 1) << 5,
            9,
        )
    }
}

fn signed(value: u32, width: u32) -> i32 {
    ((value << (32 - width)) as i32) >> (32 - width)
}

fn r_type(opcode: u32, funct7: u32, funct3: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn i_type(opcode: u32, funct3: u32, rd: u32, rs1: u32, imm: i32) -> u32 {
    (imm as u32) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

fn s_type(funct3: u32, rs1: u32, rs2: u32, offset: u32) -> u32 {
    (offset >> 5) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (offset & 31) << 7 | 0x23
}

/// A branch that compares with x0.
fn b_type(funct3: u32, rs1: u32, offset: i32) -> u32 {
    let offset = offset as u32;
    (offset >> 12 & 1) << 31
        | (offset >> 5 & 0x3f) << 25
        | rs1 << 15
        | funct3 << 12
        | (offset >> 1 & 15) << 8
        | (offset >> 11 & 1) << 7
        | 0x63
}

fn j_type(rd: u32, offset: i32) -> u32 {
    let offset = offset as u32;
    (offset >> 20 & 1) << 31
        | (offset >> 1 & 0x3ff) << 21
        | (offset >> 11 & 1) << 20
        | (offset >> 12 & 0xff) << 12
        | rd << 7
        | 0x6f
}
