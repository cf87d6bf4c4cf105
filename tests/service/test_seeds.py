"""The chain of day secrets, seeds, commitments, and the bytes of runs."""

import json
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from shutbox.errors import StartRefused
from shutbox.game import dice
from shutbox.game.rulesets import CATALOGUE
from shutbox.game.runs import run_bytes, turn_bytes, turns_from
from shutbox.seeds import (
    Chain,
    Secrets,
    commits_to,
    create_log_key,
    create_secrets,
    day_seed,
    load_log_key,
    load_secrets,
)
from shutbox.tlog.disclosure import commitment
from shutbox.tlog.note import SigningKey

from tests.vectors import turns_of, vectors

CHAIN = vectors("chain")
CLASSIC = CATALOGUE["classic"].hash


def chain_of_vectors(loaded: int = 5) -> Chain:
    secret = bytes.fromhex(CHAIN["links"][str(loaded)])
    return Chain(bytes.fromhex(CHAIN["chain_id"]), date(2026, 12, 1), CHAIN["length"], loaded, secret)


@pytest.mark.parametrize("loaded", range(1, 6))
def test_every_link_follows_from_a_later_one(loaded: int) -> None:
    chain = chain_of_vectors(loaded)
    for number in range(loaded + 1):
        assert chain.link(number).hex() == CHAIN["links"][str(number)]
    assert chain.anchor.hex() == CHAIN["links"]["0"]


@pytest.mark.parametrize("vector", CHAIN["day_seeds"], ids=lambda one: f"{one['day']}-{one['mode']}-{one['ruleset']}")
def test_day_seeds_and_commitments(vector: dict[str, Any]) -> None:
    chain, ruleset = chain_of_vectors(), CATALOGUE[vector["ruleset"]]
    day = date.fromisoformat(str(vector["day"]))
    assert chain.number_of(day) == vector["link"]
    seed = day_seed(chain.link(vector["link"]), day, vector["mode"], ruleset.hash)
    assert seed.hex() == vector["seed"]
    assert commitment(ruleset.hash, seed).hex() == vector["commitment"]


@pytest.mark.parametrize("vector", vectors("dice"), ids=lambda one: f"{one['ruleset']}-{one['seed'][:4]}")
def test_commitments_of_the_dice_vectors(vector: dict[str, Any]) -> None:
    seed, ruleset = bytes.fromhex(vector["seed"]), CATALOGUE[vector["ruleset"]]
    assert commitment(ruleset.hash, seed).hex() == vector["commitment"]
    assert commits_to(bytes.fromhex(vector["commitment"]), ruleset.hash, seed)
    assert not commits_to(bytes.fromhex(vector["commitment"]), ruleset.hash, bytes(32))


@pytest.mark.parametrize("vector", vectors("runs-valid"), ids=lambda one: one["ruleset"])
def test_run_bytes(vector: dict[str, Any]) -> None:
    turns = turns_of(vector)
    written = run_bytes("example-round", bytes(range(16)), CATALOGUE[vector["ruleset"]].hash, turns)
    assert written.hex() == vector["run_hex"]
    assert list(turns_from(turn_bytes(turns))) == turns


def test_a_node_with_an_earlier_link_makes_no_later_day() -> None:
    chain = chain_of_vectors(loaded=2)
    assert chain.number_of(date(2026, 12, 2)) == 2
    assert chain.number_of(date(2026, 12, 3)) is None
    assert chain.number_of(date(2026, 11, 30)) is None
    assert chain.last_day == date(2026, 12, 2)


def test_open_and_sealed_and_neighbouring_days_are_independent() -> None:
    """Chi-square over pairs of first rolls: 35 degrees of freedom, exceeded by chance once in 10,000."""
    chain = Chain(bytes(16), date(2026, 1, 1), 3650, 3650, sha256(b"another").digest())
    sealed_open: Counter[tuple[int, int]] = Counter()
    neighbours: Counter[tuple[int, int]] = Counter()
    previous = None
    for number in range(1, 3651):
        day = chain.first_day + timedelta(days=number - 1)
        for ruleset in list(CATALOGUE.values())[:5]:
            link = chain.link(number)
            sealed = dice.rolls(day_seed(link, day, "sealed", ruleset.hash), 2, 1)[0][0]
            opened = dice.rolls(day_seed(link, day, "open", ruleset.hash), 2, 1)[0][0]
            sealed_open[sealed, opened] += 1
            if previous is not None:
                neighbours[previous, sealed] += 1
            previous = sealed
    for pairs in (sealed_open, neighbours):
        expected = pairs.total() / 36
        assert sum((count - expected) ** 2 / expected for count in pairs.values()) < 76.4


