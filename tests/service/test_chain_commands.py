"""The chain file and the commands for it: create, cut, load, succeed, show."""

import json
import os
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from shutbox import chains
from shutbox.cli import main
from shutbox.clock import day_at, system_clock
from shutbox.config import Settings
from shutbox.errors import ChainRefused, StartRefused
from shutbox.seeds import Chain, Secrets, create_chain_file, load_secrets, read_chains, write_chains
from shutbox.serve import opened, prepare
from shutbox.site import Site
from shutbox.store.database import writing
from shutbox.store.rows import ChainRow

from tests.chains import FIRST, LAST_MADE, made, successor
from tests.conftest import TODAY
from tests.journals import log_all, logged


def command(*words: object, settings: Settings | None = None) -> Result:
    env = {} if settings is None else environment(settings)
    return CliRunner().invoke(main, [str(word) for word in words], env=env)


def environment(settings: Settings) -> dict[str, str]:
    return {
        "SHUTBOX_DATA_DIR": str(settings.data_dir),
        "SHUTBOX_DATABASE_URL": settings.database_url,
        "SHUTBOX_REDIS_URL": settings.redis_url,
    }


# Offline: create, cut, load


def test_a_chain_is_made_offline_and_loaded_link_by_link(tmp_path: Path, redis_url: str) -> None:
    settings = Settings(data_dir=tmp_path / "data", redis_url=redis_url)
    offline, later, today = tmp_path / "offline.json", tmp_path / "later.json", day_at(system_clock())
    for words in (
        ("create", offline, "--first-day", today - timedelta(days=1), "--days", 100),
        ("cut", offline, settings.chain_file, "--until", today + timedelta(days=2)),
        ("cut", offline, later, "--until", today + timedelta(days=9)),
    ):
        done = command("chain", *words)
        assert done.exit_code == 0, done.output
    with opened(settings, prepare(settings)) as site:
        assert list(made(site)) == [today + timedelta(days=ahead) for ahead in range(3)]
    shown = command("chain", "show", settings=settings).output
    assert f"days left   3: {today} to {today + timedelta(days=2)}" in shown
    loaded = command("chain", "load", later, settings=settings)
    assert (loaded.exit_code, "restart the running nodes" in loaded.output) == (0, True)
    assert settings.chain_file.read_bytes() == later.read_bytes()
    with opened(settings, prepare(settings)) as site:
        assert len(made(site)) == 8
        log_all(site)
        logged(site)
    output = shown + loaded.output + command("chain", "show", settings=settings).output
    assert "log         leaf 0" in output
    for chain in (read_chains(offline)[0], read_chains(later)[0]):
        assert not [number for number in range(1, chain.loaded + 1) if chain.link(number).hex() in output]
    assert [file.stat().st_mode & 0o777 for file in (offline, later, settings.chain_file)] == [0o600] * 3
    assert not list(settings.data_dir.glob(".chain.json.*[0-9a-f]")), "no draft is left"


def test_show_says_what_is_offline_without_a_database(tmp_path: Path) -> None:
    chain = successor(day_at(system_clock()) - timedelta(days=4))
    create_chain_file(tmp_path / "one.json", chain.cut(20))
    shown = command("--data-dir", tmp_path / "nothing", "chain", "show", "--file", tmp_path / "one.json")
    assert shown.exit_code == 0
    for told in (
        f"chain {chain.chain_id.hex()}",
        f"c_0         {chain.anchor.hex()}",
        f"first day   {chain.first_day}",
        f"last day    {chain.first_day + timedelta(days=39)}",
        f"loaded      until {chain.first_day + timedelta(days=19)} (link 20 of 40)",
        "days left   16: ",
    ):
        assert told in shown.output
    assert chain.link(20).hex() not in shown.output
    assert not (tmp_path / "nothing").exists()


