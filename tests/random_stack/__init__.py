"""Random pushes, pops, moves of saved registers and table jumps, run by several engines and compared step by step."""
