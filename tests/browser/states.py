"""Every page in every state that its looks are looked at in."""

from collections.abc import Callable
from typing import Any

from tests.browser import boards, challenges, leagues, moderated, sessions
from tests.browser.hosting import PUZZLE, SEALED, VARIANT, Host
from tests.browser.people import Mouse, state_of
from tests.browser.published import close_round, receipt_of
from tests.browser.test_offline import finished
from tests.browser.test_state import begun
from tests.browser.test_verify import ended as verified_page
from tests.browser.test_verify import give
from tests.players import any_of


def ready(host: Host, page: Any) -> None:
    page.goto(f"/play/{SEALED}")
    state_of(page)


def selecting(keys: str) -> Callable[[Host, Any], None]:
    def prepare(host: Host, page: Any) -> None:
        begun(host, page, 1)
        page.get_by_text("Ways to make").click()
        for key in keys:
            page.keyboard.press(key)

    return prepare


def choosing_dice(host: Host, page: Any) -> None:
    begun(host, page, 5)


def ended(host: Host, page: Any) -> None:
    begun(host, page, 6)


def result(host: Host, page: Any) -> None:
    begun(host, page, 6)
    page.get_by_role("button", name="See the result").click()
    page.get_by_role("heading", level=1).wait_for()


def run_of(round_id: str, moment: str = "", own: bool = False, then: str = "") -> Callable[[Host, Any], None]:
    """Show a run on a round that three have finished: at once, or at a moment after its close."""

    def prepare(host: Host, page: Any) -> None:
        host.finish_sealed(["Ada", None], round_id)
        player = host.player("Mara")
        run_id = player.play_sealed(round_id, any_of(8))["run_id"]
        if own:
            host.sign_in(page, player)
        if moment:
            host.go_to(moment)
        page.goto(f"/run/{run_id}#step-2")
        for summary in page.locator(then).all() if then else []:
            summary.click()

    return prepare


def lost(host: Host, page: Any) -> None:
    someone = begun(host, page, 1)
    page.route("**/moves", lambda route: route.abort())
    someone.step()
    page.get_by_text("Not recorded yet.").wait_for()


def parked(host: Host, page: Any) -> None:
    begun(host, page, 2)
    other = page.context.new_page()
    other.goto(f"/play/{SEALED}")
    state_of(other)
    page.bring_to_front()
    page.get_by_role("button", name="Continue here").wait_for()


def closed(host: Host, page: Any) -> None:
    begun(host, page, 2)
    host.go_to("2026-12-01T02:00:01")
    page.reload()
    page.get_by_text("This round has closed.").first.wait_for()


def keys(host: Host, page: Any) -> None:
    begun(host, page, 1)
    page.get_by_role("button", name="Keys").click()


def puzzle(steps: int) -> Callable[[Host, Any], None]:
    def prepare(host: Host, page: Any) -> None:
        someone = Mouse(page, PUZZLE)
        someone.open()
        someone.play(steps)

    return prepare


def verified(host: Host, page: Any) -> None:
    puzzle(99)(host, page)
    Mouse(page).primary()
    page.get_by_text("Verified.").first.wait_for()


def standings(host: Host, page: Any) -> None:
    host.finish_sealed(["Ada", None, "Ben"])
    begun(host, page, 6)
    page.goto("/leaderboard")


def address(path: str, moment: str = "") -> Callable[[Host, Any], None]:
    def prepare(host: Host, page: Any) -> None:
        host.finish_sealed(["Ada", None])
        if moment:
            host.go_to(moment)
        page.goto(path)

    return prepare


def verifying(pattern: str = "", answer: Callable[[Any], None] | None = None) -> Callable[[Host, Any], None]:
    """Show a round that was verified, with requests that match answered otherwise."""

    def prepare(host: Host, page: Any) -> None:
        close_round(host)
        if answer is not None:
            page.context.route(pattern, answer)
        page.goto(f"/verify/{SEALED}")
        verified_page(page)

    return prepare


