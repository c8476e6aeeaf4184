// Wally with its AHB port, and what retires: what its minstret counts.
`include "config.vh"

module top import cvw::*; (
  input  logic        clk,
  input  logic        reset,
  output logic        wide,      // RV64

  output logic        retired,
  output logic [63:0] pc,
  output logic [31:0] word,

  output logic [63:0] address,
  output logic        transfers,
  output logic        goes_on,   // a beat of a burst that has begun
  output logic        write,
  output logic [63:0] write_data,
  output logic [7:0]  strobe,
  input  logic        ready,
  input  logic [63:0] read_data
);
`include "parameter-defs.vh"

  logic [P.PA_BITS-1:0] haddr;
  logic [P.AHBW-1:0] hwdata;
  logic [P.XLEN/8-1:0] hwstrb;
  logic [1:0] htrans;
  logic [63:0] mtime;

  always_ff @(posedge clk) mtime <= reset ? '0 : mtime + 1;

  wallypipelinedcore #(P) core (
    .clk, .reset, .MTimerInt(1'b0), .MExtInt(1'b0), .SExtInt(1'b0), .MSwInt(1'b0), .MTIME_CLINT(mtime),
    .HRDATA(read_data[P.AHBW-1:0]), .HREADY(ready), .HRESP(1'b0), .HCLK(), .HRESETn(),
    .HADDR(haddr), .HWDATA(hwdata), .HWSTRB(hwstrb), .HWRITE(write), .HSIZE(), .HBURST(), .HPROT(), .HTRANS(htrans),
    .HMASTLOCK(), .ExternalStall(1'b0)
  );

  assign wide = P.XLEN == 64;
  assign retired = core.InstrValidM & ~core.StallW & ~core.FlushW;
  assign pc = 64'(core.PCM);
  assign word = core.InstrOrigM;
  assign address = 64'(haddr);
  assign transfers = htrans[1];
  assign goes_on = htrans[0];
  assign write_data = 64'(hwdata);
  assign strobe = 8'(hwstrb);
endmodule
