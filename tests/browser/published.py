"""What a service publishes of a closed round, copied: tests change it, sign it anew, show it to browser and Python."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from shutbox.bundles import bundle, disclosure
from shutbox.game.runs import run_commitment
from shutbox.receipts import receipt
from shutbox.store.rows import RunRow
from shutbox.tlog.audit import LogAudit, check_bundle
from shutbox.tlog.faults import Refused
from shutbox.tlog.leaves import CloseLeaf, Leaf, RunLeaf, decode, encode
from shutbox.tlog.note import verify_checkpoint
from shutbox.tlog.standings import RankedRun
from sqlalchemy import select

from tests.browser.hosting import SEALED, Host
from tests.conftest import LOG_KEY
from tests.journals import contents
from tests.tlog.reference_log import Signer, log_files

SIGNER = Signer(LOG_KEY.name, b"s" * 32)
OTHER_SIGNER = Signer(LOG_KEY.name, b"o" * 32)
CLOSED = "2026-12-01T02:00:01"


def close_round(host: Host) -> None:
    """Let three players finish the sealed round, and close and log its day."""
    host.finish_sealed(["Ada", None, "Ben"])
    host.work()
    host.go_to(CLOSED)


class Published:
    """Leaves, files of the log, and the lines of a bundle, as they are served or as a test has changed them."""

    def __init__(self, host: Host, round_id: str = SEALED) -> None:
        self.round_id = round_id
        assert host.app is not None
        with host.app.app_context():
            self.leaves = contents(host.site)
            self.lines = list(bundle(host.site, disclosure(host.site, round_id)))
        self.sign()
        assert host.app.test_client().get("/log/checkpoint").data == self.files["checkpoint"]

    def sign(self, signer: Signer = SIGNER) -> None:
        """Make the files of the log from its leaves, as one who has the key could."""
        self.files = log_files(self.leaves, signer)

    @property
    def note(self) -> str:
        return self.files["checkpoint"].decode()

    def serve(self, page: Any) -> None:
        """Give a page these files instead of those of the service."""

        def answer(route: Any) -> None:
            path = urlsplit(route.request.url).path
            content = b"".join(self.lines) if path.endswith("/bundle") else self.files.get(path.removeprefix("/log/"))
            route.fulfill(status=200 if content is not None else 404, body=content or b"")

        page.context.unroute_all()
        page.context.route(re.compile(r"/log/|/bundle$"), answer)

    def verify(self, known: Sequence[str] = ()) -> tuple[RankedRun, ...]:
        """Return what Python finds in these files; Refused if something is wrong."""
        key = LOG_KEY.verifier
        earlier = [verify_checkpoint(note.encode(), key) for note in known]
        checkpoint = verify_checkpoint(self.files["checkpoint"], key)
        audit = LogAudit(checkpoint, earlier, lambda leaf: leaf.round_id == self.round_id)
        for entries in audit.bundles():
            audit.add(entries, self.files[entries.path], self.files[entries.path.replace("entries", "0")])
        for tile in audit.tiles():
            audit.check_tile(tile, self.files[tile.path])
        audit.finish()
        history = audit.histories[self.round_id]
        return check_bundle(history, audit.state.rulesets[history.round.ruleset_hash], self.lines)

    def refusal(self, known: Sequence[str] = ()) -> Refused | None:
        """Return what Python finds wrong."""
        try:
            self.verify(known)
        except Refused as refused:
            return refused
        return None

    # What a test changes

    def flip(self, path: str, bit: int) -> None:
        """Change one bit of a file of the log."""
        content = bytearray(self.files[path])
        content[bit // 8] ^= 1 << bit % 8
        self.files[path] = bytes(content)

    def path(self, kind: str) -> str:
        """Return the path of the first tile or entry bundle."""
        return next(path for path in self.files if path.startswith(f"tile/{kind}/"))

    def edit_line(self, number: int, edit: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Change the members of a line of the bundle; `edit` returns those that are changed."""
        members = json.loads(self.lines[number])
        self.lines[number] = json.dumps({**members, **edit(members)}).encode() + b"\n"

    def edit_leaf(self, is_it: Callable[[Leaf], bool], **changes: Any) -> None:
        """Change a leaf, and sign the log with it."""
        index = next(index for index, leaf in enumerate(map(decode, self.leaves)) if is_it(leaf))
        self.leaves[index] = encode(replace(decode(self.leaves[index]), **changes))
        self.sign()

    def edit_close(self, **changes: Any) -> None:
        """Change the CLOSE of the round."""
        self.edit_leaf(lambda leaf: isinstance(leaf, CloseLeaf) and leaf.round_id == self.round_id, **changes)

    def edit_run(self, number: int, edit: Callable[[bytes], bytes]) -> None:
        """Change the bytes of a run of the bundle and what the log commits to, as if it had been accepted so."""
        line = json.loads(self.lines[number])
        content = edit(bytes.fromhex(line["run"]))
        self.edit_line(number, lambda _: {"run": content.hex()})
        commitment = run_commitment(bytes.fromhex(line["salt"]), content)
        run_id = bytes.fromhex(line["run_id"])
        self.edit_leaf(lambda leaf: isinstance(leaf, RunLeaf) and leaf.run_id == run_id, commitment=commitment)

    @property
    def close(self) -> CloseLeaf:
        """The CLOSE of the round."""
        closes = (leaf for leaf in map(decode, self.leaves) if isinstance(leaf, CloseLeaf))
        return next(leaf for leaf in closes if leaf.round_id == self.round_id)


def receipt_of(host: Host, round_id: str = SEALED) -> bytes:
    """Return the receipt of the first run of a closed round."""
    assert host.app is not None
    with host.app.app_context():
        run_id = host.site.session.scalars(select(RunRow.run_id).where(RunRow.round_id == round_id)).first()
        assert run_id is not None
        return receipt(host.site, run_id, None)
