"""The game modes, one folder each: rules, claims, scripted bots. They import `liecraft.engine` only."""

if __name__ != "liecraft.games":  # imported as a top-level package it would exist twice
    raise ImportError(f"import liecraft.games, not {__name__}")
