"""Published figures: what a study says of them, and the verdicts measured rows give."""
