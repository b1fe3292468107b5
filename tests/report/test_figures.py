from __future__ import annotations

import pytest
from rich.console import Console

from liecraft.evaluators.measures import score
from liecraft.report.figures import figure_lines, print_figures
from tests.evaluators.scene import Scene
from tests.evaluators.test_measures_deception import LIE, PLACE


def test_every_figure_with_a_value_is_a_line_and_nothing_to_score_is_none() -> None:
    figure = {"value": 0.5, "n": 4, "low": 0.1, "high": 0.9}
    nothing = {"value": None, "n": 0, "low": None, "high": None}
    unbounded = {"value": 1.5, "n": 2, "low": None, "high": None, "clusters": 1}
    row = {"entrant": "a", "side": "", "lies": figure, "truths": nothing, "bits": unbounded, "asked": 3}
    assert list(figure_lines([row])) == [
        ("a", "lies", "0.500", "0.100 to 0.900", "4"),
        ("a", "bits", "1.500", "-", "2"),
    ]


def test_figures_fit_80_columns_and_names_are_text(capsys: pytest.CaptureFixture[str]) -> None:
    scene = Scene([("[red]liar", ("thief", "deceivers")), ("b", ("guard", "truthful"))])
    scene.believe(1, {0: 0.5}).say(0, LIE).believe(1, {0: 0.4}).say(1, PLACE).vote((1, 0))
    print_figures(score([scene.trace]), Console(width=80))
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert "[red]liar" in shown
    assert "nan" not in shown.lower()
    for title in ("Propensity to lie (propensity)", "Belief quality (beliefs)"):
        assert title in shown
    assert "(relay_hops)" not in shown
