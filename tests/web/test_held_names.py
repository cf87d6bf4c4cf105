"""Names that were given up: held for a while for the one who had them, and hidden from nobody who knows the old one."""

from concurrent.futures import ThreadPoolExecutor

from flask import Flask
from shutbox.players import HELD_DAYS, HELD_NAMES
from shutbox.retention import remove_what_is_over
from shutbox.site import Site
from sqlalchemy import text

from tests.conftest import MovableClock
from tests.players import Api

DAY = 24 * 3600


def claim(player: Api, name: str) -> tuple[int, str | None]:
    answer = player.patch("/players/me", {"name": name})
    return answer.status_code, answer.get_json().get("code")


def test_the_old_name_leads_to_the_new_one_and_is_nobody_elses(
    app: Flask, mara: Api, finn: Api, nobody: Api, clock: MovableClock
) -> None:
    assert claim(mara, "Mara Lind") == (200, None)
    moved = app.test_client().get("/player/mara")
    assert (moved.status_code, moved.headers["Location"]) == (301, "/player/Mara%20Lind")
    assert claim(finn, "MARA") == (409, "name_taken")
    assert nobody.post("/players", {"name": "Mara"}).get_json()["code"] == "name_taken"
    clock.forward(HELD_DAYS * DAY - 1)
    assert claim(finn, "Mara") == (409, "name_taken")
    clock.forward(DAY)  # to the end of the day
    assert app.test_client().get("/player/mara").status_code == 404
    assert claim(finn, "Mara") == (200, None)
    assert app.test_client().get("/player/Mara").status_code == 200


def test_who_had_a_name_may_take_it_back(app: Flask, mara: Api, finn: Api) -> None:
    for name in ("Second", "Mara", "Second"):
        assert claim(mara, name) == (200, None)
    assert app.test_client().get("/player/Mara").headers["Location"] == "/player/Second"
    assert claim(mara, "Mara") == (200, None)
    assert claim(finn, "Second") == (409, "name_taken")
    assert app.test_client().get("/player/Second").headers["Location"] == "/player/Mara"


def test_the_name_of_a_deleted_player_is_held_and_is_not_stored(
    app: Flask, mara: Api, finn: Api, site: Site, clock: MovableClock
) -> None:
    claim(mara, "Mara Lind")
    assert mara.delete("/players/me").status_code == 204
    for name in ("Mara", "Mara Lind"):
        assert claim(finn, name) == (409, "name_taken")
        assert app.test_client().get(f"/player/{name}").status_code == 404
    held = site.session.execute(text("SELECT * FROM held_names")).all()
    assert [row.player_id for row in held] == [None, None]
    assert "mara" not in str(held).lower()
    site.session.rollback()
    clock.forward((HELD_DAYS + 1) * DAY)
    remove_what_is_over(site)
    assert site.session.execute(text("SELECT * FROM held_names")).all() == []
    assert claim(finn, "Mara") == (200, None)


def test_a_name_that_is_being_given_up_goes_to_nobody_who_waits_for_it(mara: Api, nobody: Api) -> None:
    others = [nobody.join() for _ in range(5)]
    with ThreadPoolExecutor(6) as pool:
        given_up = pool.submit(claim, mara, "Mara Lind")
        answers = list(pool.map(lambda other: claim(other, "Mara"), others))
    assert given_up.result() == (200, None)
    assert answers == [(409, "name_taken")] * 5


def test_two_browsers_that_change_different_things_lose_nothing(mara: Api) -> None:
    other = Api(mara.app, mara.post("/players/me/tokens").get_json()["token"])
    changes = [(api, body) for _ in range(5) for api, body in ((mara, {"name": "Both"}), (other, {"bot": True}))]
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda change: change[0].patch("/players/me", change[1]).status_code, changes))
    assert answers == [200] * 10
    known = mara.get("/players/me").get_json()
    assert (known["name"], known["bot"]) == ("Both", True)


def test_one_player_keeps_few_names_from_others(mara: Api, finn: Api) -> None:
    """Else one who renames all day takes hundreds of names from everybody."""
    names = ["Mara", *(f"Mara {number}" for number in range(6))]
    for name in names[1:]:
        assert mara.patch("/players/me", {"name": name}).status_code == 200
    refused = [name for name in names if finn.patch("/players/me", {"name": name}).status_code == 409]
    assert len(refused) == HELD_NAMES + 1
    assert names[-1] in refused
    assert names[-2] in refused, "the name given up last is held"
