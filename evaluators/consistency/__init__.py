"""Whether a seat stands by what it said, thought and believed."""
