"""The documents cannot fall behind: what they name exists, and what exists is documented."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import Field, fields
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
from shutbox import cli
from shutbox.config import Settings
from shutbox.errors import StartRefused
from shutbox.game.play import WrongDecision
from shutbox.game.replay import Reason
from shutbox.tlog.faults import Fault
from shutbox.web.problems import PROBLEMS

from tests.contract import DOCUMENT

TOP = Path(__file__).parents[1]
PAGES = sorted(
    path
    for path in TOP.rglob("*.md")
    if not any(part.startswith(".") or part == "node_modules" for part in path.relative_to(TOP).parts)
)
DECISIONS = sorted((TOP / "docs" / "adr").glob("*.md"))
NAMES = [f"SHUTBOX_{field.name.upper()}" for field in fields(Settings)]

_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_CALL = re.compile(r"(?:/api/v1|\$\{?api\}?)(/[^\s`'\"|),;]*)")


def name_of(path: Path) -> str:
    return path.relative_to(TOP).as_posix()


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def rows_of(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows of the tables of a page as cells, each with the heading that it stands under."""
    heading = ""
    for line in text_of(path).splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("|"):
            yield heading, [cell.strip() for cell in line.strip("|").split("|")]


def in_backticks(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


# Settings


def settings_table() -> dict[str, list[str]]:
    rows = rows_of(TOP / "docs" / "operations.md")
    return {in_backticks(cells[0])[0]: cells for heading, cells in rows if heading == "Settings" and "`" in cells[0]}


def test_every_setting_is_documented_once_and_no_other() -> None:
    assert sorted(settings_table()) == sorted(NAMES)


@pytest.mark.parametrize("field", fields(Settings), ids=lambda field: field.name)
def test_the_default_of_a_setting_is_the_documented_one(field: Field[Any]) -> None:
    value = getattr(Settings(), field.name)
    told = settings_table()[f"SHUTBOX_{field.name.upper()}"][1]
    if field.name == "variants":
        assert told == "all but classic"
        assert "classic" not in value
    elif isinstance(value, bool):
        assert told == f"`{'on' if value else 'off'}`"
    else:
        assert told == ("empty" if value in ("", ()) else f"`{value}`")


def test_the_documented_ranges_of_numbers_are_the_real_ones() -> None:
    ranges = {name: re.fullmatch(r"(\d+)…(\d+)", cells[2]) for name, cells in settings_table().items()}
    numbers = {field.name for field in fields(Settings) if field.type is int}
    assert {name for name, found in ranges.items() if found} == {f"SHUTBOX_{name.upper()}" for name in numbers}
    for name, found in ranges.items():
        if found is None:
            continue
        least, most = int(found[1]), int(found[2])
        for right in (least, most):
            Settings.from_env({name: str(right)})
        for wrong in (least - 1, most + 1):
            with pytest.raises(StartRefused, match=name):
                Settings.from_env({name: str(wrong)})


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_names_no_setting_that_does_not_exist(page: Path) -> None:
    client = "".join(file.read_text() for file in (TOP / "client" / "shutbox_client").glob("*.py"))
    known = {*NAMES, *re.findall(r'"(SHUTBOX_CLIENT_[A-Z_]+)"', client), "SHUTBOX_", "SHUTBOX_CLIENT_"}
    assert set(re.findall(r"\bSHUTBOX_[A-Z_]*", text_of(page))) - known == set()


# Errors


def test_every_code_is_documented_with_its_status_and_no_other() -> None:
    documented = [
        (in_backticks(cells[0])[0], int(heading[:3]))
        for heading, cells in rows_of(TOP / "docs" / "errors.md")
        if re.match(r"\d{3} ", heading) and "`" in cells[0]
    ]
    assert len(documented) == len(set(documented))
    assert dict(documented) == {code: status for code, (status, _) in PROBLEMS.items()}


def test_every_reason_is_documented_with_what_it_is_a_reason_of() -> None:
    documented = {
        in_backticks(cells[0])[0]: set(cells[1].split(", "))
        for heading, cells in rows_of(TOP / "docs" / "errors.md")
        if heading.startswith("Reasons") and "`" in cells[0]
    }
    assert set(documented) == {reason.value for reason in (*Reason, *WrongDecision)}
    assert {reason for reason, of in documented.items() if "run" in of} == {reason.value for reason in Reason}
    protocol = text_of(TOP / "docs" / "protocol.md")
    assert [reason.value for reason in Reason if f"`{reason.value}`" not in protocol] == []


def test_every_member_of_a_problem_is_documented() -> None:
    members = {
        in_backticks(cells[0])[0]
        for heading, cells in rows_of(TOP / "docs" / "errors.md")
        if heading == "The shape of a problem" and "`" in cells[0]
    }
    assert members == set(DOCUMENT["components"]["schemas"]["Problem"]["properties"])


# Commands and calls


def test_every_command_is_documented_with_its_options() -> None:
    page = text_of(TOP / "docs" / "operations.md")
    rows = [cells for heading, cells in rows_of(TOP / "docs" / "operations.md") if heading == "Commands"]
    described = [in_backticks(cells[0])[0] for cells in rows if len(cells) == 2 and "`" in cells[0]]
    assert sorted(described) == sorted(f"shutbox {name}" for name in cli.main.commands)
    commands = dict(cli.main.commands)
    for group, command in cli.main.commands.items():
        if isinstance(command, click.Group):
            commands |= {f"{group} {name}": below for name, below in command.commands.items()}
    for name, command in commands.items():
        assert f"`shutbox {name}" in page, name
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.opts[0] in page, f"shutbox {name} {option.opts[0]}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_names_no_command_that_does_not_exist(page: Path) -> None:
    named = set(re.findall(r"(?:`|bin/|^)shutbox ([a-z]+)", text_of(page), re.MULTILINE))
    assert named - set(cli.main.commands) == set()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_names_no_call_that_does_not_exist(page: Path) -> None:
    assert [call for call in calls_in(page) if not any(meets(path, call) for path in DOCUMENT["paths"])] == []


def test_every_call_is_named_in_a_page() -> None:
    named = {call for page in PAGES for call in calls_in(page)}
    api = [path for path in DOCUMENT["paths"] if path.startswith("/api/v1/")]
    assert [path for path in api if not any(meets(path, call) for call in named)] == []


def calls_in(page: Path) -> list[str]:
    """Return the calls that a page names; steps in braces, of the shell or with an ellipsis stand for any value."""
    found = ("/api/v1" + path for path in _CALL.findall(text_of(page)))
    return [call.split("?")[0].rstrip("/.:") for call in found if call.split("?")[0].rstrip("/.:") != "/api/v1"]


def meets(template: str, call: str) -> bool:
    """Tell whether a call can be one of a path of openapi.yaml."""
    parts, steps = template.strip("/").split("/"), call.strip("/").split("/")
    return len(parts) == len(steps) and all(
        part == step or (part.startswith("{") and step) for part, step in zip(parts, steps, strict=True)
    )


# Links, paths, decisions


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_to_a_file_or_a_heading_leads_there(page: Path) -> None:
    for target in _LINK.findall(_FENCE.sub("", text_of(page))):
        if target.startswith(("https://", "http://", "mailto:")):
            continue
        file, _, heading = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        assert path.is_relative_to(TOP), target
        assert path.exists(), target
        if heading and path.suffix == ".md":
            assert heading in slugs(path), target


@cache
def slugs(page: Path) -> set[str]:
    """Return the names by which GitHub links to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", text_of(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_path_in_backticks_exists(page: Path) -> None:
    named = in_backticks(_FENCE.sub("", text_of(page)))
    paths = [text for text in named if re.match(r"(service|client|tests|docs|deploy)/[^\s*]*\Z", text)]
    assert [path for path in paths if path != "deploy/.env" and not (TOP / path).exists()] == []


def test_the_pages_that_are_promised_exist() -> None:
    for name in ("architecture", "protocol", "errors", "operations"):
        assert TOP / "docs" / f"{name}.md" in PAGES
    for name in ("README", "CHANGELOG", "CONTRIBUTING", "SECURITY"):
        assert TOP / f"{name}.md" in PAGES


@pytest.mark.parametrize("page", DECISIONS, ids=name_of)
def test_a_decision_has_its_context_and_its_consequences(page: Path) -> None:
    number = page.name[:4]
    assert text_of(page).startswith(f"# {number}: ")
    assert re.findall(r"^## (.+)$", text_of(page), re.MULTILINE) == ["Context", "Decision", "Consequences"]


def test_decisions_are_numbered_without_gaps() -> None:
    assert [page.name[:4] for page in DECISIONS] == [f"{number:04}" for number in range(1, len(DECISIONS) + 1)]


def test_every_module_and_every_import_contract_is_in_the_architecture() -> None:
    page = text_of(TOP / "docs" / "architecture.md")
    package = TOP / "service" / "shutbox"
    modules = [
        name_of(path) + ("/" if path.is_dir() else "")
        for path in sorted(package.iterdir())
        if (path.suffix == ".py" and path.name != "__init__.py") or (path / "__init__.py").exists()
    ]
    assert [module for module in modules if f"`{module}`" not in page] == []
    routes = [name_of(path) for path in sorted((package / "web" / "routes").glob("[a-z]*.py"))]
    assert [name for name in routes if f"`{name}`" not in page] == []
    contracts = tomllib.loads((TOP / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert [contract["name"] for contract in contracts if f"| {contract['name']} |" not in page] == []


def test_the_protocol_says_which_leaves_the_service_writes() -> None:
    sources = [file for file in (TOP / "service/shutbox").rglob("*.py") if "tlog" not in file.parts]
    written = {leaf.upper() for file in sources for leaf in re.findall(r"leaves\.(\w+)Leaf\(", text_of(file))}
    said = re.search(r"The service writes (.*?);", text_of(TOP / "docs" / "protocol.md"), re.DOTALL)
    assert said is not None
    assert set(re.findall(r"[A-Z]{3,}", said[1])) == written


def test_the_protocol_names_every_fault_and_no_other() -> None:
    _, _, names = text_of(TOP / "docs" / "protocol.md").partition("### Names of faults")
    assert re.findall(r"^\| `([a-z0-9-]+)` \|", names, re.MULTILINE) == [fault.value for fault in Fault]
    for named in re.findall(r"\(`([a-z0-9-]+)`", text_of(TOP / "docs" / "protocol.md")):
        assert named in set(Fault), named


# Reports


def reports_of(path: Path) -> set[int]:
    """Return the numbers of the reports that the docstrings of a file of tests name."""
    named = re.findall(r"Reports? ((?:\d+(?:, | and )?)+)", text_of(path))
    return {int(number) for numbers in named for number in re.findall(r"\d+", numbers)}


def test_every_report_of_the_39_has_its_tests_and_every_test_its_row() -> None:
    told = {
        int(cells[0]): {TOP / name for name in in_backticks(cells[2])}
        for _, cells in rows_of(TOP / "docs" / "reports.md")
        if cells[0].isdigit()
    }
    found: dict[int, set[Path]] = {number: set() for number in range(1, 40)}
    for path in (TOP / "tests").rglob("test_*.py"):
        for number in reports_of(path):
            found[number].add(path)
    assert told == found
    assert all(found.values())
