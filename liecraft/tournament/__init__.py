"""Tournaments: who meets whom on which seeds, played at once, stored so that nothing finished is lost."""
