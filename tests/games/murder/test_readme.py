"""Every line of the rules in README.md has a test of that name, and the table of values is the truth."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from liecraft.games.murder.config import MurderConfig

HERE = Path(__file__).parent
README = (HERE.parents[2] / "games" / "murder" / "README.md").read_text(encoding="utf-8")


def test_each_sentence_of_the_rules_is_a_test() -> None:
    rules = README.partition("## Rules")[2].partition("## Configuration")[0]
    sentences = re.findall(r"^- (.+?)\n(?=-|\n|\Z)", rules + "\n", re.MULTILINE | re.DOTALL)
    wanted = {"test_" + re.sub(r"[^a-z]+", "_", sentence.lower()).strip("_") for sentence in sentences}
    assert len(wanted) > 60
    tested = {
        node.name
        for path in HERE.glob("test_rules_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    assert not wanted - tested


def test_the_table_names_each_value_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `([\w.]+)` \| (.+?) \|", README, re.MULTILINE))
    data = MurderConfig().model_dump(mode="json")
    data |= {f"shaping.{name}": value for name, value in data.pop("shaping").items()}
    assert set(rows) == set(data)
    del rows["manor"], data["manor"]
    assert {name: shown.strip("`") for name, shown in rows.items()} == {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in data.items()
    }
