"""Makes vectors/small-log.json: `python -m tests.tlog.make_small_log`. The same file comes out each time."""

import json
from pathlib import Path
from typing import Any

from tests.tlog import (
    reference_log,
    tampered_bundles,
    tampered_days,
    tampered_leaves,
    tampered_logs,
    tampered_receipts,
    tampered_rounds,
)
from tests.tlog.story import bundle_lines
from tests.tlog.tampering import TOLD
from tests.tlog.two_days import EARLIER_SIZES, SIGNER, receipts_of

FILE = Path(__file__).parent.parent / "vectors" / "small-log.json"
CASES = (tampered_logs, tampered_leaves, tampered_days, tampered_receipts, tampered_bundles, tampered_rounds)


def vectors() -> dict[str, Any]:
    """Return the content of the file."""
    story = TOLD.story
    closed = {round_id: round for round_id, round in story.rounds.items() if round.header is not None}
    files = reference_log.log_files(TOLD.leaves, SIGNER)
    return {
        "origin": SIGNER.name,
        "key": SIGNER.key,
        "key_secret": SIGNER.secret.hex(),
        "chains": [
            {
                "chain_id": chain.chain_id.hex(),
                "first_day": f"{chain.first:%Y-%m-%d}",
                "links": [link.hex() for link in chain.links],
            }
            for chain in story.chains
        ],
        "leaves": [leaf.hex() for leaf in TOLD.leaves],
        "files": {path: reference_log.base64(content) for path, content in files.items()},
        "earlier_checkpoints": [TOLD.note(size) for size in EARLIER_SIZES],
        "bundles": {round_id: "".join(bundle_lines(round)) for round_id, round in closed.items()},
        "receipts": receipts_of(story, TOLD.tree),
        "rankings": {
            round_id: [[rank, run.run_id.hex()] for rank, run in round.ranking] for round_id, round in closed.items()
        },
        "cases": [case for module in CASES for case in module.cases()],
    }


def text() -> str:
    """Return the file: each item of a list, and each member of an object, on a line of its own."""
    members = [f" {_plain(name)}: {_rows(value)}" for name, value in vectors().items()]
    return "{\n" + ",\n".join(members) + "\n}\n"


def _rows(value: Any) -> str:
    if isinstance(value, dict):
        return "{\n" + ",\n".join(f"  {_plain(name)}: {_plain(item)}" for name, item in value.items()) + "\n }"
    if isinstance(value, list):
        return "[\n" + ",\n".join(f"  {_plain(item)}" for item in value) + "\n ]"
    return _plain(value)


def _plain(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    FILE.write_text(text())
