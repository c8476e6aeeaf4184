// rd = sext32(rotl32(rs1 ^ rs2, funct7)), with funct7 0 sext32(rs1 + rs2); funct3 0 of custom-0.
module SCIEDecoder (
  input  [31:0] insn,
  output        unpipelined,
  output        pipelined,
  output        multicycle
);
  assign unpipelined = insn[6:0] == 7'h0b && insn[14:12] == 3'd0;
  assign pipelined = 1'b0;
  assign multicycle = 1'b0;
endmodule

module SCIEUnpipelined #(parameter XLEN = 64) (
  input  [31:0]     insn,
  input  [XLEN-1:0] rs1,
  input  [XLEN-1:0] rs2,
  output [XLEN-1:0] rd
);
  wire [31:0] x = rs1[31:0] ^ rs2[31:0];
  wire [63:0] turned = {x, x} << insn[29:25];
  wire [31:0] word = insn[31:25] == 7'd0 ? rs1[31:0] + rs2[31:0] : turned[63:32];
  assign rd = {{(XLEN-32){word[31]}}, word};
endmodule

module SCIEPipelined #(parameter XLEN = 64) (
  input             clock,
  input             valid,
  input  [31:0]     insn,
  input  [XLEN-1:0] rs1,
  input  [XLEN-1:0] rs2,
  output [XLEN-1:0] rd
);
  assign rd = {XLEN{1'b0}};
endmodule
