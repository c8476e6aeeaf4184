"""Cores in RTL, built into simulators by Verilator."""
