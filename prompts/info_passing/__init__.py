"""Templates of the info-passing game, one folder a language."""
