"""Static files and pages in gzip for browsers that take it: they shrink to a quarter, and hold no secret."""

import gzip
from functools import lru_cache
from http import HTTPStatus

from flask import Response, request

LEAST_BYTES = 500
_PARTS = (HTTPStatus.NOT_MODIFIED, HTTPStatus.PARTIAL_CONTENT)
STATIC_TYPES = frozenset(("text/css", "text/javascript", "application/javascript", "image/svg+xml"))


def compress(response: Response) -> Response:
    """Compress a static text file or a page; leave everything else, and all of the API, as it is."""
    static = request.endpoint == "statics.static_file" and response.mimetype in STATIC_TYPES
    if not static and response.mimetype != "text/html":
        return response
    response.vary.add("Accept-Encoding")
    whole = response.status_code not in _PARTS and request.method == "GET"
    if not whole or not request.accept_encodings["gzip"]:
        return response
    response.direct_passthrough = False
    content = response.get_data()
    if len(content) >= LEAST_BYTES:
        response.set_data(_compressed_file(content) if static else gzip.compress(content, 5, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
        etag, _ = response.get_etag()
        if etag is not None:
            response.set_etag(etag, weak=True)  # the bytes are others, the file is the same
    return response


@lru_cache(maxsize=256)
def _compressed_file(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)
