"""Static files: under names that follow from what is in them, and answered before Django.

A page asks for dozens of them at once. Django would make a request of each, pass it through every
middleware, and hand it to a thread and back.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.storage import CompressedManifestStaticFilesStorage

from config.shutdown import Receive, Scope, Send

Headers = Iterable[tuple[bytes, bytes]]

# What a browser that opens one by itself must not do with it.
SAFE: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'"),
)


COMPRESSED: Final = (".br", ".gz")  # what a file's name has at its end beside the file


class HashedFiles(CompressedManifestStaticFilesStorage):
    """Every file also under a name with a hash of its contents, which browsers keep for good:
    style sheets and modules name each other so, and a change of one renames all that lead to it."""

    support_js_module_import_aggregation = True
    # One for each link of the longest chain of imports, and one that finds nothing more to do.
    max_post_process_passes = 12

    def _stored_name(self, name: str, hashed_files: dict[str, str]) -> str:
        """The hashed name of a file that another one leads to. A way that leaves `STATIC_URL` and
        comes back, as one from a ruleset's folder does, ends where a browser would."""
        address = posixpath.normpath(posixpath.join(settings.STATIC_URL, name))
        stored: str = super()._stored_name(address.removeprefix(settings.STATIC_URL), hashed_files)
        return stored


class Files(WhiteNoiseMiddleware):
    """The files that there are, looked up once.

    They are everybody's (`Access-Control-Allow-Origin: *`, as WhiteNoise has it): an embed in a
    frame with `sandbox` is of no origin, so its style sheet, modules and type come from another's,
    and a browser takes them no other way. Nothing in them is about anybody.
    """

    def add_cache_headers(self, headers: Any, path: str, url: str) -> None:
        """Say for how long a file is good, and give one that has compressed copies a weak tag for
        all of them: a strong one would stand for the same bytes (RFC 9110, 8.8.1)."""
        super().add_cache_headers(headers, path, url)
        if any(Path(f"{path}{ending}").exists() for ending in COMPRESSED):
            found = Path(path).stat()
            headers["ETag"] = f'W/"{int(found.st_mtime):x}-{found.st_size:x}"'


class StaticFiles:
    """ASGI: answers for what lies below ``STATIC_URL``, and hands on everything else."""

    def __init__(self, application: Any) -> None:
        self.application = application
        self.files = Files()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        found = self.files.find_file(path) if self.files.autorefresh else self.files.files.get(path)
        if found is None:
            await self.application(scope, receive, send)
            return
        asked = _as_wsgi(scope["headers"])
        if "HTTP_RANGE" in asked:
            # A part is one of the file as it is, and whoever adds it to what they have must know
            # that this is of the same bytes: a weak tag cannot tell.
            asked.pop("HTTP_ACCEPT_ENCODING", None)
            if "HTTP_IF_RANGE" in asked:
                del asked["HTTP_RANGE"]
        answer = found.get_response(scope["method"], asked)
        body = b""
        if answer.file is not None:
            with answer.file:
                body = answer.file.read()
        # When a file was put here, its tag tells as well.
        headers = [
            (name.lower().encode(), value.encode())
            for name, value in answer.headers
            if name != "Last-Modified"
        ]
        await send(
            {
                "type": "http.response.start",
                "status": answer.status,
                "headers": [*headers, *SAFE],
            }
        )
        await send({"type": "http.response.body", "body": body})


def _as_wsgi(headers: Headers) -> dict[str, str]:
    """What WhiteNoise looks at, by the names it knows."""
    return {
        f"HTTP_{name.decode('latin-1').upper().replace('-', '_')}": value.decode("latin-1")
        for name, value in headers
    }
