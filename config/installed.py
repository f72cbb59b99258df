"""What a browser needs to keep the site as an application: its service worker, which shows what one
is told, and the page that it shows while there is no network.

The worker keeps that one page and what it is drawn with, and nothing else: no page of a match, no
answer of the API, nothing that is anybody's. What it keeps follows from the names of the files,
which follow from what is in them, and from the page itself, so that a release brings its own.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.http import require_safe

# Browsers ask for it again once it is older, whatever page they show.
GOOD_FOR_S: Final = 3600

# What `offline.html` names; a test has a browser without a network draw it.
DRAWN_WITH: Final = (
    "css/fonts.css",
    "css/tokens.css",
    "css/base.css",
    "css/components.css",
    "fonts/figtree-basic.woff2",
    "vendor/@fontsource/marcellus@5.3.0/files/marcellus-latin-400-normal.woff2",
    "img/favicon.svg",
    "js/offline.js",
)

# Its fetches are the worker's own; the policy of pages does not hold in it.
_POLICY: Final = "default-src 'none'; connect-src 'self'; script-src 'self'"


@require_safe
def offline(_request: HttpRequest) -> HttpResponse:
    """The page for when there is no network. The same for everybody: it asks no session."""
    return _kept(HttpResponse(render_to_string("offline.html")))


@require_safe
def service_worker(_request: HttpRequest) -> HttpResponse:
    """The worker's script, which must stand at the root: it serves what is below its address. It
    names what is to be kept; what it does stands in `static/js/service-worker.js`."""
    files = [reverse("offline"), *map(static, DRAWN_WITH)]
    kept = {
        "files": files,
        "release": _digest(files),
        "offline": reverse("offline"),
        # Beside an announcement: fetched when there is one, and not kept.
        "icon": static("img/icon-192.png"),
    }
    answer = HttpResponse(
        f"globalThis.kept = {json.dumps(kept)};\n"
        f"importScripts({json.dumps(static('js/service-worker.js'))});\n",
        content_type="text/javascript",
    )
    answer["Content-Security-Policy"] = _POLICY
    return _kept(answer)


def _kept(answer: HttpResponse) -> HttpResponse:
    answer["Cache-Control"] = f"public, max-age={GOOD_FOR_S}"
    return answer


def _digest(files: list[str]) -> str:
    page = render_to_string("offline.html")
    return sha256("\n".join([*files, page]).encode()).hexdigest()[:16]
