"""Who noticed: votes, accusations, beliefs."""
