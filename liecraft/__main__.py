"""`python -m liecraft`."""

from liecraft.cli import main

main()
