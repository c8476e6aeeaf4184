"""What follows from rows: audit, agreement, extrapolation, comparison, break-even, fits and tables."""