def verifying_still(host: Host, page: Any) -> None:
    close_round(host)
    page.context.route("**/bundle", lambda route: None)
    page.goto(f"/verify/{SEALED}")
    page.get_by_role("progressbar", name="Every run is legal").wait_for()


def receipt_checked(forge: bytes = b"") -> Callable[[Host, Any], None]:
    def prepare(host: Host, page: Any) -> None:
        close_round(host)
        page.goto("/verify")
        give(page, receipt_of(host) + forge)

    return prepare


def archived(host: Host, page: Any) -> None:
    """Show a month with every mark: a day done, one begun, one missed, one that is closing, and one that runs."""
    for day, steps in ((27, 99), (28, 2)):
        host.go_to(f"2026-11-{day}T12:00:00")
        someone = Mouse(page, f"2026-11-{day}-classic")
        someone.open()
        someone.play(steps)
    host.go_to("2026-12-01T01:00:00")
    page.goto("/archive?month=2026-11")


def known(path: str, name: str | None = "Mara", moment: str = "") -> Callable[[Host, Any], None]:
    """Show an address to a player who has played some days."""

    def prepare(host: Host, page: Any) -> None:
        player = host.player(name)
        host.play_days(player, "2026-11-25", "2026-11-26", "2026-11-28", "2026-11-29", "2026-11-30")
        if moment:
            host.go_to(moment)
        host.sign_in(page, player)
        page.goto(path)

    return prepare


def today_in_progress(host: Host, page: Any) -> None:
    begun(host, page, 2)
    page.goto("/")


def today_closing(host: Host, page: Any) -> None:
    begun(host, page, 2)
    host.go_to("2026-12-01T01:00:00")
    page.goto("/")


def today_new_day(host: Host, page: Any) -> None:
    page.clock.install()
    known("/")(host, page)
    host.go_to("2026-12-01T01:00:00")
    page.clock.fast_forward("13:00:00")
    page.get_by_text("A new round has begun.").wait_for()


def codes(host: Host, page: Any) -> None:
    player = host.player("Mara")
    player.post("/players/me/tokens", {"label": "bot on the shelf"})
    host.sign_in(page, player)
    page.goto("/settings")
    for kind in ("transfer", "recovery"):
        page.get_by_role("button", name=f"Make a {kind} code").click()
        page.get_by_role("button", name=f"Copy the {kind} code").wait_for()


def refused_code(host: Host, page: Any) -> None:
    known("/settings")(host, page)
    page.get_by_label("Transfer or recovery code").fill("7KQ2-M4XD-9RTW")
    page.get_by_role("button", name="Use this code").click()
    page.get_by_text("There is no such code").first.wait_for()


def deleting(host: Host, page: Any) -> None:
    known("/settings", None)(host, page)
    page.get_by_role("button", name="Delete my player…").click()


def deleted(host: Host, page: Any) -> None:
    deleting(host, page)
    page.get_by_role("button", name="Delete my player", exact=True).click()
    page.get_by_text("Your player is gone.").wait_for()


def practising(steps: int, values: bool = False) -> Callable[[Host, Any], None]:
    def prepare(host: Host, page: Any) -> None:
        page.goto(f"/practice?seed={'5a' * 32}")
        if values:
            page.get_by_label("Show expected values").check()
        Mouse(page).play(steps)
        if values:
            page.locator(".worth, #analysis table").first.wait_for()

    return prepare


def offline(path: str = "") -> Callable[[Host, Any], None]:
    """Show a page without a connection: by default the own result."""

    def prepare(host: Host, page: Any) -> None:
        own = finished(host, page)
        page.context.set_offline(True)
        page.goto(path or own)

    return prepare