def test_secrets_are_made_once_by_one_process_and_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "deep"
    files = chain, key, log = folder / "chain.json", folder / "round-key.json", folder / "log-key.json"

    def create(number: int) -> None:
        create_secrets(chain, key, date(2026, 11, 30))
        create_log_key(log, f"node{number}.example.org/shutbox/log")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(create, range(8)))
    made = load_secrets(*files)
    create_secrets(chain, key, date(2027, 1, 1))
    create_log_key(log, "another.example.org/shutbox/log")
    assert load_secrets(*files) == made
    assert [(chain.first_day, chain.length, chain.loaded) for chain in made.chains] == [
        (date(2026, 11, 30), 3650, 3650)
    ]
    assert made.log_key == load_log_key(log)
    assert {file.name for file in folder.iterdir()} == {file.name for file in files}
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600] * 3


def test_no_secret_is_in_what_is_printed() -> None:
    secrets = Secrets((chain_of_vectors(),), b"\x11" * 32, SigningKey("example.org/shutbox/log", b"\x12" * 32))
    printed = repr(secrets) + str(secrets) + repr(secrets.chains[0])
    for hidden in (secrets.chains[0].secret, secrets.round_key, secrets.log_key.secret, secrets.chains[0].link(3)):
        assert hidden.hex() not in printed
        assert repr(hidden)[2:-1] not in printed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda file: file.unlink(), "missing"),
        (lambda file: os.chmod(file, 0o640), "chmod 600"),
        (lambda file: file.write_text("{"), "cannot be read"),
        (lambda file: file.write_text("[]"), "not what it should be"),
        (lambda file: file.write_text("{}"), "not a chain file"),
        (lambda file: rewrite(file, secret="ab"), "not a chain file"),
        (lambda file: rewrite(file, secret="AB" * 32), "not a chain file"),
        (lambda file: rewrite(file, link=0), "not a chain file"),
        (lambda file: rewrite(file, first_day="yesterday"), "not a chain file"),
    ],
)
def test_a_chain_file_that_cannot_be_trusted_is_refused(tmp_path: Path, change: Any, words: str) -> None:
    chain, key = tmp_path / "chain.json", tmp_path / "round-key.json"
    create_secrets(chain, key, date(2026, 11, 30))
    change(chain)
    with pytest.raises(StartRefused, match=words):
        load_secrets(chain, key, tmp_path / "log-key.json")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda file: file.unlink(), r"log-key\.json is missing: restore it"),
        (lambda file: os.chmod(file, 0o604), "chmod 600"),
        (lambda file: file.write_text("{}"), "not a log key file"),
        (lambda file: rewrite(file, key="AB" * 32), "not a log key file"),
        (lambda file: rewrite(file, key="ab" * 31), "not a log key file"),
        (lambda file: rewrite(file, origin="with space"), "not a log key file"),
        (lambda file: rewrite(file, origin="a+b"), "not a log key file"),
        (lambda file: rewrite(file, origin=7), "not a log key file"),
    ],
)
def test_a_log_key_file_that_cannot_be_trusted_is_refused(tmp_path: Path, change: Any, words: str) -> None:
    file = tmp_path / "log-key.json"
    create_log_key(file, "example.org/shutbox/log")
    change(file)
    with pytest.raises(StartRefused, match=words):
        load_log_key(file)


def rewrite(file: Path, **changes: object) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def test_an_empty_folder_is_no_damaged_installation(tmp_path: Path) -> None:
    """One who has forgotten to name the data folder has lost no secret."""
    with pytest.raises(StartRefused, match=r"there is no installation in .*: name its folder"):
        load_secrets(*(tmp_path / "var" / name for name in ("chain.json", "round-key.json", "log-key.json")))
