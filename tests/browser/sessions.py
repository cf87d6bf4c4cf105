"""States of the settings page: several browsers and programs, a token just made, and what happened to the player."""

from typing import Any

from tests.browser.hosting import Host


def several(host: Host, page: Any) -> None:
    """Two browsers, three programs, one of them with a long name, and a trail."""
    player = host.player("Mara")
    host.sign_in(page, player)
    for label, scopes in (("bot", ["play"]), ("a reader with a name that goes on and on, and on", ["read"])):
        host.clock.forward(60)
        player.post("/players/me/tokens", {"label": label, "scopes": scopes})
    player.patch("/players/me", {"name": "Mara Lind"})
    code = player.post("/players/me/transfer-codes").get_json()["code"]
    for _ in range(2):
        host.clock.forward(60)
        player.post("/transfers", {"code": code})
    page.goto("/settings")


def token_made(host: Host, page: Any) -> None:
    several(host, page)
    page.get_by_role("button", name="Make a token").click()
    page.get_by_role("button", name="Copy the token").wait_for()