def test_show_names_every_chain_and_what_became_of_it(files: Site) -> None:
    (first,) = files.secrets.chains
    chains.succeed(files, successor(), None)
    write_chains(files.settings.chain_file, (successor(number=2), successor(TODAY, 3)))
    with writing(files.session):
        files.session.get_one(ChainRow, first.chain_id).leaf_index = 0
    shown = command("chain", "show", settings=files.settings).output
    blocks = {block[:32]: block for block in re.split("^chain ", shown, flags=re.MULTILINE)}
    assert "begins at the next start" in blocks[successor(number=2).chain_id.hex()]
    assert "never: another chain has its first day" in blocks[successor(number=3).chain_id.hex()]
    assert "not in the file" in blocks[first.chain_id.hex()]
    assert "leaf 0" in blocks[first.chain_id.hex()]
    assert "waits for the worker" in blocks[successor().chain_id.hex()]
    assert "Days are made until 2026-12-07." in shown


def test_the_days_of_a_chain_end_where_its_successor_begins(files: Site) -> None:
    chains.succeed(files, successor(), None)
    shown = command("chain", "show", settings=files.settings).output
    assert "last day    2027-01-21, but another chain has the days after 2026-12-07" in shown


def test_no_command_overwrites_a_file(tmp_path: Path) -> None:
    taken, source = tmp_path / "taken.json", tmp_path / "source.json"
    taken.write_text("something")
    create_chain_file(source, successor())
    for words in (("create", taken), ("cut", source, taken, "--until", FIRST)):
        refused = command("chain", *words)
        assert (refused.exit_code, "exists already" in refused.output) == (1, True)
    assert taken.read_text() == "something"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["source.json", "taken.json"]


@pytest.mark.parametrize("until", ["2026-12-07", "2027-01-17"])
def test_a_cut_outside_the_chain_says_what_would_be_right(tmp_path: Path, until: str) -> None:
    create_chain_file(tmp_path / "one.json", successor())
    refused = command("chain", "cut", tmp_path / "one.json", tmp_path / "out.json", "--until", until)
    assert (refused.exit_code, "for 2026-12-08 to 2027-01-16: name one" in refused.output) == (1, True)
    assert not (tmp_path / "out.json").exists()


def test_a_cut_takes_the_chain_that_has_the_day(tmp_path: Path, secrets: Secrets) -> None:
    create_chain_file(tmp_path / "one.json", successor())
    write_chains(tmp_path / "one.json", (*secrets.chains, successor()))
    for day, chain in ((LAST_MADE, secrets.chains[0]), (FIRST, successor())):
        out = tmp_path / f"{day}.json"
        assert command("chain", "cut", tmp_path / "one.json", out, "--until", day).exit_code == 0
        (part,) = read_chains(out)
        assert (part.chain_id, part.last_day, part.anchor) == (chain.chain_id, day, chain.anchor)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (successor().cut(10), "is loaded until 2026-12-17 (link 10)"),
        (successor().cut(9), "only until 2026-12-16 (link 9)"),
        (successor(number=1), "has no chain c9c9"),
        (Chain(successor().chain_id, FIRST, 40, 20, b"!" * 32), "does not lead back"),
        (Chain(successor().chain_id, FIRST, 41, 20, successor().link(20)), "does not lead back"),
        (Chain(successor().chain_id, TODAY, 40, 20, successor().link(20)), "does not lead back"),
    ],
)
def test_a_link_that_is_not_a_later_one_of_the_chain_is_refused(tmp_path: Path, given: Chain, words: str) -> None:
    file, part = tmp_path / "chain.json", tmp_path / "part.json"
    create_chain_file(file, successor().cut(10))
    create_chain_file(part, given)
    before = file.read_bytes()
    refused = command("--data-dir", tmp_path, "chain", "load", part)
    assert (refused.exit_code, words in refused.output) == (1, True), refused.output
    assert file.read_bytes() == before


def test_a_link_is_loaded_into_its_chain_among_several(tmp_path: Path, secrets: Secrets) -> None:
    file, part = tmp_path / "chain.json", tmp_path / "part.json"
    create_chain_file(file, successor().cut(10))
    write_chains(file, (*secrets.chains, successor().cut(10)))
    create_chain_file(part, successor().cut(30))
    assert chains.load_link(file, part).loaded == 30
    assert read_chains(file) == (*secrets.chains, successor().cut(30))
    with pytest.raises(ChainRefused, match="holds 2 chains"):
        chains.load_link(part, file)


