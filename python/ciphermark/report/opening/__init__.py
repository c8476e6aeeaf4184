"""The first screen of a report: a question, an answer in numbers, and the figure that shows it."""
