"""Answers compressed where no proxy does it: zstd, br or gzip, whichever the reader takes.

An answer that holds a secret beside something that a stranger has chosen must not be: whoever sees
how long it is, again and again with another guess beside the secret, learns it letter by letter
(BREACH). So the answer to whatever writes is sent as it is, which is where tokens and secrets are
shown once; and so is what may not even be stored, `no-store`: settings that hold such things, what
the API tells callers about themselves, the admin site. `no-transform` asks for the same, of proxies
too. Tokens of forms are another text in every answer; what a player must not know of the other
stands beside names and moves, never beside the chat. And each compressed answer is as much longer
as chance has it.
"""

from __future__ import annotations

import re

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django_http_compression.middleware import HttpCompressionMiddleware

AS_IT_IS = re.compile(r"\bno-(?:store|transform)\b", re.IGNORECASE)


class CompressionMiddleware(HttpCompressionMiddleware):
    """The library's, which also keeps streams streaming (each piece is flushed) and makes tags of
    what it compresses weak; with our rules of what is left as it is, and `Vary` wherever another
    reader might be answered in another coding."""

    content_type_re = re.compile(
        r"""(?: text/
              | image/svg\+xml$
              | application/ (?: [\w.-]+\+ )? (?: json | xml )$
              | application/ (?: x-ndjson | javascript )$
        )""",
        re.VERBOSE | re.IGNORECASE,
    )

    def maybe_compress(self, request: HttpRequest, response: HttpResponseBase) -> None:
        """Compress what the reader takes so, unless it may hold a secret."""
        if request.method not in ("GET", "HEAD"):
            return
        if AS_IT_IS.search(response.get("Cache-Control", "")):
            return
        media = response.get("Content-Type", "").partition(";")[0].strip()
        # An answer without a body has no type: what it stands for may have been compressed.
        if response.status_code == 304 or self.content_type_re.match(media):
            patch_vary_headers(response, ["Accept-Encoding"])
        super().maybe_compress(request, response)
