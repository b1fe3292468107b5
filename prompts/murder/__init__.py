"""Templates of the murder game, one folder a language."""
