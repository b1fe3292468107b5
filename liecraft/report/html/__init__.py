"""The report as a folder of web pages that opens offline: index, list of games, replay."""

from liecraft.report.html.build import ReportError, write_report

__all__ = ["ReportError", "write_report"]
