"""Measures of the info-passing game, from its own events."""
