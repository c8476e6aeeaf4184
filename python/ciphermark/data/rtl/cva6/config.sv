// In place of one of the core's own configurations: XLEN by a macro, A and C, no floating-point unit (its divider is not
// in the package), no coprocessor.
package cva6_config_pkg;
  localparam CVA6ConfigXlen = `CIPHERMARK_XLEN;
  localparam CVA6ConfigFpuEn = 0;
  localparam CVA6ConfigF16En = 0;
  localparam CVA6ConfigF16AltEn = 0;
  localparam CVA6ConfigF8En = 0;
  localparam CVA6ConfigFVecEn = 0;
  localparam CVA6ConfigCvxifEn = 0;
  localparam CVA6ConfigCExtEn = 1;
  localparam CVA6ConfigAExtEn = 1;
  localparam CVA6ConfigFetchUserEn = 0;
  localparam CVA6ConfigFetchUserWidth = CVA6ConfigXlen;
  localparam CVA6ConfigDataUserEn = 0;
  localparam CVA6ConfigDataUserWidth = CVA6ConfigXlen;
  localparam CVA6ConfigRenameEn = 0;
endpackage
