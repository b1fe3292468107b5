"""Murder in a manor: one of the guests kills, the others must find out who before dawn."""
