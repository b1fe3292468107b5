"""The commands and their options; each one's work is imported when it runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A laboratory for deception among language-model agents.",
)

Json = Annotated[bool, typer.Option("--json", help="Print data for programs.")]
Runs = Annotated[Path, typer.Option(help="Folder that holds the runs.")]
Lang = Annotated[str, typer.Option(help="Language of the text.")]


def _find_own_agents() -> None:
    """Let `module:factory` be found in the folder that one is in; what is installed goes before."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())


@app.command()
def games(as_json: Json = False) -> None:
    """List the games there are, with their seats and roles."""
    from liecraft.cli.show import show_games

    show_games(as_json)


@app.command()
def play(
    game: Annotated[str, typer.Argument(help="A game, such as murder.")],
    seed: Annotated[int, typer.Option(min=0, help="The game's seed.")] = 0,
    agents: Annotated[
        str | None,
        typer.Option(help="Agents in seat order, with commas; one for each seat, or fewer to go round."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="A model for the first seat: 'embedded', or a name your endpoint knows."),
    ] = None,
    model_path: Annotated[Path | None, typer.Option(help="A .gguf file for the embedded server.")] = None,
    base_url: Annotated[str | None, typer.Option(help="OpenAI-compatible endpoint, up to /v1.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="A rule of the game, KEY=VALUE; repeatable.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Show the game as it goes.")] = False,
    as_: Annotated[str | None, typer.Option("--as", help="Watch through a seat's eyes.")] = None,
    god: Annotated[bool, typer.Option("--god", help="Watch with all secrets.")] = False,
    delay: Annotated[float, typer.Option(min=0, help="Seconds to rest after each move.")] = 0.0,
    lang: Lang = "en",
    as_json: Json = False,
) -> None:
    """Play one game and show how it went."""
    from liecraft.cli.play import Eyes, play_one, settings

    _find_own_agents()
    eyes = Eyes(watch=watch, seat=as_, god=god, delay=delay)
    config = settings(set_ or [])
    play_one(game, seed, agents, (model, model_path, base_url), config, eyes, lang, as_json)


@app.command()
def tournament(
    config: Annotated[Path, typer.Argument(help="The tournament's YAML file.")],
    runs: Runs = Path("runs"),
    name: Annotated[str | None, typer.Option(help="Name of the run instead of the file's.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the latest run of that name, if there is one.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="With --resume: go on with games that had failed, too.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, max=512, help="Processes to play in.")] = 1,
    ray: Annotated[
        str | None,
        typer.Option(help="Play on the Ray cluster at this address; 'local', or nothing: on one of its own."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No bar and no tables.")] = False,
    as_json: Json = False,
) -> None:
    """Play a tournament and print its scores."""
    from liecraft.cli.tournament import Ways, run_tournament

    _find_own_agents()
    ways = Ways(resume=resume, retry_failed=retry_failed, workers=workers, ray=ray)
    run_tournament(config, runs, name, ways, quiet, as_json)


@app.command()
def scores(
    run: Annotated[Path, typer.Argument(help="A run's folder, or its name under runs/.")],
    all_: Annotated[bool, typer.Option("--all", help="Every figure of every measure.")] = False,
    as_json: Json = False,
    runs: Runs = Path("runs"),
) -> None:
    """Print the scores of a run."""
    from liecraft.cli.tournament import show_scores

    show_scores(run, runs, as_json, all_)


@app.command()
def replay(
    run: Annotated[Path, typer.Argument(help="A run's folder, or its name under runs/.")],
    game: Annotated[str | None, typer.Argument(help="A game of it: g000042, or 42.")] = None,
    as_: Annotated[str | None, typer.Option("--as", help="Through a seat's eyes.")] = None,
    god: Annotated[bool, typer.Option("--god", help="With all secrets.")] = False,
    prompts: Annotated[bool, typer.Option("--prompts", help="Also every prompt and answer.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Play it again from its recording, offline, and compare.")
    ] = False,
    as_json: Json = False,
    runs: Runs = Path("runs"),
) -> None:
    """Show a stored game, event by event; or, with --verify, check that all of a run can be played again."""
    from liecraft.cli.show import replay_game

    if verify:
        from liecraft.cli.verify import verify_run

        _find_own_agents()
        verify_run(run, game, as_json, runs)
        return
    if game is None:
        raise typer.BadParameter("say which game to show, such as 0, or --verify to check them all")
    replay_game(run, game, as_, god, prompts, as_json, runs)


@app.command()
def report(
    run: Annotated[list[Path], typer.Argument(help="Runs: folders, or names under runs/.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder to write; else 'report' in the first run's folder.")
    ] = None,
    runs: Runs = Path("runs"),
) -> None:
    """Write web pages on runs: scores, plots, a list of games, replays. They open offline."""
    from liecraft.cli.report import report_runs

    report_runs(run, out, runs)


@app.command()
def new_game(
    name: Annotated[str, typer.Argument(help="The game's name: a-z, 0-9 and _, without a version.")],
    into: Annotated[Path, typer.Option(help="Folder in which the game's own folder is made.")] = Path("."),
    in_tree: Annotated[
        bool, typer.Option("--in-tree", help="Into a checkout of LieCraft instead, at --into.")
    ] = False,
) -> None:
    """Write the skeleton of a new game: rules, players, prompts, tests."""
    from liecraft.cli import new_game as writer

    typer.echo("\n".join(writer.new_game(name, into, in_tree)))


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(help="A run's folder, or its name under runs/.")],
    second: Annotated[Path, typer.Argument(help="The run to compare it with.")],
    as_json: Json = False,
    runs: Runs = Path("runs"),
) -> None:
    """Say whether the entrants of two runs did differently, and by which test."""
    from liecraft.cli.data import compare_runs

    compare_runs(first, second, runs, as_json)


@app.command()
def export(
    run: Annotated[Path, typer.Argument(help="A run's folder, or its name under runs/.")],
    form: Annotated[str, typer.Option("--format", help="parquet, csv or jsonl.")] = "csv",
    out: Annotated[
        Path | None, typer.Option(help="Folder to write to; export/ in the run's otherwise.")
    ] = None,
    runs: Runs = Path("runs"),
) -> None:
    """Write a run as tidy tables: games, seats, moves, claims, probes, scores."""
    from liecraft.cli.data import export_run

    export_run(run, form, out, runs)
