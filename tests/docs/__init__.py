"""The documentation holds: pages made from the code are fresh, and what the tutorial shows happens."""
