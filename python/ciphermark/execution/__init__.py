"""Turns a study or a command into rows: tasks, controls, provenance and results."""
