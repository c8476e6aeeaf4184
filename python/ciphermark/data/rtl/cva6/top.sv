// CVA6 with its AXI port flattened, and what its commit ports retire.
module top (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [63:0] boot,

  output logic [1:0]  retired,
  output logic [63:0] pc0,
  output logic [63:0] pc1,
  output logic [31:0] word0,
  output logic [31:0] word1,

  output logic        mem_ar_valid,
  input  logic        mem_ar_ready,
  output logic [3:0]  mem_ar_bits_id,
  output logic [63:0] mem_ar_bits_addr,
  output logic [7:0]  mem_ar_bits_len,
  output logic [2:0]  mem_ar_bits_size,
  output logic [1:0]  mem_ar_bits_burst,
  input  logic        mem_r_valid,
  output logic        mem_r_ready,
  input  logic [3:0]  mem_r_bits_id,
  input  logic [63:0] mem_r_bits_data,
  input  logic        mem_r_bits_last,
  output logic        mem_aw_valid,
  input  logic        mem_aw_ready,
  output logic [3:0]  mem_aw_bits_id,
  output logic [63:0] mem_aw_bits_addr,
  output logic [7:0]  mem_aw_bits_len,
  output logic [2:0]  mem_aw_bits_size,
  output logic [1:0]  mem_aw_bits_burst,
  output logic [5:0]  mem_aw_bits_atop,
  output logic        mem_w_valid,
  input  logic        mem_w_ready,
  output logic [63:0] mem_w_bits_data,
  output logic [7:0]  mem_w_bits_strb,
  output logic        mem_w_bits_last,
  input  logic        mem_b_valid,
  output logic        mem_b_ready,
  input  logic [3:0]  mem_b_bits_id
);
  // The core's default, but for the mailbox's page: elsewhere, uncached or not, stores to one word are merged while they
  // wait, and characters would be lost.
  function automatic ariane_pkg::ariane_cfg_t with_mailbox(ariane_pkg::ariane_cfg_t base);
    with_mailbox = base;
    with_mailbox.NrNonIdempotentRules = 1;
    with_mailbox.NonIdempotentAddrBase[0] = 64'h6000_0000;
    with_mailbox.NonIdempotentLength[0] = 64'h1000;
  endfunction
  localparam ariane_pkg::ariane_cfg_t Config = with_mailbox(ariane_pkg::ArianeDefaultConfig);

  ariane_axi::req_t request;
  ariane_axi::resp_t response;
  ariane_rvfi_pkg::rvfi_port_t rvfi;

  ariane #(.ArianeCfg(Config)) core (
    .clk_i(clk), .rst_ni(rst_n), .boot_addr_i(boot[riscv::VLEN-1:0]), .hart_id_i('0),
    .irq_i('0), .ipi_i(1'b0), .time_irq_i(1'b0), .debug_req_i(1'b0),
    .rvfi_o(rvfi), .axi_req_o(request), .axi_resp_i(response)
  );

  assign retired = {rvfi[1].valid & ~rvfi[1].trap, rvfi[0].valid & ~rvfi[0].trap};
  assign pc0 = 64'(rvfi[0].pc_rdata);
  assign pc1 = 64'(rvfi[1].pc_rdata);
  assign word0 = rvfi[0].insn;
  assign word1 = rvfi[1].insn;

  assign mem_ar_valid = request.ar_valid;
  assign mem_ar_bits_id = request.ar.id;
  assign mem_ar_bits_addr = request.ar.addr;
  assign mem_ar_bits_len = request.ar.len;
  assign mem_ar_bits_size = request.ar.size;
  assign mem_ar_bits_burst = request.ar.burst;
  assign mem_r_ready = request.r_ready;
  assign mem_aw_valid = request.aw_valid;
  assign mem_aw_bits_id = request.aw.id;
  assign mem_aw_bits_addr = request.aw.addr;
  assign mem_aw_bits_len = request.aw.len;
  assign mem_aw_bits_size = request.aw.size;
  assign mem_aw_bits_burst = request.aw.burst;
  assign mem_aw_bits_atop = request.aw.atop;
  assign mem_w_valid = request.w_valid;
  assign mem_w_bits_data = request.w.data;
  assign mem_w_bits_strb = request.w.strb;
  assign mem_w_bits_last = request.w.last;
  assign mem_b_ready = request.b_ready;

  always_comb begin
    response = '0;
    response.ar_ready = mem_ar_ready;
    response.r_valid = mem_r_valid;
    response.r.id = mem_r_bits_id;
    response.r.data = mem_r_bits_data;
    response.r.last = mem_r_bits_last;
    response.aw_ready = mem_aw_ready;
    response.w_ready = mem_w_ready;
    response.b_valid = mem_b_valid;
    response.b.id = mem_b_bits_id;
  end
endmodule
