"""Small bare-metal programs, each of which isolates one mechanism of a core, and the cycles they take in RTL.

They are written without regard to any model of a core, so that a model can be held against them.
:func:`rtl.micro.program.programs` makes the ELFs of an ISA, :func:`rtl.micro.record.of` those that a machine runs, each
with its ISA, and :func:`rtl.micro.record.read` has what they took in RTL, from ``cycles.json``. None of the three needs
RTL. ``PYTHONPATH=tests python -m rtl.micro record`` writes the file anew.
"""
