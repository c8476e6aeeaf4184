// The ISEs for ChaCha20 of Marshall, Page and Pham (A lightweight ISE for ChaCha on RISC-V), in the draft's numbering,
// written from the definitions of the paper. A register holds a || d or b || c, the first in its upper half.

module paper_pack (input [63:0] rs1, input [63:0] rs2, output [63:0] rd);
  assign rd = {rs2[31:0], rs1[31:0]};
endmodule

module paper_packh (input [63:0] rs1, input [63:0] rs2, output [63:0] rd);
  assign rd = {rs2[63:32], rs1[63:32]};
endmodule

module paper_packhl (input [63:0] rs1, input [63:0] rs2, output [63:0] rd);
  assign rd = {rs2[63:32], rs1[31:0]};
endmodule

module paper_packlh (input [63:0] rs1, input [63:0] rs2, output [63:0] rd);
  assign rd = {rs2[31:0], rs1[63:32]};
endmodule

module paper_v1_ad (input [63:0] rs1, input [63:0] rs2, output [63:0] rd);
  wire [31:0] a, b, c, d, ia, ib, ic, id, na, nd, xd, xb, yd;
  assign {a, d} = rs1;
  assign {b, c} = rs2;
  assign ia = a + b;
  assign xd = ia ^ d;
  assign id = {xd[15:0], xd[31:16]};
  assign ic = c + id;
  assign xb = ic ^ b;
  assign ib = {xb[19:0], xb[31:20]};
  assign na = ia + ib;
  assign yd = id ^ na;
  assign nd = {yd[23:0], yd[31:24]};
  assign rd = {na, nd};
endmodule

module paper_v1_bc (input [63:0] rs1, input [63:0] rs2, output [63:0] rd);
  wire [31:0] na, nd, b, c, ib, ic, id, nb, nc, xb, yb;
  assign {na, nd} = rs1;
  assign {b, c} = rs2;
  assign id = {nd[7:0], nd[31:8]} ^ na;
  assign ic = c + id;
  assign xb = ic ^ b;
  assign ib = {xb[19:0], xb[31:20]};
  assign nc = ic + nd;
  assign yb = ib ^ nc;
  assign nb = {yb[24:0], yb[31:25]};
  assign rd = {nb, nc};
endmodule

module paper_v2_bd (input [63:0] rs1, input [63:0] rs2, output [63:0] rd);
  wire [31:0] a, b, c, d, ib, id, sum, xb, xd;
  assign {a, d} = rs1;
  assign {b, c} = rs2;
  assign sum = a + b;
  assign xd = sum ^ d;
  assign id = {xd[15:0], xd[31:16]};
  assign xb = (c + id) ^ b;
  assign ib = {xb[19:0], xb[31:20]};
  assign rd = {ib, id};
endmodule

module paper_v2_ad (input [63:0] rs1, input [63:0] rs2, output [63:0] rd);
  wire [31:0] a, d, ib, id, na, nd, yd;
  assign {a, d} = rs1;
  assign {ib, id} = rs2;
  assign na = ib + (d ^ {id[15:0], id[31:16]});
  assign yd = id ^ na;
  assign nd = {yd[23:0], yd[31:24]};
  assign rd = {na, nd};
endmodule

module paper_v2_bc (input [63:0] rs1, input [63:0] rs2, output [63:0] rd);
  paper_v1_bc same (.rs1(rs1), .rs2(rs2), .rd(rd));
endmodule

module paper_v3_ad #(parameter N = 16) (input [63:0] rs1, input [63:0] rs2, output [63:0] rd);
  wire [31:0] a, b, c, d, na, x;
  assign {a, d} = rs1;
  assign {b, c} = rs2;
  assign na = a + b;
  assign x = na ^ d;
  assign rd = {na, x[31 - N:0], x[31:32 - N]};
endmodule

module paper_v3_bc #(parameter N = 12) (input [63:0] rs1, input [63:0] rs2, output [63:0] rd);
  wire [31:0] a, b, c, d, nc, x;
  assign {a, d} = rs1;
  assign {b, c} = rs2;
  assign nc = c + d;
  assign x = nc ^ b;
  assign rd = {x[31 - N:0], x[31:32 - N], nc};
endmodule

module paper_v4_add (input [63:0] rs1, input [63:0] rs2, output [63:0] rd);
  assign rd[63:32] = rs1[63:32] + rs2[63:32];
  assign rd[31:0] = rs1[31:0] + rs2[31:0];
endmodule

module paper_v4_xorrol #(parameter N = 16) (input [63:0] rs1, input [63:0] rs2, output [63:0] rd);
  wire [63:0] x = rs1 ^ rs2;
  assign rd = {x[63 - N:32], x[63:64 - N], x[31 - N:0], x[31:32 - N]};
endmodule
