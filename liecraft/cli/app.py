"""The commands and their options; each one's work is imported when it runs."""

from __future__ import annotations

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

    eyes = Eyes(watch=watch, seat=as_, god=god, delay=delay)
    config = settings(set_ or [])
    play_one(game, seed, agents, (model, model_path, base_url), config, eyes, lang, as_json)


@app.command()
def tournament(
    config: Annotated[Path, typer.Argument(help="The tournament's YAML file.")],
    runs: Runs = Path("runs"),
    name: Annotated[str | None, typer.Option(help="Name of the run instead of the file's.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No bar and no tables.")] = False,
    as_json: Json = False,
) -> None:
    """Play a tournament and print its scores."""
    from liecraft.cli.tournament import run_tournament

    run_tournament(config, runs, name, quiet, as_json)


@app.command()
def scores(
    run: Annotated[Path, typer.Argument(help="A run's folder, or its name under runs/.")],
    as_json: Json = False,
    runs: Runs = Path("runs"),
) -> None:
    """Print the scores of a run."""
    from liecraft.cli.tournament import show_scores

    show_scores(run, runs, as_json)


@app.command()
def replay(
    run: Annotated[Path, typer.Argument(help="A run's folder, or its name under runs/.")],
    game: Annotated[str, typer.Argument(help="A game of it: g000042, or 42.")],
    as_: Annotated[str | None, typer.Option("--as", help="Through a seat's eyes.")] = None,
    god: Annotated[bool, typer.Option("--god", help="With all secrets.")] = False,
    prompts: Annotated[bool, typer.Option("--prompts", help="Also every prompt and answer.")] = False,
    as_json: Json = False,
    runs: Runs = Path("runs"),
) -> None:
    """Show a stored game, event by event."""
    from liecraft.cli.show import replay_game

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
