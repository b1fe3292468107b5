"""Who decides for a seat: scripted agents for any game, language models, AutoGen, a human."""
