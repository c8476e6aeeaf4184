"""The pages of docs/reference/: templates, filled from the code, and modules whose ``page`` makes the text from it."""
