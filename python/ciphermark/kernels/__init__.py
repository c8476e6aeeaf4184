"""Families, implementations, descriptions and known answers, as their files have them."""
