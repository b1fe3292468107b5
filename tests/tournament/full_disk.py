"""Run by a test in a process of its own: plays a tournament with room for so many bytes in a file.

python full_disk.py RUNS BYTES [OPTIONS]
"""

from __future__ import annotations

import resource
import sys

from liecraft.cli import main

if __name__ == "__main__":
    runs, room = sys.argv[1], int(sys.argv[2])
    config = f"{runs}/full.yaml"
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    sys.argv = ["liecraft", "tournament", config, "--runs", runs, *sys.argv[3:]]
    main()
