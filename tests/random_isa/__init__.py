"""Random programs over the scalar instructions, run by several engines and compared result by result."""
