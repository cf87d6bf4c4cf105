"""Profiles, codes, the copy of one's data and deletion, through the client."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import httpx
import pytest
from flask import Flask
from shutbox_client import Client, CodeSpent, HistogramBar, NotFound, Profile, Unauthorized, Unreachable
from shutbox_client.reading import plain, read

from tests.client.conftest import OPEN, SEALED, Connect, Line, joined
from tests.client.test_calls import finish, submit
from tests.conftest import Closer, MovableClock


def test_a_profile_has_the_results_of_closed_days_and_the_own_one_all(
    connect: Connect, nameless: Client, clock: MovableClock, close_days: Closer
) -> None:
    mara = joined(connect(), "Mara")
    ended = finish(mara, mara.start_attempt(SEALED))
    own = mara.my_profile()
    (result,) = own.results
    assert (result.round_id, result.run_id, own.best) == (SEALED, ended.run_id, result)
    assert own.histogram == (HistogramBar(result.penalty, 1),)
    assert (own.streak, own.days_played, own.until) == (1, 1, None)
    assert nameless.profile("Mara").results == ()
    clock.set("2026-12-01T12:00:00")
    close_days()
    closed = nameless.profile("mara")
    assert closed == mara.my_profile()
    assert closed.results == own.results
    assert read(Profile, plain(closed)) == closed


def test_a_profile_that_nobody_has_is_not_found(nameless: Client) -> None:
    for name in ("Nobody", "a/b"):
        with pytest.raises(NotFound):
            nameless.profile(name)


@pytest.mark.parametrize("kind", ["transfer", "recovery"])
def test_a_code_moves_the_player_to_another_client_once(client: Client, connect: Connect, kind: str) -> None:
    made = client.make_transfer_code() if kind == "transfer" else client.make_recovery_code()
    assert made.code not in repr(made)
    other = connect()
    redeemed = other.redeem(made.code.lower().replace("-", " "))
    assert redeemed.token not in repr(redeemed)
    other.token = redeemed.token
    assert other.me() == redeemed.player == client.me()
    with pytest.raises(CodeSpent):
        connect(random=Random(2)).redeem(made.code)


def test_a_code_works_for_one_whose_token_is_lost(client: Client, connect: Connect) -> None:
    code = client.make_recovery_code().code
    assert connect("shutbox_of_an_earlier_player").redeem(code).player == client.me()


def test_a_code_that_is_none_says_what_one_looks_like(nameless: Client) -> None:
    with pytest.raises(NotFound, match="7KQ2-M4XD-9RTW"):
        nameless.redeem("my code")


def test_a_code_whose_answer_is_lost_is_used_again_with_the_same_key(
    app: Flask, client: Client, connect: Connect
) -> None:
    """Else the only recovery code of a player could be lost with the connection."""
    line = Line(app, "lost")
    code = client.make_recovery_code().code
    redeemed = connect(transport=line, sleep=list[float]().append).redeem(code)
    assert redeemed.player == client.me()
    (first, again) = line.sent
    assert first == again
    assert first[3]


@pytest.mark.parametrize("make", [Client.make_transfer_code, Client.make_recovery_code, Client.create_token])
def test_what_is_shown_once_is_asked_for_once(
    app: Flask, client: Client, connect: Connect, make: Callable[[Client], object]
) -> None:
    line = Line(app, "lost")
    with pytest.raises(Unreachable):
        make(connect(client.token, line))
    assert len(line.sent) == 1


def test_the_copy_is_written_into_a_file(client: Client, tmp_path: Path) -> None:
    run = submit(client, OPEN)
    client.export(tmp_path / "copy.json")
    copy = json.loads((tmp_path / "copy.json").read_bytes())
    assert [one["run_id"] for one in copy["runs"]] == [run.run_id]


def test_a_deleted_player_is_gone(client: Client, connect: Connect) -> None:
    run = submit(client, OPEN)
    client.delete_player()
    with pytest.raises(Unauthorized):
        client.me()
    with pytest.raises(Unauthorized):
        client.delete_player()
    player = connect().run(run.run_id).player
    assert player is not None
    assert (player.name, player.guest) == (None, False)


@pytest.mark.parametrize("trouble", ["lost", httpx.ConnectError("refused")])
def test_a_deletion_is_sent_again(app: Flask, client: Client, connect: Connect, trouble: httpx.ConnectError) -> None:
    """Also where the first try has done it, and its answer was lost."""
    connect(client.token, Line(app, trouble), sleep=list[float]().append).delete_player()
    with pytest.raises(Unauthorized):
        client.me()
