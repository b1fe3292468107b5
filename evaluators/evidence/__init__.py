"""Measures of the game of conflicting evidence, from its own events."""
