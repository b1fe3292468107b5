"""Pure functions from traces to scores, and the statistics they share. They import `liecraft.trace` only."""

if __name__ != "liecraft.evaluators":  # imported as a top-level package it would exist twice
    raise ImportError(f"import liecraft.evaluators, not {__name__}")
