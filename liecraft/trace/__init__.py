"""Traces: the stored ledger of a game, with every decision and every model call behind it."""
