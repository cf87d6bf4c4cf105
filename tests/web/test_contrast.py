"""Contrast of colours that no tool can measure on the page, since they lie on gradients: from the tokens themselves."""

import re
from pathlib import Path

import pytest
from shutbox_web import STATIC_DIR

CSS = (Path(STATIC_DIR) / "shutbox.css").read_text()
TOKEN = re.compile(r"--([a-z-]+): (#[0-9a-f]{6});")


def tokens(scheme: str) -> dict[str, str]:
    """Return the colours of a scheme: the dark one changes some of the light one's."""
    light = dict(TOKEN.findall(CSS.split("@media")[0]))
    dark = dict(TOKEN.findall(CSS[CSS.index("--paper: #121715") :].split("}")[0]))
    assert len(light) > 20
    assert len(dark) > 15
    return light if scheme == "light" else light | dark


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2.2."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("text", "grounds"),
    [
        ("on-felt", ("felt", "felt-deep")),
        ("wood-ink", ("wood", "wood-deep", "picked")),
        ("#e6d3b8", ("rail", "rail-deep")),  # the number of a shut tile
        ("ink", ("paper", "sheet", "accent-soft", "warn-soft")),
        ("soft", ("paper", "sheet")),
        ("on-accent", ("accent",)),
        ("warn", ("paper", "sheet", "warn-soft")),
        ("pip", ("die",)),
    ],
)
def test_text_stands_out_at_least_4_5_to_1(scheme: str, text: str, grounds: tuple[str, ...]) -> None:
    colours = tokens(scheme)
    for ground in grounds:
        assert contrast(colours.get(text, text), colours[ground]) >= 4.5, ground


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("edge", "grounds"),
    [
        ("focus", ("paper", "sheet")),
        ("#ffffff", ("felt", "felt-deep", "rail", "rail-deep")),  # the focus ring on the box
        ("#b99a78", ("rail", "rail-deep")),  # the dashes of a shut tile
        ("wood", ("rail", "rail-deep")),  # an open tile against the box
        ("picked-edge", ("rail", "rail-deep")),
        ("edge", ("paper", "sheet")),
    ],
)
def test_an_edge_that_means_something_stands_out_at_least_3_to_1(
    scheme: str, edge: str, grounds: tuple[str, ...]
) -> None:
    """Report 29 of ux.md: colours alike."""
    colours = tokens(scheme)
    for ground in grounds:
        assert contrast(colours.get(edge, edge), colours[ground]) >= 3, ground
