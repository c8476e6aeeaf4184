"""Conformance with the RISC-V suites the user brings, and lock-step with other simulators."""
