"""Figures of a report: Vega-Lite charts with captions, data tables and descriptions."""

from ciphermark.report.figures.build import figures
from ciphermark.report.figures.model import Figure

__all__ = ["Figure", "figures"]
