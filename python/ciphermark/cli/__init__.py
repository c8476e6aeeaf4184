"""The command line: one file a command. Data goes to stdout, messages to stderr."""
