"""The protocol's vectors as plain data."""

import json
from pathlib import Path
from typing import Any

from shutbox.game.replay import Turn


def vectors(name: str) -> Any:
    """Return the content of one vector file."""
    return json.loads((Path(__file__).parent / f"{name}.json").read_text())


def turns_of(vector: dict[str, Any]) -> list[Turn]:
    """Return the turns of a run vector."""
    return [Turn(turn["dice"], tuple(turn["shut"])) for turn in vector["turns"]]
