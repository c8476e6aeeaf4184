// Rocket's slot for custom instructions with none: each is illegal.
module SCIEDecoder (
  input  [31:0] insn,
  output        unpipelined,
  output        pipelined,
  output        multicycle
);
  assign unpipelined = 1'b0;
  assign pipelined = 1'b0;
  assign multicycle = 1'b0;
endmodule

module SCIEUnpipelined #(parameter XLEN = 64) (
  input  [31:0]     insn,
  input  [XLEN-1:0] rs1,
  input  [XLEN-1:0] rs2,
  output [XLEN-1:0] rd
);
  assign rd = {XLEN{1'b0}};
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
