"""What every answer tells a browser not to do with it, decided here and nowhere else.

An answer may say more than this of itself, such as a policy of its own (`Content-Security-Policy`
of pictures and of the service worker); it cannot say less by saying nothing. Pages get these from
the middleware; what is answered before Django hears of a request (static files, what is too large
or too much) from the ASGI layer around everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

#: What browsers can do that no page of the site wants, and nobody's frame within one. A browser
#: complains on every page of a name that it does not know, so what only some know on some systems
#: (Bluetooth, sharing) is left out: unless it is said otherwise nobody's frame may use these.
DENIED: Final = (
    "accelerometer", "browsing-topics", "camera", "clipboard-read",
    "display-capture", "encrypted-media", "fullscreen", "gamepad", "geolocation", "gyroscope",
    "hid", "identity-credentials-get", "idle-detection", "keyboard-map", "local-fonts",
    "magnetometer", "microphone", "midi", "otp-credentials", "payment", "picture-in-picture",
    "screen-wake-lock", "serial", "storage-access", "usb", "window-management",
    "xr-spatial-tracking",
)  # fmt: skip
#: What its own pages want: moves are heard, links are copied, and people sign in by passkeys.
OWN: Final = (
    "autoplay", "clipboard-write", "publickey-credentials-create", "publickey-credentials-get",
)  # fmt: skip
PERMISSIONS: Final = ", ".join(
    [*(f"{each}=()" for each in DENIED), *(f"{each}=(self)" for each in OWN)]
)

#: Where browsers tell of what a page was kept from doing.
REPORTS: Final = "/csp-reports/"
ENDPOINT: Final = "gauntlet"

#: Pages whose scripts are not ours: Django's administration makes markup of text by jQuery.
UNTRUSTED_TYPES: Final = ("/admin/",)
_TRUSTED: Final = ("require-trusted-types-for", "trusted-types")

#: For what says nothing of its own: it is no page, so nothing in it may do anything.
NOTHING: Final = "default-src 'none'; frame-ancestors 'none'"
#: What is about scripts, windows and links elsewhere, which a file that pages are made of has not
#: even where it is opened by itself. Before HTTP/2 it comes anew with each of dozens, and is as
#: long as a small one.
OF_PAGES: Final = frozenset(
    ("permissions-policy", "cross-origin-opener-policy", "reporting-endpoints", "referrer-policy")
)

Message = MutableMapping[str, Any]


def resource_policy(path: str, headers: MutableMapping[str, str]) -> str:
    """Who may show an answer in a page of theirs. Other sites may what is meant for them: pages
    made for frames, what programs may read from anywhere, and pictures that are everybody's."""
    given_to_all = headers.get("access-control-allow-origin") == "*"
    picture = headers.get("content-type", "").startswith("image/")
    public = "public" in headers.get("cache-control", "")
    if path.startswith("/embed/") or given_to_all or (picture and public):
        return "cross-origin"
    return "same-origin"


def is_part(path: str, headers: MutableMapping[str, str]) -> bool:
    """Whether an answer is a file that pages are made of, in which nothing may do anything."""
    policy = headers.get("content-security-policy", "")
    return path.startswith(settings.STATIC_URL) and policy.startswith("default-src 'none'")


def missing(path: str, headers: MutableMapping[str, str]) -> Iterator[tuple[str, str]]:
    """What an answer with these headers (by their names in lower case) has still to say."""
    wanted = {
        "permissions-policy": PERMISSIONS,
        "cross-origin-resource-policy": resource_policy(path, headers),
        "cross-origin-opener-policy": settings.SECURE_CROSS_ORIGIN_OPENER_POLICY,
        "x-content-type-options": "nosniff",
        "referrer-policy": settings.SECURE_REFERRER_POLICY,
        "content-security-policy": NOTHING,
        "reporting-endpoints": f'{ENDPOINT}="{REPORTS}"',
    }
    said = {*headers, *OF_PAGES} if is_part(path, headers) else headers
    return ((name, value) for name, value in wanted.items() if name not in said)


class HeadersMiddleware:
    """Outermost of all: puts them on whatever comes out of the others."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        policy = response.headers.get("Content-Security-Policy", "")
        if policy and request.path.startswith(UNTRUSTED_TYPES):
            response["Content-Security-Policy"] = without_trusted_types(policy)
        said = {name.lower(): value for name, value in response.headers.items()}
        for name, value in missing(request.path, said):
            response[name.title()] = value
        return response


def without_trusted_types(policy: str) -> str:
    """A policy that lets scripts make markup of text."""
    parts = [part.strip() for part in policy.split(";")]
    return "; ".join(part for part in parts if part and not part.startswith(_TRUSTED))


class Headers:
    """ASGI: the same for what was answered without Django."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": complete(scope["path"], message["headers"])}
            await send(message)

        await self.application(scope, receive, with_headers)


def complete(path: str, headers: Any) -> list[tuple[bytes, bytes]]:
    """Headers as ASGI has them, with those that are missing."""
    given = list(headers)
    said = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in given}
    return [*given, *((name.encode(), value.encode()) for name, value in missing(path, said))]
