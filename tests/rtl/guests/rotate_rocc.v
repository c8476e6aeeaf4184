// rd = sext32(rotl32(rs1 ^ rs2, funct7)), with funct7 0 sext32(rs1 + rs2); funct3 7 of custom-0 to custom-3.
module CiphermarkUnit (
  input  [31:0] insn,
  input  [63:0] rs1,
  input  [63:0] rs2,
  output [63:0] rd,
  output        xd
);
  wire [31:0] x = rs1[31:0] ^ rs2[31:0];
  wire [63:0] turned = {x, x} << insn[29:25];
  wire [31:0] word = insn[31:25] == 7'd0 ? rs1[31:0] + rs2[31:0] : turned[63:32];
  wire custom = insn[6:0] == 7'h0b || insn[6:0] == 7'h2b || insn[6:0] == 7'h5b || insn[6:0] == 7'h7b;
  assign rd = {{32{word[31]}}, word};
  assign xd = custom && insn[14:12] == 3'd7;
endmodule
