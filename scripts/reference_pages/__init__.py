"""The pages of docs/reference/: a module each, whose ``page`` makes the text from the code."""
