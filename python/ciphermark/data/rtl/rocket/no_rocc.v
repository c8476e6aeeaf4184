// An accelerator that knows no instruction.
module CiphermarkUnit (
  input  [31:0] insn,
  input  [63:0] rs1,
  input  [63:0] rs2,
  output [63:0] rd,
  output        xd
);
  assign rd = 64'b0;
  assign xd = 1'b0;
endmodule
