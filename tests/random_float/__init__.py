"""Random floating-point programs, run by several engines and compared result by result and flag by flag."""
