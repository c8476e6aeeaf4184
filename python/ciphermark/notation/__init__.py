"""How sizes, VLENs, ISA strings, numbers and TOML files are written and read."""
