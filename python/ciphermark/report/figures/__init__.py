"""Figures of a report: Vega-Lite charts with captions, data tables and descriptions."""

from ciphermark.report.figures.model import Figure
from ciphermark.report.figures.plots import figures

__all__ = ["Figure", "figures"]
