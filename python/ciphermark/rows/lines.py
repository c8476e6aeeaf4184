"""Lines through figures by size: a fixed part, and one for each byte."""

from collections.abc import Sequence


def least_squares(points: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """``fixed`` and ``per_byte`` with the least squared relative deviations, neither below zero."""
    weights = [1 / cost**2 for _, cost in points]
    total = sum(weights)
    mean_size = sum(w * size for w, (size, _) in zip(weights, points, strict=True)) / total
    mean_cost = sum(w * cost for w, (_, cost) in zip(weights, points, strict=True)) / total
    spread = sum(w * (size - mean_size) ** 2 for w, (size, _) in zip(weights, points, strict=True))
    joint = sum(w * (size - mean_size) * (cost - mean_cost) for w, (size, cost) in zip(weights, points, strict=True))
    per_byte = joint / spread
    fixed = mean_cost - per_byte * mean_size
    if per_byte < 0:
        return mean_cost, 0.0
    if fixed >= 0:
        return fixed, per_byte
    products = sum(w * size * cost for w, (size, cost) in zip(weights, points, strict=True))
    return 0.0, products / sum(w * size**2 for w, (size, _) in zip(weights, points, strict=True))
