"""The engine: a game is a ledger of events with audiences, and everything else follows from it."""
