"""Wrong values are refused in one line."""

from __future__ import annotations

import re
from typing import Any

import pytest

import liecraft
from liecraft.engine.errors import ConfigError

GAME = "conflicting_evidence_v0"


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"case": "well"}, "ids need a cases file"),
        ({"case": -1}, "case -1 is negative"),
        ({"condition": "distribute"}, "condition: "),
        ({"seats": 13}, "seats: "),
        ({"seats": 1}, "seats: "),
        ({"toxicity": 6}, "toxicity: "),
        ({"trap_kinds": ["outdated", "outdated"]}, "trap_kinds names a kind twice"),
        ({"trap_kinds": []}, "trap_kinds: "),
        ({"toxcity": 3}, "unknown key 'toxcity'; did you mean 'toxicity'?"),
    ],
)
def test_a_wrong_configuration_is_refused_in_one_line(config: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(told)) as caught:
        liecraft.make(GAME, **config)
    assert "\n" not in str(caught.value)
