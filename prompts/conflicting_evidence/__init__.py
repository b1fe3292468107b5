"""Templates of the game of conflicting evidence, one folder a language."""
