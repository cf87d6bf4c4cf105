"""Idempotency keys: a request that makes something is sent again after a lost answer, and makes nothing more."""

from uuid import UUID

from .errors import IdempotencyKeyReused
from .site import Site
from .store.database import insert_or_nothing
from .store.rows import IdempotencyRow


def claim_key(site: Site, player_id: UUID, key: str, request_hash: bytes) -> IdempotencyRow:
    """Return the row of a player's key inside the caller's transaction: a new one, or that of the same request before.

    The one who claims a key first writes into its row what was made; until then others who send it wait.
    Raises IdempotencyKeyReused if the key came with another request.
    """
    values = {"player_id": player_id, "key": key, "request_hash": request_hash}
    insert_or_nothing(site.session, IdempotencyRow, values)
    row = site.session.get_one(IdempotencyRow, (player_id, key), populate_existing=True)
    if row.request_hash != request_hash:
        raise IdempotencyKeyReused("this Idempotency-Key was sent before with another request; send a new one")
    return row
