"""What a run was worth beside the best play: points given away, and the best possible with foresight."""

from collections.abc import Sequence

from .encoding import mask_of
from .replay import Turn
from .rules import RollTable, Rules
from .solver import least_expected_penalty


def given_away_milli(rules: Rules, table: RollTable, turns: Sequence[Turn]) -> int:
    """Return floor(1000 × the expected points that the decisions of a legal run lost), in exact arithmetic."""
    values = least_expected_penalty(rules.ruleset)
    board = rules.opening
    lost = 0
    for number, (dice, shut) in enumerate(turns):
        lost += values.after_dice(board, dice) - values.of_board[board]
        if shut:
            chosen = board ^ mask_of(shut)
            best = min(
                values.of_board[board ^ tiles] for tiles in rules.ways(board, table.matches[number][dice]).values()
            )
            lost += values.of_board[chosen] - best
            board = chosen
    return 1000 * lost // values.denominator


def best_possible_penalty(rules: Rules, table: RollTable) -> int:
    """Return the least penalty that any legal line reaches on these dice: what foresight of all rolls could do."""
    boards = {rules.opening}
    ends: set[int] = set()
    for matches in table.matches:
        following: set[int] = set()
        for board in boards:
            for dice in rules.dice_allowed[board]:
                ways = rules.ways(board, matches[dice])
                following.update(board ^ tiles for tiles in ways.values())
                if not ways:
                    ends.add(board)
        if 0 in following:
            return 0
        boards = following
    return min(rules.penalties[board] for board in ends)
