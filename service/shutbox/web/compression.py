"""Static files in gzip for browsers that take it: scripts and styles shrink to a quarter, and hold no secret."""

import gzip
from functools import lru_cache

from flask import Response, request

LEAST_BYTES = 500
TYPES = frozenset(("text/css", "text/javascript", "application/javascript", "image/svg+xml"))


def compress_static(response: Response) -> Response:
    """Compress the whole text file that a response is; leave everything else as it is."""
    if request.endpoint != "static" or response.mimetype not in TYPES:
        return response
    response.vary.add("Accept-Encoding")
    if response.status_code != 200 or not request.accept_encodings["gzip"] or request.method != "GET":
        return response
    response.direct_passthrough = False
    content = response.get_data()
    if len(content) >= LEAST_BYTES:
        response.set_data(_gzipped(content))
        response.headers["Content-Encoding"] = "gzip"
    return response


@lru_cache(maxsize=256)
def _gzipped(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)
