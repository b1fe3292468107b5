"""The command line: `liecraft`. Thin; heavy imports happen inside the commands."""

from __future__ import annotations

import sys
from itertools import pairwise

from liecraft.cli.app import app


def main() -> None:
    """Run the command line; what a user can mend is one line on stderr and exit code 2."""
    from liecraft.engine.errors import LieCraftError

    try:
        app(with_values(sys.argv[1:]))
    except LieCraftError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone: nothing to say, nowhere to say it
        sys.exit(141)


def with_values(arguments: list[str]) -> list[str]:
    """Arguments in which an option whose value may be left out has one.

    >>> with_values(["tournament", "cup.yaml", "--ray", "--quiet"])
    ['tournament', 'cup.yaml', '--ray', 'local', '--quiet']
    """
    told = []
    for argument, following in pairwise([*arguments, "-"]):
        told.append(argument)
        if argument == "--ray" and following.startswith("-"):
            told.append("local")
    return told
