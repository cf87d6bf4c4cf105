"""The puzzle's local replay and the service agree on 1,000 random lines, legal and illegal."""

import random
from typing import Any

from shutbox.game import play

from tests.browser.hosting import PUZZLE, Host
from tests.players import any_of, legal_turns, table_of

LINES = 1000

REPLAY = """async ([ruleset, seed, lines]) => {
  const [{ bytesOf }, { deal }, { replay }, { rulesOf }, { CATALOGUE }] = await Promise.all(
    ["encoding", "dice", "replay", "rules", "rulesets"].map((name) => import(`/static/-/js/game/${name}.js`)));
  const rules = rulesOf(CATALOGUE.get(ruleset));
  const table = await deal(rules, bytesOf(seed));
  return lines.map((turns) => {
    const { open, refusal } = replay(rules, table, turns);
    return refusal ? [refusal.reason, refusal.turn] : ["legal", rules.openingPenalty - rules.penalties[open]];
  });
}"""


def random_line(seed: str, number: int) -> list[Any]:
    """Return a legal line, or one with a change that may break it."""
    line: list[Any] = legal_turns("classic", seed, any_of(number))
    chance = random.Random(number)
    if chance.random() < 0.3:
        return line
    at = chance.randrange(len(line))
    change = chance.randrange(5)
    if change == 0:
        line[at]["shut"] = sorted(chance.sample(range(1, 13), chance.randint(0, 4)))
    elif change == 1:
        line[at]["dice"] = chance.randint(0, 3)
    elif change == 2:
        del line[at]
    elif change == 3:
        line.insert(at, {"dice": 2, "shut": [chance.randint(1, 9)] * chance.randint(0, 2)})
    else:
        line.append({"dice": chance.choice((1, 2)), "shut": []})
    return line


def test_browser_and_service_agree_on_a_thousand_lines(host: Host, page: Any) -> None:
    player = host.player()
    seed = player.get(f"/rounds/{PUZZLE}").get_json()["seed"]
    lines = [random_line(seed, number) for number in range(LINES)]
    page.goto(f"/play/{PUZZLE}")
    local = page.evaluate(REPLAY, ["classic", seed, lines])
    outcomes = set()
    for line, found in zip(lines, local, strict=True):
        answer = player.submit(PUZZLE, line)
        body = answer.get_json()
        told = ["legal", body["score"]] if answer.status_code < 300 else [body["reason"], body["turn"]]
        assert told == found, line
        outcomes.add(found[0])
    assert outcomes >= {"legal", "dice-not-allowed", "wrong-tiles", "tile-not-open", "unfinished", "turn-after-end"}


def test_the_dice_on_the_page_are_those_of_the_seed(host: Host, page: Any) -> None:
    seed = host.player().get(f"/rounds/{PUZZLE}").get_json()["seed"]
    rules, table = table_of("classic", seed)
    assert play.start(rules, table).faces == table.rolls[0]
    page.goto(f"/play/{PUZZLE}")
    names = page.get_by_role("list", name="All dice").get_by_role("img")
    names.first.wait_for()
    shown = names.evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert shown == [f"Roll {number}: {a} and {b}" for number, (a, b) in enumerate(table.rolls, 1)]
