"""Datapaths compute what the interpreter does."""