STATES: dict[str, Callable[[Host, Any], None]] = {
    "today": address("/"),
    "today-after-a-close": address("/", "2026-12-01T03:00:00"),
    "a-coming-day": address("/d/2026-12-02"),
    "play-ready": ready,
    "play-selecting": selecting(""),
    "play-under": selecting("45"[:1]),
    "play-exact": selecting("45"),
    "play-over": selecting("92"),
    "play-choose-dice": choosing_dice,
    "play-ended": ended,
    "play-connection-lost": lost,
    "play-other-tab": parked,
    "play-closed": closed,
    "play-keys": keys,
    "play-twelve": address(f"/play/2026-11-30-{VARIANT}"),
    "puzzle": puzzle(2),
    "puzzle-ended": puzzle(99),
    "puzzle-verified": verified,
    "practice": practising(1),
    "practice-values": practising(1, values=True),
    "practice-analysis": practising(99, values=True),
    "practice-wrong-seed": address("/practice?seed=1234"),
    "practice-refused": address(f"/practice?round={SEALED}"),
    "result": result,
    "result-gated": run_of(SEALED),
    "result-provisional": run_of(SEALED, own=True, then="main summary"),
    "result-final": run_of(SEALED, "2026-12-01T03:00:00", then="main summary"),
    "result-twelve": run_of(f"2026-11-30-{VARIANT}", "2026-12-01T03:00:00"),
    "leaderboard": standings,
    "leaderboard-gated": address("/leaderboard"),
    "leaderboard-final": address(f"/leaderboard?round={SEALED}", "2026-12-01T03:00:00"),
    "rules": address("/rules"),
    "ruleset": address("/rules/crafthouse-multiply"),
    "verify": address("/verify", "2026-12-01T03:00:00"),
    "verify-commitment": address(f"/verify/{SEALED}"),
    "verify-checking": verifying_still,
    "verify-match": verifying(),
    "verify-mismatch": verifying("**/bundle", lambda route: route.fulfill(body=b"{}\n")),
    "verify-undecided": verifying("**/bundle", lambda route: route.abort()),
    "verify-receipt": receipt_checked(),
    "verify-forged-receipt": receipt_checked(b"A"),
    "offline": offline("/"),
    "offline-ranked": offline(f"/play/{SEALED}"),
    "offline-result": offline(),
    "settings": address("/settings"),
    "settings-codes": codes,
    "settings-refused-code": refused_code,
    "settings-sessions": sessions.several,
    "settings-token": sessions.token_made,
    "settings-deleting": deleting,
    "settings-deleted": deleted,
    "today-known": known("/"),
    "today-in-progress": today_in_progress,
    "today-closing": today_closing,
    "today-new-day": today_new_day,
    "today-yesterday": known("/", moment="2026-12-01T03:00:00"),
    "a-closed-day": known("/d/2026-11-29", moment="2026-12-01T03:00:00"),
    "player-own": known("/player/me"),
    "player-guest": known("/player/me", None),
    "player-nobody": address("/player/me"),
    "player-public": known("/player/Mara", moment="2026-12-01T03:00:00"),
    "player-missing": address("/player/Nobody"),
    "archive": archived,
    "archive-running": address("/archive"),
    "leagues": leagues.all_leagues,
    "leagues-none": address("/leagues"),
    "league-preview": leagues.shown(None),
    "league-member": leagues.shown(1),
    "league-played": leagues.shown(1, leagues.played_today),
    "league-owner": leagues.shown(0),
    "league-asked": leagues.asked,
    "league-full": leagues.shown(None, lambda host, code, players: host.restart(league_size=5)),
    "league-expired": leagues.shown(None, lambda host, code, players: players[0].post(f"/leagues/{code}/codes")),
    "league-closed": leagues.shown(None, lambda host, code, players: players[0].delete(f"/leagues/{code}")),
    "today-league": leagues.today,
    **boards.STATES,
    **challenges.STATES,
    **moderated.STATES,
    "api": address("/api"),
    "api-call": address("/api#submitRun"),
    "missing": address("/nothing"),
}
