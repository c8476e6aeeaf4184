"""Studies: a question, the matrix of points that answers it, and the published claims it judges."""
