"""A tournament from a script: the same fields as in a YAML file, and the scores as plain data."""

from liecraft import Tournament
from liecraft.tournament.results import score_run

tournament = Tournament(
    name="script",
    game="murder",
    config={"seats": 5},
    entrants={
        "detective": "detective",
        "bold liar": {"agent": "liar", "lie_rate": 1.0},
        "shy liar": {"agent": "liar", "lie_rate": 0.3},
        "honest": "honest",
        "random": "random",
    },
    games=100,
    seed=7,
)
run = tournament.run()
for row in score_run(run)["play"]["outcomes"]:
    rate = row["win_rate"]
    print(
        f"{row['entrant']:<10} {row['side']:<10} {rate['value']:.2f} [{rate['low']:.2f}, {rate['high']:.2f}] n={rate['n']}"
    )
