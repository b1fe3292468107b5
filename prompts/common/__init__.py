"""What the prompts of all games share: how to answer, how a turn is laid out."""