def test_succeed_takes_a_file_or_options_and_not_both(files: Site, tmp_path: Path) -> None:
    part = tmp_path / "part.json"
    create_chain_file(part, successor().cut(20))
    wrong = command("chain", "succeed", part, "--days", 3, settings=files.settings)
    assert (wrong.exit_code, "leave out --first-day and --days" in wrong.output) == (2, True)
    done = command("chain", "succeed", part, settings=files.settings)
    assert done.exit_code == 0, done.output
    assert f"Chain {successor().chain_id.hex()} begins on 2026-12-08 and is loaded until 2026-12-27" in done.output
    assert successor().anchor.hex() in done.output
    assert read_chains(files.settings.chain_file) == (*files.secrets.chains, successor().cut(20))
    refused = command("chain", "succeed", "--first-day", "2026-12-07", settings=files.settings)
    assert (refused.exit_code, "must be 2026-12-08 or later" in refused.output) == (1, True)
    assert load_secrets(*files.settings.secret_files).chains == (*files.secrets.chains, successor().cut(20))


# The file


def test_one_chain_is_written_as_ever_and_several_as_a_list(tmp_path: Path) -> None:
    file = tmp_path / "chain.json"
    create_chain_file(file, successor())
    assert list(json.loads(file.read_text())) == ["chain_id", "first_day", "length", "link", "secret"]
    entry = json.loads(file.read_text())
    file.write_text(json.dumps({"chains": [entry]}))
    assert read_chains(file) == (successor(),)
    write_chains(file, (successor(), successor(number=1)))
    assert [one["link"] for one in json.loads(file.read_text())["chains"]] == [40, 40]
    assert read_chains(file) == (successor(), successor(number=1))


@pytest.mark.parametrize(
    "content",
    [
        {"chains": []},
        {"chains": {}},
        {"chains": "chain"},
        {"chains": 1},
        {"chains": [1]},
        {"chains": [{}]},
        {"chains": ["first", "first"]},
        {"chains": ["first", {"link": 41}]},
        {"chains": ["first", {"length": 1_000_000}]},
        {"chains": ["first", {"first_day": "9999-12-01"}]},
        {"chains": ["first", {"first_day": "1969-12-31"}]},
    ],
)
def test_a_list_that_holds_something_else_is_refused(tmp_path: Path, content: dict[str, Any]) -> None:
    file = tmp_path / "chain.json"
    create_chain_file(file, successor())
    first = json.loads(file.read_text())
    if isinstance(content["chains"], list) and "first" in content["chains"]:
        other = content["chains"][1]
        second = first if other == "first" else {**first, "chain_id": "ab" * 16, **other}
        content = {"chains": [first, second]}
    file.write_text(json.dumps(content))
    with pytest.raises(StartRefused, match="is not a chain file"):
        read_chains(file)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_is_broken_off_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    file = tmp_path / "chain.json"
    create_chain_file(file, successor().cut(10))
    before = file.read_bytes()

    def die(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, step, die)
        with pytest.raises(KeyboardInterrupt):
            write_chains(file, (successor(),))
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("chain.json", before)]


def test_a_chain_file_that_is_a_link_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "chain.json"
    create_chain_file(real, successor().cut(10))
    link.symlink_to(real)
    write_chains(link, (successor(),))
    assert link.is_symlink()
    assert read_chains(real) == (successor(),)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_a_chain_file_stays_its_owners(tmp_path: Path) -> None:
    file = tmp_path / "chain.json"
    create_chain_file(file, successor().cut(10))
    os.chown(file, 1234, 5678)
    write_chains(file, (successor(),))
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 5678)


def test_a_folder_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    create_chain_file(tmp_path / "one.json", successor())
    out = tmp_path / "one.json" / "out.json"
    refused = command("chain", "cut", tmp_path / "one.json", out, "--until", FIRST)
    assert (refused.exit_code, "cannot be written" in refused.output) == (1, True)
