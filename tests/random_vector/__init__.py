"""Random programs over the vector instructions, run by several engines and compared step by step."""
