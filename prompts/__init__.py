"""Prompt templates, one folder a game: data and no code. Read them with `importlib.resources`."""

if __name__ != "liecraft.prompts":  # imported as a top-level package it would exist twice
    raise ImportError(f"import liecraft.prompts, not {__name__}")
