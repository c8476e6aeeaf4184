// Ibex with its parameters as plain integers, its two buses as ports of the bench, and what retires.
module top import ibex_pkg::*; #(
  parameter int Multiplier = 2,         // rv32m_e: none, slow, fast, single cycle
  parameter int BitManipulation = 0,    // rv32b_e: none, balanced, OTEarlGrey, full
  parameter int BranchTargetALU = 0,
  parameter int WritebackStage = 0,
  parameter int ICache = 0,
  parameter int BranchPredictor = 0
) (
  input  logic clk, rst_n,
  output logic fetch, input logic fetched, fetch_error, output logic [31:0] fetch_address, input logic [31:0] fetch_data,
  output logic access, write, input logic answered, access_error, output logic [3:0] strobe,
  output logic [31:0] address, write_data, input logic [31:0] read_data,
  output logic retires, traps, output logic [31:0] pc, word
);
  ibex_top #(
    .RV32M(rv32m_e'(Multiplier)), .RV32B(rv32b_e'(BitManipulation)), .RegFile(RegFileFF),
    .BranchTargetALU(BranchTargetALU[0]), .WritebackStage(WritebackStage[0]), .ICache(ICache[0]),
    .BranchPredictor(BranchPredictor[0])
  ) core (
    .clk_i(clk), .rst_ni(rst_n), .test_en_i(1'b0), .ram_cfg_i('0), .hart_id_i('0), .boot_addr_i(32'h7fff_ff00),
    .instr_req_o(fetch), .instr_gnt_i(1'b1), .instr_rvalid_i(fetched), .instr_addr_o(fetch_address),
    .instr_rdata_i(fetch_data), .instr_rdata_intg_i('0), .instr_err_i(fetch_error),
    .data_req_o(access), .data_gnt_i(1'b1), .data_rvalid_i(answered), .data_we_o(write), .data_be_o(strobe),
    .data_addr_o(address), .data_wdata_o(write_data), .data_wdata_intg_o(), .data_rdata_i(read_data),
    .data_rdata_intg_i('0), .data_err_i(access_error),
    .irq_software_i(1'b0), .irq_timer_i(1'b0), .irq_external_i(1'b0), .irq_fast_i('0), .irq_nm_i(1'b0),
    .scramble_key_valid_i(1'b1), .scramble_key_i('0), .scramble_nonce_i('0), .scramble_req_o(),
    .debug_req_i(1'b0), .crash_dump_o(), .double_fault_seen_o(),
    .rvfi_valid(retires), .rvfi_trap(traps), .rvfi_pc_rdata(pc), .rvfi_insn(word),
    .rvfi_order(), .rvfi_halt(), .rvfi_intr(), .rvfi_mode(), .rvfi_ixl(), .rvfi_rs1_addr(), .rvfi_rs2_addr(),
    .rvfi_rs3_addr(), .rvfi_rs1_rdata(), .rvfi_rs2_rdata(), .rvfi_rs3_rdata(), .rvfi_rd_addr(), .rvfi_rd_wdata(),
    .rvfi_pc_wdata(), .rvfi_mem_addr(), .rvfi_mem_rmask(), .rvfi_mem_wmask(), .rvfi_mem_rdata(), .rvfi_mem_wdata(),
    .rvfi_ext_pre_mip(), .rvfi_ext_post_mip(), .rvfi_ext_nmi(), .rvfi_ext_nmi_int(), .rvfi_ext_debug_req(),
    .rvfi_ext_debug_mode(), .rvfi_ext_rf_wr_suppress(), .rvfi_ext_mcycle(), .rvfi_ext_mhpmcounters(),
    .rvfi_ext_mhpmcountersh(), .rvfi_ext_ic_scr_key_valid(), .rvfi_ext_irq_valid(),
    .fetch_enable_i(IbexMuBiOn), .alert_minor_o(), .alert_major_internal_o(), .alert_major_bus_o(),
    .core_sleep_o(), .scan_rst_ni(1'b1)
  );
endmodule
